"""A study from its definition to its results, in this process and in others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import calibrant
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import StudyChangedError, StudyError
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    Nested,
    estimate_performance,
)
from calibrant.studies import Study, delete_study, list_studies
from calibrant.trees import ProbabilityTreeClassifier

Rows = tuple[np.ndarray, np.ndarray]


@pytest.fixture
def rows() -> Rows:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(2)
    return X, np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"{tmp_path}/studies.db"


METHODS = {
    "frequency": ProbabilityTreeClassifier(),
    "laplace": ProbabilityTreeClassifier(estimate="laplace"),
    "gaussian": GaussianNB(),
    "forest": BaggedTreesClassifier(n_trees=5, random_state=3),
}


def make(rows: Rows, store: str, **changes: object) -> Study:
    parts = {"datasets": {"noise": rows}, "methods": METHODS, "plan": CrossValidation(5, 2), "metrics": ["mse", "auc"]}
    return Study("study", **(parts | changes), store=store)  # type: ignore[arg-type]


def test_a_study_of_one_data_set_is_what_estimate_performance_estimates(rows, store):
    study = make(rows, store)
    study.run()
    expected = estimate_performance(METHODS, *rows, CrossValidation(5, 2), ["mse", "auc"])
    found = study.results()
    for metric in ("mse", "auc"):
        values = found.split_values(metric, "noise")
        assert np.array_equal(values, np.stack([expected.split_values(metric, name) for name in METHODS]))


def test_methods_of_equal_parameters_have_trials_of_their_own(rows, store):
    study = make(rows, store, methods={"one": GaussianNB(), "other": GaussianNB()})
    assert study.run().n_done == 20
    assert study.results().table("mse").notna().all(axis=None)


def test_a_second_run_runs_nothing(rows, store):
    study = make(rows, store)
    first = study.run()
    before = study.results().to_frame()
    assert (first.n_done, first.is_complete) == (40, True)
    study.run()
    assert study.results().to_frame().equals(before)


@pytest.mark.parametrize(
    "plan",
    [
        Bootstrap632(4),
        Bootstrap632(4, plus=True),
        Nested(CrossValidation(3), CrossValidation(2)),
        Holdout(),
        LeaveOneOut(),
    ],
    ids=repr,
)
def test_a_second_run_of_any_plan_computes_nothing(rows, store, plan):
    X, y = rows
    study = make((X[:30], y[:30]), store, plan=plan, metrics=["mse"])
    study.run()
    before = study.to_frame()
    assert study.run().n_computed_twice == 0
    assert study.to_frame().equals(before)


def test_processes_give_the_same_bits_as_this_process(rows, store, tmp_path):
    here, there = make(rows, store), make(rows, f"{tmp_path}/other.db")
    here.run()
    there.run(workers=2)
    for metric in ("mse", "auc"):
        one, other = (each.results().split_values(metric, "noise") for each in (here, there))
        assert np.array_equal(one, other)


def test_an_open_random_state_follows_from_the_seed(rows, tmp_path):
    forest = {"forest": BaggedTreesClassifier(n_trees=3)}
    tables = []
    for number, seed in enumerate((1, 1, 2)):
        study = make(rows, f"{tmp_path}/{number}.db", methods=forest, seed=seed)
        study.run()
        tables.append(study.results().split_values("mse", "noise"))
    assert np.array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])


def test_a_changed_definition_is_named_and_what_counts_is_kept(rows, store):
    make(rows, store).run()
    changed = make(rows, store, methods=METHODS | {"laplace": ProbabilityTreeClassifier(estimate="m")})
    with pytest.raises(StudyChangedError, match="30 finished trials of 40"):
        changed.run()
    before = make(rows, store).results().to_frame().query("method != 'laplace'")
    assert changed.run(update=True).n_done == 40
    after = changed.results().to_frame().query("method != 'laplace'")
    assert after.reset_index(drop=True).equals(before.reset_index(drop=True))


def test_a_metric_that_is_added_is_computed_and_the_others_are_kept(rows, store):
    make(rows, store).run()
    more = make(rows, store, metrics=["mse", "auc", "log_loss"])
    before = make(rows, store).results().to_frame()
    more.run(update=True)
    after = more.results().to_frame()
    assert after["log_loss"].notna().all()
    assert after["mse"].equals(before["mse"])
    assert after["fit_seconds"].equals(before["fit_seconds"])
    assert more.status().n_computed_twice == 0


def test_a_study_is_opened_by_its_name_and_runs_on(store):
    bayes = {"bayes": "calibrant.bayes.NaiveBayesClassifier"}
    Study("named", datasets=["appeal"], methods=bayes, plan=2, metrics=["mse"], store=store).run()
    opened = Study.open("named", store)
    assert opened.status().is_complete
    assert opened.run().n_done == 2


def test_a_name_that_is_not_there_is_an_error_with_the_nearest(rows, store):
    make(rows, store).run()
    with pytest.raises(StudyError, match="Did you mean 'study'"):
        Study.open("studi", store)


def test_studies_are_listed_and_deleted(rows, store):
    make(rows, store).run()
    assert [(each.name, each.n_trials) for each in list_studies(store)] == [("study", 40)]
    delete_study("study", store)
    assert list_studies(store) == []
    with pytest.raises(StudyError, match="no study 'study'"):
        delete_study("study", store)


class Failing(GaussianNB):
    """Fails on some training sets."""

    def fit(self, X, y):
        if y[0] == "yes":
            raise RuntimeError("no luck")
        return super().fit(X, y)


def test_a_failed_trial_is_recorded_with_its_traceback_and_stops_nothing(rows, store):
    study = make(rows, store, methods={"failing": Failing(), "gaussian": GaussianNB()})
    status = study.run()
    frame = study.results().to_frame()
    failed = frame[frame["state"] == "failed"]
    assert 0 < status.n_failed == len(failed) < 10
    assert failed["failure"].str.contains("no luck").all()
    assert (frame[frame["method"] == "gaussian"]["state"] == "done").all()
    assert study.run().n_failed == status.n_failed
    assert study.run(retry=True).n_failed == status.n_failed


def test_trials_of_other_versions_are_counted_and_run_again_on_request(rows, store):
    study = make(rows, store, methods={"gaussian": GaussianNB(), "laplace": ProbabilityTreeClassifier()})
    study.run()
    with closing(sqlite3.connect(store)) as connection, connection:
        old, now = '"calibrant": "0.0.1"', f'"calibrant": "{calibrant.__version__}"'
        change = (
            "UPDATE calibrant_names SET digest = substr(digest, 2), name = replace(name, ?, ?) WHERE name LIKE '{%'"
        )
        connection.execute(change, (now, old))
    assert study.run().n_outdated == 20
    assert study.to_frame()["versions"].str.contains("calibrant 0.0.1").all()
    assert study.run(rerun_outdated=True).n_outdated == 0
    assert study.to_frame()["versions"].str.contains(f"calibrant {calibrant.__version__}").all()


@pytest.mark.parametrize("plus", [False, True])
def test_a_study_by_the_bootstrap_is_what_estimate_performance_estimates(plus, rows, store):
    plan = Bootstrap632(5, plus=plus)
    study = make(rows, store, plan=plan, metrics=["error"])
    assert study.run().is_complete
    expected = estimate_performance(METHODS, *rows, plan, ["error"]).to_frame().set_index("method")
    found = study.table("error", interval=True).loc["noise"].unstack()
    assert np.allclose(found.loc[list(METHODS), "mean"], expected.loc[list(METHODS), "mean"])
    assert (found["low"] < found["mean"]).all()
    assert (found["mean"] < found["high"]).all()
