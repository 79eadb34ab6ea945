"""Squared error to probabilities that are known: what to read a tree by where one class is rare."""

from __future__ import annotations

import numpy as np
import pytest

DRAWS = 8


@pytest.fixture(scope="module")
def script(example):
    return example("known_truth")


@pytest.fixture(scope="module", params=[0.2, 0.1, 0.05, 0.02, 0.01], ids="base rate {}".format)
def errors(request, script):
    return script.errors(request.param, DRAWS, n_test=2000)


@pytest.mark.sample(16)
@pytest.mark.parametrize("other", ["frequency", "Laplace"])
@pytest.mark.parametrize("advised", ["m-estimate", "smoothed curtailment", "hierarchical shrinkage, cv"])
def test_what_is_advised_for_unbalanced_classes_is_nearer_to_the_truth(errors, advised, other):
    gain = errors[other] - errors[advised]
    assert gain.mean() > 3 * gain.std(ddof=1) / np.sqrt(DRAWS)


def test_smoothed_curtailment_is_nearer_than_the_base_rate(errors):
    gain = errors["all base rate"] - errors["smoothed curtailment"]
    assert gain.mean() > 0


def test_the_wanted_share_of_rows_is_positive(script):
    random, rate = np.random.default_rng(1), 0.05
    _, score = script.draw_rows(random, 100_000)
    assert script.expit(script.intercept_for(rate) + score).mean() == pytest.approx(rate, rel=0.02)
