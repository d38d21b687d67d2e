"""JavaScript: an ES module without imports, or a script for a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from treewright.data import times
from treewright.errors import ExportError
from treewright.export.comparisons import Input
from treewright.export.header import header
from treewright.export.program import Array, LinearEnds, Program
from treewright.export.source import Source, Writer, helpers_for, pieces_of, wrapped
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
    form : str
        As for `export_python`: "auto", "nested" or "table".
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


def _number(value: float) -> str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value)).removesuffix(".0")


def _list(numbers: Iterable[Any], write: Any = str) -> str:
    return f"[{wrapped(map(write, numbers), '  ')}]"


def _numbers(numbers: Iterable[float]) -> str:
    return _list(numbers, _number)


class _JavaScript(Source):
    """How JavaScript says it."""

    indent = "  "
    signs: Mapping[str, str] = MappingProxyType({"==": "===", "!=": "!=="})

    def number(self, value: float) -> str:
        return _number(value)

    def string(self, text: str) -> str:
        return string(text)

    def whole(self, value: int) -> str:
        return str(value) if abs(value) <= SAFE else f"{value}n"

    def comment(self, text: str) -> str:
        # A page may hold it: nothing may end its script, or begin a comment of HTML.
        return f"// {printable(text)}".replace("</", "<\\/").replace("<!", "<\\!")

    def among(self, x: str, codes: Sequence[int]) -> str:
        if len(codes) == 1:
            return f"{x} === {codes[0]}"
        return f"[{', '.join(map(str, codes))}].includes({x})"

    def is_nan(self, x: str) -> str:
        return f"Number.isNaN({x})"

    def is_missing(self, number: str) -> str:
        return f"Number(Number.isNaN({number}))"


class _Module(Writer):
    """Writes the parts of a module."""

    whole_list = number_list = same_list = "const {} = {};"

    def __init__(self, program: Program, form: str, script: bool) -> None:
        super().__init__(_JavaScript(program), form)
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
            yield f"{self._export}const classes = {_list(program.classes, self.source.literal)};"

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
        yield from self.answers()
        yield from self._read()
        yield from self._nested() if self.nested else self._table()
        yield from self._predict()

    def _equations(self, linear: LinearEnds) -> Iterator[str]:
        yield f"const CONSTANTS = {_numbers(linear.constant)};"
        yield f"const EQUATIONS = {json.dumps(linear.terms)};"
        yield f"const FILL = {_numbers(linear.fill)};"
        yield f"const LEAST = {_number(linear.low)}, MOST = {_number(linear.high)};"

    def _whole(self, numbers: list[int]) -> str:
        return _list(numbers)

    def _lines(self, numbers: Array) -> str:
        return f"Float64Array.from({_numbers(numbers.ravel().tolist())})"

    # ---- reading a row -------------------------------------------------------------------------------

    def _read(self) -> Iterator[str]:
        program = self.program
        for place, one in program.coded:
            entries = ",\n".join(
                f"  [{self._key(category)}, {code}]" for code, category in enumerate(one.column.categories)
            )
            yield f"const codes{place} = new Map([\n{entries}\n]);"
        variables = self.source.inputs(program, self._value)
        yield "\nfunction read(row) {"
        yield from (f"  const {x} = {text};" for x, text in variables)
        yield f"  return [{', '.join(x for x, _ in variables)}];\n}}\n"

    def _key(self, category: Any) -> str:
        """What a category is looked up by: text, a number, or the nanoseconds of a moment as a BigInt."""
        time = times.nanoseconds(category)
        if isinstance(category, np.timedelta64):
            return self.source.literal(time)  # a plain number of nanoseconds
        if time is not None:
            return f"{time}n"
        return self.source.literal(int(category) if isinstance(category, bool) else category)

    def _value(self, place: int, one: Input) -> str:
        program, column, name = self.program, one.column, string(one.name)
        missing = "refuse" if program.refuses_missing else "missing"
        if one.has_codes:
            unseen = {"refused": "refuseUnseen", "coded": "unseen", "missing": "missing"}[program.unseen(one)]
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
        names = [f"tree{place}" for place in range(len(program.bodies))] if program.sums else ["end"]
        for place, body, end in program.bodies_from():
            lines = [*self._unpack(), *self.source.body(body, end)]
            yield "\n".join([f"function {names[place]}(x) {{", *lines, "}\n"])
        if program.sums:
            yield f"const trees = [{', '.join(names)}];"
            yield "const allParts = (x) => trees.map((tree) => [[tree(x), 1]]);\n"

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
        yield f"const TERMS = {json.dumps(sums)};"
        yield ""
        if program.sums:
            yield "const allParts = (x) => roots.map((root) => walk(x, root));"
        else:
            yield "const end = (x) => walk(x, roots[0])[0][0];"
        yield ""

    # ---- what is asked for ---------------------------------------------------------------------------

    def _predict(self) -> Iterator[str]:
        """The functions that users call."""
        program = self.program
        yield f"const WIDTH = {program.width}, DIVISOR = {program.divisor};"
        if program.costs is not None:
            yield f"const COSTS = [{', '.join(map(_numbers, program.costs.tolist()))}];"
        yield from self.functions()

    def _function(self, name: str, answer: str) -> str:
        return f"\n{self._export}function {name}(row) {{\n  return {answer};\n}}"


_HELPERS = pieces_of(
    r"""
