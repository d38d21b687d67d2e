"""Static drawings: what is in the picture, for every kind of tree, name and page."""

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from sklearn import config_context
from sklearn import tree as sklearn_trees
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from trees import TREES, Inner, Leaf, build, chain, random_tree
from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    compare_pruners,
    datasets,
    plot_tree,
    prune,
    pruning,
)
from treewright.colours import class_colour
from treewright.data import Column, Schema
from treewright.draw.shapes import Group, Rect, Ribbon, Text, flat
from treewright.draw.shown import Rows, read_one, read_rows, show
from treewright.draw.typography import text_width
from treewright.errors import DataError, DataTypeError
from treewright.sklearn_trees import tree_of
from treewright.splits import Table, Threshold
from treewright.validation import validate

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</text><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "]]><!--&lt;&#x0;",
    "line\nbreak\x00\x1b[31m",
    "\u202eright to left\u202c",
    "מחיר הבית بالدولار",
    "x" * 500,
    "名前" * 60,
    "e\u0301" * 80,
    "",
    " ",
    "$\\alpha$ {0} %s",
]


def words(drawing) -> list[str]:
    texts = (shape.text for shape, _, _ in flat(drawing.shapes) if isinstance(shape, Text))
    return [text.replace("\xa0", " ") for text in texts]


def joined(drawing) -> str:
    return " ".join(words(drawing))


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


def test_branches_are_as_wide_as_the_rows_they_carry() -> None:
    model = DecisionTreeClassifier(max_depth=3).fit(*datasets.load_iris())
    for style in ("cards", "river"):
        ribbons = [s for s, _, _ in flat(plot_tree(model, style=style).shapes) if isinstance(s, Ribbon)]
        tree = model.tree_
        expected = sorted(tree.value[1:][tree.value[1:] > 0] / tree.weight[0])
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


# ---- rows -------------------------------------------------------------------------------------------------


def test_rows_at_a_node_are_those_that_pass_it() -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    tree = model.tree_
    rows = Rows(tree, read_rows(tree, X, y))
    passes = model.decision_path(X).toarray().astype(bool)
    for node in range(len(tree)):
        assert rows.at(node).tolist() == np.flatnonzero(passes[:, node]).tolist()
        assert np.bincount(rows.target(node), minlength=3).tolist() == tree.value[node].tolist()


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


# ---- one row ---


def marked(drawing) -> list[str]:
    """The titles of the cards with a heavy edge."""
    groups = [shape for shape in drawing.shapes if isinstance(shape, Group)]
    cards = [shape for shape in groups[-1].shapes if isinstance(shape, Group)]
    heavy = [card for card in cards if any(isinstance(s, Rect) and s.line > 1 for s in card.shapes)]
    return [card.tip.split("\n")[0] for card in heavy]


@pytest.mark.parametrize("form", [lambda row: row, dict, list, lambda row: row.to_frame().T])
def test_the_path_of_a_row_stands_out(form) -> None:
    model, X, y = _irises()
    for place in (0, 77, 120):
        drawing = plot_tree(model, X, y, row=form(X.iloc[place]))
        path = np.flatnonzero(model.decision_path(X.iloc[[place]]).toarray()[0])
        assert [int(tip.split(":")[0].removeprefix("node ")) for tip in marked(drawing)] == path.tolist()
        assert f"row: {X.iloc[place]['petal length']:g}" in joined(drawing)
        faint = [s for s, _, _ in flat(drawing.shapes) if isinstance(s, Ribbon) and s.opacity < 0.2]
        assert faint
        assert not marked(plot_tree(model, X, y))


def test_a_missing_value_is_told_and_the_row_goes_on() -> None:
    model = DecisionTreeClassifier().fit([[1.0], [2.0], [np.nan]], ["a", "b", "b"])
    drawing = plot_tree(model, row=[np.nan], missing=True)
    assert "row: missing" in joined(drawing)
    assert len(marked(drawing)) == 2


def test_the_leaf_of_a_row_is_not_folded_away() -> None:
    X, y = make_classification(2000, 6, n_informative=4, flip_y=0.3, random_state=0)
    tree = DecisionTreeClassifier(max_depth=8).fit(X, y).tree_
    for place in range(5):
        leaf = int(tree.route(X[[place]], np.empty((1, 0), np.int32))[0])
        for style in ("cards", "river"):
            tips = [s.tip for s in _groups(plot_tree(tree, row=X[place], max_leaves=12, style=style))]
            assert any(f"{tree.count[leaf]} row" in tip and "merit" not in tip for tip in tips)
        row = Rows(tree, read_one(tree, X[place]))
        assert leaf in show(tree, 12, row).source
        assert show(tree, 12, row).tree.n_leaves <= 12
        assert leaf in show(tree, 2, row).source  # however few leaves are asked for


def _groups(drawing) -> list[Group]:
    return [
        s
        for group in drawing.shapes
        if isinstance(group, Group)
        for s in group.shapes
        if isinstance(s, Group)
    ]


