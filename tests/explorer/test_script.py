"""The modules of the explorer's script against the library, in Node.js."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

import treewright
from helpers.boundaries import boundary_rows, dataset_of, grid_table, values_of
from helpers.node import RunInNode
from helpers.trees import Leaf, build, mixed_schema, random_rows, random_tree
from treewright import DecisionTreeClassifier, DecisionTreeRegressor, Tree, datasets, edit, prune
from treewright.data import Dataset
from treewright.draw.layout import centres
from treewright.draw.visible_tree import read_rows
from treewright.explain import Change, explain_row, mean_movement, shapley_values
from treewright.explain.path import follow
from treewright.explain.region import short_number
from treewright.explain.row import Row
from treewright.explorer.page_data import Exploration, Steps, content_of
from treewright.explorer.page_table import exact
from treewright.formatting.colours import CLASS_COLOURS, SCALE, is_light, number_colour
from treewright.pruning import CostComplexity
from treewright.tree.decision import decide
from treewright.tree.splits import Table, feature_cuts


def rows_of(tree, numbers, codes) -> list[list[float | None]]:
    """Rows as the page's script has them: a value for each feature."""
    position, columns = tree.schema.position, tree.schema.columns
    by_feature = [
        codes[:, position[place]].tolist()
        if column.kind == "categorical"
        else exact(numbers[:, position[place]])
        for place, column in enumerate(columns)
    ]
    return [list(row) for row in zip(*by_feature, strict=True)]


PROGRAM = """
const modules = {};
for (const name of ["model", "rules", "nearest_change", "layout", "shapley"]) {
  Object.assign(modules, await import(`./model/${name}.js`));
}
Object.assign(modules, await import("./views/ranking.js"), await import("./elements/text.js"));
const model = new modules.Model(given.content);
const names = ["model", "rows", ...Object.keys(modules)];
answer(new Function(...names, `return ${given.expression}`)(model, given.rows, ...Object.values(modules)));
"""


def in_script(run_in_node: RunInNode, tree, expression: str, rows=()):
    """Evaluate an expression over `model` and `rows` beside the page's modules."""
    content = content_of(Exploration(tree), cv=None, max_rows=0, title=None)
    return run_in_node(PROGRAM, {"content": content, "rows": list(rows), "expression": expression})


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_script_predicts_as_the_tree_does(run_in_node, seed, n_classes) -> None:
    tree = random_tree(seed, 8, n_classes)
    numbers, codes = random_rows(seed)
    said = np.array(
        in_script(run_in_node, tree, "rows.map((row) => model.predict(row))", rows_of(tree, numbers, codes))
    )
    value = tree.node_value / tree.node_value.sum(axis=1, keepdims=True) if n_classes else tree.node_value
    expected = tree.spread(np.asfortranarray(numbers), np.asfortranarray(codes), value)
    assert np.allclose(said, expected, atol=1e-8)


@pytest.mark.parametrize(
    "form",
    [("threshold", "subset"), ("interval", "multiway"), ("hyperplane", "subset"), ("sphere", "subset")],
)
@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional"])
def test_rows_on_boundaries_take_the_branches_that_predict_takes(run_in_node, form, missing) -> None:
    X, y = grid_table(1)
    tree = DecisionTreeClassifier(splits=form, missing=missing).fit(X, y).tree_
    rows = values_of(Dataset(tree.schema, *tree.schema.encode(X)))
    encoded = dataset_of(tree, rows + boundary_rows(tree, rows, seed=1))
    given = rows_of(tree, encoded.numbers, encoded.codes)
    ends = in_script(run_in_node, tree, "rows.map((row) => model.pathOf(row).at(-1).node)", given)
    assert ends == tree.route(encoded.numbers, encoded.codes).tolist()


