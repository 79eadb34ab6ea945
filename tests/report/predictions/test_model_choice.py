"""The best of several models, and whether the others are shown to be worse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from calibrant.comparison import paired_t_test
from calibrant.report._predictions.comparison import choose_model, paired_difference, row_values
from calibrant.report._predictions.read_report_data import read_report_data

RNG = np.random.default_rng(0)
TRUE = RNG.beta(1, 3, 400)
Y = RNG.random(400) < TRUE
NOISY = np.clip(TRUE + RNG.normal(0, 0.15, 400), 0.01, 0.99)


def data_of(models: Any, **options: Any) -> Any:
    return read_report_data(Y, models, **{"n_boot": 20, **options})


def test_one_model_leaves_no_choice() -> None:
    assert choose_model(data_of(TRUE)) is None


def test_rows_that_are_independent_have_the_paired_t_test_of_their_losses() -> None:
    data = data_of({"a": TRUE, "b": NOISY})
    values = {name: row_values(data, name, "log_loss") for name in data.names}
    pair = paired_difference(data, ("a", "b"), values, 0.95)
    expected = paired_t_test(values["a"], values["b"])
    assert pair.pvalue == pytest.approx(ttest_rel(values["a"], values["b"]).pvalue)
    assert (pair.low, pair.high) == pytest.approx((expected.low, expected.high))


def test_the_best_is_compared_one_sided_with_a_correction_for_the_others() -> None:
    data = data_of({"a": TRUE, "b": NOISY, "c": np.sqrt(TRUE)})
    choice = choose_model(data)
    assert choice is not None
    assert choice.best == "a"
    losses = {name: row_values(data, name, "log_loss") for name in data.names}
    for pair in choice.pairs:
        two_sided = ttest_rel(losses["a"], losses[pair.b]).pvalue
        assert pair.adjusted_pvalue == pytest.approx(min(1.0, 2 * two_sided / 2))
        assert (choice.at_least(pair) > 0) == bool(pair.better)


def test_a_weight_of_two_is_the_row_twice() -> None:
    weight = np.arange(400) % 3 + 1
    weighted = choose_model(data_of({"a": TRUE, "b": NOISY}, sample_weight=weight))
    twice = np.repeat(np.arange(400), weight)
    repeated = choose_model(read_report_data(Y[twice], {"a": TRUE[twice], "b": NOISY[twice]}, n_boot=20))
    assert weighted is not None
    assert repeated is not None
    assert weighted.pairs[0].pvalue == pytest.approx(repeated.pairs[0].pvalue)


def test_copies_of_rows_in_a_group_add_no_evidence() -> None:
    twice = np.repeat(np.arange(400), 2)
    once = choose_model(data_of({"a": TRUE, "b": NOISY}))
    grouped = choose_model(read_report_data(Y[twice], {"a": TRUE[twice], "b": NOISY[twice]}, groups=twice, n_boot=20))
    assert once is not None
    assert grouped is not None
    assert grouped.pairs[0].pvalue == pytest.approx(once.pairs[0].pvalue)


def test_a_certain_mistake_moves_the_choice_to_the_brier_score() -> None:
    certain = np.where(Y, TRUE, 0.3)
    certain[np.flatnonzero(Y)[0]] = 0.0
    choice = choose_model(data_of({"a": TRUE, "b": certain}))
    assert choice is not None
    assert choice.measure == "brier"


def test_rows_of_few_groups_show_no_difference() -> None:
    choice = choose_model(data_of({"a": TRUE, "b": NOISY}, groups=np.arange(400) % 5))
    assert choice is not None
    assert not choice.tested
    assert choice.not_shown == ["b"]


def test_profit_is_what_decisions_earn() -> None:
    data = data_of({"a": TRUE, "b": NOISY}, costs=[[0, 1], [0, -3]])
    earned = row_values(data, "a", "profit")
    assert earned.tolist() == np.where(4 * TRUE > 1, np.where(Y, 3.0, -1.0), 0.0).tolist()


def test_with_costs_the_best_model_is_that_of_the_highest_profit() -> None:
    choice = choose_model(data_of({"too low": TRUE / 8, "right": TRUE}, costs=[[0, 1], [0, -9]]))
    assert choice is not None
    assert (choice.measure, choice.best, choice.worse) == ("profit", "right", ["too low"])
