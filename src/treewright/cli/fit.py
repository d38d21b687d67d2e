"""`treewright fit`: from a table to a tree, its estimated error, and a model file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from treewright.cli.learners import check_learner, folds_for, learner
from treewright.cli.model_loading import ruleset_of, schema_of
from treewright.cli.options import DataOptions, LearnerOptions, learning_command, screen_of, taken
from treewright.cli.performance import folds_text, show_evaluation
from treewright.cli.screen import Screen
from treewright.cli.training_table import Problem, describe, read_problem, refuse_infinities
from treewright.evaluation import CrossValidation, cross_validate
from treewright.files.workspace import Workspace
from treewright.formatting.text import counted

MOST_LINES = 60
"""A tree of more nodes than this is shown from the top only."""

EPILOG = """\b
Examples:
  treewright fit iris.csv --target species
  treewright fit 'sales-*.parquet' -t price --ignore id,date --output prices.tw
  treewright fit loans.csv --formula 'default ~ . - id' --costs '[[0, 1], [5, 0]]'
  treewright fit weather.arff --algorithm c4.5
  treewright fit people.csv -t income --query "select * from data where age >= 18" """


@learning_command(
    "fit",
    EPILOG,
    click.option(
        "--output", "-o", metavar="FILE", help="Where to save the model. [default: DATA's name, .tw]"
    ),
    click.option("--no-save", is_flag=True, help="Save no model."),
    click.option("--html", metavar="FILE", help="Write a report as a web page too."),
    click.option(
        "--folds", type=click.IntRange(min=0), metavar="N", help="Folds to judge by; 0: do not. [default: 10]"
    ),
)
def command(output: str | None, no_save: bool, html: str | None, folds: int | None, **given: Any) -> None:
    """Learn from a table, show the tree and its estimated error, and save it.

    DATA is a file of any common form (CSV, TSV, JSON lines, Parquet, Arrow, ARFF, C4.5), packed or not,
    several of them, a pattern, or - for standard input. Kinds of columns are guessed from all values and
    shown; missing values are empty fields, ? and NA.
    """
    options, screen = taken(DataOptions, given), screen_of(given)
    learning = taken(LearnerOptions, given)
    path = None if no_save else Path(output or default_output(options.data))
    refuse_folder(path, html)
    check_learner(learning)
    with Workspace() as workspace:
        problem = read_problem(workspace, options, screen)
        model = suited_learner(learning, problem)
        describe(problem, screen)
    with screen.progress("growing", known=False):
        model.fit(problem.X, problem.y, problem.weight)
    show_model(model, screen, missing=any(problem.table[name].gaps.any() for name in problem.features))
    found = validate(model, problem, folds, learning.seed, screen)
    if found is not None:
        show_evaluation(screen, found.evaluation, folds_text(found))
    show_features(model, screen)
    model.target_name_ = problem.target
    if path is not None:
        model.save(path)
    if html is not None:
        from treewright.cli.report import write_report

        write_report(html, model, problem, found)
    if screen.shows_text:
        screen.text()
        written = [str(file) for file in (path, html) if file is not None]
        screen.text(f"saved to {' and '.join(written)}" if written else "nothing was saved")
    screen.result(_result(model, problem, found, path))


def suited_learner(learning: LearnerOptions, problem: Problem) -> Any:
    """Make the estimator for a table, or say why it cannot learn from it."""
    model = learner(learning, problem.task, len(problem.table))
    refuse_infinities(problem.table, model)
    numeric = [
        name for name in problem.features if problem.readings[name].kind not in ("categorical", "ordinal")
    ]
    if type(model).__name__ == "ID3Classifier" and numeric and "threshold" not in model.splits:
        raise click.UsageError(
            f"id3 knows categories only, and {numeric[0]!r} is {problem.readings[numeric[0]].kind}: "
            f"use --algorithm c4.5, or --categorical {','.join(numeric)!r}."
        )
    return model


def default_output(data: tuple[str, ...]) -> str:
    """Name the model after the data, in the folder one works in.

    Examples
    --------
    >>> default_output(("tables/iris.csv.gz",)), default_output(("-",)), default_output(("a-*.csv",))
    ('iris.tw', 'model.tw', 'a.tw')
    """
    name = os.path.basename(data[0]).split(".")[0].replace("*", "").strip("-_ ")
    return f"{name or 'model'}.tw"


def refuse_folder(*paths: Path | str | None) -> None:
    """Refuse outputs that cannot be written before anything is learned."""
    for path in paths:
        if path is None:
            continue
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise click.UsageError(f"cannot write {str(path)!r}: there is no folder {folder!r}.")
        if os.path.isdir(path):
            raise click.UsageError(f"cannot write {str(path)!r}: it is a folder.")


def validate(
    model: Any, problem: Problem, folds: int | None, seed: int, screen: Screen
) -> CrossValidation | None:
    """Cross-validate the way in which a model was made, pruning included."""
    n_folds = folds_for(len(problem.table)) if folds is None else folds
    if n_folds < 2 or len(problem.table) < 2:
        return None
    with screen.progress("cross-validating") as progress:
        return cross_validate(
            model,
            problem.X,
            problem.y,
            n_folds,
            sample_weight=problem.weight,
            random_state=seed,
            progress=progress,
        )


def show_model(model: Any, screen: Screen, *, missing: bool = False) -> None:
    """Show the tree and, if asked, where missing values go; of a forest its size."""
    screen.title(title_of(model))
    ruleset = ruleset_of(model)
    if ruleset is not None:
        screen.text(str(ruleset))
    elif not hasattr(model, "tree_"):
        screen.text(f"{counted(len(model.estimators_), 'tree')}")
    elif screen.shows_text:
        screen.text(tree_text(model.tree_, missing=missing))


def tree_text(tree: Any, max_depth: int | None = None, *, missing: bool = False) -> str:
    """Write a tree, from the top only if it is large."""
    from treewright.export import export_text

    if max_depth is None and len(tree) > MOST_LINES:
        levels = tree.node_depth
        max_depth = max(
            depth for depth in range(tree.depth) if depth <= 1 or (levels <= depth).sum() <= MOST_LINES
        )
    return export_text(tree, max_depth=max_depth, missing=missing)


def title_of(model: Any) -> str:
    """Say what made a model."""
    title = f"Learned by {type(model).__name__}"
    pruner = getattr(model, "pruner_", None)
    return title if pruner is None else f"{title}, pruned by {type(pruner).__name__}"


def show_features(model: Any, screen: Screen, most: int = 8) -> None:
    """Show the features that matter most."""
    shares = [(name, share) for name, share in importances(model) if share > 0][:most]
    if shares:
        screen.title("Feature importance (share of the impurity decrease)")
        screen.bars(shares)


def importances(model: Any) -> list[tuple[str, float]]:
    """Give features with their importances, the largest first."""
    values = getattr(model, "feature_importances_", None)
    if values is None:  # rules have none
        return []
    return sorted(zip(schema_of(model).names, values.tolist(), strict=True), key=lambda pair: -pair[1])


def _result(model: Any, problem: Problem, found: CrossValidation | None, path: Path | None) -> dict[str, Any]:
    """Give everything that the screen shows as plain values."""
    table = problem.table
    result: dict[str, Any] = {
        "data": {
            "source": table.name.strip("'"),
            "rows": len(table),
            "rows_without_target": problem.n_left_out,
            "target": problem.target,
            "task": problem.task,
            "features": [
                {"name": name, "kind": problem.readings[name].kind, "missing": int(table[name].gaps.sum())}
                for name in problem.features
            ],
        },
        "model": {"kind": type(model).__name__},
        "cross_validation": None if found is None else found.to_dict(),
        "importances": dict(importances(model)),
        "output": None if path is None else str(path),
    }
    ruleset = ruleset_of(model)
    if ruleset is not None:
        result["model"]["rules"] = ruleset.to_dict()
    if hasattr(model, "tree_"):
        tree = model.tree_
        result["model"] |= {
            "leaves": tree.n_leaves,
            "nodes": len(tree),
            "depth": tree.depth,
            "pruner": repr(model.pruner_) if hasattr(model, "pruner_") else None,
            "tree": tree.to_dict(),
        }
    return result
