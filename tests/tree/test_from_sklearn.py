"""Trees of scikit-learn as trees of ours: whole, sound, and drawn with the same words."""

import numpy as np
import pytest
from sklearn import tree as sklearn_trees
from sklearn.datasets import make_classification

from helpers.drawings import joined
from treewright import datasets, plot_tree
from treewright.persistence.validation import validate
from treewright.tree.from_sklearn import tree_of


@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier"])
def test_trees_of_scikit_learn_are_converted_whole(kind) -> None:
    X, y = datasets.load_iris()
    X = X.astype(np.float32)
    X.iloc[::7, 2] = np.nan if kind != "ExtraTreeClassifier" else 1.0
    target = X.iloc[:, 3] if kind == "DecisionTreeRegressor" else y
    model = getattr(sklearn_trees, kind)(random_state=0).fit(X, target)
    tree = tree_of(model)
    numbers, codes = tree.schema.encode(X)
    node = tree.route(numbers, codes)
    if tree.is_classifier:
        assert tree.schema.classes[tree.label[node]].tolist() == model.predict(X).tolist()
    else:
        assert np.allclose(tree.node_value[node, 0], model.predict(X))
    assert tree.n_leaves == model.get_n_leaves()
    assert tree.depth == model.get_depth()
    assert np.allclose(tree.compute_feature_importances(), model.feature_importances_)
    assert "petal width" in joined(plot_tree(model, X, target))


def test_a_converted_tree_is_a_sound_tree() -> None:
    X, y = make_classification(600, 6, flip_y=0.3, random_state=1)
    tree = tree_of(sklearn_trees.DecisionTreeClassifier(random_state=0).fit(X, y))
    validate(tree.arrays(), tree.schema)
