"""`shap_values` of models: what rows are predicted, shared among the features."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.boundaries import grid_table
from helpers.exporting import model


@pytest.mark.parametrize(
    "name", ["threshold direction", "sphere fractional", "cart", "number surrogate", "mpg"]
)
def test_the_values_of_a_row_add_up_to_its_prediction(name: str) -> None:
    fitted = model(name)
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


def brute_force_pairs(said: Any, features: int) -> Any:
    """Shapley interaction values as they are defined (Fujimoto, Kojadinovic & Marichal, 2006), halved."""
    found = np.diag(brute_force(said, features))
    for one, two in permutations(range(features), 2):
        others = [feature for feature in range(features) if feature not in (one, two)]
        for size in range(len(others) + 1):
            chance = factorial(size) * factorial(features - size - 2) / factorial(features - 1)
            for known in map(frozenset, combinations(others, size)):
                met = said(known | {one, two}) - said(known | {one}) - said(known | {two}) + said(known)
                found[one, two] += chance * met / 2
    return found - np.diag(found.sum(axis=1) - found.diagonal())


def said_by(trees: Any, row: Any) -> Any:
    """What trees of thresholds say of a row of which some features are known, in the mean."""

    def said(known: frozenset[int]) -> float:
        answers = []
        for tree in trees:
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

    return said


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_forest_has_the_mean_of_its_trees_and_of_their_pairs(n_jobs: int) -> None:
    X, y = tw.datasets.load_mpg()
    X = X.select_dtypes("number").iloc[:60, :4]
    forest = tw.RandomForestRegressor(4, random_state=0, max_depth=5, n_jobs=n_jobs).fit(X, y[:60])
    rows = X.iloc[[7, 30, 51]]
    values, met = forest.shap_values(rows), forest.shap_values(rows, interactions=True)
    for place, row in enumerate(forest.trees_[0].schema.encode(rows)[0]):
        said = said_by(forest.trees_, row)
        assert np.allclose(values[place], brute_force(said, 4))
        assert np.allclose(met[place], brute_force_pairs(said, 4))
    assert np.abs(met[:, 0, 1]).max() > 0.01


@pytest.mark.parametrize(
    "name", ["threshold direction", "sphere fractional", "cart", "number surrogate", "mpg"]
)
def test_pairs_add_up_to_the_values(name: str) -> None:
    fitted = model(name)
    X = tw.datasets.load_mpg()[0][:50] if name == "mpg" else grid_table(0, 50)[0]
    met = fitted.shap_values(X, interactions=True)
    assert met.shape[:3] == (len(X), X.shape[1], X.shape[1])
    assert np.allclose(met.sum(axis=2), fitted.shap_values(X))
    assert np.allclose(met, np.swapaxes(met, 1, 2))


@pytest.mark.parametrize("max_depth", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("missing", ["direction", "surrogate", "stay"])
def test_tables_of_shallow_trees_say_what_walks_through_them_say(max_depth: int, missing: str) -> None:
    X, y = grid_table(3, 600)
    policy = {"missing": "surrogate", "use_surrogates": 0} if missing == "stay" else {"missing": missing}
    fitted = tw.DecisionTreeClassifier(max_depth=max_depth, random_state=0, n_jobs=1, **policy).fit(X, y)
    rows = X.iloc[np.random.default_rng(0).integers(0, len(X), 5000)]  # more than are worked on together
    values = fitted.shap_values(rows)
    assert values.tobytes() == fitted.set_params(n_jobs=2).shap_values(rows).tobytes()
    assert values[:7].tobytes() == fitted.shap_values(rows.iloc[:7]).tobytes()
    met = fitted.shap_values(rows.iloc[:500], interactions=True)
    assert np.allclose(met.sum(axis=2), values[:500], rtol=0, atol=1e-12)


def test_a_tree_of_one_leaf_moves_nothing() -> None:
    stump = tw.DecisionTreeClassifier().fit([[1.0], [2.0]], [1, 1])
    assert stump.shap_values([[3.0]]).tolist() == [[[0.0]]]
    assert stump.shap_values([[3.0]], interactions=True).tolist() == [[[[0.0]]]]


def test_a_deep_chain_has_exact_values() -> None:
    """A hundred cuts of one feature below each other, and of two features in turn."""
    X = np.column_stack([np.arange(200.0), np.arange(200.0)[::-1] % 67])
    fitted = tw.DecisionTreeRegressor(ties="first").fit(X, np.arange(200) ** 2 % 97)
    values = fitted.shap_values(X)
    mean = fitted.predict(X) - values.sum(axis=1)
    assert np.allclose(mean, mean[0])
    assert np.isclose(mean[0], np.average(fitted.predict(X)))


def test_an_explanation_is_not_of_pairs() -> None:
    fitted = tw.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="interactions=True"):
        fitted.shap_values([[1.0]], interactions=True, as_explanation=True)


def test_shap_draws_them() -> None:
    shap = pytest.importorskip("shap")
    X, y = tw.datasets.load_iris()
    found = tw.DecisionTreeClassifier(max_depth=3).fit(X, y).shap_values(X, as_explanation=True)
    assert isinstance(found, shap.Explanation)
    assert np.allclose(found.base_values.sum(axis=1), 1)
