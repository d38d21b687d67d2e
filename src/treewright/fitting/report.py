"""What is known of a table, a model and its performance, as parts of a text: for screens and for `print`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treewright.data.column_summary import column_line
from treewright.data.columns import Raw, RawCodes
from treewright.formatting.performance import calibration_lines, figures_table
from treewright.formatting.text import counted, number_text, printable

if TYPE_CHECKING:
    from treewright.evaluation import AnyEvaluation, ClassEvaluation
    from treewright.fitting.training_table import TrainingTable

MOST_COLUMNS = 40
"""Columns of a table that are listed."""

MOST_LINES = 60
"""A tree of more nodes than this is shown from the top only."""


@dataclass(frozen=True)
class Section:
    """A title, which may be empty, and the lines below it."""

    title: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.title, *self.lines] if self.title else self.lines)


# ---- the table ---------------------------------------------------------------------------------------------


def table_section(data: TrainingTable) -> Section:
    """Say what the columns were taken as."""
    table = data.table
    rows = [column_line(name, data.kinds[name], table[name]) for name in data.features[:MOST_COLUMNS]]
    if len(data.features) > MOST_COLUMNS:
        rows.append((f"… {len(data.features) - MOST_COLUMNS} more", "", "", ""))
    kind = "classes" if data.task == "classification" else "numbers"
    other = "regression" if data.task == "classification" else "classification"
    as_what = "numbers" if data.task == "classification" else "classes"
    hint = "" if isinstance(data.y, RawCodes) else f"  (task {other} would read them as {as_what})"
    y = _classes_of_numbers(data.y) if data.task == "classification" else data.y
    _, _, values, _ = column_line(data.target, data.kinds[data.target], y)
    return Section(
        f"{counted(len(table), 'row')}, {counted(len(data.features), 'feature')} from {table.name}",
        (
            *figures_table(["feature", "kind", "values", "missing"], rows, left=3),
            f"target {data.target}: {kind}, {values}{hint}",
        ),
    )


def _classes_of_numbers(y: Raw) -> RawCodes:
    """Give the numbers of a target as the classes they are."""
    if isinstance(y, RawCodes):
        return y
    labels, codes = np.unique(y.values, return_inverse=True)
    return RawCodes(codes.astype(np.int32), tuple(map(number_text, labels.tolist())))


# ---- the model ---------------------------------------------------------------------------------------------


def model_section(model: Any, *, missing: bool | Collection[int] = False) -> Section:
    """Give the tree, with where missing values go at some nodes or at all; of a forest its size."""
    ruleset = ruleset_of(model)
    if ruleset is not None:
        text = str(ruleset)
    elif not hasattr(model, "tree_"):
        text = f"{counted(len(model.estimators_), 'tree')}"
    else:
        text = tree_text(model.tree_, missing=missing)
    return Section(title_of(model), tuple(text.split("\n")))


def tree_text(tree: Any, max_depth: int | None = None, *, missing: bool | Collection[int] = False) -> str:
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
    title = f"Learned by {kind_name(model)}"
    pruner = getattr(model, "pruner_", None)
    name = getattr(model, "pruner_name", None) if pruner is None else type(pruner).__name__
    return title if name is None else f"{title}, pruned by {name}"


def kind_name(model: Any) -> str:
    """Give the name of a model's estimator."""
    return str(getattr(model, "kind", None) or type(model).__name__)


def ruleset_of(model: Any) -> Any:
    """Give the rules that a model consists of; None if it has a tree."""
    if type(model).__name__ == "RuleSet":
        return model
    return getattr(model, "ruleset_", None)


def schema_of(model: Any) -> Any:
    """Give the schema of a model: of its tree, of its rules, or of the trees of a forest."""
    for part in (getattr(model, "tree_", None), ruleset_of(model)):
        if part is not None:
            return part.schema
    return model.estimators_[0].tree_.schema


def importances(model: Any) -> list[tuple[str, float]]:
    """Give features with their importances, the largest first."""
    values = getattr(model, "feature_importances_", None)
    if values is None:  # rules have none
        return []
    return sorted(zip(schema_of(model).names, values.tolist(), strict=True), key=lambda pair: -pair[1])


def importance_section(model: Any, most: int = 8, width: int = 30) -> Section | None:
    """Give the features that matter most, with bars."""
    shares = [(printable(name), share) for name, share in importances(model) if share > 0][:most]
    if not shares:
        return None
    longest = max(len(name) for name, _ in shares)
    lines = (
        f"  {name:<{longest}}  {'█' * round(width * share) or '▏'} {share:.0%}" for name, share in shares
    )
    return Section("Feature importance (share of the impurity decrease)", tuple(lines))


# ---- its performance ---------------------------------------------------------------------------------------


def performance_section(evaluation: AnyEvaluation, how: str, *, calibration: bool = False) -> Section:
    """Give the figures, and the confusion matrix of classes.

    Parameters
    ----------
    evaluation : ClassEvaluation or NumberEvaluation
    how : str
        Where the figures come from, in words.
    calibration : bool
        Whether to put the class probabilities beside what happened.
    """
    lines = str(evaluation).split("\n")
    if calibration and getattr(evaluation, "calibration", None):
        lines += ["", *calibration_lines(cast("ClassEvaluation", evaluation))]
    return Section(f"Performance: {how}", tuple(lines))
