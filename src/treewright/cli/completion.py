"""`treewright completion`: what makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

EPILOG = """\b
Examples:
  treewright completion bash >> ~/.bashrc
  treewright completion zsh >> ~/.zshrc
  treewright completion fish > ~/.config/fish/completions/treewright.fish"""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--debug", is_flag=True, help="Show a traceback if something fails.")
@click.pass_context
def command(context: click.Context, shell: str, debug: bool) -> None:
    """Print what makes a shell complete commands and options."""
    kind = get_completion_class(shell)
    assert kind is not None  # the choices are those click knows
    program = context.find_root().command
    click.echo(kind(program, {}, "treewright", "_TREEWRIGHT_COMPLETE").source())
