"""Histograms of a report: both classes of one model, or all models for each class."""

from __future__ import annotations

import numpy as np
from tests.report.blocks import figures, layers_of, report_of

from calibrant.curves import score_histogram

Y, P = [0, 1, 1, 0], np.array([0.1, 0.9, 0.5, 0.3])


def test_one_model_has_bars_for_each_class():
    figure = figures(report_of(Y, P), "score-histograms")["score-histogram"]
    (others,), (own,) = layers_of(figure, ""), layers_of(figure, "model")
    curve = score_histogram(Y, P, n_bins=5)
    np.testing.assert_array_equal([own.columns["rows"], others.columns["rows"]], [curve.positive, curve.negative])
    np.testing.assert_array_equal(own.columns["y"], curve.positive / 2)
    assert "the others: 0.7 and 0.2." in figure.caption


def test_several_models_have_outlines_of_each_class():
    own, others = figures(report_of(Y, {"a": P, "b": 1 - P}), "score-histograms").values()
    (line,) = layers_of(own, "a")
    curve = score_histogram(Y, P, n_bins=5)
    np.testing.assert_array_equal(line.columns["y"][1:-1:2], curve.positive / 2)
    np.testing.assert_array_equal(line.columns["x"][1:-1:2], curve.low)
    assert (own.name, others.name, len(others.layers)) == ("score-histogram", "score-histogram-others", 2)


def test_without_rows_every_bin_has_ten_rows_or_none():
    random = np.random.default_rng(0)
    p = random.beta(1, 5, 300)
    figure = figures(report_of(random.random(300) < p, p, rows=False), "score-histograms")["score-histogram"]
    rows = sum(np.asarray(layer.columns["rows"]) for layer in figure.layers)
    assert ((rows == 0) | (rows >= 10)).all()