@pytest.mark.parametrize("costs", [None, [[0, 1, 2], [1, 0, 2], [3, 1, 0]]])
def test_the_script_decides_as_the_library_does(run_in_node, costs) -> None:
    shares = [[0.3, 0.1 + 0.2, 0.1], [0.1 + 0.2, 0.3, 0.1], [0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [1, 0, 0]]
    tree = build(mixed_schema(3), Leaf(7, [1, 3, 3]), costs)
    said = in_script(run_in_node, tree, "rows.map((shares) => model.best(shares))", shares)
    assert said == decide(np.array(shares, float), tree.costs).tolist()


def test_a_node_says_its_class(run_in_node) -> None:
    tree = DecisionTreeClassifier(max_depth=1, ties="first").fit(*datasets.load_iris()).tree_
    said = in_script(run_in_node, tree, "rows.map((node) => model.predictionWords(node))", [0, 1, 2])
    assert [re.sub("[\u2068\u2069]", "", words) for words in said] == ["setosa", "setosa", "versicolor"]


def test_no_class_of_the_page_has_two_methods_of_one_name() -> None:
    method = re.compile(r"^  (?:static |async |get |set )*([\w#]+)\(.*\) \{$", re.MULTILINE)
    for path in Path(treewright.__file__).parent.joinpath("explorer", "assets").rglob("*.js"):
        for body in re.split(r"^(?:export )?class ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[
            1:
        ]:
            names = Counter(method.findall(body.split("\n}\n")[0]))
            assert max(names.values(), default=1) == 1, f"{path.name}: {names.most_common(1)}"


def test_a_leaf_decided_by_hand_predicts_so_and_keeps_its_probabilities(run_in_node) -> None:
    X, y = datasets.load_iris()
    edited = edit(DecisionTreeClassifier(max_depth=1, ties="first").fit(X, y), X, y).relabel(2, "setosa")
    expression = """[model.prediction(2), model.note(2), model.shares(2),
      rows.map((row) => model.classOf(row)), model.predict(rows[0]), nearestChange(model, rows[0], 0)]"""
    rows = X.to_numpy()[[100, 0]].tolist()
    assert in_script(run_in_node, edited.tree, expression, rows) == [
        "setosa",
        "100 rows · 0\N{NO-BREAK SPACE}% · decided by hand",
        [0, 0.5, 0.5],
        [0, 0],
        [0, 0.5, 0.5],
        None,
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_script_lays_out_as_plot_tree_does(run_in_node, seed) -> None:
    tree = random_tree(seed, 14)
    expression = "Array.from(layoutOf(model, model.visible(-1), (node) => model.children(node, -1), true).x)"
    x = np.array(in_script(run_in_node, tree, expression))
    expected = centres(tree, np.full(len(tree), 168.0), 18.0)
    assert np.allclose(x - x.min(), expected - expected.min(), atol=1e-6)


@pytest.mark.parametrize("missing", ["surrogate", "direction", "fractional"])
def test_programs_to_copy_predict_as_the_model_does(missing) -> None:
    X, y = datasets.load_labor()
    model = DecisionTreeClassifier(missing=missing).fit(X, y)
    content = content_of(Exploration(model.tree_, model=model), cv=None, max_rows=0, title=None)
    assert content["programs"]["sql"].startswith("-- DecisionTreeClassifier")
    namespace: dict = {}
    exec(content["programs"]["python"], namespace)
    rows = X.to_dict("records")  # what is missing is NaN
    assert [namespace["predict"](row) for row in rows] == model.predict(X).tolist()


def test_an_edited_tree_is_copied_as_it_is_edited() -> None:
    X, y = datasets.load_iris()
    editor = edit(DecisionTreeClassifier(max_depth=1, ties="first").fit(X, y), X, y).relabel(2, "virginica")
    namespace: dict = {}
    exec(content_of(editor.explored, cv=None, max_rows=0, title=None)["programs"]["python"], namespace)
    assert namespace["predict"](X.iloc[60].to_dict()) == "virginica"


def test_a_pruned_or_large_tree_is_copied_as_what_writes_it(run_in_node) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier().fit(X, y)
    expression = "model.path.leaves.map((leaves, step) => [leaves, programOf(model, 'python', step)])"
    for leaves, program in in_script(run_in_node, model.tree_, expression):
        namespace: dict = {"model": model}
        with redirect_stdout(StringIO()) as printed:
            exec(program, namespace)
        assert namespace["model"].get_n_leaves() == leaves
        assert f"{leaves} lea" in printed.getvalue()


CHANGED = [
    *((name, {}) for name in ("iris", "votes", "labor", "tennis", "cars", "mpg")),
    *((name, {"missing": missing}) for name in ("votes", "labor") for missing in ("surrogate", "fractional")),
    ("labor", {"splits": ("interval", "multiway"), "missing": "surrogate"}),
    ("iris", {"costs": [[0, 1, 9], [2, 0, 1], [1, 5, 0]]}),
]


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize(("name", "settings"), CHANGED, ids=str)
def test_the_nearest_change_is_the_one_that_explain_finds(run_in_node, name, settings, step) -> None:
    X, y = getattr(datasets, f"load_{name}")()
    learner = DecisionTreeRegressor if name == "mpg" else DecisionTreeClassifier
    grown = learner(**settings).fit(X[::2], y[::2]).tree_
    rows = Dataset(grown.schema, *map(np.asfortranarray, grown.schema.encode(X))).take(
        np.arange(0, len(X), 3)
    )
    given = rows_of(grown, rows.numbers, rows.codes)
    found = in_script(run_in_node, grown, f"rows.map((row) => nearestChange(model, row, {step}))", given)
    tree = grown.collapse(Steps.of(grown).leaf_from <= step)
    for change, expected in zip(
        found, map(partial(explained_change, tree), rows_to_explain(rows)), strict=True
    ):
        if expected is None:
            assert change is None
            continue
        assert change["isNearest"]
        values = {one["feature"]: one["to"] for one in change["changes"]}
        assert values == expected.found.changes
        assert change["distance"] == pytest.approx(expected.found.cost[1])
        assert np.argmax(change["said"]) == expected.label


def rows_to_explain(rows: Dataset) -> list[Row]:
    return [Row(rows.schema, numbers, codes) for numbers, codes in zip(rows.numbers, rows.codes, strict=True)]


def explained_change(tree: Tree, row: Row) -> Change | None:
    """The change to another answer; of numbers the nearer of those to a higher and to a lower one."""
    goals = [None] if tree.is_classifier else ["higher", "lower"]
    found = [explain_row([tree], row, [tree.class_probabilities], wanted=wanted).change for wanted in goals]
    return min((one for one in found if one is not None), key=lambda one: one.found.cost, default=None)


@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_change_through_splits_of_every_kind(run_in_node, seed) -> None:
    """Categories never seen, surrogates, shared rows; across oblique splits it need not be the nearest."""
    tree = random_tree(seed, 8)
    rows = Dataset(tree.schema, *map(np.asfortranarray, random_rows(seed))).take(np.arange(8))
    given = rows_of(tree, rows.numbers, rows.codes)
    found = in_script(run_in_node, tree, "rows.map((row) => nearestChange(model, row, -1))", given)
    for change, row in zip(found, rows_to_explain(rows), strict=True):
        expected = explained_change(tree, row)
        if change is None:
            assert expected is None or not is_straight(tree)
            continue
        assert expected is not None
        cost = (len(change["changes"]), change["distance"])
        assert cost >= (expected.found.cost[0], expected.found.cost[1] - 1e-9)
        after = row.changed({one["feature"]: one["to"] for one in change["changes"]})
        assert follow(tree, after).says(tree.class_probabilities) == pytest.approx(change["said"], abs=1e-8)
        assert np.argmax(change["said"]) != explain_row([tree], row, [tree.class_probabilities]).label
        assert change["isNearest"] == is_straight(tree)
        if change["isNearest"]:
            assert cost == pytest.approx(expected.found.cost)


def is_straight(tree: Tree) -> bool:
    return all(feature_cuts(split) or isinstance(split, Table) for split in tree.splits)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_the_alpha_that_is_shown_gives_the_tree_that_is_shown(run_in_node, criterion) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 4))
    y = X[:, 0] + random.normal(size=1500)
    learner = DecisionTreeRegressor() if criterion == "squared_error" else DecisionTreeClassifier()
    tree = learner.fit(X, y if criterion == "squared_error" else y > 0).tree_
    expression = "model.path.leaves.map((leaves, step) => [leaves, model.alphaAt(step)])"
    shown = in_script(run_in_node, tree, expression)
    assert len(shown) > 20
    every = np.linspace(0, len(shown) - 1, 60).astype(int)
    for leaves, alpha in [shown[step] for step in every]:
        pruned = tree if alpha is None else prune(tree, CostComplexity(alpha=alpha))
        assert pruned.n_leaves == leaves


