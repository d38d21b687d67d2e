"""Several targets at once: what of a recipe needs one, and weights of classes by target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset, Schema
from treewright.growing.recipe import Recipe

CRITERIA = ("gini", "entropy", "error", "sqrt", "squared_error", "absolute_error", "poisson")
"""The criteria that are a mean over targets: decreases of an impurity."""

ALONE: dict[str, tuple[Any, ...]] = {
    "missing": ("direction", "ignore", "error"),
    "priors": (None,),
    "costs": (None,),
    "significance": (None,),
    "fair_categories": (False,),
    "category_search": ("exchange",),
    "max_groups": (2,),
}
"""What a choice of the recipe may be where there are several targets."""

SPLITS = ("threshold", "subset", "multiway", "one_vs_rest", "predicate")


def check_several(schema: Schema, recipe: Recipe) -> None:
    """Refuse what a recipe asks for that needs one target."""
    several = f"y has {len(schema.outputs)} targets"
    if recipe.monotonic is not None and any(recipe.monotonic):
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    if callable(recipe.criterion) or recipe.criterion not in CRITERIA:
        own = CRITERIA[4:] if schema.classes is None else CRITERIA[:4]
        name = "a function" if callable(recipe.criterion) else repr(recipe.criterion)
        raise ValueError(f"criterion={name} needs one target, and {several}: use {', '.join(own)}.")
    for name, allowed in ALONE.items():
        given = getattr(recipe, name)
        if given not in allowed:
            raise ValueError(f"{name}={given!r} needs one target, and {several}: use {allowed[0]!r}.")
    for form in recipe.splits:
        if form not in SPLITS:
            raise ValueError(f"splits={form!r} needs one target, and {several}: use 'threshold'.")
    grouped = [column.name for column in schema.columns if column.kind == "categorical"]
    if recipe.criterion == "absolute_error" and grouped:
        raise ValueError(
            f"criterion='absolute_error' groups the categories of {grouped[0]!r} by one target, and "
            f"{several}: use 'squared_error'."
        )


def core_target(dataset: Dataset) -> NDArray[Any] | None:
    """Give the target as the core reads it: the classes of each target come after those before."""
    schema, target = dataset.schema, dataset.target
    if target is None or not schema.outputs:
        return target
    if schema.classes is not None:
        target = target + np.arange(len(schema.outputs), dtype=np.int32) * np.int32(schema.n_classes)
    return np.ascontiguousarray(target)


def with_class_weight(dataset: Dataset, recipe: Recipe) -> tuple[Dataset, Recipe]:
    """Put the weights of classes on the rows: those of several targets are multiplied."""
    if recipe.class_weight is None:
        return dataset, recipe
    factor = row_factors(dataset, recipe.class_weight)
    weight = factor if dataset.weight is None else factor * dataset.weight
    if not weight.any():
        raise ValueError("class_weight leaves no weight: every row has a class of factor 0.")
    rows = dataset.weighted(weight)
    return (rows if weight.all() else rows.take(weight > 0)), replace(recipe, class_weight=None)


def row_factors(dataset: Dataset, class_weight: Any) -> NDArray[np.float64]:
    """Multiply for each row the factors of its classes.

    Parameters
    ----------
    dataset : Dataset
        Rows of several targets.
    class_weight : "balanced" or tuple
        Factors in class order, a tuple for each target.
    """
    factor = np.ones(len(dataset))
    for place, output in enumerate(dataset.schema.outputs):
        if output.classes is None or dataset.target is None:
            raise ValueError("class_weight needs classes: the targets are numbers.")
        codes = dataset.target[:, place]
        if isinstance(class_weight, str):
            rows = np.bincount(codes, minlength=len(output.classes)).astype(float)
            present = rows > 0
            of_class = np.where(present, len(codes) / (present.sum() * np.where(present, rows, 1.0)), 0.0)
        else:
            of_class = np.array(class_weight[place], dtype=float)
        factor *= of_class[codes]
    return factor
