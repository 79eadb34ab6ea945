"""Unpaired, 5x2cv and McNemar's tests: formulas, published figures, and errors."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from calibrant.comparison import five_by_two_test, mcnemar_test, unpaired_t_test
from calibrant.exceptions import DataError, DataTypeError, ParameterError

SEEDS = st.integers(0, 2**32 - 1)


def ten(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.normal(0.3, 1, 10), random.normal(0, 1, 10)


def classifiers(both: int, only_a: int, only_b: int, none: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The truth, and what two classifiers decide, right so often together and alone."""
    counts = [both, only_a, only_b, none]
    a, b = (np.repeat(right, counts) for right in (["y", "y", "n", "n"], ["y", "n", "y", "n"]))
    return np.full(sum(counts), "y"), a, b


@given(SEEDS)
def test_welchs_test_is_scipys(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(0, 1, random.integers(2, 20)), random.normal(0.5, 3, random.integers(2, 20))
    ours, theirs = unpaired_t_test(a, b, df="welch"), scipy.stats.ttest_ind(a, b, equal_var=False)
    assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    cautious = unpaired_t_test(a, b)
    assert cautious.df == min(len(a), len(b)) - 1
    assert cautious.pvalue >= ours.pvalue - 1e-12


def test_degrees_of_freedom_can_be_passed() -> None:
    assert unpaired_t_test([1, 2, 3], [2, 3, 5], df=4).df == 4
    with pytest.raises(ParameterError, match="df must be 'conservative', 'welch' or a finite number > 0; got 'pooled'"):
        unpaired_t_test([1, 2, 3], [2, 3, 5], df="pooled")


def test_samples_without_variance_are_certain() -> None:
    assert unpaired_t_test([1, 1], [2, 2, 2], df="welch").pvalue == 0
    assert unpaired_t_test([1, 1], [1, 1]).pvalue == 1
    with pytest.raises(DataError, match="needs at least 2 values of each; b has 1"):
        unpaired_t_test([1, 2], [1])


def test_the_unpaired_sentence_counts_both_samples() -> None:
    text = repr(unpaired_t_test([1, 2, 3], [2, 3, 5, 6]))
    assert "unpaired t-test (conservative degrees of freedom) of 3 and 4 values, t = " in text


@given(SEEDS)
def test_dietterichs_t_is_its_formula(seed: int) -> None:
    a, b = ten(seed)
    d = (a - b).reshape(5, 2)
    variances = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    result = five_by_two_test(a, b, statistic="t")
    assert result.statistic == pytest.approx(d[0, 0] / np.sqrt(variances.mean()))
    assert result.pvalue == pytest.approx(2 * scipy.stats.t.sf(abs(result.statistic), 5))


@given(SEEDS)
def test_alpaydins_f_is_its_formula_and_its_interval_inverts_it(seed: int) -> None:
    a, b = ten(seed)
    d = (a - b).reshape(5, 2)
    variances = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    result = five_by_two_test(a.reshape(5, 2), b.reshape(5, 2), statistic="f")
    assert result.statistic == pytest.approx((d**2).sum() / (2 * variances.sum()))
    assert result.pvalue == pytest.approx(scipy.stats.f.sf(result.statistic, 10, 5))
    if np.isfinite(result.low):
        assert five_by_two_test(a, b + result.low, statistic="f").pvalue == pytest.approx(0.05, rel=1e-6)
        assert five_by_two_test(a, b + result.high, statistic="f").pvalue == pytest.approx(0.05, rel=1e-6)


def test_replications_that_differ_more_than_their_folds_have_no_interval() -> None:
    a = np.repeat([0.1, 0.5, 0.2, 0.9, 0.4], 2) + np.tile([0.0, 0.001], 5)
    result = five_by_two_test(a, np.zeros(10), statistic="f")
    assert np.isnan([result.low, result.high]).all()
    assert "no interval: every difference is rejected" in repr(result)


def test_f_does_not_depend_on_the_order_of_replications() -> None:
    a, b = (each.reshape(5, 2) for each in ten(7))
    turned = five_by_two_test(a[::-1, ::-1], b[::-1, ::-1], statistic="f")
    assert turned.pvalue == pytest.approx(five_by_two_test(a, b, statistic="f").pvalue)


def test_five_by_two_needs_ten_values() -> None:
    with pytest.raises(
        DataError, match=r"a must have 10 values, both folds of each of 5 replications; got shape \(9,\)"
    ):
        five_by_two_test(np.zeros(9), np.zeros(10))


def test_folds_that_are_all_equal_or_differ_by_a_constant() -> None:
    for statistic in "tf":
        assert five_by_two_test(np.ones(10), np.ones(10), statistic=statistic).pvalue == 1
        assert five_by_two_test(np.ones(10), np.zeros(10), statistic=statistic).pvalue == 0


def test_the_default_is_dietterichs_t_and_the_docstring_has_the_measured_sizes() -> None:
    a, b = ten(3)
    assert five_by_two_test(a, b) == five_by_two_test(a, b, statistic="t")
    measured = (Path(__file__).parents[2] / "docs" / "size_of_tests.md").read_text("utf-8")
    for statistic in "tf":
        sizes = re.findall(rf"5 x 2-fold cross-validation: {statistic} \| ([\d.]+) %", measured)
        assert len(sizes) == 3
        assert all(f"{size} %" in five_by_two_test.__doc__ for size in sizes)


@pytest.mark.parametrize(
    ("method", "pvalue"), [("chi2", 0.0339), ("chi2_corrected", 0.0771), ("exact", 0.0703), ("mid_p", 0.0391)]
)
def test_mcnemars_test_has_its_textbook_figures(method: str, pvalue: float) -> None:
    """1 and 7 discordant of 21, the example of Fagerland, Lydersen & Laake 2013: (7 - 1)^2 / 8 = 4.5 and so on."""
    assert mcnemar_test(*classifiers(1, 1, 7, 12), method=method).pvalue == pytest.approx(pvalue, abs=5e-5)


def test_mcnemars_difference_is_that_of_accuracies() -> None:
    assert mcnemar_test(*classifiers(1, 1, 7, 12)).difference == pytest.approx(2 / 21 - 8 / 21)


@pytest.mark.parametrize(
    ("cells", "confidence", "ends"),
    [
        ((4, 9, 3, 16), 0.95, (-0.027, 0.390)),  # Tango 1998, as R's ratesci quotes him
        ((43, 0, 1, 0), 0.90, (-0.096, 0.037)),  # the same: soft contact lenses
        ((53, 16, 8, 9), 0.95, (-0.020, 0.207)),  # Agresti & Min 2005
        ((1, 1, 7, 12), 0.95, (-0.517, -0.026)),  # Fagerland, Lydersen & Laake 2014
        ((59, 6, 16, 80), 0.95, (-0.1240, -0.0054)),  # the same authors' R package contingencytables
    ],
)
def test_the_interval_has_its_published_figures(
    cells: tuple[int, ...], confidence: float, ends: tuple[float, float]
) -> None:
    result = mcnemar_test(*classifiers(*cells), confidence=confidence)
    assert (result.low, result.high) == pytest.approx(ends, abs=5e-4)


@pytest.mark.parametrize("method", ["exact", "mid_p", "chi2", "chi2_corrected"])
def test_agreement_in_every_row_does_not_prove_that_classifiers_are_equal(method: str) -> None:
    """Without a discordant row of n, Tango's interval ends at z^2 / (n + z^2)."""
    result, z2 = mcnemar_test(*classifiers(50, 0, 0, 10), method=method), scipy.stats.chi2.ppf(0.95, 1)
    assert (result.low, result.high) == pytest.approx((-z2 / (60 + z2), z2 / (60 + z2)))


@pytest.mark.parametrize("method", ["exact", "mid_p", "chi2", "chi2_corrected"])
def test_classifiers_that_agree_are_not_shown_to_differ(method: str) -> None:
    result = mcnemar_test(*classifiers(5, 0, 0, 3), method=method)
    assert (result.pvalue, result.difference) == (1, 0)
    assert mcnemar_test(*classifiers(5, 4, 4, 3), method=method).pvalue == 1


def test_rows_must_match() -> None:
    with pytest.raises(DataError, match=r"b has 2 rows, y_true 3"):
        mcnemar_test([1, 0, 1], [1, 1, 1], [1, 0])
    with pytest.raises(DataError, match="y_true must hold the class of each row"):
        mcnemar_test([], [], [])


@pytest.mark.parametrize("df", ["conservative", "welch"])
def test_samples_that_are_equal_up_to_rounding_are_equal(df: str) -> None:
    result = unpaired_t_test([0.3] * 3, [0.1 + 0.2] * 3, df=df)
    assert (result.statistic, result.pvalue, result.difference) == (0.0, 1.0, 0.0)
    assert repr(result).startswith("a and b are equal in every value: unpaired t-test")


def test_welchs_degrees_of_freedom_do_not_depend_on_the_unit() -> None:
    a, b = np.array([1.0, 2.0, 5.0, 3.0]), np.array([4.0, 9.0, 2.0])
    for unit in (1e-60, 1e149):
        assert unpaired_t_test(a * unit, b * unit, df="welch").df == pytest.approx(unpaired_t_test(a, b, df="welch").df)


def test_errors_of_unpaired_samples_do_not_mention_pairs() -> None:
    with pytest.raises(DataError, match="drop those values"):
        unpaired_t_test([1.0, np.nan], [1.0, 2.0, 3.0])


def test_the_repr_of_alpaydins_test_has_both_degrees_of_freedom() -> None:
    assert "df = 10 and 5, p = " in repr(five_by_two_test(np.arange(10.0) % 3, np.zeros(10), statistic="f"))


@pytest.mark.parametrize(
    ("truth", "a", "message"),
    [
        ([0, 1, None], [0, 1, 1], "y_true has 1 missing"),
        ([0, 1, 1], [0, np.nan, 1], "a has 1 missing"),
        (["0", "1", "0"], [0, 1, 0], "one of them text"),
        ([0, 1, 0], [0.2, 0.8, 0.3], "one class"),
        ([0, 1, 0], [[0.2, 0.8]] * 3, "shape"),
    ],
)
def test_mcnemars_test_needs_classes(truth: list, a: list, message: str) -> None:
    with pytest.raises((DataError, DataTypeError), match=message):
        mcnemar_test(truth, a, truth)


def test_classes_of_mcnemars_test_come_in_many_forms() -> None:
    truth, a, b = ["yes", "no", "yes", "no"], ["yes", "no", "yes", "yes"], ["no", "no", "yes", "yes"]
    frames = pd.Series(truth, dtype="category"), pl.Series(a), pd.Series(b, index=[7, 8, 9, 10])
    assert repr(mcnemar_test(*frames)) == repr(mcnemar_test(truth, a, b))


def test_unequal_rows_of_folds_are_named() -> None:
    with pytest.raises(DataError, match="a must have 10 values"):
        five_by_two_test([[1, 2], [3]], np.zeros(10))
