"""Estimators and pruners by name, as the command line asks for them (`--algorithm`, `--pruner`)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import click

import treewright
from treewright.cli.options import LearnerOptions, setting
from treewright.formatting.suggestions import nearest, unknown_name
from treewright.parameter_types import check_parameters
from treewright.pruning import KINDS, PRUNERS

ALGORITHMS: dict[str, tuple[str | None, str | None]] = {
    "tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "cart": ("CARTClassifier", "CARTRegressor"),
    "c4.5": ("C45Classifier", None),
    "id3": ("ID3Classifier", None),
    "rules": ("RuleClassifier", None),
    "forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "optimal": ("OptimalTreeClassifier", "OptimalTreeRegressor"),
}
"""The estimators for classes and for numbers, by the names of `--algorithm`."""

SAME = {"c45": "c4.5", "j48": "c4.5", "rpart": "cart", "random_forest": "forest", "decision_tree": "tree"}
"""Other names by which people ask for them."""

FEWEST_TO_PRUNE = 30
"""Trees of fewer rows are not pruned by cross-validation unless it is asked for: folds would be tiny."""

METHODS: dict[str, Callable[..., Any]] = dict(PRUNERS) | {"penalised": KINDS["Penalised"]}
"""The pruners that a command line may ask for."""


def check_learner(options: LearnerOptions) -> None:
    """Refuse what cannot be made, before any table is read."""
    if _name(options) not in ALGORITHMS:
        raise click.UsageError(unknown_name("algorithm", options.algorithm, ALGORITHMS))
    if options.pruner is not None:
        pruner_of_text(options.pruner)
    _parameters(options, _name(options))


def _name(options: LearnerOptions) -> str:
    name = options.algorithm.lower()
    return SAME.get(name, name)


def learner(options: LearnerOptions, task: str, n_rows: int) -> Any:
    """Make the estimator, unfitted.

    Parameters
    ----------
    options : LearnerOptions
    task : {"classification", "regression"}
    n_rows : int
        How many rows there are to learn from: fewer folds suffice for many.
    """
    check_learner(options)
    name = _name(options)
    kind = _estimator(name, task)
    allowed = {field.name for field in fields(kind)}
    parameters = _parameters(options, name)
    if name == "tree" and options.pruner is None and n_rows >= FEWEST_TO_PRUNE:
        parameters["pruner"] = _pruner("cost_complexity", f"cv={folds_for(n_rows)},se=1")
    elif name == "cart":
        parameters |= _cart_pruning(options.pruner, n_rows)
    elif options.pruner is not None:
        parameters["pruner"] = pruner_of_text(options.pruner)
    for parameter in parameters:
        if parameter not in allowed:
            raise click.UsageError(
                f"{kind.__name__} has no parameter {parameter!r}.{nearest(parameter, sorted(allowed))}"
            )
    model = kind(**parameters)
    check_parameters(kind.__name__, model.get_params(deep=False), kind._domains)
    return model


def folds_for(n_rows: int) -> int:
    """Choose how many folds to cross-validate with: ten, or fewer where rows are many or very few.

    Examples
    --------
    >>> folds_for(150), folds_for(1_000_000), folds_for(5)
    (10, 3, 5)
    """
    return max(2, min(10 if n_rows <= 100_000 else 3, n_rows))


def _estimator(name: str, task: str) -> Any:
    wanted = ALGORITHMS[name][task == "regression"]
    if wanted is None:
        raise click.UsageError(f"{name} learns classes only: use --algorithm tree or cart for numbers.")
    try:
        return getattr(treewright, wanted)
    except AttributeError:
        raise click.UsageError(f"this treewright, {treewright.__version__}, has no {wanted}.") from None


def _parameters(options: LearnerOptions, name: str) -> dict[str, Any]:
    """Collect what was said, by the estimators' names."""
    said = {
        "criterion": options.criterion,
        "missing": options.missing,
        "max_depth": options.max_depth,
        "min_samples_leaf": options.min_leaf,
        "max_leaf_nodes": options.max_leaves,
        "costs": None if options.costs is None else _costs(options.costs),
        "class_weight": "balanced" if options.balanced else None,
        "n_estimators": options.trees,
        "n_jobs": options.jobs,
        "random_state": options.seed if name in ("tree", "id3", "rules", "forest") else None,
    }
    parameters = {parameter: value for parameter, value in said.items() if value is not None}
    for text in options.settings:
        parameter, value = setting(text, "--set")
        parameters[parameter] = tuple(value) if parameter == "splits" and isinstance(value, list) else value
        if parameter == "splits" and isinstance(value, str):
            parameters[parameter] = tuple(part.strip() for part in value.split(","))
    return parameters


def _costs(text: str) -> Any:
    """Read a matrix of costs: JSON, or a file that holds it."""
    if os.path.exists(text):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    try:
        return json.loads(text)
    except ValueError:
        raise click.UsageError(
            f"--costs {text[:40]!r} is neither a file nor JSON such as [[0, 1], [5, 0]]: "
            "a row for each true class, a column for each predicted one, in the order of the classes."
        ) from None


def _cart_pruning(pruner: str | None, n_rows: int) -> dict[str, Any]:
    """CART prunes itself: by the rule of one standard error, as the book has it, unless told otherwise."""
    if pruner is None and n_rows < FEWEST_TO_PRUNE:
        return {"cv": None}
    if pruner is None:
        return {"cv": folds_for(n_rows), "se": 1.0}
    name, _, settings = pruner.partition(":")
    if name == "none":
        return {"cv": None}
    if name != "cost_complexity":
        raise click.UsageError(
            f"cart prunes by cost-complexity, not by {name!r}: use --algorithm tree --pruner {pruner}."
        )
    return {"cv": folds_for(n_rows), "se": 0.0} | dict(
        setting(part, "--pruner") for part in settings.split(",") if part
    )


def pruner_of_text(text: str) -> Any:
    """Read `name` or `name:setting=value,setting=value`; `none` prunes nothing.

    Examples
    --------
    >>> pruner_of_text("pessimistic:se=0")
    Pessimistic(correction=0.5, se=0, count='all')
    """
    name, _, settings = text.partition(":")
    return None if name == "none" else _pruner(name, settings)


def _pruner(name: str, settings: str) -> Any:
    method = METHODS.get(name.strip().replace("-", "_"))
    if method is None:
        raise click.UsageError(unknown_name("pruner", name, [*METHODS, "none"]))
    given = dict(setting(part, "--pruner") for part in settings.split(",") if part)
    try:
        return method(**given)
    except TypeError:
        known = [field.name for field in fields(method)]  # type: ignore[arg-type]  # every method is a dataclass
        odd = next((key for key in given if key not in known), None)
        if odd is None:
            raise click.UsageError(f"--pruner {name} needs one of the settings {', '.join(known)}.") from None
        raise click.UsageError(unknown_name(f"setting of {name}", odd, known)) from None
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
