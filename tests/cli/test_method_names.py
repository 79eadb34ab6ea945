"""One method has one name in every command; other spellings are understood."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.command_line import call, run_json

import calibrant
from calibrant.studies import compare_table


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = pd.DataFrame({"a": [*range(20)] * 2, "y": ["no", "yes"] * 20})
    rows.to_csv("t.csv", index=False)


def listed(command: str, pattern: str) -> list[str]:
    """Return the names that the message for an unknown method lists."""
    message = call(command, "t.csv", "--method", "nosuch", "--out", "m").stderr
    return re.search(pattern, " ".join(message.split()))[1].split(", ")  # type: ignore[index]


def fitted(method: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the text of the model that `calibrant fit` makes of a method, and check that it took the seed."""
    args = ("--method", method, "--seed", "7", "--out", "m.calibrant")
    found: str = run_json(capsys, "fit", "t.csv", *args)["method"]
    assert calibrant.load_model("m.calibrant").get_params().get("random_state", 7) == 7
    return found


def test_every_short_name_and_class_finds_its_method_and_takes_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    names = listed("fit", "Write one of (.*), or an import path")
    assert len(names) > 12
    for name in names:
        method = fitted(name, capsys)
        if name != "probability":  # two blends show the same
            assert fitted(method.partition("(")[0], capsys) == method


def test_every_title_of_the_ranking_is_a_method() -> None:
    titles = listed("compare", r"There are (.*)\.")
    plain = [name for name in titles if not name.startswith("calibrated ")]
    assert set(plain) <= set(listed("fit", "Write one of (.*), or an import path"))
    assert len(titles) == 2 * len(plain) - 1  # the base rate leaves nothing to calibrate


def test_compare_takes_short_names_classes_and_titles() -> None:
    titles = {"base rate", "calibrated logistic regression", "naive Bayes"}
    written = ["naive_bayes", "calibrated logistic"], ["NaiveBayesClassifier", "calibrated logistic"], list(titles)
    for number, methods in enumerate(written):
        found = compare_table("t.csv", methods=methods, plan="2", store=f"{number}.db").to_dict()
        assert {each["method"] for each in found["ranking"]} == titles


@pytest.mark.parametrize(("written", "name"), [("NaiveBayes", "naive_bayes"), ("Boosted-Trees", "boosted")])
def test_another_spelling_is_corrected_in_a_note(written: str, name: str) -> None:
    done = call("fit", "t.csv", "--method", written, "--out", "m.calibrant")
    assert (done.returncode, f"the method '{written}' is called '{name}'" in done.stderr) == (0, True)


def test_an_unknown_method_is_named_with_the_nearest() -> None:
    for command, written, nearest in (("compare", "logistc", "logistic"), ("fit", "naive_bays", "naive_bayes")):
        done = call(command, "t.csv", "--method", written, "--out", "m")
        assert done.returncode == 2
        assert f"Did you mean '{nearest}'?" in done.stderr


@pytest.mark.parametrize("method", ["naive_bayes", "naive Bayes", "NaiveBayesClassifier"])
def test_fit_takes_what_compare_takes(method: str) -> None:
    done = call("fit", "t.csv", "--method", method, "--out", "m.calibrant")
    assert (done.returncode, "is called" in done.stderr) == (0, False)
