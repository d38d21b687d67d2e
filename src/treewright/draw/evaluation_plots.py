"""Plots of what predictions are worth and what they depend on: ROC, calibration, partial dependence, SHAP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.draw.visible_tree import infinities, read_table
from treewright.errors import DataTypeError
from treewright.explain.partial_dependence import partial_dependence
from treewright.explain.shapley import mean_movement, shapley_values
from treewright.figures import Evaluation, evaluate_model
from treewright.formatting.axes import axes_for, legend
from treewright.formatting.colours import class_colour, number_colour
from treewright.tree import Tree
from treewright.tree.from_sklearn import tree_of
from treewright.tree.model import ForestModel, TreeModel
from treewright.tree.wrapped import unwrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_DOTS = 400
"""Rows that a picture of Shapley values shows of each feature."""


# ---- how good predictions are ------------------------------------------------------------------------------


def plot_roc(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve of each class (of two classes the second), and say the area below it.

    Parameters
    ----------
    model : fitted classifier
        Of treewright or scikit-learn, also a pipeline or a search.
    X, y, ax
        As for `plot_confusion`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_roc
    >>> X, y = datasets.load_votes()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    >>> plot_roc(model, X[1::2], y[1::2]).get_xlabel()
    'false positive rate'
    """
    return draw_roc(_evaluation(model, X, y), ax)


