"""Bar chart of feature importances, and the confusion matrix as a plot."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.columns import plain
from treewright.draw.visible_tree import read_table
from treewright.errors import DataError
from treewright.evaluation import judge_classes
from treewright.formatting.axes import axes_for, name_ticks, plain_text
from treewright.formatting.colours import class_colour, is_light
from treewright.tree import Tree
from treewright.tree.from_sklearn import tree_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_BARS, MOST_NUMBERS = 20, 15


def plot_importances(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    n_repeats: int | None = None,
    random_state: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw how much each feature matters, the most important on top, with how much that varies.

    Without rows it is each feature's share in the decrease of impurity, which favours features of many
    values; in a forest its spread over the trees is drawn. With rows it is what `model.importances(X, y)`
    calls permutation: what is lost when the feature's column is shuffled (Breiman, 2001), and how that varies
    between shuffles or between the trees of a forest.

    Parameters
    ----------
    model : fitted estimator
        A tree or a forest, of this library or of scikit-learn.
    X, y : table and target, optional
        Rows to shuffle, best such that the model was not grown on. The trees of a forest are judged on those
        of the rows of its fit that they have not drawn, and on all of any other rows.
    n_repeats : int or None, default=None
        How often each column is shuffled; None is 10, and 1 for each tree of a forest.
    random_state : int, default=0
        Seed of the shuffles.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_importances
    >>> ax = plot_importances(DecisionTreeClassifier().fit(*datasets.load_iris()))
    >>> [label.get_text() for label in ax.get_yticklabels()][-1]
    'petal length'
    """
    if X is None:
        mean, spread = _impurity_importances(model)
        across = "share in the decrease of impurity"
    else:
        mean, spread, across = _permutation_importances(model, X, y, n_repeats, random_state)
    names = getattr(model, "feature_names_in_", None)
    labels = [f"x{feature}" for feature in range(len(mean))] if names is None else list(names)
    order = np.argsort(-mean, kind="stable")[:MOST_BARS][::-1]
    height = 1.4 + 0.3 * max(len(order), 3)
    ax = axes_for(ax, "Importance of the features", across, inches=(6.4, height))
    ax.barh(
        np.arange(len(order)),
        mean[order],
        xerr=None if spread is None else spread[order],
        color=class_colour(0),
        ecolor="0.35",
        capsize=2,
    )
    ax.set_yticks(np.arange(len(order)), [plain_text(str(labels[feature]), 40) for feature in order])
    if len(mean) > MOST_BARS:
        ax.set_ylabel(f"{len(mean) - MOST_BARS} more features below")
    return ax


def _impurity_importances(model: Any) -> tuple[Array, Array | None]:
    if hasattr(type(model), "estimators_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
    trees = getattr(model, "estimators_", None)
    if trees is None:
        return tree_of(model).compute_feature_importances(), None
    each = np.array([tree.feature_importances_ for tree in np.ravel(np.asarray(trees, object)).tolist()])
    return np.asarray(model.feature_importances_), each.std(axis=0, ddof=min(len(each) - 1, 1))


def _permutation_importances(
    model: Any, X: Any, y: Any, n_repeats: int | None, random_state: int
) -> tuple[Array, Array, str]:
    """Ask a model for its importances by shuffling; for one of scikit-learn its own function is asked."""
    repeats = {} if n_repeats is None else {"n_repeats": n_repeats}
    shuffled = "when the column is shuffled"
    if not hasattr(model, "importances"):
        from sklearn.inspection import permutation_importance

        peer = permutation_importance(model, X, y, random_state=random_state, **({"n_repeats": 10} | repeats))
        return peer.importances_mean, peer.importances_std, f"fall of the score {shuffled}"
    settings: dict[str, Any] = {"random_state": random_state, **repeats}
    across = f"fall of the score {shuffled}"
    if hasattr(type(model), "estimators_"):
        out_of_bag = bool(model.draws_.n_draws) and np.shape(X)[0] == model.draws_.n_rows
        settings["out_of_bag"] = out_of_bag
        rows = "on rows that it has not drawn" if out_of_bag else "on these rows"
        across = f"rise of each tree's error {rows} {shuffled}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what impurity favours, which is not drawn
        found = model.importances(X, y, **settings)
    return found.permutation, found.spreads["permutation"], across


def plot_confusion(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the confusion matrix: for the rows of each class, what they were taken for.

    Squares are coloured by the share of the row's class; those of few classes show the number of rows.

    Parameters
    ----------
    model : fitted classifier or Tree
        A tree, a forest or any other classifier that has `classes_` and `predict`.
    X, y : table and target
        Rows, best such that the model was not grown on; those of unknown classes are left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_confusion
    >>> X, y = datasets.load_iris()
    >>> ax = plot_confusion(DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['50', '0', '0', '0', '49', '1', '0', '5', '45']
    """
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    counts, classes = confusion(model, X, y)
    right = float(np.trace(counts) / counts.sum())
    ax = axes_for(
        ax,
        f"Confusion: {right:.1%} of {counts.sum():.0f} rows right",
        "predicted",
        "true",
        _square(len(classes)),
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    scale = LinearSegmentedColormap.from_list("treewright", ["#ffffff", class_colour(0)])
    ax.imshow(shares, cmap=scale, vmin=0, vmax=1)
    for axis in (ax.xaxis, ax.yaxis):
        name_ticks(axis, [str(plain(label)) for label in classes])
        axis.set_tick_params(length=0, which="both")
        axis.set_ticks(np.arange(len(classes) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="0.9", linewidth=0.8)
    ax.spines[:].set_visible(False)
    for row, column in np.ndindex(counts.shape) if len(classes) <= MOST_NUMBERS else ():
        count = counts[row, column]
        colour = "black" if is_light(to_hex(scale(shares[row, column]))) else "white"
        ax.text(column, row, f"{count:.0f}", ha="center", va="center", color=colour if count else "0.6")
    return ax


def _square(n_classes: int) -> tuple[float, float] | None:
    """Give the size of a figure in which the names of all classes can be read."""
    return None if n_classes <= MOST_NUMBERS else (2.5 + 0.19 * n_classes, 2.2 + 0.19 * n_classes)


def confusion(model: Any, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Count rows by their class (row) and by the class predicted for them (column); give the classes too."""
    from sklearn.utils.validation import check_is_fitted

    if isinstance(model, Tree):
        classes: Any = model.schema.classes
    else:
        check_is_fitted(model)
        classes = getattr(model, "classes_", None)
    if classes is None:
        raise ValueError(
            f"{type(model).__name__} has no classes to confuse: only classifiers have a confusion matrix."
        )
    if isinstance(model, Tree):
        rows = read_table(model, X)
        predicted = classes[model.decide(model.spread(rows.numbers, rows.codes, model.vote_weights))]
    else:
        predicted = model.predict(X)
    names = np.asarray(classes).tolist()
    counts = judge_classes(y, predicted, known=names).square(names)
    if not counts.any():
        raise DataError(f"y has no row of a class that the model knows: {', '.join(map(repr, names))}.")
    return counts, np.asarray(classes)
