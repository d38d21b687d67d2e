"""Diagrams: trees in the languages of Graphviz and Mermaid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treewright.export.header import header
from treewright.export.program import Program, RuleBody, TreeBody
from treewright.formatting.text import printable, quoted


@dataclass(frozen=True)
class Box:
    """A node of a diagram: its name, its lines, and whether it is an answer."""

    name: str
    lines: tuple[str, ...]
    is_answer: bool


@dataclass(frozen=True)
class Arrow:
    """A way from one box to another, with the condition that holds on it."""

    start: str
    end: str
    words: str


def parts(program: Program, max_depth: int | None) -> Iterator[Box | Arrow]:
    """Give the boxes and arrows of a model, tree by tree; of rules a chain."""
    for place, body in enumerate(program.bodies):
        prefix = f"t{place}n" if program.forest else "n"
        if isinstance(body, RuleBody):
            yield from _rules(program, body)
        else:
            yield from _tree(program, body, prefix, max_depth)


def _tree(program: Program, body: TreeBody, prefix: str, max_depth: int | None) -> Iterator[Box | Arrow]:
    depth = {0: 0}
    for node in body.nodes:
        if node.id not in depth:
            continue
        name = f"{prefix}{node.id}"
        if not node.tests or depth[node.id] == max_depth:
            said = (said_at(program, body, node.id),) if node.id in body.end_of else ("…",)
            yield Box(name, said, True)
            continue
        names = program.names_of(node.tests[0]).replace(" and ", ", ").replace("'", "")
        yield Box(name, (f"node {node.id}", printable(names)), False)
        for branch, child in enumerate(node.children):
            depth[child] = depth[node.id] + 1
            yield Arrow(name, f"{prefix}{child}", program.words(node, branch, max_categories=8))


def _rules(program: Program, body: RuleBody) -> Iterator[Box | Arrow]:
    for place, rule in enumerate(body.rules):
        words = tuple(program.clause_words(clause, 8) for clause in rule) or ("always",)
        yield Box(f"r{place}", words, False)
        yield Box(f"a{place}", (said_at(program, body, place),), True)
        yield Arrow(f"r{place}", f"a{place}", "yes")
        following = f"r{place + 1}" if place + 1 < len(body.rules) else f"a{place + 1}"
        yield Arrow(f"r{place}", following, "no")
    yield Box(f"a{len(body.rules)}", (said_at(program, body, len(body.rules)),), True)


def said_at(program: Program, body: TreeBody | RuleBody, at: int) -> str:
    """Say what is predicted at a node, or by a rule."""
    end = body.end_of[at] if isinstance(body, TreeBody) else at
    answers = body.answers
    if program.linear is not None:
        return program.linear.words[end]
    if answers.label is None or program.classes is None:
        return f"{answers.proba[end, 0]:.6g}"
    label = int(answers.label[end])
    if label < 0:
        return "unclassified"
    return f"{quoted(str(program.classes[label]))} ({100 * answers.proba[end, label]:.0f} %)"


def export_dot(program: Program, *, max_depth: int | None = None) -> str:
    """Write a graph for Graphviz: ``dot -Tsvg model.dot``.

    Parameters
    ----------
    program : Program
    max_depth : int, optional
        Show no deeper levels.
    """
    lines = [f"// {printable(line)}" for line in header(program, "draw it: dot -Tsvg model.dot -o model.svg")]
    lines += [
        "digraph {",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for part in parts(program, max_depth):
        if isinstance(part, Box):
            style = ', style="rounded,filled", fillcolor="#eeeeee"' if part.is_answer else ""
            lines.append(f"  {part.name} [label={_dot_string(*part.lines)}{style}];")
        else:
            lines.append(f"  {part.start} -> {part.end} [label={_dot_string(part.words)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_string(*lines: str) -> str:
    shown = [printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(shown) + '"'


def export_mermaid(program: Program, *, max_depth: int | None = None) -> str:
    """Write a flowchart for Mermaid, which Markdown pages show; `max_depth` is as for `export_dot`."""
    lines = ["flowchart TD"]
    lines += [f"  %% {_plain(line)}" for line in header(program)]
    for part in parts(program, max_depth):
        if isinstance(part, Box):
            opened, closed = ('(["', '"])') if part.is_answer else ('["', '"]')
            lines.append(f"  {part.name}{opened}{'<br>'.join(map(_mermaid_text, part.lines))}{closed}")
        else:
            lines.append(f'  {part.start} -->|"{_mermaid_text(part.words)}"| {part.end}')
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """A comment may hold no directive."""
    return printable(text).replace("{", "(").replace("}", ")").replace("%", "per cent")


def _mermaid_text(text: str) -> str:
    """Write what Mermaid would read as its own as numbers of characters."""
    return "".join(
        c if c.isalnum() or c in " .,:=≤≥−–-_²·…()+" or ord(c) > 0x2FFF else f"#{ord(c)};"
        for c in printable(text)
    )
