"""Every estimate against a plain walk of each row's path that shares no code with it."""

from __future__ import annotations

import numpy as np
import pytest

from . import reference
from .grown import CASES, Grown, grow

NAMES = {"frequency": reference.frequency, "laplace": reference.laplace}


@pytest.fixture(scope="module", params=CASES)
def grown(request: pytest.FixtureRequest) -> Grown:
    return grow(CASES[request.param])


@pytest.mark.parametrize("name", NAMES)
def test_a_named_estimate_is_that_of_the_reference(grown, name):
    model = grown.fit(name)
    expected = reference.probabilities(model, grown.rows(), NAMES[name](model.tree_))
    np.testing.assert_allclose(model.predict_proba(grown.X_test), expected, rtol=0, atol=1e-12)
