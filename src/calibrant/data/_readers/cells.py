r"""Cells that Arrow leaves as text: numbers with thousands, signs or commas, dates of other orders, marks for missing.

Written here because pandas, readr and clevercsv take one notation for a whole file, and none decides it column by
column over all cells; all steps are Arrow's or NumPy's, and a sample rules out most columns of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.reading import ColumnType, DateOrder, ReadOptions
from calibrant.exceptions import ReadError

# Missing values, quoted or not: empty, the ? of UCI files, and the words of R, SAS, SQL, MySQL and pandas.
MISSING = (
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "<NA>",
    "#N/A",
    "NaN",
    "nan",
    "-NaN",
    "-nan",
    "NULL",
    "Null",
    "null",
    "None",
    "(null)",
    r"\N",
    "#NULL!",
    "#DIV/0!",
    "#VALUE!",
    "#REF!",
)
# In a column of numbers or dates these are missing values; in one of words they may be categories.
MARKS = ("-", "--", "---", "–", "—", ".", "..", "...", "…", "*")

_SAMPLE = 200
_BLANK = r"[ \x{a0}\x{202f}]"
_SIGN = r"[+\-−]"
# Among them the backslash, which Japanese encodings have in the place of the yen sign
_CURRENCIES = (r"\$", r"\\", "€", "£", "¥", "CHF", "EUR", "USD", "GBP", r"Fr\.")
_CURRENCY = f"(?:{'|'.join(_CURRENCIES)})"
_THOUSANDS = {"'": "['’]", " ": _BLANK}
_EXPONENT = "(?:[eE][+-]?[0-9]+)?"


@dataclass(frozen=True)
class CellRules:
    """The notation of the cells of a file.

    Parameters
    ----------
    decimal : str
        The decimal mark of the file.
    thousands : str, optional
        The character between thousands; by default any that fits.
    dates : {"dmy", "mdy", "ymd"}, optional
        The order of dates in which two orders fit.
    is_fixed : bool
        Whether no column may have the other decimal mark: it was passed, or the rows come block by block.
    """

    decimal: str = "."
    thousands: str | None = None
    dates: DateOrder | None = None
    is_fixed: bool = False

    @classmethod
    def of(cls, options: ReadOptions, decimal: str = ".") -> Self:
        """Return the rules of the options that were passed, with a decimal mark where none was."""
        # a character between thousands leaves the other one for decimals
        decimal = options.decimal or {".": ",", ",": "."}.get(options.thousands or "", decimal)
        is_fixed = options.decimal is not None or options.thousands is not None
        return cls(decimal, options.thousands, options.dates, is_fixed)


@dataclass(frozen=True)
class ReadCells:
    """A column of numbers or dates, with an example of its notation, its marks and its order of dates."""

    name: str
    column: Any
    example: str
    is_percent: bool = False
    decimal: str | None = None
    thousands: str | None = None
    dates: DateOrder | None = None


def read_cells(
    path: Path, name: str, column: Any, rules: CellRules, kind: ColumnType | None = None
) -> ReadCells | None:
    """Return a column of text as numbers or dates if all of its cells are, else None.

    Parameters
    ----------
    path, name : path and str
        The file and the column, for messages.
    column : pyarrow.ChunkedArray
        Text without blanks around it, nulls where cells are missing.
    rules : CellRules
        The notation of the file.
    kind : {"number", "date"}, optional
        The type that the column must have.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = pa.chunked_array([["20.000,00", "-", "1.500,50"]])
    >>> found = read_cells(Path("a.csv"), "income", column, CellRules(","))
    >>> found.column.to_pylist(), found.example
    ([20000.0, None, 1500.5], "'income' 20.000,00 is 20000")
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind not in (None, "number", "date") or (kind is None and not all(map(_may_be_read, _sample(column)))):
        return None
    known = pc.if_else(pc.is_in(column, value_set=pa.array(MARKS, column.type)), pa.scalar(None, column.type), column)
    if known.null_count == len(known):
        return ReadCells(name, known.cast(pa.float64()), "")
    found = _read_numbers(name, known, rules) if kind != "date" else None
    found = found or (_read_dates(path, name, known, rules, kind) if kind != "number" else None)
    if found is None and kind is not None:
        raise _not_of_type(path, name, known, kind)
    return found


