"""A table assembled from the columns of a file."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed
from calibrant.data._frames.columns import TEXT_COLUMNS, Nominal, column_kinds
from calibrant.data._frames.values import are_free_texts
from calibrant.data._readers.arguments import nominal_names
from calibrant.data._readers.compression import uncompressed_name
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._tables.table import Kind, Table
from calibrant.exceptions import DataError, ReadError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd

# `str` writes larger floats with an exponent.
_LARGEST_WITHOUT_EXPONENT = 1e16


def assemble(
    parsed: ParsedFile,
    *,
    name: str,
    target: str | int | Literal[False] | None = None,
    nominal: Nominal = None,
    positive: object = None,
) -> Table:
    """Return the table of a parsed file: its class, its features and their kinds.

    Examples
    --------
    >>> import pandas as pd
    >>> parsed = ParsedFile(pd.DataFrame({"zone": [3, 7], "ok": ["no", "yes"]}))
    >>> assemble(parsed, name="tiny", nominal=["zone"]).kinds
    {'zone': 'nominal'}
    """
    frame = parsed.frame
    class_column = _class_column(name, parsed, target)
    not_features = {*parsed.extra, class_column}
    X = frame[[column for column in frame.columns if column not in not_features]]
    X = _with_nominal(X, nominal_names(nominal, [str(column) for column in X.columns]))
    if texts := [name for name, kind in (parsed.reading.types if parsed.reading else {}).items() if kind == "text"]:
        X.attrs[TEXT_COLUMNS] = texts
    y = None if class_column is None else _checked_class(name, frame[class_column])
    return Table(
        X=X,
        y=y,
        name=name,
        positive=_positive(name, y, positive),
        sample_weight=parsed.sample_weight,
        extra=frame[list(parsed.extra)] if parsed.extra else None,
        kinds=_kinds(X),
        notes=parsed.notes,
        reading=parsed.reading,
    )


def as_nominal(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as nominal; numbers become strings, as categories in numerical order.

    Examples
    --------
    >>> import pandas as pd
    >>> as_nominal(pd.Series([10.0, 9.0, None])).cat.categories.tolist()
    ['9', '10']
    """
    import pandas as pd

    if _kinds(column.to_frame("x"))["x"] == "nominal":
        return column
    codes, values = pd.factorize(column, sort=True)
    categories = pd.Index(_as_strings(values.to_numpy()), dtype=str)
    return pd.Series(pd.Categorical.from_codes(codes, categories), index=column.index, name=column.name)


def _kinds(X: pd.DataFrame) -> dict[str, Kind]:
    """Return the kind of each column, inspecting one column of each type: a wide table has few types."""
    names = [str(name) for name in X.columns]
    types = [
        f"object {name}" if dtype.name == "object" else dtype.name for name, dtype in zip(names, X.dtypes, strict=True)
    ]
    first = dict(zip(reversed(types), reversed(names), strict=True))
    known = column_kinds(X[list(first.values())]) if first else {}
    return {name: known[first[kind]] for name, kind in zip(names, types, strict=True)}


def _as_strings(values: NDArray[Any]) -> list[str]:
    """Return the values as strings, floats without the decimal point if all finite ones are integral."""
    if values.dtype.kind != "f" or not (values[np.isfinite(values)] % 1 == 0).all():
        return [str(value) for value in values]
    return [str(int(value)) if abs(value) < _LARGEST_WITHOUT_EXPONENT else str(value) for value in values]


def _with_nominal(X: pd.DataFrame, nominal: set[str]) -> pd.DataFrame:
    import pandas as pd

    kinds = _kinds(X) if nominal else {}
    numeric = {name for name in nominal if kinds.get(name) == "numeric"}
    texts = {name for name in nominal - numeric if kinds.get(name) == "nominal" and _is_text(X[name])}
    if not numeric | texts:
        return X
    columns = dict(X.items())
    columns |= {name: as_nominal(X[name]) for name in columns if str(name) in numeric}
    columns |= {name: X[name].astype("category") for name in columns if str(name) in texts}
    return pd.DataFrame(columns, copy=False)


def _checked_class(name: str, y: pd.Series[Any]) -> pd.Series[Any]:
    if y.isna().all():
        hint = "Pass target= for the class column, or target=False if the table has no class."
        raise DataError(f"{name}: the class column {y.name!r} is missing in every row. {hint}")
    return y


def _class_column(name: str, parsed: ParsedFile, target: str | int | Literal[False] | None) -> Any:
    columns = [column for column in parsed.frame.columns if column not in parsed.extra]
    if target is False:
        return None
    if target is None and parsed.target is not None:
        return parsed.target
    if target is None:
        target = -1
    return _by_position(name, columns, target) if isinstance(target, int) else _by_name(name, parsed, target)


def _by_position(name: str, columns: list[Any], target: int) -> Any:
    if not -len(columns) <= target < len(columns):
        raise SchemaError(f"{name} has {len(columns)} columns; target={target} is out of range.")
    return columns[target]


def _by_name(name: str, parsed: ParsedFile, target: str) -> str:
    names = [str(column) for column in parsed.frame.columns]
    if target not in names:
        raise SchemaError(f"{name} has no column {target!r} for the class.{nearest(target, names)}")
    return target


