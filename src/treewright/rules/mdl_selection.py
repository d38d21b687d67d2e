"""Selection of rules by minimum description length (MDL), as C4.5rules does.

Quinlan (1993), *C4.5: Programs for Machine Learning*, ch. 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright._core import log, log2, log_gamma
from treewright.rules.pruning import LabelledRows
from treewright.rules.rule import Rule
from treewright.tree.conditions import Interval, Side

THEORY_WEIGHT = 0.5
"""What a bit of the rules counts: many rule sets say the same, so that the code for them wastes bits."""

MOST_SWEEPS = 20
"""How often all rules of a class are looked at again."""


def choose(rules: Sequence[Rule], labelled: LabelledRows) -> list[Rule]:
    """Choose for each class the rules that describe it in the fewest bits.

    A set of rules for a class is told by its conditions, and by its exceptions: the rows covered that are of
    another class, and the rows of the class that are not covered. From all rules, and from none, rules are
    taken out and put in while that saves bits; the better of the two ends is taken.
    """
    chosen = []
    for label in sorted({rule.label for rule in rules}):
        own = [rule for rule in rules if rule.label == label]
        subset = _Subset(own, label, labelled)
        best = min((subset.improved(start) for start in (True, False)), key=lambda found: found[0])
        chosen += [rule for rule, taken in zip(own, best[1], strict=True) if taken]
    return chosen


@dataclass(frozen=True, eq=False)
class _Subset:
    """The rules of one class, some of them taken."""

    rules: Sequence[Rule]
    label: int
    labelled: LabelledRows

    def improved(self, start: bool) -> tuple[float, NDArray[np.bool_]]:
        """Take rules out and put them in while that saves bits; gives the bits, and which rules are taken."""
        covers = [rule.covers(self.labelled.rows) for rule in self.rules]
        weight, is_class = self.labelled.weight, self.labelled.target == self.label
        facts = np.stack([weight, weight * is_class], axis=1)
        bits = np.array([rule_bits(rule, self.labelled) for rule in self.rules])
        taken = np.full(len(self.rules), start)
        times = np.zeros(len(self.labelled), np.int32)
        if start:
            for cover in covers:
                times[cover] += 1
        covered, everything = facts[times > 0].sum(axis=0), facts.sum(axis=0)
        total = _bits(covered, everything, bits[taken])
        for _ in range(MOST_SWEEPS):
            before = total
            for place in range(len(self.rules)):
                cover = covers[place]
                alone = cover[times[cover] == int(taken[place])]
                moved = facts[alone].sum(axis=0)
                then = covered - moved if taken[place] else covered + moved
                taken[place] ^= True
                bits_then = _bits(then, everything, bits[taken])
                if bits_then < total - 1e-9:
                    total, covered = bits_then, then
                    times[cover] += 1 if taken[place] else -1
                else:
                    taken[place] ^= True
            if total >= before:
                break
        return total, taken


def _bits(covered: NDArray[np.float64], everything: NDArray[np.float64], rules: NDArray[np.float64]) -> float:
    """Bits of the rules taken and of their exceptions; the order of the rules says nothing."""
    wrong, left_out = covered[0] - covered[1], everything[1] - covered[1]
    exceptions = _choose_bits(covered[0], wrong) + _choose_bits(everything[0] - covered[0], left_out)
    return exceptions + THEORY_WEIGHT * max(float(rules.sum()) - log_gamma(len(rules) + 1) / log(2), 0.0)


def _choose_bits(n: float, k: float) -> float:
    """Bits to say which k of n rows."""
    n, k = max(n, 0.0), min(max(k, 0.0), max(n, 0.0))
    return (log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)) / log(2)


def rule_bits(rule: Rule, labelled: LabelledRows) -> float:
    """Bits to tell the conditions of a rule; their order says nothing. Weights count as rows."""
    schema, bits = labelled.rows.schema, 0.0
    n_rows = float(labelled.weight.sum())
    for condition in rule.conditions:
        if isinstance(condition, Side):
            bits += len(condition.features) * (log2(len(schema.columns)) + log2(n_rows + 1))
            continue
        column = schema.columns[condition.feature]
        if isinstance(condition, Interval):
            cuts = len(column.categories) or max(n_rows - 1, 1.0)
            each = 1 + log2(cuts)
        else:
            each = min(len(column.categories), len(condition.codes) * log2(max(len(column.categories), 2)))
        bits += len(condition.weaker()) * (log2(max(len(schema.columns), 1)) + each)
    return max(bits - log_gamma(rule.n_tests + 1) / log(2), 0.0)
