"""A tree in words: as indented text and as a piece of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from helpers.trees import Inner, Leaf, build, chain, mixed_schema, random_tree
from treewright.data import Column, Schema
from treewright.export import export_html, export_text
from treewright.export.text import hidden_nodes, percent
from treewright.tree import Tree
from treewright.tree.splits import Table, Threshold

IRIS = Schema(
    (Column("petal length"), Column("petal width")), np.array(["setosa", "versicolor", "virginica"]), True
)
seeds = st.integers(0, 10**6)


@pytest.fixture
def iris() -> Tree:
    lower = Inner(Threshold(0, 4.95), [Leaf(48, [0, 47, 1]), Leaf(6, [0, 2, 4])])
    return build(
        IRIS,
        Inner(
            Threshold(0, 2.45),
            [Leaf(50, [50, 0, 0]), Inner(Threshold(1, 1.75), [lower, Leaf(46, [0, 1, 45])])],
            1,
        ),
    )


def test_a_line_has_condition_prediction_and_statistics(iris: Tree) -> None:
    assert (
        str(iris)
        == """\
150 rows, 7 nodes, 4 leaves, depth 3; classes [setosa versicolor virginica]

all rows                                     (n=150,  33 %)  [50 50 50]
├─ petal length ≤ 2.45  → setosa             (n= 50, 100 %)  [50  0  0]
└─ petal length > 2.45                       (n=100,  50 %)  [ 0 50 50]
   ├─ petal width ≤ 1.75                     (n= 54,  91 %)  [ 0 49  5]
   │  ├─ petal length ≤ 4.95  → versicolor   (n= 48,  98 %)  [ 0 47  1]
   │  └─ petal length > 4.95  → virginica    (n=  6,  67 %)  [ 0  2  4]
   └─ petal width > 1.75  → virginica        (n= 46,  98 %)  [ 0  1 45]"""
    )


def test_nodes_below_a_depth_are_counted(iris: Tree) -> None:
    lines = export_text(iris, max_depth=1).splitlines()
    assert len(lines) == 5
    assert "petal length > 2.45  … 4 nodes below" in lines[-1]
    assert export_text(iris, max_depth=3) == str(iris)
    assert export_text(iris, max_depth=0).splitlines()[-1].startswith("all rows  … 6 nodes below")


def test_the_branch_of_missing_values_is_marked_on_request(iris: Tree) -> None:
    assert "missing" not in str(iris)
    marked = export_text(iris, missing=True)
    assert "petal length > 2.45 or missing" in marked
    assert "petal width ≤ 1.75 or missing" in marked
    shared = build(mixed_schema(), Inner(Threshold(0, 1.0), [Leaf(1, [1, 0]), Leaf(1, [0, 1])], -1))
    assert export_text(shared, missing=True).count("or missing (shared)") == 2
    known = build(mixed_schema(), Inner(Threshold(0, np.inf), [Leaf(1, [1, 0]), Leaf(1, [0, 1])], 1))
    assert "age is missing  →" in export_text(known, missing=True)


def test_class_weights_can_be_left_out_and_are_for_many_classes(iris: Tree) -> None:
    assert "[" not in export_text(iris, class_weights=False)
    many = Schema((Column("x"),), np.arange(20))
    assert str(build(many, Leaf(20, [1] * 20))).splitlines() == [
        "20 rows, 1 node, 1 leaf, depth 0; 20 classes",
        "",
        "all rows  → 0   (n=20, 5 %)",
    ]


def test_an_empty_branch_says_that_it_predicts_as_its_parent() -> None:
    plan = Inner(
        Table(1, {0: 0, 1: 1, 2: 2, 3: 3}, 4),
        [Leaf(2, [2, 0]), Leaf(0, [2, 1]), Leaf(1, [0, 1]), Leaf(0, [2, 1])],
    )
    lines = str(build(mixed_schema(), plan)).splitlines()
    assert re.fullmatch(r"├─ colour = green  → no +\(n=0, predicts as its parent\)", lines[4])


def test_weights_that_are_no_counts_are_shown() -> None:
    schema = mixed_schema()
    lines = str(
        build(schema, Inner(Threshold(0, 1.0), [Leaf(1, [0.25, 0]), Leaf(3, [0.5, 1.25])]))
    ).splitlines()
    assert lines[2].endswith("(n=4, weight 2.000,  62 %)  [0.750 1.250]")
    assert lines[3].endswith("(n=1, weight 0.250, 100 %)  [0.250 0.000]")


def test_a_regression_tree_shows_values_and_risk() -> None:
    tree = build(mixed_schema(0), Inner(Threshold(0, 1.0), [Leaf(2, [1 / 3]), Leaf(10, [2.5])]))
    lines = str(tree).splitlines()
    assert lines[0] == "12 rows, 3 nodes, 2 leaves, depth 1; [value]"
    assert re.fullmatch(r"all rows +\(n=12, mean loss 1\)  \[ 2\.13889\]", lines[2])
    assert re.fullmatch(r"├─ age ≤ 1  → 0\.333333 +\(n= 2, mean loss 1\)", lines[3])
    assert "→ 0.33 " in export_text(tree, decimals=2)


def test_shares_that_are_not_quite_all_or_nothing_do_not_read_so() -> None:
    assert [percent(share) for share in (0, 1e-9, 0.004, 0.5, 0.996, 1 - 1e-9, 1)] == [
        "0", "<1", "<1", "50", ">99", ">99", "100",
    ]  # fmt: skip


def test_names_cannot_break_lines_and_other_scripts_stay() -> None:
    schema = Schema((Column("a\r\nb"), Column("גיל")), np.array(["x\ny", "日本"]))
    tree = build(
        schema,
        Inner(
            Threshold(0, 1.0), [Leaf(1, [1, 0]), Inner(Threshold(1, 0.5), [Leaf(1, [0, 1]), Leaf(1, [1, 0])])]
        ),
    )
    text = str(tree)
    assert len(text.splitlines()) == 7
    assert "a\\r\\nb ≤ 1  → x\\ny" in text
    assert "גיל ≤ 0.5  → 日本" in text


def test_wide_characters_count_as_two_columns() -> None:
    schema = Schema((Column("温度"),), np.array(["a", "b"]))
    lines = str(build(schema, Inner(Threshold(0, 1.0), [Leaf(1, [1, 0]), Leaf(1, [0, 1])]))).splitlines()[2:]
    columns = [line.index("(") + 2 * ("温度" in line) for line in lines]
    assert len(set(columns)) == 1


@given(seeds, st.sampled_from([0, 2, 3]), st.sampled_from([None, 0, 1, 2]))
def test_every_shown_node_has_one_line_and_hidden_ones_are_counted(
    seed: int, n_classes: int, max_depth: int
) -> None:
    tree = random_tree(seed, n_splits=10, n_classes=n_classes)
    lines = export_text(tree, max_depth=max_depth).splitlines()[2:]
    depth = tree.depth if max_depth is None else max_depth
    assert len(lines) == np.count_nonzero(tree.node_depth <= depth)
    counted = sum(int(n) for line in lines for n in re.findall(r"… (\d+) nodes below", line))
    assert counted == np.count_nonzero(tree.node_depth > depth)
    leaves = tree.leaves[tree.node_depth[tree.leaves] <= depth]
    assert sum("  → " in line for line in lines) == len(leaves)


@given(seeds)
def test_hidden_nodes_are_counted_at_the_nearest_shown_one(seed: int) -> None:
    tree = random_tree(seed, n_splits=10)
    hidden = tree.node_depth > 1
    expected = np.zeros(len(tree), int)
    for node in np.flatnonzero(hidden):
        above = node
        while hidden[above]:
            above = tree.parent[above]
        expected[above] += 1
    assert hidden_nodes(tree, hidden).tolist() == expected.tolist()


def test_deep_nodes_show_their_depth_as_a_number() -> None:
    lines = str(chain(50)).splitlines()
    assert lines[-1].startswith("[50] x > 49.5  → b ")
    assert sum(line.startswith("[") for line in lines) == 20


def test_a_chain_of_a_million_nodes_prints() -> None:
    text = str(chain(500_000))
    assert text.count("\n") == 1_000_002
    assert len(text) < 200 * 1_000_002
    assert "\n[500000] x > 499999.5  → b " in text


# ---- HTML ----------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Collects the tags and the text of a page, and checks that every tag that opens also closes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@given(seeds, st.sampled_from([0, 2, 3]))
def test_html_shows_every_node_of_a_small_tree(seed: int, n_classes: int) -> None:
    tree = random_tree(seed, n_splits=10, n_classes=n_classes)
    page = Reader(tree._repr_html_())
    assert set(page.tags) <= {"div", "details", "summary", "span", "b"}
    assert page.attributes <= {"style", "open"}
    assert page.tags.count("details") == len(tree) - tree.n_leaves
    assert page.tags.count("b") == tree.n_leaves


def test_html_escapes_every_name() -> None:
    hostile = "</script><img src=x onerror=alert(1)>\"'"
    schema = Schema((Column(hostile), Column("c", "categorical", (hostile, "b"))), np.array([hostile, "z"]))
    below = Inner(Table(1, {0: 0, 1: 1}, 2), [Leaf(1, [1, 0]), Leaf(1, [0, 1])])
    page = Reader(build(schema, Inner(Threshold(0, 1.0), [Leaf(1, [1, 0]), below]))._repr_html_())
    assert set(page.tags) <= {"div", "details", "summary", "span", "b"}
    assert page.attributes <= {"style", "open"}
    assert page.text.count("<img src=x") == 6  # title, two branches, a category, two predictions


def test_html_of_a_large_tree_is_small_and_counts_what_it_hides() -> None:
    tree = chain(500_000)
    page = export_html(tree)
    assert len(page) < 200_000
    shown = Reader(page).text
    assert "999802 nodes below" in shown  # 199 of 1,000,001 are shown: the root and 99 families
    assert export_html(tree, max_nodes=1).count("1000000 nodes below") == 1


@pytest.mark.parametrize(
    ("low", "high", "cut"), [(-1.0, 1.0, "0"), (-5e-324, 5e-324, "0"), (1.2, 3.7, "2.45")]
)
def test_a_strict_cut_is_written_as_one(low: float, high: float, cut: str) -> None:
    """rpart's test is x < 0; the number before zero is nothing to read."""
    X, y = np.repeat([[low], [high]], 20, axis=0), np.repeat([0, 1], 20)
    model = tw.CARTClassifier(compat="rpart", cv=None).fit(X, y)
    assert f"├─ x0 < {cut} " in str(model.tree_)
    assert f"└─ x0 ≥ {cut} " in str(model.tree_)
    assert f"IF x0 < {cut} THEN 0" in str(model.rules())
    assert f"x0 < {cut} to the left" in model.summary()
    assert model.predict([[low], [high], [float(cut)]]).tolist() == [0, 1, 1]
    below = np.nextafter(float(cut), -1.0)
    assert model.predict([[below]]).tolist() == [0]


