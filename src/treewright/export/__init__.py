"""Exports: a model as text, as plain values, as a page, and in the languages of other programs."""

from treewright.export.dictionary import export_dict
from treewright.export.html import export_html
from treewright.export.json_program import read_json
from treewright.export.text import export_text
from treewright.export.write import export_model

__all__ = ["export_dict", "export_html", "export_model", "export_text", "read_json"]
