"""Presets: ID3, C4.5 and CART as in the books or, with `compat`, as in Weka, C4.5 Release 8 and rpart."""

from treewright.estimators.presets.c45 import C45Classifier
from treewright.estimators.presets.cart import CARTClassifier, CARTRegressor
from treewright.estimators.presets.id3 import ID3Classifier

__all__ = ["C45Classifier", "CARTClassifier", "CARTRegressor", "ID3Classifier"]
