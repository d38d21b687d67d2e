"""Static drawings: what is in the picture, for every kind of tree, with rows and without, small and large."""

import re
import xml.etree.ElementTree as ET
from html import escape

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from helpers.drawings import SVG, joined, words
from helpers.trees import TREES, Inner, Leaf, build, chain, random_tree
from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    TreeRegressor,
    datasets,
    plot_tree,
)
from treewright.data import Column, Schema
from treewright.draw.shapes import Dot, Rect, Ribbon, Text, flat
from treewright.draw.visible_tree import Rows, read_rows, show
from treewright.errors import DataError, DataTypeError
from treewright.tree.splits import Table


@pytest.mark.parametrize("style", ["cards", "river"])
@pytest.mark.parametrize("name", TREES)
def test_every_kind_of_split_is_drawn(name, style) -> None:
    drawing = plot_tree(TREES[name], style=style, missing=True)
    root = ET.fromstring(drawing.svg)
    assert root.tag == SVG + "svg"
    assert root.find(SVG + "title").text == drawing.title
    text = joined(drawing)
    for leaf in TREES[name].leaves:
        assert f"{TREES[name].count[leaf]} row" in text


def test_a_card_says_what_is_asked_and_branches_what_is_answered() -> None:
    text = words(plot_tree(DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])))
    assert text == [
        "3 rows, 3 nodes, 2 leaves, depth 1", "a", "b", "x0", "3 rows",
        "≤ 3", "a", "2 rows · 100 %", "> 3", "b", "1 row · 100 %",
    ]  # fmt: skip


def test_oblique_splits_show_their_sum_and_categories_their_names() -> None:
    assert "age − 2·width" in joined(plot_tree(TREES["hyperplane"]))
    assert "(age − 1)²" in joined(plot_tree(TREES["sphere"]))
    assert {"red", "green", "blue"} <= set(words(plot_tree(TREES["multiway"])))
    many = Schema(
        (Column("city", "categorical", tuple(f"c{i}" for i in range(10_000))),), np.array(["n", "y"])
    )
    split = Table(0, {code: code % 2 for code in range(10_000)}, 2)
    assert "… 4996 more" in joined(plot_tree(build(many, Inner(split, [Leaf(1, [1, 0]), Leaf(1, [0, 1])]))))


def test_stripes_that_nobody_would_see_are_left_to_the_others() -> None:
    x = np.arange(4000.0)[:, None]
    y = np.where(x[:, 0] < 3000, "a", "b")
    y[:5] = ["c", "d", "e", "f", "g"]  # a 4000th part of the whole width each
    model = DecisionTreeClassifier(max_depth=1).fit(x, y)
    ribbons = [s for s, _, _ in flat(plot_tree(model).shapes) if isinstance(s, Ribbon)]
    assert len(ribbons) == 2
    assert ribbons[0].width == pytest.approx(3 * ribbons[1].width)


def test_branches_are_as_wide_as_the_rows_they_carry() -> None:
    model = DecisionTreeClassifier(max_depth=3).fit(*datasets.load_iris())
    for style in ("cards", "river"):
        ribbons = [s for s, _, _ in flat(plot_tree(model, style=style).shapes) if isinstance(s, Ribbon)]
        tree = model.tree_
        expected = sorted(tree.node_value[1:][tree.node_value[1:] > 0] / tree.weight[0])
        width = sorted(ribbon.width for ribbon in ribbons)
        thick = [(w, e) for w, e in zip(width, expected, strict=True) if e > 0.05]
        assert len({round(w / e, 6) for w, e in thick}) == 1


def test_a_bar_shows_the_shares_of_the_classes() -> None:
    tree = build(Schema((Column("x"),), np.array(["a", "b"])), Leaf(8, [2, 6]))
    bars = [s for s, _, _ in flat(plot_tree(tree).shapes) if isinstance(s, Rect) and s.height == 9]
    background, first, second = bars
    assert (first.fill, second.fill) == ("#0072b2", "#e69f00")
    assert first.width / background.width == pytest.approx(0.25)
    assert second.x == pytest.approx(first.x + first.width)


