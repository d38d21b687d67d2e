"""Data of the page of a tree: nodes, splits, pruning path, statistics and rows, as JSON.

Arrays go as columns, by node; a split goes in the form that routes rows (by kind, as in ARCHITECTURE.md) and
in words. The page itself decides what is visible: it holds the whole tree and the step of the cost-complexity
path from which each node is a leaf.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import criteria
from treewright.data import Dataset
from treewright.data.columns import plain
from treewright.draw.labels import answer, question
from treewright.draw.visible_tree import infinities, read_rows
from treewright.errors import warn
from treewright.explain.region import cuts_by_feature
from treewright.explorer.beside import kind_of, trees_beside
from treewright.explorer.page_table import code_values, feature_content, rows_content
from treewright.explorer.programs import programs
from treewright.export.text import Writer
from treewright.formatting.colours import CLASS_COLOURS, SCALE
from treewright.formatting.text import printable
from treewright.growing.recipe import Recipe
from treewright.model_selection.validated_pruning import cross_validated_path
from treewright.pruning.cost_complexity import alphas_of, weakest_links
from treewright.pruning.losses import held_out_loss
from treewright.pruning.nested import LossSums, nested_errors, nested_losses
from treewright.pruning.path import PruningPath
from treewright.tree import Tree
from treewright.tree.decision import loss_name
from treewright.tree.equations import Equations
from treewright.tree.from_sklearn import tree_of
from treewright.tree.model import ProvenModel, TreeModel
from treewright.tree.splits import KINDS, THRESHOLD, Hyperplane, Sphere, Split, Table, Threshold, cuts_of

Array = NDArray[np.float64]
Json = dict[str, Any]

TREE_PARTS = ("tree", "splits", "held", "path", "programs")
"""What of a page's content an edit changes, see `tree_content`."""

MOST_NODES = 20_001
"""Larger trees are shown pruned by cost-complexity: nobody reads more, and browsers stop being quick."""

MOST_CATEGORIES = 12
"""Longer lists of categories are shortened in words; routing has them all."""


@dataclass(frozen=True, eq=False)
class Exploration:
    """A tree with the rows to explore it with.

    Without rows the page shows what the tree itself remembers of those that it was grown on.

    Attributes
    ----------
    tree : Tree
        The whole tree.
    training, validation : Dataset or None
        Rows that the tree was grown on, and rows that it was not.
    model : estimator or None
        Whose tree it is; it says how to grow further trees for cross-validation.
    beside : mapping of name to fitted model, or None
        Other models of the same table, to be shown beside it.
    described : dict
        Cuts of features by feature and threshold as the page has them, for trees that share many of them.
    """

    tree: Tree
    training: Dataset | None = None
    validation: Dataset | None = None
    model: Any = None
    beside: Mapping[str, Any] | None = None
    described: dict[tuple[int, float], Json] = field(default_factory=dict)

    @cached_property
    def cuts(self) -> dict[int, Array]:
        """The cuts that the tree makes of each feature's numbers, ascending."""
        return cuts_by_feature([self.tree])

    @cached_property
    def held(self) -> tuple[Array, Array] | None:
        """What each node has of the validation rows, and their loss if it were a leaf."""
        if self.validation is None:
            return None
        seen = self.tree.tally(self.validation)
        return seen, held_out_loss(self.tree, self.validation, seen=seen)

    def nested(self, leaf_from: Array, steps: Array) -> LossSums:
        """Sum up the validation rows' losses at each step of a pruning."""
        tree, rows, held = self.tree, self.validation, self.held
        assert rows is not None
        assert held is not None
        ends_once = bool((tree.default_branch[tree.n_children > 0] >= 0).all())
        if tree.is_classifier and tree.costs is None and rows.weight is None and ends_once:
            return nested_errors(tree, held[1], len(rows), leaf_from, steps)
        return nested_losses(tree, rows, leaf_from, steps)

    @property
    def judges(self) -> Dataset | None:
        """The rows that judge the tree: those that it was not grown on, if there are such."""
        return self.training if self.validation is None else self.validation

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        validation: tuple[Any, Any] | None = None,
        beside: Mapping[str, Any] | None = None,
    ) -> Exploration:
        """Read the rows for a model."""
        whole = tree_of(model)
        tree = small_enough(whole)
        if tree is not whole:
            warn(f"the tree has {len(whole)} nodes: the page shows it pruned to {len(tree)}.")
        return cls(
            tree,
            None if X is None and y is None else read_rows(tree, X, y, infinities(model)),
            None if validation is None else read_rows(tree, *validation, infinities(model)),
            model,
            beside,
        )


