"""PMML 4.4: tree models whose predicates say all, missing and unseen values included."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from treewright.errors import ExportError
from treewright.export.comparisons import UNSEEN, Ball, Cut, Input, Lookup, Oblique, Test
from treewright.export.header import header, today
from treewright.export.program import SHARE, Clause, Node, Program, RuleBody, TreeBody, refusal, refuse_linear

NAMESPACE = "http://www.dmg.org/PMML-4_4"
DEEPEST = 400
"""Levels of a tree: programs that read XML go down them by recursion."""

Element = ElementTree.Element


def export_pmml(program: Program) -> str:
    """Write a model of PMML with outputs ``prediction`` and ``probability(<class>)``.

    Parameters
    ----------
    program : Program
    """
    refuse_linear(program, "pmml")
    _check(program)
    root = _Document(program).root()
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_lines(root)]) + "\n"


def _check(program: Program) -> None:
    """Refuse what PMML cannot hold exactly."""
    for one in program.inputs:
        column = one.column
        if one.predicate is not None:
            raise ExportError(f"predicate {one.name!r} is worked out of columns, which pmml cannot hold.")
        kinds = {type(category) for category in column.categories}
        if column.unit is not None or column.offset or kinds & {np.datetime64, np.timedelta64}:
            raise ExportError(
                f"column {one.name!r} holds times or very large numbers, which pmml cannot hold."
            )
        if len(kinds) > 1 or "" in column.code_of:
            raise ExportError(
                f"column {one.name!r} has an empty category or several types of them, which pmml cannot hold."
            )
    for number, body in enumerate(program.bodies):
        if isinstance(body, RuleBody):
            continue
        if body.depth > DEEPEST:
            raise ExportError(f"the tree is {body.depth} levels deep; pmml cannot hold more than {DEEPEST}.")
        for node in body.nodes:
            if node.tests and node.default == SHARE:
                what = "and shares rows that miss the value"
                raise refusal(program, "pmml", what, node=node.id, body=number, test=node.tests[0])
    for body in program.bodies:
        if body.answers.label is not None and (body.answers.label < 0).any():
            raise ExportError("a leaf predicts no class, which pmml cannot hold.")


_UNHOLDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPECIAL = re.compile(rf"[&<>\"\r\n\t]|{_UNHOLDABLE.pattern}")


def _quoted(text: str) -> str:
    """Give text as it may stand in an attribute or between tags, or refuse it."""
    if not _SPECIAL.search(text):
        return text
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", _holdable(text))


def _holdable(text: str) -> str:
    """Give text back, or refuse it: XML has no way to write some characters."""
    if _UNHOLDABLE.search(text):
        raise ExportError(f"the name or value {text!r} has a character that pmml cannot hold.")
    return text


def _lines(root: Element) -> Iterator[str]:
    """Give a document line by line; ElementTree, which goes down by recursion, takes twice the time."""
    waiting: list[tuple[Element | str, str]] = [(root, "")]
    while waiting:
        one, indent = waiting.pop()
        if isinstance(one, str):
            yield one
            continue
        tag = f"{indent}<{one.tag}" + "".join([f' {key}="{_quoted(text)}"' for key, text in one.items()])
        if len(one):
            yield f"{tag}>"
            waiting.append((f"{indent}</{one.tag}>", ""))
            deeper = f"{indent} "
            waiting += [(child, deeper) for child in reversed(one)]
        else:
            yield f"{tag} />" if one.text is None else f"{tag}>{_quoted(one.text)}</{one.tag}>"


def _element(tag: str, /, *children: Element, **attributes: Any) -> Element:
    made = Element(tag, {key: str(value) for key, value in attributes.items()})
    made.extend(children)
    return made


def label_text(label: Any) -> str:
    """Give a class as PMML has it."""
    return str(label)


class _Document:
    """Writes the elements of a document."""

    def __init__(self, program: Program) -> None:
        self.program = program
        names = [one.name for one in program.inputs]
        self.target = "target"
        while self.target in program.schema.names:
            self.target += "_"
        self.sums = []
        for place in range(len(program.obliques)):
            name = f"sum {place}"
            while name in names:
                name += "_"
            self.sums.append(name)
        outputs = {"prediction", *(f"probability({label_text(label)})" for label in program.classes or [])}
        for name in names:
            if name in outputs:
                raise ExportError(f"column {name!r} has the name of an output of the pmml: rename it.")

    def root(self) -> Element:
        """Give the whole document."""
        from treewright import __version__

        program = self.program
        text = "\n".join(header(program, "run it: JPMML-Evaluator, or any program that reads PMML 4.4"))
        head = _element(
            "Header",
            _element("Application", name="treewright", version=__version__),
            description="".join(c if c.isprintable() or c == "\n" else "?" for c in text),
        )
        stamp = _element("Timestamp")
        stamp.text = today()
        head.append(stamp)
        fields = [self._data_field(one) for one in program.inputs]
        dictionary = _element("DataDictionary", *fields, self._target_field())
        return _element(
            "PMML", head, dictionary, *self._derived(), self._model(), xmlns=NAMESPACE, version="4.4"
        )

    # ---- columns ---------------------------------------------------------------------------------------

    @staticmethod
    def _type(one: Input) -> str:
        kinds = {type(category) for category in one.column.categories}
        if not one.has_codes:
            return "double"
        return "boolean" if kinds == {bool} else "double" if kinds & {int, float} else "string"

    def _data_field(self, one: Input) -> Element:
        optype = "categorical" if one.has_codes else "continuous"
        field = _element("DataField", name=one.name, optype=optype, dataType=self._type(one))
        if one.has_codes and self.program.refuses_unseen:
            codes = range(len(one.column.categories))
            field.extend(_element("Value", value=self._text(one, code)) for code in codes)
        return field

    @staticmethod
    def _text(one: Input, code: int) -> str:
        category = one.column.categories[code]
        if isinstance(category, bool):
            return "true" if category else "false"
        return repr(float(category)) if isinstance(category, int | float) else _holdable(str(category))

    def _target_field(self) -> Element:
        classes = self.program.classes
        if classes is None:
            return _element("DataField", name=self.target, optype="continuous", dataType="double")
        values = [_element("Value", value=label_text(label)) for label in classes]
        return _element("DataField", *values, name=self.target, optype="categorical", dataType="string")

    def _derived(self) -> list[Element]:
        if not self.program.obliques:
            return []
        fields = [
            _element("DerivedField", self._sum(oblique), name=name, optype="continuous", dataType="double")
            for name, oblique in zip(self.sums, self.program.obliques, strict=True)
        ]
        return [_element("TransformationDictionary", *fields)]

    def _sum(self, oblique: Oblique) -> Element:
        """A sum, added from left to right."""
        total: Element | None = None
        for term in oblique.terms:
            value = _element("FieldRef", field=self.program.inputs[term[0]].name)
            if isinstance(oblique, Ball):
                distance = _apply("-", value, _constant(term[1]))
                value = _apply("*", _apply("*", _constant(term[2]), distance), distance)  # type: ignore[misc]
            else:
                value = _apply("*", _constant(term[1]), value)
            total = value if total is None else _apply("+", total, value)
        assert total is not None
        return total

    # ---- predicates ------------------------------------------------------------------------------------

    def field(self, quantity: int) -> str:
        """The name of what a test compares."""
        inputs = self.program.inputs
        return inputs[quantity].name if quantity < len(inputs) else self.sums[quantity - len(inputs)]

    def _codes(self, test: Test) -> dict[int, int] | None:
        """The branch of each code of a test over categories; None if it is one over numbers."""
        if isinstance(test, Lookup):
            return dict(test.branches)
        if test.quantity >= len(self.program.inputs) or not self.program.inputs[test.quantity].has_codes:
            return None
        codes = range(len(self.program.inputs[test.quantity].column.categories))
        return {code: sum(code > cut for cut in test.cuts) for code in codes}

    def among(self, quantity: int, codes: Iterable[int], *, negated: bool = False) -> Element:
        """That a category is one of several, or none of them; unknown if it is missing."""
        one = self.program.inputs[quantity]
        texts = [self._text(one, code) for code in codes]
        if not texts:
            return (
                _element("SimplePredicate", field=one.name, operator="isNotMissing")
                if negated
                else _element("False")
            )
        if any(c in text for text in texts for c in '"\\\n\r\t') or any(
            text != text.strip() for text in texts
        ):
            operator = "notEqual" if negated else "equal"
            simple = [
                _element("SimplePredicate", field=one.name, operator=operator, value=text) for text in texts
            ]
            return _compound("and" if negated else "or", simple)
        is_number = self._type(one) == "double"
        array = _element("Array", n=len(texts), type="real" if is_number else "string")
        array.text = " ".join(texts if is_number else [f'"{text}"' for text in texts])
        operator = "isNotIn" if negated else "isIn"
        return _element("SimpleSetPredicate", array, field=one.name, booleanOperator=operator)

    def holds(self, test: Test, branch: int) -> Element:
        """That a test answers with a branch."""
        branches = self._codes(test)
        if branches is None:
            assert isinstance(test, Cut)
            return self._within(test.quantity, *test.bounds(branch))
        codes = sorted(code for code, taken in branches.items() if taken == branch)
        known = self.among(test.quantity, [code for code in codes if code != UNSEEN])
        if UNSEEN not in codes:
            return known
        every = range(len(self.program.inputs[test.quantity].column.categories))
        return _compound("or", [known, self.among(test.quantity, every, negated=True)])

    def _within(self, quantity: int, low: float, high: float) -> Element:
        name = self.field(quantity)
        parts = []
        if low != -math.inf:
            parts.append(
                _element("SimplePredicate", field=name, operator="greaterThan", value=repr(float(low)))
            )
        if high != math.inf:
            parts.append(
                _element("SimplePredicate", field=name, operator="lessOrEqual", value=repr(float(high)))
            )
        return _compound("and", parts or [_element("SimplePredicate", field=name, operator="isNotMissing")])

    def unanswered(self, test: Test) -> Element:
        """That a test does not answer."""
        missing = _element("SimplePredicate", field=self.field(test.quantity), operator="isMissing")
        branches = self._codes(test)
        if branches is None:
            return missing
        if UNSEEN in branches:
            every = range(len(self.program.inputs[test.quantity].column.categories))
            others = self.among(test.quantity, [code for code in every if code not in branches])
        else:
            others = self.among(test.quantity, sorted(branches), negated=True)
        return _compound("or", [missing, others])

    def on_branch(self, node: Node, branch: int) -> Element:
        """That a row takes a branch of a node."""
        ways = []
        before: list[Test] = []
        for test in node.tests:
            if not isinstance(test, Cut) or branch < test.n_branches:
                ways.append(_compound("and", [*map(self.unanswered, before), self.holds(test, branch)]))
            before.append(test)
        if node.default == branch:
            ways.append(_compound("and", list(map(self.unanswered, before))))
        return _compound("or", ways)

    def clause(self, clause: Clause) -> Element:
        """That a clause of a rule holds."""
        held = self.holds(clause.test, clause.branch)
        if not clause.missing:
            return held
        missing = _element("SimplePredicate", field=self.field(clause.test.quantity), operator="isMissing")
        branches = self._codes(clause.test)
        if branches is None:
            return _compound("or", [missing, held])
        every = range(len(self.program.inputs[clause.test.quantity].column.categories))
        others = [code for code in every if branches.get(code) != clause.branch]
        return _compound("or", [missing, self.among(clause.test.quantity, others, negated=True)])

    # ---- models ----------------------------------------------------------------------------------------

    @property
    def _function(self) -> str:
        return "regression" if self.program.classes is None else "classification"

    def _schema(self) -> Element:
        """The fields of a model; what is refused is invalid."""
        program = self.program
        fields = [
            _element(
                "MiningField",
                name=one.name,
                invalidValueTreatment="returnInvalid" if one.has_codes and program.refuses_unseen else "asIs",
                **({"missingValueTreatment": "returnInvalid"} if program.refuses_missing else {}),
            )
            for one in program.inputs
        ]
        return _element(
            "MiningSchema", *fields, _element("MiningField", name=self.target, usageType="target")
        )

    def _output(self) -> Element:
        classes = self.program.classes
        kind = "double" if classes is None else "string"
        optype = "continuous" if classes is None else "categorical"
        fields = [
            _element("OutputField", name="prediction", optype=optype, dataType=kind, feature="predictedValue")
        ]
        for label in classes or []:
            text = label_text(label)
            fields.append(
                _element(
                    "OutputField",
                    name=f"probability({text})",
                    optype="continuous",
                    dataType="double",
                    feature="probability",
                    value=text,
                )
            )
        return _element("Output", *fields)

    def _model(self) -> Element:
        program = self.program
        if not program.forest:
            return self._tree(program.bodies[0], self._output())
        segments = [
            _element("Segment", _element("True"), self._tree(body, None), id=number + 1)
            for number, body in enumerate(program.bodies)
        ]
        return _element(
            "MiningModel",
            self._schema(),
            self._output(),
            _element("Segmentation", *segments, multipleModelMethod="average"),
            functionName=self._function,
        )

    def _tree(self, body: TreeBody | RuleBody, output: Element | None) -> Element:
        parts = [self._schema()] if output is None else [self._schema(), output]
        root = self._rules(body) if isinstance(body, RuleBody) else self._nodes(body)
        return _element(
            "TreeModel",
            *parts,
            root,
            functionName=self._function,
            missingValueStrategy="none",
            noTrueChildStrategy="returnLastPrediction",
            splitCharacteristic="multiSplit",
        )

    def _nodes(self, body: TreeBody) -> Element:
        made: dict[int, Element] = {}
        for node in reversed(body.nodes):
            end = body.end_of.get(node.id)
            element = _element("Node", id=node.id) if end is None else self._end(body, end, node.id)
            for branch, child in enumerate(node.children):
                made[child].insert(0, self.on_branch(node, branch))
                element.append(made.pop(child))
            made[node.id] = element
        made[0].insert(0, _element("True"))
        return made[0]

    def _rules(self, body: RuleBody) -> Element:
        """Rules as the children of one node: the first that holds is taken."""
        last = len(body.rules)
        root = _element("Node", _element("True"), id=0)
        for place, rule in enumerate(body.rules):
            node = self._end(body, place, place + 1)
            node.insert(0, _compound("and", list(map(self.clause, rule))) if rule else _element("True"))
            root.append(node)
        node = self._end(body, last, last + 1)
        node.insert(0, _element("True"))
        root.append(node)
        return root

    def _end(self, body: TreeBody | RuleBody, end: int, name: int) -> Element:
        answers, classes = body.answers, self.program.classes
        if answers.label is None or classes is None:
            return _element("Node", id=name, score=repr(float(answers.proba[end, 0])))
        node = _element("Node", id=name, score=label_text(classes[int(answers.label[end])]))
        said = answers.votes if self.program.forest else answers.proba
        for label, share in zip(classes, said[end].tolist(), strict=True):
            text = repr(float(share))
            node.append(
                _element("ScoreDistribution", value=label_text(label), recordCount=text, probability=text)
            )
        return node


def _apply(function: str, *parts: Element) -> Element:
    return _element("Apply", *parts, function=function)


def _constant(value: float) -> Element:
    made = _element("Constant", dataType="double")
    made.text = repr(float(value))
    return made


def _compound(operator: str, parts: Sequence[Element]) -> Element:
    """Join predicates; one alone stays as it is, none is never true."""
    if len(parts) == 1:
        return parts[0]
    return _element("CompoundPredicate", *parts, booleanOperator=operator) if parts else _element("False")
