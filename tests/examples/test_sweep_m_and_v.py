"""The claim that the exact m and v hardly matter, on CoIL."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def script(example):
    pytest.importorskip("matplotlib")
    return example("sweep_m_and_v")


@pytest.fixture(scope="module")
def sweeps(script, papers_data):
    return {sweep.metric: sweep for sweep in script.sweep_data(script.load("zadrozny.coil", papers_data))}


@pytest.mark.parametrize(("low", "high", "share"), [(25, 800, 0.08), (100, 400, 0.02)])
def test_the_range_of_errors_is_small_compared_with_the_gain_over_the_unsmoothed_tree(sweeps, low, high, share):
    mse = sweeps["MSE"]
    for name in mse.errors:
        assert mse.error_range(name, low, high) < share * mse.gain(name, low, high, "frequency")


def test_curtailment_at_the_suggested_v_or_above_is_better_than_the_base_rate(sweeps):
    mse = sweeps["MSE"]
    assert (mse.between("curtailment, v", 100, 800) < mse.fixed["base rate"]).all()


def test_smoothed_estimates_have_a_finite_log_loss_at_every_value(sweeps):
    bits = sweeps["log-loss (bits)"]
    assert np.isfinite(bits.errors["smoothing, m"]).all()
    assert np.isfinite(bits.errors["smoothed curtailment, m = v"]).all()


def test_every_sweep_has_a_panel(script, sweeps):
    titles = [axes.get_title().strip() for axes in script.draw([*sweeps.values()] * 2).axes]
    assert titles == [f"zadrozny.coil: {metric}" for metric in ("MSE", "MSE", "log-loss (bits)", "log-loss (bits)")]