def test_the_way_of_a_row_is_unfolded(run_in_node) -> None:
    program = """
    const { lightWay } = await import("./model/folding.js");
    const { State } = await import("./model/state.js");
    const state = new State({ folded: new Set([3, 8]), foldsItself: true, lit: null, row: null });
    lightWay(state, [0, 1], { row: 5 });
    const first = [[...state.get("folded")], state.get("foldsItself")];
    lightWay(state, [0, 3, 4], { row: 6 });
    const { folded, foldsItself, lit, row } = state.values;
    answer([...first, [...folded], foldsItself, [...lit], row]);
    """
    assert run_in_node(program, None) == [[3, 8], True, [8], False, [0, 3, 4], 6]


def test_short_numbers_are_the_same(run_in_node) -> None:
    random = np.random.default_rng(0)
    low = np.concatenate(
        [random.normal(size=300) * 10.0 ** random.integers(-12, 13, 300), [0, 1, 1e300, -1e-300]]
    )
    high = low + np.abs(low) * 10.0 ** -random.integers(0, 16, len(low)) + 1e-12
    pairs = [
        (a, b, up) for a, b in zip(low.tolist(), high.tolist(), strict=True) for up in (True, False) if a < b
    ]
    program = (
        'import { shortNumber } from "./model/region.js"; answer(given.map((one) => shortNumber(...one)));'
    )
    assert run_in_node(program, pairs) == [short_number(*pair) for pair in pairs]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_script_moves_predictions_as_the_library_does(run_in_node, seed, n_classes) -> None:
    tree = random_tree(seed, 8, n_classes)
    numbers, codes = random_rows(seed)
    codes = np.maximum(codes, -1)
    rows = [{"values": row} for row in rows_of(tree, numbers, codes)]
    expression = "(({ mean, rows }) => [Array.from(mean), rows])(meanMovement(model, -1, rows))"
    found, n_rows = in_script(run_in_node, tree, expression, rows)
    value = tree.node_value / tree.node_value.sum(axis=1, keepdims=True) if n_classes else tree.node_value
    dataset = Dataset(tree.schema, np.asfortranarray(numbers), np.asfortranarray(codes))
    assert n_rows == len(rows)
    assert np.allclose(found, mean_movement(shapley_values(tree, dataset, value)), atol=1e-8)


