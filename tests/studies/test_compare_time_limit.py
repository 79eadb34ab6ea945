"""The time limit of `compare_table`: when trials end, and what becomes of the fit of the best method to all rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.data import load
from calibrant.exceptions import StudyError
from calibrant.studies import compare_table
from calibrant.studies._table_comparison import compare_table as module
from calibrant.studies._table_comparison.compare_table import TimeLimit, fit_seconds
from calibrant.studies._table_comparison.table_study import ComparedTable
from calibrant.studies._table_comparison.winner import fit_winner


class FailingClassifier(ConstantClassifier):
    """Cannot be fitted."""

    def fit(self, X, y, sample_weight=None):  # noqa: ARG002
        raise ValueError("no such luck")


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set."""
    found = SimpleNamespace(now=0.0, processor=0.0)
    times = {"monotonic": lambda: found.now, "process_time": lambda: found.processor}
    monkeypatch.setattr(module, "clock", SimpleNamespace(**times))
    return found


def end_of_trials(clock, seconds, fit, *, processor=1.0):
    """Return the times at which trials end under a limit, where a second passed before them."""
    limit = TimeLimit(seconds)
    clock.now, clock.processor = 1.0, processor
    limit.begin_trials(0, fit)
    while not limit.is_over():
        clock.now += 0.1
    return clock.now


def test_trials_end_when_the_summary_and_the_fit_still_have_time(clock):
    assert end_of_trials(clock, 100, lambda: 0.0) == pytest.approx(90, abs=0.2)
    clock.now = clock.processor = 0.0
    assert end_of_trials(clock, 100, lambda: 30.0) == pytest.approx(60, abs=2.2)


def test_trials_go_on_where_there_is_no_time_for_the_fit_anyway(clock):
    assert end_of_trials(clock, 100, lambda: 80.0 if clock.now > 50 else 0.0) == pytest.approx(90, abs=0.2)


def test_more_time_is_kept_on_a_busy_machine(clock):
    assert end_of_trials(clock, 100, lambda: 0.0, processor=0.1) == pytest.approx(80, abs=0.2)
    clock.now = clock.processor = 0.0
    assert end_of_trials(clock, 10, lambda: 0.0, processor=0.1) == pytest.approx(2.5, abs=0.2)  # at most so much


def test_trials_go_on_until_one_is_recorded(clock):
    assert end_of_trials(clock, 10, lambda: None, processor=0.1) == pytest.approx(9, abs=0.2)


def test_expected_seconds_are_those_of_the_best_method_so_far(tmp_path):
    study = compare_table("appeal", methods=["naive Bayes", "tree"], store=tmp_path / "s.db").study
    trials = study.to_frame().query("method == 'naive Bayes'")
    seconds = trials[["fit_seconds", "predict_seconds", "shared_seconds"]].sum(axis=1).mean()
    assert fit_seconds(study, "log_loss", 13_500) == pytest.approx(10 * seconds)
    assert fit_seconds(study, "auc", 1_350) == pytest.approx(seconds)


def test_fit_in_a_worker_is_that_of_this_process():
    compared, X = ComparedTable.read("appeal"), load("appeal").X
    here = fit_winner("bayes", NaiveBayesClassifier(), compared, 0)
    there = fit_winner("bayes", NaiveBayesClassifier(), compared, 0, seconds=3600)
    assert np.array_equal(here.predict_proba(X), there.predict_proba(X))


def test_fit_that_takes_too_long_is_ended():
    assert fit_winner("bayes", NaiveBayesClassifier(), ComparedTable.read("appeal"), 0, seconds=1e-3) is None


def test_fit_that_fails_in_a_worker_raises_its_error():
    with pytest.raises(StudyError, match=r"wrong cannot be fitted to all rows:(.|\n)*no such luck"):
        fit_winner("wrong", FailingClassifier(), ComparedTable.read("appeal"), 0, seconds=3600)


def test_without_time_for_the_model_the_comparison_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "fit_winner", lambda *_: None)
    out = tmp_path / "out"
    found = compare_table("appeal", methods=["naive Bayes"], time_limit=3600, store=tmp_path / "s.db", out=out)
    assert found.model is None
    assert not found.files
    assert "Model: naive Bayes is not fitted to all rows yet" in repr(found)
    assert found.to_dict()["no_model"] == found.no_model
