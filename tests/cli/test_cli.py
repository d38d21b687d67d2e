"""The command line as a program: help, errors, tables shown and converted, as a shell runs it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest

import treewright as tw
from helpers.command_line import IRIS, LABOR, MPG, Run, shell
from treewright.cli.app import COMMANDS, Commands, treewright


def test_help_lists_every_command_and_loads_nothing_slow() -> None:
    code = (
        "import sys; from treewright.cli import main; status = main(['--help']); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules})); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *text, modules = done.stdout.splitlines()
    assert all(any(line.split()[:1] == [name] for line in text) for name in COMMANDS)
    assert not {"sklearn", "scipy", "duckdb", "rich", "pandas", "pyarrow"} & set(modules.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(run: Run, name: str) -> None:
    status, out, _ = run(name, "--help")
    assert status == 0
    assert f"Usage: treewright {name}" in out
    assert f"  treewright {name}" in out.partition("Examples:")[2]


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    context = click.Context(treewright)
    assert isinstance(treewright, Commands)
    for name, (_, summary) in COMMANDS.items():
        command = treewright.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help is not None
        words = command.help.partition("\n")[0].rstrip(".")
        assert words.startswith(summary.split(",")[0].rstrip(".")[:20])


def test_options_of_the_same_name_are_spelled_alike_everywhere() -> None:
    context = click.Context(treewright)
    helps: dict[str, set[str]] = {}
    for name in COMMANDS:
        command = treewright.get_command(context, name)  # type: ignore[attr-defined]
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.name in (
                "as_json",
                "quiet",
                "debug",
                "encoding",
            ):
                helps.setdefault(str(parameter.name), set()).add(str(parameter.help))
    assert all(len(texts) == 1 for texts in helps.values())


def check_one_line(said: tuple[int, str, str], status: int, message: str) -> None:
    """See that a command ends with a status and one line of errors, and has written no file."""
    found, _, errors = said
    assert (found, len(errors.splitlines())) == (status, 1)
    assert message in errors
    assert os.listdir() == []


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["fitt", IRIS], 2, "Did you mean 'fit'?"),
        (["fit", IRIS, "--targt", "species"], 2, "--target"),
        (["fit", IRIS], 2, "(--target NAME); "),
        (["fit"], 2, "Missing argument 'DATA...'"),
        (["fit", IRIS, "-t", "speces"], 3, "Did you mean 'species'?"),
        (["fit", MPG, "-t", "mpg", "-a", "c4.5"], 2, "c4.5 learns classes only"),
        (["fit", IRIS, "--formula", "species ~"], 3, "the formula 'species ~'"),
        (["fit", "nothing.csv", "-t", "y"], 3, "cannot read 'nothing.csv': there is no such file"),
        (["show", "nothing.tw"], 4, "cannot read 'nothing.tw'"),
        (["show", IRIS], 4, "is no treewright model"),
        (["predict", IRIS, IRIS], 4, "is no treewright model"),
        (["convert", IRIS, "-o", "a.xlsx"], 2, "Unknown form of file '.xlsx'"),
        (["convert", IRIS, "-o", "/no/where.csv"], 2, "there is no folder '/no'"),
        (["compare", IRIS, "-t", "species", "--pruners", "pesimistic"], 2, "Did you mean 'pessimistic'?"),
        (["completion", "tcsh"], 2, "'tcsh' is not one of"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run: Run, arguments: list[str], status: int, message: str) -> None:
    check_one_line(run(*arguments), status, message)


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--ignore", "petal widht"], 3, "Did you mean 'petal width'?"),
        (["--algorithm", "c45.5"], 2, "Unknown algorithm 'c45.5'"),
        (["--criterion", "ginni"], 2, "Did you mean 'gini'?"),
        (["--missing", "surogate"], 2, "Did you mean 'surrogate'?"),
        (["--pruner", "pesimistic"], 2, "Did you mean 'pessimistic'?"),
        (["--pruner", "error_based:cg=1"], 2, "Unknown setting of error_based 'cg'"),
        (["--pruner", "error_based:cf=9"], 2, "cf"),
        (["--set", "max_bin=4"], 2, "Did you mean 'max_bins'?"),
        (["--set", "max_bins"], 2, "has no form NAME=VALUE"),
        (["--max-depth", "-1"], 2, "'max_depth' parameter"),
        (["--costs", "[[0,1],[1,0]]"], 2, "a row and a column for each of the 3"),
        (["--costs", "nonsense"], 2, "neither a file nor JSON"),
        (["--ordinal", "x"], 2, "has no form NAME=LOW,…,HIGH"),
        (["--output", "/no/where.tw"], 2, "there is no folder '/no'"),
        (["-a", "id3"], 2, "id3 knows categories only, and 'sepal length' is numeric"),
        (["-a", "cart", "--pruner", "pessimistic"], 2, "cart prunes by cost-complexity"),
        (["--formula", "x ~ ."], 2, "two targets"),
        (["-w", "petal"], 3, "has no column 'petal'"),
    ],
)
def test_a_wrong_option_of_fit_is_said_in_one_line(
    run: Run, options: list[str], status: int, message: str
) -> None:
    check_one_line(run("fit", IRIS, "-t", "species", *options), status, message)


def test_a_traceback_is_shown_on_request(run: Run) -> None:
    with pytest.raises(tw.errors.DataError):
        run("fit", "nothing.csv", "-t", "y", "--debug")
    done = shell("fit", "nothing.csv", "-t", "y")
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)


def test_output_to_a_file_has_no_escape_codes_and_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m treewright demo iris | head -2",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[0] == "150 irises: which species?"
    assert "\x1b" not in done.stdout
    assert "Traceback" not in done.stderr


def test_inspect_describes_tables_and_models(run: Run, iris: str) -> None:
    found = json.loads(run("inspect", LABOR, "--json")[1])
    assert (found["rows"], len(found["columns"])) == (57, 17)
    assert sum(column["missing"] for column in found["columns"]) == 326
    model = json.loads(run("inspect", iris, "--json")[1])
    assert (model["kind"], model["target"], model["trees"]) == ("TreeClassifier", "species", 1)
    assert [feature["name"] for feature in model["features"]] == pd.read_csv(IRIS).columns[:4].tolist()
    assert "fields separated by comma" in run("inspect", LABOR)[1]


def test_inspect_looks_at_what_it_shows(run: Run) -> None:
    text = ",".join(f"f{at}" for at in range(600)) + "\n" + ("1," * 599 + "2\n") * 3
    Path("wide.csv").write_text(text)
    shown = run("inspect", "wide.csv")[1]
    assert "3 rows, 600 columns" in shown
    assert "100 more columns" in shown
    assert "f499" in shown
    assert "f500" not in shown
    listed = json.loads(run("inspect", "wide.csv", "--json")[1])
    assert [column["name"] for column in listed["columns"]] == [f"f{at}" for at in range(600)]


def test_inspect_shows_the_beginning_of_long_text(run: Run) -> None:
    Path("a.csv").write_text(f"a,b\n1,{'x' * 4_000_000}\n2,y\n")
    for words in (("inspect", "a.csv"), ("inspect", "a.csv", "--json")):
        status, text, _ = run(*words)
        whole = "".join(text.split())  # however wide the screen is
        assert (status, "x" * 59 + "…" in whole, len(text) < 1000) == (0, True, True)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "arrow", "arff", "csv.zst"])
def test_convert_loses_nothing(run: Run, suffix: str) -> None:
    assert run("convert", LABOR, "-o", f"a.{suffix}")[0] == 0
    assert run("convert", f"a.{suffix}", "-o", "b.csv")[0] == 0
    expected = pd.read_csv(LABOR, na_values="?", keep_default_na=False)
    pd.testing.assert_frame_equal(
        pd.read_csv("b.csv", keep_default_na=False, na_values=[""]), expected, check_dtype=False
    )


def test_demo_shows_a_tree_and_copies_tables(run: Run) -> None:
    status, out, _ = run("demo", "tennis")
    assert (status, "all rows" in out, "fit data.csv" in out) == (0, True, True)
    assert "→ edible" in run("demo", "mushrooms")[1]
    assert "Model" not in run("demo", "cars")[1]  # it names the rows
    assert run("demo", "cars", "--copy")[1] == (
        "written to cars.csv; its target is Fast, and Model names the rows: --ignore Model\n"
    )
    assert run("demo", "mpg", "--copy")[0] == 0
    assert Path("mpg.csv").read_text() == Path(MPG).read_text()


@pytest.mark.parametrize("installed", [False, True])
def test_the_last_lines_of_the_demo_run_where_the_program_is_not_on_the_path(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: bool
) -> None:
    if installed:  # as `make demo` finds it: in the environment's folder below this one
        script = tmp_path / "my environment" / "treewright"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m treewright "$@"\n')
        script.chmod(0o755)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "my environment"))
    monkeypatch.setenv("PATH", "")
    _, out, _ = run("demo", "tennis")
    program = out.rpartition(" fit data.csv")[0].splitlines()[-1].strip()
    done = subprocess.run([*shlex.split(program), "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.split()[-1] == tw.__version__
    assert program.startswith("'my environment/") == installed


def test_the_demo_names_the_program_alone_where_it_is_on_the_path(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "treewright").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "\n  treewright fit data.csv" in run("demo", "tennis")[1]


def test_completion_is_a_script_that_knows_the_program(run: Run) -> None:
    status, out, _ = run("completion", "bash")
    assert (status, "_TREEWRIGHT_COMPLETE" in out) == (0, True)
    environment = os.environ | {
        "_TREEWRIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": "treewright pre",
        "COMP_CWORD": "1",
    }
    assert "plain,predict" in shell(env=environment).stdout