def test_a_row_is_one_and_has_the_features_of_the_tree() -> None:
    model, X, _ = _irises()
    with pytest.raises(DataError, match="one row"):
        plot_tree(model, row=X.iloc[:2])
    with pytest.raises(DataError, match="the row has no value for 'sepal width'"):
        plot_tree(model, row={"sepal length": 1.0})


# ---- large trees ------------------------------------------------------------------------------------------


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


# ---- names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("style", ["cards", "river"])
def test_a_hostile_name_is_shown_as_text(name, style) -> None:
    schema = Schema(
        (Column(name), Column(name + "2", "categorical", (name, "other"))),
        np.array([name, "b"], dtype=object),
    )
    below = Inner(Table(1, {0: 0, 1: 1}, 2), [Leaf(2, [2, 0]), Leaf(1, [0, 1])])
    drawing = plot_tree(
        build(schema, Inner(Threshold(0, 0.5), [below, Leaf(1, [0, 1])])), style=style, title=name
    )
    root = ET.fromstring(drawing.svg)  # well formed: control characters are escaped
    allowed = {"svg", "title", "desc", "style", "rect", "g", "path", "text", "polyline", "polygon", "circle"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not any(key.startswith("on") or "href" in key for key in attributes)
    assert all(text_width(text, 13) < 460 for text in words(drawing))
    assert "\u202e" not in drawing.svg


def test_pictures_with_hostile_names_become_png_and_pdf(tmp_path: Path) -> None:
    schema = Schema(tuple(Column(name + str(i)) for i, name in enumerate(HOSTILE)), np.array(["$a$", "b_{"]))
    plan = Leaf(1, [1, 0])
    for feature in range(len(HOSTILE)):
        plan = Inner(Threshold(feature, 0.5), [plan, Leaf(1, [0, 1])])
    drawing = plot_tree(build(schema, plan))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no installed font has the letters")
        drawing.save(tmp_path / "tree.png", dots_per_inch=50)
        drawing.save(tmp_path / "tree.pdf")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "tree.pdf").read_bytes().startswith(b"%PDF")


def test_the_png_shows_the_colours_of_the_classes(tmp_path: Path) -> None:
    tree = build(Schema((Column("x"),), np.array(["a", "b"])), Leaf(8, [2, 6]))
    for theme, ground in (("light", 1.0), ("dark", 13 / 255)):
        drawing = plot_tree(tree, theme=theme)
        drawing.save(tmp_path / "tree.png", dots_per_inch=96)
        image = imread(tmp_path / "tree.png")[..., :3]
        assert image.shape[:2] == pytest.approx((drawing.height, drawing.width), abs=1)
        assert image[3, 3, 0] == pytest.approx(ground, abs=0.01)
        blue = np.abs(image - np.array([0, 0x72, 0xB2]) / 255).max(axis=-1) < 0.02
        orange = np.abs(image - np.array([0xE6, 0x9F, 0]) / 255).max(axis=-1) < 0.02
        assert orange.sum() > blue.sum() > 50


# ---- whose trees, and what is refused ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier"])
def test_trees_of_scikit_learn_are_converted_whole(kind) -> None:
    X, y = datasets.load_iris()
    X = X.astype(np.float32)
    X.iloc[::7, 2] = np.nan if kind != "ExtraTreeClassifier" else 1.0
    target = X.iloc[:, 3] if kind == "DecisionTreeRegressor" else y
    model = getattr(sklearn_trees, kind)(random_state=0).fit(X, target)
    tree = tree_of(model)
    numbers, codes = tree.schema.encode(X)
    node = tree.route(numbers, codes)
    if tree.is_classifier:
        assert tree.schema.classes[tree.label[node]].tolist() == model.predict(X).tolist()
    else:
        assert np.allclose(tree.value[node, 0], model.predict(X))
    assert tree.n_leaves == model.get_n_leaves()
    assert tree.depth == model.get_depth()
    assert np.allclose(tree.compute_feature_importances(), model.feature_importances_)
    assert "petal width" in joined(plot_tree(model, X, target))


def test_features_and_classes_are_called_as_the_reader_likes() -> None:
    X, y = datasets.load_iris()
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    names, classes = ["a", "b", "c", "<d>"], ["Setosa", "Versicolor", "Virginica"]
    for learner in (sklearn_trees.DecisionTreeClassifier, DecisionTreeClassifier):
        model = learner(max_depth=2).fit(X.to_numpy(), codes)
        assert "x3" in joined(plot_tree(model))
        drawing = plot_tree(
            model, X.to_numpy(), codes, row=X.to_numpy()[3], feature_names=names, class_names=classes
        )
        assert {"<d>", "Virginica"} <= set(words(drawing))
        assert "x3" not in drawing.svg
        assert model.predict(X.to_numpy())[0] == 0  # the model keeps its own
    with pytest.raises(ValueError, match=r"feature_names=.* must be 4 names"):
        plot_tree(model, feature_names=["a"])
    with pytest.raises(ValueError, match="class_names='abc' must be 3 names"):
        plot_tree(model, class_names="abc")
    with pytest.raises(ValueError, match=r"class_names=.* must be 0 names"):
        plot_tree(DecisionTreeRegressor().fit(X.to_numpy(), codes), class_names=classes)