def plot_calibration(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw, for probabilities of each tenth, how often what they are of happened.

    Parameters
    ----------
    model, X, y, ax
        As for `plot_roc`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_calibration
    >>> X, y = datasets.load_votes()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    >>> plot_calibration(model, X[1::2], y[1::2]).get_ylabel()
    'share that came true'
    """
    return draw_calibration(_evaluation(model, X, y), ax)


def _evaluation(model: Any, X: Any, y: Any) -> Evaluation:
    if not hasattr(model, "predict_proba"):
        raise DataTypeError(
            f"{type(model).__name__} has no class probabilities: give a fitted classifier with predict_proba."
        )
    return evaluate_model(model, X, y)


def draw_roc(found: Evaluation, ax: Axes | None) -> Axes:
    """Draw the ROC curves of an evaluation."""
    ax = axes_for(ax, f"ROC on {found.on}", "false positive rate", "recall (true positive rate)", (5, 5))
    ax.plot([0, 1], [0, 1], color="grey", linestyle=":", linewidth=1)
    return _curves(found, "roc", "area", ax)


def draw_precision_recall(found: Evaluation, ax: Axes | None) -> Axes:
    """Draw precision against recall."""
    ax = axes_for(ax, f"Precision and recall on {found.on}", "recall", "precision", (5, 5))
    return _curves(found, "precision_recall", "average precision", ax)


def _curves(found: Evaluation, name: str, area: str, ax: Axes) -> Axes:
    curves = found.curves.get(name)
    if not curves:
        raise DataTypeError(
            "there are no class probabilities to rank rows by: evaluate a classifier that has them."
        )
    for code, (label, curve) in enumerate(curves.items()):
        if len(curves) == 2 and code == 0:
            continue
        text = f"{label}: {area} {curve.area:.3f}"
        ax.plot(curve.x, curve.y, color=class_colour(code), label=text)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    legend(ax)
    return ax


def draw_calibration(found: Evaluation, ax: Axes | None) -> Axes:
    """Draw what happened where a probability was given."""
    if not found.calibration:
        raise DataTypeError(
            "there are no class probabilities to compare: evaluate a classifier that has them."
        )
    ax = axes_for(ax, f"Calibration on {found.on}", "predicted probability", "share that came true", (5, 5))
    ax.plot([0, 1], [0, 1], color="grey", linestyle=":", linewidth=1)
    x, y, weight = (
        np.array([one[name] for one in found.calibration]) for name in ("predicted", "observed", "weight")
    )
    ax.plot(x, y, color=class_colour(0), linewidth=1)
    ax.scatter(x, y, s=20 + 120 * weight / weight.max(), color=class_colour(0))
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return ax


def draw_residuals(found: Evaluation, ax: Axes | None) -> Axes:
    """Draw true against predicted numbers."""
    if found.residuals is None:
        raise DataTypeError("classes have no residuals: evaluate a regression model.")
    ax = axes_for(ax, f"True against predicted, on {found.on}", "predicted", "true", (5, 5))
    said, true = found.residuals.T
    ends = [min(said.min(), true.min()), max(said.max(), true.max())]
    ax.plot(ends, ends, color="grey", linestyle=":", linewidth=1)
    ax.scatter(said, true, s=9, alpha=0.5, color=class_colour(0))
    return ax


# ---- what predictions depend on ----------------------------------------------------------------------------


def asked(model: Any) -> tuple[list[Tree], Any]:
    """Give the trees of a model, and a function that gives what they say of rows."""
    if isinstance(model, ForestModel):
        forest: Any = model
        trees = forest._fitted_trees()

        def says(rows: Dataset) -> Array:
            votes, _ = trees.vote(rows.numbers, rows.codes, hard=forest._hard)
            return np.asarray(votes / len(trees))

        return list(trees), says
    tree = tree_of(model)
    if tree.equations is not None:
        return [tree], lambda rows: tree.predict_value(rows.numbers, rows.codes).reshape(len(rows), -1)
    value = model._node_values(tree) if isinstance(model, TreeModel) else tree.class_probabilities
    return [tree], lambda rows: tree.spread(rows.numbers, rows.codes, value)


def plot_partial_dependence(
    model: Any,
    X: Any,
    feature: str | int | None = None,
    *,
    target: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how predictions depend on a feature: the mean over rows, and thin the lines of single rows.

    Parameters
    ----------
    model : fitted tree or forest
        Of treewright, a tree of scikit-learn, or a pipeline or search of one.
    X : table
        Rows.
    feature : str or int, optional
        By default the most important one.
    target : class, optional
        The class whose probability is drawn; by default the last.
    ax
        As for `plot_importances`.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor, datasets, plot_partial_dependence
    >>> X, y = datasets.load_mpg()
    >>> ax = plot_partial_dependence(DecisionTreeRegressor(max_depth=3).fit(X, y), X, "weight")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('weight', 'prediction')
    """
    model, prepared = unwrapped(model)
    trees, says = asked(model)
    schema, rows = trees[0].schema, read_table(trees[0], prepared(X), infinities(model))
    place = strongest(model, trees, 1)[0] if feature is None else schema.feature(feature)
    code = _class_code(trees[0], target)
    found = partial_dependence(rows, place, says)
    words = "prediction" if schema.classes is None else f"probability of {schema.classes[code]}"
    ax = axes_for(ax, f"Partial dependence on {schema.names[place]}", schema.names[place], words)
    column = schema.columns[place]
    x = np.arange(len(found.grid)) if column.categories else found.grid + column.offset
    for line in found.each[:, :, code]:
        ax.plot(x, line, color="grey", linewidth=0.6, alpha=0.35)
    ax.plot(x, found.mean[:, code], color=class_colour(code), linewidth=2.5, label="mean over rows")
    if column.categories:
        ax.set_xticks(x, [column.text(int(value)) for value in found.grid], rotation=30, ha="right")
    return ax


def _class_code(tree: Tree, target: Any) -> int:
    classes = tree.schema.classes
    if classes is None:
        return 0
    names = classes.tolist()
    if target is not None and target not in names:
        raise ValueError(f"target={target!r} must be one of the classes {', '.join(map(repr, names))}.")
    return len(names) - 1 if target is None else names.index(target)


def strongest(model: Any, trees: Sequence[Tree], most: int) -> list[int]:
    """Give the features that matter most by impurity, those that matter at all."""
    share = (
        np.mean([tree.compute_feature_importances() for tree in trees], axis=0)
        if len(trees) > 1
        else trees[0].compute_feature_importances()
    )
    order = np.argsort(-share, kind="stable")[:most]
    return [int(place) for place in order if share[place] > 0] or [int(order[0])]


def shap_of(trees: Sequence[Tree], model: Any, rows: Dataset) -> Array:
    """Give the Shapley values of rows: rows × features × classes."""
    values: Any = 0.0
    for tree in trees:
        said = model._node_values(tree) if isinstance(model, TreeModel) else tree.class_probabilities
        values = values + shapley_values(tree, rows, said) / len(trees)
    return np.asarray(values)


def plot_shap(
    model: Any, X: Any, *, target: Any = None, max_features: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw what each feature adds to the prediction of each row: exact Shapley values (Lundberg & Lee, 2017).

    A dot is a row; it is dark where its value of the feature is high.

    Parameters
    ----------
    model, X, target, ax
        As for `plot_partial_dependence`.
    max_features : int, default=10
        The features that move predictions most.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor, datasets, plot_shap
    >>> X, y = datasets.load_mpg()
    >>> ax = plot_shap(DecisionTreeRegressor(max_depth=3).fit(X, y), X, max_features=3)
    >>> len(ax.get_yticklabels())
    3
    """
    model, prepared = unwrapped(model)
    trees, _ = asked(model)
    rows = read_table(trees[0], prepared(X), infinities(model))
    few = rows.take(np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_DOTS)).astype(np.int64)))
    values, code = shap_of(trees, model, few), _class_code(trees[0], target)
    order = np.argsort(-mean_movement(values), kind="stable")[:max_features]
    schema = trees[0].schema
    words = (
        "adds to the prediction"
        if schema.classes is None
        else f"adds to the probability of {schema.classes[code]}"
    )
    ax = axes_for(ax, "SHAP values", words)
    random = np.random.default_rng(0)
    for line, place in enumerate(order[::-1].tolist()):
        across = values[:, place, code]
        up = line + random.uniform(-0.28, 0.28, len(across))
        ax.scatter(across, up, s=9, c=[number_colour(share) for share in ranks(few, place).tolist()])
    ax.axvline(0, color="grey", linewidth=1)
    ax.set_yticks(range(len(order)), [schema.names[place] for place in order[::-1].tolist()])
    return ax


def ranks(rows: Dataset, feature: int) -> Array:
    """Give where each row stands between the lowest and the highest value of a feature; ½ if missing."""
    at = int(rows.schema.position[feature])
    is_code = rows.schema.columns[feature].kind == "categorical"
    column = (rows.codes if is_code else rows.numbers)[:, at].astype(np.float64)
    known = column >= 0 if is_code else ~np.isnan(column)
    if not known.any():
        return np.full(len(column), 0.5)
    if np.abs(column[known]).max() > 1e307:  # the difference may be beyond all numbers
        column = column / 4
    low, high = column[known].min(), column[known].max()
    return np.where(known, (column - low) / ((high - low) or 1.0), 0.5)
