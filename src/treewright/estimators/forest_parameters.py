"""Parameters of forests: what values they may have, and the bootstrap draws they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import CLASSIFICATION, REGRESSION
from treewright.data import Dataset
from treewright.errors import warn
from treewright.growing.parameters import SHARED_DOMAINS, class_factors
from treewright.parameter_types import Domain, is_number, is_whole, one_of, whole

Array = NDArray[np.float64]

OF_THE_TREES = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
    "splits",
    "max_terms",
    "missing",
    "max_surrogates",
    "use_surrogates",
    "max_bins",
    "category_order",
    "unseen",
    "inf",
    "categorical_features",
    "ordinal_features",
)
"""The parameters of a forest that are those of each of its trees."""


def _is_max_samples(value: Any) -> bool:
    return value is None or (
        value >= 1 if is_whole(value) else is_number(value) and 0 < value <= float_info.max
    )


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, str):
        return value in ("balanced", "balanced_subsample")
    if isinstance(value, list):
        return len(value) == 1 and isinstance(value[0], Mapping)
    return value is None or isinstance(value, Mapping)


def _is_missing(value: Any) -> bool:
    policies = value.values() if isinstance(value, Mapping) else [value]
    return SHARED_DOMAINS["missing"].test(value) and "ignore" not in policies


_TRUTH = Domain(lambda value: isinstance(value, bool | np.bool_), "a bool")

_SHARED: dict[str, Domain] = {
    "n_estimators": whole(1),
    **{name: SHARED_DOMAINS[name] for name in OF_THE_TREES if name in SHARED_DOMAINS},
    **{name: SHARED_DOMAINS[name] for name in ("n_jobs", "random_state", "verbose")},
    "missing": Domain(
        _is_missing,
        f"{SHARED_DOMAINS['missing'].words}, and not 'ignore', which forests do not have",
        SHARED_DOMAINS["missing"].names,
    ),
    "bootstrap": _TRUTH,
    "warm_start": _TRUTH,
    "oob_score": Domain(
        lambda value: isinstance(value, bool | np.bool_) or callable(value), "a bool or a callable"
    ),
    "max_samples": Domain(
        _is_max_samples, "an int in the range [1, inf), a float in the range (0.0, inf) or None"
    ),
}

FOREST_CLASSIFIER_DOMAINS: dict[str, Domain] = {
    "criterion": one_of(*CLASSIFICATION, "log_loss"),
    **_SHARED,
    "class_weight": Domain(
        _is_class_weight,
        "a dict, a str among {'balanced', 'balanced_subsample'} or None",
        ("balanced", "balanced_subsample"),
    ),
    "vote": one_of("soft", "hard"),
}
"""What the parameters of forests that predict classes may be."""

FOREST_REGRESSOR_DOMAINS: dict[str, Domain] = {"criterion": one_of(*REGRESSION), **_SHARED}
"""What the parameters of forests that predict numbers may be."""


MOST_DRAWS = 2**32 - 1
"""A tree counts how often it has drawn a row in 32 bits."""


def count_draws(max_samples: int | float | None, n_rows: int) -> int:
    """Count the rows that each tree draws: a share is one of the rows, whatever they weigh.

    Examples
    --------
    >>> count_draws(None, 50), count_draws(0.5, 50), count_draws(7, 50)
    (50, 25, 7)
    """
    if max_samples is None:
        return n_rows
    wanted = max_samples if is_whole(max_samples) else max(max_samples * n_rows, 1)
    if wanted > MOST_DRAWS:
        raise ValueError(
            f"max_samples={max_samples!r} of {n_rows} rows makes each tree draw more than {MOST_DRAWS} rows."
        )
    n_draws = int(wanted)
    if not is_whole(max_samples) and n_draws < max(10, n_rows ** (1 / 3)):
        warn(
            f"max_samples={max_samples!r} of {n_rows} rows makes each tree draw only {n_draws} rows: "
            "give max_samples as an int."
        )
    return n_draws


def class_chances(class_weight: Any, dataset: Dataset, weight: Array | None) -> Array:
    """Give the factor on each class in class order; balanced means the same total weight for every class."""
    classes, target = dataset.schema.classes, dataset.target
    if classes is None or target is None:
        raise ValueError("class_weight needs classes: the target is a number.")
    if isinstance(class_weight, str):
        total = np.bincount(target, weight, minlength=len(classes)).astype(float)
        present = total > 0
        return np.where(present, total.sum() / (present.sum() * np.where(present, total, 1.0)), 0.0)
    factors = class_factors(class_weight, classes.tolist())
    return np.array(factors, dtype=float)
