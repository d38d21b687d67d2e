"""Fitted forests: predict, vote, out-of-bag estimates, proximity, quantiles, importances, save."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data import Dataset
from treewright.data.columns import Unseen, plain
from treewright.data.dataset import Task, labelled_rows
from treewright.data.schema import Infinities
from treewright.data.target import read_target, read_weight
from treewright.errors import DataError
from treewright.estimators.base import TableEstimator
from treewright.estimators.explaining import RowReader
from treewright.explain.importance import Importances
from treewright.forest.bootstrap import Draws
from treewright.forest.trees import Trees
from treewright.formatting.html_table import html_bars
from treewright.formatting.text import counted, printable
from treewright.growing.grow_tree import threads
from treewright.parameter_types import Domain
from treewright.persistence.validation import check_grown
from treewright.tree import Tree

Array = NDArray[np.float64]

MOST_SHOWN = 12
"""Features whose importance notebooks show."""


class FittedForest(RowReader, TableEstimator):
    """An estimator that has many trees."""

    longest_search = 10.0

    allowed: ClassVar[dict[str, Domain]]
    task: ClassVar[Task]
    unseen: Unseen
    inf: Infinities
    n_jobs: int | None
    oob_score: bool | Callable[..., float]

    def _adopt(self, trees: Trees, draws: Draws) -> None:
        """Take trees as this forest's own, with all that scikit-learn expects to find beside them."""
        for arrays in trees.parts():
            check_grown(arrays)
        schema = trees.schema
        self.trees_ = trees
        self.draws_ = draws
        self.n_outputs_ = 1
        self._adopt_columns(schema)
        if schema.classes is not None:
            self.classes_: NDArray[Any] = np.asarray(schema.classes)
            self.n_classes_ = len(self.classes_)

    def _fitted_trees(self) -> Trees:
        try:
            return self.trees_
        except AttributeError:
            raise self._not_fitted() from None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")

    def _learned_html(self) -> str:
        trees = self._fitted_trees()
        leaves = trees.leaf_count / len(trees)
        score = f", out-of-bag score {self.oob_score_:.3f}" if hasattr(self, "oob_score_") else ""
        caption = f"{counted(len(trees), 'tree')} of {leaves:.0f} leaves on average{score}; importances:"
        shares = self.feature_importances_
        order = np.argsort(-shares, kind="stable")[:MOST_SHOWN].tolist()
        names = [printable(trees.schema.names[feature]) for feature in order]
        return html_bars(caption, names, shares[order].tolist())

    def _encode(self, X: Any) -> tuple[Array, NDArray[np.int32]]:
        """Rows as the trees' arrays have them."""
        missing = "error" if getattr(self, "missing", None) == "error" else "direction"
        return self._fitted_trees().schema.encode(
            X, unseen=self.unseen, missing=missing, inf=self.inf, estimator=type(self).__name__
        )

    @property
    def _hard(self) -> bool:
        return getattr(self, "vote", "soft") == "hard"

    def _answering(self) -> tuple[list[Tree], list[Array]]:
        trees = list(self._fitted_trees())
        if self._hard:
            return trees, [np.eye(self.n_classes_)[tree.label] for tree in trees]
        return trees, [tree.shares for tree in trees]

    def _means(self, X: Any) -> Array:
        """Mean over the trees of what each row's leaf says."""
        trees = self._fitted_trees()
        sums, _ = trees.vote(*self._encode(X), hard=self._hard, threads=threads(self.n_jobs))
        sums /= len(trees)
        return sums

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Id of the leaf that each row ends in, a column for each tree."""
        trees = self._fitted_trees()
        return trees.leaves(*self._encode(X), threads(self.n_jobs)).astype(np.intp)

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Nodes that each row passes, as a sparse matrix, and where the columns of each tree begin."""
        from scipy.sparse import hstack

        trees, leaf = self._fitted_trees(), self.apply(X)
        paths = [tree.paths(leaf[:, at].astype(np.int32)) for at, tree in enumerate(trees)]
        return hstack(paths, format="csr"), trees.node_begin

    @property
    def feature_importances_(self) -> Array:
        """Mean over the trees of each feature's share in the decrease of impurity.

        It favours features of many values; `importances` has measures that do not.
        """
        from treewright.forest.importance import impurity_shares

        mean: Array = impurity_shares(self._fitted_trees()).mean(axis=0)
        total = mean.sum()
        return mean / total if total > 0 else mean

    # ---- out of bag ------------------------------------------------------------------------------

    def _score_out_of_bag(self, dataset: Dataset) -> None:
        from treewright.forest.out_of_bag import predict_out_of_bag, score_out_of_bag

        means = predict_out_of_bag(
            self.trees_, self.draws_, dataset, hard=self._hard, threads=threads(self.n_jobs)
        )
        scoring = self.oob_score if callable(self.oob_score) else None
        self.oob_score_ = score_out_of_bag(dataset, means, scoring)
        if dataset.schema.classes is None:
            self.oob_prediction_ = means.ravel()
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
        classes, name = self._fitted_trees().schema.classes, type(self).__name__
        target = read_target(y, classes, n_rows, name)
        if classes is not None and (unseen := np.flatnonzero(target < 0)).size:
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
        """
        return self._error_curve(self._training_rows(X, y))

    def _error_curve(self, rows: Dataset) -> Any:
        from treewright.forest.out_of_bag import error_curve

        return error_curve(
            self._fitted_trees(), self.draws_, rows, hard=self._hard, threads=threads(self.n_jobs)
        )

    # ---- what many trees tell ----------------------------------------------------------------------

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
        """Measure how much each feature matters, and warn where impurity favours one of many values.

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
        """
        from treewright.forest.quantiles import LeafRows

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
        """
        from treewright.forest.jackknife import standard_error

        errors = standard_error(
            self._fitted_trees(), self.draws_, *self._encode(X), hard=self._hard, threads=threads(self.n_jobs)
        )
        return errors.ravel() if self.task == "regression" else errors

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted forest to a file that `treewright.load` reads; whole or not at all.

        Trees, draws and parameters are kept; a parameter that is no plain value, such as a `RandomState`, is
        left out and has its default when the model is read back.

        Parameters
        ----------
        path : str or path
            Where to write; a file of that name is replaced once the new one is complete.
        """
        from treewright.persistence.forests import write_forest

        write_forest(self, path)
