"""C45Classifier: gain ratio, fractional rows, error-based pruning; as the book, Release 8 or Weka's J48."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from treewright.data import Dataset, Schema
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities
from treewright.estimators.base import public_estimator
from treewright.estimators.base_tree import NO_DATA, TreeEstimator, predict_log_proba, predict_proba
from treewright.estimators.presets.c45_recipe import TOLERANCE, C45Recipe, together, weka_parts
from treewright.estimators.presets.training_rows import fill_target
from treewright.growing.parameters import recipe_choices
from treewright.model_selection.validated_pruning import AnyPruner, needs
from treewright.pruning import pruner_of
from treewright.tree.decision import decide


@public_estimator
class C45Classifier(ClassifierMixin, TreeEstimator):
    """C4.5 (Quinlan, 1993; numeric cuts as of 1996).

    A node takes the test of best gain ratio among those of at least average gain. Rows that miss a value go
    down every branch with their share, when growing, pruning and predicting. The grown tree is collapsed
    where a subtree makes no fewer errors than a leaf, then pruned by an upper limit on the error rate, which
    may put a node's largest branch in its place.

    Parameters
    ----------
    min_samples_leaf : float
        The least number of training rows (sum of weights) in at least two branches of a split; C4.5's -m,
        Weka's -M.
    random_state : int
        Seed of the choice of held-out rows.
    confidence : float
        Confidence level of the pruning; smaller prunes more. Above 0.5 the errors seen are taken as they are.
    pruner : "error_based", Pruner, callable, str or None
        How to prune: Quinlan's way by default, another pruner of `treewright.pruning`, or not at all.
    holdout : float
        The share of the rows, stratified by class, that is held out from growing if the pruner needs rows
        that the tree has not seen. With compat="j48" and pruner="reduced_error" it is the last of 1 /
        `holdout` parts as Weka parts the rows: J48's -R, and -N 3 for a third.
    cut : {"midpoint", "observed"}
        Cut half-way between neighbouring values, or at the largest value of the data not above that.
    subtree_raising : bool
        Whether pruning may put a node's largest branch in its place.
    collapse : bool
        Whether subtrees that do not lower the training error become leaves before pruning. A pruner that has
        held-out rows decides alone.
    binary_splits : bool
        Test one category against all others, instead of a branch for each category.
    mdl : bool
        Whether numeric cuts pay for the choice among them, log2(cuts) / rows bits.
    compat : {"j48", "release8"} or None
        Grow the tree of Weka's J48 ("j48"), or with the pruning figures of Quinlan's Release 8 ("release8"),
        node for node.
    **parameters
        `laplace`, `max_competitors`, `unseen`, `inf`, `categorical_features`, `ordinal_features`,
        `predicates`, `trace`, `n_jobs` and `verbose` are those of `DecisionTreeClassifier`, with the default
        `laplace=False`.

    Attributes
    ----------
    tree_ : Tree
        The tree; its weights are fractional where values were missing.
    classes_ : ndarray
        The classes.
    trace_ : Trace
        How the tree was grown, if `trace` is set.

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

    _task: ClassVar[Task] = "classification"
    _declared_classes: ClassVar[bool] = True  # C4.5 has them from its names file, Weka from the header

    # parameters: written by tools/generate_parameters.py
    min_samples_leaf: float = 2
    random_state: int = 0
    confidence: float = 0.25
    pruner: AnyPruner | str | None = "error_based"
    holdout: float = 1 / 3
    laplace: float | bool = False
    cut: str = "observed"
    max_competitors: int = 0
    subtree_raising: bool = True
    collapse: bool = True
    binary_splits: bool = False
    mdl: bool = True
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    predicates: Any = None
    trace: bool = False
    compat: str | None = None
    # end of parameters

    __metadata_request__predict_proba: ClassVar = NO_DATA
    predict_proba = predict_proba
    predict_log_proba = predict_log_proba

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Grow the tree, collapse and prune it."""
        dataset, beside = self._parts(X, y, sample_weight)
        recipe, pruners, held_out = self._recipe(dataset.schema), self._pruners(), None
        if self.compat == "j48" and any(needs(pruner) == "holdout" for pruner in pruners):
            dataset, held_out = weka_parts(dataset, round(1 / self.holdout))
            beside.append(held_out)
        if beside:
            recipe = replace(recipe, beside=together(*beside))
        self._learn(dataset, recipe, pruners, holdout=self.holdout, held_out=held_out)
        if self.trace and recipe != recipe.unpruned():
            whole = recipe.unpruned()
            self._keep_trace(whole.grow(dataset, n_jobs=self.n_jobs), dataset, whole)

    def _parts(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Dataset, list[Dataset]]:
        """Read the rows to learn from, and further rows that J48 looks at: those without a class."""
        if self.compat != "j48" or isinstance(X, Dataset):
            return self._dataset(X, y, sample_weight), []
        y, has_class = fill_target(y)
        dataset = self._dataset(X, y, sample_weight)
        if has_class is None:
            return dataset, []
        if np.ndim(sample_weight) == 1:  # type: ignore[arg-type]
            has_class = has_class[np.asarray(sample_weight, dtype=float) > 0]  # others are not read
        return dataset.take(has_class), [dataset.take(~has_class)]

    def _pruners(self) -> list[AnyPruner]:
        """List what prunes the tree after it is grown; Quinlan's way is part of growing."""
        return [] if self.pruner in (None, "error_based") else [pruner_of(self.pruner)]

    def _recipe(self, schema: Schema) -> C45Recipe:
        choices = recipe_choices(self._declared_as.__name__, self.__dict__, schema, "C45Recipe")
        choices["prune"] = self.pruner == "error_based"
        if any(needs(pruner) == "holdout" for pruner in self._pruners()):
            choices["collapse"] = False
        if self.trace:
            choices["max_competitors"] = len(schema.columns)
        return C45Recipe(**choices)

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one of the largest probability over all leaves the row reaches."""
        shares = self._spread(X, 0.0)
        if self.compat != "j48":
            labels: NDArray[Any] = self.classes_.take(decide(shares))
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

        Examples
        --------
        >>> from treewright import C45Classifier, datasets
        >>> print(C45Classifier().fit(*datasets.load_tennis()).text())
        Outlook = Sunny
        |   Humidity = High: No (3.0)
        |   Humidity = Normal: Yes (2.0)
        Outlook = Overcast: Yes (4.0)
        Outlook = Rain
        |   Wind = Weak: Yes (3.0)
        |   Wind = Strong: No (2.0)
        """
        from treewright.estimators.presets.summary import c45_text

        return c45_text(self._fitted_tree())
