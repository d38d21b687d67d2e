"""Models of every learner, kind of split and policy of missing values, to be exported."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import treewright as tw
from helpers.boundaries import grid_table
from helpers.trees import mixed_schema, random_tree
from treewright.export.certify import Examination
from treewright.growing.parameters import MISSING

FORMS: dict[str, tuple[str, ...]] = {
    "threshold": ("threshold", "subset"),
    "multiway": ("threshold", "multiway"),
    "one_vs_rest": ("threshold", "one_vs_rest"),
    "interval": ("interval", "subset"),
    "hyperplane": ("hyperplane", "subset"),
    "sphere": ("sphere", "subset"),
}
POLICIES: dict[str, dict[str, Any]] = {
    **{name: {"missing": name} for name in MISSING if name != "error"},
    "stay": {"missing": "surrogate", "use_surrogates": 1},
}


def dated_table(n_rows: int = 200) -> tuple[pd.DataFrame, Any]:
    """Dates of several units, durations, large whole numbers, orders, truth values, numbers as categories."""
    rng = np.random.default_rng(3)
    day = rng.integers(-400, 400, n_rows)
    X = pd.DataFrame(
        {
            "day": np.datetime64("1970-01-01", "s") + day.astype("timedelta64[D]"),
            "moment": np.datetime64("2020-03-01", "us") + rng.integers(0, 10**12, n_rows).astype("m8[us]"),
            "instant": np.datetime64("2021-03-01", "ns") + rng.integers(0, 10**9, n_rows).astype("m8[ns]"),
            "lasts": rng.integers(0, 5000, n_rows).astype("timedelta64[s]"),
            "id": 2**60 + rng.integers(0, 1000, n_rows),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), ["S", "M", "L"], ordered=True),
            "flag": rng.choice([True, False], n_rows),
            "level": pd.Categorical(rng.integers(0, 5, n_rows)),
            "rate": pd.Categorical(rng.choice([0.5, 1.25, -3.0], n_rows)),
        }
    )
    score = (
        (day > 30) * 1.0
        + (X["id"] - 2**60 > 400)
        + 2 * (X["size"] == "M")
        + X["flag"]
        + X["level"].astype(int) % 2
        + (X["rate"] == 0.5)
        + (X["lasts"].dt.total_seconds() > 2000)
        + (X["moment"] > np.datetime64("2020-03-05"))
        + (X["instant"].astype("int64") % 2**29 > 2**28)
    )
    y = np.digitize(score + rng.normal(0, 0.3, n_rows), [3, 5])
    X["level"] = X["level"].astype("category")
    return X, y


def many_categories(n_categories: int, n_rows: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    code = np.concatenate([np.arange(n_categories), rng.integers(0, n_categories, n_rows - n_categories)])
    effect = rng.normal(size=n_categories)
    x = rng.normal(size=n_rows)
    X = pd.DataFrame({"c": pd.Categorical([f"v{i}" for i in code]), "x": x})
    return X, np.where(effect[code] + x + rng.normal(size=n_rows) > 0, "p", "q")


def adopted(tree: tw.Tree, **parameters: Any) -> Any:
    """An estimator whose tree was made by hand."""
    kind = tw.DecisionTreeClassifier if tree.is_classifier else tw.DecisionTreeRegressor
    model = kind(**parameters)
    model._set_tree(tree)
    return model


def grid(seed: int = 0, **settings: Any) -> tuple[Any, Any]:
    return grid_table(seed, settings.pop("n_rows", 90), **settings)


def _tree(form: str, policy: str, **settings: Any) -> Any:
    X, y = grid()
    chosen = {"splits": FORMS[form], "random_state": 0, **POLICIES[policy], **settings}
    return tw.DecisionTreeClassifier(**chosen).fit(X, y)


def _numbers(policy: str, **settings: Any) -> Any:
    X, y = grid()
    target = y + np.arange(len(y)) % 7 / 7
    return tw.DecisionTreeRegressor(random_state=0, **POLICIES[policy], **settings).fit(X, target)


def _forest(**settings: Any) -> Any:
    X, y = grid()
    kind = settings.pop("kind", tw.RandomForestClassifier)
    return kind(n_estimators=5, random_state=0, **settings).fit(X, y)


def _predicates() -> Any:
    X, y = grid()
    rules = [
        "x0 + x1 > 0.9",
        ("warm", "colour in ('r', 'k') or x2 > x0"),
        ("odd", "not (x0 / x1 < 1.5 and x1 <= 0.6)"),
        ("gap", "x2 is None or 0.2 < x2 <= 0.7"),
        ("less", "-x0 * 2 >= x1 - 1.2"),
    ]
    known = X[["x0", "x1", "x2"]].fillna(0.5)
    odd = (known["x0"] + known["x1"] > 0.9) * 2 + (known["x2"] > known["x0"]) + (known["x0"] < known["x1"])
    return tw.DecisionTreeClassifier(predicates=rules, ties="first").fit(X, y + odd)


def _dated_predicates() -> Any:
    X, y = dated_table()
    rules = ["day > '1970-02-01'", "id > 1152921504606847376", "size == 'M' or flag", "rate != 0.5"]
    return tw.DecisionTreeClassifier(predicates=rules, random_state=0).fit(X, y)


def _dated_categories() -> Any:
    X, y = dated_table()
    X = X[["day", "flag"]].assign(day=X["day"].dt.floor("200D"))
    return tw.DecisionTreeClassifier(categorical_features=["day"], random_state=0).fit(X, y)


def _whole_rows(number: bool = False) -> tuple[Any, Any]:
    X, y = grid()
    known = X.notna().all(axis=1).to_numpy()
    return X[known], np.arange(len(y))[known] % 7 if number else np.asarray(y)[known]


def _linear(missing: str) -> Any:
    X, y = grid()
    random = np.random.default_rng(0)
    numbers = [name for name in X if X[name].dtype.kind == "f"]
    y = X[numbers].fillna(0.5).to_numpy() @ np.arange(1, len(numbers) + 1) + random.normal(size=len(X))
    return tw.TreeRegressor(leaves="linear", missing=missing, alpha=0.0005).fit(X, y)


def _costs(model: Any) -> Any:
    X, y = grid()
    return model.set_params(costs=[[0, 1, 4], [2, 0, 1], [5, 3, 0]]).fit(X, y)


def _rules_of(model: Any) -> Any:
    return model.rules()


def _labelled(labels: Any) -> Any:
    X, y = grid()
    return tw.DecisionTreeClassifier(random_state=0).fit(X, np.array(labels)[y])


def _known(**settings: Any) -> Any:
    X, y = grid(holes=0.0)
    return tw.DecisionTreeClassifier(random_state=0, **settings).fit(X, y)


def _sparse(kind: Any) -> Any:
    X = sparse.random(300, 12, 0.2, format="csr", random_state=0)
    return kind.fit(X, np.digitize(X.toarray()[:, :3].sum(axis=1), [0.2, 0.8]))


def _weka() -> Any:
    X, y = tw.datasets.load_tennis()
    keep = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    return tw.ID3Classifier(compat="weka").fit(X.iloc[keep], y.iloc[keep])


MAKERS: dict[str, Callable[[], Any]] = {
    **{
        f"{form} {policy}": lambda form=form, policy=policy: _tree(form, policy)
        for form in FORMS
        for policy in POLICIES
    },
    **{
        f"number {policy}": lambda policy=policy: _numbers(policy)
        for policy in POLICIES
        if policy != "class_mode"
    },
    **{
        f"any {seed}": lambda seed=seed: adopted(
            random_tree(seed, 9, 3 if seed % 2 else 0), unseen="majority" if seed % 3 else "missing"
        )
        for seed in range(12)
    },
    "leaf": lambda: adopted(random_tree(0, 0, 2)),
    "absolute": lambda: _numbers("direction", criterion="absolute_error"),
    "laplace": lambda: _tree("threshold", "fractional", laplace=True),
    "costs": lambda: _costs(tw.DecisionTreeClassifier(random_state=0)),
    "costs shared": lambda: _costs(tw.DecisionTreeClassifier(random_state=0, missing="fractional")),
    "unseen error": lambda: _tree("threshold", "direction", unseen="error"),
    "unseen majority": lambda: _tree("multiway", "surrogate", unseen="majority"),
    "missing error": lambda: _known(missing="error"),
    "inf extreme": lambda: _tree("hyperplane", "direction", inf="extreme"),
    "bool classes": lambda: _labelled([False, True, True]),
    "int classes": lambda: _labelled([7, -3, 2**40]),
    "float classes": lambda: _labelled([1.0, 2.0, -3.0]),
    "id3 weka": _weka,
    "id3": lambda: tw.ID3Classifier().fit(*tw.datasets.load_tennis()),
    "c45": lambda: tw.C45Classifier().fit(*grid()),
    "c45 j48": lambda: tw.C45Classifier(compat="j48").fit(*grid()),
    "cart": lambda: tw.CARTClassifier(min_samples_split=6, min_samples_leaf=2).fit(*grid()),
    "cart rpart": lambda: _costs(tw.CARTClassifier(compat="rpart", min_samples_split=6, cp=0.001)),
    "cart stay": lambda: tw.CARTClassifier(min_samples_split=6, use_surrogates=0, cv=None).fit(*grid()),
    "cart number": lambda: tw.CARTRegressor(min_samples_split=6).fit(*grid()),
    "optimal": lambda: tw.OptimalTreeClassifier(max_depth=2).fit(*_whole_rows()),
    "optimal number": lambda: tw.OptimalTreeRegressor(max_depth=2).fit(*_whole_rows(number=True)),
    "learner": lambda: tw.TreeClassifier().fit(*grid()),
    "learner number": lambda: tw.TreeRegressor(alpha=0.01).fit(*grid()),
    "linear": lambda: _linear("direction"),
    "linear surrogate": lambda: _linear("surrogate"),
    "linear value": lambda: _linear("value"),
    "forest": _forest,
    "forest hard": lambda: _forest(vote="hard"),
    "forest number": lambda: _forest(kind=tw.RandomForestRegressor),
    "forest surrogate": lambda: _forest(missing="surrogate"),
    "forest shared": lambda: _forest(missing="fractional"),
    "forest shared hard": lambda: _forest(missing="fractional", vote="hard"),
    "forest sphere": lambda: _forest(splits=("sphere", "subset"), max_features=None),
    "extra trees": lambda: _forest(kind=tw.ExtraTreesClassifier),
    "rules": lambda: tw.RuleClassifier().fit(*grid()),
    "rules of tree": lambda: _rules_of(_tree("threshold", "direction")),
    "rules of multiway": lambda: _rules_of(_tree("multiway", "value")),
    "rules of hyperplane": lambda: _rules_of(_tree("hyperplane", "direction")),
    "rules of sphere": lambda: _rules_of(_tree("sphere", "direction")),
    "rules of numbers": lambda: _rules_of(_numbers("direction")),
    "predicates": _predicates,
    "dated predicates": _dated_predicates,
    "dated": lambda: tw.DecisionTreeClassifier(random_state=0).fit(*dated_table()),
    "dated forest": lambda: tw.RandomForestClassifier(20, random_state=0).fit(*dated_table()),
    "dated hyperplane": lambda: tw.DecisionTreeClassifier(
        random_state=0, splits=("hyperplane", "subset")
    ).fit(*dated_table()),
    "dated categories": _dated_categories,
    "many categories": lambda: tw.DecisionTreeClassifier(max_depth=6, random_state=0).fit(
        *many_categories(1000, 4000)
    ),
    "sparse": lambda: _sparse(tw.DecisionTreeClassifier(max_leaf_nodes=20, random_state=0)),
    "sparse forest": lambda: _sparse(tw.RandomForestClassifier(3, max_depth=4, random_state=0)),
    "adult": lambda: tw.DecisionTreeClassifier(max_leaf_nodes=40).fit(*tw.datasets.load_votes()),
    "mpg": lambda: tw.DecisionTreeRegressor(max_depth=5).fit(*tw.datasets.load_mpg()),
    "iris": lambda: tw.DecisionTreeClassifier(random_state=0).fit(*tw.datasets.load_iris()),
}
"""How to fit a model of each kind."""

LONG: dict[str, Callable[[], Any]] = {
    "10,000 categories": lambda: tw.DecisionTreeClassifier(max_depth=6, random_state=0).fit(
        *many_categories(10_000, 40_000)
    ),
    "hard forest of 50": lambda: tw.RandomForestClassifier(50, vote="hard", random_state=0).fit(*grid()),
}
"""More of them, too large to be run through every target by each test run; see `certify_all.py`."""


@cache
def model(name: str) -> Any:
    """A fitted model; the same one every time."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (MAKERS | LONG)[name]()


__all__ = [
    "FORMS",
    "LONG",
    "MAKERS",
    "POLICIES",
    "adopted",
    "dated_table",
    "examination",
    "many_categories",
    "mixed_schema",
    "model",
]


@cache
def examination(name: str, n_random: int = 500) -> Examination:
    """The rows that exports of a model are held to; the same ones for every target."""
    return Examination(model(name), n_random=n_random)


def assert_certified(name: str, target: str, *, n_random: int = 500, **options: Any) -> None:
    """Hold what a model is exported to to its own answers, on every boundary and on rows drawn at random."""
    artefact = model(name).export(target, **options)
    certificate = examination(name, n_random).certify(artefact, target)
    assert certificate.mismatches == 0, str(certificate)
