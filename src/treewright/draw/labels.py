"""Labels of nodes and branches: the feature or question, and the answer on each branch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.data.columns import plain, value_text
from treewright.draw.typography import fit_lines, text_width
from treewright.draw.visible_tree import Held
from treewright.export.text import Writer, percent, shown_at
from treewright.formatting.text import counted, figure, number_text, printable
from treewright.tree import Tree
from treewright.tree.decision import loss_name
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, Table, features_of

SPACE = "\u00a0"
"""Keeps a sign and its bound on one line."""


MOST_COUNTS = 4
"""Cards show the rows of no more classes than these."""


@dataclass(frozen=True)
class Labels:
    r"""The words of a tree's picture.

    Parameters
    ----------
    tree : Tree
        The tree.
    decimals : int or None
        How many decimals numbers show; None shows thresholds exactly.
    missing : bool or collection of int
        Whether to mark the branch that a row takes whose split is unanswered; or the nodes where to.
    max_categories : int
        Longer lists of categories are shortened, with a count of those left out.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> labels = Labels(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_)
    >>> labels.question(0), labels.answer(1), labels.answer(2), labels.prediction(2)
    ('x0', '≤\xa01.5', '>\xa01.5', 'b')
    """

    tree: Tree
    decimals: int | None = None
    missing: bool | Collection[int] = False
    max_categories: int = 5

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self.tree, self.decimals, self.max_categories, True, self.missing)

    def question(self, node: int) -> str:
        """Give what a node asks: a feature, or a sum of features."""
        split = self.tree[node].split
        assert split is not None
        return question(split, self.tree.schema, self.decimals)

    def answer(self, node: int, max_categories: int | None = None) -> str:
        """Give the answer of its parent's question that leads to a node; "all rows" at the root."""
        above = int(self.tree.parent[node])
        if above < 0:
            return "all rows"
        split, branch = self.tree[above].split, int(self.tree.branch[node])
        assert split is not None
        return answer(
            split, self.tree.schema, branch, self.decimals, max_categories or self.max_categories
        ) + self._missing_words(node)

    def _missing_words(self, node: int) -> str:
        """Say whether the branch to a node takes rows that do not answer the split."""
        above = int(self.tree.parent[node])
        branch = int(self.tree.branch[node])
        split, default = self.tree[above].split, int(self.tree.default_branch[above])
        own = isinstance(split, Table) and not split.groups[branch]  # a branch of missing values alone
        if not shown_at(self.missing, above) or own or default not in (branch, -1):
            return ""
        return f" or{SPACE}missing" + f"{SPACE}(shared)" * (default == -1)

    def short_condition(self, node: int, max_categories: int | None = None) -> str:
        """Give question and answer of the branch that leads to a node."""
        above = int(self.tree.parent[node])
        if above < 0:
            return "all rows"
        words = self.answer(node, max_categories)
        if isinstance(self.tree[above].split, Table):
            words = f"is {words}" if words == "missing" else f"={SPACE}{words}"
        return f"{self.question(above)} {words}"

    def lines(self, node: int, width: float, size: float, most: int, whole: bool = False) -> list[str]:
        """Set the answer that leads to a node, or the whole condition, in at most so many lines.

        It has as many categories as there is room for. What is too long even so loses of the name of the
        feature first, and never the bound or where missing values go.
        """
        write = self.short_condition if whole else self.answer
        for max_categories in range(self.max_categories, 0, -1):
            lines = fit_lines(write(node, max_categories), width, size, most)
            if not lines[-1].endswith("…"):
                return lines
        if whole:
            return self._shortened_question(node, width, size, most)
        note = self._missing_words(node)
        if not note or most == 1:
            return lines
        words = self.answer(node).removesuffix(note)
        return [*fit_lines(words, width, size, most - 1), note.strip()]

    def _shortened_question(self, node: int, width: float, size: float, most: int) -> list[str]:
        """Set a condition with as much of its question as the answer leaves room for."""
        question = self.question(int(self.tree.parent[node]))
        if most > 1:
            end = self.lines(node, width, size, most - 1)
            return [*fit_lines(question, width, size, most - len(end)), *end]
        (answer,) = self.lines(node, width, size, 1)
        room = width - text_width(f" {answer}", size)
        return [f"{fit_lines(question, room, size, 1)[0]} {answer}" if room > 3 * size else answer]

    def condition(self, node: int) -> str:
        """Give the exact condition that leads to a node from its parent."""
        above = int(self.tree.parent[node])
        if above < 0:
            return "all rows"
        return self._writer.conditions(above)[int(self.tree.branch[node])]

    @cached_property
    def class_texts(self) -> list[str]:
        """The classes as they are written where each stands alone: bare, if there is anything to see."""
        classes = self.tree.schema.classes
        texts = [] if classes is None else [printable(str(plain(label))) for label in classes]
        return [text if text.strip() else f'"{text}"' for text in texts]

    def prediction(self, node: int) -> str:
        """Say what a node predicts; of several targets for each."""
        if self.tree.schema.outputs:
            return ", ".join(f"{name} = {text}" for name, text in self.predictions(node))
        if self.tree.is_classifier:
            return self.class_texts[int(self.tree.label[node])]
        if self.tree.equations is not None:
            return self.tree.equations.words(self.tree.schema, node, self.max_categories)
        return self.mean(node)

    def mean(self, node: int) -> str:
        """Write the number of a node of a regression tree."""
        return short_number(float(self.tree.node_value[node, 0]), self.decimals)

    def says_mean(self, node: int) -> bool:
        """Tell whether the mean of a node's rows stands beside what it predicts, or asks."""
        tree = self.tree
        return not tree.is_classifier and (tree.equations is not None or not tree.is_leaf(node))

    def predictions(self, node: int) -> list[tuple[str, str]]:
        """Say what a node predicts for each of several targets, with the names of these."""
        tree, said = self.tree, []
        for place, output in enumerate(tree.schema.outputs):
            if output.classes is None:
                text = short_number(float(tree.node_value[node, place]), self.decimals)
            else:
                text = printable(str(plain(output.classes[tree.label[node, place]])))
            said.append((printable(output.name), text))
        return said

    def class_counts(self, value: NDArray[np.float64]) -> list[str]:
        """Say how many rows of each class there are, of many classes those of most rows."""
        most = np.sort(np.argsort(-value, kind="stable")[:MOST_COUNTS]).tolist()
        words = [f"{self.class_texts[code]}:{SPACE}{short_number(value[code])}" for code in most]
        return words + ["…"] * (len(value) > MOST_COUNTS)

    def tip(self, node: int, held: Held | None = None) -> str:
        """Say in a few lines all that is known of a node, beginning with the rows given if there are any."""
        tree, entry = self.tree, self.tree[node]
        lines = [f"node {node}: {self.condition(node)}"]
        is_given = held is not None and held.given
        if held is not None and is_given:
            share = percent(held.weight[node] / (held.weight[0] or 1.0))
            lines.append(f"{counted(int(held.count[node]), 'row')} of those given, {share} %")
            if tree.is_classifier and tree.node_value.shape[1] <= 12:
                lines.append(self._classes(held.value[node].tolist()))
        share = percent(entry.weight / (tree.weight[0] or 1.0))
        grown = f"{counted(entry.count, 'row')}, {share} % of all"
        if abs(entry.weight - entry.count) > 1e-9 * tree.weight[0]:
            grown += f", weight {short_number(entry.weight)}"
        lines.append(f"grown on {grown}" if is_given else grown)
        lines.append(", ".join(filter(None, [f"predicts {self.prediction(node)}", tree.decided_by(node)])))
        if tree.is_classifier and tree.node_value.shape[1] <= 12 and not tree.schema.outputs:
            classes = self._classes(entry.value.tolist())
            lines.append(f"grown on {classes}" if is_given else classes)
        lost = f"{loss_name(tree, 'errors')} {short_number(entry.risk)}"
        lines.append(f"impurity {short_number(entry.impurity)}, {lost}")
        if not entry.is_leaf:
            lines.append(f"gain of the split {short_number(entry.merit)}")
        for title, splits in (("surrogates", entry.surrogates), ("competitors", entry.competitors)):
            words = [split.condition(tree.schema, 0, max_categories=self.max_categories) for split in splits]
            lines += [f"{title}: {'; '.join(words)}"] if words else []
        return "\n".join(lines)

    def _classes(self, value: list[float]) -> str:
        texts = zip(self._writer.class_texts, value, strict=True)
        return ", ".join(f"{text}: {short_number(weight)}" for text, weight in texts)


