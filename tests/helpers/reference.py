"""The executable specification: a slow learner that says in plain NumPy which tree must grow.

Nothing here is fast and nothing is shared with the core. In words:

*Rows.* Rows of weight zero are dropped. Weights multiply every sum; `min_samples_split` and
`min_samples_leaf` count rows.

*Candidates.* A numeric or ordinal feature is cut between neighbouring distinct known values a < b of the
node, at a/2 + b/2 (at a, if that rounds to b); `cut="observed"` takes the largest value of the whole column
up to there. Branch 0 takes x <= threshold. A categorical feature is split

- `multiway`: a branch for every category of its domain, empty ones included;
- `one_vs_rest`: branch 0 takes one category present in the node, branch 1 all others;
- `subset`: with two classes or a numeric target the categories present are put in order of their share of
  class 1 or mean target (then of code) and cut like numbers, the low side being branch 0 (for absolute error,
  which no order serves exactly, first in order of their medians, then of their means); with more classes
  every one of the 2^(k-1) - 1 subsets is tried (k <= 12), the first category present going to branch 0.
  `category_order="once"` (and `"auto"` beyond 256 categories) keeps the order of the whole table's shares or
  means at every node; what that is for more than two classes is not said here.

A number may also be split

- `interval`: into as many parts as `reference_forms` finds, by `interval_cuts` or `step_cuts`;
- `median`: if it is the widest (largest less smallest known value, the first of equals) that may be cut, at
  the cut that comes nearest to halving the weight of the known rows.

These stand after the candidates of all single features. Hyperplanes and spheres are searched for by chance
and have no reference.

A branch needs `min_samples_leaf` rows, the least weight of a leaf, and more than 1e-13 of the node's weight,
which is what sums of weights may lose; of a multiway split two branches do.

*Merit.* The decrease of impurity per unit of node weight, or what `merit` below has for the other criteria.
Merits that differ by less than 1e-11 of the node's `scale` are equal. Of the candidates of a feature that
equal the one of most merit the first is its best (`ties="first"`), or the last (`"last"`); missing values on
the right come before those on the left, and then lower cuts before higher ones. Of the best of all features
the one to split by is chosen in the same way.

*Missing values.* `available`: a feature is judged on the rows that know it and its merit is multiplied by
their share of the node's weight; the others then follow the heaviest branch, the first of equals.
`direction`: the rows with a missing value are tried on the right of every split, then as a branch of their
own (threshold +inf: known | missing), then on the left; where no row lacks the feature, later ones follow the
branch with more rows, the right one of equals. At a multiway split and at intervals they join the heaviest
branch under either policy. The other policies are in `reference_missing`.

*Stopping.* A node is a leaf if it is pure, at `max_depth`, smaller than `min_samples_split`, without a
candidate, or if its best merit is not above `min_merit` or lowers the impurity of the whole tree by less than
`min_impurity_decrease`: by the merit itself or, where a criterion scores splits only, by the decrease of the
node's impurity, times the node's share of the weight. Splits of merit zero are taken.

`complexity` asks for as much decrease for each branch. Growing ends when the tree's risk is no more than
`bayes_risk + risk_threshold` of its weight.

*Constraints.* Under `monotonic` a node predicts its value, or the mean code of its classes. A split is made
only if the tree is monotone after it (`reference_monotone`); nodes are split level by level. Under
`interaction` a node may use the features of the groups that hold all features above it. `feature_costs`
divide the merits that are compared.

*Functions.* A criterion may be a function of the node's statistics (class weights, or weight, sum and sum of
squares) and those of the branches; equal merits are judged by what it gives for the largest class, or the
numbers up to the mean, against the rest.

*Order.* The frontier gives up its newest node first (depth_first; of one parent's branches the first), its
oldest (breadth_first), or the one whose split lowers the impurity of the whole tree most (best_first). A
split that would exceed `max_leaf_nodes` or `max_nodes` is not made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np

from helpers.reference_criteria import Array, impurity, merit, statistics, weighted_median
from helpers.reference_missing import send, settled_default
from helpers.reference_monotone import Region, keeps_order, narrowed
from helpers.reference_search import EQUAL, Candidate, Rows, Search

if TYPE_CHECKING:
    from treewright.data import Dataset
    from treewright.growing.recipe import Recipe


@dataclass
class Node:
    """A node with its statistics as if it were a leaf; `branches` is empty at leaves."""

    rows: Rows
    weights: Array
    depth: int
    count: int
    weight: float
    value: Array
    impurity: float
    risk: float
    split: Candidate | None = None
    branches: list[Node] = field(default_factory=list)
    region: Region = field(default_factory=dict)
    used: frozenset[int] = frozenset()


def scale(criterion: str, node: Node) -> float:
    """The size of merits at a node, by which ties are judged."""
    if criterion == "chi_square":
        return node.weight
    return 1.0 if criterion in ("gain_ratio", "twoing", "hellinger") else node.impurity


class Reference:
    """Grows the tree a recipe asks for, and knows every candidate of every node."""

    def __init__(self, dataset: Dataset, recipe: Recipe) -> None:
        schema, n = dataset.schema, len(dataset)
        weight = np.ones(n) if dataset.weight is None else dataset.weight
        self.recipe, self.weight, self.target = recipe, weight, np.asarray(dataset.target, dtype=float)
        self.n_classes = 0 if schema.classes is None else len(schema.classes)
        self.n_categories = [int(k) for k in schema.n_categories]
        self.x = [self._column(dataset, feature) for feature in range(len(schema.columns))]
        given = [recipe.missing] * len(self.x) if isinstance(recipe.missing, str) else recipe.missing
        ignored = [np.isnan(x) for x, policy in zip(self.x, given, strict=True) if policy == "ignore"]
        self.rows = (
            np.flatnonzero((weight > 0) & ~np.any(ignored, axis=0)) if ignored else np.flatnonzero(weight)
        )
        self.policies = [self._policy(feature, policy) for feature, policy in enumerate(given)]
        self.total = float(weight[self.rows].sum())
        self.least_rows = as_rows(recipe.min_samples_leaf, len(self.rows))
        self.least_rows_to_split = max(as_rows(recipe.min_samples_split, len(self.rows)), 2)
        self.least_weight = recipe.min_weight_fraction_leaf * self.total
        # Sums of weights are rounded: classes keep a distance from each other, numbers are put right after.
        unit = 2.0 ** (np.floor(np.log2(len(weight) * weight.max())) - 35)
        self.margin = 0.0 if not self.n_classes or (weight % unit == 0).all() else 1e-12
        self.leaves: list[Node] = []
        self.least_weight_to_split = 0.0
        self.lightest = float(weight[self.rows].min())
        if "fractional" in self.policies:  # limits on rows are limits on weight too
            lightest = self.lightest * (1 - 1e-9)
            self.least_weight = max(self.least_weight, self.least_rows * lightest)
            self.least_weight_to_split = max(self.least_rows_to_split * lightest, 2 * self.least_weight)

    def _policy(self, feature: int, given: str) -> str:
        """A policy as the searches below know it."""
        own_branch = self.n_categories[feature] and "multiway" in self.recipe.splits
        plain = {"ignore": "available", "error": "direction", "value": "value" if own_branch else "direction"}
        return plain.get(given, given)

    def n_codes(self, feature: int) -> int:
        """Categories of a feature, one more if a missing one counts as such."""
        extra = self.policies[feature] == "value" and bool(np.isnan(self.x[feature][self.rows]).any())
        return self.n_categories[feature] + extra

    def _column(self, dataset: Dataset, feature: int) -> Array:
        """A feature as floats, missing as NaN, categories as their codes."""
        position = dataset.schema.position[feature]
        if not self.n_categories[feature]:
            return dataset.numbers[:, position]
        codes = dataset.codes[:, position].astype(float)
        return np.where(codes < 0, np.nan, codes)

    def orders_once(self, feature: int) -> bool:
        """Whether the categories keep one order throughout the tree."""
        many = self.n_categories[feature] > 256
        return self.recipe.category_order == "once" or (self.recipe.category_order == "auto" and many)

    def overall_means(self, feature: int) -> Array:
        """Mean target of each category, which for classes 0 and 1 is the share of class 1, over all rows."""
        code, weight = self.x[feature][self.rows], self.weight[self.rows]
        known = ~np.isnan(code)
        code, weight, n = code[known].astype(int), weight[known], self.n_categories[feature]
        total = np.bincount(code, weight * self.target[self.rows][known], minlength=n)
        size = np.bincount(code, weight, minlength=n)
        return total / np.where(size > 0, size, 1)

    def grow(self) -> Node:
        """The whole tree."""
        recipe = self.recipe
        root = self.node(self.rows, 0)
        self.leaves = [root]
        frontier = [(root, self.best(root))]
        n_leaves = n_nodes = 1
        risk, enough = root.risk, -1.0
        if recipe.risk_threshold is not None:
            enough = (recipe.bayes_risk + recipe.risk_threshold) * root.weight
        while frontier and risk > enough:
            node, split = frontier.pop(self._next(frontier))
            if recipe.monotonic is not None:
                split = self.best(node)  # the leaves have changed since
            if split is None:
                continue
            n_leaves, n_nodes = n_leaves + split.n_branches - 1, n_nodes + split.n_branches
            if n_leaves > (recipe.max_leaf_nodes or inf) or n_nodes > (recipe.max_nodes or inf):
                n_leaves, n_nodes = n_leaves - split.n_branches + 1, n_nodes - split.n_branches
                continue
            node.split = split
            node.branches = [
                self.node(rows, node.depth + 1, node, weights) for rows, weights in send(self, node, split)
            ]
            for branch, child in enumerate(node.branches):
                child.used = node.used | {split.feature}
                if recipe.monotonic is not None:
                    child.region = narrowed(self, node, split, branch)
            self.leaves = [leaf for leaf in self.leaves if leaf is not node] + node.branches
            risk += sum(child.risk for child in node.branches) - node.risk
            fresh = [(child, self.best(child)) for child in node.branches]
            by_depth = recipe.order == "depth_first" and recipe.monotonic is None
            frontier += fresh[::-1] if by_depth else fresh
        return root

    def prediction(self, node: Node) -> float:
        """The number that monotone constraints speak of."""
        if not self.n_classes:
            return float(node.value[0])
        return float(node.value @ np.arange(self.n_classes) / node.value.sum())

    def allowed(self, node: Node, feature: int) -> bool:
        """Whether a feature may be used below those used above the node."""
        groups = self.recipe.interaction or (range(len(self.x)),)
        return any({feature, *node.used} <= set(group) for group in groups)

    def scale(self, node: Node) -> float:
        """The size of merits at a node, by which ties are judged."""
        criterion = self.recipe.criterion
        if not callable(criterion):
            return scale(criterion, node)
        y, w = self.target[node.rows], self.weight[node.rows]
        lines = statistics(criterion, y, w, self.n_classes)
        part = y == node.value.argmax() if self.n_classes else y <= np.average(y, weights=w)
        return abs(float(merit(criterion, np.stack([lines[part].sum(0), lines[~part].sum(0)])[None], y)[0]))

    def _next(self, frontier: list[tuple[Node, Candidate | None]]) -> int:
        if self.recipe.order == "breadth_first" or self.recipe.monotonic is not None:
            return 0
        if self.recipe.order == "depth_first":
            return len(frontier) - 1
        worth = [-inf if split is None else self.decrease(node, split) for node, split in frontier]
        return worth.index(max(worth))

    def node(self, rows: Rows, depth: int, parent: Node | None = None, weights: Array = None) -> Node:
        """The statistics of a node; an empty one predicts what its parent would."""
        w = self.weight[rows] if weights is None else weights
        y, criterion = self.target[rows], self.recipe.criterion
        if len(rows) == 0:
            assert parent is not None
            return Node(rows, w, depth, 0, 0.0, parent.value, 0.0, 0.0)
        table = statistics(criterion, y, w, self.n_classes).sum(axis=0)
        pure = y.min() == y.max()
        level = 0.0 if pure else float(impurity(criterion, table[None], np.unique(y))[0])
        if self.n_classes:
            value, risk = table, float(table.sum() - table.max())
        else:
            centre = weighted_median(y, w) if criterion == "absolute_error" else np.average(y, weights=w)
            value, risk = np.array([centre]), level * float(w.sum())
        return Node(rows, w, depth, len(rows), float(w.sum()), value, level, risk)

    def best(self, node: Node) -> Candidate | None:
        """The split the node must make, or None if it must be a leaf."""
        recipe = self.recipe
        if len(node.rows) < self.least_rows_to_split or node.weight < self.least_weight_to_split:
            return None
        if node.depth >= (recipe.max_depth or inf):
            return None
        if np.ptp(self.target[node.rows]) == 0:
            return None
        by_feature = groupby(self.candidates(node), lambda candidate: candidate.feature)
        best_of_each = [self.best_of(node, list(group)) for _, group in by_feature]
        if not best_of_each:
            return None
        best = self.settled(node, self.best_of(node, best_of_each, recipe.feature_costs))
        if best.merit <= recipe.min_merit:
            return None
        least = max(recipe.min_impurity_decrease, recipe.complexity * best.n_branches)
        # 0 asks for nothing, not even of the rounding
        return None if least > 0 and self.decrease(node, best) + np.finfo(float).eps < least else best

    def best_of(
        self, node: Node, candidates: list[Candidate], prices: Sequence[float] | None = None
    ) -> Candidate:
        """The first, or last, of the candidates that equal the one of most merit (for its price)."""
        worth = [c.merit / (prices[c.feature] if prices else 1.0) for c in candidates]
        equal = [w >= max(worth) - EQUAL * self.scale(node) for w in worth]
        return candidates[max(np.flatnonzero(equal)) if self.recipe.ties == "last" else equal.index(True)]

    def settled(self, node: Node, split: Candidate) -> Candidate:
        """The split as it is kept: where rows without the value go, and no category that stands for them."""
        split = replace(split, default_branch=settled_default(self, node, split))
        extra = self.n_categories[split.feature]
        if self.policies[split.feature] != "value" or split.table is None or extra not in split.table:
            return split
        table = dict(split.table)
        return replace(split, default_branch=table.pop(extra), table=table)

    def decrease(self, node: Node, split: Candidate) -> float:
        """By how much a split lowers the impurity of the whole tree."""
        merit = split.merit
        names = ("gain_ratio", "twoing", "chi_square", "hellinger")
        if callable(self.recipe.criterion) or self.recipe.criterion in names:
            parts = [self.node(rows, 0, node, weights) for rows, weights in send(self, node, split)]
            merit = node.impurity - sum(part.weight * part.impurity for part in parts) / node.weight
        return node.weight / self.total * merit

    def candidates(self, node: Node) -> Iterator[Candidate]:
        """All splits the node may make."""
        for candidate in self.all_candidates(node):
            if self.recipe.monotonic is None or keeps_order(self, node, candidate):
                yield candidate

    def all_candidates(self, node: Node) -> Iterator[Candidate]:
        """Splits by feature, then from the lowest cut up."""
        for feature in filter(lambda feature: self.allowed(node, feature), range(len(self.x))):
            search = Search(self, node, feature)
            if not self.n_categories[feature]:
                if "threshold" in self.recipe.splits:
                    yield from search.thresholds()
                continue
            for name in self.recipe.splits:
                if name in ("subset", "multiway", "one_vs_rest"):
                    yield from getattr(search, name)()
        numeric = [Search(self, node, f) for f in range(len(self.x)) if not self.n_categories[f]]
        if "interval" in self.recipe.splits:
            for search in numeric:
                yield from search.intervals()
        if "median" in self.recipe.splits:
            widest = sorted(
                numeric, key=lambda search: -float(np.ptp(search.values)) if len(search.values) else inf
            )
            yield from next(filter(None, ([*search.median()] for search in widest)), [])


def as_rows(limit: int | float, n_rows: int) -> int:
    """A limit given as a count or as a share of the rows, as a count."""
    return limit if isinstance(limit, int) else ceil(limit * n_rows)
