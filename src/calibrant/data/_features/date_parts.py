"""Dates as numbers: days before the latest training date, and the parts of the calendar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._params import Choice, Rule, check_params
from calibrant._saved import Array, Text, TupleOf, need, saved
from calibrant.data._frames.columns import fit_columns
from calibrant.data._frames.schema import Schema
from calibrant.data._validation.estimator_rows import ColumnSchemaMixin
from calibrant.exceptions import DataTypeError

DatePart = Literal["days", "year", "month", "day", "weekday", "hour"]

_DAY = 86_400e6  # microseconds
_Dates = NDArray[np.datetime64]
# Of known dates; "days" are counted from the latest training date and computed apart
_CALENDAR: dict[str, Callable[[_Dates], NDArray[np.integer[Any]]]] = {
    "year": lambda dates: dates.astype("M8[Y]").astype(np.int64) + 1970,
    "month": lambda dates: dates.astype("M8[M]").astype(np.int64) % 12 + 1,
    "day": lambda dates: (dates.astype("M8[D]") - dates.astype("M8[M]").astype("M8[D]")).astype(np.int64) + 1,
    "weekday": lambda dates: (dates.astype("M8[D]").astype(np.int64) + 3) % 7,  # 1970 began on a Thursday
    "hour": lambda dates: dates.astype("M8[h]").astype(np.int64) % 24,
}
PARTS = ("days", *_CALENDAR)


class _PartNames(Rule):
    """A sequence of different parts."""

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            return False
        return all(each in PARTS for each in value) and len(set(value)) == len(value)

    def _words(self) -> tuple[str, ...]:
        return (f"a list of different names among {', '.join(map(repr, PARTS))}",)


@saved(_latest=Array("f8"), parts_=TupleOf(TupleOf(Text(*PARTS), least=1), least=1))
@fill_docstring()
class DateParts(ColumnSchemaMixin, TransformerMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Replace each column of dates by numbers: days since the latest training date, year, month, day, weekday, hour.

    Days are negative before the latest training date and positive after it, so that a later table continues where the
    training rows end. Missing dates stay missing. Time zones are read as UTC.

    Parameters
    ----------
    parts : "auto" or sequence of str
        The parts, among ``"days"``, ``"year"``, ``"month"`` (from 1), ``"day"`` (of the month, from 1), ``"weekday"``
        (Monday is 0) and ``"hour"``. ``"auto"``: the days, and of the others those that vary in the training rows.

    Attributes
    ----------
    latest_ : array of shape (n_columns,), dtype datetime64[us]
        The latest training date of each column; NaT where all are missing.
    parts_ : tuple of tuples of str
        The parts of each column.
    %(features_in_)s

    See Also
    --------
    TextParts : The same for free text.
    calibrant.ProbabilityClassifier : Fits both by itself, within its folds.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"due": pd.to_datetime(["2024-02-29", "2024-03-04", None])})
    >>> parts = DateParts().set_output(transform="pandas").fit(X)
    >>> parts.transform(X)
       due_days  due_month  due_day  due_weekday
    0      -4.0        2.0     29.0          3.0
    1       0.0        3.0      4.0          0.0
    2       NaN        NaN      NaN          NaN
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"parts": Choice("auto") | _PartNames()}

    _latest: NDArray[np.float64]
    parts_: tuple[tuple[str, ...], ...]

    def __init__(self, *, parts: Literal["auto"] | Sequence[DatePart] = "auto") -> None:
        self.parts = parts

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the latest date of each column, and which parts vary.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Columns of dates; select them from a table by scikit-learn's ``ColumnTransformer``.
        y : ignored
            Present by convention.

        Returns
        -------
        DateParts
            This transformer.
        """
        check_params(self)
        columns = fit_columns(X)
        for feature in columns.schema.features:
            if feature.measure not in ("", "dates") or feature.categories:
                held = "text" if feature.kind == "nominal" else feature.measure
                raise DataTypeError(
                    f"X must hold dates; column {feature.name!r} holds {held}. Select the columns of dates."
                )
        return self._fit_arrays(columns.schema, columns.arrays, columns.feature_names)

    def _fit_arrays(
        self, schema: Schema, arrays: Sequence[NDArray[Any]], feature_names: tuple[str, ...] | None = None
    ) -> Self:
        """Fit to validated columns of dates, in microseconds."""
        arrays = [np.asarray(each, dtype=np.float64) for each in arrays]
        self._latest = np.array([np.max(each[~np.isnan(each)], initial=-np.inf) for each in arrays])
        self._latest[np.isinf(self._latest)] = np.nan
        self.parts_ = tuple(map(self._chosen, arrays))
        self._store_schema(schema, feature_names)
        return self

    def _chosen(self, values: NDArray[np.float64]) -> tuple[str, ...]:
        if not isinstance(self.parts, str):
            return tuple(self.parts)
        dates = _as_dates(values[~np.isnan(values)])
        varying = [name for name, part in _CALENDAR.items() if len(dates) and np.ptp(part(dates)) > 0]
        return ("days", *varying)

    @property
    def latest_(self) -> NDArray[np.datetime64]:
        """The latest training date of each column."""
        self._check_fitted()
        return np.where(np.isnan(self._latest), np.datetime64("NaT", "us"), _as_dates(np.nan_to_num(self._latest)))

    @fill_docstring()
    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the parts of each date.

        Parameters
        ----------
        %(X_predict)s

        Returns
        -------
        array of shape (n_rows, n_parts)
            The parts of the first column, then those of the second, and so on; NaN where a date is missing.
        """
        _, columns = self._rows(X)
        return np.column_stack(self._transform_arrays(list(columns)))

    def _transform_arrays(self, arrays: Sequence[NDArray[Any]]) -> list[NDArray[np.float64]]:
        """Return the parts of validated columns."""
        found = []
        for values, latest, parts in zip(arrays, self._latest, self.parts_, strict=True):
            is_known = ~np.isnan(values)
            dates = _as_dates(values[is_known])
            for name in parts:
                part = np.full(len(values), np.nan)
                if name in _CALENDAR:
                    part[is_known] = _CALENDAR[name](dates)
                else:  # without a training date, days are counted from 1970
                    part[is_known] = (values[is_known] - np.nan_to_num(latest)) / _DAY
                found.append(part)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the parts.

        Parameters
        ----------
        input_features : sequence of str, optional
            The names of the columns; by default those of `fit`.

        Returns
        -------
        array of str
            The name of the column and that of the part: ``"due_month"``.
        """
        self._check_fitted()
        names = self._schema.names if input_features is None else [str(name) for name in input_features]
        self._schema.locate(None, len(names), type(self).__name__)
        pairs = zip(names, self.parts_, strict=True)
        return np.array([f"{name}_{part}" for name, parts in pairs for part in parts], dtype=object)

    def _check_saved(self) -> None:
        super()._check_saved()
        n_columns = len(self._schema.features)
        need(len(self._latest) == len(self.parts_) == n_columns, "has other dates than columns")
        need(not np.isinf(self._latest).any(), "has a latest date that is infinite")


def _as_dates(values: NDArray[np.float64]) -> NDArray[np.datetime64]:
    """Return microseconds since 1970 as dates."""
    # Beyond the years of datetime64 a float is no int64
    return np.clip(values, -(2.0**62), 2.0**62).astype(np.int64).astype("M8[us]")
