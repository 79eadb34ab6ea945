"""Input validation of tables: frames of pandas, polars and pyarrow, and arrays, as columns of numbers and codes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant._repr import short_repr
from calibrant.data._frames.schema import Feature, Schema, column_problems, match_column, with_new_categories
from calibrant.data._frames.values import (
    column_kind,
    column_measure,
    holds_objects,
    is_free_text,
    nominal_codes,
    numeric_values,
    text_values,
    without_mask,
)
from calibrant.data._tables.table import Kind
from calibrant.exceptions import DataError, DataTypeError, ParameterError, SchemaError, nearest

# The nominal columns: by type ("auto" or None), all, or by name, position or mask.
Nominal: TypeAlias = Literal["auto", "all"] | Sequence[str] | Sequence[int] | Sequence[bool] | None

_MAX_LISTED = 10  # columns in a message
MAX_ROWS = 2**31 - 1  # category codes are int32, and a column may have one category a row


@dataclass(frozen=True)
class Columns:
    """A table as arrays: floats with NaN for a numeric column, int32 codes with -1 for a nominal one.

    ``feature_names`` is as in scikit-learn: None unless the table has names that are all strings. ``matrix`` is the
    matrix of floats whose columns the arrays view, if they do.
    """

    schema: Schema
    arrays: tuple[NDArray[Any], ...]
    n_rows: int
    feature_names: tuple[str, ...] | None = None
    matrix: NDArray[Any] | None = None


@dataclass(frozen=True)
class _RawColumns:
    """The columns of a table by position, with their names if it has any."""

    columns: tuple[Any, ...]
    names: tuple[str, ...] | None
    n_rows: int
    has_string_names: bool = False
    matrix: NDArray[Any] | None = None  # of floats that need no copy: nothing has to be asked of each column

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        return self.names if self.has_string_names else None

    def take(self, rows: NDArray[np.integer[Any]]) -> _RawColumns:
        matrix = None if self.matrix is None else self.matrix[rows]
        columns = tuple(column[rows] for column in self.columns) if matrix is None else tuple(matrix.T)
        return replace(self, columns=columns, n_rows=len(rows), matrix=matrix)

    def items(self) -> Iterator[tuple[str, Any]]:
        names = self.names or tuple(f"x{position}" for position in range(len(self.columns)))
        return zip(names, self.columns, strict=True)


TEXT_COLUMNS = "calibrant: free text"  # where `read_table` notes the columns whose type was passed as text


def fit_columns(X: Any, nominal: Nominal = "auto", rows: NDArray[np.integer[Any]] | None = None) -> Columns:
    """Return the columns of a table and their schema, or those of ``rows`` as if there were no others.

    Free text is a nominal column without categories, all of it missing: what a column of the schema says of itself is
    its measure, ``"text"``. `read_texts` has the strings. A frame of pandas may declare it in ``attrs[TEXT_COLUMNS]``.

    Examples
    --------
    >>> columns = fit_columns([[1.5, "red"], [2.5, "blue"], [None, "red"]])
    >>> [feature.kind for feature in columns.schema.features]
    ['numeric', 'nominal']
    >>> columns.arrays[1]
    array([1, 0, 1], dtype=int32)
    """
    raw = _raw_columns(X) if rows is None else _raw_columns(X).take(rows)
    if raw.matrix is not None and (nominal is None or (isinstance(nominal, str) and nominal == "auto")):
        return Columns(_schema_of_numbers(len(raw.columns)), raw.columns, raw.n_rows, matrix=raw.matrix)
    features: list[Feature] = []
    arrays: list[NDArray[Any]] = []
    chosen = choose_nominal(nominal, [name for name, _ in raw.items()])
    texts = getattr(X, "attrs", {}).get(TEXT_COLUMNS, ())
    for position, (name, column) in enumerate(raw.items()):
        if column_kind(column, name) == "numeric" and position not in chosen:
            arrays.append(numeric_values(column, name))
            features.append(Feature(name, "numeric", measure=column_measure(column)))
            continue
        coded = nominal_codes(column, name)
        is_text = position not in chosen and (name in texts or is_free_text(coded))
        feature = Feature(name, "nominal", coded.categories, coded.declared)
        features.append(Feature(name, "nominal", measure="text") if is_text else feature)
        arrays.append(np.full_like(coded.codes, -1) if is_text else coded.codes)
    schema = Schema(tuple(features), raw.names is not None)
    return Columns(schema, tuple(arrays), raw.n_rows, raw.feature_names)


@lru_cache(maxsize=4)  # the columns of a wide matrix take longer to describe than to check
def _schema_of_numbers(n_columns: int) -> Schema:
    return Schema(tuple(Feature(f"x{j}", "numeric", measure="numbers") for j in range(n_columns)), named=False)


def match_columns(X: Any, schema: Schema, who: str = "the fitted table") -> Columns:
    """Return the columns of a table that match a schema; categories not in the schema are missing.

    Examples
    --------
    >>> schema = fit_columns([[1, "a"], [2, "b"]]).schema
    >>> match_columns([[3, "c"], [4, "b"]], schema).arrays[1]
    array([-1,  1], dtype=int32)
    """
    raw = _raw_columns(X)
    try:
        positions = schema.locate(raw.names, len(raw.columns), who)
        if raw.matrix is not None and schema.is_numbers:
            return Columns(schema, raw.columns, raw.n_rows)
        pairs = zip(schema.features, (raw.columns[position] for position in positions), strict=True)
        arrays = tuple(match_column(feature, column) for feature, column in pairs)
    except SchemaError as error:
        raise _with_all_differences(error, raw, schema) from None
    return Columns(schema, arrays, raw.n_rows, raw.feature_names)


def read_texts(X: Any, schema: Schema) -> list[list[str | None]]:
    """Return the strings of each column that is free text in a schema, with None for missing values.

    Examples
    --------
    >>> schema = fit_columns([[f"parcel {i} came late", i] for i in range(30)]).schema
    >>> read_texts([["it came", 3], [None, 4]], schema)
    [['it came', None]]
    """
    raw = _raw_columns(X)
    pairs = zip(schema.features, schema.locate(raw.names, len(raw.columns)), strict=True)
    return [text_values(raw.columns[position]) for feature, position in pairs if feature.measure == "text"]


def match_problems(X: Any, schema: Schema) -> list[str]:
    """Return the problems of the columns of a frame that a schema names, a sentence each; columns may be missing.

    Examples
    --------
    >>> import pandas as pd
    >>> schema = fit_columns(pd.DataFrame({"age": [31, 64], "town": ["Bern", "Rome"]})).schema
    >>> match_problems(pd.DataFrame({"age": ["old", "young"]}), schema)
    ["column 'age' was numeric in fit and holds 'old' now; pass numbers."]
    """
    return column_problems(dict(_raw_columns(X).items()), schema) if X.shape[1] else []


def _with_all_differences(first: SchemaError, raw: _RawColumns, schema: Schema) -> SchemaError:
    """Return an error that lists all that differs from the schema, not only the first difference."""
    if raw.names is not None and schema.named:
        columns = dict(raw.items())
    elif len(raw.columns) == len(schema.features):
        columns = dict(zip(schema.names, raw.columns, strict=True))
    else:
        return first
    problems = column_problems(columns, schema)
    listed = problems[:_MAX_LISTED]
    if len(problems) > len(listed):
        listed.append(f"{len(problems) - len(listed)} more columns are of another kind.")
    first_sentence, *others = filter(None, [schema.missing_message(columns), *listed])
    return SchemaError(" ".join([first_sentence, *(text[0].upper() + text[1:] for text in others)]))


def extend_columns(
    X: Any, schema: Schema, who: str = "the fitted table", rows: NDArray[np.integer[Any]] | None = None
) -> Columns:
    """Return the columns of further training rows that match a schema, to which new categories are added.

    Examples
    --------
    >>> schema = fit_columns([[1, "a"], [2, "b"]]).schema
    >>> columns = extend_columns([[3, "c"], [4, "b"]], schema)
    >>> columns.arrays[1], columns.schema.features[1].categories
    (array([2, 1], dtype=int32), ('a', 'b', 'c'))
    """
    raw = _raw_columns(X) if rows is None else _raw_columns(X).take(rows)
    positions = schema.locate(raw.names, len(raw.columns), who)
    columns = [raw.columns[position] for position in positions]
    features = tuple(map(with_new_categories, schema.features, columns))
    arrays = tuple(map(match_column, features, columns))
    return Columns(Schema(features, schema.named), arrays, raw.n_rows, raw.feature_names)


def column_kinds(X: Any, nominal: Nominal = "auto") -> dict[str, Kind]:
    """Return the kind of each column of a table.

    Examples
    --------
    >>> column_kinds([[1.0, "a"]])
    {'x0': 'numeric', 'x1': 'nominal'}
    """
    raw = _raw_columns(X)
    return dict(zip((name for name, _ in raw.items()), _kinds(raw, nominal), strict=True))


def object_columns(X: Any) -> list[int]:
    """Return the positions of the columns of Python objects, whose kind and categories are read from their values.

    Examples
    --------
    >>> object_columns(np.array([[1.0, "a"], [None, "b"]], dtype=object)), object_columns([[1.0, 2.0]])
    ([0, 1], [])
    """
    return [position for position, column in enumerate(_raw_columns(X).columns) if holds_objects(column)]


# --- which columns are nominal ------------------------------------------------------------------------------------


def _kinds(raw: _RawColumns, nominal: Nominal) -> list[Kind]:
    kinds = [column_kind(column, name) for name, column in raw.items()]
    chosen = choose_nominal(nominal, [name for name, _ in raw.items()])
    return ["nominal" if position in chosen else kind for position, kind in enumerate(kinds)]


def choose_nominal(nominal: Nominal, names: Sequence[str]) -> set[int]:
    """Return the positions of the columns that ``nominal`` specifies by name, position, mask or ``"all"``.

    Examples
    --------
    >>> choose_nominal(["b"], ["a", "b"]), choose_nominal("all", ["a", "b"]), choose_nominal([True, False], ["a", "b"])
    ({1}, {0, 1}, {0})
    """
    if nominal is None or isinstance(nominal, str):
        if nominal not in (None, "auto", "all"):
            raise DataError(f"nominal must be 'auto', 'all', names, positions or a mask; got {nominal!r}.")
        return set(range(len(names))) if nominal == "all" else set()
    if not isinstance(nominal, Iterable) or isinstance(nominal, bytes) or getattr(nominal, "ndim", 1) != 1:
        expected = "'auto', 'all', None, names, positions or a mask of columns"
        raise ParameterError(f"nominal must be {expected}; got {short_repr(nominal)}.")
    items = list(np.asarray(nominal).tolist()) if isinstance(nominal, np.ndarray) else list(nominal)
    if items and all(isinstance(item, bool) for item in items):
        if len(items) != len(names):
            raise DataError(f"nominal is a mask of length {len(items)} for a table of {len(names)} columns.")
        return {position for position, is_nominal in enumerate(items) if is_nominal}
    return {_position(item, names) for item in items}


def _position(item: object, names: Sequence[str]) -> int:
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        if not -len(names) <= item < len(names):
            raise DataError(f"nominal contains position {item}, but the table has {len(names)} columns.")
        return int(item) % len(names)
    if item not in names:
        raise DataError(f"nominal contains {item!r}, which is not a column.{nearest(item, names)}")
    return names.index(str(item))


# --- opening ------------------------------------------------------------------------------------------------------


def _raw_columns(X: Any) -> _RawColumns:
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise DataTypeError("X is sparse; only dense tables are supported: pass X.toarray().")
    if isinstance(X, np.ndarray | list | tuple):
        return _from_array(_to_array(X))
    if isinstance(X, str | os.PathLike):
        raise DataTypeError(f"X is the path {os.fspath(X)!r:.60}; read it first: calibrant.data.read_table(path).X.")
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise DataTypeError("X is a lazy frame; call X.collect() first.")
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "get_fragments"):
        raise DataTypeError("X is a pyarrow Dataset; call X.to_table() first.")
    if type(X).__module__.startswith("dask") and hasattr(X, "to_delayed"):
        raise DataTypeError("X is a Dask collection; call X.compute() first.")
    if type(X).__name__ == "RecordBatch" and hasattr(X, "to_struct_array"):
        import pyarrow as pa

        X = pa.Table.from_batches([X])
    _check_unique_names(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return _from_frame(frame) if isinstance(frame, nw.DataFrame) else _from_array(_to_array(X))


def _from_frame(frame: nw.DataFrame[Any]) -> _RawColumns:
    n_rows, n_columns = frame.shape
    _check_shape(n_rows, n_columns)
    has_string_names = all(isinstance(name, str) for name in frame.columns)
    return _RawColumns(tuple(frame.iter_columns()), _string_names(frame.columns), n_rows, has_string_names)


def _from_array(array: NDArray[Any]) -> _RawColumns:
    if array.ndim != 2:
        raise DataError(
            f"X must be two-dimensional; got an array of {array.ndim} dimension(s). Reshape your data: "
            "X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row."
        )
    _check_shape(*array.shape)
    is_regular = array.flags.aligned and all(stride % array.itemsize == 0 for stride in array.strides)
    is_matrix = is_regular and array.dtype in (np.float32, np.float64)
    return _RawColumns(tuple(array.T), None, len(array), matrix=array if is_matrix else None)


def _check_shape(n_rows: int, n_columns: int) -> None:
    shape = f"(shape=({n_rows}, {n_columns}))"
    if n_columns == 0:
        raise DataError(f"X has 0 feature(s) {shape} while a minimum of 1 is required.")
    if n_rows == 0:
        raise DataError(f"X has 0 sample(s) {shape} while a minimum of 1 is required.")
    if n_rows > MAX_ROWS:
        raise DataError(f"X has {n_rows:,} rows; at most {MAX_ROWS:,} are supported. Pass a sample of them.")


def _to_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.matrix):
        raise DataTypeError("X is a numpy.matrix; pass numpy.asarray(X).")
    if isinstance(X, np.ma.MaskedArray):
        X = without_mask(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise DataError(f"X cannot be made a table: {error}. Pass as many values in each row.") from error
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.asarray(X, dtype=object)  # keeps the numbers of a list that mixes strings and numbers
    if array.dtype.names is not None:
        raise DataTypeError("X is a structured array; pass pandas.DataFrame(X).")
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: X must hold real numbers, strings or booleans.")
    return array


def find_duplicates(names: Sequence[Any]) -> list[Any]:
    """Return the names that occur more than once, each of them once.

    Examples
    --------
    >>> find_duplicates(["a", "b", "a"])
    ['a']
    """
    seen: set[Any] = set()
    return list(dict.fromkeys(name for name in names if name in seen or seen.add(name)))  # type: ignore[func-returns-value]


def _check_unique_names(X: Any) -> None:
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    duplicates = find_duplicates(list(names))
    if duplicates:
        raise SchemaError(f"X has the column {duplicates[0]!r} more than once; rename or drop one.")


def _string_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return the names as strings; raise if only some of them are strings."""
    strings = [isinstance(name, str) for name in names]
    if any(strings) and not all(strings):
        raise DataTypeError(
            "X has column names of mixed types; feature names are only supported if all are strings: "
            "X.columns = X.columns.astype(str)."
        )
    return tuple(map(str, names))
