"""What the presets share with every learner: pruners, cross-validation, traces, predicates, competitors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from helpers.oracles import ORACLES, program_table
from helpers.tables import golf
from treewright import datasets
from treewright.data import Dataset
from treewright.pruning import CostComplexity, EarlyStopping, ReducedError
from treewright.tree.splits import branch_of

REDUCED_ERROR = [json.loads(line) for line in (ORACLES / "j48_reduced_error.jsonl").read_text().splitlines()]

SMALL: dict[str, Any] = {"cp": 0.0, "min_samples_split": 4, "min_samples_leaf": 2, "cv": None}
PRESETS = [
    (tw.C45Classifier(), "diabetes"),  # without holes, as the test sends whole rows down one branch
    (tw.C45Classifier(compat="j48"), "diabetes"),
    (tw.CARTClassifier(**SMALL), "labor"),
    (tw.CARTClassifier(**SMALL, priors=[0.8, 0.2]), "labor"),
    (tw.CARTClassifier(**SMALL, compat="rpart"), "labor"),
]


# reduced-error pruning, as J48 -R


@pytest.mark.parametrize("record", REDUCED_ERROR, ids=[f"{r['table']}-{r['parts']}" for r in REDUCED_ERROR])
def test_j48_with_reduced_error_pruning_same_tree(record: Any) -> None:
    X, y = program_table(record["table"])
    model = tw.C45Classifier(
        compat="j48", pruner="reduced_error", holdout=1 / record["parts"], **record["parameters"]
    ).fit(X, y)
    assert (len(model.tree_), model.tree_.n_leaves) == (record["size"], record["n_leaves"])
    np.testing.assert_allclose(model.predict_proba(X)[: len(record["shares"])], record["shares"], atol=1e-6)


def test_rows_kept_aside_are_not_grown_on() -> None:
    X, y = program_table("vote")
    model = tw.C45Classifier(pruner=ReducedError(), holdout=0.25).fit(X, y)
    assert model.tree_.count[0] == pytest.approx(0.75 * len(X), abs=1)
    assert model.report_ is not None
    again = tw.C45Classifier(pruner="reduced_error", holdout=0.25, random_state=1).fit(X, y)
    assert again.tree_ != model.tree_  # grown on other rows


# cross-validation regrows by the preset's own rules


@pytest.mark.parametrize(("preset", "name"), PRESETS, ids=str)
def test_cross_validated_pruning_judges_trees_of_the_same_preset(preset: Any, name: str) -> None:
    model, (X, y) = clone(preset), program_table(name)
    folds = np.arange(len(X)) % 4
    pruned = tw.prune(model.fit(X, y), CostComplexity(cv=tuple(folds.tolist())), X, y)
    alpha = pruned.path_.alpha
    steps = np.sqrt(alpha * np.append(alpha[1:], np.inf))
    lost = np.zeros(len(alpha))
    of_class = dict.fromkeys(y.cat.categories, 1.0)
    total = 0.0
    for fold in range(4):
        inside, outside = folds != fold, folds == fold
        grown = clone(model).fit(X[inside], y[inside])
        if getattr(model, "priors", None) is not None:
            share = y[inside].value_counts(normalize=True)
            of_class = {name: p / share[name] for name, p in zip(y.cat.categories, model.priors, strict=True)}
        weight = y[outside].map(of_class).to_numpy(float)
        total += weight.sum()
        for k, step in enumerate(steps):
            small = tw.prune(grown, CostComplexity(step if np.isfinite(step) else 1e9))
            lost[k] += weight @ (np.asarray(small.predict(X[outside])) != y[outside].to_numpy())
    np.testing.assert_allclose(pruned.path_.held_out, lost / total, atol=1e-12)


def test_early_stopping_by_cross_validation_works_on_presets() -> None:
    X, y = program_table("diabetes")
    for model in (tw.C45Classifier(pruner=None), tw.CARTClassifier(cp=0.0, cv=None)):
        stopped = tw.prune(model.fit(X, y), EarlyStopping(cv=4), X, y)
        assert 1 < stopped.get_n_leaves() < model.get_n_leaves()


def test_pruners_are_compared_on_the_grown_tree_of_c45() -> None:
    X, y = program_table("vote")
    lines = tw.compare_pruners(tw.C45Classifier(), X, y, cv=3, pruners=["error_based", "reduced_error"])
    grown = tw.compare_pruners(tw.C45Classifier(pruner=None, collapse=False), X, y, cv=3, pruners=[])
    assert lines["unpruned"].leaves == grown["unpruned"].leaves > lines["error_based"].leaves


# the learner's own account


def test_trace_of_c45_has_the_figures_of_the_book() -> None:
    """Quinlan (1993, §2.2): outlook gains 0.246 bits at a split information of 1.577, a ratio of 0.156."""
    model = tw.C45Classifier(trace=True).fit(*datasets.load_tennis())
    root = model.trace_[0]
    outlook, temperature, humidity, wind = root.candidates
    assert outlook.chosen
    assert (outlook.gain, outlook.split_information) == pytest.approx((0.246, 1.577), abs=1e-3)
    merits = [candidate.merit for candidate in root.candidates]
    assert merits == pytest.approx([0.156, 0.019, 0.152, 0.049], abs=1e-3)
    average = np.mean([candidate.gain for candidate in root.candidates])
    assert temperature.gain < wind.gain < average < humidity.gain
    assert root.reason == (
        "its gain ratio of 0.156 is the largest, before Humidity with 0.152; "
        "Temperature and Wind are not compared: a gain below the average of 0.119"
    )


def test_trace_of_c45_counts_missing_rows_as_the_book_does() -> None:
    """Quinlan (1993, §3.2): without the outlook of one case the gain is 0.199, the ratio 0.110."""
    X, y = golf()
    X.loc[5, "outlook"] = np.nan
    candidate = tw.C45Classifier(trace=True).fit(X, y).trace_[0].candidates[0]
    assert candidate.feature == "outlook"
    assert candidate.missing == pytest.approx(1.0)
    assert candidate.gain == pytest.approx(0.199, abs=1e-3)  # of the known rows, times their share
    assert candidate.gain_ratio == pytest.approx(candidate.merit) == pytest.approx(0.110, abs=1e-3)


def test_trace_of_c45_tells_of_the_tree_before_pruning() -> None:
    X, y = program_table("vote")
    model = tw.C45Classifier(trace=True).fit(X, y)
    assert len(model.trace_) > len(model.tree_)
    plain = tw.C45Classifier().fit(X, y)
    np.testing.assert_array_equal(plain.tree_.node_value, model.tree_.node_value)
    leaf = next(account for account in model.trace_ if not account.decision.startswith("split"))
    assert leaf.reason


def test_trace_of_cart_compares_improvements() -> None:
    X, y = program_table("labor")
    model = tw.CARTClassifier(trace=True, min_samples_split=10, min_samples_leaf=3, cv=None).fit(X, y)
    for account in model.trace_:
        for candidate in account.candidates:
            assert candidate.merit == pytest.approx(account.weight * candidate.gain, abs=1e-9)
    stopped = [account for account in model.trace_ if "limits" in account.reason]
    assert stopped
    assert "min_samples_split=10, min_samples_leaf=3, cp=0.01" in stopped[0].reason
    assert stopped[0].candidates  # what it had to choose from


@pytest.mark.parametrize("learner", [tw.ID3Classifier, tw.C45Classifier, tw.CARTClassifier])
def test_lectures_come_out_through_every_preset(learner: Any) -> None:
    """All three ask PlayTennis for the outlook first."""
    given = {"min_samples_split": 2, "min_samples_leaf": 1} if learner is tw.CARTClassifier else {}
    model = learner(trace=True, **given).fit(*datasets.load_tennis())
    assert model.trace_[0].decision == "split on Outlook"
    assert "split on Outlook" in str(model.trace_)
    assert "Outlook" in model.trace_.to_html()


# predicates and competitors


@pytest.mark.parametrize("learner", [tw.C45Classifier, tw.CARTClassifier])
def test_predicates_are_offered_to_presets(learner: Any, tmp_path: Path) -> None:
    """A diagonal border takes many cuts, but one question of both features."""
    draw = np.random.default_rng(0)
    X = pd.DataFrame(draw.random((300, 2)), columns=["width", "height"])
    y = np.where(X.width > X.height, "wide", "tall")
    plain = learner().fit(X, y)
    model = learner(predicates={"wider": "width > height"}).fit(X, y)
    assert (model.get_n_leaves(), plain.get_n_leaves() > 2) == (2, True)
    assert model.tree_[0].split.condition(model.tree_.schema, 1) == "wider"
    model.save(tmp_path / "model.tw")
    again: Any = tw.load(tmp_path / "model.tw")
    assert again.predict(X).tolist() == y.tolist()


def test_predicates_are_offered_to_id3() -> None:
    X, y = datasets.load_tennis()
    model = tw.ID3Classifier(predicates={"fine": "Outlook == 'Overcast'"}).fit(X, y)
    assert "fine" in model.tree_.schema.names


def test_nodes_of_c45_remember_competitors() -> None:
    X, y = datasets.load_tennis()
    model = tw.C45Classifier(max_competitors=2, pruner=None).fit(X, y)
    tree = model.tree_
    assert [X.columns[split.feature] for split in tree[0].competitors] == ["Humidity", "Wind"]
    assert tree.competitors.score[:2] == pytest.approx([0.152, 0.049], abs=1e-3)


# surrogates and competitors, of any learner


@pytest.mark.parametrize("name", ["stagec", "labor"])
@pytest.mark.parametrize(
    "learner",
    [
        tw.DecisionTreeClassifier(missing="surrogate", max_depth=3, min_samples_leaf=5, max_competitors=2),
        tw.CARTClassifier(min_samples_split=10, min_samples_leaf=5, max_competitors=2, cv=None),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_nodes_show_surrogates_with_both_agreements(learner: Any, name: str, tmp_path: Path) -> None:
    """At the root, where all rows are: counted again, row by row."""
    X, y = program_table(name)
    model = clone(learner).fit(X, y)
    rows = Dataset.from_table(X, y, task="classification")
    node = model.tree_[0]
    way = branch_of(node.split, rows)
    known = way >= 0
    majority = np.bincount(way[known]).max() / known.sum()
    assert len(node.surrogates) == len(node.adjusted_agreements) > 0
    for surrogate, agreement, adjusted in zip(
        node.surrogates, node.agreements, node.adjusted_agreements, strict=True
    ):
        share = (branch_of(surrogate, rows)[known] == way[known]).mean()
        assert agreement == pytest.approx(share)
        assert adjusted == pytest.approx((share - majority) / (1 - majority))
    assert len(node.competitors) == len(node.competitor_merits) == 2
    assert sorted(node.competitor_merits, reverse=True) == node.competitor_merits
    described = model.tree_.to_dict()
    assert described["surrogates"][0]["adjusted_agreement"] == node.adjusted_agreements[0]
    assert described["competitors"][1]["merit"] == node.competitor_merits[1]
    model.save(tmp_path / "model.tw")
    again: Any = tw.load(tmp_path / "model.tw")
    assert again.tree_ == model.tree_
    assert again.tree_[0].adjusted_agreements == node.adjusted_agreements
    assert again.tree_.collapse([]) == model.tree_
    bare = replace(model.tree_, splits=replace(model.tree_.splits, adjusted=None))
    assert bare != model.tree_
    assert bare[0].adjusted_agreements == []


def test_a_tree_without_surrogates_has_no_adjusted_agreements() -> None:
    tree = tw.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_
    assert tree.splits.adjusted is None
    assert tree[0].adjusted_agreements == []


def test_forests_of_trees_with_and_without_surrogates_go_to_files(tmp_path: Path) -> None:
    X, y = program_table("stagec")
    forest = tw.RandomForestClassifier(n_estimators=5, missing="surrogate", max_depth=2, random_state=0).fit(
        X, y
    )
    forest.save(tmp_path / "forest.tw")
    again: Any = tw.load(tmp_path / "forest.tw")
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))
