"""Rewriting: a set of rules pruned, chosen and put in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.growing.grow_tree import Progress
from treewright.rules.mdl_selection import choose
from treewright.rules.ordering import by_class, by_error, default_rule, without_harm
from treewright.rules.pruning import LabelledRows, Pruning
from treewright.rules.rule import Rule


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
        kept = by_error(kept, errors)
    else:
        kept = by_class(choose(kept, labelled), errors, labelled)
        kept = without_harm(kept, default_rule(kept, labelled), labelled)
    return kept, default_rule(kept, labelled)
