"""Feature importance: by impurity decrease, on held-out rows, and by permutation.

The decrease of impurity is counted on the rows that chose the splits. A feature of many values finds splits
that fit chance (Strobl, Boulesteix, Zeileis & Hothorn, 2007), and looks important without being so. Two
measures on other rows do not have this fault: what the same splits are worth there (as Li, Wang, Basu,
Kumbier & Yu, 2019, do for forests), and what is lost when a feature is shuffled (Breiman, 2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset, Schema
from treewright.errors import warn
from treewright.formatting.html_table import html_table
from treewright.formatting.suggestions import unknown_name
from treewright.formatting.text import printable
from treewright.formatting.text_table import aligned
from treewright.tree import Tree
from treewright.tree.routing import is_grown_on, place
from treewright.tree.splits import features_of

Array = NDArray[np.float64]

MANY_VALUES = 10
"""A feature with fewer values than this is never called many-valued."""

MEASURES = ("impurity", "corrected", "held_out", "permutation")
"""The measures of importance, in the order they are shown."""

NOTABLE = 0.05
"""A share of the impurity below this misleads nobody."""


@dataclass(frozen=True, eq=False, repr=False)
class Importances:
    """The importance of each feature for a tree or a forest, by several measures.

    Parameters
    ----------
    names : tuple of str
    impurity : float array
        Share of each feature in the decrease of impurity on the training rows; it sums to one.
    n_values : int array
        How many values each feature has among the rows given; its categories, or 0, if none were given.
    favoured : tuple of str
        Features of many values that impurity favours: the rows given do not bear out what it says.
    held_out : float array or None
        What the same splits take away of the squared error of the class probabilities, or of the number,
        on the rows given, as a share of what they take away on the training rows. About zero, or below, for
        splits that fit chance.
    permutation : float array or None
        What is lost when the feature is shuffled among the rows given: of the share of rows that are right or
        of R² by a tree; by a forest, in each tree's error on the rows it has not drawn, or on all rows given
        if they are not those of the fit (Breiman, 2001).
    corrected : float array or None
        Of forests: the decrease of impurity beyond that of a shuffled copy of the feature.
    spreads : mapping of names of measures to float arrays
        The standard deviation of a measure between shuffles; of forests, between the trees, which divided by
        √trees is the standard error.
    on_training_rows : bool
        Whether the rows given are those that the tree was grown on: then `held_out` is no honest measure, and
        its column is called otherwise.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    >>> print(model.importances(X[1::2], y[1::2]))
    feature       impurity  held out  permutation  spread  values
    petal length     0.542     0.542        0.416   0.041      35
    petal width      0.458     0.379        0.284   0.040      21
    sepal length     0.000     0.000        0.000   0.000      30
    sepal width      0.000     0.000        0.000   0.000      20
    """

    names: tuple[str, ...]
    impurity: Array
    n_values: NDArray[np.int64]
    favoured: tuple[str, ...] = ()
    held_out: Array | None = None
    permutation: Array | None = None
    corrected: Array | None = None
    spreads: Mapping[str, Array] = field(default_factory=dict)
    on_training_rows: bool = False

    def ranked(self, by: str = "impurity") -> tuple[str, ...]:
        """Name the features, the most important first.

        Parameters
        ----------
        by : {"impurity", "held_out", "permutation", "corrected"}
            The measure; ties go to the earlier feature.
        """
        known = self._measures()
        if by not in known:
            raise ValueError(unknown_name("measure of importance", by, known))
        return tuple(self.names[feature] for feature in np.argsort(-known[by], kind="stable"))

    def _measures(self) -> dict[str, Array]:
        measures = {name: getattr(self, name) for name in MEASURES}
        return {name: values for name, values in measures.items() if values is not None}

    def __repr__(self) -> str:
        return f"Importances({len(self.names)} features)"

    def __str__(self) -> str:
        head, rows = self._cells()
        return "\n".join(aligned(head, rows, right=tuple(range(1, len(head) - any(self.favoured)))))

    def _repr_html_(self) -> str:
        head, rows = self._cells()
        return html_table("importance of the features", head, rows, range(1, len(head) - any(self.favoured)))

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        heads = {"held_out": "training rows"} if self.on_training_rows else {}
        columns = {
            heads.get(name, name.replace("_", " ")): values for name, values in self._measures().items()
        }
        if "permutation" in self.spreads:
            columns["spread"] = self.spreads["permutation"]
        marked = any(self.favoured)
        rows = []
        for feature in np.argsort(-self.impurity, kind="stable").tolist():
            row = [printable(self.names[feature]), *(f"{values[feature]:.3f}" for values in columns.values())]
            row.append(str(self.n_values[feature] or ""))
            rows.append(
                [*row, "← favoured"[: 10 * (self.names[feature] in self.favoured)]] if marked else row
            )
        return ["feature", *columns, "values", *[""] * marked], rows

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Give the measures of each feature, by name, and the spread of its permutation importance."""
        columns = self._measures()
        if "permutation" in self.spreads:
            columns["spread"] = self.spreads["permutation"]
        return {
            feature: {name: float(values[place]) for name, values in columns.items()}
            for place, feature in enumerate(self.names)
        }


