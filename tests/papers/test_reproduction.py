"""All reproductions share published figures, tables, verdicts and files."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.papers.small_paper import SmallPaper

from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import load
from calibrant.exceptions import CalibrantWarning, ParameterError, StudyError
from calibrant.papers import PAPERS, Cell, PaperTable, Published, get_paper, reproduce


@pytest.mark.parametrize(
    ("text", "value", "decimals", "rounding"),
    [
        ("0.09481", 0.09481, 5, 0.000005),
        ("$48,639", 48639.0, 0, 0.5),
        ("-0.038", -0.038, 3, 0.0005),
        (".312174", 0.312174, 6, 0.0000005),
        ("∞", math.inf, 0, 0.0),
    ],
)
def test_published_figures_are_read_as_printed(text: str, value: float, decimals: int, rounding: float) -> None:
    published = Published(text)
    assert published.value == value
    assert published.decimals == decimals
    assert published.rounding == pytest.approx(rounding, rel=1e-12)


def test_published_text_must_be_a_number() -> None:
    with pytest.raises(ParameterError, match="13/5/2"):
        Published("13/5/2")


@pytest.mark.parametrize(
    ("ours", "published", "error", "verdict"),
    [
        (0.1020, "0.100", 0.0009, "agrees"),  # 0.0020 <= 2 * 0.0009 + 0.0005
        (0.1024, "0.100", 0.0009, "differs"),
        (0.1024, "0.100", math.nan, ""),
        (math.inf, "∞", math.nan, "agrees"),
        (math.inf, "0.100", 0.1, "differs"),
        (0.1, "∞", 0.1, "differs"),
    ],
)
def test_verdict_is_two_standard_errors_and_the_rounding(
    ours: float, published: str, error: float, verdict: str
) -> None:
    assert Cell("row", "column", ours, Published(published), error=error).verdict == verdict


def test_a_figure_without_a_published_one_is_not_judged() -> None:
    assert Cell("row", "column", 0.5, error=0.1).verdict == ""


_numbers = st.floats(allow_nan=True, allow_infinity=True)
_texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=8)


@given(st.lists(st.tuples(_texts, _numbers, _numbers, _texts), unique_by=lambda each: each[0], max_size=5))
def test_csv_is_read_back_to_the_bit(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    cells = tuple(Cell(row, "c", ours, Published("1.0"), error=error, why=why) for row, ours, error, why in values)
    path = tmp_path_factory.mktemp("csv") / "table_1.csv"
    path.write_text(PaperTable("table_1", "", cells).to_csv(), encoding="utf-8", newline="")
    assert repr(PaperTable.from_csv(path).cells) == repr(cells)


def test_two_figures_at_one_place_raise() -> None:
    with pytest.raises(ParameterError, match="several at"):
        PaperTable("table_1", "", (Cell("a", "b", 1.0), Cell("a", "b", 2.0)))


def test_text_has_the_decimals_of_the_paper_and_names_causes() -> None:
    cells = (
        Cell("Laplace", "test", 0.123456, Published("0.10"), "KDD'98", 0.001, why="Other rows."),
        Cell("Smoothing", "test", 0.123456, Published("0.1"), "KDD'98", 1.0),
    )
    text = PaperTable("table_1", "Table 1", cells, note="A note.").text
    assert "| Laplace   |        0.10 | 0.12 |    0.02 \\* |" in text
    assert "| Smoothing |         0.1 |  0.1 |        0.0 |" in text
    assert "1 of 2 figures agree" in text
    assert "- KDD'98, Laplace (test): Other rows." in text
    assert text.endswith("A note.")


def test_text_has_the_decimals_of_the_table_beside_an_infinite_figure_and_none_for_large_numbers() -> None:
    cells = (Cell("Bagged", "test", 0.35107, Published("∞")), Cell("Profit", "all", 12170.4, low=8947.2, high=15394.1))
    text = PaperTable("table_2", "Table 2", cells).text
    assert "| 0.3511 |" in text
    assert "12,170 [8,947, 15,394]" in text


@pytest.fixture
def small_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of any paper stands for the small one."""
    monkeypatch.setattr("calibrant.papers._reproduction.reproduce.get_paper", lambda _: SmallPaper())


@pytest.mark.usefixtures("small_paper")
def test_reproduce_writes_everything_and_goes_on(tmp_path: Path) -> None:
    made = reproduce("small-paper", size="quick", out=tmp_path / "out", workers=1)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"results.md", "table_1.csv", "findings.csv", "figure_1.png", "trials.db"} <= names
    assert made.n_trials == 4
    assert made.findings[0].verdict == "holds"
    again = reproduce("small-paper", size="quick", out=tmp_path / "out", workers=1)
    assert again.seconds == made.seconds  # no trial was run again
    stored = {"table_1": PaperTable.from_csv(tmp_path / "out" / "table_1.csv")}
    assert SmallPaper().findings(stored) == [*made.findings]


@pytest.mark.usefixtures("small_paper")
def test_failed_trials_raise_with_their_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SmallPaper, "methods", lambda _: {"broken": NaiveBayesClassifier(numeric="no such kind")})
    with pytest.raises(StudyError, match=r"2 of 2 trials of .small. .*no such kind"):
        reproduce("small-paper", out=tmp_path, workers=1)


def test_figures_of_a_table_are_in_its_frame() -> None:
    frame = PaperTable("t", "", (Cell("a", "b", 1.0, Published("0.5"), error=0.1),)).to_frame()
    assert frame.loc[0, ["published", "ours", "difference", "verdict"]].tolist() == ["0.5", 1.0, 0.5, "differs"]
    assert np.isnan(frame.loc[0, "low"])


@pytest.mark.long
@pytest.mark.usefixtures("small_paper")
def test_the_same_figures_come_from_a_dask_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    here = reproduce("small-paper", out=tmp_path / "here", workers=1)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster:
        there = reproduce("small-paper", out=tmp_path / "there", dask=cluster.scheduler_address)
    assert there.tables == here.tables


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if "caruana" in name else []) for name in PAPERS]
)
def test_every_system_of_a_paper_is_a_method(name: str) -> None:
    appeal = load("appeal").part("train")
    X, y = appeal.X[:150], appeal.y[:150]
    for system, estimator in get_paper(name).methods().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)  # few rows to calibrate on
            proba = estimator.fit(X, y).predict_proba(X)
        assert proba.shape == (len(X), 2), system
        assert np.allclose(proba.sum(axis=1), 1.0), system
