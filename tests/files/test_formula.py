"""Formulas name a target and features."""

from __future__ import annotations

import pytest

from treewright.errors import DataError
from treewright.files import parse_formula


@pytest.mark.parametrize(
    ("formula", "features"),
    [
        ("y ~ .", ["id", "a b", "c-d"]),
        ("y ~ . - id", ["a b", "c-d"]),
        ("y ~ a b + `c-d`", ["a b", "c-d"]),
        ("y~'c-d'+id", ["c-d", "id"]),
        ("y ~ . - id - 'c-d'", ["a b"]),
    ],
)
def test_formulas_select_features(formula: str, features: list[str]) -> None:
    assert parse_formula(formula).select(["id", "a b", "c-d", "y"], "'a.csv'") == features


@pytest.mark.parametrize("formula", ["", "y", "~ .", "y ~", "y ~ a +", "y ~ + a", "y ~ a ~ b", "y ~ `a"])
def test_a_formula_of_no_form_is_refused(formula: str) -> None:
    with pytest.raises(DataError, match="the formula"):
        parse_formula(formula)


def test_a_formula_naming_an_unknown_column_is_refused() -> None:
    with pytest.raises(DataError, match=r"has no column 'idd', .* Did you mean 'id'\?"):
        parse_formula("y ~ . - idd").select(["id", "y"], "'a.csv'")
