"""`check_table`: the findings of a careful colleague, before anything is learned from a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.data._check.coded_columns import code_column
from calibrant.data._check.copies import find_copied_columns, find_copied_rows
from calibrant.data._check.leaks import find_leaks
from calibrant.data._check.row_order import find_order
from calibrant.data._check.single_columns import find_in_columns
from calibrant.data._check.table_check import TITLES, TableCheck, TableFinding
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._tables.assemble import assemble
from calibrant.data._tables.table import Table
from calibrant.exceptions import DataError, DataTypeError

_MAX_ROWS = 200_000  # more are sampled: `benchmarks/check_table.py` has its time
_MIN_CLASS = 10


def check_table(table: Any, *, target: str | None = None) -> TableCheck:
    """Check a table before it is learned from: leaks, ids, time, copies, constants, text and more.

    Single columns, pairs of columns and their ranks are looked at; nothing is fitted. Of more than 200,000 rows a
    random sample of so many is checked, in the order of the file; copied rows are counted among all.

    Parameters
    ----------
    table : Table or frame
        A table as `read_table` returns it, or a pandas frame with its class column.
    target : str, optional
        The class column of a frame; by default the last one.

    Returns
    -------
    TableCheck
        The findings, each with its evidence and advice, the weightiest first; prints as text.

    Notes
    -----
    A column is called a leak if it alone explains 85 % of the entropy of the class, each row predicted by the others
    of its value or bin; half of it, where no other column comes near; or if it has a value for one class only. Under
    120 rows nothing is called a leak: honest columns are perfect there too. Rows are called in order of time where a
    column, compared within classes, or the class drifts along the file, at a level of 0.001 for all columns together.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> bad = rng.random(400) < 0.3
    >>> recovered = np.where(bad, rng.random(400), 0)
    >>> frame = pd.DataFrame({"income": rng.normal(size=400), "recovered": recovered, "bad": bad})
    >>> check = check_table(frame)
    >>> check.suspects
    ('recovered',)
    """
    optional_import("pandas", extra="data", purpose="check tables")
    table = _as_table(table, target)
    if table.y is None:
        raise DataError(f"{table.name} has no class column; pass target=.")
    known = np.flatnonzero(table.y.notna().to_numpy())
    if len(known) < table.n_rows:
        table = table.take(known)
    classes, labels = _code_classes(table)
    findings = [*_single_and_rare_classes(table), *find_copied_rows(table.X, classes)]
    sampled = table
    if table.n_rows > _MAX_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(table.n_rows, _MAX_ROWS, replace=False))
        sampled, classes = table.take(rows), classes[rows]
    columns = [code_column(str(name), column, classes, len(labels)) for name, column in sampled.X.items()]
    findings += find_leaks(columns, labels) + find_order(columns, classes, len(labels))
    findings += find_in_columns(columns) + find_copied_columns(columns)
    weight = {kind: place for place, kind in enumerate(TITLES)}
    findings.sort(key=lambda finding: weight[finding.kind])
    return TableCheck(table.name, table.n_rows, table.n_features, tuple(findings), sampled.n_rows)


def _as_table(table: Any, target: str | None) -> Table:
    import pandas as pd

    if isinstance(table, Table):
        return table
    if not isinstance(table, pd.DataFrame):
        raise DataTypeError(f"table must be a Table or a pandas DataFrame; got {type(table).__name__}. Use read_table.")
    return assemble(ParsedFile(table), name="table", target=target)


def _code_classes(table: Table) -> tuple[Any, list[object]]:
    import pandas as pd

    codes, labels = pd.factorize(table.y)  # type: ignore[arg-type]  # the caller has checked that there is a class
    return np.asarray(codes, np.int64), list(labels)


def _single_and_rare_classes(table: Table) -> list[TableFinding]:
    if len(table.class_counts) == 1:
        advice = "There is nothing to predict. Is it the class column? --target names another."
        return [TableFinding("one class", (), f"{next(iter(table.class_counts))} in every row", advice)]
    rare = {str(label): n for label, n in table.class_counts.items() if n < _MIN_CLASS}
    if not rare:
        return []
    shown = ", ".join(f"{label} ({n})" for label, n in list(rare.items())[:6])
    more = f" and {len(rare) - 6} more" if len(rare) > 6 else ""
    advice = (
        "Join them to another class, leave them out, or find more rows: their probabilities rest on almost nothing."
    )
    return [TableFinding("rare class", (), f"fewer than {_MIN_CLASS} rows of {shown}{more}", advice)]
