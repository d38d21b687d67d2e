"""Source code: how a language writes numbers and predicates, and trees with a block for each node."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from treewright.errors import ExportError
from treewright.export.comparisons import Cut, Input, Oblique, Plane, Test
from treewright.export.expressions import Truth, Value, read_expression, written
from treewright.export.program import STAY, Array, Body, Clause, LinearEnds, Node, Program, RuleBody, TreeBody

MOST_NESTED_ENDS, DEEPEST_NESTED, MOST_NESTED_CODES = 1_000, 40, 20_000
"""Leaves of a model, depth of a tree and codes in all tests up to which code has a block for each node."""


def check_form(program: Program, form: str) -> str:
    """Refuse a form that is unknown, or that a model cannot have."""
    if form not in ("auto", "nested", "table"):
        raise ExportError(f"form must be 'auto', 'nested' or 'table', got {form!r}.")
    if form == "nested" and program.shares_rows:
        raise ExportError("form='nested' cannot hold a tree that shares rows over branches: use 'table'.")
    return form


def nested(program: Program, form: str) -> bool:
    """Whether a model is written as nested blocks rather than as tables.

    Parameters
    ----------
    program : Program
    form : {"auto", "nested", "table"}
        `"auto"` goes by size. Rows that are shared over branches need tables.
    """
    if check_form(program, form) != "auto":
        return form == "nested"
    depth = max(body.depth if isinstance(body, TreeBody) else 0 for body in program.bodies)
    return (
        not program.shares_rows
        and program.n_ends <= MOST_NESTED_ENDS
        and depth <= DEEPEST_NESTED
        and sum(program.n_codes) <= MOST_NESTED_CODES
    )


def predicate_of(program: Program, one: Input) -> Truth:
    """Give the predicate of an input, resolved to inputs."""
    assert one.predicate is not None
    columns = {other.name: (place, other.column) for place, other in enumerate(program.inputs)}
    return read_expression(str(one.predicate.rule), columns)


WORDS = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//.*|\#.*|(\w+)""")
"""Names of code, and what is none: strings and comments."""


def helpers_for(text: str, pieces: Mapping[str, str]) -> list[str]:
    """Choose the helpers that a text needs, and those that they need, in their order."""
    needed: set[str] = set()
    waiting = [text]
    while waiting:
        new = (pieces.keys() & set(WORDS.findall(waiting.pop()))) - needed
        needed |= new
        waiting += [pieces[name] for name in new]
    return [piece for name, piece in pieces.items() if name in needed]


def calls(program: Program, prefix: str = "") -> tuple[str, str]:
    """Write what gives the answer to a row, and its probabilities, by functions of these names."""
    if program.linear is not None:
        return f"{prefix}equation({prefix}read(row))", ""
    if program.sums:
        sums = f"{prefix}{'votes' if program.decides_by_tree else 'sums'}(row, {prefix}"
        decide = f"{prefix}{'decide' if program.costs is None else 'cheapest'}"
        answer, proba, label = f"{sums}PROBA)[0]", f"{sums}PROBA)", f"{decide}({sums}VOTES))"
    else:
        end = f"{prefix}end({prefix}read(row))"
        answer, proba, label = f"{prefix}PROBA[{end}]", f"{prefix}line({end})", f"{prefix}LABELS[{end}]"
    return answer if program.classes is None else f"{prefix}label({label})", proba


def pieces_of(helpers: str, definition: str) -> dict[str, str]:
    """Take helpers apart that are set off by blank lines; `definition` finds the name of each."""
    parts = [part.strip("\n") for part in re.split(r"\n\n\n", helpers) if part.strip()]
    return {re.search(definition, part)[1]: part for part in parts}  # type: ignore[index]


def wrapped(texts: Iterable[str], indent: str) -> str:
    """Write the entries of a list, sixteen to a line."""
    entries = list(texts)
    lines = [", ".join(entries[at : at + 16]) for at in range(0, len(entries), 16)]
    return f",\n{indent}".join(lines)


