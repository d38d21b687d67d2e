"""Several targets at once: against a slow reference, against scikit-learn, and every hard case."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.ensemble as skens
import sklearn.tree as sktree
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from tests.helpers.several_targets import best_merit, mean_impurity

import treewright as tw
from treewright.errors import ExportError

CLASSES = ("gini", "entropy", "error", "sqrt")
NUMBERS = ("squared_error", "absolute_error", "poisson")


def table(seed: int = 0, n: int = 300, p: int = 5, missing: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    X[random.random((n, p)) < missing] = np.nan
    return X


def numbers(X: Any, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed + 100)
    Z = np.nan_to_num(X)
    noise = random.normal(scale=0.3, size=(len(X), 3))
    return np.column_stack([Z[:, 0] * 2, np.where(Z[:, 1] > 0, 3.0, 0.0) + Z[:, 0], Z[:, 2] ** 2]) + noise


def classes(X: Any, seed: int = 0) -> np.ndarray:
    Y = numbers(X, seed)
    return np.column_stack([Y[:, 0] > 0, np.digitize(Y[:, 1], [0, 2]), np.digitize(Y[:, 2], [0.3, 1, 2])])


def target(criterion: str, X: Any, seed: int = 0) -> np.ndarray:
    if criterion in CLASSES:
        return classes(X, seed).astype(int)
    Y = numbers(X, seed)
    return np.abs(Y).round() + 1.0 * (criterion == "poisson") if criterion == "poisson" else Y


def model_of(criterion: str, **parameters: Any) -> Any:
    kind = tw.DecisionTreeClassifier if criterion in CLASSES else tw.DecisionTreeRegressor
    return kind(criterion=criterion, **parameters)


class TestSplits:
    @pytest.mark.parametrize(
        "criterion", ["gini", "entropy", "error", "squared_error", "absolute_error", "poisson"]
    )
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("missing", [0.0, 0.2])
    def test_every_split_is_the_best_there_is(self, criterion: str, weighted: bool, missing: float) -> None:
        X = table(3, 60, 3, missing)
        Y = target(criterion, X, 3)
        weight = np.random.default_rng(1).integers(1, 5, 60) * 0.5 if weighted else np.ones(60)
        model = model_of(criterion, max_depth=3).fit(X, Y, weight if weighted else None)
        tree, path = model.tree_, model.decision_path(X).toarray().astype(bool)
        for node in range(len(tree)):
            rows = path[:, node]
            assert tree.impurity[node] == pytest.approx(
                mean_impurity(criterion, Y[rows], weight[rows]), abs=1e-12
            )
            if tree.children_left[node] < 0:
                continue
            most, merits = best_merit(criterion, X[rows], Y[rows], weight[rows])
            chosen = int(tree.feature[node]), float(tree.threshold[node])
            assert tree.merit[node] == pytest.approx(most, abs=1e-9)
            near = min(
                merits,
                key=lambda place: (
                    place[0] != chosen[0],
                    abs(place[1] - chosen[1]) if np.isfinite(chosen[1]) or np.isfinite(place[1]) else 0.0,
                ),
            )
            assert merits[near] == pytest.approx(most, abs=1e-9)

    @pytest.mark.skipif(
        tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
        reason="trees of older versions take splits of less gain with weights and with missing values",
    )
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
    @pytest.mark.parametrize("missing", [0.0, 0.1])
    def test_the_tree_is_scikit_learns(self, criterion: str, missing: float) -> None:
        X = table(5, 400, 6, missing).astype(np.float32).astype(float)
        Y = target(criterion, X, 5)
        weight = np.random.default_rng(2).random(400) + 0.5
        own = model_of(criterion, max_depth=5, min_samples_leaf=5).fit(X, Y, weight)
        kind = sktree.DecisionTreeClassifier if criterion in CLASSES else sktree.DecisionTreeRegressor
        other = kind(criterion=criterion, max_depth=5, min_samples_leaf=5, random_state=0)
        if missing and criterion == "absolute_error":
            pytest.skip("scikit-learn takes no missing values here")
        other.fit(X, Y, weight)
        assert_array_equal(own.tree_.feature, other.tree_.feature)
        assert_allclose(own.tree_.impurity, other.tree_.impurity, atol=1e-9)
        assert_allclose(own.tree_.value, other.tree_.value, atol=1e-9)
        assert_allclose(own.predict(X).astype(float), other.predict(X), atol=1e-9)

    def test_equal_targets_grow_the_tree_of_one(self) -> None:
        X, y = load_iris(return_X_y=True)
        one = tw.DecisionTreeClassifier(max_depth=4).fit(X, y)
        three = tw.DecisionTreeClassifier(max_depth=4).fit(X, np.column_stack([y, y, y]))
        assert_array_equal(one.tree_.feature, three.tree_.feature)
        assert_array_equal(one.tree_.threshold, three.tree_.threshold)
        assert_allclose(one.tree_.impurity, three.tree_.impurity)
        assert_array_equal(three.predict(X), np.column_stack([one.predict(X)] * 3))

    @pytest.mark.parametrize("criterion", ["gini", "squared_error"])
    def test_growing_rules_hold(self, criterion: str) -> None:
        X = table(7)
        Y = target(criterion, X, 7)
        weight = np.ones(len(X))
        tree = model_of(criterion, min_samples_leaf=20, max_leaf_nodes=6).fit(X, Y).tree_
        assert tree.n_leaves <= 6
        assert tree.count[tree.leaves].min() >= 20
        assert model_of(criterion, min_impurity_decrease=0.05).fit(X, Y).tree_.n_leaves < 40
        light = model_of(criterion, min_weight_fraction_leaf=0.1).fit(X, Y, weight).tree_
        assert light.weight[light.leaves].min() >= 0.1 * len(X)
        for order in ("depth_first", "breadth_first", "best_first"):
            assert model_of(criterion, order=order).fit(X, Y).tree_ == model_of(criterion).fit(X, Y).tree_

    @pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
    def test_the_same_bytes_by_any_number_of_threads(self, criterion: str) -> None:
        X = table(8, 3000, 6)
        Y = target(criterion, X, 8)
        first = model_of(criterion, n_jobs=1, max_depth=8).fit(X, Y)
        assert model_of(criterion, n_jobs=3, max_depth=8).fit(X, Y).tree_ == first.tree_

    def test_zero_weights_change_nothing(self) -> None:
        X = table(9)
        Y = target("gini", X, 9)
        weight = (np.arange(len(X)) % 3 > 0).astype(float)
        some = tw.DecisionTreeClassifier().fit(X[weight > 0], Y[weight > 0])
        assert_array_equal(tw.DecisionTreeClassifier().fit(X, Y, weight).predict(X), some.predict(X))


class TestCategories:
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
    @pytest.mark.parametrize("n_values", [4, 9])
    def test_the_best_of_all_groupings(self, criterion: str, n_values: int) -> None:
        random = np.random.default_rng(4)
        codes = random.integers(n_values, size=200)
        X = pd.DataFrame({"c": pd.Categorical([f"v{code}" for code in codes])})
        effect = random.normal(size=(n_values, 2))[codes] + random.normal(scale=0.5, size=(200, 2))
        Y = (effect > 0).astype(int) if criterion in CLASSES else np.abs(effect) + 0.5
        tree = model_of(criterion, max_depth=1).fit(X, Y).tree_
        weight, best = np.ones(200), -np.inf
        whole = mean_impurity(criterion, Y, weight)
        for mask in range(1, 2 ** (n_values - 1)):
            left = (mask >> codes) & 1 == 1
            sides = [side for side in (left, ~left) if side.any()]
            after = sum(side.sum() * mean_impurity(criterion, Y[side], weight[side]) for side in sides)
            best = max(best, whole - after / 200)
        assert tree.merit[0] == pytest.approx(best)

    @pytest.mark.parametrize("n_values", [40, 1000])
    @pytest.mark.parametrize("criterion", ["gini", "squared_error"])
    def test_many_values_and_missing_ones(self, criterion: str, n_values: int) -> None:
        random = np.random.default_rng(5)
        codes = random.integers(n_values, size=3000)
        effect = random.normal(size=(n_values, 2))[codes]
        Y = (effect > 0).astype(int) if criterion in CLASSES else effect
        values = np.array([f"v{code}" for code in codes], object)
        values[random.random(3000) < 0.05] = None
        X = pd.DataFrame({"c": values, "x": random.normal(size=3000)})
        model = model_of(criterion, max_depth=6).fit(X, Y)
        assert np.mean((model.predict(X) - Y) ** 2) < 0.8 * np.mean((Y - Y.mean(axis=0)) ** 2)
        assert_array_equal(model.predict(X), pickle.loads(pickle.dumps(model)).predict(X))

    def test_multiway_and_one_against_the_rest(self) -> None:
        X = [["a"], ["b"], ["c"], ["a"], ["b"], ["c"]]
        Y = [["p", 0], ["q", 0], ["p", 1]] * 2
        for splits in (("multiway",), ("one_vs_rest",)):
            model = tw.DecisionTreeClassifier(splits=splits).fit(X, Y)
            assert model.predict(X).tolist() == Y

    def test_boolean_columns(self) -> None:
        X = pd.DataFrame({"b": [True, False] * 10, "x": np.arange(20.0)})
        Y = np.column_stack([X["b"], X["x"] > 9]).astype(int)
        assert_array_equal(tw.DecisionTreeClassifier().fit(X, Y).predict(X), Y)


class TestShapes:
    def test_of_a_classifier(self) -> None:
        X = table()
        Y = classes(X).astype(int)
        model = tw.DecisionTreeClassifier(max_depth=3).fit(X, Y)
        other = sktree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
        assert model.n_outputs_ == 3
        assert model.n_classes_ == [2, 3, 4] == list(map(int, other.n_classes_))
        assert isinstance(model.classes_, list)
        for own, theirs in zip(model.classes_, other.classes_, strict=True):
            assert_array_equal(own, theirs)
        assert model.predict(X).shape == (300, 3)
        for own, theirs in zip(model.predict_proba(X), other.predict_proba(X), strict=True):
            assert own.shape == theirs.shape
            assert_allclose(own.sum(axis=1), 1.0)
        for own, logs in zip(model.predict_proba(X), model.predict_log_proba(X), strict=True):
            assert_allclose(np.exp(logs), own)
        assert model.tree_.value.shape == other.tree_.value.shape
        assert model.tree_.n_outputs == 3
        assert_array_equal(model.tree_.n_classes, other.tree_.n_classes)
        assert model.tree_.max_n_classes == 4

    def test_of_a_regressor(self) -> None:
        X = table()
        model = tw.DecisionTreeRegressor(max_depth=3).fit(X, numbers(X))
        assert model.predict(X).shape == (300, 3)
        assert model.tree_.value.shape == (len(model.tree_), 3, 1)
        assert model.score(X, numbers(X)) > 0.5

    def test_labels_of_any_kind(self) -> None:
        X = [[0], [1], [2], [3]]
        Y = pd.DataFrame({"colour": ["red", "blue", "red", "blue"], "size": [1, 1, 2, 2]})
        model = tw.DecisionTreeClassifier().fit(X, Y)
        assert model.predict(X).tolist() == Y.to_numpy().tolist()
        assert [output.name for output in model.tree_.schema.outputs] == ["colour", "size"]
        assert model.classes_[0].tolist() == ["blue", "red"]

    @pytest.mark.parametrize("kind", [np.array, list, pd.DataFrame, csr_array])
    def test_one_column_is_one_target_and_trees_do_not_warn(self, kind: Any) -> None:
        X = kind([[1.0], [2.0]])
        Y = [[0], [1]] if kind is csr_array else kind([[0], [1]])
        for estimator in (tw.DecisionTreeClassifier, tw.DecisionTreeRegressor):
            model = estimator().fit(X, Y)  # warnings are errors here
            assert model.n_outputs_ == 1
            assert model.predict(X).tolist() == [0, 1]
            assert model.score(X, Y) == 1

    @pytest.mark.parametrize("estimator", [tw.RandomForestClassifier, tw.ExtraTreesRegressor])
    def test_forests_warn_of_one_column_once(self, estimator: Any) -> None:
        with pytest.warns(match="column-vector") as warned:
            model = estimator(2).fit([[1], [2]], [[0], [1]])
        assert len(warned) == 1
        assert model.predict([[1]]).shape == (1,)

    def test_targets_that_are_masked_are_missing(self) -> None:
        Y = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
        with pytest.raises(tw.errors.DataError, match=r"target 'y1': .*NaN"):
            tw.DecisionTreeRegressor().fit([[1], [2]], Y)
        with pytest.raises(tw.errors.DataError, match="NaN"):
            tw.DecisionTreeRegressor().fit([[1], [2]], Y[:, 1:])

    def test_one_row_and_one_class(self) -> None:
        model = tw.DecisionTreeClassifier().fit([[1.0]], [[0, "a"]])
        assert model.predict([[5.0]]).tolist() == [[0, "a"]]
        assert [p.tolist() for p in model.predict_proba([[5.0]])] == [[[1.0]], [[1.0]]]
        Y = [[0, 0], [0, 1], [0, 1]]
        assert tw.DecisionTreeClassifier().fit([[1], [2], [3]], Y).predict([[1], [3]]).tolist() == [
            [0, 0],
            [0, 1],
        ]

    def test_laplace_knows_the_classes_of_each_target(self) -> None:
        X, Y = [[1.0], [2.0]], [[0, 0], [1, 2]]
        Y = [[0, 0], [1, 2], [1, 1]]
        first, second = tw.DecisionTreeClassifier(laplace=1).fit([[1], [2], [3]], Y).predict_proba(X)
        assert first.tolist() == [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]
        assert second.tolist() == [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]


class TestClassWeight:
    Y = classes(table(11)).astype(int)
    X = table(11)

    def test_factors_are_multiplied(self) -> None:
        given = [{0: 2.0, 1: 0.5}, {0: 1.0, 1: 3.0, 2: 1.5}, {}]
        factor = np.array([2.0, 0.5])[self.Y[:, 0]] * np.array([1.0, 3.0, 1.5])[self.Y[:, 1]]
        weighed = tw.DecisionTreeClassifier(max_depth=4).fit(self.X, self.Y, factor)
        model = tw.DecisionTreeClassifier(max_depth=4, class_weight=given).fit(self.X, self.Y)
        assert_allclose(model.tree_.node_value, weighed.tree_.node_value)
        other = sktree.DecisionTreeClassifier(
            max_depth=4, random_state=0, class_weight=[*given[:2], dict.fromkeys(range(4), 1)]
        )
        assert_allclose(model.tree_.impurity, other.fit(self.X, self.Y).tree_.impurity)

    def test_balanced(self) -> None:
        own = tw.DecisionTreeClassifier(max_depth=3, class_weight="balanced").fit(self.X, self.Y)
        other = sktree.DecisionTreeClassifier(max_depth=3, class_weight="balanced", random_state=0)
        assert_allclose(own.tree_.impurity, other.fit(self.X, self.Y).tree_.impurity, atol=1e-12)
        assert_allclose(own.tree_.weight, other.tree_.weighted_n_node_samples)

    def test_a_class_of_no_weight(self) -> None:
        given = [{0: 0.0}, {}, {}]
        model = tw.DecisionTreeClassifier(class_weight=given).fit(self.X, self.Y)
        assert set(model.predict(self.X)[:, 0]) == {1}

    def test_refused(self) -> None:
        for given, words in (({0: 1}, "list of dicts"), ([{0: 1}], "number of elements")):
            with pytest.raises(ValueError, match=words):
                tw.DecisionTreeClassifier(class_weight=given).fit(self.X, self.Y)
        with pytest.raises(ValueError, match="one target"):
            tw.DecisionTreeClassifier(class_weight=[{0: 1}, {0: 1}]).fit(self.X, self.Y[:, 0])


FORESTS = (
    (tw.RandomForestClassifier, skens.RandomForestClassifier),
    (tw.ExtraTreesClassifier, skens.ExtraTreesClassifier),
    (tw.RandomForestRegressor, skens.RandomForestRegressor),
    (tw.ExtraTreesRegressor, skens.ExtraTreesRegressor),
)


class TestForests:
    @pytest.mark.parametrize(("own", "theirs"), FORESTS)
    def test_as_good_as_scikit_learns_in_its_shapes(self, own: Any, theirs: Any) -> None:
        X, further = table(12, 400), table(13, 400)
        is_class = "Classifier" in own.__name__
        make = (lambda X: classes(X, 12).astype(int)) if is_class else (lambda X: numbers(X, 12))
        model, other = (kind(40, random_state=0).fit(X, make(X)) for kind in (own, theirs))
        assert model.n_outputs_ == 3
        assert model.predict(further).shape == (400, 3)
        loss = [np.mean((m.predict(further) - make(further)) ** 2) for m in (model, other)]
        assert loss[0] < 1.15 * loss[1]
        if is_class:
            for mine, shares in zip(model.predict_proba(X), other.predict_proba(X), strict=True):
                assert mine.shape == shares.shape
                assert_allclose(mine.sum(axis=1), 1.0)

    @pytest.mark.parametrize(("own", "_"), FORESTS)
    def test_the_same_bytes_by_any_number_of_threads(self, own: Any, _: Any) -> None:
        X = table(14)
        Y = (classes if "Classifier" in own.__name__ else numbers)(X).astype(float)
        first = own(12, random_state=3, n_jobs=1).fit(X, Y)
        again = own(12, random_state=3, n_jobs=3).fit(X, Y)
        assert first.trees_ == again.trees_
        assert_array_equal(np.array(first.predict(X)), np.array(again.predict(X)))

    @pytest.mark.parametrize(("own", "_"), FORESTS)
    def test_the_forest_is_the_mean_of_its_trees(self, own: Any, _: Any) -> None:
        X = table(15)
        is_class = "Classifier" in own.__name__
        Y = (classes if is_class else numbers)(X).astype(int if is_class else float)
        model = own(7, random_state=1).fit(X, Y)
        if is_class:
            for place, shares in enumerate(model.predict_proba(X)):
                assert_allclose(shares, np.mean([tree.predict_proba(X)[place] for tree in model], axis=0))
        else:
            assert_allclose(model.predict(X), np.mean([tree.predict(X) for tree in model], axis=0))
        assert model.feature_importances_.sum() == pytest.approx(1.0)
        loaded = pickle.loads(pickle.dumps(model))
        assert loaded.trees_ == model.trees_
        assert_array_equal(loaded.predict(X), model.predict(X))

    def test_out_of_bag(self) -> None:
        X = table(16)
        model = tw.RandomForestRegressor(60, random_state=0, oob_score=True).fit(X, numbers(X))
        assert model.oob_prediction_.shape == (300, 3)
        from sklearn.metrics import r2_score

        assert model.oob_score_ == pytest.approx(r2_score(numbers(X), model.oob_prediction_))
        bits = (classes(X) > 0).astype(int)
        forest = tw.RandomForestClassifier(60, random_state=0, oob_score=True).fit(X, bits)
        assert forest.oob_decision_function_.shape == (300, 2, 3)
        assert forest.oob_score_ == np.mean(
            (forest.oob_decision_function_.argmax(axis=1) == bits).all(axis=1)
        )
        with pytest.raises(ValueError, match="The type of target cannot be used to compute OOB estimates"):
            tw.RandomForestClassifier(5, oob_score=True).fit(X, classes(X).astype(int))

    @pytest.mark.parametrize("class_weight", ["balanced", "balanced_subsample", [{0: 5}, {}, {}]])
    def test_class_weight(self, class_weight: Any) -> None:
        X = table(17)
        model = tw.RandomForestClassifier(20, random_state=0, class_weight=class_weight)
        plain = tw.RandomForestClassifier(20, random_state=0).fit(X, classes(X).astype(int))
        model.fit(X, classes(X).astype(int))
        assert not np.allclose(model.predict_proba(X)[0], plain.predict_proba(X)[0])
        assert model.score.__self__ is model
        assert np.mean(model.predict(X) == classes(X)) > 0.8

    def test_warm_start_and_hard_votes(self) -> None:
        X, Y = table(18), classes(table(18)).astype(int)
        model = tw.RandomForestClassifier(5, warm_start=True, random_state=0, vote="hard").fit(X, Y)
        model.set_params(n_estimators=9).fit(X, Y)
        assert len(model) == 9
        votes = [np.eye(3)[tree.predict(X)[:, 1]] for tree in model]
        assert_allclose(model.predict_proba(X)[1], np.mean(votes, axis=0))
        assert_array_equal(
            model.predict(X), tw.RandomForestClassifier(9, random_state=0, vote="hard").fit(X, Y).predict(X)
        )

    def test_categories_and_missing_values(self) -> None:
        random = np.random.default_rng(6)
        X = pd.DataFrame({"c": random.choice(list("abcdef"), 400), "x": random.normal(size=400)})
        Y = np.column_stack([X["c"].isin(["a", "b"]), X["x"] > 0]).astype(int)
        X.loc[::9, "c"] = None
        X.loc[::7, "x"] = np.nan
        for kind in (tw.RandomForestClassifier, tw.ExtraTreesClassifier):
            assert np.mean(kind(30, random_state=0).fit(X, Y).predict(X) == Y) > 0.9


class TestReading:
    Y = pd.DataFrame({"big": ["no", "no", "yes", "yes"], "red": [0, 1, 1, 1]})
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0]})

    def test_text(self) -> None:
        text = str(tw.DecisionTreeClassifier().fit(self.X, self.Y).tree_)
        assert "targets [big red]" in text
        assert "size ≤ 1.5  → big = no, red = 0" in text
        assert "100 % · 100 %" in text
        numbers = str(
            tw.DecisionTreeRegressor(max_depth=1).fit(self.X, [[1, 10], [1, 10], [2, 30], [2, 30.0]]).tree_
        )
        assert "→ y0 = 1, y1 = 10" in numbers
        assert "[1.5 20]" in numbers

    def test_dictionary(self) -> None:
        root = tw.DecisionTreeClassifier(max_depth=1).fit(self.X, self.Y).tree_.to_dict()
        assert root["value"] == [[2.0, 2.0], [1.0, 3.0]]
        root = (
            tw.DecisionTreeRegressor(max_depth=1)
            .fit(self.X, [[1, 10], [1, 10], [2, 30], [2, 30.0]])
            .tree_.to_dict()
        )
        assert root["value"] == [1.5, 20.0]

    def test_drawing_has_a_bar_for_each_target(self) -> None:
        from treewright.draw.node_plots import value_bar
        from treewright.draw.visible_tree import show

        tree = tw.DecisionTreeClassifier().fit(self.X, self.Y).tree_
        shown = show(tree, None, None)
        backs = [
            shape for shape in value_bar(shown, 0, 100.0, 14.0, 0.0) if getattr(shape, "fill", "") == "soft"
        ]
        assert len(backs) == 2
        svg = tw.plot_tree(tree).svg
        for words in ("big:", "red:", "big = yes"):
            assert words in svg
        assert (
            "<svg"
            in tw.DecisionTreeRegressor()
            .fit(self.X, np.ones((4, 2)) * [[1], [1], [2], [3]])
            ._repr_html_inner()
        )

    def test_explanations(self) -> None:
        model = tw.DecisionTreeClassifier().fit(self.X, self.Y)
        said = model.explain([2.0])
        assert list(said) == ["big", "red"]
        assert (said["big"].prediction, said["red"].prediction) == ("no", 1)
        assert "Target big" in str(said)
        assert model.explain([2.0], target="red", wanted=0).change is not None
        forest = tw.RandomForestRegressor(5, random_state=0).fit(self.X, self.Y.assign(big=[1, 2, 3, 4.0]))
        for place, one in enumerate(forest.explain([2.0]).values()):
            assert one.prediction == pytest.approx(forest.predict(self.X[1:2])[0, place])
            assert one.root.sum() + one.contributions.sum() == pytest.approx(one.prediction)

    def test_shapley_values_add_up(self) -> None:
        X = table(19, 80, 3)
        model = tw.DecisionTreeRegressor(max_depth=4).fit(X, numbers(X))
        values = model.shap_values(X[:5])
        assert values.shape == (5, 3, 3)
        assert_allclose(values.sum(axis=1) + model.tree_.node_value[0], model.predict(X[:5]))
        forest = tw.RandomForestClassifier(4, random_state=0).fit(X, classes(X).astype(int))
        first = forest.shap_values(X[:5])[1]
        for place in range(3):
            one = forest.shap_values(X[:5])[place]
            assert one.shape == (5, 3, [2, 3, 4][place])
            assert_allclose(one.sum(axis=2), 0.0, atol=1e-12)
        assert first.shape == (5, 3, 3)

    @pytest.mark.filterwarnings("ignore:feature")
    @pytest.mark.parametrize("kind", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
    def test_importances(self, kind: Any) -> None:
        X = table(20, 500)
        Y = (classes if kind is tw.DecisionTreeClassifier else numbers)(X).astype(float)
        model = kind(max_depth=6).fit(X[:300], Y[:300])
        found = model.importances(X[300:], Y[300:], random_state=1)
        assert set(np.argsort(-found.permutation)[:3]) == {0, 1, 2}
        assert abs(found.permutation[4]) < 0.05
        assert found.impurity.sum() == pytest.approx(1.0)
        from sklearn.inspection import permutation_importance

        if kind is tw.DecisionTreeRegressor:
            theirs = permutation_importance(model, X[300:], Y[300:], n_repeats=10, random_state=0)
            assert_allclose(found.permutation, theirs.importances_mean, atol=0.06)

    @pytest.mark.filterwarnings("ignore:feature")
    def test_importances_of_forests(self) -> None:
        X = table(21, 300)
        for kind, Y in (
            (tw.RandomForestClassifier, classes(X).astype(int)),
            (tw.RandomForestRegressor, numbers(X)),
        ):
            found = kind(20, random_state=0).fit(X, Y).importances(X, Y, corrected=True)
            assert set(np.argsort(-found.permutation)[:3]) == {0, 1, 2}

    def test_the_tree_for_one_target(self) -> None:
        X = table(22)
        model = tw.DecisionTreeClassifier(max_depth=4).fit(X, classes(X).astype(int))
        one = model.tree_.for_target("y1")
        assert_allclose(one.predict(X), model.predict_proba(X)[1])
        assert len(tw.rules.extract_rules(one)) if hasattr(tw, "rules") else True


class TestFiles:
    @pytest.mark.parametrize("is_class", [True, False])
    @pytest.mark.parametrize("forest", [True, False])
    def test_round_trip(self, tmp_path: Any, is_class: bool, forest: bool) -> None:
        X = table(23)
        Y = pd.DataFrame(classes(X).astype(int) if is_class else numbers(X), columns=["a", "b", "c"])
        kinds = {
            (True, False): tw.DecisionTreeClassifier(max_depth=4),
            (False, False): tw.DecisionTreeRegressor(max_depth=4),
            (True, True): tw.RandomForestClassifier(5, random_state=0),
            (False, True): tw.RandomForestRegressor(5, random_state=0),
        }
        model = kinds[is_class, forest].fit(X, Y)
        model.save(tmp_path / "model")
        loaded = tw.load(tmp_path / "model")
        assert type(loaded) is type(model)
        assert_array_equal(loaded.predict(X), model.predict(X))
        assert loaded.n_outputs_ == 3
        if is_class:
            assert loaded.n_classes_ == model.n_classes_
            for own, again in zip(model.predict_proba(X), loaded.predict_proba(X), strict=True):
                assert_array_equal(own, again)
        if not forest:
            assert loaded.tree_ == model.tree_
            assert pickle.loads(pickle.dumps(model.tree_)) == model.tree_

    def test_a_class_that_a_target_has_not_is_refused(self) -> None:
        from dataclasses import replace

        from treewright.errors import ModelFileError
        from treewright.persistence.trees import tree_from_bytes, tree_to_bytes

        tree = tw.DecisionTreeClassifier().fit([[1], [2], [3]], [[0, 0], [1, 1], [1, 2]]).tree_
        value = tree.node_value.copy()
        value[0] = [0, 1, 2, 1, 1, 1]
        with pytest.raises(ModelFileError, match="a class that a target has not"):
            tree_from_bytes(tree_to_bytes(replace(tree, node_value=value)))


class TestPruning:
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
    def test_the_path_is_scikit_learns(self, criterion: str) -> None:
        X = table(24)
        Y = target(criterion, X, 24)
        kind = sktree.DecisionTreeClassifier if criterion in CLASSES else sktree.DecisionTreeRegressor
        own = model_of(criterion, max_depth=5).cost_complexity_pruning_path(X, Y)
        other = kind(criterion=criterion, max_depth=5, random_state=0).cost_complexity_pruning_path(X, Y)
        assert_allclose(own.ccp_alphas, other.ccp_alphas, atol=1e-9)
        assert_allclose(own.impurities, other.impurities, atol=1e-9)
        alpha = float(np.median(other.ccp_alphas))
        pruned = model_of(criterion, max_depth=5, ccp_alpha=alpha).fit(X, Y)
        assert (
            pruned.get_n_leaves()
            == kind(criterion=criterion, max_depth=5, random_state=0, ccp_alpha=alpha)
            .fit(X, Y)
            .get_n_leaves()
        )

    def test_with_class_weights_and_in_forests(self) -> None:
        X, Y = table(25), classes(table(25)).astype(int)
        model = tw.DecisionTreeClassifier(ccp_alpha=0.01, class_weight="balanced").fit(X, Y)
        assert (
            model.get_n_leaves() < tw.DecisionTreeClassifier(class_weight="balanced").fit(X, Y).get_n_leaves()
        )
        forest = tw.RandomForestClassifier(5, ccp_alpha=0.01, random_state=0).fit(X, Y)
        assert (
            forest.trees_.node_count
            < tw.RandomForestClassifier(5, random_state=0).fit(X, Y).trees_.node_count
        )


class TestRefusals:
    X = table(26, 60)
    Y = classes(table(26, 60)).astype(int)

    @pytest.mark.parametrize(
        "parameters",
        [
            {"criterion": "gain_ratio"},
            {"criterion": "twoing"},
            {"missing": "surrogate"},
            {"missing": "fractional"},
            {"costs": np.ones((4, 4)) - np.eye(4)},
            {"priors": [0.25] * 4},
            {"significance": 0.05},
            {"splits": ("hyperplane",)},
            {"max_groups": 3},
            {"fair_categories": True},
            {"pruner": "reduced_error"},
            {"early_stopping": "holdout"},
            {"shrinkage": 1.0},
            {"trace": True},
        ],
    )
    def test_what_needs_one_target(self, parameters: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"one target") as error:
            tw.DecisionTreeClassifier(**parameters).fit(self.X, self.Y)
        assert "\n" not in str(error.value)

    def test_monotone_constraints(self) -> None:
        with pytest.raises(
            ValueError, match="Monotonicity constraints are not supported with multiple output"
        ):
            tw.DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(self.X, self.Y)

    @pytest.mark.parametrize(
        "kind",
        [tw.ID3Classifier, tw.C45Classifier, tw.CARTClassifier, tw.OptimalTreeClassifier, tw.TreeClassifier],
    )
    def test_other_learners(self, kind: Any) -> None:
        with pytest.raises(ValueError, match=r"y has 3 columns, and \w+ takes one target"):
            kind().fit(self.X, self.Y)

    def test_what_reads_one_target(self) -> None:
        tree = tw.DecisionTreeClassifier(max_depth=2).fit(self.X, self.Y)
        forest = tw.RandomForestClassifier(3, random_state=0).fit(self.X, self.Y)
        for model in (tree, forest):
            with pytest.raises(ExportError, match="one target"):
                model.export("python")
            with pytest.raises(ValueError, match="one target"):
                tw.explore(model)
        for ask in (tree.rules, tree.bound):
            with pytest.raises(ValueError, match="one target"):
                ask()
        for ask in (forest.error_curve, forest.leaf_rows):
            with pytest.raises(ValueError, match="one target"):
                ask(self.X, self.Y)
        with pytest.raises(ValueError, match="one target"):
            forest.standard_error(self.X)
        with pytest.raises(ValueError, match="one target"):
            tw.plot_tree(tree, self.X, self.Y)

    def test_targets_that_do_not_fit(self) -> None:
        from scipy.sparse import csr_matrix

        model = tw.DecisionTreeClassifier()
        with pytest.raises(ValueError, match="sparse multilabel-indicator for y is not supported"):
            model.fit(self.X, csr_matrix(self.Y > 0))
        with pytest.raises(ValueError, match="60"):
            model.fit(self.X, self.Y[:50])
        with pytest.raises(ValueError, match="target 'y1'"):
            model.fit(self.X, np.column_stack([self.Y[:, 0], self.Y[:, 1] + 0.5]))
        with pytest.raises(ValueError, match=r"target 'y1'.*NaN"):
            tw.DecisionTreeRegressor().fit(self.X, np.column_stack([self.Y[:, 0], np.full(60, np.nan)]))


@pytest.mark.parametrize(
    "kind",
    [
        tw.DecisionTreeClassifier,
        tw.DecisionTreeRegressor,
        tw.RandomForestClassifier,
        tw.RandomForestRegressor,
        tw.ExtraTreesClassifier,
        tw.ExtraTreesRegressor,
    ],
)
def test_sparse_rows_of_several_targets_are_those_of_the_dense_table(kind: Any) -> None:
    X = np.where(np.random.default_rng(1).random((120, 6)) < 0.6, 0.0, table(1, 120, 6))
    Y = classes(X) if "Classifier" in kind.__name__ else numbers(X)
    more = (
        {"n_estimators": 6, "bootstrap": True, "oob_score": False} if hasattr(kind(), "n_estimators") else {}
    )
    dense, sparse = (kind(random_state=0, **more).fit(rows, Y) for rows in (X, csr_array(X)))
    for method in ("predict", "predict_proba", "apply"):
        if hasattr(dense, method):
            for one, other in zip(
                getattr(dense, method)(X), getattr(sparse, method)(csr_array(X)), strict=True
            ):
                assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("kind", "criterion"),
    [
        (tw.ExtraTreesClassifier, "gini"),
        (tw.ExtraTreesClassifier, "entropy"),
        (tw.ExtraTreesRegressor, "squared_error"),
        (tw.RandomForestClassifier, "gini"),
        (tw.RandomForestClassifier, "entropy"),
        (tw.RandomForestRegressor, "squared_error"),
    ],
)
def test_forests_are_the_same_whichever_finder_grows_them(
    kind: Any, criterion: str, missing: float, weighted: bool
) -> None:
    X = table(3, 400, 9, missing)
    X[:, 7:] = np.random.default_rng(1).integers(0, 6, (400, 2))
    weight = np.random.default_rng(2).random(400) + 0.1 if weighted else None
    settings = {"criterion": criterion, "max_features": 3, "categorical_features": [7, 8], "random_state": 0}
    for leaf in (1, 4):
        sorting = kind(3, min_samples_leaf=leaf, category_order="node", **settings)
        presorted = kind(3, min_samples_leaf=leaf, category_order="node", max_leaf_nodes=10_000, **settings)
        Y = target(criterion, X)
        for ours, theirs in zip(
            sorting.fit(X, Y, weight).trees_, presorted.fit(X, Y, weight).trees_, strict=True
        ):
            assert ours == theirs
