"""Parameters of estimators: what values they may have, and how they become a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.criteria import CLASSIFICATION, REGRESSION
from treewright.data import Schema
from treewright.formatting.suggestions import nearest
from treewright.growing.recipe import DOMAINS
from treewright.parameter_types import (
    FACTOR_WORDS,
    LARGEST_FACTOR,
    SMALLEST_FACTOR,
    Domain,
    is_factor,
    is_number,
    is_whole,
    name_or_function,
    number,
    one_of,
)
from treewright.pruning import PRUNERS, EarlyStopping


def _is_random_state(value: Any) -> bool:
    if is_whole(value):
        return bool(0 <= value < 2**63)
    return value is None or isinstance(value, np.random.RandomState)


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, str):
        return value == "balanced"
    if isinstance(value, list):
        return len(value) == 1 and isinstance(value[0], Mapping)
    return value is None or isinstance(value, Mapping)


def _is_array(value: Any, n_dimensions: int) -> bool:
    """Whether a value is an array of numbers, all rows of one length."""
    try:
        return np.asarray(value, dtype=float).ndim == n_dimensions
    except (TypeError, ValueError, OverflowError):
        return False


def _is_array_or_mapping(value: Any) -> bool:
    return value is None or isinstance(value, Mapping) or _is_array(value, 1)


def _is_pruner(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


_OWN_FORM = {
    "criterion",
    "missing",
    "random_state",
    "min_merit",
    "class_weight",
    "priors",
    "costs",
    "monotonic",
    "interaction",
    "feature_costs",
}

SAME_IN_RECIPE = tuple(name for name in DOMAINS if name not in _OWN_FORM)
"""The parameters that a recipe takes as the estimators do."""

SHARED_DOMAINS: dict[str, Domain] = {
    **{name: DOMAINS[name] for name in (*SAME_IN_RECIPE, "missing")},
    "random_state": Domain(
        _is_random_state,
        "an int in the range [0, 9223372036854775807], a 'numpy.random.RandomState' or None",
    ),
    "ccp_alpha": number(0.0),
    "monotonic_cst": Domain(_is_array_or_mapping, "an array-like, a dict of feature to -1, 0 or 1, or None"),
    "interaction_cst": Domain(
        lambda value: (
            value in ("pairwise", "no_interactions")
            if isinstance(value, str)
            else value is None or isinstance(value, Iterable)
        ),
        "a str among {'pairwise', 'no_interactions'}, a list of groups of features or None",
        ("pairwise", "no_interactions"),
    ),
    "feature_costs": Domain(_is_array_or_mapping, "an array-like, a dict of feature to cost or None"),
    "unseen": one_of("missing", "error", "majority"),
    "inf": one_of("error", "extreme"),
    "early_stopping": Domain(
        lambda value: (
            value in ("holdout", "cv")
            if isinstance(value, str)
            else value is None or isinstance(value, EarlyStopping)
        ),
        "a str among {'holdout', 'cv'}, an EarlyStopping or None",
        ("holdout", "cv"),
    ),
    "predicates": Domain(
        lambda value: value is None or (isinstance(value, Iterable) and not isinstance(value, str)),
        "a list or a dict of expressions and functions, or None",
    ),
    "trace": Domain(lambda value: isinstance(value, bool), "a bool"),
    "n_jobs": Domain(
        lambda value: value is None or (is_whole(value) and value != 0), "an int other than 0 or None"
    ),
    "verbose": Domain(
        lambda value: isinstance(value, bool) or (is_whole(value) and value >= 0), "an int from 0 on"
    ),
    "pruner": Domain(
        lambda value: value in PRUNERS if isinstance(value, str) else value is None or _is_pruner(value),
        f"a str among {{{', '.join(map(repr, PRUNERS))}}}, a pruner, a callable from tree to tree or None",
        tuple(PRUNERS),
    ),
    "holdout": Domain(lambda value: is_number(value) and 0 < value < 1, "a float in the range (0.0, 1.0)"),
}
"""What the parameters that all estimators have may be."""

CLASS_DOMAINS: dict[str, Domain] = {
    "priors": Domain(
        _is_array_or_mapping, "an array-like of a prior per class, a dict of class to prior or None"
    ),
    "costs": Domain(
        lambda value: value is None or _is_array(value, 2),
        "an array-like with a row and a column of numbers for each class or None",
    ),
    "laplace": Domain(
        lambda value: isinstance(value, bool) or is_factor(value),
        f"a float, {FACTOR_WORDS}, or a bool",
    ),
}
"""What the parameters may be that speak of classes."""

CLASSIFIER_DOMAINS: dict[str, Domain] = {
    "criterion": name_or_function(*CLASSIFICATION, "log_loss"),
    **SHARED_DOMAINS,
    **CLASS_DOMAINS,
    "class_weight": Domain(_is_class_weight, "a dict, the str 'balanced' or None", ("balanced",)),
}
"""What the parameters of classifiers may be."""

REGRESSOR_DOMAINS: dict[str, Domain] = {"criterion": name_or_function(*REGRESSION), **SHARED_DOMAINS}
"""What the parameters of regressors may be."""


def check_counts(y: Any) -> None:
    """Refuse targets that cannot be counts, as the Poisson criterion needs them."""
    try:
        counts = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        return  # no numbers at all: reading the data says so better
    if (counts < 0).any():
        raise ValueError("Some value(s) of y are negative, which is not allowed for Poisson regression.")
    if not (counts > 0).any():
        raise ValueError("Sum of y is not positive, which is necessary for Poisson regression.")


def monotonic_signs(
    monotonic_cst: Mapping[Any, int] | ArrayLike | None, schema: Schema
) -> tuple[int, ...] | None:
    """Give scikit-learn's `monotonic_cst` as one sign per feature; those a dict does not mention are free."""
    if monotonic_cst is None:
        return None
    signs = np.asarray(_by_feature("monotonic_cst", monotonic_cst, schema, 0))
    if len(signs) != len(schema.columns):
        raise ValueError(
            f"monotonic_cst has shape {len(signs)} but the input data X has {schema.n_inputs} features."
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}"
        )
    for column, sign in zip(schema.columns, signs, strict=True):
        if sign and column.kind == "categorical":
            raise ValueError(
                f"monotonic_cst has {sign} for feature {column.name!r}, which is categorical: use 0."
            )
    return tuple(int(sign) for sign in signs)


