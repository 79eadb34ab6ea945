"""The default `evaluate` of many and of few rows, on one core: at most 4 s for a million rows, 100 ms for 200.

Run `python benchmarks/evaluate_default.py`; times are of the processor, the best of five and of three.
"""

from __future__ import annotations

import time

import numpy as np

from calibrant.metrics import evaluate

BARS = {200: (0.1, 5), 1_000_000: (4.0, 3)}


def seconds(n_rows: int) -> float:
    """Return the processor time of one default evaluation."""
    rng = np.random.default_rng(0)
    proba = rng.beta(1, 9, n_rows)
    y = rng.random(n_rows) < proba
    begin = time.process_time()
    evaluate(y, proba, n_jobs=1)
    return time.process_time() - begin


def main() -> None:
    """Print the times and their bars."""
    seconds(200)
    for n_rows, (bar, times) in BARS.items():
        best = min(seconds(n_rows) for _ in range(times))
        print(f"{n_rows:>9,} rows: {best:.3f} s, bar {bar:g} s: {'met' if best < bar else 'missed'}")


if __name__ == "__main__":
    main()
