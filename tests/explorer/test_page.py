"""The explorer's page: what goes into it, that it is one safe file, and what is refused."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from helpers.browsing import ASSETS
from helpers.trees import TREES, chain, random_tree
from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    OptimalTreeClassifier,
    TreeClassifier,
    datasets,
    explore,
    prune,
    pruning,
)
from treewright.data import Dataset
from treewright.draw.labels import answer
from treewright.errors import DataError
from treewright.evaluation import cross_validate
from treewright.explorer.bundle import bundle, script_text
from treewright.explorer.page import safe_json, style_text
from treewright.explorer.page_data import Steps
from treewright.formatting.colours import DARK, LIGHT
from treewright.pruning.nested import nested_losses


class Parts(HTMLParser):
    """The scripts, styles and policy of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self.policy = ""
        self.addresses: list[str] = []
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes) -> None:
        values = dict(attributes)
        self.tags.append(tag)
        self.inside = tag
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "srcset")]
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag) -> None:
        self.inside = ""

    def handle_data(self, data) -> None:
        if self.inside in self.texts:
            self.texts[self.inside][-1] += data


def content(page) -> dict:
    return json.loads(Parts(page.html).texts["script"][0])


@pytest.fixture(name="irises", scope="module")
def _irises():
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_competitors=2, ties="first").fit(X[::2], y[::2])
    return model, explore(model, X[::2], y[::2], validation=(X[1::2], y[1::2]), cv=5)


# ---- one file --------------------------------------------------------------------------------------------


