"""`treewright show`: a model as text, or one of its nodes in full."""

from __future__ import annotations

from typing import Any

import click

from treewright.cli.model_loading import open_to_read
from treewright.cli.options import model_argument, screen_of, screen_options
from treewright.cli.screen import Screen
from treewright.data.columns import plain
from treewright.fitting.report import (
    importance_section,
    kind_name,
    ruleset_of,
    title_of,
    tree_text,
)
from treewright.formatting.text import figure, quoted
from treewright.tree.decision import loss_name
from treewright.tree.splits import features_of

EPILOG = """\b
Examples:
  treewright show iris.tw
  treewright show iris.tw --depth 2
  treewright show iris.tw --node 4"""


@click.command("show", epilog=EPILOG)
@model_argument
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Show no deeper levels.")
@click.option("--missing", is_flag=True, help="Mark the branches that missing values take.")
@click.option("--node", type=int, metavar="ID", help="Show one node with its competitors and surrogates.")
@click.option("--tree", "member", type=int, metavar="N", help="Which tree of a forest. [default: the first]")
@screen_options
def command(model: str, depth: int | None, node: int | None, member: int | None, **given: Any) -> None:
    """Print a model, or one node of it in full.

    Nodes are numbered from 0, the root, a node before its branches and all of a branch before the next;
    --json shows all of them.
    """
    screen = screen_of(given)
    fitted = open_to_read(model)
    ruleset = ruleset_of(fitted)
    if ruleset is not None:
        screen.text(str(ruleset))
        screen.result({"kind": type(fitted).__name__, "rules": ruleset.to_dict()})
        return
    tree = _tree(fitted, member)
    if node is None:
        screen.text(title_of(fitted) + target_text(fitted), bold=True)
        screen.text(tree_text(tree, tree.depth if depth is None else depth, missing=given["missing"]))
        shares = importance_section(fitted)
        if shares is not None:
            screen.section(shares)
        card = getattr(fitted, "card_", None)
        if card is not None:
            screen.text(f"\n{card}")
        edits = getattr(fitted, "edits_", ())
        if edits:
            screen.text(f"edited by hand: {', '.join(map(_edit_text, edits))}")
        known = ({"edits": list(edits)} if edits else {}) | ({"card": card.to_dict()} if card else {})
        screen.result({"kind": kind_name(fitted), "tree": tree.to_dict(), **known})
        return
    if not 0 <= node < len(tree):
        raise click.UsageError(f"--node {node}: the tree has the nodes 0 to {len(tree) - 1}.")
    show_node(tree, node, screen)
    screen.result(node_dict(tree, node))


def _edit_text(entry: dict[str, Any]) -> str:
    """Say what an edit did, and where."""
    return f"{entry['edit']} {entry['node']}" if "node" in entry else str(entry["edit"])


def _tree(model: Any, member: int | None) -> Any:
    if hasattr(model, "tree_"):
        return model.tree_
    trees = model.estimators_
    if not 0 <= (member or 0) < len(trees):
        raise click.UsageError(f"--tree {member}: the forest has the trees 0 to {len(trees) - 1}.")
    chosen = trees[member or 0]
    return getattr(chosen, "tree_", chosen)


def target_text(model: Any) -> str:
    """Say what a model predicts, if it knows."""
    name = getattr(model, "target_name_", None)
    return f"; predicts {name}" if name else ""


def path_conditions(tree: Any, node: int) -> list[str]:
    """List the conditions that lead from the root to a node."""
    conditions: list[str] = []
    while node:
        parent = int(tree.parent[node])
        split = tree[parent].split
        conditions.append(split.condition(tree.schema, int(tree.branch[node])))
        node = parent
    return conditions[::-1]


def show_node(tree: Any, node: int, screen: Screen) -> None:
    """Show all that a tree knows of one of its nodes."""
    view = tree[node]
    screen.text(f"node {node}, {'a leaf' if view.is_leaf else 'a split'} at depth {view.depth}", bold=True)
    screen.text("rows where " + (" and ".join(path_conditions(tree, node)) or "nothing is asked yet"))
    figures = [
        ("rows", str(view.count)),
        ("weight", figure(view.weight)),
        ("impurity", figure(view.impurity)),
        (f"{loss_name(tree, 'errors')} as a leaf", figure(view.risk)),
        ("predicts", prediction_text(tree, node)),
    ]
    if tree.schema.classes is not None:
        figures += [
            (f"of class {quoted(str(plain(label)))}", figure(weight))
            for label, weight in zip(tree.schema.classes, view.value.tolist(), strict=True)
        ]
    screen.table(["", ""], figures)
    if view.is_leaf:
        return
    screen.title("Its split")
    rows = [
        [
            view.split.condition(tree.schema, branch),
            str(child),
            str(tree[child].count),
            prediction_text(tree, child),
        ]
        for branch, child in enumerate(view.children)
    ]
    screen.table(["branch", "node", "rows", "predicts"], rows)
    screen.text(f"gain {figure(view.merit)}; a row without the value {_default(view)}")
    agreements = {"agreement": view.agreements, "adjusted": view.adjusted_agreements}
    _show_splits(screen, tree, "Surrogates, by agreement", view.surrogates, agreements)
    left_out = without_surrogate(tree, node)
    if view.surrogates and left_out:
        screen.text(
            f"left out: {', '.join(left_out)} (no better than following the larger branch, fewer than two "
            "rows one way, or beyond max_surrogates)"
        )
    _show_splits(screen, tree, "Competitors, by gain", view.competitors, {"gain": view.competitor_merits})


def _default(view: Any) -> str:
    if view.default_branch == -1:
        return "goes down every branch with its share"
    if view.default_branch == -2:
        return "stays here"
    return f"goes to node {view.children[view.default_branch]}"


def _show_splits(
    screen: Screen, tree: Any, title: str, splits: list[Any], figures: dict[str, list[float]]
) -> None:
    if not splits:
        return
    screen.title(title)
    columns = [[split.condition(tree.schema, 0) for split in splits]]
    columns += [[figure(value) for value in column] for column in figures.values() if column]
    names = [name for name, column in figures.items() if column]
    screen.table(["split", *names], [list(row) for row in zip(*columns, strict=True)])


def without_surrogate(tree: Any, node: int) -> list[str]:
    """Name the features that a node neither splits on nor has a surrogate of."""
    view = tree[node]
    used = {feature for split in (view.split, *view.surrogates) for feature in features_of(split)}
    return [name for feature, name in enumerate(tree.schema.names) if feature not in used]


def prediction_text(tree: Any, node: int) -> str:
    """Say what a node predicts."""
    if tree.schema.classes is None:
        return figure(float(tree.node_value[node, 0]))
    return quoted(str(plain(tree.schema.classes[int(tree.label[node])])))


def node_dict(tree: Any, node: int) -> dict[str, Any]:
    """Describe a node by plain values."""
    view = tree[node]
    described: dict[str, Any] = {
        "node": node,
        "depth": view.depth,
        "path": path_conditions(tree, node),
        "count": view.count,
        "weight": view.weight,
        "impurity": view.impurity,
        "risk": view.risk,
        "value": view.value.tolist(),
        "prediction": prediction_text(tree, node),
    }
    if view.is_leaf:
        return described
    return described | {
        "merit": view.merit,
        "split": view.split.to_dict(tree.schema),
        "branches": list(view.children),
        "left_out_of_surrogates": without_surrogate(tree, node) if view.surrogates else [],
        "surrogates": [split.to_dict(tree.schema) for split in view.surrogates],
        "competitors": [split.to_dict(tree.schema) for split in view.competitors],
    }
