"""Rows that were judged, with how they are drawn anew: what intervals, verdicts and comparisons start from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics._intervals.replicates import Sampling
from calibrant.metrics._validation.prediction_rows import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CategoryCodes

__all__ = ["Judged", "read_codes"]

WeightKind = Literal["frequency", "probability"]


@dataclass(frozen=True, eq=False)
class Judged:
    """Predictions and how to draw them.

    Parameters
    ----------
    read : Predictions
        The rows that count.
    group : array of shape (n_rows,) or None
        The cluster of each row, numbered from 0.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 is the row twice, or a row that stands for two in the population.
    stratified : bool
        Draw within the classes.
    n_boot : int
        Number of replicates.
    confidence : float or None
        That of intervals.
    seed : numpy.random.SeedSequence
        The root of all randomness.
    n_threads : int
        Number of threads.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> judged = Judged(read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    >>> judged.is_simple, judged.sampling(None).n_units
    (True, 3)
    """

    read: Predictions
    group: NDArray[np.intp] | None = None
    weight_kind: WeightKind = "frequency"
    stratified: bool = False
    n_boot: int = 1000
    confidence: float | None = 0.95
    seed: np.random.SeedSequence = field(default_factory=lambda: np.random.SeedSequence(0))
    n_threads: int = 1

    @property
    def is_simple(self) -> bool:
        """Whether rows are independent and counted, so that formulas for counts hold."""
        return self.group is None and (self.read.weights is None or self.weight_kind == "frequency")

    @cached_property
    def counts_whole_rows(self) -> bool:
        """Whether every weight is a whole number of rows."""
        weights = self.read.weights
        return weights is None or (self.weight_kind == "frequency" and bool((weights == np.round(weights)).all()))

    def clusters(self) -> NDArray[np.intp] | None:
        """Give the unit that each row was drawn with, where formulas for independent rows that are counted do not hold.

        Examples
        --------
        >>> from calibrant.metrics._validation.predictions import read_predictions
        >>> read = read_predictions([0, 1], [0.2, 0.7], sample_weight=[1.5, 3.0])
        >>> Judged(read).clusters(), Judged(read, weight_kind="probability").clusters()
        (None, array([0, 1]))
        """
        if self.group is not None or self.is_simple:
            return self.group
        return np.arange(self.read.n_rows)

    def sampling(self, order: NDArray[np.intp] | None) -> Sampling:
        """Plan to draw the rows, laid out in some order."""
        weight, group, label = (self._laid_out(x, order) for x in (self.read.weights, self.group, self.read.label))
        is_copies = self.weight_kind == "frequency"
        return Sampling.of(
            self.read.n_rows,
            copies=weight if is_copies else None,
            row_weight=None if is_copies else weight,
            stratum=label.astype(np.intp) if self.stratified else None,
            group=group,
        )

    def part(self, rows: NDArray[np.bool_]) -> Judged:
        """Give some of the rows."""
        read = self.read
        of_part = replace(
            read,
            label=read.label[rows],
            table=np.ascontiguousarray(read.table[rows]),
            weights=None if read.weights is None else read.weights[rows],
            kept=read.rows[rows],
        )
        group = None if self.group is None else np.unique(self.group[rows], return_inverse=True)[1]
        return replace(self, read=of_part, group=group)

    @staticmethod
    def _laid_out(values: Any, order: NDArray[np.intp] | None) -> Any:
        return None if values is None else np.ascontiguousarray(values if order is None else values[order])


def read_codes(name: str, given: Any, read: Predictions) -> tuple[NDArray[np.intp], list[Any]]:
    """Check a name for each row given, such as its cluster or segment; give those that count as numbers, and names.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> read_codes("groups", ["x", "y", "x"], read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    (array([0, 1, 0]), ['x', 'y'])
    """
    coded = _coded(name, given)
    if len(coded.codes) != read.n_given:
        raise DataError(f"{name} has {len(coded.codes)} rows, y_proba {read.n_given}; pass one for each row.")
    codes = coded.codes[read.rows]
    if (codes < 0).any():
        first = read.rows[np.flatnonzero(codes < 0)[0]]
        raise DataError(f"{name} has {(codes < 0).sum()} missing value(s) (first at row {first}); drop those rows.")
    found, numbers = np.unique(codes, return_inverse=True)
    return numbers, [np.asarray(coded.categories).tolist()[code] for code in found.tolist()]


def _coded(name: str, given: Any) -> CategoryCodes:
    """Code the names; periods of time are named by what they print as."""
    if str(getattr(given, "dtype", "")).startswith("period["):
        given = [str(period) if period == period else None for period in given]  # NaT is unlike itself
    try:
        return factorize(given)
    except (DataError, DataTypeError) as error:
        told = "a string, a whole number, a date or a period" if np.ndim(given) == 1 else "a sequence as long as y_true"
        raise DataError(f"{name} must name a part of the rows for each row: {told}; got {_kind(given)}.") from error


def _kind(given: Any) -> str:
    kind = type(given).__name__
    return f"{kind} of shape {np.shape(given)}" if np.ndim(given) else repr(given)
