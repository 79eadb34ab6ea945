"""How often 95 % intervals over splits cover the mean performance over training sets of that size.

``python tests/validity/coverage_over_splits.py SETS FIRST`` prints the counts for so many tables of each kind as JSON;
``... write FILE ...`` adds such counts up and writes the table of docs/resampling.md.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibrant.exceptions import LittleDataWarning
from calibrant.metrics import METRICS
from calibrant.resampling import CrossValidation, RepeatedHoldout, estimate_performance
from calibrant.resampling._performance.intervals import split_interval
from calibrant.trees import ProbabilityTreeClassifier

DOCS = Path(__file__).parents[2] / "docs" / "resampling.md"
MARKS = "  <!-- written by tests/validity/coverage_over_splits.py -->", "  <!-- end -->"
NAMES = ("error", "mse", "auc", "log_loss")
N_TRUTH, N_FRESH = 300, 20_000  # fits and rows that the true mean is estimated by: a tenth of the error of one table
Rows = tuple[np.ndarray, np.ndarray]


def interaction(random: np.random.Generator, n_rows: int) -> Rows:
    X = random.normal(size=(n_rows, 5))
    chance = 1 / (1 + np.exp(-(X[:, 0] + X[:, 1] * X[:, 2])))
    return X, (random.random(n_rows) < chance).astype(int)


def nearly_separable(random: np.random.Generator, n_rows: int) -> Rows:
    X = random.normal(size=(n_rows, 3))
    return X, (X[:, 0] + 0.2 * random.normal(size=n_rows) > 0).astype(int)


def separable(random: np.random.Generator, n_rows: int) -> Rows:
    X = random.normal(size=(n_rows, 2))
    return X, (X[:, 0] > 0).astype(int)


class Kind(NamedTuple):
    draw: Callable[[np.random.Generator, int], Rows]
    n_rows: int
    tree: Any


class Planned(NamedTuple):
    plan: Any
    k: int
    share: float  # of the rows that are trained on


KINDS = {
    "200 rows": Kind(interaction, 200, ProbabilityTreeClassifier(min_leaf=10)),
    "60 rows": Kind(interaction, 60, ProbabilityTreeClassifier(min_leaf=5)),
    "60 rows, nearly separable": Kind(nearly_separable, 60, ProbabilityTreeClassifier()),
    "30 rows, separable": Kind(separable, 30, ProbabilityTreeClassifier()),
}
PLANS = {
    "CrossValidation(10)": Planned(CrossValidation(10), 10, 0.9),
    "CrossValidation(10, 10)": Planned(CrossValidation(10, 10), 10, 0.9),
    "CrossValidation(5, 4)": Planned(CrossValidation(5, 4), 5, 0.8),
    "RepeatedHoldout(15)": Planned(RepeatedHoldout(15), 15, 2 / 3),
}
METHODS = ("ours", "t", "all splits", "uncorrected")


def truth(kind: Kind, share: float, random: np.random.Generator) -> np.ndarray:
    """Return the mean performance over training sets of a share of the rows."""
    X, y = kind.draw(random, N_FRESH)
    size, found = round(share * kind.n_rows), []
    for _ in range(N_TRUTH):
        proba = kind.tree.fit(*drawn(kind, size, random)).predict_proba(X)
        found.append([METRICS[name].function(y, proba) for name in NAMES])
    return np.mean(found, axis=0)


def drawn(kind: Kind, size: int, random: np.random.Generator) -> Rows:
    """Draw a table of which each class has a quarter of the rows at least."""
    while True:
        X, y = kind.draw(random, size)
        if min(np.bincount(y, minlength=2)) >= size // 4:
            return X, y


def intervals(found: Any, name: str, planned: Planned) -> Iterator[tuple[float, float]]:
    """Yield our interval, and by Student's t: with the same k, with all splits as k, and without the correction."""
    score, values, sizes = found.score(name), found.split_values(name), (found.n_train, found.n_test)
    yield (math.nan, math.nan) if score.low is None else (score.low, score.high)
    yield split_interval(values, *sizes, 0.95, planned.k)
    yield split_interval(values, *sizes, 0.95, len(values))
    yield split_interval(values, np.full(len(values), 1e12), sizes[1], 0.95, len(values))


