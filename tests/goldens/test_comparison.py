"""Tests between methods against R (`comparison.R`) and Python packages (`comparison_peers.py`); see SOURCE.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.comparison import (
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni_dunn,
    five_by_two_test,
    friedman,
    holm,
    mcnemar_test,
    nemenyi,
    paired_t_test,
    proportion_interval,
    sign_test,
    unpaired_t_test,
    wilcoxon,
)

HERE = Path(__file__).parent
CASES, R, PEERS = (
    json.loads((HERE / f"comparison_{name}.json").read_text("utf-8")) for name in ("cases", "R", "peers")
)
A, B = (np.array(CASES["trials"][name]) for name in "ab")
TABLE = pd.DataFrame(CASES["datasets"])


def agrees(ours: Any, theirs: dict[str, float], rel: float = 1e-9) -> None:
    for name, value in theirs.items():
        assert getattr(ours, name) == pytest.approx(value, rel=rel), name


def test_the_paired_t_test_is_rs() -> None:
    agrees(paired_t_test(A, B), R["paired"])


def test_unpaired_t_tests_are_rs() -> None:
    two = CASES["sizes"]["a"], CASES["sizes"]["b"]
    agrees(unpaired_t_test(*two, df="welch"), R["welch"])
    agrees(unpaired_t_test(*two), R["conservative"] | {"df": 3, "statistic": R["welch"]["statistic"]})


def test_wilcoxons_test_is_rs() -> None:
    agrees(wilcoxon(A, B), R["wilcoxon"])
    d = (np.arange(1, 101) - 40.25) * (1 + np.sqrt(np.arange(1, 101)) / 10)
    agrees(wilcoxon(d, np.zeros(100)), R["wilcoxon_100"])


def test_the_sign_test_is_rs() -> None:
    agrees(sign_test(A, B), R["sign"])


def test_friedmans_test_is_rs() -> None:
    ours = friedman(TABLE)
    agrees(ours, R["friedman"])
    assert ours.mean_ranks == pytest.approx(R["mean_ranks"])


def test_nemenyis_test_is_that_of_r_and_of_scikit_posthocs() -> None:
    ours = nemenyi(TABLE)
    assert ours.critical_difference == pytest.approx(R["nemenyi"]["critical_difference"], rel=1e-6)
    for theirs in (R["nemenyi"]["pvalues"], PEERS["nemenyi"]):
        for (one, other), pvalue in ours.pvalues.items():
            places = TABLE.columns.get_loc(one), TABLE.columns.get_loc(other)
            assert pvalue == pytest.approx(theirs[places[0]][places[1]], rel=1e-6)


def test_the_bonferroni_dunn_difference_is_rs() -> None:
    ours = bonferroni_dunn(TABLE, control="C4.5", confidence=0.9)
    assert ours.critical_difference == pytest.approx(R["bonferroni_dunn"]["critical_difference_90"])


def test_holms_correction_is_that_of_r_and_of_statsmodels() -> None:
    for theirs in (R["holm"], PEERS["holm"]):
        assert holm(CASES["pvalues"]) == pytest.approx(theirs)


def test_mcnemars_test_is_that_of_r_and_of_statsmodels() -> None:
    a, b = (np.repeat(right, CASES["rows"]) for right in ([1, 1, 0, 0], [1, 0, 1, 0]))
    truth = np.ones(sum(CASES["rows"]))
    agrees(mcnemar_test(truth, a, b, method="chi2"), R["mcnemar_chi2"])
    agrees(mcnemar_test(truth, a, b, method="chi2_corrected"), R["mcnemar_corrected"])
    agrees(mcnemar_test(truth, a, b, method="exact"), R["mcnemar_exact"])
    assert mcnemar_test(truth, a, b, method="exact").pvalue == pytest.approx(PEERS["mcnemar_exact"])


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys"])
def test_intervals_of_proportions_are_rs(method: str) -> None:
    assert proportion_interval(7, 20, 0.9, method=method) == pytest.approx(tuple(R[method]), rel=1e-9)


def test_5x2cv_tests_are_mlxtends() -> None:
    for name in "tf":
        ours = five_by_two_test(A, B, statistic=name)
        assert (ours.statistic, ours.pvalue) == pytest.approx(PEERS[f"five_by_two_{name}"], rel=1e-9)


@pytest.mark.parametrize("rope", ["0", "1.0"])
def test_the_bayesian_correlated_t_test_is_baycomps(rope: str) -> None:
    ours = bayesian_correlated_t_test(A, B, n_train=9, n_test=1, rope=float(rope))
    assert (ours.less, ours.equivalent, ours.greater) == pytest.approx(PEERS["bayes_t"][rope], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("rope", ["0", "0.01"])
def test_the_bayesian_signed_rank_test_is_baycomps(rope: str) -> None:
    """Both draw: 50,000 times each, so that a probability is within 4 * sqrt(2 / 4 / 50,000) of the other."""
    ours = bayesian_signed_rank_test(TABLE["C4.5+m"], TABLE["C4.5"], rope=float(rope))
    assert (ours.less, ours.equivalent, ours.greater) == pytest.approx(PEERS["bayes_ranks"][rope], abs=0.0127)
