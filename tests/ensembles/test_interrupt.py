"""Ctrl-C stops a forest within a second, whichever way it grows, and leaves the one that was there."""

import signal
import threading
import time

import numpy as np
import pytest

from calibrant.ensembles import BaggedTreesClassifier

LONG = {"n_trees": 50, "min_leaf": 1, "min_cut": "min_leaf", "criterion": "entropy", "mdl_penalty": False}


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("grown", [{}, {"prune": "pessimistic"}, {"collapse": True, "n_jobs": 2}], ids=str)
def test_ctrl_c_stops_at_once_and_leaves_what_was_there(grown):
    model = BaggedTreesClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):  # a tree is a chain of a row a level: half a minute of work
        model.set_params(**LONG, **grown).fit(np.arange(80_000.0)[:, None], np.arange(80_000) % 2)
    assert time.monotonic() - sent[0] < 3  # a second, and room for a busy machine
    timer.join()
    assert len(model.trees_) == 2
