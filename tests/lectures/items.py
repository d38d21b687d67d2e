"""Items: what the lecture texts have, each with the call that gives it and the check that it does.

An item is a function under `@item`. It is handed the names that calls are about and what its calls give, holds
that to values worked out by hand or by slow code written from the text, and says in a few words what was
found. The words make the last column of docs/lectures.md, which `python tools/lectures.py` writes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

SETUP = """\
from itertools import product

import numpy as np
import pandas as pd
import treewright as tw
from treewright import bounds, criteria, datasets, pruning
from treewright.evaluation import evaluate

tennis, cars, mushrooms = datasets.load_tennis(), datasets.load_cars(), datasets.load_mushrooms()
lacking = tennis[0][["Outlook"]].drop(index=[9, 13]).reindex(range(14))  # D10 and D14 lack it
temp = [[40], [48], [60], [72], [80], [90]], ["No", "No", "Yes", "Yes", "Yes", "No"]  # S1's temperatures

# truth values with labels ±1; the corners of a cube
B = pd.DataFrame(list(product([False, True], repeat=3)), columns=["x1", "x2", "x3"])
b = np.where(B.x1 & B.x2 | ~B.x1 & ~B.x3, 1, -1)
C = np.array(list(product([0, 1], repeat=6)))

# numbers and two classes; V, v are held out
rng = np.random.default_rng(0)
X, V = (pd.DataFrame(rng.normal(size=(n, 2)), columns=["p", "q"]) for n in (200, 100))
y, v = (np.where((t.p > 0) & (t.q > 0) ^ (rng.random(len(t)) < 0.2), "yes", "no") for t in (X, V))
m = tw.DecisionTreeClassifier().fit(X, y)
T = m.tree_
"""
"""What the calls are about: run once for all of them, and shown on the page."""

SOURCES = {
    "S0": "Y. Mansour, *Introduction to Machine Learning*, lecture 8: decision trees and their pruning",
    "S1": "A. Ramesh, *Introduction to Machine Learning*, CS 436/580L: decision trees",
    "S2": "F. Vandin, *Machine Learning*: decision tree and random forest",
    "S3": "*Speaker's notes on trees*",
    "S4": "B. Stein and T. Lettmann, *Machine Learning*, unit VI: decision tree algorithms",
}
SIZES = {"S0": 41, "S1": 39, "S2": 15, "S3": 35, "S4": 20}
"""How many items each text has."""


class Item(NamedTuple):
    """One item of a lecture: what the text has, in which lines, the calls that give it, and the check."""

    number: str
    text: str
    lines: str
    calls: tuple[str, ...]
    check: Callable[..., str]

    def found(self, names: dict[str, Any]) -> str:
        """Run the calls and the check; give what was found, in words."""
        words = self.check(SimpleNamespace(**names), *(eval(call, names) for call in self.calls))
        assert isinstance(words, str), f"{self.number} should say what it found"
        return words


ITEMS: dict[str, Item] = {}


def item(check: Callable[..., str]) -> Callable[..., str]:
    """Add an item to the list; its docstring has "S4.2 (lines of the text): what it has", then the calls."""
    head, _, calls = inspect.cleandoc(check.__doc__ or "").partition("\n\n")
    number, lines, text = re.fullmatch(r"(\S+) \((.*?)\): (.*)", head).groups()  # type: ignore[union-attr]
    assert number not in ITEMS, f"{number} is there twice"
    ITEMS[number] = Item(number, text, lines, tuple(calls.splitlines()), check)
    return check


def names() -> dict[str, Any]:
    """Make the names that calls are about."""
    found: dict[str, Any] = {}
    exec(SETUP, found)
    return found


def page(found: dict[str, str]) -> str:
    """Write docs/lectures.md from what the items have found."""
    total = sum(SIZES.values())
    lines = [
        "# The lectures",
        "",
        "treewright grew out of five lecture texts on decision trees. Here is every definition, procedure, figure, table, number and",
        "bound in them, with the lines of the text, the call that gives it and what comes out. Each row is a test",
        "(`tests/lectures/`): it runs the call as it stands here and holds it to a value worked out by hand, or to slow code written",
        f"from the text. {len(found)} of {total} items are in the list; `python tools/lectures.py` writes it.",
        "",
        "```python",
        *SETUP.splitlines(),
        "```",
    ]
    for source, title in SOURCES.items():
        lines += [
            "",
            f"## {source}",
            "",
            f"{title}.",
            "",
            "| item | the text has | lines | call | what it gives |",
        ]
        lines.append("|---|---|---|---|---|")
        for number in numbers(source):
            if number in found:
                one = ITEMS[number]
                calls = " · ".join(f"`{call}`" for call in one.calls)
                cells = (one.number, one.text, one.lines, calls, found[number])
                lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def numbers(source: str) -> list[str]:
    """Give the numbers of all items of a text, in order."""
    return [f"{source}.{place}" for place in range(1, SIZES[source] + 1)]
