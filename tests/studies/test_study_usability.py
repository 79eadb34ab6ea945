"""A study explains failures, mistakes and missing packages to the person who uses it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import calibrant.studies
from calibrant.exceptions import CalibrantWarning, MissingExtraError, ParameterError, StudyError
from calibrant.resampling import Bootstrap632, CrossValidation, Nested
from calibrant.studies import Study, list_studies
from calibrant.trees import ProbabilityTreeClassifier

ROWS = np.arange(40.0).reshape(20, 2), np.array([0, 1] * 10)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"{tmp_path}/studies.db"


def make(store: str, **changes: object) -> Study:
    methods = {"bayes": GaussianNB(), "tree": ProbabilityTreeClassifier()}
    parts = {"datasets": {"rows": ROWS}, "methods": methods, "plan": 2, "metrics": ["mse", "error"]}
    return Study("study", **(parts | changes), store=store)  # type: ignore[arg-type]


@pytest.fixture
def failing(store: str) -> Study:
    """A study in which one of two methods fails."""
    study = make(store, methods={"bayes": GaussianNB(), "wrong": ProbabilityTreeClassifier(min_leaf=-1)})
    study.run()
    return study


def test_the_status_has_the_errors_of_failed_trials_and_what_to_do(failing):
    status = failing.status()
    assert status.n_failed == 2
    ((line, count),) = status.errors.items()
    assert count == 2
    assert "min_leaf must be" in line
    assert line in repr(status)
    assert "run(retry=True)" in repr(status)


def test_the_status_of_a_study_without_failures_has_no_errors(store):
    assert make(store).run().errors == {}


def test_predictions_of_trials_that_failed_are_said_to_have_failed(failing):
    with pytest.raises(StudyError, match="wrong on rows: its trials failed or are missing"):
        failing.predictions("wrong")


def test_predictions_that_were_not_kept_are_said_to_be_missing(store):
    study = make(store, keep_predictions=False)
    study.run()
    with pytest.raises(StudyError, match="keep_predictions=True"):
        study.predictions("bayes")


def test_results_of_an_unknown_metric_raise_with_the_nearest(store):
    study = make(store)
    study.run()
    with pytest.raises(ParameterError, match="Did you mean 'mse'"):
        study.results(["msee"])
    with pytest.raises(ParameterError, match="metrics must be a list"):
        study.results("mse")
    assert study.results(["mse"]).table("mse").notna().all(axis=None)


def test_queries_of_a_study_that_the_store_has_differently_warn(store):
    make(store).run()
    changed = make(store, methods={"bayes": GaussianNB(), "tree": ProbabilityTreeClassifier(min_leaf=5)})
    for query in (changed.status, changed.results, lambda: changed.table("mse")):
        with pytest.warns(CalibrantWarning, match=r"'tree' has min_leaf=5.*are of the store.*update=True"):
            query()


def test_queries_of_the_study_that_the_store_has_do_not_warn(store):
    study = make(store, metrics={"half": lambda y, p: float(len(y) == len(p)), "mse": None}, plan=iter_once())
    study.run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.table("mse")
        Study.open("study", store).table("mse")


def iter_once() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.arange(10), np.arange(10, 20))]


def test_ranks_and_wins_are_by_the_first_metric_unless_another_is_named(store):
    study = make(store, datasets={"one": ROWS, "two": (ROWS[0] ** 2, ROWS[1])})
    study.run()
    assert study.ranks().mean_ranks == study.ranks("mse").mean_ranks
    assert study.win_tie_loss().records == study.win_tie_loss("mse").records


def test_times_are_dates(store):
    study = make(store)
    study.run()
    (summary,) = list_studies(store)
    assert datetime.now(UTC) - timedelta(minutes=10) < summary.created <= summary.updated <= datetime.now(UTC)
    recorded = study.to_frame().recorded
    assert str(recorded.dt.tz) == "UTC"
    assert (recorded.dt.year >= 2024).all()


def test_the_repr_of_a_study_has_its_size(store):
    assert repr(make(store)).startswith("<Study 'study': 1 data set x 2 methods, in sqlite:///")


def test_a_warning_of_an_export_points_to_the_line_that_called_it(failing):
    with pytest.warns(CalibrantWarning, match="failed") as found:
        failing.export(metric="mse")
    assert found[0].filename == __file__


def test_completion_offers_the_public_names_only():
    assert dir(calibrant.studies) == sorted(calibrant.studies.__all__)


@pytest.mark.parametrize("missing", ["yaml", "jsonschema"])
def test_a_package_that_files_need_is_named_with_its_command(missing, tmp_path, monkeypatch):
    file = tmp_path / "study.yaml"
    file.write_text("name: s\ndatasets: [appeal]\nmethods: {bayes: NaiveBayesClassifier}\n")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r'^[^,]*pip install "calibrant\[studies\]"'):
        Study.from_file(file)


def test_importing_studies_loads_no_optional_package():
    optional = {
        "sqlalchemy",
        "pandas",
        "dask",
        "distributed",
        "yaml",
        "jsonschema",
        "loky",
        "psutil",
        "rich",
        "pyarrow",
    }
    code = "import sys, calibrant, calibrant.studies; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not optional & set(loaded)


def test_trials_to_run_again_are_kept_until_the_cluster_answers(failing, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise StudyError("no Dask scheduler answers")

    monkeypatch.setattr("calibrant.studies._runners.dask_runner.Connection", refuse)
    with pytest.raises(StudyError, match="no Dask scheduler"):
        failing.run(dask="tcp://nowhere:1", retry=True)
    assert failing.status().n_failed == 2


@pytest.mark.parametrize("name", ["studies.db", "sqlite:///studies.db", "sqlite:///studies.db?timeout=5", "a:b.db"])
def test_a_relative_store_stays_where_it_was_when_the_folder_changes(name, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    study = make(name)
    study.run()
    opened = Study.open("study", name)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert study.run().is_complete
    assert opened.status().is_complete
    assert not list(Path.cwd().iterdir())


def test_the_frame_of_trials_has_metrics_of_any_name(store):
    def seed(y: np.ndarray, p: np.ndarray) -> float:
        return float(len(y) == len(p))

    study = make(store, metrics={"error": None, "seed": seed})
    study.run()
    frame = study.to_frame()
    assert np.array_equal(frame["error"], study.split_values("error", "rows").ravel())
    assert frame["test_seed"].tolist() == [1.0] * 4
    assert set(frame["failure"]) == {""}
    assert frame.columns.is_unique


def test_the_frame_of_trials_has_the_line_that_names_the_failure(failing):
    frame = failing.to_frame().set_index("method")
    assert (frame["failure"].str.contains("min_leaf must be") == (frame.index == "wrong")).all()
    assert frame.loc["wrong", "error"].isna().all()


def test_a_method_that_failed_can_be_left_out(failing):
    with pytest.raises(StudyError, match=r"select\(methods="):
        failing.best("mse")
    found = failing.select(methods=["bayes"])
    assert found.methods == ("bayes",)
    assert found.best("mse").method == "bayes"
    assert set(found.to_frame().method) == {"bayes"}


@pytest.mark.parametrize("plan", [CrossValidation(3, 2), Bootstrap632(4), Bootstrap632(4, plus=True)])
def test_a_selection_has_the_values_of_the_whole(plan, store):
    others = ROWS[0] ** 2, ROWS[1]
    methods = {
        "bayes": GaussianNB(),
        "tree": ProbabilityTreeClassifier(),
        "laplace": ProbabilityTreeClassifier(estimate="laplace"),
    }
    study = make(store, datasets={"one": ROWS, "two": others}, methods=methods, plan=plan, metrics=["mse", "error"])
    study.run()
    whole, part = study.table("mse", interval=True), study.select(methods=["laplace", "bayes"], datasets=["two"])
    assert part.table("mse", interval=True).equals(whole.loc[["two"], ["laplace", "bayes"]])
    assert part.to_frame()["mse"].notna().all()
    alone = make(
        f"{store}.alone",
        datasets={"two": others},
        methods={name: methods[name] for name in ("laplace", "bayes")},
        plan=plan,
        metrics=["mse", "error"],
    )
    alone.run()
    assert repr(part.compare("error")) == repr(alone.compare("error"))
    assert repr(part.best("error")) == repr(alone.best("error"))


@pytest.mark.parametrize("wrong", ["bayes", [], ["bays"], ["bayes", "bayes"], 3])
def test_a_selection_of_no_methods_raises(wrong, store):
    study = make(store)
    study.run()
    with pytest.raises(ParameterError, match="methods must be"):
        study.select(methods=wrong)


def test_a_selection_after_a_nested_plan_is_of_data_sets_only(store):
    study = make(store, plan=Nested(2, 2))
    study.run()
    assert study.select(datasets=["rows"]).table("mse").shape == (1, 1)
    with pytest.raises(StudyError, match="nested plan"):
        study.select(methods=["bayes"])


def test_a_query_by_one_metric_reads_that_metric_alone(store, monkeypatch):
    study = make(store)
    study.run()
    whole, read = study.results(), []
    results = Study.results
    monkeypatch.setattr(Study, "results", lambda self, metrics=None: read.append(metrics) or results(self, metrics))
    assert study.table("error").equals(whole.table("error"))
    assert repr(study.compare(metric="error")) == repr(whole.compare("error"))
    assert repr(study.best(by="error")) == repr(whole.best("error"))
    assert repr(study.ranks()) == repr(whole.ranks())
    assert read == [["error"], ["error"], ["error"], None]
