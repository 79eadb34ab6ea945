"""The picture of the README shows where probabilities are miscalibrated."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.data import load


@pytest.fixture(scope="module")
def script(example):
    return example("reliability_picture")


def test_a_model_that_predicts_twice_the_rate_is_shown_to_be_miscalibrated(script):
    donors, random = load("appeal"), np.random.default_rng(0)
    rate = (donors.y == donors.positive).mean() + 0.02 * random.random(donors.n_rows)
    figure = script.draw(donors, {"base rate": rate, "doubled": 2 * rate})
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles[0] == "base rate\nno miscalibration shown"
    assert titles[1].startswith("doubled\nmiscalibrated: 0.1")
