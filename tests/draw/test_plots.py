"""Plots: what is drawn agrees with what the models say, and an Axes comes back from every call."""

import matplotlib

matplotlib.use("agg")

from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

import treewright as tw
from helpers.trees import Inner, Leaf, build
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, criteria, datasets, pruning
from treewright.data import Column, Schema
from treewright.draw.curves import candidate_cuts, curve_of_sklearn, merits_of
from treewright.draw.plane import Plane
from treewright.draw.visible_tree import said
from treewright.errors import DataError, DataTypeError
from treewright.tree.splits import Hyperplane, Sphere, Table, Threshold


@pytest.fixture(name="irises")
def _irises():
    X, y = datasets.load_iris()
    return DecisionTreeClassifier().fit(X, y), X, y


# ---- regions -----------------------------------------------------------------------------------------------


def test_every_cell_is_coloured_as_the_tree_predicts_it(irises) -> None:
    model, X, _ = irises
    tree = model.tree_
    fixed = X.median().to_numpy()
    plane = Plane(tree, (2, 3), (fixed, np.empty(0, np.int32)), ((0.5, 7.5), (0.0, 2.6)), partial(said, tree))
    across, up = np.meshgrid(*plane.middles)
    rows = np.tile(fixed, (across.size, 1))
    rows[:, 2], rows[:, 3] = across.ravel(), up.ravel()
    expected = model.predict_proba(pd.DataFrame(rows, columns=X.columns))
    assert np.allclose(plane.value.reshape(-1, 3), expected)
    for cut in (2.45, 1.75):
        assert any(cut in edges for edges in plane.edges)


def test_lines_are_the_cuts_of_the_tree(irises) -> None:
    model, X, y = irises
    ax = tw.plot_regions(model, X, y, ["petal length", "petal width"])
    lines = [path.vertices for drawn in ax.collections for path in getattr(drawn, "get_paths", list)()]
    root = model.tree_[0].split
    assert any(len(line) and np.allclose(line[:, root.feature - 2], root.threshold) for line in lines)


def test_oblique_lines_and_spheres_lie_where_the_split_turns_over() -> None:
    schema = Schema((Column("a"), Column("b")), np.array(["in", "out"]))
    points = np.random.default_rng(0).normal(size=(50, 2)) * 2
    for split, beyond in (
        (Sphere((0, 1), (0.5, 0.0), (1.0, 2.0), 2.0), lambda p: (p[:, 0] - 0.5) ** 2 + 2 * p[:, 1] ** 2 - 2),
        (Hyperplane((0, 1), (1.0, -0.5), 0.3), lambda p: p[:, 0] - 0.5 * p[:, 1] - 0.3),
    ):
        tree = build(schema, Inner(split, [Leaf(5, [4, 1]), Leaf(5, [0, 5])]))
        ax = tw.plot_regions(tree, points)
        line = ax.collections[-1].get_paths()[0].vertices
        assert len(line) > 50
        assert np.abs(beyond(line)).max() < 0.01


def test_other_features_stand_where_they_are_put() -> None:
    schema = Schema(
        (Column("a"), Column("b"), Column("c", "categorical", ("u", "v"))), np.array(["p", "q"]), named=True
    )
    pair = [Leaf(1, [1, 0]), Leaf(1, [0, 1])]
    model = build(
        schema,
        Inner(Table(2, {0: 0, 1: 1}, 2), [Inner(Threshold(0, 0.1), pair), Inner(Threshold(1, 0.2), pair)]),
    )
    X = pd.DataFrame({"a": [-1.0, 1.0], "b": [-1.0, 1.0], "c": ["u", "v"]})
    for value, feature in (("u", 0), ("v", 1)):
        ax = tw.plot_regions(model, X, features=["a", "b"], others={"c": value})
        line = ax.collections[-1].get_paths()[0].vertices
        assert np.ptp(line[:, feature]) < 1e-9 < np.ptp(line[:, 1 - feature])


def test_regions_of_regression_and_of_missing_values() -> None:
    X, y = datasets.load_mpg()
    ax = tw.plot_regions(DecisionTreeRegressor(max_depth=3).fit(X, y), X, y, ["weight", "horsepower"])
    assert ax.get_xlabel() == "weight"


