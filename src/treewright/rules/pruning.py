"""Pruning of rules, one by one: drops conditions while the estimated error does not rise, or falls.

Quinlan (1993), *C4.5: Programs for Machine Learning*, ch. 5; Mitchell (1997), *Machine Learning*, §3.7.1.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.formatting.suggestions import unknown_name
from treewright.pruning.error_based import expected_errors
from treewright.rules.rule import Rule
from treewright.tree.conditions import Condition, Rows, joined

Array = NDArray[np.float64]
Estimate: TypeAlias = Literal["pessimistic", "holdout", "smoothed"]

M = 2.0
"""What a smoothed estimate is drawn to the error of guessing by: as if by so many rows more."""


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows with their target, to count what rules get right.

    They are those that the rules came from, or held-out ones, as the estimate asks for.

    Parameters
    ----------
    rows : Rows
    target : int or float array
    weight : float array
    n_classes : int
        0 for numbers.
    """

    rows: Rows
    target: NDArray[Any]
    weight: Array
    n_classes: int

    @classmethod
    def of(cls, dataset: Dataset) -> LabelledRows:
        """Take the rows of a dataset."""
        assert dataset.target is not None
        weight = np.ones(len(dataset)) if dataset.weight is None else dataset.weight
        n_classes = dataset.schema.n_classes
        return cls(Rows(dataset.schema, dataset.numbers, dataset.codes), dataset.target, weight, n_classes)

    def __len__(self) -> int:
        return len(self.rows)

    def totals(self, covered: NDArray[np.int64] | slice = slice(None)) -> Array:
        """Give the weight of each class among some rows, or their mean."""
        weight, target = self.weight[covered], self.target[covered]
        if self.n_classes:
            return np.bincount(target, weight, self.n_classes).astype(np.float64)
        total = weight.sum()
        return np.array([(weight * target).sum() / total if total > 0 else 0.0])

    def spread(self) -> float:
        """Give the mean squared distance of the targets from their mean."""
        return float(np.average((self.target - self.totals()[0]) ** 2, weights=self.weight))

    def rule(self, conditions: tuple[Condition, ...], label: int, covered: NDArray[np.int64]) -> Rule:
        """Make a rule with the statistics of the rows that it covers; a number is their mean."""
        value, weight = self.totals(covered), float(self.weight[covered].sum())
        if self.n_classes:
            risk = weight - value[label]
        else:
            risk = (self.weight[covered] * (self.target[covered] - value[0]) ** 2).sum()
        return Rule(conditions, value, label, len(covered), weight, max(float(risk), 0.0))


