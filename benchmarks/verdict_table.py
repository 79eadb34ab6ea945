"""Measure the share of correct verdicts on calibration: the tables of docs/verdict.md.

Run `python benchmarks/verdict_table.py [--tables bounds kinds rows classes] [--draws 1.0]`; it prints Markdown, in 15
minutes on one core. Log-odds are normal, or on 8 equally spaced leaves, with a mean that gives the base rate.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, rel_entr

from calibrant.metrics import calibration_verdict, rows_needed
from calibrant.metrics._calibration.gap_bound import bound_gap, group_cells
from calibrant.metrics._calibration.probability_cells import group_rows
from calibrant.metrics._validation.predictions import BinaryRows
from calibrant.metrics._verdict.judge import Stakes, bound_money, tolerance_of

Array = np.ndarray
SCORES = ("sd 0.5", "sd 1.2", "sd 2", "8 leaves")
RATES = (0.5, 0.1, 0.02)
SIZES = (0.3, 0.7)  # of errors, in log-odds
BOUND_DRAWS = {300: 600, 1_000: 600, 3_000: 600, 10_000: 100, 100_000: 20}  # by the number of rows
KIND_ROWS = (300, 1_000, 2_500, 5_000)
_LEAVES = np.linspace(-2.0, 2.0, 8)
_NORMAL = np.random.default_rng(0).standard_normal(100_000)


def draw_proba(scores: str, rate: float, n_rows: int, rng: np.random.Generator) -> Array:
    """Draw probabilities with some mean."""
    away = rng.choice(_LEAVES, n_rows) if scores == "8 leaves" else _deviation(scores) * rng.standard_normal(n_rows)
    return expit(_middle(scores, rate) + away)


@cache
def _middle(scores: str, rate: float) -> float:
    around = _LEAVES if scores == "8 leaves" else _deviation(scores) * _NORMAL
    return float(brentq(lambda x: expit(x + around).mean() - rate, -15.0, 15.0))


def _deviation(scores: str) -> float:
    return float(scores.split()[1])


def wave(p: Array, size: float) -> Array:
    """Return an error that changes its sign from each group of the bound to the next."""
    cells, of_row = group_rows(BinaryRows(p, np.zeros(len(p), dtype=bool)))
    start = group_cells(cells).start
    group = np.searchsorted(start, of_row, side="right") - 1
    ends = np.append(start[1:], len(cells.proba))
    place = (of_row - start[group] + 0.5) / (ends - start)[group]
    return size * np.where(group % 2, 1.0, -1.0) * np.sin(math.pi * place)


def centred(p: Array) -> Array:
    """Return standardized log-odds."""
    return (logit(p) - logit(p).mean()) / logit(p).std()


# The error of the log-odds, of some size.
SHAPES: dict[str, Callable[[Array, float], Array]] = {
    "calibrated": lambda p, _: np.zeros(len(p)),
    "shift": lambda _, size: np.asarray(size),
    "slope too small": lambda p, size: size * (logit(p) - logit(p.mean())),
    "slope too large": lambda p, size: -size * (logit(p) - logit(p.mean())),
    "bump": lambda p, size: size * np.exp(-0.5 * ((centred(p) - 0.5) / 0.2) ** 2),
    "wave": wave,
    "S": lambda p, size: size * np.clip((centred(p) ** 3 - 3.0 * centred(p)) / 2.0, -1.5, 1.5),
    "highest 5 %": lambda p, size: np.where(p >= np.quantile(p, 0.95), -size, 0.0),
}


def coverage(n_rows: int, rate: float, scores: str, shape: str, size: float, n_draws: int, first: int = 0) -> Array:
    """Return the coverage of the bounds on gap, log-loss and money, and the median bound on the gap."""
    stakes = Stakes(rate, 1.0 / rate)
    held, money, bounds = [], [], []
    for number in range(first, first + n_draws):
        rng = np.random.default_rng([n_rows, int(1000 * rate), SCORES.index(scores), list(SHAPES).index(shape), number])
        p = draw_proba(scores, rate, n_rows, rng)
        q = expit(logit(p) + SHAPES[shape](p, size))
        cells = group_rows(BinaryRows(p, rng.random(n_rows) < q))[0]
        bound = bound_gap(cells, 0.95)
        loss = (rel_entr(q, p) + rel_entr(1.0 - q, 1.0 - p)).mean()
        held.append((np.abs(q - p).mean() <= bound.gap, bound.loss is None or loss <= bound.loss))
        bounds.append(bound.gap)
        if number % 10 == 0:  # it takes most of the time
            lost = np.where((p > rate) != (q > rate), stakes.gain * np.abs(q - rate), 0.0).mean()
            money.append(lost <= bound_money(cells, bound, stakes))
    return np.array([*np.mean(held, axis=0), np.mean(money), np.median(bounds)])


def print_bounds(draws: float) -> None:
    """Print the least coverage over scores, shapes and sizes, and the median bound of calibrated rows.

    The least of 60 cells is low by chance, so that the cell is simulated again, five times as often.
    """
    print(
        "| rows | draws | base rate | least: gap | log-loss | money | where | gap there, again | median bound, points |"
    )
    print("|---" * 9 + "|")
    for n_rows, n_draws in BOUND_DRAWS.items():
        for rate in RATES:
            found, medians = {}, []
            for scores in SCORES:
                for shape in SHAPES:
                    for size in SIZES[:1] if shape == "calibrated" else SIZES:
                        n = max(int(n_draws * draws), 5)
                        found[scores, shape, size] = coverage(n_rows, rate, scores, shape, size, n)
                medians.append(100.0 * found[scores, "calibrated", SIZES[0]][3])
            worst = min(found, key=lambda key: found[key][0])
            least = np.min([each[:3] for each in found.values()], axis=0)
            cells = " | ".join(f"{100.0 * rate:.1f}" for rate in least)
            shown = " ".join(f"{median:.2g}" for median in medians)
            again = f"{', '.join(map(str, worst))} | {100.0 * coverage(n_rows, rate, *worst, 5 * n, n)[0]:.1f}"
            print(f"| {n_rows:,} | {n} | {rate:g} | {cells} | {again} | {shown} |", flush=True)


def print_kinds(draws: float) -> None:
    """Print the kinds of verdicts on calibrated rows, and on rows that are off by more than the tolerance."""
    kinds = ("calibrated", "too little to matter", "miscalibrated", "cannot tell")
    print("| rows | base rate | scores | truth | draws | " + " | ".join(kinds) + " |")
    print("|---" * 9 + "|")
    many = [(n, rate) for n in KIND_ROWS for rate in RATES]
    for n_rows, rate in many:
        for truth in ("calibrated", "off by 1.05 tolerances"):
            for scores in SCORES if truth == "calibrated" else SCORES[1:2]:
                n_draws, found = max(int(60 * draws), 5), Counter()
                for number in range(n_draws):
                    rng = np.random.default_rng([n_rows, int(1000 * rate), SCORES.index(scores), 77, number])
                    p = draw_proba(scores, rate, n_rows, rng)
                    q = p if truth == "calibrated" else _far_off(p)
                    y = rng.random(n_rows) < q
                    found[calibration_verdict(y, p, labels=[0, 1], random_state=number).kind] += 1
                cells = " | ".join(f"{100.0 * found[kind] / n_draws:.1f}" for kind in kinds)
                print(f"| {n_rows:,} | {rate:g} | {scores} | {truth} | {n_draws} | {cells} |", flush=True)


def _far_off(p: Array) -> Array:
    """Return frequencies whose mean distance is 1.05 tolerances, by a shift of the log-odds."""

    def excess(size: float) -> float:
        q = expit(logit(p) + size)
        return float(np.abs(q - p).mean()) - 1.05 * min(0.05, 0.5 * min(q.mean(), 1.0 - q.mean()))

    return expit(logit(p) + brentq(excess, 0.0, 3.0))


def print_rows(draws: float) -> None:
    """Print the fraction of calibrated samples within the tolerance at, below and above the number of rows needed."""
    print("| base rate | scores | rows needed | draws | within at 1/1.3 of them | at them | at 1.3 times |")
    print("|---" * 7 + "|")
    for rate in RATES:
        for scores in SCORES:
            rng = np.random.default_rng([int(1000 * rate), SCORES.index(scores)])
            needed, n_draws = rows_needed(draw_proba(scores, rate, 10_000, rng)), max(int(100 * draws), 5)
            found = [
                np.mean([_is_within(draw_proba(scores, rate, int(needed * times), rng), rng) for _ in range(n_draws)])
                for times in (1 / 1.3, 1.0, 1.3)
            ]
            cells = " | ".join(f"{100.0 * each:.0f}" for each in found)
            print(f"| {rate:g} | {scores} | {needed:,} | {n_draws} | {cells} |", flush=True)


def _is_within(p: Array, rng: np.random.Generator) -> bool:
    cells = group_rows(BinaryRows(p, rng.random(len(p)) < p))[0]
    return bound_gap(cells, 0.95).gap <= tolerance_of(cells, 0.05, 0.5).error


def draw_classes(proba: Array, rng: np.random.Generator) -> Array:
    """Draw a class for each row."""
    return (rng.random(len(proba))[:, None] > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1)


def print_classes(draws: float) -> None:
    """Print the kinds of verdicts on calibrated rows of several classes."""
    print("| classes | rows | draws | called off, % | calibrated, % |")
    print("|---" * 5 + "|")
    for alpha, n_rows in (
        ([1, 1, 1], 400),
        ([1, 2, 3], 4_000),
        ([0.3] * 5, 1_000),
        ([2] * 3, 20_000),
        ([1] * 10, 3_000),
    ):
        n_draws, found = max(int(150 * draws), 5), Counter()
        for number in range(n_draws):
            rng = np.random.default_rng([len(alpha), n_rows, number])
            proba = rng.dirichlet(alpha, n_rows)
            y = draw_classes(proba, rng)
            found[calibration_verdict(y, proba, labels=range(len(alpha)), random_state=number).kind] += 1
        off = found["miscalibrated"] + found["too little to matter"]
        rates = f"{100.0 * off / n_draws:.1f} | {100.0 * found['calibrated'] / n_draws:.1f}"
        print(f"| {len(alpha)} | {n_rows:,} | {n_draws} | {rates} |", flush=True)


TABLES = {"bounds": print_bounds, "kinds": print_kinds, "rows": print_rows, "classes": print_classes}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--draws", type=float, default=1.0, help="how many times as many draws")
    asked = parser.parse_args()
    for name in asked.tables:
        print(f"\n{name}\n")
        TABLES[name](asked.draws)


if __name__ == "__main__":
    main()
