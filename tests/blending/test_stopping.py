"""A time limit and Ctrl-C: what is fitted is kept, the rest is named, and no thread runs on."""

import signal
import threading
import time

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.blending.members import MEMBERS

from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import CalibrantWarning


def numbers(n_rows=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def long_chain():
    """Trees of a row a level: a forest takes minutes."""
    return np.arange(20_000.0)[:, None], np.arange(20_000) % 2


def worker_threads():
    return {thread for thread in threading.enumerate() if "ThreadPool" in thread.name}


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = worker_threads()  # Dask's own threads stay where another test used them
    yield
    assert worker_threads() <= before


class PressesCtrlC(GaussianNB):
    """A classifier during whose second fit Ctrl-C is pressed."""

    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        PressesCtrlC.n_fits += 1
        if PressesCtrlC.n_fits == 2:
            signal.raise_signal(signal.SIGINT)
        time.sleep(0.02)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_during_a_later_member_keeps_the_first(n_jobs, monkeypatch):
    monkeypatch.setattr(PressesCtrlC, "n_fits", 0)
    model = ProbabilityClassifier(members=["bayes", ("other", PressesCtrlC()), "forest"], n_jobs=n_jobs)
    with pytest.warns(CalibrantWarning, match=r"left out other \(interrupted\), forest \(interrupted\). The blend of"):
        model.fit(*numbers())
    assert [member.name for member in model.members_] == ["bayes"]
    assert "left out: forest (interrupted)" in repr(model)
    assert PressesCtrlC.n_fits < 6  # of 9: the folds that were begun, no more


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_during_the_first_member_is_raised(n_jobs, monkeypatch):
    monkeypatch.setattr(PressesCtrlC, "n_fits", 0)
    model = ProbabilityClassifier(members=[("other", PressesCtrlC()), "bayes"], n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*numbers())
    assert not hasattr(model, "classes_")


class Announces(GaussianNB):
    """A classifier that announces its last fit, after which the next member begins."""

    n_fits, event = 0, threading.Event()

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        Announces.n_fits += 1
        if Announces.n_fits == 9:  # of eight folds and of all rows
            self.event.set()
        return self


@pytest.fixture
def forest_begins(monkeypatch):
    """An event that is set just before a forest begins that comes after `Announces`."""
    monkeypatch.setattr(Announces, "n_fits", 0)
    monkeypatch.setattr(Announces, "event", threading.Event())
    return Announces.event


@pytest.mark.parametrize("time_limit", [None, 1e5])
def test_ctrl_c_stops_a_forest_in_the_core(time_limit, forest_begins):
    pressed = []

    def press():
        forest_begins.wait()
        time.sleep(0.5)
        pressed.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    model = ProbabilityClassifier(members=["bayes", ("other", Announces()), "forest"], time_limit=time_limit, n_jobs=2)
    with pytest.warns(CalibrantWarning, match=r"forest \(interrupted\)"):
        model.fit(*long_chain())
    assert time.process_time() - pressed[0] < 4
    thread.join()


def test_a_forest_is_stopped_at_the_time_limit(forest_begins, monkeypatch):
    # A clock that jumps half a second after the forest began: nothing hangs on how busy the machine is
    clock, begun = time.perf_counter, []

    def jumping():
        if forest_begins.is_set():
            begun.append(clock())
        return clock() + (1e6 if begun and clock() > begun[0] + 0.5 else 0.0)

    monkeypatch.setattr(time, "perf_counter", jumping)
    members = ["bayes", ("other", Announces()), "forest", "bagged"]
    model = ProbabilityClassifier(members=members, time_limit=1e5, n_jobs=2)
    start = time.process_time()
    with pytest.warns(CalibrantWarning, match="left out"):
        model.fit(*long_chain())
    assert time.process_time() - start < 8
    assert model.left_out_.items() >= dict.fromkeys(["forest", "bagged"], "the time limit of 100000 s").items()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_other_classifiers_are_stopped_after_the_fold_they_are_at(n_jobs, monkeypatch):
    fits = []

    class Slow(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            fits.append(len(y))
            time.sleep(0.2)
            return super().fit(X, y, sample_weight)

    clock = time.perf_counter
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + (1e6 if fits else 0.0))
    model = ProbabilityClassifier(members=["bayes", ("slow", Slow())], time_limit=1e5, n_jobs=n_jobs)
    with pytest.warns(CalibrantWarning, match="left out slow"):
        model.fit(*numbers())
    assert len(fits) < 9


def test_with_no_time_at_all_there_is_a_model_of_the_first_member():
    model = ProbabilityClassifier(time_limit=1e-9, random_state=0)
    with pytest.warns(CalibrantWarning, match="for all of them fit again without a limit") as caught:
        model.fit(*numbers())
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert list(model.left_out_) == list(MEMBERS[1:])
    assert [member.name for member in model.members_] == [MEMBERS[0]]
    assert f"left out: {MEMBERS[1]} (the time limit of 1e-09 s)" in repr(model)


def test_with_enough_time_the_result_is_that_without_a_limit():
    X, y = numbers()
    members = ["bayes", "logistic", "forest"]
    unlimited, limited = (
        ProbabilityClassifier(members=members, time_limit=limit, random_state=0).fit(X, y) for limit in (None, 1e5)
    )
    np.testing.assert_array_equal(unlimited.predict_proba(X), limited.predict_proba(X))
