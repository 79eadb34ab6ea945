"""The ``.data`` and ``.test`` files of C4.5, read by what their ``.names`` file declares.

After R. Quinlan, *C4.5: Programs for Machine Learning* (1993).
"""

from __future__ import annotations

from collections.abc import Sequence

from calibrant.data._readers.c45_lexer import rows
from calibrant.data._readers.c45_names import Names, Spec
from calibrant.data._readers.cells import CollectedColumn, Column, NominalColumn, NumericColumn, TextColumn
from calibrant.data._readers.file_text import PathLike, plain_text
from calibrant.data._readers.gather import Gatherer
from calibrant.data._readers.parsed import Parsed
from calibrant.exceptions import ReadError

__all__ = ["read_c45"]


def read_c45(path: PathLike, text: str, names: Names) -> Parsed:
    r"""Read the text of a ``.data`` or ``.test`` file; ``path`` names it in messages.

    Continuous attributes become float64; those with declared values become categorical with these values in
    declared order, and so does the class. The values of ``discrete n`` are those of this file, in order of
    first appearance. What is to be ignored becomes ``str`` and is listed in ``extra``. ``?`` is a hole, also
    in the class.

    The class stands after the attributes and is named ``class``, or ``class_1`` and so on where an attribute has
    that name.

    Examples
    --------
    >>> names = Names(("play", "don't"), (("sky", ("sunny", "rain")), ("wind", "continuous")))
    >>> read_c45("golf.data", "rain, 3, don't.\n?, 1, play.", names).frame
        sky  wind  class
    0  rain   3.0  don't
    1   NaN   1.0   play
    """
    columns = _columns(names)
    gathered = Gatherer(path, columns)
    for line, fields in rows(plain_text(path, text)):
        _refuse_width(path, line, len(fields), columns)
        gathered.add(line, [None if field == "?" else field for field in fields] if "?" in fields else fields)
    if not gathered.n_rows:
        raise ReadError.at(path, "has no rows", hint="There is nothing to learn from; check that the file is whole.")
    ignored = tuple(name for name, spec in names.attributes if spec == "ignore")
    return Parsed(gathered.frame(), target=names.class_name, extra=ignored)


def _columns(names: Names) -> list[Column]:
    columns = [_column(name, spec) for name, spec in names.attributes]
    return columns if names.target is not None else [*columns, NominalColumn(names.class_name, names.classes)]


def _column(name: str, spec: Spec) -> Column:
    if isinstance(spec, tuple):
        return NominalColumn(name, spec)
    if isinstance(spec, int):
        return CollectedColumn(name, spec)
    return NumericColumn(name) if spec == "continuous" else TextColumn(name)


def _refuse_width(path: PathLike, line: int, found: int, columns: Sequence[Column]) -> None:
    width = len(columns)
    if found < width:
        problem, hint = f"the row ends after {found} of {width} fields", "Write ? for a hole."
        raise ReadError.at(path, problem, line=line, column=columns[found].name, hint=hint)
    if found > width:
        problem, hint = (
            f"the row has {found} fields for {width} columns",
            "Write \\, for a comma inside a value.",
        )
        raise ReadError.at(path, problem, line=line, hint=hint)
