"""The ``.data`` and ``.test`` files of C4.5, read by what their ``.names`` file declares.

Follows J. R. Quinlan, *C4.5: Programs for Machine Learning* (1993).
"""

from __future__ import annotations

from collections.abc import Sequence

from calibrant.data._readers.c45_lexer import rows
from calibrant.data._readers.c45_names import Names, Spec
from calibrant.data._readers.column_converters import (
    CollectedColumn,
    ColumnConverter,
    NominalColumn,
    NumericColumn,
    TextColumn,
)
from calibrant.data._readers.file_text import PathLike, normalize_text
from calibrant.data._readers.frame_builder import FrameBuilder
from calibrant.data._readers.parsed_file import ParsedFile
from calibrant.exceptions import ReadError

__all__ = ["read_c45"]


def read_c45(path: PathLike, text: str, names: Names) -> ParsedFile:
    r"""Read the text of a ``.data`` or ``.test`` file; ``path`` is for error messages.

    Continuous attributes become float64; those with declared values become categorical with these values in
    declared order, and so does the class. The values of ``discrete n`` are those of this file, in order of
    first appearance. Ignored attributes become ``str`` and are listed in ``extra``. ``?`` is a missing value, also in
    the class.

    The class follows the attributes and is named ``class``, or ``class_1`` and so on if an attribute has that name.

    Examples
    --------
    >>> names = Names(("play", "don't"), (("sky", ("sunny", "rain")), ("wind", "continuous")))
    >>> read_c45("golf.data", "rain, 3, don't.\n?, 1, play.", names).frame
        sky  wind  class
    0  rain   3.0  don't
    1   NaN   1.0   play
    """
    columns = _columns(names)
    builder = FrameBuilder(path, columns)
    for line, fields in rows(normalize_text(path, text)):
        _check_width(path, line, len(fields), columns)
        builder.add(line, [None if field == "?" else field for field in fields] if "?" in fields else fields)
    if not builder.n_rows:
        raise ReadError.at(path, "has no rows", hint="Check that the file is complete.")
    ignored = tuple(name for name, spec in names.attributes if spec == "ignore")
    return ParsedFile(builder.frame(), target=names.class_name, extra=ignored)


def _columns(names: Names) -> list[ColumnConverter]:
    columns = [_column(name, spec) for name, spec in names.attributes]
    return columns if names.target is not None else [*columns, NominalColumn(names.class_name, names.classes)]


def _column(name: str, spec: Spec) -> ColumnConverter:
    if isinstance(spec, tuple):
        return NominalColumn(name, spec)
    if isinstance(spec, int):
        return CollectedColumn(name, spec)
    return NumericColumn(name) if spec == "continuous" else TextColumn(name)


def _check_width(path: PathLike, line: int, found: int, columns: Sequence[ColumnConverter]) -> None:
    width = len(columns)
    if found < width:
        problem, hint = f"the row ends after {found} of {width} fields", "Write ? for a missing value."
        raise ReadError.at(path, problem, line=line, column=columns[found].name, hint=hint)
    if found > width:
        problem, hint = (
            f"the row has {found} fields for {width} columns",
            "Write \\, for a comma inside a value.",
        )
        raise ReadError.at(path, problem, line=line, hint=hint)