def test_rows_at_a_node_are_those_that_pass_it() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    tree = model.tree_
    rows = Rows(tree, read_rows(tree, X, y))
    passes = model.decision_path(X).toarray().astype(bool)
    for node in range(len(tree)):
        assert rows.at(node).tolist() == np.flatnonzero(passes[:, node]).tolist()
        assert np.bincount(rows.target(node), minlength=3).tolist() == tree.node_value[node].tolist()


def test_histograms_count_every_row_on_its_side_of_the_cut() -> None:
    X = np.arange(40.0)[:, None]
    y = np.repeat(["low", "high"], [13, 27])
    drawing = plot_tree(DecisionTreeClassifier().fit(X, y), X, y)
    stacks = [
        s for s, _, _ in flat(drawing.shapes)
        if isinstance(s, Rect) and s.fill in ("#0072b2", "#e69f00") and s.height != 9 and s.radius == 0
    ]  # fmt: skip
    area = {fill: sum(s.height for s in stacks if s.fill == fill) for fill in ("#0072b2", "#e69f00")}
    assert area["#0072b2"] / area["#e69f00"] == pytest.approx(27 / 13)
    assert max(s.x for s in stacks if s.fill == "#e69f00") < min(s.x for s in stacks if s.fill == "#0072b2")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_any_tree_is_drawn_with_rows_on_it(seed, n_classes) -> None:
    random = np.random.default_rng(seed)
    tree = random_tree(seed, 7, n_classes)
    X = pd.DataFrame(
        {
            "age": random.normal(size=50),
            "colour": random.choice(["red", "green", "blue", "grey", None], 50),
            "width": np.where(random.random(50) < 0.2, np.nan, random.normal(size=50)),
            "size": pd.Categorical(random.choice(["small", "middle", "large"], 50)),
            "letter": random.choice(list("abcdefghij"), 50),
        }
    )
    y = random.normal(size=50) if not n_classes else random.choice(tree.schema.classes, 50)
    for rows in (50, 1):
        ET.fromstring(plot_tree(tree, X[:rows], y[:rows]).svg)


def test_gaps_are_counted_where_they_are() -> None:
    X, y = datasets.load_labor()
    assert "57 rows · 30 missing" in words(plot_tree(DecisionTreeClassifier().fit(X, y), X, y))
    assert X["pension"].isna().sum() == 30


def test_rows_and_target_come_together() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(DataError, match="y is missing: give the rows and their target"):
        plot_tree(model, X)
    with pytest.raises(DataError, match="X is missing"):
        plot_tree(model, y=y)
    with pytest.raises(DataError, match="no row of a class that the tree knows: 'setosa'"):
        plot_tree(model, X, ["rose"] * 150)
    assert plot_tree(model, X, ["rose", *y[1:]]).svg


def test_the_ends_of_an_axis_are_numbers_of_the_rows() -> None:
    X, y = datasets.load_iris()
    text = [
        shape.text
        for shape, _, _ in flat(plot_tree(DecisionTreeClassifier(max_depth=1).fit(X, y), X, y).shapes)
        if isinstance(shape, Text)
    ]
    assert f"{X['petal length'].min():g}" in text
    assert f"{X['petal length'].max():g}" in text
    outlier = pd.DataFrame({"x": [*np.linspace(0, 1, 499), 1e6]})
    answer = np.where(outlier["x"] > 0.5, "b", "a")
    text = [
        shape.text
        for shape, _, _ in flat(
            plot_tree(DecisionTreeClassifier().fit(outlier, answer), outlier, answer).shapes
        )
        if isinstance(shape, Text)
    ]
    assert "1e+06" not in text  # one row does not squeeze all others into a corner


def test_one_row_far_out_does_not_squeeze_the_targets_of_all_others() -> None:
    X, y = datasets.load_mpg()
    y = np.asarray(y, float)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    far = np.where(np.arange(len(y)) == 5, 1e6, y)

    def heights(target):
        return [shape.y for shape, _, _ in flat(plot_tree(model, X, target).shapes) if isinstance(shape, Dot)]

    assert np.ptp(heights(far)) > 0.9 * np.ptp(heights(y))