def test_dates_along_a_plane_are_days_and_do_not_lie_over_each_other() -> None:
    days = pd.Timestamp("2020-01-01 10:30") + pd.to_timedelta(np.arange(400), "D")
    X = pd.DataFrame({"day": days, "x": np.arange(400.0) % 7})
    ax = tw.plot_regions(DecisionTreeClassifier(max_depth=2).fit(X, np.arange(400) > 150), X)
    ax.figure.draw_without_rendering()
    labels = [label for label in ax.get_xticklabels() if label.get_text()]
    assert len(labels) >= 3
    for label in labels:
        assert pd.Timestamp(label.get_text()).strftime("%Y-%m-%d") == label.get_text()
    boxes = [label.get_window_extent() for label in labels]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_a_plane_needs_two_features(irises) -> None:
    model, X, y = irises
    with pytest.raises(ValueError, match="feature names 'petal', which is no feature: use one of"):
        tw.plot_regions(model, X, features=["petal", "petal width"])
    with pytest.raises(ValueError, match="must be two features"):
        tw.plot_regions(model, X, features=["petal width"])
    with pytest.raises(ValueError, match="must be two different features"):
        tw.plot_regions(model, X, features=["petal width", 3])
    with pytest.raises(DataError, match="two features, the tree has 1"):
        tw.plot_regions(DecisionTreeClassifier().fit([[1], [2]], [0, 1]), [[1], [2]])
    with pytest.raises(DataTypeError, match=r"a forest of scikit-learn: give treewright.from_sklearn"):
        tw.plot_regions(RandomForestClassifier(2).fit(X, y), X)


def test_categories_have_stripes_and_lines_where_the_branch_changes() -> None:
    categories = ("u", "v", "w", "x")
    schema = Schema((Column("a"), Column("c", "categorical", categories)), np.array(["p", "q"]), named=True)
    pair = [Leaf(1, [1, 0]), Leaf(1, [0, 1])]
    tree = build(
        schema,
        Inner(Table(1, {0: 0, 1: 1, 2: 1, 3: 0}, 2), [Leaf(2, [2, 0]), Inner(Threshold(0, 0.25), pair)]),
    )
    X = pd.DataFrame({"a": [-1.0, 1.0, 0.5, 0.0], "c": list(categories)})
    ax = tw.plot_regions(tree, X, ["p", "q", "p", "q"], ["a", "c"])
    assert [label.get_text() for label in ax.get_yticklabels()] == list(categories)
    colours = np.asarray(ax.collections[0].get_array())
    assert len(colours) == 4
    left, right = colours[:, 0], colours[:, -1]
    assert (left == right).all(axis=1).tolist() == [True, False, False, True]
    lines = [line for drawn in ax.collections for line in getattr(drawn, "get_segments", list)()]
    level = {tuple(line[:, 1]) for line in lines if np.ptp(line[:, 1]) == 0}
    upright = [line for line in lines if np.ptp(line[:, 0]) == 0]
    assert level == {(0.5, 0.5), (2.5, 2.5)}  # u against v, and w against x
    assert [line.tolist() for line in upright] == [[[0.25, 0.5], [0.25, 2.5]]]  # in v and w alone
    points = np.concatenate([drawn.get_offsets() for drawn in ax.collections[-2:]])
    assert sorted(points[:, 1].round()) == [0, 1, 2, 3]


def test_two_categories_span_a_plane_too() -> None:
    X, y = datasets.load_tennis()
    model = tw.ID3Classifier().fit(X, y)
    ax = tw.plot_regions(model, X, y)
    two = {model.feature_names_in_[place] for place in np.argsort(model.feature_importances_)[-2:]}
    assert {ax.get_xlabel(), ax.get_ylabel()} == two


def test_cuts_below_zero_are_lines_like_all_others() -> None:
    tree = build(
        Schema((Column("a"), Column("b")), np.array(["p", "q"])),
        Inner(Hyperplane((0, 1), (1.0, 1.0), -0.5), [Leaf(1, [1, 0]), Leaf(1, [0, 1])]),
    )
    ax = tw.plot_regions(tree, np.random.default_rng(0).normal(size=(30, 2)))
    assert ax.collections[-1].get_linestyle() == [(0.0, None)]


