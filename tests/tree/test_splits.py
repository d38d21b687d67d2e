"""Splits: how they read in words, and many of them in one table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data import Column, Schema
from treewright.formatting.text import printable
from treewright.tree.splits import (
    Hyperplane,
    Intervals,
    Sphere,
    Split,
    SplitTable,
    Table,
    Threshold,
    concatenated_ranges,
)

SCHEMA = Schema(
    (
        Column("petal width"),
        Column("outlook", "categorical", ("Sunny", "Overcast", "Rain")),
        Column("grade", "ordinal", ("low", "mid", "high")),
        Column("born", unit="datetime64[D]", offset=18262),  # days since 1970: 2020-01-01
        Column("id", offset=2**60),
        Column("a"),
        Column("b"),
        Column("tag", "categorical", ("red, green", "", " x", "plain", 'say "hi"')),
        Column("many", "categorical", tuple(f"v{i}" for i in range(1000))),
    )
)
ALL_KINDS: list[Split] = [
    Threshold(0, 0.8),
    Table(1, {0: 0, 1: 1, 2: 2}, 3),
    Table(1, {0: 0, 1: 1, 2: 0}, 2),
    Hyperplane((0, 5), (0.8, -0.3), 1.9),
    Sphere((5, 6), (1.0, -2.0), (1.0, 0.5), 4.0),
    Threshold(2, 1.0),
    Intervals(0, (0.8, 1.75)),
]


@pytest.mark.parametrize(
    ("split", "branch", "words"),
    [
        (Threshold(0, 0.8), 0, "petal width ≤ 0.8"),
        (Threshold(0, 0.8), 1, "petal width > 0.8"),
        (Threshold(0, 3.0), 0, "petal width ≤ 3"),
        (Threshold(0, math.inf), 0, "petal width is known"),
        (Threshold(0, math.inf), 1, "petal width is missing"),
        (Threshold(2, 1.0), 0, "grade ≤ mid"),
        (Threshold(2, 0.5), 1, "grade > low"),
        (Threshold(3, 59.0), 0, "born ≤ 2020-02-29"),
        (Threshold(4, 1.0), 1, "id > 1152921504606846977"),
        (Table(1, {0: 0, 1: 1, 2: 2}, 3), 2, "outlook = Rain"),
        (Table(1, {0: 0, 1: 1, 2: 0}, 2), 0, "outlook in {Sunny, Rain}"),
        (Table(1, {0: 0, 1: 1, 2: 0}, 2), 1, "outlook = Overcast"),
        (Table(1, {0: 0, 1: 1, 2: 0}, 3), 2, "outlook is missing"),
        (Table(7, {0: 0, 1: 0, 2: 0, 4: 0, 3: 1}, 2), 0, r'tag in {"red, green", "", " x", "say \"hi\""}'),
        (Hyperplane((5, 6), (0.8, 0.3), 1.9), 0, "0.8·a + 0.3·b ≤ 1.9"),
        (Hyperplane((5, 6), (-1.0, -0.3), -1.9), 1, "−a − 0.3·b > -1.9"),
        (Hyperplane((3, 5), (2.0, 1.0), 7.0), 0, "2·(born − 2020-01-01) + a ≤ 7"),
        (Sphere((5, 6), (1.0, -2.0), (1.0, 0.5), 4.0), 0, "(a − 1)² + 0.5·(b + 2)² ≤ 4"),
        (Intervals(0, (0.8, 1.75)), 0, "petal width ≤ 0.8"),
        (Intervals(0, (0.8, 1.75)), 1, "0.8 < petal width ≤ 1.75"),
        (Intervals(0, (0.8, 1.75)), 2, "petal width > 1.75"),
        (Intervals(2, (0.5, 1.5)), 1, "low < grade ≤ mid"),
        (Intervals(3, (59.0,)), 1, "born > 2020-02-29"),
    ],
)
def test_a_condition_reads_as_a_person_would_write_it(split: Split, branch: int, words: str) -> None:
    assert split.condition(SCHEMA, branch) == words


def test_fixed_decimals_round_numbers_but_not_dates_or_categories() -> None:
    assert Threshold(0, 2 / 3).condition(SCHEMA, 0, decimals=2) == "petal width ≤ 0.67"
    assert Threshold(3, 59.0).condition(SCHEMA, 0, decimals=2) == "born ≤ 2020-02-29"
    assert Hyperplane((5, 6), (1 / 3, -2 / 3), 0.0).condition(SCHEMA, 0, decimals=1) == "0.3·a − 0.7·b ≤ 0.0"


def test_long_lists_are_shortened_with_a_count() -> None:
    split = Table(8, {code: int(code >= 999) for code in range(1000)}, 2)
    assert split.condition(SCHEMA, 0, max_categories=3) == "many in {v0, v1, … 997 more}"
    assert split.condition(SCHEMA, 0).count(",") == 998
    assert split.condition(SCHEMA, 1, max_categories=3) == "many = v999"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_shown_threshold_reads_back_as_the_one_used(threshold: float) -> None:
    sign, shown = Threshold(0, threshold).condition(SCHEMA, 0).removeprefix("petal width ").split()
    # *below t* is *at most the number before t*
    assert (float(shown) if sign == "≤" else math.nextafter(float(shown), -math.inf)) == threshold


def test_all_cuts_of_a_table_read_alike() -> None:
    cuts = [2.5, 1.75, 0.0, 1 / 3]
    below = SplitTable.from_splits([Threshold(0, math.nextafter(cut, -math.inf)) for cut in cuts])
    assert [split.condition(SCHEMA, 0) for split in below] == [
        f"petal width < {words}" for words in ("2.5", "1.75", "0", "0.3333333333333333")
    ]
    assert below[0].condition(SCHEMA, 1) == "petal width ≥ 2.5"
    mixed = SplitTable.from_splits([*below, Threshold(0, 9.0)])
    assert mixed[0].condition(SCHEMA, 0) == "petal width ≤ 2.4999999999999996"
    assert mixed[-1].condition(SCHEMA, 1) == "petal width > 9"


def test_control_characters_are_escaped_and_other_scripts_kept() -> None:
    schema = Schema((Column("a\nb\x1b[31m"), Column("גיל"), Column("x\u202ey")))
    assert Threshold(0, 1.0).condition(schema, 0) == "a\\nb\\x1b[31m ≤ 1"
    assert Threshold(1, 1.0).condition(schema, 0) == "גיל ≤ 1"
    assert Threshold(2, 1.0).condition(schema, 0) == "x\\u202ey ≤ 1"


@given(st.text())
def test_printable_text_stays_on_its_line(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(c) < 32 or c in "\x7f\u202e\u2066" for c in shown)
    shown.encode()  # no half characters


def test_to_dict_names_what_the_user_knows() -> None:
    assert Threshold(0, 0.8).to_dict(SCHEMA) == {
        "kind": "threshold",
        "feature": "petal width",
        "threshold": 0.8,
    }
    assert Threshold(2, 1.5).to_dict(SCHEMA)["threshold"] == "mid"
    for feature in (0, 2, 3, 4):  # known against missing
        assert Threshold(feature, np.inf).to_dict(SCHEMA)["threshold"] is None
    assert Threshold(3, 59.0).to_dict(SCHEMA)["threshold"] == "2020-02-29"
    assert Threshold(4, 1.0).to_dict(SCHEMA)["threshold"] == 2**60 + 1
    assert Table(1, {0: 0, 1: 1, 2: 2}, 3).to_dict(SCHEMA) == {
        "kind": "multiway",
        "feature": "outlook",
        "groups": [["Sunny"], ["Overcast"], ["Rain"]],
    }
    subset = Table(1, {0: 0, 1: 1, 2: 0}, 2)
    assert not subset.is_multiway
    assert subset.to_dict(SCHEMA)["kind"] == "subset"
    assert subset.to_dict(SCHEMA)["groups"] == [["Sunny", "Rain"], ["Overcast"]]
    assert Hyperplane((5, 6), (0.8, 0.3), 1.9).to_dict(SCHEMA) == {
        "kind": "hyperplane",
        "features": ["a", "b"],
        "weights": [0.8, 0.3],
        "threshold": 1.9,
    }
    assert Sphere((5,), (1.0,), (2.0,), 4.0).to_dict(SCHEMA)["centres"] == [1.0]
    assert Intervals(3, (59.0, 60.0)).to_dict(SCHEMA) == {
        "kind": "interval",
        "feature": "born",
        "cuts": ["2020-02-29", "2020-03-01"],
    }


def test_a_table_gives_back_the_splits_put_in() -> None:
    table = SplitTable.from_splits(ALL_KINDS)
    assert list(table) == ALL_KINDS
    assert table[-1] == ALL_KINDS[-1]
    assert len(table) == len(ALL_KINDS)
    with pytest.raises(IndexError):
        table[len(ALL_KINDS)]
    assert SplitTable.from_arrays(table.arrays("any_"), "any_") == table


@given(st.lists(st.integers(0, len(ALL_KINDS) - 1)))
def test_take_equals_taking_from_a_list(indices: list[int]) -> None:
    taken = SplitTable.from_splits(ALL_KINDS).take(indices)
    expected = [ALL_KINDS[index] for index in indices]
    assert list(taken) == expected
    assert taken == SplitTable.from_splits(expected)


def test_equality_sees_every_column() -> None:
    table = SplitTable.from_splits(ALL_KINDS)
    for name, array in table.arrays("").items():
        changed = array.copy()
        changed[-1] += 1
        assert SplitTable(**(table.arrays("") | {name: changed})) != table, name
    assert table != "table"


def test_columns_cannot_be_written_to() -> None:
    table = SplitTable.from_splits(ALL_KINDS)
    for array in table.arrays("").values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 5))))
def test_concatenated_ranges_equal_ranges_put_together(ranges: list[tuple[int, int]]) -> None:
    begin, sizes = np.array(ranges, int).reshape(-1, 2).T
    expected = [number for first, size in ranges for number in range(first, first + size)]
    assert concatenated_ranges(begin, sizes).tolist() == expected
