"""Ctrl-C stops a forest within a second, however it is grown, and leaves the one that was there."""

import numpy as np
import pytest

from calibrant.ensembles import BaggedTreesClassifier

LONG = {"n_trees": 50, "min_leaf": 1, "min_cut": "min_leaf", "criterion": "entropy", "mdl_penalty": False}


@pytest.mark.parametrize("grown", [{}, {"prune": "pessimistic"}, {"collapse": True, "n_jobs": 2}], ids=str)
def test_ctrl_c_stops_at_once_and_leaves_what_was_there(grown, ctrl_c):
    model = BaggedTreesClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    with ctrl_c():  # a tree is a chain of a row a level: half a minute of work
        model.set_params(**LONG, **grown).fit(np.arange(80_000.0)[:, None], np.arange(80_000) % 2)
    assert len(model.trees_) == 2
