"""Forests: fit, warm start, predict, out-of-bag estimates, importances, proximity, quantiles, save."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from treewright.data import Dataset, Schema
from treewright.data.columns import Unseen, plain
from treewright.data.dataset import labelled_rows
from treewright.data.schema import Infinities
from treewright.data.several_targets import n_columns, read_known
from treewright.data.sparse import SparseRows, is_sparse, row_blocks
from treewright.data.target import read_target, read_weight, warn_of_column_vector
from treewright.distributed import is_dask, is_open
from treewright.distributed.open_rows import OpenRows
from treewright.distributed.parts import Parts, rows_before
from treewright.errors import DataError, warn
from treewright.estimators.base import TableEstimator, estimator
from treewright.estimators.outputs import describe_targets, numbers
from treewright.estimators.shap_values import shap_values
from treewright.estimators.tree import DecisionTree
from treewright.estimators.wrapped_models import to_html
from treewright.explain.importance import Importances
from treewright.explain.of_model import explain
from treewright.forest.bootstrap import Draws
from treewright.forest.growing import grow_trees, pruned_and_shrunk
from treewright.forest.out_of_bag import check_scorable, predict_out_of_bag, score_out_of_bag
from treewright.forest.trees import Trees
from treewright.formatting.html_table import html_bars
from treewright.formatting.text import counted, printable
from treewright.growing.grow_tree import count_features, progress_bar, threads
from treewright.growing.parameter_conversion import check_counts, class_factors
from treewright.growing.recipe import Recipe
from treewright.growing.several_targets import row_factors
from treewright.parameter_types import is_whole
from treewright.persistence.validation import check_grown
from treewright.tree import Tree

Array = NDArray[np.float64]

MOST_SHOWN = 12
"""Features whose importance notebooks show."""


@estimator
class ForestEstimator(TableEstimator):
    """An estimator of many trees; see `RandomForestClassifier` for the parameters."""

    _several_targets: ClassVar[bool] = True
    _weightless_rows: ClassVar[bool] = True
    _splitter: ClassVar[str] = "best"
    _tree_kind: ClassVar[type[DecisionTree]]
    _time_limit: ClassVar[float | None] = 10.0

    # parameters: written by tools/generate_parameters.py
    n_estimators: int = field(default=100, kw_only=False)
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: bool | Callable[..., float] = False
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int | bool = 0
    warm_start: bool = False
    ccp_alpha: float = 0.0
    max_samples: int | float | None = None
    monotonic_cst: Mapping[Any, int] | ArrayLike | None = None
    shrinkage: float = 0.0
    splits: tuple[str, ...] = ("threshold", "subset")
    max_terms: int | None = None
    missing: str | Mapping[Any, str] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    category_order: str = "once"
    max_bins: int | None = None
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    categorical_features: Any = None
    ordinal_features: Any = None
    # end of parameters

    # ---- growing -----------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The target, or a column for each of several.
        sample_weight : array-like of shape (n_rows,) or None
            With `bootstrap`, the chance of each row to be drawn; without, its weight in every tree.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> RandomForestClassifier(10, random_state=0).fit(X, y).predict(X[:1]).tolist()
        ['setosa']
        """
        self._check_parameters()
        if is_open(X) or is_dask(X):
            self._fit_open_table(X, y, sample_weight)
            self._keep_target_name(y)
            return self
        dataset, chance, counted = self._rows(X, y, sample_weight)
        if self.oob_score:
            check_scorable(dataset)
        n_more = self._count_more()
        if not n_more and (not self.oob_score or hasattr(self, "oob_score_")):
            return self
        before = self._grown_before(dataset)
        draws = self._draws(len(dataset), chance, before)
        grown = before
        if n_more:
            grown = grow_trees(
                dataset if counted is None else dataset.take(counted),
                self._recipe(dataset),
                replace(draws, seeds=draws.seeds[-n_more:]),
                ccp_alpha=self.ccp_alpha,
                shrinkage=self.shrinkage,
                n_jobs=self.n_jobs,
                progress=progress_bar(self.verbose),
            )
            grown = grown if before is None else before.joined(grown)
        if grown is None:
            raise RuntimeError("a forest grows at least one tree")
        kept = dict(self.__dict__)
        try:
            self._set_trees(grown, draws)
            if self.oob_score:
                self._set_oob_score_and_attributes(dataset)
            else:
                self._forget_out_of_bag()
        except BaseException:
            self.__dict__ = kept
            raise
        if before is not None and "_listed" in kept:
            self._list_more(kept["_listed"].members, before)
        self._keep_target_name(y)
        return self

    def _fit_open_table(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Grow the trees from the partitions of a table."""
        self._refuse_of_open_tables()
        with self._open_rows(X, y, sample_weight) as rows:
            self._fit_parts(rows, ())

    def _refuse_of_open_tables(self) -> None:
        """Refuse what needs all rows in memory."""
        for parameter in ("oob_score", "warm_start"):
            if getattr(self, parameter):
                raise ValueError(
                    f"{parameter} needs the table in memory: an open table is not kept by a forest."
                )

    def _fit_parts(self, rows: OpenRows, parts: Parts) -> None:
        """Fit the rows of some parts of a table in partitions, drawn as if there were no others."""
        recipe = self._recipe(cast(Dataset, rows.as_a_whole(parts)))
        chance, factors = self._chance_and_factors(rows, parts)
        draws = self._draws(rows_before(parts, rows.survey.n_rows), chance, None)
        grown = rows.grow_drawn(recipe, draws, parts=parts, factors=factors)
        trees = Trees.of(rows.schema, str(recipe.criterion), grown)
        if draws.balanced or factors or (rows.weighed and not self.bootstrap):
            trees = trees.widened()
        self._set_trees(pruned_and_shrunk(trees, recipe, self.ccp_alpha, self.shrinkage), draws)
        self._forget_out_of_bag()

    def _chance_and_factors(self, rows: OpenRows, parts: Parts) -> tuple[Array | None, tuple[Array, ...]]:
        """Give the chance of each row to be drawn, or factors on the weight of each class."""
        kind, weighed = getattr(self, "class_weight", None), rows.weighed
        if kind == "balanced_subsample" and self.bootstrap:
            kind = None
        if kind is None and not (weighed and self.bootstrap):
            return None, ()
        if rows.far and self.bootstrap:
            raise ValueError(
                "sample_weight and class_weight are chances to be drawn, for which all rows are needed in "
                "one place: use bootstrap=False, or class_weight='balanced_subsample'."
            )
        target, weight = rows.targets_and_weights(parts)
        weight, _ = read_weight(weight, len(target))
        known = RowsWithTarget(rows.schema, target)
        factor = self._class_factor(cast(Dataset, known), weight)
        if self.bootstrap:
            chance = factor if weight is None else weight if factor is None else factor * weight
            if chance is not None and not chance.any():
                raise ValueError("class_weight leaves no weight: every row has a class of factor 0.")
            return chance, ()
        if factor is None:
            return None, ()
        by_class = np.zeros(rows.schema.n_classes)
        by_class[target] = factor
        return None, (by_class,)

    def _set_trees(self, trees: Trees, draws: Draws) -> None:
        """Take trees as this forest's own, with all that scikit-learn expects to find beside them."""
        for arrays in trees.parts():
            check_grown(arrays)
        schema = trees.schema
        self.trees_ = trees
        self.draws_ = draws
        self._adopt_columns(schema)
        describe_targets(self, schema)
        self.max_features_ = count_features(self.max_features, self.n_features_in_)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(  # the rest in scikit-learn's words
                f"max_samples={self.max_samples!r}: `max_sample` cannot be set if `bootstrap=False`. "
                "Either switch to `bootstrap=True` or set `max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")

    def _grown_before(self, dataset: Dataset) -> Trees | None:
        """Give the trees that a warm start adds to; they must have grown on the same table."""
        if not self._is_going_on:
            return None
        schema, n_rows = self.trees_.schema, self.draws_.n_rows
        if len(dataset) != n_rows:
            raise DataError(
                f"X has {len(dataset)} rows: warm_start goes on from a fit with {n_rows} rows, which must be "
                "the same."
            )
        if dataset.schema.columns != schema.columns:
            raise DataError(
                "X has other columns or categories than the fit that warm_start goes on from, and they must "
                "be the same."
            )
        if _labels(dataset.schema) != _labels(schema):
            raise DataError(
                f"y has the classes {_labels(dataset.schema)}: warm_start goes on from a fit with "
                f"{_labels(schema)}, which must be the same."
            )
        return self.trees_

    @property
    def _is_going_on(self) -> bool:
        """Whether a fit adds to the trees there are."""
        return self.warm_start and self.__sklearn_is_fitted__()

    def _count_more(self) -> int:
        """Count the trees that are to be grown."""
        n_before = len(self.trees_) if self._is_going_on else 0
        if self.n_estimators < n_before:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={n_before} when warm_start==True"
            )
        if self.n_estimators == n_before:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.")
        return self.n_estimators - n_before

    def _rows(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Dataset, Array | None, NDArray[np.bool_] | None]:
        """Read all rows, the chance of each to be drawn, and without draws which of them count."""
        if self.criterion == "poisson":
            check_counts(y, "strictly positive")
        if n_columns(y) == 1:  # scikit-learn's forests warn of it, its trees do not
            warn_of_column_vector()
        dataset = Dataset.from_table(
            X,
            y,
            threads=threads(self.n_jobs),
            several_targets=self._several_targets,
            **self._reading(X),
        )
        weight, counted = read_weight(sample_weight, len(dataset))
        factor = self._class_factor(dataset, weight)
        if factor is not None:
            weight = factor * (1.0 if weight is None else weight)
            if not weight.any():
                raise ValueError("class_weight leaves no weight: every row has a class of factor 0.")
        if self.bootstrap:
            return dataset, weight, None
        return dataset.weighted(weight), None, counted

    def _class_factor(self, dataset: Dataset, weight: Array | None) -> Array | None:
        """Factor on the weight of each row by its class, if there are classes and factors."""
        return None

    def _draws(self, n_rows: int, chance: Array | None, before: Any) -> Draws:
        """Seeds for all trees, those grown before included, and what is drawn with them."""
        state = check_random_state(self.random_state)
        seeds = state.randint(np.iinfo(np.int32).max, size=self.n_estimators).astype(np.uint64)
        if before is not None:
            seeds[: len(before)] = self.draws_.seeds
        n_draws = count_draws(self.max_samples, n_rows) if self.bootstrap else 0
        balanced = bool(n_draws) and getattr(self, "class_weight", None) == "balanced_subsample"
        return Draws(n_rows, seeds, n_draws, chance, balanced)

    def _recipe(self, dataset: Dataset) -> Recipe:
        return self._tree_estimator()._recipe(dataset.schema)

    def _tree_estimator(self, seed: int = 0) -> DecisionTree:
        """Make an estimator of one tree that grows as this forest's trees do.

        Small nodes are often split equally well by several features. Chance decides between them: were it the
        first, the trees would resemble one another more, and the order of the columns would matter.
        """
        own = {"splitter": self._splitter, "ties": "random", "random_state": seed, "n_jobs": 1, "verbose": 0}
        if self._task == "classification":
            own["class_weight"] = None
        names = self._tree_kind._domains.keys() & self._domains.keys()
        return self._tree_kind(**{name: getattr(self, name) for name in names} | own)

    # ---- predicting ----------------------------------------------------------------------------------------

    def _fitted_trees(self) -> Trees:
        if "trees_" not in self.__dict__:
            raise self._not_fitted()
        return self.trees_

    def _fitted_schema(self) -> Schema:
        return self._fitted_trees().schema

    def __sklearn_is_fitted__(self) -> bool:
        return "trees_" in self.__dict__

    def _encode(self, X: Any) -> tuple[Array, NDArray[np.int32]]:
        """Rows as the trees' arrays have them; a Dataset has them."""
        if isinstance(X, Dataset):
            return X.numbers, X.codes
        return self._fitted_trees().schema.encode(
            X, unseen=self.unseen, missing=self._policy_for(X), inf=self.inf, estimator=type(self).__name__
        )

    @property
    def _hard(self) -> bool:
        return getattr(self, "vote", "soft") == "hard"

    def _answering(self) -> tuple[list[Tree], list[Array]]:
        trees = list(self._fitted_trees())
        if self._hard:
            votes = np.eye(self._fitted_trees().schema.n_classes)
            return trees, [votes[tree.label].reshape(len(tree), -1) for tree in trees]
        return trees, [tree.class_probabilities for tree in trees]

    def _means(self, X: Any) -> Array:
        """Mean over the trees of what each row's leaf says."""
        trees = self._fitted_trees()
        if is_open(X):
            return np.concatenate([self._means(rows) for rows in X.batches(self._fitted_schema().names)])
        options: dict[str, Any] = {"hard": self._hard, "threads": threads(self.n_jobs)}
        if is_sparse(X):
            rows = self._sparse_rows(X)
            if rows is None:
                return np.concatenate(
                    [trees.vote(*self._encode(block), **options)[0] for block in row_blocks(X)]
                ) / len(trees)
            sums, _ = trees.vote_sparse(rows, self._policy_for(X), **options)
        else:
            sums, _ = trees.vote(*self._encode(X), **options)
        sums /= len(trees)
        return sums

    def _sparse_rows(self, X: Any) -> SparseRows | None:
        """Give sparse rows as they are, if the trees need no more."""
        trees = self._fitted_trees()
        if not trees.takes_sparse:
            return None
        return trees.schema.sparse_rows(X, inf=self.inf, estimator=type(self).__name__)

    def to_sklearn(self) -> Any:
        """Give the forest as scikit-learn's own, exact on rows of single precision; see the one of trees.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.datasets.load_iris()
        >>> model = tw.RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> X = X.astype("float32")
        >>> bool((model.to_sklearn().predict(X) == model.predict(X)).all())
        True
        """
        from treewright.estimators.to_sklearn import to_sklearn

        return to_sklearn(self)

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Id of the leaf that each row ends in, a column for each tree.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.apply(X[:2]).shape
        (2, 10)
        """
        trees, n_threads = self._fitted_trees(), threads(self.n_jobs)
        if is_open(X):
            return np.concatenate([self.apply(rows) for rows in X.batches(self._fitted_schema().names)])
        if not is_sparse(X):
            return trees.leaves(*self._encode(X), n_threads).astype(np.intp)
        rows = self._sparse_rows(X)
        if rows is None:
            leaves = [trees.leaves(*self._encode(block), n_threads) for block in row_blocks(X)]
            return np.concatenate(leaves).astype(np.intp)
        return trees.leaves_sparse(rows, self._policy_for(X), n_threads).astype(np.intp)

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Nodes that each row passes, as a sparse matrix, and where the columns of each tree begin.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> passed, begin = forest.decision_path(X[:2])
        >>> passed[:, begin[0] : begin[1]].toarray()[0, :3].tolist()  # the first nodes of the first tree
        [1, 1, 0]
        """
        from scipy.sparse import hstack

        trees, leaf = self._fitted_trees(), self.apply(X)
        paths = [tree.paths(leaf[:, at].astype(np.int32)) for at, tree in enumerate(trees)]
        return hstack(paths, format="csr"), trees.node_begin

    def _compute_partial_dependence_recursion(
        self, grid: NDArray[Any], target_features: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Give `sklearn.inspection.partial_dependence` what it asks of forests."""
        averaged = np.zeros(len(grid))
        for tree in self._fitted_trees():
            tree.compute_partial_dependence(grid, target_features, averaged)
        return averaged / len(self._fitted_trees())

    @property
    def feature_importances_(self) -> Array:
        """Mean over the trees of each feature's share in the decrease of impurity.

        It favours features of many values; `importances` has measures that do not.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.feature_importances_.round(2).tolist()
        [0.07, 0.02, 0.45, 0.46]
        """
        from treewright.forest.importance import impurity_shares

        mean: Array = impurity_shares(self._fitted_trees()).mean(axis=0)
        total = mean.sum()
        return mean / total if total > 0 else mean

    # ---- out of bag ----------------------------------------------------------------------------------------

    def _set_oob_score_and_attributes(self, dataset: Dataset) -> None:
        """Score the rows by the trees that have not drawn them."""
        means = predict_out_of_bag(
            self.trees_, self.draws_, dataset, hard=self._hard, threads=threads(self.n_jobs)
        )
        scoring = self.oob_score if callable(self.oob_score) else None
        self.oob_score_ = score_out_of_bag(dataset, means, scoring)
        if dataset.schema.classes is None:
            self.oob_prediction_ = numbers(dataset.schema, means)
        elif dataset.schema.outputs:
            by_target = means.reshape(len(means), dataset.schema.n_outputs, -1)
            self.oob_decision_function_ = np.ascontiguousarray(by_target.swapaxes(1, 2))
        else:
            self.oob_decision_function_ = means

    def _forget_out_of_bag(self) -> None:
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _training_rows(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Dataset:
        """Read the rows of the fit again, to look at them with the trees."""
        schema = self._fitted_trees().schema
        numbers, codes = self._encode(X)
        if len(numbers) != self.draws_.n_rows:
            raise ValueError(
                f"X must have the {self.draws_.n_rows} rows of the fit, in order; it has {len(numbers)}."
            )
        target = None if y is None else self._target(y, len(numbers))
        return Dataset(schema, numbers, codes, target, read_weight(sample_weight, len(numbers))[0])

    def _target(self, y: Any, n_rows: int) -> NDArray[Any]:
        """Targets as class codes or numbers."""
        schema, name = self._fitted_trees().schema, type(self).__name__
        known = schema.outputs
        target = read_known(y, known, n_rows, name) if known else read_target(y, schema.classes, n_rows, name)
        if schema.classes is not None and (unseen := np.flatnonzero(target < 0)).size:
            label = plain(np.ravel(y)[unseen[0]])
            raise DataError(f"y has the class {label!r}, which {name} has not seen.")
        return target

    def error_curve(self, X: Any, y: Any) -> Any:
        """Out-of-bag error against the number of trees.

        Parameters
        ----------
        X, y
            The rows of the fit.

        Returns
        -------
        ErrorCurve
            With `n_trees` and `error`; it plots itself.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> curve = forest.error_curve(X, y)
        >>> len(curve.n_trees)
        10
        """
        self._fitted_trees().schema.require_one_target("error_curve follows")
        return self._error_curve(self._training_rows(X, y))

    def _error_curve(self, rows: Dataset) -> Any:
        from treewright.forest.out_of_bag import error_curve

        return error_curve(
            self._fitted_trees(), self.draws_, rows, hard=self._hard, threads=threads(self.n_jobs)
        )

    # ---- what many trees tell ------------------------------------------------------------------------------

    explain = explain
    shap_values = shap_values
    to_html = to_html

    def importances(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        out_of_bag: bool = True,
        corrected: bool = False,
        n_repeats: int = 1,
        random_state: int = 0,
    ) -> Importances:
        """Measure how much each feature matters to the trees; a warning names those that impurity favours.

        Impurity, which every tree counts on the rows it has drawn, favours features of many values.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit. Every tree is judged on those it has not drawn: what its splits are worth
            there, and how much more it errs when a feature is shuffled among them (Breiman, 2001). Without
            them there is the decrease of impurity alone.
        out_of_bag : bool
            Whether these are the rows of the fit; False if they are others, on all of which every tree is
            judged.
        corrected : bool
            Whether to grow a second forest in which every feature has a shuffled copy, and to tell how much
            more impurity a feature takes away than its copy does (Nembrini, König & Wright, 2018).
        n_repeats : int
            How often each feature is shuffled in each tree.
        random_state : int
            Seed of the shuffles.

        Returns
        -------
        Importances
            `print` it. Its measures are means over the trees, `spreads` has the standard deviations between
            them.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> print(forest.importances())
        feature       impurity  values
        petal width      0.464
        petal length     0.446
        sepal length     0.068
        sepal width      0.022
        """
        from treewright.forest.importance import forest_importances

        if y is None and (X is not None or corrected):
            raise ValueError("importances needs X and y, the rows of the fit, or neither.")
        if corrected and not out_of_bag:
            raise ValueError("corrected=True grows another forest: it needs the rows of the fit.")
        if X is None or out_of_bag:
            rows = None if X is None else self._training_rows(X, y, sample_weight)
        else:
            schema, name = self._fitted_trees().schema, type(self).__name__
            rows, _ = labelled_rows(schema, *self._encode(X), y, sample_weight, name=name)
        return forest_importances(
            self,
            rows,
            out_of_bag=out_of_bag,
            corrected=corrected,
            n_repeats=n_repeats,
            random_state=random_state,
        )

    def proximity(self, X: Any, *, out_of_bag: bool = False) -> Any:
        """How often two rows end in the same leaf.

        Parameters
        ----------
        X : table
            Rows; with `out_of_bag` those of the fit.
        out_of_bag : bool
            Whether a tree counts for two rows only if it has drawn neither.

        Returns
        -------
        Proximity
            Which gives the full matrix, a sparse one, nearest neighbours and the outlier measure.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> bool(forest.proximity(X[:3]).full()[0, 0] == 1.0)
        True
        """
        from treewright.forest.proximity import Proximity

        trees = self._fitted_trees()
        if out_of_bag:
            self._training_rows(X)
        leaf = trees.leaves(*self._encode(X), threads(self.n_jobs))
        return Proximity(leaf, trees.node_begin, self.draws_ if out_of_bag else None)

    def leaf_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Remember which rows end in which leaf: what quantiles and prediction intervals need.

        Parameters
        ----------
        X, y, sample_weight
            Rows with their targets, usually those of the fit.

        Returns
        -------
        LeafRows
            Which predicts quantiles and intervals for further rows.

        Examples
        --------
        >>> from treewright import RandomForestRegressor, datasets
        >>> X, y = datasets.load_mpg()
        >>> forest = RandomForestRegressor(10, random_state=0).fit(X, y)
        >>> forest.leaf_rows(X, y).quantiles(X[:2], [0.1, 0.9]).shape
        (2, 2)
        """
        from treewright.forest.quantiles import LeafRows

        self._fitted_trees().schema.require_one_target("leaf_rows takes")
        return LeafRows.of(self, X, y, sample_weight)

    def standard_error(self, X: Any) -> Array:
        """Standard error of the forest's predictions, by the infinitesimal jackknife.

        Parameters
        ----------
        X : table
            Rows to predict for.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            How far the prediction (for classes, each share) would vary between training sets (Wager, Hastie &
            Efron, 2014, with their correction for the number of trees).

        Examples
        --------
        >>> from treewright import RandomForestRegressor, datasets
        >>> X, y = datasets.load_mpg()
        >>> forest = RandomForestRegressor(50, random_state=0).fit(X, y)
        >>> bool((forest.standard_error(X[:3]) >= 0).all())
        True
        """
        from treewright.forest.jackknife import standard_error

        self._fitted_trees().schema.require_one_target("standard_error needs")
        errors = standard_error(
            self._fitted_trees(), self.draws_, *self._encode(X), hard=self._hard, threads=threads(self.n_jobs)
        )
        return errors.ravel() if self._task == "regression" else errors

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted forest to a file that `treewright.load` reads; whole or not at all.

        Trees, draws and parameters are kept; a parameter that is no plain value, such as a `RandomState`, is
        left out and has its default when the model is read back.

        Parameters
        ----------
        path : str or path
            Where to write; a file of that name is replaced once the new one is complete.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import load
        >>> with TemporaryDirectory() as folder:
        ...     forest.save(f"{folder}/forest.tw")
        ...     load(f"{folder}/forest.tw").score(X, y) == forest.score(X, y)
        True
        """
        from treewright.persistence.forests import write_forest

        write_forest(self, path)

    def _learned_html(self) -> str:
        trees = self._fitted_trees()
        leaves = trees.leaf_count / len(trees)
        score = f", out-of-bag score {self.oob_score_:.3f}" if hasattr(self, "oob_score_") else ""
        caption = f"{counted(len(trees), 'tree')} of {leaves:.0f} leaves on average{score}; importances:"
        shares = self.feature_importances_
        order = np.argsort(-shares, kind="stable")[:MOST_SHOWN].tolist()
        names = [printable(trees.schema.names[feature]) for feature in order]
        return html_bars(caption, names, shares[order].tolist())

    @property
    def estimator_(self) -> DecisionTree:
        """An estimator of one tree as this forest grows them, not fitted.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> type(forest.estimator_).__name__
        'DecisionTreeClassifier'
        """
        self._fitted_trees()
        return self._tree_estimator()

    @property
    def trees_(self) -> Trees:
        """The trees in compact form: those of `estimators_`, if that list was changed.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> len(forest.trees_), len(forest.trees_[0])
        (10, 23)
        """
        try:
            trees: Trees = self.__dict__["trees_"]
        except KeyError:
            raise AttributeError("trees_") from None
        listed = self.__dict__.get("_listed")
        if listed is None or listed.is_as_it_was:
            return trees
        members = list(listed.members)
        if not members:
            raise ValueError("estimators_ is empty: a forest has at least one tree.")
        unlike = [one for one in members if not _fits(one.tree_.schema, trees.schema)]
        if unlike:
            raise DataError(
                f"estimators_ has a {type(unlike[0]).__name__} of other features or classes than the forest."
            )
        seeds = [one.random_state if is_whole(one.random_state) else 0 for one in members]
        self.draws_ = replace(self.draws_, seeds=np.array(seeds, np.uint64))
        trees = Trees.of(trees.schema, trees.criterion, [one.tree_ for one in members])
        self.__dict__.update(trees_=trees, _listed=Members(listed.members))
        return trees

    @trees_.setter
    def trees_(self, trees: Trees) -> None:
        self.__dict__.pop("_listed", None)
        self.__dict__["trees_"] = trees

    @property
    def estimators_(self) -> list[DecisionTree]:
        """The trees as fitted estimators; what is done to this list is done to the forest.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> len(forest.estimators_), forest.estimators_[0].get_depth()
        (10, 6)
        """
        trees = self._fitted_trees()
        if "_listed" not in self.__dict__:
            seeds = self.draws_.seeds.tolist()
            members = [self._tree_estimator(seed)._member_of(trees, at) for at, seed in enumerate(seeds)]
            self.__dict__["_listed"] = Members(members)
        listed: list[DecisionTree] = self.__dict__["_listed"].members
        return listed

    @estimators_.setter
    def estimators_(self, estimators: Iterable[DecisionTree]) -> None:
        self._fitted_trees()
        listed = Members([])
        listed.members = list(estimators)
        self.__dict__["_listed"] = listed
        self._fitted_trees()

    def _list_more(self, members: list[DecisionTree], before: Trees) -> None:
        """Add to the estimators that were asked for before a warm start those of the trees it has grown."""
        trees, n_before = self._fitted_trees(), len(before)
        for at, one in enumerate(members):
            if one.__dict__.get("_place", (None, at))[0] is before:
                one._place = (trees, at)  # the trees before are held no longer
        for at, seed in enumerate(self.draws_.seeds[n_before:].tolist(), start=n_before):
            members.append(self._tree_estimator(seed)._member_of(trees, at))
        self.__dict__["_listed"] = Members(members)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "trees_" in state:
            state["trees_"], state["draws_"] = self.trees_, self.draws_
        state.pop("_listed", None)
        return state

    def __len__(self) -> int:
        return len(self._fitted_trees())

    def __getitem__(self, index: int) -> DecisionTree:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[DecisionTree]:
        return iter(self.estimators_)

    @property
    def estimator(self) -> DecisionTree:
        """An estimator of one tree that is not fitted and grows as this forest's trees do.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.estimator.max_features
        'sqrt'
        """
        return self._tree_estimator()

    @property
    def _n_samples_bootstrap(self) -> int | None:
        """How many rows each tree has drawn, by the name that others know from scikit-learn's forests."""
        return self.draws_.n_draws or None

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows that each tree has drawn, as often as it has.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.estimators_samples_[0][:5].tolist()  # rows the first tree has drawn
        [0, 1, 1, 1, 3]
        """
        self._fitted_trees()
        draws = self.draws_
        return [draws.rows(tree) for tree in range(len(draws.seeds))]


@dataclass(frozen=True)
class RowsWithTarget:
    """Of the rows of a table in partitions what class weights are found by."""

    schema: Schema
    target: NDArray[Any]


class Members:
    """The list that `estimators_` is, and what was in it when the forest last looked."""

    def __init__(self, members: list[DecisionTree]) -> None:
        self.members = members
        self._seen = self._now()

    def _now(self) -> list[tuple[DecisionTree, Any]]:
        return [(one, one._tree_token) for one in self.members]

    @property
    def is_as_it_was(self) -> bool:
        """Whether the same estimators with the same trees are in the list."""
        now, seen = self._now(), self._seen
        return len(now) == len(seen) and all(
            a is c and b is d for (a, b), (c, d) in zip(now, seen, strict=True)
        )


def _fits(schema: Schema, other: Schema) -> bool:
    """Whether trees of a schema can stand in a forest of another."""
    return schema is other or (schema.columns == other.columns and _labels(schema) == _labels(other))


def _labels(schema: Schema) -> list[Any]:
    if schema.outputs:
        return [[] if output.classes is None else output.classes.tolist() for output in schema.outputs]
    return [] if schema.classes is None else schema.classes.tolist()


MOST_DRAWS = 2**32 - 1
"""A tree counts how often it has drawn a row in 32 bits."""


def count_draws(max_samples: int | float | None, n_rows: int) -> int:
    """Count the rows that each tree draws: a share is one of the rows, whatever they weigh.

    Examples
    --------
    >>> count_draws(None, 50), count_draws(0.5, 50), count_draws(7, 50)
    (50, 25, 7)
    """
    if max_samples is None:
        return n_rows
    wanted = max_samples if is_whole(max_samples) else max(max_samples * n_rows, 1)
    if wanted > MOST_DRAWS:
        raise ValueError(
            f"max_samples={max_samples!r} of {n_rows} rows makes each tree draw more than {MOST_DRAWS} rows."
        )
    n_draws = int(wanted)
    if not is_whole(max_samples) and n_draws < max(10, n_rows ** (1 / 3)):
        warn(
            f"max_samples={max_samples!r} of {n_rows} rows makes each tree draw only {n_draws} rows: "
            "give max_samples as an int."
        )
    return n_draws


def class_chances(class_weight: Any, dataset: Dataset, weight: Array | None) -> Array:
    """Give the factor on each row by its class; balanced means the same total weight for every class.

    Of several targets the factors of a row's classes are multiplied, and balanced counts rows.
    """
    if dataset.schema.outputs:
        return row_factors(dataset, class_factors(class_weight, dataset.schema))
    classes, target = dataset.schema.classes, dataset.target
    if classes is None or target is None:
        raise ValueError("class_weight needs classes: the target is a number.")
    if isinstance(class_weight, str):
        total = np.bincount(target, weight, minlength=len(classes)).astype(float)
        present = total > 0
        of_class = np.where(present, total.sum() / (present.sum() * np.where(present, total, 1.0)), 0.0)
        return np.asarray(of_class[target])
    factors = np.array(class_factors(class_weight, dataset.schema), dtype=float)
    if not factors[target].any():
        raise ValueError("class_weight leaves no weight: every class of the target has factor 0.")
    return np.asarray(factors[target])
