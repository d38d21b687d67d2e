"""Forests: many trees on drawn rows and drawn features, and what only many trees can tell (Breiman, 2001)."""

from treewright.error_curve import ErrorCurve
from treewright.forest.estimators import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.forest.proximity import Proximity
from treewright.forest.quantiles import LeafRows

__all__ = [
    "ErrorCurve",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "LeafRows",
    "Proximity",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
