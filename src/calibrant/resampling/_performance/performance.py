"""How well methods did, split by split and in the mean, with how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.exceptions import ParameterError, nearest
from calibrant.metrics import Interval, Score
from calibrant.resampling._performance.performance_text import performance_html, performance_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Performance", "Pooled"]


@dataclass(frozen=True, eq=False)
class Pooled:
    """What a method said of every row that was tested, all splits together.

    Parameters
    ----------
    row : array of shape (n_predictions,)
        The position of each row in the table given; a row stands here as often as it was tested.
    split : array of shape (n_predictions,)
        The number of the split.
    y_true : array of shape (n_predictions,)
        The class or number of the row.
    y_pred : array of shape (n_predictions, n_classes) or (n_predictions,)
        The probabilities of the classes, or the number predicted.
    classes : tuple
        The classes in the order of the columns; empty for numbers.

    Examples
    --------
    >>> Pooled(np.array([4, 7]), np.array([0, 1]), np.array(["a", "b"]), np.eye(2), ("a", "b"))
    <Pooled: 2 predictions of 2 rows in 2 splits>
    """

    row: NDArray[np.intp]
    split: NDArray[np.intp]
    y_true: NDArray[Any]
    y_pred: NDArray[np.float64]
    classes: tuple[Any, ...] = ()

    def to_frame(self) -> Any:
        """Give a pandas frame with a line for each prediction.

        Examples
        --------
        >>> Pooled(np.array([4]), np.array([0]), np.array(["a"]), np.array([[0.9, 0.1]]), ("a", "b")).to_frame()
           row  split y_true  p(a)  p(b)
        0    4      0      a   0.9   0.1
        """
        pandas = optional_import("pandas", extra="data", purpose="give predictions as a frame")
        columns: dict[str, Any] = {"row": self.row, "split": self.split, "y_true": self.y_true}
        if self.y_pred.ndim == 1:
            columns["y_pred"] = self.y_pred
        columns |= {f"p({label})": self.y_pred[:, place] for place, label in enumerate(self.classes)}
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        n_rows, n_splits = len(np.unique(self.row)), len(np.unique(self.split))
        return f"<Pooled: {len(self.row):,} predictions of {n_rows:,} rows in {n_splits:,} splits>"


@dataclass(frozen=True, eq=False)
class Performance:
    """How well methods did by a plan; made by `estimate_performance`. Printed, it is a table with its caution.

    Parameters
    ----------
    methods, metrics : tuples of str
        Their names.
    values : array of shape (n_methods, n_metrics, n_splits)
        The value of every split; NaN where a metric has none, such as the AUC of one class.
    intervals : dict of (method, metric) to Interval
        The interval of each mean; NaN where none holds.
    n_train, n_test : arrays of shape (n_splits,)
        Different rows learnt from and rows tested on.
    split_names : tuple of str
        What the splits are.
    plan : str
        What the plan does, in words.
    caution : str
        When its estimate misleads.
    interval_text : str
        Where the intervals come from.
    confidence : float
        That of the intervals.
    n_rows : int
        Rows of weight above 0.
    predictions : tuple of Pooled
        What each method said of every row tested.
    choices : tuple of str
        With `Nested`, the method chosen in each split.

    Examples
    --------
    >>> from calibrant.resampling import Holdout, estimate_performance
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> X, y = [[i] for i in range(30)], [0] * 15 + [1] * 15
    >>> found = estimate_performance(ProbabilityTreeClassifier(), X, y, Holdout(), ["error"])
    >>> found.mean("error")
    0.0
    """

    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    values: NDArray[np.float64]
    intervals: dict[tuple[str, str], Interval] = field(repr=False)
    n_train: NDArray[np.intp]
    n_test: NDArray[np.intp]
    split_names: tuple[str, ...]
    plan: str
    caution: str
    interval_text: str
    confidence: float
    n_rows: int
    predictions: tuple[Pooled, ...]
    choices: tuple[str, ...] = ()

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.split_names)

    def split_values(self, metric: str, method: str | None = None) -> NDArray[np.float64]:
        """Give the value of every split, such as a test of `calibrant.comparison` takes.

        Parameters
        ----------
        metric : str
            The metric.
        method : str, optional
            The method, where there are several.

        Returns
        -------
        array of shape (n_splits,)
            The values.
        """
        return np.asarray(self.values[self._method(method), self._place("metric", metric, self.metrics)])

    def mean(self, metric: str, method: str | None = None) -> float:
        """Give the mean over the splits that have a value.

        Parameters
        ----------
        metric : str
            The metric.
        method : str, optional
            The method, where there are several.

        Returns
        -------
        float
            The mean; NaN where no split has a value.
        """
        values = self.split_values(metric, method)
        there = values[~np.isnan(values)]
        return float(there.mean()) if len(there) else math.nan

    def score(self, metric: str, method: str | None = None) -> Score:
        """Give the mean with its interval.

        Parameters
        ----------
        metric : str
            The metric.
        method : str, optional
            The method, where there are several.

        Returns
        -------
        Score
            ``value``, ``low``, ``high`` and, where splits have no value, a ``note``.
        """
        low, high = self.intervals[self.methods[self._method(method)], metric]
        undefined = int(np.isnan(self.split_values(metric, method)).sum())
        note = f"without a value in {undefined} of {self.n_splits} splits" if undefined else ""
        if math.isnan(low):
            return Score(metric, self.mean(metric, method), note=note)
        return Score(metric, self.mean(metric, method), low, high, self.interval_text, note=note)

    def pooled(self, method: str | None = None) -> Pooled:
        """Give what a method said of every row tested, all splits together.

        Parameters
        ----------
        method : str, optional
            The method, where there are several.

        Returns
        -------
        Pooled
            To plot, or to judge as a whole; for intervals of that pass ``groups=pooled.row``, since a row may stand
            there several times.
        """
        return self.predictions[self._method(method)]

    def to_frame(self, by: str = "method") -> Any:
        """Give a pandas frame: a line for each method and metric, or for each split.

        Parameters
        ----------
        by : {"method", "split"}
            ``"method"``: mean, standard deviation of the splits, interval, number of splits with a value.
            ``"split"``: split, its name and sizes, method, and a column for each metric.

        Returns
        -------
        pandas.DataFrame
            The figures.

        Examples
        --------
        >>> from calibrant.resampling import CrossValidation, estimate_performance
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> X, y = [[i] for i in range(30)], [0] * 15 + [1] * 15
        >>> found = estimate_performance(ProbabilityTreeClassifier(), X, y, CrossValidation(3), ["error"])
        >>> found.to_frame()[["method", "metric", "mean", "n_splits"]]
                              method metric      mean  n_splits
        0  ProbabilityTreeClassifier  error  0.033333         3
        """
        pandas = optional_import("pandas", extra="data", purpose="give performance as a frame")
        if by not in ("method", "split"):
            raise ParameterError(f"by must be 'method' or 'split'; got {by!r}.")
        return pandas.DataFrame(self._method_lines() if by == "method" else self._split_lines())

    def _method_lines(self) -> list[dict[str, Any]]:
        lines = []
        for method in self.methods:
            for metric in self.metrics:
                values = self.split_values(metric, method)
                there = values[~np.isnan(values)]
                low, high = self.intervals[method, metric]
                spread = float(there.std(ddof=1)) if len(there) > 1 and np.isfinite(there).all() else math.nan
                figures = {"mean": self.mean(metric, method), "sd": spread, "low": low, "high": high}
                lines.append({"method": method, "metric": metric, **figures, "n_splits": len(there)})
        return lines

    def _split_lines(self) -> list[dict[str, Any]]:
        return [
            {
                "split": split,
                "name": self.split_names[split],
                "n_train": self.n_train[split],
                "n_test": self.n_test[split],
                "method": method,
                **({"chosen": self.choices[split]} if self.choices else {}),
                **dict(zip(self.metrics, self.values[place, :, split], strict=True)),
            }
            for split in range(self.n_splits)
            for place, method in enumerate(self.methods)
        ]

    def _method(self, method: str | None) -> int:
        if method is None and len(self.methods) == 1:
            return 0
        if method is None:
            raise ParameterError(f"there are several methods; say which: {', '.join(self.methods)}.")
        return self._place("method", method, self.methods)

    @staticmethod
    def _place(what: str, name: str, names: tuple[str, ...]) -> int:
        if name not in names:
            raise ParameterError(f"there is no {what} {name!r}; there are {', '.join(names)}.{nearest(name, names)}")
        return names.index(name)

    def __repr__(self) -> str:
        return performance_text(self)

    def _repr_html_(self) -> str:
        return performance_html(self)
