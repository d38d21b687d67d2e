"""Models as SQL, run by DuckDB, SQLite and PostgreSQL on rows on and beside every boundary."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from helpers.exporting import MAKERS, examination, model
from treewright.export.certify import Examination
from treewright.export.runtimes import runtime_of
from treewright.export.runtimes.base import NotInstalledError
from treewright.export.witness import Rows

DIALECTS = ["duckdb", "sqlite", "postgresql"]


def check(name: str, **options: object) -> None:
    fitted = model(name)
    query = fitted.export("sql", table="rows", **options)
    certificate = examination(name).certify(query, "sql")
    if certificate.mismatches is None:
        pytest.skip(certificate.reason)
    assert certificate.mismatches == 0, str(certificate)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", MAKERS)
def test_a_query_answers_as_the_model_does(name: str, dialect: str) -> None:
    check(name, dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", MAKERS)
def test_a_query_over_states_gives_the_probabilities_of_the_model(name: str, dialect: str) -> None:
    is_classifier = hasattr(model(name), "classes_") or getattr(model(name), "is_classifier", False)
    check(name, dialect=dialect, form="table", proba=bool(is_classifier))


EXTREME = [0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-308, 3e-170, 1e-160, 2.0**-538, 2.0**-537, 1e154, 1.5e154]
EXTREME += [1e200, -1e200, 1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_arithmetic_that_leaves_the_doubles_is_unknown(dialect: str) -> None:
    X = pd.DataFrame(list(product(EXTREME, EXTREME)), columns=["a", "b"])
    rules = ["a * b > 0", "a + b > 1", "a / b > 1", "a - b <= 0.5", "a * b * b < 3", "(a + b) * (a - b) > 2"]
    y = np.random.default_rng(0).integers(0, 2, len(X))
    fitted = tw.DecisionTreeClassifier(predicates=rules, random_state=0).fit(X, y)
    held = Examination(fitted)
    x = np.column_stack(
        [X[one.name] if one.predicate is None else np.zeros(len(X)) for one in held.program.inputs]
    )
    rows = Rows(held.program, x)
    runtime = runtime_of("sql", fitted.export("sql", dialect=dialect), {})
    assert runtime is not None
    try:
        version = runtime.version()
    except NotInstalledError as problem:
        pytest.skip(str(problem))
    found = held.compare(runtime, "sql", version, rows, runtime.run(held.program, rows))
    assert found.mismatches == 0, str(found)
