"""Coverage of intervals of areas under the ROC curve, and of paired differences, with few rows of a class.

Scores are drawn whose true area is known; a cell of the tables is a distribution and two numbers of rows, over all
areas. Candidates from which `calibrant.metrics._intervals.delong` was chosen are printed beside it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, logit, stdtrit
from scipy.stats import norm

from calibrant import _core
from calibrant.metrics._intervals.delong import placement_covariances, placement_difference, placement_interval

Array = np.ndarray[Any, Any]
Ends = tuple[float, float]
AREAS = (0.6, 0.75, 0.85, 0.9, 0.95, 0.98, 0.99)
PAIRS = ((0.6, 0.6), (0.75, 0.75), (0.9, 0.9), (0.98, 0.98), (0.8, 0.7), (0.95, 0.8), (0.99, 0.9))
SIZES = ((5, 500), (10, 500), (20, 500), (40, 500), (5, 5), (10, 10), (20, 20), (200, 200), (500, 5), (500, 10))
PAIR_SIZES = ((5, 500), (10, 500), (20, 500), (10, 10), (20, 20), (100, 100))
CORRELATIONS = (0.2, 0.6, 0.95)
LEVEL = 0.95


def normal(rng: np.random.Generator, area: float, positive: Array) -> Array:
    return rng.normal(np.sqrt(2) * norm.ppf(area) * positive, 1.0)


def wide(rng: np.random.Generator, area: float, positive: Array) -> Array:
    """Positive scores have twice the standard deviation."""
    return rng.normal(np.sqrt(5) * norm.ppf(area) * positive, 1.0 + positive)


def exponential(rng: np.random.Generator, area: float, positive: Array) -> Array:
    return rng.exponential(np.where(positive, area / (1.0 - area), 1.0))


def two_values(rng: np.random.Generator, area: float, positive: Array) -> Array:
    """Scores 0 and 1, of equal sensitivity and specificity: nearly all pairs of the same value are tied."""
    return (rng.random(len(positive)) < np.where(positive, area, 1.0 - area)).astype(float)


def mixture(rng: np.random.Generator, area: float, positive: Array) -> Array:
    """Some positives are like negatives, all others above them."""
    found = positive & (rng.random(len(positive)) >= 2.0 * (1.0 - area))
    return rng.random(len(positive)) + 2.0 * found


SCORES = {each.__name__.replace("_", " "): each for each in (normal, wide, exponential, two_values, mixture)}


def ours(area: float, variances: Array, n_rows: Array) -> Ends:
    return placement_interval(area, variances.tolist(), n_rows.tolist(), LEVEL)


def log_odds(area: float, variances: Array, n_rows: Array, *, student: bool = False) -> Ends:
    """DeLong's variance on the scale of log-odds; where the area is 1 or has no variance, Newcombe's method 5."""
    variance = variances.sum()
    if not 0.0 < area < 1.0 or not variance > 0.0:
        return newcombe(area, variances, n_rows)
    freedom = variance**2 / (variances**2 / (n_rows - 1)).sum() if student else np.inf
    reach = stdtrit(freedom, 0.5 + LEVEL / 2) * np.sqrt(variance) / (area * (1.0 - area))
    return expit(logit(area) - reach), expit(logit(area) + reach)


def newcombe(area: float, _: Array, n_rows: Array) -> Ends:
    """Newcombe's method 5 (2006): the score interval by Hanley & McNeil's variance of exponential scores."""
    x = np.linspace(0.0, 1.0, 2001)
    odds = 1.0 + (n_rows.mean() - 1.0) * ((1.0 - x) / (2.0 - x) + x / (1.0 + x))
    inside = (area - x) ** 2 <= norm.ppf(0.5 + LEVEL / 2) ** 2 * x * (1.0 - x) * odds / n_rows.prod() + 1e-12
    return x[inside].min(), x[inside].max()


CANDIDATES: dict[str, Callable[..., Ends]] = {
    "ours": ours,
    "log-odds": log_odds,
    "log-odds, t": lambda *args: log_odds(*args, student=True),
    "Newcombe 5": newcombe,
}


def area_cell(draw: Callable[..., Array], n_rows: tuple[int, int], n_draws: int, seed: list[int]) -> dict[str, str]:
    """Return least and mean coverage over the areas, and mean width."""
    positive = np.repeat([True, False], n_rows)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in CANDIDATES}
    for number, area in enumerate(AREAS):
        rng = np.random.default_rng([*seed, number])
        ends: dict[str, list[Ends]] = {name: [] for name in CANDIDATES}
        for _ in range(n_draws):
            drawn, *variances, _, _ = _core.area_variance(draw(rng, area, positive), positive, None, 1)
            for name, interval in CANDIDATES.items():
                ends[name].append(interval(drawn, np.array(variances), np.array(n_rows, dtype=float)))
        for name, each in ends.items():
            low, high = np.array(each).T
            found[name].append((100 * np.mean((low <= area) & (area <= high)), np.mean(high - low)))
    return {name: summary(each) for name, each in found.items()}


def pair_cell(n_rows: tuple[int, int], correlation: float, kind: str, n_draws: int, seed: list[int]) -> dict[str, str]:
    positive = np.repeat([True, False], n_rows)
    found: dict[str, list[tuple[float, float]]] = {"ours": [], "DeLong": []}
    for number, areas in enumerate(PAIRS):
        rng = np.random.default_rng([*seed, number])
        ends: dict[str, list[Ends]] = {name: [] for name in found}
        for _ in range(n_draws):
            drawn = placement_covariances(*paired_scores(rng, kind, areas, correlation, positive), positive)
            ends["ours"].append(placement_difference(*drawn, LEVEL))
            error = np.sqrt(sum(each[0, 0] + each[1, 1] - 2.0 * each[0, 1] for each in drawn[1]).clip(0.0))
            middle, reach = drawn[0][0] - drawn[0][1], norm.ppf(0.5 + LEVEL / 2) * error
            ends["DeLong"].append((middle - reach, middle + reach))
        for name, each in ends.items():
            low, high = np.array(each).T
            truth = areas[0] - areas[1]
            found[name].append((100 * np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high)), np.mean(high - low)))
    return {name: summary(each) for name, each in found.items()}


def paired_scores(
    rng: np.random.Generator, kind: str, areas: tuple[float, float], correlation: float, positive: Array
) -> Array:
    def correlated() -> Array:
        shared, own = rng.normal(size=len(positive)), rng.normal(size=(2, len(positive)))
        return np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own

    if kind == "normal":
        return correlated() + np.sqrt(2) * norm.ppf(areas)[:, None] * positive
    missed = norm.cdf(correlated()) < 2.0 * (1.0 - np.array(areas)[:, None])
    return norm.cdf(correlated()) + 2.0 * (positive & ~missed)


def summary(cells: list[tuple[float, float]]) -> str:
    coverage, width = np.array(cells).T
    return f"{coverage.min():.1f}, {coverage.mean():.1f} ({width.mean():.2f})"


def print_table(title: str, rows: dict[str, dict[str, str]]) -> None:
    names = list(next(iter(rows.values())))
    print(f"\n{title}\n\n| {' | '.join(['scores, rows', *names])} |\n|{'---|' * (len(names) + 1)}")
    for row, cells in rows.items():
        print(f"| {row} | {' | '.join(cells[name] for name in names)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scores", nargs="+", choices=[*SCORES], default=[*SCORES])
    options = parser.parse_args()
    print(f"Coverage in % at {LEVEL:.0%}: least, mean over the areas (mean width); {options.draws} draws of each area")
    rows = {
        f"{kind}, {size[0]} and {size[1]}": area_cell(draw, size, options.draws, [options.seed, number, *size])
        for number, (kind, draw) in enumerate(SCORES.items())
        if kind in options.scores
        for size in SIZES
    }
    print_table(f"Areas {', '.join(map(str, AREAS))}", rows)
    rows = {
        f"{kind}, {size[0]} and {size[1]}, correlation {correlation}": pair_cell(
            size, correlation, kind, options.draws // 2, [options.seed, number, *size, int(100 * correlation)]
        )
        for number, kind in enumerate(("normal", "mixture"))
        if kind in options.scores
        for size in PAIR_SIZES
        for correlation in CORRELATIONS
    }
    if rows:
        print_table(f"Differences of areas {', '.join(map(str, PAIRS))}", rows)


if __name__ == "__main__":
    main()
