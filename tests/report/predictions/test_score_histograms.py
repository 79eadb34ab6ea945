"""Histograms of a report: both classes of one model, or all models for each class."""

from __future__ import annotations

import numpy as np
from tests.report.predictions.figures_of import data_of, figures_of, layers_of

from calibrant.curves import score_histogram
from calibrant.report._predictions.reliability import histograms_section

Y, P = [0, 1, 1, 0], np.array([0.1, 0.9, 0.5, 0.3])


def test_one_model_has_bars_for_each_class():
    figure = figures_of(histograms_section(data_of(Y, P)))["score-histogram"]
    (others,), (own,) = layers_of(figure, ""), layers_of(figure, "model")
    curve = score_histogram(Y, P, n_bins=5)
    np.testing.assert_array_equal([own.columns["rows"], others.columns["rows"]], [curve.positive, curve.negative])
    np.testing.assert_array_equal(own.columns["y"], curve.positive / 2)
    assert "the others: 0.7 and 0.2." in figure.caption


def test_several_models_have_outlines_of_each_class():
    figures = figures_of(histograms_section(data_of(Y, {"a": P, "b": 1 - P})))
    (line,) = layers_of(figures["score-histogram"], "a")
    curve = score_histogram(Y, P, n_bins=5)
    np.testing.assert_array_equal(line.columns["y"][1:-1:2], curve.positive / 2)
    np.testing.assert_array_equal(line.columns["x"][1:-1:2], curve.low)
    assert len(figures["score-histogram-others"].layers) == 2


def test_without_rows_every_bin_has_ten_rows_or_none():
    random = np.random.default_rng(0)
    p = random.beta(1, 5, 300)
    figure = figures_of(histograms_section(data_of(random.random(300) < p, p, rows=False)))["score-histogram"]
    rows = sum(np.asarray(layer.columns["rows"]) for layer in figure.layers)
    assert ((rows == 0) | (rows >= 10)).all()
