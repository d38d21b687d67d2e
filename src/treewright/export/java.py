"""Java: one class without dependencies; the model is data in strings, as methods and arrays have limits."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from treewright.data import times
from treewright.errors import ExportError
from treewright.export.expressions import Value, written
from treewright.export.header import header
from treewright.export.program import Input, Program
from treewright.export.source import helpers_for, pieces_of, predicate_of
from treewright.export.states import States
from treewright.formatting.text import printable
from treewright.tree.decision import SAME_WEIGHT

LONGEST_STRING = 16_000
"""Characters of one string; a class file holds 65,535 bytes in each, and a character takes up to three."""

WORDS = frozenset(
    [
        "abstract",
        "assert",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "final",
        "finally",
        "float",
        "for",
        "goto",
        "if",
        "implements",
        "import",
        "instanceof",
        "int",
        "interface",
        "long",
        "native",
        "new",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "strictfp",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "throws",
        "transient",
        "try",
        "void",
        "volatile",
        "while",
        "true",
        "false",
        "null",
        "_",
        "record",
        "var",
        "yield",
        "sealed",
        "permits",
    ]
)


def export_java(program: Program, *, class_name: str = "Model", package: str | None = None) -> str:
    """Write a class with ``predict(row)`` and, for classes, ``predictProba(row)``.

    Parameters
    ----------
    program : Program
    class_name : str
        The name of the class, and of its file.
    package : str, optional
        The package that the class stands in.
    """
    for what, name in (("class_name", class_name), ("package", package)):
        parts = [] if name is None else name.split(".") if what == "package" else [name]
        if not all(re.fullmatch(r"[A-Za-z_$][\w$]*", part, re.ASCII) and part not in WORDS for part in parts):
            raise ExportError(f"{what} must be a name of Java, got {name!r}.")
    return "\n".join(_Class(program, class_name, package).lines()) + "\n"


def string(text: str) -> str:
    r"""Write text; nothing in it ends the string, and no escape of Unicode is read twice.

    Examples
    --------
    >>> print(string('a"b'), string("ü\\u000a"))
    "a\"b" "\u00fc\\u000a"
    """
    units = struct.unpack(
        f">{len(text.encode('utf-16-be', 'surrogatepass')) // 2}H", text.encode("utf-16-be", "surrogatepass")
    )
    pieces = []
    for unit in units:
        char = chr(unit)
        if char in '"\\':
            pieces.append("\\" + char)
        elif unit in (10, 13) or not 32 <= unit < 127:
            # A line end may not be an escape of Unicode, which is read before the string is.
            pieces.append({10: "\\n", 13: "\\r"}.get(unit, f"\\u{unit:04x}"))
        else:
            pieces.append(char)
    return f'"{"".join(pieces)}"'


def strings(text: str) -> str:
    """Write long text as an array of strings."""
    units = text.encode("utf-16-be", "surrogatepass")
    step = 2 * LONGEST_STRING
    parts = [units[at : at + step].decode("utf-16-be", "surrogatepass") for at in range(0, len(units), step)]
    return "{\n" + ",\n".join(f"        {string(part)}" for part in parts or [""]) + "}"


def number(value: float) -> str:
    """Write a number as `Double.parseDouble` reads it."""
    return repr(float(value)).replace("inf", "Infinity").removesuffix(".0")


def literal(value: Any) -> str:
    """Write a class label."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}L" if -(2**63) <= value < 2**63 else f"new BigInteger({string(str(value))})"
    return f"Double.parseDouble({string(number(value))})"


def key(category: Any) -> str:
    """What a category is looked up by."""
    if isinstance(category, str):
        return f"s{category}"
    if isinstance(category, np.datetime64 | np.timedelta64):
        ticks, unit = times.ticks_of("", np.atleast_1d(np.asarray(category)))
        return f"t{int(ticks[0]) * times.UNITS[unit]}"
    if isinstance(category, float) and not category.is_integer():
        return f"d{struct.unpack('>q', struct.pack('>d', category))[0]}"
    return f"n{int(category)}"


