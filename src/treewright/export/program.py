"""The program of a model: what it asks of a row, in what order, and what it answers.

Every export is written from this one description. A row is a list of numbers, one for each input: a number
is itself (less its column's offset), a time counts ticks of its column's unit, a category is its code, NaN is
missing, and code −1 a category never seen that follows the largest branch. What is compared is a *quantity*:
an input or a sum over several inputs, added from left to right as `core/splits/answer.hpp` does. A test is
one quantity against ascending cuts, or looked up among codes; it answers with a branch, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.data.columns import Column
from treewright.data.predicates import Predicate
from treewright.errors import ExportError
from treewright.export.expressions import columns_of
from treewright.tree import Tree
from treewright.tree.conditions import Condition, Interval, Side, Values, answered, condition_words
from treewright.tree.decision import decide
from treewright.tree.model import ForestModel, TreeModel
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, Table, Threshold

Array = NDArray[np.float64]

SHARE, STAY = -1, -2
"""Where rows go that no test answers, besides a branch: down every branch in parts, or nowhere."""

UNSEEN = -1
"""The code of a category never seen that follows the largest branch."""


# ---- what is asked -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Input:
    """A column that the model asks for, or a predicate that is worked out of such columns."""

    feature: int
    column: Column
    predicate: Predicate | None = None

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @property
    def has_codes(self) -> bool:
        """Whether the number of the input stands for a category: a code, or a position in an order."""
        return self.column.kind != "numeric"


@dataclass(frozen=True)
class Plane:
    """The sum of weight · x over (input, weight), from left to right."""

    terms: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Ball:
    """The sum of scale · (x − centre) · (x − centre) over (input, centre, scale), from left to right."""

    terms: tuple[tuple[int, float, float], ...]


Oblique: TypeAlias = Plane | Ball


@dataclass(frozen=True)
class Cut:
    """The branch is the number of ascending cuts that lie below the quantity; unanswered if it is NaN."""

    quantity: int
    cuts: tuple[float, ...]

    @property
    def n_branches(self) -> int:
        """One more than there are cuts."""
        return len(self.cuts) + 1

    def branch(self, x: float) -> int | None:
        """Give the branch of a quantity; None if it is unanswered."""
        return None if math.isnan(x) else sum(x > cut for cut in self.cuts)

    def bounds(self, branch: int) -> tuple[float, float]:
        """Give what the quantity is above, and what it is at most, on a branch."""
        ends = (-math.inf, *self.cuts, math.inf)
        return ends[branch], ends[branch + 1]


@dataclass(frozen=True)
class Lookup:
    """The branch of each code; a code that is not listed, and NaN, are unanswered."""

    quantity: int
    branches: Mapping[int, int]

    def branch(self, x: float) -> int | None:
        """Give the branch of a quantity; None if it is unanswered."""
        return None if math.isnan(x) else self.branches.get(int(x))

    def codes(self, branch: int) -> tuple[int, ...]:
        """Give the codes of a branch, ascending."""
        return tuple(sorted(code for code, taken in self.branches.items() if taken == branch))


Test: TypeAlias = Cut | Lookup


# ---- what is done with the answers -------------------------------------------------------------------


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

    @property
    def sums(self) -> bool:
        """Whether answers are summed over trees or shares of rows, rather than read at one end."""
        return self.forest or any(body.shares_rows for body in self.bodies)

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
            return Threshold(feature, test.cuts[0]) if len(test.cuts) == 1 else Intervals(feature, test.cuts)
        features = tuple(self.inputs[term[0]].feature for term in oblique.terms)
        if isinstance(oblique, Plane):
            return Hyperplane(features, tuple(weight for _, weight in oblique.terms), test.cuts[0])
        centres, scales = zip(*(term[1:] for term in oblique.terms), strict=True)
        return Sphere(features, centres, scales, test.cuts[0])

    def words(self, node: Node, branch: int, max_categories: int | None = 4) -> str:
        """Say what holds on a branch of a node."""
        split = self.split_of(node.tests[0], len(node.children))
        return split.condition(self.schema, branch, max_categories=max_categories)

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


def refusal(
    program: Program, target: str, what: str, *, node: int, body: int = 0, test: Test | None = None
) -> ExportError:
    """Build the error for what a target cannot hold; it names node and feature."""
    where = "rule" if program.is_rules else "node"
    tree = f" of tree {body}" if program.forest else ""
    on = "" if test is None else f" on {program.names_of(test)}"
    return ExportError(f"{where} {node}{tree} splits{on} {what}, which {target} cannot hold.")


# ---- out of a model ----------------------------------------------------------------------------------


def program_of(model: Any) -> Program:
    """Describe a fitted model, a tree, a preset, a forest or rules; a program is given back.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> program = program_of(DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]))
    >>> program.bodies[0].nodes[0].tests
    (Cut(quantity=0, cuts=(3.0,)),)
    """
    if isinstance(model, Program):
        return model
    rules = getattr(model, "ruleset_", model)  # of a classifier made of rules
    if hasattr(rules, "rules") and hasattr(rules, "default"):
        return _of_rules(type(model).__name__, rules)
    if isinstance(model, ForestModel):
        return _of_forest(model)
    if isinstance(model, TreeModel):
        return _of_tree(model)
    raise ExportError(f"{type(model).__name__} cannot be exported: give a fitted model of treewright.")


def _of_tree(model: Any) -> Program:
    tree: Tree = model._fitted_tree()
    collector = _Collector(model._bound_schema(tree), model)
    proba = np.array(model._node_values(tree))
    label = tree.label.copy() if tree.is_classifier else None
    if label is not None and getattr(model, "compat", None) == "weka":
        empty = (tree.count == 0) & (tree.n_children == 0)
        label[empty], proba[empty] = -1, 0.0
    votes = tree.shares if tree.is_classifier else tree.value
    body = collector.tree(tree, Answers(label, votes, proba))
    return collector.program((body,), costs=tree.costs)


def _of_forest(model: Any) -> Program:
    trees: Sequence[Tree] = model._fitted_trees()
    collector = _Collector(trees.schema, model)  # type: ignore[attr-defined]
    hard = bool(model._hard)
    bodies = []
    for tree in trees:
        said = tree.shares
        if not tree.is_classifier:
            answers = Answers(None, said, said)
        else:
            label = decide(said).astype(np.int32)
            votes = np.eye(said.shape[1])[label] if hard and not tree.shares_rows else said
            answers = Answers(label, votes, votes)
        bodies.append(collector.tree(tree, answers))
    return collector.program(tuple(bodies), forest=True, hard=hard)


def _of_rules(kind: str, rules: Any) -> Program:
    collector = _Collector(rules.schema, None)
    every = (*rules.rules, rules.default)
    value = np.stack([rule.value for rule in every])
    if rules.schema.classes is None:
        answers = Answers(None, value, value)
    else:
        label = np.array([rule.label for rule in every], np.int32)
        answers = Answers(label, rules.shares, rules.shares)
    clauses = tuple(tuple(map(collector.clause, rule.conditions)) for rule in rules.rules)
    return collector.program((RuleBody(clauses, answers),), kind=kind)


class _Collector:
    """Takes the tests of a model, with features for inputs; numbers the inputs when all are known."""

    def __init__(self, schema: Schema, model: Any) -> None:
        self.schema = schema
        self.kind = type(model).__name__
        self.unseen = getattr(model, "unseen", "missing")
        self.missing = getattr(model, "missing", None)
        self.inf = getattr(model, "inf", "error")
        self.obliques: list[Oblique] = []
        self.used: set[int] = set()

    # Until `program` renumbers them, a quantity is a feature, or ~place for an oblique one.

    def tree(self, tree: Tree, answers: Answers) -> TreeBody:
        default, begin, weight = tree.default_branch.tolist(), tree.split_begin.tolist(), tree.weight.tolist()
        nodes = []
        for node, size in enumerate(tree.n_children.tolist()):
            if not size:
                nodes.append(Node(node))
                continue
            children = tuple(tree.children(node))
            weights = tuple(weight[child] for child in children)
            splits = [tree.splits.split(at, size) for at in range(begin[node], begin[node + 1])]
            largest = weights.index(max(weights))
            tests = tuple(self.test(split, largest) for split in splits)
            total = 0.0
            for one in weights:
                total += one
            goes = STAY if default[node] == SHARE and not total > 0 else default[node]
            nodes.append(Node(node, tests, children, goes, weights, total))
        ends = [node.id for node in nodes if not node.tests or node.default == STAY]
        taken = Answers(
            None if answers.label is None else answers.label[ends], answers.votes[ends], answers.proba[ends]
        )
        return TreeBody(tuple(nodes), tuple(ends), taken)

    def test(self, split: Split, largest: int) -> Test:
        if isinstance(split, Table):
            self.used.add(split.feature)
            unseen = {UNSEEN: largest} if self.unseen == "majority" else {}
            return Lookup(split.feature, unseen | dict(split.branches))
        if isinstance(split, Threshold | Intervals):
            self.used.add(split.feature)
            cuts = split.cuts if isinstance(split, Intervals) else (split.threshold,)
            return Cut(split.feature, cuts)
        return Cut(self._oblique(split), (split.threshold,))

    def _oblique(self, split: Hyperplane | Sphere) -> int:
        self.used.update(split.features)
        if isinstance(split, Hyperplane):
            self.obliques.append(Plane(tuple(zip(split.features, split.weights, strict=True))))
        else:
            self.obliques.append(Ball(tuple(zip(split.features, split.centres, split.scales, strict=True))))
        return ~(len(self.obliques) - 1)

    def clause(self, condition: Condition) -> Clause:
        if isinstance(condition, Values):
            test: Test = self.test(Table(condition.feature, dict.fromkeys(sorted(condition.codes), 0), 1), 0)
            return Clause(test, 0, condition.missing)
        if isinstance(condition, Side):
            return Clause(self.test(condition.split, 0), condition.branch, condition.missing)
        return self._interval(condition)

    def _interval(self, condition: Interval) -> Clause:
        self.used.add(condition.feature)
        low, high = condition.low, condition.high
        if low == -math.inf:  # an infinite cut has all that is known below it
            return Clause(Cut(condition.feature, (high,)), 0, condition.missing)
        cuts = (low,) if high == math.inf else (low, high)
        return Clause(Cut(condition.feature, cuts), 1, condition.missing)

    def program(
        self,
        bodies: tuple[Body, ...],
        *,
        kind: str | None = None,
        costs: Array | None = None,
        forest: bool = False,
        hard: bool = False,
    ) -> Program:
        inputs = self._inputs()
        place = {one.feature: at for at, one in enumerate(inputs)}
        renumber = _Renumbering(place, len(inputs))
        return Program(
            kind=kind or self.kind,
            schema=self.schema,
            inputs=inputs,
            obliques=tuple(renumber.oblique(one) for one in self.obliques),
            bodies=tuple(renumber.body(body) for body in bodies),
            forest=forest,
            hard=hard,
            costs=costs,
            refuses_missing=self.missing == "error",
            refuses_unseen=self.unseen == "error",
            refuses_infinite=self.inf != "extreme",
            unseen_is_code=self.unseen == "majority",
        )

    def _inputs(self) -> tuple[Input, ...]:
        columns, n_inputs = self.schema.columns, self.schema.n_inputs
        used = set(self.used)
        predicates = {}
        for feature in sorted(used):
            if feature >= n_inputs:
                predicate = self.schema.predicates[feature - n_inputs]
                if not isinstance(predicate.rule, str):
                    raise ExportError(
                        f"predicate {predicate.name!r} is a function, which no target can hold: "
                        "write it as an expression over columns."
                    )
                predicates[feature] = predicate
                used |= columns_of(predicate.rule, self.schema)
        return tuple(Input(feature, columns[feature], predicates.get(feature)) for feature in sorted(used))


@dataclass(frozen=True)
class _Renumbering:
    """Turns features into the numbers of inputs, and obliques into those of the quantities behind them."""

    place: Mapping[int, int]
    n_inputs: int

    def quantity(self, number: int) -> int:
        return self.n_inputs + ~number if number < 0 else self.place[number]

    def test(self, test: Test) -> Test:
        if isinstance(test, Cut):
            return Cut(self.quantity(test.quantity), test.cuts)
        return Lookup(self.quantity(test.quantity), test.branches)

    def oblique(self, oblique: Oblique) -> Oblique:
        if isinstance(oblique, Plane):
            return Plane(tuple((self.place[feature], weight) for feature, weight in oblique.terms))
        return Ball(tuple((self.place[feature], centre, scale) for feature, centre, scale in oblique.terms))

    def body(self, body: Body) -> Body:
        if isinstance(body, RuleBody):
            rules = tuple(
                tuple(Clause(self.test(one.test), one.branch, one.missing) for one in rule)
                for rule in body.rules
            )
            return RuleBody(rules, body.answers)
        nodes = tuple(
            Node(
                node.id,
                tuple(map(self.test, node.tests)),
                node.children,
                node.default,
                node.weights,
                node.total,
            )
            for node in body.nodes
        )
        return TreeBody(nodes, body.ends, body.answers)
