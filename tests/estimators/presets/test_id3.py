"""ID3 splits until pure or out of features, as its books and Weka have it."""

from __future__ import annotations

import pandas as pd
import pytest

import treewright as tw
from helpers.tables import PLAY, TENNIS
from treewright.criteria import impurity


def test_id3_splits_until_pure_or_out_of_features() -> None:
    X = TENNIS[["outlook", "windy"]].astype(str)
    tree = tw.ID3Classifier().fit(X, PLAY).tree_
    assert tree.feature[0] == 0
    assert tree.n_children[0] == 3
    below = tree.feature[list(tree[0].children)].tolist()
    assert set(below) == {1}  # outlook is used up


def test_id3_gives_an_empty_branch_its_parents_majority_and_weka_none() -> None:
    X = pd.DataFrame({"a": list("zxxxxyy"), "b": list("ppqqrrr")})
    y = ["no", "no", "yes", "yes", "no", "yes", "yes"]
    nowhere = pd.DataFrame({"a": ["z"], "b": ["r"]})  # below b = r no row has a = z; most rows there say yes
    book = tw.ID3Classifier().fit(X, y)
    assert book.tree_.count[book.apply(nowhere)].tolist() == [0]
    assert book.predict(nowhere).tolist() == ["yes"]
    assert book.predict_proba(nowhere).tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3)]]
    weka = tw.ID3Classifier(compat="weka").fit(X, y)
    assert weka.predict(nowhere).tolist() == [None]
    assert weka.predict_proba(nowhere).tolist() == [[0.0, 0.0]]
    assert weka.predict(X).tolist() == book.predict(X).tolist() == y


def test_weka_decides_between_gains_that_are_equal_but_for_rounding() -> None:
    """3·H(1/3) + 4·H(1/4) = 6·H(1/2): either feature leaves 6 bits. Weka 3.6.14 grows the second tree."""
    X = pd.DataFrame({"x": list("102014134243021"), "z": list("242344030024442")})
    y = list("nynnynnnnnnnynn")
    book = tw.ID3Classifier().fit(X, y).tree_
    assert book.schema.names[book.feature[0]] == "x"  # the first of equals
    weka = tw.ID3Classifier(compat="weka").fit(X, y).tree_
    assert weka.schema.names[weka.feature[0]] == "z"
    assert weka.merit[0] == pytest.approx(book.merit[0], rel=1e-14)
    below = weka[0].children[-1]  # z = 4
    assert weka.schema.names[weka.feature[below]] == "x"
    leaves = weka[below].children
    assert weka.schema.classes[weka.label[list(leaves)]].tolist() == ["y", "y", "n", "n", "n"]
    assert weka.impurity == pytest.approx([impurity("entropy", value) for value in weka.node_value])


def test_id3_refuses_numbers_and_missing_values() -> None:
    with pytest.raises(ValueError, match=r"'humidity' is numeric.*categorical_features"):
        tw.ID3Classifier().fit(TENNIS, PLAY)
    with pytest.raises(ValueError, match="missing"):
        tw.ID3Classifier().fit(pd.DataFrame({"a": ["x", None]}), [0, 1])