def importances(
    tree: Tree,
    value: Array,
    rows: Dataset | None = None,
    *,
    n_repeats: int = 10,
    random_state: int = 0,
) -> Importances:
    """Measure the importance of each feature for a tree.

    Without rows it is the decrease of impurity alone, which favours features of many values.

    Parameters
    ----------
    tree : Tree
    value : float array
        What every node says: class probabilities, or a number.
    rows : Dataset or None
        Rows with their target, best others than the tree was grown on.
    n_repeats : int
        How often each feature is shuffled.
    random_state : int
        Seed of the shuffles.
    """
    impurity = tree.compute_feature_importances()
    if rows is None:
        return without_rows(tree.schema, impurity, int(tree.count[0]))
    held_out = held_out_decrease(tree, value, rows) / max(training_decrease(tree, value), 1e-300)
    lost = permutation_losses(tree, rows, np.random.default_rng(random_state), n_repeats)
    if not tree.is_classifier:  # as a share of the variance, which makes it a fall of R²
        variance = float(np.mean(_variance(rows)))
        lost = lost / variance if variance > 0 else np.zeros_like(lost)
    return with_rows(
        tree.schema,
        impurity,
        rows,
        held_out >= impurity / 3,  # below, most of what impurity claims is gone on other rows
        held_out=held_out,
        permutation=lost.mean(axis=0),
        spreads={"permutation": lost.std(axis=0, ddof=min(n_repeats - 1, 1))},
        on_training_rows=is_grown_on(tree, rows),
    )


def without_rows(schema: Schema, impurity: Array, n_rows: int, **measures: Any) -> Importances:
    """Give the decrease of impurity alone, and warn of categories so many that it may be chance."""
    sizes = np.array([len(column.categories) for column in schema.columns])
    favoured = (sizes >= MANY_VALUES) & (sizes > n_rows / MANY_VALUES) & (impurity > NOTABLE)
    return _warned(Importances(schema.names, impurity, sizes, _names(schema, favoured), **measures))


def with_rows(
    schema: Schema, impurity: Array, rows: Dataset, borne_out: NDArray[np.bool_], **measures: Any
) -> Importances:
    """Give all measures there are, and warn where other rows do not bear out what impurity claims."""
    n_values = np.array([len(np.unique(rows.values(feature))) for feature in range(len(schema.columns))])
    favoured = ~borne_out & (impurity > NOTABLE) & (n_values >= MANY_VALUES)
    return _warned(Importances(schema.names, impurity, n_values, _names(schema, favoured), **measures))


def _names(schema: Schema, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, taken in zip(schema.names, chosen.tolist(), strict=True) if taken)


def _warned(found: Importances) -> Importances:
    for name in found.favoured:
        share = found.impurity[found.names.index(name)]
        values = int(found.n_values[found.names.index(name)])
        why = "it has so many values that" if found.held_out is None else "other rows do not bear it out:"
        warn(
            f"feature {name!r} has {values} values and {100 * share:.0f} % of the decrease of impurity, but "
            f"{why} this may be chance. Look at the permutation importance on held-out rows."
        )
    return found


def held_out_decrease(tree: Tree, value: Array, rows: Dataset) -> Array:
    """Give what the splits on each feature take away of the squared error of rows, per row.

    The squared error is that of the node's number or, for classes, of its shares: Σ (1[class] − share)². On
    the training rows this is the decrease of the Gini index or of the variance.

    Examples
    --------
    >>> from treewright import Dataset, Recipe, grow
    >>> rows = Dataset.from_table([[1, 0], [2, 0], [3, 0], [4, 0]], list("aabb"), task="classification")
    >>> tree = grow(rows, Recipe("gini"))
    >>> held_out_decrease(tree, tree.class_probabilities, rows).tolist()
    [0.5, 0.0]
    """
    if tree.schema.outputs:
        parts = (
            held_out_decrease(one, values, rows.for_target(target))
            for target, (one, values) in enumerate(_each_target(tree, value))
        )
        return np.asarray(sum(parts)) / tree.n_outputs
    total = len(rows) if rows.weight is None else float(rows.weight.sum())
    return _decrease(tree, value, tree.tally(rows), total) + _by_terms(tree, rows) / total


def training_decrease(tree: Tree, value: Array) -> float:
    """Give what all splits take away of the squared error of the training rows, per row."""
    if tree.schema.outputs:
        return sum(training_decrease(*one) for one in _each_target(tree, value)) / tree.n_outputs
    if tree.is_classifier:
        sums = np.where(tree.weight[:, None] > 0, tree.node_value, 0.0)
    else:
        above = tree.node_value[:, 0] - tree.node_value[0, 0]
        squares = tree.risk if tree.equations is None else tree.weight * tree.impurity
        sums = np.stack([tree.weight, tree.weight * above, squares + tree.weight * above**2], axis=1)
    by_terms = 0.0 if tree.equations is None else tree.equations.gain_by_feature(tree.leaves).sum()
    return float(_decrease(tree, value, sums, float(tree.weight[0])).sum() + by_terms / tree.weight[0])


