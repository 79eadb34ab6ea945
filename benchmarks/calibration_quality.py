"""How much each map gains, and how often it harms: many models on many data sets, maps judged on the same scores.

    python benchmarks/calibration_quality.py --store DIR [--splits 10] [--rows 1000] [--data NAME ...] [--score-only]

First the store is filled with out-of-fold scores (5 folds) and test scores of every model on random splits, at most
``--rows`` rows to fit and twice as many to test; data sets with more are drawn from. Then every map learns from
the out-of-fold scores of a cell (data set, model, split), as `CalibratedClassifier` does, and is judged by the log-loss
and the Brier score of the test scores, as a share of what no map has. No map of margins (SVC) is Platt's sigmoid.
All probabilities, those of no map too, are judged 1 / (2 n) away from 0 and 1, n calibration rows: one 0 at
the wrong place would make any comparison void, in favour of whoever mends it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from _quality_maps import LEAST, all_maps, two_columns
from _score_store import DATASETS, Cell, cells, fill, models
from calibrant.calibration import Platt

Gains = dict[str, tuple[float, float]]


def judged(cell: Cell) -> dict[str, Gains | str | int]:
    """Give the gain of each map on one cell: in log-loss and in Brier score."""
    floor = 1.0 / (2.0 * len(cell.codes))
    before = _scored(_no_map(cell), cell.test_codes, floor)
    gains: Gains = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, learn in all_maps().items():
            try:
                proba = learn(cell.scores, cell.codes, cell.test_scores)
            except ValueError:
                continue
            after = _scored(proba, cell.test_codes, floor)
            gains[name] = ((before[0] - after[0]) / before[0], (before[1] - after[1]) / before[1])
    return {"dataset": cell.dataset, "model": cell.model, "classes": cell.n_classes, "gains": gains}


def _no_map(cell: Cell) -> NDArray[np.float64]:
    if not cell.is_margin:
        return two_columns(cell.test_scores)
    return two_columns(Platt(on="score").fit(cell.scores, cell.codes).predict(cell.test_scores))


def _scored(proba: NDArray[np.float64], codes: NDArray[np.int64], floor: float) -> tuple[float, float]:
    clipped = np.clip(proba, floor, 1.0 - floor)
    clipped /= clipped.sum(axis=1, keepdims=True)
    own = clipped[np.arange(len(codes)), codes]
    brier = (clipped**2).sum(axis=1) - 2.0 * own + 1.0
    return max(float(-np.log(own).mean()), LEAST), max(float(brier.mean()), LEAST)


def show(found: list[dict[str, object]], title: str) -> None:
    """Print a line for each map: how often it wins, what it gains in the mean, what it costs where it is bad."""
    by_map: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for cell in found:
        for name, gains in cell["gains"].items():  # type: ignore[attr-defined]
            by_map[name].append(gains)
    print(f"\n{title}: {len(found)} cells; gains over no map in %\n")
    print(
        f"{'':26}{'cells':>6}{'better':>8}{'worse':>7}   {'log-loss':>8}{'5 %':>8}{'1 %':>8}   {'Brier':>7}{'5 %':>8}"
    )
    for name, pairs in sorted(by_map.items(), key=lambda item: -np.mean([pair[0] for pair in item[1]])):
        log, brier = 100 * np.array(pairs).T
        better, worse = 100 * np.mean(log > 0.1), 100 * np.mean(log < -0.1)
        tail, end, brier_tail = np.quantile(log, 0.05), np.quantile(log, 0.01), np.quantile(brier, 0.05)
        print(
            f"{name:26}{len(log):6}{better:8.1f}{worse:7.1f}   {log.mean():8.2f}{tail:8.2f}{end:8.2f}   "
            f"{brier.mean():7.2f}{brier_tail:8.2f}"
        )


def show_models(found: list[dict[str, object]], names: tuple[str, ...]) -> None:
    """Print the mean gain in log-loss by model."""
    print(f"\nmean gain in log-loss by model, %\n\n{'':18}" + "".join(f"{name[:14]:>15}" for name in names))
    for model in sorted({str(cell["model"]) for cell in found}):
        rows = [cell["gains"] for cell in found if cell["model"] == model]
        means = [100 * np.mean([row[name][0] for row in rows if name in row] or [np.nan]) for name in names]  # type: ignore
        print(f"{model:18}" + "".join(f"{mean:15.2f}" for mean in means))


def main() -> None:
    """Fill the store, judge the maps, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--data", nargs="*", default=list(DATASETS))
    parser.add_argument("--score-only", action="store_true")
    parser.add_argument("--no-scoring", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if not given.no_scoring:
        fill(given.store, given.data, list(models()), given.splits, given.rows)
    if given.score_only:
        return
    chosen = [cell for cell in cells(given.store) if cell.dataset in given.data and cell.split < given.splits]
    with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
        found = list(pool.imap(judged, chosen, chunksize=4))
    if given.out:
        given.out.write_text(json.dumps(found))
    show([cell for cell in found if cell["classes"] == 2 and cell["model"] != "SVC"], "two classes")
    show([cell for cell in found if cell["classes"] != 2 and cell["model"] != "SVC"], "more classes")
    show([cell for cell in found if cell["model"] == "SVC"], "margins of SVC, against Platt's sigmoid")
    show([cell for cell in found if cell["model"] != "SVC"], "all but margins")
    show_models(found, ("auto", "platt", "beta", "temperature", "isotonic", "scikit-learn sigmoid"))


if __name__ == "__main__":
    main()
