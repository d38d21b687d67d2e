"""JSON: a program as plain values, which any language can read and run; docs/export.md describes it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data import Schema
from treewright.data.columns import Column
from treewright.data.predicates import Predicate, read_predicates
from treewright.errors import ExportError
from treewright.export.comparisons import Ball, Cut, Input, Lookup, Oblique, Plane, Test
from treewright.export.program import (
    SHARE,
    STAY,
    Answers,
    Body,
    Clause,
    LinearEnds,
    Node,
    Program,
    RuleBody,
    TreeBody,
)

FORMAT, VERSION = "treewright program", 1

DEFAULTS: dict[int, str] = {SHARE: "share", STAY: "stay"}


def export_json(program: Program, *, indent: int | None = None) -> str:
    """Write a program as JSON that `read_json` reads back.

    Parameters
    ----------
    program : Program
    indent : int, optional
        Blanks before each level; by default everything stands in one line.
    """
    return json.dumps(program_to_dict(program), indent=indent, allow_nan=False, ensure_ascii=True) + "\n"


def program_to_dict(program: Program) -> dict[str, Any]:
    """Give a program as plain values."""
    from treewright import __version__

    return {
        "format": FORMAT,
        "version": VERSION,
        "treewright": __version__,
        "model": program.kind,
        "classes": program.classes,
        "columns": [_column(one) for one in program.inputs],
        "sums": [_oblique(program, one) for one in program.obliques],
        "answer": {
            "forest": program.forest,
            "hard": program.hard,
            "costs": None if program.costs is None else program.costs.tolist(),
        },
        "refused": {
            "missing": program.refuses_missing,
            "unseen": program.refuses_unseen,
            "infinite": program.refuses_infinite,
        },
        "unseen": "majority" if program.unseen_is_code else "missing",
        **({} if program.linear is None else {"linear": _linear(program, program.linear)}),
        ("rules" if program.is_rules else "trees"): [_body(program, body) for body in program.bodies],
    }


def _linear(program: Program, linear: LinearEnds) -> dict[str, Any]:
    """Give the equations of linear leaves, in the order of the nodes that say something."""
    names = [one.name for one in program.inputs]
    equations = [
        {
            "constant": constant,
            "terms": [
                {"column": names[at], "code": None if code < 0 else code, "coefficient": coefficient}
                for at, code, coefficient in terms
            ],
            "words": words,
        }
        for constant, terms, words in zip(linear.constant, linear.terms, linear.words, strict=True)
    ]
    return {
        "equations": equations,
        "missing": dict(zip(names, linear.fill, strict=True)),
        "lowest": linear.low,
        "highest": linear.high,
    }


def _column(one: Input) -> dict[str, Any]:
    column = one.column
    found: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.kind != "numeric" and one.predicate is None:
        found["categories"] = [_category(category) for category in column.categories]
    if column.unit is not None:
        found["unit"] = column.unit
    if column.offset:
        found["offset"] = column.offset
    if one.predicate is not None:
        found["expression"] = one.predicate.rule
    return found


def _category(category: Any) -> Any:
    if isinstance(category, np.datetime64 | np.timedelta64):
        return {"type": category.dtype.name, "ticks": int(category.astype(np.int64))}
    return category


def _oblique(program: Program, oblique: Oblique) -> dict[str, Any]:
    kind = "plane" if isinstance(oblique, Plane) else "sphere"
    return {kind: [[program.inputs[at].name, *numbers] for at, *numbers in oblique.terms]}


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


def _test(program: Program, test: Test, n_branches: int) -> dict[str, Any]:
    oblique = test.quantity - len(program.inputs)
    on = {"sum": oblique} if oblique >= 0 else {"column": program.inputs[test.quantity].name}
    if isinstance(test, Cut):
        return on | {"cuts": [_number(cut) for cut in test.cuts]}
    return on | {"codes": [list(test.codes(branch)) for branch in range(n_branches)]}


def _body(program: Program, body: Body) -> dict[str, Any]:
    answers = body.answers
    label = None if answers.label is None else answers.label.tolist()
    proba, votes = answers.proba.tolist(), answers.votes.tolist()
    separate = not np.array_equal(answers.proba, answers.votes)

    def end(place: int) -> dict[str, Any]:
        found: dict[str, Any] = {"value": proba[place][0]} if label is None else {"label": label[place]}
        if label is not None:
            found |= {"proba": proba[place]} | ({"votes": votes[place]} if separate else {})
        return found

    if isinstance(body, RuleBody):
        rules = [
            {"if": [_clause(program, clause) for clause in rule], "then": end(place)}
            for place, rule in enumerate(body.rules)
        ]
        return {"rules": rules, "otherwise": end(len(rules))}
    nodes = []
    for node in body.nodes:
        found: dict[str, Any] = {"id": node.id}
        if node.tests:
            found["tests"] = [_test(program, test, len(node.children)) for test in node.tests]
            found["branches"] = list(node.children)
            found["unanswered"] = DEFAULTS.get(node.default, node.default)
            if node.default == SHARE:
                found["weights"] = list(node.weights)
        if node.id in body.end_of:
            found["says"] = end(body.end_of[node.id])
        nodes.append(found)
    return {"nodes": nodes}


def _clause(program: Program, clause: Clause) -> dict[str, Any]:
    test = clause.test
    n_branches = 0 if isinstance(test, Cut) else max([clause.branch, *test.branches.values()]) + 1
    return _test(program, test, n_branches) | {"branch": clause.branch, "or_missing": clause.missing}


# ---- back ------------------------------------------------------------------------------------------------


def read_json(text: str) -> Program:
    """Read what `export_json` wrote; any other target can be written from it.

    Parameters
    ----------
    text : str

    Returns
    -------
    Program
        What the JSON says the model asks and answers.

    Raises
    ------
    ExportError
        If the text is no such JSON.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> from treewright.export import export_model, read_json
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> program = read_json(model.export("json"))
    >>> space = {}
    >>> exec(export_model(program, "python"), space)
    >>> space["predict"]({"x0": 3.5})
    'b'
    """
    try:
        content = json.loads(text)
        if content["format"] != FORMAT or content["version"] > VERSION:
            raise ValueError(f"format {content['format']!r}, version {content['version']!r}")
        return _Reader(content).program()
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as problem:
        raise ExportError(f"the JSON holds no program: {type(problem).__name__}: {problem}.") from None


class _Reader:
    """Makes a program of plain values."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.columns = [self._column(column) for column in content["columns"]]
        predicates = [
            (column["name"], column["expression"]) for column in content["columns"] if "expression" in column
        ]
        self.predicates = {predicate.name: predicate for predicate in read_predicates(predicates)}
        self.place = {column.name: at for at, column in enumerate(self.columns)}
        self.classes = content["classes"]

    @staticmethod
    def _column(column: Mapping[str, Any]) -> Column:
        if "expression" in column:
            return Predicate(column["name"], column["expression"]).column
        categories: tuple[Any, ...] = tuple(
            np.array(one["ticks"], dtype=one["type"])[()] if isinstance(one, dict) else one
            for one in column.get("categories", ())
        )
        return Column(column["name"], column["kind"], categories, column.get("unit"), column.get("offset", 0))

    def program(self) -> Program:
        content = self.content
        classes = None
        if self.classes is not None:
            kinds = {type(label) for label in self.classes}
            classes = np.array(self.classes, dtype=object if len(kinds) > 1 else None)
        answer, refused = content["answer"], content["refused"]
        bodies = content["rules"] if "rules" in content else content["trees"]
        inputs = tuple(
            Input(at, column, self.predicates.get(column.name)) for at, column in enumerate(self.columns)
        )
        return Program(
            kind=content["model"],
            schema=Schema(tuple(self.columns), classes, True, tuple(self.predicates.values())),
            inputs=inputs,
            obliques=tuple(map(self._oblique, content["sums"])),
            bodies=tuple(map(self._body, bodies)),
            forest=answer["forest"],
            hard=answer["hard"],
            costs=None if answer["costs"] is None else np.array(answer["costs"], np.float64),
            linear=self._linear(content["linear"]) if "linear" in content else None,
            refuses_missing=refused["missing"],
            refuses_unseen=refused["unseen"],
            refuses_infinite=refused["infinite"],
            unseen_is_code=content["unseen"] == "majority",
        )

    def _linear(self, content: Mapping[str, Any]) -> LinearEnds:
        names = [column.name for column in self.columns]
        equations = content["equations"]
        terms = tuple(
            tuple(
                (
                    names.index(term["column"]),
                    -1 if term["code"] is None else int(term["code"]),
                    float(term["coefficient"]),
                )
                for term in equation["terms"]
            )
            for equation in equations
        )
        return LinearEnds(
            tuple(float(equation["constant"]) for equation in equations),
            terms,
            tuple(float(content["missing"][name]) for name in names),
            float(content["lowest"]),
            float(content["highest"]),
            tuple(str(equation["words"]) for equation in equations),
        )

    def _oblique(self, content: Mapping[str, Any]) -> Oblique:
        if "plane" in content:
            return Plane(tuple((self.place[name], float(weight)) for name, weight in content["plane"]))
        return Ball(
            tuple(
                (self.place[name], float(centre), float(scale)) for name, centre, scale in content["sphere"]
            )
        )

    def _test(self, content: Mapping[str, Any]) -> Test:
        at = self.place[content["column"]] if "column" in content else len(self.columns) + int(content["sum"])
        if "cuts" in content:
            return Cut(at, tuple(map(float, content["cuts"])))
        pairs = {int(code): branch for branch, codes in enumerate(content["codes"]) for code in codes}
        return Lookup(at, dict(sorted(pairs.items())))

    def _body(self, content: Mapping[str, Any]) -> Body:
        if "rules" in content:
            rules = tuple(tuple(map(self._clause, rule["if"])) for rule in content["rules"])
            says = [*(rule["then"] for rule in content["rules"]), content["otherwise"]]
            return RuleBody(rules, self._answers(says))
        nodes, ends, says = [], [], []
        for place, node in enumerate(content["nodes"]):
            if node["id"] != place:
                raise ValueError(f"node {node['id']} stands in place {place}")
            nodes.append(self._node(node))
            if "says" in node:
                ends.append(place)
                says.append(node["says"])
        return TreeBody(tuple(nodes), tuple(ends), self._answers(says))

    def _node(self, content: Mapping[str, Any]) -> Node:
        if "tests" not in content:
            return Node(int(content["id"]))
        unanswered = content["unanswered"]
        default = {word: number for number, word in DEFAULTS.items()}.get(unanswered)
        default = int(unanswered) if default is None else default
        weights = tuple(map(float, content.get("weights", ())))
        total = 0.0
        for weight in weights:
            total += weight
        tests = tuple(map(self._test, content["tests"]))
        return Node(int(content["id"]), tests, tuple(map(int, content["branches"])), default, weights, total)

    def _clause(self, content: Mapping[str, Any]) -> Clause:
        return Clause(self._test(content), int(content["branch"]), bool(content["or_missing"]))

    def _answers(self, says: list[Mapping[str, Any]]) -> Answers:
        if self.classes is None:
            value = np.array([[said["value"]] for said in says], np.float64)
            return Answers(None, value, value)
        proba = np.array([said["proba"] for said in says], np.float64)
        votes = np.array([said.get("votes", said["proba"]) for said in says], np.float64)
        return Answers(np.array([said["label"] for said in says], np.int32), votes, proba)
