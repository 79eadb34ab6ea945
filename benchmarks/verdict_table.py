"""How often the verdict on calibration says what: the table of docs/verdict.md.

Run `python benchmarks/verdict_table.py [--samples 1.0] [--rows 200 1000 ...]`; it prints Markdown, in 20 minutes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable

import numpy as np
from scipy.special import expit, logit

from calibrant.metrics import calibration_verdict
from calibrant.metrics._verdict import verdict as verdict_module

SAMPLES = {200: 300, 1_000: 200, 10_000: 100, 100_000: 40, 1_000_000: 10}
BASE_RATES = {0.5: (2.0, 2.0), 0.1: (1.0, 9.0), 0.01: (1.0, 99.0)}
NAMED = ("intercept", "slope", "intercept and slope", "Spiegelhalter", "ECE")
KINDS = ("calibrated", "too little to matter", "miscalibrated", "cannot tell")


def bump(p: np.ndarray) -> np.ndarray:
    """Return probabilities raised by a third of their median around it."""
    low, middle, high = np.quantile(p, [0.25, 0.5, 0.75])
    return np.clip(p + middle / 3.0 * np.exp(-0.5 * ((p - middle) / ((high - low) / 4.0)) ** 2), 0.0, 1.0)


TRUTHS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "calibrated": lambda p: p,
    "shift of the log-odds by 0.3": lambda p: expit(logit(p) + 0.3),
    "slope 0.7": lambda p: expit(0.7 * logit(p)),
    "understated by a third": lambda p: np.minimum(1.5 * p, 1.0),
    "a bump": bump,
    "reversed": lambda p: np.sort(p)[::-1][np.argsort(np.argsort(p))],
}


def rows_of(n_rows: int, base_rate: float, truth: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw classes and probabilities."""
    proba = rng.beta(*BASE_RATES[base_rate], n_rows)
    return (rng.random(n_rows) < TRUTHS[truth](proba)).astype(int), proba


def cells(n_rows: int, base_rate: float, truth: str, n_samples: int) -> list[str]:
    """Return the fractions of the kinds, of samples found miscalibrated, and of those that the best test finds."""
    kinds: Counter[str] = Counter()
    alone = np.zeros(len(NAMED))
    for number in range(n_samples):
        rng = np.random.default_rng([n_rows, int(1000 * base_rate), list(TRUTHS).index(truth), number])
        found = calibration_verdict(*rows_of(n_rows, base_rate, truth, rng), labels=[0, 1], random_state=number)
        kinds[found.kind] += 1
        alone += [found.tests[name] <= 0.05 for name in NAMED]
    shown = kinds["miscalibrated"] + kinds["too little to matter"]
    best = int(alone.argmax())
    counts = [f"{100 * kinds[kind] / n_samples:.0f}" for kind in KINDS]
    return [*counts, f"{100 * shown / n_samples:.0f}", f"{100 * alone[best] / n_samples:.0f} ({NAMED[best]})"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=float, default=1.0, help="how many times as many samples")
    parser.add_argument("--rows", type=int, nargs="+", default=list(SAMPLES))
    asked = parser.parse_args()
    verdict_module.further_rows = lambda *_: None  # it does not change the kind, and takes most of the time
    print("| rows | samples | base rate | truth | " + " | ".join(KINDS) + " | found | best test alone |")
    print("|---" * 10 + "|")
    for n_rows in asked.rows:
        n_samples = max(int(SAMPLES[n_rows] * asked.samples), 1)
        for base_rate in BASE_RATES:
            for truth in TRUTHS:
                found = cells(n_rows, base_rate, truth, n_samples)
                print(f"| {n_rows:,} | {n_samples} | {base_rate:g} | {truth} | " + " | ".join(found) + " |", flush=True)


if __name__ == "__main__":
    main()
