"""The reliability diagram of a report: the curve and band of `calibrant.curves`, and what the caption says of them."""

from __future__ import annotations

import numpy as np
from tests.report.blocks import figures, layers_of, report_of

from calibrant.curves import reliability

RNG = np.random.default_rng(0)
P = RNG.random(2000)
Y = RNG.random(2000) < P


def test_line_and_band_are_those_of_the_curve():
    figure = figures(report_of(Y, P), "reliability")["reliability"]
    curve = reliability(Y, P, method="corp", bands="consistency")
    band, line, points = layers_of(figure, "model")
    assert (band.mark, line.mark, points.mark) == ("band", "line", "points")
    np.testing.assert_array_equal([band.columns["low"], band.columns["high"]], curve.simultaneous[1:])
    np.testing.assert_array_equal(line.columns["y"][::2], curve.observed)
    np.testing.assert_array_equal([line.columns["x"][::2], line.columns["x"][1::2]], [curve.low, curve.high])
    assert points.columns["rows"].sum() == 2000


def test_the_caption_says_that_a_calibrated_line_stays_inside_its_band():
    figure = figures(report_of(Y, P), "reliability")["reliability"]
    assert "95 % of samples. Here it stays inside: these rows do not show miscalibration." in figure.caption


def test_the_caption_names_where_a_line_leaves_its_band():
    y, p = np.repeat([0, 1, 0, 1], [90, 10, 20, 80]), np.repeat([0.4, 0.8], 100)
    figure = figures(report_of(y, p), "reliability")["reliability"]
    assert "leaves the band at 0.4 (for example: predicted 40 %, observed 10 %)." in figure.caption
    assert "probability: 15 %" in figure.description  # the mean of 0.3 and 0


def test_several_models_are_named_with_what_their_lines_do():
    figure = figures(report_of(Y, {"good": P, "bad": P**3}), "reliability")["reliability"]
    assert "bad leaves the band" in figure.caption
    assert "good stays inside." in figure.caption


def test_a_constant_probability_is_a_point():
    figure = figures(report_of([0, 1, 1, 0], [0.5] * 4), "reliability")["reliability"]
    assert [layer.mark for layer in layers_of(figure, "model")] == ["line", "points"]


def test_the_diagonal_of_a_rare_class_ends_with_its_axes():
    p = RNG.beta(1, 200, 3000)
    figure = figures(report_of(RNG.random(3000) < p, p), "reliability")["reliability"]
    diagonal = figure.layers[0]
    assert figure.x.domain == figure.y.domain == tuple(diagonal.columns["x"]) == tuple(diagonal.columns["y"])
    assert figure.x.domain[1] < 0.2


def test_without_rows_every_point_is_of_ten_rows_at_least():
    figure = figures(report_of(Y[:205], P[:205], rows=False), "reliability")["reliability"]
    rows = [np.asarray(layer.columns["rows"]) for layer in layers_of(figure, "model") if "rows" in layer.columns]
    assert len(rows) == 2
    assert min(each.min() for each in rows) >= 10
