"""ONNX: a `TreeEnsemble` of ai.onnx.ml 5 in double precision, with what surrounds it in plain operators."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treewright.errors import ExportError
from treewright.export.comparisons import Ball, Cut, Oblique, Test
from treewright.export.expressions import Value, written
from treewright.export.header import header
from treewright.export.program import (
    SHARE,
    STAY,
    Clause,
    Node,
    Program,
    RuleBody,
    TreeBody,
    refusal,
    refuse_linear,
)
from treewright.export.source import predicate_of
from treewright.tree.decision import SAME_WEIGHT

OPSET, ML_OPSET, IR = 20, 5, 10
LEQ, MEMBER = 0, 6
"""Modes of nodes: at most a threshold, one of a set."""
SUM = 1
"""How leaves are aggregated."""
LARGEST = float(np.finfo(np.float64).max)
NEXT_TO_ONE = 1e-7


def export_onnx(program: Program, *, inputs: str = "auto") -> bytes:
    """Write a model of ONNX with outputs ``prediction`` and, for classes, ``probabilities``.

    Parameters
    ----------
    program : Program
    inputs : {"auto", "matrix", "columns"}
        One input ``X`` of rows × columns, categories as codes; or an input of rows × 1 for each column that
        is asked for, text as text and "" where it is missing. By default a matrix if all columns are numbers.
    """
    try:
        import onnx
    except ImportError:
        raise ExportError("export to onnx needs the package onnx: pip install onnx.") from None
    if inputs not in ("auto", "matrix", "columns"):
        raise ExportError(f"inputs must be 'auto', 'matrix' or 'columns', got {inputs!r}.")
    if inputs == "auto":
        columns = program.schema.columns[: program.schema.n_inputs]
        inputs = "matrix" if all(column.kind == "numeric" for column in columns) else "columns"
    refuse_linear(program, "onnx")
    _check(program)
    model = _Graph(program, onnx.helper, onnx.TensorProto).model(inputs)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def _check(program: Program) -> None:
    """Refuse what no ensemble can hold."""
    for number, body in enumerate(program.bodies):
        if isinstance(body, RuleBody):
            continue
        for node in body.nodes:
            if not node.tests:
                continue
            where: dict[str, Any] = {"node": node.id, "body": number, "test": node.tests[0]}
            if len(node.tests) > 1:
                raise refusal(program, "onnx", "with surrogates", **where)
            if node.default == SHARE:
                raise refusal(program, "onnx", "and shares rows that miss the value", **where)
    for body in program.bodies:
        if body.answers.label is not None and (body.answers.label < 0).any():
            raise ExportError("a leaf predicts no class, which onnx cannot hold.")
    kinds = {type(label) for label in program.classes or []}
    if len(kinds) > 1:
        raise ExportError("the classes are of several types, which onnx cannot hold.")
    texts = [one.name for one in program.inputs]
    texts += [text for one in program.inputs for text in one.column.categories if isinstance(text, str)]
    for text in texts + [label for label in program.classes or [] if isinstance(label, str)]:
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ExportError(f"the name or value {text!r} has half a character, which onnx cannot hold.")


def _all_differ(body: TreeBody | RuleBody) -> bool:
    """Whether no two ends of a tree say the same."""
    votes = body.answers.votes[:, 0]
    return len(np.unique(votes)) == len(votes)


class _Ensemble:
    """The attributes of a TreeEnsemble under construction; a leaf is ~place until it is written."""

    def __init__(self) -> None:
        self.feature: list[int] = []
        self.split: list[float] = []
        self.mode: list[int] = []
        self.tracks: list[int] = []
        self.members: list[float] = []
        self.true: list[int] = []
        self.false: list[int] = []
        self.roots: list[int] = []
        self.targets: list[int] = []
        self.weights: list[float] = []

    def leaf(self, target: int, weight: float) -> int:
        """Add a leaf."""
        self.targets.append(target)
        self.weights.append(weight)
        return ~(len(self.weights) - 1)

    def at_most(self, feature: int, cut: float, *, nan: bool) -> int:
        """Add a node whose true branch is at most a cut, and NaN if `nan`."""
        return self._node(feature, cut, LEQ, nan)

    def among(self, feature: int, codes: Iterable[int]) -> int:
        """Add a node whose true branch is one of several codes."""
        self.members += [*map(float, codes), math.nan]
        return self._node(feature, 0.0, MEMBER, False)

    def _node(self, feature: int, split: float, mode: int, nan: bool) -> int:
        self.feature.append(feature)
        self.split.append(split)
        self.mode.append(mode)
        self.tracks.append(int(nan))
        self.true.append(0)
        self.false.append(0)
        return len(self.feature) - 1

    def root(self, place: int) -> None:
        """Begin a tree; a leaf alone becomes a node with the same answer twice."""
        if place < 0:
            target, weight = self.targets[~place], self.weights[~place]
            leaf, place = place, self.at_most(0, math.inf, nan=True)
            self.true[place], self.false[place] = leaf, self.leaf(target, weight)
        self.roots.append(place)


class _Graph:
    """Writes the operators, each result under a name of its own."""

    def __init__(self, program: Program, helper: Any, types: Any) -> None:
        self.program, self.helper, self.types = program, helper, types
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.given: list[Any] = []
        self.known: dict[str, str] = {}
        self.next_to_one: dict[str, float] = {}

    # ---- operators -------------------------------------------------------------------------------------

    def add(
        self, kind: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any
    ) -> str:
        """Add an operator; gives the name of its result."""
        if kind in ("Mul", "Div") and not self.next_to_one.keys().isdisjoint(inputs):
            return self._next_to_one(kind, inputs)
        name = name or f"treewright {len(self.nodes)} {kind}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def _next_to_one(self, kind: str, inputs: Sequence[str]) -> str:
        """Multiply by a number next to 1, or divide.

        onnxruntime takes one within 10⁻⁸ of 1 for 1 and leaves the operator out, but not where there are two.
        """
        twice = [
            self.constant([[self.next_to_one[one]] * 2]) if one in self.next_to_one else one for one in inputs
        ]
        return self.add("Gather", self.add(kind, *twice), self.constant([0], np.int64), axis=1)

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        """Add a constant; gives its name."""
        from onnx import numpy_helper

        array = np.array(value, dtype=object if dtype is str else dtype)
        key = repr((array.shape, str(dtype), array.tolist())) if array.size < 4 else f"#{len(self.constants)}"
        if key not in self.known:
            self.known[key] = f"treewright constant {len(self.constants)}"
            self.constants.append(numpy_helper.from_array(array, self.known[key]))
            if array.dtype == np.float64 and array.ndim == 0 and 0 < abs(array - 1) < NEXT_TO_ONE:
                self.next_to_one[self.known[key]] = float(array)
        return self.known[key]

    def tensor(self, name: str, values: Sequence[Any], kind: int) -> Any:
        """Give the value of an attribute."""
        # onnx 1.17 takes text for ASCII.
        as_bytes = [value.encode() if isinstance(value, str) else value for value in values]
        return self.helper.make_tensor(name, kind, [len(values)], as_bytes)

    # ---- inputs ----------------------------------------------------------------------------------------

    def matrix(self) -> dict[int, str]:
        """Take one matrix; gives the columns that something is worked out of."""
        n_inputs = self.program.schema.n_inputs
        self.take("X", self.types.DOUBLE, n_inputs)
        needed = self._needed()
        return {
            place: self.add("Gather", "X", self.constant([one.feature], np.int64), axis=1)
            for place, one in enumerate(self.program.inputs)
            if place in needed
        }

    def take(self, name: str, kind: int, width: int) -> None:
        """Declare an input."""
        if name in ("prediction", "probabilities"):
            raise ExportError(f"column {name!r} has the name of an output of the onnx model: rename it.")
        self.given.append(self.helper.make_tensor_value_info(name, kind, ["rows", width]))

    def _needed(self) -> set[int]:
        """The inputs that sums and predicates are worked out of."""
        program = self.program
        if any(one.predicate is not None for one in program.inputs):
            return {place for place, one in enumerate(program.inputs) if one.predicate is None}
        return {term[0] for oblique in program.obliques for term in oblique.terms}

    def column(self, place: int) -> str:
        """Take an input of its own for a column, as a number or a code."""
        program, column = self.program, self.program.inputs[place].column
        if not self.program.inputs[place].has_codes:
            self.take(column.name, self.types.DOUBLE, 1)
            return column.name
        kinds = {type(category) for category in column.categories}
        is_text = str in kinds or not kinds
        if (is_text and len(kinds) > 1) or kinds & {np.datetime64, np.timedelta64}:
            raise ExportError(
                f"column {column.name!r} has categories of several types or of times, which onnx takes as "
                "codes only: use inputs='matrix'."
            )
        if is_text and "" in column.code_of:
            raise ExportError(
                f"column {column.name!r} has the category '', which stands for a missing value in onnx: "
                "use inputs='matrix'."
            )
        kind = self.types.STRING if is_text else self.types.DOUBLE
        self.take(column.name, kind, 1)
        unseen = -1.0 if program.unseen_is_code and column.kind == "categorical" else math.nan
        keys: list[Any] = [*column.categories, ""] if is_text else [float(one) for one in column.categories]
        codes = [*map(float, range(len(column.categories))), *([math.nan] if is_text else [])]
        code = self.add(
            "LabelEncoder",
            column.name,
            domain="ai.onnx.ml",
            keys_tensor=self.tensor("keys", keys, kind),
            values_tensor=self.tensor("codes", codes, self.types.DOUBLE),
            default_tensor=self.tensor("unseen", [unseen], self.types.DOUBLE),
        )
        if is_text or math.isnan(unseen):
            return code
        return self.add("Where", self.add("IsNaN", column.name), self.constant(math.nan), code)

    def finite(self, x: str) -> str:
        """Infinities as the largest numbers, where the model takes them so."""
        if self.program.refuses_infinite:
            return x
        high, low = self.constant(LARGEST), self.constant(-LARGEST)
        x = self.add("Where", self.add("Greater", x, high), high, x)
        return self.add("Where", self.add("Less", x, low), low, x)

    def total(self, oblique: Oblique, x: dict[int, str]) -> str:
        """A sum, added from left to right."""
        result = ""
        for term in oblique.terms:
            value = x[term[0]]
            if isinstance(oblique, Ball):
                distance = self.add("Sub", value, self.constant(term[1]))
                scaled = self.add("Mul", self.constant(term[2]), distance)  # type: ignore[misc]
                value = self.add("Mul", scaled, distance)
            else:
                value = self.add("Mul", self.constant(term[1]), value)
            result = self.add("Add", result, value) if result else value
        return result

    def quantities(self, inputs: str) -> tuple[str, list[int]]:
        """Give the matrix that the ensemble reads, and the column of each quantity in it."""
        program = self.program
        if inputs == "matrix":
            x = self.matrix()
        else:
            asked = [place for place, one in enumerate(program.inputs) if one.predicate is None]
            x = {place: self.column(place) for place in asked}
            if not asked:  # nothing is asked for: a column to count rows by
                self.take("X", self.types.DOUBLE, 1)
        plain = dict(x)
        x = {
            place: name if program.inputs[place].has_codes else self.finite(name) for place, name in x.items()
        }
        syntax = _Syntax(self, x)
        worked_out = [
            written(predicate_of(program, one), syntax) for one in program.inputs if one.predicate is not None
        ]
        sums = [self.total(oblique, x) for oblique in program.obliques]
        if inputs == "matrix":
            first = [one.feature for one in program.inputs if one.predicate is None]
            begin, parts = program.schema.n_inputs, ["X", *worked_out, *sums]
        else:
            first, begin = list(range(len(plain))), len(plain)
            parts = [*plain.values(), *worked_out, *sums] or ["X"]
        places = [*first, *range(begin, begin + len(worked_out) + len(sums))]
        return (parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=1)), places

    # ---- trees -----------------------------------------------------------------------------------------

    def tree(self, ensemble: _Ensemble, body: TreeBody, places: Sequence[int], ends: Sequence[int]) -> None:
        """Write a tree; `ends` has the leaf of each end."""
        target = [0] * len(body.nodes)
        for node in reversed(body.nodes):
            end = ends[body.end_of[node.id]] if node.id in body.end_of else 0
            target[node.id] = self._split(ensemble, node, target, places, end) if node.tests else end
        ensemble.root(target[0])

    def _split(
        self, ensemble: _Ensemble, node: Node, target: Sequence[int], places: Sequence[int], end: int
    ) -> int:
        test = node.tests[0]
        feature = places[test.quantity]
        children = [target[child] for child in node.children]
        arms: list[int] = []  # nodes in a row; the false branch of each is the next
        if isinstance(test, Cut):
            if node.default == STAY:
                arms.append(ensemble.at_most(feature, math.inf, nan=False))
            chain = [
                ensemble.at_most(feature, cut, nan=node.default == place)
                for place, cut in enumerate(test.cuts)
            ]
            for place, at in enumerate(chain):
                ensemble.true[at] = children[place]
                ensemble.false[at] = chain[place + 1] if place + 1 < len(chain) else children[-1]
            if not arms:
                return chain[0]
            ensemble.true[arms[0]], ensemble.false[arms[0]] = chain[0], end
            return arms[0]
        rest = end if node.default == STAY else children[node.default]
        for branch, child in enumerate(children):
            codes = test.codes(branch)
            if codes and branch != node.default:
                arms.append(ensemble.among(feature, codes))
                ensemble.true[arms[-1]] = child
        for place, at in enumerate(arms):
            ensemble.false[at] = arms[place + 1] if place + 1 < len(arms) else rest
        return arms[0] if arms else rest

    def rule(
        self, ensemble: _Ensemble, number: int, clauses: Sequence[Clause], places: Sequence[int]
    ) -> None:
        """Write a rule as a tree that gives 1 where all clauses hold."""
        goes = ensemble.leaf(number, 1.0)
        for clause in reversed(clauses):
            goes = self._clause(ensemble, number, clause, places[clause.test.quantity], goes)
        ensemble.root(goes)

    def _clause(self, ensemble: _Ensemble, number: int, clause: Clause, feature: int, then: int) -> int:
        test: Test = clause.test
        if isinstance(test, Cut):
            low, high = test.bounds(clause.branch)
            if low != -math.inf:
                at = ensemble.at_most(feature, low, nan=not clause.missing)
                ensemble.true[at], ensemble.false[at] = ensemble.leaf(number, 0.0), then
                then = at
            if high != math.inf or low == -math.inf:
                at = ensemble.at_most(feature, high, nan=clause.missing)
                ensemble.true[at], ensemble.false[at] = then, ensemble.leaf(number, 0.0)
                then = at
            return then
        codes = test.codes(clause.branch)
        if not clause.missing:
            at = ensemble.among(feature, codes)
            ensemble.true[at], ensemble.false[at] = then, ensemble.leaf(number, 0.0)
            return at
        others = set(range(len(self.program.inputs[test.quantity].column.categories))) - set(codes)
        if not others:
            return then
        at = ensemble.among(feature, sorted(others))
        ensemble.true[at], ensemble.false[at] = ensemble.leaf(number, 0.0), then
        return at

    # ---- the whole -------------------------------------------------------------------------------------

    def model(self, inputs: str) -> Any:
        """Give the model."""
        program = self.program
        x, places = self.quantities(inputs)
        outputs = self._rules(x, places) if program.is_rules else self._trees(x, places)
        asked = {name for node in self.nodes for name in node.input}
        constants = [one for one in self.constants if one.name in asked]
        graph = self.helper.make_graph(self.nodes, "treewright", self.given, outputs, constants)
        usage = [
            "run it: onnxruntime.InferenceSession(path).run(None, {name: values}), all numbers float64",
            f"inputs: {inputs}",
        ]
        model = self.helper.make_model(
            graph,
            opset_imports=[
                self.helper.make_opsetid("", OPSET),
                self.helper.make_opsetid("ai.onnx.ml", ML_OPSET),
            ],
            ir_version=IR,
            producer_name="treewright",
            doc_string="\n".join(header(program, *usage)),
        )
        columns = {
            one.name: [str(category) for category in one.column.categories]
            for one in program.inputs
            if one.has_codes and one.predicate is None
        }
        self.helper.set_model_props(model, {"inputs": inputs, "categories": json.dumps(columns)})
        return model

    def ensemble(self, x: str, ensemble: _Ensemble, n_targets: int) -> str:
        """Add the operator of an ensemble."""
        double = self.types.DOUBLE
        attributes: dict[str, Any] = {
            "n_targets": n_targets,
            "aggregate_function": SUM,
            "post_transform": 0,
            "tree_roots": ensemble.roots,
            "nodes_featureids": ensemble.feature,
            "nodes_splits": self.tensor("splits", ensemble.split, double),
            "nodes_modes": self.tensor("modes", ensemble.mode, self.types.UINT8),
            "nodes_missing_value_tracks_true": ensemble.tracks,
            "leaf_targetids": ensemble.targets,
            "leaf_weights": self.tensor("weights", ensemble.weights, double),
        }
        for name, targets in (("true", ensemble.true), ("false", ensemble.false)):
            attributes[f"nodes_{name}nodeids"] = [~one if one < 0 else one for one in targets]
            attributes[f"nodes_{name}leafs"] = [int(one < 0) for one in targets]
        if ensemble.members:
            attributes["membership_values"] = self.tensor("members", ensemble.members, double)
        return self.add("TreeEnsemble", x, domain="ai.onnx.ml", **attributes)

    def _trees(self, x: str, places: Sequence[int]) -> list[Any]:
        program, ensemble = self.program, _Ensemble()
        # onnxruntime mistakes leaves that say the same for each other: these are told apart by their ends.
        direct = program.forest and program.classes is None and all(map(_all_differ, program.bodies))
        first = 0
        for number, body in enumerate(program.bodies):
            assert isinstance(body, TreeBody)
            n_ends = len(body.answers.proba)
            if not direct:  # a leaf says which end it is
                ends = [ensemble.leaf(number, float(first + end)) for end in range(n_ends)]
            else:
                ends = [ensemble.leaf(0, value) for value in body.answers.votes[:, 0].tolist()]
            first += n_ends
            self.tree(ensemble, body, places, ends)
        if direct:
            said = self.ensemble(x, ensemble, program.width)
            return self._outputs(self.add("Div", said, self.constant(float(len(program.bodies)))))
        end = self.add("Cast", self.ensemble(x, ensemble, len(program.bodies)), to=self.types.INT64)
        if not program.forest:
            return self._ends(self.add("Squeeze", end, self.constant([1], np.int64)))
        votes = np.concatenate([body.answers.votes for body in program.bodies])
        said = self.add("Gather", self.constant(votes), end, axis=0)
        return self._outputs(self.add("ReduceMean", said, self.constant([1], np.int64), keepdims=0))

    def _rules(self, x: str, places: Sequence[int]) -> list[Any]:
        body, ensemble = self.program.bodies[0], _Ensemble()
        assert isinstance(body, RuleBody)
        for number, rule in enumerate(body.rules):
            self.rule(ensemble, number, rule, places)
        ensemble.root(ensemble.leaf(len(body.rules), 1.0))  # the default always holds
        holds = self.ensemble(x, ensemble, len(body.rules) + 1)
        return self._ends(self.add("ArgMax", holds, axis=1, keepdims=0))

    def _ends(self, end: str) -> list[Any]:
        """The outputs of rows that have one end each."""
        program, answers = self.program, self.program.bodies[0].answers
        if program.classes is None or answers.label is None:
            self.add("Gather", self.constant(answers.proba[:, 0]), end, axis=0, name="prediction")
            return [self._output(self.types.DOUBLE)]
        labels = [program.classes[label] for label in answers.label.tolist()]
        self.add("Gather", self._labels(labels), end, axis=0, name="prediction")
        self.add("Gather", self.constant(answers.proba), end, axis=0, name="probabilities")
        return self._class_outputs()

    def _outputs(self, mean: str) -> list[Any]:
        """The outputs of rows whose answers are summed."""
        program = self.program
        if program.classes is None:
            self.add("Squeeze", mean, self.constant([1], np.int64), name="prediction")
            return [self._output(self.types.DOUBLE)]
        self.add("Identity", mean, name="probabilities")
        most = self.add("ReduceMax", mean, self.constant([1], np.int64), keepdims=1)
        best = self.add("GreaterOrEqual", mean, self.add("Mul", most, self.constant(1 - SAME_WEIGHT)))
        first = self.add("ArgMax", self.add("Cast", best, to=self.types.FLOAT), axis=1, keepdims=0)
        self.add("Gather", self._labels(program.classes), first, axis=0, name="prediction")
        return self._class_outputs()

    def _labels(self, labels: Sequence[Any]) -> str:
        return self.constant(labels, self._label_type())

    def _label_type(self) -> Any:
        kind = type((self.program.classes or [0.0])[0])
        return {str: str, bool: np.bool_, int: np.int64}.get(kind, np.float64)

    def _class_outputs(self) -> list[Any]:
        types = self.types
        kinds = {str: types.STRING, np.bool_: types.BOOL, np.int64: types.INT64, np.float64: types.DOUBLE}
        proba = self.helper.make_tensor_value_info(
            "probabilities", types.DOUBLE, ["rows", self.program.width]
        )
        return [self._output(kinds[self._label_type()]), proba]

    def _output(self, kind: int) -> Any:
        return self.helper.make_tensor_value_info("prediction", kind, ["rows"])


class _Syntax:
    """How ONNX says predicates: names of results of rows × 1, 1 true, 0 false, NaN unknown."""

    def __init__(self, graph: _Graph, x: dict[int, str]) -> None:
        self.graph, self.x = graph, x

    def value(self, number: Value) -> str:
        x = self.x[number.input]
        return self.graph.add("Add", x, self.graph.constant(float(number.offset))) if number.offset else x

    def constant(self, number: float) -> str:
        return self.graph.constant(number)

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        kind = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}[sign]
        result = self.graph.add(kind, left, right)
        return self.graph.add("Where", self.graph.add("IsInf", result), self.graph.constant(math.nan), result)

    def compared(self, sign: str, left: str, right: str) -> str:
        names = {"<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual"}
        graph = self.graph
        holds = graph.add(names.get(sign, "Equal"), left, right)
        holds = graph.add("Not", holds) if sign == "!=" else holds
        unknown = graph.add("Or", graph.add("IsNaN", left), graph.add("IsNaN", right))
        return graph.add("Where", unknown, graph.constant(math.nan), self._number(holds))

    def _number(self, holds: str) -> str:
        return self.graph.add("Cast", holds, to=self.graph.types.DOUBLE)

    def is_missing(self, number: str) -> str:
        return self._number(self.graph.add("IsNaN", number))

    def negated(self, truth: str) -> str:
        return self.graph.add("Sub", self.graph.constant(1.0), truth)

    def joined(self, all_of_them: bool, one: str, other: str) -> str:
        graph = self.graph
        decisive = graph.constant(0.0 if all_of_them else 1.0)
        decided = graph.add("Or", graph.add("Equal", one, decisive), graph.add("Equal", other, decisive))
        return graph.add("Where", decided, decisive, graph.add("Mul", one, other))