function valueOf(row, name) {
  if (!Object.prototype.hasOwnProperty.call(row, name)) throw new Error(`the row has no column ${name}`);
  const value = row[name];
  return value === undefined || Number.isNaN(value) ? null : value;
}


function equation(x) {
  // a term is a coefficient times a column, or the coefficient if the column has the code
  const at = end(x);
  let total = CONSTANTS[at];
  for (const [place, code, coefficient] of EQUATIONS[at]) {
    const known = !(Number.isNaN(x[place]) || (code >= 0 && x[place] < 0));
    const value = known ? x[place] : FILL[place];
    if (code < 0) total += coefficient * value;
    else if (value === code) total += coefficient;
  }
  return total < LEAST ? LEAST : total > MOST ? MOST : total;
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
  for (const term of TERMS[q - x.length]) {
    if (term.length === 2) total += term[1] * x[term[0]];
    else {
      const distance = x[term[0]] - term[1];
      total += term[2] * distance * distance;
    }
  }
  return total;
}


function label(k) {
  return k < 0 ? null : classes[k];
}


function line(end) {
  return Array.from(PROBA.subarray(end * WIDTH, (end + 1) * WIDTH));
}


function sums(row, said) {
  // what the ends of a row say, summed over trees
  const total = new Array(WIDTH).fill(0);
  for (const parts of allParts(read(row))) sum(parts, said).forEach((one, k) => (total[k] += one));
  return total.map((one) => one / DIVISOR);
}


function votes(row, said) {
  // the same, where each tree has one vote
  const total = new Array(WIDTH).fill(0);
  for (const parts of allParts(read(row))) ++total[decide(sum(parts, said))];
  return total.map((one) => one / DIVISOR);
}


function sum(parts, said) {
  const total = new Array(WIDTH).fill(0);
  for (const [end, share] of parts) {
    for (let k = 0; k < WIDTH; ++k) total[k] += share * said[end * WIDTH + k];
  }
  return total;
}


function decide(said) {
  // the first of the classes of most votes
  const enough = Math.max(...said) * SAME_MOST;
  return said.findIndex((vote) => vote >= enough);
}


function cheapest(said) {
  // the first of the classes of least cost
  const total = new Array(WIDTH).fill(0);
  said.forEach((vote, i) => COSTS[i].forEach((cost, k) => (total[k] += vote * cost)));
  const enough = Math.min(...total) * SAME_LEAST;
  return total.findIndex((cost) => cost <= enough);
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
""".replace("SAME_MOST", repr(1 - SAME_WEIGHT)).replace("SAME_LEAST", repr(1 + SAME_WEIGHT)),
    r"^function (\w+)",
)