def test_a_large_tree_is_folded_and_every_leaf_is_counted() -> None:
    X, y = make_classification(4000, 8, n_informative=5, flip_y=0.2, random_state=0)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert tree.n_leaves > 400
    shown = show(tree, 20)
    assert shown.tree.n_leaves <= 20
    leaves = shown.tree.leaves
    assert np.where(shown.hidden[leaves] == 0, 1, shown.hidden[leaves]).sum() == tree.n_leaves
    assert (shown.tree.count == tree.count[shown.source]).all()
    assert "leaves folded" in joined(plot_tree(tree, max_leaves=20))
    everything = plot_tree(tree, style="river", max_leaves=None)
    assert len(ET.fromstring(everything.svg).findall(f".//{SVG}g/{SVG}title")) == len(tree)


def test_what_is_opened_first_is_where_most_is_at_stake() -> None:
    tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    for size in range(1, tree.n_leaves + 1):
        shown = show(tree, size)
        opened = shown.source[np.flatnonzero(shown.tree.n_children)]
        closed = shown.source[np.flatnonzero(shown.hidden)]
        assert len(opened) == size - 1
        if len(opened) and len(closed):
            assert tree.risk[opened].min() >= tree.risk[closed].max()


def test_a_chain_of_a_hundred_thousand_nodes_is_drawn() -> None:
    drawing = plot_tree(chain(50_000))
    assert "folded" in joined(drawing)


def test_what_a_node_tells_stands_in_lines() -> None:
    root = ET.fromstring(plot_tree(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a\nb", "c"])).svg)
    tips = [
        group.find(SVG + "title").text
        for group in root.iter(SVG + "g")
        if group.find(SVG + "title") is not None
    ]
    assert tips[1].split("\n")[:3] == ["node 1: x0 ≤ 1.5", "1 row, 50 % of all", "predicts a\\nb"]
    assert root.find(SVG + "desc").text.count("\n") >= 3


def test_a_drawing_is_the_same_every_time() -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_leaf_nodes=9).fit(X, y)
    assert plot_tree(model, X, y).svg == plot_tree(model, X, y).svg


@pytest.mark.parametrize("learner", [CARTClassifier(), C45Classifier()])
def test_presets_are_drawn(learner) -> None:
    X, y = datasets.load_votes()
    assert plot_tree(learner.fit(X, y), X, y).svg


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(DataTypeError, match="LinearRegression has no tree"):
        plot_tree(LinearRegression())
    with pytest.raises(ValueError, match="not fitted"):
        plot_tree(DecisionTreeRegressor())
    with pytest.raises(DataTypeError, match="several trees: give one of its estimators_"):
        plot_tree(RandomForestRegressor(2).fit([[1], [2]], [1, 2]))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"style": "stream"}, "style 'stream'.*'cards', 'river'"),
        ({"orientation": "up"}, "orientation 'up'.*'top_down', 'left_right'"),
        ({"theme": "pink"}, "theme 'pink'.*'auto', 'light', 'dark'"),
        ({"max_leaves": 0}, "max_leaves=0 must be an int of at least 1, or None"),
        ({"max_leaves": "all"}, "max_leaves='all' must be an int"),
        ({"decimals": -1}, "decimals=-1 must be an int of at least 0, or None"),
    ],
)
def test_unknown_settings_are_refused(setting, message) -> None:
    with pytest.raises(ValueError, match=message):
        plot_tree(TREES["deep"], **setting)


# ---- rows that the tree was not grown on -------------------------------------------------------------------


def split_irises():
    X, y = datasets.load_iris()
    rng = np.random.default_rng(0)
    own = rng.random(150) < 0.5
    return (X[own], y[own]), (X[~own], y[~own])


