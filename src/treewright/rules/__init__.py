"""Rules: a tree as IF … THEN … lines, pruned one by one, chosen, ordered, and used to predict."""

from treewright.rules.extract import extract_rules
from treewright.rules.rule import Rule
from treewright.rules.ruleset import RuleSet

__all__ = ["Rule", "RuleSet", "extract_rules"]
