"""Monotone constraints by their definition: after every split, any two leaves that must be in order are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from helpers.reference_missing import send, settled_default

if TYPE_CHECKING:
    from helpers.reference import Node, Reference
    from helpers.reference_search import Candidate


@dataclass(frozen=True)
class Reach:
    """The values of a feature that rows of a node may have: numbers in (low, high], codes, or none."""

    low: float = -inf
    high: float = inf
    codes: frozenset[int] | None = None
    missing: bool = True

    def meets(self, other: Reach) -> bool:
        """Whether a row of each may have the same value, or both none."""
        if self.missing and other.missing:
            return True
        if self.codes is None or other.codes is None:
            return max(self.low, other.low) < min(self.high, other.high)
        return bool(self.codes & other.codes)


Region = dict[int, Reach]


def narrowed(learner: Reference, node: Node, split: Candidate, branch: int) -> Region:
    """What rows may be like that take a branch of a node."""
    here = node.region.get(split.feature, Reach())
    missing = here.missing and split.default_branch == branch
    if split.table is None:
        assert split.threshold is not None
        low, high = (here.low, min(here.high, split.threshold)), (max(here.low, split.threshold), here.high)
        part = Reach(*(low, high)[branch], missing=missing)
    else:
        codes = range(learner.n_categories[split.feature]) if here.codes is None else here.codes
        taken = frozenset(c for c in codes if split.table.get(c, split.default_branch) == branch)
        part = Reach(codes=taken, missing=missing)
    return node.region | {split.feature: part}


def keeps_order(learner: Reference, node: Node, split: Candidate) -> bool:
    """Whether the tree stays monotone; a branch of categories is held to all that its node is held to."""
    split = replace(split, default_branch=settled_default(learner, node, split))
    parts = send(learner, node, split)
    branches = [learner.node(rows, 0, node, weights) for rows, weights in parts]
    for branch, child in enumerate(branches):
        child.region = node.region if split.table is not None else narrowed(learner, node, split, branch)
        held_to = [leaf for leaf in learner.leaves if leaf is not node]
        if not all(in_order(learner, child, leaf) for leaf in held_to if child.count):
            return False
    return split.table is not None or in_order(learner, branches[0], branches[1], split.feature)


def in_order(learner: Reference, first: Node, second: Node, by: int | None = None) -> bool:
    """Whether two leaves are in order for all rows that differ in one constrained feature alone."""
    assert learner.recipe.monotonic is not None
    for feature, sign in enumerate(learner.recipe.monotonic):
        if not sign or by not in (None, feature):
            continue
        if not all(
            first.region.get(other, Reach()).meets(second.region.get(other, Reach()))
            for other in {*first.region, *second.region} - {feature}
        ):
            continue
        one, two = (node.region.get(feature, Reach()) for node in (first, second))
        if not (one.low < one.high and two.low < two.high):
            continue  # only rows without the value come to one of them
        values = [learner.prediction(node) for node in (first, second)]
        below, above = values if one.high <= two.low else reversed(values)
        slack = 0.0 if learner.n_classes else 1e-12 * max(map(abs, values))
        if sign * below + learner.margin > sign * above + slack:
            return False
    return True
