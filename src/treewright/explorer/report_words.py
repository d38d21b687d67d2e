"""Words of a report: what its figures are called, and its glossary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.explorer.report_charts import short
from treewright.formatting.text import isolated, printable

MEANINGS: dict[str, tuple[str, str]] = {
    "accuracy": ("Accuracy", "the share of rows whose class is predicted"),
    "balanced_accuracy": ("Balanced accuracy", "the mean of the classes' recall"),
    "precision": ("Precision", "of the rows predicted to be of a class, the share that is"),
    "recall": ("Recall", "of the rows of a class, the share that is predicted to be"),
    "f1": ("F1", "the harmonic mean of precision and recall"),
    "roc_auc": ("ROC AUC", "the chance that a row of a class is ranked before one of another"),
    "log_loss": ("Log loss", "the mean of −ln of the probability given to the true class"),
    "brier_score": ("Brier score", "the mean squared distance of probabilities from what happened"),
    "r2": ("R²", "the share of the variance that is explained"),
    "mean_absolute_error": ("Mean absolute error", "how far predictions are off on average"),
    "root_mean_squared_error": ("Root mean squared error", "the root of the mean squared distance"),
    "mean_squared_error": ("Mean squared error", "the mean of the squared distances"),
}
"""Names of figures as a reader knows them, and what they are."""

_OF_CLASSES = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "f1",
    "roc_auc",
    "log_loss",
    "brier_score",
)

GLOSSARY: list[tuple[str, str, str]] = [
    *((*MEANINGS[name], "classes" if name in _OF_CLASSES else "numbers") for name in MEANINGS),
    ("Confusion matrix", "how many rows of each true class were predicted to be of each class", "classes"),
    ("Calibration", "whether what is given a probability of 70 % happens in 7 of 10 cases", "classes"),
    ("Cross-validation", "every row is predicted by a model that was fitted without it", "both"),
    ("95 % interval", "bounds that hold the true value for 19 of 20 samples of rows like these", "both"),
    ("Leaf", "an end of the tree: all rows that come to it are predicted the same", "both"),
    ("Permutation importance", "what is lost when a feature's values are shuffled among the rows", "both"),
    ("Partial dependence", "the mean prediction if a feature had one value in all rows", "both"),
    ("ICE", "individual conditional expectation: the same for a single row", "both"),
    (
        "SHAP value",
        "what a feature adds to the prediction of a row, over all orders of asking for features",
        "both",
    ),
]
"""A term, what it means, and for which models it stands in the report."""


def plain_words(figures: Mapping[str, Any]) -> str:
    r"""Say in a sentence how good predictions are, beside those of whoever gives all rows the same answer.

    Examples
    --------
    >>> plain_words({"accuracy": 0.8, "confusion_matrix": [[6, 1], [1, 2]], "classes": ["no", "yes"]})
    'It predicts the class of 80\xa0% of the rows; always answering no would be right for 70\xa0%.'
    >>> plain_words({"r2": 0.75, "mean_absolute_error": 2.5})
    'Predictions are off by 2.5 on average and explain 75\xa0% of the variance of the target.'
    """
    if "accuracy" in figures:
        words = f"It predicts the class of {_percent(figures['accuracy'])} of the rows"
        rows = [sum(line) for line in figures["confusion_matrix"]]
        usual = isolated(printable(str(figures["classes"][rows.index(max(rows))])))
        return f"{words}; always answering {usual} would be right for {_percent(max(rows) / sum(rows))}."
    off = f"Predictions are off by {short(figures['mean_absolute_error'])} on average"
    if not (figures["r2"] or 0.0) > 0:  # none of a target that does not vary
        return f"{off}; always answering the mean would be as good."
    return f"{off} and explain {_percent(figures['r2'])} of the variance of the target."


def _percent(share: float) -> str:
    words = f"{100 * share:.3g}"
    if words == "100" and share < 1:
        words = "more than 99.9"
    return f"{words}\N{NO-BREAK SPACE}%"
