"""C: one file without dependencies."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from treewright.data import times
from treewright.data.columns import Column, plain
from treewright.errors import ExportError
from treewright.export.comparisons import Cut, Input
from treewright.export.header import header
from treewright.export.program import Array, LinearEnds, Program, TreeBody
from treewright.export.source import Source, Writer, helpers_for, pieces_of, wrapped
from treewright.export.states import SHARED, States
from treewright.formatting.text import printable, quoted
from treewright.tree.decision import SAME_WEIGHT

MOST_EQUALITIES = 4
"""Codes that are compared one by one; of more a set is kept as bits."""

MOST_IN_FLIGHT, NUMBERS_IN_FLIGHT = 256, 4096
"""Rows, and numbers of rows, that are read before they walk through a table: these stay in the first cache."""


def export_c(program: Program, *, form: str = "auto", prefix: str = "") -> str:
    """Write a file that defines ``predict``, ``predict_rows`` and, for classes, ``predict_proba``.

    Parameters
    ----------
    program : Program
    form : {"auto", "nested", "table"}
        As for `export_python`.
    prefix : str
        What the names of all functions begin with, so that several models can be linked together.
    """
    if not re.fullmatch(r"([A-Za-z_]\w*)?", prefix, re.ASCII):
        raise ExportError(f"prefix must be letters, digits and underscores, as in 'iris_', got {prefix!r}.")
    return "\n".join(_File(program, form, prefix).lines()) + "\n"


def string(text: str) -> str:
    r"""Write text as bytes of UTF-8; nothing in it ends the string or is a trigraph.

    Examples
    --------
    >>> print(string('a"b'), string("ü?"))
    "a\"b" "\303\274\?"
    """
    pieces = []
    for byte in text.encode("utf-8", "surrogatepass"):
        char = chr(byte)
        plain_char = 32 <= byte < 127 and char not in '"\\?'
        pieces.append(char if plain_char else f"\\{char}" if char in '"\\?' else f"\\{byte:03o}")
    return f'"{"".join(pieces)}"'


def number(value: float) -> str:
    """Write a number in hexadecimal, which is exact."""
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    short = repr(float(value)).removesuffix(".0")
    return f"{short}.0" if re.fullmatch(r"-?\d{1,15}", short) else float(value).hex()


def _list(values: Iterable[Any], write: Any = str) -> str:
    return f"{{{wrapped(map(write, values), '    ') or '0'}}}"


class _C(Source):
    """How C says it."""

    true = "1"
    finite = "or_nan"  # C libraries have a function of the other name

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.sets: dict[tuple[int, ...], int] = {}

    def input(self, place: int) -> str:
        return f"x[{place}]"

    def number(self, value: float) -> str:
        return number(value)

    def comment(self, text: str) -> str:
        # A backslash, or a trigraph for one, would join the next line to the comment.
        shown = printable(text)
        return f"// {shown}" + (" ." if shown.endswith(("\\", "??/")) else "")

    def is_missing(self, number: str) -> str:
        return f"(double)(isnan({number}) != 0)"

    def among(self, x: str, codes: Sequence[int]) -> str:
        if len(codes) <= MOST_EQUALITIES:
            text = " || ".join(f"{x} == {code}" for code in codes)
            return f"({text})" if len(codes) > 1 else text
        return f"in({x}, set{self.sets.setdefault(tuple(codes), len(self.sets))}, {max(codes)})"

    def is_nan(self, x: str) -> str:
        return f"isnan({x})"


class _File(Writer):
    """Writes the parts of a file."""

    labels, votes, proba = "labels", "votes", "probas"
    whole_list, number_list = "static const int {}[] = {};", "static const double {}[] = {};"
    same_list = "#define {} {}"
    source: _C

    def __init__(self, program: Program, form: str, prefix: str) -> None:
        super().__init__(_C(program), form)
        self.prefix = prefix
        self.columns = [(at, one) for at, one in enumerate(program.inputs) if one.predicate is None]

    # ---- what it is ----------------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        program, prefix = self.program, self.prefix
        walk = list(self._nested() if self.nested else self._plain() if self._is_plain else self._table())
        kind = "the place of a class in classes" if program.classes is not None else "a number"
        usage = [
            "compile: cc -O2 -c model.c (C99; no other file, no library)",
            f"predict(row) gives {kind}, predict_rows(rows, n, answers) those of n rows one after the other",
        ]
        if program.classes is not None:
            usage.append("predict_proba(row, proba) writes the probability of each class, in their order")
            usage.append(
                "a row that is refused, or that no class is known for, is -1; its probabilities are NAN or 0"
            )
        usage += ["a row holds these numbers, NAN where a value is missing:", *self._coding()]
        for line in header(program, *usage):
            yield self.source.comment(line)
        yield ""
        yield "#include <math.h>"
        yield "#include <stddef.h>"
        yield "#include <string.h>"
        yield ""
        yield from _CONTRACT.strip("\n").splitlines()
        yield ""
        yield f"enum {{ {prefix}N_COLUMNS = {len(self.columns)} }};"
        if program.classes is not None:
            texts = _list([string(str(label)) for label in program.classes])
            yield f"enum {{ {prefix}N_CLASSES = {program.width} }};"
            yield f"const char *const {prefix}classes[] = {texts};"
        yield ""
        parts = (self._codes(), self.answers(), self._sets(), self._read(), walk, self._predict())
        body = [line for part in parts for line in part]
        for helper in helpers_for("\n".join(body), _HELPERS):
            yield f"{helper}\n"
        yield from body

    def _coding(self) -> list[str]:
        """What each number of a row is."""
        return [
            f"  row[{place}] {quoted(one.name)}: {_coding_of(one.column)}"
            for place, (_, one) in enumerate(self.columns)
        ]

    def _codes(self) -> Iterator[str]:
        """A function that gives the code of a category, by halves among their sorted texts."""
        coded = [(place, one.column) for place, (_, one) in enumerate(self.columns) if one.has_codes]
        if not coded:
            return
        for place, column in coded:
            texts = sorted(
                (str(plain(category)).encode("utf-8", "surrogatepass"), code)
                for code, category in enumerate(column.categories)
            )
            names = _list([string(text.decode("utf-8", "surrogatepass")) for text, _ in texts])
            yield f"static const char *const texts{place}[] = {names};"
            yield f"static const int codes{place}[] = {_list([code for _, code in texts])};"
        yield ""
        yield "// The number of a category of a column, by its text: NAN for NULL, -1 for one never seen."
        yield f"double {self.prefix}code_of(int column, const char *text) {{\n    switch (column) {{"
        for place, column in coded:
            yield f"    case {place}: return find(text, texts{place}, codes{place}, {len(column.categories)});"
        yield "    default: return NAN;\n    }\n}\n"

    def _whole(self, numbers: list[int]) -> str:
        return _list(numbers)

    def _lines(self, numbers: Array) -> str:
        return _list(numbers.ravel().tolist(), number)

    def _equations(self, linear: LinearEnds) -> Iterator[str]:
        """What is said at each end: a constant, and terms of a column, a code or -1, and a coefficient."""
        columns, codes, factors = linear.columns
        yield f"static const double constants[] = {_list(linear.constant, number)};"
        yield f"static const int term_begin[] = {_list(linear.begin)};"
        yield f"static const int term_column[] = {_list(columns)};"
        yield f"static const int term_code[] = {_list(codes)};"
        yield f"static const double term_factor[] = {_list(factors, number)};"
        yield f"static const double fill[] = {_list(linear.fill, number)};"
        ends = {"LEAST": number(linear.low), "MOST": number(linear.high)}
        text = _EQUATION
        for name, value in ends.items():
            text = text.replace(name, value)
        yield from text.strip("\n").splitlines()
        yield ""

    def _sets(self) -> Iterator[str]:
        """Sets of codes as bits; bit 0 is code -1."""
        for codes, place in self.source.sets.items():
            bits = bytearray((max(codes) + 1) // 8 + 1)
            for code in codes:
                bits[(code + 1) // 8] |= 1 << (code + 1) % 8
            yield f"static const unsigned char set{place}[] = {_list(bits)};"

    # ---- reading a row -------------------------------------------------------------------------------

    def _read(self) -> Iterator[str]:
        """A function that takes a row as the numbers that are compared; it gives 0 if the row is refused."""
        program = self.program
        predicates = {
            at: self.source.predicate(program, one)
            for at, one in enumerate(program.inputs)
            if one.predicate is not None
        }
        yield "static int read_row(const double *row, double *x) {"
        yield "    (void)row; (void)x;"
        for place, (at, one) in enumerate(self.columns):
            yield from (f"    {line}" for line in self._value(at, place, one))
        yield from (f"    x[{at}] = {text};" for at, text in predicates.items())
        yield "    return 1;\n}\n"

    def _value(self, at: int, place: int, one: Input) -> Iterator[str]:
        program = self.program
        yield f"x[{at}] = row[{place}];"
        if program.refuses_missing:
            yield f"if (isnan(x[{at}])) return 0;"
        if one.has_codes:
            unseen = f"x[{at}] < 0 || x[{at}] >= {len(one.column.categories)}"
            then = {"refused": "return 0", "coded": f"x[{at}] = -1", "missing": f"x[{at}] = NAN"}
            yield f"if ({unseen}) {then[program.unseen(one)]};"
        elif program.refuses_infinite:
            yield f"if (isinf(x[{at}])) return 0;"
        else:
            yield f"if (isinf(x[{at}])) x[{at}] = x[{at}] > 0 ? 0x1.fffffffffffffp+1023 : -0x1.fffffffffffffp+1023;"

    # ---- the way through -----------------------------------------------------------------------------

    def _nested(self) -> Iterator[str]:
        program = self.program
        for place, body, end in program.bodies_from():
            yield f"static int tree{place}(const double *x) {{"
            if any(len(node.tests) > 1 for node in getattr(body, "nodes", ())):
                yield "    int b;"
            yield "    (void)x;"
            yield from self.source.body(body, end)
            yield "}"
            yield ""
        yield "static void ends_of(const double *x, int *ends) {"
        yield from (f"    ends[{place}] = tree{place}(x);" for place in range(len(program.bodies)))
        yield "}"
        yield ""

    @property
    def _is_plain(self) -> bool:
        """Whether every node is one cut of one column with a branch for missing values."""
        return all(
            isinstance(body, TreeBody)
            and all(
                not node.tests
                or (
                    len(node.tests) == 1
                    and len(node.children) == 2
                    and node.default >= 0
                    and isinstance(node.tests[0], Cut)
                    and node.tests[0].quantity < len(self.program.inputs)
                )
                for node in body.nodes
            )
            for body in self.program.bodies
        )

    def _plain(self) -> Iterator[str]:
        """Trees of binary cuts: sixteen bytes a node, both children side by side, eight rows in flight."""
        nodes: list[str] = []
        end_of, roots = [], []
        for _, body, first_end in self.program.bodies_from():
            assert isinstance(body, TreeBody)
            first = len(nodes)
            roots.append(first)
            order = [0, *(child for node in body.nodes for child in node.children)]
            place = {node: at for at, node in enumerate(order, first)}
            for node in (body.nodes[at] for at in order):
                if node.tests:
                    test = node.tests[0]
                    assert isinstance(test, Cut)
                    left = "MISSING_LOW | " if node.default == 0 else ""
                    nodes.append(
                        f"{{{number(test.cuts[0])}, {left}{test.quantity}u, {place[node.children[0]]}u}}"
                    )
                    end_of.append(-1)
                else:
                    nodes.append(f"{{INFINITY, MISSING_LOW, {place[node.id]}u}}")
                    end_of.append(first_end + body.end_of[node.id])
        yield "#define MISSING_LOW 0x80000000u"
        yield "typedef struct { double threshold; unsigned column, child; } Node;"
        yield f"static const Node nodes[] = {_list(nodes)};"
        yield f"static const int end_of_node[] = {_list(end_of)};"
        yield f"static const unsigned roots[] = {_list(roots)};"
        walk = _PLAIN_WALK if self.program.sums else _PLAIN_WALK + _LANES
        n_x = str(max(len(self.program.inputs), 1))
        walk = walk.replace("N_TREES", str(len(roots))).replace("N_X", n_x)
        yield from walk.strip("\n").splitlines()
        yield ""

    def _table(self) -> Iterator[str]:
        program, states = self.program, States.of(self.program)
        columns = zip(states.quantity, states.threshold, states.low, states.high, states.missing, strict=True)
        entries = [f"{{{number(t)}, {q}, {low}, {high}, {none}}}" for q, t, low, high, none in columns]
        yield "// A state compares a quantity with a threshold and goes on to low, high or missing; ~e is end e."
        yield "typedef struct { double threshold; int quantity, low, high, missing; } State;"
        yield f"static const State states[] = {_list(entries or ['{0.0, 0, 0, 0, 0}'])};"
        yield f"static const int roots[] = {_list(states.roots)};"
        yield from self._quantities()
        if not program.shares_rows:
            yield from _WALK.replace("N_TREES", str(len(states.roots))).strip("\n").splitlines()
        else:
            yield f"static const int share_to[] = {_list(states.share_to)};"
            yield f"static const double share_weight[] = {_list(states.share_weight, number)};"
            yield from (
                _SHARED_WALK.replace("MOST_WAITING", str(_most_waiting(states)))
                .replace("WIDTH", str(program.width))
                .strip("\n")
                .splitlines()
            )
        yield ""

    def _quantities(self) -> Iterator[str]:
        obliques = enumerate(self.program.obliques, len(self.program.inputs))
        cases = [f"    case {place}: return {self.source.total(oblique)};" for place, oblique in obliques]
        yield "static double quantity_of(const double *x, int quantity) {"
        yield from ["    switch (quantity) {", *cases, "    }"] if cases else []
        yield "    return x[quantity];\n}\n"

    # ---- what is asked for ---------------------------------------------------------------------------

    def _predict(self) -> Iterator[str]:
        program = self.program
        classes = program.classes is not None
        yield from self._sum() if program.sums else ()
        parts = {
            "PREFIX": self.prefix,
            "N_X": str(max(len(program.inputs), 1)),
            "N_TREES": str(len(program.bodies)),
            "BLOCK": str(max(8, min(MOST_IN_FLIGHT, NUMBERS_IN_FLIGHT // max(len(program.inputs), 1)))),
            "COLUMNS": str(len(self.columns)),
            "WIDTH": str(program.width),
        }
        if program.sums and classes:
            yield from self._decide()
        text = _PREDICT[program.sums, classes]
        if program.linear is not None:
            text = text.replace("probas[end]", "equation(x, end)") + _BATCH[classes]
        elif not self.nested and self._is_plain and not program.sums:
            text += _BATCH_OF_TABLES[classes]
        else:
            text += _BATCH[classes]
        for name, value in parts.items():
            text = text.replace(name, value)
        yield from text.strip("\n").splitlines()

    def _sum(self) -> Iterator[str]:
        """Sum what all trees say."""
        program, width = self.program, self.program.width
        n_trees = len(program.bodies)
        if program.decides_by_tree:
            yield "static int decide(const double *votes);"
        yield "static void sum(const double *x, const double *said, double *total) {"
        yield "    int tree, k;"
        if not program.shares_rows:
            yield f"    int ends[{n_trees}];"
            yield "    ends_of(x, ends);"
        yield f"    for (k = 0; k < {width}; ++k) total[k] = 0.0;"
        yield f"    for (tree = 0; tree < {n_trees}; ++tree) {{"
        if not program.shares_rows:
            yield f"        for (k = 0; k < {width}; ++k) total[k] += said[ends[tree] * {width} + k];"
        else:
            yield f"        double one[{width}];"
            yield "        add_shares(x, roots[tree], said, one);"
            if program.hard:
                yield "        total[decide(one)] += 1.0;"
            else:
                yield f"        for (k = 0; k < {width}; ++k) total[k] += one[k];"
        yield "    }"
        if program.forest:
            yield f"    for (k = 0; k < {width}; ++k) total[k] /= {n_trees}.0;"
        yield "}"
        yield ""

    def _decide(self) -> Iterator[str]:
        """The class that votes lead to, the first of equals."""
        program, width = self.program, self.program.width
        yield "static int decide(const double *votes) {"
        yield "    int k;"
        if program.costs is None:
            yield "    double most = votes[0];"
            yield f"    for (k = 1; k < {width}; ++k) if (votes[k] > most) most = votes[k];"
            yield f"    most *= {number(1 - SAME_WEIGHT)};"
            yield f"    for (k = 0; k < {width}; ++k) if (votes[k] >= most) return k;"
        else:
            costs = program.costs.ravel().tolist()
            yield f"    static const double table[] = {_list(costs, number)};"
            yield f"    double costs[{width}], least; int i;"
            yield f"    for (k = 0; k < {width}; ++k) costs[k] = 0.0;"
            yield f"    for (i = 0; i < {width}; ++i) for (k = 0; k < {width}; ++k) costs[k] += votes[i] * table[i * {width} + k];"
            yield "    least = costs[0];"
            yield f"    for (k = 1; k < {width}; ++k) if (costs[k] < least) least = costs[k];"
            yield f"    least *= {number(1 + SAME_WEIGHT)};"
            yield f"    for (k = 0; k < {width}; ++k) if (costs[k] <= least) return k;"
        yield "    return 0;"
        yield "}"
        yield ""


def _coding_of(column: Column) -> str:
    if column.kind != "numeric":
        shown = [f"{code} = {quoted(column.text(code))}" for code in range(min(len(column.categories), 8))]
        more = f", … ({len(column.categories)} in all)" if len(column.categories) > 8 else ""
        return f"{', '.join(shown)}{more}; code_of gives it"
    if column.unit is not None:
        unit = column.unit.partition("[")[2].rstrip("]")
        name = {"D": "days", "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}[
            unit
        ]
        if column.unit.startswith("datetime64"):
            return f"{name} since {times.text(column.offset, column.unit)} (UTC)"
        return f"{name}, less {column.offset}" if column.offset else name
    return f"the number less {column.offset}, subtracted as whole numbers" if column.offset else "the number"


def _most_waiting(states: States) -> int:
    """Most parts of a row that wait at the same time."""
    most = [1] * len(states)

    def at(target: int) -> int:
        return 1 if target < 0 else most[target]

    for state, quantity in enumerate(states.quantity):  # what a state leads to is there before it
        if quantity != SHARED:
            most[state] = max(map(at, (states.low[state], states.high[state], states.missing[state])))
            continue
        parts = states.share_to[states.low[state] : states.high[state]]
        most[state] = max(len(parts) - place - 1 + at(part) for place, part in enumerate(parts))
    return max(most, default=1) + 1


_CONTRACT = """
// A product and a sum must be rounded one by one, also where the processor can do both at once.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
"""

_HELPERS = pieces_of(
    """
