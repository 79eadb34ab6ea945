"""Methods over many data sets: pairs with Holm's correction, Bayesian tests, mean ranks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from calibrant.comparison import (
    MethodComparison,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni_dunn,
    compare_methods,
    corrected_resampled_t_test,
    friedman,
    holm,
    nemenyi,
    wilcoxon,
)
from calibrant.exceptions import DataError, ParameterError

SEEDS = st.integers(0, 2**32 - 1)
METHODS = ["tree", "bayes", "forest"]
TABLE = np.random.default_rng(0).normal([0.7, 0.7, 0.76], 0.03, (20, 3))


@pytest.fixture(scope="module")
def three() -> MethodComparison:
    """All pairs of the three methods."""
    return compare_methods(TABLE, methods=METHODS)


@cache
def text_of(test: Any) -> str:
    return repr(test(TABLE, methods=METHODS))


def test_every_pair_has_wilcoxons_test_corrected_by_holm(three: MethodComparison) -> None:
    found = [pair.wilcoxon for pair in three.pairs]
    assert [test.names for test in found] == [("bayes", "tree"), ("forest", "tree"), ("forest", "bayes")]
    alone = [wilcoxon(TABLE[:, i], TABLE[:, j]).pvalue for i, j in ((1, 0), (2, 0), (2, 1))]
    assert [test.pvalue for test in found] == alone
    assert [test.adjusted_pvalue for test in found] == pytest.approx(holm(alone))


@pytest.mark.parametrize(
    ("better", "winners"), [("higher", ["", "forest", "forest"]), ("lower", ["", "tree", "bayes"])]
)
def test_the_winner_is_the_better_one(better: str, winners: list[str]) -> None:
    result = compare_methods(TABLE, methods=METHODS, better=better)
    assert [pair.winner for pair in result.pairs] == winners


def test_one_method_can_be_compared_with_all_others() -> None:
    result = compare_methods(TABLE, methods=METHODS, method="bayes")
    assert [pair.wilcoxon.names for pair in result.pairs] == [("bayes", "tree"), ("bayes", "forest")]
    assert result.pairs[0].wilcoxon.n_comparisons == 2


def test_the_result_of_a_pair_does_not_depend_on_other_methods(three: MethodComparison) -> None:
    two = compare_methods(TABLE[:, :2], methods=METHODS[:2])
    assert three.pairs[0].wilcoxon.pvalue == two.pairs[0].wilcoxon.pvalue
    assert three.pairs[0].bayes.greater == two.pairs[0].bayes.greater


def test_the_repr_has_the_number_of_comparisons_corrected_for() -> None:
    text = repr(compare_methods(TABLE, methods=METHODS, rope=0.01))
    assert text.startswith("3 comparisons over 20 data sets, corrected by Holm (higher is better):\n  neither is shown")
    assert "by Holm for 3 comparisons" in text
    assert "for this pair alone" in text
    assert "Bayesian signed-rank test of 20 pairs, one of 3 comparisons, not corrected for the others" in text
    assert "1 comparison over 20 data sets" in repr(compare_methods(TABLE[:, :2]))


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (pd.DataFrame(TABLE, columns=METHODS), {}),
        (pl.DataFrame(TABLE, schema=METHODS), {}),
        (pd.DataFrame(TABLE, columns=METHODS).assign(data=range(20)), {"by": "data"}),
        ({i: np.stack([row, row]) for i, row in enumerate(TABLE)}, {"methods": METHODS}),
        (np.stack([TABLE - 0.5, TABLE + 0.5], axis=1), {"methods": METHODS}),
    ],
)
@pytest.mark.parametrize("test", [compare_methods, friedman, nemenyi])
def test_tables_come_in_many_forms_and_trials_are_averaged(test: Any, table: Any, options: dict[str, Any]) -> None:
    assert repr(test(table, **options)) == text_of(test)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_between_the_p_value_and_bonferroni_and_keeps_the_order(pvalues: list[float]) -> None:
    given_, corrected = np.array(pvalues), holm(pvalues)
    assert (corrected >= given_).all()
    assert (corrected <= np.minimum(1, len(pvalues) * given_) + 1e-12).all()
    assert (np.diff(corrected[np.argsort(given_)]) >= 0).all()


def test_holm_raises_for_what_is_not_a_p_value() -> None:
    with pytest.raises(DataError, match="pvalues must be numbers from 0 to 1"):
        holm([0.5, 1.2])


@given(SEEDS)
def test_friedmans_test_is_scipys_even_with_ties(seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 4, (12, 4))
    theirs = scipy.stats.friedmanchisquare(*table.T)
    ours = friedman(table)
    assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert ours.f_statistic == pytest.approx(11 * ours.statistic / (12 * 3 - ours.statistic))


def test_demsars_critical_differences_for_four_methods_on_14_data_sets() -> None:
    """Demsar 2006, section 3.2.2: 1.25 at 5 % by Nemenyi, 1.04 at 10 % by Bonferroni and Dunn."""
    table = np.random.default_rng(1).random((14, 4))
    assert nemenyi(table).critical_difference == pytest.approx(1.25, abs=0.005)
    dunn = bonferroni_dunn(table, control="method 0", confidence=0.9)
    assert dunn.critical_difference == pytest.approx(1.04, abs=0.005)


@pytest.mark.parametrize("k", [3, 6])
def test_the_p_value_at_the_critical_difference_is_the_level(k: int) -> None:
    table = np.random.default_rng(k).normal(np.arange(k) * 0.4, 1, (15, k))
    result = nemenyi(table)
    for (one, other), pvalue in result.pvalues.items():
        gap = abs(result.mean_ranks[one] - result.mean_ranks[other])
        assert (pvalue <= 0.05) == (gap >= result.critical_difference)


def test_groups_are_the_largest_sets_within_the_critical_difference() -> None:
    result = nemenyi(TABLE, methods=METHODS)
    assert result.groups == (("forest",), tuple(sorted(["tree", "bayes"], key=result.mean_ranks.__getitem__)))
    assert "corrected for 3 comparisons" in repr(result)


def test_methods_that_are_always_equal_have_equal_ranks() -> None:
    result = friedman(np.ones((5, 3)))
    assert (result.statistic, result.pvalue, set(result.mean_ranks.values())) == (0, 1, {2.0})


@pytest.mark.parametrize("test", [friedman, nemenyi])
def test_the_error_for_two_methods_names_the_tests_for_two(test: Any) -> None:
    with pytest.raises(DataError, match=r"needs at least 3 methods; got 2\. Two are compared by wilcoxon or sign_test"):
        test(TABLE[:, :2])


def test_an_unknown_control_is_named() -> None:
    with pytest.raises(ParameterError, match=r"control must be one of .* Did you mean 'forest'"):
        bonferroni_dunn(TABLE, methods=METHODS, control="forrest")


def test_the_bayesian_t_test_has_the_scale_of_the_corrected_one() -> None:
    a, b = np.random.default_rng(4).normal([[0.8], [0.79]], 0.02, (2, 100))
    bayes = bayesian_correlated_t_test(a, b, n_train=9, n_test=1)
    corrected = corrected_resampled_t_test(a, b, n_train=9, n_test=1)
    assert 2 * min(bayes.less, bayes.greater) == pytest.approx(corrected.pvalue)
    assert (bayes.low, bayes.high, bayes.pvalue) == pytest.approx((corrected.low, corrected.high, corrected.pvalue))


def test_the_correlation_of_trials_replaces_their_numbers_of_rows() -> None:
    a, b = TABLE[:, 0], TABLE[:, 1]
    assert bayesian_correlated_t_test(a, b, rho=0.1).greater == pytest.approx(
        bayesian_correlated_t_test(a, b, n_train=9, n_test=1).greater
    )
    assert bayesian_correlated_t_test(a, b, rho=0).pvalue == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue)
    with pytest.raises(ParameterError, match="rho must not be passed with n_train"):
        bayesian_correlated_t_test(a, b, rho=0.1, n_train=9, n_test=1)
    with pytest.raises(ParameterError, match=r"n_train and n_test must be passed, or rho"):
        bayesian_correlated_t_test(a, b)


@pytest.mark.parametrize("rope", [0.0, 0.02])
def test_probabilities_sum_to_1_and_swap_with_the_methods(rope: float) -> None:
    a, b = TABLE[:, 0], TABLE[:, 1]
    for test, options in ((bayesian_correlated_t_test, {"n_train": 9, "n_test": 1}), (bayesian_signed_rank_test, {})):
        one, other = test(a, b, rope=rope, **options), test(b, a, rope=rope, **options)
        assert one.less + one.equivalent + one.greater == pytest.approx(1)
        assert (one.less, one.greater) == pytest.approx((other.greater, other.less), abs=1e-9)


def test_a_wide_region_of_equivalence_has_all_the_probability() -> None:
    assert bayesian_signed_rank_test(TABLE[:, 0], TABLE[:, 1], rope=1).equivalent == 1
    assert bayesian_correlated_t_test(TABLE[:, 0], TABLE[:, 1], n_train=9, n_test=1, rope=1).equivalent > 0.999


def test_equal_methods_are_as_likely_better_as_worse() -> None:
    for result in (
        bayesian_signed_rank_test(np.ones(9), np.ones(9)),
        bayesian_correlated_t_test(np.ones(9), np.ones(9), n_train=9, n_test=1),
    ):
        assert (result.less, result.greater) == (0.5, 0.5)


def test_the_same_seed_draws_the_same_posterior() -> None:
    first, second, third = (bayesian_signed_rank_test(*TABLE.T[:2], random_state=seed) for seed in (5, 5, 6))
    assert first == second != third


def test_the_interval_of_the_pseudo_median_is_near_wilcoxons() -> None:
    a, b = np.random.default_rng(6).normal([[0.3], [0.0]], 1, (2, 60))
    bayes, exact = bayesian_signed_rank_test(a, b), wilcoxon(a, b)
    assert bayes.difference == exact.difference
    assert (bayes.low, bayes.high) == pytest.approx((exact.low, exact.high), abs=0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -0.1}, "rope must be a finite number >= 0"),
        ({"prior": 0}, "prior must be a finite number > 0"),
        ({"n_draws": 10}, "n_draws must be an int >= 100"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bayesian_signed_rank_test(*TABLE.T[:2], **options)


def test_a_value_that_is_missing_is_named_by_its_row() -> None:
    with pytest.raises(DataError, match="first in row 1, 'b'"):
        compare_methods([[0.1, 0.2], [0.3, np.nan]], methods=["a", "b"])


def test_the_data_set_of_each_row_must_be_known() -> None:
    table = pd.DataFrame({"set": ["x", None, "y", "x"], "a": [1.0, 2, 3, 4], "b": [1.0, 3, 2, 4]})
    with pytest.raises(DataError, match="by='set' has missing values"):
        compare_methods(table, by="set")