IMPORTANCES = """
import { Importances } from "./views/importances.js";
import { Model } from "./model/model.js";
const model = new Model(given.content);
const found = new Importances(model, null, { get: () => 0 });
const atOnce = (parts) => {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
};
const [removed, falls] = [found.removed(), atOnce(found.falls({ rows: given.rows }))];
answer(model.features.map((_, place) => [removed.size(place), falls.size(place)]));
"""


@pytest.mark.parametrize("name", ["iris", "mpg"])
def test_importances_of_the_page_are_those_of_the_model(run_in_node, name) -> None:
    """By impurity to the digit; by shuffling as far as five shuffles of their own can be."""
    X, y = getattr(datasets, f"load_{name}")()
    learner = DecisionTreeRegressor if name == "mpg" else DecisionTreeClassifier
    model = learner(max_depth=3).fit(X[::2], y[::2])
    rows = read_rows(model.tree_, X[1::2], y[1::2])
    content = content_of(Exploration(model.tree_), cv=None, max_rows=0, title=None)
    values = rows_of(model.tree_, rows.numbers, rows.codes)
    given = [{"values": row, "target": y} for row, y in zip(values, rows.target.tolist(), strict=True)]
    removed, fallen = np.array(run_in_node(IMPORTANCES, {"content": content, "rows": given})).T
    found = model.importances(X[1::2], y[1::2], n_repeats=200)
    assert removed == pytest.approx(found.impurity, abs=1e-7)
    assert (np.abs(fallen - found.permutation) <= 4 * found.spreads["permutation"] / 5**0.5).all()
    assert fallen.max() > 0.1


