"""What only the training rows tell of a model: where they miss values, and which columns identify them."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data import Dataset
from treewright.data.columns import Raw, RawCodes
from treewright.data.identifiers import FEWEST_ROWS, IDENTIFIER_PRICE, PRICED_ROWS, number_the_rows
from treewright.draw.visible_tree import Rows
from treewright.evaluation import ClassEvaluation, CrossValidation
from treewright.fitting.report import schema_of
from treewright.fitting.training_table import TrainingTable
from treewright.formatting.text import counted, quoted

MOST_ALIKE = 0.5
"""Text of more different values than this share of its rows looks like an identifier."""

RARE = 0.7
"""A class of less than this share of what it would have if all had as much is rare."""
RECALL = 0.5
"""Recall below which a rare class is told of."""
MOST_RARE = 3


def nodes_that_miss(model: Any, data: TrainingTable) -> list[int]:
    """List the nodes of a model's tree to which training rows come that do not answer the split.

    Examples
    --------
    >>> from treewright import fit
    >>> table = {"a": [1, 2, 3, 4, None] * 4, "y": ["no", "no", "yes", "yes", "no"] * 4}
    >>> result = fit(table, "y", folds=0)
    >>> nodes_that_miss(result.model, result.data)
    [0]
    """
    if not hasattr(model, "tree_") or not data.has_missing:
        return []
    tree = model.tree_
    rows = Rows(tree, Dataset(tree.schema, *tree.schema.encode(data.X, inf=getattr(model, "inf", "error"))))
    return [node for node in np.flatnonzero(tree.n_children).tolist() if rows.n_missing(node)]


def identifiers(data: TrainingTable) -> dict[str, int]:
    """Find columns that look like identifiers, each with its number of different values.

    They are columns of text with hardly a value twice, and of whole numbers that number the rows.

    Examples
    --------
    >>> from treewright import fit
    >>> table = {"id": range(30), "name": [f"n{k}" for k in range(30)], "age": [3, 4] * 15, "y": [0, 1] * 15}
    >>> identifiers(fit(table, "y", folds=0).data)
    {'id': 30, 'name': 30}
    """
    found = {name: _different_values(data.table[name]) for name in data.features}
    return {name: values for name, values in found.items() if values}


def _different_values(raw: Raw) -> int:
    """Count the values of a column that looks like an identifier; 0 if it does not."""
    n_rows = int((~raw.gaps).sum())
    if n_rows < FEWEST_ROWS:
        return 0
    if isinstance(raw, RawCodes):
        used = len(np.unique(raw.codes[raw.codes >= 0]))
        return used if not raw.declared and not raw.ordered and used > MOST_ALIKE * n_rows else 0
    return n_rows if number_the_rows(raw.values[~raw.gaps]) else 0


def identifier_lines(model: Any, data: TrainingTable) -> list[str]:
    """Say which columns look like identifiers, and what was done about them."""
    fair = type(model).__name__ in ("TreeClassifier", "TreeRegressor")
    used = _used(model)
    lines = []
    for name, values in identifiers(data).items():
        coded = isinstance(data.table[name], RawCodes)
        what = f"{name} looks like an identifier ({values} values in {counted(len(data), 'row')}): "
        if fair and coded:
            what += "a grouping of its values had to pay for all others that there were; "
        elif fair and len(data) <= PRICED_ROWS:
            what += f"a cut of it had to gain {IDENTIFIER_PRICE:g} times what others do; "
        done = "the tree uses it" if name in used else "the tree does not use it"
        lines.append(f"{what}{done}{'; leave it out if it only names rows' if name in used else ''}")
    return lines


def advice_lines(model: Any, evaluation: CrossValidation | None) -> list[str]:
    """Say what to try where a tree is a single leaf, and where few rows of a rare class are found."""
    lines = []
    tree = getattr(model, "tree_", None)
    if tree is not None and len(tree) == 1 and tree.impurity[0] > 0 and hasattr(model, "se"):
        held_out = getattr(getattr(model, "path_", None), "held_out", None)
        lines.append(
            "The tree is a single leaf: se=0 (--se 0) takes the tree of the least cross-validated loss."
            if held_out is not None and held_out[:-1].min(initial=np.inf) < held_out[-1]
            else "The tree is a single leaf, and none of any size is better in cross-validation: it takes "
            "more rows or other columns; alpha=0 (--alpha 0) shows all that was grown."
        )
    figures = None if evaluation is None else evaluation.evaluation
    if not isinstance(figures, ClassEvaluation) or not _weighs_alike(model):
        return lines
    weight = figures.confusion.sum(axis=1)
    for at in np.argsort(weight, kind="stable")[:MOST_RARE].tolist():
        share, recall = weight[at] / weight.sum(), figures.recall[at]
        if share <= RARE / len(weight) and recall < RECALL:
            lines.append(
                f"Class {quoted(str(figures.classes[at]))} has {100 * share:.0f} % of the rows, and of these "
                f'{100 * recall:.0f} % are found (recall). class_weight="balanced" (--class-weight balanced) '
                "makes all classes count the same, costs (--costs) each mistake as much as you say: recall "
                "rises, and so does the error."
            )
    return lines


def _weighs_alike(model: Any) -> bool:
    """Whether every mistake counts the same, and need not."""
    absent = object()
    return all(getattr(model, name, absent) is None for name in ("class_weight", "costs"))


def _used(model: Any) -> set[str]:
    shares = getattr(model, "feature_importances_", None)
    names = schema_of(model).names
    return set() if shares is None else {name for name, share in zip(names, shares, strict=True) if share > 0}