class _Truths:
    """How Java says predicates."""

    def value(self, number_: Value) -> str:
        x = f"x[{number_.input}]"
        return f"({x} + {float(number_.offset)!r})" if number_.offset else x

    def constant(self, value: float) -> str:
        return f"({float(value)!r})"

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        return f"finite({left} {sign} {right})"

    def compared(self, sign: str, left: str, right: str) -> str:
        return f"compare({left}, {right}, {left} {sign} {right})"

    def is_missing(self, x: str) -> str:
        return f"(Double.isNaN({x}) ? 1.0 : 0.0)"

    def negated(self, truth: str) -> str:
        return f"(1.0 - {truth})"

    def joined(self, all_of_them: bool, one: str, other: str) -> str:
        return f"{'both' if all_of_them else 'either'}({one}, {other})"


class _Class:
    """Writes the parts of a class."""

    def __init__(self, program: Program, name: str, package: str | None) -> None:
        self.program, self.name, self.package = program, name, package

    def lines(self) -> Iterator[str]:
        program, name = self.program, self.name
        kind = "a label" if program.classes is not None else "a number"
        usage = [
            f"compile: javac {name}.java (Java 11 or later, no library)",
            f"{name}.predict(row) gives {kind}; row is a Map of column names to values, null or NaN is missing",
        ]
        if program.classes is not None:
            usage.append(f"{name}.predictProba(row) gives the probability of each of CLASSES, in their order")
        for line in header(program, *usage):
            yield f"// {printable(line)}".replace(
                "\\", "\\\\"
            )  # else an escape of Unicode could end the comment
        yield ""
        if self.package:
            yield f"package {self.package};"
            yield ""
        yield "import java.math.BigDecimal;"
        yield "import java.math.BigInteger;"
        yield "import java.time.*;"
        yield "import java.util.*;"
        yield ""
        yield f"public final class {name} {{"
        yield f"    private {name}() {{}}"
        yield ""
        body = "\n".join(self._body())
        yield body
        for helper in helpers_for(body, _HELPERS):
            yield ""
            yield from (f"    {line}" if line else "" for line in helper.splitlines())
        yield "}"

    def _body(self) -> Iterator[str]:
        program = self.program
        if program.classes is not None:
            labels = ", ".join(map(literal, program.classes))
            yield f"    public static final Object[] CLASSES = {{{labels}}};"
            yield ""
        yield from self._data()
        yield ""
        yield from self._read()
        yield ""
        yield from self._predict()

    def _data(self) -> Iterator[str]:
        """The states and what is said at each end."""
        program, states = self.program, States.of(self.program)
        every = [body.answers for body in program.bodies]
        proba = np.concatenate([answers.proba for answers in every])
        yield "    // State s compares QUANTITY[s] with THRESHOLD[s] and goes on to LOW, HIGH or MISSING; ~e is end e."
        whole: dict[str, Iterable[int]] = {
            "QUANTITY": states.quantity,
            "LOW": states.low,
            "HIGH": states.high,
            "MISSING": states.missing,
            "ROOTS": states.roots,
            "SHARE_TO": states.share_to,
        }
        if program.classes is not None and not program.sums:
            assert every[0].label is not None
            whole["LABELS"] = every[0].label.tolist()
        numbers: dict[str, Iterable[float]] = {
            "THRESHOLD": states.threshold,
            "SHARE_WEIGHT": states.share_weight,
            "PROBA": proba.ravel().tolist(),
        }
        if program.sums and program.classes is not None:
            numbers["VOTES"] = np.concatenate([answers.votes for answers in every]).ravel().tolist()
        if program.costs is not None:
            numbers["COSTS"] = program.costs.ravel().tolist()
        # Sums over several columns: how many terms, then (column, weight) or (column, centre, scale).
        terms = [
            [float(len(one.terms[0])), *(float(x) for term in one.terms for x in term)]
            for one in program.obliques
        ]
        whole["SUM_BEGIN"] = np.cumsum([0, *map(len, terms)]).tolist()
        numbers["SUM_TERMS"] = [x for one in terms for x in one]
        for name, values in whole.items():
            yield f"    private static final int[] {name} = ints(new String[] {strings(' '.join(map(str, values)))});"
        for name, doubles in numbers.items():
            yield f"    private static final double[] {name} = doubles(new String[] {strings(' '.join(map(number, doubles)))});"
        for place, one in enumerate(program.inputs):
            if one.has_codes and one.predicate is None:
                keys = [key(category) for category in one.column.categories]
                packed = "".join(
                    f"{len(text.encode('utf-16-be', 'surrogatepass')) // 2}:{text}" for text in keys
                )
                yield f"    private static final Map<String, Integer> CODES_{place} = codes(new String[] {strings(packed)});"

    def _read(self) -> Iterator[str]:
        program = self.program
        yield "    private static double[] read(Map<String, ?> row) {"
        yield f"        double[] x = new double[{len(program.inputs)}];"
        for place, one in enumerate(program.inputs):
            if one.predicate is None:
                yield f"        x[{place}] = {self._value(place, one)};"
        for place, one in enumerate(program.inputs):
            if one.predicate is not None:
                yield f"        x[{place}] = {written(predicate_of(program, one), _Truths())};"
        yield "        return x;"
        yield "    }"

    def _value(self, place: int, one: Input) -> str:
        program, column, name = self.program, one.column, string(one.name)
        refuses = "true" if program.refuses_missing else "false"
        if one.has_codes:
            unseen = (
                2 if program.refuses_unseen else int(program.unseen_is_code and column.kind == "categorical")
            )
            is_time = any(isinstance(category, np.datetime64) for category in column.categories)
            return f"code(row, {name}, CODES_{place}, {'true' if is_time else 'false'}, {refuses}, {unseen})"
        if column.unit is None:
            infinite = "true" if program.refuses_infinite else "false"
            return f"number(row, {name}, {string(str(column.offset))}, {refuses}, {infinite})"
        kind, unit = column.unit.rstrip("]").split("[")
        step = times.UNITS[unit]
        is_moment = "true" if kind == "datetime64" else "false"
        return f"time(row, {name}, {is_moment}, {step}L, {string(str(column.offset))}, {refuses})"

    def _predict(self) -> Iterator[str]:
        program, width = self.program, self.program.width
        classes = program.classes is not None
        yield f"    public static {'Object' if classes else 'double'} predict(Map<String, ?> row) {{"
        if not program.sums:
            yield "        int end = walk(read(row), ROOTS[0]).keySet().iterator().next();"
            if classes:
                yield "        return LABELS[end] < 0 ? null : CLASSES[LABELS[end]];"
            else:
                yield "        return PROBA[end];"
        elif classes:
            yield "        return CLASSES[decide(sum(row, VOTES))];"
        else:
            yield "        return sum(row, PROBA)[0];"
        yield "    }"
        if classes:
            yield ""
            yield "    public static double[] predictProba(Map<String, ?> row) {"
            if program.sums:
                yield "        return sum(row, PROBA);"
            else:
                yield "        int end = walk(read(row), ROOTS[0]).keySet().iterator().next();"
                yield f"        return Arrays.copyOfRange(PROBA, end * {width}, (end + 1) * {width});"
            yield "    }"
        if program.sums:
            yield ""
            yield from self._sum()
            if classes:
                yield ""
                yield from self._decide()

    def _sum(self) -> Iterator[str]:
        program, width = self.program, self.program.width
        yield "    private static double[] sum(Map<String, ?> row, double[] said) {"
        yield f"        double[] x = read(row), total = new double[{width}];"
        yield "        for (int root : ROOTS) {"
        yield f"            double[] one = new double[{width}];"
        yield "            for (Map.Entry<Integer, Double> part : walk(x, root).entrySet())"
        yield f"                for (int k = 0; k < {width}; ++k) one[k] += part.getValue() * said[part.getKey() * {width} + k];"
        if program.hard and any(body.shares_rows for body in program.bodies):
            yield "            total[decide(one)] += 1.0;"
        else:
            yield f"            for (int k = 0; k < {width}; ++k) total[k] += one[k];"
        yield "        }"
        if program.forest:
            yield f"        for (int k = 0; k < {width}; ++k) total[k] /= {len(program.bodies)}.0;"
        yield "        return total;"
        yield "    }"

    def _decide(self) -> Iterator[str]:
        """The class that votes lead to, the first of equals."""
        program, width = self.program, self.program.width
        yield "    private static int decide(double[] votes) {"
        if program.costs is None:
            yield "        double most = votes[0];"
            yield "        for (double vote : votes) most = Math.max(most, vote);"
            yield f"        most *= {1 - SAME_WEIGHT!r};"
            yield f"        for (int k = 0; k < {width}; ++k) if (votes[k] >= most) return k;"
        else:
            yield f"        double[] costs = new double[{width}];"
            yield f"        for (int i = 0; i < {width}; ++i) for (int k = 0; k < {width}; ++k) costs[k] += votes[i] * COSTS[i * {width} + k];"
            yield "        double least = costs[0];"
            yield "        for (double cost : costs) least = Math.min(least, cost);"
            yield f"        least *= {1 + SAME_WEIGHT!r};"
            yield f"        for (int k = 0; k < {width}; ++k) if (costs[k] <= least) return k;"
        yield "        return 0;"
        yield "    }"


