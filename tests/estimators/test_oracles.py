"""treewright against the recorded answers of scikit-learn and Weka in `oracles/`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.oracles import ORACLES, load


def recorded(program: str) -> list[Any]:
    """One parameter set, named dataset-option, for every recorded answer of a program."""
    return [
        pytest.param(path.stem, option, id=f"{path.stem}-{option}")
        for path in sorted(ORACLES.glob("*.json"))
        for option in json.loads(path.read_text()).get(program, {})
    ]


def same_partition(ours: Any, theirs: Any) -> bool:
    """Whether two labellings of the rows group them alike."""
    pairs = set(zip(ours, theirs, strict=True))
    return len(pairs) == len(set(ours)) == len(set(theirs))


# scikit-learn


def fit_like_sklearn(name: str, option: str) -> tuple[Any, pd.DataFrame, pd.Series, Any, dict[str, Any]]:
    table, target, record = load(name)
    answer = record["sklearn"][option]
    settings = dict(answer["settings"])
    weight = np.arange(len(table)) % 3 + 1.0 if settings.pop("sample_weight_rule", None) else None
    learner = tw.DecisionTreeRegressor if answer["task"] == "regression" else tw.DecisionTreeClassifier
    table = table[answer["features"]]
    return learner(**settings).fit(table, target, sample_weight=weight), table, target, weight, answer


@pytest.mark.parametrize(("name", "option"), recorded("sklearn"))
def test_sklearn_same_tree_up_to_ties(name: str, option: str) -> None:
    """Walk both trees together: where they part, our split must be one of the equally good ones."""
    model, table, _, _, answer = fit_like_sklearn(name, option)
    tree, theirs = model.tree_, answer["arrays"]
    numbers = table.to_numpy()
    pairs = [(0, 0, np.arange(len(numbers)))]
    while pairs:
        ours, node, rows = pairs.pop()
        assert tree.count[ours] == theirs["n_node_samples"][node]
        assert tree.weight[ours] == pytest.approx(theirs["weighted_n_node_samples"][node], rel=1e-9)
        # scikit-learn's sums drift: a pure node under class weights may keep an impurity of about 1e-15.
        assert tree.impurity[ours] == pytest.approx(theirs["impurity"][node], rel=1e-9, abs=1e-12)
        if tree.n_children[ours] == 0:
            assert theirs["children_left"][node] == -1 or theirs["impurity"][node] < 1e-12
            continue
        at = tree.split_begin[ours]
        feature, threshold = int(tree.splits.feature[at]), float(tree.splits.threshold[at])
        left = numbers[rows, feature] <= threshold
        their_left = numbers[rows, theirs["feature"][node]] <= theirs["threshold"][node]
        if np.array_equal(left, their_left):
            first, second = tree.children(ours)
            pairs.append((first, theirs["children_left"][node], rows[left]))
            pairs.append((second, theirs["children_right"][node], rows[~left]))
        else:
            tied = answer["tied_best_splits"].get(str(node), [])
            assert any(feature == f and threshold == pytest.approx(t, rel=1e-6) for f, t in tied), (
                f"node {node}: x{feature} <= {threshold} is neither their split nor tied with it"
            )


@pytest.mark.parametrize(("name", "option"), recorded("sklearn"))
def test_sklearn_same_quality_size_and_pruning(name: str, option: str) -> None:
    model, table, target, weight, answer = fit_like_sklearn(name, option)
    tree, theirs = model.tree_, answer["arrays"]
    their_leaf = np.array(theirs["children_left"]) == -1
    their_weight = np.array(theirs["weighted_n_node_samples"])
    their_impurity = float((their_weight * theirs["impurity"])[their_leaf].sum() / their_weight[0])
    is_leaf = np.asarray(tree.n_children) == 0
    our_impurity = float((tree.weight * tree.impurity)[is_leaf].sum() / tree.weight[0])
    size = len(theirs["feature"])
    if answer["tied_best_splits"]:  # below a tie broken the other way nothing need match but quality and size
        assert our_impurity <= their_impurity * 1.05 + 1e-9
        assert abs(tree.node_count - size) <= max(2, 0.15 * size)
        return
    assert tree.node_count == size
    assert our_impurity == pytest.approx(their_impurity, rel=1e-9, abs=1e-12)
    assert same_partition(model.apply(table).tolist(), answer["apply"])
    if "ccp_alphas" in answer:
        path = model.cost_complexity_pruning_path(table, target, sample_weight=weight)
        np.testing.assert_allclose(path.ccp_alphas, answer["ccp_alphas"], rtol=1e-6, atol=1e-12)


# Weka


@pytest.mark.parametrize(("name", "option"), recorded("id3"))
def test_id3_same_tree_as_weka(name: str, option: str) -> None:
    table, target, record = load(name)
    known = table.notna().all(axis=1) & target.notna()
    table, target = table[known].reset_index(drop=True), target[known].reset_index(drop=True)
    answer = record["id3"][option]
    model = tw.ID3Classifier(compat="weka").fit(table, target)
    tree = model.tree_
    assert (tree.node_count, tree.n_leaves) == (answer["size"], answer["n_leaves"])
    pairs = [(0, answer["tree"])]
    while pairs:
        node, theirs = pairs.pop()
        if "feature" not in theirs:
            assert tree.n_children[node] == 0
            if theirs["class"] is None:
                assert tree.count[node] == 0
            else:
                assert str(model.classes_[np.argmax(tree.node_value[node])]) == theirs["class"]
            continue
        split = tree.split_begin[node]
        assert table.columns[tree.splits.feature[split]] == theirs["feature"]
        assert tree.n_children[node] == len(theirs["values"])
        pairs += zip(tree.children(node), theirs["branches"], strict=True)
    if answer["predicted"] is not None:
        expected = np.array(answer["predicted"])
        classified = expected >= 0
        predicted = np.asarray(model.predict(table)).astype(str)
        assert (predicted[classified] == np.array(answer["classes"])[expected[classified]]).all()
