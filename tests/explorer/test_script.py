"""The modules of the explorer's script against the library, in Node.js."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from helpers.boundaries import boundary_rows, dataset_of, grid_table, values_of
from helpers.node import RunInNode
from helpers.trees import Leaf, build, mixed_schema, random_rows, random_tree
from treewright import DecisionTreeClassifier, datasets
from treewright.data import Dataset
from treewright.draw.layout import centres
from treewright.explain import mean_movement, shapley_values
from treewright.explorer.page_data import Exploration, content_of
from treewright.explorer.page_table import exact
from treewright.tree.decision import decide


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
    value = tree.value / tree.value.sum(axis=1, keepdims=True) if n_classes else tree.value
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


@pytest.mark.parametrize("seed", range(5))
def test_the_script_lays_out_as_plot_tree_does(run_in_node, seed) -> None:
    tree = random_tree(seed, 14)
    expression = "Array.from(layoutOf(model, model.visible(-1), (node) => model.children(node, -1), true).x)"
    x = np.array(in_script(run_in_node, tree, expression))
    expected = centres(tree, np.full(len(tree), 168.0), 18.0)
    assert np.allclose(x - x.min(), expected - expected.min(), atol=1e-6)


def test_rules_copied_as_python_predict_as_the_tree_does(run_in_node) -> None:
    X, y = datasets.load_labor()
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert copied_rules(run_in_node, tree, X) == tree.schema.classes[tree.label[tree.apply(X)]].tolist()


@pytest.mark.parametrize("labels", [["no", "yes", "may\nbe"], [10, 20, 30], [False, True]])
def test_copied_rules_write_names_orders_and_values_as_the_table_has_them(run_in_node, labels) -> None:
    random = np.random.default_rng(len(labels))
    X = pd.DataFrame(
        {
            "net\nsales": random.normal(size=200),
            "size": pd.Categorical(
                random.choice(["small", "middle", "large"], 200), ["small", "middle", "large"], ordered=True
            ),
            "zone": pd.Categorical(random.choice([7, 8, 9, 10], 200)),
            "is open": pd.Categorical(random.choice([True, False], 200)),
        }
    )
    odd = (
        X["size"].cat.codes * 2
        + (X["zone"].cat.codes % 2)
        + X["is open"].cat.codes * 3
        + (X["net\nsales"] > 0)
    )
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[odd % len(labels)]
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert copied_rules(run_in_node, tree, X) == tree.schema.classes[tree.label[tree.apply(X)]].tolist()


def copied_rules(run_in_node, tree, X) -> list:
    """What the rules that the page writes as Python say of rows."""
    code = in_script(
        run_in_node, tree, "rulesAsPython(model, model.leaves(-1).map((node) => ruleOf(model, node)))"
    )
    namespace: dict = {}
    exec(code, namespace)
    rows = [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in X.to_dict("records")
    ]
    return [namespace["predict"](row) for row in rows]


def test_the_nearest_change_is_one_and_none_is_nearer(run_in_node) -> None:
    X, y = datasets.load_iris()
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y).tree_
    numbers, codes = tree.schema.encode(X)
    found = in_script(
        run_in_node, tree, "rows.map((row) => nearestChange(model, row, 0))", rows_of(tree, numbers, codes)
    )
    before = tree.label[tree.route(numbers, codes)]
    after = tree.label[tree.route(np.array([change["row"] for change in found]), codes)]
    assert (before != after).all()
    for row, change, label in zip(numbers, found, before, strict=True):
        if len(change["changes"]) == 2:  # then no single feature does it, wherever it is put
            for feature in range(4):
                tried = np.repeat(row[None, :], 200, axis=0)
                tried[:, feature] = np.linspace(-1, 9, 200)
                assert (tree.label[tree.route(tried, np.empty((200, 0), np.int32))] == label).all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_script_moves_predictions_as_the_library_does(run_in_node, seed, n_classes) -> None:
    tree = random_tree(seed, 8, n_classes)
    numbers, codes = random_rows(seed)
    codes = np.maximum(codes, -1)
    rows = [{"values": row} for row in rows_of(tree, numbers, codes)]
    expression = "(({ mean, rows }) => [Array.from(mean), rows])(meanMovement(model, -1, rows))"
    found, n_rows = in_script(run_in_node, tree, expression, rows)
    value = tree.value / tree.value.sum(axis=1, keepdims=True) if n_classes else tree.value
    dataset = Dataset(tree.schema, np.asfortranarray(numbers), np.asfortranarray(codes))
    assert n_rows == len(rows)
    assert np.allclose(found, mean_movement(shapley_values(tree, dataset, value)), atol=1e-8)


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
