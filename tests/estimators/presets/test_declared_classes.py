"""Classes that a categorical target declares and no row has: C4.5 counts them, others do not."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw

X = pd.DataFrame({"x": [1.0, 1.0, 2.0, 2.0, 2.0, 2.0], "z": list("abcabc")})
y = pd.Series(pd.Categorical(list("pppqqq"), ["p", "never", "q"]))


@pytest.mark.parametrize("compat", [None, "j48"])
def test_c45_smooths_over_all_declared_classes(compat: str | None) -> None:
    model = tw.C45Classifier(compat=compat, laplace=True, pruner=None, min_samples_leaf=6).fit(X, y)
    assert list(model.classes_) == ["p", "never", "q"]
    np.testing.assert_allclose(model.predict_proba(X)[0], [4 / 9, 1 / 9, 4 / 9])


def test_no_row_is_given_a_class_that_no_row_had() -> None:
    model = tw.C45Classifier(min_samples_leaf=1).fit(X, y)
    assert set(model.predict(X)) == {"p", "q"}
    assert "never" not in str(model.text())
    assert model.score(X, y) == model.score(X, list(y))


def test_the_smallest_branch_of_a_cut_depends_on_the_number_of_declared_classes() -> None:
    """C4.5 asks for a tenth of the rows a class, at least 2 and at most 25: 60 rows of 2 classes for 3."""
    x, labels = np.arange(60.0)[:, None], ["a"] * 2 + ["b"] * 58
    few = tw.C45Classifier(pruner=None, mdl=False).fit(x, pd.Categorical(labels, ["a", "b"]))
    many = tw.C45Classifier(pruner=None, mdl=False).fit(x, pd.Categorical(labels, ["a", "b", "c", "d"]))
    assert few.tree_.to_dict()["split"]["threshold"] == 2.0
    assert many.tree_.to_dict()["split"]["threshold"] == 1.0


def test_they_survive_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = tw.C45Classifier(laplace=True).fit(X, y)
    model.save(tmp_path / "model.tw")
    loaded = tw.load(tmp_path / "model.tw")
    assert list(loaded.classes_) == ["p", "never", "q"]
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("learner", [tw.DecisionTreeClassifier, tw.CARTClassifier, tw.RandomForestClassifier])
def test_others_have_the_classes_that_rows_have(learner: type) -> None:
    rows = np.tile(np.arange(6), 4)
    assert list(learner().fit(X.iloc[rows], y.iloc[rows]).classes_) == ["p", "q"]
