"""The picture of the README says what is wrong, and where."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.data import load


@pytest.fixture(scope="module")
def script(example):
    return example("reliability_picture")


def test_a_model_that_gives_twice_the_rate_is_shown_to_be_wrong(script):
    donors, random = load("appeal"), np.random.default_rng(0)
    rate = (donors.y == donors.positive).mean() + 0.02 * random.random(donors.n_rows)
    figure = script.draw(donors, {"right": rate, "wrong": 2 * rate})
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles[0] == "right\nnothing speaks against it"
    assert titles[1].startswith("wrong\nwrong: 0.1")
