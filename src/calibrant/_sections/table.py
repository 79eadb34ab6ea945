"""Tables whose cells are text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calibrant._sections.markup import element, text

__all__ = ["DataTable", "TableColumn"]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    name : str
        Its name in words that everybody knows.
    align : {"left", "right"}
        Text stands left, numbers right.
    term : str
        What the field calls it.
    model : str
        The model it belongs to; the column is hidden with that model.

    Examples
    --------
    >>> TableColumn("ranking", term="AUC").name
    'ranking'
    """

    name: str
    align: Literal["left", "right"] = "right"
    term: str = ""
    model: str = ""


@dataclass(frozen=True)
class DataTable:
    """A table.

    Parameters
    ----------
    caption : str
        What the table shows.
    columns : tuple of TableColumn
        The columns; the first one names the rows.
    rows : tuple of tuples of str
        The cells; what follows a line break is set below, in small type.
    models : tuple of str
        The model of each row, "" for none; the row is hidden with its model. Empty: no row belongs to a model.
    note : str
        A remark below the table.
    links : tuple of str
        Where the first cell of each row leads, such as "#page-1"; "" for nowhere. Empty: no row leads anywhere.

    Examples
    --------
    >>> DataTable("Areas", (TableColumn("model", "left"), TableColumn("area")), (("a", "0.8"),)).html().count("<tr")
    2
    """

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    models: tuple[str, ...] = ()
    note: str = ""
    links: tuple[str, ...] = ()

    def html(self) -> str:
        """Return the table as HTML, in a container that scrolls where the table is wide."""
        head = element("thead", element("tr", *(self._heading(column) for column in self.columns)))
        models, links = (each or ("",) * len(self.rows) for each in (self.models, self.links))
        body = element("tbody", *map(self._row, self.rows, models, links))
        table = element("table", element("caption", text(self.caption)), head, body)
        scroller = element("div", table, class_="table", role="region", aria_label=self.caption, tabindex=0)
        return scroller + (element("p", text(self.note), class_="note") if self.note else "")

    @staticmethod
    def _heading(column: TableColumn) -> str:
        term = " " + element("small", text(column.term)) if column.term else ""
        if not column.name:  # a header without text has no name for a screen reader
            return element("td", class_=column.align, data_model_name=column.model)
        return element("th", text(column.name), term, scope="col", class_=column.align, data_model_name=column.model)

    def _row(self, cells: tuple[str, ...], model: str, link: str) -> str:
        first, *others = zip(cells, self.columns, strict=True)
        name = element("a", text(first[0]), href=link) if link else _lines(first[0])
        heading = element("th", name, scope="row", class_=first[1].align)
        rest = (
            element("td", _lines(cell), class_=column.align, data_model_name=column.model) for cell, column in others
        )
        return element("tr", heading, *rest, data_model_name=model)


def _lines(cell: str) -> str:
    """Return the first line of a cell, and the others below it in small type."""
    first, *others = cell.split("\n")
    return text(first) + "".join(f"<br>{element('small', text(line))}" for line in others if line)
