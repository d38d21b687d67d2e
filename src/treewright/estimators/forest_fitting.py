"""Fitting of forests: parameters become a recipe and bootstrap draws, these the trees; warm start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from treewright.data import Dataset, Schema
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities
from treewright.data.target import read_weight
from treewright.errors import DataError, warn
from treewright.estimators.base import estimator
from treewright.estimators.fitted_forest import FittedForest
from treewright.estimators.forest_parameters import OF_THE_TREES, count_draws
from treewright.estimators.tree import TreeEstimator
from treewright.forest.bootstrap import Draws
from treewright.forest.growing import grow_trees
from treewright.forest.trees import Trees
from treewright.growing.grow_tree import count_features, progress_bar, threads
from treewright.growing.parameters import check_counts
from treewright.growing.recipe import Recipe
from treewright.parameter_types import Domain, check_parameters

Array = NDArray[np.float64]


@estimator
class ForestEstimator(FittedForest):
    """What all forests share; see `RandomForestClassifier` for the parameters."""

    allowed: ClassVar[dict[str, Domain]]
    task: ClassVar[Task]
    splitter: ClassVar[str] = "best"
    tree_kind: ClassVar[type[TreeEstimator]]

    n_estimators: int = field(default=100, kw_only=False)
    criterion: str
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None
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
    monotonic_cst: ArrayLike | None = None
    splits: tuple[str, ...] = ("threshold", "subset")
    max_terms: int | None = None
    missing: str | Mapping[Any, str] = "direction"
    max_surrogates: int = 5
    use_surrogates: int = 2
    max_bins: int | None = None
    category_order: str = "once"
    unseen: Unseen = "missing"
    inf: Infinities = "error"
    categorical_features: Any = None
    ordinal_features: Any = None

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            NumPy array, pandas, polars or Arrow table, list of rows or SciPy sparse matrix.
        y : array-like of shape (n_rows,)
            The target.
        sample_weight : array-like of shape (n_rows,) or None
            With `bootstrap`, the chance of each row to be drawn; without, its weight in every tree.

        Returns
        -------
        self
            The fitted estimator. If anything goes wrong on the way, it stays as it was.
        """
        self._check_parameters()
        dataset, chance, counted = self._rows(X, y, sample_weight)
        before = self._grown_before(dataset)
        n_more = self._count_more(before)
        draws = self._draws(dataset, chance, before)
        grown = before
        if n_more:
            grown = grow_trees(
                dataset if counted is None else dataset.take(counted),
                self._recipe(dataset),
                replace(draws, seeds=draws.seeds[-n_more:]),
                ccp_alpha=self.ccp_alpha,
                n_jobs=self.n_jobs,
                progress=progress_bar(self.verbose),
            )
            grown = grown if before is None else before.joined(grown)
        if grown is None:
            raise RuntimeError("a forest grows at least one tree")
        kept = dict(self.__dict__)
        try:
            self._adopt(grown, draws)
            if self.oob_score and (n_more or not hasattr(self, "oob_score_")):
                self._score_out_of_bag(dataset)
            elif not self.oob_score:
                self._forget_out_of_bag()
        except BaseException:
            self.__dict__ = kept
            raise
        return self

    def _adopt(self, trees: Trees, draws: Draws) -> None:
        super()._adopt(trees, draws)
        self.max_features_ = count_features(self.max_features, self.n_features_in_)

    def _check_parameters(self) -> None:
        check_parameters(type(self).__name__, self.__dict__, self.allowed, InvalidParameterError)
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_samples` cannot be set if `bootstrap=False`. "
                "Either switch to `bootstrap=True` or set `max_samples=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")

    def _grown_before(self, dataset: Dataset) -> Trees | None:
        """Give the trees that a warm start adds to; they must have grown on the same table."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
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

    def _count_more(self, before: Sequence[Any] | None) -> int:
        n_before = 0 if before is None else len(before)
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
            check_counts(y)
        dataset = Dataset.from_table(
            X,
            y,
            task=self.task,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
            missing="error" if self.missing == "error" else "direction",
            inf=self.inf,
            estimator=type(self).__name__,
            threads=threads(self.n_jobs),
        )
        weight, counted = read_weight(sample_weight, len(dataset))
        factor = self._class_factor(dataset, weight)
        if factor is not None and dataset.target is not None:
            weight = factor[dataset.target] * (1.0 if weight is None else weight)
        if self.bootstrap:
            return dataset, weight, None
        return Dataset(dataset.schema, dataset.numbers, dataset.codes, dataset.target, weight), None, counted

    def _class_factor(self, dataset: Dataset, weight: Array | None) -> Array | None:
        """Factor on the weight of each class, if there are classes and factors."""
        return None

    def _draws(self, dataset: Dataset, chance: Array | None, before: Any) -> Draws:
        """Seeds for all trees, those grown before included, and what is drawn with them."""
        state = check_random_state(self.random_state)
        seeds = state.randint(np.iinfo(np.int32).max, size=self.n_estimators).astype(np.uint64)
        if before is not None:
            seeds[: len(before)] = self.draws_.seeds
        n_draws = count_draws(self.max_samples, len(dataset)) if self.bootstrap else 0
        balanced = bool(n_draws) and getattr(self, "class_weight", None) == "balanced_subsample"
        return Draws(len(dataset), seeds, n_draws, chance, balanced)

    def _recipe(self, dataset: Dataset) -> Recipe:
        return self._tree_estimator()._recipe(dataset.schema)

    def _tree_estimator(self, seed: int = 0) -> TreeEstimator:
        """Make an estimator of one tree that grows as this forest's trees do.

        Small nodes are often split equally well by several features. Chance decides between them: were it the
        first, the trees would resemble one another more, and the order of the columns would matter.
        """
        shared = {name: getattr(self, name) for name in OF_THE_TREES}
        return self.tree_kind(**shared, splitter=self.splitter, ties="random", random_state=seed, n_jobs=1)

    @property
    def estimator_(self) -> TreeEstimator:
        """An estimator of one tree as this forest grows them, not fitted."""
        self._fitted_trees()
        return self._tree_estimator()

    @property
    def estimators_(self) -> Sequence[TreeEstimator]:
        """The trees as fitted estimators, made when they are asked for."""
        self._fitted_trees()
        return TreeEstimators(self)

    def __len__(self) -> int:
        return len(self._fitted_trees())

    def __getitem__(self, index: int) -> TreeEstimator:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[TreeEstimator]:
        return iter(self.estimators_)

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows that each tree has drawn, as often as it has."""
        self._fitted_trees()
        draws = self.draws_
        return [draws.rows(tree) for tree in range(len(draws.seeds))]


class TreeEstimators(Sequence[TreeEstimator]):
    """The trees of a forest as estimators of one tree each; none is kept."""

    def __init__(self, forest: ForestEstimator) -> None:
        self.forest = forest

    def __len__(self) -> int:
        return len(self.forest.trees_)

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeEstimator]: ...
    def __getitem__(self, index: int | slice) -> TreeEstimator | list[TreeEstimator]:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        at = range(len(self))[index]
        made = self.forest._tree_estimator(int(self.forest.draws_.seeds[at]))
        made._adopt(self.forest.trees_[at])
        return made

    def __iter__(self) -> Iterator[TreeEstimator]:
        return (self[at] for at in range(len(self)))


def _labels(schema: Schema) -> list[Any]:
    return [] if schema.classes is None else schema.classes.tolist()
