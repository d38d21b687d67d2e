"""JavaScript: an ES module without imports, or a script for a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from treewright.data import times
from treewright.errors import ExportError
from treewright.export.expressions import Value, written
from treewright.export.header import header
from treewright.export.program import Input, Program, TreeBody
from treewright.export.source import Source, helpers_for, nested, pieces_of, predicate_of
from treewright.export.states import States
from treewright.formatting.text import printable
from treewright.tree.decision import SAME_WEIGHT

SAFE = 2**53
"""Whole numbers up to here are numbers of JavaScript; larger ones are BigInts."""


def export_javascript(program: Program, *, form: str = "auto", module: str = "es") -> str:
    """Write a module that exports ``predict(row)`` and, for classes, ``predict_proba(row)`` and ``classes``.

    Parameters
    ----------
    program : Program
    form : {"auto", "nested", "table"}
        A block for each node, or tables with a loop over them; by default the size decides.
    module : {"es", "script"}
        An ES module, or a script for a page: it makes one object, `treewright`, that holds the functions.
    """
    if module not in ("es", "script"):
        raise ExportError(f"module must be 'es' or 'script', got {module!r}.")
    written = _Module(program, form, module == "script")
    body = "\n".join(written.body())
    parts = ["\n".join(written.head()), *helpers_for(body, _HELPERS), body.strip("\n"), *written.foot()]
    return "\n\n".join(parts) + "\n"


def string(text: str) -> str:
    r"""Write text so that nothing in it ends the string, the script or the page.

    Examples
    --------
    >>> print(string("größe"), string("</script>"))
    "größe" "\u003c/script>"
    """
    return json.dumps(text, ensure_ascii=not text.isprintable()).replace("<", "\\u003c")


def literal(value: Any) -> str:
    """Write a label or a category."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) <= SAFE else f"{value}n"
    return _number(value)


def _number(value: float) -> str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value)).removesuffix(".0")


def _list(numbers: Iterable[Any], write: Any = str) -> str:
    texts = [write(number) for number in numbers]
    lines = [", ".join(texts[at : at + 16]) for at in range(0, len(texts), 16)]
    return "[" + ",\n  ".join(lines) + "]"


def _numbers(numbers: Iterable[float]) -> str:
    return _list(numbers, _number)


class _JavaScript(Source):
    """How JavaScript says it."""

    indent = "  "

    def number(self, value: float) -> str:
        return _number(value)

    def comment(self, text: str) -> str:
        # A page may hold it: nothing may end its script, or begin a comment of HTML.
        return f"// {printable(text)}".replace("</", "<\\/").replace("<!", "<\\!")

    def among(self, x: str, codes: Sequence[int]) -> str:
        if len(codes) == 1:
            return f"{x} === {codes[0]}"
        return f"[{', '.join(map(str, codes))}].includes({x})"

    def is_missing(self, x: str) -> str:
        return f"Number.isNaN({x})"

    def block(self, word: str, condition: str | None) -> str:
        return "else {" if condition is None else f"{'else if' if word == 'elif' else word} ({condition}) {{"

    def end_block(self) -> list[str]:
        return ["}"]

    def first_branch(self, branch: int) -> str:
        return f"b = {branch};"

    def give(self, end: int) -> str:
        return f"return {end};"

    # ---- predicates ----------------------------------------------------------------------------------

    def value(self, number: Value) -> str:
        x = self.input(number.input)
        return f"({x} + {float(number.offset)!r})" if number.offset else x

    def constant(self, number: float) -> str:
        return f"({_number(number)})"

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        return f"finite({left} {sign} {right})"

    def compared(self, sign: str, left: str, right: str) -> str:
        sign = {"==": "===", "!=": "!=="}.get(sign, sign)
        return f"compare({left}, {right}, {left} {sign} {right})"

    def negated(self, truth: str) -> str:
        return f"(1 - {truth})"

    def joined(self, all_of_them: bool, one: str, other: str) -> str:
        return f"{'both' if all_of_them else 'either'}({one}, {other})"


class _Syntax(_JavaScript):
    """The same, where a truth is a number."""

    def is_missing(self, x: str) -> str:
        return f"Number(Number.isNaN({x}))"