def test_thirty_classes_are_named_and_told_apart() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 2))
    y = np.digitize(X[:, 0], np.linspace(-1.5, 1.5, 5)) * 5 + np.digitize(X[:, 1], np.linspace(-1, 1, 4))
    model = DecisionTreeClassifier().fit(X, y)
    ax = tw.plot_regions(model, X, y)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [str(code) for code in range(30)]
    looks = {(h.get_color(), h.get_marker()) for h in ax.get_legend().legend_handles}
    assert len(looks) == 30
    ax = tw.plot_confusion(model, X, y)
    ax.figure.canvas.draw()
    for axis in (ax.get_xticklabels(), ax.get_yticklabels()):
        boxes = [label.get_window_extent() for label in axis]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


# ---- curves ------------------------------------------------------------------------------------------------


def test_impurity_curves_are_the_potentials() -> None:
    lines = tw.plot_impurities().get_lines()
    for line in lines:
        share, value = line.get_data()
        assert np.allclose(value, criteria.potential(line.get_label(), share))
    at_80 = {line.get_label(): np.interp(0.8, *line.get_data()) for line in lines}
    assert at_80["gini"] == pytest.approx(0.32)  # of the lecture's figure 8.4
    assert at_80["error"] == pytest.approx(0.2)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "error", "squared_error"])
def test_merits_are_those_of_the_definition(criterion) -> None:
    random = np.random.default_rng(0)
    values = random.integers(0, 9, 60).astype(float)
    target = random.integers(0, 3, 60) if criterion != "squared_error" else random.normal(size=60)
    cuts = candidate_cuts(values)
    assert cuts.tolist() == [i + 0.5 for i in range(8)]
    for cut, merit in zip(cuts, merits_of(criterion, values, target, cuts, 3), strict=True):
        sides = [target[values <= cut], target[values > cut]]
        table = sides if criterion == "squared_error" else [np.bincount(side, minlength=3) for side in sides]
        assert merit == pytest.approx(criteria.merit(criterion, table))


def test_the_best_cut_of_the_curve_is_the_cut_of_the_tree(irises) -> None:
    model, X, y = irises
    for node in np.flatnonzero(model.tree_.n_children):
        ax = tw.plot_merits(model, X, y, int(node), names=["gini"])
        cuts, merits = ax.get_lines()[0].get_data()
        assert cuts[np.argmax(merits)] == pytest.approx(model.tree_[node].split.threshold)


def test_merits_need_a_node_and_a_number(irises) -> None:
    model, X, y = irises
    with pytest.raises(ValueError, match="node=99 must be one of the 17 nodes"):
        tw.plot_merits(model, X, y, 99)
    with pytest.raises(ValueError, match="node 1 does not split by a threshold"):
        tw.plot_merits(model, X, y, 1)
    with pytest.raises(DataError, match="has no two different values at node 1"):
        tw.plot_merits(model, X.assign(**{"sepal width": 3.0}), y, 1, "sepal width")


def test_what_cannot_be_drawn_is_refused_in_one_sentence(irises) -> None:
    model, X, y = irises
    for call, message in (
        (lambda: tw.plot_merits(model, X, y, 0, 99), "feature names 99, which is no feature"),
        (lambda: tw.plot_merits(model, X, y, 0.5), "node=0.5 must be one of the 17 nodes"),
        (lambda: tw.plot_regions(model, X, features=[0, 4]), "feature names 4, .* from 0 to 3"),
        (lambda: tw.plot_regions(tw.RandomForestClassifier(), X), "not fitted"),
        (lambda: tw.plot_importances(tw.RandomForestClassifier()), "not fitted"),
        (lambda: tw.plot_importances(tw.RuleClassifier().fit(X, y)), "RuleClassifier has no tree"),
        (lambda: tw.plot_overfitting(RandomForestClassifier(), X, y), "cannot be watched while it grows"),
        (lambda: tw.plot_impurities(["gini", "oak"]), "Unknown criterion 'oak'"),
        (lambda: tw.plot_pruning_path(RandomForestClassifier(2).fit(X, y)), "several trees"),
        (
            lambda: tw.plot_out_of_bag(RandomForestClassifier(2, random_state=0).fit(X, y), X[:9], y[:9]),
            "X has 9 rows, and the forest was grown on more",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert len(tw.plot_impurities("gini").get_lines()) == 1


def test_the_pruning_path_is_judged_tree_by_tree() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 4))
    y = np.where(X[:, 0] * X[:, 1] + random.normal(size=600) > 0, "yes", "no")
    model = DecisionTreeClassifier().fit(X[:400], y[:400])
    ax = tw.plot_pruning_path(model, X[400:], y[400:])
    training, other = ax.get_lines()[:2]
    alphas = pruning.CostComplexity(alpha=0.0).prune(model.tree_).path.alpha
    for alpha, leaves, risk in zip(alphas, *other.get_data(), strict=True):
        pruned = tw.prune(model, pruning.CostComplexity(alpha=float(alpha)))
        assert pruned.get_n_leaves() == leaves
        assert 1 - pruned.score(X[400:], y[400:]) == pytest.approx(risk)
    assert training.get_ydata()[0] == 0


