"""The start of a delimited file: what stands before the table, and the mark between its columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from calibrant.data._readers.csv_rows import split_rows

__all__ = ["DECIMAL_COMMA", "SEPARATORS", "Preamble", "find_preamble", "guess_separator", "line_end"]

SEPARATORS = ("\t", ";", "|", ",")
DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")

_LINES = 20
_SEP_LINE = re.compile(rb'"?sep=([\x01-\x7f])"?\s*', re.IGNORECASE)
_QUOTED = re.compile(r'(?:^|(?<=[,;\t| ]))"[^"]*+(?:""[^"]*+)*"(?=[,;\t| ]|$)', re.MULTILINE)


@dataclass(frozen=True)
class Preamble:
    """What stands before the table: the bytes and lines it takes, Excel's ``sep=`` and a comment of it."""

    at: int = 0
    lines: int = 0
    separator: str | None = None
    comment: str = ""


def find_preamble(raw: bytes) -> Preamble:
    r"""Find the lines before the table: blank ones, Excel's ``sep=;`` and comments that start with ``#``.

    Examples
    --------
    >>> find_preamble(b"sep=;\n# made by hand\na;b\n")
    Preamble(at=21, lines=2, separator=';', comment='# made by hand')
    """
    at, lines, separator, comment = 0, 0, None, ""
    while at < len(raw):
        end = line_end(raw, at)
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


def line_end(raw: bytes, start: int) -> int:
    """Give the place of the first line end at or after ``start``, or of the end."""
    end = raw.find(b"\n", start)
    end = len(raw) if end < 0 else end
    early = raw.find(b"\r", start, end)
    return end if early < 0 else early


def _is_header(line: bytes, raw: bytes, end: int) -> bool:
    """Tell names such as ``#,name`` or ``#id,name`` from a comment: the next line has as many fields."""
    start = end + (2 if raw[end : end + 2] == b"\r\n" else 1)
    following = raw[start : min(line_end(raw, start), start + 4096)]
    counts = [(line.count(mark.encode()), following.count(mark.encode())) for mark in SEPARATORS]
    return line[1:2] not in (b" ", b"#", b"") and any(here == below > 0 for here, below in counts)


def guess_separator(path: Path, start: str) -> str:
    r"""Tell the separator from the first lines: the mark that gives every line the same number of fields, the most.

    Examples
    --------
    >>> guess_separator(Path("a.csv"), "a,b;c,d\n1,x;y,z\n"), guess_separator(Path("a.csv"), "a;b\n1,5;2\n")
    (',', ';')
    """
    if path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        return "\t"
    lines = _lines(start)
    steady = {mark: fields for mark in SEPARATORS if (fields := _steady(lines, mark)) > 1}
    if not steady:
        return _unsteady(lines)
    best = max(steady, key=steady.__getitem__)
    others = [mark for mark in steady if mark != ","]
    if best == "," and others and _has_decimal_commas(start, others[0]):
        return others[0]
    return best


def _lines(start: str) -> list[str]:
    """Give the first lines, one letter for each quoted cell."""
    text = start.replace("\r\n", "\n").replace("\r", "\n") if "\r" in start else start
    lines = [line for line in text.split("\n", 3 * _LINES)[: 3 * _LINES] if line.strip()][:_LINES]
    text = "\n".join(lines)
    return _QUOTED.sub("q", text).split("\n") if '"' in text else lines


def _steady(lines: list[str], mark: str) -> int:
    """Give the number of fields on every line; the first may have one fewer, as R writes it; 0 where they differ."""
    first, *rest = [line.count(mark) + 1 for line in lines] or [0]
    widths = set(rest or [first])
    return first if widths == {first} else max(widths) if widths == {first + 1} and first > 1 else 0


def _unsteady(lines: list[str]) -> str:
    """Choose where no mark is steady: a comma, the most frequent mark of the first line, or blanks."""
    first = lines[0] if lines else ""
    counts = {mark: first.count(mark) for mark in SEPARATORS}
    if counts[","] or not any(counts.values()):
        spaced = not any(counts.values()) and len(lines) > 1 and _steady(lines, " ") > 2
        return " " if spaced else ","
    return max(counts, key=counts.__getitem__)


def _has_decimal_commas(start: str, separator: str) -> bool:
    cells = [cell for row in islice(split_rows(start, separator), _LINES) for cell in row.cells if "," in cell]
    return all(map(DECIMAL_COMMA.fullmatch, cells))
