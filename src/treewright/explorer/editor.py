"""Editor: changes a tree by hand (prune, grow, split, merge, relabel), with undo, redo and a log.

Every edit gives a new editor; trees are never written to.
"""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from treewright.data import Dataset
from treewright.data.columns import plain
from treewright.draw.visible_tree import infinities, read_rows, stored_value
from treewright.errors import DataError
from treewright.explorer.page import Page, write_page
from treewright.explorer.page_data import Exploration, content_of, small_enough
from treewright.explorer.regrow import Regrower, same_place
from treewright.formatting.html_table import html_table
from treewright.formatting.suggestions import unknown_name
from treewright.formatting.text import counted, printable
from treewright.growing.grow_tree import Progress
from treewright.parameter_types import is_whole
from treewright.pruning.losses import row_loss
from treewright.pruning.nested import nested_losses
from treewright.tree import Tree
from treewright.tree.decision import loss_name
from treewright.tree.from_sklearn import tree_of
from treewright.tree.model import TreeModel
from treewright.tree.routing import place
from treewright.tree.splits import Split, Table, Threshold
from treewright.tree.subtrees import graft, subtree

EDITS = ("prune", "grow", "split", "merge", "relabel", "undo", "redo")
"""What an entry of the log may say was done."""

Entry = dict[str, Any]


def edit(model: Any, X: Any, y: Any, *, validation: tuple[Any, Any] | None = None) -> Editor:
    """Start editing a tree by hand.

    Parameters
    ----------
    model : fitted estimator or Tree
        A tree of this library or of scikit-learn; it stays as it is.
    X, y : table and target
        The rows that it was grown on.
    validation : pair of a table and a target, optional
        Rows that it was not grown on: every edit says what it does to the loss on them.

    Returns
    -------
    Editor
        Its methods give further editors.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, edit
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> edited = edit(model, X, y).prune(2).split(2, feature="petal length", threshold=5.0)
    >>> edited.tree.n_leaves, edited.undo().tree.n_leaves, edited.undo().undo().tree == model.tree_
    (3, 2, True)
    >>> [entry["edit"] for entry in edited.log]
    ['prune', 'split']
    """
    tree, inf = tree_of(model), infinities(model)
    held = None if validation is None else read_rows(tree, *validation, inf)
    return Editor(tree, model, read_rows(tree, X, y, inf), held)