def content_of(explored: Exploration, *, cv: int | None, max_rows: int, title: str | None) -> Json:
    """Describe a tree and its rows for the page.

    Parameters
    ----------
    explored : Exploration
        What to show.
    cv : int or None
        Cross-validate the cost-complexity path in so many folds; None does not.
    max_rows : int
        How many rows go along, drawn at random; 0 leaves rows out.
    title : str or None
        The heading.
    """
    return frame_content(explored, max_rows, title) | tree_content(explored, cv) | _beside(explored)


def target_name(model: Any) -> str:
    """Name what a model predicts, as far as that is known."""
    return printable(str(getattr(model, "target_name_", None) or "target"))


def frame_content(explored: Exploration, max_rows: int, title: str | None) -> Json:
    """Describe what stays when another tree of these features takes the place of the one that is shown."""
    tree = explored.tree
    size, classes = Writer(tree, None, None, False, False).size(), tree.schema.classes
    return {
        "title": printable(size if title is None else title),
        "target": target_name(explored.model),
        "colours": {"classes": CLASS_COLOURS, "scale": SCALE},
        "classes": None if classes is None else [printable(str(plain(label))) for label in classes],
        "class_values": None if classes is None else code_values([plain(label) for label in classes]),
        "features": [feature_content(tree, place, explored) for place in range(len(tree.schema.columns))],
        "costs": None if tree.costs is None else tree.costs.tolist(),
        "rows": rows_content(explored, max_rows),
    }


def tree_content(explored: Exploration, cv: int | None) -> Json:
    """Describe the tree alone: what an edit changes of a page."""
    tree = explored.tree
    return {
        "tree": tree_columns(tree),
        "splits": _splits(explored),
        "held": _held(explored),
        "path": _path(explored, cv),
        "programs": programs(explored),
    }


def _beside(explored: Exploration) -> Json:
    """Describe how the tree was grown, other trees of the table, and what is proven of an optimal one."""
    tree, model, validation = explored.tree, explored.model, explored.validation
    others = trees_beside(model, tree, explored.training, explored.beside)
    content: Json = {"grown": _grown(tree, model), "loss": loss_name(tree, "errors")}
    content["beside"] = [
        {"name": name} | tree_content(Exploration(small_enough(other), None, validation), None)
        for name, other in others.items()
    ]
    if isinstance(model, ProvenModel):
        names = ("optimal_", "lower_bound_", "objective_", "alpha")
        content["proof"] = {name.rstrip("_"): plain(getattr(model, name)) for name in names}
    return content


def _grown(tree: Tree, model: Any) -> Json:
    """Say what kind of tree it is, by which impurity it was grown, and whether each category has a branch."""
    found: Json = {"name": kind_of(model), "multiway": bool((tree.n_children > 2).any())}
    if isinstance(model, TreeModel):
        recipe = model._recipe(tree.schema)
        criterion = recipe.criterion if isinstance(recipe.criterion, str) else ""
        found["impurity"] = criteria.NODE_IMPURITY.get(criterion, criterion)
        if isinstance(recipe, Recipe):
            found["multiway"] = "multiway" in recipe.splits
    return found


def tree_columns(tree: Tree) -> Json:
    """Give shape and statistics of all nodes, column by column."""
    names = ("parent", "default_branch", "count")
    columns: Json = {name: getattr(tree, name).tolist() for name in names}
    columns["weight"] = [int(weight) if weight == int(weight) else weight for weight in tree.weight.tolist()]
    columns |= {name: rounded(getattr(tree, name)) for name in ("impurity", "risk", "merit")}
    columns["value"] = rounded(tree.node_value.ravel())
    columns["label"] = tree.label.tolist() if tree.is_classifier else None
    columns["equations"] = None if tree.equations is None else _equations(tree, tree.equations)
    columns["observed"] = None if tree.observed is None else rounded(tree.observed.ravel())
    columns["overruled"] = np.flatnonzero(tree.overruled).tolist()
    columns["decided"] = None if tree.decided is None else np.flatnonzero(tree.decided >= 0).tolist()
    return columns