def test_the_path_that_pruning_left_is_drawn_as_it_is() -> None:
    X, y = datasets.load_iris()
    pruned = tw.prune(DecisionTreeClassifier().fit(X, y), pruning.CostComplexity(cv=5, se=1), X, y)
    ax = tw.plot_pruning_path(pruned)
    assert ax.get_lines()[1].get_ydata().tolist() == pruned.path_.held_out.tolist()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"± 1 SE", "within 1 SE", "chosen"} <= set(labels)


def test_overfitting_is_drawn_on_given_axes() -> None:
    ax = pyplot.subplots()[1]
    assert tw.plot_overfitting(DecisionTreeClassifier(), *datasets.load_iris(), ax=ax) is ax


def test_what_plots_itself_looks_as_it_does_by_name() -> None:
    X, y = datasets.load_iris()
    forest = tw.RandomForestClassifier(8, random_state=0).fit(X, y)
    pruned = tw.prune(DecisionTreeClassifier().fit(X, y), pruning.CostComplexity(cv=5, se=1), X, y)
    for own, named in (
        (forest.error_curve(X, y).plot(), tw.plot_out_of_bag(forest, X, y)),
        (pruned.path_.plot(), tw.plot_pruning_path(pruned)),
        (
            tw.overfitting_curve(DecisionTreeClassifier(), X, y).plot(),
            tw.plot_overfitting(DecisionTreeClassifier(), X, y),
        ),
    ):
        assert own.get_title(loc="left") == named.get_title(loc="left") != ""
        assert own.get_ylabel() == named.get_ylabel()
        for one, other in zip(own.get_lines(), named.get_lines(), strict=True):
            assert np.array_equal(one.get_xydata(), other.get_xydata(), equal_nan=True)


