"""Trees that are grown on the page, in Node.js: beside the trace and the trees of the library."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.explorer.page import page_content

CANDIDATES = """
const { Model } = await import("./model/model.js");
const { candidates } = await import("./model/candidates.js");
const model = new Model(given.content);
answer(given.rows.map((places) =>
  candidates(model, places.map((place) => model.rows[place]), given.measure, given.multiway).map((one) => ({
    feature: model.features[one.split.feature].name,
    gain: one.gain,
    rows: one.tallies.map(({ rows }) => rows),
    missing: one.missing,
  }))));
"""

GROWN = """
const { Model } = await import("./model/model.js");
const { OwnTree, grown, written, readSplits } = await import("./model/own_tree.js");
const { scoreOf, fairHalf } = await import("./model/score.js");
const model = new Model(given.content);
const half = fairHalf(model);
const empty = new OwnTree(model, half.training, new Map(), given.measure);
const tree = grown(empty, given.levels, false);
const again = readSplits(model, half.training, written(tree.splits), given.levels, given.measure);
const made = tree.asModel();
answer({
  tree: made.content.tree,
  cuts: tree.nodes.map(({ split }) => split?.threshold ?? null),
  score: scoreOf(made, half.held).share,
  predicted: half.held.map(({ values }) => made.classes ? made.classOf(values) : made.predict(values)[0]),
  same: JSON.stringify(again.content()) === JSON.stringify(tree.content()),
  held: half.held.map(({ id }) => id),
  text: written(tree.splits),
  hostile: ["", "r_99_1", "r0_0_1", "r_0_NaN", "r_0_1e999", "r_0_c9", "*".repeat(9), "<b>"].map((text) =>
    readSplits(model, half.training, text, 3, given.measure).splits.size),
});
"""


def content_of(model, X, y, **settings) -> dict:
    settings = {"validation": None, "cv": None, "max_rows": 10_000, "title": None} | settings
    return json.loads(json.dumps(page_content(model, X, y, **settings)))


@pytest.mark.parametrize("table", ["tennis", "mushrooms", "cars", "votes"])
def test_candidates_gain_what_the_trace_says(run_in_node, table) -> None:
    X, y = getattr(tw.datasets, f"load_{table}")()
    X, y = X.reset_index(drop=True), y.reset_index(drop=True)
    missing = {"missing": "available"} if table == "votes" else {}
    model = tw.ID3Classifier(trace=True, max_depth=4, **missing).fit(X, y)
    nodes = [node for node in model.trace_ if node.candidates]
    rows = [np.asarray([record.row for record in node.records]).tolist() for node in nodes]
    given = {"content": content_of(model, X, y), "rows": rows, "measure": "entropy", "multiway": True}
    assert len(nodes) > 1
    for node, found in zip(nodes, run_in_node(CANDIDATES, given), strict=True):
        ours = {one["feature"]: one for one in found}
        assert [one["gain"] for one in found] == sorted((one["gain"] for one in found), reverse=True)
        for candidate in node.candidates:
            shown = ours[candidate.feature]
            assert shown["gain"] == pytest.approx(candidate.gain, abs=1e-12)
            assert shown["missing"] == candidate.missing
            assert sum(shown["rows"]) == sum(branch.weight for branch in candidate.branches)


@pytest.mark.parametrize("kind", ["numbers", "two classes", "three classes"])
def test_two_groups_of_categories_are_the_best_there_are(run_in_node, kind) -> None:
    random = np.random.default_rng(4)
    X = pd.DataFrame({"colour": pd.Categorical(random.choice(list("abcdefgh"), 400))})
    height = X["colour"].cat.codes.map(dict(enumerate(random.normal(size=8)))).to_numpy()
    noisy = height + random.normal(size=400)
    y = noisy if kind == "numbers" else np.digitize(noisy, [0] if kind == "two classes" else [-0.5, 0.5])
    make = tw.DecisionTreeRegressor if kind == "numbers" else tw.DecisionTreeClassifier
    model = make(max_depth=1).fit(X, y)
    measure = "variance" if kind == "numbers" else "Gini"
    given = {"content": content_of(model, X, y), "rows": [list(range(400))], "measure": measure}
    ((found,),) = run_in_node(CANDIDATES, given | {"multiway": False})
    assert found["gain"] == pytest.approx(model.tree_.merit[0])
    assert sorted(found["rows"]) == sorted(model.tree_.count[1:].tolist())


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_tree_of_the_page_is_the_tree_of_the_library(run_in_node, kind) -> None:
    random = np.random.default_rng(2)
    X, target = random.normal(size=(300, 4)), random.normal(size=300)
    target = target + 2 * (X[:, 1] > 0.2) - (X[:, 2] < 0)
    y = target if kind == "numbers" else np.digitize(target, [0, 1])
    make = tw.DecisionTreeRegressor if kind == "numbers" else tw.DecisionTreeClassifier
    model = make(max_depth=3, ties="first").fit(X[:200], y[:200])
    content = content_of(model, X[:200], y[:200], validation=(X[200:], y[200:]))
    measure = "variance" if kind == "numbers" else "Gini"
    found = run_in_node(GROWN, {"content": content, "measure": measure, "levels": 3})
    tree = model.tree_
    assert found["tree"]["parent"] == tree.parent.tolist()
    assert found["tree"]["count"] == tree.count.tolist()
    assert found["tree"]["merit"] == pytest.approx(tree.merit.tolist())
    assert found["tree"]["impurity"] == pytest.approx(tree.impurity.tolist(), abs=1e-12)
    assert found["tree"]["value"] == pytest.approx(tree.node_value.ravel().tolist())
    own = [None if tree.is_leaf(node) else tree[node].split.threshold for node in range(len(tree))]
    assert found["cuts"] == own
    assert found["predicted"] == pytest.approx(model.predict(X[200:]).tolist())
    assert found["score"] == pytest.approx(model.score(X[200:], y[200:]))
    assert found["same"]
    assert found["hostile"] == [0] * 8


def test_rows_are_held_out_where_none_were_given(run_in_node) -> None:
    X, y = tw.datasets.load_cars()
    content = content_of(tw.C45Classifier().fit(X, y), X, y)
    found = run_in_node(GROWN, {"content": content, "measure": "entropy", "levels": 4})
    assert len(found["held"]) == len(X) // 3
    assert found["held"] != list(range(len(X) // 3))
    assert found["same"]
    assert all("_c" in part for part in found["text"].split("*"))  # cars have categories only
    assert 0 <= found["score"] <= 1
