"""Table 3 of Zadrozny & Elkan (2001): what follows from counts, and the claims that hold here too."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def script(example):
    return example("kdd98_profit")


@pytest.fixture(scope="module")
def mailing(script, papers_data):
    return script.Mailing.of(script.load("kdd98_case_control", papers_data))


@pytest.fixture(scope="module")
def held_out(script, mailing):
    halves = mailing.halves()
    gifts = script.expected_gifts(mailing, halves, script.LinearRegression())
    return gifts, script.probabilities(mailing, halves, weighted=True, n_trees=2)


def test_mailing_everybody_in_the_training_set_earns_10_788_54(script, mailing):
    """Printed as $10,790; probability weights recover the whole set from a sample of it."""
    profit = script.mailing_profit(mailing, np.ones(len(mailing.y)), np.full(len(mailing.y), 15.0))
    assert profit.everybody["approach"].value == pytest.approx(10_788.54, abs=0.5)
    assert profit.total.value == pytest.approx(profit.everybody["approach"].value)
    assert profit.n_rows == pytest.approx(95_412, abs=1)


def test_all_zero_earns_nothing(script, mailing, held_out):
    gifts, proba = held_out
    assert script.mailing_profit(mailing, proba["All zero"][1], gifts[1], confidence=None).total.value == 0


def test_unsmoothed_trees_earn_far_more_on_their_training_rows_than_held_out(script, mailing, held_out):
    gifts, proba = held_out
    for name in ("Kearns-Mansour", "C4.5 without pruning"):
        own, other = (
            script.mailing_profit(mailing, proba[name][which], gifts[which], confidence=None).total.value
            for which in (0, 1)
        )
        assert own > 1.6 * other


def test_the_base_rate_with_expected_gifts_has_about_the_papers_profit(script, mailing, held_out):
    """$12,252 on the paper's test set."""
    gifts, proba = held_out
    total = script.mailing_profit(mailing, proba["All base rate"][1], gifts[1], n_boot=300).total
    assert total.low < script.PAPER["All base rate"][1] < total.high


def test_naive_bayes_loses_by_miscalibration(script, mailing, held_out):
    gifts, proba = held_out
    report = script.decision_report(
        mailing.y,
        proba["Naive Bayes"][1],
        script.ExampleCosts(script.PRICE, gifts[1]),
        amount=mailing.amount,
        sample_weight=mailing.weight,
        weight_kind="probability",
        n_boot=300,
    )
    assert report.miscalibration.low > 0
