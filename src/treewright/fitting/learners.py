"""Estimators and pruners by name, made for a table and its task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import treewright
from treewright.fitting.training_table import TrainingTable, refuse_infinities
from treewright.formatting.suggestions import nearest, unknown_name
from treewright.parameter_types import check_parameters
from treewright.pruning import KINDS, PRUNERS, CostComplexity

ALGORITHMS: dict[str, tuple[str | None, str | None]] = {
    "tree": ("TreeClassifier", "TreeRegressor"),
    "decision_tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "cart": ("CARTClassifier", "CARTRegressor"),
    "c4.5": ("C45Classifier", None),
    "id3": ("ID3Classifier", None),
    "rules": ("RuleClassifier", None),
    "forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "optimal": ("OptimalTreeClassifier", "OptimalTreeRegressor"),
}
"""The estimators for classes and for numbers, by name."""

SAME = {"c45": "c4.5", "j48": "c4.5", "rpart": "cart", "random_forest": "forest"}
"""Other names by which people ask for them."""

SEEDED = ("tree", "decision_tree", "id3", "rules", "forest")
"""Those that are given the seed."""

FEWEST_TO_PRUNE = 30
"""Trees of fewer rows are not pruned by cross-validation unless it is asked for: folds would be tiny."""

METHODS: dict[str, Callable[..., Any]] = dict(PRUNERS) | {"penalised": KINDS["Penalised"]}
"""The pruners that may be asked for by name."""

AS_USUAL = "default"
"""The pruner that the algorithm has of itself."""


def algorithm_name(name: str) -> str:
    """Find an algorithm by any of its names.

    Examples
    --------
    >>> algorithm_name("J48"), algorithm_name("decision tree")
    ('c4.5', 'decision_tree')
    """
    plain = str(name).lower().replace(" ", "_").replace("-", "_")
    plain = SAME.get(plain, plain)
    if plain not in ALGORITHMS:
        raise ValueError(unknown_name("algorithm", str(name), ALGORITHMS))
    return plain


def suited_learner(
    data: TrainingTable,
    algorithm: str | None,
    parameters: Mapping[str, Any],
    *,
    pruner: Any = AS_USUAL,
    random_state: int | None = 0,
    default: str = "tree",
) -> Any:
    """Make the estimator for a table, unfitted, or say why it cannot learn from it.

    Parameters
    ----------
    data : TrainingTable
    algorithm : str or None
        A name of `ALGORITHMS`. None is the default, or `"decision_tree"` where a pruner or parameters are
        given that only it has.
    parameters : mapping
        Parameters of the estimator.
    pruner : Pruner, str or None
        A pruner or the name of one; None prunes nothing.
    random_state : int or None
    default : str
    """
    name = algorithm_name(algorithm) if algorithm is not None else default
    if algorithm is None and name == "tree" and (pruner is not AS_USUAL or _unknown(name, data, parameters)):
        name = "decision_tree"
    kind = estimator_of(name, data.task)
    given = dict(parameters)
    if random_state is not None and name in SEEDED:
        given.setdefault("random_state", random_state)
    if name == "cart":
        given = _cart_pruning(pruner, len(data)) | given
    elif name == "decision_tree" and pruner is AS_USUAL and len(data) >= FEWEST_TO_PRUNE:
        given.setdefault("pruner", CostComplexity(cv=folds_for(len(data)), se=1))
    elif pruner is not AS_USUAL:
        given["pruner"] = pruner
    _refuse_unknown(kind, given, estimator_of("decision_tree", data.task) if name == "tree" else kind)
    model = kind(**given)
    check_parameters(kind.__name__, model.get_params(deep=False), kind._domains)
    refuse_infinities(data.table, model)
    _refuse_numbers(model, data)
    return model


def folds_for(n_rows: int) -> int:
    """Choose how many folds to cross-validate with: ten, or fewer where rows are many or very few.

    Examples
    --------
    >>> folds_for(150), folds_for(1_000_000), folds_for(5)
    (10, 3, 5)
    """
    return max(2, min(10 if n_rows <= 100_000 else 3, n_rows))


def check_folds(folds: int | None) -> None:
    """Refuse a number of folds that leaves nothing to learn from or to judge by.

    Examples
    --------
    >>> check_folds(1)
    Traceback (most recent call last):
        ...
    ValueError: folds=1 leaves no rows to learn from: use 2 or more, or 0 to judge nothing.
    """
    if folds is None or folds == 0 or folds >= 2:
        return
    raise ValueError(f"folds={folds} leaves no rows to learn from: use 2 or more, or 0 to judge nothing.")


def estimator_of(name: str, task: str) -> Any:
    """Give the class of an algorithm for classes or for numbers."""
    wanted = ALGORITHMS[name][task == "regression"]
    if wanted is None:
        raise ValueError(f"{name} learns classes only: use the algorithm tree or cart for numbers.")
    return getattr(treewright, wanted)


def _unknown(name: str, data: TrainingTable, parameters: Mapping[str, Any]) -> bool:
    """Whether some of the parameters are those of a decision tree alone."""
    own, others = (
        {field.name for field in fields(estimator_of(kind, data.task))} for kind in (name, "decision_tree")
    )
    return any(parameter in others - own for parameter in parameters)


def _refuse_unknown(kind: Any, given: Mapping[str, Any], other: Any) -> None:
    """Refuse parameters that an estimator does not have; another may have them."""
    own, others = ({field.name for field in fields(one)} for one in (kind, other))
    for parameter in given:
        if parameter not in own:
            has = f" {other.__name__} has it: use the algorithm decision_tree."
            hint = has if parameter in others else nearest(parameter, sorted(own | others))
            raise ValueError(f"{kind.__name__} has no parameter {parameter!r}.{hint}")


def _cart_pruning(pruner: Any, n_rows: int) -> dict[str, Any]:
    """CART prunes itself: by the rule of one standard error, as the book has it, unless told otherwise."""
    if pruner is None or (pruner is AS_USUAL and n_rows < FEWEST_TO_PRUNE):
        return {"cv": None}
    if pruner is AS_USUAL:
        return {"cv": folds_for(n_rows), "se": 1.0}
    if not isinstance(pruner, CostComplexity) and pruner != "cost_complexity":
        name = pruner if isinstance(pruner, str) else type(pruner).__name__
        raise ValueError(f"cart prunes by cost-complexity, not by {name!r}: use the algorithm decision_tree.")
    if getattr(pruner, "alpha", None) is not None:
        raise ValueError(f"cart has the parameter cp in the place of alpha={pruner.alpha}.")
    cv, se = getattr(pruner, "cv", None), getattr(pruner, "se", 0.0)
    return {"cv": folds_for(n_rows) if cv is None else cv, "se": float(se)}


def _refuse_numbers(model: Any, data: TrainingTable) -> None:
    """Refuse numbers where the learner knows categories only."""
    numeric = [name for name in data.features if data.kinds[name] not in ("categorical", "ordinal")]
    if type(model).__name__ == "ID3Classifier" and numeric and "threshold" not in model.splits:
        raise ValueError(
            f"id3 knows categories only, and {numeric[0]!r} is {data.kinds[numeric[0]]}: "
            f"use the algorithm c4.5, or call {','.join(numeric)!r} categorical."
        )
