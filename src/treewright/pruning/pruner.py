"""Pruner: the base of all pruning methods, and their result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.parameter_types import Domain, check_parameters
from treewright.pruning.report import Report
from treewright.tree import Tree

Needs = Literal["nothing", "training", "holdout"]
"""The rows that a pruner looks at: none, those the tree was grown on, or others."""

FOR_NUMBERS = "CostComplexity, ReducedError, MinimalSize, Penalised or StructuralRisk"


@dataclass(frozen=True)
class Pruned:
    """What a pruner gives.

    Estimators keep the parts as `tree_`, `report_` and `path_`.

    Attributes
    ----------
    tree : Tree
        The pruned tree.
    report : Report or None
        What was compared and decided, in order; a plain function gives none.
    path : object or None
        The trees that there were to choose from, of the methods that choose from a sequence.
    grown : tuple of Tree and Dataset, or None
        What was grown before, and the rows it was grown on, where pruning followed growing.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, pruning
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> pruned = pruning.Pessimistic().prune(tree)
    >>> pruned.tree.n_leaves, len(pruned.report)
    (4, 6)
    """

    tree: Tree
    report: Report | None
    path: Any = None
    grown: tuple[Tree, Dataset] | None = None


@dataclass(frozen=True)
class Pruner(ABC):
    """A pruning method: a frozen dataclass of its settings, called on a tree to give a smaller one.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
    >>> isinstance(pruning.Pessimistic(), Pruner)
    True
    >>> prune(DecisionTreeClassifier().fit(*datasets.load_iris()), pruning.Pessimistic()).get_n_leaves()
    4
    """

    domains: ClassVar[dict[str, Domain]] = {}

    def __post_init__(self) -> None:
        check_parameters(type(self).__name__, vars(self), self.domains)

    @property
    def needs(self) -> Needs:
        """The rows that the method looks at beside the tree."""
        return "nothing"

    @abstractmethod
    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report; the tree given stays as it is.

        Parameters
        ----------
        tree : Tree
            The tree to prune.
        rows : Dataset or None
            The rows that the method `needs`.
        """

    def __call__(self, tree: Tree, rows: Dataset | None = None) -> Tree:
        """Give the pruned tree."""
        return self.prune(tree, rows).tree

    def __str__(self) -> str:
        """Name the method with the settings that are not its defaults."""
        said = []
        for setting in fields(self):
            value = getattr(self, setting.name)
            if value != setting.default:
                long = isinstance(value, tuple) and len(value) > 10
                said.append(f"{setting.name}={f'<{len(value)} numbers>' if long else repr(value)}")
        return f"{type(self).__name__}({', '.join(said)})"

    def require_rows(self, rows: Dataset | None) -> Dataset:
        """Refuse to go on without the rows needed."""
        if rows is None or rows.target is None:
            which = "the training rows" if self.needs == "training" else "held-out rows"
            raise ValueError(f"{self} needs {which}: pass them with their target, as X and y.")
        return rows

    def require_classes(self, tree: Tree) -> None:
        """Refuse a tree that predicts numbers."""
        if not tree.is_classifier:
            raise ValueError(
                f"{type(self).__name__} counts errors, and this tree predicts numbers: use {FOR_NUMBERS}."
            )

    def report(
        self,
        tree: Tree,
        measure: str,
        nodes: NDArray[Any],
        *,
        before: NDArray[np.float64],
        after: NDArray[np.float64],
        collapse: NDArray[np.bool_],
        columns: tuple[str, str] = ("subtree", "leaf"),
    ) -> Report:
        """Report decisions on some nodes, in their order, from arrays of all nodes."""
        return Report(
            str(self),
            tree,
            measure,
            columns,
            nodes,
            before[nodes],
            after[nodes],
            collapse[nodes].astype(np.int8),
        )
