"""What targets hold that have binary trees only, each leaf with the class of most weight."""

from __future__ import annotations

import numpy as np

from treewright.errors import ExportError
from treewright.export.comparisons import Cut, Lookup
from treewright.export.program import SHARE, STAY, Node, Program, RuleBody, refusal, refuse_linear
from treewright.tree.decision import decide


def check_binary(program: Program, target: str, *, categories: bool) -> None:
    """Refuse a program that is more than binary trees.

    Parameters
    ----------
    program : Program
    target : str
        The name of what refuses it.
    categories : bool
        Whether the target has splits by sets of categories.
    """
    refuse_linear(program, target)
    for one in program.inputs:
        if one.predicate is not None:
            raise ExportError(
                f"predicate {one.name!r} is worked out of columns, which {target} cannot hold: "
                "add it to the table as a column."
            )
    for number, body in enumerate(program.bodies):
        if isinstance(body, RuleBody):
            raise ExportError(f"{program.kind} is a list of rules, which {target} cannot hold.")
        for node in body.nodes:
            what = _more(program, node, categories)
            if what:
                raise refusal(program, target, what, node=node.id, body=number, test=node.tests[0])
        label = body.answers.label
        if label is not None and not program.forest:
            other = np.flatnonzero(label != decide(body.answers.proba))
            if len(other):
                raise ExportError(
                    f"node {body.ends[other[0]]} predicts another class than the one of most weight, which "
                    f"{target} cannot hold."
                )


def _more(program: Program, node: Node, categories: bool) -> str:
    """Say what of a node is more than a binary split; nothing if it is one, or a leaf."""
    if not node.tests:
        return ""
    test = node.tests[0]
    if len(node.tests) > 1:
        return "with surrogates"
    if node.default in (SHARE, STAY):
        return f"and {'shares' if node.default == SHARE else 'keeps'} rows that miss the value"
    if len(node.children) > 2:
        return f"into {len(node.children)} branches"
    if program.oblique(test.quantity) is not None:
        return "by a sum over columns"
    return "by sets of categories" if isinstance(test, Lookup) and not categories else ""


def cut_of(test: Cut | Lookup) -> float:
    """Give the one cut of a test."""
    assert isinstance(test, Cut)
    return test.cuts[0]
