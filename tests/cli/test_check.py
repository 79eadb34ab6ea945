"""``calibrant check``, and what compare, fit and reports say of a table before anything is learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import call, run, run_json

from calibrant.report import Report
from calibrant.studies import compare_table


@pytest.fixture
def loans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table with a column that is filled in after the class is known, an id and a constant."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 400
    income = rng.normal(50, 15, n).round(1)
    bad = rng.random(n) < 1 / (1 + np.exp(0.05 * (income - 40)))
    columns = {"loan": [f"L{i:04d}" for i in range(n)], "income": income, "age": rng.integers(18, 80, n)}
    columns |= {"recovered": np.where(bad, rng.gamma(2, 500, n).round(2), 0), "currency": "USD"}
    pd.DataFrame(columns).assign(default=np.where(bad, "yes", "no")).to_csv("loans.csv", index=False)
    return "loans.csv"


def test_check_prints_evidence_and_what_to_do(loans: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "check", loans, "--target", "default")
    first, leak, *others = printed.splitlines()
    assert first == "loans: 400 rows, 5 columns; 4 findings."
    assert leak.startswith("- 'recovered' may be a leak of the class: it differs from its usual value in ")
    assert "--types recovered=drop" in leak
    assert [line.partition(":")[0] for line in others] == [
        "- 'loan' looks like an id",
        "- 'currency' is constant",
        "- 'age' may name a protected group",
    ]


def test_strict_ends_with_code_8_before_anything_is_learned(loans: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (("check", loans), ("fit", loans, "--out", "m.calibrant"), ("compare", loans)):
        run(capsys, *command, "--target", "default", "--strict", code=8)
    assert {path.name for path in Path().iterdir()} == {loans}
    drop = [f"--types={name}=drop" for name in ("loan", "recovered", "currency", "age")]
    assert "nothing to look at" in run(capsys, "check", loans, "--target", "default", "--strict", *drop)


def test_check_in_json(loans: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = run_json(capsys, "check", loans, "--target", "default")
    assert [each["kind"] for each in document["findings"]] == ["leak", "id", "constant", "protected"]
    assert document["findings"][0]["columns"] == ["recovered"]


def test_a_leak_is_the_headline_with_what_it_is_worth(loans: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("compare", loans, "--target", "default", "--method", "naive_bayes", "--workers", "1", "--plan", "5")
    printed = run(capsys, *args)
    assert printed.startswith("Advice: Look at 'recovered' before anything else: it differs from its usual value in ")
    assert "Without it log-loss is 0." in printed
    assert "nothing below holds: leave it out (--types recovered=drop)" in printed
    assert "Table: 'loan' looks like an id; 'currency' is constant" in printed
    document = run_json(capsys, *args)
    without = document["without_suspects"]
    assert without["own"] < 0.1 < 0.4 < without["value"]
    assert run(capsys, *args, "--types", "recovered=drop", "--store", "sqlite:///other.db").startswith("Advice: Use ")


def test_a_report_opens_with_the_check(loans: str, tmp_path: Path) -> None:
    found = compare_table(loans, target="default", methods=["naive_bayes"], plan="5", store=tmp_path / "s.db")
    report = Report.from_comparison(found)
    assert [section.name for section in report.sections][:2] == ["check", "answer"]
    assert "may be a leak of the class" in report.to_html()


def test_fit_warns_of_a_leak(loans: str) -> None:
    result = call("fit", loans, "--target", "default", "--method", "tree", "--out", "m.calibrant")
    assert result.returncode == 0
    assert "Warning: 'recovered' may be a leak of the class" in result.stderr
    assert "'currency' is constant" in result.stderr


def test_a_narrow_terminal_has_the_findings(loans: str) -> None:
    result = call("check", loans, "--target", "default", COLUMNS="40")
    assert result.returncode == 0
    assert "may be a leak" in result.stdout
