"""Error-based pruning (C4.5): keep, collapse or raise by upper confidence limits of the error.

Quinlan (1993), *C4.5: Programs for Machine Learning*, ch. 4, as Release 8 of the program does it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.data import Dataset
from treewright.parameter_types import Domain, is_number, number, one_of
from treewright.pruning.bottom_up import cheapest
from treewright.pruning.losses import training_errors
from treewright.pruning.pruner import Needs, Pruned, Pruner
from treewright.pruning.subtree_raising import Raising
from treewright.tree import Tree

Array = NDArray[np.float64]
Bound = Literal["c45", "normal", "binomial"]

# C4.5 reads the normal deviate of a confidence between these points off straight lines.
TABLE_CONFIDENCE = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
TABLE_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


@dataclass(frozen=True)
class ErrorBased(Pruner):
    """Compare what a node would err as a leaf, as a tree, and with its largest branch in its place (C4.5).

    Errors are estimated from the training rows by the upper end of a confidence interval, which punishes
    small leaves. From below, a node becomes a leaf if that is estimated to err no more than the tree and than
    the largest branch, by `tolerance`; else the largest branch is *raised* to stand in its place if that errs
    no more than the tree. Then all rows of the node go down the raised branch, its counts are made anew, and
    it is pruned again.

    Parameters
    ----------
    cf : float
        The confidence factor, above 0 and below 1: smaller prunes more.
    bound : {"c45", "normal", "binomial"}
        The confidence limit, see `expected_errors`: that of C4.5 Release 8, the same with exact deviates as
        Weka has it, or the exact one of the binomial distribution as the book describes it.
    raising : bool
        Whether branches may be raised. It needs the training rows.
    tolerance : float
        What a simpler tree may err more: 0.1 rows in C4.5.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier(min_samples_leaf=2, pruner=ErrorBased()).fit(X, y)
    >>> model.tree_.n_leaves
    5
    """

    domains: ClassVar[dict[str, Domain]] = {
        "cf": Domain(lambda value: is_number(value) and 0 < value < 1, "a float in the range (0.0, 1.0)"),
        "bound": one_of("c45", "normal", "binomial"),
        "raising": Domain(lambda value: isinstance(value, bool), "a bool"),
        "tolerance": number(0.0),
    }

    cf: float = 0.25
    bound: Bound = "c45"
    raising: bool = True
    tolerance: float = 0.1

    @property
    def needs(self) -> Needs:
        """The training rows, to send them down raised branches."""
        return "training" if self.raising else "nothing"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        self.require_classes(tree)
        measure = f"errors expected with confidence factor {self.cf:g}"
        if self.raising:
            work = Raising(tree, self.require_rows(rows), self._estimate, self.tolerance)
            work.run()
            return Pruned(work.tree(), work.report(str(self), measure))
        leaf = self._estimate(tree.weight, training_errors(tree))
        walk = cheapest(tree, leaf, tolerance=self.tolerance)
        report = self.report(
            tree, measure, walk.decided, before=walk.subtree, after=leaf, collapse=walk.collapse
        )
        return Pruned(tree.collapse(walk.collapse), report)

    def _estimate(self, rows: Array, errors: Array) -> Array:
        return expected_errors(rows, errors, self.cf, self.bound)


def expected_errors(rows: ArrayLike, errors: ArrayLike, cf: float = 0.25, bound: Bound = "c45") -> Array:
    """Errors to be expected among as many new rows as a leaf has, by an upper confidence limit.

    With N rows, E errors and z the normal deviate of `cf`, "c45" and "normal" take N (1 − cf^(1/N)) where E =
    0; a straight line from there to E = 1; and beyond, with a correction of half a row, N times

        (E + ½ + z²/2 + z √((E + ½)(1 − (E + ½)/N) + z²/4)) / (N + z²).

    Where E + ½ ≥ N, "c45" adds 0.67 (N − E) errors and "normal" all N − E. The two differ in z too: "c45"
    reads it off straight lines between nine points (z = 0.6925 for 0.25, truly 0.6745). "binomial" is N U,
    with U the error rate at which E or fewer errors in N rows have the chance `cf` (Clopper & Pearson, 1934).

    Parameters
    ----------
    rows, errors : array-like
        Weights, which need not be whole numbers.
    cf : float
        The confidence factor.
    bound : {"c45", "normal", "binomial"}

    Examples
    --------
    The values of the book for 0 errors in 6, 9 and 1 rows, and 1 in 16:

    >>> rows, errors = np.array([6, 9, 1, 16]), np.array([0, 0, 0, 1])
    >>> (expected_errors(rows, errors) / rows).round(3).tolist()
    [0.206, 0.143, 0.75, 0.157]
    """
    n = np.asarray(rows, dtype=float)
    e = np.clip(np.asarray(errors, dtype=float), 0.0, n)
    safe = np.where(n > 0, n, 1.0)
    if bound == "binomial":
        n, e = np.broadcast_arrays(n, e)
        limits = [
            rows * _core.beta_quantile(wrong + 1, rows - wrong, 1 - cf) if wrong < rows else wrong
            for rows, wrong in zip(n.ravel().tolist(), e.ravel().tolist(), strict=True)
        ]
        return np.reshape(np.array(limits), n.shape)
    none = safe * -_core.expm1(_core.log(cf) / safe)
    line = none + e * (_many_errors(safe, np.ones_like(e), cf, bound) - none)
    total = np.where(e < 1e-6, none, np.where(e < 0.9999, e + line, e + _many_errors(safe, e, cf, bound)))
    return np.asarray(np.where(n > 0, total, 0.0))


def table_deviate(cf: float) -> float:
    """Give the normal deviate of a confidence factor as release 8 of C4.5 reads it off its table."""
    place = bisect_left(TABLE_CONFIDENCE, cf)
    (low, high), (first, last) = TABLE_CONFIDENCE[place - 1 : place + 1], TABLE_DEVIATE[place - 1 : place + 1]
    return first + (last - first) * (cf - low) / (high - low)


def _many_errors(n: Array, e: Array, cf: float, bound: Bound) -> Array:
    """What to add to one error or more."""
    if bound == "c45":
        z, all_wrong = table_deviate(cf), 0.67
    else:
        z, all_wrong = _core.normal_quantile(cf), 1.0
    half = e + 0.5
    root = np.sqrt(np.maximum(half * (1 - half / n) + z * z / 4, 0.0))
    limit = n * (half + z * z / 2 + z * root) / (n + z * z)
    return np.asarray(np.where(half >= n, all_wrong * (n - e), limit - e))