@dataclass(frozen=True, eq=False, repr=False)
class Editor:
    """A tree that is being edited, with what it was and what was done to it.

    Attributes
    ----------
    tree : Tree
        The tree as it is now.
    model : estimator or Tree
        What was given.
    training, validation : Dataset
        The rows that edits are counted and judged by.
    log : tuple of dict
        Everything that was done, in order, undoing too; `replay` does it again.
    progress : callable or None
        Told, while an edit grows a branch, how far it is; what it raises stops the edit.
    """

    tree: Tree
    model: Any
    training: Dataset
    validation: Dataset | None = None
    log: tuple[Entry, ...] = ()
    past: tuple[Tree, ...] = ()
    future: tuple[Tree, ...] = ()
    progress: Progress | None = None
    _judged: list[tuple[Tree, dict[str, float]]] = field(default_factory=list)  # shared by all that follow
    _described: dict[tuple[int, float], Any] = field(default_factory=dict)

    # ---- edits -----------------------------------------------------------------------------------------

    def prune(self, node: int) -> Editor:
        """Make a node a leaf."""
        self._inner(node)
        return self._changed({"edit": "prune", "node": node}, self.tree.collapse([node]))

    def grow(self, node: int, max_depth: int | None = None) -> Editor:
        """Grow a leaf on by the recipe of the tree, or grow anew what is below a node.

        Parameters
        ----------
        node : int
            Where to grow.
        max_depth : int, optional
            How many levels at most; by default what the recipe leaves.
        """
        self._node(node)
        grown = self._regrower.grown(self._regrower.rows_at(node), max_depth, int(self.tree.node_depth[node]))
        if grown.is_leaf(0):
            raise DataError(f"node {node} cannot be grown on: no split of its rows is worth it.")
        return self._changed(
            {"edit": "grow", "node": node, "max_depth": max_depth}, graft(self.tree, node, grown)
        )

    def split(
        self,
        node: int,
        feature: str | int,
        threshold: Any = None,
        groups: Sequence[Sequence[Any]] | None = None,
        *,
        grow: bool = False,
    ) -> Editor:
        """Force a split upon a node.

        Whatever hung below it is gone; `undo` brings it back.

        Parameters
        ----------
        node : int
            A leaf, or a node whose branches are replaced.
        feature : str or int
            The feature, by name or number.
        threshold : number, date or category, optional
            For a numeric or ordinal feature: rows up to here take the first branch.
        groups : sequence of sequences of categories, optional
            For a categorical feature: the categories of each branch.
        grow : bool, default=False
            Whether the branches are grown on by the recipe of the tree; else they are leaves.
        """
        self._node(node)
        place_of = self.tree.schema.feature(feature)
        made = self._split(place_of, threshold, groups)
        entry = {
            "edit": "split",
            "node": node,
            "feature": self.tree.schema.names[place_of],
            "threshold": threshold,
            "groups": None if groups is None else [list(group) for group in groups],
            "grow": grow,
        }
        return self._changed(entry, self._regrower.with_split(node, made, max_depth=None if grow else 0))

    def merge(self, node: int, branches: Iterable[int]) -> Editor:
        """Put several branches of a split of categories together in one, which becomes a leaf.

        Parameters
        ----------
        node : int
            A node that splits categories.
        branches : iterable of int
            Two or more of its branches, counted from 0.
        """
        self._inner(node)
        split, merged = self.tree[node].split, sorted(set(branches))
        if not isinstance(split, Table):
            raise DataError(f"node {node} does not split categories: only such branches can be merged.")
        if len(merged) < 2 or not 0 <= merged[0] <= merged[-1] < split.n_branches:
            raise ValueError(
                f"branches={merged!r} must be two or more of the {split.n_branches} of node {node}."
            )
        entry = {"edit": "merge", "node": node, "branches": merged}
        kept = [branch for branch in range(split.n_branches) if branch not in merged[1:]]
        if len(kept) == 1:
            return self._changed(entry, self.tree.collapse([node]))
        number = {
            branch: kept.index(merged[0] if branch in merged else branch)
            for branch in range(split.n_branches)
        }
        fewer = Table(split.feature, {code: number[b] for code, b in split.branches.items()}, len(kept))
        tree = self._regrower.with_split(node, fewer, max_depth=0)
        for branch in kept:  # what was not merged keeps what is below it
            if branch != merged[0]:
                below = subtree(self.tree, self.tree.children(node)[branch])
                tree = graft(tree, tree.children(same_place(self.tree, tree, node))[number[branch]], below)
        return self._changed(entry, tree)

    def relabel(self, node: int, label: Any) -> Editor:
        """Decide what a leaf says, whatever its rows say.

        Parameters
        ----------
        node : int
            A leaf.
        label : class or number
            What it predicts from now on. Counts of rows and class probabilities stay those of its rows.
        """
        self._node(node)
        if not self.tree.is_leaf(node):
            raise ValueError(f"node {node} is no leaf: only what leaves say can be decided.")
        tree = self._regrower.relabelled(node, self._value(label))
        return self._changed({"edit": "relabel", "node": node, "label": label}, tree)

    def undo(self) -> Editor:
        """Take the last edit back."""
        if not self.past:
            raise ValueError("There is no edit to undo.")
        log = (*self.log, self._entry({"edit": "undo"}, self.past[-1]))
        return replace(
            self, tree=self.past[-1], past=self.past[:-1], future=(self.tree, *self.future), log=log
        )

    def redo(self) -> Editor:
        """Do again what was undone last."""
        if not self.future:
            raise ValueError("There is no undone edit to redo.")
        log = (*self.log, self._entry({"edit": "redo"}, self.future[0]))
        return replace(
            self, tree=self.future[0], past=(*self.past, self.tree), future=self.future[1:], log=log
        )

    def replay(self, log: Iterable[Mapping[str, Any]]) -> Editor:
        """Do again all that a log says, in order."""
        editor = self
        for entry in log:
            given = {name: value for name, value in entry.items() if name not in ("edit", "leaves", "risk")}
            name = entry.get("edit")
            if name not in EDITS:
                raise ValueError(unknown_name("edit", str(name), EDITS))
            editor = getattr(editor, str(name))(**given)
        return editor

    # ---- results ---------------------------------------------------------------------------------------

    @property
    def risk(self) -> dict[str, float]:
        """Mean loss of the tree as it is now, on the training rows and, if there are any, on the others."""
        return self._risk(self.tree)

    def fitted(self) -> Any:
        """Give a copy of the model with the edited tree; a Tree if one was given.

        It keeps the log as `edits_`, and so does the file that it is saved to.
        """
        if not isinstance(self.model, TreeModel):
            return self.tree
        model: Any = copy.copy(self.model)
        model._set_tree(self.tree)
        model._forget_pruning()
        model.edits_ = (*getattr(self.model, "edits_", ()), *self.log)
        return model

    def within_reach(self) -> Editor:
        """Give this editor, or one of the largest pruning that a page can show, as if it were the start."""
        return replace(self, tree=small_enough(self.tree))

    @property
    def explored(self) -> Exploration:
        """The tree as it is now, with its rows, to be shown."""
        return Exploration(self.tree, self.training, self.validation, self.model, described=self._described)

    def page(self, *, cv: int | None = None, max_rows: int = 1000, title: str | None = None) -> Page:
        """Give the page of the tree as it is now, see `treewright.explore`."""
        content = content_of(self.explored, cv=cv, max_rows=max_rows, title=title)
        return Page(write_page(content), content["title"])

    def _repr_html_(self) -> str:
        """Show what was done, step by step, and the tree as it is now."""
        from treewright.draw.tree_plot import plot_tree

        known = ("edit", "leaves", "risk")
        rows = [
            [
                entry["edit"],
                ", ".join(f"{name} {value}" for name, value in entry.items() if name not in known),
                str(entry["leaves"]),
                *(f"{value:.4g}" for value in entry["risk"].values()),
            ]
            for entry in self.log
        ]
        head = ["edit", "of", "leaves", *(f"{part} {loss_name(self.tree)}" for part in self.risk)]
        log = html_table(counted(len(rows), "edit"), head, rows, range(2, len(head)))
        return log + plot_tree(self.tree, max_leaves=12)._repr_html_()

    def __repr__(self) -> str:
        risk = ", ".join(f"{rows} {loss_name(self.tree)} {value:.4g}" for rows, value in self.risk.items())
        return f"Editor({self.tree!r}, {len(self.log)} edits, {risk})"

    # ---- how it is done ----------------------------------------------------------------------------------

    @property
    def _regrower(self) -> Regrower:
        if self.tree.equations is not None:
            raise ValueError(
                "a tree of linear leaves can be pruned by hand, not grown, split, merged or relabelled."
            )
        return Regrower(self.tree, self.training, self.model, self.progress)

    def _changed(self, entry: Entry, tree: Tree) -> Editor:
        log = (*self.log, self._entry(entry, tree))
        return replace(self, tree=tree, past=(*self.past, self.tree), future=(), log=log)

    def _entry(self, entry: Entry, tree: Tree) -> Entry:
        given: Entry = _as_json(entry)
        return given | {"leaves": tree.n_leaves, "risk": self._risk(tree)}

    def _risk(self, tree: Tree) -> dict[str, float]:
        """Judge a tree, once: an edit that is taken back gives a tree that was there before."""
        for known, risk in self._judged:
            if known is tree:
                return dict(risk)
        parts = {"training": self.training, "validation": self.validation}
        risk = {name: _mean_loss(tree, rows) for name, rows in parts.items() if rows is not None}
        self._judged.append((tree, risk))
        return dict(risk)

    def _node(self, node: int) -> None:
        if not is_whole(node) or not 0 <= node < len(self.tree):
            raise ValueError(
                f"node={node!r} must be one of the {len(self.tree)} nodes of the tree, from 0 on."
            )

    def _inner(self, node: int) -> None:
        self._node(node)
        if self.tree.is_leaf(node):
            raise ValueError(f"node {node} is a leaf already: it has no branches.")

    def _split(self, feature: int, threshold: Any, groups: Sequence[Sequence[Any]] | None) -> Split:
        """Make the split that is asked for, in the feature's own terms."""
        column = self.tree.schema.columns[feature]
        name = printable(column.name)
        if column.kind != "categorical":
            number = math.nan if threshold is None else stored_value(self.tree.schema, feature, threshold)
            if groups is not None or not math.isfinite(number):
                raise ValueError(
                    f"{name!r} is {column.kind}: give a finite threshold to split it, and no groups."
                )
            return Threshold(feature, number)
        if groups is None or threshold is not None or len(groups) < 2:
            raise ValueError(
                f"{name!r} is categorical: give two or more groups of categories, and no threshold."
            )
        branches: dict[int, int] = {}
        places = _Places(column.categories, f"category of {name!r}")
        for branch, group in enumerate(groups):
            for category in group:
                code = places.of(category)
                if branches.setdefault(code, branch) != branch:
                    raise ValueError(f"category {category!r} of {name!r} is in two groups.")
        return Table(feature, branches, len(groups))

    def _value(self, label: Any) -> float:
        """Give the code of a class, or a number that a leaf may predict."""
        classes = self.tree.schema.classes
        if classes is not None:
            return _Places(classes.tolist(), "class").of(label)
        if isinstance(label, bool) or not isinstance(label, numbers.Real) or not math.isfinite(label):
            raise ValueError(f"label={label!r} must be a finite number.")
        return float(label)


