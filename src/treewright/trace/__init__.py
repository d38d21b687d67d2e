"""Trace: every computation by which a tree was grown, node by node, as text and as HTML."""

from treewright.trace.trace import Trace

__all__ = ["Trace"]
