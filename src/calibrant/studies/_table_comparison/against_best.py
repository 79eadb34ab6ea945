"""Which methods are shown not to be the best: multiple comparisons with the best (Hsu 1981)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.studies._results.study_comparison import PairDifference, StudyComparison

if TYPE_CHECKING:
    from calibrant.studies._results.study_results import StudyResults

__all__ = ["compare_with_best", "finite_methods"]

_HOW = "multiple comparisons with the best (Hsu 1981)"


def finite_methods(results: StudyResults, metric: str) -> list[str]:
    """Return the methods whose values are finite; all of them where none has such values."""
    values = results.split_values(metric, results.datasets[0])
    finite = [method for method, row in zip(results.methods, values, strict=True) if np.isfinite(row).all()]
    return finite or list(results.methods)


def compare_with_best(results: StudyResults, metric: str, best: str, confidence: float = 0.95) -> StudyComparison:
    """Compare the best method with the K - 1 others, each at a (K - 1)-th of the error rate.

    The best one is chosen by the same values, so that a test against a reference fixed in advance does not hold. For
    the method that is truly best, each of K - 1 comparisons finds it worse at that rate, hence the error of calling it
    worse than any other is kept, whichever of them comes out best.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.30, 0.33, 0.31, 0.29], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
    >>> results = StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse")
    >>> [(pair.b, pair.better) for pair in compare_with_best(results, "mse", "forest").pairs]
    [('tree', 'forest'), ('bayes', '')]
    """
    found = results.compare(metric, reference=best, confidence=confidence)
    pairs = tuple(_corrected(pair, len(found.pairs), best, confidence) for pair in found.pairs)
    return replace(found, pairs=pairs, how=f"{found.how.partition(',')[0]}, {_HOW}" if found.how else "")


def _corrected(pair: PairDifference, n_pairs: int, best: str, confidence: float) -> PairDifference:
    """Return a pair with its p-value by Bonferroni; the intervals of a single test set are by Bonferroni already."""
    other = pair.b if pair.a == best else pair.a
    sign = 1.0 if pair.a == best else -1.0
    adjusted = pair.pvalue if math.isnan(pair.pvalue) else min(1.0, n_pairs * pair.pvalue)
    better = pair.better if math.isnan(adjusted) or adjusted <= 1 - confidence else ""
    ends = sorted((sign * pair.low, sign * pair.high))
    return replace(
        pair,
        a=best,
        b=other,
        difference=sign * pair.difference,
        low=ends[0],
        high=ends[1],
        adjusted_pvalue=adjusted,
        better=better,
    )
