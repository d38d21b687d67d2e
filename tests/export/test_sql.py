"""Models as SQL, run by DuckDB, SQLite and PostgreSQL on rows on and beside every boundary."""

from __future__ import annotations

import pytest

import treewright as tw
from helpers.exporting import MAKERS, model

DIALECTS = ["duckdb", "sqlite", "postgresql"]


def check(name: str, **options: object) -> None:
    fitted = model(name)
    query = fitted.export("sql", table="rows", **options)
    certificate = tw.certify(fitted, query, "sql", n_random=300)
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