def _mean_loss(tree: Tree, rows: Dataset) -> float:
    if tree.equations is not None:
        return float(nested_losses(tree, rows, np.full(len(tree), np.inf), np.zeros(1)).mean[0])
    assert rows.target is not None
    parts = place(tree, rows)
    loss = float((parts.weight * row_loss(tree, rows.target[parts.row], parts.node)).sum())
    return loss / (len(rows) if rows.weight is None else float(rows.weight.sum()))


class _Places:
    """Where values stand among those known, found by their texts if they come from a page or a log."""

    def __init__(self, known: Sequence[Any], what: str) -> None:
        self.what = what
        self.by_value = {value: place for place, value in enumerate(known)}
        texts = [str(plain(value)) for value in known]
        shown = {printable(text): place for place, text in enumerate(texts)}  # as pages have them
        self.by_text = shown | {text: place for place, text in enumerate(texts)}

    def of(self, value: Any) -> int:
        place = self.by_value.get(value)
        if place is None and isinstance(value, str):
            place = self.by_text.get(value)
        if place is None:
            raise ValueError(unknown_name(self.what, str(value), list(self.by_text)))
        return place


def _as_json(value: Any) -> Any:
    """Write what was given as JSON has it: dates as text, NumPy's numbers as Python's."""
    if isinstance(value, Mapping):
        return {name: _as_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(inner) for inner in value]
    if isinstance(value, np.generic):
        return plain(value)
    return value.isoformat() if isinstance(value, date) else value
