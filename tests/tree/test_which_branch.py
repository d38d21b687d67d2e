"""Which branch? Prediction, explanations, rules, traces, drawings and the page give a row the same answer.

Tables lie on a grid of 0.1, so that sums tie with thresholds, and rows are put on every boundary and on the
nearest numbers to either side of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from helpers.boundaries import (
    Walker,
    all_splits,
    boundary_rows,
    branch_by,
    compared,
    dataset_of,
    grid_table,
    is_on,
    values_of,
)
from helpers.exporting import FORMS, POLICIES
from helpers.node import RunInNode
from helpers.trees import random_rows, random_tree
from treewright import _core
from treewright.data import Dataset
from treewright.draw.visible_tree import Rows as DrawnRows
from treewright.explain.path import follow
from treewright.explain.row import Row
from treewright.explorer.page_data import Exploration, content_of
from treewright.explorer.page_table import exact
from treewright.rules.extract import extract_rules, leaf_conditions
from treewright.rules.rule import first_rule
from treewright.tree.conditions import Rows
from treewright.tree.routing import Descent, place
from treewright.tree.splits import Hyperplane, Sphere, Threshold, branch_of
from treewright.tree.splits import compared as compared_by_the_core

pytestmark = pytest.mark.filterwarnings("ignore:The tree is a single leaf")

FAMILIES = [(form, policy) for form in FORMS for policy in POLICIES]
SEEDS = range(2)


def grown(form: str, policy: str, seed: int, **settings: Any) -> tuple[Any, Any, Any]:
    X, y = grid_table(seed, 60)
    chosen: dict[str, Any] = {"splits": FORMS[form], **POLICIES[policy], **settings}
    return tw.DecisionTreeClassifier(random_state=seed, max_competitors=2, **chosen).fit(X, y), X, y


def training_rows(tree: tw.Tree, X: Any) -> list[list[float]]:
    return values_of(Dataset(tree.schema, *tree.schema.encode(X)))


def rows_for(tree: tw.Tree, X: Any, seed: int) -> list[list[float]]:
    """The training rows, and rows on and beside every boundary."""
    rows = training_rows(tree, X)
    return rows + boundary_rows(tree, rows, seed)


def has_hole(row: list[float], tree: tw.Tree) -> bool:
    return any(np.isnan(x) or (x < 0 and n > 0) for x, n in zip(row, tree.schema.n_categories, strict=True))


# ---- every form, every policy ----------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "policy"), FAMILIES)
def test_rows_on_boundaries_go_where_predict_sends_them(form: str, policy: str) -> None:
    met = 0
    for seed in SEEDS:
        model, X, _ = grown(form, policy, seed)
        tree = model.tree_
        rows = rows_for(tree, X, seed)
        check_answers(tree, rows)
        met += sum(is_on(split, row) for split in all_splits(tree) for row in rows)
    assert met > 5, "rows must lie on boundaries, or the test says nothing"


@pytest.mark.parametrize("form", ["hyperplane", "sphere"])
def test_sums_on_the_boundary_are_met(form: str) -> None:
    met = 0
    for seed in range(12):
        model, X, _ = grown(form, "direction", seed)
        oblique = [split for split in all_splits(model.tree_) if isinstance(split, Hyperplane | Sphere)]
        rows = [row for row in rows_for(model.tree_, X, seed) if not has_hole(row, model.tree_)]
        met += sum(is_on(split, row) for row in rows for split in oblique)
        for split in oblique:
            found = compared_by_the_core(split, dataset_of(model.tree_, rows))
            assert found.tolist() == [compared(split, row) for row in rows]
    assert met > 100


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_every_form_at_once(seed: int) -> None:
    tree = random_tree(seed, 9, 3 if seed % 2 else 0)
    rows = values_of(Dataset(tree.schema, *random_rows(seed)))  # unseen categories too
    check_answers(tree, rows + boundary_rows(tree, rows, seed))


def check_answers(tree: tw.Tree, rows: list[list[float]]) -> None:
    """Hold everything that sends rows to the second opinion: each split, each node, whole ways, rules."""
    encoded, walker = dataset_of(tree, rows), Walker(tree)
    ends = [walker.ends(row) for row in rows]
    for split in all_splits(tree):
        assert branch_of(split, encoded).tolist() == [branch_by(split, row) for row in rows]
    inner = np.flatnonzero(tree.n_children)
    row, node = (grid.ravel() for grid in np.meshgrid(np.arange(len(rows)), inner))
    branch, by = Descent(tree, encoded).answer(row, node)
    expected = [walker.choose(at, rows[of]) for of, at in zip(row.tolist(), node.tolist(), strict=True)]
    assert list(zip(branch.tolist(), by.tolist(), strict=True)) == expected
    routed = tree.route(encoded.numbers, encoded.codes).tolist()
    assert all({leaf} == set(end) for leaf, end in zip(routed, ends, strict=True) if len(end) == 1)
    said = tree.spread(encoded.numbers, encoded.codes, tree.class_probabilities)
    expected_shares = [
        sum(share * tree.class_probabilities[node] for node, share in end.items()) for end in ends
    ]
    np.testing.assert_allclose(said, expected_shares, rtol=1e-12, atol=1e-12)
    check_parts(tree, encoded, ends)
    for numbers, codes, end in zip(encoded.numbers, encoded.codes, ends, strict=True):
        assert dict(follow(tree, Row(tree.schema, numbers, codes)).ends) == pytest.approx(end)
    check_rules(walker, encoded, rows, ends)
    check_drawn(walker, encoded, rows)


def check_parts(tree: tw.Tree, encoded: Dataset, ends: list[dict[int, float]]) -> None:
    parts = place(tree, encoded)
    found: list[dict[int, float]] = [{} for _ in ends]
    for row, node, weight in zip(*(column.tolist() for column in parts), strict=True):
        found[row][node] = weight
    assert found == [pytest.approx(end) for end in ends]


def check_rules(walker: Walker, encoded: Dataset, rows: list[list[float]], ends: list[Any]) -> None:
    """Rules leave out surrogates and nodes that keep or share rows: there only whole rows must agree."""
    tree = walker.tree
    inner = tree.n_children > 0
    simple = len(tree.splits) == inner.sum() and (tree.default_branch[inner] >= 0).all()
    leaves = [leaf for leaf, _ in leaf_conditions(tree)]
    which = first_rule(extract_rules(tree).rules, Rows(tree.schema, encoded.numbers, encoded.codes))
    for row, rule, end in zip(rows, which.tolist(), ends, strict=True):
        unseen = any(x == -2 for x, n in zip(row, tree.schema.n_categories, strict=True) if n)
        unlisted = not simple and any(walker.choose(node, row)[1] for node in np.flatnonzero(inner).tolist())
        if not unseen and not unlisted and (simple or not has_hole(row, tree)):
            assert {leaves[rule]} == set(end)


def check_drawn(walker: Walker, encoded: Dataset, rows: list[list[float]]) -> None:
    tree = walker.tree
    drawn = DrawnRows(tree, encoded)
    for node, here in enumerate(walker.passed(rows)):
        assert drawn.at(node).tolist() == sorted(here)
        split = tree[node].split
        if split is None:
            continue
        way = [branch_by(split, rows[row]) for row in sorted(here)]
        assert np.array_equal(
            drawn.branch(split, node), [np.nan if b < 0 else b for b in way], equal_nan=True
        )
        if isinstance(split, Hyperplane | Sphere):
            sums = [compared(split, rows[row]) for row in sorted(here)]
            assert np.array_equal(drawn.compared(split, node), sums, equal_nan=True)


@pytest.mark.parametrize("form", FORMS)
def test_rules_predict_training_rows_as_the_tree_does(form: str) -> None:
    for seed in range(40):
        X, y = grid_table(seed, 60, 2, holes=0)
        model = tw.DecisionTreeClassifier(splits=FORMS[form], random_state=seed).fit(X, y)
        assert np.array_equal(model.rules().predict(X), model.predict(X))


# ---- traces ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("policy", ["direction", "fractional", "surrogate", "stay"])
def test_a_trace_counts_the_rows_that_take_each_branch(form: str, policy: str) -> None:
    for seed in SEEDS:
        model, X, _ = grown(form, policy, seed, trace=True)
        tree = model.tree_
        rows, walker = rows_for(tree, X, seed), Walker(tree)
        target = np.random.default_rng(seed).integers(0, 3, len(rows)).astype(np.int32)
        trace = replace(model.trace_, rows=replace(dataset_of(tree, rows), target=target))
        ends = [walker.ends(row) for row in rows]
        for node, here in enumerate(walker.passed(rows)):
            split = tree[node].split
            if split is None:
                continue
            below = tree.below(np.arange(len(tree)) == node)
            (chosen,) = (candidate for candidate in trace[node].candidates if candidate.chosen)
            expected = np.zeros((split.n_branches + 1, 3))
            for row in here:
                branch = branch_by(split, rows[row])
                if isinstance(split, Threshold) and split.threshold == np.inf:
                    branch = abs(branch)  # known or missing
                share = sum(part for end, part in ends[row].items() if below[end] or end == node)
                expected[branch, target[row]] += share
            counts = [branch.counts for branch in chosen.branches]
            np.testing.assert_allclose(counts, expected[:-1], rtol=1e-9, atol=1e-9)
            assert chosen.missing == pytest.approx(expected[-1].sum())


# ---- growing and routing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "policy"), FAMILIES)
@pytest.mark.parametrize("learner", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
def test_as_many_rows_come_to_each_node_as_were_counted(form: str, policy: str, learner: Any) -> None:
    if policy == "class_mode" and learner is tw.DecisionTreeRegressor:
        pytest.skip("numbers have no classes")
    for seed in SEEDS:
        X, y = grid_table(seed)
        if policy == "class_mode":  # what is filled in depends on the class, which routing does not know
            X, y = X.dropna(), y[X.notna().all(axis=1)]
        tree = learner(splits=FORMS[form], **POLICIES[policy]).fit(X, y).tree_
        if policy == "ignore":  # growing has left these rows out
            X = X.dropna()
        rows = training_rows(tree, X)
        assert [len(here) for here in Walker(tree).passed(rows)] == tree.count.tolist()


@pytest.mark.parametrize("policy", [name for name in POLICIES if name not in ("class_mode", "ignore")])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_large_tables_are_routed_as_they_were_counted(policy: str, criterion: str) -> None:
    X, y = grid_table(0, 12_000)
    X["x1"] = 1 + (10 * X["x1"]).round() * 2**-52  # values that no other number lies between
    X["x2"] = ((10 * X["x2"]).round() - 5) * 3.4e307  # a sum of two is beyond all numbers
    learner = tw.DecisionTreeRegressor if criterion == "squared_error" else tw.DecisionTreeClassifier
    tree = learner(criterion=criterion, max_depth=7, **POLICIES[policy]).fit(X, y).tree_
    assert rows_at(tree, Dataset(tree.schema, *tree.schema.encode(X))) == tree.count.tolist()


@pytest.mark.parametrize(
    "model",
    [
        tw.ID3Classifier(),
        tw.C45Classifier(),
        tw.C45Classifier(compat="j48"),
        tw.C45Classifier(binary_splits=True),
        tw.CARTClassifier(),
        tw.CARTClassifier(compat="rpart"),
        tw.CARTClassifier(compat="rpart", use_surrogates=0),
        tw.CARTClassifier(compat="rpart", use_surrogates=1),
        tw.CARTRegressor(compat="rpart"),
    ],
    ids=str,
)
def test_presets_route_rows_as_they_counted_them(model: Any) -> None:
    for seed in range(10):
        X, y = grid_table(seed, 150)
        if isinstance(model, tw.ID3Classifier):
            X = X[["colour", "letter"]].astype(object).fillna("?")  # it refuses holes
        tree = model.fit(X, y).tree_
        assert rows_at(tree, Dataset(tree.schema, *tree.schema.encode(X))) == tree.count.tolist()


def rows_at(tree: tw.Tree, rows: Dataset) -> list[int]:
    """How many rows come to each node, whole or in part."""
    drawn = DrawnRows(tree, rows)
    return [len(drawn.at(node)) for node in range(len(tree))]


# ---- the quick walks -------------------------------------------------------------------------------------


def test_packed_nodes_answer_as_the_splits_do() -> None:
    for seed in range(10):
        X, y = grid_table(seed)
        X = X[["x0", "x1", "x2"]]
        tree = tw.DecisionTreeClassifier(missing="direction").fit(X, y).tree_
        rows = rows_for(tree, X, seed)
        encoded = dataset_of(tree, rows)
        assert tree._packed is not None
        leaf, _ = _core.walk(tree._packed, encoded.numbers)
        walker = Walker(tree)
        assert [{end} for end in leaf.tolist()] == [set(walker.ends(row)) for row in rows]
        assert sum(is_on(split, row) for split in all_splits(tree) for row in rows) > 20


@pytest.mark.parametrize("learner", [tw.RandomForestClassifier, tw.ExtraTreesClassifier])
@pytest.mark.parametrize("with_categories", [False, True])
def test_forests_answer_as_their_trees_do(learner: Any, with_categories: bool) -> None:
    X, y = grid_table(0, 300)
    X = X if with_categories else X[["x0", "x1", "x2"]]
    forest = learner(12, random_state=0).fit(X, y)
    trees = list(forest.trees_)
    rows = [row for seed, tree in enumerate(trees) for row in rows_for(tree, X.iloc[:40], seed)]
    encoded = dataset_of(trees[0], rows)
    assert len(rows) > 2000
    expected = np.stack([tree.route(encoded.numbers, encoded.codes) for tree in trees], axis=1)
    assert np.array_equal(forest.trees_.leaves(encoded.numbers, encoded.codes), expected)
    few = slice(0, 3)  # these walk, the many are coded
    assert np.array_equal(forest.trees_.leaves(encoded.numbers[few], encoded.codes[few]), expected[few])
    for tree, leaves in zip(trees, expected.T.tolist(), strict=True):
        walker = Walker(tree)
        assert [set(walker.ends(row)) for row in rows[::20]] == [{leaf} for leaf in leaves[::20]]


# ---- the page --------------------------------------------------------------------------------------------

PROGRAM = """
import { Model } from "./model/model.js";
const said = given.map(({ content, rows }) => {
  const model = new Model(content);
  const inner = model.splits.map((split, node) => (split ? node : -1)).filter((node) => node >= 0);
  return rows.map((row) => ({
    ends: model.pathOf(row).at(-1).node,
    branches: inner.map((node) => model.branch(node, row).branch),
  }));
});
answer(said);
"""


def page_rows(tree: tw.Tree, rows: list[list[float]]) -> list[list[float | None]]:
    is_code = (tree.schema.n_categories > 0).tolist()
    return [
        [int(x) if code else exact(np.array([x]))[0] for x, code in zip(row, is_code, strict=True)]
        for row in rows
    ]


def page_cases() -> list[tuple[tw.Tree, list[list[float]]]]:
    """Trees with rows on and beside their boundaries."""
    cases = []
    for form, policy in FAMILIES:
        model, X, _ = grown(form, policy, seed=0)
        cases.append((model.tree_, rows_for(model.tree_, X, 0)))
    for seed in range(10):
        tree = random_tree(seed, 9, 3)
        rows = values_of(Dataset(tree.schema, *random_rows(seed)))
        cases.append((tree, rows + boundary_rows(tree, rows, seed)))
    return cases


def test_the_page_answers_as_the_core_does(run_in_node: RunInNode) -> None:
    cases = page_cases()
    given = [
        {
            "content": content_of(Exploration(tree), cv=None, max_rows=0, title=None),
            "rows": page_rows(tree, rows),
        }
        for tree, rows in cases
    ]
    for (tree, rows), answers in zip(cases, run_in_node(PROGRAM, given), strict=True):
        encoded = dataset_of(tree, rows)
        assert [answer["ends"] for answer in answers] == tree.route(encoded.numbers, encoded.codes).tolist()
        inner = np.flatnonzero(tree.n_children)
        for row, answer in enumerate(answers):
            expected = Descent(tree, encoded).branch(np.full(len(inner), row), inner)
            assert answer["branches"] == expected.tolist()
