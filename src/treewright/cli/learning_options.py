"""Options of the commands that learn: the learner, and every parameter of the estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from treewright.cli.options import (
    SETTING,
    data_argument,
    kind_options,
    screen_options,
    several,
    target_options,
    text_options,
)
from treewright.growing.parameters import ESTIMATORS, PARAMETERS

learner_options = several(
    click.option(
        "--algorithm",
        "-a",
        metavar="NAME",
        help="tree, decision_tree, cart, c4.5, id3, rules, forest or optimal. [default: tree, or "
        "decision_tree where a pruner or parameters ask for it]",
    ),
    click.option("--criterion", metavar="NAME", help="What makes a split good, such as gini or entropy."),
    click.option("--missing", metavar="POLICY", help="What becomes of missing values, such as surrogate."),
    click.option(
        "--pruner",
        metavar="NAME[:SETTING=VALUE,…]",
        help="How to prune, such as pessimistic, error_based:cf=0.1 or none.  [default: by the algorithm]",
    ),
    click.option("--max-depth", type=int, metavar="N", help="Deepest level of the tree."),
    click.option("--min-leaf", type=int, metavar="N", help="Fewest rows of a leaf."),
    click.option("--max-leaves", type=int, metavar="N", help="Most leaves."),
    click.option("--costs", metavar="JSON|FILE", help="Cost of predicting (column) what truly is (row)."),
    click.option("--balanced", is_flag=True, help="Give all classes the same weight."),
    click.option("--trees", type=int, metavar="N", help="Trees of a forest."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any parameter of the estimator, such as max_bins=64.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of all that is drawn."),
    click.option("--jobs", type=int, metavar="N", help="Threads. [default: all cores]"),
)


NOT_OFFERED = {
    *("criterion", "missing", "pruner", "max_depth", "costs"),  # above
    *("categorical_features", "ordinal_features"),  # --categorical and --ordinal say it of columns
    *("tree", "trace", "verbose"),  # for programs
}
"""Parameters of estimators that have no option made from their declaration."""


class ParameterOption(click.Option):
    """An option that is named after a parameter of the estimators."""


class LearningCommand(click.Command):
    """A command whose help lists the parameters of the estimators after its other options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in two sections."""
        for title, named in (("Options", False), ("Parameters of the estimators", True)):
            options = [o for o in self.get_params(ctx) if isinstance(o, ParameterOption) is named]
            with formatter.section(title):
                formatter.write_dl([record for o in options if (record := o.get_help_record(ctx))])


def _parameter_options() -> list[Callable[[Any], Any]]:
    """Make an option of every parameter, with the first sentence on it as help."""
    help_of: dict[str, dict[tuple[str, ...], str]] = {}  # several where estimators know different names
    for entry in PARAMETERS:
        if entry.owners & ESTIMATORS and entry.name not in NOT_OFFERED:
            sentence = entry.text.replace("`", "").partition(". ")[0].rstrip(".") + "."
            help_of.setdefault(entry.name, {}).setdefault(entry.domain.names, sentence)
    return [
        click.option(
            f"--{name.replace('_', '-')}",
            f"{SETTING}{name}",
            cls=ParameterOption,
            metavar="VALUE",
            help=" ".join(dict.fromkeys(sentences.values())),
        )
        for name, sentences in help_of.items()
    ]


parameter_options = several(*_parameter_options())


def learning_command(
    name: str, epilog: str, *own: Callable[[Any], Any], source: Callable[[Any], Any] = data_argument
) -> Callable[[Any], Any]:
    """Make a command that learns from a table: its own options among those that all such commands have."""
    return several(
        click.command(name, cls=LearningCommand, epilog=epilog),
        source,
        target_options,
        *own,
        learner_options,
        parameter_options,
        text_options,
        kind_options,
        screen_options,
    )


@dataclass(frozen=True)
class LearnerOptions:
    """What the command line says about learning."""

    algorithm: str | None = None
    criterion: str | None = None
    missing: str | None = None
    pruner: str | None = None
    max_depth: int | None = None
    min_leaf: int | None = None
    max_leaves: int | None = None
    costs: str | None = None
    balanced: bool = False
    trees: int | None = None
    settings: tuple[str, ...] = ()
    seed: int = 0
    jobs: int | None = None
