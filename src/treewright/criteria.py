"""Splitting criteria: Gini, entropy, gain ratio and the others as formulas; the core computes them fast.

A criterion gives every node an *impurity* and every split a *merit* (larger is better). The functions here
are definitions to read, quote and test against; growing uses the same formulas in the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.formatting.suggestions import unknown_name

Array = NDArray[np.float64]

CLASSIFICATION: dict[str, str] = {
    "error": "share of rows outside the largest class (Breiman, Friedman, Olshen & Stone, 1984, §4.1)",
    "gini": "chance that two rows drawn from the node differ in class (Breiman et al., 1984, §4.3)",
    "entropy": "bits needed to tell the class of a row (Quinlan, 1986)",
    "sqrt": "geometric mean of the shares in and out of each class (Kearns & Mansour, 1996)",
    "gain_ratio": "decrease of entropy per bit of the split itself (Quinlan, 1993, §2.2)",
    "twoing": "how far two branches separate two groups of classes (Breiman et al., 1984, §4.3)",
    "chi_square": "Pearson's statistic of branch against class (Kass, 1980)",
    "hellinger": "distance between the classes' ways through the split (Cieslak & Chawla, 2008)",
}
"""The criteria of classification trees, each with what it measures and where it comes from."""

REGRESSION: dict[str, str] = {
    "squared_error": "variance about the mean (Breiman et al., 1984, §8.3)",
    "absolute_error": "mean absolute deviation from the median (Breiman et al., 1984, §8.11)",
    "poisson": "half the mean Poisson deviance about the mean (Therneau & Atkinson, 1997)",
}
"""The criteria of regression trees."""

ALIASES: dict[str, str] = {"log_loss": "entropy", "friedman_mse": "squared_error"}
"""Other names that scikit-learn knows a criterion by."""

POTENTIALS = ("error", "gini", "entropy", "sqrt")
"""The criteria that are strictly or weakly concave functions of the share of one of two classes."""

# Criteria that score splits only borrow the impurity of their nearest relative for the nodes.
NODE_IMPURITY: dict[str, str] = {
    "gain_ratio": "entropy",
    "twoing": "gini",
    "chi_square": "gini",
    "hellinger": "gini",
}


def potential(name: str, q: ArrayLike) -> Any:
    """Give the value of a class probability `q` of two classes, scaled so that it is 0 at 0 and 1/2 at 1/2.

    Put to this common scale the impurities can be drawn in one picture, and one sees why `error` cannot
    reward a split that leaves the majority everywhere the same (Kearns & Mansour, 1996).

    Parameters
    ----------
    name : {"error", "gini", "entropy", "sqrt"}
        The criterion: min(q, 1 − q), 2q(1 − q), −(q log₂ q + (1 − q) log₂(1 − q)) / 2 or √(q(1 − q)).
    q : float or array-like of floats in [0, 1]
        Share of one of two classes.

    Returns
    -------
    float or ndarray
        The value, of the shape of `q`.

    Examples
    --------
    >>> round(potential("gini", 0.8), 3)
    0.32
    >>> 0.5 * round(potential("gini", 0.6), 3) + 0.5 * potential("gini", 1.0)
    0.24
    >>> round(potential("error", 0.8), 3), round(0.5 * potential("error", 0.6), 3)
    (0.2, 0.2)
    """
    name, share = ALIASES.get(name, name), np.asarray(q, dtype=float)
    if not np.all((share >= 0) & (share <= 1)):
        raise ValueError(f"q must lie between 0 and 1, got {q!r}.")
    two_classes = np.stack([share, 1 - share], axis=-1)
    if name == "error":
        value = two_classes.min(axis=-1)
    elif name == "gini":
        value = 2 * share * (1 - share)
    elif name == "entropy":
        value = _bits(two_classes) / 2
    elif name == "sqrt":
        value = np.sqrt(share * (1 - share))
    else:
        raise ValueError(unknown_name("criterion", name, POTENTIALS))
    return value if value.ndim else float(value)


def split_potential(name: str, table: ArrayLike) -> float:
    """Give the value of a node once it is split: u · val(p) + (1 − u) · val(r).

    A share u of the rows goes to the one branch, where the share of one of two classes is p, and 1 − u to the
    other, where it is r; val is `potential`. DT(S) takes the split of least value (Kearns & Mansour, 1996).
    With more branches or classes it is Σ_b p_b val(b), with val the impurity, for entropy half of it, as
    `potential` has it.

    Parameters
    ----------
    name : {"error", "gini", "entropy", "sqrt"}
        The criterion.
    table : array-like of shape (n_branches, n_classes)
        Class counts or weights of each branch.

    Examples
    --------
    Of ten rows eight are of the first class, and half of them go either way:

    >>> round(potential("gini", 0.8), 3), round(split_potential("gini", [[3, 2], [5, 0]]), 3)
    (0.32, 0.24)
    >>> round(potential("error", 0.8), 3), round(split_potential("error", [[3, 2], [5, 0]]), 3)
    (0.2, 0.2)
    """
    counts = _table(table)
    return _mean_potential(name, counts, counts.sum(axis=1))


def tree_potential(name: str, tree: Any) -> float:
    """Give the value of a tree: Σ p_v val(q_v) over its leaves v, p_v being the share of the rows in v.

    It is never below the training error of the tree, as val is nowhere below the error (Kearns & Mansour,
    1996).

    Parameters
    ----------
    name : {"error", "gini", "entropy", "sqrt"}
        The criterion, on the scale of `potential`; it need not be the one that grew the tree.
    tree : Tree or fitted estimator
        A tree of classes.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris()).tree_
    >>> round(tree_potential("error", tree), 3), round(tree_potential("entropy", tree), 3)
    (0.04, 0.103)
    """
    tree = getattr(tree, "tree_", tree)
    if not getattr(tree, "is_classifier", False):
        raise ValueError(f"tree must be a fitted tree of classes, got {tree!r}.")
    leaf = tree.n_children == 0
    return _mean_potential(name, tree.node_value[leaf], tree.weight[leaf])


def _mean_potential(name: str, counts: Array, sizes: Array) -> float:
    """Mean of the impurities of nodes by their sizes, on the scale of `potential`."""
    name = ALIASES.get(name, name)
    if name not in POTENTIALS:
        raise ValueError(unknown_name("criterion", name, POTENTIALS))
    if sizes.sum() <= 0:
        return 0.0
    inside = [impurity(name, node) if size > 0 else 0.0 for node, size in zip(counts, sizes, strict=True)]
    return float((sizes * inside).sum() / sizes.sum()) / (2 if name == "entropy" else 1)


def centroid(
    loss: str, y: Any, *, sample_weight: ArrayLike | None = None, classes: ArrayLike | None = None
) -> Any:
    """Give the best label of a leaf with the targets `y`: what it costs least to predict for all of them.

    It is the y* of least mean loss E[ℓ(Y, y*)], and that least mean is the `impurity` of the leaf.

    Parameters
    ----------
    loss : {"error", "squared_error", "log_loss"}
        ℓ(y, ŷ): 1 unless they are equal; (y − ŷ)²; −log₂ of the probability that ŷ gives to y, which is the
        number of bits that y takes in a code made for ŷ.
    y : array-like of shape (n_rows,)
        The classes or numbers of the rows.
    sample_weight : array-like of shape (n_rows,) or None
        Weight of each row.
    classes : array-like or None
        The classes, in their order; None is those of `y`, sorted, or in the order of its categories.

    Returns
    -------
    label, float or ndarray
        The most frequent class, the first of equals; the mean; the probability of each class.

    Examples
    --------
    >>> centroid("error", ["a", "b", "b"]), centroid("squared_error", [1, 2, 6])
    ('b', 3.0)
    >>> centroid("log_loss", ["a", "b", "b", "b"]).tolist()
    [0.25, 0.75]
    """
    if loss == "squared_error":
        target, share = _numbers(y, sample_weight)
        return float((share * target).sum())
    labels, shares = _class_shares(loss, y, sample_weight, classes)
    return shares if loss == "log_loss" else labels[int(np.argmax(shares))]


def divergence(
    loss: str,
    y: Any,
    guess: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Give by how much the risk of a leaf rises if it predicts `guess` and not its `centroid`.

    It is E[ℓ(Y, guess)] − E[ℓ(Y, y*)] over the targets `y` of its rows, and never negative: y* is the best.

    Parameters
    ----------
    loss, y, sample_weight, classes
        As for `centroid`.
    guess : label, float or array-like of shape (n_classes,)
        What is predicted instead: a class; a number; a probability for each class, in their order.

    Examples
    --------
    >>> divergence("error", ["a", "b", "b", "b"], "a"), divergence("squared_error", [1, 2, 6], 5)
    (0.5, 4.0)
    >>> round(divergence("log_loss", ["a", "b", "b", "b"], [0.5, 0.5]), 3)  # a bit less its entropy
    0.189
    """
    if loss == "squared_error":
        mean = centroid(loss, y, sample_weight=sample_weight)
        number = _float(guess)
        if number.ndim or not isfinite(number):
            raise ValueError(f"guess must be a finite number, got {guess!r}.")
        return float((mean - number) ** 2)
    labels, shares = _class_shares(loss, y, sample_weight, classes)
    if loss == "error":
        return float(shares.max() - sum(shares[place] for place, one in enumerate(labels) if one == guess))
    chance = _float(guess)
    if chance.shape != shares.shape or not np.all(chance >= 0) or abs(chance.sum() - 1) > 1e-9:
        raise ValueError(
            f"guess must have a probability for each of {len(labels)} classes, which sum to 1, got {guess!r}."
        )
    seen = shares > 0
    if not chance[seen].all():
        return inf
    return max(float((shares[seen] * _core.log2(shares[seen] / chance[seen])).sum()), 0.0)


