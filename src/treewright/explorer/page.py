"""`explore`: the explorer as one HTML file that needs no network, with a content security policy.

Styles and script stand in the file; a content security policy names their hashes and forbids everything else.
The content is JSON that no parser of HTML can mistake for markup, and the script writes every name as text.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from treewright.draw.svg import in_themes
from treewright.errors import DataError
from treewright.explorer.bundle import asset, script_text
from treewright.explorer.forest_page_data import ForestExploration, is_forest
from treewright.explorer.page_data import Exploration, content_of
from treewright.formatting.colours import DARK, LIGHT, css_variables
from treewright.formatting.trust import for_trusted
from treewright.persistence.atomic_file import whole_file
from treewright.tree.from_sklearn import tree_of
from treewright.tree.wrapped import unwrapped

Entry = Literal["main", "live", "served"]
"""The module a page begins with: one that asks nobody, one that edits, one that fetches further trees."""

_MARKUP = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


@dataclass(frozen=True, repr=False)
class Page:
    """The explorer of one tree: a notebook shows it in a sandboxed frame, `save` writes the file.

    The page holds all it needs, scripts and rows included, and works without a network.

    Attributes
    ----------
    html : str
        The whole page.
    title : str
        Its heading.
    """

    html: str
    title: str

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, whole or not at all; its name ends in `.html` or `.htm`."""
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise DataError(
                f"path={str(path)!r} must end in .html or .htm: a browser prints such a page to PDF."
            )
        with whole_file(path) as beside:
            beside.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        style = "width:100%;height:760px;border:0"
        frame = f'sandbox="allow-scripts allow-downloads" style="{style}" title="{escape(self.title)}"'
        dark, light = in_themes("dark", "false"), in_themes("light", "true")
        themes = f"{dark}{{color-scheme:dark}}{light}{{color-scheme:light}}"  # the page asks for no more
        return for_trusted(
            f'<iframe {frame} class="treewright" srcdoc="{escape(self.html)}"></iframe>'
            f"<style>{themes}</style>"
        )

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {len(self.html.encode()) / 1024:.0f} KB)"


def explore(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    validation: tuple[Any, Any] | None = None,
    cv: int | None = 10,
    max_rows: int = 1000,
    title: str | None = None,
    beside: Mapping[str, Any] | None = None,
) -> Page:
    """Make a page to explore a tree or a forest with: to look, to prune, to ask what if, to teach.

    Parameters
    ----------
    model : fitted estimator or Tree
        A tree of this library or of scikit-learn, or a forest of this library: its trees are shown one at a
        time, with the votes of all. Of a pipeline it is the last step, on what those before it give; of a
        search over parameters the best model.
    X, y : table and target, optional
        The rows that the tree was grown on.
    validation : pair of a table and a target, optional
        Rows that it was not grown on: every node shows them beside the training rows, and the path of
        prunings is judged by them.
    cv : int or None, default=10
        Cross-validate the path of prunings on `X` and `y` in so many folds, if the model says how to grow
        further trees; None does not.
    max_rows : int, default=1000
        How many rows go into the page, drawn at random; 0 keeps all of them out of it, and shows only
        what the tree itself knows.
    title : str, optional
        The heading; by default the size of the tree.
    beside : mapping of name to fitted model, optional
        Other trees of the same table to show side by side with this one, for example
        `{"pruned": …, "forest-guided": …}`. An optimal tree has the greedy one of the same limits beside it
        anyway.

    Returns
    -------
    Page
        Shown by notebooks; `save` writes one file that works without a network.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, explore
    >>> X, y = datasets.load_iris()
    >>> page = explore(DecisionTreeClassifier().fit(X, y), X, y, title="irises")
    >>> page.html[:15], "http://" in page.html.replace("http://www.w3.org/", "")
    ('<!doctype html>', False)
    """
    if max_rows < 0:
        raise ValueError(f"max_rows={max_rows!r} must be an int from 0 on.")
    content = page_content(
        model, X, y, validation=validation, cv=cv, max_rows=max_rows, title=title, beside=beside
    )
    return Page(write_page(content), content["title"])


def page_content(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None,
    validation: tuple[Any, Any] | None = None,
    cv: int | None = None,
    max_rows: int = 1000,
    beside: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Describe a tree or a forest for the page, see `explore`; pipelines and searches are taken apart."""
    refuse_several_targets(model)
    model, prepared = unwrapped(model)
    X, validation = prepared(X), validation and (prepared(validation[0]), validation[1])
    if is_forest(model):
        return ForestExploration.of(model, X, y, validation).content(max_rows, title)
    explored = Exploration.of(model, X, y, validation, beside)
    return content_of(explored, cv=cv, max_rows=max_rows, title=title)


def refuse_several_targets(model: Any) -> None:
    """Refuse a model that no page can be made of."""
    model, _ = unwrapped(model)
    known = model._fitted_trees() if is_forest(model) else tree_of(model)
    known.schema.require_one_target("a page is made for each target, so fit a model for each: it explores")


def write_page(
    content: dict[str, Any], entry: Entry = "main", report: str = "", figures: dict[str, Any] | None = None
) -> str:
    """Put content, style and script together as one file, for a disk or for one who serves it.

    A report, as HTML, stands above, and its figures as JSON beside the content.
    """
    styles = re.findall(r"<style>(.*?)</style>", report, re.DOTALL)
    parts = {
        "policy": escape(policy(entry, styles)),
        "title": escape(content["title"]),
        "report": report,
        "with_report": ' class="with-report"' if report else "",
        "figures": figures_script(figures),
        "style": style_text(),
        "content": safe_json(content),
        "script": script_text(entry),
    }
    return filled(asset("page.html"), parts)


@cache
def style_text() -> str:
    """Give the style sheet of a page, in the colours that drawings have too."""
    colours = {"light": css_variables(LIGHT), "dark": css_variables(DARK)}
    style = filled(asset("style.css"), colours)
    bare = re.sub(r"/\*.*?\*/\n?|^ +", "", style, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r" *([{};,]) +|(:) +", r"\1\2", bare)


def figures_script(figures: dict[str, Any] | None) -> str:
    """Write the figures of a report so that a program can read them."""
    if figures is None:
        return ""
    return f'<script type="application/json" id="treewright-report">{safe_json(figures)}</script>\n'


def policy(entry: Entry = "main", styles: Sequence[str] = ()) -> str:
    """Give the content security policy of a page: its own style and script, its server, and nothing else.

    Styles of pictures in a report are its own, too.
    """
    style, script = style_text(), script_text(entry)
    further = "".join(f" {one}" for one in sorted({content_hash(one) for one in styles}))
    talk = "" if entry == "main" else "connect-src 'self'; "
    return (
        f"default-src 'none'; script-src {content_hash(script)}; style-src {content_hash(style)}{further}; "
        f"img-src data: blob:; {talk}base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill in a page in one pass, so that content which looks like a place to fill in is left as it is."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)


def safe_json(content: Any) -> str:
    r"""Write JSON that stays text wherever it stands in a page.

    Examples
    --------
    >>> print(safe_json(["</script>"]))
    ["\u003c/script\u003e"]
    """
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_MARKUP)


def content_hash(text: str) -> str:
    """Name a style or a script in a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
