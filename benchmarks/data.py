"""Coding against numpy.unique, and reading a CSV file against pandas and pyarrow."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

from _side_by_side import best_of, machine
from calibrant.data import CodedTable, read_table

ROWS = 1_000_000
ROUNDS = 5


def coding(name: str, X: np.ndarray) -> None:
    def numpy() -> None:
        for column in X.T:
            np.unique(column, return_inverse=True)

    times = best_of(
        ROUNDS,
        numpy=numpy,
        one=lambda: CodedTable.from_frame(X, n_jobs=1),
        two=lambda: CodedTable.from_frame(X, n_jobs=2),
    )
    ratio = times["numpy"] / times["one"]
    print(
        f"coding {X.shape[0]:,} x {X.shape[1]} {name}: numpy.unique {times['numpy']:.3f} s, "
        f"calibrant {times['one']:.3f} s (ratio {ratio:.2f}; bar 2), two threads {times['two']:.3f} s"
    )


def csv_table(rng: np.random.Generator) -> pa.Table:
    towns = np.array(["Bern", "Rome", "Oslo", "Lima", "Accra", "Quito"])
    columns: dict[str, np.ndarray] = {f"f{j}": rng.normal(size=ROWS).round(5) for j in range(6)}
    columns |= {f"i{j}": rng.integers(0, 10 ** (j + 1), ROWS) for j in range(4)}
    columns |= {f"s{j}": towns[rng.integers(0, 6, ROWS)] for j in range(3)}
    with_missing = pa.array(columns.pop("f0"), mask=rng.random(ROWS) < 0.1)
    return pa.table(columns | {"with_missing": with_missing, "y": np.where(rng.random(ROWS) < 0.1, "yes", "no")})


def reading(path: Path) -> None:
    times = best_of(
        ROUNDS,
        pandas=lambda: pd.read_csv(path, engine="pyarrow"),
        pyarrow=lambda: pa.csv.read_csv(path).to_pandas(),
        calibrant=lambda: read_table(path),
    )
    to_pandas, to_pyarrow = (times["calibrant"] / times[peer] for peer in ("pandas", "pyarrow"))
    print(
        f"reading {ROWS:,} rows, 14 columns, {path.stat().st_size / 2**20:.0f} MiB of CSV: pandas (pyarrow engine) "
        f"{times['pandas']:.3f} s, pyarrow to pandas {times['pyarrow']:.3f} s, calibrant {times['calibrant']:.3f} s "
        f"(ratio to pandas {to_pandas:.2f}, to pyarrow {to_pyarrow:.2f}; bar 1.2)"
    )


def main() -> None:
    rng = np.random.default_rng(0)
    print(machine("numpy", "pandas", "pyarrow", "calibrant"))
    normal = rng.normal(size=(ROWS, 20)).astype(np.float32)
    coding("float32, all distinct, row-major", normal)
    coding("float32, all distinct, column-major", np.asfortranarray(normal))
    coding("float32, 1,000 whole values", np.asfortranarray(rng.integers(0, 1000, (ROWS, 20)).astype(np.float32)))
    coding("float32, 100 odd values", np.asfortranarray((rng.integers(0, 100, (ROWS, 20)) / 7).astype(np.float32)))
    coding("float64, all distinct", np.asfortranarray(rng.normal(size=(ROWS, 20))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.csv"
        pa.csv.write_csv(csv_table(rng), path)
        reading(path)
        pa.csv.write_csv(csv_table(rng), path, pa.csv.WriteOptions(quoting_style="none"))
        reading(path)


if __name__ == "__main__":
    main()
