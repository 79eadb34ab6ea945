"""The result of `estimate_performance`: values split by split, means, intervals and predictions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._optional import pandas_frame
from calibrant._repr import aligned_lines, number_text
from calibrant._sections import DataTable, Paragraph, Section, TableColumn, sections_html
from calibrant.exceptions import ParameterError, nearest
from calibrant.metrics import Difference, Interval, Score
from calibrant.resampling._performance.row_statistics import RowStatistics
from calibrant.resampling._trials.scoring import better_of


def _title(found: Performance) -> str:
    splits = f"{found.n_splits:,} splits" if found.n_splits > 1 else "1 split"
    sizes = f"{_size(found.n_train)} training rows, {_size(found.n_test)} test rows"
    return f"Performance by {found.plan}: {found.n_rows:,} rows, {splits}, {sizes}"


def _size(sizes: object) -> str:
    low, high = int(min(sizes)), int(max(sizes))  # type: ignore[call-overload]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _table(found: Performance) -> tuple[list[str], list[list[str]]]:
    """Return the head and a line for each method, or for each metric of a single method."""
    if len(found.methods) == 1:
        name = found.methods[0]
        return [name, "mean", "interval"], [[metric, *_cells(found, name, metric)] for metric in found.metrics]
    head = ["", *(each for metric in found.metrics for each in (metric, ""))]
    lines = [
        [name, *(cell for metric in found.metrics for cell in _cells(found, name, metric))] for name in found.methods
    ]
    return head, lines


def _cells(found: Performance, method: str, metric: str) -> tuple[str, str]:
    low, high = found.intervals[method, metric]
    interval = "" if math.isnan(low) else f"[{number_text(low)}, {number_text(high)}]"
    return number_text(found.mean(metric, method)), interval


def _notes(found: Performance) -> list[str]:
    notes = [found.interval_text] if found.interval_text else []
    if found.choices:
        counts = ", ".join(f"{name} {n}" for name, n in Counter(found.choices).most_common())
        notes.append(f"Chosen, number of splits: {counts}.")
    undefined = dict.fromkeys(
        f"{metric}: {found.score(metric, method).note}."
        for method in found.methods
        for metric in found.metrics
        if found.score(metric, method).note
    )
    return [*notes, *undefined, *([found.caution] if found.caution else [])]


METRIC_PARAMETERS = """\
Parameters
----------
metric : str
    The metric.
method : str, optional
    The method, where there are several."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """The predictions of a method for the test rows of all splits.

    Parameters
    ----------
    row : array of shape (n_predictions,)
        The position of each row in the table passed; a row occurs as often as it was tested.
    split : array of shape (n_predictions,)
        The number of the split.
    y_true : array of shape (n_predictions,)
        The class or number of the row.
    y_pred : array of shape (n_predictions, n_classes) or (n_predictions,)
        The probabilities of the classes, or the predicted number.
    classes : tuple
        The classes in the order of the columns; empty for regression.

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
        """Return a pandas frame with a row for each prediction.

        Examples
        --------
        >>> Pooled(np.array([4]), np.array([0]), np.array(["a"]), np.array([[0.9, 0.1]]), ("a", "b")).to_frame()
           row  split y_true  p(a)  p(b)
        0    4      0      a   0.9   0.1
        """
        columns: dict[str, Any] = {"row": self.row, "split": self.split, "y_true": self.y_true}
        if self.y_pred.ndim == 1:
            columns["y_pred"] = self.y_pred
        columns |= {f"p({label})": self.y_pred[:, column] for column, label in enumerate(self.classes)}
        return pandas_frame(columns, "return predictions as a frame")

    def __repr__(self) -> str:
        n_rows, n_splits = len(np.unique(self.row)), len(np.unique(self.split))
        return f"<Pooled: {len(self.row):,} predictions of {n_rows:,} rows in {n_splits:,} splits>"


