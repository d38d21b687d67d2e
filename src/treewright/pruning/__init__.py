"""Pruning: callables that take a tree and give a smaller one, one file per method."""

from treewright.pruning.cost_complexity import CostComplexity, PruningPath, pruning_path

__all__ = ["CostComplexity", "PruningPath", "pruning_path"]
