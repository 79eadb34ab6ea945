"""The sections that the docstrings of an estimate's methods share."""

from __future__ import annotations

from collections.abc import Mapping

from calibrant._docstrings import sections

__all__ = ["METHOD_DOCS"]

METHOD_DOCS: Mapping[str, str] = {
    "tree": """\
tree : CountedTree
    A grown tree.""",
    "table_sections": sections("%(tree)s", returns="array of shape (n_nodes, n_classes)\n    Class probabilities."),
    "leaves": """\
leaves : array of shape (n_leaves, n_classes), optional
    The class weights of the leaves; not used.""",
    "resolve_sections": """\
Parameters
----------
counts : array of shape (n_classes,)
    The class weights of the training set.
%(leaves)s

Returns
-------
%(estimate)s
    The estimate with numbers only.""",
    "candidates_sections": """\
Parameters
----------
tree : CountedTree
    The tree grown on all rows.

Returns
-------
tuple of %(estimate)s
    %(candidates)s""",
}
