"""Rows that belong together: what is measured with `groups` is what new groups bring."""

import numpy as np
import pytest
from scipy.special import expit

from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier

DRAWS = 6


def draw(random, n_groups):
    """Return rows in groups of ten around their centre, with an effect of the group that no column shows."""
    groups = np.repeat(np.arange(n_groups), 10)
    X = random.normal(size=(n_groups, 4))[groups] + 0.2 * random.normal(size=(10 * n_groups, 4))
    proba = expit(X[:, 0] + 2.5 * random.normal(size=n_groups)[groups])
    return X, (random.random(10 * n_groups) < proba).astype(int), groups


def log_loss(y, proba):
    return -np.log(np.maximum(proba[np.arange(len(y)), y], 1e-3)).mean()


def gap(kind, *, is_grouped):
    """Return how much lower the out-of-bag log-loss is than that of new groups."""
    found = []
    for seed in range(DRAWS):
        random = np.random.default_rng(seed)
        (X, y, groups), (new_X, new_y, _) = draw(random, 60), draw(random, 200)
        model = kind(n_trees=48, random_state=0).fit(X, y, groups=groups if is_grouped else None)
        found.append(log_loss(new_y, model.predict_proba(new_X)) - log_loss(y, model.oob_proba_))
    return np.mean(found)


@pytest.mark.parametrize("kind", [BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier])
def test_the_out_of_bag_log_loss_of_groups_is_that_of_new_groups(kind):
    """Within 0.03; without groups it is lower by 0.1 and more."""
    assert abs(gap(kind, is_grouped=True)) < 0.03
    assert gap(kind, is_grouped=False) > 0.1
