"""Simplification of rule sets: prunes, selects and orders rules, and finds the default rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.rules.mdl_selection import choose
from treewright.rules.pruning import LabelledRows, Pruning
from treewright.rules.rule import Rule, first_rule

if TYPE_CHECKING:
    from treewright.growing.grow_tree import Progress


def rewritten(
    rules: tuple[Rule, ...],
    labelled: LabelledRows,
    pruning: Pruning,
    by_bits: bool | None,
    progress: Progress | None = None,
) -> tuple[list[Rule], Rule]:
    """Prune, choose and order rules, see `RuleSet.prune`; gives them and the default.

    Parameters
    ----------
    rules : tuple of Rule
    labelled : LabelledRows
        The rows to judge by.
    pruning : Pruning
        How to prune each rule.
    by_bits : bool or None
        Whether to choose the rules of each class by description length; None does unless `estimate` is
        "holdout".
    progress : callable or None
        Told the share of the rules that are pruned.
    """
    totals, weight = labelled.totals(), float(labelled.weight.sum())
    keep_all = pruning.estimate == "holdout"
    found: dict[tuple[Any, int], tuple[Rule, float]] = {}
    for place, rule in enumerate(rules, start=1):
        shorter, error = pruning.prune(rule, labelled)
        # a rule must beat a guess by the share of its class (Quinlan, 1993)
        guess = 1 - (totals[rule.label] + 1) / (weight + 2) if labelled.n_classes else np.inf
        if keep_all:
            found[place, rule.label] = (shorter, error)
        elif shorter.weight > 0 and shorter.conditions and error < guess:
            found.setdefault((frozenset(shorter.conditions), rule.label), (shorter, error))
        if progress is not None:
            progress(place / len(rules))
    errors = {id(rule): error for rule, error in found.values()}
    kept = [rule for rule, _ in found.values()]
    if keep_all and not by_bits:
        kept.sort(key=lambda rule: round(errors[id(rule)], 12))
    elif not labelled.n_classes:
        kept.sort(key=lambda rule: rule.weight)
    elif by_bits is False:
        kept = _by_error(kept, errors)
    else:
        kept = _by_class(choose(kept, labelled), errors, labelled)
        kept = _without_harm(kept, _default_rule(kept, labelled), labelled)
    return kept, _default_rule(kept, labelled)


def _by_class(rules: Sequence[Rule], errors: dict[int, float], labelled: LabelledRows) -> list[Rule]:
    """Put the rules of a class together, the class first whose rules cover the fewest rows of others.

    What earlier classes cover counts no more (Quinlan, 1993, ch. 5). Within a class the rules of the lowest
    estimated error come first.
    """
    ordered: list[Rule] = []
    left = np.ones(len(labelled), bool)
    classes = {rule.label for rule in rules}
    covers = {id(rule): rule.covers(labelled.rows) for rule in rules}
    while classes:
        union = {}
        for label in sorted(classes):
            covered = np.zeros(len(labelled), bool)
            for rule in rules:
                if rule.label == label:
                    covered[covers[id(rule)]] = True
            union[label] = covered & left
        wrong = {
            label: float(labelled.weight[covered & (labelled.target != label)].sum())
            for label, covered in union.items()
        }
        label = min(wrong, key=lambda one: (wrong[one], one))
        ordered += _by_error([rule for rule in rules if rule.label == label], errors)
        left &= ~union[label]
        classes.remove(label)
    return ordered


def _by_error(rules: Sequence[Rule], errors: dict[int, float]) -> list[Rule]:
    """Put the rules of the lowest estimated error first; of equals those that cover more."""
    return sorted(rules, key=lambda rule: (errors[id(rule)], -rule.weight))


def _default_rule(rules: Sequence[Rule], labelled: LabelledRows) -> Rule:
    """Give what is predicted where no rule covers a row: what fits those rows best, or all if there are none.

    Of equally frequent classes the one that is more frequent among all rows is taken.
    """
    left = np.flatnonzero(first_rule(rules, labelled.rows) == len(rules))
    left = left if len(left) else np.arange(len(labelled))
    value, every = labelled.totals(left), labelled.totals()
    label = min(range(len(value)), key=lambda code: (-value[code], -every[code], code))
    return labelled.rule((), label if labelled.n_classes else 0, left)


def _without_harm(rules: Sequence[Rule], default: Rule, labelled: LabelledRows) -> list[Rule]:
    """Take out rules, one after the other, without which fewer rows are put in the wrong class."""
    rules = list(rules)
    while rules:
        which = first_rule(rules, labelled.rows)
        saved = [
            _saved(np.flatnonzero(which == place), rules[place], [*rules[place + 1 :], default], labelled)
            for place in range(len(rules))
        ]
        if max(saved) <= 1e-9:
            break
        rules.pop(int(np.argmax(saved)))
    return rules


def _saved(own: NDArray[np.int64], rule: Rule, later: Sequence[Rule], labelled: LabelledRows) -> float:
    """Weight of the errors that would be saved if later rules predicted for the rows of a rule."""
    rows, weight, target = labelled.rows.take(own), labelled.weight[own], labelled.target[own]
    labels = np.array([one.label for one in later])[first_rule(later, rows)]
    return float(weight[target != rule.label].sum() - weight[target != labels].sum())