static double or_nan(double x) {
    return x - x == 0.0 ? x : NAN;
}


static double compare(double a, double b, int holds) {
    return isnan(a) || isnan(b) ? NAN : holds;
}


static double both(double a, double b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}


static double either(double a, double b) {
    return a == 1.0 || b == 1.0 ? 1.0 : a * b;
}


static int in(double x, const unsigned char *set, int last) {
    int bit;
    if (!(x >= -1.0 && x <= last)) return 0;
    bit = (int)x + 1;
    return set[bit / 8] >> bit % 8 & 1;
}


static double find(const char *text, const char *const *texts, const int *codes, int high) {
    int low = 0;
    if (!text) return NAN;
    while (low < high) {
        int middle = (low + high) / 2, order = strcmp(text, texts[middle]);
        if (order == 0) return codes[middle];
        if (order < 0) high = middle; else low = middle + 1;
    }
    return -1.0;
}
""",
    r"^static \w+ (\w+)\(",
)

_WALK = """
static void ends_of(const double *x, int *ends) {
    int tree;
    for (tree = 0; tree < N_TREES; ++tree) {
        int at = roots[tree];
        while (at >= 0) {
            const State *state = states + at;
            double value = quantity_of(x, state->quantity);
            at = value <= state->threshold ? state->low : value > state->threshold ? state->high : state->missing;
        }
        ends[tree] = ~at;
    }
}
"""

_SHARED_WALK = """
static void add_shares(const double *x, int root, const double *said, double *one) {
    int at[MOST_WAITING], n = 1, k, place;
    double share[MOST_WAITING];
    for (k = 0; k < WIDTH; ++k) one[k] = 0.0;
    at[0] = root;
    share[0] = 1.0;
    while (n) {
        int now = at[--n];
        double part = share[n];
        while (now >= 0 && states[now].quantity >= 0) {
            const State *state = states + now;
            double value = quantity_of(x, state->quantity);
            now = value <= state->threshold ? state->low : value > state->threshold ? state->high : state->missing;
        }
        if (now < 0) {
            for (k = 0; k < WIDTH; ++k) one[k] += part * said[~now * WIDTH + k];
            continue;
        }
        for (place = states[now].high - 1; place >= states[now].low; --place, ++n) {
            at[n] = share_to[place];
            share[n] = part * share_weight[place] / states[now].threshold;
        }
    }
}
"""

_PLAIN_WALK = """
static unsigned step(unsigned at, const double *x) {
    const Node *node = nodes + at;
    double value = x[node->column & ~MISSING_LOW];
    unsigned above = value > node->threshold, missing = value != value;
    return node->child + (above | (missing & (node->column >> 31 ^ 1u)));
}

