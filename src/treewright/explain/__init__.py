"""Explanations of predictions: decision path, contributions, Shapley values, counterfactuals, importances."""

from typing import TYPE_CHECKING

from treewright._module_names import loaded_when_asked_for

if TYPE_CHECKING:
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

__getattr__ = loaded_when_asked_for(
    __name__,
    {
        "Change": "treewright.explain.counterfactual",
        "nearest_change": "treewright.explain.counterfactual",
        "Goal": "treewright.explain.counterfactual_goal",
        "goal_of": "treewright.explain.counterfactual_goal",
        "Explanation": "treewright.explain.explanation",
        "explain_row": "treewright.explain.explanation",
        "Path": "treewright.explain.path",
        "Step": "treewright.explain.path",
        "contributions": "treewright.explain.path",
        "follow": "treewright.explain.path",
        "Row": "treewright.explain.row",
        "read_row": "treewright.explain.row",
        "interaction_values": "treewright.explain.shapley",
        "mean_movement": "treewright.explain.shapley",
        "shapley_values": "treewright.explain.shapley",
    },
)
