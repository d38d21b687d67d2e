"""Python: one module without imports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from treewright.data import times
from treewright.export.comparisons import Input
from treewright.export.header import header
from treewright.export.program import Array, LinearEnds, Program
from treewright.export.source import Source, Writer, helpers_for, pieces_of, wrapped
from treewright.export.states import States
from treewright.formatting.text import printable
from treewright.tree.decision import SAME_WEIGHT

LARGEST = 1.7976931348623157e308


def export_python(program: Program, *, form: str = "auto") -> str:
    """Write a module that defines ``predict(row)`` and, for classes, ``predict_proba(row)``.

    Parameters
    ----------
    program : Program
    form : {"auto", "nested", "table"}
        A block for each node, or tables with a loop over them; by default the size decides.
    """
    module = _Module(_Python(program), form)
    body = "\n".join(module.body())
    helpers = helpers_for(body, _HELPERS)
    return "\n\n\n".join(["\n".join(module.head()), *helpers, body.strip("\n")]) + "\n"


class _Python(Source):
    """How Python says it."""

    and_, or_, true, prefix, stop = "and", "or", "True", "_", ""

    def number(self, value: float) -> str:
        if math.isinf(value):
            return "INF" if value > 0 else "-INF"
        return repr(float(value))

    def comment(self, text: str) -> str:
        return f"# {printable(text)}"

    def among(self, x: str, codes: Sequence[int]) -> str:
        if len(codes) == 1:
            return f"{x} == {codes[0]}"
        return f"{x} in {{{', '.join(map(str, codes))}}}"

    def is_nan(self, x: str) -> str:
        return f"({x}) != ({x})" if " " in x else f"{x} != {x}"

    def block(self, word: str, condition: str | None) -> str:
        return "else:" if condition is None else f"{word} {condition}:"

    def end_block(self) -> list[str]:
        return []

    # ---- predicates ----------------------------------------------------------------------------------

    def is_missing(self, number: str) -> str:
        return f"_unknown({number})"

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        quotient = f"_finite(_divided({left}, {right}))"  # Python refuses to divide by zero
        return quotient if sign == "/" else super().arithmetic(sign, left, right)


def values(numbers: Iterable[Any], write: Any = repr) -> str:
    """Write a tuple over several lines."""
    texts = [write(number) for number in numbers]
    return f"({wrapped(texts, '    ')}{',' * (len(texts) == 1)})"


class _Module(Writer):
    """Writes the parts of a module."""

    labels, votes, proba = "_LABELS", "_VOTES", "_PROBA"

    def head(self) -> Iterator[str]:
        """What it is, and the names of the classes."""
        program = self.program
        kind = "a label" if program.classes is not None else "a number"
        usage = [
            f"predict(row) gives {kind}; row is a mapping of column names to values, None or NaN is missing"
        ]
        if program.classes is not None:
            usage.append("predict_proba(row) gives the probability of each of CLASSES, in their order")
        for line in header(program, *usage):
            yield self.source.comment(line)
        yield ""
        yield 'INF, NAN = float("inf"), float("nan")'
        if program.classes is not None:
            yield f"CLASSES = {values(program.classes)}"

    def body(self) -> Iterator[str]:
        """All but the helpers that it needs."""
        yield from self.answers()
        yield from self._read()
        yield ""
        yield ""
        yield from self._nested() if self.nested else self._table()
        yield from self._predict()

    # ---- answers -------------------------------------------------------------------------------------

    def _whole(self, numbers: list[int]) -> str:
        return values(numbers)

    def _lines(self, numbers: Array) -> str:
        if self.program.classes is None and not self.program.sums:
            return values(numbers[:, 0].tolist())
        return values(map(tuple, numbers.tolist()))

    def _equations(self, linear: LinearEnds) -> Iterator[str]:
        """What is said at each end of a row: a constant, and terms of a column, a code or -1, a coefficient."""
        yield f"_CONSTANTS = {values(linear.constant)}"
        yield f"_TERMS = {values(linear.terms)}"
        yield f"_FILL = {values(linear.fill)}"
        yield f"_LEAST, _MOST = {linear.low!r}, {linear.high!r}"

    # ---- reading a row -------------------------------------------------------------------------------

    def _read(self) -> Iterator[str]:
        program = self.program
        for place, one in program.coded:
            yield f"_CODES_{place} = {{"
            yield from (
                f"    {_key(category)!r}: {code}," for code, category in enumerate(one.column.categories)
            )
            yield "}"
        variables = self.source.inputs(program, self._value)
        yield "\n\ndef _read(row):"
        yield from (f"    {x} = {text}" for x, text in variables)
        yield f"    return ({''.join(f'{x}, ' for x, _ in variables).rstrip(' ')})"

    def _value(self, place: int, one: Input) -> str:
        program, column = self.program, one.column
        missing = "_refuse" if program.refuses_missing else "_missing"
        if one.has_codes:
            unseen = {"refused": "_refuse_unseen", "coded": "_unseen", "missing": "_missing"}[
                program.unseen(one)
            ]
            times_as = _time_reader(column.categories)
            return f"_code(row, {one.name!r}, _CODES_{place}, {times_as}, {missing}, {unseen})"
        infinite = "_refuse_infinite" if program.refuses_infinite else "_largest"
        if column.unit is None:
            return f"_number(row, {one.name!r}, {column.offset}, {missing}, {infinite})"
        kind, step = column.unit.partition("[")[0], times.UNITS[column.unit.partition("[")[2].rstrip("]")]
        reader = "_moment" if kind == "datetime64" else "_duration"
        return f"_time(row, {one.name!r}, {reader}, {step}, {column.offset}, {missing})"

    # ---- the way through -----------------------------------------------------------------------------

    def _unpack(self) -> str:
        names = ", ".join(map(self.source.input, range(len(self.program.inputs))))
        return f"    {names}{',' if len(self.program.inputs) == 1 else ''} = x" if names else "    pass"

    def _nested(self) -> Iterator[str]:
        program = self.program
        for place, body, end in program.bodies_from():
            yield f"def {f'_tree_{place}' if program.sums else '_end'}(x):"
            yield self._unpack()
            yield from self.source.body(body, end)
            yield ""
            yield ""
        if program.sums:
            trees = ", ".join(f"_tree_{place}" for place in range(len(program.bodies)))
            yield f"_TREES = ({trees},)"
            yield ""
            yield ""
            yield "def _parts(x):"
            yield "    return [[(tree(x), 1.0)] for tree in _TREES]"
            yield ""
            yield ""

    def _table(self) -> Iterator[str]:
        program, states = self.program, States.of(self.program)
        number = self.source.number
        yield "# State s compares quantity _Q[s] with _T[s] and goes on to _LOW[s], _HIGH[s] or _MISSING[s]; ~e is end e."
        yield f"_Q = {values(states.quantity)}"
        yield f"_T = {values(states.threshold, number)}"
        yield f"_LOW = {values(states.low)}"
        yield f"_HIGH = {values(states.high)}"
        yield f"_MISSING = {values(states.missing)}"
        yield f"_SHARE_TO = {values(states.share_to)}"
        yield f"_SHARE_WEIGHT = {values(states.share_weight)}"
        yield f"_ROOTS = {values(states.roots)}"
        yield "# Sums over several columns: (column, weight), or (column, centre, scale) of squared distances."
        yield f"_SUMS = {values(oblique.terms for oblique in program.obliques)}"
        yield ""
        yield ""
        if not program.sums:
            yield "def _end(x):"
            yield "    return _walk(x, _ROOTS[0])[0][0]"
        else:
            yield "def _parts(x):"
            yield "    return [_walk(x, root) for root in _ROOTS]"
        yield ""
        yield ""

    # ---- what is asked for ---------------------------------------------------------------------------

    def _predict(self) -> Iterator[str]:
        """The functions that users call."""
        program = self.program
        yield f"_WIDTH, _DIVISOR = {program.width}, {program.divisor}.0"
        if program.costs is not None:
            yield f"_COSTS = {values(map(tuple, program.costs.tolist()))}"
        yield from self.functions("_")

    def _function(self, name: str, answer: str) -> str:
        return f"\n\ndef {name}(row):\n    return {answer}"


def _key(category: Any) -> Any:
    """What a category is looked up by: itself, or the nanoseconds of a time."""
    time = times.nanoseconds(category)
    return category if time is None else time


def _time_reader(categories: tuple[Any, ...]) -> str:
    kinds = {type(category) for category in categories}
    return "_moment" if np.datetime64 in kinds else "_duration" if np.timedelta64 in kinds else "None"


_HELPERS = pieces_of(
    """
