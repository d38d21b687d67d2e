"""`treewright.fit`: from a table to a tree and its estimated error, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from treewright._module_names import public
from treewright.evaluation import CrossValidation, cross_validate
from treewright.files.workspace import Workspace
from treewright.fitting.card import make_card
from treewright.fitting.findings import advice_lines, identifier_lines, identifiers, nodes_that_miss
from treewright.fitting.learners import AS_USUAL, check_folds, folds_for, suited_learner
from treewright.fitting.report import (
    Section,
    importance_section,
    importances,
    model_section,
    performance_section,
    ruleset_of,
    table_section,
)
from treewright.fitting.training_table import (
    Listener,
    Nobody,
    TableOptions,
    TrainingTable,
    read_training_table,
)
from treewright.formatting.performance import folds_text


@public
@dataclass(frozen=True, eq=False)
class FitResult:
    """A model, what it was learned from, and its estimated error; `print` and notebooks show all of it.

    Parameters
    ----------
    model : fitted estimator
    evaluation : CrossValidation or None
        What cross-validation came to; None if it was not asked for, or of a single row.
    data : TrainingTable
        The table: `features`, `kinds`, `target`, `task`, `notes`.

    Examples
    --------
    >>> import treewright as tw
    >>> result = tw.fit(*tw.datasets.load_tennis(), cv=5)
    >>> result
    <FitResult: TreeClassifier of 'PlayTennis', 14 rows>
    >>> result.model.predict(tw.datasets.load_tennis()[0][:1]).tolist()
    ['Yes']
    """

    model: Any
    evaluation: CrossValidation | None
    data: TrainingTable

    def sections(self) -> list[Section]:
        """Give the parts of the report, the table first.

        Examples
        --------
        >>> import treewright as tw
        >>> result = tw.fit(*tw.datasets.load_tennis(), cv=5)
        >>> result.sections()[0].title
        '14 rows, 4 features from the table'
        """
        return [table_section(self.data), *self.model_sections()]

    def model_sections(self) -> list[Section]:
        """Give the parts of the report that follow the table.

        Examples
        --------
        >>> import treewright as tw
        >>> result = tw.fit(*tw.datasets.load_tennis(), cv=5)
        >>> result.model_sections()[0].title
        'Learned by TreeClassifier, pruned by CostComplexity'
        """
        parts = [
            model_section(self.model, missing=nodes_that_miss(self.model, self.data)),
            identifier_section(self.model, self.data),
            None
            if self.evaluation is None
            else performance_section(self.evaluation.evaluation, folds_text(self.evaluation)),
            importance_section(self.model),
            advice_section(self.model, self.evaluation),
        ]
        return [part for part in parts if part is not None]

    def __str__(self) -> str:
        notes = [f"note: {note}" for note in self.data.notes]
        return "\n\n".join(["\n".join([*notes, str(self.sections()[0])]), *map(str, self.model_sections())])

    def __repr__(self) -> str:
        return f"<FitResult: {type(self.model).__name__} of {self.data.target!r}, {len(self.data)} rows>"

    def _repr_html_(self) -> str:
        from treewright.fitting.report_page import report_body

        return report_body(self)

    def to_html(self, path: str | Path | None = None) -> str:
        """Give report and explorer as one web page, and write it to a file if one is named.

        Examples
        --------
        >>> import treewright as tw
        >>> result = tw.fit(*tw.datasets.load_tennis(), cv=5)
        >>> result.to_html()[:15]
        '<!doctype html>'
        """
        from treewright.fitting.report_page import report_page

        page = report_page(self)
        if path is not None:
            page.save(path)
        return page.html

    def save(self, path: str | Path) -> None:
        """Write the model to a file; `treewright.load` reads it.

        Examples
        --------
        >>> import treewright as tw
        >>> result = tw.fit(*tw.datasets.load_tennis(), cv=5)
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     result.save(f"{folder}/plays.tw")
        ...     type(tw.load(f"{folder}/plays.tw")).__name__
        'TreeClassifier'
        """
        self.model.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Give everything that the report says as plain values.

        Examples
        --------
        >>> import treewright as tw
        >>> result = tw.fit(*tw.datasets.load_tennis(), cv=5)
        >>> sorted(result.to_dict())
        ['advice', 'cross_validation', 'data', 'importances', 'model']
        """
        data, model = self.data, self.model
        result: dict[str, Any] = {
            "data": {
                "source": data.table.name.strip("'"),
                "rows": len(data),
                "rows_without_target": data.n_left_out,
                "target": data.target,
                "task": data.task,
                "features": [
                    {"name": name, "kind": data.kinds[name], "missing": int(data.table[name].gaps.sum())}
                    for name in data.features
                ],
                "notes": list(data.notes),
                "identifiers": identifiers(data),
            },
            "model": {"kind": type(model).__name__},
            "cross_validation": None if self.evaluation is None else self.evaluation.to_dict(),
            "importances": dict(importances(model)),
            "advice": advice_lines(model, self.evaluation),
        }
        ruleset = ruleset_of(model)
        if ruleset is not None:
            result["model"]["rules"] = ruleset.to_dict()
        if hasattr(model, "tree_"):
            tree = model.tree_
            result["model"] |= {
                "leaves": tree.n_leaves,
                "nodes": len(tree),
                "depth": tree.depth,
                "note": tree.note,
                "pruner": repr(model.pruner_) if hasattr(model, "pruner_") else None,
                "tree": tree.to_dict(),
            }
        return result


