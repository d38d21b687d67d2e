"""Predicates as exports hold them: an expression over columns, resolved to inputs and plain numbers.

Truth is a number: 1 true, 0 false, NaN unknown. The meaning is that of `data.predicates`, which works the
same expressions out on whole tables.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from treewright.data import Schema
from treewright.data.columns import Column
from treewright.data.predicates import parse

Text = TypeVar("Text")

ORDERS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True)
class Value:
    """The number of an input, `offset` added."""

    input: int
    offset: int = 0


@dataclass(frozen=True)
class Constant:
    """A number."""

    value: float


@dataclass(frozen=True)
class Pair:
    """Two numbers with a sign between them."""

    sign: str
    left: Number
    right: Number


class Arithmetic(Pair):
    """Two numbers joined by ``+ - * /``; NaN unless the result is finite."""


Number: TypeAlias = Value | Constant | Arithmetic


class Compared(Pair):
    """A comparison; unknown if one side is NaN."""


@dataclass(frozen=True)
class IsMissing:
    """Whether a number is NaN."""

    number: Number


@dataclass(frozen=True)
class Negated:
    """The opposite; unknown stays unknown."""

    part: Truth


@dataclass(frozen=True)
class Joined:
    """All of them, or any of them, in Kleene's logic."""

    all_of_them: bool
    parts: tuple[Truth, ...]


Truth: TypeAlias = Compared | IsMissing | Negated | Joined


class Syntax(Protocol[Text]):
    """How a language writes each of these."""

    def value(self, number: Value) -> Text: ...  # noqa: D102
    def constant(self, number: float) -> Text: ...  # noqa: D102
    def arithmetic(self, sign: str, left: Text, right: Text) -> Text: ...  # noqa: D102
    def compared(self, sign: str, left: Text, right: Text) -> Text: ...  # noqa: D102
    def is_missing(self, number: Text) -> Text: ...  # noqa: D102
    def negated(self, truth: Text) -> Text: ...  # noqa: D102
    def joined(self, all_of_them: bool, one: Text, other: Text) -> Text: ...  # noqa: D102


def written(truth: Truth | Number, syntax: Syntax[Text]) -> Text:
    """Write an expression in a language; expressions are at most 1000 characters, so this may recurse."""
    match truth:
        case Value():
            return syntax.value(truth)
        case Constant(value):
            return syntax.constant(value)
        case Arithmetic(sign, left, right):
            return syntax.arithmetic(sign, written(left, syntax), written(right, syntax))
        case Compared(sign, left, right):
            return syntax.compared(sign, written(left, syntax), written(right, syntax))
        case IsMissing(number):
            return syntax.is_missing(written(number, syntax))
        case Negated(part):
            return syntax.negated(written(part, syntax))
        case Joined(all_of_them, parts):
            text = written(parts[0], syntax)
            for part in parts[1:]:
                text = syntax.joined(all_of_them, text, written(part, syntax))
            return text


def columns_of(expression: str, schema: Schema) -> set[int]:
    """Give the features that an expression names."""
    body, quoted = parse(expression)
    names = {quoted.get(node.id, node.id) for node in ast.walk(body) if isinstance(node, ast.Name)}
    return {schema.names.index(name) for name in names}


def read_expression(expression: str, columns: Mapping[str, tuple[int, Column]]) -> Truth:
    """Resolve an expression; `columns` gives the input and the column of each name.

    Examples
    --------
    >>> read_expression("width > 2", {"width": (0, Column("width"))})
    Compared(sign='>', left=Value(input=0, offset=0), right=Constant(value=2.0))
    """
    body, quoted = parse(expression)
    return _Reader(columns, quoted).truth(body)


@dataclass(frozen=True)
class _Reader:
    """Reads an expression that was worked out when the model was fitted, and so is sound."""

    columns: Mapping[str, tuple[int, Column]]
    quoted: Mapping[str, str]

    def truth(self, node: ast.expr) -> Truth:
        match node:
            case ast.BoolOp(op=op, values=parts):
                return Joined(isinstance(op, ast.And), tuple(map(self.truth, parts)))
            case ast.UnaryOp(operand=operand):
                return Negated(self.truth(operand))
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [left, *others]
                pairs = zip(sides[:-1], ops, sides[1:], strict=True)
                return _all_of([self._comparison(*pair) for pair in pairs])
            case _:
                place, column = self._column(node)
                return Compared("==", Value(place), Constant(float(column.code_of[True])))

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Truth:
        if isinstance(op, ast.Is | ast.IsNot):
            missing = IsMissing(self._stored(left))
            return missing if isinstance(op, ast.Is) else Negated(missing)
        if isinstance(op, ast.In | ast.NotIn):
            assert isinstance(right, ast.Tuple | ast.List | ast.Set)
            among = Joined(False, tuple(self._ordered(left, ast.Eq(), value) for value in right.elts))
            return among if isinstance(op, ast.In) else Negated(among)
        return self._ordered(left, op, right)

    def _ordered(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Truth:
        return Compared(ORDERS[type(op)], self._side(left, right), self._side(right, left))

    def _side(self, node: ast.expr, other: ast.expr) -> Number:
        """One side of a comparison, on the scale of the other."""
        value = _plain(node)
        if value is not None:
            return Constant(self._constant(value, None if _plain(other) is not None else self._named(other)))
        column, compared = self._named(node), self._named(other)
        alone = _plain(other) is not None or column == compared
        return self._stored(node) if column is not None and alone else self._number(node)

    def _constant(self, value: Any, column: Column | None) -> float:
        if column is None:
            return float(value)
        if column.kind != "numeric":
            return float(column.code_of[value])
        if column.unit is not None:
            kind = np.datetime64 if column.unit.startswith("datetime64") else np.timedelta64
            return float(int(kind(value).astype(column.unit).astype(np.int64)) - column.offset)
        return float(value - column.offset)

    def _number(self, node: ast.expr) -> Number:
        """A number as the user knows it: the offset of a column is added."""
        match node:
            case ast.Constant(value=value):
                return Constant(float(value))  # type: ignore[arg-type]
            case ast.UnaryOp(operand=operand):
                return Arithmetic("-", Constant(0.0), self._number(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return Arithmetic(ARITHMETIC[type(op)], self._number(left), self._number(right))
            case _:
                place, column = self._column(node)
                return Value(place, column.offset)

    def _stored(self, node: ast.expr) -> Number:
        """A column as it is stored, or numbers worked out of columns."""
        return Value(self._column(node)[0]) if isinstance(node, ast.Name) else self._number(node)

    def _column(self, node: ast.expr) -> tuple[int, Column]:
        assert isinstance(node, ast.Name)
        return self.columns[self.quoted.get(node.id, node.id)]

    def _named(self, node: ast.expr) -> Column | None:
        return self._column(node)[1] if isinstance(node, ast.Name) else None


def _plain(node: ast.expr) -> Any:
    """The value that stands in an expression as it is; None if there is none."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _all_of(parts: list[Truth]) -> Truth:
    return parts[0] if len(parts) == 1 else Joined(True, tuple(parts))
