"""RuleClassifier: an estimator that grows a tree, reads it as rules and keeps the rules only."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import InvalidParameterError

from treewright.data.folds import aside_mask
from treewright.data.target import read_classes
from treewright.estimators.base import TableEstimator, estimator
from treewright.estimators.exporting import Exporting
from treewright.estimators.presets import C45Classifier
from treewright.growing.parameters import SHARED_DOMAINS
from treewright.parameter_types import Domain, check_parameters, is_number, is_whole, one_of
from treewright.persistence.container import write_model
from treewright.persistence.parameters import plain_parameters
from treewright.persistence.rules import rules_to_parts
from treewright.rules import RuleSet
from treewright.rules.pruning import Estimate
from treewright.rules.rule import first_rule


@estimator
class RuleClassifier(ClassifierMixin, Exporting, TableEstimator):
    """Rules in order, made of a tree as C4.5rules makes them (Quinlan, 1993, ch. 5).

    A tree is grown, read as one rule for each leaf, and the rules are pruned, chosen and put in order, see
    `RuleSet.prune`. They are fewer and shorter than the tree's, and as a rule no less accurate.

    Parameters
    ----------
    tree : estimator or None
        Grows the tree: any classifier of treewright with a single tree. None is C4.5 without pruning, as
        pruning is left to the rules.
    estimate : {"pessimistic", "holdout"}
        Judge rules by an upper confidence limit of their error on the rows the tree was grown on, or by
        rows kept aside.
    cf : float
        Confidence factor of the pessimistic estimate; smaller prunes more.
    choose : bool
        Choose the rules of each class by description length, and put the classes in order. If not, all rules
        are put in the order of their estimated errors.
    holdout : float
        The share of the rows, stratified by class, that is kept aside for `estimate="holdout"`.
    random_state : int
        Seed of the choice of rows kept aside.
    verbose : int or bool
        Show progress in the terminal.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules; `print` them.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the table had any.

    Examples
    --------
    >>> from treewright import RuleClassifier, datasets
    >>> model = RuleClassifier().fit(*datasets.load_tennis())
    >>> print(model.ruleset_)
    IF Outlook = Sunny AND Humidity = High THEN No  (3 rows, 100 %)
    IF Outlook = Rain AND Wind = Strong THEN No  (2 rows, 100 %)
    IF Outlook = Overcast THEN Yes  (4 rows, 100 %)
    IF Humidity = Normal THEN Yes  (7 rows, 86 %)
    IF Outlook = Rain AND Wind = Weak THEN Yes  (3 rows, 100 %)
    OTHERWISE Yes  (14 rows, 64 %)
    """

    allowed: ClassVar[dict[str, Domain]] = {
        "tree": Domain(
            lambda value: value is None or (hasattr(value, "fit") and hasattr(value, "rules")),
            "a classifier of treewright with a single tree or None",
        ),
        "estimate": one_of("pessimistic", "holdout"),
        "cf": Domain(lambda value: is_number(value) and 0 < value < 1, "a float in the range (0.0, 1.0)"),
        "choose": Domain(lambda value: isinstance(value, bool), "a bool"),
        "holdout": SHARED_DOMAINS["holdout"],
        "verbose": SHARED_DOMAINS["verbose"],
        "random_state": Domain(
            lambda value: is_whole(value) and 0 <= value < 2**63,
            "an int in the range [0, 9223372036854775807]",
        ),
    }

    tree: Any = None
    estimate: Estimate = "pessimistic"
    cf: float = 0.25
    choose: bool = True
    holdout: float = 1 / 3
    random_state: int = 0
    verbose: int | bool = 0

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree and make the rules.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,) or None
            Weight of each row.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        check_parameters(type(self).__name__, self.__dict__, self.allowed, InvalidParameterError)
        model = C45Classifier(pruner=None, collapse=False) if self.tree is None else clone(self.tree)
        growing = judging = (X, y, sample_weight)
        if self.estimate == "holdout":
            growing, judging = self._parted(X, y, sample_weight)
        model.fit(*growing)
        rules = model.rules().prune(
            *judging, estimate=self.estimate, cf=self.cf, choose=self.choose, verbose=self.verbose
        )
        self._adopt(rules)
        return self

    def _parted(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any]:
        """Keep a share of the rows aside."""
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        _, classes = read_classes(y, n_rows, type(self).__name__)
        aside = aside_mask(n_rows, classes, self.holdout, self.random_state)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        return tuple(
            (
                _safe_indexing(X, np.flatnonzero(chosen)),
                _safe_indexing(y, np.flatnonzero(chosen)),
                None if weight is None else weight[chosen],
            )
            for chosen in (~aside, aside)
        )  # type: ignore[return-value]

    def _adopt(self, rules: RuleSet) -> None:
        """Take rules as this estimator's own, with all that scikit-learn expects to find beside them."""
        self.ruleset_ = rules
        self.classes_: NDArray[Any] = np.asarray(rules.schema.classes)
        self.n_classes_ = len(self.classes_)
        self._adopt_columns(rules.schema)

    def _which(self, X: Any) -> NDArray[np.int64]:
        try:
            rules = self.ruleset_
        except AttributeError:
            raise self._not_fitted() from None
        return first_rule(rules.rules, rules.encode(X, type(self).__name__))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, by the first rule that covers it."""
        which = self._which(X)
        return self.ruleset_.said_by(which)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class among the rows of the rule that predicts for a row."""
        which = self._which(X)
        return np.asarray(self.ruleset_.shares[which])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file that `treewright.load` reads; whole or not at all.

        The rules are kept, and the parameters that are plain values: `tree` is not.
        """
        if not hasattr(self, "ruleset_"):
            self._which(None)
        header, arrays = rules_to_parts(self.ruleset_)
        header |= {"kind": type(self).__name__, "parameters": plain_parameters(self.get_params(deep=False))}
        if hasattr(self, "target_name_"):
            header["target"] = self.target_name_
        write_model(path, header, arrays)

    def _learned_html(self) -> str:
        return self.ruleset_.to_html()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ruleset_")
