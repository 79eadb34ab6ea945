"""CSV files larger than memory are evaluated like any other table."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from calibrant.exceptions import DataTypeError, MissingExtraError, SchemaError
from calibrant.metrics import evaluate_table


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 4, 30_000)
    y = np.where(rng.random(30_000) < p, "yes", "no")
    return pd.DataFrame({"id": np.arange(30_000), "y": y, "p": p, "w": rng.integers(0, 4, 30_000)})


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "separator"), [("rows.csv", ","), ("rows.CSV", ";"), ("rows.tsv", "\t"), ("rows.csv.gz", ",")]
)
@pytest.mark.sample(2)
def test_a_csv_file_has_the_card_of_its_frame(rows, tmp_path, name, separator):
    rows.to_csv(tmp_path / name, sep=separator, index=False)
    options = {"target": "y", "proba": "p", "weight": "w", "batch_size": 4001}
    card, expected = evaluate_table(tmp_path / name, **options), evaluate_table(rows, **options)
    assert card.n_rows == expected.n_rows
    for metric, score in card.items():
        assert score.value == pytest.approx(expected[metric].value, rel=1e-12)
        assert score.low is None or score.low == pytest.approx(expected[metric].low, rel=1e-9)


def test_probabilities_that_begin_like_whole_numbers_are_numbers(tmp_path):
    lines = ["y,p", *["0,0"] * 500_000, "1,0.25", "1,1e-3"]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    card = evaluate_table(tmp_path / "rows.csv", target="y", proba="p", metrics=["mse"], confidence=None)
    assert card["mse"].value == pytest.approx(2 * (0.75**2 + 0.999**2) / 500_002)


def test_several_classes_are_read_from_columns(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.dirichlet(np.ones(3), 500), columns=["a", "b", "c"]).assign(
        y=rng.choice(["a", "b", "c"], 500)
    )
    frame.to_csv(tmp_path / "rows.csv", index=False)
    options = {"target": "y", "proba": ["a", "b", "c"], "confidence": None}
    card, expected = (evaluate_table(source, **options) for source in (tmp_path / "rows.csv", frame))
    assert {name: score.value for name, score in card.items()} == pytest.approx(
        {name: score.value for name, score in expected.items()}
    )


def test_unreadable_files_raise_errors_that_name_the_cause(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n0,0.5\n1,much\n")
    with pytest.raises(DataTypeError, match="must hold numbers"):
        evaluate_table(path, target="y", proba="p")
    with pytest.raises(SchemaError, match="Did you mean 'p'"):
        evaluate_table(path, target="y", proba="pp")
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(b"y;p\n0;0.5\n1;0.7\n"))
    assert evaluate_table(tmp_path / "rows.csv.gz", target="y", proba="p", metrics=["auc"])["auc"].value == 1.0
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.csv", None)
    with pytest.raises(MissingExtraError, match=r"pip install .calibrant\[data\]"):
        evaluate_table(path, target="y", proba="p")