class Language(ABC):
    """How a language writes numbers, comments and predicates; of these the truth is 1, 0 or NaN.

    Predicates call functions that stand in what is written: ``finite``, ``compare``, ``both``, ``either``.
    """

    prefix, finite = "", "finite"
    signs: Mapping[str, str] = MappingProxyType({})
    """Comparisons that are written otherwise than in Python."""

    @abstractmethod
    def number(self, value: float) -> str:
        """Write a number so that it is read back to the last bit."""

    def literal(self, value: Any) -> str:
        """Write a class label or a category."""
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        return self.whole(value) if isinstance(value, int) else self.number(value)

    def string(self, text: str) -> str:
        """Write text."""
        return repr(text)

    def whole(self, value: int) -> str:
        """Write a whole number of any size."""
        return str(value)

    @abstractmethod
    def comment(self, text: str) -> str:
        """Write a comment that ends with its line, whatever is in it."""

    @abstractmethod
    def is_missing(self, number: str) -> str:
        """Write whether a number is NaN, as 1 or 0."""

    def input(self, place: int) -> str:
        """Name the variable of an input."""
        return f"x{place}"

    def inputs(self, program: Program, read: Callable[[int, Input], str]) -> list[tuple[str, str]]:
        """Give the variable of each input, and what it is: read from the row, or a predicate worked out."""
        return [
            (self.input(at), read(at, one) if one.predicate is None else self.predicate(program, one))
            for at, one in enumerate(program.inputs)
        ]

    def predicate(self, program: Program, one: Input) -> str:
        """Write what the predicate of an input gives."""
        return written(predicate_of(program, one), self)

    def value(self, number: Value) -> str:
        """Write the number of an input with its offset."""
        x = self.input(number.input)
        return f"({x} + {self.number(float(number.offset))})" if number.offset else x

    def constant(self, number: float) -> str:
        """Write a number of an expression."""
        return f"({self.number(number)})"

    def arithmetic(self, sign: str, left: str, right: str) -> str:
        """Join two numbers; NaN unless the result is finite."""
        return f"{self.prefix}{self.finite}({left} {sign} {right})"

    def compared(self, sign: str, left: str, right: str) -> str:
        """Compare two numbers; NaN if one of them is."""
        holds = f"{left} {self.signs.get(sign, sign)} {right}"
        return f"{self.prefix}compare({left}, {right}, {holds})"

    def negated(self, truth: str) -> str:
        """Write the opposite."""
        return f"(1 - {truth})"

    def joined(self, all_of_them: bool, one: str, other: str) -> str:
        """Join two truths by and, or by or."""
        return f"{self.prefix}{'both' if all_of_them else 'either'}({one}, {other})"


@dataclass(frozen=True)
class Arm:
    """A branch of a node with the condition that leads to it; None is whatever is left."""

    condition: str | None
    branch: int