def test_the_last_out_of_bag_error_is_that_of_the_forest() -> None:
    X, y = datasets.load_iris()
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert curve_of_sklearn(forest, X, y).error[-1] == pytest.approx(1 - forest.oob_score_)
    X, y = datasets.load_mpg()
    X = X.select_dtypes("number").fillna(0)
    forest = RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, y)
    error = curve_of_sklearn(forest, X, y).error[-1]
    assert 1 - error / np.var(np.asarray(y)) == pytest.approx(forest.oob_score_)
    assert tw.plot_out_of_bag(forest, X, y).get_xlabel() == "trees"
    with pytest.raises(ValueError, match="ExtraTreesClassifier has bootstrap=False"):
        tw.plot_out_of_bag(ExtraTreesClassifier(2).fit([[1], [2]], [0, 1]), [[1], [2]], [0, 1])
    with pytest.raises(DataTypeError, match="DecisionTreeClassifier is no forest"):
        tw.plot_out_of_bag(DecisionTreeClassifier().fit([[1], [2]], [0, 1]), [[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="not fitted"):
        tw.plot_out_of_bag(tw.RandomForestClassifier(), [[1], [2]], [0, 1])


# ---- bars --------------------------------------------------------------------------------------------------


def test_importances_are_sorted_and_have_a_spread(irises) -> None:
    model, X, y = irises
    bars = tw.plot_importances(model).patches
    assert [bar.get_width() for bar in bars] == sorted(model.feature_importances_)
    shuffled = tw.plot_importances(model, X, y, n_repeats=3)
    assert "shuffled" in shuffled.get_xlabel()
    assert shuffled.containers[0].has_xerr
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    assert tw.plot_importances(forest).containers[0].has_xerr


@pytest.mark.parametrize("task", ["Classifier", "Regressor"])
@pytest.mark.parametrize("learner", ["DecisionTree", "RandomForest", "CART"])
def test_shuffled_bars_are_what_importances_says(learner: str, task: str) -> None:
    X, y = tw.datasets.load_iris()
    target = y if task == "Classifier" else X.pop("petal width")
    model = getattr(tw, learner + task)().fit(X, target)
    found = model.importances(X, target, random_state=3)
    bars = tw.plot_importances(model, X, target, random_state=3).patches
    assert [bar.get_width() for bar in bars] == sorted(found.permutation)


@pytest.mark.filterwarnings("ignore:feature .* values")
def test_the_trees_of_a_forest_are_judged_on_other_rows_or_on_those_not_drawn(irises) -> None:
    _, X, y = irises
    X, y = np.asarray(X), np.asarray(y)
    for learner in (tw.RandomForestClassifier, tw.ExtraTreesClassifier):
        forest = learner(10, random_state=0).fit(X[::2], y[::2])
        ax = tw.plot_importances(forest, X[1::2][:70], y[1::2][:70])
        assert "on these rows" in ax.get_xlabel()
        found = forest.importances(X[1::2][:70], y[1::2][:70], out_of_bag=False)
        assert [bar.get_width() for bar in ax.patches] == sorted(found.permutation)
    peer = RandomForestClassifier(10, random_state=0).fit(X, y)
    assert tw.plot_importances(peer, X, y, n_repeats=2).get_xlabel().startswith("fall of the score")


def test_names_that_begin_alike_keep_their_ends() -> None:
    X = pd.DataFrame(np.eye(12), columns=[f"{'a feature of a very long name ' * 3}{i}" for i in range(12)])
    ax = tw.plot_importances(DecisionTreeRegressor().fit(X, np.arange(12.0)))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(names)) == 12
    assert max(map(len, names)) == 40


def test_confusion_counts_every_row(irises) -> None:
    _, X, y = irises
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    numbers = [int(text.get_text()) for text in tw.plot_confusion(model, X, y).texts]
    expected = pd.crosstab(y, model.predict(X)).reindex(columns=model.classes_, fill_value=0)
    assert numbers == expected.to_numpy().ravel().tolist()
    with pytest.raises(ValueError, match="no classes to confuse"):
        tw.plot_confusion(DecisionTreeRegressor().fit([[1], [2]], [1.0, 2.0]), [[1]], [1.0])


def test_costs_decide_what_is_predicted() -> None:
    X, y = np.zeros((10, 1)), np.repeat(["a", "b"], [8, 2])
    model = DecisionTreeClassifier(costs=[[0, 1], [10, 0]]).fit(X, y)
    assert [text.get_text() for text in tw.plot_confusion(model, X, y).texts] == ["0", "8", "0", "2"]


def test_names_are_shown_as_they_are(irises) -> None:
    _, X, y = irises
    X = X.rename(columns={"petal length": "$x^2$", "petal width": "y" * 500})
    ax = tw.plot_regions(DecisionTreeClassifier().fit(X, y), X, y, ["$x^2$", "y" * 500])
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == r"\$x^2\$"
    assert len(ax.get_ylabel()) == 60


# ---- forests and other models ------------------------------------------------------------------------------


def test_regions_of_a_forest_are_what_it_predicts() -> None:
    X, y = datasets.load_iris()
    X = X[["petal length", "petal width"]]
    forest = tw.RandomForestClassifier(9, random_state=0).fit(X, y)
    ax = tw.plot_regions(forest, X, y)
    mesh = ax.collections[0]
    edges = mesh.get_coordinates()
    middles = (edges[:-1, :-1] + edges[1:, 1:]) / 2
    rows = pd.DataFrame(middles.reshape(-1, 2), columns=X.columns)
    best = forest.predict_proba(rows).argmax(axis=1)
    colours = np.asarray(mesh.get_array()).reshape(-1, 3)
    blue, orange, green = ([0, 0x72, 0xB2], [0xE6, 0x9F, 0], [0, 0x9E, 0x73])
    hues = (1 - colours) / (1 - colours).max(axis=1, keepdims=True)
    for code, colour in enumerate((blue, orange, green)):
        expected = 1 - np.array(colour) / 255
        assert np.allclose(hues[best == code], expected / expected.max(), atol=0.02)


def test_cells_and_points_of_regression_share_one_scale() -> None:
    X, y = datasets.load_mpg()
    ax = tw.plot_regions(DecisionTreeRegressor(max_depth=3).fit(X, y), X, y, ["weight", "horsepower"])
    mesh, *_, points = ax.collections
    assert mesh.get_clim() == points.get_clim() == (y.min(), y.max())


def test_confusion_of_forests_rules_and_trees_of_arrays() -> None:
    X, y = datasets.load_iris()
    for model in (
        tw.RandomForestClassifier(5, random_state=0).fit(X, y),
        tw.RuleClassifier().fit(X, y),
        RandomForestClassifier(5, random_state=0).fit(X, y),
    ):
        numbers = [int(text.get_text()) for text in tw.plot_confusion(model, X, y).texts]
        assert np.trace(np.reshape(numbers, (3, 3))) == (model.predict(X) == y).sum()
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    assert [text.get_text() for text in tw.plot_confusion(tree, X, y).texts][4] == "50"
    with pytest.raises(DataError, match="no row of a class that the model knows: 'setosa'"):
        tw.plot_confusion(tree, X, ["rose"] * 150)
    with pytest.raises(ValueError, match="not fitted"):
        tw.plot_confusion(DecisionTreeClassifier(), X, y)


def test_the_path_of_cart_is_its_table_of_prunings() -> None:
    X, y = datasets.load_votes()
    model = tw.CARTClassifier(cp=0.001).fit(X, y)
    table = model.cp_table_
    training, other = tw.plot_pruning_path(model).get_lines()[:2]
    wrong = np.mean(np.asarray(y) != "democrat")
    assert training.get_xdata().tolist() == (table.nsplit[::-1] + 1).tolist()
    assert np.allclose(other.get_ydata(), table.xerror[::-1] * wrong)


# ---- one split ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", criteria.POTENTIALS)
def test_a_split_leaves_what_lies_below_the_node_on_the_line_between_its_branches(criterion) -> None:
    ax = tw.plot_split([[3, 2], [5, 0]], criterion)
    drawn = {line.get_label(): np.column_stack(line.get_data()) for line in ax.get_lines()}
    assert np.allclose(
        drawn["branches (share of the rows)"],
        [[0.6, criteria.potential(criterion, 0.6)], [1.0, 0.0]],
    )
    assert np.allclose(drawn["the node"], [[0.8, criteria.potential(criterion, 0.8)]])
    assert np.allclose(drawn["after the split"], [[0.8, criteria.potential(criterion, 0.6) / 2]])
    said_there = {text.get_text() for text in ax.texts}
    assert said_there == {"3 : 2 (0.5)", "5 : 0 (0.5)", "8 : 2"}


def test_splits_of_many_branches_and_empty_ones_are_drawn_and_others_refused() -> None:
    ax = tw.plot_split([[3, 12], [5, 1], [0, 0], [4, 4]], "gini")
    assert len(ax.texts) == 4
    after = criteria.split_potential("gini", [[3, 12], [5, 1], [4, 4]])
    assert ax.get_title(loc="left").endswith(f"{after:.3f} after")
    for table in ([[1, 2, 3]], [1, 2], [[0, 0]], [[1, -1]]):
        with pytest.raises(ValueError, match="table must have a row of two counts for each branch"):
            tw.plot_split(table)
    with pytest.raises(ValueError, match="Unknown criterion 'twoing'"):
        tw.plot_split([[3, 2], [5, 0]], "twoing")


def test_impurities_may_have_their_own_scale() -> None:
    lines = {line.get_label(): line for line in tw.plot_impurities(scaled=False).get_lines()}
    for name, line in lines.items():
        share, value = line.get_data()
        for place in (0, 100, 250, 400):
            q = share[place]
            assert value[place] == pytest.approx(criteria.impurity(name, [q, 1 - q]), abs=1e-12)


def test_side_by_side_no_legend_lies_over_a_neighbour(irises) -> None:
    model, X, y = irises
    figure, axes = pyplot.subplots(2, 3)
    for ax in axes.ravel():
        tw.plot_regions(model, X, y, ax=ax)
    assert [ax.get_legend() is not None for ax in axes.ravel()] == [False, False, True] * 2
    figure.canvas.draw()
    for ax in axes[:, 2]:
        box = ax.get_legend().get_window_extent()
        assert not any(box.overlaps(other.get_window_extent()) for other in axes.ravel() if other is not ax)
    figure, (left, right) = pyplot.subplots(1, 2)
    assert tw.plot_regions(model, X, y, ax=left, legend=True).get_legend() is not None
    assert tw.plot_regions(model, X, y, ax=right, legend=False).get_legend() is None
