"""Extraction of rules from a tree: one for each leaf, conditions joined by feature."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.rules.rule import Rule
from treewright.rules.ruleset import RuleSet
from treewright.tree import Tree
from treewright.tree.conditions import Condition, joined, on_branch


def extract_rules(tree: Tree) -> RuleSet:
    """Read a tree as rules, one for each leaf, in the order of the leaves on the page.

    No two rules cover the same row, and together they predict what the tree does. Only rows that miss a value
    may fare otherwise, where the tree keeps them at an inner node, shares them over branches or sends them by
    surrogates: if no rule covers such a row, it is given what the root would predict.

    Parameters
    ----------
    tree : Tree
        A tree; estimators have it as `tree_`.

    Examples
    --------
    >>> from treewright import ID3Classifier, datasets
    >>> print(extract_rules(ID3Classifier().fit(*datasets.load_tennis()).tree_))
    IF Outlook = Sunny AND Humidity = High THEN No  (3 rows, 100 %)
    IF Outlook = Sunny AND Humidity = Normal THEN Yes  (2 rows, 100 %)
    IF Outlook = Overcast THEN Yes  (4 rows, 100 %)
    IF Outlook = Rain AND Wind = Weak THEN Yes  (3 rows, 100 %)
    IF Outlook = Rain AND Wind = Strong THEN No  (2 rows, 100 %)
    OTHERWISE Yes  (14 rows, 64 %)
    """
    tree.schema.require_one_target("rules are read off a tree of")
    if tree.equations is not None:
        raise ValueError(
            "rules predict a class or a number, and the leaves of this tree are linear equations."
        )
    rules = tuple(_rule(tree, leaf, conditions) for leaf, conditions in leaf_conditions(tree))
    return RuleSet(tree.schema, rules, _rule(tree, 0, ()), tree.node_value[0], float(tree.weight[0]))


def leaf_conditions(tree: Tree) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Go over the leaves, depth first, each with the conditions on its path, joined by feature."""
    stack: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
    while stack:
        node, above = stack.pop()
        split = tree[node].split
        if split is None:
            yield node, above
            continue
        default = int(tree.default_branch[node])
        children = tree.children(node)
        stack.extend(
            (children[branch], joined([*above, on_branch(split, branch, tree.schema, default)]))
            for branch in reversed(range(len(children)))
        )


def _rule(tree: Tree, node: int, conditions: tuple[Condition, ...]) -> Rule:
    weight = float(tree.weight[node])
    value = tree.node_value[node]
    label = int(tree.label[node]) if tree.is_classifier else 0
    risk = weight - value[label] if tree.is_classifier else tree.risk[node]
    return Rule(conditions, value, label, int(tree.count[node]), weight, max(float(risk), 0.0))
