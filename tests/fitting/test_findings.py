"""What the report of a fit says of missing values and of identifiers."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import LABOR, MPG, Run
from treewright.fitting.findings import identifiers, nodes_that_miss


def test_or_missing_stands_where_rows_miss_the_value_and_nowhere_else() -> None:
    result = tw.fit(MPG, "mpg", folds=0)
    tree, data = result.model.tree_, result.data
    assert data.has_missing  # of horsepower, six
    missed = nodes_that_miss(result.model, data)
    X = pd.read_csv(MPG, na_values="?")[data.features]
    way = result.model.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(tree.n_children):
        feature = data.features[tree[int(node)].split.feature]
        assert (int(node) in missed) == bool(X[feature][way[:, node]].isna().any())
    asked = [tw.export_text(tree, missing=which).count("or missing") for which in (False, missed, True)]
    assert asked == [0, len(missed), (tree.n_children > 0).sum()]
    assert 0 < len(missed) < asked[2]
    assert set(re.findall(r"(\w+) [^a-z]* or missing", str(result))) == {"horsepower"}


def test_every_screen_of_a_table_without_gaps_is_silent_about_them() -> None:
    X, y = tw.datasets.load_iris()
    assert "missing" not in str(tw.fit(X, y, folds=0)).split("\n\n", 1)[1]


def test_the_report_says_what_was_done_about_identifiers(run: Run) -> None:
    frame = pd.read_csv(LABOR, na_values="?")
    frame.insert(0, "name", [f"firm {k}" for k in range(len(frame))])
    frame.insert(1, "number", np.random.default_rng(0).permutation(len(frame)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = tw.fit(frame, "contract", folds=2)
    assert identifiers(result.data) == {"name": 57, "number": 57}
    text = str(result)
    assert "name looks like an identifier (57 values in 57 rows)" in text
    assert "had to pay for all others that there were; the tree does not use it" in text
    assert "number looks like an identifier" in result._repr_html_()
    frame.to_csv("a.csv", index=False)
    _, out, errors = run("fit", "a.csv", "-t", "contract", "--folds", "2", "--no-save")
    assert "name looks like an identifier" in out
    assert errors == ""


@pytest.mark.parametrize(
    "column",
    [
        np.arange(40) * 3.5,  # no whole numbers
        np.arange(40) // 2,  # twice each
        np.arange(40) ** 3,  # far apart
        [f"v{k % 15}" for k in range(40)],
        [True, False] * 20,
        pd.date_range("2024-01-01", periods=40),
    ],
    ids=["fractions", "twice", "far apart", "few", "truth", "dates"],
)
def test_other_columns_are_no_identifiers(column: object) -> None:
    frame = pd.DataFrame({"a": column, "y": ["a", "b"] * 20})
    assert identifiers(tw.fit(frame, "y", folds=0).data) == {}


def _rare(share: float, n_rows: int = 600) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    a = rng.normal(size=n_rows)
    score = a + rng.normal(size=n_rows)
    return {
        "a": a.round(2).tolist(),
        "y": np.where(score > np.quantile(score, 1 - share), "pos", "neg").tolist(),
    }


def test_whoever_looks_for_a_rare_class_is_told_how() -> None:
    result = tw.fit(_rare(0.05), "y", folds=5)
    recall = dict(zip(result.evaluation.evaluation.classes, result.evaluation.evaluation.recall, strict=True))
    assert recall["pos"] < 0.5
    said = str(result)
    assert (
        f"Class pos has 5 % of the rows, and of these {100 * recall['pos']:.0f} % are found (recall)." in said
    )
    assert result.to_dict()["advice"]
    assert "(recall)" in result.to_html()
    weighed = tw.fit(_rare(0.05), "y", folds=5, class_weight="balanced")
    assert weighed.evaluation.evaluation.recall[1] > recall["pos"]
    assert "What to try" not in str(weighed)
    assert "What to try" not in str(tw.fit(_rare(0.5), "y", folds=5))


def test_a_single_leaf_says_what_to_try() -> None:
    rng = np.random.default_rng(4)
    result = tw.fit({"a": rng.normal(size=300).round(2), "y": rng.integers(0, 2, 300)}, "y", folds=3)
    assert len(result.model.tree_) == 1
    assert "What to try" in str(result)
    assert "The tree is a single leaf" in str(result)
    assert result.to_dict()["model"]["note"] in result.to_html()
