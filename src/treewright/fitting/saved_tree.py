"""A tree out of a model file, read and explained without its estimator, which waits for scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.persistence.card import card_of_dict
from treewright.persistence.container import Arrays, Header
from treewright.persistence.trees import tree_from_parts
from treewright.tree import Tree

if TYPE_CHECKING:
    from treewright.data import Schema
    from treewright.explain import Explanation
    from treewright.rules import RuleSet

KINDS = ("TreeClassifier", "TreeRegressor", "DecisionTreeClassifier", "DecisionTreeRegressor")
"""Estimators whose nodes say what their trees have."""

DEFAULTS = {"unseen": "missing", "inf": "error"}
"""What stands for parameters that an estimator does not have."""


class SavedTree:
    """What `show`, `rules` and `explain` ask of a model.

    Parameters
    ----------
    header, arrays
        What the file holds.
    """

    _time_limit: ClassVar[float | None] = None

    def __init__(self, header: Header, arrays: Arrays) -> None:
        self.kind: str = header["kind"]
        self.parameters: dict[str, Any] = header["parameters"]
        self.tree_: Tree = tree_from_parts(header, arrays)
        for name in ("missing", "criterion", "leaves"):
            if name in self.parameters:
                setattr(self, name, self.parameters[name])
        if "pruner" in header:
            self.pruner_name: str = header["pruner"]["pruner"]
        if "target" in header:
            self.target_name_: str = header["target"]
        if "card" in header:
            self.card_ = card_of_dict(header["card"])
        if self.tree_.schema.classes is not None:
            self.classes_ = np.asarray(self.tree_.schema.classes)

    @staticmethod
    def can_be(header: Header, arrays: Arrays) -> bool:
        """Whether a model is such a tree; of others the estimator is needed."""
        parameters = header.get("parameters", {})
        return (
            header["kind"] in KINDS
            and "edits" not in header
            and isinstance(header.get("target", ""), str)
            and isinstance(parameters.get("missing", ""), str)
            and not parameters.get("laplace")
            and not parameters.get("predicates")
            and parameters.get("leaves", "constant") == "constant"
            and isinstance(header.get("pruner", {"pruner": ""}), dict)
            and isinstance(header.get("pruner", {"pruner": ""}).get("pruner"), str)
            and not any(name.startswith("own_") for name in arrays)
        )

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity that the tree achieves."""
        return self.tree_.compute_feature_importances()

    def explain(self, row: Any, **goal: Any) -> Explanation:
        """Explain the prediction of a row, see `DecisionTreeClassifier.explain`."""
        from treewright.explain.of_model import explain

        explained: Explanation = explain(self, row, **goal)
        return explained

    def rules(self) -> RuleSet:
        """Read the tree as rules, one for each leaf."""
        from treewright.rules import extract_rules

        return extract_rules(self.tree_)

    def _choice(self, name: str) -> Any:
        return self.parameters.get(name, DEFAULTS.get(name))

    @property
    def _missing_policy(self) -> str:
        return "error" if getattr(self, "missing", None) == "error" else "direction"

    def _policies(self, schema: Schema) -> tuple[str, ...] | None:
        missing = getattr(self, "missing", None)  # a name, or none: see above
        return missing if missing is None else (missing,) * len(schema.columns)

    def _answering(self) -> tuple[Sequence[Tree], Sequence[NDArray[np.float64]]]:
        tree = self.tree_
        return [tree], [tree.class_probabilities if tree.is_classifier else tree.node_value]