def _is_missing(value):
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _missing(name, value):
    return NAN


def _unseen(name, value):
    return -1


def _refuse(name, value):
    raise ValueError("column %r has a missing or unknown value: %r" % (name, value))


def _refuse_unseen(name, value):
    raise ValueError("column %r has a value that the model has never seen: %r" % (name, value))


def _refuse_infinite(name, value):
    raise ValueError("column %r is infinite" % name)


def _largest(name, value):
    return 1.7976931348623157e308 if value > 0 else -1.7976931348623157e308


def _number(row, name, offset, missing, infinite):
    value = row[name]
    if _is_missing(value):
        return missing(name, value)
    if isinstance(value, str):
        raise ValueError("column %r must be a number: %r" % (name, value))
    x = float(value)
    if x - x != 0:
        return infinite(name, x)
    if offset:
        over, under = (value if hasattr(value, "as_integer_ratio") else int(value)).as_integer_ratio()
        x = (over - offset * under) / under
    return x


def _code(row, name, codes, time, missing, unseen):
    value = row[name]
    if _is_missing(value):
        return missing(name, value)
    value = value if time is None else time(value, 1)
    return codes[value] if value in codes else unseen(name, value)


def _time(row, name, read, step, offset, missing):
    value = row[name]
    if _is_missing(value):
        return missing(name, value)
    ticks = read(value, step)
    whole = ticks // step
    return float(whole - offset) + (ticks - whole * step) / step


