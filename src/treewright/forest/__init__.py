"""Forests: bootstrap, growing, compact trees, out-of-bag estimates, importance, proximity, quantiles."""

from treewright.forest.error_curve import ErrorCurve
from treewright.forest.proximity import Proximity
from treewright.forest.quantiles import LeafRows

__all__ = ["ErrorCurve", "LeafRows", "Proximity"]
