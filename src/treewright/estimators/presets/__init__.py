"""Presets: the classical learners, faithful to the books or, with `compat`, to the programs people trust."""

from treewright.estimators.presets.c45 import C45Classifier
from treewright.estimators.presets.cart import CARTClassifier, CARTRegressor
from treewright.estimators.presets.id3 import ID3Classifier

__all__ = ["C45Classifier", "CARTClassifier", "CARTRegressor", "ID3Classifier"]
