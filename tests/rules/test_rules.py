"""Rules: what they say of a tree, how they are pruned and chosen, and what they are worth."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.utils.estimator_checks import check_estimator

import treewright as tw
from helpers.explaining import hand_made, mixed_table
from lectures.slow import post_pruned, preconditions
from treewright import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, RuleClassifier, datasets
from treewright.errors import ModelFileError
from treewright.evaluation import cross_validate
from treewright.persistence.container import read_model, write_model
from treewright.pruning import expected_errors
from treewright.rules import Rule, RuleSet, extract_rules
from treewright.rules.mdl_selection import THEORY_WEIGHT, choose, rule_bits
from treewright.rules.pruning import LabelledRows, Pruning
from treewright.tree.conditions import Interval, Values
from treewright.tree.splits import Hyperplane, Sphere

ONE_BRANCH = ["direction", "available", "value", "mean", "median", "mode", "class_mode", "ignore"]
"""The policies that send a row which misses a value down one branch."""


# ---- extraction ----------------------------------------------------------------------------------------


def test_the_rules_of_play_tennis_are_those_of_the_book() -> None:
    X, y = datasets.load_tennis()
    rules = tw.ID3Classifier().fit(X, y).rules()
    assert str(rules).splitlines()[0] == "IF Outlook = Sunny AND Humidity = High THEN No  (3 rows, 100 %)"
    assert [(rule.label, rule.count) for rule in rules] == [(0, 3), (1, 2), (1, 4), (1, 3), (0, 2)]
    assert (rules.predict(X) == y).all()


@pytest.mark.parametrize("policy", ONE_BRANCH)
@pytest.mark.parametrize("splits", [("threshold", "subset"), ("threshold", "multiway")])
def test_rules_cover_every_row_once_and_say_what_the_tree_says(policy: str, splits: tuple[str, ...]) -> None:
    X, y = mixed_table(seed=0, n_rows=150)
    model = DecisionTreeClassifier(missing=policy, splits=splits).fit(X[:100], y[:100])
    rules = model.rules()
    rows = rules.encode(X)
    times = np.zeros(len(X), int)
    for rule in rules:
        times[rule.covers(rows)] += 1
    assert (times == 1).all()
    assert rules.predict(X).tolist() == model.predict(X).tolist()
    assert rules.predict_proba(X) == pytest.approx(model.predict_proba(X))


def test_rules_of_a_regression_tree_predict_its_numbers() -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    assert model.rules().predict(X) == pytest.approx(model.predict(X))


def test_conditions_on_a_feature_are_joined() -> None:
    X, y = datasets.load_iris()
    for rule in DecisionTreeClassifier().fit(X, y).rules():
        features = [condition.features for condition in rule.conditions]
        assert len(features) == len(set(features))


def test_long_lists_of_categories_are_told_by_what_they_leave_out() -> None:
    schema = tw.data.Schema((tw.data.Column("c", "categorical", tuple("abcdef")),))
    assert Values(0, frozenset(range(5))).words(schema) == "c ≠ f"
    assert Values(0, frozenset(range(4))).words(schema) == "c not in {e, f}"
    assert Values(0, frozenset([0, 2, 4])).words(schema) == "c in {a, c, e}"
    assert Values(0, frozenset(range(6))).words(schema) == "c is known"


def test_rules_of_planes_and_spheres_cover_what_the_tree_sends() -> None:
    splits = [Hyperplane((0, 1), (1.0, 2.0), 3.0), Sphere((0, 1), (5.0, 5.0), (1.0, 1.0), 4.0)]
    tree = hand_made(splits, [-1, 0, 0, 2, 2], 3)
    X = np.random.default_rng(0).uniform(0, 8, (200, 2))
    leaf, rules = tree.apply(X), extract_rules(tree)
    for rule, node in zip(rules, (1, 3, 4), strict=True):
        assert rule.covers(rules.encode(X)).tolist() == np.flatnonzero(leaf == node).tolist()


# ---- pruning -------------------------------------------------------------------------------------------


def labelled_of(X: Any, y: Any, rules: RuleSet) -> LabelledRows:
    return rules.labelled(X, y)


def naive_prune(rule: Rule, labelled: LabelledRows) -> list[Any]:
    """Drop tests one by one as the book describes it, counting all rows anew each time."""
    tests = [part or whole for whole in rule.conditions for part in whole.weaker()]

    def error(kept: list[Any]) -> float:
        covered = np.ones(len(labelled), bool)
        for test in kept:
            covered &= test.holds(labelled.rows)
        n, wrong = covered.sum(), (labelled.target[covered] != rule.label).sum()
        return float(expected_errors(n, wrong) / n)

    while tests:
        shorter = [tests[:i] + tests[i + 1 :] for i in range(len(tests))]
        best = min(shorter, key=error)
        if error(best) > error(tests) * (1 + 1e-12):
            break
        tests = best
    return tests


@pytest.mark.parametrize("seed", range(3))
def test_a_rule_is_pruned_as_the_book_describes_it(seed: int) -> None:
    X, y = mixed_table(seed, n_rows=120, holes=0.0)
    rules = DecisionTreeClassifier().fit(X, y).rules()
    labelled = labelled_of(X, y, rules)
    for rule in rules:
        shorter, error = Pruning().prune(rule, labelled)
        expected = naive_prune(rule, labelled)
        covered = np.ones(len(labelled), bool)
        for test in expected:
            covered &= test.holds(labelled.rows)
        assert shorter.n_tests == len(expected)
        assert shorter.covers(labelled.rows).tolist() == np.flatnonzero(covered).tolist()
        assert error == pytest.approx(expected_errors(shorter.weight, shorter.risk) / shorter.weight)


@pytest.mark.parametrize("seed", range(12))
def test_weights_count_as_rows(seed: int) -> None:
    X, y = mixed_table(5, n_rows=80, holes=0.1)
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    rules = DecisionTreeClassifier(max_depth=4, random_state=seed).fit(X, y, weight).rules()
    repeated = np.repeat(np.arange(len(X)), weight)
    by_weight, by_rows = rules.prune(X, y, weight), rules.prune(X.iloc[repeated], y[repeated])
    words = [str(rule.premise(rules.schema)) for rule in by_weight]
    assert words == [str(rule.premise(rules.schema)) for rule in by_rows]
    assert [rule.weight for rule in by_weight] == [rule.weight for rule in by_rows]


def description(rules: list[Rule], label: int, labelled: LabelledRows) -> float:
    """Bits of a set of rules for a class, written anew from the book."""
    covered = np.zeros(len(labelled), bool)
    for rule in rules:
        covered[rule.covers(labelled.rows)] = True
    is_class = labelled.target == label
    n, wrong = int(covered.sum()), int((covered & ~is_class).sum())
    left_out = int((~covered & is_class).sum())
    exceptions = math.log2(math.comb(n, wrong)) + math.log2(math.comb(len(labelled) - n, left_out))
    theory = sum(rule_bits(rule, labelled) for rule in rules) - math.log2(math.factorial(len(rules)))
    return exceptions + THEORY_WEIGHT * max(theory, 0.0)


def test_no_other_choice_of_rules_takes_fewer_bits() -> None:
    X, y = datasets.load_iris()
    rules = DecisionTreeClassifier().fit(X, y).rules()
    labelled = labelled_of(X, y, rules)
    pruned = [Pruning().prune(rule, labelled)[0] for rule in rules]
    chosen = choose(pruned, labelled)
    for label in range(3):
        own = [rule for rule in pruned if rule.label == label]
        subsets = itertools.chain.from_iterable(itertools.combinations(own, n) for n in range(len(own) + 1))
        least = min(description(list(subset), label, labelled) for subset in subsets)
        found = description([rule for rule in chosen if rule.label == label], label, labelled)
        assert found == pytest.approx(least)


def test_held_out_rows_shorten_rules_that_fit_noise() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] > 0) ^ (rng.random(600) < 0.2)
    model = DecisionTreeClassifier(min_samples_leaf=5, ties="first").fit(X[:400], y[:400])
    pruned = model.rules().prune(X[400:], y[400:], estimate="smoothed")
    assert len(pruned) < len(model.rules()) / 3
    fresh = rng.normal(size=(5000, 4))
    truth = fresh[:, 0] > 0
    assert (pruned.predict(fresh) == truth).mean() > (model.predict(fresh) == truth).mean() + 0.1


# ---- rule post-pruning, as the lecture has it -------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_holdout_is_rule_post_pruning_step_by_step(weighted: bool) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)

        def table(n_rows: int, rng: np.random.Generator = rng) -> pd.DataFrame:
            values = {name: rng.choice(list("uvw"), n_rows) for name in "abc"}
            return pd.DataFrame({n: pd.Categorical(v, categories=list("uvw")) for n, v in values.items()})

        X, V = table(14), table(12)
        y, v = (rng.integers(0, 2 + seed % 2, n).tolist() for n in (14, 12))
        weight = rng.integers(1, 4, 12).tolist() if weighted else [1.0] * 12
        rules = tw.ID3Classifier().fit(X, y).rules()
        known = [label in y for label in v]
        V, v = V[known], [label for label in v if label in y]
        weight = [one for one, keep in zip(weight, known, strict=True) if keep]
        slow = post_pruned(
            [(preconditions(rule, rules.schema), rules.schema.classes[rule.label]) for rule in rules],
            V,
            v,
            weight,
        )
        fast = rules.prune(V, v, weight, estimate="holdout")
        assert len(fast) == len(rules)
        for rule, (tests, label, accuracy) in zip(fast, slow, strict=True):
            assert preconditions(rule, fast.schema) == tests
            assert fast.schema.classes[rule.label] == label
            assert (rule.confidence if rule.weight > 0 else 0.0) == pytest.approx(accuracy)
        firsts = []
        for row in range(len(X)):
            fits = (label for tests, label, _ in slow if all(X[n].iloc[row] == value for n, value in tests))
            firsts.append(next(fits))
        assert fast.predict(X).tolist() == firsts


def test_a_condition_goes_only_if_the_accuracy_rises() -> None:
    """100 % with both conditions, 75 % without the second: both stay."""
    X = pd.DataFrame({"b": list("vvww"), "c": list("wuwu")}, dtype="category")
    V = pd.DataFrame({"b": list("vvvvww"), "c": list("wuuuww")}, dtype="category")
    rules = tw.ID3Classifier().fit(X, [1, 0, 0, 0]).rules()
    pruned = rules.prune(V, [1, 1, 1, 0, 0, 0], estimate="holdout")
    said = str(pruned).splitlines()
    assert said[0] == "IF b = v AND c = w THEN 1  (1 row, 100 %)"
    assert len(pruned) == len(rules) == 3
    smoothed = rules.prune(V, [1, 1, 1, 0, 0, 0], estimate="smoothed", choose=False)
    assert "IF b = v THEN 1  (4 rows, 75 %)" in str(smoothed)


def test_rules_that_cover_no_held_out_row_stay_and_come_last(tmp_path: Path) -> None:
    X = pd.DataFrame({"a": list("uuvv"), "b": list("uvuv")}, dtype="category")
    rules = tw.ID3Classifier().fit(X, ["no", "yes", "yes", "no"]).rules()
    pruned = rules.prune(X[:1], ["no"], estimate="holdout")
    assert [rule.count for rule in pruned] == [1, 0, 0, 0]
    assert np.isfinite(pruned.predict_proba(X)).all()
    assert pruned.predict_proba(X[2:3]).tolist() == [[0.0, 1.0]]
    pruned.save(tmp_path / "rules.tw")
    assert str(tw.load(tmp_path / "rules.tw")) == str(pruned)


def test_choosing_by_description_length_may_follow_post_pruning() -> None:
    X, y = datasets.load_votes()
    rules = DecisionTreeClassifier().fit(X[::2], y[::2]).rules()
    every = rules.prune(X[1::2], y[1::2], estimate="holdout")
    chosen = rules.prune(X[1::2], y[1::2], estimate="holdout", choose=True)
    assert len(chosen) < len(every) == len(rules)
    model = RuleClassifier(tree=DecisionTreeClassifier(), estimate="holdout").fit(X, y)
    assert (model.predict(X) == y).mean() > 0.9


def test_post_pruning_of_numbers_lowers_the_squared_error() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0, 1.0, 0.0) + rng.normal(size=300) * 0.5
    rules = DecisionTreeRegressor(min_samples_leaf=5).fit(X[:200], y[:200]).rules()
    pruned = rules.prune(X[200:], y[200:], estimate="holdout")
    assert len(pruned) == len(rules)
    errors = [rule.risk / rule.weight if rule.weight > 0 else np.inf for rule in pruned]
    assert errors == sorted(errors)
    assert {rule.value[0] for rule in pruned} == {rule.value[0] for rule in rules}
    assert sum(rule.n_tests for rule in pruned) < sum(rule.n_tests for rule in rules)
    first = pruned.rules[0]
    covered = first.covers(pruned.encode(X[200:]))
    assert first.risk == pytest.approx(((y[200:][covered] - first.value[0]) ** 2).sum())


def test_no_rule_is_kept_without_which_fewer_rows_are_wrong() -> None:
    X, y = mixed_table(2, n_rows=200, holes=0.0)
    pruned = DecisionTreeClassifier().fit(X, y).rules().prune(X, y)
    wrong = (pruned.predict(X) != y).sum()
    for place in range(len(pruned)):
        fewer = pruned.rules[:place] + pruned.rules[place + 1 :]
        without = RuleSet(pruned.schema, fewer, pruned.default, pruned.value, pruned.weight)
        assert (without.predict(X) != y).sum() >= wrong


def test_rules_for_numbers_get_shorter_and_stay_about_as_good() -> None:
    X, y = datasets.load_mpg()
    y = np.asarray(y, float)
    order = np.random.default_rng(0).permutation(len(X))
    losses, tests = [], []
    for fold in range(5):
        held = np.isin(np.arange(len(X)), order[fold::5])
        model = DecisionTreeRegressor(min_samples_leaf=10).fit(X[~held], y[~held])
        rules = model.rules()
        pruned = rules.prune(X[~held], y[~held])
        losses.append([np.mean((one.predict(X[held]) - y[held]) ** 2) for one in (model, pruned)])
        tests.append([np.mean([rule.n_tests for rule in one]) for one in (rules, pruned)])
    of_tree, of_rules = np.sqrt(np.mean(losses, axis=0))
    assert of_rules < 1.1 * of_tree
    assert np.mean(tests, axis=0)[1] < 0.9 * np.mean(tests, axis=0)[0]


def tables() -> dict[str, tuple[Any, Any]]:
    found = {
        name: getattr(datasets, f"load_{name}")() for name in ("tennis", "cars", "iris", "labor", "votes")
    }
    for load in (load_wine, load_breast_cancer):
        bunch = load(as_frame=True)
        found[load.__name__] = (bunch.data, bunch.target)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "tree", [C45Classifier(pruner=None, collapse=False), DecisionTreeClassifier()], ids=repr
)
def test_rules_are_no_less_accurate_than_their_tree(tree: Any) -> None:
    right = {}
    for name, (X, labels) in tables().items():
        y = np.asarray(labels)
        folds = LeaveOneOut() if len(X) < 20 else StratifiedKFold(10, shuffle=True, random_state=0)
        scores = []
        for growing, held in folds.split(X, y):
            model = clone(tree).fit(X.iloc[growing], y[growing])
            rules = model.rules().prune(X.iloc[growing], y[growing])
            scores.append([np.mean(one.predict(X.iloc[held]) == y[held]) for one in (model, rules)])
        right[name] = np.mean(scores, axis=0)
        better = np.diff(scores, axis=1)
        chance = better.std(ddof=1) / math.sqrt(len(better))
        assert better.mean() >= -2 * chance, (name, right[name])
    of_tree, of_rules = np.mean(list(right.values()), axis=0)
    assert of_rules >= of_tree, right


# ---- the estimator, files ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_the_estimator_passes_the_checks_of_scikit_learn() -> None:
    check_estimator(RuleClassifier())


def test_rows_kept_aside_judge_the_rules() -> None:
    X, y = datasets.load_votes()
    model = RuleClassifier(tree=DecisionTreeClassifier(), estimate="holdout", random_state=3).fit(X, y)
    assert model.ruleset_.weight == 145  # a third of 435
    assert (model.predict(X) == y).mean() > 0.93


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cf": 1.0}, "'cf' parameter of RuleClassifier must be a float"),
        ({"tree": 3}, "a classifier of treewright"),
    ],
)
def test_bad_parameters_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RuleClassifier(**settings).fit([[1], [2]], [0, 1])


def test_prune_names_a_bad_estimate() -> None:
    X, y = datasets.load_tennis()
    with pytest.raises(ValueError, match=r"Unknown estimate 'pesimistic'.*Did you mean 'pessimistic'"):
        tw.ID3Classifier().fit(X, y).rules().prune(X, y, estimate="pesimistic")  # type: ignore[arg-type]


def saved_rules() -> dict[str, RuleSet]:
    X, y = mixed_table(1, n_rows=100)
    planes = [Hyperplane((0, 1), (1.0, 2.0), 3.0), Sphere((0, 1), (5.0, 5.0), (1.0, 1.0), 4.0)]
    mpg = datasets.load_mpg()
    return {
        "mixed": DecisionTreeClassifier(splits=("threshold", "multiway")).fit(X, y).rules(),
        "pruned": DecisionTreeClassifier().fit(X, y).rules().prune(X, y),
        "numbers": DecisionTreeRegressor(max_depth=4).fit(*mpg).rules().prune(*mpg),
        "planes": extract_rules(hand_made(planes, [-1, 0, 0, 2, 2], 3)),
        "one leaf": DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).rules(),
    }


@pytest.mark.parametrize("name", list(saved_rules()))
def test_rules_come_back_from_a_file_as_they_were(name: str, tmp_path: Path) -> None:
    rules = saved_rules()[name]
    rules.save(tmp_path / "rules.tw")
    same = tw.load(tmp_path / "rules.tw")
    assert isinstance(same, RuleSet)
    assert str(same) == str(rules)
    assert same.to_dict() == rules.to_dict()
    assert [rule.conditions for rule in same] == [rule.conditions for rule in rules]


def test_a_rule_classifier_comes_back_from_a_file(tmp_path: Path) -> None:
    X, y = datasets.load_votes()
    model = RuleClassifier(cf=0.1).fit(X, y)
    model.save(tmp_path / "model.tw")
    same = tw.load(tmp_path / "model.tw")
    assert isinstance(same, RuleClassifier)
    assert same.cf == 0.1
    assert same.predict(X).tolist() == model.predict(X).tolist()
    assert same.feature_names_in_.tolist() == model.feature_names_in_.tolist()


@pytest.mark.parametrize(
    ("array", "entry", "value"),
    [
        ("rule_label", 0, 7),
        ("rule_label", 0, -1),
        ("rule_begin", 1, 2**40),
        ("rule_begin", -2, 0),
        ("rule_value", 0, math.nan),
        ("rule_weight", 0, -1.0),
        ("condition_feature", 0, 99),
        ("condition_feature", 0, 2),
        ("condition_kind", 0, 9),
        ("condition_kind", 0, 1),
        ("condition_low", 0, math.nan),
        ("condition_missing", 0, 2),
        ("condition_pool_index", 0, -1),
        ("condition_pool_index", 0, 10**6),
        ("condition_pool_begin", 1, -5),
        ("weight", 0, 0.0),
    ],
)
def test_a_forged_file_is_refused(array: str, entry: int, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "rules.tw"
    X, y = mixed_table(1, n_rows=100)
    X = X[["a", "b", "c", "d"]]
    rules = DecisionTreeClassifier(splits=("threshold", "multiway")).fit(X, y).rules()
    ordered = sorted(rules, key=lambda rule: not isinstance(rule.conditions[0], Interval))
    RuleSet(rules.schema, tuple(ordered), rules.default, rules.value, rules.weight).save(path)
    header, arrays = read_model(path)
    changed = {name: one.copy() for name, one in arrays.items()}
    changed[array].reshape(-1)[entry] = value
    write_model(path, header, changed)
    with pytest.raises(ModelFileError, match="the model is broken"):
        tw.load(path)


# ---- output ----------------------------------------------------------------------------------------------


def test_tables_hold_cover_confidence_and_lift() -> None:
    X, y = datasets.load_tennis()
    rules = tw.ID3Classifier().fit(X, y).rules()
    first = rules.to_dict()["rules"][0]
    assert (first["cover"], first["confidence"], first["lift"]) == pytest.approx((3 / 14, 1.0, 14 / 5))
    assert rules.table().splitlines()[1].split()[:6] == ["1", "No", "3", "0.214", "1.000", "2.800"]


def test_names_are_escaped_in_markdown_and_html() -> None:
    X = pd.DataFrame({"a|b<i>": [1.0, 2.0]})
    rules = DecisionTreeClassifier().fit(X, ["<b>", "c"]).rules()
    assert "<i>" not in rules.to_html()
    assert "a\\|b" in rules.to_markdown()


def test_rules_judged_by_held_out_rows_are_cross_validated() -> None:
    X, y = tw.datasets.load_iris()
    model = tw.RuleClassifier(estimate="holdout")
    found = cross_validate(model, X, y, n_folds=3)
    assert found.evaluation.n_rows == 150
    assert found.evaluation.error < 0.1
    frame = pd.DataFrame(np.asarray(X), columns=list("abcd"))
    named = model.fit(frame, pd.Series(np.asarray(y), dtype="category"))
    assert named.feature_names_in_.tolist() == list("abcd")


def test_a_class_of_one_row_is_learned_although_rows_are_held_out() -> None:
    for seed in range(20):
        y = np.array([0] * 10 + [1] * 4 + [2])
        X = np.arange(15.0)[:, None]
        assert tw.RuleClassifier(estimate="holdout", random_state=seed).fit(X, y).classes_.tolist() == [
            0,
            1,
            2,
        ]
