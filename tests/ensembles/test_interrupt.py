"""Ctrl-C stops a forest within a second, however it is grown, and leaves the one that was there."""

import numpy as np
import pytest

from calibrant.data._internal import read_training_rows
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.ensembles._boosting.gradient_boosting import fit_gradient_boosting, gradient_options
from calibrant.trees._internal import TrainingSet

LONG = {"n_trees": 50, "min_leaf": 1, "min_cut": "min_leaf", "criterion": "entropy", "mdl_penalty": False}


@pytest.mark.parametrize("grown", [{}, {"prune": "pessimistic"}, {"collapse": True, "n_jobs": 2}], ids=str)
def test_ctrl_c_stops_at_once_and_leaves_what_was_there(grown, ctrl_c):
    model = BaggedTreesClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    with ctrl_c():  # a tree is a chain of a row a level: half a minute of work
        model.set_params(**LONG, **grown).fit(np.arange(80_000.0)[:, None], np.arange(80_000) % 2)
    assert len(model.trees_) == 2


def test_ctrl_c_stops_gradient_boosting_at_once(ctrl_c):
    random = np.random.default_rng(0)
    examples = TrainingSet.of(read_training_rows(random.random((4000, 20)), random.integers(0, 2, 4000)))
    with ctrl_c():  # a hundred thousand rounds of each fold: minutes of work
        options = gradient_options(max_rounds=100_000, patience=100_000)
        fit_gradient_boosting(examples, np.arange(4000) % 8, options)
