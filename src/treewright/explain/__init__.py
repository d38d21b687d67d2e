"""Explanations of predictions: decision path, contributions, Shapley values, counterfactuals, importances."""

from treewright.explain.counterfactual import Change, nearest_change
from treewright.explain.counterfactual_goal import Goal, goal_of
from treewright.explain.explanation import Explanation, explain_row
from treewright.explain.path import Path, Step, contributions, follow
from treewright.explain.row import Row, read_row
from treewright.explain.shapley import interaction_values, mean_movement, shapley_values

__all__ = [
    "Change",
    "Explanation",
    "Goal",
    "Path",
    "Row",
    "Step",
    "contributions",
    "explain_row",
    "follow",
    "goal_of",
    "interaction_values",
    "mean_movement",
    "nearest_change",
    "read_row",
    "shapley_values",
]
