"""Exported tables: names escaped, numbers as they are, files whole or not at all."""

from __future__ import annotations

import csv
import io
import math
import os
from pathlib import Path

import pandas as pd
import pytest
from tests.studies.results_of_trials import folds, results

from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.studies import StudyResults

METHODS = ["naive_bayes", "trees & 50 %"]
VALUES = {"a|b": [[0.1, 0.2], [0.3, 0.1]], "größe {x}": [[1 / 3, 1 / 3], [0.25, 0.25]]}
STUDY = results(VALUES, METHODS, folds(2))


def test_csv_reads_the_same_numbers_again() -> None:
    head, *rows = csv.reader(io.StringIO(STUDY.export(metric="mse")))
    assert [[float(cell) for cell in row[1:]] for row in rows] == STUDY.table("mse").to_numpy().tolist()
    assert (head, [row[0] for row in rows]) == (["dataset", *METHODS], list(VALUES))


def test_markdown_escapes_bars_and_marks_the_best() -> None:
    lines = STUDY.export(format="markdown", digits=3, bold=True).splitlines()
    assert lines[:4] == [
        "| dataset | naive_bayes | trees & 50 % |",
        "| --- | ---: | ---: |",
        "| a\\|b | **0.150** | 0.200 |",
        "| größe {x} | 0.333 | **0.250** |",
    ]
    assert lines[5] == "mse, mean over 2-fold cross-validation, stratified (lower is better)"


def test_latex_escapes_names() -> None:
    text = STUDY.export(format="latex", digits=2, bold=True)
    assert r"dataset & naive\_bayes & trees \& 50 \% \\" in text
    assert r"a\textbar{}b & \textbf{0.15} & 0.20 \\" in text
    assert r"größe \{x\} & 0.33 & \textbf{0.25} \\" in text
    assert text.count("{tabular}") == 2


def one_cell(name: str) -> StudyResults:
    """Return the results of a method on a data set of some name."""
    return StudyResults.from_values({name: [[0.5]]}, methods=["tree"], metric="mse")


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("_&%#$", r"\_\&\%\#\$"),
        ("{}~^\\", r"\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("α Ω ο", r"$\alpha$ $\Omega$ o"),
        ("é ≤ 5", r"é $\leq$ 5"),
        ("two\nlines", "two lines"),
    ],
)
def test_latex_of_special_characters(name: str, escaped: str) -> None:
    assert f"\n{escaped} & 0.5" in one_cell(name).export(format="latex")


def test_markdown_of_special_characters() -> None:
    assert r"| a\|b\*c\`\<d>  | 0.5" in one_cell("a|b*c`<d>\n").export(format="markdown")


def test_ties_as_printed_are_all_bold() -> None:
    study = results({"iris": [[0.1001], [0.1002], [0.2]]}, ["a", "b", "c"], folds(1))
    assert "| iris | **0.100** | **0.100** | 0.200 |" in study.export(format="markdown", digits=3, bold=True)


def test_higher_is_bold_where_it_is_better() -> None:
    study = results({"iris": [[0.7], [0.9]]}, ["a", "b"], folds(1), "auc")
    assert "| 0.7000 | **0.9000** |" in study.export(format="markdown", bold=True)


def test_missing_and_infinite_cells() -> None:
    study = results(
        {"iris": [[0.7], [math.inf], [0.1]]}, ["a", "b", "c"], folds(1), "log_loss", missing={("iris", "a", 0)}
    )
    with pytest.warns(CalibrantWarning, match="iris, a"):
        text = study.export(format="markdown", digits=1, bold=True)
    assert "| iris | – | inf | **0.1** |" in text
    assert "trials failed or are missing: iris, a (1 missing of 1)" in text
    with pytest.warns(CalibrantWarning):
        assert study.export().splitlines()[1] == "iris,,inf,0.1"


def test_intervals_stand_in_the_cells_or_beside_them() -> None:
    study = results({"iris": [[0.1, 0.2, 0.3]]}, ["a"], folds(3))
    (low, high) = study.table("mse", interval="splits").loc["iris", "a"][["low", "high"]]
    assert f"| iris | 0.20 [{low:.2f}, {high:.2f}] |" in study.export(format="markdown", digits=2, interval="splits")
    rows = list(csv.reader(io.StringIO(study.export(interval="splits"))))
    assert rows[0] == ["dataset", "a", "a low", "a high"]
    assert [float(cell) for cell in rows[1][1:]] == [study.table("mse").loc["iris", "a"], low, high]


def test_all_trials_are_exported() -> None:
    frame = pd.read_csv(io.StringIO(STUDY.export(what="trials")))
    assert len(frame) == 8
    assert frame["mse"].tolist() == STUDY.to_frame()["mse"].tolist()
    assert STUDY.export(what="trials", format="markdown", digits=2).count("\n") == 10


def test_the_suffix_chooses_the_format_and_the_file_is_whole(tmp_path: Path) -> None:
    for name, start in (("t.csv", "dataset,"), ("t.md", "| dataset"), ("t.tex", "% mse")):
        path = tmp_path / name
        path.write_text("old")
        text = STUDY.export(path, "mse")
        assert path.read_text("utf-8") == text
        assert text.startswith(start)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["t.csv", "t.md", "t.tex"]


def test_an_export_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        STUDY.export(path, "mse")
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]
    assert path.read_text() == "old"


def test_bad_options_are_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="Did you mean 'latex'"):
        STUDY.export(format="latx")
    with pytest.raises(ParameterError, match="what must be 'table' or 'trials'"):
        STUDY.export(what="rows")
    with pytest.raises(ParameterError, match="there is no folder"):
        STUDY.export(tmp_path / "none" / "t.csv")


def test_a_suffix_without_a_format_is_an_error(tmp_path):
    with pytest.raises(ParameterError, match=r"must end in \.csv, .*got 'table.xls'"):
        STUDY.export(tmp_path / "table.xls", "mse")
    assert STUDY.export(tmp_path / "table.txt", "mse", format="markdown").startswith("| dataset")
