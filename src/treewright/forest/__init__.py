"""Forests: bootstrap, growing, compact trees, out-of-bag estimates, importance, proximity, quantiles."""

from treewright.forest.proximity import Proximity
from treewright.forest.quantiles import LeafRows
from treewright.model_selection.error_curve import ErrorCurve

__all__ = ["ErrorCurve", "LeafRows", "Proximity"]
