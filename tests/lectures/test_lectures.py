"""Every item of the lectures, run as the page has it, and the page as the items have it."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest

matplotlib.use("agg")

from lectures import s0, s1, s2, s3, s4
from lectures.items import ITEMS, SIZES, SOURCES, names, numbers, page

PAGE = Path(__file__).parent.parent.parent / "docs" / "lectures.md"
MODULES = (s0, s1, s2, s3, s4)

NOT_YET = {"S0.23", "S1.4"}  # the smallest tree
"""Items whose calls do not exist yet; whoever adds one takes it out here."""


@pytest.fixture(scope="module", name="found")
def _found() -> dict[str, str]:
    """What the items that have run said."""
    return {}


@pytest.mark.parametrize("number", ITEMS)
def test_what_the_text_has(number: str, found: dict[str, str]) -> None:
    found[number] = ITEMS[number].found(names())


def test_every_item_is_in_the_list_or_known_to_be_missing() -> None:
    every = {number for source in SOURCES for number in numbers(source)}
    assert len(every) == sum(SIZES.values()) == 150
    assert set(ITEMS) | NOT_YET == every
    assert not set(ITEMS) & NOT_YET


def test_the_page_is_what_the_items_give(found: dict[str, str]) -> None:
    for number, one in ITEMS.items():
        if number not in found:  # they have not run, or not in this order
            found[number] = one.found(names())
    assert PAGE.read_text(encoding="utf-8") == page(found), "python tools/lectures.py writes the page anew"
