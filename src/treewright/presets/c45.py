"""C4.5: gain ratio, fractional rows, error-based pruning, as the book, Release 8 or Weka's J48 has them."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import InvalidParameterError

from treewright import _core
from treewright.construction import estimator
from treewright.data import Dataset
from treewright.data.columns import Unseen
from treewright.data.schema import Infinities
from treewright.fitted import ClassReader
from treewright.grow import progress_bar, threads
from treewright.parameters import CLASSIFIER_RULES, SHARED_RULES
from treewright.recipe import RULES, Rule, check_parameters, is_number, one_of
from treewright.tree import Tree

_IS_BOOL = Rule(lambda value: isinstance(value, bool), "a bool")

C45_RULES: dict[str, Rule] = {
    "min_samples_leaf": Rule(
        lambda value: is_number(value) and 1 <= value < np.inf, "a float in the range [1.0, inf)"
    ),
    "confidence": Rule(lambda value: is_number(value) and 0 < value <= 0.5, "a float in the range (0, 0.5]"),
    "pruner": Rule(
        lambda value: value is None or value == "error_based" or callable(value),
        "'error_based', a callable from tree to tree or None",
        ("error_based",),
    ),
    **dict.fromkeys(("subtree_raising", "collapse", "binary_splits", "mdl"), _IS_BOOL),
    "cut": RULES["cut"],
    "laplace": CLASSIFIER_RULES["laplace"],
    "compat": one_of("j48", "release8", none=True),
    **{name: SHARED_RULES[name] for name in ("unseen", "inf", "n_jobs", "verbose")},
}
"""What the parameters of C4.5 may be."""

TOLERANCE = 1e-6
"""Weka's J48 takes numbers closer than this as equal."""


@estimator
class C45Classifier(ClassReader):
    """C4.5 (Quinlan, 1993; numeric cuts as of 1996).

    A node takes the test of best gain ratio among those of at least average gain. Rows that miss a value go
    down every branch with their share, when growing, pruning and predicting. The grown tree is collapsed
    where a subtree makes no fewer errors than a leaf, then pruned by an upper limit on the error rate, which
    may put a node's largest branch in its place.

    Parameters
    ----------
    min_samples_leaf : float
        Two branches of a test must weigh this much; C4.5's -m, Weka's -M.
    confidence : float
        Confidence level of the pruning; smaller prunes more.
    pruner : "error_based", callable or None
        How to prune: Quinlan's way, another pruner of `treewright.pruning`, or not at all.
    subtree_raising : bool
        Whether pruning may put a node's largest branch in its place.
    collapse : bool
        Whether subtrees that do not lower the training error become leaves before pruning.
    binary_splits : bool
        Test one category against all others, instead of a branch for each category.
    mdl : bool
        Whether numeric cuts pay for the choice among them, log2(cuts) / rows bits.
    cut : {"observed", "midpoint"}
        Cut at the largest value of the training set not above the midpoint, or at the midpoint.
    laplace : float or bool
        What `predict_proba` adds to the weight of every class of a leaf; `predict` does not look at it.
    compat : {"j48", "release8"} or None
        Grow the tree of Weka's J48, or with the pruning figures of Quinlan's Release 8, node for node.
    unseen, inf, categorical_features, ordinal_features, n_jobs, verbose
        As for `DecisionTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree; its weights are fractional where values were missing.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> X = [["sunny", 85], ["sunny", 70], ["rain", 96], ["rain", None], ["rain", 70]]
    >>> model = C45Classifier(min_samples_leaf=1, pruner=None, mdl=False)
    >>> model = model.fit(X, ["no", "yes", "yes", "yes", "yes"])
    >>> print(model.text())
    x0 = rain: yes (3.0)
    x0 = sunny
    |   x1 <= 70: yes (1.0)
    |   x1 > 70: no (1.0)
    """

    task = "classification"
    allowed: ClassVar[dict[str, Rule]] = C45_RULES

    min_samples_leaf: float = 2
    confidence: float = 0.25
    pruner: Any = "error_based"
    subtree_raising: bool = True
    collapse: bool = True
    binary_splits: bool = False
    mdl: bool = True
    cut: str = "observed"
    laplace: float | bool = False
    compat: str | None = None
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    categorical_features: Any = None
    ordinal_features: Any = None
    n_jobs: int | None = None
    verbose: int | bool = 0

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree, collapse and prune it.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,) or None
            Weight of each row; rows of weight zero change nothing.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        check_parameters(type(self).__name__, self.__dict__, self.allowed, InvalidParameterError)
        dataset = Dataset.from_table(
            X,
            y,
            task=self.task,
            sample_weight=sample_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
            inf=self.inf,
            estimator=type(self).__name__,
            threads=threads(self.n_jobs),
        )
        schema = dataset.schema
        arrays = _core.grow_c45(
            dataset.numbers,
            dataset.codes,
            schema.position,
            schema.n_categories,
            dataset.target,
            0 if schema.classes is None else len(schema.classes),
            dataset.weight,
            self._options(),
        )
        tree = Tree.from_arrays(schema, arrays)
        if callable(self.pruner):
            tree = self.pruner(tree)
        self._adopt(tree)
        return self

    def _options(self) -> dict[str, Any]:
        """Write the parameters as the core reads them."""
        confidence, deviate = _confidence(float(self.confidence), self.compat)
        exact = self.compat != "j48"
        return {
            "min_weight": float(self.min_samples_leaf),
            "binary": self.binary_splits,
            "mdl": self.mdl,
            "observed": self.cut == "observed",
            "tolerance": 1e-9 if exact else TOLERANCE,
            "same_value": 0.0 if self.compat is None else 1e-5,
            "collapse": self.collapse,
            "prune": self.pruner == "error_based",
            "raising": self.subtree_raising,
            "confidence": confidence,
            "deviate": deviate,
            "last_half": 0.67 if self.compat == "release8" else 1.0,
            "last_of_largest": self.compat is not None,
            "threads": threads(self.n_jobs),
            "progress": progress_bar(self.verbose),
        }

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one of the largest share over all leaves the row reaches."""
        shares = self._spread(X, 0.0)
        if self.compat != "j48":
            labels: NDArray[Any] = self.classes_.take(shares.argmax(axis=1))
            return labels
        best, most = np.zeros(len(shares), np.intp), np.full(len(shares), -1.0)
        for code, share in enumerate(shares.T):  # a later class must be larger by more than the tolerance
            larger = share - most > TOLERANCE
            best[larger], most[larger] = code, share[larger]
        classes: NDArray[Any] = self.classes_.take(best)
        return classes

    def text(self) -> str:
        """Write the tree as C4.5 prints it, with (cases/errors) at the leaves.

        Cases are the weight of the training rows that reach a leaf, errors the weight of those of other
        classes; they are fractional where values were missing.
        """
        from treewright.presets.summary import c45_text

        return c45_text(self._fitted_tree())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


def _confidence(level: float, compat: str | None) -> tuple[float, float]:
    """Give the level as the program holds it, and the normal deviate it goes with."""
    if compat == "release8":  # interpolated in a table of few entries
        levels = [0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
        deviates = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0]
        return level, float(np.interp(level, levels, deviates))
    if compat == "j48":  # held in 32 bits
        single = np.float32(level)
        return float(single), NormalDist().inv_cdf(float(np.float32(1) - single))
    return level, NormalDist().inv_cdf(1 - level)
