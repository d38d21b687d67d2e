"""RuleClassifier: grows a tree, turns it into rules, and keeps only the rules."""

from __future__ import annotations

from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone

from treewright.data.dataset import refuse_partitions
from treewright.data.folds import aside_mask, by_name
from treewright.data.frames import read
from treewright.data.schema import Infinities
from treewright.data.target import read_classes, target_rows
from treewright.estimators.base import TableEstimator, public_estimator
from treewright.estimators.presets import C45Classifier
from treewright.persistence.container import write_model
from treewright.persistence.parameters import described
from treewright.persistence.rules import rules_to_parts
from treewright.rules import RuleSet
from treewright.rules.pruning import Estimate
from treewright.rules.rule import first_rule


@public_estimator
class RuleClassifier(ClassifierMixin, TableEstimator):
    """Rules in order, made of a tree as C4.5rules makes them (Quinlan, 1993, ch. 5).

    A tree is grown, read as one rule for each leaf, and the rules are pruned, chosen and put in order, see
    `RuleSet.prune`. They are fewer and shorter than the tree's, and as a rule no less accurate.

    Parameters
    ----------
    tree : estimator or None
        Grows the tree: any classifier of treewright with a single tree. None is C4.5 without pruning, as
        pruning is left to the rules.
    estimate : {"pessimistic", "holdout", "smoothed"}
        Judge rules by an upper confidence limit of their error on the rows the tree was grown on; by their
        error on held-out rows, which keeps all rules (Mitchell, 1997); or by that error, smoothed.
    cf : float
        Confidence factor of the pessimistic estimate; smaller prunes more.
    choose : bool or None
        Choose the rules of each class by description length, and put the classes in order. If not, all rules
        are put in the order of their estimated errors. None does unless the estimate is "holdout".
    random_state : int
        Seed of the choice of held-out rows.
    holdout : float
        The share of the rows, stratified by class, that is held out for "holdout" and "smoothed".
    **parameters
        `verbose` are those of `DecisionTreeClassifier`.

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

    # parameters: written by tools/generate_parameters.py
    tree: Any = None
    estimate: Estimate = "pessimistic"
    cf: float = 0.25
    choose: bool | None = None
    random_state: int = 0
    holdout: float = 1 / 3
    verbose: int | bool = 0
    # end of parameters

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree and make the rules.

        Parameters
        ----------
        X, y, sample_weight
            As for `DecisionTreeClassifier.fit`; the target is classes.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.

        Examples
        --------
        >>> from treewright import RuleClassifier, datasets
        >>> len(RuleClassifier().fit(*datasets.load_labor()).ruleset_)
        4
        """
        self._check_parameters()
        refuse_partitions(X, type(self).__name__)
        model = C45Classifier(pruner=None, collapse=False) if self.tree is None else clone(self.tree)
        growing = judging = (X, y, sample_weight)
        if self.estimate != "pessimistic":
            growing, judging = self._parted(X, y, sample_weight)
        model.fit(*growing)
        rules = model.rules().prune(
            *judging,
            estimate=self.estimate,
            cf=self.cf,
            choose=self.choose,
            verbose=self.verbose,
            inf=self._infinities,
        )
        self._set_rules(rules)
        self._keep_target_name(y)
        return self

    def _parted(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any]:
        """Keep a share of the rows aside."""
        table = read(X)
        labels, codes = read_classes(y, table.n_rows, type(self).__name__)
        aside = aside_mask(table.n_rows, by_name(labels, codes), self.holdout, self.random_state)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        growing, judging = (
            (table.take(rows), target_rows(y, rows), None if weight is None else weight[rows])
            for rows in (np.flatnonzero(~aside), np.flatnonzero(aside))
        )
        return growing, judging

    def _set_rules(self, rules: RuleSet) -> None:
        """Take rules as this estimator's own, with all that scikit-learn expects to find beside them."""
        self.ruleset_ = rules
        self.classes_: NDArray[Any] = np.asarray(rules.schema.classes)
        self.n_classes_ = len(self.classes_)
        self._adopt_columns(rules.schema)

    @property
    def _infinities(self) -> Infinities:
        """What its tree does with infinite numbers."""
        taken: Infinities = getattr(self.tree, "inf", "error")
        return taken

    def _which(self, X: Any) -> NDArray[np.int64]:
        try:
            rules = self.ruleset_
        except AttributeError:
            raise self._not_fitted() from None
        return first_rule(rules.rules, rules.encode(X, self._infinities, type(self).__name__))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, by the first rule that covers it.

        Examples
        --------
        >>> from treewright import RuleClassifier, datasets
        >>> X, y = datasets.load_labor()
        >>> model = RuleClassifier().fit(X, y)
        >>> model.predict(X[:3]).tolist()
        ['good', 'good', 'good']
        """
        which = self._which(X)
        return self.ruleset_.said_by(which)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class among the rows of the rule that predicts for a row.

        Examples
        --------
        >>> from treewright import RuleClassifier, datasets
        >>> X, y = datasets.load_labor()
        >>> model = RuleClassifier().fit(X, y)
        >>> model.predict_proba(X[:1]).tolist()
        [[1.0, 0.0]]
        """
        which = self._which(X)
        return np.asarray(self.ruleset_.class_probabilities[which])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file that `treewright.load` reads; whole or not at all.

        The rules and the parameters are kept; `tree` as it was given, without what it has grown.

        Examples
        --------
        >>> from treewright import RuleClassifier, datasets
        >>> X, y = datasets.load_labor()
        >>> model = RuleClassifier().fit(X, y)
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import load
        >>> with TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/rules.tw")
        ...     load(f"{folder}/rules.tw").predict(X[:3]).tolist()
        ['good', 'good', 'good']
        """
        if not hasattr(self, "ruleset_"):
            self._which(None)
        header, arrays = rules_to_parts(self.ruleset_)
        write_model(path, header | described(self), arrays)

    def _learned_html(self) -> str:
        return self.ruleset_.to_html()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ruleset_")