def test_a_converted_tree_is_a_sound_tree() -> None:
    X, y = make_classification(600, 6, flip_y=0.3, random_state=1)
    tree = tree_of(sklearn_trees.DecisionTreeClassifier(random_state=0).fit(X, y))
    validate(tree.arrays(), tree.schema)


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


def test_a_file_must_say_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in one of .svg, .png, .pdf"):
        plot_tree(TREES["deep"]).save(tmp_path / "tree.jpeg")


def test_dark_pages_are_for_screens_that_ask_for_them() -> None:
    assert "prefers-color-scheme:dark" in plot_tree(TREES["deep"]).svg
    assert "screen and" in plot_tree(TREES["deep"]).svg
    assert "prefers-color-scheme" not in plot_tree(TREES["deep"], theme="light").svg
    assert "#0d1117" in plot_tree(TREES["deep"], theme="dark").svg


def test_only_a_drawing_that_follows_its_reader_can_be_restyled() -> None:
    assert 'class="tw-ink"' in plot_tree(TREES["deep"]).svg
    for theme in ("light", "dark"):  # the styles of another drawing on the page do not reach it
        assert 'class="tw-' not in plot_tree(TREES["deep"], theme=theme).svg


def test_a_drawing_is_right_without_styles() -> None:
    for theme in ("auto", "light", "dark"):
        root = ET.fromstring(plot_tree(TREES["deep"], theme=theme).svg)
        assert "style" not in root.attrib
        for element in root.iter():
            if element.tag.removeprefix(SVG) in ("rect", "path", "text", "polyline", "polygon", "circle"):
                assert "fill" in element.attrib
                assert "var(" not in element.attrib["fill"]
        outside = root.find(SVG + "style").text
        while "{" in outside:  # nothing stands outside of a rule for some media
            head, _, rest = outside.partition("{")
            assert head.startswith("@media")
            depth, end = 1, 0
            while depth:
                depth += {"{": 1, "}": -1}.get(rest[end], 0)
                end += 1
            outside = rest[end:]


@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_a_program_that_knows_few_styles_draws_the_same(tmp_path: Path, theme) -> None:
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # the package, or the library that it calls
        pytest.skip(str(error))
    drawing = plot_tree(*_irises(), theme=theme)
    cairosvg.svg2png(bytestring=drawing.svg.encode(), write_to=str(tmp_path / "theirs.png"))
    drawing.save(tmp_path / "ours.png", dots_per_inch=96)
    theirs, ours = (imread(tmp_path / f"{name}.png")[..., :3] for name in ("theirs", "ours"))
    for code in range(3):
        colour = np.array([int(class_colour(code)[place : place + 2], 16) for place in (1, 3, 5)]) / 255
        there, here = (np.abs(image - colour).max(axis=-1).round(2) < 0.05 for image in (theirs, ours))
        assert there.sum() == pytest.approx(here.sum(), rel=0.25)
        assert here.sum() > 1000
    assert theirs[5, 5].round(1).tolist() == ours[5, 5].round(1).tolist()


def _irises():
    X, y = datasets.load_iris()
    return DecisionTreeClassifier(max_depth=3).fit(X, y), X, y


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


# ---- notebooks ---------------------------------------------------------------------------------------------


def test_notebooks_show_a_fitted_model_as_a_drawing() -> None:
    model = DecisionTreeClassifier(max_depth=2)
    assert "treewright" not in model._repr_mimebundle_()["text/html"]
    X, y = datasets.load_iris()
    shown = model.fit(X.rename(columns={"petal length": "<script>"}), y)._repr_mimebundle_()
    assert shown["text/plain"] == "DecisionTreeClassifier(max_depth=2)"
    assert "<svg" in model._repr_html_()
    assert "<svg" in shown["text/html"]
    assert ">&lt;script&gt;</text>" in shown["text/html"]
    with config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_notebooks_show_reports_and_paths_as_tables() -> None:
    X, y = datasets.load_iris()
    pruned = prune(DecisionTreeClassifier().fit(X.rename(columns={"petal width": "<b>"}), y), "pessimistic")
    report = ET.fromstring(pruned.report_._repr_html_())
    assert len(report.findall("tr")) == 1 + len(pruned.report_)
    assert "<b> ≤ 1.75" in [cell.text for cell in report.iter("td")]
    path = prune(DecisionTreeClassifier().fit(X, y), pruning.CostComplexity(alpha=0.02)).path_
    assert len(ET.fromstring(path._repr_html_()).findall("tr")) == 1 + len(path)
    compared = compare_pruners(DecisionTreeClassifier(), X, y, cv=2, pruners=["pessimistic"])
    assert next(ET.fromstring(compared._repr_html_()).iter("td")).text == "unpruned"