def _class_shares(loss: str, y: Any, sample_weight: Any, classes: Any) -> tuple[list[Any], Array]:
    """Classes in their order, and the share of each."""
    if loss not in ("error", "log_loss"):
        raise ValueError(unknown_name("loss", loss, ("error", "squared_error", "log_loss")))
    given = np.asarray(y, dtype=object).tolist()
    if any(label is None or type(label).__name__ in ("NAType", "NaTType") for label in given):
        raise ValueError("y must have no missing values.")
    if any(isinstance(label, float) and isnan(label) for label in given):
        raise ValueError("y must have no missing values.")
    declared = getattr(getattr(y, "dtype", None), "categories", None) if classes is None else classes
    try:
        order = sorted(set(given)) if declared is None else np.asarray(declared, dtype=object).tolist()
    except TypeError:
        raise ValueError("y must have labels that can be sorted, or classes must give their order.") from None
    code = {label: place for place, label in enumerate(order)}
    unknown = [label for label in given if label not in code]
    if unknown:
        raise ValueError(f"y must have no label but those of classes, got {unknown[0]!r}.")
    shares = np.zeros(len(order))
    np.add.at(shares, [code[label] for label in given], _row_shares(len(given), sample_weight))
    return order, shares


def _numbers(y: Any, sample_weight: Any) -> tuple[Array, Array]:
    """Targets and the share of each row."""
    target = _float(y)
    if target.ndim != 1 or not np.isfinite(target).all():
        raise ValueError("y must be a list of finite numbers.")
    return target, _row_shares(len(target), sample_weight)


