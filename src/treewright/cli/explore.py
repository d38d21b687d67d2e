"""`treewright explore`: a model, or a table at once, as a page to look at, to prune and to edit."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.learners import learner
from treewright.cli.learning_options import LearnerOptions, learning_command
from treewright.cli.model_loading import open_model
from treewright.cli.options import DataOptions, screen_of, taken
from treewright.cli.outputs import refuse_other_than_page, refuse_outputs
from treewright.cli.screen import Screen
from treewright.cli.table_loading import read_judged, table_features
from treewright.files.workspace import Workspace
from treewright.fitting.training_table import read_training_table
from treewright.formatting.text import counted
from treewright.tree.model import TreeModel

if TYPE_CHECKING:
    from treewright.explorer.server import ExplorerServer, ForestServer

EPILOG = """\b
Examples:
  treewright explore iris.tw --data iris.csv
  treewright explore iris.tw --data iris.csv --validation new.csv --save edited.tw --log edits.jsonl
  treewright explore iris.csv --target species
  treewright explore iris.csv --target species --algorithm forest
  treewright explore iris.tw --data iris.csv --html iris.html"""


@learning_command(
    "explore",
    EPILOG,
    click.option("--data", "-d", multiple=True, metavar="FILE", help="The table that MODEL was made from."),
    click.option("--validation", multiple=True, metavar="FILE", help="A table that MODEL was not made from."),
    click.option("--html", metavar="FILE", help="Write one page that needs no network, and open nothing."),
    click.option("--save", "save_to", metavar="FILE", help="Where the edited model is saved on request."),
    click.option(
        "--log",
        "log_to",
        metavar="FILE",
        help="Write every edit there, a line of JSON each, and first do again what stands there.",
    ),
    click.option(
        "--port", type=click.IntRange(0, 65535), default=0, help="Where to listen. [default: a free port]"
    ),
    click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at."),
    click.option("--allow-remote", is_flag=True, help="Say that --host is meant to let other machines in."),
    click.option(
        "--idle-minutes", type=float, metavar="N", help="End when nobody asks for anything for so long."
    ),
    click.option("--no-browser", is_flag=True, help="Print the address and open no browser."),
    source=click.argument("source", metavar="MODEL|DATA"),
)
def command(source: str, html: str | None, save_to: str | None, log_to: str | None, **given: Any) -> None:
    """Look at a model in the browser, prune it, question it and edit it by hand.

    From a table it grows a tree on two thirds of the rows and judges it by the rest. The page is served to
    this machine only; Ctrl-C ends it. A forest is looked at, tree by tree, and not edited.
    """
    from treewright.explorer.local_server import refuse_taken
    from treewright.explorer.server import ExplorerServer, run

    screen = screen_of(given)
    tables = given["data"] if source.endswith(".tw") else [source]
    refuse_outputs(html, log_to, read=[source, *tables])
    refuse_outputs(save_to, read=tables)  # a model may be edited where it stands
    refuse_other_than_page(html)
    _check_host(given)
    if html is None:
        refuse_taken(given["host"], given["port"], given["allow_remote"])  # before long work
    edits = {"save_to": save_to, "log_to": log_to}
    explored = (
        _of_model(source, given | edits, screen)
        if source.endswith(".tw")
        else _of_table(source, given | edits, screen)
    )
    if not isinstance(explored, Forest):
        explored = _within_reach(explored, screen)
    title = Path(source).name
    if html is not None:
        explored.page(title=title).save(html)
        screen.text(f"saved to {html}")
        screen.result({"page": html})
        return
    with _listening(explored, edits, title, given) as server:
        done = getattr(server, "editor", explored).log if log_to else ()
        if done:
            screen.note(f"{counted(len(done), 'edit')} of {log_to} done again.")
        answers = sys.stderr if given["as_json"] else None
        run(server, open_browser=not given["no_browser"], answers=answers)
    screen.result({"edits": list(server.editor.log)} if isinstance(server, ExplorerServer) else {})


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest with its rows, to be looked at."""

    model: Any
    parts: list[tuple[Any, Any]]

    @property
    def validation(self) -> tuple[Any, Any] | None:
        """Rows that it was not grown on, if there are such."""
        return self.parts[1] if len(self.parts) > 1 else None

    def page(self, title: str) -> Any:
        """Give its page."""
        from treewright.explorer import explore

        return explore(self.model, *self.parts[0], validation=self.validation, title=title)