class _Module:
    """Writes the parts of a module."""

    def __init__(self, program: Program, form: str, script: bool) -> None:
        self.program = program
        self.nested = nested(program, form)
        self.source = _JavaScript(program)
        self.script = script

    def head(self) -> Iterator[str]:
        """What it is, and the names of the classes."""
        program = self.program
        kind = "a label" if program.classes is not None else "a number"
        how = (
            'in a page: <script src="…"></script>, then treewright.predict(row)'
            if self.script
            else 'import { predict } from "…" (a file .mjs, or a page\'s <script type="module">)'
        )
        usage = [
            how,
            f"predict(row) gives {kind}; row is an object of column names and values, null or NaN is missing",
        ]
        if program.classes is not None:
            usage.append("predict_proba(row) gives the probability of each of `classes`, in their order")
        for line in header(program, *usage):
            yield self.source.comment(line)
        if self.script:
            yield "const treewright = (() => {"
        if program.classes is not None:
            yield f"{self._export}const classes = {_list(program.classes, literal)};"

    @property
    def _export(self) -> str:
        return "" if self.script else "export "

    def foot(self) -> list[str]:
        """What ends a script."""
        if not self.script:
            return []
        names = ["predict"] if self.program.classes is None else ["classes", "predict", "predict_proba"]
        return [f"return {{ {', '.join(names)} }};\n}})();"]

    def body(self) -> Iterator[str]:
        """All but the helpers that it needs."""
        yield from self._answers()
        yield from self._read()
        yield from self._nested() if self.nested else self._table()
        yield from self._predict()

    def _answers(self) -> Iterator[str]:
        """What is said at each end; a line of numbers each."""
        program = self.program
        every = [body.answers for body in program.bodies]
        proba = np.concatenate([answers.proba for answers in every])
        if program.classes is not None and not program.sums:
            assert every[0].label is not None
            yield f"const labels = {_list(every[0].label.tolist())};"
        if program.sums and program.classes is not None:
            votes = np.concatenate([answers.votes for answers in every])
            yield f"const votes = Float64Array.from({_numbers(votes.ravel().tolist())});"
            if np.array_equal(votes, proba):
                yield "const proba = votes;"
                return
        yield f"const proba = Float64Array.from({_numbers(proba.ravel().tolist())});"

    # ---- reading a row -------------------------------------------------------------------------------

    def _read(self) -> Iterator[str]:
        program = self.program
        for place, one in enumerate(program.inputs):
            if one.has_codes and one.predicate is None:
                yield f"const codes{place} = new Map(["
                for code, category in enumerate(one.column.categories):
                    yield f"  [{_key(category)}, {code}],"
                yield "]);"
        yield ""
        yield "function read(row) {"
        for place, one in enumerate(program.inputs):
            if one.predicate is not None:
                text = written(predicate_of(program, one), _Syntax(program))
            else:
                text = self._value(place, one)
            yield f"  const x{place} = {text};"
        yield f"  return [{', '.join(map(self.source.input, range(len(program.inputs))))}];"
        yield "}"
        yield ""

    def _value(self, place: int, one: Input) -> str:
        program, column, name = self.program, one.column, string(one.name)
        missing = "refuse" if program.refuses_missing else "missing"
        if one.has_codes:
            unseen = (
                "refuseUnseen"
                if program.refuses_unseen
                else "unseen"
                if program.unseen_is_code and column.kind == "categorical"
                else "missing"
            )
            is_time = any(isinstance(category, np.datetime64) for category in column.categories)
            return f"code(row, {name}, codes{place}, {'moment' if is_time else 'key'}, {missing}, {unseen})"
        infinite = "refuseInfinite" if program.refuses_infinite else "largest"
        if column.unit is None or column.unit.startswith("timedelta64"):
            return f"number(row, {name}, {column.offset}n, {missing}, {infinite})"
        step = times.UNITS[column.unit.partition("[")[2].rstrip("]")]
        return f"time(row, {name}, {step}n, {column.offset}n, {missing})"

    # ---- the way through -----------------------------------------------------------------------------

    def _unpack(self) -> Iterator[str]:
        names = ", ".join(map(self.source.input, range(len(self.program.inputs))))
        yield f"  const [{names}] = x;"
        if any(len(node.tests) > 1 for body in self.program.bodies for node in getattr(body, "nodes", ())):
            yield "  let b;"

    def _nested(self) -> Iterator[str]:
        program = self.program
        end = 0
        for place, body in enumerate(program.bodies):
            yield f"function {f'tree{place}' if program.sums else 'endOf'}(x) {{"
            yield from self._unpack()
            yield from (
                self.source.tree(body, end) if isinstance(body, TreeBody) else self.source.rules(body, end)
            )
            yield "}"
            yield ""
            end += len(body.answers.proba)
        if program.sums:
            trees = ", ".join(f"tree{place}" for place in range(len(program.bodies)))
            yield f"const trees = [{trees}];"
            yield "const partsOf = (x) => trees.map((tree) => [[tree(x), 1]]);"
            yield ""

    def _table(self) -> Iterator[str]:
        program, states = self.program, States.of(self.program)
        yield "// State s compares a quantity with a threshold and goes on to low, high or missing; ~e is end e."
        yield f"const quantities = Int32Array.from({_list(states.quantity)});"
        yield f"const thresholds = Float64Array.from({_numbers(states.threshold)});"
        yield f"const lows = Int32Array.from({_list(states.low)});"
        yield f"const highs = Int32Array.from({_list(states.high)});"
        yield f"const absent = Int32Array.from({_list(states.missing)});"
        yield f"const shareTo = {_list(states.share_to)};"
        yield f"const shareWeight = {_numbers(states.share_weight)};"
        yield f"const roots = {_list(states.roots)};"
        yield "// Sums over several columns: [column, weight], or [column, centre, scale] of squared distances."
        sums = [[[term[0], *map(float, term[1:])] for term in oblique.terms] for oblique in program.obliques]
        yield f"const sums = {json.dumps(sums)};"
        yield ""
        if program.sums:
            yield "const partsOf = (x) => roots.map((root) => walk(x, root));"
        else:
            yield "const endOf = (x) => walk(x, roots[0])[0][0];"
        yield ""

    # ---- what is asked for ---------------------------------------------------------------------------

    def _predict(self) -> Iterator[str]:
        program, width = self.program, self.program.width
        yield f"{self._export}function predict(row) {{"
        if not program.sums and program.classes is None:
            yield "  return proba[endOf(read(row))];"
        elif not program.sums:
            yield "  const label = labels[endOf(read(row))];"
            yield "  return label >= 0 ? classes[label] : null;"
        elif program.classes is None:
            yield "  return sumOf(row, proba)[0];"
        else:
            yield "  return classes[decide(sumOf(row, votes))];"
        yield "}"
        yield ""
        if program.classes is not None:
            yield f"{self._export}function predict_proba(row) {{"
            if program.sums:
                yield "  return sumOf(row, proba);"
            else:
                yield f"  const at = endOf(read(row)) * {width};"
                yield f"  return Array.from(proba.subarray(at, at + {width}));"
            yield "}"
            yield ""
        if program.sums:
            yield from self._sum()
        if program.sums and program.classes is not None:
            yield from self._decide()

    def _sum(self) -> Iterator[str]:
        program, width = self.program, self.program.width
        yield "function sumOf(row, said) {"
        yield f"  const total = new Array({width}).fill(0);"
        yield "  for (const parts of partsOf(read(row))) {"
        yield f"    {'let' if program.hard else 'const'} one = new Array({width}).fill(0);"
        yield "    for (const [end, share] of parts) {"
        yield f"      for (let k = 0; k < {width}; ++k) one[k] += share * said[end * {width} + k];"
        yield "    }"
        if program.hard and any(body.shares_rows for body in program.bodies):
            yield "    const chosen = decide(one);"
            yield "    one = one.map((_, k) => Number(k === chosen));"
        yield f"    for (let k = 0; k < {width}; ++k) total[k] += one[k];"
        yield "  }"
        yield (
            f"  return total.map((sum) => sum / {len(program.bodies)});"
            if program.forest
            else "  return total;"
        )
        yield "}"
        yield ""

    def _decide(self) -> Iterator[str]:
        """The class that votes lead to, the first of equals."""
        program = self.program
        yield "function decide(votes) {"
        if program.costs is None:
            yield f"  const enough = Math.max(...votes) * {1 - SAME_WEIGHT!r};"
            yield "  return votes.findIndex((vote) => vote >= enough);"
        else:
            rows = ", ".join(map(_numbers, program.costs.tolist()))
            yield f"  const table = [{rows}];"
            yield f"  const costs = new Array({program.width}).fill(0);"
            yield f"  votes.forEach((vote, i) => {{ for (let k = 0; k < {program.width}; ++k) costs[k] += vote * table[i][k]; }});"
            yield f"  const enough = Math.min(...costs) * {1 + SAME_WEIGHT!r};"
            yield "  return costs.findIndex((cost) => cost <= enough);"
        yield "}"


