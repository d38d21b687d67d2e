"""Curves: impurity, gain of every cut, error against tree size (pruning, overfitting), out-of-bag error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import criteria
from treewright.data import Dataset
from treewright.draw.visible_tree import Rows, infinities, read_rows
from treewright.errors import DataError, DataTypeError
from treewright.forest.error_curve import ErrorCurve
from treewright.formatting.axes import axes_for, legend
from treewright.formatting.colours import class_colour
from treewright.formatting.text import number_text
from treewright.model_selection.overfitting import overfitting_curve
from treewright.parameter_types import is_whole
from treewright.pruning.cost_complexity import Links, weakest_links
from treewright.pruning.nested import nested_losses
from treewright.pruning.path import PruningPath
from treewright.tree import Tree
from treewright.tree.decision import decide
from treewright.tree.from_sklearn import tree_of
from treewright.tree.splits import Threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_CUTS = 400


def plot_impurities(
    names: str | Sequence[str] = criteria.POTENTIALS, *, scaled: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw the impurities of two classes against the share of one, all on one scale or each on its own.

    The straight sides of `error` are why it cannot see a split that leaves the majority everywhere the
    same; the others are strictly concave, `sqrt` the most (Kearns & Mansour, 1996).

    Parameters
    ----------
    names : name or sequence of names of {"error", "gini", "entropy", "sqrt"}
        Which to draw.
    scaled : bool, default=True
        Whether all are ½ at ½; if not, each is what a node has: the entropy of ½ is 1 bit.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from treewright import plot_impurities
    >>> [line.get_label() for line in plot_impurities(["error", "gini"]).get_lines()]
    ['error', 'gini']
    >>> float(plot_impurities("entropy", scaled=False).get_lines()[0].get_ydata().max())
    1.0
    """
    share = np.linspace(0, 1, 501)
    up = "impurity, scaled to ½ at ½" if scaled else "impurity"
    ax = axes_for(ax, "Impurity of a node of two classes", "share of one class", up)
    for code, name in enumerate([names] if isinstance(names, str) else names):
        value = criteria.potential(name, share)
        if not scaled:
            value = value * criteria.impurity(name, [1, 1]) / 0.5
        ax.plot(share, value, color=class_colour(code), label=name)
    ax.set(xlim=(0, 1), ylim=(0, None))
    legend(ax)
    return ax


