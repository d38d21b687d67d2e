"""`treewright export`: a model in the language of another program."""

from __future__ import annotations

import sys
from typing import Any

import click

from treewright.cli.model_loading import open_model
from treewright.cli.options import model_argument, screen_of, screen_options, setting
from treewright.cli.outputs import refuse_outputs
from treewright.export.write import TARGETS
from treewright.formatting.suggestions import nearest
from treewright.formatting.text import counted

EPILOG = f"""\b
Targets:
{chr(10).join(f"  {name:<12}{target.summary}" for name, target in TARGETS.items())}

\b
Examples:
  treewright export iris.tw --to sql --table flowers --output score.sql
  treewright export iris.tw --to sql --table flowers --dialect sqlite --proba --certify
  treewright export iris.tw --to c --output iris.c --certify
  treewright export iris.tw --to javascript --set module=script --output iris.js"""


@click.command("export", epilog=EPILOG)
@model_argument
@click.option("--to", "target", required=True, metavar="TARGET", help="What to write, see below.")
@click.option(
    "--output", "-o", metavar="FILE", help="Write there, whole or not at all. [default: the screen]"
)
@click.option("--table", metavar="NAME", help="The table that the SQL reads.  [default: data]")
@click.option("--schema", metavar="NAME", help="The schema that the table stands in.")
@click.option("--dialect", metavar="NAME", help="duckdb, sqlite or postgresql.  [default: duckdb]")
@click.option("--proba", is_flag=True, help="SQL also gives the probability p_<class> of each class.")
@click.option(
    "--form",
    type=click.Choice(["auto", "nested", "table"]),
    help="A block for each node, or tables of states.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any other option of the target."
)
@click.option("--certify", is_flag=True, help="Run the result on the model's own boundaries, and compare.")
@click.option("--random-rows", type=click.IntRange(min=0), default=0, metavar="N", help="Compare on N more.")
@screen_options
def command(
    model: str, target: str, output: str | None, certify: bool, random_rows: int, **given: Any
) -> None:
    """Write a model as SQL, source code or another program's model.

    With --certify the result is run in its real runtime, on rows on and beside every boundary of the model,
    and its answers are compared with the model's; if one of them differs, the exit code is 1.
    """
    screen = screen_of(given)
    refuse_outputs(output, read=[model])
    if target not in TARGETS:
        raise click.UsageError(
            f"--to {target!r} is unknown.{nearest(target, TARGETS)} Targets are {', '.join(TARGETS)}."
        )
    names = ("table", "schema", "dialect", "form")
    options = {name: given[name] for name in names if given[name] is not None}
    options |= {"proba": True} if given["proba"] else {}
    options |= dict(setting(text, "--set") for text in given["settings"])
    fitted = open_model(model)
    content = fitted.export(target, **options)
    if output is None and isinstance(content, bytes):
        raise click.UsageError(f"{target} is not text: add --output FILE.")
    found: dict[str, Any] = {"target": target, "output": output}
    if output is not None:
        fitted.export(target, output, **options)
        unit = "byte" if isinstance(content, bytes) else "character"
        screen.text(f"{counted(len(content), unit)} written to {output}")
    elif screen.shows_text:
        click.echo(content, nl=False)
    else:
        found["content"] = content
    if not certify:
        screen.result(found)
        return
    from treewright.export.certify import certify as run

    where = {name: options[name] for name in ("table", "schema", "dialect") if name in options}
    certificate = run(fitted, content, target, n_random=random_rows, **where)
    if screen.shows_text:
        click.echo(str(certificate), err=output is None)
    screen.result(found | {"certificate": certificate.to_dict()})
    if certificate.mismatches:
        click.echo(f"the {target} does not answer as the model does.", err=True)
        sys.stdout.flush()
        raise click.exceptions.Exit(1)
