"""The page of a forest: tree by tree, and what all of them say."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from treewright import RandomForestClassifier, RandomForestRegressor, datasets, explore
from treewright.data import Dataset
from treewright.explain import mean_movement, shapley_values
from treewright.explorer.mean_shap import movement


def content(page) -> dict:
    return json.loads(re.search(r'id="content" type="application/json">(.*?)</script>', page.html)[1])


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_forest_is_walked_tree_by_tree_and_votes_as_it_predicts(read, vote) -> None:
    X, y = datasets.load_iris()
    model = RandomForestClassifier(n_estimators=12, vote=vote, max_depth=3, random_state=0).fit(X, y)
    reader = read(explore(model, X, y))
    reader.open("forest")
    assert reader.page.locator(".squares button").count() == 12
    error = model.error_curve(X, y).error[-1]
    assert f"share of errors of {round(100 * error, 1):g}\xa0%" in reader.text("#panel-forest")
    for row in (0, 70, 133):
        reader.open("rows")
        reader.page.locator("#panel-rows tbody button").nth(row).click()
        reader.open("forest")
        said = model.predict(X[row : row + 1])[0]
        assert reader.text("#panel-forest .says") == f"the forest says {said}"
        shares = reader.page.locator("#panel-forest .votes tbody tr").all_inner_texts()
        share = model.predict_proba(X[row : row + 1]).max()
        assert f"{round(100 * share)}\xa0%" in shares[0].replace(">99", "100")
        votes = [tree.predict(X[row : row + 1])[0] for tree in model.estimators_]
        assert f"{votes.count(said)} tree" in shares[0]
    reader.page.get_by_role("button", name="tree 5 says").click()
    assert reader.page.locator("#forest input").input_value() == "5"
    assert f"leaves of {model.estimators_[4].get_n_leaves()}" in reader.text("#path-words")
    leaf = model.estimators_[4].apply(X[133:134])[0]
    assert reader.text("#card h2") == f"Leaf {leaf}"
    reader.page.get_by_role("button", name="the next tree").click()
    assert f"leaves of {model.estimators_[5].get_n_leaves()}" in reader.text("#path-words")
    reader.open("rows")
    said = reader.page.locator("#panel-rows tbody tr td:nth-child(3)").all_inner_texts()
    assert said == model.predict(X).tolist()  # by the forest, and beside it by the tree that is shown
    said = reader.page.locator("#panel-rows tbody tr td:nth-child(4)").all_inner_texts()
    assert said == model.estimators_[5].predict(X).tolist()
    address = reader.page.url
    assert "tree=5" in address
    reader.page.goto("about:blank")
    reader.page.goto(address)
    reader.page.wait_for_selector("body[data-ready]")
    assert f"leaves of {model.estimators_[5].get_n_leaves()}" in reader.text("#path-words")


def test_a_forest_of_numbers_shows_what_each_tree_says(read) -> None:
    X, y = datasets.load_mpg()
    model = RandomForestRegressor(n_estimators=8, max_leaf_nodes=6, random_state=0).fit(X, y)
    reader = read(explore(model, X, y))
    reader.open("rows")
    reader.page.locator("#panel-rows tbody button").nth(3).click()
    reader.open("forest")
    said = float(model.predict(X[3:4])[0])
    assert reader.text("#panel-forest .says").startswith(f"the forest says {said:.4g} ±")
    reader.open("what-if")
    assert reader.page.locator("#panel-what-if form").evaluate(
        "form => [...form.childNodes].every((child) => child.nodeType === Node.ELEMENT_NODE)"
    )
    assert reader.page.locator("#panel-forest .vote").count() == 8


@pytest.mark.filterwarnings("ignore:feature")  # impurity favours one, as the page shows
def test_a_forest_ranks_features_by_what_all_trees_say(read) -> None:
    X, y = datasets.load_iris()
    model = RandomForestClassifier(n_estimators=7, random_state=0).fit(X, y)
    reader = read(explore(model, X, y))
    reader.open("forest")
    table = reader.page.locator("#panel-forest .importances")
    names = ["feature", "impurity", "shuffled", "SHAP", "asked first by"]
    assert table.locator("thead th").all_inner_texts() == names
    found = {line.split("\t")[0]: line.split("\t") for line in table.locator("tbody tr").all_inner_texts()}
    importances = model.importances(X, y)
    values = 0.0
    for tree in (member.tree_ for member in model.estimators_):
        rows = Dataset(tree.schema, *tree.schema.encode(X))
        values += shapley_values(tree, rows, tree.node_value / tree.node_value.sum(axis=1, keepdims=True)) / 7
    moved = mean_movement(values)
    for place, name in enumerate(importances.names):
        _, impurity, shuffled, shap, _ = found[name]
        assert float(impurity.split()[0]) == pytest.approx(importances.impurity[place], rel=0.06)
        assert float(shuffled.split()[0]) == pytest.approx(importances.permutation[place], rel=0.06)
        assert float(shap) == pytest.approx(moved[place], rel=0.06)


def test_a_large_forest_says_how_many_trees_were_asked() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(3000, 6)), random.integers(0, 2, 3000)
    model = RandomForestClassifier(n_estimators=12, random_state=0).fit(X, y)
    trees = list(model._fitted_trees())
    rows = Dataset(trees[0].schema, *trees[0].schema.encode(X))
    each = movement(trees[:1], rows)
    found = movement(trees, rows, work=3_000_000)
    assert each["trees"] == 1
    assert each["rows"] == 1000
    assert 1 < found["trees"] < 12
    assert found["rows"] >= 50


def test_votes_are_those_of_all_trees_also_if_the_page_holds_few(read) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 4))
    y = np.where(X[:, 0] + random.normal(size=400) > 0, "yes", "no")
    model = RandomForestClassifier(n_estimators=60, random_state=0).fit(X, y)
    page = explore(model, X, y, cv=None, max_rows=50)
    assert len(content(page)["forest"]["trees"]) + 1 < 60
    reader = read(page)
    for place in (3, 20):
        reader.open("rows")
        reader.page.locator("#panel-rows tbody button").nth(place).click()
        row = int(reader.page.locator("#panel-rows tbody button").nth(place).inner_text())
        reader.open("forest")
        votes = [tree.predict(X[row : row + 1])[0] for tree in model.estimators_]
        lines = reader.page.locator("#panel-forest .votes tbody tr").all_inner_texts()
        assert {line.split("\t")[0]: line.split("\t")[2].split()[0] for line in lines} == {
            label: str(votes.count(label)) for label in ("yes", "no")
        }
        assert reader.text("#panel-forest .votes h2") == "60 votes on a row"
    reader.open("quality")
    rows = content(page)["rows"]["id"]
    right = np.mean(model.predict(X[rows]) == y[rows])
    words = f"Accuracy of the forest {round(100 * right)}\xa0% on 50 of 400 training rows"
    assert reader.text("#panel-quality h2 >> nth=0") == words


def test_a_forest_says_what_it_predicts(read) -> None:
    X, y = datasets.load_mpg()
    model = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    reader = read(explore(model, X, y, title="Miles"))
    assert reader.text("#legend").startswith("mpg")
