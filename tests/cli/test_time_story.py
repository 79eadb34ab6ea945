"""The story "time": a table in order of time with drift, from `fit` to what later rows score."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import call

from calibrant import load_model
from calibrant.metrics import log_loss


def write_tables(folder: Path) -> tuple[Path, Path]:
    """Write loans of 900 days and those of the 180 that follow: what separates the classes turns once in 900 days."""
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1.2, 1200)
    a, b = rng.normal(size=(2, len(t)))
    margin = np.cos(2 * np.pi * t) * a + np.sin(2 * np.pi * t) * b
    bad = np.where(rng.random(len(t)) < 1 / (1 + np.exp(-12 * margin)), "yes", "no")
    issued = (pd.Timestamp("2022-01-01") + pd.to_timedelta((900 * t).astype(int), unit="D")).strftime("%Y-%m-%d")
    index = 100 * t + rng.normal(scale=0.3, size=len(t))
    table = pd.DataFrame({"issued": issued, "index": index, "a": a, "b": b, "bad": bad})
    paths = folder / "loans.csv", folder / "later.csv"
    table[t <= 1].sample(frac=1, random_state=0).to_csv(paths[0], index=False)
    table[t > 1].to_csv(paths[1], index=False)
    return paths


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Fit a blend as a new user would, then by time, and score both on the later rows; two members are enough."""
    folder = tmp_path_factory.mktemp("time")
    loans, later = write_tables(folder)
    found: dict[str, Any] = {"loans": loans, "later": later, "folder": folder}
    rows = pd.read_csv(later, parse_dates=["issued"])
    blend = ("--target", "bad", "--param", 'members=["kernel", "forest"]')
    for name, options in (("shuffled", []), ("by time", ["--time", "issued"])):
        model = folder / f"{name}.calibrant"
        done = call("fit", str(loans), *blend, "--out", str(model), *options)
        assert done.returncode == 0, done.stderr
        loaded = load_model(model)
        proba = loaded.predict_proba(rows[list(loaded.feature_names_in_)])
        found[name] = done.stdout, loaded.expected_log_loss_, log_loss(rows["bad"], proba)
    return found


def test_shuffled_rows_promise_what_later_rows_do_not_keep(story: dict[str, Any]) -> None:
    _, expected, scored = story["shuffled"]
    assert expected.value < 0.16
    assert scored > 3 * expected.high


def test_with_time_the_expectation_is_what_later_rows_score(story: dict[str, Any]) -> None:
    _, expected, scored = story["by time"]
    assert expected.low <= scored <= expected.high
    assert abs(np.log(scored / expected.value)) < np.log(1.7)
    assert scored < story["shuffled"][2]


def test_fit_shows_both_numbers_side_by_side(story: dict[str, Any]) -> None:
    text, expected, _ = story["shuffled"]
    assert f"expected log_loss {expected.value:.3g}" in text
    assert "cross-fitted for new rows like these" in text
    by_time = float(re.search(r"by time of 'issued' log_loss is ([\d.]+): if it will predict", text)[1])  # type: ignore[index]
    assert by_time > 2 * expected.value
    text, expected, _ = story["by time"]
    assert "cross-fitted by time: on rows that follow" in text
    assert "of 'issued', which is not learned from" in text
    shuffled = float(re.search(r"by shuffled rows log_loss would be ([\d.]+)", text)[1])  # type: ignore[index]
    assert shuffled < expected.value / 2


def compare(story: dict[str, Any], *options: str) -> dict[str, Any]:
    files = ["--store", str(story["folder"] / "s.db"), "--out", str(story["folder"] / "out")]
    methods = ["--method", "forest", "--method", "tree", "--workers", "1"]
    done = call("compare", str(story["loans"]), "--target", "bad", *files, *methods, *options, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_compare_ranks_by_time_and_tells_what_shuffling_would(story: dict[str, Any]) -> None:
    shuffled, by_time = compare(story), compare(story, "--time", "issued")
    assert by_time["plan"] == "trained on the past, tested on what follows, at 5 moments"
    assert by_time["table"]["time"] == "issued"
    assert "issued" not in by_time["table"]["kinds"]
    assert "rows that follow in time" in by_time["advice"]
    score = {name: found["ranking"][0]["value"] for name, found in (("shuffled", shuffled), ("by time", by_time))}
    assert score["by time"] > 2 * score["shuffled"]
    assert shuffled["time_check"]["value"] > 2 * score["shuffled"]
    assert by_time["advised"] == "base rate" or by_time["time_check"]["value"] < score["by time"] / 2
    assert by_time["latest"]["n_rows"] == pytest.approx(1000 / 6, abs=5)


def test_a_table_kept_apart_has_the_score_the_verdict_and_the_money(story: dict[str, Any]) -> None:
    costs = story["folder"] / "costs.csv"
    costs.write_text(",lend,refuse\nno,-20,0\nyes,100,0\n")
    found = compare(story, "--test", str(story["later"]), "--costs", str(costs))
    apart = found["kept_apart"]
    assert (apart["name"], apart["n_rows"]) == ("later", 200)
    assert apart["value"] > 2 * found["ranking"][0]["value"]
    model = load_model(found["files"]["model"])
    rows = pd.read_csv(story["later"], parse_dates=["issued"])
    assert apart["value"] == pytest.approx(log_loss(rows["bad"], model.predict_proba(rows.drop(columns="bad"))))
    assert found["money"]["n_rows"] == 200
    assert found["verdict"]["kind"] == "miscalibrated"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time", "isued"], "time: there is no column 'isued'. Did you mean 'issued'?"),
        (["--time", "issued", "--plan", "10x3"], "mixes past and future"),
        (["--plan", "tiem"], "got 'tiem'. Did you mean 'time'?"),
        (["--test", "nowhere.csv"], "nowhere.csv: no such file"),
        (["--time", "bad"], "time: there is no column 'bad'"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "fit"])
def test_what_cannot_be_split_is_said_in_a_sentence(
    story: dict[str, Any], command: str, options: list[str], message: str
) -> None:
    out = ["--out", str(story["folder"] / "never")]
    done = call(command, str(story["loans"]), "--target", "bad", *out, *options)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
    assert not (story["folder"] / "never").exists()


def test_a_table_kept_apart_must_have_the_same_columns_and_classes(story: dict[str, Any]) -> None:
    rows = pd.read_csv(story["later"])
    path = story["folder"] / "other.csv"
    for other, message in (
        (rows.rename(columns={"index": "indx"}), "test: other has no column 'index'. Did you mean 'indx'?"),
        (rows.assign(bad=["late", *rows["bad"][1:]]), "test: other has the class 'late', which loans has not."),
        (rows.drop(columns="bad"), "bad"),
    ):
        other.to_csv(path, index=False)
        done = call("fit", str(story["loans"]), "--target", "bad", "--out", "never.calibrant", "--test", str(path))
        assert done.returncode != 0
        assert message in " ".join(done.stderr.split())
