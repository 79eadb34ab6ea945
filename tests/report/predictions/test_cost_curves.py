"""Cost curves of a report: the envelope, today's point, and costs in the order of the classes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.blocks import figures, layers_of, report_of

from calibrant.curves import cost_curve

Y = ["yes", "yes", "no", "yes", "no", "no", "yes", "no", "no", "no"]
P = np.linspace(0.95, 0.05, 10)


def test_the_envelope_and_todays_point_with_equal_costs():
    """At 40 % positives the best threshold selects + + - +: 2 errors of 10, compared with 4 of never selecting."""
    figure = figures(report_of(Y, P), "cost-curves")["cost-curves"]
    line, today = layers_of(figure, "model")
    curve = cost_curve(Y, P)
    np.testing.assert_array_equal([line.columns["x"], line.columns["y"]], [curve.probability_cost, curve.cost])
    assert (today.columns["x"], today.columns["y"]) == ([pytest.approx(0.4)], [pytest.approx(0.2)])
    assert "with equal costs of all errors" in figure.caption
    assert "compared with never deciding for class yes, errors cost 50 % less at the threshold" in figure.caption


def test_costs_follow_the_positive_class():
    """An overlooked yes costs 6, a false alarm 1: always yes costs 6, the threshold that finds all four costs 3."""
    costs = {"no": {"no": 0, "yes": 1}, "yes": {"no": 6, "yes": 0}}
    for positive, p in (("yes", P), ("no", 1 - P)):
        figure = figures(report_of(Y, p, costs=costs, pos_label=positive), "cost-curves")["cost-curves"]
        today = layers_of(figure, "model")[1].columns
        assert today["x"] == [pytest.approx(24 / 30 if positive == "yes" else 6 / 30)]
        assert today["y"] == [pytest.approx(3 / 30)]
        assert "with the costs of this report" in figure.caption
        assert "errors cost 50 % less" in figure.caption


def test_costs_whose_errors_are_not_dearer_are_not_used():
    figure = figures(report_of(Y, P, costs=[[0, 1], [0, 0]]), "cost-curves")["cost-curves"]
    assert "equal costs of all errors" in figure.caption


def test_a_model_that_is_worth_nothing_costs_no_less():
    figure = figures(report_of([0, 1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2, 0.7]), "cost-curves")["cost-curves"]
    assert "compared with never deciding for class 1, errors cost no less." in figure.caption
