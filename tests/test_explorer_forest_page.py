"""The page of a forest: tree by tree, and what all of them say."""

from __future__ import annotations

import pytest

from treewright import RandomForestClassifier, RandomForestRegressor, datasets, explore


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_forest_is_walked_tree_by_tree_and_votes_as_it_predicts(read, vote) -> None:
    X, y = datasets.load_iris()
    model = RandomForestClassifier(n_estimators=12, vote=vote, max_depth=3, random_state=0).fit(X, y)
    reader = read(explore(model, X, y))
    reader.open("forest")
    assert reader.page.locator(".squares button").count() == 12
    error = model.error_curve(X, y).error[-1]
    assert f"share of errors of {error:.0%}".replace("%", "\xa0%") in reader.text("#panel-forest")
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
    said = reader.page.locator("#panel-rows tbody tr td:nth-child(4)").all_inner_texts()
    assert said == model.predict(X).tolist()
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