def _float(values: Any) -> Array:
    """Numbers as an array; what is no number becomes NaN."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return np.array([np.nan])


def _row_shares(n_rows: int, sample_weight: Any) -> Array:
    if not n_rows:
        raise ValueError("y must have at least one row.")
    weight = np.ones(n_rows) if sample_weight is None else _float(sample_weight)
    if weight.shape != (n_rows,) or not np.all(weight >= 0) or not 0 < weight.sum() < inf:
        raise ValueError(
            f"sample_weight must have a weight from 0 on for each of {n_rows} rows, and not 0 for all."
        )
    return np.asarray(weight / weight.sum())


def _table(table: Any) -> Array:
    """A table of counts, with a row for each branch."""
    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2:
        raise ValueError(
            f"table must have a row per branch and a column per class, got shape {counts.shape}."
        )
    return counts


def impurity(name: str, node: ArrayLike, weight: ArrayLike | None = None) -> float:
    r"""Give the impurity of a node, per unit of weight.

    With q_k the share of class k the classification criteria are

    ========= ===============================
    error     1 − max q_k
    gini      1 − Σ q_k²
    entropy   −Σ q_k log₂ q_k
    sqrt      ½ Σ √(q_k (1 − q_k))
    ========= ===============================

    and with targets y of mean μ and median m those of regression are

    =============== =================================
    squared_error   mean of (y − μ)²
    absolute_error  mean of \|y − m\|
    poisson         mean of y log(y / μ) − y + μ
    =============== =================================

    `log_loss` is `entropy`: the least mean of −log₂ P(y) over the rows, in bits. Criteria that score splits
    only take the impurity of a relative: `gain_ratio` that of `entropy`; `twoing`, `chi_square` and
    `hellinger` that of `gini`.

    Parameters
    ----------
    name : str
        A criterion of `CLASSIFICATION` or `REGRESSION`.
    node : array-like of shape (n_classes,) or (n_rows,)
        Class counts or weights of the node; for regression the targets of its rows.
    weight : array-like of shape (n_rows,) or None
        For regression, the weights of the rows; None is one for each.

    Examples
    --------
    >>> round(impurity("entropy", [9, 5]), 3)
    0.94
    >>> impurity("gini", [5, 5, 5, 5])
    0.75
    >>> impurity("absolute_error", [1, 2, 6])
    1.6666666666666667
    """
    name, numbers = ALIASES.get(name, name), np.asarray(node, dtype=float)
    if name in REGRESSION:
        return _deviation(name, numbers, _weights(numbers, weight))
    if name not in CLASSIFICATION:
        raise ValueError(unknown_name("criterion", name, (*CLASSIFICATION, *REGRESSION)))
    total = numbers.sum()
    if total <= 0:
        return 0.0
    return float(impurity_of_shares(name, numbers / total))


def impurity_of_shares(name: str, share: Array) -> Array:
    """Give the impurity of class probabilities, which stand along the last axis.

    Examples
    --------
    >>> impurity_of_shares("gini", np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [0.5, 0.0]
    """
    name = NODE_IMPURITY.get(name, name)
    if name == "error":
        return np.asarray(1 - share.max(axis=-1))
    if name == "gini":
        return np.asarray(1 - (share**2).sum(axis=-1))
    if name == "entropy":
        return np.asarray(_bits(share))
    if name == "sqrt":
        return np.asarray(np.sqrt(share * (1 - share)).sum(axis=-1) / 2)
    raise ValueError(unknown_name("criterion", name, CLASSIFICATION))


def node_value(name: str, target: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Give the number that a node predicts: the mean of its targets, for `absolute_error` their median.

    Examples
    --------
    >>> node_value("squared_error", [1, 2, 6]), node_value("absolute_error", [1, 2, 6])
    (3.0, 2.0)
    """
    numbers = np.asarray(target, dtype=float)
    weights = _weights(numbers, weight)
    if name != "absolute_error":
        return float(np.average(numbers, weights=weights))
    order = np.argsort(numbers, kind="stable")
    below, half = np.cumsum(weights[order]), weights.sum() / 2
    at = min(int(np.searchsorted(below, half)), len(numbers) - 1)
    following = min(at + (below[at] == half), len(numbers) - 1)
    return float(numbers[order[at]] / 2 + numbers[order[following]] / 2)


def merit(name: str, table: NDArray[Any] | Sequence[ArrayLike]) -> float:
    r"""Give the merit of a split: how much it tells about the target, larger is better.

    With branches b of share p_b, holding n_bk rows of class k:

    - `error`, `gini`, `entropy`, `sqrt` and the criteria of regression: the decrease of impurity,
      i(node) − Σ p_b i(branch b);
    - `gain_ratio`: the decrease of entropy over the split's own entropy −Σ p_b log₂ p_b;
    - `twoing`: p_0 p_1 / 4 · (Σ_k \|q_0k − q_1k\|)² with q_bk the class probabilities of branch b; with
      more than two branches the sum over branches, each against the rest;
    - `chi_square`: Σ (n_bk − e_bk)² / e_bk with e_bk the counts expected of independent
      branches and classes;
    - `hellinger`: √Σ_b (√P(b|k) − √P(b|l))², for more than two classes the mean over the pairs k, l.

    Parameters
    ----------
    name : str
        A criterion of `CLASSIFICATION` or `REGRESSION`.
    table : array-like of shape (n_branches, n_classes), or one sequence of targets per branch
        Class counts or weights of each branch; for regression the targets of each branch's rows.

    Examples
    --------
    The information gain of *outlook* in the PlayTennis table:

    >>> round(merit("entropy", [[2, 3], [4, 0], [3, 2]]), 3)
    0.247
    >>> round(merit("gain_ratio", [[2, 3], [4, 0], [3, 2]]), 3)
    0.156
    """
    name = ALIASES.get(name, name)
    if name in REGRESSION:
        branches = [np.asarray(targets, dtype=float) for targets in table]
        sizes = np.array([len(targets) for targets in branches], dtype=float)
        return _decrease(name, np.concatenate(branches), branches, sizes)
    counts = _table(table)
    if name in ("twoing", "chi_square", "hellinger"):
        return {"twoing": _twoing, "chi_square": _chi_square, "hellinger": _hellinger}[name](counts)
    sizes = counts.sum(axis=1)
    decrease = _decrease(name, counts.sum(axis=0), list(counts), sizes)
    if name == "gain_ratio":
        bits = _bits(sizes / sizes.sum()) if sizes.sum() > 0 else 0.0
        return decrease / float(bits) if bits > 0 else 0.0
    return decrease


def superclasses(table: ArrayLike) -> tuple[list[int], list[int]]:
    """Group the classes into the two superclasses that a split of two branches tells apart best.

    Those with more than their share in the first branch form the one, all others the other. Of all groupings
    this one gives the largest decrease of the two-class Gini index, which is twice the merit of `twoing`
    (Breiman, Friedman, Olshen & Stone, 1984, theorem 4.10).

    Parameters
    ----------
    table : array-like of shape (2, n_classes)
        Class counts or weights of each branch.

    Returns
    -------
    tuple of two lists of int
        The classes of each superclass, by their columns.

    Examples
    --------
    >>> superclasses([[40, 5, 30, 0], [10, 45, 20, 50]])
    ([0, 2], [1, 3])
    """
    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2 or len(counts) != 2:
        raise ValueError(f"table must have two rows and a column per class, got shape {counts.shape}.")
    first, second = counts
    inside = first * second.sum() > second * first.sum()
    return np.flatnonzero(inside).tolist(), np.flatnonzero(~inside).tolist()


@dataclass(frozen=True)
class Superclasses:
    """A criterion of two superclasses: the two groups of classes that a split tells apart best.

    For each candidate the classes are put into two groups such that the impurity of the groups decreases
    most, and that decrease is the merit. One of the groupings along the order of the classes'
    probabilities in the first branch is the best of all (Breiman, Friedman, Olshen & Stone, 1984, §4.3, for
    the Gini index, where half the merit is that of `twoing`), so that of k classes k − 1 groupings are looked
    at.

    Parameters
    ----------
    criterion : {"entropy", "gini", "sqrt"}
        The impurity of the two groups. The order does not lead to the best groups for `error`.

    Examples
    --------
    >>> import numpy as np
    >>> branches = np.array([[[40.0, 5, 30, 0], [10, 45, 20, 50]]])
    >>> gini = Superclasses("gini")(branches[0].sum(axis=0), branches)
    >>> round(float(gini[0]) / 2, 6), round(merit("twoing", branches[0]), 6)
    (0.112667, 0.112667)
    """

    criterion: str = "entropy"

    def __post_init__(self) -> None:
        if self.criterion not in ("entropy", "gini", "sqrt"):
            raise ValueError(
                unknown_name("criterion of superclasses", self.criterion, ("entropy", "gini", "sqrt"))
            )

    def __call__(self, parent: Array, branches: Array) -> Array:
        """Give the merit of each candidate of two branches."""
        if branches.shape[1] != 2:
            raise ValueError(
                f"Superclasses are told apart by two branches, got {branches.shape[1]}: leave 'multiway' out "
                "of splits, or use criterion='twoing'."
            )
        present = parent > 0
        if present.sum() < 2:
            return np.zeros(len(branches))
        node, first = parent[present], branches[:, 0, present]
        order = np.argsort(-first / node, axis=1, kind="stable")
        inside = np.cumsum(np.take_along_axis(first, order, axis=1), axis=1)[:, :-1]
        group = np.cumsum(node[order], axis=1)[:, :-1]
        left = first.sum(axis=1, keepdims=True)
        right = node.sum() - left
        with np.errstate(divide="ignore", invalid="ignore"):  # an empty branch has no impurity
            after = left * self._of_two(inside / left) + right * self._of_two((group - inside) / right)
        merits = self._of_two(group / node.sum()) - after / node.sum()
        return np.where(((left > 0) & (right > 0))[:, 0], merits.max(axis=1), 0.0)

    def _of_two(self, share: Array) -> Array:
        """Impurity of two groups by the share of one of them."""
        q = np.clip(share, 0.0, 1.0)
        if self.criterion == "gini":
            return 2 * q * (1 - q)
        if self.criterion == "sqrt":
            return np.sqrt(q * (1 - q))
        return np.asarray(_bits(np.stack([q, 1 - q], axis=-1)))


def _decrease(name: str, node: Array, branches: Sequence[Array], sizes: Array) -> float:
    if sizes.sum() <= 0:
        return 0.0
    inside = [
        impurity(name, branch) if size > 0 else 0.0 for branch, size in zip(branches, sizes, strict=True)
    ]
    return impurity(name, node) - float((sizes * inside).sum() / sizes.sum())


def _twoing(counts: Array) -> float:
    node, total = counts.sum(axis=0), counts.sum()

    def against_rest(branch: Array) -> float:
        size, rest = branch.sum(), total - branch.sum()
        if size <= 0 or rest <= 0:
            return 0.0
        difference = np.abs(branch / size - (node - branch) / rest).sum()
        return float(size * rest / (total * total) * (difference * difference) / 4)

    return against_rest(counts[0]) if len(counts) == 2 else fsum(map(against_rest, counts))


def _chi_square(counts: Array) -> float:
    total = counts.sum()
    if total <= 0:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    seen = expected > 0
    return float(((counts - expected)[seen] ** 2 / expected[seen]).sum())


def _hellinger(counts: Array) -> float:
    of_class = counts.sum(axis=0)
    roots = np.sqrt(counts[:, of_class > 0] / of_class[of_class > 0])
    pairs = list(combinations(roots.T, 2))
    if not pairs:
        return 0.0
    return float(np.mean([np.sqrt(((one - other) ** 2).sum()) for one, other in pairs]))


def _deviation(name: str, target: Array, weight: Array) -> float:
    if len(target) == 0:
        return 0.0
    centre = node_value(name, target, weight)
    if name == "squared_error":
        return float(np.average((target - centre) ** 2, weights=weight))
    if name == "absolute_error":
        return float(np.average(np.abs(target - centre), weights=weight))
    if np.any(target < 0) or centre <= 0:
        raise ValueError("poisson needs targets that are not negative and not all zero.")
    events = np.where(target > 0, target, centre)
    return float(np.average(target * _core.log(events / centre), weights=weight))


def _weights(target: Array, weight: ArrayLike | None) -> Array:
    return np.ones(len(target)) if weight is None else np.asarray(weight, dtype=float)


def _bits(share: Array) -> Any:
    """−Σ q log₂ q over the last axis, with 0 log 0 = 0."""
    return -(share * _core.log2(np.where(share > 0, share, 1.0))).sum(axis=-1) + 0.0
