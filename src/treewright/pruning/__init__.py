"""Pruning methods: each takes a tree and gives a smaller one; a file for each."""

from collections.abc import Callable
from typing import Any

from treewright.formatting.suggestions import unknown_name
from treewright.pruning.chi_square import ChiSquare
from treewright.pruning.cost_complexity import CostComplexity
from treewright.pruning.description_length import DescriptionLength
from treewright.pruning.early_stopping import EarlyStopping
from treewright.pruning.error_based import ErrorBased, expected_errors
from treewright.pruning.minimal_size import MinimalSize
from treewright.pruning.minimum_error import MinimumError
from treewright.pruning.path import PruningPath
from treewright.pruning.penalised import Penalised
from treewright.pruning.pessimistic import Pessimistic
from treewright.pruning.pruner import Pruned, Pruner
from treewright.pruning.reduced_error import ReducedError
from treewright.pruning.report import Decision, Report
from treewright.pruning.simplify import Collapse, Simplify
from treewright.pruning.structural_risk import StructuralRisk

__all__ = [
    "KINDS",
    "PRUNERS",
    "ChiSquare",
    "Collapse",
    "CostComplexity",
    "Decision",
    "DescriptionLength",
    "EarlyStopping",
    "ErrorBased",
    "MinimalSize",
    "MinimumError",
    "Penalised",
    "Pessimistic",
    "Pruned",
    "Pruner",
    "PruningPath",
    "ReducedError",
    "Report",
    "Simplify",
    "StructuralRisk",
    "expected_errors",
    "pruner_of",
]

PRUNERS: dict[str, Callable[[], Pruner]] = {
    "reduced_error": ReducedError,
    "pessimistic": Pessimistic,
    "minimum_error": MinimumError,
    "cost_complexity": CostComplexity,
    "error_based": ErrorBased,
    "chi_square": ChiSquare,
    "structural_risk": StructuralRisk,
    "minimal_size": MinimalSize,
    "description_length": DescriptionLength,
    "simplify": Simplify,
}
"""The methods that need no setting, by the names that an estimator's `pruner=` takes."""

KINDS: dict[str, type[Pruner]] = {
    kind.__name__: kind
    for kind in (
        ChiSquare,
        Collapse,
        CostComplexity,
        DescriptionLength,
        EarlyStopping,
        ErrorBased,
        MinimalSize,
        MinimumError,
        Penalised,
        Pessimistic,
        ReducedError,
        Simplify,
        StructuralRisk,
    )
}
"""The methods that a model file may name."""


def pruner_of(pruner: Any) -> Callable[..., Any]:
    """Give the pruner that a name stands for; whatever is callable is one already.

    Examples
    --------
    >>> pruner_of("pessimistic")
    Pessimistic(correction=0.5, se=1.0, count='all')
    >>> pruner_of("pesimistic")
    Traceback (most recent call last):
        ...
    ValueError: Unknown pruner 'pesimistic': use one of 'reduced_error', ... Did you mean 'pessimistic'?
    """
    if isinstance(pruner, str):
        if pruner not in PRUNERS:
            raise ValueError(unknown_name("pruner", pruner, PRUNERS))
        return PRUNERS[pruner]()
    if isinstance(pruner, type) or not callable(pruner):
        raise TypeError(
            f"A pruner is a name, an instance such as Pessimistic(), or a callable; got {pruner!r}."
        )
    checked: Callable[..., Any] = pruner
    return checked
