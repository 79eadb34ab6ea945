"""A study on a real Dask cluster whose worker is killed in the middle is the study of this process, to the bit."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.studies.runner_methods import posix

from calibrant.exceptions import CalibrantError
from calibrant.resampling import CrossValidation
from calibrant.studies import Study
from calibrant.trees import ProbabilityTreeClassifier

distributed = pytest.importorskip("distributed")


class SlowNB(GaussianNB):
    """Naive Bayes that takes its time, so that it can be killed while it runs."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        time.sleep(0.05)
        return super().fit(X, y, sample_weight)


METHODS = {
    "slow": SlowNB(),
    "frequency": ProbabilityTreeClassifier(),
    "laplace": ProbabilityTreeClassifier(estimate="laplace"),
}


N_TRIALS = 2 * 3 * 20


def make(store: Path) -> Study:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(2)
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    datasets = {"noise": (X, y), "more noise": (X[::-1].copy(), y)}
    plan = CrossValidation(5, 4)
    return Study("study", datasets=datasets, methods=METHODS, plan=plan, metrics=["mse", "auc"], store=store)


def n_done(study: Study) -> int:
    try:
        return study.status().n_done
    except CalibrantError:  # there is no store yet
        return 0


def kill_in_the_middle(study: Study, pid: int, killed_at: list[int]) -> None:
    """Kill a worker when a fifth of the trials is done."""
    until = time.monotonic() + 60
    while (done := n_done(study)) < N_TRIALS / 5 and time.monotonic() < until:
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    killed_at.append(done)


@posix
@pytest.mark.long
def test_the_table_comes_out_whole_when_a_worker_is_killed_in_the_middle(tmp_path: Path) -> None:
    here, there = make(tmp_path / "here.db"), make(tmp_path / "there.db")
    here.run()
    killed_at: list[int] = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        pid = next(iter(client.run(os.getpid).values()))
        killer = threading.Thread(target=kill_in_the_middle, args=(there, pid, killed_at))
        killer.start()
        status = there.run(dask=client)
        killer.join()
    assert N_TRIALS / 5 <= killed_at[0] < N_TRIALS
    assert (status.n_done, status.n_failed, status.n_computed_twice) == (N_TRIALS, 0, 0)
    for metric in ("mse", "auc"):
        for dataset in ("noise", "more noise"):
            values = [study.results().split_values(metric, dataset) for study in (here, there)]
            assert np.array_equal(*values)
