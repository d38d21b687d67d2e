"""Fitting of one tree: reads the table, grows, prunes and keeps the trace, for all estimators of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from treewright.data import Dataset
from treewright.data.columns import Unseen
from treewright.data.schema import Infinities
from treewright.estimators.base import estimator
from treewright.estimators.fitted_tree import FittedTree
from treewright.growing.grow_tree import grow, progress_bar, threads
from treewright.growing.parameters import SHARED_DOMAINS
from treewright.growing.recipe import AnyRecipe
from treewright.model_selection.validated_pruning import AnyPruner, grow_and_prune
from treewright.parameter_types import Domain
from treewright.trace import Trace

LEARNER_DOMAINS: dict[str, Domain] = {
    name: SHARED_DOMAINS[name] for name in ("unseen", "inf", "predicates", "trace", "n_jobs", "verbose")
}
"""What the parameters that every learner has may be."""


@estimator
class Learner(FittedTree):
    """An estimator that reads a table and grows a tree of it; see `DecisionTreeClassifier`."""

    unseen: Unseen = "missing"
    inf: Infinities = "error"
    categorical_features: Any = None
    ordinal_features: Any = None
    predicates: Any = None
    trace: bool = False
    n_jobs: int | None = None
    verbose: int | bool = 0

    def _dataset(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Dataset:
        """Read the rows to learn from."""
        return Dataset.from_table(
            X,
            y,
            task=self.task,
            sample_weight=sample_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
            predicates=self.predicates,
            missing="error" if getattr(self, "missing", None) == "error" else "direction",
            inf=self.inf,
            estimator=type(self).__name__,
            threads=threads(self.n_jobs),
            keep_labels=self.trace,
        )

    def _learn(
        self,
        dataset: Dataset,
        recipe: AnyRecipe,
        pruners: Sequence[AnyPruner],
        *,
        holdout: float = 1 / 3,
        held_out: Dataset | None = None,
    ) -> None:
        """Grow a tree, prune it if asked to, and adopt it with an account of either."""
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
            self._adopt(pruned.tree)
            self._remember(pruners[-1], pruned)
        else:
            grown = grow(dataset, recipe, n_jobs=self.n_jobs, progress=progress), dataset
            self._adopt(grown[0])
            self._forget_pruning()
        self._keep_trace(*grown, recipe)

    def _keep_trace(self, tree: Any, rows: Dataset, recipe: AnyRecipe) -> None:
        """Keep the account of how a tree was grown, if it is asked for."""
        self.__dict__.pop("trace_", None)
        if self.trace:
            self.trace_ = Trace(tree, rows, recipe)
