"""The way of one row through a drawing: marked, told, and never folded away."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from helpers.drawings import drawn_irises, joined
from treewright import DecisionTreeClassifier, plot_tree
from treewright.draw.shapes import Group, Rect, Ribbon, flat
from treewright.draw.visible_tree import Rows, read_one, show
from treewright.errors import DataError


def marked(drawing) -> list[str]:
    """The titles of the cards with a heavy edge."""
    groups = [shape for shape in drawing.shapes if isinstance(shape, Group)]
    cards = [shape for shape in groups[-1].shapes if isinstance(shape, Group)]
    heavy = [card for card in cards if any(isinstance(s, Rect) and s.line > 1 for s in card.shapes)]
    return [card.tip.split("\n")[0] for card in heavy]


@pytest.mark.parametrize("form", [lambda row: row, dict, list, lambda row: row.to_frame().T])
def test_the_path_of_a_row_stands_out(form) -> None:
    model, X, y = drawn_irises()
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


def _groups(drawing) -> list[Group]:
    return [
        s
        for group in drawing.shapes
        if isinstance(group, Group)
        for s in group.shapes
        if isinstance(s, Group)
    ]


def test_the_leaf_of_a_row_is_not_folded_away() -> None:
    X, y = make_classification(2000, 6, n_informative=4, flip_y=0.3, random_state=0)
    tree = DecisionTreeClassifier(max_depth=8).fit(X, y).tree_
    for place in range(5):
        leaf = int(tree.route(X[[place]], np.empty((1, 0), np.int32))[0])
        for style in ("cards", "river"):
            tips = [s.tip for s in _groups(plot_tree(tree, row=X[place], max_leaves=12, style=style))]
            assert any(f"{tree.count[leaf]} row" in tip and "gain" not in tip for tip in tips)
        row = Rows(tree, read_one(tree, X[place]))
        assert leaf in show(tree, 12, row).source
        assert show(tree, 12, row).tree.n_leaves <= 12
        assert leaf in show(tree, 2, row).source  # however few leaves are asked for


def test_a_row_is_one_and_has_the_features_of_the_tree() -> None:
    model, X, _ = drawn_irises()
    with pytest.raises(DataError, match="one row"):
        plot_tree(model, row=X.iloc[:2])
    with pytest.raises(DataError, match="the row has no value for 'sepal width'"):
        plot_tree(model, row={"sepal length": 1.0})
