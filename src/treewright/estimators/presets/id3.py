"""ID3Classifier: information gain and a branch for each category, as Mitchell or as Weka has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.estimators.base import public_estimator
from treewright.estimators.tree import DecisionTreeClassifier
from treewright.growing.recipe import Recipe
from treewright.growing.user_criteria import MeritFunction


@dataclass(frozen=True)
class WekaRecipe(Recipe):
    """A recipe whose information gain is worked out and compared, to the last bit, as Weka's `Id3` does."""

    @property
    def core_criterion(self) -> str:
        """The name by which the core knows the criterion."""
        return "weka_gain"


@public_estimator
class ID3Classifier(DecisionTreeClassifier):
    """ID3 (Quinlan, 1986): information gain, one branch per category, each feature once per path.

    As in Mitchell (1997, table 3.1) a node is split until it is pure or no feature is left, and a category
    without training rows leads to a leaf that predicts its parent's majority. Features must be categorical
    and complete.

    Parameters
    ----------
    stop_on_constant : bool
        Whether a node becomes a leaf where no split gains anything and the first feature not yet used has one
        value only, as some textbooks have ID3; if not, such features are passed over.
    compat : {"weka"} or None
        Grow the tree of Weka's `Id3` ("weka"), node for node. Among gains that are equal but for rounding its
        arithmetic decides, a node whose best gain is within 1e-6 of zero is a leaf, and rows that end in a
        leaf without training rows stay unclassified: `predict` gives them `None` (in an array of objects),
        `predict_proba` zeros. Explanations and rules say of them what the leaf's parent does.
    **parameters
        All others are those of `DecisionTreeClassifier`, with the defaults `criterion="entropy"`,
        `splits=("multiway",)`, `missing="error"` and `ties="first"`.

    Examples
    --------
    >>> X = [["sunny", "high"], ["rain", "high"], ["rain", "low"]]
    >>> model = ID3Classifier().fit(X, ["no", "yes", "yes"])
    >>> model.predict([["sunny", "low"]]).tolist()
    ['no']
    """

    _several_targets: ClassVar[bool] = False

    # parameters: written by tools/generate_parameters.py
    criterion: str | MeritFunction = "entropy"
    splits: tuple[str, ...] = ("multiway",)
    missing: str | Mapping[Any, str] = "error"
    ties: str | Sequence[Any] = "first"
    stop_on_constant: bool = False
    compat: str | None = None
    # end of parameters

    def _recipe(self, schema: Schema) -> Recipe:
        recipe = super()._recipe(schema)
        if self.compat is None:
            return recipe
        kind = WekaRecipe if recipe.criterion == "entropy" else Recipe
        return kind.of_checked(vars(recipe) | {"min_merit": 1e-6})

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Class of each row; `None` where Weka's tree leaves it unclassified."""
        labels = super()._predictions(X)
        if len(unclassified := self._unclassified(X)):
            labels = labels.astype(object)
            labels[unclassified] = None
        return labels

    def predict_proba(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """Share of each class in the row's leaf; zeros where Weka's tree leaves it unclassified.

        Examples
        --------
        >>> from treewright import ID3Classifier, datasets
        >>> X, y = datasets.load_tennis()
        >>> ID3Classifier(max_depth=1).fit(X, y).predict_proba(X[:1]).tolist()
        [[0.6, 0.4]]
        """
        shares: NDArray[np.float64] = super().predict_proba(X)
        shares[self._unclassified(X)] = 0.0
        return shares

    def _unclassified(self, X: Any) -> NDArray[np.intp]:
        """The rows that Weka's tree has no class for: their branch was empty. It knows no shared rows."""
        tree = self._fitted_tree()
        if self.compat is None or tree.shares_rows:
            return np.empty(0, np.intp)
        return np.flatnonzero(tree.count.take(self._leaves(X, tree)) == 0)
