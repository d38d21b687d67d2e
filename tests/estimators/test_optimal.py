"""Optimal trees: equal to trying all trees, honest about what is proven, the same for any n_jobs."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import pairwise
from math import inf, isnan
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from helpers.interrupting import interrupted_after, pressed_after
from helpers.optimal_cases import assert_optimal, random_case, separable_case, two_valued_case
from helpers.optimal_reference import Reference
from treewright.cli import main

# ---- against trying all trees --------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(60), 29054])  # the last: bounds of cuts beside missing values
def test_no_tree_is_better(seed: int) -> None:
    assert_optimal(random_case(seed), frontier=seed % 4 == 0)


@pytest.mark.parametrize("seed", range(40))
def test_of_trees_without_mistakes_the_first_of_the_fewest_leaves_is_taken(seed: int) -> None:
    assert_optimal(separable_case(seed), frontier=seed % 4 == 0)


@pytest.mark.slow
def test_no_tree_is_better_on_many_tables() -> None:
    for seed in range(1000, 1250):
        assert_optimal(random_case(seed), frontier=seed % 4 == 0)


def test_root_choices_are_the_best_trees_of_each_root() -> None:
    draw = np.random.default_rng(5)
    X = pd.DataFrame({"a": draw.integers(0, 4, 60), "b": draw.integers(0, 4, 60), "same": 1})
    X["c"] = pd.Categorical(draw.choice(list("pqrst"), 60))
    y = draw.integers(0, 3, 60)
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    known = Reference([X["a"], X["b"], X["same"]], [X["c"].cat.codes], y)
    assert model.root_choices_["same"] == inf
    for feature, name in enumerate(["a", "b", "same", "c"]):
        of_root = [known.best(known.everything, 0, 1).objective + inf]
        rows = np.arange(60)
        for at, _, _, inside in known.tests(rows):
            if at == feature:
                sides = [sum(1 << int(i) for i in part) for part in (rows[inside], rows[~inside])]
                of_root.append(sum(known.best(side, 1, 2).objective for side in sides))
        for at, _, inside in known.subsets(rows):
            if at == feature:
                of_root.append(known.leaf(rows[inside]) + known.leaf(rows[~inside]))
        assert model.root_choices_[name] == pytest.approx(min(of_root))


# ---- what greedy trees miss ----------------------------------------------------------------------


def test_exclusive_or_of_two_among_many_features() -> None:
    draw = np.random.default_rng(0)
    X = draw.random((400, 8))
    y = (X[:, 2] > 0.4) ^ (X[:, 5] > 0.6)
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.objective_ == 0
    assert model.optimal_
    assert sorted(set(model.tree_.feature[model.tree_.n_children > 0])) == [2, 5]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_never_worse_than_greedy_or_pruned(depth: int) -> None:
    X, y = tw.datasets.load_iris()
    best = tw.OptimalTreeClassifier(max_depth=depth).fit(X, y)
    for criterion in ("gini", "entropy", "error"):
        greedy = tw.DecisionTreeClassifier(criterion=criterion, max_depth=depth).fit(X, y)
        assert best.score(X, y) >= greedy.score(X, y)
    for alpha in (0.005, 0.02, 0.1):
        pruned = tw.DecisionTreeClassifier(max_depth=depth, pruner=tw.pruning.CostComplexity(alpha)).fit(X, y)
        same_size = best.set_params(max_leaf_nodes=pruned.get_n_leaves()).fit(X, y)
        assert same_size.score(X, y) >= pruned.score(X, y)


def test_fewest_leaves_then_first_feature_then_lowest_cut() -> None:
    x = [1.0, 2.0, 3.0, 4.0]
    X = np.array([[5, 5, 7, 7], x, x]).T
    model = tw.OptimalTreeClassifier(max_depth=3).fit(X, [0, 0, 1, 1])
    assert model.tree_.n_leaves == 2
    assert (model.tree_.feature[0], model.tree_.threshold[0]) == (0, 6.0)
    lowest = tw.OptimalTreeClassifier(max_depth=1).fit(np.array([x]).T, [0, 1, 0, 1])
    assert lowest.tree_.threshold[0] == 1.5


@pytest.mark.parametrize("factor", [0.1, 0.3, 0.7, 0.9, 1 / 3, 1 / 7])
@pytest.mark.parametrize("values", [2, 3])  # two-valued columns are counted, others searched
def test_costs_that_are_equal_but_for_rounding_are_equal(factor: float, values: int) -> None:
    """One column mistakes a row of weight 3, another two rows of weights 1 and 2."""
    one, other = np.array([[0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 1, 0, 0, 1, 1, 1]], float)
    if values == 3:
        one[0] = other[0] = -1
    y, weight = [0, 0, 0, 0, 0, 0, 1, 1, 1], [1, 1, 1, 3, 1, 2, 9, 9, 9]
    for columns in ([one, other], [other, one]):
        model = tw.OptimalTreeClassifier(max_depth=1, class_weight={0: factor, 1: 1})
        assert model.fit(np.transpose(columns), y, weight).tree_.feature[0] == 0


# ---- two-valued columns --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(80))
def test_no_tree_of_two_valued_columns_is_better(seed: int) -> None:
    assert_optimal(two_valued_case(seed))


@pytest.mark.parametrize("depth", [2, 3])
def test_counts_and_sums_of_sets_of_columns_agree(depth: int) -> None:
    """Rows of unequal weight are not counted in sets but summed up."""
    draw = np.random.default_rng(5)
    X = (draw.random((500, 35)) < draw.uniform(0.1, 0.6, 35)).astype(float)
    y = ((X[:, 0] != X[:, 1]) ^ (X[:, 2] * X[:, 20] > 0) ^ (draw.random(500) < 0.1)).astype(int)
    counted = tw.OptimalTreeClassifier(max_depth=depth).fit(X, y)
    ones = np.ones(500)
    summed = tw.OptimalTreeClassifier(max_depth=depth).fit(
        np.vstack([X, X[:1]]), np.append(y, y[0]), np.concatenate([[0.5], ones[1:], [0.5]])
    )
    assert counted.tree_.threshold.tolist() == summed.tree_.threshold.tolist()
    assert counted.tree_.feature.tolist() == summed.tree_.feature.tolist()
    assert counted.objective_ == pytest.approx(summed.objective_)


def test_a_value_and_missing_ones_are_not_two_values() -> None:
    X = np.array([[1.0, 0.0]] * 6 + [[np.nan, 1.0]] * 2 + [[1.0, 1.0]] * 2)
    y = [0] * 6 + [1] * 2 + [0] * 2
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.objective_ == 0
    assert model.tree_.feature[0] == 0
    assert model.predict(X).tolist() == y


# ---- limits --------------------------------------------------------------------------------------


def hard_table(n: int = 4000, p: int = 12) -> tuple[Any, Any]:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(n, p))
    return X, (X[:, :4].sum(axis=1) + draw.normal(size=n) * 2 > 0).astype(int)


def test_time_limit_holds_and_the_gap_is_told() -> None:
    X, y = hard_table()
    start = process_time()  # a busy machine makes others wait, and this clock as well
    model = tw.OptimalTreeClassifier(max_depth=4, time_limit=0.5, n_jobs=1).fit(X, y)
    assert process_time() - start < 4 * 0.5  # to its end it would take minutes
    assert not model.optimal_
    assert 0 <= model.lower_bound_ < model.objective_
    assert model.gap_ == model.objective_ - model.lower_bound_
    assert (model.predict(X) != y).mean() == pytest.approx(model.objective_)
    stump = tw.OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert model.objective_ <= stump.objective_


def test_no_time_at_all_gives_a_tree() -> None:
    X, y = hard_table(200)
    model = tw.OptimalTreeClassifier(time_limit=0).fit(X, y)
    assert not model.optimal_
    assert model.lower_bound_ <= model.objective_ <= 0.5


@pytest.mark.parametrize("depth", [3, 6])  # sets of columns are counted, or cuts searched
def test_a_table_is_not_read_once_time_is_out(depth: int) -> None:
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, (10_000, 300)).astype(float), draw.integers(0, 2, 10_000)
    model = tw.OptimalTreeClassifier(max_depth=depth, time_limit=0, n_jobs=1)
    dataset = model._dataset(X, y, None)
    seconds = []
    for work in (0, None):
        recipe = model.set_params(time_limit=None if work == 0 else 0, work_limit=work)._recipe(
            dataset.schema
        )
        start = process_time()
        for _ in range(5):
            recipe.solve(dataset, 1)
        seconds.append(process_time() - start)
    reading, nothing = seconds
    assert nothing < 0.5 * reading


def test_work_limit_is_the_same_everywhere() -> None:
    X, y = hard_table(1000)
    models = [tw.OptimalTreeClassifier(work_limit=2000, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 1)]
    assert not models[0].optimal_
    for model in models[1:]:
        assert model.tree_ == models[0].tree_
        assert (model.objective_, model.lower_bound_, model.n_solved_) == (
            models[0].objective_,
            models[0].lower_bound_,
            models[0].n_solved_,
        )
    more = tw.OptimalTreeClassifier(work_limit=20000).fit(X, y)
    assert more.objective_ <= models[0].objective_
    assert more.lower_bound_ >= models[0].lower_bound_


def test_bounds_never_cross_the_optimum() -> None:
    X, y = hard_table(300, 4)
    best = tw.OptimalTreeClassifier().fit(X, y)
    assert best.optimal_
    for work in (0, 1, 10, 100, 1000):
        model = tw.OptimalTreeClassifier(work_limit=work).fit(X, y)
        assert model.lower_bound_ <= best.objective_ <= model.objective_
        assert not model.optimal_ or model.objective_ == best.objective_


def test_memory_limit_ends_the_search_and_says_so() -> None:
    X, y = hard_table(600, 6)
    with pytest.warns(UserWarning, match="memory_limit=20000 ended the search"):
        model = tw.OptimalTreeClassifier(max_depth=4, memory_limit=20_000, time_limit=30).fit(X, y)
    assert model.memory_limited_
    assert not model.optimal_
    assert (model.predict(X) != y).mean() == pytest.approx(model.objective_)
    enough = tw.OptimalTreeClassifier(max_depth=2, memory_limit=10**9).fit(X, y)
    assert enough.optimal_
    assert not enough.memory_limited_


def test_control_c_raises_or_keeps() -> None:
    X, y = hard_table()
    with interrupted_after(0.3):
        tw.OptimalTreeClassifier(max_depth=5).fit(X, y)
    with pressed_after(0.3):
        model = tw.OptimalTreeClassifier(max_depth=5, on_interrupt="keep").fit(X, y)
    assert not model.optimal_
    assert model.gap_ > 0


@pytest.mark.parametrize("jobs", [2, 8])
def test_the_tree_does_not_depend_on_threads(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.growing.grow_tree._available_cores", lambda: 8)
    X, y = hard_table(300, 5)
    X[:, 3] = X[:, 3].round()
    one = tw.OptimalTreeClassifier(n_jobs=1).fit(X, y)
    many = tw.OptimalTreeClassifier(n_jobs=jobs).fit(X, y)
    assert one.tree_ == many.tree_
    assert one.objective_ == many.objective_


def test_every_set_of_instructions_gives_the_same_trees() -> None:
    script = Path(__file__).parents[1] / "helpers" / "optimal_digest.py"
    running = [
        subprocess.Popen(
            [sys.executable, script],
            env=os.environ | {"TREEWRIGHT_INSTRUCTIONS": most},
            stdout=subprocess.PIPE,
            text=True,
        )
        for most in ("portable", "avx2", "any")
    ]
    digests = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(digests) == 1


# ---- estimators ----------------------------------------------------------------------------------


@parametrize_with_checks([tw.OptimalTreeClassifier(), tw.OptimalTreeRegressor()])  # type: ignore[untyped-decorator]
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_raw_mixed_table() -> None:
    X, y = tw.datasets.load_labor()
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.optimal_
    assert (model.predict(X) != y).mean() == pytest.approx(model.objective_)
    assert str(model.explain(X.iloc[:1]))
    assert str(model.tree_)
    assert len(model.rules()) == model.tree_.n_leaves


def test_files_keep_the_proof(tmp_path: Any) -> None:
    X, y = tw.datasets.load_iris()
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    frontier = model.frontier_
    model.save(tmp_path / "best.tw")
    same = tw.load(tmp_path / "best.tw")
    for name in ("objective_", "lower_bound_", "gap_", "optimal_", "n_solved_", "memory_limited_"):
        assert getattr(same, name) == getattr(model, name)
    assert same.tree_ == model.tree_
    assert same.frontier_ == frontier
    with pytest.raises(AttributeError, match="root_choices_ is worked out from the training rows"):
        same.root_choices_  # noqa: B018
    assert pickle.loads(pickle.dumps(model)).frontier_ == frontier


def test_a_look_at_the_model_starts_no_search() -> None:
    model = tw.OptimalTreeClassifier(max_depth=1).fit([[0, 1], [1, 1]], [0, 1])
    before = set(vars(model))
    assert model._repr_html_()
    assert not {"frontier_", "root_choices_"} & set(dir(model))
    assert set(vars(model)) == before
    assert model.frontier_ == {1: 0.5, 2: 0.0}
    assert "frontier_" in dir(model)
    shown = model._repr_html_()  # by scikit-learn, whose older versions list no attributes
    assert ("frontier_" in shown) == ("objective_" in shown)
    assert "root_choices_" not in dir(model)


def test_a_pruned_tree_makes_no_claims() -> None:
    X, y = tw.datasets.load_iris()
    model = tw.OptimalTreeClassifier().fit(X, y)
    pruned = tw.prune(model, tw.pruning.CostComplexity(0.02))
    assert pruned.tree_.n_leaves < model.tree_.n_leaves
    assert not hasattr(pruned, "optimal_")


def test_limits_on_leaves_and_depth_together() -> None:
    X, y = tw.datasets.load_iris()
    objectives = [tw.OptimalTreeClassifier(max_leaf_nodes=k).fit(X, y).objective_ for k in range(1, 9)]
    assert all(a >= b for a, b in pairwise(objectives))
    assert objectives == pytest.approx(list(tw.OptimalTreeClassifier().fit(X, y).frontier_.values()))
    deep = tw.OptimalTreeClassifier(max_depth=None, max_leaf_nodes=4).fit(X, y)
    assert deep.tree_.n_leaves <= 4
    assert deep.objective_ <= objectives[3]


@pytest.mark.parametrize("seed", range(12))
def test_trees_without_mistakes_have_the_fewest_leaves(seed: int) -> None:
    """A limit of as many leaves changes nothing; one leaf less, and some row is mistaken."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(int(draw.integers(30, 150)), 3)).round(1)
    inner = X[:, 1] > draw.normal(), X[:, 2] > draw.normal()
    y = np.where(X[:, 0] > 0, inner[0], inner[1] & (X[:, 1] < 0.5)) + 2 * (inner[0] & (X[:, 2] > 1))
    model = tw.OptimalTreeClassifier(max_depth=4).fit(X, y)
    leaves = model.get_n_leaves()
    assert model.objective_ == 0
    for limit in (leaves, leaves + 1):
        same = tw.OptimalTreeClassifier(max_depth=4, max_leaf_nodes=limit).fit(X, y)
        assert same.tree_ == model.tree_
    assert tw.OptimalTreeClassifier(max_depth=4, max_leaf_nodes=leaves - 1).fit(X, y).objective_ > 0


