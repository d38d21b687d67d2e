"""Tree: immutable arrays of nodes, their splits and conditions, routing of rows, decisions and edits."""

from treewright.tree.tree import Tree

__all__ = ["Tree"]