def coverage(kind: str, plan: str, n_sets: int, first_seed: int) -> dict[str, list[int]]:
    """Return for each metric the tables covered by each of the `METHODS`, those outside the range by t, and all."""
    random = np.random.default_rng([first_seed, len(kind), len(plan)])
    of_kind, planned = KINDS[kind], PLANS[plan]
    true, counts = truth(of_kind, planned.share, random), {name: [0] * 6 for name in NAMES}
    for _ in range(n_sets):
        found = estimate_performance(of_kind.tree, *drawn(of_kind, of_kind.n_rows, random), planned.plan, NAMES)
        for column, name in enumerate(NAMES):
            ends = np.array([*intervals(found, name, planned)])
            # A plain t interval of equal values has none of its own here; its width was 0
            ends = np.where(np.isnan(ends), found.mean(name), ends)
            covered = (ends[:, 0] <= true[column]) & (true[column] <= ends[:, 1])
            outside = ends[1, 0] < METRICS[name].low or ends[1, 1] > METRICS[name].high
            counts[name] = [old + int(new) for old, new in zip(counts[name], [*covered, outside, 1], strict=True)]
    return counts


def all_coverages(n_sets: int, first_seed: int) -> dict[str, dict[str, list[int]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LittleDataWarning)
        return {f"{kind}: {plan}": coverage(kind, plan, n_sets, first_seed) for kind in KINDS for plan in PLANS}


def line_of(title: str, counts: dict[str, list[int]]) -> str:
    kind, plan = title.split(": ")
    percent = {name: [round(100 * count / found[5]) for count in found[:5]] for name, found in counts.items()}
    cells = [f"**{percent[name][0]}**" for name in NAMES]
    cells += [", ".join(str(percent[name][column]) for name in NAMES) for column in (1, 4, 2, 3)]
    return f"  | {kind} | `{plan}` | {PLANS[plan].k} | {' | '.join(cells)} |"


def documented() -> dict[str, list[float]]:
    """Read the coverages of our intervals from the documentation, by kind and plan."""
    found = {}
    for line in DOCS.read_text("utf-8").split(MARKS[0])[1].split(MARKS[1])[0].splitlines():
        cells = [cell.strip(" *`") for cell in line.split("|")]
        if len(cells) > 8 and cells[4].isdigit():
            found[f"{cells[1]}: {cells[2]}"] = [int(cell) / 100 for cell in cells[4 : 4 + len(NAMES)]]
    return found


def write(paths: list[str]) -> None:
    """Add up counts and write them into the table of the documentation."""
    merged: dict[str, dict[str, list[int]]] = {}
    for line in (line for path in paths for line in Path(path).read_text("utf-8").splitlines()):
        for title, counts in json.loads(line).items():
            old = merged.setdefault(title, {name: [0] * 6 for name in counts})
            merged[title] = {name: [a + b for a, b in zip(old[name], counts[name], strict=True)] for name in counts}
    head, rest = DOCS.read_text("utf-8").split(MARKS[0])
    lines = [
        f"  | rows | plan | k | {' | '.join(NAMES)} | by t | t leaves the range | t, k = all splits | t, uncorrected |",
        "  |" + "---|" * 11,
        *(line_of(title, counts) for title, counts in merged.items()),
    ]
    DOCS.write_text(head + MARKS[0] + "\n" + "\n".join(lines) + "\n" + MARKS[1] + rest.split(MARKS[1])[1], "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2:])
    else:
        print(json.dumps(all_coverages(int(sys.argv[1]), int(sys.argv[2]))))