def test_priors_and_balanced_weights_are_factors_on_classes() -> None:
    X, y = hard_table(300, 3)
    y[:40] = 1
    balanced = tw.OptimalTreeClassifier(class_weight="balanced", max_depth=2).fit(X, y)
    equal = tw.OptimalTreeClassifier(priors=[0.5, 0.5], max_depth=2).fit(X, y)
    assert balanced.objective_ == pytest.approx(equal.objective_)
    labels = equal.predict(X)
    shares = [(labels[y == c] != c).mean() for c in (0, 1)]
    assert equal.objective_ == pytest.approx(np.mean(shares))


def test_zero_weights_change_nothing() -> None:
    X, y = hard_table(300, 3)
    weight = (np.arange(300) % 3 > 0).astype(float)
    some = tw.OptimalTreeClassifier(max_depth=2).fit(X, y, weight)
    kept = tw.OptimalTreeClassifier(max_depth=2).fit(X[weight > 0], y[weight > 0])
    assert some.tree_ == kept.tree_


def test_whole_weights_are_repeated_rows() -> None:
    draw = np.random.default_rng(3)
    X, y = draw.integers(0, 6, (60, 3)).astype(float), draw.integers(0, 2, 60)
    weight = draw.integers(1, 4, 60)
    weighed = tw.OptimalTreeClassifier().fit(X, y, weight)
    repeated = tw.OptimalTreeClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighed.objective_ == pytest.approx(repeated.objective_)
    assert (weighed.tree_.feature == repeated.tree_.feature).all()
    assert (weighed.tree_.threshold == repeated.tree_.threshold).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_depth": 0}, "'max_depth' parameter .* must be an int in the range"),
        ({"max_depth": None}, "may be None only if 'max_leaf_nodes'"),
        ({"alpha": -1}, "'alpha' parameter"),
        ({"time_limit": -0.1}, "'time_limit' parameter"),
        ({"on_interrupt": "stop"}, "'on_interrupt' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.OptimalTreeClassifier(**parameters).fit([[1], [2]], [0, 1])


def test_one_row_one_class_and_no_columns_that_differ() -> None:
    assert tw.OptimalTreeClassifier().fit([[1.0]], ["a"]).predict([[2.0]]).tolist() == ["a"]
    alike = tw.OptimalTreeClassifier().fit([[1.0], [1.0]], ["a", "b"])
    assert alike.objective_ == 0.5
    assert alike.optimal_
    assert tw.OptimalTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0]).objective_ == 0.0


