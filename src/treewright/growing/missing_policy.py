"""Missing value policies: which rows and which engine of the core each of them needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.errors import DataError
from treewright.growing.recipe import PLAIN_SPLITS, Recipe

SHARED = ("fractional", "fractional_counts")
"""The policies by which a row goes down every branch with its share."""

FAST = ("direction", "available")
"""The policies of the fast engines, each if it holds for all features."""


def settle_policies(dataset: Dataset, recipe: Recipe) -> tuple[Dataset, str, list[str]]:
    """Give the rows to grow on, the policy of the fast engines, and one for each feature if those do not do.

    Parameters
    ----------
    dataset : Dataset
        The training rows.
    recipe : Recipe
        Whose `missing` names one policy, or one for each feature.

    Returns
    -------
    tuple
        The dataset, without the rows that a policy leaves out; a policy for all features; and a list of
        policies by feature, empty where the one for all does.
    """
    plain = any(name in PLAIN_SPLITS for name in recipe.splits)
    if recipe.missing in FAST and not plain:
        _check_fast(recipe, recipe.missing, dataset)
        return dataset, recipe.missing, []
    n_features = len(dataset.schema.columns)
    given = [recipe.missing] * n_features if isinstance(recipe.missing, str) else list(recipe.missing)
    if len(given) != n_features:
        raise ValueError(
            f"missing must have a policy for each of the {n_features} features, got {len(given)}."
        )
    if "class_mode" in given and dataset.schema.classes is None:
        raise ValueError("missing='class_mode' needs classes: the target is a number.")
    if "fractional_counts" in given and recipe.criterion == "absolute_error":
        raise ValueError("missing='fractional_counts' needs sums: criterion='absolute_error' has none.")
    _refuse(dataset, given)
    complete = complete_rows(dataset, given)
    dataset = dataset if complete.all() else dataset.take(complete)
    policies = [_plain(policy, recipe, dataset, feature) for feature, policy in enumerate(given)]
    if plain:
        _check_plain(recipe, f"splits={recipe.splits!r}")
        return dataset, "direction", policies
    if set(policies) <= set(SHARED) and not _any_missing(dataset):
        return dataset, "available", []
    if len(set(policies)) == 1 and policies[0] in FAST:
        _check_fast(recipe, policies[0], dataset)
        return dataset, policies[0], []
    _check_plain(recipe, f"missing={recipe.missing!r}")
    return dataset, "direction", policies


def complete_rows(dataset: Dataset, missing: str | Sequence[str]) -> NDArray[np.bool_]:
    """Say which rows "ignore" leaves, as a policy for all features or for each that has it."""
    n_features = len(dataset.schema.columns)
    complete = np.ones(len(dataset), bool)
    for feature, policy in enumerate([missing] * n_features if isinstance(missing, str) else missing):
        if policy == "ignore":
            complete &= ~dataset.is_missing(feature)
    if not complete.any():
        raise DataError("missing='ignore' leaves no rows: every one misses a value.")
    return complete


def _plain(policy: str, recipe: Recipe, dataset: Dataset, feature: int) -> str:
    """Put a policy in the terms of the engines."""
    if policy == "ignore":
        return "available"
    if policy == "error":
        return "direction"
    categorical = dataset.schema.columns[feature].kind == "categorical"
    if policy == "value" and not (categorical and "multiway" in recipe.splits):
        return "direction"  # between two branches the better side, and known against missing, is what that is
    return policy


def _any_missing(dataset: Dataset) -> bool:
    return any(dataset.is_missing(feature).any() for feature in range(len(dataset.schema.columns)))


def _refuse(dataset: Dataset, policies: list[str]) -> None:
    for feature, policy in enumerate(policies):
        if policy == "error" and dataset.is_missing(feature).any():
            raise DataError(
                f"column {dataset.schema.names[feature]!r} has missing values, which missing='error' "
                "refuses. Fill them or choose another policy."
            )


def _check_fast(recipe: Recipe, policy: str, dataset: Dataset) -> None:
    """Refuse what would not hold for rows that are left out of the search and then join a branch."""
    if policy == "available" and any(recipe.monotonic or ()) and _any_missing(dataset):
        raise ValueError(
            f"monotonic goes with missing='direction', not with missing={recipe.missing!r}, where values are "
            "missing: rows that join a branch after it was chosen may turn its prediction."
        )
    if callable(recipe.criterion) and recipe.splitter == "random":
        raise ValueError("splitter='random' does not go with a function as criterion: use splitter='best'.")


def _check_plain(recipe: Recipe, reason: str) -> None:
    """Refuse what only the fast engines do."""
    forms = any(name in PLAIN_SPLITS for name in recipe.splits)
    refused = {
        "splitter": recipe.splitter == "random" and forms,
        "monotonic": recipe.monotonic is not None and any(recipe.monotonic),
        "max_bins": recipe.max_bins is not None,
        "a function as criterion": callable(recipe.criterion),
    }
    for parameter, given in refused.items():
        if given:
            raise ValueError(
                f"{parameter} goes with missing='direction' or 'available' for all features and with splits "
                f"on one feature, not with {reason}."
            )
