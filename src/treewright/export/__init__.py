"""Exports of a tree: text, HTML and plain dictionaries."""

from treewright.export.dictionary import export_dict
from treewright.export.html import export_html
from treewright.export.text import export_text

__all__ = ["export_dict", "export_html", "export_text"]
