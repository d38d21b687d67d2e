"""Parameters as users give them, by feature or by class, in the order and the numbers of a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.data import Schema
from treewright.parameter_types import FACTOR_WORDS, LARGEST_FACTOR, SMALLEST_FACTOR, is_factor


def known_criterion(criterion: Any, schema: Schema) -> Any:
    """Give the name that a criterion has here; a function stays."""
    from treewright.criteria import ALIASES

    return ALIASES.get(criterion, criterion) if isinstance(criterion, str) else criterion


def split_forms(splits: Iterable[str], schema: Schema) -> tuple[str, ...]:
    """Give the forms of splits as a tuple."""
    return tuple(splits)


def check_counts(y: Any, sum_must_be: str = "positive") -> None:
    """Refuse targets that cannot be counts, as the Poisson criterion needs them, in scikit-learn's words."""
    try:
        counts = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        return  # no numbers at all: reading the data says so better
    if (counts < 0).any():
        raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
    if not (counts > 0).any():
        raise ValueError(f"Sum of y is not {sum_must_be} which is necessary for Poisson regression.")


def monotonic_signs(
    monotonic_cst: Mapping[Any, int] | ArrayLike | None, schema: Schema
) -> tuple[int, ...] | None:
    """Give scikit-learn's `monotonic_cst` as one sign per feature; those a dict does not mention are free."""
    if monotonic_cst is None:
        return None
    if schema.outputs:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
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
        groups.append(tuple(sorted({schema.feature(key, "interaction_cst") for key in group})))
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
        given[schema.feature(key, parameter)] = value
    return given


def missing_policies(missing: str | Mapping[Any, str], schema: Schema) -> str | tuple[str, ...]:
    """Give a dict of policies as one for each feature; those not mentioned learn a direction."""
    if isinstance(missing, str):
        return missing
    policies = ["direction"] * len(schema.columns)
    for key, policy in missing.items():
        policies[schema.feature(key, "missing")] = policy
    return tuple(policies)


def order_of_preference(ties: Any, schema: Schema) -> str | tuple[int, ...]:
    """Give the numbers of features in an order of preference; a name of a rule stays.

    Examples
    --------
    >>> order_of_preference(["x2", 0], Schema.unnamed(4))
    (2, 0)
    """
    if isinstance(ties, str):
        return ties
    order = tuple(schema.feature(key, "ties") for key in ties)
    for feature in order:
        if order.count(feature) > 1:
            raise ValueError(f"ties names feature {schema.names[feature]!r} twice.")
    return order


def class_factors(class_weight: Any, schema: Schema) -> Any:
    """Give the factors in class order; a class that is not mentioned has factor 1."""
    if schema.outputs:
        return factors_by_target(class_weight, schema)
    classes = _classes(schema)
    if isinstance(class_weight, list):
        if len(class_weight) > 1:
            raise ValueError(f"class_weight is a list of {len(class_weight)} dicts, and y has one target.")
        class_weight = class_weight[0]
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    return _factors_of(class_weight, classes)


def factors_by_target(class_weight: Any, schema: Schema) -> Any:
    """Give the factors of each of several targets, in class order."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    if not isinstance(class_weight, list):
        raise ValueError(
            "For multi-output, class_weight should be a list of dicts, or the string 'balanced': give a dict "
            "for each target."
        )
    if len(class_weight) != len(schema.outputs):
        raise ValueError(
            "For multi-output, number of elements in class_weight should match number of outputs: it has "
            f"{len(class_weight)}, and y has {len(schema.outputs)} targets."
        )
    return tuple(
        _factors_of(given, np.asarray(output.classes).tolist())
        for given, output in zip(class_weight, schema.outputs, strict=True)
    )


def _factors_of(class_weight: Mapping[Any, float], classes: list[Any]) -> tuple[float, ...]:
    absent = [label for label in classes if label not in class_weight]
    unknown = [label for label in class_weight if label not in classes]
    if absent and unknown:
        raise ValueError(f"The classes, {absent}, are not in class_weight, which names {unknown} instead.")
    return _factors("class_weight", [class_weight.get(label, 1.0) for label in classes])


def class_priors(priors: Any, schema: Schema) -> tuple[float, ...] | None:
    """Give the priors in class order."""
    classes = _classes(schema)
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


def _classes(schema: Schema) -> list[Any]:
    return [] if schema.classes is None else schema.classes.tolist()


def _factors(parameter: str, values: ArrayLike) -> tuple[float, ...]:
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim != 1 or not all(map(is_factor, numbers.tolist())):
        raise ValueError(
            f"{parameter} must be finite numbers that are not negative, {FACTOR_WORDS}, got {values!r}."
        )
    return tuple(numbers.tolist())


def cost_rows(costs: ArrayLike | None, schema: Schema) -> tuple[tuple[float, ...], ...] | None:
    """Give the matrix of costs as rows, true classes first."""
    if costs is None:
        return None
    matrix, n_classes = np.asarray(costs, dtype=float), schema.n_classes
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
