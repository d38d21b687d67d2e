"""`from_sklearn`: fitted trees and forests of scikit-learn as estimators of this library."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from treewright.errors import DataTypeError
from treewright.estimators.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.forest.bootstrap import Draws
from treewright.forest.trees import Trees
from treewright.tree.from_sklearn import schema_from_sklearn, tree_from_sklearn


def from_sklearn(estimator: Any) -> Any:
    """Make a model of this library out of a fitted tree or forest of scikit-learn.

    It predicts the same of every row, missing values included, and does all that models of this library do:
    it prints, draws, explains, prunes, turns into rules and goes to a file that runs no code. Parameters of
    the same name are taken over, so that `fit` would grow such a model on other rows.

    Parameters
    ----------
    estimator : fitted tree or forest of scikit-learn, of one target
        `DecisionTree…`, `ExtraTree…`, `RandomForest…` or `ExtraTrees…`, to classify or to regress.

    Returns
    -------
    DecisionTree…, RandomForest… or ExtraTrees… of treewright
        Fitted. A forest has no rows out of bag: which rows a tree had drawn is not taken over.

    Raises
    ------
    DataTypeError
        If it is another model, or has several targets.

    Examples
    --------
    >>> import treewright as tw
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = tw.datasets.load_iris()
    >>> theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> ours = tw.from_sklearn(theirs)
    >>> bool((ours.predict(X) == theirs.predict(X)).all())
    True
    >>> ours.tree_
    Tree(5 nodes, 3 leaves, depth 2, 3 classes)
    """
    from sklearn import ensemble, tree
    from sklearn.utils.validation import check_is_fitted

    kinds: list[tuple[type, Any]] = [
        (tree.DecisionTreeClassifier, DecisionTreeClassifier),
        (tree.DecisionTreeRegressor, DecisionTreeRegressor),
        (ensemble.RandomForestClassifier, RandomForestClassifier),
        (ensemble.RandomForestRegressor, RandomForestRegressor),
        (ensemble.ExtraTreesClassifier, ExtraTreesClassifier),
        (ensemble.ExtraTreesRegressor, ExtraTreesRegressor),
    ]
    kind = next((ours for theirs, ours in kinds if isinstance(estimator, theirs)), None)
    if kind is None:
        raise DataTypeError(
            f"{type(estimator).__name__} cannot be converted: give a fitted DecisionTree…, ExtraTree…, "
            "RandomForest… or ExtraTrees… of scikit-learn."
        )
    check_is_fitted(estimator)
    schema = schema_from_sklearn(estimator)
    known = {field.name for field in fields(kind)}
    model = kind(**{name: value for name, value in estimator.get_params().items() if name in known})
    if not hasattr(estimator, "estimators_"):
        model._set_tree(tree_from_sklearn(estimator, schema))
        return model
    trees = [tree_from_sklearn(one, schema) for one in estimator.estimators_]
    model.set_params(bootstrap=False, oob_score=False, n_estimators=len(trees))
    no_draws = Draws(int(trees[0].count[0]), np.zeros(len(trees), np.uint64), n_draws=0)
    model._set_trees(
        Trees.of(schema, "entropy" if model.criterion == "log_loss" else model.criterion, trees), no_draws
    )
    return model
