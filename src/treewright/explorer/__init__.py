"""Explorer: a tree as a page to look at, to prune, to question and to teach with."""

from treewright.explorer.page import Page, explore

__all__ = ["Page", "explore"]
