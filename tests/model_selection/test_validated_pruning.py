"""Pruning fitted models and while fitting: what is held out, what is remembered, what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import treewright as tw
from treewright import pruning
from treewright.data import Dataset
from treewright.data.folds import fold_numbers, holdout_split
from treewright.errors import DataError
from treewright.pruning import CostComplexity, MinimalSize


def noisy(seed: int = 0, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (rng.random(n) < 0.2)
    return X, y


# ---- parting rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5, 0.9])
def test_what_is_kept_aside_has_the_shares_of_the_classes(share):
    y = np.repeat([0, 1, 2], [100, 60, 20])
    rows = Dataset.from_table(np.arange(180.0)[:, None], y, task="classification")
    rest, aside = holdout_split(rows, share, seed=3)
    assert len(rest) + len(aside) == 180
    assert not set(rest.numbers[:, 0]) & set(aside.numbers[:, 0])
    counts = np.bincount(aside.target, minlength=3)
    assert np.all(np.abs(counts - share * np.array([100, 60, 20])) <= 1)


def test_parting_is_by_the_seed():
    rows = Dataset.from_table(np.arange(60.0)[:, None], np.arange(60.0), task="regression")
    first, again, other = (holdout_split(rows, 1 / 3, seed)[1].target for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_folds_have_the_shares_of_the_classes():
    y = np.repeat([0, 1, 2], [101, 57, 13])
    rows = Dataset.from_table(np.arange(171.0)[:, None], y, task="classification")
    folds = fold_numbers(rows, 5, seed=0)
    for label, count in ((0, 101), (1, 57), (2, 13)):
        in_folds = np.bincount(folds[y == label], minlength=5)
        assert np.all(np.abs(in_folds - count / 5) < 1)
    assert np.ptp(np.bincount(folds)) <= 1


def test_too_few_rows_to_part_are_refused():
    with pytest.raises(ValueError, match="2 rows are too few to keep a share"):
        tw.DecisionTreeClassifier(pruner="reduced_error").fit([[1], [2]], ["a", "b"])
    with pytest.raises(ValueError, match="2 rows cannot be parted in 10 folds"):
        tw.DecisionTreeClassifier(pruner="cost_complexity").fit([[1], [2]], ["a", "b"])


# ---- pruning while fitting -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", pruning.PRUNERS)
def test_every_pruner_works_by_its_name(name):
    X, y = noisy()
    model = tw.DecisionTreeClassifier(pruner=name, random_state=0).fit(X, y)
    full = tw.DecisionTreeClassifier(random_state=0).fit(X, y)
    assert model.get_n_leaves() <= full.get_n_leaves()
    assert model.pruner_ == pruning.PRUNERS[name]()
    assert len(model.report_) > 0
    assert str(model.report_).startswith(str(model.pruner_))
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    assert str(again.report_) == str(model.report_)


def test_a_third_is_kept_aside_for_those_that_need_it():
    X, y = noisy()
    model = tw.DecisionTreeClassifier(pruner=pruning.ReducedError(), random_state=5).fit(X, y)
    assert model.tree_.count[0] == 200
    half = tw.DecisionTreeClassifier(pruner=pruning.ReducedError(), holdout=0.5, random_state=5).fit(X, y)
    assert half.tree_.count[0] == 150
    none = tw.DecisionTreeClassifier(pruner=pruning.Pessimistic(), random_state=5).fit(X, y)
    assert none.tree_.count[0] == 300
    rest, aside = holdout_split(Dataset.from_table(X, y, task="classification"), 1 / 3, seed=5)
    grown = tw.grow(rest, tw.Recipe("gini", ties="random", random_state=5))
    assert model.tree_ == pruning.ReducedError()(grown, aside)


def test_the_same_seed_gives_the_same_tree():
    X, y = noisy()
    trees = [
        tw.DecisionTreeClassifier(pruner="reduced_error", random_state=s).fit(X, y).tree_ for s in (1, 1, 2)
    ]
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


def test_a_pruner_survives_clone_and_grid_search():
    X, y = noisy()
    model = tw.DecisionTreeClassifier(pruner=pruning.CostComplexity(cv=5, se=1), random_state=0)
    assert clone(model).pruner == model.pruner
    assert cross_val_score(model, X, y, cv=3).mean() > 0.6


def test_fitting_again_without_a_pruner_forgets_the_report():
    X, y = noisy()
    model = tw.DecisionTreeClassifier(pruner="cost_complexity", random_state=0).fit(X, y)
    assert model.path_ is not None
    model.set_params(pruner="pessimistic").fit(X, y)
    assert not hasattr(model, "path_")
    model.set_params(pruner=None).fit(X, y)
    assert not hasattr(model, "pruner_")
    assert not hasattr(model, "report_")


def test_regression_trees_are_pruned_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.sign(X[:, 0]) + rng.normal(size=300)
    for pruner in ("reduced_error", "cost_complexity", "minimal_size", pruning.ReducedError("greedy")):
        model = tw.DecisionTreeRegressor(pruner=pruner, random_state=0).fit(X, y)
        assert 1 < model.get_n_leaves() < 60
        assert model.score(X, y) > 0.3


def test_a_function_is_a_pruner():
    X, y = noisy()
    stump = tw.DecisionTreeClassifier(pruner=lambda tree: tree.collapse(tree.node_depth == 1)).fit(X, y)
    assert stump.get_n_leaves() == 2
    assert stump.report_ is None


def test_an_own_pruner_that_says_so_gets_a_holdout():
    class Counting:
        needs = "holdout"

        def __call__(self, tree, rows):
            self.n_rows = len(rows)
            return tree.collapse([0])

    X, y = noisy()
    own = Counting()
    assert tw.DecisionTreeClassifier(pruner=own).fit(X, y).get_n_leaves() == 1
    assert own.n_rows == 100


@pytest.mark.parametrize(
    ("pruner", "said"),
    [
        ("reduced", "Did you mean 'reduced_error'"),
        (3, "'pruner' parameter"),
        (pruning.ReducedError, "'pruner' parameter"),
    ],
)
def test_what_is_no_pruner_is_refused(pruner, said):
    X, y = noisy()
    with pytest.raises(ValueError, match=said):
        tw.DecisionTreeClassifier(pruner=pruner).fit(X, y)
    with pytest.raises(ValueError, match="'holdout' parameter"):
        tw.DecisionTreeClassifier(holdout=1.5).fit(X, y)


def test_a_class_is_no_pruner_for_prune_either():
    X, y = noisy()
    model = tw.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(TypeError, match=r"an instance such as Pessimistic\(\)"):
        tw.prune(model, pruning.Pessimistic)


# ---- pruning afterwards ----------------------------------------------------------------------------------


def test_prune_leaves_the_model_alone_and_says_who_pruned():
    X, y = noisy()
    model = tw.DecisionTreeClassifier().fit(X[:200], y[:200])
    before = model.tree_
    pruned = tw.prune(model, pruning.ReducedError(), X[200:], y[200:])
    assert model.tree_ is before
    assert not hasattr(model, "pruner_")
    assert pruned.pruner_ == pruning.ReducedError()
    assert pruned.get_params() == model.get_params()
    assert pruned.score(X[200:], y[200:]) >= model.score(X[200:], y[200:])
    twice = tw.prune(pruned, "pessimistic")
    assert twice.pruner_ == pruning.Pessimistic()
    assert twice.get_n_leaves() <= pruned.get_n_leaves()


@pytest.mark.parametrize("pruner", ["pessimistic", "reduced_error", pruning.CostComplexity(alpha=0.02)])
def test_a_tree_is_pruned_as_its_model_is(pruner: Any) -> None:
    X, y = tw.datasets.load_iris()
    model = tw.DecisionTreeClassifier().fit(X[::2], y[::2])
    rows = (X[1::2], y[1::2]) if pruner == "reduced_error" else ()
    pruned = tw.prune(model.tree_, pruner, *rows)
    assert isinstance(pruned, tw.Tree)
    assert pruned.n_leaves < model.tree_.n_leaves
    assert pruned == tw.prune(model, pruner, *rows).tree_
    assert tw.simplify(model.tree_) == tw.simplify(model).tree_


def test_grow_and_prune_without_an_estimator() -> None:
    X, y = tw.datasets.load_iris()
    rows = Dataset.from_table(X, y, task="classification")
    grown = tw.grow(rows.take(np.arange(0, 150, 2)), tw.Recipe("gini"))
    held_out = rows.take(np.arange(1, 150, 2))
    assert tw.prune(grown, "reduced_error", held_out) == tw.prune(grown, "reduced_error", X[1::2], y[1::2])
    with pytest.raises(DataError, match="nobody says how this one was grown"):
        tw.prune(grown, CostComplexity(cv=5), held_out)


def test_labels_text_categories_and_missing_values_are_read_as_the_model_reads_them():
    X, y = tw.datasets.load_labor(frame="pandas")
    model = tw.DecisionTreeClassifier(random_state=0).fit(X.iloc[:40], y.iloc[:40])
    pruned = tw.prune(model, pruning.ReducedError(), X.iloc[40:], y.iloc[40:])
    assert pruned.score(X.iloc[40:], y.iloc[40:]) >= model.score(X.iloc[40:], y.iloc[40:])
    reordered = pd.Series(y.iloc[40:].astype(str).to_numpy())
    same = tw.prune(model, pruning.ReducedError(), X.iloc[40:], reordered.to_numpy())
    assert same.tree_ == pruned.tree_


def test_held_out_rows_of_an_unknown_class_decide_nothing():
    X, y = noisy()
    model = tw.DecisionTreeClassifier().fit(X[:200], y[:200])
    labels = y[200:].copy()
    labels[::5] = 7
    pruned = tw.prune(model, pruning.ReducedError(), X[200:], labels)
    known = labels != 7
    assert pruned.tree_ == tw.prune(model, pruning.ReducedError(), X[200:][known], labels[known]).tree_
    with pytest.raises(ValueError, match="no row of a class that DecisionTreeClassifier knows: 0, 1"):
        tw.prune(model, pruning.ReducedError(), X[200:], np.full(100, 9))


def test_weights_of_held_out_rows_count():
    X, y = noisy()
    model = tw.DecisionTreeClassifier().fit(X[:200], y[:200])
    times = np.random.default_rng(0).integers(0, 4, 100)
    weighted = tw.prune(model, pruning.ReducedError(), X[200:], y[200:], sample_weight=times)
    repeated = tw.prune(
        model, pruning.ReducedError(), np.repeat(X[200:], times, axis=0), np.repeat(y[200:], times)
    )
    assert weighted.tree_ == repeated.tree_


def test_class_weights_count_on_held_out_rows():
    X, y = noisy(3)
    model = tw.DecisionTreeClassifier(class_weight={0: 5.0, 1: 1.0}).fit(X[:200], y[:200])
    pruned = tw.prune(model, pruning.ReducedError(), X[200:], y[200:])
    by_hand = tw.prune(
        tw.prune(model, lambda tree: tree),
        lambda tree: pruning.ReducedError()(
            tree,
            Dataset(
                tree.schema,
                X[200:],
                np.empty((100, 0), np.int32),
                y[200:].astype(np.int32),
                np.where(y[200:] == 0, 5.0, 1.0),
            ),
        ),
    )
    assert pruned.tree_ == by_hand.tree_


def test_prune_without_the_rows_it_needs_says_which():
    X, y = noisy()
    model = tw.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"ReducedError\(\) needs held-out rows"):
        tw.prune(model, pruning.ReducedError())
    with pytest.raises(ValueError, match="needs the training rows"):
        tw.prune(model, pruning.CostComplexity(cv=5))
    with pytest.raises(ValueError, match="y has 99 rows, X has 100"):
        tw.prune(model, pruning.ReducedError(), X[:100], y[:99])
    with pytest.raises(ValueError, match="infinity in column 'x1'"):
        tw.prune(model, pruning.ReducedError(), np.array([[0, np.inf, 0, 0]]), [1])


def test_an_unfitted_model_is_refused():
    with pytest.raises(AttributeError, match="not fitted"):
        tw.prune(tw.DecisionTreeClassifier(), "pessimistic")


def test_presets_are_pruned_too():
    X, y = tw.datasets.load_tennis()
    model = tw.ID3Classifier().fit(X, y)
    for name in ("pessimistic", "minimum_error", "chi_square", "description_length", "structural_risk"):
        assert tw.prune(model, name).get_n_leaves() <= model.get_n_leaves()
    raised = tw.prune(model, pruning.ErrorBased(), X, y)
    assert raised.tree_.node_value[0].tolist() == model.tree_.node_value[0].tolist()


# ---- the report ------------------------------------------------------------------------------------------


def test_the_report_is_what_one_would_write_on_the_board():
    X, y = tw.datasets.load_tennis()
    model = tw.ID3Classifier(pruner=pruning.Pessimistic()).fit(X, y)
    lines = str(model.report_).splitlines()
    assert lines[0] == "Pessimistic(): errors + 0.5 · leaves, and 1 standard error for the subtree"
    assert lines[1].split() == ["node", "split", "subtree", "leaf", "decision"]
    assert lines[2].split()[:2] == ["0", "Outlook"]  # more than two branches: the feature
    assert {line.split()[-1] for line in lines[2:]} <= {"keep", "collapse"}


def test_a_long_report_is_shortened_when_printed():
    rng = np.random.default_rng(0)
    model = tw.DecisionTreeClassifier().fit(rng.normal(size=(900, 3)), rng.integers(0, 2, 900))
    report = pruning.ErrorBased(raising=False).prune(model.tree_).report
    assert len(report) > 100
    printed = str(report).splitlines()
    assert len(printed) == 2 + 60 + 1
    assert f"… {len(report) - 60} decisions more …" in printed
    assert len(report.text().splitlines()) == 2 + len(report)


@pytest.mark.parametrize(
    "pruner", [CostComplexity(holdout=True), MinimalSize(select="holdout"), "reduced_error"]
)
@pytest.mark.parametrize("n_rows", [3, 4, 5, 6])
def test_every_class_is_learned_of_the_fewest_rows(pruner: Any, n_rows: int) -> None:
    """Of a class of one row none is held out: its weight would be unknown."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(n_rows, 2)), np.r_[0, 1, rng.integers(0, 2, n_rows - 2)]
        model = tw.DecisionTreeClassifier(class_weight="balanced", pruner=pruner, random_state=seed).fit(X, y)
        assert (model.tree_.node_value[0] > 0).all()


def test_held_out_rows_that_weigh_nothing_are_told_of() -> None:
    model = tw.DecisionTreeClassifier(class_weight={0: 0.0, 1: 1.0}, pruner=CostComplexity(holdout=True))
    with pytest.raises(DataError, match="the held-out rows weigh nothing"):
        model.fit([[1.0], [2.0], [3.0]], [0, 0, 1])
