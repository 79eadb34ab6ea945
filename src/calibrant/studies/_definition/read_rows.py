"""Rows of a data set, read from where they are, with the columns that are not features taken out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from calibrant._repr import short_repr
from calibrant._sklearn import num_samples
from calibrant.exceptions import CalibrantError, StudyError, nearest
from calibrant.studies._definition.datasets import Dataset, UnavailableRows
from calibrant.studies._definition.fingerprints import fingerprint
from calibrant.studies._trials.records import StudyRows

if TYPE_CHECKING:
    from calibrant.data import Table

__all__ = ["read_rows"]

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
        Features without the columns of groups, weights and metrics.

    Examples
    --------
    >>> rows = read_rows(Dataset("appeal", metric_params={"profit": {"amount": {"column": "amount"}}}, name="appeal"))
    >>> rows.X.shape, rows.pos_label, len(rows.metric_params["profit"]["amount"])
    ((1500, 8), 'yes', 1500)
    """
    name = dataset.name or "data"
    with _errors_of(name):
        raw = _read(dataset)
        columns = _Columns(raw.X, raw.extra)
        groups, weight = columns.values(dataset.groups, "groups"), columns.values(dataset.weight, "weight")
        weight = raw.sample_weight if weight is None else weight
        params = _resolve(_merged(metric_params or {}, dataset.metric_params or {}), columns)
        positive = raw.positive if dataset.positive is None else _matched(dataset.positive, raw.y)
        X = columns.features()
        by_row = {
            f"{metric} {key}": each
            for metric, keywords in params.items()
            for key, each in keywords.items()
            if np.ndim(each) == 1 and len(each) == num_samples(X)
        }
        found = fingerprint(X, raw.y, groups=groups, sample_weight=weight, positive=positive, by_row=by_row)
    return StudyRows(name, found, X, raw.y, groups, weight, positive, params)


@dataclass(frozen=True, eq=False)
class _RawRows:
    """Rows as they were read."""

    X: Any
    y: Any
    extra: Any = None
    sample_weight: Any = None
    positive: Any = None


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    try:
        yield
    except CalibrantError as error:
        raise StudyError(f"data set {name!r}: {error}") from error
    except (TypeError, ValueError, LookupError, nw.exceptions.NarwhalsError) as error:  # of the library of a frame
        problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise StudyError(f"data set {name!r}: its rows cannot be read: {problem}") from error


def _read(dataset: Dataset) -> _RawRows:
    source = dataset.source
    if isinstance(source, UnavailableRows):
        raise StudyError(
            f"its rows were passed to the study as objects, {source.description}, which the store does not hold. Make "
            "the study again with them to run it."
        )
    if dataset.kind == "rows":
        return _from_objects(source, dataset.target)
    from calibrant.data import load, read_table

    if dataset.kind == "name":
        return _from_table(load(source))
    return _from_table(read_table(source, target=dataset.target, **(dataset.options or {})))


def _from_objects(source: Any, target: str | None) -> _RawRows:
    if isinstance(source, tuple):
        return _RawRows(*source)
    if hasattr(source, "kinds"):
        return _from_table(source)
    frame = nw.from_native(source, eager_only=True)
    if not frame.columns:
        raise StudyError("the frame has no columns.")
    target = frame.columns[-1] if target is None else target
    if target not in frame.columns:
        raise StudyError(f"target {target!r} is not a column.{nearest(target, frame.columns)}")
    return _RawRows(frame.drop(target).to_native(), frame.get_column(target).to_native())


def _from_table(table: Table) -> _RawRows:
    if table.y is None:
        raise StudyError("the table has no class column; pass target=.")
    return _RawRows(table.X, table.y, table.extra, table.sample_weight, table.positive)


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
        raise StudyError(f"{what} is {role!r}, which is not a column.{nearest(role, self._names())}")

    def features(self) -> Any:
        """Return the table without the columns that got a role."""
        if not isinstance(self._X, nw.DataFrame) or not self._taken:
            return nw.to_native(self._X, pass_through=True)
        return self._X.drop(list(dict.fromkeys(self._taken))).to_native()

    def _names(self) -> list[str]:
        frames = [each for each in (self._X, self._extra) if isinstance(each, nw.DataFrame)]
        return [name for frame in frames for name in frame.columns]


def _merged(one: MetricParams, other: MetricParams) -> dict[str, dict[str, Any]]:
    return {metric: {**one.get(metric, {}), **other.get(metric, {})} for metric in {**one, **other}}


def _resolve(params: MetricParams, columns: _Columns) -> dict[str, dict[str, Any]]:
    """Replace ``{"column": name}`` by the values of the column."""
    return {
        metric: {
            key: columns.values(str(each["column"]), f"metric_params: {key} of {metric!r}")
            if isinstance(each, Mapping) and set(each) == {"column"}
            else each
            for key, each in keywords.items()
        }
        for metric, keywords in params.items()
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
