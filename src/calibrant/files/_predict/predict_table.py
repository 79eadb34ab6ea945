"""`predict_table`: the predictions of a model for a table in a file, in bounded memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from calibrant._params import Bool, Int, Nothing, Real, check_param
from calibrant._progress import progress
from calibrant.data._internal import CsvOptions, open_chunks
from calibrant.decisions import CostMatrix
from calibrant.exceptions import CalibrantError, DataError, DataTypeError, ParameterError, ReadError, SchemaError
from calibrant.files._load import describe_model, load_model
from calibrant.files._model_schema import find_schema
from calibrant.files._predict.intervals import check_has_intervals
from calibrant.files._predict.mismatch import check_match, unused_columns
from calibrant.files._predict.model_columns import described_schema, wanted_columns
from calibrant.files._predict.output_columns import OutputColumns
from calibrant.files._predict.predicted_table import PredictedTable
from calibrant.files._predict.table_writer import check_format, open_writer
from calibrant.files._predict.unseen import UnseenCategories

if TYPE_CHECKING:
    from calibrant.data._internal import Chunk, Schema, TableChunks, WantedColumns

__all__ = ["predict_table"]


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
    header: bool | None = None,
    encoding: str | None = None,
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
        The table: CSV or TSV (gzip too), Parquet, Feather, ARFF or C4.5, or a folder of CSV or Parquet files, which
        are read by name; a binary file such as ``sys.stdin.buffer`` is CSV, or another format by its first bytes.
    out : str, path or binary file
        The file to write: CSV or TSV (gzip too) or Parquet by its suffix. It appears when it is complete; if anything
        fails, an older file stays as it was. To a binary file CSV is written as it is made.
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
    sep, header, encoding
        As in `calibrant.data.read_table`.

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
    model, described = _as_model(model)
    wanted = wanted_columns(model, _read_keep(keep), described)
    if interval:
        check_has_intervals(model)
    matrix = None if costs is None else _cost_matrix(costs, model)
    columns = OutputColumns(model, matrix, float(confidence) if interval else None, bool(proba_only))
    opened = Path(source) if isinstance(source, str | os.PathLike) else source
    options = CsvOptions(sep, header, encoding)
    with ExitStack() as stack:
        table = stack.enter_context(open_chunks(opened, wanted, options=options, n_rows=chunk_rows))
        unseen = UnseenCategories(wanted.schema)
        who = str(opened) if isinstance(opened, Path) else "standard input" if hasattr(opened, "read") else "source"
        chunks = _checked(table, wanted, who)
        columns.names(table.selection.keep)
        writer = stack.enter_context(open_writer(target))
        with progress(total=table.n_rows or table.n_expected, description="predicting rows") as bar:
            for chunk in chunks:
                writer.write(_predict(columns, chunk, who))
                unseen.add(chunk.X)
                bar.advance(len(chunk.X))
        if table.n_rows is not None and table.n_rows != columns.n_rows:
            raise ReadError.at(who, f"states {table.n_rows} rows and has {columns.n_rows}", hint="Copy it again.")
    return _result(columns, table, wanted, unseen)


def _check_options(interval: Any, confidence: Any, proba_only: Any, chunk_rows: Any) -> None:
    check_param("interval", interval, Bool())
    check_param("confidence", confidence, Real(0, 1, closed="neither"))
    check_param("proba_only", proba_only, Bool())
    check_param("chunk_rows", chunk_rows, Int(1) | Nothing())


def _as_model(model: Any) -> tuple[Any, Schema | None]:
    """Return a fitted classifier, and the columns that its file describes where it does not know them."""
    described = None
    if isinstance(model, str | os.PathLike):
        path = Path(model)
        with _opening(path):
            model = load_model(path)
            if find_schema(model) is None:
                described = described_schema(describe_model(path).columns, model)
    if not hasattr(model, "predict_proba"):
        raise DataTypeError(f"model must be a classifier with predict_proba; got {type(model).__name__}.")
    if not hasattr(model, "classes_"):
        raise ParameterError(f"model must be fitted; this {type(model).__name__} is not. Call fit first.")
    return model, described


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


def _checked(table: TableChunks, wanted: WantedColumns, who: str) -> Any:
    """Return the chunks after the first one was compared with the columns of the model."""
    first = next(table.chunks, None)
    if first is None:
        raise ReadError.at(who, "has no rows", hint="Pass a table with rows.")
    check_match(table, first, wanted, who)
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
    columns: OutputColumns, table: TableChunks, wanted: WantedColumns, unseen: UnseenCategories
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
        notes=(*unseen.notes(), *whole),
        is_streamed=table.is_streamed,
    )
