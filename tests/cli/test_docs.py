"""Every console block of the README and of docs/ runs as it stands, and shows what the page says."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from treewright.cli import main

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
    if BLOCK.search(page.read_text("utf-8"))
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(text: str) -> list[tuple[list[str], str]]:
    """The commands of a page in order, each with what it should show."""
    found = []
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            program, *arguments = shlex.split(line)
            assert program == "treewright"
            found.append((arguments, shown))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks_show_what_the_program_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    checker = doctest.OutputChecker()
    for arguments, shown in commands(page.read_text("utf-8")):
        main(arguments)
        captured = capfd.readouterr()
        found = captured.out + captured.err
        assert checker.check_output(shown.replace("\n\n", "\n"), found.replace("\n\n", "\n"), FLAGS), (
            f"treewright {shlex.join(arguments)} shows\n{found}"
        )


def test_the_readme_and_the_page_on_the_command_line_have_tours() -> None:
    assert {"README.md", "command_line.md"} <= {page.name for page in PAGES}
