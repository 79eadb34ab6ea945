"""Intervals of very many rows, from groups and moments, are those of the bootstrap of all rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics import evaluate

NAMES = ["log_loss", "mse", "rms", "auc", "average_precision", "ks", "lift", "f1", "mcc", "kappa", "aulc"]


@pytest.fixture(scope="module", params=[(2, 2), (0.2, 20)], ids=["balanced", "rare"])
def cards(request):
    rng = np.random.default_rng(0)
    p = rng.beta(*request.param, 60_000).round(4)
    y = rng.random(len(p)) < p
    return tuple(evaluate(y, p, metrics=NAMES, n_boot=2000, interval=how) for how in ("auto", "bootstrap"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sample(3)
def test_intervals_are_those_of_all_rows(cards, name):
    fast, slow = (card[name] for card in cards)
    assert fast.value == pytest.approx(slow.value, nan_ok=True)
    if slow.low is not None:
        width = slow.high - slow.low
        assert fast.low == pytest.approx(slow.low, abs=0.12 * width)  # both have the error of 2,000 draws
        assert fast.high == pytest.approx(slow.high, abs=0.12 * width)


def test_few_rows_above_the_threshold_are_not_joined_with_those_below_it():
    """Eight rows are fewer than a group has: joined with others their f1 would have an interval twice as wide."""
    p = np.r_[np.linspace(0.1, 0.49, 59_992), np.linspace(0.51, 0.6, 8)]
    y = np.arange(60_000) % 2 == 1
    fast, slow = (evaluate(y, p, metrics=["f1"], n_boot=2000, interval=how)["f1"] for how in ("auto", "bootstrap"))
    width = slow.high - slow.low
    assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high), abs=0.15 * width)


def test_an_infinite_loss_of_many_rows_has_an_infinite_end():
    p = np.full(60_000, 0.5)
    p[0] = 0.0
    score = evaluate(np.r_[1, np.tile([0, 1], 30_000)[1:]], p, metrics=["log_loss"])["log_loss"]
    assert score.value == score.high == np.inf


def test_weighted_rows_and_several_classes_have_intervals():
    rng = np.random.default_rng(0)
    p = rng.random(60_000)
    y = rng.random(60_000) < p
    weight = rng.integers(1, 8, 60_000)  # taken for rows, they would make intervals twice as wide
    card = evaluate(y, p, sample_weight=weight, metrics=["mse", "f1"], n_boot=200)
    copies = evaluate(np.repeat(y, weight), np.repeat(p, weight), metrics=["mse", "f1"], n_boot=200)
    for name in card:
        assert card[name].value == pytest.approx(copies[name].value)
        width = copies[name].high - copies[name].low
        assert card[name].low == pytest.approx(copies[name].low, abs=0.3 * width)  # the error of 200 draws
    assert evaluate(y, p, groups=np.arange(60_000) // 100, metrics=["mse"], n_boot=50)["mse"].method == "BCa"
