"""Trace: the computations at each node: counts, impurities, the gain of every candidate split.

At every node stand the best candidate of each feature with its table of counts, what the branches'
impurities come to, the gain, the split's own information and the gain ratio (Quinlan, 1986), and which was
taken and why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, fsum, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, criteria
from treewright.data import Dataset
from treewright.data.columns import plain, value_text
from treewright.data.functions import function_name
from treewright.formatting.text import counted, number_text
from treewright.growing.grow_tree import grow
from treewright.growing.recipe import AnyRecipe, ProgramRecipe, Recipe
from treewright.parameter_types import is_whole
from treewright.trace.cuts import cut_gains
from treewright.trace.records import Branch, Candidate, NodeTrace, Record
from treewright.tree import Tree
from treewright.tree.routing import place
from treewright.tree.splits import UNANSWERED, Split, Threshold, branch_of, features_of

Array = NDArray[np.float64]


LEFT_OUT = ("available", "fractional", "surrogate")
"""Policies by which rows without the value gain nothing: a split counts for the share of the others."""

EQUAL = 1e-9
"""Gains nearer than this share of the larger are called equal."""


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """How a tree was grown: the candidates and the choice at every node, worked out when it is read.

    Parameters
    ----------
    tree : Tree
        As it was grown, with a competitor for each other feature.
    rows : Dataset
        What it was grown on.
    recipe : Recipe or ProgramRecipe
        How.

    Examples
    --------
    >>> from treewright import ID3Classifier, datasets
    >>> trace = ID3Classifier(trace=True).fit(*datasets.load_tennis()).trace_
    >>> root = trace[0]
    >>> [(c.feature, round(c.gain, 3)) for c in root.candidates]
    [('Outlook', 0.247), ('Temperature', 0.029), ('Humidity', 0.152), ('Wind', 0.048)]
    >>> print(root.decision, "because", root.reason)
    split on Outlook because its gain of 0.247 is the largest, before Humidity with 0.152
    """

    tree: Tree
    rows: Dataset
    recipe: AnyRecipe

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, node: int) -> NodeTrace:
        node = range(len(self.tree))[node]
        rows = self._rows_of(node)
        splits = self._splits_of(node)
        candidates = tuple(self._candidate(split, merit, taken, rows) for split, merit, taken in splits)
        decision, reason = self._decision(node, candidates)
        offered = {getattr(split, "feature", -1) for split, _, _ in splits}
        names = self.tree.schema.names
        counts, weight, value, impurity = self._describe(rows)
        return NodeTrace(
            node,
            int(self.tree.node_depth[node]),
            self._path(node),
            counts,
            weight,
            value,
            impurity,
            candidates,
            tuple(name for feature, name in enumerate(names) if feature not in offered),
            decision,
            reason,
            self,
        )

    def __iter__(self) -> Iterator[NodeTrace]:
        return (self[node] for node in self.tree.walk())

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give the steps as plain values, a dictionary for each node, parents before their children.

        Examples
        --------
        >>> from treewright import ID3Classifier, datasets
        >>> trace = ID3Classifier(trace=True).fit(*datasets.load_mushrooms()).trace_
        >>> trace.to_dicts()[0]["candidates"][0]["branches"][0]["counts"]
        {'toxic': 1.0, 'edible': 1.0}
        """
        from treewright.trace.text import trace_to_dicts

        return trace_to_dicts(self)

    def to_text(self, *, max_nodes: int | None = 200) -> str:
        """Write the steps as a lecture writes them on the board; of long ones the first `max_nodes`.

        Examples
        --------
        >>> from treewright import ID3Classifier, datasets
        >>> trace = ID3Classifier(trace=True).fit(*datasets.load_mushrooms()).trace_
        >>> print(trace.to_text(max_nodes=1).splitlines()[-1])
        … 5 nodes more: max_nodes=None shows all
        """
        from treewright.trace.text import trace_to_text

        return trace_to_text(self, max_nodes=max_nodes)

    def to_html(self, *, max_nodes: int | None = 200) -> str:
        """Write the steps as HTML that stands alone, a part that opens and closes for each node."""
        from treewright.trace.html import trace_to_html

        return trace_to_html(self, max_nodes=max_nodes)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Trace({counted(len(self), 'node')})"

    # ---- names ---------------------------------------------------------------------------------------

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes, as counts name them; none for regression."""
        classes = self.tree.schema.classes
        return () if classes is None else tuple(str(plain(label)) for label in classes)

    @property
    def criterion(self) -> str:
        """The name of the criterion."""
        given = self.recipe.criterion
        return function_name(given) if callable(given) else given

    @property
    def impurity_name(self) -> str:
        """The impurity that nodes are described by: that of the criterion, or of its nearest relative."""
        if callable(self.recipe.criterion):
            return "gini" if self.tree.is_classifier else "squared_error"
        return criteria.NODE_IMPURITY.get(self.criterion, self.criterion)

    @property
    def value_name(self) -> str:
        """What nodes of a regression tree predict."""
        return "median" if self.impurity_name == "absolute_error" else "mean"

    @property
    def merit_name(self) -> str:
        """What the learner compares."""
        if isinstance(self.recipe, ProgramRecipe):
            return self.recipe.merit_name
        if self.criterion == "gain_ratio":
            return "gain ratio"
        return "gain" if self.criterion == self.impurity_name else self.criterion

    @property
    def shows_expected(self) -> bool:
        """Whether independence of branch and class is what splits are judged by, so that it is shown."""
        tested = isinstance(self.recipe, Recipe) and self.recipe.significance is not None
        return bool(self.class_names) and (tested or self.criterion == "chi_square")

    # ---- rows ----------------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], Array, NDArray[np.int64], NDArray[np.int64]]:
        """Rows and their weights in the order of their leaves, and where those of each node begin and end."""
        tree, parts = self.tree, place(self.tree, self.rows)
        end_of = np.arange(1, len(tree) + 1)  # the first node that is no longer below each
        for node in reversed(range(1, len(tree))):
            end_of[tree.parent[node]] = max(end_of[tree.parent[node]], end_of[node])
        order = np.argsort(parts.node, kind="stable")
        begin = np.searchsorted(parts.node[order], np.arange(len(tree)))
        end = np.searchsorted(parts.node[order], end_of)
        return parts.row[order], parts.weight[order], begin, end

    def _rows_of(self, node: int) -> Dataset:
        row, weight, begin, end = self._order
        here = slice(begin[node], end[node])
        factor = self._class_factor
        taken = self.rows.take(row[here])
        own = weight[here]
        if factor is not None and taken.target is not None:
            own = own * factor[taken.target]
        return taken.weighted(own)

    @cached_property
    def _class_factor(self) -> Array | None:
        from treewright.growing.grow_tree import class_factor

        return class_factor(self.rows, self.recipe)

    @property
    def _factor(self) -> float:
        return self.recipe.impurity_factor if isinstance(self.recipe, ProgramRecipe) else 1.0

    def _describe(
        self, rows: Dataset, share: Array | None = None
    ) -> tuple[tuple[float, ...], float, float | None, float]:
        """Counts, weight, value and impurity of rows, or of a share of each."""
        assert rows.target is not None
        assert rows.weight is not None
        target, weight = rows.target, rows.weight
        if share is not None:
            target, weight = target[share > 0], (share * weight)[share > 0]
        total = float(weight.sum())
        if self.tree.is_classifier:
            counts = np.bincount(target, weight, minlength=len(self.class_names))
            return tuple(counts.tolist()), total, None, criteria.impurity(self.impurity_name, counts)
        if total <= 0:
            return (0.0,), 0.0, None, 0.0
        value = criteria.node_value(self.impurity_name, target, weight)
        is_even = not (target != target[0]).any()
        impurity = 0.0 if is_even else criteria.impurity(self.impurity_name, target, weight)
        return (total,), total, value, self._factor * impurity

    def records_of(self, node: int) -> tuple[Record, ...]:
        """Give the rows of a node, in their order, each with its values in words."""
        row, weight, begin, end = self._order
        parts = slice(begin[node], end[node])
        here, which = np.unique(row[parts], return_inverse=True)  # a row may come in several parts
        share = np.bincount(which, weight[parts], minlength=len(here))
        rows = self.rows.take(here)
        assert rows.target is not None
        columns = [
            [value_text(column, value) for value in rows.values(feature).tolist()]
            for feature, column in enumerate(self.tree.schema.columns)
        ]
        names, labels = self.class_names, here if rows.labels is None else rows.labels
        targets = [names[code] if names else number_text(code) for code in rows.target.tolist()]
        values = zip(*columns, strict=True)
        return tuple(map(Record, labels.tolist(), values, targets, share.tolist()))

    # ---- candidates ----------------------------------------------------------------------------------

    def _splits_of(self, node: int) -> list[tuple[Split, float, bool]]:
        """The candidates of a node by feature, with what they are compared by, and which was taken."""
        tree = self.tree
        if tree.is_leaf(node):
            tree, node = self._stump(node), 0
            if len(tree) == 1:
                return []
            taken = False
        else:
            taken = True
        begin, end = tree.competitor_begin[node], tree.competitor_begin[node + 1]
        first = int(tree.split_begin[node])
        splits = [(tree.splits.split(first, int(tree.n_children[node])), float(tree.merit[node]), taken)]
        splits += [
            (tree.competitors.split(at), float(tree.competitors.score[at]), False) for at in range(begin, end)
        ]
        return sorted(splits, key=lambda split: getattr(split[0], "feature", -1))

    def _stump(self, leaf: int) -> Tree:
        """What a leaf had to choose from, whatever kept it from doing so."""
        rows = self._rows_of(leaf)
        if len(rows) < 2 or self.tree.impurity[leaf] == 0:
            return self.tree.collapse([0])
        return grow(rows, _without_limits(self.recipe), n_jobs=1, warn_of_odd=False)

    def _candidate(self, split: Split, merit: float, taken: bool, rows: Dataset) -> Candidate:
        way = _way_of(split, rows)
        assert rows.weight is not None
        unanswered = float(rows.weight[way < 0].sum())
        policy = self._policy_of(split)
        branches = tuple(
            Branch(
                split.condition(self.tree.schema, branch),
                *self._describe(rows, _shares_of(rows, way, branch, policy)),
            )
            for branch in range(split.n_branches)
        )
        branches = _with_shares(branches, bool(self.class_names))
        known = fsum(branch.weight for branch in branches)
        after = fsum(branch.weight * branch.impurity for branch in branches) / known if known > 0 else 0.0
        shared = policy == "fractional_counts"  # the rows without the value are in the branches
        share = known / (known + unanswered) if policy in LEFT_OUT else 1.0
        gain = share * (self._describe(rows, None if shared else (way >= 0).astype(np.float64))[3] - after)
        weights = [branch.weight for branch in branches] + [unanswered] * (policy == "fractional")
        shares = [weight / fsum(weights) for weight in weights if weight > 0]
        information = -fsum(share * _core.log2(share) for share in shares) + 0.0
        bits = criteria.merit("entropy", [branch.counts for branch in branches]) if self.class_names else 0.0
        bits *= share
        feature = getattr(split, "feature", None)
        return Candidate(
            self.tree.schema.names[feature] if feature is not None else branches[0].condition,
            branches,
            unanswered,
            after,
            gain,
            information,
            bits / information if information > 0 else 0.0,
            merit,
            taken,
            self._cuts(split, rows) if isinstance(split, Threshold) and split.threshold < inf else (),
        )

    def _policy_of(self, split: Split) -> str:
        """Name what becomes of rows that a split leaves unanswered."""
        if isinstance(self.recipe, ProgramRecipe):
            return self.recipe.missing
        given = self.recipe.missing
        return given if isinstance(given, str) else given[features_of(split)[0]]

    def _cuts(self, split: Threshold, rows: Dataset) -> tuple[tuple[str, float], ...]:
        """Every cut of a feature that could be the best."""
        assert rows.target is not None
        assert rows.weight is not None
        x = rows.values(split.feature)
        known = np.flatnonzero(~np.isnan(x) & (rows.weight > 0))
        found = cut_gains(
            self.impurity_name, x[known], rows.target[known], rows.weight[known], len(self.class_names)
        )
        column = self.tree.schema.columns[split.feature]
        return tuple((value_text(column, cut), self._factor * gain) for cut, gain in found)

    # ---- why -----------------------------------------------------------------------------------------

    def _decision(self, node: int, candidates: tuple[Candidate, ...]) -> tuple[str, str]:
        if self.tree.is_leaf(node):
            return self._leaf_words(node), self._why_leaf(node, candidates)
        (chosen,) = [candidate for candidate in candidates if candidate.chosen]
        return f"split on {chosen.feature}", "; ".join(filter(None, self._why_split(chosen, candidates)))

    def _leaf_words(self, node: int) -> str:
        if self.tree.is_classifier:
            return f"leaf: {self.class_names[self.tree.label[node]]}"
        return f"leaf: {number_text(float(self.tree.node_value[node, 0]))}"

    def _why_split(self, chosen: Candidate, candidates: tuple[Candidate, ...]) -> tuple[str, str]:
        merit, name = _short(chosen.merit), self.merit_name
        costs = self.recipe.feature_costs
        prices = {} if costs is None else dict(zip(self.tree.schema.names, costs, strict=True))
        worth = {c.feature: c.merit / prices.get(c.feature, 1.0) for c in candidates}
        passed_over, why_not = frozenset[str](), ""
        if isinstance(self.recipe, ProgramRecipe):
            passed_over, why_not = self.recipe.passed_over(candidates, self.rows)
        compared = [c for c in candidates if not c.chosen and c.feature not in passed_over]
        others = sorted(compared, key=lambda c: -worth[c.feature])
        if prices:
            name, merit = f"{name} over its cost", _short(worth[chosen.feature])
        if not others:
            said = f"no other feature can be split on; its {name} is {merit}"
            return (f"its {name} is {merit}", why_not) if why_not else (said, "")
        close = EQUAL * max(abs(worth[chosen.feature]), 1e-300)
        equals = [c.feature for c in others if abs(worth[c.feature] - worth[chosen.feature]) <= close]
        if equals:
            also = " and ".join(equals)
            ties = self.recipe.ties
            which = "one drawn at random" if ties == "random" else ties
            wins = f"of equals the {which if isinstance(ties, str) else 'one that ties prefers'} wins"
            return f"its {name} of {merit} is the largest, as is that of {also}: {wins}", why_not
        best = others[0]
        if worth[best.feature] > worth[chosen.feature]:
            return f"it was the best of the features looked at here, with a {name} of {merit}", why_not
        next_best = f"{best.feature} with {_short(worth[best.feature])}"
        return f"its {name} of {merit} is the largest, before {next_best}", why_not

    def _why_leaf(self, node: int, candidates: tuple[Candidate, ...]) -> str:
        tree, recipe = self.tree, self.recipe
        if tree.count[node] == 0:
            return "no training row comes here, so it predicts what the node above does"
        if tree.weight[node] == 0:
            return "its rows weigh nothing, so it predicts what the node above does"
        if tree.impurity[node] == 0:
            return "all rows are of one class" if tree.is_classifier else "all rows have the same target"
        if recipe.max_depth is not None and tree.node_depth[node] >= recipe.max_depth:
            return f"it lies at max_depth={recipe.max_depth}"
        if not candidates:
            return "no feature tells its rows apart"
        if isinstance(recipe, Recipe) and self._is_insignificant(node, recipe):
            return f"no split is significant at {recipe.significance:g}"
        return "the limits on growing forbid a split" + _limits(recipe)

    def _is_insignificant(self, leaf: int, recipe: Recipe) -> bool:
        """Whether a leaf would be split but for the test of significance, all other limits being the same."""
        others = (recipe.max_leaf_nodes, recipe.max_nodes, recipe.risk_threshold, recipe.complexity or None)
        if recipe.significance is None or any(limit is not None for limit in others):
            return False
        share = float(self.tree.weight[0] / self.tree.weight[leaf])  # limits are shares of all rows
        without = replace(
            recipe,
            significance=None,
            max_depth=1,
            min_samples_leaf=_rows(recipe.min_samples_leaf, len(self.rows)),
            min_samples_split=max(2, _rows(recipe.min_samples_split, len(self.rows))),
            min_impurity_decrease=recipe.min_impurity_decrease * share,
            min_weight_fraction_leaf=min(recipe.min_weight_fraction_leaf * share, 0.5),
            class_weight=None,
            priors=None,
        )
        return len(grow(self._rows_of(leaf), without, n_jobs=1, warn_of_odd=False)) > 1

    def _path(self, node: int) -> tuple[str, ...]:
        words = []
        while node > 0:
            above = int(self.tree.parent[node])
            branch = int(self.tree.branch[node])
            split = self.tree[above].split
            assert split is not None
            words.append(split.condition(self.tree.schema, branch))
            node = above
        return tuple(reversed(words))


def _rows(limit: float, n_rows: int) -> int:
    """A limit that may be a share of the rows, as a number of them."""
    return int(limit) if is_whole(limit) else ceil(limit * n_rows)


def _with_shares(branches: tuple[Branch, ...], has_classes: bool) -> tuple[Branch, ...]:
    """Give branches with their shares, and with what they would hold if branch and class were independent."""
    known = fsum(branch.weight for branch in branches)
    if known <= 0:
        return branches
    node = [fsum(column) for column in zip(*(branch.counts for branch in branches), strict=True)]
    return tuple(
        replace(
            branch,
            share=branch.weight / known,
            expected=tuple(branch.weight * of_class / known for of_class in node) if has_classes else (),
        )
        for branch in branches
    )


def _shares_of(rows: Dataset, way: NDArray[np.int32], branch: int, policy: str) -> Array:
    """Give what each row counts in a branch: one, nothing, or its share if it has no value and is counted."""
    assert rows.weight is not None
    here = way == branch
    known = rows.weight[way >= 0].sum()
    share = rows.weight[here].sum() / known if policy == "fractional_counts" and known > 0 else 0.0
    return np.where(here, 1.0, np.where(way < 0, share, 0.0))


def _way_of(split: Split, rows: Dataset) -> NDArray[np.int32]:
    """Branch of each row, −1 where the split does not answer; known against missing always does."""
    branch = np.maximum(branch_of(split, rows), UNANSWERED)
    if isinstance(split, Threshold) and split.threshold == inf:
        branch[branch == UNANSWERED] = 1
    return branch


def _short(number: float) -> str:
    return f"{number:.3f}" if 5e-4 <= abs(number) < 1e4 or number == 0 else f"{number:.3g}"


def _without_limits(recipe: AnyRecipe) -> AnyRecipe:
    """Give the recipe of a stump that splits if anything can be split; the rows have the classes' weights."""
    if isinstance(recipe, ProgramRecipe):
        return recipe.without_limits()
    return replace(
        recipe,
        max_depth=1,
        max_leaf_nodes=None,
        max_nodes=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
        min_merit=-inf,
        significance=None,
        complexity=0.0,
        risk_threshold=None,
        class_weight=None,
        priors=None,
    )


def _limits(recipe: AnyRecipe) -> str:
    """The limits that were set, in words."""
    if isinstance(recipe, ProgramRecipe):
        return f" ({', '.join(f'{name}={value}' for name, value in recipe.limits.items())})"
    names = (
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "min_impurity_decrease",
        "significance",
        "complexity",
        "risk_threshold",
        "max_leaf_nodes",
        "max_nodes",
    )
    default = Recipe("gini")
    given = [
        f"{name}={getattr(recipe, name)}" for name in names if getattr(recipe, name) != getattr(default, name)
    ]
    return f" ({', '.join(given)})" if given else ""
