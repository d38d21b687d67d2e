"""Generalization bounds: capacity (VC dimension) of trees, sample sizes, bounds on the true error.

Sources are named function by function; the lecture is Y. Mansour's on decision trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, comb, factorial, inf, lgamma, log, log2, pi, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.figures import wilson_interval as wilson_interval  # noqa: PLC0414  users have it from here
from treewright.formatting.html_table import html_lines
from treewright.formatting.text import counted
from treewright.parameter_types import is_whole

if TYPE_CHECKING:
    from treewright.tree import Tree

Array = NDArray[np.float64]
WeakCriterion: TypeAlias = Literal["gini", "entropy", "sqrt"]

# ---- intervals ---------------------------------------------------------------------------------------


def binomial_upper(errors: float, n_rows: float, delta: float = 0.05) -> float:
    """Upper limit of an error rate from the errors on rows that were not learned from.

    It is the rate at which as few errors have the chance δ (Clopper & Pearson, 1934; Langford, 2005,
    *Tutorial on practical prediction theory for classification*): no other assumption than that rows are
    drawn alike and one by one.

    Examples
    --------
    >>> round(binomial_upper(0, 100), 4)  # 1 − 0.05^(1/100)
    0.0295
    """
    _check("delta", delta)
    if not 0 <= errors <= n_rows:
        raise ValueError(f"errors must lie between 0 and n_rows={n_rows}, got {errors}.")
    if errors >= n_rows:
        return 1.0
    from scipy.special import betaincinv

    return float(betaincinv(errors + 1, n_rows - errors, 1 - delta))


# ---- capacity ----------------------------------------------------------------------------------------


def vc_boolean(n_leaves: int, n_features: int) -> tuple[int, int]:
    """Bounds of the VC dimension of binary trees of s leaves over n truth values: s ≤ VC ≤ s log₂(8n).

    A tree can part s rows into its s leaves, which can then be labelled at will; and there are no more than
    4^s shapes, n^(s−1) choices of splits and 2^s labellings, (8n)^s in all (the lecture, §8.1.4). Neither
    exceeds the 2^n rows that there are.

    Examples
    --------
    >>> vc_boolean(4, 10)
    (4, 25)
    """
    rows = vc_all_boolean(n_features)
    return min(n_leaves, rows), min(int(n_leaves * log2(8 * n_features)), rows)


def catalan(n_leaves: int) -> int:
    """Bound the number of shapes of binary trees of s leaves: the Catalan number C(2s, s) / (s + 1) ≤ 4^s.

    (The lecture, §8.1.4. There are as many trees of s splits; of s leaves, which have s − 1 splits, there are
    exactly `catalan(s - 1)`.)

    Examples
    --------
    >>> [catalan(leaves) for leaves in (1, 2, 3, 4, 5)]
    [1, 2, 5, 14, 42]
    """
    s = _whole("n_leaves", n_leaves, 0)
    return comb(2 * s, s) // (s + 1)


def boolean_trees(n_leaves: int, n_features: int) -> int:
    """Bound the number of binary trees of s leaves over n truth values: (8n)^s.

    No more than 4^s shapes, n^(s−1) choices of splits and 2^s labellings of the leaves (the lecture, §8.1.4).

    Examples
    --------
    >>> boolean_trees(2, 3)  # 12 of them differ: 3 splits, 4 labellings
    576
    """
    return int((8 * _whole("n_features", n_features, 1)) ** _whole("n_leaves", n_leaves, 1))


def orderings(n_features: int) -> int:
    """Give the size of the search space of ID3: the p! orders in which p features may be chosen.

    (Stein & Lettmann, 2023, *Decision Trees*, ML:VI-93: a search that takes one feature at each step, without
    taking it again.)

    Examples
    --------
    >>> orderings(3)
    6
    """
    return factorial(_whole("n_features", n_features, 0))


def hypotheses(n_rows: int) -> int:
    """Give the most trees that differ on a table of n different rows and two classes: 2^n.

    Every subset of the rows can be a class (Stein & Lettmann, 2023, *Decision Trees*, ML:VI-94). The p!
    orders of the features (`orderings`) may be fewer or more.

    Examples
    --------
    >>> hypotheses(5), orderings(4) < hypotheses(5) < orderings(5)
    (32, True)
    """
    return 1 << _whole("n_rows", n_rows, 0)


def vc_all_boolean(n_features: int) -> int:
    """VC dimension of all trees over d truth values: 2^d, as a tree can have a leaf for every row.

    (Shalev-Shwartz & Ben-David, 2014, *Understanding Machine Learning*, §18.1.)

    Examples
    --------
    >>> vc_all_boolean(3)
    8
    """
    return 1 << n_features


def vc_general(n_leaves: int, split_vc: int) -> int:
    """Upper bound of the VC dimension of binary trees of s leaves whose splits have VC dimension d.

    The splits of m rows can be made in no more than (Σ_{i≤d} C(m, i))^(s−1) ways (Sauer's lemma), the tree
    has at most 4^s shapes and 2^s labellings: the bound is the largest m with 2^m no more than the product of
    these, which is O(ds log ds) (the lecture, §8.1.4).

    Examples
    --------
    >>> vc_general(2, 1)  # splits x ≤ t
    9
    """

    def can_be_shattered(m: int) -> bool:
        ways = sum(comb(m, i) for i in range(min(split_vc, m) + 1))
        return m <= 3 * n_leaves + (n_leaves - 1) * log2(ways)

    return _largest(can_be_shattered)


def vc_stump(n_features: int) -> int:
    """VC dimension of trees of one threshold over ℓ numbers: the largest d with C(d, ⌊d/2⌋) ≤ 2ℓ. Exact.

    (Gey, 2018, *Vapnik–Chervonenkis dimension of axis-parallel cuts*.)

    Examples
    --------
    >>> [vc_stump(n) for n in (1, 2, 3, 5, 10, 18, 35, 63, 126)]
    [2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    return _largest(lambda d: comb(d, d // 2) <= 2 * n_features)


def log_trees(n_splits: int, n_leaves: int, n_classes: int, log_choices: float) -> float:
    """Logarithm of a bound on how many ways trees of a size can label given rows.

    A tree is told by which of its nodes, depth first, are splits; by the split of each, one of S that part
    the rows differently (`log_choices` is ln S); and by the class of each leaf: C(i + l, i) · S^i · k^l, for
    any number of branches.

    Examples
    --------
    >>> from math import exp
    >>> round(exp(log_trees(1, 2, 2, log(3))))  # 3 nodes, 3 splits, 4 labellings
    36
    """
    shapes = lgamma(n_splits + n_leaves + 1) - lgamma(n_splits + 1) - lgamma(n_leaves + 1)
    return shapes + n_splits * log_choices + n_leaves * log(n_classes)


def _largest(holds: Callable[[int], bool]) -> int:
    """Give the largest whole number for which something holds that holds up to a point, from 1 on."""
    high = 1
    while holds(2 * high):
        high *= 2
    low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


# ---- rows needed ---------------------------------------------------------------------------------------


def holdout_size(n_models: int, epsilon: float, delta: float = 0.05, *, tight: bool = False) -> int:
    """Rows to hold out so that the best of m models on them is within 2ε of the truly best.

    With probability 1 − δ the error of every model is then estimated within ε: (1/ε²) ln(m/δ) (the lecture,
    §8.2.5). With `tight`, what Hoeffding's inequality (1963) gives exactly: (1/2ε²) ln(2m/δ).

    Examples
    --------
    >>> holdout_size(100, 0.05), holdout_size(100, 0.05, tight=True)
    (3041, 1659)
    """
    _check("epsilon", epsilon)
    _check("delta", delta)
    rows = log(2 * n_models / delta) / 2 if tight else log(n_models / delta)
    return ceil(rows / epsilon**2)


def sample_size(
    log_hypotheses: float, epsilon: float, delta: float = 0.05, *, realizable: bool = False
) -> int:
    """Rows after which the training error of every one of |H| hypotheses is within ε of its true error.

    (1/2ε²) (ln |H| + ln(2/δ)), by Hoeffding's inequality for each; or, if some hypothesis makes no error,
    (1/ε) (ln |H| + ln(1/δ)) for all that make none on the rows (Shalev-Shwartz & Ben-David, 2014, ch. 2–4).

    Parameters
    ----------
    log_hypotheses : float
        ln |H|, such as `n_leaves * log(8 * n_features)` for trees over truth values.
    epsilon, delta : float
    realizable : bool
        Whether some hypothesis makes no error.

    Examples
    --------
    >>> sample_size(4 * log(8 * 10), 0.1), sample_size(4 * log(8 * 10), 0.1, realizable=True)
    (1061, 206)
    """
    _check("epsilon", epsilon)
    _check("delta", delta)
    if realizable:
        return ceil((log_hypotheses + log(1 / delta)) / epsilon)
    return ceil((log_hypotheses + log(2 / delta)) / (2 * epsilon**2))


# ---- growing and pruning ---------------------------------------------------------------------------------


def log_size_by_weak_learning(
    criterion: WeakCriterion, gamma: float, epsilon: float, constant: float = 1.0
) -> float:
    """Logarithm of the size at which a tree grown by a criterion errs no more than ε.

    If for every distribution some split errs at most ½ − γ, a tree grown top-down reaches error ε at size
    e^O(x), where x is (1/γ²)(1/ε²) ln²(1/ε) for "gini", (1/γ²) ln²(1/ε) for "entropy" and (1/γ²) ln(1/ε) for
    "sqrt" (Kearns & Mansour, 1999, *On the boosting ability of top-down decision tree learning algorithms*;
    the lecture, §8.1.8, calls the last "variance"). Theory leaves the constant open.

    Examples
    --------
    >>> [round(log_size_by_weak_learning(name, 0.2, 0.1), 1) for name in ("gini", "entropy", "sqrt")]
    [13254.7, 132.5, 57.6]
    """
    if not 0 < gamma <= 0.5:
        raise ValueError(f"gamma must be above 0 and at most 0.5, got {gamma!r}.")
    _check("epsilon", epsilon)
    order = {
        "gini": log(1 / epsilon) ** 2 / epsilon**2,
        "entropy": log(1 / epsilon) ** 2,
        "sqrt": log(1 / epsilon),
    }
    if criterion not in order:
        raise ValueError(f"criterion must be one of {', '.join(map(repr, order))}, got {criterion!r}.")
    return constant * order[criterion] / gamma**2


def structural_penalty(depth: int, n_nodes: int, n_rows: int, n_splits: float, delta: float = 0.05) -> float:
    """What a subtree must save to be kept: √(((ℓ + |T|) ln n + ln(1/δ)) / m).

    ℓ is the node's depth, |T| the size of the tree below it, m its rows, n the number of splits to choose
    from (Kearns & Mansour, 1998; the lecture, §8.2.4). `pruning.StructuralRisk` prunes by it.

    Examples
    --------
    >>> round(structural_penalty(depth=2, n_nodes=3, n_rows=1000, n_splits=10), 4)
    0.1205
    """
    _check("delta", delta)
    return sqrt(((depth + n_nodes) * log(n_splits) + log(1 / delta)) / n_rows)


def structural_regret(
    n_nodes: int,
    depth: int,
    n_rows: int,
    n_splits: float,
    delta: float = 0.05,
    *,
    constant: float = 1.0,
) -> float:
    """Bound how much more than the best pruning the one by structural risk errs, but for a constant.

    √(|T| / m) · c · (ln(|T| / δ) + h ln(n m / δ)), with |T| and h the nodes and the height of the best
    pruning, m the rows, n the number of splits to choose from (Kearns & Mansour, 1998; the lecture, §8.2.4).
    Theory leaves the constant c open.

    Examples
    --------
    >>> round(structural_regret(n_nodes=7, depth=2, n_rows=1_000_000, n_splits=10), 3)
    0.114
    """
    _check("delta", delta)
    size, rows = _whole("n_nodes", n_nodes, 1), _whole("n_rows", n_rows, 1)
    height = _whole("depth", depth, 0)
    if not n_splits >= 1:
        raise ValueError(f"n_splits must be at least 1, got {n_splits!r}.")
    if not 0 < constant < inf:
        raise ValueError(f"constant must be a finite number above 0, got {constant!r}.")
    return sqrt(size / rows) * constant * (log(size / delta) + height * log(n_splits * rows / delta))


def selection_penalty(n_nodes: ArrayLike, n_rows: int) -> Array:
    """What to add to the error of a pruning when choosing between prunings: √(|P| / m) (the lecture, §8.2.5).

    Examples
    --------
    >>> selection_penalty([1, 25], 100).tolist()
    [0.1, 0.5]
    """
    return np.asarray(np.sqrt(np.asarray(n_nodes, float) / n_rows))


def _check(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name} must be above 0 and below 1, got {value!r}.")


def _whole(name: str, value: int, least: int) -> int:
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} on, got {value!r}.")
    return int(value)


# ---- the true error of a tree ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ErrorBound:
    """What is guaranteed about the true error of a tree, and how loose that is.

    Parameters
    ----------
    error : float
        Share of the rows that the tree puts in the wrong class.
    n_rows : int
        The rows.
    bound : float
        The true error is at most this, with probability 1 − `delta`.
    delta : float
    held_out : bool
        Whether the rows are others than those the tree was grown on.
    log_trees : float
        Logarithm of the number of ways in which trees as large as this one can label twice as many rows.
    rows_needed : int or None
        The rows it takes for the guarantee to be within 0.1 of an error like this; None from an error of 0.9
        on, where that guarantees nothing.
    size : str
        The size of the tree, in words.

    Examples
    --------
    >>> print(held_out_bound(3, 150))
    With probability 95 % the true error is at most 5.09 %.
    It errs on 2 % of 150 rows, rows that it has not seen.
    """

    error: float
    n_rows: int
    bound: float
    delta: float
    held_out: bool
    log_trees: float
    rows_needed: int | None
    size: str

    @property
    def is_vacuous(self) -> bool:
        """Whether the guarantee is no better than that of guessing wrong always.

        Examples
        --------
        >>> held_out_bound(3, 150).is_vacuous
        False
        """
        return self.bound >= 1

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def __str__(self) -> str:
        sure = f"With probability {100 * (1 - self.delta):g} %"
        kind = "rows that it has not seen" if self.held_out else "its training rows"
        seen = f"It errs on {100 * self.error:.3g} % of {counted(self.n_rows, 'row')}, {kind}."
        if self.held_out:
            return f"{sure} the true error is at most {100 * self.bound:.3g} %.\n{seen}"
        said = (
            f"{sure} the true error is at most 100 %: the bound says nothing here."
            if self.is_vacuous
            else f"{sure} the true error is at most {100 * self.bound:.3g} %."
        )
        lines = [said, seen]
        if self.rows_needed is not None:
            lines.append(
                f"Trees of {self.size} can label rows in so many ways that it would take about "
                f"{self.rows_needed:,} rows to be sure within 10 %."
            )
        lines.append("Held-out rows, as bound(X=..., y=...), give a far closer bound.")
        return "\n".join(lines)


def training_bound(tree: Tree, delta: float = 0.05) -> ErrorBound:
    """Bound the true error of a tree by its errors on the rows it was grown on.

    It holds for all trees at once, however they were grown and pruned: trees of i splits and l leaves are
    given the chance δ' = δ (6/π²)² / (i + 1)² l². With G = ln of the ways in which such trees can label 2m
    rows (`log_trees`), m the rows and e the training error, the smaller of

        e + 2 √(e A) + 4 A, A = (G + ln(8/δ')) / m,   and   e + √(8 A)

    is taken (Vapnik & Chervonenkis, 1971; the forms are those of Bousquet, Boucheron & Lugosi, 2004,
    *Introduction to statistical learning theory*, §4–5). It is made for the worst case, and loose. It is
    about rows without missing values, in which a feature that was 0 or 1 in all training rows is so always.

    Parameters
    ----------
    tree : Tree
        A tree of classes whose rows all counted alike.
    delta : float
        The chance that the bound fails.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(*datasets.load_iris()).tree_
    >>> training_bound(tree).is_vacuous
    True
    """
    from treewright.pruning.losses import training_errors
    from treewright.pruning.structural_risk import log_splits

    _check("delta", delta)
    _require_classes(tree)
    n_rows = int(tree.count[0])
    if abs(tree.weight[0] - n_rows) > 1e-9 * n_rows:
        raise ValueError(
            "a bound from training rows needs rows that all count alike, and these are weighted: "
            "pass held-out rows as X and y."
        )
    error = float(training_errors(tree)[tree.leaves].sum() / n_rows)
    n_leaves = tree.n_leaves
    n_splits = len(tree) - n_leaves
    k = tree.node_value.shape[1]
    chance = log(delta) - 2 * log(pi**2 / 6) - 2 * log(n_splits + 1) - 2 * log(n_leaves)

    def ways(rows: int) -> float:
        return log_trees(n_splits, n_leaves, k, log_splits(tree, 2 * rows))

    def bound(rows: int) -> float:
        a = (ways(rows) + log(8) - chance) / rows
        return min(error + 2 * sqrt(error * a) + 4 * a, error + sqrt(8 * a), 1.0)

    needed = 1 + _largest(lambda rows: bound(rows) > error + 0.1) if error < 0.9 else None
    size = f"{counted(n_leaves, 'leaf', 'leaves')} on {counted(len(tree.schema.columns), 'feature')}"
    return ErrorBound(error, n_rows, bound(n_rows), delta, False, ways(n_rows), needed, size)


def held_out_bound(errors: int, n_rows: int, delta: float = 0.05) -> ErrorBound:
    """Bound the true error of a model by its errors on rows that it was not made of, see `binomial_upper`.

    Examples
    --------
    >>> round(held_out_bound(3, 150).bound, 3)
    0.051
    """
    return ErrorBound(
        errors / n_rows, n_rows, binomial_upper(errors, n_rows, delta), delta, True, 0.0, None, ""
    )


def _require_classes(tree: Tree) -> None:
    if not tree.is_classifier:
        raise ValueError("a bound on the error needs classes, and this tree predicts numbers.")
