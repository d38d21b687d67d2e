"""Forests: many trees on drawn rows and drawn features, and what only many trees can tell (Breiman, 2001)."""

from treewright.forest.proximity import Proximity
from treewright.forest.quantiles import LeafRows
from treewright.model_selection.error_curve import ErrorCurve

__all__ = ["ErrorCurve", "LeafRows", "Proximity"]
