"""Groups in `ThresholdClassifier`: whole in folds, one observation each in the evidence for a threshold."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.calibration import HeldOut
from calibrant.decisions import ThresholdClassifier
from calibrant.decisions._threshold import _Goal


def test_folds_keep_groups_whole():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(25), 8)
    X = random.normal(size=(25, 2))[groups] + 0.1 * random.normal(size=(200, 2))
    y = (random.random(200) < 0.5).astype(int)
    seen = []

    class Recorder(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(X[:, 0])
            return super().fit(X, y, sample_weight)

    model = ThresholdClassifier(Recorder()).fit(X, y, groups=groups)
    np.testing.assert_array_equal(model.held_out_.groups, groups)
    for values in seen[:-1]:
        inside = np.isin(X[:, 0], values)
        assert not set(groups[inside]) & set(groups[~inside])


@pytest.mark.parametrize(("groups", "expected"), [(None, True), (np.repeat(np.arange(4), 25), False)])
def test_the_evidence_of_few_groups_is_weak(groups, expected):
    """Rows just below one half are mostly positive in three of four groups: cheap by rows, chance by groups."""
    y = np.repeat([1, 1, 1, 0], 25)
    held = HeldOut(np.arange(100), np.full((100, 1), 0.45), y, None, groups)
    goal = _Goal.of("cost", [[0, 1], [1, 0]], np.array([0, 1]))
    assert goal.is_cheaper(held, 0.4, 2.0) is expected