static void ends_of(const double *x, int *ends) {
    int tree;
    for (tree = 0; tree < N_TREES; ++tree) {
        unsigned at = roots[tree], next;
        while ((next = step(at, x)) != at) at = next;
        ends[tree] = end_of_node[at];
    }
}
"""

_LANES = r"""
#ifdef __GNUC__
#define LIKELY(x) __builtin_expect(x, 1)
#else
#define LIKELY(x) (x)
#endif

// Eight rows in flight, each in variables of its own: a lane that arrives at its leaf takes the next row.
#define EACH_LANE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define BEGIN(k) unsigned at##k = 0; const double *row##k = x + (k < n ? k : 0) * N_X;
#define STEP(k) \
    next = step(at##k, row##k); \
    if (LIKELY(next != at##k)) { \
        at##k = next; \
    } else if (next_row == last) { \
        more = 0; \
    } else { \
        ends[(row##k - x) / N_X] = end_of_node[next]; \
        row##k = next_row; \
        next_row += N_X; \
        at##k = 0; \
    }
#define FINISH(k) next = step(at##k, row##k); moved |= next ^ at##k; at##k = next;
#define END(k) ends[(row##k - x) / N_X] = end_of_node[at##k];

static void ends_of_block(const double *x, int n, int *ends) {
    const double *last = x + n * N_X, *next_row = x + (n < 8 ? n : 8) * N_X;
    unsigned next, moved;
    int more = n >= 8;
    EACH_LANE(BEGIN)
    while (more) {
        EACH_LANE(STEP)
    }
    do {
        moved = 0;
        EACH_LANE(FINISH)
    } while (moved);
    EACH_LANE(END)
}
"""

_EQUATION = """
static double equation(const double *x, int end) {
    double total = constants[end];
    int term;
    for (term = term_begin[end]; term < term_begin[end + 1]; ++term) {
        const int code = term_code[term];
        double value = x[term_column[term]];
        if (isnan(value) || (code >= 0 && value < 0)) value = fill[term_column[term]];
        if (code < 0) total += term_factor[term] * value;
        else if (value == code) total += term_factor[term];
    }
    return total < LEAST ? LEAST : total > MOST ? MOST : total;
}
"""
"""What an equation comes to; a term is a factor times a column, or the factor if the column has the code."""

_PREDICT = {
    (False, True): """
int PREFIXpredict(const double *row) {
    double x[N_X];
    int end;
    if (!read_row(row, x)) return -1;
    ends_of(x, &end);
    return labels[end];
}

int PREFIXpredict_proba(const double *row, double *proba) {
    double x[N_X];
    int end, k, known = read_row(row, x);
    if (known) ends_of(x, &end);
    for (k = 0; k < WIDTH; ++k) proba[k] = known ? probas[end * WIDTH + k] : NAN;
    return known ? labels[end] : -1;
}
""",
    (False, False): """
double PREFIXpredict(const double *row) {
    double x[N_X];
    int end;
    if (!read_row(row, x)) return NAN;
    ends_of(x, &end);
    return probas[end];
}
""",
    (True, True): """
int PREFIXpredict(const double *row) {
    double x[N_X], total[WIDTH];
    if (!read_row(row, x)) return -1;
    sum(x, votes, total);
    return decide(total);
}

int PREFIXpredict_proba(const double *row, double *proba) {
    double x[N_X];
    int k;
    if (read_row(row, x)) {
        sum(x, probas, proba);
        return PREFIXpredict(row);
    }
    for (k = 0; k < WIDTH; ++k) proba[k] = NAN;
    return -1;
}
""",
    (True, False): """
double PREFIXpredict(const double *row) {
    double x[N_X], total;
    if (!read_row(row, x)) return NAN;
    sum(x, probas, &total);
    return total;
}
""",
}
"""By whether answers are summed, and whether they are classes."""

_BATCH = {
    True: """
void PREFIXpredict_rows(const double *rows, size_t n, int *answers) {
    size_t row;
    for (row = 0; row < n; ++row) answers[row] = PREFIXpredict(rows + row * COLUMNS);
}

void PREFIXpredict_proba_rows(const double *rows, size_t n, double *proba) {
    size_t row;
    for (row = 0; row < n; ++row) PREFIXpredict_proba(rows + row * COLUMNS, proba + row * WIDTH);
}
""",
    False: """
void PREFIXpredict_rows(const double *rows, size_t n, double *answers) {
    size_t row;
    for (row = 0; row < n; ++row) answers[row] = PREFIXpredict(rows + row * COLUMNS);
}
""",
}

_BATCH_OF_TABLES = {
    classes: f"""
void PREFIXpredict_rows(const double *rows, size_t n, {"int" if classes else "double"} *answers) {{
    size_t row = 0;
    double x[BLOCK * N_X];
    int ends[BLOCK], known[BLOCK], k, many;
    for (; row < n; row += many) {{
        many = n - row < BLOCK ? (int)(n - row) : BLOCK;
        for (k = 0; k < many; ++k) {{
            known[k] = read_row(rows + (row + k) * COLUMNS, x + k * N_X);
            if (!known[k]) memset(x + k * N_X, 0, N_X * sizeof *x);
        }}
        ends_of_block(x, many, ends);
        for (k = 0; k < many; ++k) answers[row + k] = known[k] ? {"labels" if classes else "probas"}[ends[k]] : {"-1" if classes else "NAN"};
    }}
}}
"""
    + (
        """
void PREFIXpredict_proba_rows(const double *rows, size_t n, double *proba) {
    size_t row;
    for (row = 0; row < n; ++row) PREFIXpredict_proba(rows + row * COLUMNS, proba + row * WIDTH);
}
"""
        if classes
        else ""
    )
    for classes in (True, False)
}