@pytest.mark.parametrize("style", ["cards", "river"])
def test_counts_bars_shares_and_widths_are_of_the_rows_given(style) -> None:
    (X, y), (V, v) = split_irises()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    drawing = plot_tree(model, V, v, style=style)
    leaf, predicted = model.apply(V), model.predict(V)
    text = words(drawing)
    for node in model.tree_.leaves:
        here = leaf == node
        share = round(100 * np.mean(predicted[here] == np.asarray(v)[here]))
        mark = " · " if style == "cards" else ", "
        assert f"{here.sum()} rows{mark}{share} %" in text
    assert text[0] == "5 nodes, 3 leaves, depth 2"
    assert f"Counts, bars and widths are of the {len(V)} rows given; the tree was" in " ".join(text)
    ribbons = [s for s, _, _ in flat(drawing.shapes) if isinstance(s, Ribbon)]
    shares = model.tree_.tally(read_rows(model.tree_, V, v))[1:]
    expected = sorted(shares[shares > 0] / len(V))
    width = sorted(ribbon.width for ribbon in ribbons)
    thick = [(w, e) for w, e in zip(width, expected, strict=True) if e > 0.05]
    assert len({round(w / e, 6) for w, e in thick}) == 1
    assert f"{len(V)} rows of those given, 100 %" in drawing.svg
    assert f"grown on {len(X)} rows, 100 % of all" in drawing.svg


def test_the_rows_that_it_was_grown_on_need_no_words() -> None:
    (X, y), _ = split_irises()
    for model in (
        DecisionTreeClassifier(max_depth=2).fit(X, y),
        DecisionTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y),
        DecisionTreeRegressor(max_depth=2).fit(X, X["sepal length"]),
        C45Classifier().fit(*datasets.load_labor()),
    ):
        table, target = datasets.load_labor() if isinstance(model, C45Classifier) else (X, y)
        target = X["sepal length"] if isinstance(model, DecisionTreeRegressor) else target
        assert "given" not in joined(plot_tree(model, table, target))
    same_counts = plot_tree(
        DecisionTreeClassifier(max_depth=1).fit([[1], [2]], ["a", "b"]), [[1], [2]], ["b", "a"]
    )
    assert "1 row · 0 %" in words(same_counts)


def test_numbers_show_the_means_of_the_rows_given() -> None:
    X, y = datasets.load_mpg()
    model = DecisionTreeRegressor(max_depth=1).fit(X[::2], y[::2])
    text = words(plot_tree(model, X[1::2], y[1::2]))
    means = [np.mean(y[1::2]), *(np.mean(y[1::2][model.apply(X[1::2]) == leaf]) for leaf in (1, 2))]
    assert [line.partition("· mean ")[2] for line in text if "· mean " in line] == [f"{m:.4g}" for m in means]
    assert "Counts, points, means and widths are of the 199 rows given" in " ".join(text)


def test_cards_may_count_the_rows_of_each_class() -> None:
    (X, y), (V, v) = split_irises()
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    for table, target in ((X, y), (V, v)):
        text = joined(plot_tree(model, table, target, counts=True))
        for species, number in target.value_counts().items():
            assert f"{species}: {number}" in text
    digits = np.arange(10)
    many = plot_tree(DecisionTreeClassifier().fit(digits[:, None], digits), counts=True)
    assert any(line.endswith("…") for line in words(many))


def test_a_node_that_none_of_the_rows_reaches_is_empty() -> None:
    model = DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"])
    for style in ("cards", "river"):
        assert "0 rows" in joined(plot_tree(model, [[1]], ["a"], style=style, counts=True))


def test_an_equation_is_broken_between_its_terms() -> None:
    X, y = datasets.load_mpg()
    model = TreeRegressor(leaves="linear", max_leaf_nodes=4, cv=2).fit(X, y)
    tree = model.tree_
    leaf = int(np.flatnonzero(tree.n_children == 0)[0])
    words = tree.equations.words(tree.schema, leaf)
    svg = plot_tree(model).svg
    for term in [part for part in re.split(r",? (?=[−+] )", words) if "·" in part]:
        assert re.search(rf">{re.escape(escape(term))}<", svg)
