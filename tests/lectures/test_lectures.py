"""Every item of the lectures, run as the page has it, and the page as the items have it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

matplotlib.use("agg")

from lectures import s0, s1, s2, s3, s4
from lectures.items import ITEMS, SIZES, SOURCES, TOPICS, names, numbers, page, printed, section
from lectures.terms import TERMS

PAGE = Path(__file__).parent.parent.parent / "docs" / "lectures.md"
MODULES = (s0, s1, s2, s3, s4)


@pytest.fixture(scope="module", name="found")
def _found() -> dict[str, str]:
    """What the items that have run said."""
    return {}


@pytest.mark.parametrize("number", ITEMS)
def test_what_the_text_has(number: str, found: dict[str, str]) -> None:
    found[number] = ITEMS[number].found(names())


def test_every_item_is_in_the_list_and_has_a_page() -> None:
    every = {number for source in SOURCES for number in numbers(source)}
    assert len(every) == sum(SIZES.values()) == 150
    assert set(ITEMS) == every
    assert sorted(number for topic in TOPICS.values() for number in topic.split()) == sorted(every)
    assert {page.stem for page in PAGE.with_suffix("").glob("[0-9]*.md")} == set(TOPICS)


def test_the_page_is_what_the_items_give(found: dict[str, str]) -> None:
    for number, one in ITEMS.items():
        if number not in found:  # they have not run, or not in this order
            found[number] = one.found(names())
    assert PAGE.read_text(encoding="utf-8") == page(found), "python tools/lectures.py writes the page anew"


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_of_the_course_ends_with_its_items_and_has_what_a_lesson_needs(topic: str) -> None:
    text = (PAGE.with_suffix("") / f"{topic}.md").read_text(encoding="utf-8")
    assert text.endswith("\n\n" + section(topic)), "python tools/lectures.py writes it anew"
    for part in ("**Question.**", "```python", "![", "## Exercise", "**Solution.**"):
        assert part in text, f"{part} is missing"


def test_terms_lead_to_items_and_stand_once() -> None:
    assert set(TERMS.values()) <= set(ITEMS)
    assert len({term.casefold() for term in TERMS}) == len(TERMS)


@pytest.fixture(scope="module", name="given")
def _given() -> dict[str, Any]:
    """The names that calls are about, with nothing else done to them."""
    return names()


@pytest.mark.parametrize("term", TERMS)
def test_the_call_of_a_term_shows_something(
    term: str, given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = eval(printed(term, ITEMS[TERMS[term]]), given)
    plt.close("all")
    assert shown is not None or capsys.readouterr().out.strip()
