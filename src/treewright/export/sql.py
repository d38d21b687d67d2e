"""SQL: one SELECT that gives every column of a table, and the prediction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from treewright.errors import ExportError
from treewright.export.comparisons import UNSEEN, Cut, Plane, Test
from treewright.export.dialects import DIALECTS, LARGEST, Dialect, DuckDB, PostgreSQL, SQLite, Term
from treewright.export.expressions import Value, written
from treewright.export.header import header
from treewright.export.program import STAY, Clause, LinearEnds, Node, Program, RuleBody, TreeBody
from treewright.export.source import check_form, predicate_of
from treewright.export.states import SHARED, States
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import printable
from treewright.tree.decision import SAME_WEIGHT

MOST_CASES: dict[str, int] = {"duckdb": 1_000, "sqlite": 10_000, "postgresql": 10_000}
"""Leaves of a tree up to which it is a CASE expression; more are a table of states that rows walk through."""

MOST_INLINE = 64
"""Categories of a column up to which their codes stand in a CASE expression; of more in a table to join."""

MOST_CODES, LONGEST_CHAIN, MOST_TREES = 256, 500, 400
"""Codes of a test, conditions in a row and trees up to which there are CASE expressions."""


def export_sql(
    program: Program,
    *,
    dialect: str = "duckdb",
    table: str = "data",
    schema: str | None = None,
    proba: bool = False,
    form: str = "auto",
    key: str | None = None,
) -> str:
    """Write a SELECT that may stand in parentheses.

    Parameters
    ----------
    program : Program
    dialect : {"duckdb", "sqlite", "postgresql"}
        Whose SQL to write.
    table, schema : str
        The table with the rows, and the schema it stands in, if that must be named.
    proba : bool
        Whether to add a column ``p_<class>`` with the probability of each class.
    form : {"auto", "nested", "table"}
        CASE expressions, or a table of states that rows walk through; by default the size decides.
    key : str, optional
        A column that tells rows apart. SQLite needs it where the table has no row ids and the model is a
        forest, shares rows or is large.
    """
    if dialect not in DIALECTS:
        hint = nearest(dialect, DIALECTS)
        raise ExportError(f"dialect {dialect!r} is unknown.{hint} Dialects are {', '.join(DIALECTS)}.")
    if proba and program.classes is None:
        raise ExportError("proba=True needs a model of classes; this one predicts numbers.")
    answers = {"prediction", *(f"p_{label}".lower() for label in program.classes or [] if proba)}
    for name in program.schema.names:
        if name.lower() in answers:
            raise ExportError(f"column {name!r} has the name of an answer of the query: rename it.")
    query = _Query(program, DIALECTS[dialect], table=table, schema=schema, proba=proba, form=form, key=key)
    return "\n".join([*query.head(), *query.lines()]) + "\n"


@dataclass
class _Case:
    """A CASE expression under construction: conditions in a row, and what is left."""

    whens: list[tuple[str, str]]
    otherwise: str

    def written(self, indent: str) -> str:
        """Write it over several lines; the lines within are indented already."""
        if not self.whens:
            return self.otherwise
        lines = ["CASE"]
        lines += [f"{indent}  WHEN {condition} THEN {answer}" for condition, answer in self.whens]
        return "\n".join([*lines, f"{indent}  ELSE {self.otherwise}", f"{indent}END"])


class _Query:
    """Writes the parts of a query."""

    def __init__(
        self,
        program: Program,
        dialect: Dialect,
        *,
        table: str,
        schema: str | None,
        proba: bool,
        form: str,
        key: str | None,
    ) -> None:
        for text in (text for one in program.inputs for text in one.column.categories):
            if isinstance(text, str):
                dialect.string(text)  # is refused also where no condition lists it
        self.program = program
        self.dialect = dialect
        self.table_name = table
        self.schema = schema
        self.proba = proba
        self.key = key
        self.nested = self._is_nested(form)
        self.walks = program.sums or not self.nested
        """Whether rows are numbered and joined with what they end in."""
        self.filled: set[tuple[int, int]] = set()
        """Inputs that conditions ask for with missing numbers below (0) or above (1) all others."""

    # ---- what it is ----------------------------------------------------------------------------------

    @cached_property
    def table(self) -> str:
        """The table, quoted."""
        names = [self.table_name] if self.schema is None else [self.schema, self.table_name]
        return ".".join(map(self.dialect.identifier, names))

    def head(self) -> Iterator[str]:
        """What it is, and how to run it."""
        usage = [
            f"dialect: {self.dialect.name}",
            f"table: {self.table}",
            "gives every column of the table, prediction"
            + (" and the probability p_<class> of each class" if self.proba else ""),
            *self.dialect.usage,
        ]
        for line in header(self.program, *usage):
            yield f"-- {printable(line)}"

    def _is_nested(self, form: str) -> bool:
        program = self.program
        if check_form(program, form) != "auto":
            return form == "nested"
        most = MOST_CASES[self.dialect.name]
        return (
            not program.shares_rows
            and max(program.n_codes, default=0) <= MOST_CODES
            and len(program.bodies) <= MOST_TREES
            and all(len(body.answers.proba) <= most for body in program.bodies)
            and all(
                _longest_chain(body) <= LONGEST_CHAIN for body in program.bodies if isinstance(body, TreeBody)
            )
        )

    # ---- columns -------------------------------------------------------------------------------------

    def column(self, place: int) -> str:
        """The column of an input in the table."""
        return f"t.{self.dialect.identifier(self.program.inputs[place].name)}"

    def _kinds(self, place: int) -> set[type]:
        column = self.program.inputs[place].column
        kinds = {type(category) for category in column.categories}
        if str in kinds and len(kinds) > 1:
            raise ExportError(
                f"column {column.name!r} has text and numbers among its categories, which sql cannot hold."
            )
        return kinds

    def category(self, place: int) -> str:
        """The column of an input as it is compared with its categories."""
        kinds, column = self._kinds(place), self.column(place)
        if kinds & {np.datetime64, np.timedelta64}:
            return self.dialect.time_value(column, np.datetime64 in kinds)
        return self.dialect.as_number(column) if float in kinds else self.dialect.category(column)

    def value(self, place: int, code: int) -> str:
        """The category of a code."""
        category: Any = self.program.inputs[place].column.categories[code]
        if isinstance(category, np.datetime64 | np.timedelta64):
            return self.dialect.time_category(category)
        return (
            self.dialect.number(float(category))
            if float in self._kinds(place)
            else self.dialect.literal(category)
        )

    def stored(self, place: int) -> str:
        """What an input is to the model: a number, or a code; NULL if it is missing."""
        program, one = self.program, self.program.inputs[place]
        if one.predicate is not None:
            truth = written(predicate_of(program, one), _Truths(self))
            return f"CASE WHEN {truth} THEN 1 WHEN NOT {truth} THEN 0 END"
        if not one.has_codes:
            number = self.dialect.stored(self.column(place), one.column)
            if program.refuses_infinite or one.column.unit is not None or one.column.offset:
                return number
            largest = self.dialect.number(LARGEST)
            return (
                f"CASE WHEN {number} > {largest} THEN {largest} "
                f"WHEN {number} < -{largest} THEN -{largest} ELSE {number} END"
            )
        category = self.category(place)
        unseen = (
            f" ELSE CASE WHEN {category} IS NOT NULL THEN {UNSEEN} END"
            if program.unseen(one) == "coded"
            else ""
        )
        if place in self.joined:
            code = f"c{place}.code"
            return f"CASE WHEN {code} IS NOT NULL THEN {code}{unseen} END" if unseen else code
        codes = range(len(one.column.categories))
        whens = " ".join(f"WHEN {self.value(place, code)} THEN {code}" for code in codes)
        return f"CASE {category} {whens}{unseen} END" if whens else "CAST(NULL AS integer)"

    @cached_property
    def joined(self) -> set[int]:
        """The inputs whose codes are looked up in a table of their own."""
        if not self.walks:
            return set()
        return {
            place
            for place, one in enumerate(self.program.inputs)
            if one.predicate is None and one.has_codes and len(one.column.categories) > MOST_INLINE
        }

    @cached_property
    def prepared(self) -> list[int]:
        """The inputs that are worked out before tests are made."""
        if self.walks:
            return list(range(len(self.program.inputs)))
        if isinstance(self.dialect, SQLite):
            return []
        oblique = {at for one in self.program.obliques for at, *_ in one.terms}
        return [
            place
            for place, one in enumerate(self.program.inputs)
            if place in oblique or not one.has_codes or one.predicate is not None
        ]

    def x(self, place: int) -> str:
        """The number of an input where tests are made."""
        if self.walks:
            return f"x{place}"
        if place not in self.prepared:
            return self.stored(place)
        return f"{'x' if isinstance(self.dialect, PostgreSQL) else 't'}.{self._alias(place)}"

    def _alias(self, place: int, what: str = "number") -> str:
        """What the number of an input is called where the table's own columns stand beside it."""
        name, names = f"{self.program.inputs[place].name} ({what})", self.program.schema.names
        while name in names:
            name += "*"
        return self.dialect.identifier(name)

    def quantity(self, quantity: int) -> str:
        """What a test compares."""
        oblique = self.program.oblique(quantity)
        if oblique is None:
            return self.x(quantity)
        if isinstance(oblique, Plane):
            return self.dialect.weighted_sum([(weight, self.x(at)) for at, weight in oblique.terms])
        return self.dialect.squared_distance(
            [(self.x(at), centre, scale) for at, centre, scale in oblique.terms]
        )

    def refused(self) -> str | None:
        """When a row has no answer."""
        program = self.program
        found = []
        for place, one in enumerate(program.inputs):
            if one.predicate is not None:
                continue
            number = None
            if not one.has_codes:
                number = (
                    self.x(place) if not self.walks else self.dialect.stored(self.column(place), one.column)
                )
            if program.refuses_missing:
                found.append(f"{number or self.category(place)} IS NULL")
            if one.has_codes and program.refuses_unseen:
                every = ", ".join(self.value(place, code) for code in range(len(one.column.categories)))
                found.append(f"{self.category(place)} NOT IN ({every})")
            if number and program.refuses_infinite and one.column.unit is None and not one.column.offset:
                found.append(self.dialect.is_infinite(number))
        return " OR ".join(found) or None

    # ---- tests ---------------------------------------------------------------------------------------

    def _by_value(self, quantity: int) -> bool:
        """Whether a quantity is a category that is compared as the table has it."""
        if self.walks or quantity >= len(self.program.inputs):
            return False
        one = self.program.inputs[quantity]
        return one.has_codes and one.predicate is None

    def among(self, quantity: int, codes: Sequence[int]) -> str:
        """That a code is one of several."""
        if not self._by_value(quantity):
            text = ", ".join(map(str, codes))
            return f"{self.x(quantity)} IN ({text})" if text else "1 = 0"
        known = [code for code in codes if code != UNSEEN]
        column = self.category(quantity)
        texts = ", ".join(self.value(quantity, code) for code in known)
        parts = [f"{column} IN ({texts})"] if known else []
        if UNSEEN in codes:
            every = range(len(self.program.inputs[quantity].column.categories))
            parts.append(f"{column} NOT IN ({', '.join(self.value(quantity, code) for code in every)})")
        return f"({' OR '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "1 = 0"

    def _within(self, quantity: int, low: float, high: float) -> str:
        """That a quantity lies above `low` and is at most `high`."""
        if self._by_value(quantity):
            codes = range(len(self.program.inputs[quantity].column.categories))
            return self.among(quantity, [code for code in codes if low < code <= high])
        x = self.quantity(quantity)
        parts = [f"{x} > {self.dialect.number(low)}"] if low != -math.inf else []
        if high != math.inf:
            parts.append(f"{x} <= {self.dialect.number(high)}")
        return " AND ".join(parts) or f"{x} IS NOT NULL"

    def answered(self, test: Test, branch: int) -> str:
        """That a test answers with a branch; never true where it does not answer."""
        if isinstance(test, Cut):
            return self._within(test.quantity, *test.bounds(branch))
        return self.among(test.quantity, test.codes(branch))

    def holds(self, clause: Clause) -> str:
        """That a clause of a rule holds."""
        test = clause.test
        if not clause.missing:
            return f"({self.answered(test, clause.branch)})"
        if test.quantity < len(self.program.inputs) and self.program.inputs[test.quantity].has_codes:
            # A category never seen is as good as missing: all will do but those that are ruled out.
            every = range(len(self.program.inputs[test.quantity].column.categories))
            codes = [code for code in every if test.branch(code) != clause.branch]
            return f"({self.among(test.quantity, codes)}) IS NOT TRUE" if codes else "1 = 1"
        assert isinstance(test, Cut)
        others = [self.answered(test, branch) for branch in range(test.n_branches) if branch != clause.branch]
        return f"({' OR '.join(others)}) IS NOT TRUE"

    # ---- CASE ----------------------------------------------------------------------------------------

    def case(self, body: TreeBody | RuleBody, answers: Sequence[str], indent: str) -> str:
        """A body as one expression; the largest subtree of a node is always left for last, without nesting."""
        if isinstance(body, RuleBody):
            whens = [
                (" AND ".join(map(self.holds, rule)) or "1 = 1", answers[at])
                for at, rule in enumerate(body.rules)
            ]
            return _Case(whens, answers[-1]).written(indent)
        cases: dict[int, _Case] = {}
        sizes: dict[int, int] = {}
        depth = _depth_of_cases(body)
        for node in reversed(body.nodes):
            if not node.tests:
                cases[node.id], sizes[node.id] = _Case([], answers[body.end_of[node.id]]), 0
                continue
            sizes[node.id] = 1 + sum(sizes[child] for child in node.children)
            largest = max(range(len(node.children)), key=lambda branch: sizes[node.children[branch]])
            inner = indent + "  " * (depth[node.id] + 1)
            stay = answers[body.end_of[node.id]] if node.default == STAY else None
            whens = []
            for condition, branch in self._arms(node, largest):
                said = stay if branch is None else cases.pop(node.children[branch]).written(inner)
                whens.append((condition, str(said)))
            rest = cases.pop(node.children[largest])
            cases[node.id] = _Case([*whens, *rest.whens], rest.otherwise)
        return cases[0].written(indent)

    def _arms(self, node: Node, last: int) -> Iterator[tuple[str, int | None]]:
        """When a row takes a branch of a node other than the last, or, with None, stays there."""
        branches = range(len(node.children))
        if len(node.tests) > 1:
            whens = [
                f"WHEN {self.answered(test, branch)} THEN {branch}"
                for test in node.tests
                for branch in branches
                if not isinstance(test, Cut) or branch < test.n_branches
            ]
            chosen = f"CASE {' '.join(whens)} ELSE {node.default} END"
            yield from ((f"{chosen} = {branch}", branch) for branch in branches if branch != last)
            if node.default == STAY:
                yield f"{chosen} = {STAY}", None
            return
        test = node.tests[0]
        for branch in branches:
            if branch not in (last, node.default):
                yield self.answered(test, branch), branch
        if node.default != last:
            yield self._unless(node, last), None if node.default == STAY else node.default

    def _unless(self, node: Node, last: int) -> str:
        """That a row does not take the last branch of a node: a test says so, or none answers."""
        test = node.tests[0]
        if isinstance(test, Cut) and self._always_known(test.quantity):
            return self.answered(test, node.default)
        if not self._can_fill(node):
            return f"({self.answered(test, last)}) IS NOT TRUE"
        assert isinstance(test, Cut)
        self.filled.add((test.quantity, node.default))
        sign = ">" if node.default else "<="
        return (
            f"t.{self._filled_alias(test.quantity, node.default)} {sign} {self.dialect.number(test.cuts[0])}"
        )

    def _always_known(self, quantity: int) -> bool:
        """Whether rows without this number are refused before it is asked for."""
        if not self.program.refuses_missing or quantity >= len(self.program.inputs):
            return False
        one = self.program.inputs[quantity]
        return one.predicate is None and not one.has_codes

    def _can_fill(self, node: Node) -> bool:
        """Whether one comparison says what becomes of a missing number too, if it lies beyond all others.

        DuckDB works conditions out for whole vectors of rows; ``IS NOT TRUE`` takes it a third of its time.
        """
        test = node.tests[0]
        return (
            isinstance(self.dialect, DuckDB)
            and not self.walks
            and isinstance(test, Cut)
            and len(test.cuts) == 1
            and math.isfinite(test.cuts[0])
            and node.default >= 0
            and test.quantity in self.prepared
            and not self._by_value(test.quantity)
        )

    def _filled_alias(self, place: int, side: int) -> str:
        return self._alias(place, f"number, missing {'high' if side else 'low'}")

    # ---- answers -------------------------------------------------------------------------------------

    def label(self, label: int) -> str:
        """A class as a value."""
        assert self.program.classes is not None
        if label < 0:
            return "NULL"
        classes = self.program.classes
        mixed = len({isinstance(one, str) for one in classes}) > 1
        return self.dialect.string(str(classes[label])) if mixed else self.dialect.literal(classes[label])

    @cached_property
    def proba_names(self) -> list[str]:
        """The names of the columns of probabilities."""
        return [self.dialect.identifier(f"p_{label}") for label in self.program.classes or []]

    def _said(self, body: TreeBody | RuleBody, end: int) -> str:
        answers = body.answers
        if self.program.linear is not None:
            return self._equation(self.program.linear, end)
        if answers.label is None:
            return self.dialect.number(float(answers.proba[end, 0]))
        return self.label(int(answers.label[end]))

    def _equation(self, linear: LinearEnds, end: int) -> str:
        """What the equation of a linear leaf comes to: its terms are added from left to right."""
        number = self.dialect.number
        parts: list[Term] = [(None, number(linear.constant[end]))]
        for (at, is_number), terms in groupby(linear.terms[end], key=lambda term: (term[0], term[1] < 0)):
            if is_number:
                value = f"coalesce({self.x(at)}, {number(linear.fill[at])})"
                parts += [(coefficient, value) for _, _, coefficient in terms]
                continue
            every = range(len(self.program.inputs[at].column.categories))
            amounts: dict[float, list[int]] = {}
            for _, code, coefficient in terms:
                amounts.setdefault(coefficient, []).append(code)
            whens = []
            for coefficient, codes in amounts.items():
                holds = self.among(at, codes)
                if linear.fill[at] in codes:  # as do a missing value, and one never seen
                    holds = f"({self.among(at, [code for code in every if code not in codes])}) IS NOT TRUE"
                whens.append(f"WHEN {holds} THEN {number(coefficient)}")
            parts.append((None, f"CASE {' '.join(whens)} ELSE {number(0.0)} END"))
        return self.dialect.within(linear.low, linear.high, parts)

    # ---- the whole -----------------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        """The SELECT."""
        if self.walks:
            yield from self._walking()
        elif self.proba:
            yield from self._with_leaves()
        else:
            body = self.program.bodies[0]
            answers = [self._said(body, end) for end in range(len(body.answers.proba))]
            prediction = self._guarded(self.case(body, answers, "  "))
            yield f"SELECT {self._star()},"
            yield f"  {prediction} AS prediction"
            yield from self._from()

    def _guarded(self, expression: str) -> str:
        """An answer, but none for rows that are refused."""
        refused = self.refused()
        if refused is None:
            return expression
        if expression.startswith("CASE\n"):
            return expression.replace("CASE\n", f"CASE\n    WHEN {refused} THEN NULL\n", 1)
        return f"CASE WHEN {refused} THEN NULL ELSE {expression} END"

    def _star(self) -> str:
        """Every column of the table."""
        if self.prepared and not isinstance(self.dialect, PostgreSQL):
            return f"t.* EXCLUDE ({', '.join(self._worked_out())})"
        return "t.*"

    def _worked_out(self) -> dict[str, str]:
        """What is worked out beside the columns of the table, by its name."""
        found = {self._alias(place): self.stored(place) for place in self.prepared}
        for place, side in sorted(self.filled):
            beyond = self.dialect.number(math.inf if side else -math.inf)
            found[self._filled_alias(place, side)] = f"coalesce({self.stored(place)}, {beyond})"
        return found

    def _from(self) -> Iterator[str]:
        """The table, with the numbers of inputs worked out."""
        if not self.prepared:
            yield f"FROM {self.table} AS t"
            return
        numbers = ",\n  ".join(f"{number} AS {name}" for name, number in self._worked_out().items())
        if isinstance(self.dialect, PostgreSQL):
            yield f"FROM {self.table} AS t CROSS JOIN LATERAL (SELECT\n  {numbers}) AS x"
        else:
            yield f"FROM (SELECT t.*,\n  {numbers}\n  FROM {self.table} AS t) AS t"

    def _values(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """A table that stands in the query."""
        texts = [f"({', '.join(row)})" for row in rows]
        lines = ",\n    ".join(", ".join(texts[at : at + 4]) for at in range(0, len(texts), 4))
        return f'"treewright {name}"({", ".join(columns)}) AS (VALUES\n    {lines})'

    def _with_leaves(self) -> Iterator[str]:
        """One CASE for the leaf, and a table of what leaves say."""
        body = self.program.bodies[0]
        ends = range(len(body.answers.proba))
        proba = body.answers.proba.tolist()
        columns = ["leaf", "prediction", *(f"p{k}" for k in range(self.program.width))]
        rows = ([str(end), self._said(body, end), *map(self.dialect.number, proba[end])] for end in ends)
        leaf = self._guarded(self.case(body, [str(end) for end in ends], "  "))
        yield f"WITH {self._values('leaves', columns, rows)}"
        yield f"SELECT {self._star()}, l.prediction, {', '.join(f'l.p{k} AS {name}' for k, name in enumerate(self.proba_names))}"
        yield from self._from()
        yield f'LEFT JOIN "treewright leaves" AS l ON l.leaf = {leaf}'

    # ---- rows that are numbered ------------------------------------------------------------------------

    def _walking(self) -> Iterator[str]:
        """Rows are numbered, sent to their ends, and joined with the sums of what is said there."""
        dialect = self.dialect
        parts = [*self._codes(), self._rows()]
        parts += self._cases() if self.nested else self._states()
        parts.append(self._leaves())
        parts += self._sums()
        recursive = "" if self.nested else "RECURSIVE "
        yield f"WITH {recursive}" + ",\n".join(parts)
        proba = [f"s.p{k} AS {name}" for k, name in enumerate(self.proba_names)] if self.proba else []
        answers = ", ".join(["s.prediction", *proba])
        if isinstance(dialect, SQLite):
            yield f"SELECT t.*, {answers}"
            yield f'FROM {self.table} AS t LEFT JOIN "treewright answers" AS s ON s.k = {self._key}'
            return
        yield f"SELECT {'(r.whole).*' if isinstance(dialect, PostgreSQL) else 'unnest(r.whole)'}, {answers}"
        yield 'FROM "treewright rows" AS r LEFT JOIN "treewright answers" AS s ON s.k = r.k'
        yield "ORDER BY r.k"

    @property
    def _key(self) -> str:
        return "t.rowid" if self.key is None else f"t.{self.dialect.identifier(self.key)}"

    def _codes(self) -> Iterator[str]:
        """Tables of the codes of categories, where there are many."""
        for place in sorted(self.joined):
            codes = range(len(self.program.inputs[place].column.categories))
            rows = ([self.value(place, code), str(code)] for code in codes)
            yield self._values(f"codes {place}", ["value", "code"], rows)

    def _rows(self) -> str:
        """Each row with a number, the row itself and the numbers of its inputs; refused ones have no start."""
        whole = isinstance(self.dialect, SQLite)
        key = self._key if whole else "row_number() OVER ()"
        refused = self.refused()
        columns = [f"{key} AS k"]
        columns += [] if whole else ["t AS whole"]
        columns += [f"{self.stored(place)} AS x{place}" for place in range(len(self.program.inputs))]
        columns.append(
            f"coalesce({refused}, {self.dialect.boolean(False)}) AS refused"
            if refused
            else f"{self.dialect.boolean(False)} AS refused"
        )
        joins = "".join(
            f' LEFT JOIN "treewright codes {place}" AS c{place} ON c{place}.value = {self.category(place)}'
            for place in sorted(self.joined)
        )
        materialized = "MATERIALIZED " if not isinstance(self.dialect, SQLite) else ""
        return f'"treewright rows" AS {materialized}(SELECT {", ".join(columns)}\n  FROM {self.table} AS t{joins})'

    def _cases(self) -> Iterator[str]:
        """The end of each row in each tree, by a CASE each."""
        selects = []
        first = 0
        for place, body in enumerate(self.program.bodies):
            ends = [str(~(first + end)) for end in range(len(body.answers.proba))]
            share = self.dialect.number(1.0)
            selects.append(
                f"  SELECT k, {place} AS tree, {self.case(body, ends, '  ')} AS s, {share} AS share\n"
                '  FROM "treewright rows" WHERE NOT refused'
            )
            first += len(ends)
        yield '"treewright walk"(k, tree, s, share) AS (\n' + "\n  UNION ALL\n".join(selects) + ")"

    def _states(self) -> Iterator[str]:
        """The states, and a walk through them: at each step a row goes from one state to the next."""
        program, number = self.program, self.dialect.number
        states = States.of(program)
        shares = states.shares
        names = ["s", "q", "t", "low", "high", "missing", *(["weight", "total"] if shares else [])]
        rows: list[list[str]] = []
        one = [number(1.0), number(1.0)] if shares else []
        for s, (q, t, low, high, missing) in enumerate(
            zip(states.quantity, states.threshold, states.low, states.high, states.missing, strict=True)
        ):
            if q != SHARED:
                rows.append([*map(str, (s, q)), number(t), *map(str, (low, high, missing)), *one])
                continue
            for at in range(low, high):
                to = str(states.share_to[at])
                rows.append(
                    [str(s), str(q), number(0.0), to, to, to, number(states.share_weight[at]), number(t)]
                )
        yield self._values("states", names, rows or [["0", "0", number(0.0), "0", "0", "0", *one]])
        roots = ([str(tree), str(root)] for tree, root in enumerate(states.roots))
        yield self._values("roots", ["tree", "s"], roots)
        inputs = [f"x{place}" for place in range(len(program.inputs))]
        carried = "".join(f", {name}" for name in inputs)
        used = sorted(set(states.quantity) - {SHARED})
        whens = " ".join(f"WHEN {q} THEN {self.quantity(q)}" for q in used)
        value = f"CASE q {whens} END" if used else number(0.0)
        share = "share * weight / total" if shares else "share"
        step = f"CASE WHEN {value} <= n.t THEN low WHEN {value} > n.t THEN high ELSE missing END"
        yield (
            f'"treewright walk"(k, tree, s, share{carried}) AS (\n'
            f'  SELECT r.k, o.tree, o.s, {number(1.0)}{carried} FROM "treewright rows" AS r CROSS JOIN "treewright roots" AS o WHERE NOT r.refused\n'
            "  UNION ALL\n"
            f"  SELECT w.k, w.tree, {step}, {share}{carried}\n"
            '  FROM "treewright walk" AS w JOIN "treewright states" AS n ON n.s = w.s)'
        )

    def _leaves(self) -> str:
        """What is said at each end."""
        program, number = self.program, self.dialect.number
        proba = program.answers.proba.tolist()
        columns = ["s", *(f"p{k}" for k in range(program.width))]
        if not program.sums and program.classes is not None:
            columns.append("prediction")
            labels = [[self.label(int(one))] for one in program.answers.labels]
        else:
            labels = [[] for _ in proba]
        if self._has_votes:
            votes = program.answers.votes.tolist()
            columns += [f"v{k}" for k in range(program.width)]
            labels = [[number(one) for one in line] for line in votes]
        rows = ([str(~end), *map(number, said), *labels[end]] for end, said in enumerate(proba))
        return self._values("leaves", columns, rows)

    @property
    def _has_votes(self) -> bool:
        """Whether classes are decided by other sums than the probabilities."""
        return self.program.has_votes and not self.program.proba_is_votes

    def _sums(self) -> Iterator[str]:
        """What is said of each row."""
        program = self.program
        ks = range(program.width)
        joined = '"treewright walk" AS w JOIN "treewright leaves" AS l ON l.s = w.s'
        if not program.sums:
            said = "l.p0 AS prediction" if program.classes is None else "l.prediction"
            if program.linear is not None:
                ends = range(len(program.linear.constant))
                whens = " ".join(f"WHEN {~end} THEN {self._equation(program.linear, end)}" for end in ends)
                said = f"CASE w.s {whens} END AS prediction"
            proba = "".join(f", l.p{k}" for k in ks) if self.proba else ""
            yield f'"treewright answers" AS (SELECT w.k, {said}{proba}\n  FROM {joined})'
            return
        names = [f"p{k}" for k in ks] + ([f"v{k}" for k in ks] if self._has_votes else [])
        by_tree = program.decides_by_tree
        sums = ", ".join(f"sum(w.share * l.{name}) AS {name}" for name in names)
        yield f'"treewright sums" AS (SELECT w.k{", w.tree" if by_tree else ""}, {sums}\n  FROM {joined} GROUP BY w.k{", w.tree" if by_tree else ""})'
        source = '"treewright sums"'
        if by_tree:  # each tree has one vote
            chosen = self._decided([f"p{k}" for k in ks], [str(k) for k in ks])
            yield f'"treewright choices" AS (SELECT k, {chosen} AS label FROM "treewright sums")'
            votes = ", ".join(
                f"sum(CASE WHEN label = {k} THEN {self.dialect.number(1.0)} ELSE {self.dialect.number(0.0)} END) AS p{k}"
                for k in ks
            )
            yield f'"treewright votes" AS (SELECT k, {votes} FROM "treewright choices" GROUP BY k)'
            source = '"treewright votes"'
        divided = f" / {self.dialect.number(float(len(program.bodies)))}" if program.forest else ""
        means = ", ".join(f"{name}{divided} AS {name}" for name in names)
        yield f'"treewright means" AS (SELECT k, {means} FROM {source})'
        if program.classes is None:
            yield '"treewright answers" AS (SELECT k, p0 AS prediction FROM "treewright means")'
            return
        decided = self._decided(
            [f"{'v' if self._has_votes else 'p'}{k}" for k in ks], [self.label(k) for k in ks]
        )
        proba = "".join(f", p{k}" for k in ks) if self.proba else ""
        yield f'"treewright answers" AS (SELECT k, {decided} AS prediction{proba} FROM "treewright means")'

    def _decided(self, votes: Sequence[str], answers: Sequence[str]) -> str:
        """The class that votes lead to, the first of equals."""
        number = self.dialect.number
        if len(votes) == 1:
            return answers[0]
        greatest, least = ("max", "min") if isinstance(self.dialect, SQLite) else ("greatest", "least")
        if self.program.costs is None or self.program.forest:
            enough = f"{greatest}({', '.join(votes)}) * {number(1 - SAME_WEIGHT)}"
            whens = " ".join(
                f"WHEN {vote} >= {enough} THEN {said}" for vote, said in zip(votes, answers, strict=True)
            )
            return f"CASE {whens} END"
        costs = [
            "("
            + " + ".join(f"{vote} * {number(cost)}" for vote, cost in zip(votes, column, strict=True))
            + ")"
            for column in self.program.costs.T.tolist()
        ]
        enough = f"{least}({', '.join(costs)}) * {number(1 + SAME_WEIGHT)}"
        whens = " ".join(
            f"WHEN {cost} <= {enough} THEN {said}" for cost, said in zip(costs, answers, strict=True)
        )
        return f"CASE {whens} END"


_SIGNS = {"==": "=", "!=": "<>"}


class _Truths:
    """Predicates in SQL's own logic, which has unknown values too."""

    def __init__(self, query: _Query) -> None:
        self.query = query

    def value(self, number: Value) -> str:
        stored = self.query.stored(number.input)
        return (
            f"({stored} + {self.query.dialect.number(float(number.offset))})"
            if number.offset
            else f"({stored})"
        )

    def constant(self, number: float) -> str:
        return self.query.dialect.number(number)

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        return self.query.dialect.arithmetic(sign, left, right)

    def compared(self, sign: str, left: str, right: str) -> str:
        return f"({left} {_SIGNS.get(sign, sign)} {right})"

    def is_missing(self, number: str) -> str:
        return f"({number} IS NULL)"

    def negated(self, truth: str) -> str:
        return f"(NOT {truth})"

    def joined(self, all_of_them: bool, one: str, other: str) -> str:
        return f"({one} {'AND' if all_of_them else 'OR'} {other})"


def _sizes(body: TreeBody) -> list[int]:
    sizes = [0] * len(body.nodes)
    for node in reversed(body.nodes):
        if node.tests:
            sizes[node.id] = 1 + sum(sizes[child] for child in node.children)
    return sizes


def _depth_of_cases(body: TreeBody) -> list[int]:
    """How deep the CASE of each node lies in those of others: its largest branch goes on in the same."""
    sizes, depth = _sizes(body), [0] * len(body.nodes)
    for node in body.nodes:
        if node.children:
            largest = max(node.children, key=lambda child: sizes[child])
            for child in node.children:
                depth[child] = depth[node.id] + (child != largest)
    return depth


def _longest_chain(body: TreeBody) -> int:
    """How many conditions stand in a row in the longest CASE."""
    sizes = _sizes(body)
    chain = [0] * len(body.nodes)
    for node in reversed(body.nodes):
        if node.children:
            chain[node.id] = len(node.children) + chain[max(node.children, key=lambda child: sizes[child])]
    return max(chain)