@dataclass(frozen=True, eq=False)
class Performance:
    """The performance of methods by a plan, returned by `estimate_performance`; its repr is a table with a caution.

    Parameters
    ----------
    methods, metrics : tuples of str
        Their names.
    values : array of shape (n_methods, n_metrics, n_splits)
        The value of every split; NaN where a metric is undefined, such as the AUC of a single class.
    intervals : dict of (method, metric) to Interval
        The interval of each mean; NaN where none holds.
    n_train, n_test : arrays of shape (n_splits,)
        Numbers of different training rows and of test rows.
    split_names : tuple of str
        The names of the splits.
    plan : str
        The description of the plan.
    caution : str
        When its estimate misleads.
    interval_text : str
        How the intervals were computed.
    confidence : float
        Confidence of the intervals.
    n_rows : int
        Number of rows of weight above 0.
    predictions : tuple of Pooled
        The predictions of each method.
    choices : tuple of str
        With `Nested`, the method chosen in each split.
    notes : dict of (method, metric) to str
        Why a mean has no interval; of calibration errors, that the pooled predictions estimate them better.
    rows : RowStatistics or None
        What the tested rows contribute to the means, which `compare` reads; None where they show nothing.

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
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    rows: RowStatistics | None = field(default=None, repr=False)

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.split_names)

    @fill_docstring(metric_parameters=METRIC_PARAMETERS)
    def split_values(self, metric: str, method: str | None = None) -> NDArray[np.float64]:
        """Return the value of every split, as the tests of `calibrant.comparison` take them.

        %(metric_parameters)s

        Returns
        -------
        array of shape (n_splits,)
            The values.
        """
        return np.asarray(self.values[self._method_index(method), _index("metric", metric, self.metrics)])

    @fill_docstring(metric_parameters=METRIC_PARAMETERS)
    def mean(self, metric: str, method: str | None = None) -> float:
        """Return the mean over the splits that have a value.

        %(metric_parameters)s

        Returns
        -------
        float
            The mean; NaN where no split has a value.
        """
        return mean_of_defined(self.split_values(metric, method))

    @fill_docstring(metric_parameters=METRIC_PARAMETERS)
    def score(self, metric: str, method: str | None = None) -> Score:
        """Return the mean with its interval.

        %(metric_parameters)s

        Returns
        -------
        Score
            ``value``, ``low``, ``high`` and, where splits have no value or the metric has no interval, a ``note``.
        """
        name = self.methods[self._method_index(method)]
        low, high = self.intervals[name, metric]
        undefined = self.n_splits - len(self._defined_values(metric, method))
        missing = f"without a value in {undefined} of {self.n_splits} splits" if undefined else ""
        note = "; ".join(filter(None, (missing, self.notes.get((name, metric), ""))))
        if math.isnan(low):
            return Score(metric, self.mean(metric, method), note=note)
        return Score(metric, self.mean(metric, method), low, high, self.interval_text, note=note)

    def compare(self, metric: str, one: str, other: str) -> Difference:
        """Return the difference of two methods in the mean of a metric, with its interval.

        A row's difference of losses, averaged over the splits that test it, is what is tested; its variance counts
        once for the tested rows and once for the training rows, which the splits share (Nadeau & Bengio 2003, with the
        variance of rows).

        Parameters
        ----------
        metric : str
            The metric.
        one, other : str
            The methods.

        Returns
        -------
        Difference
            ``difference`` (the first less the second), ``low``, ``high``, ``pvalue``, and ``better``: "first",
            "second", or neither.

        Examples
        --------
        >>> from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
        >>> from calibrant.data import load
        >>> from calibrant.resampling import CrossValidation, estimate_performance
        >>> donors = load("appeal")
        >>> methods = {"base rate": ConstantClassifier(), "naive Bayes": NaiveBayesClassifier()}
        >>> found = estimate_performance(methods, donors.X, donors.y, CrossValidation(10), ["log_loss"])
        >>> found.compare("log_loss", "naive Bayes", "base rate")
        log_loss -0.0261 [-0.0451, -0.0071]: the first is better
        """
        mine, theirs = (self.methods[self._method_index(name)] for name in (one, other))
        value = self.mean(metric, mine) - self.mean(metric, theirs)
        if self.rows is None:
            return Difference(metric, value)
        found = self.rows.difference(mine, theirs, metric, value, self.confidence)
        if math.isnan(found.low):
            return Difference(metric, value)
        better, side = better_of(metric), ""
        if better is not None and found.pvalue <= 1.0 - self.confidence:
            side = "first" if better(self.mean(metric, mine), self.mean(metric, theirs)) else "second"
        return Difference(metric, value, found.low, found.high, "rows", side, found.pvalue)

    def pooled(self, method: str | None = None) -> Pooled:
        """Return the predictions of a method for the test rows of all splits.

        Parameters
        ----------
        method : str, optional
            The method, where there are several.

        Returns
        -------
        Pooled
            To plot, or to evaluate as a whole; for intervals pass ``groups=pooled.row``, since a row may occur
            several times.
        """
        return self.predictions[self._method_index(method)]

    def to_frame(self, by: str = "method") -> Any:
        """Return a pandas frame with a row for each method and metric, or for each method and split.

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
        if by not in ("method", "split"):
            raise ParameterError(f"by must be 'method' or 'split'; got {by!r}.")
        rows = self._method_rows() if by == "method" else self._split_rows()
        return pandas_frame(rows, "return performance as a frame")

    def _defined_values(self, metric: str, method: str | None) -> NDArray[np.float64]:
        values = self.split_values(metric, method)
        return values[~np.isnan(values)]

    def _method_rows(self) -> list[dict[str, Any]]:
        rows = []
        for method in self.methods:
            for metric in self.metrics:
                values = self._defined_values(metric, method)
                low, high = self.intervals[method, metric]
                sd = float(values.std(ddof=1)) if len(values) > 1 and np.isfinite(values).all() else math.nan
                figures = {"mean": self.mean(metric, method), "sd": sd, "low": low, "high": high}
                rows.append({"method": method, "metric": metric, **figures, "n_splits": len(values)})
        return rows

    def _split_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "split": split,
                "name": self.split_names[split],
                "n_train": self.n_train[split],
                "n_test": self.n_test[split],
                "method": method,
                **({"chosen": self.choices[split]} if self.choices else {}),
                **dict(zip(self.metrics, self.values[row, :, split], strict=True)),
            }
            for split in range(self.n_splits)
            for row, method in enumerate(self.methods)
        ]

    def _method_index(self, method: str | None) -> int:
        if method is None and len(self.methods) == 1:
            return 0
        if method is None:
            raise ParameterError(f"method must be specified where there are several: {', '.join(self.methods)}.")
        return _index("method", method, self.methods)

    def __repr__(self) -> str:
        head, lines = _table(self)
        return "\n".join([_title(self), *aligned_lines([head, *lines]), *_notes(self)])

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the results as sections, which notebooks, reports and web pages show."""
        head, lines = _table(self)
        columns = TableColumn(head[0], "left"), *(TableColumn(name or "interval", "right") for name in head[1:])
        table = DataTable("Means over the splits", columns, tuple(map(tuple, lines)))
        return (Section("performance", _title(self), (table, *(Paragraph(note, "note") for note in _notes(self)))),)


def mean_of_defined(values: NDArray[np.float64]) -> float:
    """Return the mean of the values that are not NaN; NaN where there are none, or infinite ones of both signs."""
    defined = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):
        return float(defined.mean()) if len(defined) else math.nan


def _index(what: str, name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise ParameterError(f"{what} must be one of {', '.join(names)}; got {name!r}.{nearest(name, names)}")
    return names.index(name)