def interaction_groups(interaction_cst: Any, schema: Schema) -> tuple[tuple[int, ...], ...] | None:
    """Give the groups of features that may share a path; features of no group form one of their own.

    Examples
    --------
    >>> interaction_groups([["x0", 2]], Schema.unnamed(4))
    ((0, 2), (1, 3))
    """
    features = range(len(schema.columns))
    if interaction_cst is None:
        return None
    if isinstance(interaction_cst, str):
        size = 1 if interaction_cst == "no_interactions" or len(features) == 1 else 2
        return tuple(combinations(features, size))
    groups = []
    for group in interaction_cst:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise ValueError(f"interaction_cst must be a list of groups of features, got {group!r} in it.")
        groups.append(tuple(sorted({_feature("interaction_cst", key, schema) for key in group})))
    rest = tuple(sorted(set(features) - {feature for group in groups for feature in group}))
    return tuple(group for group in (*groups, rest) if group)


def costs_of_features(
    feature_costs: Mapping[Any, float] | ArrayLike | None, schema: Schema
) -> tuple[float, ...] | None:
    """Give a cost for each feature; those that a dict does not mention cost 1."""
    if feature_costs is None:
        return None
    costs = _by_feature("feature_costs", feature_costs, schema, 1.0)
    if len(costs) != len(schema.columns) or not all(is_factor(cost) and cost > 0 for cost in costs):
        raise ValueError(
            f"feature_costs must have a number above 0, from {SMALLEST_FACTOR:g} to {LARGEST_FACTOR:g}, for "
            f"each of the {len(schema.columns)} features, got {feature_costs!r}."
        )
    return tuple(float(cost) for cost in costs)


def _by_feature(parameter: str, values: Any, schema: Schema, default: float) -> list[Any]:
    """Give what an array or a dict says of each feature; an array need not speak of predicates."""
    if not isinstance(values, Mapping):
        said = list(np.asarray(values).tolist())
        return said + [default] * len(schema.predicates) * (len(said) == schema.n_inputs)
    given = [default] * len(schema.columns)
    for key, value in values.items():
        given[_feature(parameter, key, schema)] = value
    return given


def _feature(parameter: str, key: Any, schema: Schema) -> int:
    """Find a feature by name or number."""
    if isinstance(key, str) and key in schema.names:
        return schema.names.index(key)
    if is_whole(key) and 0 <= key < len(schema.columns):
        return int(key)
    raise ValueError(f"{parameter} names {key!r}, which is no feature.{nearest(key, schema.names)}")


def missing_policies(missing: str | Mapping[Any, str], schema: Schema) -> str | tuple[str, ...]:
    """Give a dict of policies as one for each feature; those not mentioned learn a direction."""
    if isinstance(missing, str):
        return missing
    policies = ["direction"] * len(schema.columns)
    for key, policy in missing.items():
        policies[_feature("missing", key, schema)] = policy
    return tuple(policies)


def class_factors(class_weight: Any, classes: list[Any]) -> str | tuple[float, ...] | None:
    """Give the factors in class order; a class that is not mentioned has factor 1."""
    if isinstance(class_weight, list):
        class_weight = class_weight[0]
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    absent = [label for label in classes if label not in class_weight]
    unknown = [label for label in class_weight if label not in classes]
    if absent and unknown:
        raise ValueError(f"The classes, {absent}, are not in class_weight, which names {unknown} instead.")
    return _factors("class_weight", [class_weight.get(label, 1.0) for label in classes])


def class_priors(priors: Any, classes: list[Any]) -> tuple[float, ...] | None:
    """Give the priors in class order."""
    if priors is None:
        return None
    if isinstance(priors, Mapping):
        if set(priors) != set(classes):
            raise ValueError(f"priors must name the classes {classes}, got {list(priors)}.")
        priors = [priors[label] for label in classes]
    shares = _factors("priors", priors)
    if not any(shares):
        raise ValueError(f"priors must not all be 0, got {priors!r}.")
    return shares


def _factors(parameter: str, values: ArrayLike) -> tuple[float, ...]:
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim != 1 or not all(map(is_factor, numbers.tolist())):
        raise ValueError(
            f"{parameter} must be finite numbers that are not negative, {FACTOR_WORDS}, got {values!r}."
        )
    return tuple(numbers.tolist())


def cost_rows(costs: ArrayLike | None, n_classes: int) -> tuple[tuple[float, ...], ...] | None:
    """Give the matrix of costs as rows, true classes first."""
    if costs is None:
        return None
    matrix = np.asarray(costs, dtype=float)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"costs must have a row and a column for each of the {n_classes} classes, "
            f"got shape {matrix.shape}."
        )
    if not all(map(is_factor, matrix.ravel().tolist())) or np.diag(matrix).any():
        raise ValueError(
            f"costs must be finite, not negative ({FACTOR_WORDS}), and 0 on the diagonal, got "
            f"{matrix.tolist()}."
        )
    if n_classes > 1 and not matrix.any():
        raise ValueError("costs must make some mistake dear: all of them are 0.")
    return tuple(map(tuple, matrix.tolist()))
