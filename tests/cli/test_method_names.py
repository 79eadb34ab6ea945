"""One method has one name in every command; other spellings are understood."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from tests.cli.command_line import run

from calibrant.exceptions import ParameterError, StudyError
from calibrant.studies._definition.names import find_method, resolve_path, short_names
from calibrant.studies._table_comparison.compare_table import _chosen
from calibrant.studies._table_comparison.table_study import candidates


def test_every_short_name_and_class_finds_its_method() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, cls in short_names().items():
            assert find_method(name) == find_method(cls.__name__) == name
            assert resolve_path(name) is cls


def test_every_title_of_the_ranking_is_a_method() -> None:
    titles = [name for name in candidates() if not name.startswith("calibrated ")]
    assert [type(candidates()[title])._short_name for title in titles] == [find_method(title) for title in titles]


def test_compare_takes_short_names_and_titles() -> None:
    short = _chosen(candidates(), ["naive_bayes", "calibrated logistic", "probability"])
    assert list(short) == ["base rate", "naive Bayes", "calibrated logistic regression", "ProbabilityClassifier"]
    assert list(_chosen(candidates(), list(short))) == list(short)


def test_another_spelling_is_corrected_in_a_warning() -> None:
    with pytest.warns(UserWarning, match="'NaiveBayes' is called 'naive_bayes'"):
        assert find_method("NaiveBayes") == "naive_bayes"


def test_an_unknown_method_is_named_with_the_nearest() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'logistic'"):
        _chosen(candidates(), ["logistc"])
    with pytest.raises(StudyError, match="Did you mean 'naive_bayes'"):
        resolve_path("naive_bays")


@pytest.mark.parametrize("method", ["naive_bayes", "naive Bayes", "NaiveBayesClassifier"])
def test_fit_takes_what_compare_takes(method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "fit", "appeal", "--method", method, "--out", str(tmp_path / "m.calibrant"))
