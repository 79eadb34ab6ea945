"""Seconds of `check_table`: 100,000 x 50 takes at most 5, and 1,000,000 x 50 at most 30.

python benchmarks/check_table.py
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from calibrant.data import check_table


def table(n_rows: int) -> pd.DataFrame:
    """Return 25 columns of numbers, 15 of integers, eight of words, a date and a text."""
    rng = np.random.default_rng(0)
    columns: dict[str, object] = {f"x{j}": rng.normal(size=n_rows) for j in range(25)}
    columns |= {f"k{j}": rng.integers(0, 10 ** (1 + j % 5), n_rows) for j in range(15)}
    columns |= {f"c{j}": rng.choice([f"v{k}" for k in range(3 + 40 * j)], n_rows) for j in range(8)}
    columns["since"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, n_rows), "D")
    words = rng.choice(["late", "paid", "call", "again", "lost", "parcel"], (n_rows, 6))
    columns["note"] = [" ".join(row) for row in words.tolist()]
    return pd.DataFrame(columns).assign(y=rng.choice(["no", "yes"], n_rows))


def main() -> None:
    for n_rows, most in ((100_000, 5), (1_000_000, 30)):
        frame = table(n_rows)
        start = time.perf_counter()
        found = check_table(frame)
        seconds = time.perf_counter() - start
        print(f"{n_rows:>9,} x 50: {seconds:5.2f} s (at most {most}), {len(found.findings)} findings")


if __name__ == "__main__":
    main()