def test_the_page_asks_nobody_for_anything(irises) -> None:
    page = Parts(irises[1].html)
    assert [one for one in page.addresses if not one.startswith("data:")] == ["#outline"]
    assert "'none'" in page.policy.split(";")[0]
    script, style = page.texts["script"][1], page.texts["style"][0]
    for text in (script, style):
        assert b64encode(sha256(text.encode()).digest()).decode() in page.policy
    assert "unsafe" not in page.policy
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script
    )
    assert not re.search(
        r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|@import|url\((?!#|\"data:)",
        script + style,
    )


def test_the_page_without_data_is_small(irises) -> None:
    empty = explore(TREES["leaf"])
    assert len(empty.html.encode()) < 300_000


def test_every_module_belongs_to_the_page() -> None:
    joined = "".join(map(script_text, ("main", "live", "served")))
    modules = [file.relative_to(ASSETS).with_suffix("").parts for file in ASSETS.rglob("*.js")]
    modules.remove(("sign_in",))  # a page of its own
    assert all(f"const module_{'_'.join(module)}=" in joined for module in modules)


@pytest.mark.parametrize(
    "line",
    [
        'import "./other.js";',
        'import other from "./other.js";',
        'import * as other from "./other.js";',
        'import { two as both } from "./other.js";',
        "import { two } from './other.js';",
        'import { two } from "other";',
        'import { two } from "https://example.org/other.js";',
        'const other = await import("./other.js");',
        'export * from "./other.js";',
        "export default 2;",
        "export let three = 3;",
        'import { three } from "./other.js";',
    ],
)
def test_the_bundle_refuses_what_it_does_not_understand(line: str) -> None:
    sources = {"main.js": f"const one = 1;\n{line}\n", "other.js": "export const two = 2;\n"}
    with pytest.raises(ValueError, match=r"^main\.js"):
        bundle("main", sources.__getitem__)


def test_modules_are_found_from_the_folder_of_who_imports_them() -> None:
    sources = {
        "main.js": 'import { six } from "./one/six.js";\nconsole.log(six);\n',
        "one/six.js": 'import { two } from "../two.js";\nimport {\n  three,\n} from "./three.js";\n'
        "export const six = two * three;\n",
        "one/three.js": "export const three = 3;\n",
        "two.js": "export const two = 2;\n",
    }
    order = re.findall(r"const (module_\w+)=\(\(\)=>", bundle("main", sources.__getitem__))
    assert order[-2:] == ["module_one_six", "module_main"]
    assert sorted(order[:2]) == ["module_one_three", "module_two"]


def test_the_style_has_the_colours_of_the_drawings() -> None:
    style = style_text()
    for theme in (LIGHT, DARK):
        for name in ("ground", "card", "edge", "ink", "pale", "soft"):
            assert f"--{name}:{theme[name]};" in style


@given(st.text(), st.text())
def test_json_is_text_wherever_it_stands(one: str, other: str) -> None:
    written = safe_json({one: [other, "</script><!--", "\u2028&"]})
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == {one: [other, "</script><!--", "\u2028&"]}


def test_hostile_names_stay_inside_the_content() -> None:
    hostile = "</script><script>alert(1)</script>{{script}}<!--"
    X = [[1.0, "a"], [2.0, hostile], [3.0, "b"]]
    model = DecisionTreeClassifier().fit(X, [hostile, "x", "y"])
    page = explore(model, X, [hostile, "x", "y"], title=hostile, cv=None)
    parts = Parts(page.html)
    assert parts.tags.count("script") == 2
    assert content(page)["classes"] == [hostile, "x", "y"]
    assert parts.texts["title"] == [hostile]
    assert "<script" not in page._repr_html_()


def test_a_notebook_shows_the_page_in_a_sandboxed_frame(irises) -> None:
    frame = irises[1]._repr_html_()
    assert '<iframe sandbox="allow-scripts allow-downloads"' in frame
    assert "allow-same-origin" not in frame


def test_to_html_writes_the_page(tmp_path: Path) -> None:
    X, y = datasets.load_iris()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    model.to_html(tmp_path / "tree.html", X, y, title="irises")
    written = (tmp_path / "tree.html").read_text(encoding="utf-8")
    page = explore(model, X, y, title="irises").html
    assert f">{Parts(page).texts['script'][0]}<" in written  # below the report
    with pytest.raises(ValueError, match="not fitted"):
        DecisionTreeClassifier().to_html(tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


# ---- what is in it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_every_kind_of_tree_has_a_page(name) -> None:
    found = content(explore(TREES[name]))
    assert found["tree"]["parent"] == TREES[name].parent.tolist()
    assert [split is None for split in found["splits"]] == (TREES[name].n_children == 0).tolist()


def test_nodes_carry_surrogates_competitors_and_validation_rows(irises) -> None:
    model, page = irises
    found = content(page)
    root = found["splits"][0]
    assert [split["words"].replace("\xa0", " ") for split in root["competitors"]] == [
        split.condition(model.tree_.schema, 0) for split in model.tree_[0].competitors
    ]
    assert found["features"][root["feature"]]["name"] == "petal length"
    assert found["held"]["weight"][0] == 75
    assert sum(found["held"]["value"][:3]) == 75
    X, y = datasets.load_labor()
    cart = content(explore(CARTClassifier(min_samples_split=4, min_samples_leaf=2).fit(X, y), X, y))
    assert any(split and split.get("surrogates") for split in cart["splits"])


@pytest.mark.parametrize("seed", range(6))
def test_steps_collapse_what_pruning_collapses(seed) -> None:
    tree = random_tree(seed, 12)
    steps = Steps.of(tree)
    alphas = steps.path.alpha
    for step, alpha in enumerate(alphas):
        pruned = pruning.CostComplexity(alpha=float(alpha))(tree)
        collapsed = tree.collapse(steps.leaf_from <= step + steps.extra)
        assert collapsed == pruned
    assert tree.collapse(steps.leaf_from <= 0).n_leaves == (
        tree.n_leaves if steps.extra else steps.path.leaves[0]
    )


def test_curves_are_those_of_the_prunings(irises) -> None:
    model, page = irises
    X, y = datasets.load_iris()
    path = content(page)["path"]
    for step, alpha in enumerate(path["alpha"]):
        if step == 0 and path["alpha"][:2] == [0, 0]:
            pruned = model  # the tree as it was grown
        else:
            pruned = prune(model, pruning.CostComplexity(alpha=alpha * (1 + 1e-9)))
        assert pruned.get_n_leaves() == path["leaves"][step]
        assert 1 - pruned.score(X[::2], y[::2]) == pytest.approx(path["training"][step], abs=1e-8)
        assert 1 - pruned.score(X[1::2], y[1::2]) == pytest.approx(path["validation"]["mean"][step], abs=1e-8)
    judged = prune(model, pruning.CostComplexity(cv=5), X[::2], y[::2]).path_
    means = path["cross_validation"]["mean"]
    assert means[len(means) - len(judged) :] == pytest.approx(judged.held_out.tolist(), abs=1e-8)


def test_presets_are_cross_validated_by_their_own_program() -> None:
    X, y = datasets.load_votes()
    model = C45Classifier(pruner=None).fit(X, y)
    path = content(explore(model, X, y, cv=5))["path"]
    judged = prune(model, pruning.CostComplexity(cv=5), X, y).path_
    means = path["cross_validation"]["mean"]
    assert means[len(means) - len(judged) :] == pytest.approx(judged.held_out.tolist(), abs=1e-8)


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(ties="first", pruner="pessimistic"),
        DecisionTreeClassifier(ties="first", pruner=pruning.CostComplexity(cv=5, se=1)),
        DecisionTreeClassifier(ties="first", pruner="reduced_error", random_state=0),
        DecisionTreeClassifier(ties="first", max_leaf_nodes=4, ccp_alpha=0.01),
        TreeClassifier(),
        C45Classifier(),
        CARTClassifier(cv=5, se=1),
        OptimalTreeClassifier(max_depth=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_folds_are_grown_and_pruned_as_the_model_was(learner) -> None:
    X, y = datasets.load_iris()
    mixed = np.random.default_rng(0).random(len(y)) < 0.2  # errors in the classes, for pruners to see to
    y = np.where(mixed, np.roll(y, 37), y)
    model = learner.fit(X, y)
    path = content(explore(model, X, y, cv=5))["path"]
    assert path["cross_validation"]["mean"][0] == pytest.approx(
        cross_validate(model, X, y, n_folds=5).evaluation.error, abs=1e-8
    )


def test_folds_are_pruned_as_a_model_that_was_pruned_after_its_fit() -> None:
    X, y = datasets.load_votes()
    model = DecisionTreeClassifier(ties="first").fit(X, y)
    pruned = prune(model, pruning.CostComplexity(cv=5, se=1), X, y)
    at_once = DecisionTreeClassifier(ties="first", pruner=pruning.CostComplexity(cv=5, se=1)).fit(X, y)
    path, same = (content(explore(each, X, y, cv=5))["path"] for each in (pruned, at_once))
    assert path["cross_validation"] == same["cross_validation"]
    assert path["cross_validation"] != content(explore(model, X, y, cv=5))["path"]["cross_validation"]


def test_rows_are_sampled_and_can_be_left_out() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(5000, 3)), random.normal(size=5000)
    model = DecisionTreeRegressor(max_depth=3).fit(X, y)
    rows = content(explore(model, X, y, cv=None, max_rows=100))["rows"]
    assert len(rows["target"]) == 100
    assert rows["total"] == [5000]
    assert rows["features"][1] == X[rows["id"], 1].tolist()
    assert rows["target"] == y[rows["id"]].tolist()
    both = content(explore(model, X, y, validation=(X[:9], y[:9]), cv=None, max_rows=100))["rows"]
    assert sum(both["validation"]) == 9
    without = explore(model, X, y, cv=None, max_rows=0)
    assert content(without)["rows"] is None
    assert str(y[0]) not in without.html
    with pytest.raises(ValueError, match="max_rows=-1 must be an int from 0 on"):
        explore(model, X, y, max_rows=-1)
    with pytest.raises(DataError, match="y is missing"):
        explore(model, X)


def test_a_deep_tree_and_extreme_numbers_are_written() -> None:
    assert len(content(explore(chain(2000)))["splits"]) == 4001
    X, y = [[1e308], [-1e308], [5e-324]], [1e60, -1e60, 0.0]
    assert content(explore(DecisionTreeRegressor().fit(X, y), X, y, cv=None))["rows"]["target"] == y


def test_numbers_near_the_largest_have_a_finite_range() -> None:
    X = [[1.7e308], [1.6e308], [-1.7e308], [0.0]]
    features = content(explore(DecisionTreeRegressor().fit(X, [1, 2, 3, 4])))["features"]
    assert -1.8e308 < features[0]["low"] < features[0]["middle"] < features[0]["high"] < 1.8e308


@pytest.mark.parametrize(
    "times",
    [
        pd.Series(pd.date_range("2024-01-01", periods=40)),
        pd.Series(pd.date_range("2024-01-01", periods=40, freq="90min", tz="Europe/Paris")),
        pd.Series(pd.timedelta_range("0h", periods=40, freq="7h")),
        pd.Series(np.arange(40) + 2**60),
    ],
    ids=["dates", "times of a zone", "durations", "large whole numbers"],
)
@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(missing="surrogate", ties="first"), CARTClassifier(cv=None)]
)
def test_surrogates_on_times_are_written_whichever_way_they_run(times: pd.Series, learner: Any) -> None:
    for down in (False, True):
        ahead = times[::-1].reset_index(drop=True) if down else times
        X = pd.DataFrame({"ahead": np.arange(40.0), "when": ahead})
        model = clone(learner).fit(X, np.arange(40) >= 20)
        (surrogate,) = model.tree_[0].surrogates
        schema = model.tree_.schema
        assert model.predict(X.assign(ahead=np.nan)).tolist() == (np.arange(40) >= 20).tolist()
        up = surrogate.condition(schema, 0).startswith(("when > ", "when ≥ "))
        assert up == down
        assert answer(surrogate, schema, 1).startswith(("<", "≤") if down else (">", "≥"))
        (said,) = content(explore(model, X, np.arange(40) >= 20, cv=None))["splits"][0]["surrogates"]
        assert said["answers"] == [answer(surrogate, schema, branch) for branch in (0, 1)]


@pytest.mark.parametrize("missing", ["direction", "fractional"])
def test_errors_along_the_path_are_those_of_pruned_trees(missing) -> None:
    random = np.random.default_rng(7)
    X = random.normal(size=(400, 3))
    y = (X[:, 0] + random.normal(size=400) > 0).astype(int)
    X[random.random(X.shape) < 0.1] = np.nan
    model = DecisionTreeClassifier(missing=missing).fit(X[:200], y[:200])
    page = explore(model, X[:200], y[:200], validation=(X[200:], y[200:]), cv=None)
    path = content(page)["path"]
    for step in range(1, len(path["leaves"]), 5):
        kept = np.array([from_ is not None and from_ <= step for from_ in path["leaf_from"]])
        pruned = model.tree_.collapse(kept)
        rows = Dataset(pruned.schema, *pruned.schema.encode(X[200:]), y[200:].astype(np.int32))
        sums = nested_losses(pruned, rows, np.full(len(pruned), np.inf), np.zeros(1))
        assert path["validation"]["mean"][step] == pytest.approx(sums.mean[0])
        if missing == "direction":  # parts of a row that meet again are still parts where trees are nested
            assert path["validation"]["se"][step] == pytest.approx(sums.se[0])