def _moment(value, step):
    # nanoseconds since 1970 of a date, a date with a time, or ISO 8601 text
    if not hasattr(value, "toordinal"):
        return _iso(str(value))
    seconds = getattr(value, "hour", 0) * 3600 + getattr(value, "minute", 0) * 60 + getattr(value, "second", 0)
    seconds += (value.toordinal() - 719163) * 86400
    zone = value.utcoffset() if hasattr(value, "utcoffset") else None
    if zone is not None:
        seconds -= zone.days * 86400 + zone.seconds
    return seconds * 10**9 + getattr(value, "microsecond", 0) * 1000 + getattr(value, "nanosecond", 0)


def _iso(text):
    date, time = text.strip()[:10], text.strip()[11:]
    year, month, day = int(date[:4]), int(date[5:7]), int(date[8:10])
    before = year - (month <= 2)
    days = 365 * before + before // 4 - before // 100 + before // 400
    days += (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1 - 719468
    shift = 0
    if time[-1:] in ("Z", "z"):
        time = time[:-1]
    elif "+" in time or "-" in time:
        at = max(time.find("+"), time.find("-"))
        shift = int(time[at + 1 : at + 3]) * 60 + int(time[at + 3 :].lstrip(":") or 0)
        shift, time = -shift if time[at] == "-" else shift, time[:at]
    clock, _, fraction = time.partition(".")
    parts = [int(part) for part in clock.split(":")] if clock else []
    hours, minutes, seconds = parts + [0] * (3 - len(parts))
    seconds += days * 86400 + hours * 3600 + (minutes - shift) * 60
    return seconds * 10**9 + int((fraction + "0" * 9)[:9])


def _duration(value, step):
    # nanoseconds; a plain number counts steps of the column's unit
    if hasattr(value, "astype"):
        return int(value.astype("m8[ns]").astype("int64"))
    if not hasattr(value, "days"):
        return round(value * step)
    return (value.days * 86400 + value.seconds) * 10**9 + value.microseconds * 1000 + getattr(value, "nanoseconds", 0)


def _finite(x):
    return x if x - x == 0 else NAN


def _divided(a, b):
    return a / b if b else NAN


def _compare(a, b, holds):
    return NAN if a != a or b != b else int(holds)


def _unknown(a):
    return int(a != a)


def _both(a, b):
    return 0 if a == 0 or b == 0 else a * b


def _either(a, b):
    return 1 if a == 1 or b == 1 else a * b


def _quantity(x, q):
    if q < len(x):
        return x[q]
    total = 0.0
    for term in _SUMS[q - len(x)]:
        if len(term) == 2:
            total += term[1] * x[term[0]]
        else:
            distance = x[term[0]] - term[1]
            total += term[2] * distance * distance
    return total


def _label(k):
    return CLASSES[k] if k >= 0 else None


def _equation(x):
    # a term is a coefficient times a column, or the coefficient if the column has the code
    end = _end(x)
    total = _CONSTANTS[end]
    for place, code, coefficient in _TERMS[end]:
        value = x[place]
        if value != value or (code >= 0 and value < 0):
            value = _FILL[place]
        if code < 0:
            total += coefficient * value
        elif value == code:
            total += coefficient
    return _LEAST if total < _LEAST else _MOST if total > _MOST else total


def _line(end):
    return list(_PROBA[end])


def _sums(row, said):
    # what the ends of a row say, summed over trees
    total = [0.0] * _WIDTH
    for parts in _parts(_read(row)):
        total = [a + b for a, b in zip(total, _sum(parts, said))]
    return [a / _DIVISOR for a in total]


def _votes(row, said):
    # the same, where each tree has one vote
    total = [0.0] * _WIDTH
    for parts in _parts(_read(row)):
        total[_decide(_sum(parts, said))] += 1.0
    return [a / _DIVISOR for a in total]


def _sum(parts, said):
    one = [0.0] * _WIDTH
    for end, share in parts:
        one = [a + share * b for a, b in zip(one, said[end])]
    return one


def _decide(votes):
    # the first of the classes of most votes
    enough = max(votes) * SAME_MOST
    return next(k for k, vote in enumerate(votes) if vote >= enough)


def _cheapest(votes):
    # the first of the classes of least cost
    total = [0.0] * _WIDTH
    for vote, row in zip(votes, _COSTS):
        total = [a + vote * b for a, b in zip(total, row)]
    enough = min(total) * SAME_LEAST
    return next(k for k, cost in enumerate(total) if cost <= enough)


def _walk(x, root):
    # the ends of a row, each with its share
    parts, waiting = [], [(root, 1.0)]
    while waiting:
        at, share = waiting.pop()
        while at >= 0 and _Q[at] >= 0:
            value = _quantity(x, _Q[at])
            at = _LOW[at] if value <= _T[at] else _HIGH[at] if value > _T[at] else _MISSING[at]
        if at < 0:
            parts.append((~at, share))
            continue
        for place in range(_HIGH[at] - 1, _LOW[at] - 1, -1):
            waiting.append((_SHARE_TO[place], share * _SHARE_WEIGHT[place] / _T[at]))
    return parts
""".replace("SAME_MOST", repr(1 - SAME_WEIGHT)).replace("SAME_LEAST", repr(1 + SAME_WEIGHT)),
    r"^def (\w+)",
)