def test_frontier_plots_beside_other_trees() -> None:
    pytest.importorskip("matplotlib")
    X, y = tw.datasets.load_iris()
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    greedy = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    ax = model.frontier_.plot(greedy.tree_, labels=("greedy",))
    assert [line.get_label() for line in ax.get_lines()] == ["optimal", "greedy"]
    assert not any(isnan(value) for value in model.frontier_.values())


def test_clone_and_parameters() -> None:
    model = tw.OptimalTreeClassifier(max_depth=2, alpha=0.01, time_limit=3)
    assert clone(model).get_params() == model.get_params()


def test_the_command_line_fits_and_compares_them(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = tw.datasets.load_iris()
    X.assign(species=y).to_csv(tmp_path / "iris.csv", index=False)
    table, out = str(tmp_path / "iris.csv"), str(tmp_path / "best.tw")
    assert main(["fit", table, "-t", "species", "--algorithm", "optimal", "--max-depth", "2", "-o", out]) == 0
    model = tw.load(out)
    assert isinstance(model, tw.OptimalTreeClassifier)
    assert model.objective_ == pytest.approx(6 / 150)
    capsys.readouterr()
    line = ["compare", table, "-t", "species", "--pruners", "none", "--max-depth", "2", "--folds", "3"]
    assert main([*line, "--learners", "optimal"]) == 0
    assert "optimal" in capsys.readouterr().out
    assert main(line) == 0
    shown = capsys.readouterr().out
    assert "\noptimal " not in shown
    assert "--learners tree,optimal" in shown  # how to add them
