"""Configure Sphinx for the site; `make docs` runs it on a copy of this folder (tools/docs_source.py)."""

from __future__ import annotations

import inspect
from typing import Any

import calibrant

project = "calibrant"
author = "The calibrant developers"
copyright = "The calibrant developers"  # noqa: A001 (Sphinx reads this name)
version = release = calibrant.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_heading_anchors = 3
default_role = "autolink"  # `name` in a docstring is a link where there is such a name
autosummary_generate = False  # tools/docs_source.py writes the pages
autodoc_typehints = "none"  # numpydoc has them in words
numpydoc_show_class_members = False  # the templates list them
numpydoc_class_members_toctree = False
maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = f"calibrant {version}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "collapse_navigation": True,
    "show_nav_level": 1,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def skip_inherited(app: Any, what: str, name: str, item: Any, skip: bool, options: Any) -> bool | None:  # noqa: ARG001
    """Leave out what a class has from another library: scikit-learn's or Python's own documentation has that."""
    function = inspect.unwrap(getattr(item, "fget", None) or getattr(item, "func", None) or item)
    module = getattr(function, "__module__", None) or ""
    return True if inspect.isroutine(function) and not module.startswith("calibrant") else None


def setup(app: Any) -> None:
    """Connect the hooks."""
    app.connect("autodoc-skip-member", skip_inherited)