def _positive(name: str, y: pd.Series[Any] | None, positive: object) -> object:
    if positive is None:
        return None
    labels = [] if y is None else y.dropna().unique().tolist()
    if positive not in labels:
        raise DataError(f"{name} has no class {positive!r}.{nearest(positive, labels)} It has {labels[:10]}.")
    return positive


def check_has_features(path: Path, parsed: ParsedFile, *, delimited: bool) -> None:
    """Raise if a file has a single column, most often because the separator was not recognized."""
    columns = [column for column in parsed.frame.columns if column not in parsed.extra]
    if len(columns) == 1:
        advice = "Pass sep= if another character separates the columns, or" if delimited else "Pass"
        hint = f"{advice} target=False if the table has no class."
        problem = f"has one column, {str(columns[0])[:60]!r}, and a table needs a class and at least one feature"
        raise ReadError.at(path, problem, hint=hint)


def table_name(path: Path) -> str:
    """Return the name of a file without folder and extensions.

    Examples
    --------
    >>> table_name(Path("data/adult.csv.gz"))
    'adult'
    """
    name = path.name[: len(uncompressed_name(path))]
    return name.rpartition(".")[0] or name


_MIN_ROWS = 20  # in fewer rows the values of a real feature often differ
_FIRST_ROWS = 1_000  # which show at once that values repeat
_ID_NAME = re.compile(r"(?i:(^|[^a-z])(ids?|key|no|nr|num|number|index|row|uuid|guid|code)$)|[a-z](Id|ID)$")


def find_id_columns(X: pd.DataFrame) -> list[str]:
    """Return the columns with a different value in every row, but for free text and measured numbers.

    Numbers that are measured rarely repeat either, so integers are ids only if they are named like one or increase by
    a constant from row to row, and other numbers never.

    Examples
    --------
    >>> import pandas as pd
    >>> find_id_columns(pd.DataFrame({"key": [f"k{i}" for i in range(30)], "age": range(0, 60, 2), "won": [0, 1] * 15}))
    ['key', 'age']
    """
    return [str(name) for name, column in X.items() if _is_id(str(name), column)]


def _is_id(name: str, column: pd.Series[Any]) -> bool:
    if column.dtype.kind in "fb" or not column.iloc[:_FIRST_ROWS].dropna().is_unique:
        return False
    known = column.dropna()
    if len(known) < _MIN_ROWS or not known.is_unique:
        return False
    if known.dtype.kind in "iu":
        return bool(_ID_NAME.search(name)) or known.diff().iloc[1:].nunique() == 1
    return isinstance(known.iloc[0], str) and not _is_text(column)


def _is_text(column: pd.Series[Any]) -> bool:
    """Return whether a column is free text; the first rows alone show of most that they are not."""
    if len(column) < _MIN_ROWS or column.dtype.name == "category" or column.dtype.kind in "biufmM":
        return False
    for part in (column.iloc[:_FIRST_ROWS], column):
        known = part.dropna()
        distinct = known.unique().tolist()
        if not distinct or not isinstance(distinct[0], str) or not are_free_texts(distinct, len(known)):
            return False
    return True


def note_guessed_class(table: Table) -> Table:
    """Add a note that names the class column, which was not specified, and questions it where no value repeats."""
    if table.y is None:
        return table
    name = table.y.name
    notes = [f"The class is the last column, {name!r}; pass target= for another."]
    if len(table.y) >= _MIN_ROWS and table.y.is_unique:
        notes = [f"{name!r} has a different value in every row: is it the class? Pass target= for another."]
    return replace(table, notes=(*table.notes, *notes))


def note_id_columns(table: Table, nominal: Collection[str], *, drop: bool) -> Table:
    """Add notes that name the columns that are free text and those that look like ids, and leave ids out on request.

    Columns that the caller declared nominal are features.
    """
    texts = [str(name) for name, column in table.X.items() if str(name) not in nominal and _is_text(column)]
    if texts:
        is_are, it = ("is", "it is") if len(texts) == 1 else ("are", "they are")
        note = (
            f"{listed(map(repr, texts))} {is_are} free text: ProbabilityClassifier learns from the words, for other "
            f"classifiers {it} left out."
        )
        table = replace(table, notes=(*table.notes, note))
    found = [name for name in find_id_columns(table.X) if name not in nominal]
    if not found:
        return table
    names = listed([f"{name!r} (an id)" for name in found])
    what = f"{names} {'have' if len(found) > 1 else 'has'} a different value in every row"
    if not drop:
        them = "them" if len(found) > 1 else "it"
        note = f"{what}, from which nothing can be learned; drop_ids=True leaves {them} out."
        return replace(table, notes=(*table.notes, note))
    note = f"{what}, and {'are left out: they are' if len(found) > 1 else 'is left out: it is'} in extra."
    return _without(table, found, note)


def _without(table: Table, names: list[str], note: str) -> Table:
    import pandas as pd

    if len(names) == table.n_features:
        raise DataError(f"{table.name}: every column looks like an id. Pass drop_ids=False to keep them.")
    moved = table.X[names]
    return replace(
        table,
        X=table.X.drop(columns=names),
        extra=moved if table.extra is None else pd.concat([table.extra, moved], axis=1),
        kinds={name: kind for name, kind in table.kinds.items() if name not in names},
        notes=(*table.notes, note),
    )
