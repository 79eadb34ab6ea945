"""The layout of a CSV file by its first lines: preamble, separator, header, decimal mark, columns to exclude.

Written here because clevercsv, which finds the same separator in 89 of the 90 files in our tests, takes 0.3 s for
128 kB where this takes 3 ms, and neither it nor csv.Sniffer knows preambles, decimal commas, row names or R's headers
(they agree on the header in 48 and 36 of the 90 files). Rows are split here because the csv module limits the length
of a cell for the whole process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, cast

from calibrant.data._readers.cells import MISSING
from calibrant.data._readers.compression import uncompressed_name
from calibrant.data._readers.source import check_width, encoding_error
from calibrant.exceptions import ReadError

NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[0-9]+,[0-9]+|inf(?:inity)?)\s*", re.IGNORECASE
)

_YEAR = re.compile(r"\s*(?:1[6-9]|20|21)[0-9]{2}\s*")
_ROW_NAMES = "row_names"
_LOOKS_LIKE_DATA = "The first line looks like data, so the columns are named x0, x1, …; header=True reads it as names."
_R_NOTE = "The header has one name fewer than the rows have fields, as R writes it: the first column is not a feature."


def is_r_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether every row has one field more than the header, a row name, as R's write.table writes it.

    Examples
    --------
    >>> is_r_table([["mpg", "cyl"], ["Mazda", "21", "6"], ["Fiat", "32", "4"]])
    True
    """
    first, *body = rows
    if not body or any(len(row) != len(first) + 1 for row in body):
        return False
    return len({row[0] for row in body}) == len(body) and any(row[-1].strip() for row in body)


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is a header, by comparing it column by column with the rows below.

    A word above numbers makes it a header. Otherwise numbers in the first row make it data, unless they are years far
    from the numbers below; and so do words that occur again below in half of the columns.

    Examples
    --------
    >>> has_header([["age", "5"], ["31", "7"]]), has_header([["5.1", "setosa"], ["4.9", "setosa"]])
    (True, False)
    """
    first = [cell.strip() for cell in rows[0]]
    below = [_known_values(rows[1:], j) for j in range(len(first))]
    columns = list(zip(first, below, strict=True))
    if any(_is_name_of_numbers(cell, known) for cell, known in columns):
        return True
    if any(cell == "?" for cell in first):
        return False
    n_repeated = sum(cell in known for cell, known in columns if cell)
    numbers = [(cell, known) for cell, known in columns if NUMBER.fullmatch(cell)]
    if numbers:
        return len(numbers) < len(columns) and not n_repeated and all(_is_distant_year(*pair) for pair in numbers)
    return 2 * n_repeated < len(first)


def _known_values(body: Sequence[Sequence[str]], j: int) -> set[str]:
    cells = {row[j].strip() for row in body if j < len(row)}
    return cells.difference(MISSING)


def _is_name_of_numbers(cell: str, known: set[str]) -> bool:
    if cell in MISSING or not known or NUMBER.fullmatch(cell) or cell in known:
        return False
    return all(map(NUMBER.fullmatch, known))


def _is_distant_year(cell: str, known: set[str]) -> bool:
    """Return whether a number is a year far from the numbers below, by a tenth of the year and by their range."""
    if not known or not _YEAR.fullmatch(cell) or not all(map(NUMBER.fullmatch, known)):
        return False
    year, values = float(cell), [float(value.replace(",", ".")) for value in known]
    low, high = min(values), max(values)
    margin = max(year / 10, min(high - low, year))
    return year < low - margin or year > high + margin


def name_columns(
    path: Path, rows: Sequence[Sequence[str]], header: bool | None, names: Sequence[str] | None
) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Return the names of the columns, whether the first row is the header, and notes.

    Examples
    --------
    >>> name_columns(Path("a.csv"), [["age", ""], ["31", "no"]], None, None)[:2]
    (('age', 'column_1'), True)
    """
    first = rows[0]
    if names is not None:
        return _check_names(path, len(first), names), bool(header), ()
    if header is not False and is_r_table(rows):
        found = tuple(name.strip() or f"column_{j}" for j, name in enumerate(first, start=1))
        row_names = _ROW_NAMES if _ROW_NAMES not in found else "column_0"
        return _check_unique(path, (row_names, *found)), True, (_R_NOTE,)
    if not (has_header(rows) if header is None else header):
        notes = (_LOOKS_LIKE_DATA,) if header is None else ()
        return tuple(f"x{j}" for j in range(len(first))), False, notes
    found = tuple(name.strip() or f"column_{j}" for j, name in enumerate(first))
    return _check_unique(path, found), True, ()


