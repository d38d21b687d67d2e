"""`to_html` and `explain_prediction`: pages and explanations of whatever has a tree or a forest in it."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataTypeError
from treewright.tree.model import ForestModel, TreeModel
from treewright.tree.wrapped import unwrapped

if TYPE_CHECKING:
    from treewright.figures import Evaluation


def to_html(
    model: Any,
    path: str | PathLike[str] | None = None,
    X: Any = None,
    y: Any = None,
    *,
    validation: tuple[Any, Any] | None = None,
    cv: int | None = 10,
    max_rows: int = 1000,
    title: str | None = None,
    beside: Mapping[str, Any] | None = None,
) -> str:
    """Write one HTML file: a report of the model above, and below it the explorer; without a network.

    The report has figures on all rows that judge it, with confidence intervals, the whole tree, curves,
    feature importance, partial dependence and SHAP values; all figures also stand there as JSON, in the
    script `treewright-report`.

    A pipeline is judged as a whole, its preprocessing fitted anew in every fold; the tree that is shown is
    its last step, with the names after preprocessing. Of a search it is the best model.

    Parameters
    ----------
    model : fitted tree or forest, pipeline that ends in one, or search that has found one
        Of treewright or of scikit-learn. Trees and forests of treewright have this as a method.
    path : str or path, optional
        Where to write; the name ends in `.html` or `.htm`.
    X, y : table and target, optional
        The rows of the fit, as a pipeline takes them.
    validation : pair of a table and a target, optional
        Rows that judge it. Without them it is cross-validated, a forest judged by the rows that each tree has
        not drawn.
    cv : int or None, default=10
        In how many folds; None judges it by the rows of the fit.
    max_rows, title, beside
        As for `treewright.explore`.

    Returns
    -------
    str
        The page, which is also written to `path`, if there is one.

    Raises
    ------
    DataTypeError
        If there is no tree in it; the message says what to give instead.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris()
    >>> tree = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> 'id="treewright-report"' in tree.to_html(None, X, y, cv=3)
    True
    >>> pipeline = make_pipeline(StandardScaler(), tw.DecisionTreeClassifier(max_depth=2)).fit(X, y)
    >>> "petal length" in tw.to_html(pipeline, None, X, y, cv=3)
    True
    """
    from treewright.explorer.report_page import report_page

    inner, prepared = unwrapped(model)
    ours = _ours(inner)
    found = None if ours is model else _judged(model, X, y, validation, cv, has_draws=_knows_its_draws(ours))
    seen = None if validation is None else (prepared(validation[0]), validation[1])
    shown: dict[str, Any] = {"cv": cv, "max_rows": max_rows, "title": title, "beside": beside}
    page = report_page(ours, prepared(X), y, validation=seen, found=found, **shown)
    if path is not None:
        page.save(path)
    return page.html


def explain_prediction(model: Any, row: Any, **choices: Any) -> Any:
    """Say why a model predicts what it does for one row, also of pipelines and searches.

    Parameters
    ----------
    model
        As for `to_html`.
    row : dict, Series, frame of one row, list or array
        The row, as the pipeline takes it.
    **choices
        As for the method `explain` of a model. Features are those after preprocessing.

    Returns
    -------
    Explanation
        The path, the class probabilities, what each feature contributed and the nearest change, in the values
        after preprocessing.

    Examples
    --------
    >>> import treewright as tw
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> X, y = tw.datasets.load_iris()
    >>> pipeline = make_pipeline(MinMaxScaler(), tw.TreeClassifier()).fit(X, y)
    >>> tw.explain_prediction(pipeline, X.iloc[0]).prediction
    'setosa'
    """
    inner, prepared = unwrapped(model)
    ours = _ours(inner)
    if inner is model:
        return ours.explain(row, **choices)
    after = prepared(_as_table(row, getattr(model, "feature_names_in_", None)))
    after = after.toarray() if hasattr(after, "toarray") else after
    return ours.explain(after if hasattr(after, "columns") else np.asarray(after)[0], **choices)


def _ours(model: Any) -> Any:
    """Give a model of this library that predicts the same."""
    if isinstance(model, TreeModel | ForestModel):
        return model
    from treewright.estimators.from_sklearn import from_sklearn  # which makes models that have `to_html`

    try:
        return from_sklearn(model)
    except DataTypeError:
        raise DataTypeError(
            f"{type(model).__name__} has no tree to show: give a fitted tree or forest of treewright or "
            "scikit-learn, or a pipeline or search of one."
        ) from None


def _knows_its_draws(model: Any) -> bool:
    """Whether it is a forest that rows out of bag judge."""
    return isinstance(model, ForestModel) and model.draws_.n_draws > 0


def _as_table(row: Any, names: NDArray[Any] | None) -> Any:
    """Give one row as the table of one row that a pipeline takes."""
    if hasattr(row, "to_frame"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        if names is None:
            raise DataTypeError("the model was fitted without names of features: give the row as a list.")
        from pandas import DataFrame

        missing = [str(name) for name in names if name not in row]
        if missing:
            raise DataTypeError(f"the row lacks {', '.join(missing)}.")
        return DataFrame([dict(row)])[list(names)]
    if hasattr(row, "columns"):
        return row
    values = np.asarray(row, object) if names is not None else np.asarray(row)
    values = values.reshape(1, -1)
    if names is None:
        return values
    from pandas import DataFrame

    return DataFrame([list(values[0])], columns=list(names))


def _judged(
    model: Any, X: Any, y: Any, validation: tuple[Any, Any] | None, cv: int | None, *, has_draws: bool
) -> Evaluation | None:
    """Judge a pipeline, or what a search found best, as a whole; None leaves that to the model in it."""
    from treewright.figures import evaluate_model

    best = getattr(model, "best_estimator_", model)
    if validation is not None:
        return evaluate_model(best, *validation, on="validation rows")
    if X is None or has_draws:
        return None
    if cv is None or len(y) < 2:
        return evaluate_model(best, X, y, on="the rows that it was fitted to, which flatters it")
    chosen = "" if best is model else "; its parameters were chosen on the same rows, which flatters it"
    return _cross_validated(best, X, y, min(cv, len(y)), chosen)


def _cross_validated(model: Any, X: Any, y: Any, n_folds: int, further: str) -> Evaluation:
    """Fit all steps anew for every fold, and judge them by the rows that they were not shown."""
    from sklearn.base import clone, is_classifier
    from sklearn.utils import _safe_indexing

    from treewright.evaluation import predict_held_out

    def take(rows: NDArray[np.int64]) -> Any:
        return _safe_indexing(X, rows)

    def fitted_to(shown: NDArray[np.int64], *_: Any) -> Any:
        return clone(model).fit(take(shown), _safe_indexing(y, shown))

    found = predict_held_out(fitted_to, take, y, len(y), n_folds, classify=is_classifier(model))
    return found.figures(y, further=further)