@dataclass(frozen=True)
class Pruning:
    """How rules are pruned.

    Parameters
    ----------
    estimate : {"pessimistic", "holdout", "smoothed"}
        Judge by the upper confidence limit of the error on training rows, by the error on held-out rows, or
        by that error drawn to the error of a guess.
    cf : float
        Confidence factor of the pessimistic estimate.
    """

    estimate: Estimate = "pessimistic"
    cf: float = 0.25

    def __post_init__(self) -> None:
        if self.estimate not in get_args(Estimate):
            raise ValueError(unknown_name("estimate", self.estimate, get_args(Estimate)))
        if not 0 < self.cf < 1:
            raise ValueError(f"cf must be above 0 and below 1, got {self.cf!r}.")

    def prune(self, rule: Rule, labelled: LabelledRows) -> tuple[Rule, float]:
        """Drop conditions of a rule while its estimated error does not rise; with "holdout" while it falls.

        The condition whose loss leaves the lowest estimate goes first. Both ends of an interval may go one by
        one. Gives the rule with the statistics of these rows, and its estimated error.
        """
        tests = list(_tests(rule))
        facts = self._facts(rule, labelled)
        fails = np.array([~test.holds(labelled.rows) for test in tests]).reshape(len(tests), len(labelled))
        failures = fails.sum(axis=0, dtype=np.int32)
        which = (np.arange(len(tests))[:, None] * fails).sum(axis=0)  # of a row that fails one test only
        kept = list(range(len(tests)))
        covered = facts[failures == 0].sum(axis=0)
        own = covered
        error = float(self._error(covered[None], own, rule, labelled)[0])
        while kept:
            once = np.flatnonzero(failures == 1)
            more = np.stack(
                [np.bincount(which[once], column[once], len(tests)) for column in facts.T], axis=1
            )
            errors = self._error(covered + more[kept], own, rule, labelled)
            best = int(np.argmin(errors))
            if errors[best] >= error * (1 - 1e-12) if self._exact else errors[best] > error * (1 + 1e-12):
                break
            dropped, error = kept.pop(best), float(errors[best])
            covered = covered + more[dropped]
            failures -= fails[dropped]
            which -= dropped * fails[dropped].astype(np.int64)
        conditions = joined(tests[i] for i in kept)
        shorter = labelled.rule(conditions, rule.label, np.flatnonzero(failures == 0))
        if self.estimate != "pessimistic" and not labelled.n_classes:
            shorter = replace(shorter, value=rule.value, risk=max(float(covered[2]), 0.0))
        elif not shorter.weight > 0:
            shorter = replace(shorter, value=rule.value)  # what its training rows say
        return shorter, error

    @property
    def _exact(self) -> bool:
        """Whether the estimate is the error itself, which must fall for a condition to go."""
        return self.estimate == "holdout"

    def _facts(self, rule: Rule, labelled: LabelledRows) -> Array:
        """Give what is added up over rows: weight and weight got right, or weight and moments."""
        weight = labelled.weight
        if labelled.n_classes:
            return np.stack([weight, weight * (labelled.target == rule.label)], axis=1)
        above = labelled.target - rule.value[0]
        return np.stack([weight, weight * above, weight * above**2], axis=1)

    def _error(self, sums: Array, own: Array, rule: Rule, labelled: LabelledRows) -> Array:
        """Estimate the error of rules from sums of facts, one rule a line; one without rows is always wrong.

        For numbers, judged by the rows that they come from, it is the squared error that the mean of n rows
        covered has for the rows of the rule as it was (`own`): how far it lies from theirs, and s²/n for its
        own chance, where s² is drawn to the spread of all rows by the weight of one row.
        """
        n = sums[:, 0]
        some = np.where(n > 0, n, 1.0)
        if labelled.n_classes:
            errors = np.maximum(n - sums[:, 1], 0.0)
            if self.estimate == "pessimistic":
                return np.where(n > 0, expected_errors(n, errors, self.cf) / some, 1.0)
            if self._exact:
                return np.where(n > 0, errors / some, 1.0)
            guess = 1 - self._share(rule, labelled)
            return np.asarray((errors + M * guess) / (n + M))
        if self._exact:
            return np.where(n > 0, np.maximum(sums[:, 2], 0.0) / some, np.inf)
        if self.estimate == "smoothed":
            return np.asarray((sums[:, 2] + M * labelled.spread()) / (n + M))
        chance, chance_of_own = (_chance_of_mean(one, labelled) for one in (sums, own[None]))
        shift = (sums[:, 1] / some - own[1] / max(own[0], 1e-300)) ** 2
        # means of few rows differ by chance alone
        return np.where(
            n > 0, np.maximum(shift - np.maximum(chance_of_own - chance, 0.0), 0.0) + chance, np.inf
        )

    def _share(self, rule: Rule, labelled: LabelledRows) -> float:
        totals = labelled.totals()
        return float(totals[rule.label] / totals.sum())


def _chance_of_mean(sums: Array, labelled: LabelledRows) -> Array:
    """Give the squared error to be expected of the mean of some rows, one set of rows a line."""
    n = np.where(sums[:, 0] > 0, sums[:, 0], 1.0)
    squares = np.maximum(sums[:, 2] - sums[:, 1] ** 2 / n, 0.0)
    return np.asarray((squares + labelled.spread()) / n**2)


def _tests(rule: Rule) -> Iterator[Condition]:
    """Go over the conditions, the two ends of an interval one by one."""
    for condition in rule.conditions:
        parts = condition.weaker()
        yield from (part if part is not None else condition for part in parts)
