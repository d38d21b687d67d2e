"""Stopping: each rule stops where theory says it must."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import treewright as tw
from treewright.data import Dataset
from treewright.data.folds import holdout_split
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import Recipe
from treewright.model_selection.validated_pruning import grow_and_prune, prune_tree
from treewright.pruning import EarlyStopping
from treewright.pruning.early_stopping import best_first_order, losses_by_splits

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")


def is_split(model: Any, X: Any, y: Any, **parameters: Any) -> bool:
    return bool(model(max_depth=1, **parameters).fit(X, y).tree_.node_count > 1)


def stops_at(model: Any, X: Any, y: Any, p_value: float, **parameters: Any) -> None:
    """A split of this p-value is made at a level just above it, and not just below."""
    assert 0 < p_value < 1
    assert is_split(model, X, y, significance=p_value * (1 + 1e-9), **parameters)
    assert not is_split(model, X, y, significance=p_value * (1 - 1e-9), **parameters)


# Significance


def test_chi_square_of_branch_and_class_with_one_candidate_a_feature() -> None:
    X, y = tw.datasets.load_tennis()
    p_value = stats.chi2_contingency(pd.crosstab(X["Outlook"], y), correction=False).pvalue
    stops_at(tw.ID3Classifier, X, y, 4 * p_value)  # four features, each with one multiway split to offer
    stops_at(tw.ID3Classifier, X[["Outlook"]], y, p_value)


def test_thresholds_count_every_cut() -> None:
    random = np.random.default_rng(0)
    x = random.permutation(60).astype(float)
    y = (x > 25) ^ (random.random(60) < 0.25)
    tree = tw.DecisionTreeClassifier(max_depth=1, criterion="chi_square").fit(x[:, None], y).tree_
    table = pd.crosstab(x > tree.threshold[0], y)
    assert stats.contingency.expected_freq(table).min() >= 5
    p_value = stats.chi2_contingency(table, correction=False).pvalue
    stops_at(tw.DecisionTreeClassifier, x[:, None], y, 59 * p_value, criterion="chi_square")


def test_small_counts_are_judged_by_fishers_exact_test() -> None:
    X, y = [[0]] * 7 + [[1]] * 5, [0] * 6 + [1] * 6
    table = [[6, 1], [0, 5]]
    low, high = (stats.fisher_exact(table, alternative=side).pvalue for side in ("less", "greater"))
    stops_at(tw.DecisionTreeClassifier, X, y, 2 * min(low, high))


def test_many_branches_and_classes() -> None:
    random = np.random.default_rng(2)
    c = random.integers(0, 4, 300)
    y = (c + (random.random(300) < 0.8) * random.integers(0, 3, 300)) % 3
    X = pd.DataFrame({"c": c.astype(str)})
    multiway = stats.chi2_contingency(pd.crosstab(c, y), correction=False).pvalue
    stops_at(tw.ID3Classifier, X, y, multiway)
    tree = tw.DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    goes_right = tree.apply(X) == 2
    subset = stats.chi2_contingency(pd.crosstab(goes_right, y), correction=False).pvalue
    stops_at(tw.DecisionTreeClassifier, X, y, 7 * subset)  # 2³ − 1 groupings of four categories


def test_f_test_of_branch_and_rank_of_the_number() -> None:
    random = np.random.default_rng(1)
    x = random.permutation(40).astype(float)
    y = (x > 17) * 0.9 + random.normal(size=40)
    tree = tw.DecisionTreeRegressor(max_depth=1).fit(x[:, None], y).tree_
    rank = stats.rankdata(y)
    groups = [rank[x <= tree.threshold[0]], rank[x > tree.threshold[0]]]
    p_value = 39 * stats.f_oneway(*groups).pvalue
    stops_at(tw.DecisionTreeRegressor, x[:, None], y, p_value)
    c = random.integers(0, 5, 60)
    z = 0.7 * (c == 2) + random.normal(size=60)
    rank = stats.rankdata(z)
    p_value = stats.f_oneway(*[rank[c == k] for k in range(5)]).pvalue
    X = pd.DataFrame({"c": c.astype(str)})
    stops_at(tw.DecisionTreeRegressor, X, z, p_value, splits=("threshold", "multiway"))


def test_missing_rows_by_every_engine() -> None:
    """The plain engine, which shares rows over branches, judges as the fast one does."""
    random = np.random.default_rng(3)
    X = random.integers(0, 8, (200, 3)).astype(float)
    y = (X[:, 0] > 3) ^ (random.random(200) < 0.3)
    holes = np.vstack([X, [[np.nan] * 3]])  # one row that knows nothing calls for the plain engine
    for level in (1e-12, 1e-8, 1e-4, 0.05, 0.5):
        fast = tw.DecisionTreeClassifier(significance=level).fit(X, y)
        plain = tw.DecisionTreeClassifier(significance=level, missing="fractional").fit(
            holes, np.append(y, True), np.append(np.ones(200), 1e-9)
        )
        assert plain.get_n_leaves() == pytest.approx(fast.get_n_leaves(), abs=1)


def test_doubling_all_weights_changes_no_decision() -> None:
    random = np.random.default_rng(4)
    X, y = random.normal(size=(300, 3)), random.integers(0, 3, 300)
    y[X[:, 0] > 0.5] = 1
    weight = random.uniform(0.5, 2, 300)
    one = tw.DecisionTreeClassifier(significance=0.05).fit(X, y, weight)
    two = tw.DecisionTreeClassifier(significance=0.05).fit(X, y, 2 * weight)
    assert one.get_n_leaves() == two.get_n_leaves() > 1


@pytest.mark.parametrize("task", ["classes", "numbers", "rare"])
def test_noise_is_split_no_more_often_than_the_level_says(task: str) -> None:
    random = np.random.default_rng(0)
    n_tables, level, splits = 300, 0.1, 0
    for _ in range(n_tables):
        X = np.column_stack([random.normal(size=(80, 4)), random.integers(0, 2, (80, 2))])
        if task == "numbers":
            splits += is_split(tw.DecisionTreeRegressor, X, random.normal(size=80), significance=level)
        else:
            y = random.random(80) < (0.5 if task == "classes" else 0.04)
            splits += is_split(tw.DecisionTreeClassifier, X, y, significance=level) if y.any() else 0
    # Bonferroni keeps the chance below the level; three standard errors are granted to the draw.
    assert splits / n_tables <= level + 3 * np.sqrt(level * (1 - level) / n_tables)


def test_strong_signals_pass_any_level() -> None:
    X = np.arange(2000.0)[:, None]
    y = X[:, 0] > 900
    tree = tw.DecisionTreeClassifier(significance=1e-200).fit(X, y).tree_
    assert tree.n_leaves == 2


# Complexity: α · nodes + impurity


@given(st.integers(0, 1000), st.sampled_from([0.001, 0.005, 0.02]), st.sampled_from(["subset", "multiway"]))
def test_the_sum_of_impurity_and_price_falls_with_every_split(seed: int, price: float, form: str) -> None:
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"n": random.normal(size=120), "c": random.integers(0, 4, 120).astype(str)})
    y = (X["n"].to_numpy() > 0) ^ (random.random(120) < 0.2)
    dataset = Dataset.from_table(X, y, task="classification")
    tree = grow(dataset, Recipe("entropy", splits=("threshold", form), complexity=price), n_jobs=1)
    whole = grow(dataset, Recipe("entropy", splits=("threshold", form)), n_jobs=1)
    impure = tree.weight * tree.impurity / tree.weight[0]
    for node in range(len(tree)):
        if not tree.is_leaf(node):
            children = tree.children(node)
            assert impure[node] - impure[children].sum() >= price * len(children) - 1e-12
    assert len(tree) <= len(whole)


def test_the_price_at_which_a_split_stops() -> None:
    X, y = [[0], [0], [1], [1]], [0, 0, 1, 1]  # gini falls from ½ to 0 by two more nodes
    assert is_split(tw.DecisionTreeClassifier, X, y, complexity=0.25)
    assert not is_split(tw.DecisionTreeClassifier, X, y, complexity=0.2500001)


# Risk threshold


def test_growing_ends_as_soon_as_the_risk_is_near_enough() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 3))
    y = (X[:, 0] + random.normal(size=500) > 0).astype(int)
    whole = tw.DecisionTreeClassifier().fit(X, y).tree_
    order = best_first_order(whole)
    for bayes_risk, threshold in ((0.0, 0.1), (0.1, 0.05), (0.2, 0.02), (0.0, 0.0), (0.6, 0.0)):
        model = tw.DecisionTreeClassifier(risk_threshold=threshold, bayes_risk=bayes_risk).fit(X, y)
        tree, enough = model.tree_, 500 * (bayes_risk + threshold)
        assert tree.risk[tree.leaves].sum() <= enough + 1e-9
        risk = whole.risk[0]
        stages = 0
        for node in order.tolist():
            if risk <= enough:
                break
            risk += whole.risk[whole.children(node)].sum() - whole.risk[node]
            stages += 1
        assert tree.n_leaves == stages + 1


def test_regression_counts_squared_errors() -> None:
    X, y = [[1], [2], [3], [4]], [0.0, 0.0, 10.0, 12.0]
    model = tw.DecisionTreeRegressor(risk_threshold=0.5)
    assert model.fit(X, y).get_n_leaves() == 2  # mean squares: 29.75, then (1 + 1) / 4
    assert model.set_params(risk_threshold=0.49).fit(X, y).get_n_leaves() == 3


# Early stopping


def noisy_rows(n: int, seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] + random.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
def test_the_order_of_splits_is_that_of_best_first_growing(criterion: str) -> None:
    X, y = noisy_rows(400, 0)
    whole = tw.DecisionTreeClassifier(criterion=criterion).fit(X, y).tree_
    order = best_first_order(whole)
    for n_splits in (1, 2, 5, 13, 40):
        collapse = np.zeros(len(whole), bool)
        collapse[order[n_splits:]] = True
        stage = whole.collapse(collapse)
        grown = tw.DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=n_splits + 1).fit(X, y).tree_
        assert stage.n_leaves == grown.n_leaves == n_splits + 1
        assert sorted(stage.threshold) == sorted(grown.threshold)


def test_losses_by_splits_are_those_of_the_stages() -> None:
    X, y = noisy_rows(200, 1)
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_
    fresh, truth = noisy_rows(100, 2)
    rows = Dataset.from_table(fresh, truth, task="classification")
    order, losses = best_first_order(tree), losses_by_splits(tree, rows).mean
    for n_splits in (0, 1, 3, 10, len(order)):
        collapse = np.zeros(len(tree), bool)
        collapse[order[n_splits:]] = True
        stage = tree.collapse(collapse)
        assert losses[n_splits] == pytest.approx(np.mean(stage.label[stage.apply(fresh)] != truth))


@pytest.mark.parametrize("patience", [1, 3, None])
def test_it_stops_after_so_many_splits_without_gain(patience: int | None) -> None:
    X, y = noisy_rows(300, 3)
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_
    rows = Dataset.from_table(*noisy_rows(200, 4), task="classification")
    losses = losses_by_splits(tree, rows).mean
    best = waited = 0
    for n_splits in range(1, len(losses)):
        if losses[n_splits] < losses[best] - 1e-12:
            best, waited = n_splits, 0
        else:
            waited += 1
            if waited == patience:
                break
    pruned = EarlyStopping(patience=patience).prune(tree, rows)
    assert pruned.tree.n_leaves == best + 1
    assert pruned.path.leaves[pruned.path.chosen] == best + 1
    if patience is None:
        assert losses[best] == losses.min()


@pytest.mark.parametrize("early_stopping", ["holdout", "cv", EarlyStopping(cv=3, patience=None)])
def test_stopped_trees_are_smaller_and_better_on_fresh_rows(early_stopping: Any) -> None:
    X, y = noisy_rows(1000, 5)
    fresh, truth = noisy_rows(4000, 6)
    whole = tw.DecisionTreeClassifier().fit(X, y)
    stopped = tw.DecisionTreeClassifier(early_stopping=early_stopping, random_state=0).fit(X, y)
    assert stopped.get_n_leaves() < whole.get_n_leaves() / 4
    assert stopped.score(fresh, truth) > whole.score(fresh, truth)
    again = tw.DecisionTreeClassifier(early_stopping=early_stopping, random_state=0).fit(X, y)
    assert again.tree_ == stopped.tree_


@pytest.mark.parametrize("early_stopping", [EarlyStopping(), EarlyStopping(cv=3)])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_stopping_early_is_growing_on_and_going_back(early_stopping: EarlyStopping, criterion: str) -> None:
    """The tree does not depend on how far growing went beyond where it stopped."""
    X, y = noisy_rows(3000, 8)
    dataset, recipe = Dataset.from_table(X, y, task="classification"), Recipe(criterion)
    stopped = grow_and_prune(dataset, recipe, [early_stopping], n_jobs=1)
    grown_on = dataset if early_stopping.cv else holdout_split(dataset, 1 / 3, recipe.random_state)[0]
    assert stopped.grown is not None
    assert stopped.grown[0].n_leaves == 256 < grow(grown_on, recipe, n_jobs=1).n_leaves
    whole = grow(grown_on, recipe, n_jobs=1)
    rows = dataset if early_stopping.cv else holdout_split(dataset, 1 / 3, recipe.random_state)[1]
    assert prune_tree(whole, early_stopping, rows, recipe, grown_on=grown_on).tree == stopped.tree


def test_noise_is_not_grown_on() -> None:
    random = np.random.default_rng(7)
    X, y = random.normal(size=(600, 5)), random.normal(size=600)
    model = tw.DecisionTreeRegressor(early_stopping="cv").fit(X, y)
    assert model.get_n_leaves() <= 3


def test_the_settings_travel_with_the_model(tmp_path: Any) -> None:
    X, y = noisy_rows(200, 8)
    given = EarlyStopping(cv=3, patience=4)
    tw.DecisionTreeClassifier(early_stopping=given).fit(X, y).save(tmp_path / "model.tw")
    loaded: Any = tw.load(tmp_path / "model.tw")
    assert loaded.early_stopping == given


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"significance": 2.0}, "significance"),
        ({"complexity": -1.0}, "complexity"),
        ({"risk_threshold": -0.1}, "risk_threshold"),
        ({"early_stopping": "cvv"}, "Did you mean 'cv'"),
        ({"interaction_cst": [["x9"]]}, "interaction_cst names 'x9', which is no feature"),
        ({"interaction_cst": "pairwis"}, "Did you mean 'pairwise'"),
        (
            {"feature_costs": [1.0, 0.0]},
            "feature_costs must have a number above 0, .* for each of the 2 features",
        ),
        ({"feature_costs": {"x7": 1.0}}, "feature_costs names 'x7'"),
    ],
)
def test_odd_settings_get_a_clear_sentence(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(**parameters).fit([[1, 2], [2, 1]], [0, 1])


FORMS = {
    "subset": {},
    "ordered once": {"category_order": "once"},
    "multiway": {"splits": ("multiway",)},
    "one against rest": {"splits": ("one_vs_rest",)},
    "several groups": {"splits": ("subset",), "max_groups": 3},
}


@pytest.mark.parametrize("target", ["two classes", "three classes", "a rare class", "numbers", "outliers"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_categories", [2, 12, 13, 257, 1000, 5000])
def test_noise_of_any_number_of_categories_is_split_no_more_often_than_promised(
    n_categories: int, form: str, target: str
) -> None:
    """Of 15 tables of pure noise more than 4 are split with a chance of 0.0006 where each has 0.05."""
    grown = 0
    for seed in range(15):
        random = np.random.default_rng((seed, n_categories))
        X = pd.DataFrame({"letter": pd.Categorical(random.integers(0, n_categories, 1000).astype(str))})
        y: Any = {
            "two classes": random.integers(0, 2, 1000),
            "three classes": random.choice(3, 1000, p=[0.7, 0.2, 0.1]),
            "a rare class": (random.random(1000) < 0.03).astype(int),
            "numbers": random.normal(size=1000),
            "outliers": np.exp(2 * random.normal(size=1000)),
        }[target]
        kind = tw.DecisionTreeRegressor if target in ("numbers", "outliers") else tw.DecisionTreeClassifier
        grown += is_split(kind, X, y, significance=0.05, **FORMS[form])
    assert grown <= 4


def test_outliers_do_not_make_a_cut_significant() -> None:
    """Of 100 tables of pure noise more than 12 are split with a chance of 0.0015 where each has 0.05."""
    grown = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        y = random.standard_cauchy(200)
        grown += is_split(tw.DecisionTreeRegressor, random.normal(size=(200, 1)), y, significance=0.05)
    assert grown <= 12


def test_many_categories_that_tell_the_class_are_found_significant():
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 300, 3000)
    X = pd.DataFrame({"letter": pd.Categorical(letters.astype(str))})
    y = (letters % 2) ^ (rng.random(3000) < 0.1)
    assert tw.DecisionTreeClassifier(significance=0.05).fit(X, y).get_n_leaves() >= 2
