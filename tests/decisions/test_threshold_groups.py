"""Groups in `ThresholdClassifier`: whole in folds, one observation each in the evidence for a threshold."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.decisions import ThresholdClassifier


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


class JustBelowHalf(GaussianNB):
    """Predicts 0.45 for every row."""

    def predict_proba(self, X):
        return np.tile([0.55, 0.45], (len(X), 1))


@pytest.mark.parametrize(("groups", "expected"), [(None, True), (np.repeat(np.arange(4), 25), False)])
def test_the_evidence_of_few_groups_is_weak(groups, expected):
    """Rows just below one half are mostly positive in three of four groups: cheap by rows, chance by groups."""
    y = np.concatenate([np.arange(25) < n_positive for n_positive in (20, 20, 20, 5)]).astype(int)
    model = ThresholdClassifier(JustBelowHalf(), [[0, 1], [1, 0]], evidence=2, cv=2, random_state=0)
    assert (model.fit(np.arange(100.0)[:, None], y, groups=groups).threshold_ <= 0.45) is expected
