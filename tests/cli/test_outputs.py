"""Where commands write: never over what they read; what cannot be written is told by its name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers.command_line import IRIS, Run

OVER_WHAT_IS_READ = {
    "fit": ["fit", "rows.csv", "-t", "species", "-o", "rows.csv"],
    "fit by a pattern": ["fit", "row*.csv", "-t", "species", "-o", "./rows.csv"],
    "fit, page": ["fit", "rows.csv", "-t", "species", "--no-save", "--html", "rows.csv"],
    "trace": ["trace", "rows.csv", "-t", "species", "--html", "rows.csv"],
    "predict, table": ["predict", "iris.tw", "rows.csv", "-o", "link.csv"],
    "predict, model": ["predict", "model.csv", "rows.csv", "-o", "model.csv"],
    "convert": ["convert", "rows.csv", "-o", "rows.csv"],
    "export": ["export", "iris.tw", "--to", "python", "-o", "iris.tw"],
    "rules": ["rules", "iris.tw", "-o", "iris.tw"],
    "prune": ["prune", "iris.tw", "rows.csv", "--method", "reduced_error", "-o", "rows.csv"],
    "explore, page": ["explore", "iris.tw", "--data", "rows.csv", "--html", "rows.csv"],
    "explore, model": ["explore", "rows.csv", "-t", "species", "--save", "rows.csv"],
    "explore, log": ["explore", "iris.tw", "--data", "rows.csv", "--log", "iris.tw"],
}


@pytest.mark.parametrize("case", OVER_WHAT_IS_READ)
def test_nothing_is_written_over_what_is_read(run: Run, iris: str, case: str) -> None:
    Path("rows.csv").write_bytes(Path(IRIS).read_bytes())
    Path("model.csv").write_bytes(Path(iris).read_bytes())
    os.symlink("rows.csv", "link.csv")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    *_, output = words = OVER_WHAT_IS_READ[case]
    assert run(*words) == (2, "", f"cannot write {str(Path(output))!r}: it is read, and would be lost.\n")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_model_may_be_pruned_where_it_stands(run: Run, iris: str) -> None:
    before = Path(iris).read_bytes()
    assert run("prune", iris, "--method", "pessimistic", "-o", iris)[0] == 0
    assert Path(iris).read_bytes() != before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_what_cannot_be_written_is_named_as_the_user_did(run: Run) -> None:
    words = ["fit", IRIS, "-t", "species", "--folds", "0", "-q", "-o"]
    assert run(*words, "/dev/full") == (1, "", "'/dev/full': No space left on device.\n")
    name = "n" * 300
    assert run(*words, name) == (1, "", f"'{name}': File name too long.\n")


@pytest.mark.parametrize("sign", ["ab", "", '"', "\n"])
def test_a_delimiter_is_one_sign(run: Run, sign: str) -> None:
    status, _, errors = run("inspect", IRIS, "--delimiter", sign)
    assert status == 2
    assert errors.startswith(f"delimiter {sign!r} must be one sign, no quote, or one of tab, ")