def _equations(tree: Tree, equations: Equations) -> Json:
    """Describe what every node of a tree with linear leaves says, as the page adds it up and in words."""
    nodes = range(len(tree))
    return {
        "constant": equations.constant.tolist(),
        "terms": [[list(entry) for entry in equations.entries(node)] for node in nodes],
        "fill": equations.fill.tolist(),
        "range": equations.range.tolist(),
        "start": equations.at_fill().tolist(),
        "gain": [_gains(equations, node) for node in nodes],
        "words": [equations.words(tree.schema, node, MOST_CATEGORIES) for node in nodes],
    }


def _gains(equations: Equations, node: int) -> list[list[float | int]]:
    gain = equations.gain_by_feature(np.array([node]))
    return [[feature, float(f"{gain[feature]:.9g}")] for feature in np.flatnonzero(gain).tolist()]


def rounded(numbers: Array) -> list[float | None]:
    """Write numbers that are only shown to nine digits, whole ones as such."""
    return [
        None
        if not math.isfinite(number)
        else int(number)
        if number == int(number)
        else float(f"{number:.9g}")
        for number in numbers.tolist()
    ]


# ---- splits ------------------------------------------------------------------------------------------------


def _splits(explored: Exploration) -> list[Json | None]:
    """Describe the splits of all nodes; plain cuts that were described before are so once more."""
    tree, known = explored.tree, explored.described
    begin, rivals = tree.split_begin.tolist(), tree.competitor_begin.tolist()
    kind, feature = tree.splits.kind.tolist(), tree.splits.feature.tolist()
    threshold = tree.splits.threshold.tolist()
    found: list[Json | None] = []
    for node, at in enumerate(begin[:-1]):
        if begin[node + 1] != at + 1 or kind[at] != THRESHOLD or rivals[node] != rivals[node + 1]:
            found.append(_split_at(tree, node))
            continue
        cut = feature[at], threshold[at]
        if cut not in known:
            known[cut] = split_json(tree, Threshold(*cut, tree.splits.reads_below))
        found.append(known[cut])
    return found


def _split_at(tree: Tree, node: int) -> Json | None:
    """Describe the split of a node with its surrogates and competitors; nothing at a leaf."""
    if tree.is_leaf(node):
        return None
    begin = int(tree.split_begin[node])
    entry = tree[node]
    assert entry.split is not None
    described = split_json(tree, entry.split)
    if entry.surrogates:
        scores = tree.splits.score[begin + 1 : int(tree.split_begin[node + 1])].tolist()
        described["surrogates"] = [
            split_json(tree, split) | {"words": _condition(tree, split), "score": score}
            for split, score in zip(entry.surrogates, scores, strict=True)
        ]
    if entry.competitors:
        rivals = slice(int(tree.competitor_begin[node]), int(tree.competitor_begin[node + 1]))
        described["competitors"] = [
            {"words": _condition(tree, split), "score": score}
            for split, score in zip(entry.competitors, tree.competitors.score[rivals].tolist(), strict=True)
        ]
    return described


def split_json(tree: Tree, split: Split) -> Json:
    """Describe a split: how it routes, and its answers in words."""
    schema = tree.schema
    words: Json = {
        "answers": [
            answer(split, schema, branch, max_categories=MOST_CATEGORIES)
            for branch in range(split.n_branches)
        ],
        "kind": KINDS[type(split)],
    }
    if isinstance(split, Hyperplane | Sphere):  # others ask for their feature
        words["question"] = question(split, schema)
    match split:
        case Threshold():
            cut = split.threshold if math.isfinite(split.threshold) else None
            return words | {"feature": split.feature, "threshold": cut}
        case Table():
            codes, branches = list(split.branches), list(split.branches.values())
            return words | {"feature": split.feature, "codes": codes, "branches": branches}
        case Hyperplane():
            routing = {"features": split.features, "weights": split.weights, "threshold": split.threshold}
            return words | routing
        case Sphere():
            routing = {"features": split.features, "centres": split.centres, "scales": split.scales}
            return words | {**routing, "threshold": split.threshold}
        case _:  # several cuts
            return words | {"feature": split.feature, "cuts": list(cuts_of(split))}