_HELPERS = pieces_of(
    r"""
private static double quantity(double[] x, int q) {
    if (q < x.length) return x[q];
    int begin = SUM_BEGIN[q - x.length], end = SUM_BEGIN[q - x.length + 1], size = (int) SUM_TERMS[begin];
    double total = 0.0;
    for (int at = begin + 1; at < end; at += size) {
        if (size == 2) {
            total += SUM_TERMS[at + 1] * x[(int) SUM_TERMS[at]];
        } else {
            double distance = x[(int) SUM_TERMS[at]] - SUM_TERMS[at + 1];
            total += SUM_TERMS[at + 2] * distance * distance;
        }
    }
    return total;
}


// The ends of a row, each with its share.
private static Map<Integer, Double> walk(double[] x, int root) {
    Map<Integer, Double> parts = new LinkedHashMap<>();
    ArrayDeque<double[]> waiting = new ArrayDeque<>();
    waiting.push(new double[] {root, 1.0});
    while (!waiting.isEmpty()) {
        double[] part = waiting.pop();
        int at = (int) part[0];
        while (at >= 0 && QUANTITY[at] >= 0) {
            double value = quantity(x, QUANTITY[at]);
            at = value <= THRESHOLD[at] ? LOW[at] : value > THRESHOLD[at] ? HIGH[at] : MISSING[at];
        }
        if (at < 0) parts.put(~at, part[1]);
        else for (int place = HIGH[at] - 1; place >= LOW[at]; --place)
            waiting.push(new double[] {SHARE_TO[place], part[1] * SHARE_WEIGHT[place] / THRESHOLD[at]});
    }
    return parts;
}


private static String[] words(String[] parts) {
    String text = String.join("", parts);
    return text.isEmpty() ? new String[0] : text.split(" ");
}


private static int[] ints(String[] parts) {
    return Arrays.stream(words(parts)).mapToInt(Integer::parseInt).toArray();
}


private static double[] doubles(String[] parts) {
    return Arrays.stream(words(parts)).mapToDouble(Double::parseDouble).toArray();
}


private static Map<String, Integer> codes(String[] parts) {
    String text = String.join("", parts);
    Map<String, Integer> codes = new HashMap<>();
    for (int at = 0; at < text.length(); ) {
        int colon = text.indexOf(':', at), end = colon + 1 + Integer.parseInt(text.substring(at, colon));
        codes.put(text.substring(colon + 1, end), codes.size());
        at = end;
    }
    return codes;
}


private static Object value(Map<String, ?> row, String name, boolean refuses) {
    if (!row.containsKey(name)) throw new NoSuchElementException("the row has no column " + name);
    Object value = row.get(name);
    boolean missing = value == null || value instanceof Number && Double.isNaN(((Number) value).doubleValue());
    if (missing && refuses) throw new IllegalArgumentException("column " + name + " has a missing value");
    return missing ? null : value;
}


private static boolean whole(Object value) {
    return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte || value instanceof BigInteger;
}


private static BigDecimal exact(Object value) {
    if (value instanceof Boolean) return (Boolean) value ? BigDecimal.ONE : BigDecimal.ZERO;
    if (value instanceof BigDecimal) return (BigDecimal) value;
    if (whole(value)) return new BigDecimal(value.toString());
    if (value instanceof Number) return new BigDecimal(((Number) value).doubleValue());
    throw new ClassCastException(value + " is no number");
}


private static double number(Map<String, ?> row, String name, String offset, boolean refuses, boolean infinite) {
    Object value = value(row, name, refuses);
    if (value == null) return Double.NaN;
    if (value instanceof Number && Double.isInfinite(((Number) value).doubleValue())) {
        if (infinite) throw new IllegalArgumentException("column " + name + " is infinite");
        return ((Number) value).doubleValue() > 0 ? Double.MAX_VALUE : -Double.MAX_VALUE;
    }
    return value instanceof Double && offset.equals("0") ? (Double) value : exact(value).subtract(new BigDecimal(offset)).doubleValue();
}


private static String key(Object value, boolean isTime) {
    if (isTime) return "t" + moment(value);
    if (value instanceof CharSequence) return "s" + value;
    BigDecimal number = exact(value);
    if (number.stripTrailingZeros().scale() <= 0) return "n" + number.toBigInteger();
    return "d" + Double.doubleToLongBits(number.doubleValue());
}


private static double code(Map<String, ?> row, String name, Map<String, Integer> codes, boolean isTime, boolean refuses, int unseen) {
    Object value = value(row, name, refuses);
    if (value == null) return Double.NaN;
    Integer code = codes.get(key(value, isTime));
    if (code != null) return code;
    if (unseen == 2) throw new IllegalArgumentException("column " + name + " has a value that the model has never seen: " + value);
    return unseen == 1 ? -1.0 : Double.NaN;
}


private static double time(Map<String, ?> row, String name, boolean isMoment, long step, String offset, boolean refuses) {
    Object value = value(row, name, refuses);
    if (value == null) return Double.NaN;
    if (!isMoment && !(value instanceof Duration)) return exact(value).subtract(new BigDecimal(offset)).doubleValue();
    BigInteger ticks = isMoment ? moment(value) : nanoseconds(((Duration) value).getSeconds(), ((Duration) value).getNano());
    BigInteger rest = ticks.mod(BigInteger.valueOf(step));
    BigInteger units = ticks.subtract(rest).divide(BigInteger.valueOf(step)).subtract(new BigInteger(offset));
    return units.doubleValue() + rest.doubleValue() / (double) step;
}


private static BigInteger nanoseconds(long seconds, int nanoseconds) {
    return BigInteger.valueOf(seconds).multiply(BigInteger.valueOf(1000000000L)).add(BigInteger.valueOf(nanoseconds));
}


// Nanoseconds since 1970 of a date, a moment or ISO 8601 text.
private static BigInteger moment(Object value) {
    if (value instanceof CharSequence) {
        String text = value.toString().trim().replace(' ', 'T');
        if (text.length() <= 10) value = LocalDate.parse(text);
        else if (text.endsWith("Z") || text.indexOf('+', 11) > 0 || text.indexOf('-', 11) > 0) value = OffsetDateTime.parse(text);
        else value = LocalDateTime.parse(text);
    }
    if (value instanceof LocalDate) value = ((LocalDate) value).atStartOfDay();
    if (value instanceof LocalDateTime) value = ((LocalDateTime) value).toInstant(ZoneOffset.UTC);
    if (value instanceof OffsetDateTime) value = ((OffsetDateTime) value).toInstant();
    if (value instanceof ZonedDateTime) value = ((ZonedDateTime) value).toInstant();
    if (value instanceof Date) value = Instant.ofEpochMilli(((Date) value).getTime());
    Instant instant = (Instant) value;
    return nanoseconds(instant.getEpochSecond(), instant.getNano());
}


private static double finite(double x) {
    return Double.isInfinite(x) ? Double.NaN : x;
}


private static double compare(double a, double b, boolean holds) {
    return Double.isNaN(a) || Double.isNaN(b) ? Double.NaN : holds ? 1.0 : 0.0;
}


private static double both(double a, double b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}


private static double either(double a, double b) {
    return a == 1.0 || b == 1.0 ? 1.0 : a * b;
}
""",
    r"private static [\w<>, \[\]]+ (\w+)\(",
)
