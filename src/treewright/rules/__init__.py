"""Rules: a tree as IF … THEN … rules, pruned, selected, ordered, and used to predict."""

from treewright.rules.extract import extract_rules
from treewright.rules.rule import Rule
from treewright.rules.ruleset import RuleSet

__all__ = ["Rule", "RuleSet", "extract_rules"]