def question(split: Split, schema: Schema, decimals: int | None = None) -> str:
    """Give what a split asks: the name of a feature, or the sum it compares with its threshold."""
    if _is_sum(split):
        return _parts(split, schema, 0, decimals)[0]
    return printable(schema.names[features_of(split)[0]])


def answer(
    split: Split, schema: Schema, branch: int, decimals: int | None = None, max_categories: int = 5
) -> str:
    """Give what a branch answers: a sign and a bound, or categories."""
    if isinstance(split, Table):
        return _categories(split, schema, branch, max_categories)
    if _is_sum(split):
        return _parts(split, schema, branch, decimals)[1]
    column = schema.columns[features_of(split)[0]]
    shorten = _shortened if column.kind == "numeric" and column.unit is None and decimals is None else str
    name, words = printable(column.name), split.condition(schema, branch, decimals=decimals)
    if isinstance(split, Intervals) and 0 < branch < len(split.cuts):
        low, _, high = words.partition(f" < {name} ≤ ")
        return f">{SPACE}{shorten(low)}, ≤{SPACE}{shorten(high)}"
    sign, _, bound = words.removeprefix(f"{name} ").partition(" ")
    return bound if sign == "is" else f"{sign}{SPACE}{shorten(bound)}"


def _is_sum(split: Split) -> bool:
    """Whether a split compares a sum over its features, not one of them."""
    return isinstance(split, Sphere) or (isinstance(split, Hyperplane) and not split.is_turned)


def _parts(split: Split, schema: Schema, branch: int, decimals: int | None) -> tuple[str, str]:
    """Part a condition at the sign before its last number."""
    total, sign, bound = split.condition(schema, branch, decimals=decimals).rsplit(" ", 2)
    return total, f"{sign}{SPACE}{_shortened(bound) if decimals is None else bound}"


def _shortened(bound: str) -> str:
    """Round a number of many digits; the tip of its node has them all."""
    return bound if len(bound) <= 8 else f"{float(bound):.5g}"


def _categories(split: Table, schema: Schema, branch: int, most: int) -> str:
    column, group = schema.columns[split.feature], split.groups[branch]
    if not group:
        return "missing"
    shown = group if len(group) <= most else group[: most - 1]
    if not shown:
        return counted(len(group), "value")
    words = [value_text(column, code) for code in shown]
    if len(shown) < len(group):
        words.append(f"…{SPACE}{len(group) - len(shown)}{SPACE}more")
    return ", ".join(words)


def short_number(number: float, decimals: int | None = None) -> str:
    """Write a number to four digits and at least to the unit, or with fixed decimals.

    Examples
    --------
    >>> short_number(0.333333), short_number(12.0), short_number(99684.3), short_number(1 / 3, 1)
    ('0.3333', '12', '99684', '0.3')
    """
    if decimals is not None:
        return number_text(number, decimals)
    return figure(number)
