"""Ranked rows, from which most curves are computed, with the base class of the curves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._numbers import as_floats
from calibrant._optional import optional_import
from calibrant.exceptions import DataError
from calibrant.metrics._internal import Predictions, read_predictions

if TYPE_CHECKING:
    import pandas as pd


class Curve:
    """Arrays of equal length: all fields that are arrays, or those that `_columns` names; not those that are None."""

    _columns: ClassVar[tuple[str, ...]] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the arrays as the columns of a pandas frame.

        Examples
        --------
        >>> from calibrant.curves import roc
        >>> roc([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).to_frame()
           fpr  tpr  threshold
        0  0.0  0.0        inf
        1  0.0  0.5        0.9
        2  0.5  1.0        0.4
        3  1.0  1.0        0.2
        """
        pandas = optional_import("pandas", extra="data", purpose="convert a curve to a frame")
        found = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        names = self._columns or [name for name, each in found.items() if isinstance(each, np.ndarray)]
        columns = {name: getattr(self, name) for name in names}
        frame: pd.DataFrame = pandas.DataFrame({name: each for name, each in columns.items() if each is not None})
        return frame


def read_numbers(values: Any) -> NDArray[np.float64]:
    """Return numbers as an array of one dimension or more; an empty one of what are no numbers.

    Examples
    --------
    >>> read_numbers([1, 2]), read_numbers("one")
    (array([1., 2.]), array([], dtype=float64))
    """
    try:
        return np.atleast_1d(as_floats(values))
    except (TypeError, ValueError):
        return np.empty(0)


def count(number: float) -> str:
    """Return a number of rows, whole or weighted, as text.

    Examples
    --------
    >>> count(1_000_000.0), count(0.4)
    ('1,000,000', '0.4')
    """
    return f"{number:,.0f}" if number >= 1000 or number == round(number) else f"{number:.4g}"


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Groups of tied rows, by descending probability.

    Parameters
    ----------
    score : array of shape (n_groups,)
        The probability of each group.
    positive, negative : array of shape (n_groups,)
        The weight of its positive rows and of its other rows.
    n_positive, n_negative : float
        The sums over all groups.

    Examples
    --------
    >>> ranked = read_ranked([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])
    >>> ranked.score, ranked.positive, ranked.negative
    (array([0.9, 0.2, 0.1]), array([1., 1., 0.]), array([0., 1., 1.]))
    """

    score: NDArray[np.float64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]

    @property
    def n_positive(self) -> float:
        """The total weight of the positive rows."""
        return float(self.positive.sum())

    @property
    def n_negative(self) -> float:
        """The total weight of the other rows."""
        return float(self.negative.sum())

    def cumulative(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the cumulative weights of positive and negative rows, starting with 0.

        The last sums are exactly `n_positive` and `n_negative`, so rates end at exactly 1.
        """
        tp, fp = (np.append(0.0, np.cumsum(weight)) for weight in (self.positive, self.negative))
        tp[-1], fp[-1] = self.n_positive, self.n_negative
        return np.minimum(tp, tp[-1]), np.minimum(fp, fp[-1])

    def thresholds(self) -> NDArray[np.float64]:
        """Return the threshold of each step of `cumulative`: infinity for no row, then the score of each group."""
        return np.append(np.inf, self.score)


def read_one_class(
    y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any, who: str = "a curve"
) -> Predictions:
    """Validate predictions of two classes, or of more where `pos_label` names one of them."""
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    read.check_two_classes(who)
    return read


def read_ranked(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None, needs: str = ""
) -> Ranked:
    """Validate predictions and rank them by the probability of the positive class.

    `needs` names a curve that is undefined without rows of the positive class and of another: raise if they are absent.
    """
    read = read_one_class(y_true, y_proba, sample_weight, pos_label, labels, needs or "a curve")
    ranked = rank(read.proba[:, read.positive], read)
    for weight, which in ((ranked.n_positive, "no row"), (ranked.n_negative, "only rows")):
        if needs and weight <= 0:
            raise DataError(
                f"y_true has {which} of class {read.classes.tolist()[read.positive]!r}: {needs} needs rows of that "
                "class and of another; pass pos_label= to choose the class."
            )
    return ranked


def rank(score: NDArray[np.float64], read: Predictions) -> Ranked:
    """Rank the rows by any score."""
    distinct, weight, positive = _core.pool_ties(
        np.ascontiguousarray(score), np.ascontiguousarray(read.label == read.positive), read.weight, 1
    )
    return Ranked(distinct[::-1], positive[::-1], np.maximum(weight - positive, 0.0)[::-1])
