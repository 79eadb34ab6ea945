"""Replicates of very many rows of few kinds have the distribution of those that draw the rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan, replicate_few_kinds
from calibrant.metrics._intervals.replicates import Resampled, replicate
from calibrant.metrics._validation.read_predictions import read_predictions

RNG = np.random.default_rng(0)
N = 60_000
Y = RNG.random(N) < 0.1
PAID = np.where(Y, 20.0, -1.0) * (RNG.random(N) < 0.3)


def plan_of(n: int = N, weight: object = None, **options: object) -> BootstrapPlan:
    return BootstrapPlan(read_predictions(Y[:n], np.full(n, 0.1), weight), **options)  # type: ignore[arg-type]


def test_means_are_distributed_as_those_of_drawn_rows():
    plan = plan_of(n_boot=2000)
    drawn, left_out = replicate_few_kinds(plan, [PAID, Y * 3.0])
    rows = Resampled(N, values=(PAID, Y * 3.0))
    of_rows, without = replicate(rows, plan.sampling(None), plan.seed, 400)
    error = np.array([PAID.std(), 3.0 * Y.std()]) / np.sqrt(N)
    np.testing.assert_allclose(drawn.mean(axis=0), [PAID.mean(), 3.0 * Y.mean()], atol=5 * error.max() / np.sqrt(2000))
    np.testing.assert_allclose(drawn.std(axis=0), error, rtol=0.08)
    np.testing.assert_allclose(of_rows.values.std(axis=0), drawn.std(axis=0), rtol=0.2)
    both = [np.corrcoef(each.T)[0, 1] for each in (drawn, of_rows.values)]
    assert both[0] == pytest.approx(np.corrcoef(PAID, Y)[0, 1], abs=0.1)
    assert both[0] == pytest.approx(both[1], abs=0.2)
    np.testing.assert_allclose(left_out.mean(axis=0), without.values.mean(axis=0), rtol=1e-3)
    np.testing.assert_allclose(left_out.std(axis=0), without.values.std(axis=0), rtol=0.3)


def test_a_weight_of_2_is_the_row_twice():
    weight = RNG.integers(1, 3, N)
    weighted = replicate_few_kinds(plan_of(weight=weight), [PAID])
    repeated = BootstrapPlan(read_predictions(np.repeat(Y, weight), np.full(weight.sum(), 0.1)))
    np.testing.assert_array_equal(weighted[0], replicate_few_kinds(repeated, [np.repeat(PAID, weight)])[0])


@pytest.mark.parametrize(
    ("plan", "values"),
    [
        (plan_of(49_999), PAID[:49_999]),
        (plan_of(), RNG.random(N)),
        (plan_of(group=np.arange(N) // 2), PAID),
        (plan_of(weight=np.full(N, 0.5)), PAID),
        (plan_of(weight=np.full(N, 2.0), weight_kind="probability", stratified=True), PAID),
        (plan_of(), np.arange(N) // 40.0),
    ],
    ids=["few rows", "many values", "groups", "fractions", "probability weights", "1,500 values, sorted"],
)
def test_other_rows_are_drawn_one_by_one(plan, values):
    assert replicate_few_kinds(plan, [values]) is None
