"""McNemar's test: two classifiers on the same test rows, by the rows that only one of them classifies correctly."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from calibrant._params import CONFIDENCE, Choice, check_param
from calibrant.comparison._input_validation import read_names
from calibrant.comparison._passages import document_test
from calibrant.comparison._results import Comparison, agreeing_ends
from calibrant.comparison._signed_ranks import binomial_pvalue
from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics._internal import score_difference

Method = Literal["chi2", "chi2_corrected", "exact", "mid_p"]

_WORDS = {"exact": "exact", "mid_p": "mid-p", "chi2": "chi-squared", "chi2_corrected": "chi-squared, corrected"}


@document_test
def mcnemar_test(
    y_true: Any,
    a: Any,
    b: Any,
    *,
    method: Method = "chi2",
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
    method : {"chi2", "chi2_corrected", "exact", "mid_p"}
        McNemar's chi-squared, the score test, which rejects at most a little too often; that with the correction for
        continuity, as by Dietterich; the exact binomial test, which never rejects too often and has less power; the
        same with half the probability of the observed table (Fagerland, Lydersen & Laake 2013).
    %(interval_and_names)s

    Returns
    -------
    Comparison
        ``statistic`` (the rows that only a classifies correctly, or chi-squared), ``df`` (1 with chi-squared),
        ``pvalue``, ``difference`` (accuracy of a less accuracy of b), ``low``, ``high``: the differences that the
        score test does not reject, Tango's (1998) interval. Of 100 rows, 10 % correct by a only and 2 % by b only, that
        at 95 % covers the difference in 94.7 % of all cases; one that takes the number of such rows as known, such as
        the inverse of the mid-p test, in 81 %. Where another `method` decides otherwise than the score test, the end
        between the difference and 0 is 0.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.repeat([1, 1, 0, 0], [1, 1, 7, 12]), np.repeat([1, 0, 1, 0], [1, 1, 7, 12])
    >>> result = mcnemar_test(np.ones(21), a, b)
    >>> result.statistic, round(result.pvalue, 4), round(result.difference, 3)
    (4.5, 0.0339, -0.286)
    >>> round(mcnemar_test(np.ones(21), a, b, method="exact").pvalue, 4)
    0.0703
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
        *agreeing_ends(score_difference(only_a, only_b, n, confidence), pvalue, difference, confidence),
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
    """Return marks of the rows (columns) that each classifier (rows) predicts correctly."""
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
