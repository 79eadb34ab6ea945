"""McNemar's test: two classifiers on the same test rows, by the rows that only one of them classifies correctly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import chdtrc

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.comparison._pairwise.comparison_result import Comparison, agreeing_ends
from calibrant.comparison._pairwise.input_validation import read_names
from calibrant.comparison._pairwise.sign import binomial_pvalue
from calibrant.comparison._passages import PASSAGES
from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics import Interval, proportion_interval
from calibrant.metrics._internal import (
    CONFIDENCE,
    difference_of_share,
    mid_p_difference,
    score_difference,
    two_sided_z,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["mcnemar_test"]

Method = Literal["exact", "mid_p", "chi2", "chi2_corrected"]

_WORDS = {"exact": "exact", "mid_p": "mid-p", "chi2": "chi-squared", "chi2_corrected": "chi-squared, corrected"}


@fill_docstring(**PASSAGES)
def mcnemar_test(
    y_true: Any,
    a: Any,
    b: Any,
    *,
    method: Method = "exact",
    confidence: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Test whether two classifiers are correct equally often on the same test rows (McNemar 1947).

    It compares two fitted classifiers. Of two learning methods it sees a single training set, and may find a
    difference that other training sets would not show (Dietterich 1998).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    a, b : sequence of length n_rows
        The class that each classifier predicts.
    method : {"exact", "mid_p", "chi2", "chi2_corrected"}
        The exact binomial test, which never rejects too often; the same with half the probability of the observed
        table, which hardly ever does and has more power (Fagerland, Lydersen & Laake 2013); McNemar's chi-squared for
        many rows; and that with the correction for continuity, as by Dietterich.
    %(interval_and_names)s

    Returns
    -------
    Comparison
        ``statistic`` (the rows that only a classifies correctly, or chi-squared), ``df`` (1 with chi-squared),
        ``pvalue``, ``difference`` (accuracy of a less accuracy of b), ``low``, ``high``: the differences that the
        same test does not reject. They are an interval of a's share of the rows that only one classifies correctly, by
        Clopper & Pearson (exact), its mid-p variant or Wilson with the correction for continuity, scaled by the share
        of those rows; with ``"chi2"``, and where there is no such row, Tango's (1998) score interval. Those scaled
        intervals take the number of such rows as known: where nearly all of them favor one classifier they are too
        short on that side (of 100 rows, 10 % correct by a only and none by b only, that at 95 % by mid-p covers the
        difference in 51 % of all cases, Tango's in 94 %).

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.repeat([1, 1, 0, 0], [1, 1, 7, 12]), np.repeat([1, 0, 1, 0], [1, 1, 7, 12])
    >>> result = mcnemar_test(np.ones(21), a, b)
    >>> result.statistic, round(result.pvalue, 4), round(result.difference, 3)
    (1, 0.0703, -0.286)
    >>> round(mcnemar_test(np.ones(21), a, b, method="mid_p").pvalue, 4)
    0.0391
    """
    check_param("confidence", confidence, CONFIDENCE)
    check_param("method", method, Choice(*_WORDS))
    correct, named = _read_correct(y_true, a, b), read_names(names)
    n = correct.shape[1]
    only_a, only_b = int((correct[0] & ~correct[1]).sum()), int((correct[1] & ~correct[0]).sum())
    is_chi2 = method.startswith("chi2")
    chi2 = _chi2(only_a, only_b, 1 if method == "chi2_corrected" else 0)
    pvalue = float(chdtrc(1, chi2)) if is_chi2 else _binomial(only_a, only_b, method)
    difference = (only_a - only_b) / n
    return Comparison(
        chi2 if is_chi2 else only_a,
        1 if is_chi2 else math.nan,
        pvalue,
        difference,
        *agreeing_ends(_interval(only_a, only_b, n, method, confidence), pvalue, difference, confidence),
        confidence,
        n,
        f"McNemar's test ({_WORDS[method]})",
        "the rows are independent; the classifiers are compared as fitted, not over other training rows",
        named,
        measure="difference of accuracy",
        letter="chi2" if is_chi2 else "wins",
        drawn=f"{n} rows, {only_a + only_b} correct by only one",
    )


def _read_correct(y_true: Any, a: Any, b: Any) -> NDArray[np.bool_]:
    """Return which rows each classifier (rows) predicts correctly."""
    truth = _read_classes("y_true", y_true)
    predicted = [_read_classes("a", a), _read_classes("b", b)]
    for name, labels in zip("ab", predicted, strict=True):
        if labels.shape != truth.shape:
            raise DataError(
                f"{name} has {len(labels)} rows, y_true {len(truth)}; pass the class predicted for each row."
            )
        _check_kind(name, labels, truth)
    return np.stack([np.asarray(labels == truth, dtype=np.bool_) for labels in predicted])


def _read_classes(name: str, labels: Any) -> NDArray[Any]:
    shape = np.shape(labels)
    if len(shape) != 1 or shape[0] == 0:
        raise DataError(f"{name} must hold the class of each row, one row at least; got shape {shape}.")
    coded = factorize(labels)
    missing = np.flatnonzero(coded.codes < 0)
    if len(missing):
        raise DataError(f"{name} has {len(missing)} missing class(es) (first at row {missing[0]}); drop those rows.")
    return np.asarray(coded.categories)[coded.codes]


def _check_kind(name: str, labels: NDArray[Any], truth: NDArray[Any]) -> None:
    """Raise if one side holds text and the other numbers, which are never equal."""
    if (labels.dtype.kind in "OU") != (truth.dtype.kind in "OU"):
        raise DataTypeError(
            f"{name} and y_true must hold classes of one type; got {labels.tolist()[0]!r} and {truth.tolist()[0]!r}, "
            "one of them text."
        )


def _binomial(only_a: int, only_b: int, method: str) -> float:
    exact, n = binomial_pvalue(only_a, only_b), only_a + only_b
    if method == "exact":
        return exact
    observed = math.exp(math.lgamma(n + 1) - math.lgamma(only_a + 1) - math.lgamma(only_b + 1) - n * math.log(2.0))
    return 1.0 if only_a == only_b else exact - observed


def _chi2(only_a: int, only_b: int, correction: int) -> float:
    either = only_a + only_b
    return max(0, abs(only_a - only_b) - correction) ** 2 / either if either else 0.0


def _interval(only_a: int, only_b: int, n: int, method: str, confidence: float) -> Interval:
    """Return the differences of accuracy that the test of this name does not reject."""
    n_different = only_a + only_b
    if method == "mid_p":
        return mid_p_difference(only_a, only_b, n, confidence)
    if method == "chi2" or n_different == 0:
        return score_difference(only_a, only_b, n, confidence)
    if method == "exact":
        share = proportion_interval(only_a, n_different, confidence, method="clopper_pearson")
    else:
        z = two_sided_z(confidence)
        share = Interval(_corrected_low(only_a, n_different, z), 1.0 - _corrected_low(only_b, n_different, z))
    return difference_of_share(share, n_different, n)


def _corrected_low(successes: int, n: int, z: float) -> float:
    """Return the lower end of Wilson's interval with the correction for continuity (Newcombe 1998, his method 4)."""
    if successes == 0:
        return 0.0
    square = z * z - 2.0 - 1.0 / n + 4.0 * successes / n * (n - successes + 1)
    return max(0.0, (2.0 * successes + z * z - 1.0 - z * math.sqrt(square)) / (2.0 * (n + z * z)))