def _check_host(given: dict[str, Any]) -> None:
    if given["host"] not in ("127.0.0.1", "localhost", "::1") and not given["allow_remote"]:
        raise click.UsageError(
            f"--host {given['host']} lets other machines in: --allow-remote says that this is meant."
        )


def _within_reach(editor: Any, screen: Screen) -> Any:
    """Prune a tree that no browser could show, and say so."""
    small = editor.within_reach()
    if len(small.tree) < len(editor.tree):
        screen.note(f"the tree has {len(editor.tree)} nodes: it is shown pruned to {len(small.tree)}.")
    return small


def _listening(
    explored: Any, edits: dict[str, Any], title: str, given: dict[str, Any]
) -> ExplorerServer | ForestServer:
    """Start to listen."""
    from treewright.explorer.server import ExplorerServer, ForestServer

    listening = {name: given[name] for name in ("port", "host", "allow_remote", "idle_minutes")}
    if isinstance(explored, Forest):
        rows = explored.parts[0]
        return ForestServer(explored.model, *rows, validation=explored.validation, title=title, **listening)
    return ExplorerServer(explored, title=title, **edits, **listening)


def _refuse_edits(model: Any, given: dict[str, Any]) -> None:
    """A forest has no edits to save or to write down: say so before it is grown."""
    from treewright.explorer.forest_page_data import is_forest

    if is_forest(model) and (given["save_to"] or given["log_to"]):
        raise click.UsageError("a forest is looked at and not edited: --save and --log are for trees.")


def _of_model(source: str, given: dict[str, Any], screen: Screen) -> Any:
    """Read a model and the tables to explore it with."""
    from treewright.explorer import edit

    model = open_model(source)
    _refuse_edits(model, given)
    if not given["data"]:
        raise click.UsageError(
            "exploring needs rows: add --data FILE, the table that the model was made from."
        )
    parts = []
    for files in filter(None, (given["data"], given["validation"])):
        with Workspace() as workspace:
            table, target = read_judged(workspace, taken(DataOptions, given | {"data": files}), model, screen)
        parts.append((table_features(table, model), table[target]))
    if hasattr(model, "estimators_"):
        return Forest(model, parts)
    return edit(model, *parts[0], validation=parts[1] if len(parts) > 1 else None)


def _of_table(source: str, given: dict[str, Any], screen: Screen) -> Any:
    """Grow a tree on two thirds of a table's rows, to be judged by the others."""
    from treewright.data.folds import holdout_split
    from treewright.explorer import Editor, edit
    from treewright.growing.grow_tree import grow

    with Workspace() as workspace:
        options = taken(DataOptions, given | {"data": (source,)})
        data = read_training_table(workspace, options.data, options.table, screen)
    model = learner(taken(LearnerOptions, given), data, default="decision_tree")
    _refuse_edits(model, given)
    if not isinstance(model, TreeModel):
        fitted = model.fit(data.X, data.y, data.weight)
        if hasattr(fitted, "estimators_"):
            return Forest(fitted, [(data.X, data.y)])
        return edit(fitted, data.X, data.y)
    dataset = model._dataset(data.X, data.y, data.weight)
    growing, validation = holdout_split(dataset, 1 / 3, given["seed"])
    with screen.progress("growing", known=False):
        tree = grow(growing, model._recipe(dataset.schema), n_jobs=model.n_jobs)
    model._set_tree(tree)
    vars(model)["target_name_"] = data.target
    return Editor(tree, model, growing, validation)
