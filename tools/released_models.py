"""Write small models as files and as a pickle, and what they predict, with the installed version.

They go to `tests/released/VERSION`. Run once for each release, before the next one changes anything: later
versions must load them and predict the same.
"""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

FOLDER = Path(__file__).parent.parent / "tests" / "released"


def labor_models() -> dict[str, Any]:
    """Give models of a table of mixed columns with missing values."""
    X, y = tw.datasets.load_labor(frame="pandas")
    models = {
        "classifier": tw.DecisionTreeClassifier(),
        "entropy": tw.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3),
        "multiway": tw.DecisionTreeClassifier(splits=("threshold", "multiway")),
        "interval": tw.DecisionTreeClassifier(splits=("interval", "one_vs_rest")),
        "costs": tw.DecisionTreeClassifier(costs=[[0, 1], [4, 0]], max_depth=3),
        "competitors": tw.DecisionTreeClassifier(max_competitors=3, missing="available"),
        "surrogate": tw.DecisionTreeClassifier(missing="surrogate", max_depth=4),
        "surrogate_stay": tw.DecisionTreeClassifier(missing="surrogate", use_surrogates=1, max_depth=4),
        "fractional": tw.DecisionTreeClassifier(missing="fractional"),
        "value": tw.DecisionTreeClassifier(missing="value"),
        "median": tw.DecisionTreeClassifier(missing="median"),
        "pruned": tw.DecisionTreeClassifier(pruner="error_based"),
        "c45": tw.C45Classifier(),
        "c45_j48": tw.C45Classifier(compat="j48"),
        "cart": tw.CARTClassifier(),
        "cart_rpart": tw.CARTClassifier(compat="rpart", min_samples_split=5),
        "forest": tw.RandomForestClassifier(n_estimators=5, random_state=0),
        "rules": tw.RuleClassifier(),
    }
    return {name: model.fit(X, y) for name, model in models.items()}


def iris_models() -> dict[str, Any]:
    """Give models of numbers alone, of three classes."""
    X, y = tw.datasets.load_iris(frame="pandas")
    models = {
        "hyperplane": tw.DecisionTreeClassifier(splits=("threshold", "hyperplane"), max_depth=3),
        "sphere": tw.DecisionTreeClassifier(splits=("sphere",), max_depth=3),
        "extra_trees": tw.ExtraTreesClassifier(n_estimators=5, random_state=0),
        "monotonic": tw.DecisionTreeClassifier(monotonic_cst=[1, 0, 1, 1]),
    }
    return {name: model.fit(X, y) for name, model in models.items()}


def mpg_models() -> dict[str, Any]:
    """Give models of a number."""
    X, y = tw.datasets.load_mpg(frame="pandas")
    models = {
        "regressor": tw.DecisionTreeRegressor(min_samples_leaf=5),
        "absolute": tw.DecisionTreeRegressor(criterion="absolute_error", max_depth=4),
        "poisson": tw.DecisionTreeRegressor(criterion="poisson", max_depth=4),
        "cart_regressor": tw.CARTRegressor(),
        "forest_regressor": tw.RandomForestRegressor(n_estimators=3, random_state=0, min_samples_leaf=3),
    }
    return {name: model.fit(X, y) for name, model in models.items()}


TABLES = {"labor": labor_models, "iris": iris_models, "mpg": mpg_models}


def with_missing_values(X: Any) -> Any:
    """Blank one value of each row: feature i mod p of row i."""
    X = X.copy()
    for j, name in enumerate(X.columns):
        rows = np.arange(len(X)) % X.shape[1] == j
        X[name] = X[name].where(~rows)
    return X


def expected(model: Any, X: Any) -> list[Any]:
    """Give the class probabilities, or the numbers, that a model predicts."""
    predicted = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    return [float(x).hex() for x in np.asarray(predicted).ravel()]


def main() -> None:
    """Write the files."""
    folder = FOLDER / tw.__version__
    folder.mkdir(parents=True)
    predictions, every = {}, {}
    for table, models in TABLES.items():
        X, _ = getattr(tw.datasets, f"load_{table}")(frame="pandas")
        for name, model in models().items():
            every[f"{table}-{name}"] = model
            model.save(folder / f"{table}-{name}.tw")
            predictions[f"{table}-{name}"] = {
                "rows": expected(model, X),
                "with missing values": expected(model, with_missing_values(X)),
                "leaves": np.asarray(model.apply(X)).ravel().tolist() if hasattr(model, "apply") else None,
            }
    (folder / "predictions.json").write_text(json.dumps(predictions, indent=0) + "\n")
    (folder / "models.pickle.gz").write_bytes(gzip.compress(pickle.dumps(every, protocol=4), mtime=0))


if __name__ == "__main__":
    main()
