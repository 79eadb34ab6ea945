"""Predictions with the way to resample them, from which intervals, verdicts and comparisons are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics._intervals.replicates import Sampling
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CategoryCodes
    from calibrant.metrics._metric import Metric

__all__ = ["FEW_GROUPS", "BootstrapPlan", "WeightKind", "read_codes"]

WeightKind = Literal["frequency", "probability"]
_FEWEST_GROUPS = 10  # the variance between fewer is hardly known: signs of 9 groups can be drawn in 512 ways
FEW_GROUPS = f"rows of fewer than {_FEWEST_GROUPS} groups say too little"


@dataclass(frozen=True, eq=False)
class BootstrapPlan:
    """Predictions and how to resample them.

    Parameters
    ----------
    predictions : Predictions
        The rows.
    group : array of shape (n_rows,) or None
        The index of each row's cluster.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or one row that represents two of the population.
    stratified : bool
        Whether to resample within the classes.
    n_boot : int
        Number of replicates.
    confidence : float or None
        The confidence of intervals.
    seed : numpy.random.SeedSequence
        The root of all randomness.
    n_threads : int
        Number of threads.
    bound : dict of str to Metric
        The metrics that have options of their own, for `compare`.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plan = BootstrapPlan(read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    >>> plan.is_simple, plan.sampling(None).n_units
    (True, 3)
    """

    predictions: Predictions
    group: NDArray[np.intp] | None = None
    weight_kind: WeightKind = "frequency"
    stratified: bool = False
    n_boot: int = 1000
    confidence: float | None = 0.95
    seed: np.random.SeedSequence = field(default_factory=lambda: np.random.SeedSequence(0))
    n_threads: int = 1
    bound: Mapping[str, Metric] = field(default_factory=dict)

    @property
    def is_simple(self) -> bool:
        """Whether rows are independent and weights are frequencies, so formulas for counts hold."""
        return self.group is None and (self.predictions.weights is None or self.weight_kind == "frequency")

    @property
    def has_few_groups(self) -> bool:
        """Whether rows belong to so few clusters that the variance between these is not known."""
        return self.group is not None and int(self.group.max()) + 1 < _FEWEST_GROUPS

    @cached_property
    def counts_whole_rows(self) -> bool:
        """Whether every weight is a whole number of rows."""
        weights = self.predictions.weights
        return weights is None or (self.weight_kind == "frequency" and bool((weights == np.round(weights)).all()))

    def clusters(self) -> NDArray[np.intp] | None:
        """Return the unit that each row is drawn with, or None where formulas for independent rows hold.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> predictions = read_predictions([0, 1], [0.2, 0.7], sample_weight=[1.5, 3.0])
        >>> BootstrapPlan(predictions).clusters(), BootstrapPlan(predictions, weight_kind="probability").clusters()
        (None, array([0, 1]))
        """
        if self.group is not None or self.is_simple:
            return self.group
        return np.arange(self.predictions.n_rows)

    def sampling(self, order: NDArray[np.intp] | None) -> Sampling:
        """Return how the rows are resampled, arranged in some order."""
        weight, group, label = (
            self._in_order(x, order) for x in (self.predictions.weights, self.group, self.predictions.label)
        )
        are_copies = self.weight_kind == "frequency"
        return Sampling.of(
            self.predictions.n_rows,
            copies=weight if are_copies else None,
            row_weight=None if are_copies else weight,
            stratum=label.astype(np.intp) if self.stratified else None,
            group=group,
        )

    def subset(self, rows: NDArray[np.bool_]) -> BootstrapPlan:
        """Return the plan of some of the rows."""
        predictions = self.predictions
        subset = replace(
            predictions,
            label=predictions.label[rows],
            table=np.ascontiguousarray(predictions.table[rows]),
            weights=None if predictions.weights is None else predictions.weights[rows],
            kept=predictions.rows[rows],
        )
        group = None if self.group is None else np.unique(self.group[rows], return_inverse=True)[1]
        return replace(self, predictions=subset, group=group)

    @staticmethod
    def _in_order(values: Any, order: NDArray[np.intp] | None) -> Any:
        return None if values is None else np.ascontiguousarray(values if order is None else values[order])


def read_codes(name: str, values: Any, predictions: Predictions) -> tuple[NDArray[np.intp], list[Any]]:
    """Validate a name for each row, such as its cluster; return codes of the rows of weight above 0, and the names.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> read_codes("groups", ["x", "y", "x"], read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    (array([0, 1, 0]), ['x', 'y'])
    """
    coded = _coded(name, values)
    if len(coded.codes) != predictions.n_input_rows:
        raise DataError(
            f"{name} has {len(coded.codes)} rows, y_proba {predictions.n_input_rows}; pass one for each row."
        )
    codes = coded.codes[predictions.rows]
    if (codes < 0).any():
        first = predictions.rows[np.flatnonzero(codes < 0)[0]]
        raise DataError(f"{name} has {(codes < 0).sum()} missing value(s) (first at row {first}); drop those rows.")
    found, numbers = np.unique(codes, return_inverse=True)
    return numbers, [np.asarray(coded.categories).tolist()[code] for code in found.tolist()]


def _coded(name: str, values: Any) -> CategoryCodes:
    """Code the names; periods of time are named by their text."""
    if str(getattr(values, "dtype", "")).startswith("period["):
        values = [str(period) if period == period else None for period in values]  # NaT is not equal to itself
    try:
        return factorize(values)
    except (DataError, DataTypeError) as error:
        is_sequence = np.ndim(values) == 1
        expected = "a string, a whole number, a date or a period" if is_sequence else "a sequence as long as y_true"
        raise DataError(f"{name} must name the group of each row: {expected}; got {_kind(values)}.") from error


def _kind(values: Any) -> str:
    kind = type(values).__name__
    return f"{kind} of shape {np.shape(values)}" if np.ndim(values) else repr(values)
