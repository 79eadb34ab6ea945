"""How a file was read: what was understood of its layout, as one line and as the options that read the next alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

DateOrder = Literal["dmy", "mdy", "ymd"]
ColumnType = Literal["nominal", "number", "date", "text", "drop"]

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks", ",": "commas"}
_MOST_EXAMPLES = 3
_OPTIONS = ("decimal", "thousands", "dates", "missing")  # which a file does not always show
_GIVEN = ("sep", "header", "encoding", "sheet")  # which it shows, so that they are passed on only if they were passed


@dataclass(frozen=True)
class Reading:
    """The layout of a file as it was understood.

    Parameters
    ----------
    format : str
        The extension of the format, such as ``".csv"`` or ``".xlsx"``.
    sep, decimal, thousands : str or None
        The characters between columns, before decimals and between thousands; None where there are none.
    encoding : str or None
        The encoding of a text file.
    dates : {"dmy", "mdy", "ymd"} or None
        The order of day, month and year in dates that are not ISO's.
    missing : tuple of str
        Further texts that mean missing values, as they were passed.
    sheet : str or None
        The sheet of a workbook.
    header : bool or None
        Whether a CSV file has a header.
    types : dict of str to {"nominal", "number", "date", "text"}
        Columns whose type was passed, and those that are dates or free text.
    given : tuple of str
        Names of the options that the caller passed.
    percent : tuple of str
        Columns whose cells have percent signs; ``45 %`` is 45.
    examples : tuple of str
        Cells that were not read as they are written: ``"'income' 20.000,00 is 20000"``.

    Examples
    --------
    >>> reading = Reading(".csv", sep=";", decimal=",", encoding="cp1252", examples=("'income' 20.000,00 is 20000",))
    >>> reading.text
    "semicolons, decimal commas, cp1252; 'income' 20.000,00 is 20000"
    >>> reading.options()
    {'decimal': ','}
    >>> Reading.from_dict(reading.to_dict()) == reading
    True
    """

    format: str
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    dates: DateOrder | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None
    header: bool | None = None
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    percent: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The layout in one line; empty for a plain CSV file in UTF-8."""
        facts = [f"sheet {self.sheet!r:.60}"] if self.sheet is not None else []
        if self.sep not in (None, ",", "\t") or (self.sep == "\t" and self.decimal == ","):
            facts.append(_SEPARATORS.get(self.sep or "", f"columns separated by {self.sep!r}"))
        facts += ["decimal commas"] if self.decimal == "," else []
        facts += [self.encoding] if self.encoding not in (None, "utf-8") else []
        more = len(self.examples) - _MOST_EXAMPLES
        examples = [
            *self.examples[:_MOST_EXAMPLES],
            *([f"{more} more column{'s' * (more > 1)} like these"] if more > 0 else []),
        ]
        return "; ".join(filter(None, (", ".join(facts), "; ".join(examples))))

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as a document of JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items() if value
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the reading of a document."""
        values: dict[str, Any] = {
            name: tuple(each) if isinstance(each, list) else each for name, each in document.items()
        }
        return cls(**values)

    def options(self) -> dict[str, Any]:
        """Return the keywords of `read_table` that read another file alike."""
        names = (*_OPTIONS, *(name for name in _GIVEN if name in self.given))
        found = {name: getattr(self, name) for name in names}
        types = {name: kind for name, kind in self.types.items() if kind != "drop"}
        return {name: value for name, value in (*found.items(), ("types", types)) if value not in (None, (), {}, ".")}


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of `read_table` that say how a file is laid out; None: as the file shows."""

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool | None = None
    encoding: str | None = None
    dates: DateOrder | None = None
    missing: tuple[str, ...] = ()
    sheet: str | int | None = None
    types: Mapping[str, ColumnType] = field(default_factory=dict)

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that are passed."""
        return tuple(name for name, value in vars(self).items() if value not in (None, (), {}))

    def of_type(self, *kinds: ColumnType) -> set[str]:
        """Return the columns that are declared to be of some types."""
        return {name for name, kind in self.types.items() if kind in kinds}
