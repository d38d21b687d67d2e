"""Estimators with the interface of scikit-learn: trees, forests, rules and the presets ID3, C4.5 and CART."""

from treewright.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]
