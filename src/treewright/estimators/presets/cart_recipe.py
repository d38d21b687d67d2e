"""Recipe of CART: its choices, growing and cross-validation by the core's CART."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.data import Dataset, Schema
from treewright.estimators.presets.cart_statistics import CARTFigures
from treewright.growing.grow_tree import Progress, class_factor, core_table, threads
from treewright.growing.recipe import ProgramRecipe, Recipe
from treewright.parameter_types import clipped
from treewright.tree import Tree

Array = NDArray[np.float64]


class GrownCART(NamedTuple):
    """A tree of CART, its figures, and the scale of what counts as no improvement."""

    tree: Tree
    figures: CARTFigures
    largest_improve: float


@dataclass(frozen=True)
class CARTRecipe(ProgramRecipe):
    """Every choice of CART, those of classes in class order and those of features in feature order.

    See `CARTClassifier` for what they mean; `exposure` is the time in which the events of each row were
    counted, one for all if it is None.
    """

    merit_name: ClassVar[str] = "improvement"
    missing: ClassVar[str] = "surrogate"

    # parameters: written by tools/generate_parameters.py
    criterion: str
    max_depth: int = 30
    min_samples_split: int = 20
    min_samples_leaf: int = 7
    cp: float = 0.01
    priors: tuple[float, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    max_surrogates: int = 5
    use_surrogates: int = 2
    surrogate_style: int = 0
    max_competitors: int = 4
    feature_costs: tuple[float, ...] | None = None
    shrink: float = 0.0
    compat: str | None = None
    # end of parameters
    exposure: Array | None = field(default=None, compare=False, repr=False)

    def grow(self, dataset: Dataset, *, n_jobs: int | None = None, progress: Progress | None = None) -> Tree:
        """Grow a tree; splits that do not pay are undone on the way."""
        return self.grow_with_prices(dataset, n_jobs, progress).tree

    def grow_with_prices(self, dataset: Dataset, n_jobs: int | None, progress: Progress | None) -> GrownCART:
        """Grow a tree, and tell at which price of a split each node collapses."""
        options = self._options(dataset.schema, n_jobs, progress)
        arrays = _core.grow_cart(*core_table(dataset, "CART"), dataset.weight, options)
        figures = CARTFigures.taken_from(arrays, _class_weight(dataset))
        largest_improve = arrays.pop("largest_improve")
        tree = Tree.from_arrays(dataset.schema, arrays, self._costs_of_tree(dataset))
        return GrownCART(tree, figures, largest_improve)

    def _costs_of_tree(self, dataset: Dataset) -> Array | None:
        """Give the costs that labels are chosen by.

        rpart compares the summed costs of all mistakes also where each is one: if fractional weights tie,
        rounding decides.
        """
        n_classes = 0 if dataset.schema.classes is None else len(dataset.schema.classes)
        whole = dataset.weight is None and self.priors is None
        if self.costs is None and self.compat == "rpart" and n_classes > 2 and not whole:
            return 1.0 - np.eye(n_classes)
        return None if self.costs is None else np.array(self.costs)

    def validate(
        self,
        dataset: Dataset,
        folds: NDArray[np.int32],
        price: Array,
        *,
        largest_improve: float,
        n_jobs: int | None,
        progress: Progress | None,
    ) -> tuple[Array, Array]:
        """Sum the errors of held-out rows, and their squares, for each price of a cp table.

        Between two prices the same pruning is best: each is represented by the geometric mean of the two, so
        that the folds, whose trees differ, are asked well inside (Breiman et al., 1984, §3.4).
        """
        paying = price if self.compat == "rpart" else np.maximum(price, 0.0)
        with np.errstate(
            invalid="ignore"
        ):  # rpart takes the root of a negative product, and then goes no deeper
            inside = np.concatenate([[10 * price[0]], np.sqrt(paying[:-1] * paying[1:])])
        options = self._options(dataset.schema, n_jobs, progress) | {"largest_improve": largest_improve}
        table = core_table(dataset, "CART")
        return _core.validate_cart(*table, dataset.weight, options, inside, price[-1], folds)

    def class_factor(self, dataset: Dataset) -> Array | None:
        """Give the factor that priors put on the weight of each class."""
        return class_factor(dataset, Recipe("gini", priors=self.priors))

    @property
    def impurity_factor(self) -> float:
        """Two for Poisson: rpart writes down the whole deviance, not half of it."""
        return 2.0 if self.criterion == "poisson" else 1.0

    def without_limits(self) -> CARTRecipe:
        """Give the recipe that splits whatever can be split, also where that pays nothing."""
        return replace(self, min_samples_split=2, min_samples_leaf=1, cp=-1.0, max_depth=1, priors=None)

    @property
    def limits(self) -> dict[str, Any]:
        """What may have kept a node from being split."""
        return {name: getattr(self, name) for name in ("min_samples_split", "min_samples_leaf", "cp")}

    def _options(self, schema: Schema, n_jobs: int | None, progress: Progress | None) -> dict[str, Any]:
        """Write the choices as the core reads them."""
        return {
            "criterion": self.criterion,
            "min_samples_split": clipped(self.min_samples_split),
            "min_samples_leaf": clipped(self.min_samples_leaf),
            "max_depth": int(self.max_depth or 0),
            "cp": float(self.cp),
            "max_competitors": clipped(self.max_competitors),
            "max_surrogates": clipped(self.max_surrogates),
            "use_surrogates": int(self.use_surrogates),
            "surrogate_style": int(self.surrogate_style),
            "priors": None if self.priors is None else np.array(self.priors),
            "costs": None if self.costs is None else np.array(self.costs),
            "feature_costs": None if self.feature_costs is None else np.array(self.feature_costs),
            "shrink": float(self.shrink),
            "exposure": self.exposure,
            "largest_improve": 0.0,
            "rpart": self.compat == "rpart",
            "stands_for_missing": _zeros_of_r(schema),
            "ordinal": np.array([column.kind == "ordinal" for column in schema.columns], np.int32),
            "truth_values": schema.truth_values,
            "threads": threads(n_jobs),
            "progress": progress,
        }


def _zeros_of_r(schema: Schema) -> Array:
    """What stored numbers R's zero is: rpart sorts missing values there; its ordered levels begin at one."""
    return np.array(
        [-1.0 if column.kind == "ordinal" else -float(column.offset) for column in schema.columns]
    )


def _class_weight(dataset: Dataset) -> Array:
    """Weight of the rows of each class; nothing for numbers."""
    classes, target = dataset.schema.classes, dataset.target
    if classes is None or target is None:
        return np.empty(0)
    return np.bincount(target, dataset.weight, len(classes)).astype(float)
