"""What people did with their own tables: stories of commands, one of which runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import call, execute

RNG = np.random.default_rng(0)
INCOME = RNG.integers(10_000, 90_000, 240)
LEFT = np.where(RNG.random(240) < INCOME / 100_000, "ja", "nein")


def german(thousands: bool = True) -> str:
    """A table as a German spreadsheet writes it: semicolons, 20.000,00, - for missing, dd.mm.yyyy."""
    rows = ["Ort;Einkommen;seit;geht"]
    for i, (income, left) in enumerate(zip(INCOME.tolist(), LEFT.tolist(), strict=True)):
        shown = f"{income:,}".replace(",", ".") if thousands else str(income)
        cell = "-" if i % 20 == 0 else f"{shown},00"
        rows.append(f"{('Zürich', 'Bern')[i % 2]};{cell};{i % 28 + 1:02d}.{i % 12 + 1:02d}.2021;{left}")
    return "\n".join(rows) + "\n"


def done(folder: Path, *args: str, by: Callable[..., CompletedProcess[str]] = call) -> str:
    """Run a command that must succeed; return what it prints, notes too."""
    result = by(*args, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


def test_a_constant_column_does_not_prevent_saving(tmp_path: Path) -> None:
    frame = pd.DataFrame({"income": INCOME, "currency": "USD", "left": LEFT})
    frame.to_csv(tmp_path / "loans.csv", index=False)
    options = ("--target", "left", "--param", 'members=["logistic"]', "--out", "model.calibrant")
    done(tmp_path, "fit", "loans.csv", *options)
    printed = done(tmp_path, "predict", "model.calibrant", "loans.csv", "--out", "p.csv")
    assert "240 rows predicted" in printed
    assert pd.read_csv(tmp_path / "p.csv")["probability_ja"].between(0, 1).all()


def test_a_table_of_another_locale_is_read_and_the_next_one_alike(tmp_path: Path) -> None:
    (tmp_path / "kunden.csv").write_text(german(), encoding="utf-8")
    (tmp_path / "neu.csv").write_text("\n".join(german().split("\n")[:3]), encoding="utf-8")
    args = ("fit", "kunden.csv", "--target", "geht", "--method", "tree", "--out", "m.calibrant")
    printed = done(tmp_path, *args)
    assert "2 numeric, 1 nominal" in printed
    assert "semicolons, decimal commas; " in printed
    assert "2021-" in printed
    printed = done(tmp_path, "predict", "m.calibrant", "neu.csv", "--out", "p.csv")
    assert "2 rows predicted" in printed
    assert "decimal commas" in printed
    (tmp_path / "tabs.csv").write_text(german().replace(";", "\t"), encoding="utf-8")
    assert "laid out otherwise" in done(tmp_path, "predict", "m.calibrant", "tabs.csv", "--out", "p.csv")


def test_a_table_in_latin_1_needs_no_option(tmp_path: Path) -> None:
    (tmp_path / "kunden.csv").write_bytes(german().encode("latin-1"))
    args = ("fit", "kunden.csv", "--target", "geht", "--method", "naive_bayes", "--out", "m.calibrant")
    assert "cp1252" in done(tmp_path, *args)
    assert "latin-1" in done(tmp_path, *args, "--encoding", "latin-1")
    assert "Zürich" in done(tmp_path, "inspect", "m.calibrant")
    printed = done(tmp_path, "predict", "m.calibrant", "kunden.csv", "--keep", "Ort", "--out", "p.csv")
    assert "not seen" not in printed
    assert set(pd.read_csv(tmp_path / "p.csv")["Ort"]) == {"Zürich", "Bern"}


def test_costs_with_semicolons_and_sums_decide(tmp_path: Path) -> None:
    chance = np.linspace(0.05, 0.95, 20)
    pd.DataFrame({"p": chance, "y": np.where(chance > 0.5, "yes", "no")}).to_csv(tmp_path / "pred.csv", index=False)
    (tmp_path / "costs.csv").write_text("actual;leave;write\nno;0;20,00\nyes;0;20-200\n")
    args = ("decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "decided.csv")
    assert "leave: 2 rows" in done(tmp_path, *args)
    decided = pd.read_csv(tmp_path / "decided.csv")
    assert (decided["action"] == np.where(chance * 180 > (1 - chance) * 20, "write", "leave")).all()
    (tmp_path / "costs.csv").write_text("actual;leave;write\nno;0;20\nyes;0;free\n")
    failed = call(*args, cwd=tmp_path)
    assert failed.returncode == 3
    assert "such as 0.68-amount" in failed.stderr


def test_a_workbook_goes_in_and_out(tmp_path: Path) -> None:
    calamine = pytest.importorskip("python_calamine")
    frame = pd.DataFrame({"name": ["=1+1", "@x"] * 120, "income": INCOME, "left": LEFT})
    frame.to_csv(tmp_path / "loans.csv", index=False)
    done(tmp_path, "fit", "loans.csv", "--target", "left", "--method", "tree", "--out", "m.calibrant")
    done(tmp_path, "predict", "m.calibrant", "loans.csv", "--keep-all", "--out", "p.xlsx")
    rows = calamine.load_workbook(tmp_path / "p.xlsx").get_sheet_by_index(0).to_python()
    assert rows[1][:2] == ["=1+1", float(INCOME[0])]  # as text, which no spreadsheet computes
    assert isinstance(rows[1][3], float)
    # What was written is read again, from a file and from standard input
    printed = done(tmp_path, "predict", "m.calibrant", "p.xlsx", "--out", "q.csv")
    assert "240 rows predicted" in printed
    place = rows[0].index("probability_ja")
    again = pd.read_csv(tmp_path / "q.csv")["probability_ja"].tolist()
    assert again == pytest.approx([row[place] for row in rows[1:]], abs=1e-12)
    piped = execute(
        "predict", "m.calibrant", "-", "--out", "r.csv", cwd=tmp_path, stdin=(tmp_path / "p.xlsx").read_bytes()
    )
    assert piped.returncode == 0, piped.stderr
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "q.csv").read_bytes()
    options = ("--target", "left", "--method", "tree", "--types", "name=drop", "--out", "n.calibrant")
    assert "income" not in done(tmp_path, "fit", "p.xlsx", *options, "--types", "income=drop", "--json")


def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe_in_csv(tmp_path: Path) -> None:
    names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "-5", "+", "x"]
    pd.DataFrame({"name": names, "p": 0.5, "y": ["a", "b"] * 3 + ["a"]}).to_csv(tmp_path / "pred.csv", index=False)
    (tmp_path / "costs.csv").write_text("actual,leave,write\na,0,1\nb,0,-1\n")
    done(tmp_path, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "d.csv")
    written = pd.read_csv(tmp_path / "d.csv")["name"].tolist()
    assert written == ["'=cmd|' /C calc'!A0", "'+1+1", "'-2+3", "'@SUM(A1)", "-5", "+", "x"]
