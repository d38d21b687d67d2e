"""Explorer: a tree or forest as an interactive HTML page, with editing by hand."""

from treewright.explorer.editor import Editor, edit
from treewright.explorer.page import Page, explore
from treewright.explorer.server import serve

__all__ = ["Editor", "Page", "edit", "explore", "serve"]
