"""A `Table` made from a parsed file: class and features separated, requested columns made nominal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.data._frames.columns import Nominal, column_kinds
from calibrant.data._readers.arguments import nominal_names
from calibrant.data._readers.parsed_file import ParsedFile
from calibrant.data._tables.table import Kind, Table
from calibrant.exceptions import DataError, ReadError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["as_nominal", "assemble", "check_has_features", "table_name"]

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

    numeric = {name for name, kind in _kinds(X).items() if kind == "numeric" and name in nominal} if nominal else set()
    if not numeric:
        return X
    columns = {name: as_nominal(column) if str(name) in numeric else column for name, column in X.items()}
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
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name
