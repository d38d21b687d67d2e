"""Estimators of one tree: fit, prune, predict, explain, importances, rules, bounds, save."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metadata_routing import UNUSED

from treewright import _core
from treewright.bounds import ErrorBound, held_out_bound, training_bound
from treewright.data import Dataset
from treewright.data.dataset import labelled_rows
from treewright.data.schema import Schema
from treewright.data.several_targets import n_columns
from treewright.data.sparse import BLOCK, is_sparse, row_blocks
from treewright.data.target import warn_of_column_vector
from treewright.distributed import OpenTable, is_dask, is_open, predict_lazily
from treewright.distributed.judging import judge_files, prune_by_folds
from treewright.distributed.open_rows import OpenRows
from treewright.distributed.parts import Parts
from treewright.estimators.base import TableEstimator, estimator
from treewright.estimators.outputs import describe_targets, labels, numbers, probabilities
from treewright.estimators.prediction_report import PredictionReport
from treewright.estimators.shap_values import shap_values
from treewright.estimators.wrapped_models import to_html
from treewright.evaluation import ClassEvaluation
from treewright.explain.importance import Importances, importances
from treewright.explain.of_model import explain
from treewright.growing.grow_tree import count_features, grow, progress_bar, threads
from treewright.growing.parameter_conversion import check_counts
from treewright.growing.recipe import AnyRecipe
from treewright.model_selection.validated_pruning import AnyPruner, grow_and_prune, needs, prune_tree
from treewright.persistence.container import write_model
from treewright.persistence.parameters import described, plain_parameters
from treewright.persistence.trees import tree_to_parts
from treewright.persistence.validation import check_grown_tree
from treewright.pruning import CostComplexity, Pruned
from treewright.rules import RuleSet, extract_rules
from treewright.trace import Trace
from treewright.tree import Tree
from treewright.tree.shrinkage import shrunk

OF_THE_TABLE = {"feature_names_in_", "n_classes_", "n_features_in_", "n_outputs_", "target_name_"}
"""Attributes that a table has told of before anything was learned."""

NO_DATA = {"check_input": UNUSED}
"""What is no data has no place in scikit-learn's routing of data."""


