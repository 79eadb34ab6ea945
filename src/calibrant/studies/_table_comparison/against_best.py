"""Which methods are shown not to be the best: multiple comparisons with the best (Hsu 1981)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.studies._results.study_comparison import PairDifference, StudyComparison

if TYPE_CHECKING:
    from calibrant.studies._results.study_results import StudyResults

__all__ = ["compare_with_best", "finite_methods", "one_sided"]

_HOW = "multiple comparisons with the best (Hsu 1981)"


def finite_methods(results: StudyResults, metric: str) -> list[str]:
    """Return the methods whose values are finite; all of them where none has such values."""
    values = results.split_values(metric, results.datasets[0])
    finite = [method for method, row in zip(results.methods, values, strict=True) if np.isfinite(row).all()]
    return finite or list(results.methods)


def compare_with_best(results: StudyResults, metric: str, best: str, confidence: float = 0.95) -> StudyComparison:
    """Compare the best method with the K - 1 others, one-sided, each at a (K - 1)-th of the error rate.

    The best one is chosen by the same values, so that a test against a reference fixed in advance does not hold. But
    the method that is truly best is found worse than any other one at most at the error rate, whichever comes out best,
    as it has K - 1 comparisons to lose.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.30, 0.33, 0.31, 0.29], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
    >>> results = StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse")
    >>> [(pair.b, pair.better) for pair in compare_with_best(results, "mse", "forest").pairs]
    [('tree', 'forest'), ('bayes', '')]
    """
    error = 1 - confidence
    found = results.compare(metric, reference=best, confidence=1 - 2 * error)
    pairs = tuple(one_sided(pair, len(found.pairs), best, error) for pair in found.pairs)
    how = f"{found.how.partition(',')[0]}, {_HOW}" if found.how else ""
    return replace(found, pairs=pairs, how=how, confidence=confidence)


def one_sided(pair: PairDifference, n_pairs: int, best: str, error: float) -> PairDifference:
    """Return a pair, the best one first, its p-value corrected; the rows of a single test set have intervals instead.

    Those are corrected already: of two sides at twice the error rate, which is one side at the error rate.
    """
    sign, other = (1.0, pair.b) if pair.a == best else (-1.0, pair.a)
    adjusted = pair.pvalue if math.isnan(pair.pvalue) else min(1.0, n_pairs * pair.pvalue / 2)
    is_worse = pair.better == best if math.isnan(adjusted) else adjusted <= error
    low, high = sorted((sign * pair.low, sign * pair.high))
    return replace(
        pair,
        a=best,
        b=other,
        difference=sign * pair.difference,
        low=low,
        high=high,
        adjusted_pvalue=adjusted,
        better=best if is_worse else "",
    )
