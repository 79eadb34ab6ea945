"""Tables as other programs write them: what is understood of each, and one sentence where nothing can be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import Table, read_table
from calibrant.exceptions import ReadError
from calibrant.files import predict_table

HERE = Path(__file__).parent
UNDERSTOOD: dict[str, dict[str, Any]] = json.loads((HERE / "understood.json").read_text(encoding="utf-8"))
REFUSED: dict[str, str] = json.loads((HERE / "refused.json").read_text(encoding="utf-8"))
YES = (True, 1, "True", "true", "t", "J", "Y", "X", "WAHR", "VRAI", "ДА")
READERS = {".xlsx": "python_calamine", ".xls": "python_calamine", ".ods": "python_calamine"}
READERS |= {".sav": "pyreadstat", ".sas7bdat": "pyreadstat", ".dta": "pyreadstat"}


def base() -> pd.DataFrame:
    """The table that all files hold."""
    return pd.read_csv(HERE / "base.csv", parse_dates=["since"])


def read(name: str) -> Table:
    if name.endswith(tuple(READERS)):
        pytest.importorskip(READERS[Path(name).suffix])
    table = read_table(HERE / "files" / name, **UNDERSTOOD[name].get("options", {}))
    assert table.y is not None
    names = {str(column): str(column).lower().strip() for column in table.X}
    return Table(table.X.rename(columns=names), table.y, table.name, reading=table.reading, notes=table.notes)


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_every_value_is_understood(name: str) -> None:
    expected, found = base(), read(name)
    about = UNDERSTOOD[name]
    if name == "merged_rows.xlsx":
        expected = expected.sort_values("gives", kind="stable", ignore_index=True)
    X = found.X.rename(columns={"column_1": "income"})
    assert found.y is not None
    assert found.y.str.strip().tolist() == expected["gives"].tolist()
    income = expected["income"] - about.get("less", 0)
    np.testing.assert_allclose(X["income"], income, atol=about.get("rounded", 0.006))
    share = 100 * expected["share"] if about.get("percent") else expected["share"]
    np.testing.assert_allclose(X["share"].astype(float), share, atol=1e-7)  # SPSS and Stata may store float32
    if about.get("dates", True):
        assert pd.to_datetime(X["since"]).dt.tz_localize(None).tolist() == expected["since"].tolist()
    assert X["age"].astype(object).replace("eighteen", 18).astype(int).tolist() == expected["age"].tolist()
    assert X["active"].isin(YES).tolist() == expected["active"].tolist()
    if "town" in X and not about.get("alphabet"):
        # files of Stata and SPSS have no missing text
        assert X["town"].astype(object).fillna("").str.strip().tolist() == expected["town"].fillna("").tolist()


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_the_line_says_what_was_understood(name: str) -> None:
    found = read(name)
    assert (found.reading.text if found.reading is not None else "") == UNDERSTOOD[name]["line"]
    assert all(note in " ".join(found.notes) for note in UNDERSTOOD[name].get("notes", ()))


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_a_file_is_read_alike_when_it_is_predicted(name: str, tmp_path: Path) -> None:
    read(name)  # which skips where the reader of its format is missing
    options = {key: value for key, value in UNDERSTOOD[name].get("options", {}).items() if key != "target"}
    table = read_table(HERE / "files" / name, **UNDERSTOOD[name].get("options", {}))
    model = NaiveBayesClassifier().fit(table.X, table.y)
    predict_table(model, HERE / "files" / name, tmp_path / "p.csv", **options)
    predicted = pd.read_csv(tmp_path / "p.csv").filter(like="probability").to_numpy()
    np.testing.assert_allclose(predicted, model.predict_proba(table.X), atol=1e-12)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_understood_is_refused_in_a_sentence(name: str) -> None:
    if name.endswith(tuple(READERS)):
        pytest.importorskip("python_calamine")
    with pytest.raises(ReadError) as raised:
        read_table(HERE / "refused" / name)
    assert str(raised.value).replace(str(HERE / "refused"), "") == "/" + REFUSED[name]


def test_every_file_is_described() -> None:
    assert {path.name for path in (HERE / "files").iterdir()} == {*UNDERSTOOD}
    assert {path.name for path in (HERE / "refused").iterdir()} == {*REFUSED}
    assert len(UNDERSTOOD) >= 60
    source = (HERE / "SOURCE.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in source for name in (*UNDERSTOOD, *REFUSED))
