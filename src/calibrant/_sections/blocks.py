"""Blocks of sections as escaped HTML: text, tables, callouts, pictures."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from typing import Literal


def text(value: object) -> str:
    """Return a value as escaped text; line breaks and control characters become spaces.

    Examples
    --------
    >>> text("a < b & 'c'")
    'a &lt; b &amp; &#x27;c&#x27;'
    """
    return escape("".join(character if character.isprintable() else " " for character in str(value)))


def element(tag: str, *content: str, **attributes: str | int | None) -> str:
    """Return an element; its content is HTML already, its attributes are text. ``class_`` is the attribute class.

    Attributes that are None or empty are left out, and an underscore in a name is a hyphen.

    Examples
    --------
    >>> element("td", text("<b>"), class_="number", data_model=0, title='"')
    '<td class="number" data-model="0" title="&quot;">&lt;b&gt;</td>'
    """
    shown = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value not in (None, "")}
    inside = "".join(f' {name}="{text(value)}"' for name, value in shown.items())
    return f"<{tag}{inside}>{''.join(content)}</{tag}>"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text.

    Parameters
    ----------
    text : str
        The text, without markup.
    kind : {"", "lead", "note"}
        Whether it opens a section or remarks on what stands before it.

    Examples
    --------
    >>> Paragraph("1 < 2", "note").html()
    '<p class="note">1 &lt; 2</p>'
    """

    text: str
    kind: Literal["", "lead", "note"] = ""

    def html(self) -> str:
        """Return the paragraph as HTML."""
        return element("p", text(self.text), class_=self.kind)


@dataclass(frozen=True)
class Preformatted:
    """Text whose spaces and line breaks count, such as a command or a tree.

    Parameters
    ----------
    text : str
        The text.
    caption : str
        What it is.

    Examples
    --------
    >>> Preformatted("a <= 1: yes").html()
    '<pre tabindex="0">a &lt;= 1: yes</pre>'
    """

    text: str
    caption: str = ""

    def html(self) -> str:
        """Return the text as HTML."""
        caption = element("p", text(self.caption), class_="note") if self.caption else ""
        return caption + element("pre", escape(self.text), tabindex=0)


@dataclass(frozen=True)
class Definitions:
    """Terms and their values.

    Parameters
    ----------
    pairs : tuple of pairs of str
        A term and its value.

    Examples
    --------
    >>> Definitions((("rows", "1,000"),)).html()
    '<dl><dt>rows</dt><dd>1,000</dd></dl>'
    """

    pairs: tuple[tuple[str, str], ...]

    def html(self) -> str:
        """Return the list as HTML."""
        return element("dl", *(element("dt", text(term)) + element("dd", text(value)) for term, value in self.pairs))


# The mark of each kind and the word that a screen reader reads: never colour alone
KINDS = {
    "good": ("✓", "Good"),
    "bad": ("✗", "Problem"),
    "unsure": ("?", "Not certain"),
    "info": ("i", "Note"),
    "warning": ("!", "Warning"),
}


@dataclass(frozen=True)
class Callout:
    """An answer or a warning.

    Parameters
    ----------
    kind : {"good", "bad", "unsure", "info", "warning"}
        What it means for the reader.
    text : str
        The statement, in a sentence.
    detail : str
        What stands behind it.
    model : str
        The model it is about; it is hidden with that model.

    Examples
    --------
    >>> Callout("good", "The probabilities are right.").html().count("Good")
    1
    """

    kind: Literal["good", "bad", "unsure", "info", "warning"]
    text: str
    detail: str = ""
    model: str = ""

    def html(self) -> str:
        """Return the statement as HTML."""
        mark, word = KINDS[self.kind]
        sign = element("span", text(mark), class_="mark", aria_hidden="true")
        spoken = element("span", text(f"{word}: "), class_="spoken")
        detail = element("p", text(self.detail), class_="detail") if self.detail else ""
        body = element("div", element("p", spoken, text(self.text)), detail)
        return element("div", sign, body, class_=f"callout {self.kind}", data_model_name=self.model)


@dataclass(frozen=True)
class PngPicture:
    """A picture in a PNG file.

    Parameters
    ----------
    png : bytes
        The content of the file.
    description : str
        What the picture shows, for those who do not see it.
    caption : str
        What stands below it.

    Examples
    --------
    >>> PngPicture(b"", "A line").html()
    '<figure class="picture"><img src="data:image/png;base64," alt="A line"></figure>'
    """

    png: bytes = field(repr=False)
    description: str
    caption: str = ""

    def html(self) -> str:
        """Return the picture as HTML, the file inside."""
        image = f'<img src="data:image/png;base64,{b64encode(self.png).decode()}" alt="{text(self.description)}">'
        caption = element("figcaption", text(self.caption)) if self.caption else ""
        return element("figure", image, caption, class_="picture")


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
        return _scrolled(self.caption, self.note, head, element("tbody", *map(self._row, self.rows, models, links)))

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


def _scrolled(caption: str, note: str, *content: str) -> str:
    """Return a table in a container that scrolls, with a note below."""
    table = element("table", element("caption", text(caption)), *content)
    container = element("div", table, class_="table", role="region", aria_label=caption, tabindex=0)
    return container + (element("p", text(note), class_="note") if note else "")


def _lines(cell: str) -> str:
    """Return the first line of a cell, and the others below it in small type."""
    first, *others = cell.split("\n")
    return text(first) + "".join(f"<br>{element('small', text(line))}" for line in others if line)


_WIDTH, _HEIGHT = 150, 9  # pixels


@dataclass(frozen=True)
class Share:
    """A part of a whole.

    Parameters
    ----------
    name : str
        What it is.
    share : float
        Its share, from 0 to 1.
    text : str
        Its numbers, as they are shown.
    is_marked : bool
        Whether it stands out.

    Examples
    --------
    >>> Share("yes", 0.25, "10 (25.0%)").share
    0.25
    """

    name: str
    share: float
    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class Shares:
    """Parts of a whole, a bar each.

    Parameters
    ----------
    caption : str
        What the whole is.
    parts : tuple of Share
        The parts.
    note : str
        A remark below them.

    Examples
    --------
    >>> Shares("Classes", (Share("no", 0.75, "30 (75.0%)"), Share("yes", 0.25, "10 (25.0%)"))).html().count("<tr>")
    2
    """

    caption: str
    parts: tuple[Share, ...]
    note: str = ""

    def html(self) -> str:
        """Return the parts as an HTML table, in a container that scrolls where names are long."""
        return _scrolled(self.caption, self.note, element("tbody", *map(_row, self.parts)))


def _row(part: Share) -> str:
    name = element("strong", text(part.name)) if part.is_marked else text(part.name)
    bar = element(
        "svg",
        _rect(_WIDTH, "currentColor", "0.12"),
        _rect(_WIDTH * part.share, *(("#4477aa", "1") if part.is_marked else ("currentColor", "0.45"))),
        width=_WIDTH,
        height=_HEIGHT,
        aria_hidden="true",
    )
    return element(
        "tr",
        element("th", name, scope="row", class_="left"),
        element("td", bar, class_="left"),
        element("td", text(part.text), class_="left"),
    )


def _rect(width: float, fill: str, opacity: str) -> str:
    return element("rect", width=f"{width:.4g}", height=_HEIGHT, rx=2, fill=fill, fill_opacity=opacity)
