"""Study files name a column of times and a plan in words; the same words serve studies in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from calibrant.exceptions import StudyError
from calibrant.resampling import Bootstrap632, CrossValidation, LeaveOneOut, RollingOrigin
from calibrant.studies import Dataset, Study
from calibrant.studies._definition.datasets import read_rows
from calibrant.studies._definition.files import read_study_file


def write(folder: Path, plan: str) -> Path:
    """Write a table whose class changes for good in the middle of the year, in random order, and its study."""
    days = np.random.default_rng(0).permutation(120)
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D")
    late = np.where(days < 60, "no", "yes")
    pd.DataFrame({"day": dates, "x": days % 7, "late": late}).to_csv(folder / "rows.csv", index=False)
    path = folder / "study.yaml"
    path.write_text(
        f"name: s\nseed: 4\ndatasets: [{{source: rows.csv, time: day}}]\nmethods: {{base rate: ConstantClassifier}}\n"
        f"metrics: [error]\nplan: {plan}\n"
    )
    return path


@pytest.mark.parametrize(
    ("words", "plan"),
    [
        ("5", CrossValidation(5, random_state=0)),
        ("5x2", CrossValidation(5, 2, random_state=0)),
        ("632", Bootstrap632(random_state=0)),
        ("loo", LeaveOneOut()),
        ("time 3", RollingOrigin(3)),
        ("RollingOrigin", RollingOrigin()),
        ("{class: RollingOrigin, params: {n_splits: 2}}", RollingOrigin(2)),
    ],
)
def test_a_file_names_its_plan_in_words(tmp_path: Path, words: str, plan: object) -> None:
    found = read_study_file(write(tmp_path, words)).definition.plan
    assert (type(found), vars(found)) == (type(plan), vars(plan))


def test_other_words_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"study.yaml, line 6: plan.*'tiem'. Did you mean 'time'"):
        read_study_file(write(tmp_path, "tiem"))


def test_a_study_by_time_tests_on_what_follows(tmp_path: Path) -> None:
    """Before the change every row is 'no', after it 'yes': the past is always wrong about the second half."""
    study = Study.from_file(write(tmp_path, "time 50%"), store=tmp_path / "s.db")
    study.run()
    frame = study.results().to_frame()
    assert frame["error"].tolist() == [1.0]
    assert frame["n_train"].tolist() == [60]


def test_the_column_of_times_is_no_feature_and_must_be_there(tmp_path: Path) -> None:
    write(tmp_path, "time")
    rows = read_rows(Dataset(tmp_path / "rows.csv", time="day"))
    assert list(rows.X) == ["x"]
    assert sorted(rows.times.tolist()) == list(range(120))
    with pytest.raises(StudyError, match=r"time is 'dya', which is not a column.* Did you mean 'day'"):
        read_rows(Dataset(tmp_path / "rows.csv", time="dya"))


def test_other_times_are_other_rows() -> None:
    X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    known = {read_rows(Dataset((X, y), time=time, name="a")).fingerprint for time in (None, [1, 2, 3, 4], [4, 3, 2, 1])}
    assert len(known) == 3
