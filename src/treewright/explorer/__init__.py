"""Explorer: a tree as a page to look at, to prune, to question and to teach with, and to edit by hand."""

from treewright.explorer.editor import Editor, edit
from treewright.explorer.page import Page, explore
from treewright.explorer.server import serve

__all__ = ["Editor", "Page", "edit", "explore", "serve"]
