"""Every Python block of the README and of docs/ runs, in order, and prints what the page says.

Blocks with prompts are doctests; a plain block followed by a block of `text` must print that text.
"""

import doctest
import inspect
import io
import json
import pkgutil
import re
import runpy
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import treewright
from check_links import broken

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/*/*.md")]
)
NOTEBOOKS = sorted([*ROOT.glob("docs/*.ipynb"), *ROOT.glob("docs/tutorials/*.ipynb")])
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n+```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run_page(page: Path, text: str) -> None:
    """Run the blocks of a page in one namespace."""
    namespace: dict[str, object] = {"__name__": page.stem}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start("code"))
        if ">>> " in block["code"]:
            run_doctest(block["code"], namespace, page, line)
        else:
            printed = run_script(block["code"], namespace, page, line)
            assert block["output"] is None or printed.rstrip() == block["output"].rstrip()


def run_doctest(code: str, namespace: dict[str, object], page: Path, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), line)
    test.globs = namespace
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    assert not failed, "".join(report)


def run_script(code: str, namespace: dict[str, object], page: Path, line: int) -> str:
    # Blank lines before the code keep the line numbers of tracebacks true.
    program = compile("\n" * line + code, str(page), "exec")
    with redirect_stdout(io.StringIO()) as printed:
        exec(program, namespace)
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_code_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_every_cell_of_a_notebook_runs(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells), "outputs are made when the site is built"
    namespace: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            run_script("".join(cell["source"]), namespace, notebook, 0)
    plt.close("all")


@pytest.mark.parametrize("page", PAGES + NOTEBOOKS, ids=lambda page: page.name)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page in NOTEBOOKS:
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    links = LINK.findall(text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_pictures_of_the_pages_are_those_that_their_script_draws() -> None:
    script = runpy.run_path(str(ROOT / "examples" / "draw_tree.py"))
    for draw in script["DRAWINGS"]:
        picture = script["PICTURES"] / f"{draw.__name__}.svg"
        assert draw().svg == picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n",
        "```python\nx = 1\n```\nand then\n```python\nassert x == 2\n```\n",
    ],
    ids=["doctest", "printed text", "assertion on an earlier block"],
)
def test_a_wrong_page_is_caught(text: str) -> None:
    with pytest.raises(AssertionError):
        run_page(Path("page.md"), text)


LISTING = re.compile(r"autosummary::\n(?P<options>(?:   :.*\n)*)\n(?P<names>(?:   treewright\..*\n)+)")


def listed() -> dict[str, bool]:
    """The names that the reference has a page for, and whether the page has their members."""
    pages = "".join(page.read_text(encoding="utf-8") for page in sorted(ROOT.glob("docs/api/*.md")))
    return {
        name: ":template: method" not in listing["options"]
        for listing in LISTING.finditer(pages)
        for name in listing["names"].split()
    }


def shown(name: str, with_members: bool) -> dict[str, object]:
    """Everything of ours that the page of a name describes: functions, classes, what these have."""
    thing: Any = pkgutil.resolve_name(name)
    if inspect.ismodule(thing):
        named = getattr(thing, "__all__", [key for key in vars(thing) if not key.startswith("_")])
        own = {key: getattr(thing, key) for key in named}
        own = {
            key: value
            for key, value in own.items()
            if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == thing.__name__
        }
        return {
            at: one
            for key, value in own.items()
            for at, one in described(f"{name}.{key}", value, True).items()
        }
    return described(name, thing, with_members)


def described(name: str, thing: Any, with_members: bool) -> dict[str, object]:
    """A function or a class with what it has, what it inherits of ours included."""
    if not inspect.isclass(thing) or not with_members:
        return {name: thing}
    found = {name: thing}
    for key in dir(thing):
        member = inspect.getattr_static(thing, key)
        code = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        ours = inspect.isfunction(code) and code.__module__.startswith("treewright")
        if ours and not key.startswith("_"):
            found[f"{name}.{key}"] = member
    return found


def test_the_reference_has_every_public_name() -> None:
    named = {name.split(".")[1] for name in listed()}
    assert named >= set(treewright.__all__) - {"__version__"}


@pytest.mark.parametrize(("name", "with_members"), listed().items())
def test_whatever_the_reference_shows_has_an_example_that_runs(name: str, with_members: bool) -> None:
    """Examples of docstrings run as doctests of their modules."""
    found = shown(name, with_members)
    assert found
    assert [at for at, thing in found.items() if ">>> " not in (inspect.getdoc(thing) or "")] == []


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<h1 id="top">a</h1><a href="b.html#there">b</a><a href="b.html#gone">b</a><a href="#top">a</a>'
        '<img src="no%20picture.png"><a href="https://example.org/x">c</a><a href="sub/">d</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    assert broken(tmp_path) == ["index.html: b.html#gone", "index.html: no%20picture.png", "index.html: sub/"]