def test_strict_cuts_on_both_sides_are_written_as_such() -> None:
    X, y = np.repeat([[-1.0], [1.0], [3.9]], 20, axis=0), np.repeat([0, 1, 0], 20)
    rules = str(tw.CARTClassifier(compat="rpart", cv=None).fit(X, y).rules())
    assert "IF 0 ≤ x0 < 2.45 THEN 1" in rules
    plain = str(tw.CARTClassifier(cv=None).fit(X, y).rules())
    assert "IF 0 < x0 ≤ 2.45 THEN 1" in plain


def test_surrogates_come_before_the_branch_of_missing_values() -> None:
    X = np.column_stack([np.arange(20.0), np.arange(20.0), np.tile([0.0, 1.0], 10)])
    for learner in (tw.CARTClassifier(cv=None), tw.DecisionTreeClassifier(missing="surrogate", ties="first")):
        model = learner.fit(X, np.arange(20) >= 12)
        text = export_text(model.tree_, missing=True)
        assert "x0 ≤ 11.5 or missing, as are its surrogates  → False" in text
        assert model.predict([[np.nan, 15, 0], [np.nan, 5, 0]]).tolist() == [True, False]
    plain = tw.DecisionTreeClassifier(ties="first").fit(X, np.arange(20) >= 12).tree_
    assert "x0 ≤ 11.5 or missing  → False" in export_text(plain, missing=True)


@pytest.mark.parametrize("use_surrogates", [0, 1, 2])
def test_the_text_of_missing_values_tells_where_rows_without_any_value_go(use_surrogates: int) -> None:
    X = np.column_stack([np.arange(20.0), np.arange(20.0), np.tile([0.0, 1.0], 10)])
    model = tw.CARTClassifier(cv=None, use_surrogates=use_surrogates).fit(X, np.arange(20) >= 12)
    assert ("or missing" in export_text(model.tree_, missing=True)) == (use_surrogates == 2)
    stays = int(model.apply(np.full((1, 3), np.nan))[0]) == 0
    assert stays == (use_surrogates < 2)
