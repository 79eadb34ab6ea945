"""Distributions of probabilities: histograms by class, and the probabilities of several methods row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant._optional import optional_import
from calibrant._params import Choice, Int, check_param
from calibrant.curves._curve import Curve, count, read_numbers, read_ranked
from calibrant.data._internal import classes_of_columns, column_names, named_classes
from calibrant.exceptions import DataError, ParameterError, nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ScoreHistogram(Curve):
    """Histograms of the probabilities of positive rows and of other rows, in bins of equal width.

    Parameters
    ----------
    low, high : array of shape (n_bins,)
        The edges of each bin; the last bin includes its right edge.
    positive, negative : array of shape (n_bins,)
        The weight of the positive rows and of the other rows in each bin.

    Examples
    --------
    >>> score_histogram([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    ScoreHistogram: 2 positive rows (mean probability 0.65) and 2 others (0.3) in 20 bins
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    means: tuple[float, float]

    def __repr__(self) -> str:
        positive = f"{count(float(self.positive.sum()))} positive rows (mean probability {self.means[0]:.3g})"
        others = f"{count(float(self.negative.sum()))} others ({self.means[1]:.3g})"
        return f"ScoreHistogram: {positive} and {others} in {len(self.low)} bins"


@fill_docstring()
def score_histogram(
    y_true: Any,
    y_proba: Any,
    *,
    n_bins: int = 20,
    limits: tuple[float, float] = (0.0, 1.0),
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> ScoreHistogram:
    """Compute histograms of the probabilities of positive rows and of other rows.

    They show, for example, that trees without smoothing predict 0 or 1 for most rows (Chawla & Cieslak 2006, Figure 2).

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    n_bins : int
        Number of bins.
    limits : tuple of two floats
        The lower edge of the first bin and the upper edge of the last one; rows outside are in no bin.
    %(prediction_options)s

    %(returns)s
        The counts.

    Examples
    --------
    >>> score_histogram([0, 1, 1, 0], [0.2, 0.9, 0.5, 0.4], n_bins=2).to_frame()
       low  high  positive  negative
    0  0.0   0.5       0.0       2.0
    1  0.5   1.0       2.0       0.0
    """
    check_param("n_bins", n_bins, Int(1))
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    ends = read_numbers(limits)
    if ends.shape != (2,) or not 0.0 <= ends[0] < ends[1] <= 1.0:
        raise ParameterError(f"limits must be two increasing numbers from 0 to 1; got {limits!r}.")
    low, high = ends.tolist()
    edges = low + (high - low) * (np.arange(n_bins + 1) / n_bins)
    edges[-1] = high
    inside = (ranked.score >= low) & (ranked.score <= high)
    cell = np.searchsorted(edges[1:-1], ranked.score[inside], side="right")
    positive, negative = (
        np.bincount(cell, part[inside], n_bins).astype(np.float64) for part in (ranked.positive, ranked.negative)
    )
    first, second = (
        float(np.average(ranked.score, weights=part)) if part.any() else np.nan
        for part in (ranked.positive, ranked.negative)
    )
    return ScoreHistogram(edges[:-1], edges[1:], positive, negative, (first, second))


@dataclass(frozen=True, eq=False, repr=False)
class SortedScores:
    """The probabilities that several methods predict for the same rows, sorted by one of the methods.

    Parameters
    ----------
    scores : dict of str to array of shape (n_rows,)
        The probabilities of each method.
    reference : str
        The method by which the rows are sorted.

    Examples
    --------
    >>> sorted_scores({"raw": [0.0, 1.0, 0.2], "smoothed": [0.04, 0.2, 0.06]})
    SortedScores: 3 rows by raw; raw 0 to 1, smoothed 0.04 to 0.2
    """

    scores: dict[str, NDArray[np.float64]]
    reference: str

    def to_frame(self) -> pd.DataFrame:
        """Return the methods as the columns of a pandas frame.

        Examples
        --------
        >>> sorted_scores({"raw": [0.0, 1.0, 0.2], "smoothed": [0.04, 0.2, 0.06]}).to_frame()
           raw  smoothed
        0  0.0      0.04
        1  0.2      0.06
        2  1.0      0.20
        """
        pandas = optional_import("pandas", extra="data", purpose="convert a curve to a frame")
        frame: pd.DataFrame = pandas.DataFrame(self.scores)
        return frame

    def __repr__(self) -> str:
        ranges = ", ".join(f"{name} {score.min():.4g} to {score.max():.4g}" for name, score in self.scores.items())
        return f"SortedScores: {len(self.scores[self.reference])} rows by {self.reference}; {ranges}"


def sorted_scores(
    y_proba: Mapping[str, Any], *, reference: str | None = None, pos_label: Any = None, labels: Any = None
) -> SortedScores:
    """Sort the probabilities of several methods by one of them.

    This shows how a method changes the probabilities of another: smoothing shifts all of them towards the base rate,
    curtailment changes some of them strongly (Zadrozny & Elkan 2001, Figures 1 and 3). Ties are broken by the other
    methods, in their order, so that the result does not depend on the order of the rows.

    Parameters
    ----------
    y_proba : dict of name to array of shape (n_rows,) or (n_rows, n_classes)
        The probabilities of each method: of the positive class, or a column for each class. Columns of frames are
        matched by name.
    reference : str, optional
        The method to sort by; by default the first.
    pos_label : optional
        The positive class; by default that of the last of two columns, or the last of the sorted names of a frame's
        two columns; required where there are more.
    labels : sequence, optional
        The classes in the order of the columns; by default the sorted names of a frame's columns.

    Returns
    -------
    SortedScores
        The probabilities.

    Examples
    --------
    >>> result = sorted_scores({"raw": [0.0, 1.0, 0.2], "smoothed": [0.04, 0.2, 0.06]}, reference="smoothed")
    >>> result.scores["raw"]
    array([0. , 0.2, 1. ])
    """
    if not isinstance(y_proba, Mapping) or not y_proba:
        raise ParameterError("y_proba must be a dict of name to probabilities with at least one method; got none.")
    names = list(y_proba)
    by = names[0] if reference is None else reference
    check_param("reference", by, Choice(*names))
    classes = [] if labels is None else list(labels)
    if labels is None:  # the sorted names of the columns of the first frame that has names of classes
        named = (named_classes(table) for table in y_proba.values())
        classes = next((found for found in named if len(found) > 1), [])
    scores = {name: _column(name, table, classes, pos_label) for name, table in y_proba.items()}
    if len({len(score) for score in scores.values()}) > 1:
        raise DataError("y_proba must hold the same rows for each method; the numbers of rows differ.")
    order = np.lexsort([scores[name] for name in reversed([by, *(name for name in names if name != by)])])
    return SortedScores({name: score[order] for name, score in scores.items()}, by)


def _column(name: str, table: Any, classes: list[Any], pos_label: Any) -> NDArray[np.float64]:
    """Return the probability of the positive class, by name in a frame."""
    values = as_floats(table)
    if values.ndim == 2 and values.shape[1] > 2 and (pos_label is None or not classes):
        raise ParameterError(
            f"y_proba of {name!r} must hold the probabilities of one class, or of two; got {values.shape[1]} columns; "
            "pass pos_label= and labels=."
        )
    if values.ndim == 2:
        values = values[:, _position(name, table, classes, pos_label) if values.shape[1] > 1 else 0]
    if values.ndim != 1 or not len(values) or np.isnan(values).any():
        raise DataError(f"y_proba of {name!r} must hold a probability for each row, without missing values.")
    return values


def _position(name: str, table: Any, classes: list[Any], pos_label: Any) -> int:
    if not classes:
        return -1
    if pos_label is not None and pos_label not in classes:
        raise ParameterError(f"pos_label is {pos_label!r}, not one of {classes}.{nearest(pos_label, classes)}")
    found = classes_of_columns(f"y_proba of {name!r}", column_names(table), classes)
    positive = classes[-1] if pos_label is None else pos_label
    if found is not None and positive not in found:
        raise DataError(f"y_proba of {name!r} has one column, of the class {found[0]!r}; pass that of {positive!r}.")
    return (classes if found is None else found).index(positive)
