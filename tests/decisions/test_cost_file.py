"""Files of costs as people write them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from calibrant.cli import main
from calibrant.decisions import CostMatrix
from calibrant.exceptions import ReadError


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("actual,leave,write\nno,0,0.68\nyes,0,-9.32\n", [[0, 0.68], [0, -9.32]]),
        ("actual;leave;write\r\nno;0;0,68\r\nyes;0;-1.000,50\r\n", [[0, 0.68], [0, -1000.5]]),
        ("actual\tleave\twrite\nno\t0\t20\nyes\t0\t20-200\n", [[0, 20], [0, -180]]),
        ("actual,leave,write\nno,0,20 - 200 + 5\nyes,0,−1\n", [[0, -175], [0, -1]]),
        ("actual;leave;write\nno;0;1'000\nyes;0;2e3\n", [[0, 1000], [0, 2000]]),
        ('actual,leave,write\nno,0,"1,000"\nyes,0,.5\n', [[0, 1000], [0, 0.5]]),
    ],
)
def test_costs_are_read_in_everyday_notations(tmp_path: Path, text: str, costs: list[list[float]]) -> None:
    (tmp_path / "costs.csv").write_text(text)
    found = CostMatrix.from_csv(tmp_path / "costs.csv")
    assert found.matrix.tolist() == costs
    assert found.actions == ("leave", "write")


def test_costs_of_windows_have_umlauts(tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_bytes("Klasse;prüfen;lassen\nnein;1,5;0\nja;1,5;20\n".encode("cp1252"))
    assert CostMatrix.from_csv(tmp_path / "costs.csv").actions == ("prüfen", "lassen")


def test_a_cell_may_be_a_sum_of_a_number_and_a_column(tmp_path: Path) -> None:
    """The row costs -0.5 * 4 to leave, and 0.5 * (0.68 - 5) + 0.5 * 0.68 to write."""
    (tmp_path / "costs.csv").write_text("actual;leave;write\nno;0;0,68\nyes;-lost;0,68-the-amount\n")
    (tmp_path / "rows.csv").write_text("p,the-amount,lost\n0.5,5,4\n")
    files = [str(tmp_path / name) for name in ("rows.csv", "costs.csv", "decided.csv")]
    args = ["decide", files[0], "--proba", "p", "--costs", files[1], "--out", files[2]]
    assert main(args) == 0
    decided = pd.read_csv(files[2])
    assert decided["action"].tolist() == ["leave"]
    assert decided["expected_cost"].tolist() == pytest.approx([-2.0])


@pytest.mark.parametrize("cell", ["free", "0.68-amount", "20 200", "1-", "20-x", "x" * 200_000, "1.2.3.4"])
def test_a_cell_that_is_no_cost_is_named_in_one_sentence(tmp_path: Path, cell: str) -> None:
    (tmp_path / "costs.csv").write_text(f"actual,leave,write\nno,0,1\nyes,0,{cell}\n")
    with pytest.raises(ReadError, match=r"line 3: has .* where a cost is expected\. Write a number") as caught:
        CostMatrix.from_csv(tmp_path / "costs.csv")
    assert len(str(caught.value)) < 300


def test_a_file_of_one_long_field_has_no_costs(tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_text("x" * 200_000)
    with pytest.raises(ReadError, match="has no costs"):
        CostMatrix.from_csv(tmp_path / "costs.csv")


def test_costs_may_be_in_a_parquet_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"actual": ["no", "yes"], "leave": [0.0, 10.5], "write": [1, 0]})
    frame.to_parquet(tmp_path / "costs.parquet")
    assert CostMatrix.from_csv(tmp_path / "costs.parquet").matrix.tolist() == [[0, 1], [10.5, 0]]
