"""Linear leaves: equations are those of a slow reference; every screen, file and page says the same."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.node import RunInNode
from treewright import Dataset, Recipe, TreeRegressor, grow
from treewright.errors import ExportError, ModelFileError
from treewright.explorer.page_data import Exploration, content_of
from treewright.explorer.page_table import exact
from treewright.export.program_of_model import program_of
from treewright.export.python import export_python
from treewright.growing import linear_leaves
from treewright.growing.linear_leaves import PRICE, with_equations
from treewright.persistence.trees import tree_from_parts, tree_to_parts
from treewright.pruning import CostComplexity
from treewright.tree.topology import sum_below


def table(seed: int, n_rows: int = 150, holes: float = 0.1) -> tuple[pd.DataFrame, np.ndarray]:
    """Two slopes on either side of a cut, a group of categories, an order, a number of no use; and holes."""
    random = np.random.default_rng(seed)
    x, z, noise = random.uniform(-3, 3, n_rows), random.normal(size=n_rows), random.normal(size=n_rows)
    colour, size = random.integers(0, 4, n_rows), random.integers(0, 3, n_rows)
    y = np.where(x > 0, 10 + 4 * x, 2 - x) + 3 * (colour >= 2) + 1.5 * (size == 2) + 0.3 * noise
    frame = pd.DataFrame({"x": x, "z": z})
    frame["colour"] = pd.Categorical.from_codes(colour, ["red", "blue", "green", "grey"])
    frame["size"] = pd.Categorical.from_codes(size, ["small", "medium", "large"], ordered=True)
    frame["x"] = frame["x"].mask(random.random(n_rows) < holes)
    frame["colour"] = frame["colour"].mask(random.random(n_rows) < holes)
    return frame, y


def by_hand(model: TreeRegressor, frame: pd.DataFrame) -> list[float]:
    """Predict row by row from what `to_dict` says of the leaf, in plain Python."""
    nodes: list[dict[str, Any]] = []
    waiting = [model.tree_.to_dict()]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting.extend(reversed(node.get("branches", [])))
    predicted = []
    for row, leaf in zip(frame.to_dict("records"), model.apply(frame), strict=True):
        equation = nodes[leaf]["equation"]
        parts = []
        for term in equation["terms"]:
            value = row[term["feature"]]
            if "categories" in term:
                value = term["missing"] if pd.isna(value) or value == "Mars" else value
                parts.append(term["coefficient"] if value in term["categories"] else 0.0)
            else:
                parts.append(term["coefficient"] * (term["missing"] if math.isnan(value) else value))
        said = equation["constant"] + math.fsum(parts)
        predicted.append(min(max(said, equation["lowest"]), equation["highest"]))
    return predicted


# ---- what is learned ---------------------------------------------------------------------------------------


def reference(G: np.ndarray, prior: np.ndarray, ridge: float, n: float) -> tuple[np.ndarray, float]:
    """Solve for the equation of a node by brute force: every term is tried out, each time from the start."""
    size = len(G) - 1

    def solved(chosen: list[int]) -> tuple[np.ndarray, float]:
        A = G[np.ix_(chosen, chosen)] + ridge * np.eye(len(chosen))
        solution = np.zeros(size)
        solution[chosen] = np.linalg.solve(A, G[chosen, -1] + ridge * prior[chosen])
        off = np.append(-solution, 1.0)
        return solution, float(off @ G @ off)

    def cost(squares: float, chosen: list[int]) -> float:
        v = PRICE * len(chosen)
        return squares * (n + v) / (n - v) if n > v else math.inf

    chosen = list(range(size))
    best, squares = solved(chosen)
    while len(chosen) > 1:
        tried = [(solved([j for j in chosen if j != out]), out) for out in chosen[1:]]
        (without, fewer), out = min(tried, key=lambda one: one[0][1])
        left = [j for j in chosen if j != out]
        if cost(fewer, left) > cost(squares, chosen) and cost(squares, chosen) < math.inf:
            break
        best, squares, chosen = without, fewer, left
    return best, cost(squares, chosen)


@pytest.mark.parametrize("seed", range(6))
def test_the_equation_of_every_node_is_that_of_a_slow_reference(seed, monkeypatch) -> None:
    monkeypatch.setattr(linear_leaves, "ROUNDED", 1e-12)
    random = np.random.default_rng(seed)
    X = random.normal(size=(90, 5)) * [1, 10, 0.1, 1, 5] + [0, 100, 3, 0, 0]
    y = X[:, 0] + 0.2 * X[:, 1] * (X[:, 3] > 0) + random.normal(size=90)
    weight = random.integers(1, 4, 90).astype(float) if seed % 2 else None
    rows = Dataset.from_table(X, y, task="regression", sample_weight=weight)
    grown = grow(rows, Recipe("squared_error", min_samples_leaf=10))
    tree = with_equations(grown, rows, ridge=4.0)
    w = np.ones(90) if weight is None else weight
    scales = [linear_leaves._Scaled.of(x, w, float(f"{np.average(x, weights=w):.4g}")) for x in X.T]
    of_y = linear_leaves._Scaled.of(y, w)
    U = np.column_stack([np.ones(90), *(one(x) for one, x in zip(scales, X.T, strict=True)), of_y(y)])
    sums = np.zeros((len(tree), 49))
    np.add.at(sums, tree.apply(X), (w[:, None, None] * U[:, :, None] * U[:, None, :]).reshape(90, 49))
    G = sum_below(tree.parent, sums).reshape(-1, 7, 7)
    found = np.zeros((len(tree), 6))
    for node in range(len(tree)):
        above = tree.parent[node]
        prior, ridge = (found[above], 4.0) if above >= 0 else (np.zeros(6), 0.0)
        found[node], risk = reference(G[node], prior, ridge, G[node, 0, 0])
        assert tree.risk[node] == pytest.approx(risk * of_y.scale**2, rel=1e-7)
        written = np.zeros(5)
        for feature, _, coefficient in tree.equations.entries(node):
            written[feature] = coefficient
        expected = found[node, 1:] * of_y.scale / [one.scale for one in scales]
        np.testing.assert_allclose(written, expected, rtol=1e-6, atol=1e-9)


def test_a_line_is_found_as_it_is() -> None:
    model = TreeRegressor(leaves="linear").fit(
        [[x, 7 * x % 5] for x in range(40)], [3 - 2.5 * x for x in range(40)]
    )
    assert model.tree_.n_leaves == 1
    assert model.tree_.equations.words(model.tree_.schema, 0) == "3 − 2.5·x0"


def test_two_slopes_two_groups_and_an_order_are_found_and_what_is_of_no_use_is_not() -> None:
    frame, y = table(0, 600)
    model = TreeRegressor(leaves="linear").fit(frame, y)
    tree = model.tree_
    assert tree.n_leaves <= 4
    assert frame.columns[tree.feature[0]] == "x"
    assert abs(tree[0].split.threshold) < 0.3
    used = {tree.schema.names[f] for leaf in tree.leaves for f, *_ in tree.equations.entries(int(leaf))}
    assert {"x", "colour", "size"} <= used
    right = [leaf for leaf in tree.leaves if tree.equations.at_fill()[leaf] > 5]
    slope = [c for f, code, c in tree.equations.entries(int(max(right))) if f == 0 and code < 0]
    assert slope == [pytest.approx(4, abs=0.3)]
    for leaf in tree.leaves:
        groups = {t.codes: t.coefficient for t in tree.equations.terms(int(leaf)) if t.feature == 2}
        assert len({frozenset(codes) for codes in groups}) <= 3
    assert np.mean((model.predict(frame) - y) ** 2) < 0.2 * np.var(y)


def test_whole_weights_count_as_rows() -> None:
    frame, y = table(1, 80, holes=0.0)
    times = np.random.default_rng(1).integers(1, 4, 80)
    repeated = TreeRegressor(leaves="linear", alpha=0.01).fit(
        frame.loc[frame.index.repeat(times)], y.repeat(times)
    )
    weighed = TreeRegressor(leaves="linear", alpha=0.01).fit(frame, y, sample_weight=times)
    assert repeated.tree_.equations.constant == pytest.approx(weighed.tree_.equations.constant)
    assert repeated.tree_.equations.coefficient == pytest.approx(weighed.tree_.equations.coefficient)


def test_a_scale_of_all_weights_changes_no_prediction() -> None:
    frame, y = table(2)
    weight = np.random.default_rng(2).uniform(0.5, 1.5, len(y))
    one, other = (
        TreeRegressor(leaves="linear").fit(frame, y, sample_weight=weight / weight.mean() * factor)
        for factor in (1.0, 1e-6)
    )
    assert one.predict(frame) == pytest.approx(other.predict(frame), abs=1e-3 * y.std())


@pytest.mark.parametrize("n_rows", [1, 2, 3, 12, 25])
def test_few_rows_are_learned_too(n_rows) -> None:
    frame, y = table(3, n_rows, holes=0.0)
    model = TreeRegressor(leaves="linear").fit(frame, y)
    assert np.isfinite(model.predict(frame)).all()


def test_a_constant_target_and_columns_of_one_value_are_constants() -> None:
    model = TreeRegressor(leaves="linear").fit([[1.0, "a"]] * 30, [0.1] * 30)
    assert model.predict([[5.0, "a"]]).tolist() == [0.1]
    assert not len(model.tree_.equations.feature)


@pytest.mark.parametrize("scale", [1e-55, 1.0, 1e55])
def test_targets_of_any_size_are_learned(scale) -> None:
    frame, y = table(4, holes=0.0)
    model = TreeRegressor(leaves="linear").fit(frame, y * scale)
    assert model.score(frame, y * scale) > 0.9


@pytest.mark.filterwarnings("ignore:column 'name' has 100 % distinct values")
def test_numbers_of_any_size_and_many_categories_are_left_to_splits_or_learned() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=300)
    frame = pd.DataFrame({"huge": x * 1e300, "large": 1e9 + x, "name": [f"n{i}" for i in range(300)]})
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, 300), "D")
    model = TreeRegressor(leaves="linear").fit(frame, 5 * x)
    assert model.score(frame, 5 * x) > 0.95
    used = {model.tree_.schema.names[f] for f in model.tree_.equations.feature}
    assert used <= {"huge", "large"}


def test_more_columns_than_places_are_chosen_by_the_target() -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(400, 120))
    model = TreeRegressor(leaves="linear").fit(X, X[:, 77] - 2 * X[:, 3])
    assert {3, 77} <= set(model.tree_.equations.feature.tolist())
    assert model.score(X, X[:, 77] - 2 * X[:, 3]) > 0.99


# ---- what is said ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional", "value", "mean", "available"])
def test_predictions_are_what_the_shown_equation_comes_to(missing) -> None:
    frame, y = table(7)
    model = TreeRegressor(leaves="linear", missing=missing).fit(frame, y)
    others, _ = table(8, 60)
    others["colour"] = others["colour"].astype(object)
    others.loc[:5, "colour"] = "Mars"
    others.loc[6:12, "x"] = np.repeat([1e6, -1e6], 4)[:7]
    said = model.predict(others)
    if missing != "fractional":
        assert said == pytest.approx(by_hand(model, others), rel=1e-12)
    low, high = y.min(), y.max()
    assert low <= said.min() <= said.max() <= high
    for row, number in zip(others.to_dict("records")[:20], said, strict=False):
        explained = model.explain(row)
        assert explained.prediction == pytest.approx(number, rel=1e-12)
        assert float((explained.root + explained.contributions.sum())[0]) == pytest.approx(number)
        str(explained)


def test_the_page_answers_every_row_alike(run_in_node: RunInNode) -> None:
    frame, y = table(9)
    for missing in ("direction", "fractional"):
        tree = TreeRegressor(leaves="linear", missing=missing).fit(frame, y).tree_
        numbers, codes = tree.schema.encode(table(10, 200)[0])
        codes[:9] = -2
        position = tree.schema.position
        columns = [
            codes[:, position[at]].tolist()
            if column.kind == "categorical"
            else exact(numbers[:, position[at]])
            for at, column in enumerate(tree.schema.columns)
        ]
        program = """
        const { Model } = await import("./model/model.js");
        const model = new Model(given.content);
        answer([given.rows.map((row) => model.predict(row)[0]), model.prediction(0)]);
        """
        content = content_of(Exploration(tree), cv=None, max_rows=0, title=None)
        rows = [list(row) for row in zip(*columns, strict=True)]
        said, words = run_in_node(program, {"content": content, "rows": rows})
        expected = tree.predict_value(numbers, codes)[:, 0]
        assert words == tree.equations.words(tree.schema, 0, 8)
        if missing == "direction":
            assert said == expected.tolist()  # to the last bit
        else:
            assert said == pytest.approx(expected.tolist(), rel=1e-12)


def test_text_drawing_and_notebook_show_the_equation() -> None:
    model = TreeRegressor(leaves="linear", alpha=10.0).fit(
        [[x] for x in range(30)], [1 + 0.5 * x for x in range(30)]
    )
    assert "→ 1 + 0.5·x0" in str(model.tree_)
    assert "missing values count in equations as x0 = 14.5" in str(model.tree_)
    assert "1 + 0.5·x0" in model.tree_._repr_html_()
    assert "0.5·x0" in tw.plot_tree(model).svg


def test_importances_count_the_terms() -> None:
    frame, y = table(11, 400)
    model = TreeRegressor(leaves="linear").fit(frame, y)
    found = model.importances(frame, y, n_repeats=2)
    assert found.impurity.sum() == pytest.approx(1)
    assert found.held_out.sum() == pytest.approx(1, abs=0.02)  # on the training rows
    colour = model.tree_.schema.names.index("colour")
    splits = set(model.tree_.feature.tolist())
    assert colour in splits or found.impurity[colour] > 0.01
    assert found.permutation[colour] > 0.01


def test_the_same_bytes_for_every_number_of_threads() -> None:
    frame, y = table(12, 300)
    one, three = (TreeRegressor(leaves="linear", n_jobs=n).fit(frame, y) for n in (1, 3))
    assert one.tree_ == three.tree_
    assert (one.predict(frame) == three.predict(frame)).all()


# ---- what is kept, and what is refused ---------------------------------------------------------------------


def test_files_pickles_and_prunings_keep_the_equations(tmp_path) -> None:
    frame, y = table(13)
    model = TreeRegressor(leaves="linear", alpha=0.0).fit(frame, y)
    model.save(tmp_path / "model.tw")
    for again in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model))):
        assert again.tree_ == model.tree_
        assert (again.predict(frame) == model.predict(frame)).all()
    tree = model.tree_
    assert len(tree) > 1
    stump = tree.collapse([0])
    assert stump.equations.words(stump.schema, 0) == tree.equations.words(tree.schema, 0)
    pruned = tw.prune(model, CostComplexity(holdout=True), *table(99))
    assert 1 <= pruned.tree_.n_leaves <= tree.n_leaves
    with pytest.raises(ValueError, match="grows trees of constant leaves"):
        tw.prune(model, CostComplexity(cv=5), frame, y)


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("feature", 0, 99),
        ("code", 0, 7),
        ("coefficient", 0, np.nan),
        ("constant", 0, np.inf),
        ("fill", 2, 0.5),
        ("fill", 2, 99),
        ("range", 0, 1e9),
        ("begin", 1, -1),
    ],
)
def test_files_of_broken_equations_are_refused(name, at, value) -> None:
    frame, y = table(14)
    header, arrays = tree_to_parts(TreeRegressor(leaves="linear").fit(frame, y).tree_)
    broken = arrays[f"equation_{name}"].copy()
    broken[at] = value
    with pytest.raises(ModelFileError, match="the model is broken"):
        tree_from_parts(header, arrays | {f"equation_{name}": broken})


def test_what_does_not_go_with_equations_is_refused_in_a_sentence() -> None:
    frame, y = table(15)
    with pytest.raises(ValueError, match="guide='forest' goes with leaves='constant'"):
        TreeRegressor(leaves="linear", guide="forest").fit(frame, y)
    with pytest.raises(ValueError, match="monotonic_cst goes with leaves='constant'"):
        TreeRegressor(leaves="linear", monotonic_cst={"x": 1}).fit(frame, y)
    model = TreeRegressor(leaves="linear").fit(frame, y)
    with pytest.raises(ValueError, match="this tree's are linear"):
        model.shap_values(frame)
    with pytest.raises(ValueError, match="the leaves of this tree are linear equations"):
        model.rules()
    with pytest.raises(ValueError, match="wanted= looks for changes in trees of constant leaves"):
        model.explain(frame.iloc[0].to_dict(), wanted=3.0)
    editor = tw.edit(model, frame, y)
    with pytest.raises(ValueError, match="can be pruned by hand"):
        editor.relabel(int(model.tree_.leaves[0]), 3.0)
    assert editor.prune(0).fitted().tree_.n_leaves == 1


# ---- what leaves Python ------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["constant", "coefficient", "fill", "low", "high", "code"])
def test_a_certificate_catches_an_equation_that_was_changed(part) -> None:
    frame, y = table(16, 300)
    model = TreeRegressor(leaves="linear", alpha=0.01).fit(frame, y)
    program = program_of(model)
    linear = program.linear
    first = linear.terms[0][0]
    changed = {
        "constant": {"constant": (math.nextafter(linear.constant[0], math.inf), *linear.constant[1:])},
        "coefficient": {"terms": (((*first[:2], first[2] * 1.001), *linear.terms[0][1:]), *linear.terms[1:])},
        "fill": {"fill": tuple(one + 1 for one in linear.fill)},
        "low": {"low": linear.low + 0.01},
        "high": {"high": linear.high - 0.01},
        "code": {
            "terms": tuple(
                tuple((at, (code + 1) % 3 if code >= 0 else code, factor) for at, code, factor in terms)
                for terms in linear.terms
            )
        },
    }[part]
    assert tw.certify(model, export_python(program), "python").mismatches == 0
    mutant = export_python(replace(program, linear=replace(linear, **changed)))
    assert tw.certify(model, mutant, "python").mismatches > 0


def test_targets_that_hold_no_equation_and_rows_that_are_shared_are_refused() -> None:
    frame, y = table(17)
    model = TreeRegressor(leaves="linear").fit(frame[["x", "z"]], y)
    for target in ("onnx", "pmml", "treelite"):
        with pytest.raises(
            ExportError, match=f"is a leaf with a linear equation, which {target} cannot hold"
        ):
            model.export(target)
    with pytest.raises(ExportError, match="which scikit-learn cannot hold"):
        model.to_sklearn()
    shared = TreeRegressor(leaves="linear", missing="fractional", alpha=0.001).fit(frame, y)
    assert shared.tree_.shares_rows
    with pytest.raises(ExportError, match="that shares rows over branches cannot be exported"):
        shared.export("python")


def test_diagrams_and_texts_say_the_equation() -> None:
    model = TreeRegressor(leaves="linear").fit([[x] for x in range(30)], [1 + 0.5 * x for x in range(30)])
    for target in ("dot", "mermaid", "markdown", "latex"):
        assert "1 + 0.5" in model.export(target)