def fit(
    table: Any,
    target: Any = None,
    *,
    formula: str | None = None,
    ignore: Sequence[str] = (),
    weight: Any = None,
    task: str | None = None,
    classes: Sequence[Any] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    query: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    na: Sequence[str] = (),
    strict: bool = False,
    algorithm: str | None = None,
    pruner: Any = AS_USUAL,
    folds: int | None = None,
    random_state: int = 0,
    **parameters: Any,
) -> FitResult:
    """Learn from a table: what `treewright fit` does.

    Kinds of columns are taken from the table or, of text files, guessed from all values; the learner is
    `TreeClassifier` or `TreeRegressor`; its error is estimated by cross-validation.

    Parameters
    ----------
    table : str, path, list of them, or table
        Files of any common form (CSV, TSV, JSON lines, Parquet, Arrow, ARFF, C4.5), packed or not, patterns
        of names; or a pandas or polars frame, anything that speaks Arrow, a mapping of columns, an array or
        rows.
    target : str or array-like
        The column to predict, or its values.
    formula : str or None
        Target and features in one, as in `"y ~ . - id"`.
    ignore : sequence of str
        Columns to leave out.
    weight : str, array-like or None
        The column with the weight of each row, or the weights.
    task : {"classification", "regression"} or None
        What the target is; None guesses: text and whole numbers of few different values are classes.
    classes : sequence
        The classes in order; the first of equals is predicted. They are sorted otherwise.
    categorical, numeric : sequence of str
        Columns to take as categories, and as numbers.
    ordinal : mapping of str to sequence, or None
        Columns of ordered categories, with their values from low to high.
    query : str or None
        SQL over the files' table, called `data`, whose answer is learned from.
    encoding, delimiter, header : str, str, bool or None
        How text files are read; None sniffs it.
    na : sequence of str
        Further texts that are missing values.
    strict : bool
        Whether columns of numbers with some text in them are refused, rather than taken as categories.
    algorithm : str or None
        `"tree"`, `"decision_tree"`, `"cart"`, `"c4.5"`, `"id3"`, `"rules"`, `"forest"` or `"optimal"`. None
        is `"tree"`, or `"decision_tree"` where a pruner or parameters are given that only it has.
    pruner : Pruner, str or None
        How to prune, where the algorithm's own way is not wanted; None prunes nothing.
    folds : int or None
        Folds to judge by: 0 does not judge, None is ten, or three for more than 100,000 rows.
    random_state : int
        Seed of all that is drawn.
    **parameters
        Parameters of the estimator, such as `max_depth`.

    Returns
    -------
    FitResult
        With `model`, `evaluation`, `data`, `to_html`, `save`; `print` shows all of it.

    Examples
    --------
    >>> from treewright import datasets, fit
    >>> X, y = datasets.load_iris()
    >>> result = fit(X, y)
    >>> result.model.tree_.n_leaves, result.evaluation.evaluation.error < 0.1
    (5, True)
    """
    given = locals()
    check_folds(folds)
    options = TableOptions(**{field.name: given[field.name] for field in fields(TableOptions)})
    with Workspace() as workspace:
        data = read_training_table(workspace, table, options, Nobody())
        model = suited_learner(data, algorithm, parameters, pruner=pruner, random_state=random_state)
    return fit_table(data, model, folds, random_state, Nobody())


def identifier_section(model: Any, data: TrainingTable) -> Section | None:
    """Say which columns look like identifiers, and what was done; None if none does."""
    lines = identifier_lines(model, data)
    return Section("Identifiers", tuple(lines)) if lines else None


def advice_section(model: Any, evaluation: CrossValidation | None) -> Section | None:
    """Say what to try; None if nothing suggests itself."""
    lines = advice_lines(model, evaluation)
    return Section("What to try", tuple(lines)) if lines else None


def fit_table(
    data: TrainingTable, model: Any, folds: int | None, random_state: int, listener: Listener
) -> FitResult:
    """Fit a model to a table that was read, and judge it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*likely an identifier")  # the report says so, and what was done
        with listener.progress("growing", known=False):
            model.fit(data.X, data.y, data.weight)
        evaluation = validate(model, data, folds, random_state, listener)
    model.target_name_ = data.target
    model.card_ = make_card(model, data, evaluation)
    return FitResult(model, evaluation, data)


def validate(
    model: Any, data: TrainingTable, folds: int | None, random_state: int, listener: Listener
) -> CrossValidation | None:
    """Cross-validate the way in which a model is made, pruning included."""
    n_folds = folds_for(len(data)) if folds is None else folds
    if not n_folds or len(data) < 2:
        return None
    with listener.progress("cross-validating") as progress:
        return cross_validate(
            model,
            data.X,
            data.y,
            n_folds,
            sample_weight=data.weight,
            random_state=random_state,
            progress=progress,
        )
