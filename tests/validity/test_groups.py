"""Rows that belong together: what is measured with `groups` is what new groups bring."""

import numpy as np
import pytest
from scipy.special import expit

from calibrant.calibration import Auto
from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier

DRAWS = 6
N_TREES = 128  # a row has 37 % of them out of the bag: with 48, so few that their mean is noisier than that of all


def draw(random, n_groups):
    """Return rows in groups of ten around their centre, with an effect of the group that no column shows."""
    groups = np.repeat(np.arange(n_groups), 10)
    X = random.normal(size=(n_groups, 4))[groups] + 0.2 * random.normal(size=(10 * n_groups, 4))
    proba = expit(X[:, 0] + 2.5 * random.normal(size=n_groups)[groups])
    return X, (random.random(10 * n_groups) < proba).astype(int), groups


def log_loss(y, proba):
    return -np.log(np.maximum(proba[np.arange(len(y)), y], 1e-3)).mean()


def gap(kind, *, is_grouped):
    """Return the log-loss of new groups minus the out-of-bag log-loss."""
    found = []
    for seed in range(DRAWS):
        random = np.random.default_rng(seed)
        (X, y, groups), (new_X, new_y, _) = draw(random, 60), draw(random, 200)
        model = kind(n_trees=N_TREES, random_state=0).fit(X, y, groups=groups if is_grouped else None)
        found.append(log_loss(new_y, model.predict_proba(new_X)) - log_loss(y, model.oob_proba_))
    return np.mean(found)


@pytest.mark.long
@pytest.mark.parametrize("kind", [BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier])
@pytest.mark.sample(6)
def test_the_out_of_bag_log_loss_of_groups_is_that_of_new_groups(kind):
    """Within 0.04; without groups it is lower by 0.1 and more."""
    assert abs(gap(kind, is_grouped=True)) < 0.04
    assert gap(kind, is_grouped=False) > 0.1


NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
EFFECT = 4.0


def averaged(logits):
    """Return the probability of a row of a new group, averaged over the effects of groups."""
    return expit(logits[:, None] + EFFECT * NODES) @ NODE_WEIGHTS / NODE_WEIGHTS.sum()


def divergence(*, is_grouped):
    """Return the mean divergence of Auto's probabilities from the truth, where the scores are the truth already."""
    found = []
    for seed in range(2 * DRAWS):
        random = np.random.default_rng(seed)
        groups = np.repeat(np.arange(60), 10)
        logits = 1.2 * random.normal(size=60)[groups] + 0.05 * random.normal(size=600)
        y = random.random(600) < expit(logits + EFFECT * random.normal(size=60)[groups])
        auto = Auto().fit(averaged(logits), y, groups=groups if is_grouped else None)
        truth = averaged(1.2 * random.normal(size=1000))
        proba = auto.predict(truth)
        found.append(np.mean(truth * np.log(truth / proba) + (1 - truth) * np.log((1 - truth) / (1 - proba))))
    return np.mean(found)


@pytest.mark.long
def test_the_guard_keeps_calibrated_scores_of_groups_nearly_unchanged():
    """Sixty groups of ten: the divergence from the truth stays below 0.02; without groups it is above 0.04."""
    assert divergence(is_grouped=True) < 0.02
    assert divergence(is_grouped=False) > 0.04
