"""The card of a model: when and from which rows it was learned, and its cross-validated error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treewright.errors import ModelFileError
from treewright.evaluation import CrossValidation
from treewright.formatting.performance import error_line
from treewright.formatting.text import counted, quoted

MOST_HASHES = 1 << 12


@dataclass(frozen=True)
class ModelCard:
    """What is known of a model beside itself.

    Parameters
    ----------
    learned : str
        When, in UTC, such as `"2026-11-17T19:40:12Z"`.
    rows : int
        How many rows it was learned from.
    source : str
        What they were read from.
    treewright : str
        The version that learned it.
    fingerprint : tuple of int
        What its rows are known by, see `treewright.data.fingerprint`.
    evaluation : CrossValidation or None
        What cross-validation came to; None if there was none, or if the model was changed since.
    """

    learned: str
    rows: int
    source: str
    treewright: str
    fingerprint: tuple[int, ...]
    evaluation: CrossValidation | None = None

    @property
    def short_fingerprint(self) -> str:
        """The fingerprint in sixteen digits."""
        return f"{self.fingerprint[0]:016x}" if self.fingerprint else "none"

    def __str__(self) -> str:
        moment = self.learned.replace("T", " ").removesuffix("Z")
        line = (
            f"learned {moment} UTC by treewright {self.treewright} from {counted(self.rows, 'row')} of "
            f"{quoted(self.source)} (fingerprint {self.short_fingerprint})"
        )
        return line if self.evaluation is None else f"{line}\n{error_line(self.evaluation)}"

    def __repr__(self) -> str:
        return f"ModelCard(learned={self.learned!r}, rows={self.rows}, source={self.source!r})"

    def to_dict(self) -> dict[str, Any]:
        """Give the card as what JSON can hold."""
        figures = None if self.evaluation is None else self.evaluation.to_dict()
        return {
            "learned": self.learned,
            "rows": self.rows,
            "source": self.source,
            "treewright": self.treewright,
            "fingerprint": [f"{number:016x}" for number in self.fingerprint],
            "evaluation": figures if all(map(math.isfinite, _numbers(figures))) else None,
        }


def card_of_dict(plain: Any) -> ModelCard:
    """Read a card out of a file, or say that it cannot be."""
    try:
        texts = {name: plain[name] for name in ("learned", "source", "treewright")}
        hashes = [int(number, 16) for number in plain["fingerprint"]]
        found = plain["evaluation"]
        sound = (
            all(isinstance(text, str) for text in texts.values())
            and type(plain["rows"]) is int
            and len(hashes) <= MOST_HASHES
            and all(0 <= number < 1 << 64 for number in hashes)
        )
        if not sound:
            raise ValueError("a value of the wrong kind")
        evaluation = None if found is None else CrossValidation.from_dict(found)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise ModelFileError(f"the model is broken: its card cannot be read ({problem})") from None
    return ModelCard(rows=plain["rows"], fingerprint=tuple(hashes), evaluation=evaluation, **texts)


def _numbers(plain: Any) -> Iterator[float]:
    """Give the numbers among plain values."""
    if isinstance(plain, dict):
        plain = list(plain.values())
    if isinstance(plain, list):
        for entry in plain:
            yield from _numbers(entry)
    elif isinstance(plain, float):
        yield plain