def _sample(column: Any) -> list[str]:
    """Return the first cells and some from all over the column."""
    spread = column.take(np.linspace(0, len(column) - 1, min(len(column), _SAMPLE)).astype(np.int64))
    return [text for part in (column.slice(0, _SAMPLE), spread) for text in part.to_pylist() if text is not None]


def _may_be_read(text: str) -> bool:
    return text in MARKS or is_figure(text)


def is_figure(text: str) -> bool:
    """Return whether a cell is a number in some notation, or a date.

    Examples
    --------
    >>> is_figure("€ 1.234,50"), is_figure("31.12.2020"), is_figure("Bern")
    (True, True, False)
    """
    if len(text) > 60:
        return False
    notations = (*(_number_pattern(decimal, mark) for decimal, mark in _styles(CellRules())), _DATE, _MONTH_DATE)
    return any(_compiled(pattern).match(text) for pattern in notations)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\x\{([0-9a-f]+)\}", lambda code: chr(int(code[1], 16)), pattern))


def near_number_note(name: str, column: Any) -> str | None:
    """Return a note that explains why a column is nominal if most of its cells are numbers or dates, else None.

    Examples
    --------
    >>> import pyarrow as pa
    >>> near_number_note("price", pa.chunked_array([["1,234", "free", "2,500"]]))
    "'price' is nominal because of values such as 'free' (1 of 3); the others are numbers or dates. Correct ..."
    """
    import pyarrow.compute as pc

    sample = _sample(column)
    if len(sample) < 2 or 2 * sum(map(_may_be_read, sample)) <= len(sample):
        return None
    values = pc.value_counts(column.drop_null())
    counted = list(zip(values.field("values").to_pylist(), values.field("counts").to_pylist(), strict=True))
    others = [(text, n) for text, n in counted if not _may_be_read(text)]
    n_others, total = sum(n for _, n in others), sum(n for _, n in counted)
    if 2 * n_others >= total:
        return None
    if not others:
        signs = sorted({sign[0] for text, _ in counted for sign in _compiled(f"{_CURRENCY}|%").finditer(text)})
        return f"{name!r} is nominal because its numbers are of several notations ({' '.join(signs) or 'marks'})."
    return (
        f"{name!r} is nominal because of values such as {others[0][0]!r:.40} ({n_others:,} of {total:,}); the others "
        "are numbers or dates. Correct them, or declare them as missing."
    )


def _not_of_type(path: Path, name: str, known: Any, kind: ColumnType) -> ReadError:
    texts = known.drop_null()
    other = next((text for text in texts.to_pylist() if not is_figure(text)), texts[0].as_py())
    problem = f"holds {other!r:.60}, which is no {kind} as the other cells are written"
    return ReadError.at(path, problem, column=name, hint="Declare such cells as missing, or the column as nominal.")


# --- numbers --------------------------------------------------------------------------------------------------------


def _styles(rules: CellRules) -> Iterator[tuple[str, str]]:
    """Yield the decimal marks and characters between thousands to try, those of the file first."""
    other = "." if rules.decimal == "," else ","
    for decimal, opposite in ((rules.decimal, other), (other, rules.decimal))[: 1 if rules.is_fixed else 2]:
        marks = ("", opposite, " ", "'") if rules.thousands is None else ("", rules.thousands)
        yield from ((decimal, mark) for mark in marks if mark != decimal)


@cache
def _number_pattern(decimal: str, thousands: str) -> str:
    point = re.escape(decimal)
    between = _THOUSANDS.get(thousands, re.escape(thousands))
    whole = f"(?:[0-9]{{1,3}}(?:{between}[0-9]{{3}})+|[0-9]+)" if thousands else "[0-9]+"
    figure = f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}"
    signed = f"{_SIGN}?(?:{_CURRENCY}{_BLANK}?)?{_SIGN}?{figure}(?:{_BLANK}?(?:{_CURRENCY}|%))?{_SIGN}?"
    return rf"^(?:{signed}|\({signed}\))$"


