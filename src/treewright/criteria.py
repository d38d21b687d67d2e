"""Splitting criteria: Gini, entropy, gain ratio and the others as formulas; the core computes them fast.

A criterion gives every node an *impurity* and every split a *merit* (larger is better). The functions here
are definitions to read, quote and test against; growing uses the same formulas in the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
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

# Criteria that score splits only borrow the impurity of their nearest relative for the nodes.
NODE_IMPURITY: dict[str, str] = {
    "gain_ratio": "entropy",
    "twoing": "gini",
    "chi_square": "gini",
    "hellinger": "gini",
}


def potential(name: str, q: ArrayLike) -> Any:
    """Give the value of a class share `q` of two classes, scaled so that it is 0 at 0 and 1/2 at 1/2.

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
    share = np.asarray(q, dtype=float)
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
        raise ValueError(unknown_name("criterion", name, ("error", "gini", "entropy", "sqrt")))
    return value if value.ndim else float(value)


def impurity(name: str, node: ArrayLike) -> float:
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

    Criteria that score splits only take the impurity of a relative: `gain_ratio` that of `entropy`;
    `twoing`, `chi_square` and `hellinger` that of `gini`.

    Parameters
    ----------
    name : str
        A criterion of `CLASSIFICATION` or `REGRESSION`.
    node : array-like of shape (n_classes,) or (n_rows,)
        Class counts or weights of the node; for regression the targets of its rows.

    Examples
    --------
    >>> round(impurity("entropy", [9, 5]), 3)
    0.94
    >>> impurity("gini", [5, 5, 5, 5])
    0.75
    >>> impurity("absolute_error", [1, 2, 6])
    1.6666666666666667
    """
    numbers = np.asarray(node, dtype=float)
    if name in REGRESSION:
        return _deviation(name, numbers)
    if name not in CLASSIFICATION:
        raise ValueError(unknown_name("criterion", name, (*CLASSIFICATION, *REGRESSION)))
    total = numbers.sum()
    if total <= 0:
        return 0.0
    share = numbers / total
    name = NODE_IMPURITY.get(name, name)
    if name == "error":
        return float(1 - share.max())
    if name == "gini":
        return float(1 - (share**2).sum())
    if name == "entropy":
        return float(_bits(share))
    return float(np.sqrt(share * (1 - share)).sum() / 2)


def merit(name: str, table: NDArray[Any] | Sequence[ArrayLike]) -> float:
    r"""Give the merit of a split: how much it tells about the target, larger is better.

    With branches b of share p_b, holding n_bk rows of class k:

    - `error`, `gini`, `entropy`, `sqrt` and the criteria of regression: the decrease of impurity,
      i(node) − Σ p_b i(branch b);
    - `gain_ratio`: the decrease of entropy over the split's own entropy −Σ p_b log₂ p_b;
    - `twoing`: p_0 p_1 / 4 · (Σ_k \|q_0k − q_1k\|)² with q_bk the class shares of branch b; with more than
      two branches the sum over branches, each against the rest;
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
    if name in REGRESSION:
        branches = [np.asarray(targets, dtype=float) for targets in table]
        sizes = np.array([len(targets) for targets in branches], dtype=float)
        return _decrease(name, np.concatenate(branches), branches, sizes)
    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2:
        raise ValueError(
            f"table must have a row per branch and a column per class, got shape {counts.shape}."
        )
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
    most, and that decrease is the merit. One of the groupings along the order of the classes' shares in the
    first branch is the best of all (Breiman, Friedman, Olshen & Stone, 1984, §4.3, for the Gini index, where
    half the merit is that of `twoing`), so that of k classes k − 1 groupings are looked at.

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


def _deviation(name: str, target: Array) -> float:
    if len(target) == 0:
        return 0.0
    if name == "squared_error":
        return float(np.var(target))
    if name == "absolute_error":
        return float(np.abs(target - np.median(target)).mean())
    mean = target.mean()
    if np.any(target < 0) or mean <= 0:
        raise ValueError("poisson needs targets that are not negative and not all zero.")
    positive = target[target > 0]
    return float((positive * _core.log(positive / mean)).sum() / len(target))


def _bits(share: Array) -> Any:
    """−Σ q log₂ q over the last axis, with 0 log 0 = 0."""
    return -(share * _core.log2(np.where(share > 0, share, 1.0))).sum(axis=-1) + 0.0
