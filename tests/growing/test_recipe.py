"""Recipe: what it accepts, how it refuses, and that it travels."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from treewright.growing.recipe import DOMAINS, Recipe


def test_equal_recipes_hash_alike_and_survive_pickling() -> None:
    recipe = Recipe("entropy", max_depth=4, costs=((0.0, 2.0), (1.0, 0.0)))
    same = Recipe("entropy", max_depth=4, costs=((0.0, 2.0), (1.0, 0.0)))
    assert {recipe: "found"}[same] == "found"
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert recipe != Recipe("entropy", max_depth=5)


def test_a_recipe_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Recipe("gini").max_depth = 3  # type: ignore[misc]


def test_it_prints_its_choices() -> None:
    assert "criterion='gini'" in repr(Recipe("gini"))


@pytest.mark.parametrize(
    ("choice", "value", "sentence"),
    [
        (
            "criterion",
            "ginni",
            r"must be a str among \{'error', 'gini'.*Got 'ginni' instead. Did you mean 'gini'\?",
        ),
        ("splits", ("treshold",), r"a tuple of names among \{'threshold', .*Did you mean 'threshold'\?"),
        ("splits", "subset", r"Got 'subset' instead\.$"),
        ("splits", (), "Got .* instead"),
        ("order", "best", r"Got 'best' instead. Did you mean 'best_first'\?"),
        ("missing", "surrogates", "must be a str among {'direction', 'available', 'value', 'fractional',"),
        ("max_depth", -1, r"must be an int in the range \[0, inf\) or None. Got -1 instead"),
        ("max_depth", True, "Got True instead"),
        ("max_depth", 2.0, "Got 2.0 instead"),
        ("max_leaf_nodes", 1, r"\[2, inf\)"),
        ("min_samples_split", 1, r"an int in the range \[2, inf\) or a float in the range \(0.0, 1.0\]"),
        ("min_samples_leaf", 1.0, r"a float in the range \(0.0, 1.0\)"),
        ("min_weight_fraction_leaf", 0.6, r"\[0.0, 0.5\]"),
        ("min_impurity_decrease", float("nan"), "Got nan instead"),
        ("max_features", "sqr", r"Did you mean 'sqrt'\?"),
        ("max_features", 0, "Got 0 instead"),
        ("random_state", -1, "Got -1 instead"),
        ("max_bins", 1, r"\[2, inf\)"),
        ("class_weight", "balance", r"Did you mean 'balanced'\?"),
        ("priors", (0.5, -0.5), "Got .* instead"),
        ("costs", ((0.0, float("inf")), (1.0, 0.0)), "Got .* instead"),
        ("monotonic", (2, 0), "a tuple of -1, 0 or 1"),
    ],
)
def test_a_wrong_choice_is_refused_in_one_sentence(choice: str, value: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"The '{choice}' parameter of Recipe.*{sentence}") as refused:
        Recipe(**{"criterion": "gini", choice: value})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("choice", "value"),
    [
        ("max_depth", np.int64(3)),
        ("min_samples_leaf", np.float32(0.25)),
        ("max_features", "log2"),
        ("min_merit", -np.inf),
        ("splits", ("multiway",)),
    ],
)
def test_numbers_of_numpy_and_names_are_taken(choice: str, value: Any) -> None:
    assert getattr(Recipe(**{"criterion": "gini", choice: value}), choice) == value


def test_every_choice_has_a_rule() -> None:
    assert set(DOMAINS) == set(vars(Recipe("gini")))
