"""From what a reader understood to a table: the class set apart, the columns told nominal made so, each kind named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from calibrant.data._frames import Nominal, choose_nominal, kinds_of
from calibrant.data._parsed import Parsed
from calibrant.data._table import Table
from calibrant.exceptions import DataError, ReadError, SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_nominal", "assemble", "refuse_one_column", "table_name"]


def assemble(
    parsed: Parsed,
    *,
    name: str,
    target: str | int | Literal[False] | None = None,
    nominal: Nominal = None,
    positive: object = None,
) -> Table:
    """Set the class apart and say the kind of each column.

    Examples
    --------
    >>> import pandas as pd
    >>> parsed = Parsed(pd.DataFrame({"zone": [3, 7], "ok": ["no", "yes"]}))
    >>> assemble(parsed, name="tiny", nominal=["zone"]).kinds
    {'zone': 'nominal'}
    """
    frame = parsed.frame
    class_column = _class_column(name, parsed, target)
    set_apart = {*parsed.extra, class_column}
    X = frame[[column for column in frame.columns if column not in set_apart]]
    told = choose_nominal(nominal, [str(column) for column in X.columns])
    X = X.assign(**{X.columns[place]: as_nominal(X.iloc[:, place]) for place in sorted(told)})
    y = None if class_column is None else frame[class_column]
    return Table(
        X=X,
        y=y,
        name=name,
        positive=_positive(name, y, positive),
        sample_weight=parsed.sample_weight,
        extra=frame[list(parsed.extra)] if parsed.extra else None,
        kinds=kinds_of(X) if X.shape[1] else {},
        notes=parsed.notes,
    )


def as_nominal(column: pd.Series[Any]) -> pd.Series[Any]:
    """Make a column nominal: numbers become strings, categories in the order of the numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> as_nominal(pd.Series([10.0, 9.0, None])).cat.categories.tolist()
    ['9', '10']
    """
    import pandas as pd

    if kinds_of(column.to_frame("x"))["x"] == "nominal":
        return column
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    codes, values = pd.factorize(column, sort=True)
    categories = pd.Index([str(value) for value in values], dtype=str)
    return pd.Series(pd.Categorical.from_codes(codes, categories), index=column.index, name=column.name)


def _class_column(name: str, parsed: Parsed, target: str | int | Literal[False] | None) -> Any:
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
        raise SchemaError(f"{name} has {len(columns)} columns; target={target} is none of them.")
    return columns[target]


def _by_name(name: str, parsed: Parsed, target: str) -> str:
    names = [str(column) for column in parsed.frame.columns]
    if target not in names:
        raise SchemaError(f"{name} has no column {target!r} to take as the class.{nearest(target, names)}")
    return target


def _positive(name: str, y: pd.Series[Any] | None, positive: object) -> object:
    if positive is None:
        return None
    labels = [] if y is None else y.dropna().unique().tolist()
    if positive not in labels:
        raise DataError(f"{name} has no class {positive!r}.{nearest(positive, labels)} It has {labels[:10]}.")
    return positive


def refuse_one_column(path: Path, parsed: Parsed) -> None:
    """Refuse a file of one column where a class and features are wanted: most often the separator was not told."""
    columns = [column for column in parsed.frame.columns if column not in parsed.extra]
    if len(columns) == 1:
        hint = "Pass sep= if another mark parts the columns, or target=False if the table has no class."
        problem = f"has one column, {str(columns[0])[:60]!r}, and a table needs a class and at least one feature"
        raise ReadError.at(path, problem, hint=hint)


def table_name(path: Path) -> str:
    """Give a table the name of its file, without folder and endings.

    Examples
    --------
    >>> table_name(Path("data/adult.csv.gz"))
    'adult'
    """
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name
