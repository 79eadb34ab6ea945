"""Sections of results as data, with a plain HTML form; notebooks, reports and web pages show the same sections.

Any frozen dataclass with a method ``html`` is a block of a section. `calibrant.report` shows a `Figure` as an
interactive chart; elsewhere it is a table of its numbers.
"""

from calibrant._sections.blocks import (
    Callout,
    DataTable,
    Definitions,
    Paragraph,
    PngPicture,
    Preformatted,
    Share,
    Shares,
    TableColumn,
)
from calibrant._sections.figure import Axis, Figure, Layer
from calibrant._sections.section import Block, Section, sections_html
from calibrant._sections.tree_drawing import TreeDrawing, TreeNode

__all__ = [
    "Axis",
    "Block",
    "Callout",
    "DataTable",
    "Definitions",
    "Figure",
    "Layer",
    "Paragraph",
    "PngPicture",
    "Preformatted",
    "Section",
    "Share",
    "Shares",
    "TableColumn",
    "TreeDrawing",
    "TreeNode",
    "sections_html",
]
