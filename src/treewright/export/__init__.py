"""Exports: a model as text, as plain values, as a page, and in the languages of other programs."""

from typing import TYPE_CHECKING

from treewright._module_names import loaded_when_asked_for

if TYPE_CHECKING:
    from treewright.export.dictionary import export_dict
    from treewright.export.html import export_html
    from treewright.export.json_program import read_json
    from treewright.export.text import export_text
    from treewright.export.write import export_model

__all__ = ["export_dict", "export_html", "export_model", "export_text", "read_json"]

__getattr__ = loaded_when_asked_for(
    __name__,
    {
        "export_dict": "treewright.export.dictionary",
        "export_html": "treewright.export.html",
        "read_json": "treewright.export.json_program",
        "export_text": "treewright.export.text",
        "export_model": "treewright.export.write",
    },
)
