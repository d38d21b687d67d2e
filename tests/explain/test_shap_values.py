"""`shap_values` of models: what rows are predicted, shared among the features."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.exporting import model


@pytest.mark.parametrize(
    "name", ["threshold direction", "sphere fractional", "cart", "number surrogate", "mpg"]
)
def test_the_values_of_a_row_add_up_to_its_prediction(name: str) -> None:
    fitted = model(name)
    from helpers.boundaries import grid_table

    X = tw.datasets.load_mpg()[0] if name == "mpg" else grid_table(0, 90)[0]
    values = fitted.shap_values(X)
    answer = fitted.predict_proba(X) if fitted.tree_.is_classifier else fitted.predict(X)
    base = answer - values.sum(axis=1)
    assert values.shape[:2] == (len(X), X.shape[1])
    assert np.allclose(base, base[0])


def brute_force(said: Any, features: int) -> list[float]:
    """Shapley values as they are defined: the mean effect of each feature over all orders."""
    total = [0.0] * features
    orders = list(permutations(range(features)))
    for order in orders:
        known: frozenset[int] = frozenset()
        for feature in order:
            total[feature] += said(known | {feature}) - said(known)
            known |= {feature}
    return [one / len(orders) for one in total]


def test_a_forest_has_the_mean_of_its_trees() -> None:
    X, y = tw.datasets.load_mpg()
    X = X.select_dtypes("number").iloc[:60, :3]
    forest = tw.RandomForestRegressor(4, random_state=0, max_depth=4).fit(X, y[:60])
    row = forest.trees_[0].schema.encode(X.iloc[[7]])[0][0]

    def said(known: frozenset[int]) -> float:
        answers = []
        for tree in forest.trees_:
            reached = {0: 1.0}
            answer = 0.0
            while reached:
                node, share = reached.popitem()
                if not tree.n_children[node]:
                    answer += share * tree.node_value[node, 0]
                    continue
                children, split = tree.children(node), int(tree.split_begin[node])
                feature = int(tree.splits.feature[split])
                if feature in known:
                    reached[children[int(row[feature] > tree.splits.threshold[split])]] = share
                else:
                    for child in children:
                        reached[child] = share * tree.weight[child] / tree.weight[node]
            answers.append(answer)
        return float(np.mean(answers))

    assert np.allclose(forest.shap_values(X.iloc[[7]])[0], brute_force(said, 3))


def test_shap_draws_them() -> None:
    shap = pytest.importorskip("shap")
    X, y = tw.datasets.load_iris()
    found = tw.DecisionTreeClassifier(max_depth=3).fit(X, y).shap_values(X, as_explanation=True)
    assert isinstance(found, shap.Explanation)
    assert np.allclose(found.base_values.sum(axis=1), 1)
