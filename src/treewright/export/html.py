"""A tree as a static piece of HTML without scripts, as notebooks show it."""

from __future__ import annotations

from collections import deque
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.export.text import Writer, hidden_nodes
from treewright.formatting.colours import class_colour
from treewright.formatting.html_table import html_shares
from treewright.formatting.text import counted

if TYPE_CHECKING:
    from treewright.tree import Tree

OPEN_DEPTH = 3
"""Nodes above this depth are shown open."""


def export_html(tree: Tree, *, max_nodes: int = 200) -> str:
    """Write a tree as nested parts that open and close, each node with a bar of its class probabilities.

    Parameters
    ----------
    tree : Tree
        The tree, or a fitted estimator that has one.
    max_nodes : int, default=200
        About how many nodes to show, level by level from the root; those left out are counted.

    Returns
    -------
    str
        A piece of HTML that stands alone: styles are inline, and every name is escaped.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> from treewright.export import export_html
    >>> export_html(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "<b>"])).count("&lt;b&gt;")
    2
    """
    tree = getattr(tree, "tree_", tree)
    writer = Writer(tree, decimals=None, max_categories=8, class_weights=True, missing=False)
    shown = _first_nodes(tree, max_nodes)
    hidden = hidden_nodes(tree, ~shown)
    bars = _Bars(tree)
    note = f"<div {_PALE}>{escape(tree.note)}</div>" if tree.note else ""
    parts = [f'<div style="line-height:1.7"><div {_PALE}>{_title(writer)}</div>{note}']
    stack: list[tuple[int, str]] = [(0, "all rows")]
    while stack:
        node, words = stack.pop()
        if node < 0:
            parts.append(words)
            continue
        line = f"{bars.bar(node)}{escape(words)}"
        numbers = f" <span {_PALE}>{escape(writer.statistics(np.array([node]))[0])}</span>"
        if tree.is_leaf(node):
            parts.append(f"<div {_LEAF}>{line} → <b>{escape(writer.prediction(node))}</b>{numbers}</div>")
        elif hidden[node]:
            parts.append(f"<div {_LEAF}>{line} … {counted(int(hidden[node]), 'node')} below{numbers}</div>")
        else:
            is_open = " open" if tree.node_depth[node] < OPEN_DEPTH else ""
            parts.append(
                f'<details{is_open} {_INDENT}><summary style="cursor:pointer">{line}{numbers}</summary>'
            )
            branches = list(zip(tree.children(node), writer.conditions(node), strict=True))
            stack += [(-1, "</details>"), *reversed(branches)]
    return "".join([*parts, "</div>"])


_PALE = 'style="opacity:.7"'
_INDENT = 'style="margin-left:1.5em"'
_LEAF = 'style="margin-left:2.55em"'  # beside nodes with the sign that opens and closes them


def _title(writer: Writer) -> str:
    """Say how large the tree is, and show the colour of each class."""
    if not writer.shows_classes or not writer.class_texts:
        return escape(writer.title())
    keys = (
        f'<span style="color:{class_colour(code)}">■</span> {escape(text)}'
        for code, text in enumerate(writer.class_texts)
    )
    return f"{escape(writer.size())}; classes [{' '.join(keys)}]"


def _first_nodes(tree: Tree, max_nodes: int) -> NDArray[np.bool_]:
    """Return the mask of about `max_nodes` nodes from the root down, the branches of a node together."""
    shown = np.zeros(len(tree), bool)
    shown[0] = True
    n_shown, waiting = 1, deque([0])
    while waiting:
        children = tree.children(waiting.popleft())
        if n_shown + len(children) <= max_nodes:
            shown[children] = True
            n_shown += len(children)
            waiting.extend(children)
    return shown


class _Bars:
    """Draws what each node predicts: the class probabilities, or its value between lowest and highest."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.lowest = float(tree.node_value.min()) / 2  # halves, as the whole range may be beyond all numbers
        self.range = float(tree.node_value.max()) / 2 - self.lowest or 1.0

    def bar(self, node: int) -> str:
        value = self.tree.node_value[node]
        shares = (
            value / (value.sum() or 1.0)
            if self.tree.is_classifier
            else (value / 2 - self.lowest) / self.range
        )
        return f'<span style="font-size:.8em;margin-right:.6em">{html_shares(shares.tolist())}</span>'
