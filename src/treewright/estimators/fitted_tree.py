"""Fitted trees: predict, predict_proba, apply, decision_path, save."""

from __future__ import annotations

from abc import abstractmethod
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright import _core
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities, Schema
from treewright.estimators.base import TableEstimator
from treewright.estimators.explaining import TreeReader
from treewright.estimators.prediction_report import PredictionReport
from treewright.growing.grow_tree import threads
from treewright.growing.recipe import AnyRecipe
from treewright.model_selection.validated_pruning import AnyPruner
from treewright.parameter_types import Domain
from treewright.persistence.container import write_model
from treewright.persistence.parameters import described, plain_parameters
from treewright.persistence.trees import tree_to_parts
from treewright.persistence.validation import check_grown
from treewright.pruning import Pruned
from treewright.tree import Tree


class FittedTree(TreeReader, TableEstimator):
    """An estimator that has a tree, whoever grew it."""

    allowed: ClassVar[dict[str, Domain]]
    task: ClassVar[Task]
    unseen: Unseen
    inf: Infinities
    n_jobs: int | None

    def _adopt(self, tree: Tree) -> None:
        """Take a tree as this estimator's own, with all that scikit-learn expects to find beside it."""
        check_grown(tree.arrays())
        self.tree_ = tree
        self.__dict__.pop("edits_", None)  # they led to another tree
        self.n_outputs_ = 1
        self._adopt_columns(tree.schema)

    def _own_arrays(self) -> dict[str, NDArray[np.float64]]:
        """Give what a file keeps of the estimator besides its tree."""
        return {}

    def _adopt_own(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take back what `_own_arrays` gave; raises ValueError if that cannot be it."""
        if arrays:
            raise ValueError(f"it has the unknown arrays {sorted(arrays)}")

    def _remember(self, pruner: AnyPruner, pruned: Pruned) -> None:
        """Keep what pruned the tree, what it did, and what it chose from."""
        self._forget_pruning()
        self.pruner_, self.report_ = pruner, pruned.report
        if pruned.path is not None:
            self.path_ = pruned.path

    def _forget_pruning(self) -> None:
        for name in ("pruner_", "report_", "path_"):
            self.__dict__.pop(name, None)

    @abstractmethod
    def _recipe(self, schema: Schema) -> AnyRecipe:
        """Give the recipe that grows trees like this one."""

    def _fitted_tree(self) -> Tree:
        try:
            return self.tree_
        except AttributeError:
            raise self._not_fitted() from None

    def arrange(self, X: Any) -> Any:
        """Take this model's features out of a table by name, in any order and beside any other columns.

        Parameters
        ----------
        X : table
            With column names, the names of all features among them.

        Returns
        -------
        table
            What every method of this model takes as `X`; `predict(X, reorder=True)` does it in one step.
        """
        return self._fitted_tree().schema.arrange(X)

    def predict(
        self, X: Any, check_input: bool = True, *, reorder: bool = False, return_report: bool = False
    ) -> Any:
        """Predict each row: a class (the heaviest of its leaf, or under `costs` the cheapest) or a number.

        Parameters
        ----------
        X : table
            The rows.
        check_input : bool
            For scikit-learn's sake; rows are always checked.
        reorder : bool
            Take the features by name, in any order and beside any other columns.
        return_report : bool
            Also give a `PredictionReport`: what was missing or unseen in these rows.

        Returns
        -------
        predictions : ndarray, or with `return_report` a pair of it and the report
        """
        if reorder:
            X = self.arrange(X)
        predictions = self._predictions(X)
        return (predictions, self._report(X)) if return_report else predictions

    @abstractmethod
    def _predictions(self, X: Any) -> NDArray[Any]:
        """Predict each row of a table."""

    def _report(self, X: Any) -> PredictionReport:
        """Count what is missing and unseen in the rows of a table."""
        tree = self._fitted_tree()
        schema = self._bound_schema(tree)
        return PredictionReport.of(
            schema, *schema.encode(X, unseen="majority", inf=self.inf, check_names=False)
        )

    def _leaves(self, X: Any) -> tuple[Tree, NDArray[np.int32]]:
        """Give the tree, and the leaf of each row."""
        tree = self._fitted_tree()
        return tree, tree.route(*self._encode(X, tree), threads(self.n_jobs))

    def _bound_schema(self, tree: Tree) -> Schema:
        """What encodes rows: functions that a file could only name are this estimator's own."""
        schema = tree.schema
        return schema.bound(getattr(self, "predicates", None)) if schema.predicates else schema

    def _encode(self, X: Any, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Rows as the tree's arrays have them."""
        missing = "error" if getattr(self, "missing", None) == "error" else "direction"
        return self._bound_schema(tree).encode(
            X, unseen=self.unseen, missing=missing, inf=self.inf, estimator=type(self).__name__
        )

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.intp]:
        """Id of the leaf that each row ends in."""
        return self._leaves(X)[1].astype(np.intp)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Nodes that each row passes, as a sparse matrix of shape (n_rows, n_nodes) with 1 where it does."""
        tree, leaf = self._leaves(X)
        return tree.paths(leaf)

    def get_depth(self) -> int:
        """Depth of the deepest leaf; a tree of one leaf has depth 0."""
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Count the leaves."""
        return self._fitted_tree().n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity that the tree achieves.

        It favours features of many values; `importances` shows where it does.
        """
        return self._fitted_tree().compute_feature_importances()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file that `treewright.load` reads; whole or not at all.

        The tree, the parameters, the pruner that made the tree, the name of the target, if it has one as
        `target_name_`, and the log of edits by hand, if there is one as `edits_`, are kept; the pruner's
        report is not. A parameter that is no plain value, such as a `RandomState` or a pruner of your own, is
        left out and has its default when the model is read back. A class of your own comes back as the class
        it was made from.

        Parameters
        ----------
        path : str or path
            Where to write; a file of that name is replaced once the new one is complete.
        """
        header, arrays = tree_to_parts(self._fitted_tree())
        header |= described(self)
        if hasattr(self, "pruner_"):
            header |= plain_parameters({"pruner": self.pruner_})
        if hasattr(self, "edits_"):
            header["edits"] = list(self.edits_)
        own = {f"own_{name}": array for name, array in self._own_arrays().items()}
        write_model(path, header, arrays | own)

    def _learned_html(self) -> str:
        from treewright.draw import plot_tree

        return plot_tree(self.tree_, max_leaves=12)._repr_html_()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")


class ClassReader(ClassifierMixin, FittedTree):
    """An estimator whose tree predicts classes."""

    laplace: float | bool

    def _adopt(self, tree: Tree) -> None:
        super()._adopt(tree)
        self.classes_: NDArray[Any] = np.asarray(tree.schema.classes)
        self.n_classes_ = len(self.classes_)

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Class of each row: the heaviest of its leaf, or under `costs` the cheapest."""
        tree = self._fitted_tree()
        if tree.shares_rows:
            weight = tree.spread(*self._encode(X, tree), tree.decisive, threads(self.n_jobs))
            shared: NDArray[Any] = self.classes_.take(tree.decide(weight))
            return shared
        tree, leaf = self._leaves(X)
        labels: NDArray[Any] = self.classes_.take(tree.label.take(leaf))
        return labels

    def predict_proba(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """Share of each class in the row's leaf, one column for each of `classes_`."""
        if self._fitted_tree().shares_rows:
            return self._spread(X, float(self.laplace))
        tree, leaf = self._leaves(X)
        value = self._class_values(tree)
        if len(leaf) < len(tree):
            return _shares(value.take(leaf, axis=0), float(self.laplace))
        return _shares(value, float(self.laplace)).take(leaf, axis=0)

    def _class_values(self, tree: Tree) -> NDArray[np.float64]:
        """What class shares are made of: the class weights of each node."""
        return tree.value

    def _spread(self, X: Any, laplace: float) -> NDArray[np.float64]:
        """Class shares of rows that may end in several leaves."""
        tree = self._fitted_tree()
        return tree.spread(*self._encode(X, tree), _shares(tree.value, laplace), threads(self.n_jobs))

    def _says(self, tree: Tree) -> NDArray[np.float64]:
        return _shares(self._class_values(tree), float(self.laplace))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of `predict_proba`, −inf where a class has no share."""
        return _core.log(self.predict_proba(X))


class NumberReader(RegressorMixin, FittedTree):
    """An estimator whose tree predicts numbers."""

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Value of each row's leaf."""
        tree = self._fitted_tree()
        if tree.shares_rows:
            return tree.spread(*self._encode(X, tree), tree.value, threads(self.n_jobs)).ravel()
        tree, leaf = self._leaves(X)
        return tree.value.ravel().take(leaf)


def _shares(value: NDArray[np.float64], laplace: float) -> NDArray[np.float64]:
    if laplace:
        value = value + laplace
    shares: NDArray[np.float64] = value / value.sum(axis=1, keepdims=True)
    return shares