@estimator
class TreeEstimator(TableEstimator, ABC):
    """An estimator of one tree; `DecisionTreeClassifier` is one."""

    _several_targets: ClassVar[bool] = False
    """Whether `y` may have several columns, a target each."""
    _time_limit: ClassVar[float | None] = None

    __metadata_request__fit: ClassVar = NO_DATA
    __metadata_request__predict: ClassVar = dict.fromkeys(("check_input", "reorder", "return_report"), UNUSED)

    # parameters: written by tools/generate_parameters.py
    categorical_features: Any = None
    ordinal_features: Any = None
    n_jobs: int | None = None
    verbose: int | bool = 0
    # end of parameters

    def __dir__(self) -> list[str]:
        # Forests keep these: libraries that compute with all trees look for them there.
        return [name for name in super().__dir__() if name not in OF_THE_TABLE]

    # ---- growing -----------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, check_input: bool = True) -> Self:
        """Grow the tree, and prune it if asked to.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix; or an open table,
            which may be larger than memory.
        y : array-like of shape (n_rows,) or (n_rows, n_targets), or str
            The target; of the models that take several a column for each; of an open table its name.
        sample_weight : array-like of shape (n_rows,), str or None
            Weight of each row; rows of weight zero change nothing. Of an open table the name of a column.
        check_input : bool
            Accepted for scikit-learn's sake: input is always checked.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> DecisionTreeClassifier().fit([["dog"], ["cat"], [None]], ["no", "yes", "yes"])
        DecisionTreeClassifier()
        """
        self._check_parameters()
        self._fit(X, y, sample_weight)
        self._keep_target_name(y)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Grow and prune the tree; the parameters are checked."""
        if is_open(X) or is_dask(X):
            self._fit_open_table(X, y, sample_weight)
            return
        dataset = self._dataset(X, y, sample_weight)
        self._learn(
            dataset, self._recipe(dataset.schema), self._pruners(), holdout=getattr(self, "holdout", 0.0)
        )

    def _fit_open_table(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Grow the tree from the partitions of a table, and prune it by what needs no rows, or by folds."""
        self._refuse_of_open_tables()
        with self._open_rows(X, y, sample_weight) as rows:
            self._fit_parts(rows, ())

    def _refuse_of_open_tables(self) -> None:
        """Refuse what needs all rows in memory."""
        for pruner in self._pruners():
            folds = isinstance(pruner, CostComplexity) and isinstance(pruner.cv, int)
            if needs(pruner) != "nothing" and not folds:
                raise ValueError(
                    f"pruner={pruner!r} needs rows beside the tree, which an open table does not give: use "
                    "CostComplexity(cv=5)."
                )
        for parameter in ("predicates", "trace"):
            if self._choice(parameter):
                raise ValueError(
                    f"{parameter} needs the table in memory: an open table cannot be grown on by it."
                )

    def _fit_parts(self, rows: OpenRows, parts: Parts) -> None:
        """Fit the rows of some parts of a table in partitions."""
        recipe = self._recipe(rows.schema)
        tree = rows.grow(recipe, parts)
        self._forget_pruning()
        for pruner in self._pruners():
            if isinstance(pruner, CostComplexity) and pruner.cv is not None:
                pruned = prune_by_folds(tree, pruner, rows, recipe, parts)
            else:
                pruned = prune_tree(tree, pruner, None, None)
            tree = pruned.tree
            self._remember(pruner, pruned)
        self._set_tree(self._shrunk(tree))

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        """Read the rows to learn from; a Dataset is read already."""
        if isinstance(X, Dataset):
            return X
        if getattr(self, "criterion", None) == "poisson":
            check_counts(y)
        if (
            self._several_targets
            and getattr(self, "missing", "direction") != "direction"
            and n_columns(y) == 1
        ):
            warn_of_column_vector()  # it takes one target only
        return Dataset.from_table(
            X,
            y,
            sample_weight=sample_weight,
            predicates=self._choice("predicates"),
            threads=self._threads_for(X),
            keep_labels=getattr(self, "trace", False),
            several_targets=self._several_targets,
            **self._reading(X),
        )

    @abstractmethod
    def _recipe(self, schema: Schema) -> AnyRecipe:
        """Give the recipe that grows trees like this one."""

    def _pruners(self) -> Sequence[AnyPruner]:
        """List what prunes the tree after it is grown."""
        return []

    def _learn(
        self,
        dataset: Dataset,
        recipe: AnyRecipe,
        pruners: Sequence[AnyPruner],
        *,
        holdout: float = 1 / 3,
        held_out: Dataset | None = None,
    ) -> None:
        """Grow a tree, prune it if asked to, and keep it with a trace and a report."""
        progress = progress_bar(self.verbose)
        if pruners:
            pruned = grow_and_prune(
                dataset,
                recipe,
                pruners,
                holdout=holdout,
                held_out=held_out,
                n_jobs=self.n_jobs,
                progress=progress,
            )
            grown = pruned.grown or (pruned.tree, dataset)
            self._set_tree(self._shrunk(pruned.tree))
            self._remember(pruners[-1], pruned)
        else:
            grown = grow(dataset, recipe, n_jobs=self.n_jobs, progress=progress), dataset
            self._set_tree(self._shrunk(grown[0]))
            self._forget_pruning()
        self._keep_trace(*grown, recipe)

    def _shrunk(self, tree: Tree) -> Tree:
        """Draw predictions towards those of nodes above, if it is asked for."""
        strength = getattr(self, "shrinkage", 0.0)
        if not strength:
            return tree
        tree.schema.require_one_target("shrinkage draws the predictions of")
        return shrunk(tree, strength)

    def _keep_trace(self, tree: Any, rows: Dataset, recipe: AnyRecipe) -> None:
        """Keep the trace of how a tree was grown, if it is asked for."""
        self.__dict__.pop("trace_", None)
        if getattr(self, "trace", False):
            self.trace_ = Trace(tree, rows, recipe)

    def _set_tree(self, tree: Tree) -> None:
        """Take a tree as this estimator's own, with all that scikit-learn expects to find beside it."""
        check_grown_tree(tree)
        self.tree_ = tree
        self.__dict__.pop("edits_", None)  # they led to another tree
        self._describe_tree(tree.schema)

    def _describe_tree(self, schema: Schema) -> None:
        """Set what scikit-learn expects to find beside a tree."""
        self._adopt_columns(schema)
        describe_targets(self, schema)
        if "max_features" in self._domains:
            self.max_features_ = count_features(self.max_features, len(schema.columns))

    def _member_of(self, trees: Sequence[Tree], index: int) -> Self:
        """Become the estimator of a forest's tree, which is unpacked when it is asked for."""
        self._place = (trees, index)
        self._describe_tree(trees.schema)  # type: ignore[attr-defined]
        return self

    @property
    def tree_(self) -> Tree:
        """The tree; one of a forest is unpacked when it is first asked for.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> model.tree_
        Tree(3 nodes, 2 leaves, depth 1, 2 classes)
        """
        own = self.__dict__
        if "tree_" not in own and "_unpacked" not in own:
            if "_place" not in own:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute 'tree_'")
            trees, index = self._place
            self._unpacked = trees[index]
        tree: Tree = own["tree_" if "tree_" in own else "_unpacked"]
        if "value" in tree.__dict__ and tree.take_edited_value():
            own["tree_"] = tree  # not the forest's any more
        return tree

    @tree_.setter
    def tree_(self, tree: Tree) -> None:
        self.__dict__["tree_"] = tree

    @property
    def _tree_token(self) -> Any:
        """What is another object if the estimator has another tree."""
        own = self.__dict__
        tree = self.tree_ if "tree_" in own or "_unpacked" in own else None
        return tree.node_value if tree is not None and "tree_" in own else own.get("_place")

    def _own_arrays(self) -> dict[str, NDArray[np.float64]]:
        """Give what a file keeps of the estimator besides its tree."""
        return {}

    def _set_own_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
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

    # ---- predicting ----------------------------------------------------------------------------------------

    def _fitted_tree(self) -> Tree:
        try:
            return self.tree_
        except AttributeError:
            raise self._not_fitted() from None

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
            Take the features by name, in any order and beside any other columns; for other methods
            `tree_.schema.arrange(X)` gives such a table.
        return_report : bool
            Also give a `PredictionReport`: what was missing or unseen in these rows.

        Returns
        -------
        predictions : ndarray, or with `return_report` a pair of it and the report

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> model.predict([[1.5], [7.0]]).tolist()
        ['a', 'b']
        """
        if reorder:
            X = self._fitted_tree().schema.arrange(X)
        if type(X) is not np.ndarray and is_dask(X):
            return predict_lazily(X, self.predict, self._fitted_tree().schema.names, None)
        predictions = self._predictions(X)
        return (predictions, self._report(X)) if return_report else predictions

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Class or number of each row: of its leaf, or of all leaves that a shared row ends in."""
        tree = self._fitted_tree()
        by_rows = tree.shares_rows or tree.equations is not None
        if by_rows and is_sparse(X) and X.shape[0] * X.shape[1] > BLOCK:
            return np.concatenate([self._predictions(block) for block in row_blocks(X)])
        if by_rows and is_open(X):
            return np.concatenate([self._predictions(rows) for rows in self._batches(X)])
        if tree.is_classifier:
            return self._predicted_classes(X, tree)
        if by_rows:
            return tree.predict_value(*self._encode(X, tree), self._threads_for(X)).ravel()
        return numbers(tree.schema, tree.node_value).take(self._leaves(X, tree), axis=0)

    def _predicted_classes(self, X: Any, tree: Tree) -> NDArray[Any]:
        """Class of each row: the heaviest of its leaf, or under `costs` the cheapest."""
        if tree.shares_rows:
            weight = tree.spread(*self._encode(X, tree), tree.vote_weights, self._threads_for(X))
            return labels(tree.schema, tree.decide(weight))
        if type(X) is np.ndarray:  # at once: rows are predicted one by one
            return labels(tree.schema, tree.class_codes(*self._encode(X, tree), threads(self.n_jobs, X.size)))
        return labels(tree.schema, tree.label.take(self._leaves(X, tree), axis=0))

    def _report(self, X: Any) -> PredictionReport:
        """Count what is missing and unseen in the rows of a table."""
        tree = self._fitted_tree()
        schema = self._bound_schema(tree)
        return PredictionReport.of(
            schema, *schema.encode(X, unseen="majority", inf=self._choice("inf"), check_names=False)
        )

    def _threads_for(self, X: Any) -> int:
        """Count the threads to read or route a table with: one for a small array."""
        return threads(self.n_jobs, X.size) if type(X) is np.ndarray else threads(self.n_jobs)

    def _leaves(self, X: Any, tree: Tree) -> NDArray[np.int32]:
        """Give the leaf of each row."""
        if type(X) is np.ndarray:  # at once, too
            return tree.route(*self._encode(X, tree), threads(self.n_jobs, X.size))
        if is_sparse(X):
            return self._leaves_of_sparse(X, tree)
        if is_open(X):
            leaves = [
                tree.route(*self._encode(rows, tree), threads(self.n_jobs)) for rows in self._batches(X)
            ]
            return np.concatenate(leaves)
        return tree.route(*self._encode(X, tree), self._threads_for(X))

    def _fitted_schema(self) -> Schema:
        return self._fitted_tree().schema

    def _batches(self, X: OpenTable) -> Iterator[Any]:
        """Give the features of an open table, some rows at a time."""
        schema = self._fitted_tree().schema
        names = schema.names[: schema.n_inputs]
        return X.batches(names)

    def _leaves_of_sparse(self, X: Any, tree: Tree) -> NDArray[np.int32]:
        """Leaf of each row of a sparse table; where splits ask for more than numbers, by dense blocks."""
        rows = tree.schema.sparse_rows(
            X,
            inf=self._choice("inf"),
            check_names="_place" not in self.__dict__,
            estimator=type(self).__name__,
        )
        if rows is not None and tree.walks_sparse:
            return tree.route_sparse(rows, self._policy_for(X), threads(self.n_jobs))
        leaves = [tree.route(*self._encode(block, tree), threads(self.n_jobs)) for block in row_blocks(X)]
        return np.concatenate(leaves)

    def _bound_schema(self, tree: Tree) -> Schema:
        """What encodes rows: functions that a file could only name are this estimator's own."""
        schema = tree.schema
        return schema.bound(self._choice("predicates")) if schema.predicates else schema

    def _encode(self, X: Any, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Rows as the tree's arrays have them."""
        if isinstance(X, Dataset):
            return X.numbers, X.codes
        return self._bound_schema(tree).encode(
            X,
            unseen=self._choice("unseen"),
            missing=self._policy_for(X),
            inf=self._choice("inf"),
            check_names="_place" not in self.__dict__ or hasattr(X, "columns"),  # forests' trees take arrays
            estimator=type(self).__name__,
        )

    def _class_probabilities(self, X: Any) -> NDArray[np.float64]:
        """Share of each class in the row's leaf."""
        tree = self._fitted_tree()
        if tree.shares_rows:
            if is_open(X):
                return np.concatenate([self._spread(rows, self._laplace) for rows in self._batches(X)])
            if is_sparse(X) and X.shape[0] * X.shape[1] > BLOCK:
                return np.concatenate([self._spread(block, self._laplace) for block in row_blocks(X)])
            return self._spread(X, self._laplace)
        leaf = self._leaves(X, tree)
        value = self._class_values(tree)
        if len(leaf) < len(tree):
            return _shares(value.take(leaf, axis=0), self._laplace, tree.schema)
        return _shares(value, self._laplace, tree.schema).take(leaf, axis=0)

    def _class_values(self, tree: Tree) -> NDArray[np.float64]:
        """What class probabilities are made of: the class weights of each node."""
        return tree.node_value

    def _spread(self, X: Any, laplace: float) -> NDArray[np.float64]:
        """Class shares of rows that may end in several leaves."""
        tree = self._fitted_tree()
        shares = _shares(tree.node_value, laplace, tree.schema)
        return tree.spread(*self._encode(X, tree), shares, threads(self.n_jobs))

    def _node_values(self, tree: Tree) -> NDArray[np.float64]:
        """What each node says: class probabilities, or a number."""
        if not tree.is_classifier:
            return tree.node_value
        return _shares(self._class_values(tree), self._laplace, tree.schema)

    @property
    def _laplace(self) -> float:
        return float(getattr(self, "laplace", 0))

    def to_sklearn(self) -> Any:
        """Give the model as scikit-learn's own, for what asks for its classes.

        scikit-learn compares numbers of single precision: the answers are the same for rows of such
        numbers. It holds binary splits of numbers; all else is refused.

        Returns
        -------
        DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn
            Fitted; `treewright.certify(model, it, "sklearn")` compares the two.

        Raises
        ------
        ExportError
            If scikit-learn cannot hold the model; the sentence names the node and the feature.

        Examples
        --------
        >>> import treewright as tw
        >>> from sklearn.tree import export_text
        >>> X, y = tw.datasets.load_iris()
        >>> model = tw.DecisionTreeClassifier(max_depth=1).fit(X, y)
        >>> print(export_text(model.to_sklearn(), feature_names=list(X.columns)))
        |--- petal length <= 2.45
        |   |--- class: setosa
        |--- petal length >  2.45
        |   |--- class: versicolor
        <BLANKLINE>
        """
        from treewright.estimators.to_sklearn import to_sklearn

        return to_sklearn(self)

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.intp]:
        """Id of the leaf that each row ends in.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> model.apply([[1.5], [7.0]]).tolist()
        [1, 2]
        """
        return self._leaves(X, self._fitted_tree()).astype(np.intp)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Nodes that each row passes, as a sparse matrix of shape (n_rows, n_nodes) with 1 where it does.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> model.decision_path([[1.5], [7.0]]).toarray().tolist()
        [[1, 1, 0], [1, 0, 1]]
        """
        tree = self._fitted_tree()
        return tree.paths(self._leaves(X, tree))

    def _compute_partial_dependence_recursion(
        self, grid: NDArray[Any], target_features: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Give `sklearn.inspection.partial_dependence` what it asks of trees."""
        averaged = np.zeros(len(grid))
        self._fitted_tree().compute_partial_dependence(grid, target_features, averaged)
        return averaged

    def get_depth(self) -> int:
        """Depth of the deepest leaf; a tree of one leaf has depth 0.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> model.get_depth()
        1
        """
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Count the leaves.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> model.get_n_leaves()
        2
        """
        return self._fitted_tree().n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity that the tree achieves.

        It favours features of many values; `importances` shows where it does.

        Examples
        --------
        >>> from treewright import CARTClassifier, datasets
        >>> model = CARTClassifier(cv=None).fit(*datasets.load_iris())
        >>> model.feature_importances_.round(3).tolist()
        [0.0, 0.0, 0.562, 0.438]
        """
        return self._fitted_tree().compute_feature_importances()

    # ---- describing itself ---------------------------------------------------------------------------------

    explain = explain
    shap_values = shap_values
    to_html = to_html

    def rules(self) -> RuleSet:
        """Read the tree as rules, one for each leaf; see `treewright.rules.extract_rules`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> print(DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules())
        IF x0 ≤ 3 THEN a  (2 rows, 100 %)
        IF x0 > 3 THEN b  (1 row, 100 %)
        OTHERWISE a  (3 rows, 67 %)
        """
        self._fitted_tree().schema.require_one_target("rules() reads a tree of")
        return extract_rules(self._fitted_tree())

    def importances(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        n_repeats: int = 10,
        random_state: int = 0,
    ) -> Importances:
        """Measure how much each feature matters, and warn where impurity favours one of many values.

        Parameters
        ----------
        X, y, sample_weight
            Rows, best others than the tree was grown on: what the splits are worth there, and what is lost
            when a feature is shuffled among them. Without them there is the decrease of impurity alone.
        n_repeats : int
            How often each feature is shuffled.
        random_state : int
            Seed of the shuffles.

        Returns
        -------
        Importances
            `print` it.

        Examples
        --------
        >>> from treewright import CARTClassifier, datasets
        >>> model = CARTClassifier(cv=None).fit(*datasets.load_iris())
        >>> print(model.importances())
        feature       impurity  values
        petal length     0.562
        petal width      0.438
        sepal length     0.000
        sepal width      0.000
        """
        tree = self._fitted_tree()
        rows = None
        if X is not None:
            encoded = self._encode(X, tree)
            name = type(self).__name__
            rows, _ = labelled_rows(tree.schema, *encoded, y, sample_weight, name=name)
        return importances(
            tree, self._node_values(tree), rows, n_repeats=n_repeats, random_state=random_state
        )

    def bound(self, delta: float = 0.05, X: Any = None, y: Any = None) -> ErrorBound:
        """Bound the true error of the model: what is guaranteed, and how loose the guarantee is.

        Parameters
        ----------
        delta : float
            The chance that the bound fails.
        X, y
            Rows that were not learned from. With them the bound is exact for the binomial distribution; by
            default it is that of Vapnik & Chervonenkis for the training rows, which is loose.

        Returns
        -------
        ErrorBound
            `print` it.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
        >>> print(model.bound(X=X[1::2], y=y[1::2]))
        With probability 95 % the true error is at most 11.8 %.
        It errs on 5.33 % of 75 rows, rows that it has not seen.
        """
        tree = self._fitted_tree()
        tree.schema.require_one_target("bound() is about the error on")
        if X is None:
            return training_bound(tree, delta)
        if not tree.is_classifier:
            raise ValueError("a bound on the error needs classes, and this model predicts numbers.")
        wrong = np.asarray(self.predict(X)) != np.asarray(y)
        return held_out_bound(int(wrong.sum()), len(wrong), delta)

    def _answering(self) -> tuple[Sequence[Tree], Sequence[NDArray[np.float64]]]:
        tree = self._fitted_tree()
        return [tree], [self._node_values(tree)]

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

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import load
        >>> with TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.tw")
        ...     load(f"{folder}/model.tw")
        DecisionTreeClassifier()
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
        from treewright.draw.tree_plot import plot_tree

        return plot_tree(self.tree_, max_leaves=12)._repr_html_()

    def __sklearn_is_fitted__(self) -> bool:
        return not self.__dict__.keys().isdisjoint(("tree_", "_place"))

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if state.pop("_place", None) is not None:
            state["tree_"] = self.tree_  # and not the whole forest
        state.pop("_unpacked", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "tree_" in self.__dict__ and vars(self.tree_).pop("numbered_anew", False):
            self._set_tree(self.tree_)
            self._forget_pruning()
            self.__dict__.pop("trace_", None)


def _shares(value: NDArray[np.float64], laplace: float, schema: Schema) -> NDArray[np.float64]:
    """Class probabilities of rows of class weights, each class with a little more; target by target."""
    if schema.outputs:
        parts = value.reshape(len(value), len(schema.outputs), -1)
        if laplace:
            n_classes = np.array([len(np.asarray(output.classes)) for output in schema.outputs])
            parts = parts + laplace * (np.arange(parts.shape[2]) < n_classes[:, None])
        return np.asarray(parts / parts.sum(axis=2, keepdims=True)).reshape(value.shape)
    if laplace:
        value = value + laplace
    shares: NDArray[np.float64] = value / value.sum(axis=1, keepdims=True)
    return shares


def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Give the accuracy of the predictions, or of numbers R², the share of the variance that they explain.

    Parameters
    ----------
    X : table
        The rows; an open table is read batch by batch.
    y : array-like, or str
        Their target; of an open table its name.
    sample_weight : array-like, str or None
        Their weights; of an open table the name of a column.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> model.score([[1.5], [7.0]], ["a", "a"])
    0.5
    """
    if is_open(X):
        schema = self._fitted_schema()
        judged = judge_files(self, schema.names[: schema.n_inputs], X, y, sample_weight).evaluation()
        return judged.accuracy if isinstance(judged, ClassEvaluation) else judged.r2
    mixin = ClassifierMixin if self._task == "classification" else RegressorMixin
    return float(mixin.score(self, X, y, sample_weight))


def predict_proba(self: TreeEstimator, X: Any, check_input: bool = True) -> Any:
    """Share of each class in the row's leaf, one column for each of `classes_`.

    Of several targets there is a list with such an array for each.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [1], [1], [2]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1]]).round(3).tolist()
    [[0.667, 0.333]]
    """
    if is_dask(X):
        return predict_lazily(X, self.predict_proba, self._fitted_tree().schema.names, self.classes_)
    return probabilities(self._fitted_tree().schema, self._class_probabilities(X))


def predict_log_proba(self: Any, X: Any) -> Any:
    """Logarithm of `predict_proba`, −inf where a class has no share.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> model.predict_log_proba([[1.5]]).tolist()
    [[0.0, -inf]]
    """
    shares = self.predict_proba(X)
    return [_core.log(each) for each in shares] if isinstance(shares, list) else _core.log(shares)
