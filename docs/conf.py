"""Settings of the documentation site: `make docs` builds it in build/docs, and every warning is an error."""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

import treewright

project = "treewright"
author = "The treewright developers"
copyright = author
version = release = treewright.__version__

extensions = [
    "myst_nb",  # pages are Markdown; tutorials and the gallery are notebooks, run when the site is built
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_merge_streams = True  # what a cell prints in several lines is one block

autosummary_generate = True
templates_path = ["_templates"]
default_role = "code"
autodoc_default_options = {
    "members": True,
    "inherited-members": True,
    "exclude-members": "set_fit_request, set_score_request",
}
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
nb_render_image_options = {"width": "640px"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"treewright {release}"
html_static_path = ["_static"]
html_css_files = ["treewright.css"]
html_js_files = ["tables.js"]
html_show_sourcelink = False
html_sidebars = {"quickstart": [], "glossary": [], "gallery": []}
html_theme_options = {
    "logo": {"text": "treewright"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}

# Pages of the repository that the site shows under a name of its own, and files that it does not show.
SHOWN = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "benchmarks.md",
}


def link_within_site(_app: Any, name: str, source: list[str]) -> None:
    """Links out of docs/ lead to the page that shows the file, or become the file's name."""
    if "/" in name:
        return

    def page(link: re.Match[str]) -> str:
        words, path = link.groups()
        return f"[{words}]({SHOWN[path]})" if path in SHOWN else f"{words} (`{path}`)"

    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./([^)#]+)\)", page, source[0])


def plain_docstring(_app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Sizes such as |H| are no substitutions; what scikit-learn's docstrings refer to is not on this site."""
    for at, line in enumerate(lines):
        text = re.sub(r"\|(\w+)\|", r"\\|\1\\|", line)
        lines[at] = re.sub(r":(?:ref|term|class|func|meth|mod):`~?([^`<]+?)(?: <[^`]*>)?`", r"*\1*", text)


class GlossaryIndex(SphinxTransform):
    """Make every word of the glossary an entry of the index, which the search shows first."""

    default_priority = 800  # before Sphinx collects the entries of a page

    def apply(self, **_settings: Any) -> None:
        """Mark each row of a table with the words in its cells but the last."""
        if self.env.docname != "glossary":
            return
        for row in self.document.findall(nodes.row):
            cells = list(row.findall(nodes.entry))
            if isinstance(row.parent, nodes.thead):
                continue
            words = [part.strip() for cell in cells[:-1] for part in re.split(r"[,;:]", cell.astext())]
            words = [re.sub(r" *\(.*?\)", "", word) for word in words if word]
            name = nodes.make_id(f"word {words[0]}")
            cells[0].children[0].insert(0, nodes.target("", "", ids=[name]))
            main = cells[0].astext()
            entries = [("single", word, name, "main" if word in main else "", None) for word in words]
            cells[0].children[0].insert(0, addnodes.index(entries=entries))


def setup(app: Any) -> None:
    """Register what reads pages and docstrings before Sphinx does."""
    app.add_transform(GlossaryIndex)
    # A second build forgets the entries of pages that it does not read.
    app.connect("env-get-outdated", lambda *_: ["glossary"])
    app.connect("source-read", link_within_site)
    app.connect("autodoc-process-docstring", plain_docstring, priority=100)
