"""The critical-difference diagram draws the ranks, the difference and the groups of the test."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from calibrant.comparison import nemenyi
from calibrant.exceptions import ParameterError
from calibrant.plots import CriticalDifferenceDisplay

METHODS = ["tree", "forest", "bayes", "boosting", "neighbours"]
TABLE = np.random.default_rng(0).normal([0.0, 0.6, 0.3, 1.2, -0.4], 1, (20, 5))


def bars(display: CriticalDifferenceDisplay) -> list[tuple[float, float]]:
    return [tuple(line.get_xdata()) for line in display.ax_.lines if line.get_linewidth() == 3.5]


def test_every_method_is_drawn_at_its_mean_rank() -> None:
    display = CriticalDifferenceDisplay.from_table(TABLE, methods=METHODS)
    drawn = {round(float(line.get_xdata()[0]), 6) for line in display.ax_.lines if len(line.get_xdata()) == 3}
    assert drawn == {round(rank, 6) for rank in display.result.mean_ranks.values()}
    labels = " ".join(text.get_text() for text in display.ax_.texts)
    assert all(name in labels for name in METHODS)


def test_a_bar_lies_over_each_group() -> None:
    display = CriticalDifferenceDisplay.from_table(TABLE, methods=METHODS)
    ranks = display.result.mean_ranks
    expected = [(ranks[group[0]] - 0.02, ranks[group[-1]] + 0.02) for group in display.result.groups if len(group) > 1]
    np.testing.assert_allclose(bars(display), expected)


def test_the_critical_difference_is_drawn_to_scale() -> None:
    display = CriticalDifferenceDisplay(nemenyi(TABLE)).plot()
    (scale,) = (line for line in display.ax_.lines if line.get_linewidth() == 1.8 and np.ptp(line.get_xdata()) > 0)
    assert np.ptp(scale.get_xdata()) == pytest.approx(display.result.critical_difference)


def test_a_control_is_marked() -> None:
    options = {"test": "bonferroni_dunn", "control": "boosting", "methods": METHODS}
    display = CriticalDifferenceDisplay.from_table(TABLE, **options)
    (text,) = (label for label in display.ax_.texts if "boosting" in label.get_text())
    assert text.get_color() != display.ax_.texts[-1].get_color()


def test_axes_that_are_passed_are_drawn_into() -> None:
    _, ax = plt.subplots()
    assert CriticalDifferenceDisplay(nemenyi(TABLE)).plot(ax).ax_ is ax
    assert plt.get_fignums() == [ax.figure.number]


def test_only_results_of_rank_tests_can_be_drawn() -> None:
    with pytest.raises(ParameterError, match="result must be the result of nemenyi or bonferroni_dunn; got dict"):
        CriticalDifferenceDisplay({})


def test_the_scale_of_many_methods_has_ten_numbers_at_most() -> None:
    table = np.random.default_rng(0).normal(size=(30, 20))
    ticks = CriticalDifferenceDisplay.from_table(table, methods=[str(k) for k in range(20)]).ax_.get_xticks()
    assert ticks.tolist() == list(range(1, 21, 2))