class Source(Language):
    """Writes a program as source code, a block for each node; by default with the braces of C and JavaScript.

    Parameters
    ----------
    program : Program
    """

    and_, or_, true = "&&", "||", "true"
    indent, stop = "    ", ";"

    def __init__(self, program: Program) -> None:
        self.program = program

    # ---- what a language says ------------------------------------------------------------------------

    @abstractmethod
    def among(self, x: str, codes: Sequence[int]) -> str:
        """Write that a code is one of several."""

    @abstractmethod
    def is_nan(self, x: str) -> str:
        """Write that a number is NaN."""

    def block(self, word: str, condition: str | None) -> str:
        """Begin the block of ``if``, ``elif`` or ``else``."""
        return "else {" if condition is None else f"{'else if' if word == 'elif' else word} ({condition}) {{"

    def end_block(self) -> list[str]:
        """End a block."""
        return ["}"]

    def set_branch(self, branch: int) -> str:
        """Keep the number of a branch as `b`."""
        return f"b = {branch}{self.stop}"

    def give(self, end: int) -> str:
        """Return from the function with an end."""
        return f"return {end}{self.stop}"

    # ---- expressions -----------------------------------------------------------------------------------

    def quantity(self, quantity: int) -> str:
        """Write what a test compares."""
        oblique = self.program.oblique(quantity)
        return self.input(quantity) if oblique is None else self.total(oblique)

    def total(self, oblique: Oblique) -> str:
        """Write a sum, to be added from left to right."""
        if isinstance(oblique, Plane):
            return " + ".join(f"{self.number(weight)} * {self.input(x)}" for x, weight in oblique.terms)
        terms = []
        for x, centre, scale in oblique.terms:
            distance = f"({self.input(x)} - {self.number(centre)})"
            terms.append(f"{self.number(scale)} * {distance} * {distance}")
        return " + ".join(terms)

    def above(self, x: str, cut: float) -> str:
        """Write that a number lies above a cut; false for NaN."""
        return f"{x} > {self.number(cut)}"

    def at_most(self, x: str, cut: float) -> str:
        """Write that a number is at most a cut; false for NaN."""
        return f"{x} <= {self.number(cut)}"

    def arms(self, test: Test, default: int | None) -> list[Arm]:
        """Give the branches of a test in the order to ask for them; `default` is what is left, if given."""
        x = self.quantity(test.quantity)
        if not isinstance(test, Cut):
            branches = sorted(set(test.branches.values()) - {default})
            found = [Arm(self.among(x, test.codes(branch)), branch) for branch in branches]
        else:
            last = len(test.cuts)
            upto = last if default is None else default
            found = [Arm(self.at_most(x, test.cuts[branch]), branch) for branch in range(upto)]
            if default is None:
                found.append(Arm(self.above(x, test.cuts[-1]), last))
            else:
                down = range(last, default, -1)
                found += [Arm(self.above(x, test.cuts[branch - 1]), branch) for branch in down]
        return found if default is None else [*found, Arm(None, default)]

    def holds(self, clause: Clause) -> str:
        """Write that a clause of a rule holds."""
        test, x = clause.test, self.quantity(clause.test.quantity)
        if isinstance(test, Cut):
            low, high = test.bounds(clause.branch)
            parts = [self.above(x, low)] if low != -math.inf else []
            parts += [self.at_most(x, high)] if high != math.inf or not parts else []
            text = f" {self.and_} ".join(parts)
            missing = f"({text} {self.or_} {self.is_nan(x)})"
            return missing if clause.missing else text
        codes = test.codes(clause.branch)
        parts = [self.among(x, codes)] if codes else []
        parts += [self.is_nan(x)] if clause.missing else []
        return f"({f' {self.or_} '.join(parts)})" if parts else self.above(x, math.inf)

    # ---- statements --------------------------------------------------------------------------------------

    def body(self, body: Body, first_end: int) -> Iterator[str]:
        """Write the statements of a tree or of rules."""
        return self.tree(body, first_end) if isinstance(body, TreeBody) else self.rules(body, first_end)

    def tree(self, body: TreeBody, first_end: int, depth: int = 1) -> Iterator[str]:
        """Write the statements of a tree; each way through them ends with `give`."""
        waiting: list[tuple[int, str | Node]] = [(depth, body.nodes[0])]
        while waiting:
            depth, what = waiting.pop()
            if isinstance(what, str):
                yield self.indent * depth + what
            elif not what.tests:
                yield self.indent * depth + self.give(first_end + body.end_of[what.id])
            else:
                stay = self.give(first_end + body.end_of[what.id]) if what.default == STAY else None
                waiting += reversed([*self._node(what, body, stay, depth)])

    def _node(
        self, node: Node, body: TreeBody, stay: str | None, depth: int
    ) -> Iterator[tuple[int, str | Node]]:
        """Write the statements of one node, with the nodes below in their places."""
        if len(node.tests) == 1:
            arms = self.arms(node.tests[0], None if stay else node.default)
        else:
            yield from ((depth, line) for line in self._surrogates(node))
            branches = range(len(node.children))
            arms = [Arm(f"b == {branch}", branch) for branch in branches if branch != node.default]
            arms += [] if stay else [Arm(None, node.default)]
        for place, arm in enumerate(arms):
            word = "if" if place == 0 else "elif" if arm.condition is not None else "else"
            if place == 0 and arm.condition is None:  # every row goes the same way
                yield depth, body.nodes[node.children[arm.branch]]
                return
            yield depth, f"{self.block(word, arm.condition)}{self._words(node, arm.branch)}"
            yield depth + 1, body.nodes[node.children[arm.branch]]
            yield from ((depth, line) for line in self.end_block())
        if stay:
            yield depth, stay

    def _surrogates(self, node: Node) -> Iterator[str]:
        """Write the choice of a branch by several tests in order."""
        arms = [arm for test in node.tests for arm in self.arms(test, None)]
        yield self.set_branch(node.default)
        for place, arm in enumerate(arms):
            yield self.block("elif" if place else "if", arm.condition)
            yield self.indent + self.set_branch(arm.branch)
            yield from self.end_block()

    def _words(self, node: Node, branch: int) -> str:
        return "  " + self.comment(self.program.words(node, branch))

    def rules(self, body: RuleBody, first_end: int) -> Iterator[str]:
        """Write rules, each a block of its own."""
        for place, rule in enumerate(body.rules):
            conditions = f" {self.and_} ".join(map(self.holds, rule)) or self.true
            words = " AND ".join(map(self.program.clause_words, rule))
            yield f"{self.indent}{self.block('if', conditions)}  {self.comment(words or 'always')}"
            yield self.indent * 2 + self.give(first_end + place)
            yield from (self.indent + line for line in self.end_block())
        yield self.indent + self.give(first_end + len(body.rules))