def _by_terms(tree: Tree, rows: Dataset) -> Array:
    """Give what linear leaves take away of the squared error of rows, by feature as on the training rows."""
    total = np.zeros(len(tree.schema.columns))
    equations = tree.equations
    if equations is None:
        return total
    row, node, weight = place(tree, rows)
    target = np.asarray(rows.target)[row]
    said = equations.say(rows, row, node)
    saved = weight * ((target - tree.node_value[node, 0]) ** 2 - (target - said) ** 2)
    for leaf, of_leaf in enumerate(np.bincount(node, saved, minlength=len(tree)).tolist()):
        gain = equations.gain_by_feature(np.array([leaf]))
        total += gain * (of_leaf / gain.sum()) if of_leaf and gain.sum() > 0 else 0.0
    return total


def _each_target(tree: Tree, value: Array) -> Iterator[tuple[Tree, Array]]:
    """Give the tree for each of its targets, with what its nodes say of it."""
    by_target = value.reshape(len(tree), tree.n_outputs, -1)
    for target, size in enumerate(tree.n_classes.tolist()):
        yield tree.for_target(target), by_target[:, target, :size]


def _decrease(tree: Tree, value: Array, sums: Array, weight: float) -> Array:
    """Add up by feature what each split takes away, from the sums of rows at every node."""
    total = np.zeros(len(tree.schema.columns))
    below = np.zeros_like(sums)  # rows that stay at a node are no split's
    np.add.at(below, tree.parent[1:], sums[1:])
    own, passed = _squared_error(tree, value, sums), _squared_error(tree, value, below)
    removed = passed - np.bincount(tree.parent[1:], own[1:], minlength=len(tree))
    of_one = tree.feature >= 0
    total += np.bincount(tree.feature[of_one], removed[of_one], minlength=len(total))
    for node in np.flatnonzero((tree.n_children > 0) & ~of_one).tolist():
        split = tree[node].split
        assert split is not None
        features = features_of(split)
        total[list(features)] += removed[node] / len(features)
    return total / weight


def _squared_error(tree: Tree, value: Array, sums: Array) -> Array:
    """Squared error of what each node says, for rows that are given as `Tree.tally` gives them."""
    if tree.is_classifier:
        return np.asarray(sums.sum(axis=1) * (1 + (value**2).sum(axis=1)) - 2 * (sums * value).sum(axis=1))
    above = value[:, 0] - tree.node_value[0, 0]
    return np.asarray(sums[:, 2] - 2 * above * sums[:, 1] + above**2 * sums[:, 0])


def permutation_losses(
    tree: Tree, rows: Dataset, random: np.random.Generator, n_repeats: int, n_threads: int = 1
) -> Array:
    """Give by how much the error of a tree rises when a feature is shuffled, for each repeat and feature.

    The error is the share of rows in the wrong class, or the mean squared error (Breiman, 2001). Features
    that the tree does not ask for lose nothing. Of several targets the errors are averaged; numbers count by
    their variance.

    Parameters
    ----------
    tree : Tree
    rows : Dataset
        Rows with their target.
    random : Generator
        Draws the shuffles.
    n_repeats, n_threads : int
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}.")
    rows = rows.take(np.arange(len(rows)))
    losses = np.zeros((n_repeats, len(rows.schema.columns)))
    scale = _scale(rows)
    before = _error(tree, rows, scale, n_threads)
    terms = set() if tree.equations is None else set(tree.equations.feature.tolist())
    for feature in sorted({feature for split in tree.splits for feature in features_of(split)} | terms):
        values = rows.values(feature)
        kept = values.copy()
        for repeat in range(n_repeats):
            values[:] = kept[random.permutation(len(kept))]
            losses[repeat, feature] = _error(tree, rows, scale, n_threads) - before
        values[:] = kept
    return losses


def _variance(rows: Dataset) -> Array:
    """Give the variance of the numbers of each target."""
    target = np.asarray(rows.target)
    mean = np.average(target, weights=rows.weight, axis=0)
    return np.atleast_1d(np.average((target - mean) ** 2, weights=rows.weight, axis=0))


def _scale(rows: Dataset) -> Array:
    """Give factors on the squared errors of several targets by which each counts by its variance."""
    if not rows.schema.outputs or rows.schema.classes is not None:
        return np.ones(1)
    variance = _variance(rows)
    return np.asarray(variance.mean() / np.where(variance > 0, variance, np.inf))


def _error(tree: Tree, rows: Dataset, scale: Array, n_threads: int) -> float:
    target = np.asarray(rows.target).reshape(len(rows), -1)
    if tree.is_classifier:
        said = tree.by_output(tree.spread(rows.numbers, rows.codes, tree.vote_weights, n_threads))
        wrong = (tree.decide(said).reshape(target.shape) != target).mean(axis=1)
    else:
        said = tree.predict_value(rows.numbers, rows.codes, n_threads)
        wrong = ((said - target) ** 2 * scale).mean(axis=1)
    return float(np.average(wrong, weights=rows.weight))
