"""`export_text` and `print(tree)`: a tree as indented text."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import plain
from treewright.formatting.text import counted, number_text, printable, quoted
from treewright.formatting.text_table import terminal_width
from treewright.tree.from_sklearn import tree_of
from treewright.tree.wrapped import unwrapped

if TYPE_CHECKING:
    from treewright.tree import Tree

DEEPEST_INDENT = 40
"""Nodes deeper than this show their depth as a number instead of by indentation."""

WIDEST_ALIGNED = 72
"""Statistics are set in a column no farther right than this; longer lines push theirs out."""

MOST_CLASSES = 8
"""Class weights are shown for at most this many classes."""


def export_text(
    tree: Any,
    *,
    max_depth: int | None = None,
    decimals: int | None = None,
    max_categories: int | None = 8,
    class_weights: bool = True,
    missing: bool | Collection[int] = False,
) -> str:
    """Write a tree as indented text, a line for each node: the branch's condition, and what its rows are.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree, or a model that has one, of treewright or scikit-learn; of a pipeline it is the last step,
        of a search over parameters the best model.
    max_depth : int, optional
        The depth below which nodes are only counted; by default all are shown.
    decimals : int, optional
        How many decimals numbers show; by default thresholds show as many as it takes to read them back.
    max_categories : int or None, default=8
        Longer lists of categories are shortened, with a count of those left out; None shows all.
    class_weights : bool, default=True
        Whether each line ends with the weight of every class, if these are few.
    missing : bool or collection of int, default=False
        Whether to mark the branch that a row takes whose split is unanswered; or the nodes where to.

    Returns
    -------
    str
        The text, without a line end after the last line.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> from treewright.export import export_text
    >>> print(export_text(DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])))
    3 rows, 3 nodes, 2 leaves, depth 1; classes [a b]
    <BLANKLINE>
    all rows         (n=3,  67 %)  [2 1]
    ├─ x0 ≤ 3  → a   (n=2, 100 %)  [2 0]
    └─ x0 > 3  → b   (n=1, 100 %)  [0 1]
    """
    writer = Writer(tree_of(unwrapped(tree).model), decimals, max_categories, class_weights, missing)
    nodes, left = zip(*writer.branches(max_depth), strict=True)
    right = writer.statistics(np.array(nodes))
    edge = min(max(map(terminal_width, left)), WIDEST_ALIGNED)
    lines = (
        f"{words}{' ' * (edge - terminal_width(words))}   {numbers}"
        for words, numbers in zip(left, right, strict=True)
    )
    note = [printable(writer.tree.note)] if writer.tree.note else []
    return "\n".join([writer.title(), *note, "", *lines, *writer.limits()])


def shown_at(missing: bool | Collection[int], node: int) -> bool:
    """Whether the branch of missing values is marked at a node."""
    return missing if isinstance(missing, bool) else node in missing


@dataclass(frozen=True)
class Writer:
    """Writes the parts of a tree's lines."""

    tree: Tree
    decimals: int | None
    max_categories: int | None
    class_weights: bool
    missing: bool | Collection[int]

    def size(self) -> str:
        """Say how large the tree is."""
        tree = self.tree
        parts = [
            counted(int(tree.count[0]), "row"),
            counted(len(tree), "node"),
            counted(tree.n_leaves, "leaf", "leaves"),
            f"depth {tree.depth}",
        ]
        return ", ".join(parts)

    def title(self) -> str:
        """Say how large the tree is and what stands in brackets."""
        if self.tree.schema.outputs:
            names = " ".join(quoted(output.name) for output in self.tree.schema.outputs)
            return f"{self.size()}; targets [{names}]"
        if not self.tree.is_classifier:
            return f"{self.size()}; {'[value]' if self.tree.equations is None else '[mean]'}"
        if not self.shows_classes:
            return f"{self.size()}; {len(self.class_texts)} classes"
        smoothed = "" if self.tree.observed is None else "; probabilities smoothed"
        return f"{self.size()}; classes [{' '.join(self.class_texts)}]{smoothed}"

    @property
    def shows_classes(self) -> bool:
        """Whether the weight of every class is shown."""
        few = self.tree.node_value.shape[1] <= MOST_CLASSES
        return self.class_weights and few and not self.tree.schema.outputs

    def branches(self, max_depth: int | None) -> Iterator[tuple[int, str]]:
        """Go over the nodes depth first, each with the guides to it, its condition and its prediction."""
        tree = self.tree
        depth = tree.node_depth.tolist()
        hidden = None if max_depth is None else hidden_nodes(tree, tree.node_depth > max_depth)
        stack = [(0, "", "", "all rows")]
        while stack:
            node, guides, branch, condition = stack.pop()
            start = f"[{depth[node]}] " if depth[node] > DEEPEST_INDENT else guides + branch
            children = tree.children(node)
            if hidden is not None and hidden[node]:
                yield node, f"{start}{condition}  … {counted(int(hidden[node]), 'node')} below"
            elif not children:
                yield node, f"{start}{condition}  → {self.prediction(node)}"
            else:
                yield node, start + condition
                if depth[node] <= DEEPEST_INDENT:
                    guides += {"├─ ": "│  ", "└─ ": "   ", "": ""}[branch]
                stack += [
                    (child, guides, "└─ " if child == children[-1] else "├─ ", words)
                    for child, words in zip(reversed(children), reversed(self.conditions(node)), strict=True)
                ]

    def conditions(self, node: int) -> list[str]:
        """Say what holds on each branch of a node."""
        split = self.tree[node].split
        assert split is not None
        conditions = [
            split.condition(
                self.tree.schema, branch, decimals=self.decimals, max_categories=self.max_categories
            )
            for branch in range(split.n_branches)
        ]
        if shown_at(self.missing, node):
            default = self.tree.default_branch[node]
            for branch, condition in enumerate(conditions):
                if default in (branch, -1) and not condition.endswith(" is missing"):
                    conditions[branch] += " or missing" + self._how_missing(node)
        return conditions

    def _how_missing(self, node: int) -> str:
        """Say what else becomes of a row that misses what a node asks for."""
        if self.tree.default_branch[node] == -1:
            return " (shared)"
        has_surrogates = self.tree.split_begin[node + 1] > self.tree.split_begin[node] + 1
        return ", as are its surrogates" if has_surrogates else ""

    def prediction(self, node: int) -> str:
        """Say what a node predicts; of several targets for each."""
        if self.tree.schema.outputs:
            return ", ".join(f"{name} = {text}" for name, text in self.predictions(node))
        if self.tree.equations is not None:
            return self.tree.equations.words(self.tree.schema, node, self.max_categories)
        if self.tree.schema.classes is None:
            return self._number(self.tree.node_value[node, 0])
        return self.class_texts[int(self.tree.label[node])]

    def limits(self) -> list[str]:
        """Say what holds for all equations of a tree with linear leaves."""
        tree = self.tree
        return [] if tree.equations is None else ["", *tree.equations.limits(tree.schema, tree.leaves)]

    def predictions(self, node: int) -> list[tuple[str, str]]:
        """Say what a node predicts for each of several targets, with the names of these."""
        tree, said = self.tree, []
        for place, output in enumerate(tree.schema.outputs):
            if output.classes is None:
                text = self._number(tree.node_value[node, place])
            else:
                text = quoted(str(plain(output.classes[tree.label[node, place]])))
            said.append((quoted(output.name), text))
        return said

    @cached_property
    def class_texts(self) -> list[str]:
        """The classes as they are written; none for a regression tree."""
        classes = self.tree.schema.classes
        return [] if classes is None else [quoted(str(plain(label))) for label in classes]

    def _number(self, number: float) -> str:
        return f"{number:.6g}" if self.decimals is None else number_text(number, self.decimals)

    def statistics(self, nodes: NDArray[np.int64]) -> list[str]:
        """Write for each of the nodes how many rows it has, how well it predicts them, and its value."""
        tree = self.tree
        parts = [_aligned([f"n={count}" for count in tree.count[nodes].tolist()], pad_after="n=")]
        if self._weighted:
            parts.append(
                _aligned(
                    [f"weight {text}" for text in self._weights(tree.weight[nodes])], pad_after="weight "
                )
            )
        parts.append(self._quality(nodes))
        brackets = [""] * len(nodes)
        if tree.schema.classes is None:
            columns = [
                _aligned([self._number(value) for value in column]) for column in tree.node_value[nodes].T
            ]
            values = [" ".join(row) for row in zip(*columns, strict=True)]
            # a leaf's line says its value already, unless it is an equation
            leaf = (tree.n_children[nodes] == 0) & (tree.equations is None)
            brackets = ["" if at_leaf else f"  [{text}]" for text, at_leaf in zip(values, leaf, strict=True)]
        elif self.shows_classes:
            columns = [_aligned(self._weights(column)) for column in tree.training_value[nodes].T]
            brackets = [f"  [{' '.join(row)}]" for row in zip(*columns, strict=True)]
        parts.append([tree.decided_by(node) for node in nodes.tolist()])
        return [
            f"({', '.join(filter(None, words))}){bracket}"
            if weight
            else f"({words[0]}, predicts as its parent)"
            for *words, bracket, weight in zip(*parts, brackets, tree.weight[nodes].tolist(), strict=True)
        ]

    def _quality(self, nodes: NDArray[np.int64]) -> list[str]:
        """Write the probability of the class each node predicts, or its loss per unit of weight."""
        tree = self.tree
        weight = np.where(tree.weight[nodes] > 0, tree.weight[nodes], 1.0)
        if tree.schema.classes is None:
            with np.errstate(over="ignore"):
                losses = [f"{loss:.4g}" for loss in (tree.risk[nodes] / weight).tolist()]
            return _aligned([f"mean loss {text}" for text in losses], pad_after="mean loss ")
        if tree.schema.outputs:  # the class predicted for each target
            value, label = tree.by_output(tree.node_value[nodes]), tree.label[nodes]
            each = np.take_along_axis(value, label[:, :, None], axis=2)[:, :, 0] / weight[:, None]
            columns = [_aligned([f"{percent(share)} %" for share in column.tolist()]) for column in each.T]
            return [" · ".join(row) for row in zip(*columns, strict=True)]
        shares = tree.node_value[nodes, tree.label[nodes]] / weight
        return _aligned([f"{percent(share)} %" for share in shares.tolist()])

    def _weights(self, weights: NDArray[np.float64]) -> list[str]:
        """Write weights as whole numbers if they are all whole, else to about a thousandth of the root's."""
        if self._whole:
            return [f"{weight:.0f}" for weight in weights.tolist()]
        total = self.tree.weight[0]
        digits = max(0, 3 - math.floor(math.log10(total))) if self.decimals is None else self.decimals
        return [f"{weight:.{digits}f}" for weight in weights.tolist()]

    @cached_property
    def _weighted(self) -> bool:
        """Whether some weight is not the number of rows."""
        return bool(np.any(np.abs(self.tree.weight - self.tree.count) > 1e-9 * self.tree.weight[0]))

    @cached_property
    def _whole(self) -> bool:
        return bool(np.all(self.tree.weight % 1 == 0) and np.all(self.tree.training_value % 1 == 0))


def percent(share: float) -> str:
    """Write a share as whole per cent; what is not quite all or nothing does not read so.

    Examples
    --------
    >>> percent(1.0), percent(0.9999), percent(0.255), percent(0.001)
    ('100', '>99', '26', '<1')
    """
    rounded = f"{100 * share:.0f}"
    if rounded == "100" and share < 1:
        return ">99"
    return "<1" if rounded == "0" and share > 0 else rounded


def hidden_nodes(tree: Tree, hidden: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count for each node the hidden ones below it that it is the nearest shown node to."""
    nearest = np.where(hidden, tree.parent, np.arange(len(tree)))
    while np.any(hidden[nearest]):
        nearest = nearest[nearest]  # each pass doubles the distance gone up
    return np.bincount(nearest[hidden], minlength=len(tree))


def _aligned(texts: Sequence[str], pad_after: str = "") -> list[str]:
    """Set texts to one width, blanks in front or after a word they all begin with."""
    width = max(map(len, texts))
    return [pad_after + text.removeprefix(pad_after).rjust(width - len(pad_after)) for text in texts]
