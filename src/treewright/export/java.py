"""Java: one class without dependencies; the model is data in strings, as methods and arrays have limits."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from treewright.data import times
from treewright.errors import ExportError
from treewright.export.comparisons import Input
from treewright.export.header import header
from treewright.export.program import Program
from treewright.export.source import Language, calls, helpers_for, pieces_of
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


def key(category: Any) -> str:
    """What a category is looked up by."""
    if isinstance(category, str):
        return f"s{category}"
    time = times.nanoseconds(category)
    if time is not None:
        return f"t{time}"
    if isinstance(category, float) and not category.is_integer():
        return f"d{struct.unpack('>q', struct.pack('>d', category))[0]}"
    return f"n{int(category)}"


class _Java(Language):
    """How Java says it."""

    def number(self, value: float) -> str:
        return repr(float(value))

    def literal(self, value: Any) -> str:
        is_number = isinstance(value, float)
        return f"Double.parseDouble({string(number(value))})" if is_number else super().literal(value)

    def string(self, text: str) -> str:
        return string(text)

    def whole(self, value: int) -> str:
        return f"{value}L" if -(2**63) <= value < 2**63 else f"new BigInteger({string(str(value))})"

    def comment(self, text: str) -> str:
        return f"// {printable(text)}".replace(
            "\\", "\\\\"
        )  # else an escape of Unicode could end the comment

    def input(self, place: int) -> str:
        return f"x[{place}]"

    def is_missing(self, number: str) -> str:
        return f"(Double.isNaN({number}) ? 1.0 : 0.0)"


class _Class:
    """Writes the parts of a class."""

    def __init__(self, program: Program, name: str, package: str | None) -> None:
        self.program, self.name, self.package = program, name, package
        self.language = _Java()

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
            yield self.language.comment(line)
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
            labels = ", ".join(map(self.language.literal, program.classes))
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
        answers = program.answers
        yield "    // State s compares QUANTITY[s] with THRESHOLD[s] and goes on to LOW, HIGH or MISSING; ~e is end e."
        whole: dict[str, Iterable[int]] = {
            "QUANTITY": states.quantity,
            "LOW": states.low,
            "HIGH": states.high,
            "MISSING": states.missing,
            "ROOTS": states.roots,
            "SHARE_TO": states.share_to,
        }
        if program.has_labels:
            whole["LABELS"] = answers.labels
        numbers: dict[str, Iterable[float]] = {
            "THRESHOLD": states.threshold,
            "SHARE_WEIGHT": states.share_weight,
            "PROBA": answers.proba.ravel().tolist(),
        }
        if program.has_votes:
            numbers["VOTES"] = answers.votes.ravel().tolist()
        if program.costs is not None:
            numbers["COSTS"] = program.costs.ravel().tolist()
        if program.linear is not None:
            linear = program.linear
            columns, codes, factors = linear.columns
            whole |= {"TERM_BEGIN": linear.begin, "TERM_COLUMN": columns, "TERM_CODE": codes}
            numbers |= {"TERM_FACTOR": factors, "CONSTANTS": linear.constant, "FILL": linear.fill}
            numbers["BOUNDS"] = (linear.low, linear.high)
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
        for place, one in program.coded:
            keys = [key(category) for category in one.column.categories]
            packed = "".join(f"{len(text.encode('utf-16-be', 'surrogatepass')) // 2}:{text}" for text in keys)
            yield f"    private static final Map<String, Integer> CODES_{place} = codes(new String[] {strings(packed)});"

    def _read(self) -> Iterator[str]:
        program = self.program
        yield "    private static double[] read(Map<String, ?> row) {"
        yield f"        double[] x = new double[{len(program.inputs)}];"
        for x, text in self.language.inputs(program, self._value):  # predicates come last
            yield f"        {x} = {text};"
        yield "        return x;"
        yield "    }"

    def _value(self, place: int, one: Input) -> str:
        program, column, name = self.program, one.column, string(one.name)
        refuses = "true" if program.refuses_missing else "false"
        if one.has_codes:
            unseen = {"refused": 2, "coded": 1, "missing": 0}[program.unseen(one)]
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
        """The methods that users call."""
        program = self.program
        answer, proba = calls(program)
        yield f"    private static final int WIDTH = {program.width};"
        yield f"    private static final double DIVISOR = {program.divisor};"
        kind = "double" if program.classes is None else "Object"
        yield f"\n    public static {kind} predict(Map<String, ?> row) {{\n        return {answer};\n    }}"
        if program.classes is not None:
            yield "\n    public static double[] predictProba(Map<String, ?> row) {"
            yield f"        return {proba};\n    }}"


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


private static Object label(int k) {
    return k < 0 ? null : CLASSES[k];
}


// A term is a coefficient times a column, or the coefficient if the column has the code.
private static double equation(double[] x) {
    int end = end(x);
    double total = CONSTANTS[end];
    for (int term = TERM_BEGIN[end]; term < TERM_BEGIN[end + 1]; ++term) {
        double value = x[TERM_COLUMN[term]];
        int code = TERM_CODE[term];
        if (Double.isNaN(value) || (code >= 0 && value < 0)) value = FILL[TERM_COLUMN[term]];
        if (code < 0) total += TERM_FACTOR[term] * value;
        else if (value == code) total += TERM_FACTOR[term];
    }
    return total < BOUNDS[0] ? BOUNDS[0] : total > BOUNDS[1] ? BOUNDS[1] : total;
}


private static double[] line(int end) {
    return Arrays.copyOfRange(PROBA, end * WIDTH, (end + 1) * WIDTH);
}


private static int end(double[] x) {
    return walk(x, ROOTS[0]).keySet().iterator().next();
}


// What the ends of a row say, summed over trees.
private static double[] sums(Map<String, ?> row, double[] said) {
    double[] x = read(row), total = new double[WIDTH];
    for (int root : ROOTS) {
        double[] one = sum(walk(x, root), said);
        for (int k = 0; k < WIDTH; ++k) total[k] += one[k];
    }
    return divided(total);
}


// The same, where each tree has one vote.
private static double[] votes(Map<String, ?> row, double[] said) {
    double[] x = read(row), total = new double[WIDTH];
    for (int root : ROOTS) total[decide(sum(walk(x, root), said))] += 1.0;
    return divided(total);
}


private static double[] sum(Map<Integer, Double> parts, double[] said) {
    double[] one = new double[WIDTH];
    parts.forEach((end, share) -> {
        for (int k = 0; k < WIDTH; ++k) one[k] += share * said[end * WIDTH + k];
    });
    return one;
}


private static double[] divided(double[] total) {
    return Arrays.stream(total).map(sum -> sum / DIVISOR).toArray();
}


// The first of the classes of most votes.
private static int decide(double[] votes) {
    double enough = Arrays.stream(votes).max().getAsDouble() * SAME_MOST;
    int k = 0;
    while (votes[k] < enough) ++k;
    return k;
}


// The first of the classes of least cost.
private static int cheapest(double[] votes) {
    double[] total = new double[WIDTH];
    for (int i = 0; i < WIDTH; ++i) for (int k = 0; k < WIDTH; ++k) total[k] += votes[i] * COSTS[i * WIDTH + k];
    double enough = Arrays.stream(total).min().getAsDouble() * SAME_LEAST;
    int k = 0;
    while (total[k] > enough) ++k;
    return k;
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
""".replace("SAME_MOST", repr(1 - SAME_WEIGHT)).replace("SAME_LEAST", repr(1 + SAME_WEIGHT)),
    r"private static [\w<>, \[\]]+ (\w+)\(",
)
