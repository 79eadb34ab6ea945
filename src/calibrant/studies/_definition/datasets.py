"""Data sets of a study: their sources, the roles of columns, their rows as they are read for a run."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant._repr import short_repr
from calibrant._sklearn import num_samples
from calibrant.data import Table, read_table
from calibrant.data._internal import TABLE_EXTENSIONS, fingerprint_rows
from calibrant.exceptions import CalibrantError, ParameterError, StudyError, nearest
from calibrant.resampling._internal import splitters
from calibrant.studies._definition.build import build_value
from calibrant.studies._definition.describe import describe_value
from calibrant.studies._definition.documents import canonical_json
from calibrant.studies._definition.names import check_name
from calibrant.studies._trials.records import StudyRows

SourceKind = Literal["name", "file", "rows"]
_OWN_OPTIONS = ("path", "target", "positive")  # which a data set has itself


@dataclass(frozen=True)
class UnavailableRows:
    """Stands for rows that were passed as objects to the study that the store describes."""

    description: str


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set of a study: the source of its rows, and the columns that are not features.

    Nothing is read before the study runs.

    Parameters
    ----------
    source : str, path, Table, frame, or (X, y)
        A name that `calibrant.data.load` takes (``"iris"``, ``"nielsen.iris"``, ``"openml:61"``), a file that
        `calibrant.data.read_table` reads (a string with a slash or the extension of such a file is a path), a
        `calibrant.data.Table`, a frame of pandas, polars or pyarrow, or features and classes.
    target : str, optional
        The class column of a file or a frame; by default the last one.
    groups : str or sequence, optional
        The group of each row: a column, which is removed from the features, or a sequence.
    time : str or sequence, optional
        The time of each row, for a plan by time: a column, which is removed from the features, or a sequence.
    weight : str or sequence, optional
        The weight of each row: a column, which is removed from the features, or a sequence; by default the weights
        that the table has, if it has any.
    positive : optional
        The positive class; by default that of the table, else the last sorted one.
    metric_params : dict of metric to dict, optional
        Keywords of metrics for this data set; ``{"column": "gift"}`` is the column, which is removed from the
        features: ``{"profit": {"amount": {"column": "gift"}, "cost": 0.68}}``.
    name : str, optional
        Its name in the study; by default the name of the data set, of the table, or of the file.
    options : dict, optional
        Further keywords of `calibrant.data.read_table` for a file, such as ``sep`` and ``types``.

    Examples
    --------
    >>> from calibrant.studies import Dataset
    >>> Dataset("data/donors.csv", target="gives", groups="household")
    Dataset('.../data/donors.csv', target='gives', groups='household')
    """

    source: Any
    _: KW_ONLY
    target: str | None = None
    groups: Any = None
    time: Any = None
    weight: Any = None
    positive: Any = None
    metric_params: Mapping[str, Mapping[str, Any]] | None = None
    name: str | None = None
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", _read_source(self.source))
        for role in ("groups", "time", "weight"):
            value = getattr(self, role)
            if value is not None and not isinstance(value, str):
                object.__setattr__(self, role, _as_array(role, value))
        for role in ("target", "name"):
            value = getattr(self, role)
            if value is not None and (not isinstance(value, str) or not value):
                raise ParameterError(f"Dataset: {role} must be text; got {short_repr(value)}.")
        is_frame = self.kind == "rows" and not isinstance(self.source, tuple) and not hasattr(self.source, "kinds")
        if self.target is not None and self.kind != "file" and not is_frame:
            raise ParameterError("Dataset: target is for files and frames; this source has its classes already.")
        params, options = self.metric_params, self.options
        if params is not None and not (
            isinstance(params, Mapping) and all(isinstance(each, Mapping) for each in params.values())
        ):
            raise ParameterError(f"Dataset: metric_params must be a dict of metric to dict; got {short_repr(params)}.")
        if options is not None and (self.kind != "file" or not isinstance(options, Mapping)):
            raise ParameterError("Dataset: options must be a dict of keywords of read_table, for a file.")
        known = [name for name in inspect.signature(read_table).parameters if name not in _OWN_OPTIONS]
        if unknown := [name for name in options or () if name not in known]:
            hint = f"{nearest(unknown[0], known)} There are {', '.join(known)}."
            raise ParameterError(f"Dataset: options has no {unknown[0]!r}.{hint}")

    @property
    def kind(self) -> SourceKind:
        """Whether the source is a name, a file, or the rows themselves."""
        if isinstance(self.source, str):
            return "name"
        return "file" if isinstance(self.source, Path) else "rows"

    def __repr__(self) -> str:
        named = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        further = "".join(f", {name}={short_repr(each)}" for name, each in named.items() if each is not None)
        return f"Dataset({self._source_text()}{further})"

    def _source_text(self) -> str:
        if self.kind != "rows":
            return repr(str(self.source))
        if isinstance(self.source, UnavailableRows):
            return self.source.description
        rows = self.source[0] if isinstance(self.source, tuple) else getattr(self.source, "X", self.source)
        shape = " x ".join(f"{n:,}" for n in getattr(rows, "shape", (len(rows),)))
        return f"<{type(self.source).__name__}: {shape}>"

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the data set; rows that were passed as objects are not in it."""
        source = {"name": {"load": self.source}, "file": {"file": str(self.source)}}.get(self.kind)
        roles = {field.name: getattr(self, field.name) for field in fields(self)[1:] if field.name != "name"}
        described = {name: describe_value(each) for name, each in roles.items() if each is not None}
        return {"source": source or {"opaque": self._source_text()}, **described}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Dataset:
        """Return the data set that a document describes."""
        source = dict(document["source"])
        if "opaque" in source:
            found: Any = UnavailableRows(source["opaque"])
        else:
            found = Path(source["file"]) if "file" in source else source["load"]
        roles = {name: each for name, each in document.items() if name not in ("fingerprint", "source")}
        try:
            return cls(found, **{name: build_value(each) for name, each in roles.items()})
        except StudyError:  # long groups or weights, which can be queried but not read again
            return cls(UnavailableRows("with groups, weights or amounts too long to keep"), name=document.get("name"))

    def check_source(self, name: str) -> None:
        """Raise a StudyError if there is no data set or file of that name; nothing is read."""
        if self.kind == "file" and not self.source.exists():
            raise StudyError(f"data set {name!r}: there is no file {self.source}. Correct the path.")
        if self.kind == "name" and not self.source.startswith("openml:"):
            from calibrant.data import list_datasets

            known = list_datasets()
            if self.source not in known:
                hint = nearest(self.source, known) or " list_datasets() lists them; a path needs an extension."
                raise StudyError(f"data set {name!r}: {self.source!r} is not a known data set.{hint}")


def read_datasets(datasets: Any) -> dict[str, Dataset]:
    """Return the data sets of a study by name.

    Parameters
    ----------
    datasets : list, or dict of name to data set
        Names, paths, Tables or `Dataset`; in a dict also frames and pairs of features and classes.

    Examples
    --------
    >>> list(read_datasets(["nielsen.iris", "wine.csv"])), list(read_datasets({"flowers": "iris"}))
    (['nielsen.iris', 'wine'], ['flowers'])
    >>> read_datasets(["iris", "iris.csv"])
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: two data sets are named 'iris'; name them by a dict of name to data set.
    """
    is_named = isinstance(datasets, Mapping)
    is_one = isinstance(datasets, str | os.PathLike | Dataset) or _is_rows(datasets)
    if not is_named and (is_one or not isinstance(datasets, Iterable)):
        raise StudyError(
            f"datasets must be a list of data sets or a dict of name to data set; got {short_repr(datasets)}."
        )
    found: dict[str, Dataset] = {}
    for key, source in datasets.items() if is_named else enumerate(datasets):
        where = key if is_named else f"datasets[{key}]"
        try:
            dataset = source if isinstance(source, Dataset) else Dataset(source)
        except ParameterError as error:
            raise StudyError(f"data set {where!r}: {error}") from error
        own = dataset.source if dataset.kind == "name" else getattr(dataset.source, "name", None)
        if dataset.kind == "file":
            own = str(own).partition(".")[0] or own
        name: Any = key if is_named else dataset.name or own
        if name is None:
            raise StudyError(f"{where} has no name; pass a dict of name to data set, or Dataset(..., name=).")
        check_name("datasets: a name", name)
        if name in found:
            raise StudyError(f"two data sets are named {name!r}; name them by a dict of name to data set.")
        if dataset.name not in (None, name):
            raise StudyError(f"data set {name!r} is named {dataset.name!r} by its Dataset; name it once.")
        found[name] = replace(dataset, name=name)
    if not found:
        raise StudyError("datasets is empty; name at least one data set.")
    return found


def _is_rows(source: Any) -> bool:
    """Return whether an object is a Table or a frame; attributes of its class, as reading some takes long."""
    return any(hasattr(type(source), name) for name in ("columns", "column_names", "class_counts", "to_struct_array"))


def is_path(source: str) -> bool:
    """Return whether text is a path rather than the name of a data set.

    Examples
    --------
    >>> is_path("donors.csv"), is_path("data/donors"), is_path("nielsen.iris")
    (True, True, False)
    """
    return "/" in source or os.sep in source or Path(source).suffix.lower() in TABLE_EXTENSIONS


def _read_source(source: Any) -> Any:
    if isinstance(source, str):
        if not source.strip():
            raise ParameterError("Dataset: source is empty text; name a data set or a file.")
        return Path(os.path.abspath(source)) if is_path(source) else source  # noqa: PTH100 - a link is kept as it is
    if isinstance(source, os.PathLike):
        return Path(os.path.abspath(source))  # noqa: PTH100
    if isinstance(source, tuple) and len(source) == 2:
        return source
    if hasattr(type(source), "collect"):
        raise ParameterError("Dataset: source is a lazy frame; call collect() first.")
    if hasattr(type(source), "to_struct_array"):  # a record batch of Arrow
        import pyarrow as pa

        return pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else source
    if isinstance(source, UnavailableRows) or _is_rows(source):
        return source
    raise ParameterError(
        f"Dataset: source must be the name of a data set, a path, a Table, a frame or (X, y); got {short_repr(source)}."
    )


def _as_array(role: str, values: Any) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ParameterError(f"Dataset: {role} must be a column, or a value for each row: {error}.") from error
    if array.ndim != 1:
        raise ParameterError(f"Dataset: {role} must be a column, or a value for each row; got {short_repr(values)}.")
    # A list of text and numbers is one of objects, not one of text
    return np.asarray(values, dtype=object) if array.dtype.kind in "US" and isinstance(values, list | tuple) else array


MetricParams = Mapping[str, Mapping[str, Any]]


def read_rows(dataset: Dataset, metric_params: MetricParams | None = None) -> StudyRows:
    """Read the rows of a data set and compute their fingerprint.

    Parameters
    ----------
    dataset : Dataset
        A data set with a name.
    metric_params : dict of metric to dict, optional
        Keywords of metrics for every data set of the study; those of the data set take precedence.

    Returns
    -------
    StudyRows
        Features without the columns of groups, times, weights and metrics.

    Examples
    --------
    >>> rows = read_rows(Dataset("appeal", metric_params={"profit": {"amount": {"column": "amount"}}}, name="appeal"))
    >>> rows.X.shape, rows.pos_label, len(rows.metric_params["profit"]["amount"])
    ((1500, 8), 'yes', 1500)
    """
    name = dataset.name or "data"
    try:
        X, y, extra, own_weight, own_positive = _read(dataset)
        columns = _Columns(X, extra)
        groups, weight = columns.values(dataset.groups, "groups"), columns.values(dataset.weight, "weight")
        times = columns.values(dataset.time, "time")
        weight = own_weight if weight is None else weight
        params = _resolve(metric_params or {}, dataset.metric_params or {}, columns)
        positive = own_positive if dataset.positive is None else _matched(dataset.positive, y)
        X = columns.features()
        by_row = {
            f"{metric} {key}": each
            for metric, keywords in params.items()
            for key, each in keywords.items()
            if np.ndim(each) == 1 and len(each) == num_samples(X)
        }
        if times is not None:
            by_row["time"] = splitters.rank_times(times, num_samples(X))
        described = canonical_json(describe_value(positive))
        found = fingerprint_rows(X, y, groups=groups, sample_weight=weight, positive=described, by_row=by_row)
    except CalibrantError as error:
        raise StudyError(f"data set {name!r}: {error}") from error
    except (TypeError, ValueError, LookupError, nw.exceptions.NarwhalsError) as error:  # of the library of a frame
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise StudyError(f"data set {name!r}: its rows cannot be read: {problem}") from error
    return StudyRows(name, found, X, y, groups, weight, positive, params, by_row.get("time"))


# Features, classes, further columns, weights and positive class, as they were read.
_RawRows = tuple[Any, Any, Any, Any, Any]


def _read(dataset: Dataset) -> _RawRows:
    source = dataset.source
    if isinstance(source, UnavailableRows):
        raise StudyError(
            f"its rows were passed to the study as objects, {source.description}, which the store does not hold. Make "
            "the study again with them to run it."
        )
    from calibrant.data import load

    target = dataset.target
    if dataset.kind == "name":
        return _from_table(load(source))
    if dataset.kind == "file":
        return _from_table(read_table(source, target=target, **(dataset.options or {})))
    if isinstance(source, tuple):
        return *source, None, None, None
    if hasattr(source, "kinds"):
        return _from_table(source)
    frame = nw.from_native(source, eager_only=True)
    if not frame.columns:
        raise StudyError("the frame has no columns.")
    target = frame.columns[-1] if target is None else target
    if target not in frame.columns:
        raise StudyError(f"target {target!r} is not a column.{nearest(target, frame.columns)}")
    return frame.drop(target).to_native(), frame.get_column(target).to_native(), None, None, None


def _from_table(table: Table) -> _RawRows:
    if table.y is None:
        raise StudyError("the table has no class column; pass target=.")
    return table.X, table.y, table.extra, table.sample_weight, table.positive


class _Columns:
    """The columns of a table by name; those that get a role are no longer features."""

    def __init__(self, X: Any, extra: Any) -> None:
        self._X = nw.from_native(X, eager_only=True, pass_through=True)
        self._extra = None if extra is None else nw.from_native(extra, eager_only=True)
        self._taken: list[str] = []

    def values(self, role: Any, what: str) -> Any:
        """Return the values of a column as an array, or the sequence itself where that was passed."""
        if role is None or not isinstance(role, str):
            return None if role is None else np.asarray(role)
        if isinstance(self._X, nw.DataFrame) and role in self._X.columns:
            self._taken.append(role)
            return self._X.get_column(role).to_numpy()
        if self._extra is not None and role in self._extra.columns:
            return self._extra.get_column(role).to_numpy()
        frames = [each for each in (self._X, self._extra) if isinstance(each, nw.DataFrame)]
        names = [name for frame in frames for name in frame.columns]
        raise StudyError(f"{what} is {role!r}, which is not a column.{nearest(role, names)}")

    def features(self) -> Any:
        """Return the table without the columns that got a role."""
        if not isinstance(self._X, nw.DataFrame) or not self._taken:
            return nw.to_native(self._X, pass_through=True)
        return self._X.drop(list(dict.fromkeys(self._taken))).to_native()


def _resolve(shared: MetricParams, own: MetricParams, columns: _Columns) -> dict[str, dict[str, Any]]:
    """Return the keywords of metrics, own ones first; ``{"column": name}`` stands for the values of the column."""
    merged = {metric: {**shared.get(metric, {}), **own.get(metric, {})} for metric in {**shared, **own}}
    return {
        metric: {
            key: columns.values(str(each["column"]), f"metric_params: {key} of {metric!r}")
            if isinstance(each, Mapping) and set(each) == {"column"}
            else each
            for key, each in keywords.items()
        }
        for metric, keywords in merged.items()
    }


def _matched(positive: Any, y: Any) -> Any:
    """Return the class that is meant; raise if no row has it."""
    series = nw.from_native(y, series_only=True, pass_through=True)
    values = series.unique().to_list() if isinstance(series, nw.Series) else list(dict.fromkeys(np.asarray(y).tolist()))
    if positive in values:
        return positive
    same = [each for each in values if str(each) == str(positive)]
    if len(same) == 1:  # a file may write 1 for the class "1", or the reverse
        return same[0]
    raise StudyError(f"positive is {short_repr(positive)}, which no row has.{nearest(positive, values)}")