def _key(category: Any) -> str:
    """What a category is looked up by: text, a number, or the nanoseconds of a moment as a BigInt."""
    if isinstance(category, np.datetime64 | np.timedelta64):
        ticks, unit = times.ticks_of("", np.atleast_1d(np.asarray(category)))
        return f"{int(ticks[0]) * times.UNITS[unit]}n"
    return literal(int(category) if isinstance(category, bool) else category)


_HELPERS = pieces_of(
    r"""
function valueOf(row, name) {
  if (!Object.prototype.hasOwnProperty.call(row, name)) throw new Error(`the row has no column ${name}`);
  const value = row[name];
  return value === undefined || Number.isNaN(value) ? null : value;
}


function missing() {
  return NaN;
}


function unseen() {
  return -1;
}


function refuse(name) {
  throw new RangeError(`column ${name} has a missing or unknown value`);
}


function refuseUnseen(name, value) {
  throw new RangeError(`column ${name} has a value that the model has never seen: ${value}`);
}


function refuseInfinite(name) {
  throw new RangeError(`column ${name} is infinite`);
}


function largest(name, value) {
  return value > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
}


function number(row, name, offset, missing, infinite) {
  const value = valueOf(row, name);
  if (value === null) return missing(name);
  if (typeof value === "bigint") return Number(value - offset);
  if (typeof value !== "number" && typeof value !== "boolean") throw new TypeError(`column ${name} must be a number: ${value}`);
  const x = Number(value);
  if (!Number.isFinite(x)) return infinite(name, x);
  if (!offset) return x;
  return Number.isInteger(x) ? Number(BigInt(x) - offset) : x - Number(offset);
}


function key(value) {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}


function code(row, name, codes, keyOf, missing, unseen) {
  const value = valueOf(row, name);
  if (value === null) return missing(name);
  const found = codes.get(keyOf(value));
  return found === undefined ? unseen(name, value) : found;
}


function time(row, name, step, offset, missing) {
  const value = valueOf(row, name);
  if (value === null) return missing(name);
  const ticks = moment(value);
  const rest = ((ticks % step) + step) % step;
  return Number((ticks - rest) / step - offset) + Number(rest) / Number(step);
}


function moment(value) {
  // nanoseconds since 1970 of a Date or of ISO 8601 text
  if (value instanceof Date) return BigInt(value.getTime()) * 1000000n;
  const found = /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?\s*(Z|[+-]\d\d:?\d\d)?\s*$/i.exec(value);
  if (!found) throw new TypeError(`${value} is no date`);
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part || 0));
  const before = year - (month <= 2 ? 1 : 0);
  let days = 365 * before + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  days += Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1 - 719468;
  const zone = /([+-])(\d\d):?(\d\d)/.exec(found[8] || "");
  const shift = zone ? (zone[1] === "-" ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3])) : 0;
  const seconds = days * 86400 + hour * 3600 + (minute - shift) * 60 + second;
  return BigInt(seconds) * 1000000000n + BigInt(((found[7] || "") + "000000000").slice(0, 9));
}


function finite(x) {
  return Number.isFinite(x) ? x : NaN;
}


function compare(a, b, holds) {
  return Number.isNaN(a) || Number.isNaN(b) ? NaN : Number(holds);
}


function both(a, b) {
  return a === 0 || b === 0 ? 0 : a * b;
}


function either(a, b) {
  return a === 1 || b === 1 ? 1 : a * b;
}


function quantityOf(x, q) {
  if (q < x.length) return x[q];
  let total = 0;
  for (const term of sums[q - x.length]) {
    if (term.length === 2) total += term[1] * x[term[0]];
    else {
      const distance = x[term[0]] - term[1];
      total += term[2] * distance * distance;
    }
  }
  return total;
}


function walk(x, root) {
  // the ends of a row, each with its share
  const parts = [], waiting = [[root, 1]];
  while (waiting.length) {
    let [at, share] = waiting.pop();
    while (at >= 0 && quantities[at] >= 0) {
      const value = quantityOf(x, quantities[at]);
      at = value <= thresholds[at] ? lows[at] : value > thresholds[at] ? highs[at] : absent[at];
    }
    if (at < 0) parts.push([~at, share]);
    else for (let place = highs[at] - 1; place >= lows[at]; --place) waiting.push([shareTo[place], (share * shareWeight[place]) / thresholds[at]]);
  }
  return parts;
}
""",
    r"^function (\w+)",
)
