"""Programs out of fitted models: trees, forests and rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.data import Schema
from treewright.errors import ExportError
from treewright.export.comparisons import UNSEEN, Ball, Cut, Input, Lookup, Oblique, Plane, Test
from treewright.export.expressions import columns_of
from treewright.export.program import (
    SHARE,
    STAY,
    Answers,
    Array,
    Body,
    Clause,
    LinearEnds,
    Node,
    Program,
    RuleBody,
    TreeBody,
)
from treewright.tree import Tree
from treewright.tree.conditions import Condition, Interval, Side, Values
from treewright.tree.decision import decide
from treewright.tree.equations import Equations
from treewright.tree.model import ForestModel, TreeModel
from treewright.tree.splits import Hyperplane, Intervals, Sphere, Split, Table, Threshold


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
        model._fitted_trees().schema.require_one_target("exports hold models of", ExportError)
        return _of_forest(model)
    if isinstance(model, TreeModel):
        model._fitted_tree().schema.require_one_target("exports hold models of", ExportError)
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
    votes = tree.class_probabilities
    if tree.decided is not None and tree.is_classifier:
        votes = tree.vote_weights / tree.vote_weights.sum(axis=1, keepdims=True)
    body = collector.tree(tree, Answers(label, votes, proba))
    if tree.equations is not None:
        if body.shares_rows:
            raise ExportError("a tree of linear leaves that shares rows over branches cannot be exported.")
        collector.used.update(feature for end in body.ends for feature, *_ in tree.equations.entries(end))
    program = collector.program((body,), costs=tree.costs)
    return program if tree.equations is None else _with_equations(program, tree.equations)


def _with_equations(program: Program, equations: Equations) -> Program:
    """Add what the ends of a tree with linear leaves say."""
    (body,) = program.bodies
    assert isinstance(body, TreeBody)
    place = {one.feature: at for at, one in enumerate(program.inputs)}
    terms = tuple(
        tuple((place[feature], code, coefficient) for feature, code, coefficient in equations.entries(end))
        for end in body.ends
    )
    low, high = equations.range.tolist()
    linear = LinearEnds(
        constant=tuple(equations.constant[list(body.ends)].tolist()),
        terms=terms,
        fill=tuple(float(equations.fill[one.feature]) for one in program.inputs),
        low=low,
        high=high,
        words=tuple(equations.words(program.schema, end, max_categories=4) for end in body.ends),
    )
    return replace(program, linear=linear)


def _of_forest(model: Any) -> Program:
    trees: Sequence[Tree] = model._fitted_trees()
    collector = _Collector(trees.schema, model)  # type: ignore[attr-defined]
    hard = bool(model._hard)
    bodies = []
    for tree in trees:
        said = tree.class_probabilities
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
        answers = Answers(label, rules.class_probabilities, rules.class_probabilities)
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
            return Cut(split.feature, cuts, getattr(split, "below", False))
        return Cut(self._oblique(split), (split.threshold,), getattr(split, "below", False))

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
            return Clause(Cut(condition.feature, (high,), condition.below), 0, condition.missing)
        cuts = (low,) if high == math.inf else (low, high)
        return Clause(Cut(condition.feature, cuts, condition.below), 1, condition.missing)

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
            return replace(test, quantity=self.quantity(test.quantity))
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
