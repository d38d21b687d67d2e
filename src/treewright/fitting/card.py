"""Cards of models: made where one is learned, and asked whether rows are those that it was learned from."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from treewright import __version__
from treewright.data.fingerprint import Hashes, encoded_hashes, fingerprint, share_found
from treewright.data.target import read_classes, read_numbers
from treewright.evaluation import CrossValidation
from treewright.fitting.report import schema_of
from treewright.fitting.training_table import TrainingTable
from treewright.persistence.card import ModelCard


def make_card(
    model: Any,
    data: TrainingTable,
    evaluation: CrossValidation | None,
    rows: tuple[int, ...] | None = None,
) -> ModelCard:
    """Write down what is known of a model that was just learned; `rows` is the fingerprint of its rows."""
    return ModelCard(
        learned=_now(),
        rows=len(data),
        source=data.table.name.strip("'"),
        treewright=__version__,
        fingerprint=fingerprint(hashes_of(model, data.X, data.y)) if rows is None else rows,
        evaluation=None if evaluation is None else replace(evaluation, figures=None),
    )


def share_learned(model: Any, X: Any, y: Any) -> float:
    """Estimate which share of the rows that a model was learned from is among these; 0 if it has no card."""
    card = getattr(model, "card_", None)
    return 0.0 if card is None else share_found(card.fingerprint, hashes_of(model, X, y))


def hashes_of(model: Any, X: Any, y: Any) -> Hashes:
    """Hash rows as the model sees them, with their target."""
    schema = schema_of(model)
    numbers, codes = schema.encode(X, inf=getattr(model, "inf", "error"))
    if schema.classes is None:
        target = read_numbers(y, len(numbers))
    else:
        labels, place = read_classes(y, len(numbers))
        code_of = {label: code for code, label in enumerate(schema.classes.tolist())}
        target = np.array([code_of.get(label, -1.0) for label in labels.tolist()])[place]
    return encoded_hashes(schema, numbers, codes, target)


def _now() -> str:
    """Give the time in UTC; SOURCE_DATE_EPOCH stands for it where builds must be repeatable."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")
