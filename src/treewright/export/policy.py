"""Policies: trees and rules as text for papers and slides, in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treewright.errors import ExportError
from treewright.export.diagrams import said_at
from treewright.export.header import header
from treewright.export.program import Program, RuleBody, TreeBody
from treewright.formatting.text import printable


def export_markdown(program: Program, *, max_depth: int | None = None) -> str:
    """Write a nested list, for rules a numbered one; levels below `max_depth` are left out."""
    first, *others = header(program)
    lines = [
        f"## {_markdown(first)}",
        "",
        *(f"{_indent(line)}- {_markdown(line.strip())}" for line in others),
        "",
    ]
    for place, body in enumerate(program.bodies):
        if program.forest:
            lines += [f"### Tree {place + 1}", ""]
        if isinstance(body, RuleBody):
            for number, words, said in _rules(program, body):
                lines.append(
                    f"{number}. If {' and '.join(map(_markdown, words))}, then **{_markdown(said)}**."
                )
            last = said_at(program, body, len(body.rules))
            lines.append(f"{len(body.rules) + 1}. Otherwise **{_markdown(last)}**.")
        else:
            lines += [
                f"{'  ' * depth}- {_markdown(words)}{f' → **{_markdown(said)}**' if said else ''}"
                for depth, words, said in _outline(program, body, max_depth, most=2000, target="Markdown")
            ]
        lines.append("")
    return "\n".join(lines)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _rules(program: Program, body: RuleBody) -> Iterator[tuple[int, list[str], str]]:
    for place, rule in enumerate(body.rules):
        words = [program.clause_words(clause, None) for clause in rule] or ["anything holds"]
        yield place + 1, words, said_at(program, body, place)


def _outline(
    program: Program, body: TreeBody, max_depth: int | None, *, most: int, target: str
) -> Iterator[tuple[int, str, str]]:
    """Go over the nodes from the top down, with their depth, the words of their branch and what they say.

    A line is indented by its depth, so that a deep tree takes the square of its depth.
    """
    waiting = [(0, 0, "all rows")]
    while waiting:
        at, depth, words = waiting.pop()
        if depth > most:
            raise ExportError(f"a tree deeper than {most} levels is too deep for {target}: use max_depth.")
        node = body.nodes[at]
        ends = not node.tests or depth == max_depth
        yield depth, words, (said_at(program, body, at) if at in body.end_of else "…") if ends else ""
        if not ends:
            below = [
                (child, depth + 1, program.words(node, branch, max_categories=8))
                for branch, child in enumerate(node.children)
            ]
            waiting += reversed(below)


def _markdown(text: str) -> str:
    """Write text that Markdown reads as text."""
    return re.sub(r"([\\`*_{}\[\]<>#|~!&$])", r"\\\1", printable(text))


LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "−": r"$-$",
    "·": r"$\cdot$",
    "²": r"$^2$",
    "∈": r"$\in$",
    "…": r"\dots{}",
    "→": r"$\to$",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
    ",": "{,}",
    "=": "{=}",
}


def latex_text(text: str) -> str:
    r"""Write text that LaTeX and its package forest read as text.

    Examples
    --------
    >>> print(latex_text("cost_in_$ ≤ 3"))
    cost\_in\_\$ $\le$ 3
    """
    return "".join(LATEX.get(character, character) for character in printable(text))


def export_latex(program: Program, *, max_depth: int | None = None, standalone: bool = True) -> str:
    """Write a tree of the package forest, for rules a numbered list.

    Parameters
    ----------
    program : Program
    max_depth : int, optional
        Show no deeper levels.
    standalone : bool
        Whether to write a whole document rather than what stands in one.
    """
    lines = [f"% {printable(line)}" for line in header(program, "needs \\usepackage[T1]{fontenc}, forest")]
    if standalone:
        kind = "article" if program.is_rules else "standalone"
        lines += [f"\\documentclass{{{kind}}}", r"\usepackage[T1]{fontenc}", r"\usepackage{forest}"]
        lines += [r"\begin{document}"]
    for body in program.bodies:
        lines += (
            _latex_rules(program, body) if isinstance(body, RuleBody) else _forest(program, body, max_depth)
        )
    return "\n".join([*lines, r"\end{document}", ""] if standalone else [*lines, ""])


def _latex_rules(program: Program, body: RuleBody) -> Iterator[str]:
    yield r"\begin{enumerate}"
    for _, words, said in _rules(program, body):
        yield rf"  \item If {' and '.join(map(latex_text, words))}, then \textbf{{{latex_text(said)}}}."
    yield rf"  \item Otherwise \textbf{{{latex_text(said_at(program, body, len(body.rules)))}}}."
    yield r"\end{enumerate}"


def _forest(program: Program, body: TreeBody, max_depth: int | None) -> Iterator[str]:
    outline = list(_outline(program, body, max_depth, most=100, target="LaTeX"))
    yield r"\begin{forest}"
    yield r"for tree={draw, rounded corners, align=center, parent anchor=south, child anchor=north}"
    before = -1
    for depth, words, said in outline:
        closed = "]" * (before - depth + 1)
        if closed:
            yield f"{'  ' * (depth + 1)}{closed}"
        bold = rf"\\\textbf{{{latex_text(said)}}}" if said else ""
        yield f"{'  ' * (depth + 1)}[{{{latex_text(words)}{bold}}}"
        before = depth
    yield "  " + "]" * (before + 1)
    yield r"\end{forest}"
