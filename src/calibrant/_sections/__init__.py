"""Sections of results as data, with a plain HTML form; notebooks, reports and web pages show the same sections.

Any frozen dataclass with a method ``html`` is a block of a section. `calibrant.report` shows a `Figure` as an
interactive chart; elsewhere it is a table of its numbers.
"""

from calibrant._sections.callout import Callout
from calibrant._sections.definitions import Definitions
from calibrant._sections.figure import Axis, Figure, Layer
from calibrant._sections.paragraph import Paragraph
from calibrant._sections.png_picture import PngPicture
from calibrant._sections.preformatted import Preformatted
from calibrant._sections.section import Block, Section, sections_html
from calibrant._sections.shares import Share, Shares
from calibrant._sections.table import DataTable, TableColumn
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