def test_colours_of_the_page_are_those_of_drawings(run_in_node) -> None:
    program = """
    import { isLight, numberColour } from "./drawing/colours.js";
    answer([given.shares.map((share) => numberColour(given.scale, share)), given.colours.map(isLight)]);
    """
    shares = np.linspace(-0.1, 1.1, 481).tolist()
    numbers = [number_colour(share) for share in shares]
    found = run_in_node(program, {"shares": shares, "scale": SCALE, "colours": [*CLASS_COLOURS, *numbers]})
    assert found == [numbers, [is_light(colour) for colour in (*CLASS_COLOURS, *numbers)]]


def test_points_integrate_polynomials_exactly(run_in_node) -> None:
    for n in (1, 2, 3, 8, 20, 41):
        points = in_script(run_in_node, random_tree(0, 2), f"gaussLegendre({n})")
        at, _ = np.polynomial.legendre.leggauss(n)
        assert np.allclose(sorted(point["at"] for point in points), np.sort(at + 1) / 2, atol=1e-14)
        assert sum(point["weight"] * point["at"] ** (2 * n - 1) for point in points) == pytest.approx(
            1 / (2 * n)
        )


def test_roc_and_precision_are_those_of_scikit_learn(run_in_node) -> None:
    random = np.random.default_rng(0)
    scores, truths = random.integers(0, 6, 80) / 5, random.random(80) < 0.4
    found = in_script(run_in_node, random_tree(0, 2), "rocCurve(...rows)", [scores.tolist(), truths.tolist()])
    alarms, hits, _ = roc_curve(truths, scores, drop_intermediate=False)
    assert np.allclose(found["points"], np.column_stack([alarms, hits]))
    assert found["area"] == pytest.approx(roc_auc_score(truths, scores))
    precise = in_script(
        run_in_node, random_tree(0, 2), "precisionCurve(...rows)", [scores.tolist(), truths.tolist()]
    )
    precision, recall, _ = precision_recall_curve(truths, scores)
    assert np.allclose(precise["points"], np.column_stack([recall, precision])[-2::-1])
    assert precise["average"] == pytest.approx(average_precision_score(truths, scores))
    bins = in_script(
        run_in_node, random_tree(0, 2), "calibration(...rows)", [scores.tolist(), truths.tolist()]
    )
    assert sum(one["count"] for one in bins) == 80
    assert sum(one["count"] * one["came"] for one in bins) == pytest.approx(truths.sum())


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-0.3, 0.31), (0, 0.0567), (9.2, 46.6), (-3e6, 1e7), (2, 2)]
)
def test_ticks_are_round_numbers_of_the_axis(run_in_node, low, high) -> None:
    ticks = in_script(run_in_node, random_tree(0, 1, 2), f"roundNumbers({low}, {high}, 5)")
    assert 1 <= len(ticks) <= 6
    assert all(low <= tick <= high for tick in ticks)
    if low < high:
        steps = np.diff(ticks)
        assert np.allclose(steps, steps[0])
        assert f"{steps[0]:.0e}"[0] in "125"
        assert steps[0] == pytest.approx(float(f"{steps[0]:.0e}"))


def test_words_of_a_node_are_words(run_in_node) -> None:
    X, y = datasets.load_iris()
    names = {"setosa": "סטוסה", "versicolor": "versicolor", "virginica": "virginica"}
    tree = DecisionTreeClassifier(max_depth=1, ties="first").fit(X, y.map(names)).tree_
    expression = "[model.predictionWords(1), ruleText(model, ruleOf(model, 1)), model.predictionWords(2)]"
    alone, rule, plain = in_script(run_in_node, tree, expression)
    assert (
        alone == "\N{FIRST STRONG ISOLATE}סטוסה\N{POP DIRECTIONAL ISOLATE}"
    )  # what is beside it stays in order
    assert rule == f"IF petal length ≤ 2.45 THEN {alone}  (50 rows · 100\N{NO-BREAK SPACE}%)"
    assert plain == "versicolor"


def test_a_leaf_that_answers_against_its_own_rows_says_so(run_in_node) -> None:
    X, y = [[number] for number in range(22)], ["no"] * 20 + ["yes"] * 2
    tree = DecisionTreeClassifier(shrinkage=50).fit(X, y).tree_
    assert in_script(run_in_node, tree, "rows.map((node) => model.note(node))", [1, 2]) == [
        "20 rows · 94\N{NO-BREAK SPACE}%",
        "2 rows · 63\N{NO-BREAK SPACE}% · decided by smoothing",
    ]
