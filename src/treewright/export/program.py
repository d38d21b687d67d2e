"""The program of a model: what it asks of a row, in what order, and what it answers.

Every export is written from this one description. A row is a list of numbers, one for each input: a number
is itself (less its column's offset), a time counts ticks of its column's unit, a category is its code, NaN is
missing, and code −1 a category never seen that follows the largest branch. What is compared is a *quantity*:
an input or a sum over several inputs, added from left to right as `core/splits/answer.hpp` does. A test is
one quantity against ascending cuts, or looked up among codes; it answers with a branch, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.errors import ExportError
from treewright.export.comparisons import UNSEEN, Input, Lookup, Oblique, Plane, Test
from treewright.tree.conditions import answered, condition_words
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, Table, Threshold

Array = NDArray[np.float64]

SHARE, STAY = -1, -2
"""Where rows go that no test answers, besides a branch: down every branch in parts, or nowhere."""


@dataclass(frozen=True)
class Node:
    """A node of a tree: tests asked in order until one answers, and a default.

    Parameters
    ----------
    id : int
        Its number in the tree; children have larger ones.
    tests : tuple of Test
        The split and its surrogates; none at a leaf.
    children : tuple of int
        The node of each branch.
    default : int
        The branch if no test answers, or `SHARE`, or `STAY`.
    weights : tuple of float
        What rows are shared by.
    total : float
        The sum of the weights, from left to right.
    """

    id: int
    tests: tuple[Test, ...] = ()
    children: tuple[int, ...] = ()
    default: int = STAY
    weights: tuple[float, ...] = ()
    total: float = 0.0

    @property
    def shared(self) -> list[tuple[int, float]]:
        """Give the children that have a share of a row, with their weights."""
        pairs = zip(self.children, self.weights, strict=True)
        return [(child, weight) for child, weight in pairs if weight > 0]


@dataclass(frozen=True)
class Clause:
    """A condition of a rule: the test answers with the branch, or, if `missing`, not at all."""

    test: Test
    branch: int
    missing: bool


@dataclass(frozen=True, eq=False)
class Answers:
    """What is said where rows end, a line each.

    Parameters
    ----------
    label : int array or None
        The class; −1 if there is none. None for numbers.
    votes : float array of ends × classes (or 1)
        What is summed over trees and shares, to decide by.
    proba : float array of ends × classes (or 1)
        The class probabilities, or the number.
    """

    label: NDArray[np.int32] | None
    votes: Array
    proba: Array

    @property
    def labels(self) -> list[int]:
        """The classes as plain numbers; none for a model of numbers."""
        return [] if self.label is None else self.label.tolist()


@dataclass(frozen=True, eq=False)
class TreeBody:
    """A tree: its nodes, of which `ends` are those where rows may end, with what is said there."""

    nodes: tuple[Node, ...]
    ends: tuple[int, ...]
    answers: Answers

    @cached_property
    def end_of(self) -> dict[int, int]:
        """The place of a node among the ends."""
        return {node: place for place, node in enumerate(self.ends)}

    @cached_property
    def shares_rows(self) -> bool:
        """Whether a row may go down several branches of a node."""
        return any(node.default == SHARE and node.tests for node in self.nodes)

    @cached_property
    def depth(self) -> int:
        """How deep the deepest leaf lies."""
        depth = [0] * len(self.nodes)
        for node in self.nodes:
            for child in node.children:
                depth[child] = depth[node.id] + 1
        return max(depth)

    def all_tests(self) -> Iterator[tuple[int, Test]]:
        """Go over all tests, each with its node."""
        return ((node.id, test) for node in self.nodes for test in node.tests)


@dataclass(frozen=True, eq=False)
class RuleBody:
    """Rules in order: the first of which all clauses hold decides; the last end is the default's."""

    rules: tuple[tuple[Clause, ...], ...]
    answers: Answers
    shares_rows = False

    def all_tests(self) -> Iterator[tuple[int, Test]]:
        """Go over all tests, each with the number of its rule."""
        return ((place, clause.test) for place, rule in enumerate(self.rules) for clause in rule)


Body: TypeAlias = TreeBody | RuleBody