def plot_split(table: Any, criterion: str = "error", *, ax: Axes | None = None) -> Axes:
    """Draw what a split does to the value of a node of two classes (Kearns & Mansour, 1996).

    On the curve of the criterion stand the node and its branches, each by its share of the first class and
    with its counts. What the split leaves of the value lies where the line between the branches passes below
    the node: on a straight side of `error` it is no less, below a strictly concave curve it always is.

    Parameters
    ----------
    table : array-like of shape (n_branches, 2)
        Counts or weights of the two classes in each branch.
    criterion : {"error", "gini", "entropy", "sqrt"}
        The value of a node, on the scale of `criteria.potential`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Examples
    --------
    Half the rows of a node are split off, and all of them are of the first class:

    >>> from treewright import plot_split
    >>> plot_split([[3, 2], [5, 0]], "error").get_title(loc="left")
    'error of a split: 0.200 before, 0.200 after'
    >>> plot_split([[3, 2], [5, 0]], "gini").get_title(loc="left")
    'gini of a split: 0.320 before, 0.240 after'
    """
    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2 or counts.shape[1] != 2 or not (counts >= 0).all() or not counts.sum() > 0:
        raise ValueError(
            f"table must have a row of two counts for each branch, and rows to count; got {table!r}."
        )
    after = criteria.split_potential(criterion, counts)
    kept = counts[counts.sum(axis=1) > 0]
    share, weight = kept[:, 0] / kept.sum(axis=1), kept.sum(axis=1) / kept.sum()
    q = float(kept[:, 0].sum() / kept.sum())
    before = criteria.potential(criterion, q)
    title = f"{criterion} of a split: {before:.3f} before, {after:.3f} after"
    ax = axes_for(ax, title, "share of the first class", "value, scaled to ½ at ½")
    curve = np.linspace(0, 1, 501)
    ax.plot(curve, criteria.potential(criterion, curve), color="0.6", zorder=1)
    value = criteria.potential(criterion, share)
    for one, height in zip(share, value, strict=True):
        ax.plot([one, q], [height, after], color=class_colour(0), linestyle="--", linewidth=1, zorder=2)
    ax.plot([q, q], [before, after], color=class_colour(5), linewidth=2, zorder=2)
    ax.plot(
        share,
        value,
        "o",
        color=class_colour(0),
        label="branches (share of the rows)",
        zorder=3,
        clip_on=False,
    )
    ax.plot(q, before, "s", color=class_colour(1), markersize=10, label="the node", zorder=3)
    ax.plot(q, after, "D", color=class_colour(5), markersize=5, label="after the split", zorder=4)
    for row, one, part, height in zip(kept, share, weight, value, strict=True):
        _say(ax, f"{_pair(row)} ({number_text(round(float(part), 3))})", float(one), float(height))
    _say(ax, _pair(kept.sum(axis=0)), q, before)
    ax.set(xlim=(-0.25, 1.25), ylim=(0, 0.66))
    ax.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax.set_yticks([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    legend(ax, loc="upper left")
    return ax


def _pair(counts: Array) -> str:
    """Write two counts."""
    return " : ".join(number_text(round(float(count), 6)) for count in counts)


def _say(ax: Axes, words: str, x: float, y: float) -> None:
    """Write words at a point of a concave curve, outside of it: what lies below is taken."""
    side, shift = ("left", 8) if x >= 0.5 else ("right", -8)
    ax.annotate(words, (x, y), (shift, 5), textcoords="offset points", ha=side, va="bottom", fontsize="small")


def plot_merits(
    model: Any,
    X: Any,
    y: Any,
    node: int = 0,
    feature: str | int | None = None,
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the gain of every cut of a feature at a node, by several criteria, each scaled to its best.

    Parameters
    ----------
    model : fitted estimator or Tree
        A tree of this library or of scikit-learn.
    X, y : table and target
        Rows; those that come to the node are counted.
    node : int, default=0
        The node, by default the root.
    feature : name or number, optional
        A numeric or ordinal feature; by default the one that the node splits on.
    names : sequence of str, optional
        Criteria of `treewright.criteria`; by default those that suit the target.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris()
    >>> model = tw.DecisionTreeClassifier().fit(X, y)
    >>> tw.plot_merits(model, X, y, feature="petal width").get_xlabel()
    'petal width'
    """
    tree = tree_of(model)
    if not is_whole(node) or not 0 <= node < len(tree):
        raise ValueError(f"node={node!r} must be one of the {len(tree)} nodes of the tree, counted from 0.")
    rows = Rows(tree, read_rows(tree, X, y, infinities(model)))
    place = _number_feature(tree, node, feature)
    values, target = rows.compared(Threshold(place, 0.0), node), rows.target(node)
    known = ~np.isnan(values)
    cuts = candidate_cuts(values[known])
    name = tree.schema.names[place]
    if not len(cuts):
        raise DataError(
            f"feature {name!r} has no two different values at node {node}: there is nothing to cut."
        )
    shown = names or (("gini", "entropy", "gain_ratio") if tree.is_classifier else ("squared_error",))
    ax = axes_for(ax, f"Gain of each cut of {name} at node {node}", name, "gain, scaled to the best")
    for code, criterion in enumerate(shown):
        merits = merits_of(criterion, values[known], target[known], cuts, tree.node_value.shape[1])
        best = int(np.argmax(merits))
        ax.plot(cuts, merits / (merits[best] or 1.0), color=class_colour(code), label=criterion)
        ax.plot(cuts[best], 1.0, "o", color=class_colour(code))
    split = tree[node].split
    if isinstance(split, Threshold) and split.feature == place:
        ax.axvline(split.threshold, color="0.4", linestyle=":", label="the tree's cut")
    legend(ax)
    return ax


def candidate_cuts(values: Array) -> Array:
    """List the middles of neighbouring values, at most some hundred, evenly chosen.

    Examples
    --------
    >>> candidate_cuts(np.array([3.0, 1.0, 1.0, 2.0])).tolist()
    [1.5, 2.5]
    """
    distinct = np.unique(values)
    cuts = (distinct[:-1] + distinct[1:]) / 2
    if len(cuts) <= MOST_CUTS:
        return np.asarray(cuts)
    return np.asarray(cuts[np.linspace(0, len(cuts) - 1, MOST_CUTS).astype(np.int64)])


def merits_of(criterion: str, values: Array, target: NDArray[Any], cuts: Array, n_classes: int) -> Array:
    """Give by a criterion what each cut gains, by the formulas of `treewright.criteria`."""
    if criterion in criteria.REGRESSION:
        return np.array([criteria.merit(criterion, [target[values <= c], target[values > c]]) for c in cuts])
    order = np.argsort(values, kind="stable")
    until = np.cumsum(np.eye(n_classes)[target[order]], axis=0)
    left = until[np.searchsorted(values[order], cuts, side="right") - 1]
    return np.array([criteria.merit(criterion, [below, until[-1] - below]) for below in left])


def _number_feature(tree: Tree, node: int, feature: str | int | None) -> int:
    columns = tree.schema.columns
    if feature is None:
        split = tree[node].split
        if not isinstance(split, Threshold):
            raise ValueError(f"node {node} does not split by a threshold: name the feature to cut.")
        return split.feature
    place = tree.schema.feature(feature)
    if columns[place].kind == "categorical":
        raise DataError(f"feature {columns[place].name!r} is categorical: only numbers have cuts.")
    return place


def plot_pruning_path(model: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the loss against size over the whole cost-complexity path (Breiman et al., 1984).

    With rows that the tree was not grown on, or after pruning by cross-validation (as CART does), the loss on
    other rows is drawn with one standard error up and down; its minimum and the smallest tree within one
    standard error of it are marked.

    Parameters
    ----------
    model : fitted estimator, Tree or PruningPath
        A tree, or what `prune` left in `path_`.
    X, y : table and target, optional
        Rows that the tree was not grown on.
    ax
        As for `plot_importances`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_pruning_path
    >>> X, y = datasets.load_iris()
    >>> ax = plot_pruning_path(DecisionTreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> ax.get_xlabel(), ax.get_legend().get_texts()[0].get_text()
    ('leaves', 'training rows')
    """
    return _path(model, X, y).plot(ax)


def _cross_validated(tree: Tree, table: Any) -> PruningPath:
    """Give the path of a CART tree as its table of prunings has it, in loss per row."""
    root, size = float(tree.risk[0] / tree.weight[0]), table.nsplit[::-1] + 1
    return PruningPath(
        size,
        root * table.rel_error[::-1],
        held_out=root * table.xerror[::-1],
        se=root * table.xstd[::-1],
        chosen=int(np.abs(size - tree.n_leaves).argmin()),
    )


def _path(model: Any, X: Any, y: Any) -> PruningPath:
    """Find the path that is asked for: that of other rows, that which pruning left, or that of the tree."""
    if isinstance(model, PruningPath):
        return model
    known = getattr(model, "path_", None)
    if X is None and isinstance(known, PruningPath):
        return known
    tree = tree_of(model)
    table = getattr(model, "cp_table_", None)
    if X is None and getattr(table, "xerror", None) is not None:
        return _cross_validated(tree, table)
    links = weakest_links(tree)
    return links.path() if X is None else judged(links, read_rows(tree, X, y, infinities(model)))


def judged(links: Links, rows: Dataset) -> PruningPath:
    """Give the path of a tree with the losses of its prunings on rows, and their standard errors."""
    path = links.path()
    sums = nested_losses(links.tree, rows, links.steps(), np.arange(float(len(path))))
    return replace(path, held_out=sums.mean, se=sums.se)


def plot_overfitting(model: Any, X: Any, y: Any, *, random_state: int = 0, ax: Axes | None = None) -> Axes:
    """Draw accuracy against size while a tree grows and while it is pruned again (Mitchell, 1997, fig. 3.6).

    Parameters
    ----------
    model : estimator
        Says how to grow; it need not be fitted.
    X, y : table and target
        Rows, parted into those that grow the tree, those that prune it and those that judge it.
    random_state : int, default=0
        Seed of the parting.
    ax
        As for `plot_importances`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, plot_overfitting
    >>> plot_overfitting(DecisionTreeClassifier(), *datasets.load_iris()).get_xlabel()
    'nodes'
    """
    return overfitting_curve(model, X, y, random_state=random_state).plot(ax)


def plot_out_of_bag(forest: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how the error of a forest falls with its trees, each row predicted by those that never saw it.

    Parameters
    ----------
    forest : fitted forest
        Of this library or of scikit-learn, grown with `bootstrap=True`; read are its `estimators_` and
        `estimators_samples_`.
    X, y : table and target
        The rows that it was grown on, in the same order.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright import datasets, plot_out_of_bag
    >>> X, y = datasets.load_iris()
    >>> ax = plot_out_of_bag(RandomForestClassifier(20, random_state=0).fit(X, y), X, y)
    >>> ax.get_xlabel()
    'trees'
    """
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(type(forest), "estimators_samples_"):
        raise DataTypeError(f"{type(forest).__name__} is no forest: only forests have rows out of bag.")
    check_is_fitted(forest)
    if not forest.bootstrap:
        raise ValueError(f"{type(forest).__name__} has bootstrap=False: every tree saw every row.")
    own = hasattr(forest, "error_curve")
    curve: ErrorCurve = forest.error_curve(X, y) if own else curve_of_sklearn(forest, X, y)
    return curve.plot(ax)


def curve_of_sklearn(forest: Any, X: Any, y: Any) -> ErrorCurve:
    """Give the error of the first tree of scikit-learn's, the first two, and so on, out of bag."""
    target, classes = np.asarray(y), getattr(forest, "classes_", None)
    inputs = np.asarray(X) if not hasattr(forest.estimators_[0], "feature_names_in_") else X
    votes = np.zeros((len(target), 1 if classes is None else len(classes)))
    counted = np.zeros(len(target))
    errors = np.full(len(forest.estimators_), np.nan)
    pairs = zip(forest.estimators_, forest.estimators_samples_, strict=True)
    for at, (tree, seen) in enumerate(pairs):
        if len(seen) and max(seen) >= len(target):
            raise DataError(
                f"X has {len(target)} rows, and the forest was grown on more: give the rows that it was "
                "grown on, in the same order."
            )
        outside = np.ones(len(target), bool)
        outside[seen] = False
        said = tree.predict(inputs)[:, None] if classes is None else tree.predict_proba(inputs)
        votes[outside] += said[outside]
        counted[outside] += 1
        heard = counted > 0
        if classes is None:
            errors[at] = np.mean((votes[heard, 0] / counted[heard] - target[heard]) ** 2)
        else:
            errors[at] = np.mean(classes[decide(votes[heard])] != target[heard])
    return ErrorCurve(np.arange(1, len(errors) + 1), errors, classes is not None)