def _condition(tree: Tree, split: Split) -> str:
    if isinstance(split, Threshold) and math.isfinite(split.threshold):
        return f"{question(split, tree.schema)} {answer(split, tree.schema, 0)}"
    return split.condition(tree.schema, 0, max_categories=MOST_CATEGORIES)


# ---- pruning and validation --------------------------------------------------------------------------------


def _held(explored: Exploration) -> Json | None:
    """Count the validation rows at every node: class weights, or weight and mean; and what it costs them."""
    if explored.held is None:
        return None
    tree, tally, risk = explored.tree, explored.held[0], rounded(explored.held[1])
    if tree.is_classifier:
        return {"value": rounded(tally.ravel()), "weight": rounded(tally.sum(axis=1)), "risk": risk}
    mean = tree.node_value[0, 0] + tally[:, 1] / np.where(tally[:, 0] > 0, tally[:, 0], np.nan)
    return {"value": rounded(mean), "weight": rounded(tally[:, 0]), "risk": risk}


class Steps(NamedTuple):
    """The cost-complexity path as steps, the tree as it was grown first.

    Attributes
    ----------
    leaf_from : float array of n nodes
        The step from which each node is a leaf; infinite for those that never are.
    path : PruningPath
        The prunings, of which the first steps may cost nothing.
    extra : int
        1 if the tree as it was grown stands before the path, which begins with what is free to prune.
    """

    leaf_from: Array
    path: PruningPath
    extra: int

    @classmethod
    def of(cls, tree: Tree) -> Steps:
        """Find the steps of a tree."""
        links = weakest_links(tree)
        path = links.path()
        extra = int(path.leaves[0] < tree.n_leaves)
        return cls(links.steps() + extra, path, extra)

    def column(self, numbers: NDArray[Any] | None, first: float | None = None) -> list[float | None]:
        """Write an entry for each step; the tree as it was grown has that of the first, or its own."""
        entries = rounded(np.asarray(numbers, np.float64))
        return ([entries[0] if first is None else first] if self.extra else []) + entries


def small_enough(tree: Tree) -> Tree:
    """Give a tree that a browser can show: the tree, or its largest pruning of no more than `MOST_NODES`."""
    if len(tree) <= MOST_NODES:
        return tree
    steps = Steps.of(tree)
    first = int(np.argmax(steps.path.leaves <= MOST_NODES // 2))
    return tree.collapse(steps.leaf_from <= first + steps.extra)


def _path(explored: Exploration, cv: int | None) -> Json:
    """Describe the cost-complexity path: sizes, training loss, loss on other rows and its standard error."""
    tree, steps = explored.tree, Steps.of(explored.tree)
    path = steps.path
    described: Json = {
        "leaf_from": [None if math.isinf(step) else int(step) for step in steps.leaf_from.tolist()],
        "alpha": [0.0] * steps.extra + alphas_of(path).tolist(),
        "leaves": steps.column(path.leaves, tree.n_leaves),
        "training": steps.column(path.risk),
    }
    if explored.validation is not None:
        each = np.arange(len(path) + steps.extra, dtype=np.float64)
        sums = explored.nested(steps.leaf_from, each)
        described["validation"] = {"mean": rounded(sums.mean), "se": rounded(sums.se)}
    if cv is not None and explored.training is not None and isinstance(explored.model, TreeModel):
        folds = min(cv, len(explored.training))
        if folds >= 2:
            judged = cross_validated_path(explored.model, tree, explored.training, folds)
            means, errors = steps.column(judged.held_out), steps.column(judged.se)
            described["cross_validation"] = {"mean": means, "se": errors}
    return described