@dataclass(frozen=True)
class LinearEnds:
    """Equations in the place of numbers: what each end of a tree with linear leaves says of a row.

    It is the constant, then term by term a coefficient times an input (code −1), or the coefficient if the
    input has that code; an input that is missing, or never seen, counts as its fill. The sum, taken in this
    order, is held to the range from `low` to `high`; see `core/predict/equations.hpp`.

    Parameters
    ----------
    constant : tuple of float
        By end.
    terms : tuple of tuples of (input, code, coefficient)
        By end.
    fill : tuple of float
        By input.
    low, high : float
    words : tuple of str
        By end.
    """

    constant: tuple[float, ...]
    terms: tuple[tuple[tuple[int, int, float], ...], ...]
    fill: tuple[float, ...]
    low: float
    high: float
    words: tuple[str, ...] = ()

    @property
    def begin(self) -> list[int]:
        """Where the terms of each end begin among those of all."""
        return [0, *accumulate(map(len, self.terms))]

    @property
    def columns(self) -> tuple[list[int], list[int], list[float]]:
        """The inputs, codes and coefficients of all terms."""
        every = [term for terms in self.terms for term in terms]
        return [term[0] for term in every], [term[1] for term in every], [term[2] for term in every]


@dataclass(frozen=True, eq=False)
class Program:
    """A fitted model, ready to be written in another language.

    Parameters
    ----------
    kind : str
        The class of the model.
    schema : Schema
        All features, and the classes.
    inputs : tuple of Input
        The columns that some test asks for, predicates last.
    obliques : tuple of Plane or Ball
        Sums over several inputs; the first has the number of quantity that follows the last input's.
    bodies : tuple of TreeBody or RuleBody
        One, or the trees of a forest.
    forest : bool
        Whether the answers of the bodies are averaged.
    hard : bool
        Whether each tree of a forest has one vote.
    costs : float array or None
        What it costs to predict a class (column) for a row of another (row).
    linear : LinearEnds or None
        What is said of a row where leaves are linear: only of one tree, whose rows are whole.
    refuses_missing, refuses_unseen, refuses_infinite : bool
        What rows have no answer. Infinities are else the largest finite numbers, and unseen categories
        missing, unless `unseen_is_code`.
    unseen_is_code : bool
        Whether an unseen category is code −1 rather than missing.
    """

    kind: str
    schema: Schema
    inputs: tuple[Input, ...]
    obliques: tuple[Oblique, ...]
    bodies: tuple[Body, ...]
    forest: bool = False
    hard: bool = False
    costs: Array | None = None
    linear: LinearEnds | None = None
    refuses_missing: bool = False
    refuses_unseen: bool = False
    refuses_infinite: bool = True
    unseen_is_code: bool = False

    @cached_property
    def classes(self) -> list[Any] | None:
        """The class labels as plain values; None for numbers."""
        return None if self.schema.classes is None else np.asarray(self.schema.classes).tolist()

    @property
    def width(self) -> int:
        """How many numbers an answer has."""
        return 1 if self.classes is None else len(self.classes)

    @cached_property
    def shares_rows(self) -> bool:
        """Whether a row may go down several branches of a node."""
        return any(body.shares_rows for body in self.bodies)

    @property
    def sums(self) -> bool:
        """Whether answers are summed over trees or shares of rows, rather than read at one end."""
        return self.forest or self.shares_rows

    @property
    def divisor(self) -> int:
        """What sums are divided by."""
        return len(self.bodies) if self.forest else 1

    @property
    def decides_by_tree(self) -> bool:
        """Whether the shares of a row are put together to one vote in each tree."""
        return self.hard and self.shares_rows

    @cached_property
    def answers(self) -> Answers:
        """What is said at the ends of all bodies, one body after the other."""
        every = [body.answers for body in self.bodies]
        label = (
            None
            if every[0].label is None
            else np.concatenate([one.label for one in every if one.label is not None])
        )
        votes, proba = (
            np.concatenate(parts) for parts in zip(*((one.votes, one.proba) for one in every), strict=True)
        )
        return Answers(label, votes, proba)

    @property
    def has_labels(self) -> bool:
        """Whether classes are read at the ends."""
        return self.classes is not None and not self.sums

    @property
    def has_votes(self) -> bool:
        """Whether classes are decided by sums."""
        return self.classes is not None and self.sums

    @property
    def proba_is_votes(self) -> bool:
        """Whether classes are decided by the sums of the probabilities themselves."""
        return self.has_votes and np.array_equal(self.answers.votes, self.answers.proba)

    def bodies_from(self) -> Iterator[tuple[int, Body, int]]:
        """Go over the bodies, each with its place and with that of its first end among all ends."""
        end = 0
        for place, body in enumerate(self.bodies):
            yield place, body, end
            end += len(body.answers.proba)

    @property
    def coded(self) -> Iterator[tuple[int, Input]]:
        """The inputs whose values are looked up among categories, each with its place."""
        pairs = enumerate(self.inputs)
        return ((at, one) for at, one in pairs if one.has_codes and one.predicate is None)

    @property
    def n_codes(self) -> list[int]:
        """How many codes each lookup has."""
        tests = (test for body in self.bodies for _, test in body.all_tests())
        return [len(test.branches) for test in tests if isinstance(test, Lookup)]

    def unseen(self, one: Input) -> Literal["refused", "coded", "missing"]:
        """Tell what becomes of a category of an input that was never seen."""
        if self.refuses_unseen:
            return "refused"
        return "coded" if self.unseen_is_code and one.column.kind == "categorical" else "missing"

    @property
    def n_ends(self) -> int:
        """How many ends all bodies have."""
        return sum(len(body.answers.proba) for body in self.bodies)

    @property
    def is_rules(self) -> bool:
        """Whether the model consists of rules."""
        return isinstance(self.bodies[0], RuleBody)

    def oblique(self, quantity: int) -> Oblique | None:
        """Give the sum that a quantity is; None if it is an input."""
        return None if quantity < len(self.inputs) else self.obliques[quantity - len(self.inputs)]

    def inputs_of(self, quantity: int) -> tuple[int, ...]:
        """Give the inputs that a quantity is made of."""
        oblique = self.oblique(quantity)
        return (quantity,) if oblique is None else tuple(term[0] for term in oblique.terms)

    def split_of(self, test: Test, n_branches: int = 2) -> Split:
        """Give a test as a split over the features, which says it in words."""
        oblique = self.oblique(test.quantity)
        if isinstance(test, Lookup):
            known = {code: branch for code, branch in test.branches.items() if code != UNSEEN}
            return Table(self.inputs[test.quantity].feature, known, n_branches)
        if oblique is None:
            feature = self.inputs[test.quantity].feature
            if len(test.cuts) > 1:
                return Intervals(feature, test.cuts)
            return Threshold(feature, test.cuts[0], test.below)
        features = tuple(self.inputs[term[0]].feature for term in oblique.terms)
        if isinstance(oblique, Plane):
            return Hyperplane(
                features, tuple(weight for _, weight in oblique.terms), test.cuts[0], test.below
            )
        centres, scales = zip(*(term[1:] for term in oblique.terms), strict=True)
        return Sphere(features, centres, scales, test.cuts[0])

    def words(self, node: Node, branch: int, max_categories: int | None = 4) -> str:
        """Say what holds on a branch of a node, and whether rows without a value take it."""
        split = self.split_of(node.tests[0], len(node.children))
        words = split.condition(self.schema, branch, max_categories=max_categories)
        if self.refuses_missing or words.endswith(" is missing"):
            return words
        if node.default == SHARE:
            return f"{words} or missing (shared)"
        return f"{words} or missing" if node.default == branch else words

    def clause_words(self, clause: Clause, max_categories: int | None = 4) -> str:
        """Say what a clause of a rule asks for."""
        test = clause.test
        n_branches = max(test.branches.values(), default=0) + 1 if isinstance(test, Lookup) else 0
        condition = answered(self.split_of(test, n_branches), clause.branch)
        return condition_words(
            replace(condition, missing=clause.missing),
            self.schema,
            max_categories=max_categories,
            missing=True,
        )

    def names_of(self, test: Test) -> str:
        """Name the columns that a test asks for, for errors."""
        return " and ".join(repr(self.inputs[place].name) for place in self.inputs_of(test.quantity))


def refuse_linear(program: Program, target: str) -> None:
    """Refuse a model of linear leaves for a target that cannot hold them."""
    if program.linear is not None:
        body = program.bodies[0]
        node = body.ends[0] if isinstance(body, TreeBody) else 0
        raise ExportError(f"node {node} is a leaf with a linear equation, which {target} cannot hold.")


def refusal(
    program: Program, target: str, what: str, *, node: int, body: int = 0, test: Test | None = None
) -> ExportError:
    """Build the error for what a target cannot hold; it names node and feature."""
    where = "rule" if program.is_rules else "node"
    tree = f" of tree {body}" if program.forest else ""
    on = "" if test is None else f" on {program.names_of(test)}"
    return ExportError(f"{where} {node}{tree} splits{on} {what}, which {target} cannot hold.")
