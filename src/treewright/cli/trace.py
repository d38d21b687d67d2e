"""`treewright trace`: how a tree is grown, node by node as one writes it on the board."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from treewright.cli.learners import check_learner, learner
from treewright.cli.learning_options import LearnerOptions, learning_command
from treewright.cli.options import DataOptions, screen_of, taken
from treewright.cli.outputs import refuse_outputs
from treewright.files.workspace import Workspace
from treewright.fitting.training_table import read_training_table
from treewright.persistence.atomic_file import whole_file
from treewright.trace import Trace

EPILOG = """\b
Examples:
  treewright trace tennis.csv --target PlayTennis --algorithm id3
  treewright trace tennis.csv -t PlayTennis -a id3 --node 3
  treewright trace iris.csv -t species -a c4.5 --html steps.html"""


@learning_command(
    "trace",
    EPILOG,
    click.option("--node", type=int, metavar="ID", help="Show one node only, with the rows that come to it."),
    click.option(
        "--nodes",
        "max_nodes",
        type=click.IntRange(min=0),
        metavar="N",
        help="Nodes to show; 0: all. [default: 200]",
    ),
    click.option("--html", metavar="FILE", help="Write it as a web page instead."),
)
def command(node: int | None, max_nodes: int | None, html: str | None, **given: Any) -> None:
    """Show how a tree is grown, node by node as one writes it on the board.

    At every node stands the best split on each feature with its table of counts, the shares of its branches,
    what their impurities come to and the gain; then what was chosen, and why. It is the tree before any
    pruning.
    """
    screen, learning = screen_of(given), taken(LearnerOptions, given)
    options = taken(DataOptions, given)
    refuse_outputs(html, read=options.data)
    check_learner(learning)
    with Workspace() as workspace:
        data = read_training_table(workspace, options.data, options.table, screen)
        model = learner(learning, data, default="decision_tree")
    known = model.get_params(deep=False)
    if "trace" not in known:
        raise click.UsageError(
            f"{type(model).__name__} is no single tree: use --algorithm decision_tree, cart, c4.5 or id3."
        )
    if learning.pruner is None:  # what prunes by default need not be waited for
        model.set_params(**{name: None for name in ("pruner", "cv", "se") if name in known})
    with screen.progress("growing", known=False):
        model.set_params(trace=True).fit(data.X, data.y, data.weight)
    trace = _counted_from_one(model.trace_)
    if node is not None and not 0 <= node < len(trace):
        raise click.UsageError(f"--node {node}: the tree has the nodes 0 to {len(trace) - 1}.")
    most = {} if max_nodes is None else {"max_nodes": max_nodes or None}
    if html is not None:
        with whole_file(html) as beside:
            page = trace.to_html(**most) if node is None else trace[node]._repr_html_()
            beside.write_text(f"<!doctype html>\n<meta charset=utf-8>\n{page}\n", encoding="utf-8")
        screen.text(f"written to {html}")
    elif screen.shows_text:
        screen.text(trace.to_text(**most) if node is None else str(trace[node]))
    nodes = trace.to_dicts() if screen.as_json else []
    screen.result({"criterion": trace.criterion, "nodes": nodes if node is None else _only(nodes, node)})


def _only(nodes: list[dict[str, Any]], node: int) -> list[dict[str, Any]]:
    return [step for step in nodes if step["node"] == node]


def _counted_from_one(trace: Trace) -> Trace:
    """Count rows from 1, as the other commands do."""
    labels = trace.rows.labels
    return trace if labels is None else replace(trace, rows=replace(trace.rows, labels=labels + 1))
