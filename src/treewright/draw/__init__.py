"""Drawing: trees as pictures of our own layout, and plots of what they learned; all read, none learns."""

from treewright.draw.drawing import Drawing
from treewright.draw.picture import plot_tree

__all__ = ["Drawing", "plot_tree"]
