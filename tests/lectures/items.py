"""Items: what the lecture texts have, each with the call that gives it and the check that it does.

An item is a function under `@item`. It is handed the names that calls are about and what its calls give, holds
that to values worked out by hand or by slow code written from the text, and says in a few words what was
found. The words make the last column of docs/lectures.md, which `python tools/lectures.py` writes.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from lectures.terms import TERMS

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


TOPICS = {
    "01-what-is-a-tree": "S0.1 S0.2 S0.3 S0.4 S0.5 S0.6 S0.7 S1.1 S1.2 S1.3 S1.4 S2.1 S3.1 S3.2 S4.14 S4.15 S4.20",
    "02-choosing-the-attribute": "S0.13 S0.14 S0.15 S0.16 S0.17 S0.18 S0.19 S0.20 S1.6 S1.7 S2.8 S3.3 S3.4 S3.5 S3.6 S3.8 S3.9",
    "03-id3-by-hand": "S0.21 S1.5 S1.8 S1.9 S1.10 S1.11 S1.12 S1.13 S2.5 S2.6 S2.7 "
    "S4.1 S4.2 S4.3 S4.4 S4.5 S4.6 S4.7 S4.8 S4.9 S4.10 S4.11 S4.13",
    "04-cart": "S0.12 S1.39 S2.10 S2.11 S3.12 S3.13 S3.14 S3.21 S3.22 S3.23 S4.16 S4.17 S4.18 S4.19",
    "05-numbers-and-many-values": "S1.25 S1.26 S1.27 S1.28 S1.29 S1.30 S1.31 S1.32 S2.9 S3.19 S3.20",
    "06-missing-values": "S1.33 S1.34 S1.35 S1.36 S1.37 S1.38 S3.33 S3.34 S3.35",
    "07-overfitting": "S0.25 S1.14 S1.15 S1.16 S1.19 S2.3 S3.10 S3.11 S3.15 S3.16 S3.17 S3.18",
    "08-pruning-by-hand": "S0.26 S0.27 S0.28 S0.29 S0.34 S0.35 S0.36 S0.37 S0.38 S0.39 S0.41 S1.17 S1.18 S1.20 S1.21 S2.4 "
    "S3.7 S3.24 S3.25 S3.26 S3.27 S3.28 S3.29 S3.30 S3.31 S3.32",
    "09-rules": "S1.22 S1.23 S1.24",
    "10-theory": "S0.8 S0.9 S0.10 S0.11 S0.24 S0.30 S0.31 S0.32 S0.33 S0.40 S2.2 S4.12",
    "11-forests": "S2.12 S2.13 S2.14 S2.15",
    "12-optimal-trees": "S0.22 S0.23",
}
"""The page of the course (docs/lectures/) that each item belongs to."""

TOPIC = {number: topic for topic, numbers in TOPICS.items() for number in numbers.split()}


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
        "# The lectures, term by term",
        "",
        "Find a term of your lecture here, and with it the page of [the course](lectures/index.md) that explains it and the call that gives",
        "it. Below stands everything that is in the five lecture texts treewright grew out of: each definition, procedure, figure, table,",
        f"number and bound, {len(found)} of {total}, with the lines of the text, the call and what comes out.",
        "",
        "Run this once; then every call on this page runs as it stands:",
        "",
        "```python",
        *SETUP.splitlines(),
        "```",
        "",
        "## Terms",
        "",
        "| term | page | call |",
        "|---|---|---|",
    ]
    for term in sorted(TERMS, key=str.casefold):
        one = ITEMS[TERMS[term]]
        lines.append(row(term, course(one.number), f"`{printed(term, one)}`"))
    for source, title in SOURCES.items():
        lines += ["", f"## {source}", "", f"{title}.", ""]
        lines += ["| item | the text has | call | what it gives |", "|---|---|---|---|"]
        for number in numbers(source):
            if number in found:
                one = ITEMS[number]
                place = f"{number}<br>lines {one.lines}<br>page {course(number, short=True)}"
                lines.append(row(place, one.text, calls(one), found[number]))
    lines += [
        "",
        "Each row is a test (`tests/lectures/`): it runs the call as it stands here and holds it to a value worked out by hand, or to slow",
        "code written from the text. `python tools/lectures.py` writes this page, and the last section of each page of the course.",
    ]
    return "\n".join(lines) + "\n"


HEAD = "## What the lectures have of this\n"
"""What the last section of a page of the course begins with."""


def section(topic: str) -> str:
    """Write the last section of a page of the course: every item that belongs to it."""
    lines = [
        HEAD,
        "Every item of the lecture texts that belongs here; the names in the calls stand at the top of [the list](../lectures.md), which says",
        "what each gives.",
        "",
        "| item | the text has | call |",
        "|---|---|---|",
    ]
    lines += [row(number, ITEMS[number].text, calls(ITEMS[number])) for number in TOPICS[topic].split()]
    return "\n".join(lines) + "\n"


def printed(term: str, one: Item) -> str:
    """Give the call of an item as one that shows something: a picture, the report of a pruning, a tree."""
    call = next((call for call in one.calls if "plot_" in call), "") if "figure" in term else one.calls[0]
    said = ast.parse(call, mode="eval").body
    last = getattr(said.func if isinstance(said, ast.Call) else said, "attr", "")
    if last == "prune" and call.startswith("tw.prune"):
        return f"print({call}.report_)"
    if last == "fit" and "RandomForest" not in call:
        return f"print(tw.export_text({call}))"
    return f"print({call})" if last in ("path_", "report_", "tree_", "rules", "prune") else call


def calls(one: Item) -> str:
    """Write the calls of an item in a cell of a table."""
    return "<br>".join(f"`{call}`" for call in one.calls)


def course(number: str, short: bool = False) -> str:
    """Link to the page of the course that an item belongs to."""
    place = TOPIC[number][:2].lstrip("0")
    name = TOPIC[number][3:].replace("-", " ").replace("id3", "ID3").replace("cart", "CART")
    return f"[{place}{'' if short else '. ' + name[0].upper() + name[1:]}](lectures/{TOPIC[number]}.md)"


def row(*cells: str) -> str:
    """Write a row of a table."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def numbers(source: str) -> list[str]:
    """Give the numbers of all items of a text, in order."""
    return [f"{source}.{place}" for place in range(1, SIZES[source] + 1)]
