"""Figure 5.2 of Witten, Frank & Hall on half of the KDD'98 learning set."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def script(example):
    return example("mailing_figure")


@pytest.fixture(scope="module")
def predicted(script, papers_data):
    return script.predictions(script.load("zadrozny.kdd98", papers_data))


def test_half_of_the_learning_set_has_the_books_47_706_rows(predicted):
    assert len(predicted[0]) == 47_706


def test_mailing_everybody_earns_what_follows_from_the_counts(script, predicted):
    y, p = predicted
    analysis = script.analyse(y, p, 0.80)
    assert analysis.at(fraction=1.0).benefit == pytest.approx(15 * y.sum() - 0.80 * (len(y) - y.sum()))


def test_at_80_cents_about_half_of_the_list_is_best_and_earns_thousands(script, predicted):
    best = script.analyse(*predicted, 0.80).best
    assert 0.35 < best.fraction < 0.65
    assert 3_000 < best.benefit < 7_000
    assert abs(best.random) < 250


def test_at_50_cents_mailing_nearly_everybody_is_best(script, predicted):
    analysis = script.analyse(*predicted, 0.50)
    assert analysis.best.fraction > 0.85
    assert analysis.best.benefit < 1.05 * analysis.at(fraction=1.0).benefit


def test_a_picture_can_be_drawn(script, tmp_path):
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.9, 0.4, 0.4])
    script.draw({0.5: script.analyse(y, p, 0.5)}, str(tmp_path / "figure.png"))
    assert (tmp_path / "figure.png").stat().st_size > 1000
