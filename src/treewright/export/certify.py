"""Certificates: exported code run in its real runtime on rows made from the model's own boundaries."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ExportError
from treewright.export.program import Program
from treewright.export.program_of_model import program_of
from treewright.export.runtimes import runtime_of
from treewright.export.runtimes.base import REFUSED, NotInstalledError, Outcome, Runtime
from treewright.export.witness import Rows, boundaries, extreme_rows, infinite_rows, random_rows

Array = NDArray[np.float64]

SAME = 1e-12
"""Sums over trees or shares may differ by this much, as a share of them; labels and leaves may not."""

LINEAR_ROWS = 2_000
"""Rows that equations are compared on: their boundaries tell little of them."""

MOST_SHOWN = 3
"""Mismatches that a certificate tells of."""


@dataclass(frozen=True)
class Certificate:
    """What came of running an export beside its model.

    Parameters
    ----------
    target : str
        What it was exported to.
    runtime, version : str
        What ran it; version is empty if it was not run.
    rows : int
        How many rows were compared; 0 if it was not run.
    mismatches : int or None
        How many of them were answered otherwise than by the model; None if it was not run.
    model_digest, artefact_digest : str
        SHA-256 of what the model asks and answers, and of the export.
    boundaries : int
        Tests of the model whose boundaries the rows lie on and beside.
    examples : tuple of str
        The first mismatches, a sentence each.
    reason : str
        Why it was not run.
    """

    target: str
    runtime: str
    version: str
    rows: int
    mismatches: int | None
    model_digest: str
    artefact_digest: str
    boundaries: int = 0
    examples: tuple[str, ...] = ()
    reason: str = ""

    @property
    def certified(self) -> bool:
        """Whether the export was run and gave the model's answers on every row."""
        return self.mismatches == 0 and self.rows > 0

    def __str__(self) -> str:
        if self.mismatches is None:
            return f"not run: {self.target} ({self.reason})"
        words = "certified" if self.certified else "NOT the same"
        lines = [
            f"{words}: {self.target} in {self.runtime} {self.version}, {self.mismatches} mismatches in "
            f"{self.rows} rows on {self.boundaries} boundaries",
            *(f"  {example}" for example in self.examples),
            f"  model    sha256 {self.model_digest}",
            f"  export   sha256 {self.artefact_digest}",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Give the certificate as plain values."""
        return {
            "target": self.target,
            "runtime": self.runtime,
            "version": self.version,
            "certified": self.certified,
            "rows": self.rows,
            "mismatches": self.mismatches,
            "boundaries": self.boundaries,
            "examples": list(self.examples),
            "model_digest": self.model_digest,
            "artefact_digest": self.artefact_digest,
            "reason": self.reason,
        }


def certify(
    model: Any,
    artefact: str | bytes | PathLike[str] | Any,
    target: str,
    *,
    n_random: int = 0,
    random_state: int = 0,
    max_rows: int = 200_000,
    **options: Any,
) -> Certificate:
    """Run an export in its real runtime, and compare its answers with the model's, row by row.

    The rows are made from the model alone: on, just below and just above every cut, each category and one
    never seen, missing values, and points on the boundaries of sums. The exported code is run: certify what
    you have exported yourself.

    Parameters
    ----------
    model : fitted model
        What it was exported from.
    artefact : str, bytes or path
        What `model.export` gave, or the file it was written to.
    target : str
        The target it was exported to, such as `"sql"`.
    n_random : int
        How many rows drawn at random to compare besides.
    random_state : int
        Seed of these.
    max_rows : int
        Most rows made from boundaries; of more, evenly spaced ones are taken.
    **options
        Those of `model.export` that say how to run it: `dialect` and `table` of SQL, if the export
        does not say.

    Returns
    -------
    Certificate
        `rows` is 0 and `mismatches` None if the runtime is not installed: print it to see why.

    Examples
    --------
    >>> import treewright as tw
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(*tw.datasets.load_iris())
    >>> certificate = tw.certify(model, model.export("python"), "python")
    >>> certificate.mismatches
    0
    >>> broken = model.export("python").replace("<= 2.45", "< 2.45")
    >>> tw.certify(model, broken, "python").mismatches > 0
    True
    """
    examination = Examination(model, n_random=n_random, random_state=random_state, max_rows=max_rows)
    return examination.certify(artefact, target, **options)


class Examination:
    """The rows that exports of a model are held to, made once for any number of them.

    Parameters
    ----------
    model : fitted model
    n_random, random_state, max_rows
        As of `certify`.
    """

    def __init__(
        self, model: Any, *, n_random: int = 0, random_state: int = 0, max_rows: int = 200_000
    ) -> None:
        self.model = model
        self.program = program_of(model)
        self.n_random = n_random
        self.random_state = random_state
        self.max_rows = max_rows

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the model asks and answers."""
        return program_digest(self.program)

    @cached_property
    def _witnesses(self) -> tuple[Rows, int]:
        rows, n_boundaries = witnesses(self.model, self.program, self.max_rows)
        if self.n_random:
            drawn = random_rows(self.program, self.n_random, self.random_state)
            rows = Rows(self.program, np.concatenate([rows.x, drawn.x]))
        return rows, n_boundaries

    @property
    def rows(self) -> Rows:
        """Rows on the boundaries of the model, and those drawn at random."""
        return self._witnesses[0]

    def certify(self, artefact: Any, target: str, **options: Any) -> Certificate:
        """Run an export, and compare its answers with the model's."""
        content = _content(artefact)
        runtime = runtime_of(target, content, options)
        if runtime is None:
            return self._not_run(target, content, "none", "it is read by people: nothing runs it")
        try:
            version = runtime.version()
        except NotInstalledError as problem:
            return self._not_run(target, content, runtime.name, str(problem))
        rows = runtime.suited(self.rows)
        return self.compare(runtime, target, version, rows, runtime.run(self.program, rows))

    def _not_run(self, target: str, content: Any, runtime: str, reason: str) -> Certificate:
        digests = self.digest, _digest(content)
        return Certificate(target, runtime, "", 0, None, *digests, reason=reason)

    def compare(
        self, runtime: Runtime, target: str, version: str, rows: Rows, outcome: Outcome
    ) -> Certificate:
        """Compare what rows were answered with the model's answers."""
        wrong, examples = _compare(self.program, rows, self._expected(rows), outcome)
        return Certificate(
            target,
            runtime.name,
            version,
            len(rows),
            int(wrong.sum()),
            self.digest,
            _digest(runtime.artefact),
            boundaries=self._witnesses[1],
            examples=tuple(examples),
        )

    def _expected(self, rows: Rows) -> Outcome:
        """The model's answers; those to all rows are kept."""
        return self._expected_of_all if rows is self.rows else expect(self.model, self.program, rows)

    @cached_property
    def _expected_of_all(self) -> Outcome:
        return expect(self.model, self.program, self.rows)


def _content(artefact: Any) -> Any:
    """Read an export that is given as a file."""
    if isinstance(artefact, str) and "\n" not in artefact and len(artefact) < 4096:
        artefact = Path(artefact)
    if not isinstance(artefact, PathLike):
        return artefact
    data = Path(artefact).read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _digest(content: Any) -> str:
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else ""


def program_digest(program: Program) -> str:
    """Give the SHA-256 of what a model asks and answers."""
    parts = [repr((program.inputs, program.obliques, program.classes, program.forest, program.hard))]
    for body in program.bodies:
        asked = body.nodes if hasattr(body, "nodes") else body.rules
        parts.append(repr(asked))
        parts.append(repr([array.tolist() for array in (body.answers.votes, body.answers.proba)]))
    if program.linear is not None:
        parts.append(repr(program.linear))
    return _digest("\n".join(parts))


# ---- rows ------------------------------------------------------------------------------------------------


def witnesses(model: Any, program: Program, max_rows: int = 200_000) -> tuple[Rows, int]:
    """Make rows on the boundaries of a model; of those that come to a boundary, such as change its answer."""
    found = list(boundaries(program))
    groups = [group for boundary in found for group in boundary.groups]
    every = [row for group in groups for row in group] or [[0.0] * len(program.inputs)]
    every += infinite_rows(program) + extreme_rows(program)
    if program.linear is not None:
        every += random_rows(program, LINEAR_ROWS).x.tolist()
    rows = Rows(program, np.array(every, dtype=np.float64).reshape(len(every), len(program.inputs)))
    label, said = _signatures(model, program, rows)
    chosen: list[int] = []
    at = 0
    for boundary in found:
        begins = []
        for group in boundary.groups:
            begins.append(range(at, at + len(group)))
            at += len(group)
        if not begins:
            continue
        kinds = [(len(set(label[r.start : r.stop])), len(set(said[r.start : r.stop]))) for r in begins]
        best = {0, kinds.index(max(kinds)), max(range(len(kinds)), key=lambda place: kinds[place][::-1])}
        chosen += [row for place in sorted(best) for row in begins[place]]
        chosen += [row for place, r in enumerate(begins) if len(r) == 1 and place not in best for row in r]
    chosen += range(at, len(every))
    unique = (
        np.unique(rows.x[chosen].view(np.uint64), axis=0, return_index=True)[1] if program.inputs else [0]
    )
    keep = np.array(chosen, dtype=np.int64)[np.sort(unique)]
    if len(keep) > max_rows:
        keep = keep[np.linspace(0, len(keep) - 1, max_rows).astype(np.int64)]
    return rows.take(keep), sum(bool(boundary.groups) for boundary in found)


def _signatures(model: Any, program: Program, rows: Rows) -> tuple[list[Any], list[Any]]:
    """Give what the model answers to each row, as values to compare: labels, and all that it says."""
    expected = expect(model, program, rows)
    label = [repr(one) for one in expected.prediction]
    if expected.proba is None:
        return label, label
    return label, [one.tobytes() for one in expected.proba]


def expect(model: Any, program: Program, rows: Rows) -> Outcome:
    """Give the model's own answers; rows that it refuses have none."""
    refused = rows.refused()
    accepted = rows.take(~refused)
    prediction: list[Any] = [REFUSED] * len(rows)
    proba = None if program.classes is None else np.full((len(rows), program.width), np.nan)
    if len(accepted):
        table = accepted.table()
        for row, answer in zip(np.flatnonzero(~refused), model.predict(table).tolist(), strict=True):
            prediction[row] = answer
        if proba is not None:
            proba[~refused] = model.predict_proba(table)
    return Outcome(prediction, proba)


def _compare(
    program: Program, rows: Rows, expected: Outcome, outcome: Outcome
) -> tuple[NDArray[np.bool_], list[str]]:
    """Compare the answers of an export with the model's."""
    if len(outcome.prediction) != len(rows):
        raise ExportError(f"the export gave {len(outcome.prediction)} answers to {len(rows)} rows.")
    room = 0.0
    if program.sums:  # terms of this size round by as much
        room = SAME * max([1.0, *(abs(one) for one in expected.prediction if isinstance(one, int | float))])
    wrong = np.array(
        [
            one != other and not _same(one, other, program, room)
            for one, other in zip(expected.prediction, outcome.prediction, strict=True)
        ]
    )
    if expected.proba is not None and outcome.proba is not None:
        apart = np.abs(expected.proba - outcome.proba) > SAME
        apart |= np.isnan(expected.proba) != np.isnan(outcome.proba)
        wrong |= apart.any(axis=1)
    examples = []
    for row in np.flatnonzero(wrong)[:MOST_SHOWN].tolist():
        shown = ", ".join(
            f"{one.name}={rows.take(np.array([row])).column(at)[0]!r}" for at, one in rows.inputs
        )
        examples.append(
            f"row {row} ({shown}): {_said(expected, row)} by the model, {_said(outcome, row)} by the export"
        )
    return wrong, examples


def _said(outcome: Outcome, row: int) -> str:
    answer = outcome.prediction[row]
    words = "refused" if answer is REFUSED else repr(answer)
    return words if outcome.proba is None else f"{words} {outcome.proba[row].tolist()}"


def _same(expected: Any, found: Any, program: Program, room: float) -> bool:
    if isinstance(expected, float) and math.isnan(expected):  # infinities have met in a linear leaf
        return found is None or found is REFUSED or math.isnan(found)  # NULL in SQL, NAN in C
    if expected is REFUSED or found is REFUSED:
        return expected is found or (expected is REFUSED and found is None)
    if program.classes is None:
        if not isinstance(found, int | float):
            return False
        if not program.sums:
            return bool(found == expected)
        return math.isclose(found, expected, rel_tol=SAME, abs_tol=room)
    return bool(found == expected)