def _read_numbers(name: str, known: Any, rules: CellRules) -> ReadCells | None:
    import pyarrow.compute as pc

    for decimal, mark in _styles(rules):
        if pc.all(pc.match_substring_regex(known, _number_pattern(decimal, mark))).as_py():
            break
    else:
        return None
    if not _has_one_unit(known):
        return None
    column = _as_numbers(known, decimal, mark)
    at = _telling_cell(known)
    example = f"{name!r} {known[at].as_py()} is {_plain(column[at].as_py())}"
    is_plain = _compiled(r"[+-]?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?").fullmatch(known[at].as_py())
    shows_decimal, is_percent = (bool(pc.any(pc.match_substring(known, each)).as_py()) for each in (decimal, "%"))
    shown = "" if is_plain else example
    return ReadCells(name, column, shown, is_percent, decimal if shows_decimal else None, mark or None)


def _has_one_unit(known: Any) -> bool:
    """Return whether all cells have a percent sign or none has, and no two currencies occur."""
    import pyarrow.compute as pc

    n_percent = pc.sum(pc.match_substring(known, "%")).as_py()
    n_currencies = sum(bool(pc.any(pc.match_substring_regex(known, sign)).as_py()) for sign in _CURRENCIES)
    return n_currencies <= 1 and n_percent in (0, len(known) - known.null_count)