class Writer:
    """Writes a program in a language; each language has its own parts.

    Parameters
    ----------
    source : Source
    form : {"auto", "nested", "table"}
    """

    labels, votes, proba = "LABELS", "VOTES", "PROBA"
    """What the lists are called that answers are looked up in."""
    whole_list = number_list = same_list = "{} = {}"
    """How lists are declared, by their name and numbers: of whole numbers, of others, of those of another."""

    def __init__(self, source: Source, form: str) -> None:
        self.source, self.program = source, source.program
        self.nested = nested(source.program, form)

    def answers(self) -> Iterator[str]:
        """What is said at each end: labels, votes and probabilities, or equations."""
        program, answers = self.program, self.program.answers
        if program.linear is not None:
            yield from self._equations(program.linear)
            return
        if program.has_labels:
            yield self.whole_list.format(self.labels, self._whole(answers.labels))
        if program.has_votes:
            yield self.number_list.format(self.votes, self._lines(answers.votes))
        if program.proba_is_votes:
            yield self.same_list.format(self.proba, self.votes)
        else:
            yield self.number_list.format(self.proba, self._lines(answers.proba))

    def functions(self, own: str = "") -> Iterator[str]:
        """The functions that users call; `own` begins the names of those that they call in turn."""
        answer, proba = calls(self.program, own)
        yield self._function("predict", answer)
        if self.program.classes is not None:
            yield self._function("predict_proba", proba)

    def _whole(self, numbers: list[int]) -> str:
        """Write a whole number for each end."""
        raise NotImplementedError

    def _lines(self, numbers: Array) -> str:
        """Write a line of numbers for each end."""
        raise NotImplementedError

    def _equations(self, linear: LinearEnds) -> Iterator[str]:
        raise NotImplementedError

    def _function(self, name: str, answer: str) -> str:
        """Write a function of a row."""
        raise NotImplementedError
