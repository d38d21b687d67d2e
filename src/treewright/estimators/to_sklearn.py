"""Fitted models as scikit-learn's own: for what asks for its classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ExportError
from treewright.export.binary import check_binary, cut_of
from treewright.export.program import Program, TreeBody
from treewright.export.program_of_model import program_of
from treewright.tree import Tree

Array = NDArray[np.float64]

CRITERIA = {"gini", "entropy", "log_loss", "squared_error", "absolute_error", "friedman_mse", "poisson"}


def to_sklearn(model: Any) -> Any:
    """Give a fitted tree or forest as scikit-learn's; see `TreeEstimator.to_sklearn`."""
    from sklearn import ensemble, tree

    program = program_of(model)
    check_binary(program, "scikit-learn", categories=False)
    for one in program.inputs:
        if one.column.kind != "numeric" or one.column.unit is not None or one.column.offset:
            raise ExportError(
                f"column {one.name!r} holds no plain numbers, which scikit-learn cannot hold: its trees "
                "compare numbers of single precision."
            )
    names = ("Classifier", "Regressor")
    is_class = program.classes is not None
    criterion = getattr(model, "criterion", None)
    settings = {"criterion": criterion} if isinstance(criterion, str) and criterion in CRITERIA else {}
    made: Any = getattr(tree, f"DecisionTree{names[not is_class]}")(**settings)
    if not program.forest:
        return _filled(made, program, 0, model.tree_, in_forest=False)
    kind = "ExtraTrees" if type(model).__name__.startswith("Extra") else "RandomForest"
    forest: Any = getattr(ensemble, f"{kind}{names[not is_class]}")(len(program.bodies), **settings)
    _describe(forest, program)
    if kind == "ExtraTrees":
        made = getattr(tree, f"ExtraTree{names[not is_class]}")(**settings)
    forest.estimator_ = made
    forest.estimators_ = [
        _filled(type(made)(**settings), program, place, one, in_forest=True)
        for place, one in enumerate(model.trees_)
    ]
    return forest


def _describe(estimator: Any, program: Program, in_forest: bool = False) -> None:
    """Set what scikit-learn knows of the columns and classes; the trees of a forest know codes of classes."""
    schema = program.schema
    estimator.n_features_in_ = schema.n_inputs
    estimator.n_outputs_ = 1
    if schema.named and not in_forest:
        estimator.feature_names_in_ = np.array(schema.names[: schema.n_inputs], dtype=object)
    if program.classes is not None:
        codes = np.arange(program.width, dtype=np.float64)
        estimator.classes_ = codes if in_forest else np.asarray(schema.classes)
        estimator.n_classes_ = program.width if not in_forest else np.int64(program.width)


def _filled(estimator: Any, program: Program, place: int, tree: Tree, *, in_forest: bool) -> Any:
    """Set the tree of an estimator of scikit-learn."""
    from sklearn.tree._tree import Tree as TheirTree

    body = program.bodies[place]
    assert isinstance(body, TreeBody)
    _describe(estimator, program, in_forest)
    estimator.max_features_ = program.schema.n_inputs
    theirs = TheirTree(program.schema.n_inputs, np.array([program.width], dtype=np.intp), 1)
    state = theirs.__getstate__()
    nodes = np.zeros(len(body.nodes), dtype=state["nodes"].dtype)
    nodes["left_child"] = nodes["right_child"] = -1
    nodes["feature"] = nodes["threshold"] = -2
    for node in body.nodes:
        if not node.tests:
            continue
        at = nodes[node.id : node.id + 1]
        at["left_child"], at["right_child"] = node.children
        at["feature"] = program.inputs[node.tests[0].quantity].feature
        at["threshold"] = single_below(cut_of(node.tests[0]))
        at["missing_go_to_left"] = node.default == 0
    nodes["impurity"], nodes["n_node_samples"] = tree.impurity, tree.count
    nodes["weighted_n_node_samples"] = tree.weight
    values = _values(program, body, tree)
    state |= {"max_depth": body.depth, "node_count": len(nodes), "nodes": nodes, "values": values[:, None, :]}
    theirs.__setstate__(state)
    estimator.tree_ = theirs
    return estimator


def _values(program: Program, body: TreeBody, tree: Tree) -> Array:
    """What each node says; of equal classes the predicted one has the most to the last bit."""
    values = np.array(tree.class_probabilities, dtype=np.float64)
    ends = list(body.ends)
    values[ends] = body.answers.votes if program.forest else body.answers.proba
    if body.answers.label is not None and not program.forest:
        label = body.answers.label
        values[ends, label] = values[ends].max(axis=1)
    return np.ascontiguousarray(values)


def single_below(cut: float) -> float:
    """Give the largest number of single precision up to a cut.

    Examples
    --------
    >>> single_below(0.1) < 0.1
    True
    >>> single_below(0.5)
    0.5
    """
    with np.errstate(over="ignore"):
        single = np.float32(cut)
    # Compared as doubles: NumPy would round the cut to single precision too.
    return float(single if float(single) <= cut else np.nextafter(single, np.float32(-np.inf)))