def _as_numbers(known: Any, decimal: str, thousands: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.replace_substring_regex(known, f"{_CURRENCY}|%|{_BLANK}", "")
    text = pc.replace_substring_regex(text, _THOUSANDS.get(thousands, re.escape(thousands)), "") if thousands else text
    negative = pc.match_substring_regex(text, r"^[(\-−]|[\-−]$")
    text = pc.replace_substring_regex(text, r"^[(+\-−]+|[)+\-−]+$", "")
    text = pc.replace_substring(text, decimal, ".") if decimal != "." else text
    try:
        values = text.cast(pa.int64())
    except pa.ArrowInvalid:
        values = text.cast(pa.float64())
    return pc.if_else(negative, pc.negate(values), values)


def _telling_cell(known: Any) -> int:
    """Return the position of the first cells' longest, which shows most of the notation."""
    return max(range(min(len(known), _SAMPLE)), key=lambda row: len(known[row].as_py() or ""))


def _plain(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)


# --- dates ----------------------------------------------------------------------------------------------------------

_TIME = r"(?:(?:[ T]+|:)(?P<h>[0-9]{1,2}):(?P<n>[0-9]{2})(?::(?P<s>[0-9]{2})(?:[.,][0-9]+)?)?(?: ?(?P<p>[AaPp])[Mm])?)?"
_DATE = rf"^(?P<a>[0-9]{{4}}|[0-9]{{1,2}})(?P<x>[./-])(?P<b>[0-9]{{1,2}})[./-](?P<c>[0-9]{{4}}|[0-9]{{1,2}}){_TIME}$"
_MONTH_DATE = rf"^(?P<a>[0-9]{{1,2}})(?P<x>[-. ]{{0,2}})(?P<b>[A-Za-z]{{3}})[-. ]?(?P<c>[0-9]{{4}}|[0-9]{{2}}){_TIME}$"
_DIGITS = rf"^(?P<a>[0-9]{{4}})(?P<x>)(?P<b>[0-9]{{2}})(?P<c>[0-9]{{2}}){_TIME}$"  # 20210131, where it is declared
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OTHER_MONTHS = {"mrz": 3, "mai": 5, "okt": 10, "dez": 12}
_CENTURY = 69  # a year of two digits from 69 on is of the last century, as in POSIX


def _read_dates(path: Path, name: str, known: Any, rules: CellRules, kind: ColumnType | None) -> ReadCells | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_null = known.is_null().to_numpy()
    for pattern in (_DATE, _MONTH_DATE) if kind is None else (_DATE, _MONTH_DATE, _DIGITS):
        if pc.all(pc.match_substring_regex(known, pattern)).as_py():
            break
    else:
        return None
    parts = pc.extract_regex(known, pattern).combine_chunks()
    a, c = _integers(parts, "a"), _integers(parts, "c")
    b = _months(parts.field("b")) if pattern is _MONTH_DATE else _integers(parts, "b")
    here = ~is_null
    order = _order(path, name, known, (a[here], b[here], c[here]), rules, named=pattern is _MONTH_DATE)
    if order is None:
        return None
    day, month, year = {"dmy": (a, b, c), "mdy": (b, a, c), "ymd": (c, b, a)}[order]
    moments = _moments(day, month, year, parts)
    if np.isnat(moments[here]).any():
        return None
    moments[is_null] = np.datetime64("NaT", "s")
    at = int(np.flatnonzero(here)[0])
    shown = str(moments[at]).replace("T", " ").removesuffix(" 00:00:00")
    column, cell = pa.chunked_array([pa.array(moments, pa.timestamp("s"))]), known[at].as_py()
    example = "" if cell.startswith(shown[:10]) else f"{name!r} {cell} is {shown}"  # none of ISO's own notation
    return ReadCells(name, column, example, dates=order)


def _integers(parts: Any, group: str) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = parts.field(group)
    text = pc.if_else(pc.equal(text, ""), pa.scalar("0", text.type), text).fill_null("0")
    found: NDArray[np.int64] = text.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return found


def _months(texts: Any) -> NDArray[np.int64]:
    number = {**{month: i for i, month in enumerate(_MONTHS, start=1)}, **_OTHER_MONTHS}
    return np.array([number.get((text or "").lower(), 0) for text in texts.to_pylist()], dtype=np.int64)


def _order(
    path: Path, name: str, known: Any, parts: tuple[NDArray[np.int64], ...], rules: CellRules, *, named: bool
) -> DateOrder | None:
    """Return the order that fits all dates; raise if two fit and nothing decides."""
    a, b, _ = parts
    if named:
        return "dmy"
    if (a > 31).any():
        return "ymd" if (a > 31).all() else None
    low, high = b.max() <= 12, a.max() <= 12
    fitting: list[DateOrder] = [order for order, fits in (("dmy", low), ("mdy", high)) if fits]  # type: ignore[misc]
    if rules.dates in fitting:
        return rules.dates
    if len(fitting) < 2 or (a == b).all():
        return fitting[0] if fitting else None
    cell = known.drop_null()[int(np.flatnonzero(a != b)[0])].as_py()
    if "." in cell[:3]:  # a date with points has the day first wherever it is written
        return "dmy"
    hint = "Say which by dates: dmy for day first, mdy for month first; or declare the column as nominal."
    raise ReadError.at(path, f"{cell!r} may be day or month first, as all dates of the column", column=name, hint=hint)


def _moments(
    day: NDArray[np.int64], month: NDArray[np.int64], year: NDArray[np.int64], parts: Any
) -> NDArray[np.datetime64]:
    """Return days and times; NaT where there is no such day."""
    year = np.where(year < 100, year + np.where(year < _CENTURY, 2000, 1900), year)
    is_month = (month >= 1) & (month <= 12)
    start = (year - 1970).astype("M8[Y]").astype("M8[M]") + (np.where(is_month, month, 1) - 1).astype("m8[M]")
    days = start.astype("M8[D]") + (day - 1).astype("m8[D]")
    is_day = is_month & (day >= 1) & (days.astype("M8[M]") == start)
    hours = _integers(parts, "h")
    halves = np.array([(text or "").lower() for text in parts.field("p").to_pylist()])
    hours = np.where(halves == "p", hours % 12 + 12, np.where(halves == "a", hours % 12, hours))
    seconds = hours * 3600 + _integers(parts, "n") * 60 + _integers(parts, "s")
    moments: NDArray[np.datetime64] = days.astype("M8[s]") + seconds.astype("m8[s]")
    moments[~is_day | (hours > 23)] = np.datetime64("NaT", "s")
    return moments
