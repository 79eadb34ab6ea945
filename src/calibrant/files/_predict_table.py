"""`predict_table`: the predictions of a model for a table in a file, in bounded memory."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np

from calibrant._params import Bool, Int, Nothing, Real, check_param
from calibrant._progress import progress
from calibrant._repr import listed
from calibrant.data._internal import Chunk, Feature, Reading, Schema, TableChunks, WantedColumns, match_problems
from calibrant.decisions import CostMatrix
from calibrant.exceptions import (
    CalibrantError,
    DataError,
    DataTypeError,
    ParameterError,
    ReadError,
    SchemaError,
    nearest,
)
from calibrant.files._description import ColumnDescription, find_schema, is_calibrants, wrapped_models
from calibrant.files._model_files import describe_model, load_model
from calibrant.files._output_columns import OutputColumns, check_has_intervals
from calibrant.files._table_writer import check_format, open_writer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PredictedTable:
    """The result of `predict_table`, in figures.

    Parameters
    ----------
    n_rows : int
        Number of rows that were predicted and written.
    columns : tuple of str
        The columns that were written.
    mean_probabilities : dict of class to float
        The mean predicted probability of each class.
    predictions : dict of class to int
        Number of rows predicted as each class; empty where they were left out.
    actions : dict of str to int
        Number of rows with each action, where costs were passed.
    expected_cost : float or None
        The sum of the expected costs of these actions.
    unused : tuple of str
        Columns of the table that the model does not have.
    notes : tuple of str
        What the reader of the predictions should know, such as categories that the model has not seen.
    is_streamed : bool
        False where the format of the table required reading all of it at once.

    Examples
    --------
    >>> PredictedTable(2, ("row", "probability_no", "probability_yes"), {"no": 0.25, "yes": 0.75})
    2 rows predicted; mean probability no 0.25, yes 0.75
    """

    n_rows: int
    columns: tuple[str, ...]
    mean_probabilities: Mapping[Any, float]
    predictions: Mapping[Any, int] = field(default_factory=dict)
    actions: Mapping[str, int] = field(default_factory=dict)
    expected_cost: float | None = None
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_streamed: bool = True

    def __repr__(self) -> str:
        means = ", ".join(f"{label} {mean:.4g}" for label, mean in self.mean_probabilities.items())
        lines = [f"{self.n_rows:,} row{'' if self.n_rows == 1 else 's'} predicted; mean probability {means}"]
        lines += [f"predicted as {_counts(self.predictions)}"] if self.predictions else []
        if self.expected_cost is not None:
            lines.append(f"actions {_counts(self.actions)}; expected cost {self.expected_cost:,.6g}")
        return "\n".join([*lines, *self.notes])


def _counts(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


_MOST_NAMES = 10
# A blend may have members of other libraries, which get the rows as they are passed.
_PASS_ROWS = ("calibrant.blending",)


def check_match(table: TableChunks, first: Chunk, wanted: WantedColumns, who: str) -> None:
    """Raise if columns are missing or hold values of another kind in the first rows; the message lists all of them."""
    missing = [name for name in wanted.names or () if name not in table.selection.features]
    schema = wanted.schema
    changed = match_problems(first.X, schema) if schema is not None and schema.named else []
    if not missing and not changed:
        return
    unused = unused_columns(table, wanted)
    lines = [f"{who} does not match the model, which was fitted with {wanted.n_features} columns."]
    lines += [f"Missing: {listed([_with_guess(name, unused) for name in missing], _MOST_NAMES)}."] if missing else []
    lines += [f"Not in the model: {listed(map(repr, unused), _MOST_NAMES)}."] if unused else []
    lines += [f"Changed: {problem}" for problem in changed]
    raise SchemaError("\n  ".join([*lines, "Rename or add the columns, or fit the model again."]))


def unused_columns(table: TableChunks, wanted: WantedColumns) -> list[str]:
    """Return the columns of the table that the model does not have."""
    return [name for name in table.columns if name not in (wanted.names or table.columns)]


def _with_guess(name: str, others: Sequence[str]) -> str:
    guess = nearest(name, others).removeprefix(" Did you mean ").removesuffix("?")
    return f"{name!r} (found {guess}: the same column?)" if guess else repr(name)


_MOST_VALUES = 3
_MOST_COUNTED = 1000  # of a column: more are free text


class UnseenCategories:
    """Counts the categories of nominal columns that are not in a schema, over all chunks."""

    def __init__(self, schema: Schema | None) -> None:
        features = schema.features if schema is not None and schema.named else ()
        self._known = {
            each.name: set(each.categories) for each in features if each.kind == "nominal" and each.measure != "text"
        }
        self.counts: dict[str, Counter[Any]] = {}

    def add(self, X: pd.DataFrame) -> None:
        """Count the values of a chunk that the model has not seen."""
        for name, known in self._known.items():
            column = X[name]
            values = column.cat.categories if hasattr(column, "cat") else column.unique()
            unseen = [value for value in values.tolist() if value not in known and value == value and value is not None]
            if unseen:
                self._count(name, column, unseen)

    def _count(self, name: str, column: Any, unseen: list[Any]) -> None:
        counts = column[column.isin(unseen).to_numpy()].value_counts()
        found = self.counts.setdefault(name, Counter())
        for value, n in counts[counts > 0].items():
            key = value if value in found or len(found) < _MOST_COUNTED else "…"
            found[key] += int(n)

    def notes(self) -> list[str]:
        """Return a sentence for each column that has any."""
        return [self._note(name, found) for name, found in self.counts.items() if found]

    def _note(self, name: str, found: Counter[Any]) -> str:
        shown = ", ".join(f"{value!r:.40}" for value, _ in found.most_common(_MOST_VALUES))
        more = ", …" if len(found) > _MOST_VALUES else ""
        n_rows = int(np.sum(list(found.values())))
        rows = f"{n_rows:,} row{'' if n_rows == 1 else 's'}"
        return f"{name!r} holds categories that the model has not seen ({shown}{more}; {rows}): missing values to it."


def predict_table(
    model: Any,
    source: str | os.PathLike[str] | BinaryIO | Any,
    out: str | os.PathLike[str] | BinaryIO,
    *,
    costs: Any = None,
    interval: bool = False,
    confidence: float = 0.95,
    proba_only: bool = False,
    keep: Sequence[str] | Literal["all"] = (),
    chunk_rows: int | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    dates: Literal["dmy", "mdy", "ymd"] | None = None,
    missing: Sequence[str] | None = None,
    sheet: str | int | None = None,
    types: Mapping[str, Any] | None = None,
) -> PredictedTable:
    r"""Predict the rows of a table in a file, and write the predictions to another, in bounded memory.

    CSV and Parquet are read, predicted and written chunk by chunk; of other formats the whole table is read at once.
    Every chunk is read as `calibrant.data.read_table` would read the file, with the columns, kinds and categories of
    the model: a nominal column is text such as ``007`` also where a chunk holds only digits. Rows keep their order.

    The columns written are the kept ones, or ``row``, the number of the row from 1; ``probability_<class>`` for each
    class; ``prediction``, the class that the model predicts; with `costs`, ``action``, that of least expected cost,
    and ``expected_cost``; with `interval`, ``low_<class>`` and ``high_<class>``. Numbers in CSV have the fewest digits
    that read back as the same floats.

    Parameters
    ----------
    model : classifier, str or path
        A fitted model, or the file of one.
    source : str, path, binary file, polars LazyFrame, pyarrow Dataset or Dask frame
        The table: a file that `calibrant.data.read_table` reads, or a folder of CSV or Parquet files, which
        are read by name; a binary file such as ``sys.stdin.buffer`` is CSV, or another format by its first bytes.
    out : str, path or binary file
        The file to write: CSV or TSV (gzip too), Parquet, Feather or ``.xlsx`` by its suffix. It appears when it is
        complete; if anything fails, an older file stays as it was. To a binary file CSV is written as it is made. In
        CSV an apostrophe precedes texts that spreadsheets would run as formulas, such as ``=1+1``.
    costs : CostMatrix, what makes one, or the path of a file, optional
        The cost of each action for each class; a file is read by `CostMatrix.from_csv`.
    interval : bool
        Whether to write an interval for each probability. Raise where the model does not claim their coverage.
    confidence : float
        Confidence of the intervals.
    proba_only : bool
        Whether to leave ``prediction`` out.
    keep : sequence of str or "all"
        Columns of the table to write first, as they are.
    chunk_rows : int, optional
        The largest number of rows in memory at a time; by default those of about 4 MB of the file.
    sep, decimal, thousands, header, encoding, dates, missing, sheet, types
        As in `calibrant.data.read_table`; by default the file is read as the one that the model was made from, where
        its file remembers that.

    Returns
    -------
    PredictedTable
        Numbers of rows, mean probabilities and notes.

    Raises
    ------
    SchemaError
        If the columns of the table are not those of the model; the message lists what differs.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from calibrant.bayes import NaiveBayesClassifier
    >>> from calibrant.data import load
    >>> from calibrant.files import predict_table
    >>> folder, table = pathlib.Path(tempfile.mkdtemp()), load("appeal")
    >>> table.X.to_csv(folder / "new.csv", index=False)
    >>> model = NaiveBayesClassifier().fit(table.X, table.y)
    >>> predict_table(model, folder / "new.csv", folder / "predictions.csv", proba_only=True)
    1,500 rows predicted; mean probability no 0.9091, yes 0.09087
    >>> print((folder / "predictions.csv").read_text()[:30])
    row,probability_no,probability
    """
    _check_options(interval, confidence, proba_only, chunk_rows)
    target = Path(out) if isinstance(out, str | os.PathLike) else out
    if isinstance(target, Path):
        check_format(target)
    layout: dict[str, Any] = {"sep": sep, "decimal": decimal, "thousands": thousands, "header": header}
    layout |= {"encoding": encoding, "dates": dates, "missing": missing, "sheet": sheet, "types": types}
    model, described, before = _as_model(model)
    wanted = wanted_columns(model, _read_keep(keep), described)
    if interval:
        check_has_intervals(model)
    matrix = None if costs is None else _cost_matrix(costs, model)
    columns = OutputColumns(model, matrix, float(confidence) if interval else None, bool(proba_only))
    opened = Path(source) if isinstance(source, str | os.PathLike) else source
    with ExitStack() as stack:
        passed = {name: each for name, each in layout.items() if each is not None}
        remembered = {
            name: each for name, each in _remembered(before, wanted.names or ()).items() if name not in passed
        }
        table = stack.enter_context(TableChunks.open(opened, wanted, n_rows=chunk_rows, **remembered, **passed))
        unseen = UnseenCategories(wanted.schema)
        who = str(opened) if isinstance(opened, Path) else "standard input" if hasattr(opened, "read") else "source"
        chunks = _checked(table, wanted, who, remembered)
        columns.names(table.selection.keep)
        writer = stack.enter_context(open_writer(target))
        with progress(total=table.n_rows or table.n_expected, description="predicting rows") as bar:
            for chunk in chunks:
                writer.write(_predict(columns, chunk, who))
                unseen.add(chunk.X)
                bar.advance(len(chunk.X))
        if table.n_rows is not None and table.n_rows != columns.n_rows:
            raise ReadError.at(who, f"states {table.n_rows} rows and has {columns.n_rows}", hint="Copy it again.")
    return _result(columns, table, wanted, unseen, _reading_notes(table.reading, before))


def _check_options(interval: Any, confidence: Any, proba_only: Any, chunk_rows: Any) -> None:
    check_param("interval", interval, Bool())
    check_param("confidence", confidence, Real(0, 1, closed="neither"))
    check_param("proba_only", proba_only, Bool())
    check_param("chunk_rows", chunk_rows, Int(1) | Nothing())


def _as_model(model: Any) -> tuple[Any, Schema | None, Reading | None]:
    """Return a fitted classifier, the columns that its file describes where it does not know them, and its reading."""
    described, reading = None, None
    if isinstance(model, str | os.PathLike):
        path = Path(model)
        with _opening(path):
            model = load_model(path)
            description = describe_model(path)
            reading = description.made_from.reading
            if find_schema(model) is None:
                described = described_schema(description.columns, model)
    if not hasattr(model, "predict_proba"):
        raise DataTypeError(f"model must be a classifier with predict_proba; got {type(model).__name__}.")
    if not hasattr(model, "classes_"):
        raise ParameterError(f"model must be fitted; this {type(model).__name__} is not. Call fit first.")
    return model, described, reading


def _remembered(before: Reading | None, columns: Sequence[str]) -> dict[str, Any]:
    """Return the keywords that read a file as that of the model, with the types of its numbers and dates."""
    if before is None:
        return {}
    options = before.options()
    kinds = {name: kind for name, kind in options.pop("types", {}).items() if kind in ("number", "date")}
    types = {name: kind for name, kind in kinds.items() if name in columns}
    return options | ({"types": types} if types else {})


def _reading_notes(now: Reading | None, before: Reading | None) -> list[str]:
    """Return notes on the layout of a file, and on where it differs from that of the training table."""
    notes = [f"Read as {now.text}."] if now is not None and now.text else []
    if now is None or before is None:
        return notes
    other = [
        f"{name} {getattr(now, name)!r} instead of {getattr(before, name)!r}"
        for name in ("format", "sep", "decimal", "sheet", "encoding")
        if None not in (getattr(now, name), getattr(before, name))
        and getattr(now, name) != getattr(before, name)
        and (name, now.encoding) != ("encoding", "utf-8")  # which all files of English text are
    ]
    return [*notes, f"The file is laid out otherwise than that of the model: {', '.join(other)}."] if other else notes


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    try:
        yield
    except CalibrantError:
        raise
    except OSError as error:
        hint = "Check the path and its permissions."
        raise ReadError.at(path, f"cannot be opened ({error.strerror})", hint=hint) from error


def _read_keep(keep: Any) -> tuple[str, ...] | Literal["all"]:
    if keep == "all":
        return "all"
    names = tuple(keep) if not isinstance(keep, str) else (keep,)
    if not all(isinstance(name, str) for name in names):
        raise ParameterError(f"keep must be names of columns or 'all'; got {keep!r:.60}.")
    return tuple(dict.fromkeys(names))


def _cost_matrix(costs: Any, model: Any) -> CostMatrix:
    """Return the costs with a row for each class of the model, in their order."""
    is_path = isinstance(costs, str | os.PathLike)
    matrix = CostMatrix.from_csv(costs) if is_path else costs if isinstance(costs, CostMatrix) else CostMatrix(costs)
    try:
        return matrix.for_classes(model.classes_)
    except ParameterError as error:
        raise DataError(f"{costs if is_path else 'costs'}: {error}") from error


def _checked(table: TableChunks, wanted: WantedColumns, who: str, remembered: Mapping[str, Any]) -> Any:
    """Return the chunks after the first one was compared with the columns of the model."""
    first = next(table.chunks, None)
    if first is None:
        raise ReadError.at(who, "has no rows", hint="Pass a table with rows.")
    try:
        check_match(table, first, wanted, who)
    except SchemaError as error:
        if not remembered or not table.is_streamed:
            raise
        used = ", ".join(f"{name}={each!r}" for name, each in remembered.items())
        hint = f"It is read as the file of the model ({used}); pass these if it is written otherwise."
        raise SchemaError(f"{error}\n  {hint}") from error
    return chain([first], table.chunks)


def _predict(columns: OutputColumns, chunk: Chunk, who: str) -> Any:
    with warnings.catch_warnings():
        # a file always has names, and a model that was fitted without takes its columns by position
        warnings.filterwarnings("ignore", message="X has feature names")
        try:
            return columns.table(chunk)
        except (SchemaError, DataError) as error:
            rows = f"rows {columns.n_rows + 1:,} to {columns.n_rows + len(chunk.X):,}"
            raise type(error)(f"{who}, {rows}: {error}") from error


def _result(
    columns: OutputColumns, table: TableChunks, wanted: WantedColumns, unseen: UnseenCategories, notes: Sequence[str]
) -> PredictedTable:
    means = (columns.proba_sums / columns.n_rows).tolist()
    costs = columns.costs
    whole = [] if table.is_streamed else ["The format of the table cannot be read in chunks: all of it was in memory."]
    return PredictedTable(
        n_rows=columns.n_rows,
        columns=tuple(columns.names(table.selection.keep)),
        mean_probabilities=dict(zip(columns.classes, means, strict=True)),
        predictions={} if columns.proba_only else dict(zip(columns.classes, columns.counts.tolist(), strict=True)),
        actions={}
        if costs is None
        else dict(zip(map(str, costs.actions or ()), columns.action_counts.tolist(), strict=True)),
        expected_cost=None if costs is None else columns.total_cost,
        unused=tuple(unused_columns(table, wanted)),
        notes=(*notes, *unseen.notes(), *whole),
        is_streamed=table.is_streamed,
    )


def wanted_columns(model: Any, keep: tuple[str, ...] | Literal["all"], described: Schema | None) -> WantedColumns:
    """Return the columns that a model needs, with their kinds where it or the description of its file knows them."""
    schema = find_schema(model) or described
    if schema is not None:
        known = schema.names if schema.named else None
        return WantedColumns(known, len(schema.features), schema, keep, as_text=not _is_own(model))
    names = getattr(model, "feature_names_in_", None)
    n_features = len(names) if names is not None else getattr(model, "n_features_in_", None)
    if n_features is None:
        raise ParameterError(
            f"model must know its columns; {type(model).__name__} has no feature_names_in_. Fit it to a frame."
        )
    return WantedColumns(None if names is None else tuple(map(str, names)), int(n_features), None, keep, as_text=True)


def described_schema(columns: Sequence[ColumnDescription], model: Any) -> Schema | None:
    """Return the columns of a model that the description of its file lists; None if it lists not all of them."""
    known = {each.name: _feature(each) for each in columns}
    names = [str(name) for name in getattr(model, "feature_names_in_", known)]
    is_known = bool(names) and all(name in known for name in names)
    return Schema(tuple(known[name] for name in names), named=True) if is_known else None


def _feature(column: ColumnDescription) -> Feature:
    return Feature(
        column.name,
        "nominal" if column.kind == "nominal" else "numeric",
        column.categories,
        measure=column.measure,
    )


def _is_own(model: Any) -> bool:
    """Return whether a model and what it wraps are of calibrant, which takes categories and strings alike."""
    models = list(wrapped_models(model))
    return all(is_calibrants(each) and not type(each).__module__.startswith(_PASS_ROWS) for each in models)
