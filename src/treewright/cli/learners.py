"""Learners and pruners as the command line asks for them (`--algorithm`, `--pruner`, `--set`)."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from typing import Any

import click

from treewright.cli.learning_options import LearnerOptions
from treewright.cli.options import setting
from treewright.fitting.learners import AS_USUAL, METHODS, algorithm_name, suited_learner
from treewright.fitting.training_table import TrainingTable
from treewright.formatting.suggestions import unknown_name


def check_learner(options: LearnerOptions) -> None:
    """Refuse what cannot be made, before any table is read."""
    if options.algorithm is not None:
        algorithm_name(options.algorithm)
    if options.pruner is not None:
        pruner_of_text(options.pruner)
    parameters_of(options)


def learner(options: LearnerOptions, data: TrainingTable, default: str = "tree") -> Any:
    """Make the estimator that the options ask for, unfitted; `default` is what they mean by a tree."""
    algorithm = options.algorithm
    return suited_learner(
        data,
        None if algorithm is not None and algorithm_name(algorithm) == "tree" != default else algorithm,
        parameters_of(options),
        pruner=AS_USUAL if options.pruner is None else pruner_of_text(options.pruner),
        random_state=options.seed,
        default=default,
    )


def parameters_of(options: LearnerOptions) -> dict[str, Any]:
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
