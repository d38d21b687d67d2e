"""Predicates: Boolean features of the user's own, as functions or as expressions over columns.

An expression such as ``width > 2 * height and colour in ("red", "blue")`` is parsed and worked out here: it
is saved as text, and nothing in it can run code. A comparison with a missing value is unknown; "and", "or"
and "not" follow Kleene's logic of three values, so that an unknown part only matters where it decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import Column
from treewright.data.functions import AbsentFunction, function_name
from treewright.errors import DataError
from treewright.formatting.suggestions import nearest

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

TRUTH: tuple[bool, bool] = (False, True)
"""The categories of a predicate's column."""

LONGEST = 1000
"""Most characters of an expression."""

_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|`([^`]*)`""")
_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}


@dataclass(frozen=True)
class Predicate:
    """A named Boolean feature.

    Parameters
    ----------
    name : str
        What it is called in everything the tree says.
    rule : str or callable
        An expression over the columns, or a function that is given the table as it came and gives a truth
        value, or a missing one, for each row.

    Examples
    --------
    >>> columns = (Column("width"), Column("colour", "categorical", ("blue", "red")))
    >>> numbers, codes = np.array([[1.0], [3.0], [np.nan]]), np.array([[0], [1], [1]], np.int32)
    >>> Predicate("odd", "width > 2 or colour == 'blue'").codes(None, columns, numbers, codes)
    array([ 1,  1, -1], dtype=int32)
    """

    name: str
    rule: str | Callable[[Any], Any]

    @property
    def column(self) -> Column:
        """The feature as a column: its categories are False and True."""
        return Column(self.name, "categorical", TRUTH)

    def codes(self, X: Any, columns: tuple[Column, ...], numbers: Numbers, codes: Codes) -> Codes:
        """Work out the predicate for every row: 1 true, 0 false, −1 unknown.

        Parameters
        ----------
        X : table
            The rows as they came: what functions are given.
        columns, numbers, codes
            The rows as they are stored: what expressions read.
        """
        if isinstance(self.rule, str):
            truth = _Expression(self.rule, columns, numbers, codes).truth()
            return np.where(truth.known, truth.value, -1).astype(np.int32)
        return self._answers(self.rule(X), len(numbers))

    def _answers(self, given: Any, n_rows: int) -> Codes:
        answers = np.asarray(given)
        if answers.shape != (n_rows,):
            raise DataError(
                f"predicate {self.name!r} must give a truth value for each of the {n_rows} rows, "
                f"got an array of shape {answers.shape}."
            )
        if answers.dtype.kind == "b":
            return answers.astype(np.int32)
        codes = np.array([_code(answer) for answer in answers.tolist()], np.int32)
        if (codes == _ODD).any():
            row = int(np.flatnonzero(codes == _ODD)[0])
            raise DataError(
                f"predicate {self.name!r} must give truth values or missing ones, "
                f"got {answers.tolist()[row]!r} in row {row}."
            )
        return codes


_ODD = -9


def _code(answer: Any) -> int:
    if answer is None or type(answer).__name__ in ("NAType", "NaTType"):
        return -1
    if isinstance(answer, (bool, int, float)):
        return -1 if isnan(answer) else int(answer) if answer in (0, 1) else _ODD
    return _ODD


def read_predicates(given: Any) -> tuple[Predicate, ...]:
    """Take predicates as users write them.

    Parameters
    ----------
    given : list of str, callable or (name, str or callable), dict of name to str or callable, or None
        An expression without a name is called by its own text, a function by its own name.

    Examples
    --------
    >>> [predicate.name for predicate in read_predicates(["a > b", ("tall", "height > 2")])]
    ['a > b', 'tall']
    """
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise DataError(f"predicates must be a list or a dict of expressions and functions, got {given!r}.")
    entries = list(given.items()) if isinstance(given, Mapping) else list(given)
    predicates = tuple(map(_predicate, entries))
    names = [predicate.name for predicate in predicates]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"predicates has two of the name {name!r}: give them as (name, rule).")
    return predicates


def _predicate(entry: Any) -> Predicate:
    name, rule = entry if isinstance(entry, tuple | list) and len(entry) == 2 else (None, entry)
    if isinstance(rule, str):
        parse(rule)
        return Predicate(name or rule, rule)
    if not callable(rule) or isinstance(rule, type):
        raise DataError(
            f"a predicate is an expression, a function, or a pair of a name and such: got {entry!r}."
        )
    name = name or function_name(rule)
    if name == "<lambda>":
        raise DataError("a predicate that is a lambda needs a name: give it as (name, function).")
    return Predicate(name, rule)


def bound(predicates: tuple[Predicate, ...], given: Any) -> tuple[Predicate, ...]:
    """Fill in functions that a file could only name with those of the same name, where they are given."""
    known = {predicate.name: predicate for predicate in read_predicates(given)}
    return tuple(
        known.get(predicate.name, predicate) if isinstance(predicate.rule, AbsentFunction) else predicate
        for predicate in predicates
    )


# ---- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Truth:
    """Truth values, of which some are unknown."""

    value: Mask
    known: Mask


@dataclass(frozen=True)
class _Operand:
    """Numbers as the user knows them, or the stored values of a column; NaN is missing."""

    values: Numbers
    column: Column | None = None


def parse(text: str) -> tuple[ast.expr, dict[str, str]]:
    """Read an expression, and what its backquoted columns are called."""
    names: dict[str, str] = {}

    def name_of(found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[1]
        names[f"_column_{len(names)}"] = found[2]
        return f"_column_{len(names) - 1}"

    if len(text) > LONGEST:
        raise DataError(f"a predicate has {len(text)} characters, the limit is {LONGEST}.")
    try:
        return ast.parse(_QUOTED.sub(name_of, text.strip()), mode="eval").body, names
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise DataError(
            f"predicate {text!r} cannot be read: write comparisons of columns and values, joined by "
            "'and', 'or' and 'not', and put names that are no single word in backquotes."
        ) from None


class _Expression:
    """An expression over the columns of stored rows."""

    def __init__(self, text: str, columns: tuple[Column, ...], numbers: Numbers, codes: Codes) -> None:
        self.text, self.columns, self.numbers, self.codes = text, columns, numbers, codes
        self.body, self.quoted = parse(text)

    def truth(self) -> _Truth:
        with np.errstate(all="ignore"):
            return self._truth(self.body)

    def _refuse(self, what: str) -> DataError:
        return DataError(f"predicate {self.text!r} {what}.")

    def _truth(self, node: ast.expr) -> _Truth:
        match node:
            case ast.BoolOp(op=op, values=parts):
                truths = [self._truth(part) for part in parts]
                return _joined(truths, all_of_them=isinstance(op, ast.And))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = self._truth(operand)
                return _Truth(~truth.value, truth.known)
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [left, *others]
                pairs = zip(sides[:-1], ops, sides[1:], strict=True)
                return _joined([self._comparison(*pair) for pair in pairs], all_of_them=True)
            case ast.Name():
                return self._flag(self._operand(node))
        raise self._refuse("must compare something: it has no comparison where one is needed")

    def _flag(self, operand: _Operand) -> _Truth:
        """A column of truth values stands for itself."""
        if operand.column is None or set(operand.column.categories) != set(TRUTH):
            name = "" if operand.column is None else f" of column {operand.column.name!r}"
            raise self._refuse(f"must compare the values{name} with something")
        known = ~np.isnan(operand.values)
        return _Truth(known & (operand.values == operand.column.code_of[True]), known)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> _Truth:
        if isinstance(op, (ast.Is, ast.IsNot)):
            if not (isinstance(right, ast.Constant) and right.value is None):
                raise self._refuse("may ask 'is None' or 'is not None', and 'is' nothing else")
            missing = np.isnan(self._operand(left).values)
            return _Truth(missing == isinstance(op, ast.Is), np.ones(len(missing), bool))
        if isinstance(op, (ast.In, ast.NotIn)):
            if not isinstance(right, ast.Tuple | ast.List | ast.Set):
                raise self._refuse("must name a list of values after 'in'")
            each = [self._comparison(left, ast.Eq(), value) for value in right.elts]
            if not each:
                raise self._refuse("has an empty list after 'in'")
            among = _joined(each, all_of_them=False)
            return among if isinstance(op, ast.In) else _Truth(~among.value, among.known)
        return self._ordered(left, op, right)

    def _ordered(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> _Truth:
        one, other = self._side(left), self._side(right)
        if not isinstance(one, _Operand) and not isinstance(other, _Operand):
            raise self._refuse("compares two values: name a column")
        for operand in (one, other):
            column = operand.column if isinstance(operand, _Operand) else None
            if column is not None and column.kind == "categorical" and not isinstance(op, ast.Eq | ast.NotEq):
                raise self._refuse(
                    f"puts the categories of column {column.name!r} in an order they do not have"
                )
        a, b = self._stored(one, other), self._stored(other, one)
        known = ~(np.isnan(a) | np.isnan(b))
        return _Truth(np.broadcast_to(_ORDERS[type(op)](a, b), known.shape) & known, known)

    def _side(self, node: ast.expr) -> _Operand | Any:
        """A column or numbers, or a plain value."""
        match node:
            case ast.Constant(value=str() | bool() | int() | float() as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
        return self._operand(node)

    def _stored(self, side: _Operand | Any, other: _Operand | Any) -> Numbers:
        """One side of a comparison on the scale of the other."""
        if isinstance(side, _Operand):
            alone = not (isinstance(other, _Operand) and side.column != other.column)
            return side.values if side.column is None or alone else self._as_numbers(side).values
        assert isinstance(other, _Operand)
        return np.asarray(self._constant(side, other.column), dtype=np.float64)

    def _constant(self, value: Any, column: Column | None) -> float:
        if column is not None and column.kind != "numeric":
            if value not in column.code_of:
                hint = nearest(value, map(str, column.categories))
                raise self._refuse(
                    f"names {value!r}, which column {column.name!r} does not have.{hint}".rstrip(".")
                )
            return column.code_of[value]
        if column is not None and column.unit is not None:
            try:
                kind = np.datetime64 if column.unit.startswith("datetime64") else np.timedelta64
                return int(kind(value).astype(column.unit).astype(np.int64)) - column.offset
            except (TypeError, ValueError, OverflowError):
                raise self._refuse(f"compares the times of column {column.name!r} with {value!r}") from None
        if isinstance(value, str):
            raise self._refuse(f"compares numbers with the text {value!r}")
        return _float(value - (column.offset if column is not None else 0))

    def _operand(self, node: ast.expr) -> _Operand:
        match node:
            case ast.Name(id=name):
                return self._column(self.quoted.get(name, name))
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return _Operand(np.asarray(_float(value)))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _Operand(-self._as_numbers(self._operand(operand)).values)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                one, other = (self._as_numbers(self._operand(side)).values for side in (left, right))
                value = _ARITHMETIC[type(op)](one, other)
                return _Operand(np.where(np.isfinite(value), value, np.nan))
        raise self._refuse(
            "may use columns, numbers, text, + - * /, comparisons, 'in', 'is None', 'and', 'or', 'not' only"
        )

    def _column(self, name: str) -> _Operand:
        names = [column.name for column in self.columns]
        if name not in names:
            raise self._refuse(f"names {name!r}, which is no column.{nearest(name, names)}".rstrip("."))
        feature = names.index(name)
        column = self.columns[feature]
        categorical = column.kind == "categorical"
        position = sum((other.kind == "categorical") == categorical for other in self.columns[:feature])
        if not categorical:
            return _Operand(self.numbers[:, position], column)
        codes = self.codes[:, position].astype(np.float64)
        return _Operand(np.where(codes < 0, np.nan, codes), column)

    def _as_numbers(self, operand: _Operand) -> _Operand:
        column = operand.column
        if column is None:
            return operand
        if column.kind != "numeric":
            raise self._refuse(f"calculates with column {column.name!r}, which is {column.kind}")
        return _Operand(operand.values + column.offset)


def _float(value: int | float) -> float:
    """Give a number as float64; whole numbers beyond all of these are beyond them still."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _joined(truths: list[_Truth], *, all_of_them: bool) -> _Truth:
    """All of them, or any of them, in Kleene's logic."""
    value, known = truths[0].value, truths[0].known
    for truth in truths[1:]:
        if all_of_them:
            decided = (known & ~value) | (truth.known & ~truth.value)
            value, known = value & truth.value & ~decided, decided | (known & truth.known)
        else:
            decided = (known & value) | (truth.known & truth.value)
            value, known = decided, decided | (known & truth.known)
    return _Truth(value, known)
