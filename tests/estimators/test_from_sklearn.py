"""Models of scikit-learn as models of this library: the same answer to every row, and all that ours do."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import ensemble, linear_model
from sklearn import tree as trees
from sklearn.exceptions import NotFittedError

import treewright as tw
from treewright import datasets
from treewright.errors import DataTypeError
from treewright.persistence.validation import validate
from treewright.tree.from_sklearn import _turning_points

CLASSIFIERS = {
    "tree": trees.DecisionTreeClassifier(random_state=0),
    "entropy": trees.DecisionTreeClassifier(criterion="log_loss", max_depth=4, random_state=0),
    "weighted classes": trees.DecisionTreeClassifier(
        class_weight="balanced", max_leaf_nodes=9, random_state=0
    ),
    "extra tree": trees.ExtraTreeClassifier(random_state=0),
    "forest": ensemble.RandomForestClassifier(12, random_state=0),
    "extra trees": ensemble.ExtraTreesClassifier(12, random_state=0),
    "balanced forest": ensemble.RandomForestClassifier(9, class_weight="balanced_subsample", random_state=0),
}
REGRESSORS = {
    "tree": trees.DecisionTreeRegressor(random_state=0),
    "absolute": trees.DecisionTreeRegressor(criterion="absolute_error", max_depth=4, random_state=0),
    "poisson": trees.DecisionTreeRegressor(criterion="poisson", max_depth=4, random_state=0),
    "extra tree": trees.ExtraTreeRegressor(random_state=0),
    "forest": ensemble.RandomForestRegressor(12, random_state=0),
    "extra trees": ensemble.ExtraTreesRegressor(12, random_state=0),
}


def table(n_rows: int, seed: int, missing: float = 0.0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n_rows, 5)).round(1), columns=list("abcde"))
    return X.mask(random.random(X.shape) < missing)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_says_the_same_of_every_row(name, missing) -> None:
    X = table(400, 0, missing)
    y = np.array(["low", "middle", "high"])[np.digitize(X["a"].fillna(1) + X["b"].fillna(0) ** 2, [0, 1])]
    weight = np.random.default_rng(1).integers(1, 4, 400)
    theirs = CLASSIFIERS[name].fit(X, y, weight)
    ours = tw.from_sklearn(theirs)
    assert ours.classes_.tolist() == ["high", "low", "middle"]
    assert ours.feature_names_in_.tolist() == list("abcde")
    other = table(2000, 2, 0.3 if missing else 0.0)
    for rows in (X, other):
        assert np.allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-12)
        assert (ours.predict(rows) == theirs.predict(rows)).mean() == 1.0
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_regressor_says_the_same_of_every_row(name, missing) -> None:
    X = table(300, 3, missing if name != "absolute" else 0.0)
    y = (X["a"].fillna(2) * X["b"].fillna(1)).abs() + 0.1
    theirs = REGRESSORS[name].fit(X, y, np.random.default_rng(1).random(300) + 0.1)
    ours = tw.from_sklearn(theirs)
    for rows in (X, table(2000, 4, 0.3 if missing and name != "absolute" else 0.0)):
        assert np.allclose(ours.predict(rows), theirs.predict(rows), rtol=1e-12)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(-1e30, 1e30, allow_subnormal=False), min_size=1, max_size=5),
    st.lists(st.floats(-1e30, 1e30, allow_subnormal=False), max_size=5),
)
def test_rounding_to_single_precision_is_in_the_thresholds(thresholds, numbers):
    cuts = np.array(thresholds)
    near = np.concatenate(
        [cuts.astype(np.float32), np.nextafter(cuts.astype(np.float32), np.float32(np.inf))]
    )
    middles = (near[: len(cuts)].astype(float) + near[len(cuts) :]) / 2
    rows = np.concatenate(
        [numbers, cuts, near, middles, np.nextafter(middles, np.inf), np.nextafter(middles, 0)]
    )
    for cut, turning in zip(cuts, _turning_points(cuts), strict=True):
        assert ((rows.astype(np.float32).astype(np.float64) <= cut) == (rows <= turning)).all()


def test_rows_beside_a_cut_take_the_way_that_scikit_learn_sends_them() -> None:
    theirs = trees.DecisionTreeClassifier().fit([[2.0], [3.0]], ["a", "b"])
    rows = (2.5 + np.linspace(-1e-6, 1e-6, 4001))[:, None]
    assert (tw.from_sklearn(theirs).predict(rows) == theirs.predict(rows)).all()
    assert 2.5 < tw.from_sklearn(theirs).tree_.threshold[0] < 2.5000002


def test_what_is_converted_does_all_that_models_do(tmp_path) -> None:
    X, y = datasets.load_iris()
    theirs = trees.DecisionTreeClassifier(random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    validate(ours.tree_.arrays(), ours.tree_.schema)
    assert ours.get_params()["max_depth"] is None
    assert ours.get_depth() == theirs.get_depth()
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert "petal" in tw.export_text(ours)
    assert "petal" in str(ours.explain(X[:1]))
    assert (ours.rules().predict(X) == theirs.predict(X)).all()
    assert tw.plot_tree(ours, X, y).svg.startswith("<svg")
    ours.save(tmp_path / "iris.tw")
    assert (tw.load(tmp_path / "iris.tw").predict(X) == theirs.predict(X)).all()
    ours.to_html(tmp_path / "iris.html", X, y)
    pruned = tw.prune(ours, "pessimistic")
    assert pruned.get_n_leaves() < ours.get_n_leaves()
    smaller = trees.DecisionTreeClassifier(random_state=0, ccp_alpha=0.02).fit(X, y)
    again = tw.prune(ours, tw.pruning.CostComplexity(alpha=0.02, risk="impurity"))
    assert (again.predict(X) == smaller.predict(X)).all()


def test_a_converted_forest_explains_and_goes_to_a_file(tmp_path) -> None:
    X, y = datasets.load_iris()
    theirs = ensemble.RandomForestClassifier(8, random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    assert len(ours.estimators_) == 8
    assert tw.plot_tree(ours.estimators_[0], X, y).svg.startswith("<svg")
    assert tw.plot_importances(ours).get_yticklabels()
    ours.save(tmp_path / "forest.tw")
    assert np.allclose(tw.load(tmp_path / "forest.tw").predict_proba(X), theirs.predict_proba(X))


def test_a_deprecated_criterion_is_what_it_always_was() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = trees.DecisionTreeRegressor(criterion="friedman_mse", max_depth=2).fit(
            [[1], [2], [5]], [1, 2, 9]
        )
        ours = tw.from_sklearn(theirs)
    assert ours.criterion == "squared_error"
    assert ours.predict([[1], [2], [5]]).tolist() == theirs.predict([[1], [2], [5]]).tolist()


def test_one_leaf_and_one_class() -> None:
    theirs = trees.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    ours = tw.from_sklearn(theirs)
    assert ours.get_n_leaves() == 1
    assert ours.predict([[7.0]]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (linear_model.LinearRegression().fit([[1], [2]], [1, 2]), "LinearRegression cannot be converted"),
        (ensemble.GradientBoostingRegressor(n_estimators=2).fit([[1], [2]], [1, 2]), "cannot be converted"),
        (trees.DecisionTreeRegressor().fit([[1], [2]], [[1, 2], [3, 4]]), "has 2 targets: only models"),
        (ensemble.RandomForestClassifier(2).fit([[1], [2]], [[1, 2], [3, 4]]), "has 2 targets"),
        ("a tree", "str cannot be converted"),
    ],
)  # fmt: skip
def test_other_models_are_refused(model, message) -> None:
    with pytest.raises(DataTypeError, match=message):
        tw.from_sklearn(model)


def test_a_tree_that_is_not_fitted_is_refused() -> None:
    with pytest.raises(NotFittedError, match="DecisionTreeClassifier instance is not fitted"):
        tw.from_sklearn(trees.DecisionTreeClassifier())