def _check_names(path: Path, width: int, names: Sequence[str]) -> tuple[str, ...]:
    if len(names) != width:
        hint = "Pass one name for each column."
        raise ReadError.at(path, f"has {width} columns for {len(names)} names", hint=hint)
    return _check_unique(path, tuple(names))


def _check_unique(path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            problem = f"has the column {name[:60]!r} twice (columns {seen[name] + 1} and {position + 1})"
            raise ReadError.at(path, problem, hint="Rename or remove one.")
        seen[name] = position
    return names


class Row(NamedTuple):
    """The cells of a row, the line it begins on and the line it ends on."""

    cells: list[str]
    line: int
    last_line: int

    @property
    def blank(self) -> bool:
        """Whether the line is empty or holds only blanks."""
        return len(self.cells) == 1 and not self.cells[0].strip()


def split_rows(text: str, separator: str) -> Iterator[Row]:
    r"""Yield the rows of a text; quotes enclose separators and line ends, and one that is not closed is a character.

    Examples
    --------
    >>> [row.cells for row in split_rows('a,b\n"x\ny","5"" pipe"\n', ",")]
    [['a', 'b'], ['x\ny', '5" pipe']]
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    cell = re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*)")?([^\n{re.escape(separator)}]*+)')
    at, line = 0, 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        last = line
        if text.find('"', at, end) < 0:
            cells = text[at:end].split(separator)
        else:
            cells, end = _quoted(text, at, cell)
            last += text.count("\n", at, end)
        yield Row(cells, line, last)
        at, line = end + 1, last + 1


def _quoted(text: str, at: int, cell: re.Pattern[str]) -> tuple[list[str], int]:
    """Split a row that has quotes; return its cells and the position of its end."""
    cells: list[str] = []
    while True:
        match = cast("re.Match[str]", cell.match(text, at))  # always matches, because all parts may be empty
        inside, rest = match.groups()
        cells.append(rest if inside is None else inside.replace('""', '"') + rest)
        at = match.end()
        if at == len(text) or text[at] == "\n":
            return cells, at
        at += 1


_SEPARATORS = ("\t", ";", "|", ",")
_DECIMAL_COMMA = re.compile(r"\W*[+-]?[0-9]+(?:[.' \xa0\u202f][0-9]{3})*,[0-9]+\s*(?:[-%$€£]|CHF|EUR)?\s*")
_GROUPED = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+\s*")
_LEADING_ZERO = re.compile(r"\s*0[0-9]+\s*")
_SEP_LINE = re.compile(rb'"?sep=([\x01-\x7f])"?\s*', re.IGNORECASE)
_QUOTED = re.compile(r'(?:^|(?<=[,;\t| ]))"[^"]*+(?:""[^"]*+)*"(?=[,;\t| ]|$)', re.MULTILINE)

# Trade-off of certainty and time: lines to compare separators on, rows and bytes to compare the header with.
_SEPARATOR_LINES = 20
_SAMPLE_ROWS = 200
_SAMPLE_BYTES = 2**20
_MOST_TITLES = 20  # rows above a header
_WIDE = 5  # columns of a table whose titles may have two cells, such as "Date:" and a date
# The first two lines are always sampled, unless the second is longer than that of the widest table allowed.
_MAX_SECOND_LINE = 2**24


@dataclass(frozen=True)
class CsvLayout:
    """The layout of a CSV file.

    Parameters
    ----------
    separator : str
        The character between the columns.
    names : tuple of str
        The names of the columns.
    skip : int
        Number of lines before the first row of data.
    decimal : str
        The decimal mark.
    notes : tuple of str
        Decisions that the user may want to know.
    header : tuple of str
        The header as it is in the file; empty if there is none.
    not_features : frozenset of str
        Columns that are not features by the first rows: row names, row numbers, an empty column after a last separator.
    padded : mapping of str to str
        Columns with integers that begin with a zero, each with an example.
    has_rows : bool
        Whether there is a row after the header.
    """

    separator: str
    names: tuple[str, ...]
    skip: int
    decimal: str
    notes: tuple[str, ...]
    header: tuple[str, ...]
    not_features: frozenset[str]
    padded: dict[str, str]
    has_rows: bool = True


def read_layout(
    path: Path,
    raw: bytes,
    *,
    sep: str | None,
    header: bool | None,
    names: Sequence[str] | None,
    may_lack_rows: bool = False,
) -> CsvLayout:
    r"""Infer the layout of a CSV file from its first lines; one of a folder may have no rows after its header.

    Examples
    --------
    >>> layout = read_layout(Path("a.csv"), b"age;sex\n31,5;f\n", sep=None, header=None, names=None)
    >>> layout.separator, layout.names, layout.skip, layout.decimal
    (';', ('age', 'sex'), 1, ',')
    """
    preamble = find_preamble(raw)
    specified = sep or preamble.separator
    first_line = raw[preamble.n_bytes : _line_end(raw, preamble.n_bytes)]
    possible = _SEPARATORS if specified is None else [specified]
    check_width(path, max(first_line.count(separator.encode()) for separator in possible) + 1)
    start = _first_lines(path, raw, preamble.n_bytes)
    separator = specified or guess_separator(path, start)
    check_width(path, first_line.count(separator.encode()) + 1)
    rows = list(islice((row for row in split_rows(start, separator) if not row.blank), _SAMPLE_ROWS))
    if not rows:
        raise ReadError.at(path, "is empty", hint="Pass a file with a header and rows.")
    n_titles = _count_titles(rows) if header is None and names is None else 0
    title, rows = rows[:n_titles], rows[n_titles:]
    check_width(path, len(rows[0].cells))
    cells = [row.cells for row in rows]
    found, has_header, notes = name_columns(path, cells, header, names)
    has_rows = not has_header or len(rows) > 1 or preamble.n_bytes + len(start.encode()) < len(raw.rstrip())
    if not has_rows and not may_lack_rows:
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")
    body = cells[1:] if has_header else cells
    return CsvLayout(
        separator,
        found,
        preamble.n_lines + (rows[0].last_line if has_header else rows[0].line - 1 if title else 0),
        _decimal_mark(separator, body),
        (*_comment_note(preamble), *_title_note(title), *notes),
        tuple(cells[0]) if has_header else (),
        frozenset(_find_not_features(found, cells[0] if has_header else None, body)),
        _zero_padded(found, body),
        has_rows,
    )


# --- first lines ----------------------------------------------------------------------------------------------------


def _first_lines(path: Path, raw: bytes, at: int) -> str:
    """Decode the start of the file: complete lines, at least the first two unless the second is very long."""
    first = _line_end(raw, at)
    second = _line_end(raw, min(len(raw), first + 2))
    first = second if second - first <= _MAX_SECOND_LINE else first
    end = max(first, min(len(raw), at + _SAMPLE_BYTES))
    if end < len(raw) and end > first:
        end = max(first, raw.rfind(b"\n", at, end))
    try:
        return raw[at:end].decode()
    except UnicodeDecodeError as error:
        raise encoding_error(path, raw, error, at) from error


def _count_titles(rows: Sequence[Row]) -> int:
    """Return the number of rows above the header: of a title, a date and the like, in one or two cells of many."""
    filled = [sum(bool(cell.strip()) for cell in row.cells) for row in rows[: 2 * _MOST_TITLES]]
    full = max(filled)
    most = 1 if full < _WIDE else 2
    n = next(n for n, number in enumerate(filled) if number > min(most, full - 1))
    below = [row.cells for row in rows[n:]]
    is_title = 0 < n <= _MOST_TITLES and len({len(cells) for cells in below}) == 1 and len(below) > 1
    numbers = (cell for row in rows[:n] for cell in row.cells if NUMBER.fullmatch(cell))
    return n if is_title and next(numbers, None) is None and has_header(below) else 0


def _title_note(title: Sequence[Row]) -> tuple[str, ...]:
    if not title:
        return ()
    words = next((cell.strip() for row in title for cell in row.cells if cell.strip()), "")
    return (f"The lines above the header are skipped: {words[:60]!r}.",)


def _comment_note(preamble: Preamble) -> tuple[str, ...]:
    if not preamble.comment:
        return ()
    return (f"Lines that start with # before the table are skipped: {preamble.comment[:60]!r}.",)


def _decimal_mark(separator: str, body: list[list[str]]) -> str:
    """Return the decimal mark: a comma if there are cells such as 3,5 or 1.000,50 and none such as 3.5."""
    if separator == ",":
        return "."
    cells = [cell for row in body for cell in row]
    comma = any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells)
    points = (cell for cell in cells if "." in cell and not _GROUPED.fullmatch(cell))
    return "," if comma and not any(map(NUMBER.fullmatch, points)) else "."


def _find_not_features(names: tuple[str, ...], header: list[str] | None, body: list[list[str]]) -> list[str]:
    """Return the columns that are not features by the first rows; all rows are checked later."""
    width = len(names)
    if header is not None and len(header) == width - 1:
        return [names[0]]
    is_unnamed = [header is None or not cell.strip() for cell in header or names]
    found = [names[0]] if header is not None and width > 2 and is_unnamed[0] and _is_row_number(body) else []
    for j in range(width - 1, 1, -1):
        if not is_unnamed[j] or any(len(row) > j and row[j].strip() for row in body):
            break
        found.append(names[j])
    return found


def _is_row_number(body: list[list[str]]) -> bool:
    numbers = [row[0].strip() for row in body]
    return numbers[:1] in (["0"], ["1"]) and numbers == [str(int(numbers[0]) + i) for i in range(len(numbers))]


def _zero_padded(names: tuple[str, ...], body: list[list[str]]) -> dict[str, str]:
    padded = {}
    for name, column in zip(names, zip(*body, strict=False), strict=False):
        example = next(filter(_LEADING_ZERO.fullmatch, column), None)
        if example is not None:
            padded[name] = example.strip()
    return padded


# --- preamble and separator -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preamble:
    """The lines before the table: their size, Excel's ``sep=`` and the first comment."""

    n_bytes: int = 0
    n_lines: int = 0
    separator: str | None = None
    comment: str = ""


def find_preamble(raw: bytes) -> Preamble:
    r"""Return the lines before the table: blank ones, Excel's ``sep=;`` and comments that start with ``#``.

    Examples
    --------
    >>> find_preamble(b"sep=;\n# made by hand\na;b\n")
    Preamble(n_bytes=21, n_lines=2, separator=';', comment='# made by hand')
    """
    at, lines, separator, comment = 0, 0, None, ""
    while at < len(raw):
        end = _line_end(raw, at)
        line = raw[at : min(end, at + 4096)]
        marked = _SEP_LINE.fullmatch(line) if separator is None and not comment else None
        if marked:
            separator = marked[1].decode()
        elif line.startswith(b"#") and not _is_header(line, raw, end):
            comment = comment or line.decode(errors="replace").strip()
        elif line.strip(b" "):
            break
        at, lines = end + (2 if raw[end : end + 2] == b"\r\n" else 1), lines + 1
    return Preamble(min(at, len(raw)), lines, separator, comment)


def _line_end(raw: bytes, start: int) -> int:
    """Return the position of the first line end at or after ``start``, or of the end."""
    end = raw.find(b"\n", start)
    end = len(raw) if end < 0 else end
    early = raw.find(b"\r", start, end)
    return end if early < 0 else early


def _is_header(line: bytes, raw: bytes, end: int) -> bool:
    """Return whether a line such as ``#,name`` or ``#id,name`` is a header: the next line has as many fields."""
    start = end + (2 if raw[end : end + 2] == b"\r\n" else 1)
    following = raw[start : min(_line_end(raw, start), start + 4096)]
    counts = [(line.count(separator.encode()), following.count(separator.encode())) for separator in _SEPARATORS]
    return line[1:2] not in (b" ", b"#", b"") and any(here == below > 0 for here, below in counts)


def guess_separator(path: Path, start: str) -> str:
    r"""Return the character that splits all of the first lines into the same number of fields, the most of them.

    Examples
    --------
    >>> guess_separator(Path("a.csv"), "a,b;c,d\n1,x;y,z\n"), guess_separator(Path("a.csv"), "a;b\n1,5;2\n")
    (',', ';')
    """
    if uncompressed_name(path).endswith((".tsv", ".tab")):
        return "\t"
    lines = _unquoted_lines(start)
    candidates = {separator: fields for separator in _SEPARATORS if (fields := _n_fields(lines, separator)) > 1}
    if not candidates:
        return _separator_below_titles(lines) or _fallback_separator(lines)
    best = max(candidates, key=candidates.__getitem__)
    others = [separator for separator in candidates if separator != ","]
    if best == "," and others and _has_decimal_commas(start, others[0]):
        return others[0]
    return best


def _unquoted_lines(start: str) -> list[str]:
    """Return the first lines with each quoted cell replaced by a letter."""
    text = start.replace("\r\n", "\n").replace("\r", "\n") if "\r" in start else start
    limit = 3 * _SEPARATOR_LINES  # some of them may be blank
    lines = [line for line in text.split("\n", limit)[:limit] if line.strip()][:_SEPARATOR_LINES]
    text = "\n".join(lines)
    return _QUOTED.sub("q", text).split("\n") if '"' in text else lines


def _n_fields(lines: list[str], separator: str) -> int:
    """Return the number of fields on every line, the first with one fewer in R's tables; 0 if the lines differ."""
    first, *rest = [line.count(separator) + 1 for line in lines] or [0]
    widths = set(rest or [first])
    return first if widths == {first} else max(widths) if widths == {first + 1} and first > 1 else 0


def _separator_below_titles(lines: list[str]) -> str | None:
    """Return the separator that splits the last lines alike, if those above are fewer and have fewer fields."""
    for separator in _SEPARATORS:
        widths = [line.count(separator) + 1 for line in lines]
        n = next((n for n in range(len(widths)) if len({*widths[n:]}) == 1), len(widths))
        if 0 < n < len(widths) - 1 and 1 < widths[-1] > max(widths[:n]):
            return separator
    return None


def _fallback_separator(lines: list[str]) -> str:
    """Return a separator if none fits all lines: a comma, the most frequent candidate of the first line, or a blank."""
    first = lines[0] if lines else ""
    counts = {separator: first.count(separator) for separator in _SEPARATORS}
    if counts[","] or not any(counts.values()):
        is_blank = not any(counts.values()) and len(lines) > 1 and _n_fields(lines, " ") > 2
        return " " if is_blank else ","
    return max(counts, key=counts.__getitem__)


def _has_decimal_commas(start: str, separator: str) -> bool:
    rows = islice(split_rows(start, separator), _SEPARATOR_LINES)
    cells = [cell for row in rows for cell in row.cells if "," in cell]
    return all(map(_DECIMAL_COMMA.fullmatch, cells))
