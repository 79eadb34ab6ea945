"""The gain of each calibration map, and how often it harms: many models on many data sets, on the same scores.

    python benchmarks/calibration_quality.py --store DIR [--splits 10] [--rows 1000] [--data NAME ...] [--maps NAME ...]

First the store is filled with out-of-fold scores (5 folds) and test scores of every model on random splits, with at
most ``--rows`` training rows and twice as many test rows; larger data sets are sampled. Then every map is fitted to the
out-of-fold scores of a cell (data set, model, split), as in `CalibratedClassifier`, and evaluated by the log-loss and
the Brier score of the test scores, relative to those of the unchanged scores. For margins (SVC) the reference is
Platt's sigmoid. All probabilities, also unchanged ones, are clipped to [1 / (2 n), 1 - 1 / (2 n)] for n calibration
rows: a single wrong 0 would make any comparison meaningless, in favour of any map that changes it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import warnings
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from _quality_maps import LEAST, all_maps, two_columns
from _score_store import DATASETS, Cell, cells, fill, models
from calibrant.calibration import Platt

Gains = dict[str, tuple[float, float]]


def evaluate_maps(cell: Cell, names: list[str] | None = None) -> dict[str, Gains | str | int]:
    """Return the gain of each map, or of those named, on one cell, in log-loss and in Brier score."""
    floor = 1.0 / (2.0 * len(cell.codes))
    before = _losses(_unchanged(cell), cell.test_codes, floor)
    gains: Gains = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, apply in all_maps().items():
            if names is not None and name not in names:
                continue
            try:
                proba = apply(cell.scores, cell.codes, cell.test_scores)
            except ValueError:
                continue
            after = _losses(proba, cell.test_codes, floor)
            gains[name] = ((before[0] - after[0]) / before[0], (before[1] - after[1]) / before[1])
    return {"dataset": cell.dataset, "model": cell.model, "classes": cell.n_classes, "gains": gains}


def _unchanged(cell: Cell) -> NDArray[np.float64]:
    if not cell.is_margin:
        return two_columns(cell.test_scores)
    return two_columns(Platt(on="score").fit(cell.scores, cell.codes).predict(cell.test_scores))


def _losses(proba: NDArray[np.float64], codes: NDArray[np.int64], floor: float) -> tuple[float, float]:
    clipped = np.clip(proba, floor, 1.0 - floor)
    clipped /= clipped.sum(axis=1, keepdims=True)
    own = clipped[np.arange(len(codes)), codes]
    brier = (clipped**2).sum(axis=1) - 2.0 * own + 1.0
    return max(float(-np.log(own).mean()), LEAST), max(float(brier.mean()), LEAST)


def show(results: list[dict[str, object]], title: str) -> None:
    """Print a line for each map: how often it gains, its mean gain, and its tails."""
    by_map: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for cell in results:
        for name, gains in cell["gains"].items():  # type: ignore[attr-defined]
            by_map[name].append(gains)
    print(f"\n{title}: {len(results)} cells; gains over unchanged scores in %\n")
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


def show_models(results: list[dict[str, object]], names: tuple[str, ...]) -> None:
    """Print the mean gain in log-loss by model."""
    print(f"\nmean gain in log-loss by model, %\n\n{'':18}" + "".join(f"{name[:14]:>15}" for name in names))
    for model in sorted({str(cell["model"]) for cell in results}):
        rows = [cell["gains"] for cell in results if cell["model"] == model]
        means = [100 * np.mean([row[name][0] for row in rows if name in row] or [np.nan]) for name in names]  # type: ignore
        print(f"{model:18}" + "".join(f"{mean:15.2f}" for mean in means))


def main() -> None:
    """Fill the store, evaluate the maps, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--data", nargs="*", default=list(DATASETS))
    parser.add_argument("--maps", nargs="*", help="only these maps, by name")
    parser.add_argument("--score-only", action="store_true")
    parser.add_argument("--no-scoring", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not options.no_scoring:
        fill(options.store, options.data, list(models()), options.splits, options.rows)
    if options.score_only:
        return
    chosen = [cell for cell in cells(options.store) if cell.dataset in options.data and cell.split < options.splits]
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        results = list(pool.imap(partial(evaluate_maps, names=options.maps), chosen, chunksize=4))
    if options.out:
        options.out.write_text(json.dumps(results))
    show([cell for cell in results if cell["classes"] == 2 and cell["model"] != "SVC"], "two classes")
    show([cell for cell in results if cell["classes"] != 2 and cell["model"] != "SVC"], "more classes")
    show([cell for cell in results if cell["model"] == "SVC"], "margins of SVC, against Platt's sigmoid")
    show([cell for cell in results if cell["model"] != "SVC"], "all but margins")
    show_models(results, ("auto", "platt", "beta", "temperature", "isotonic", "scikit-learn sigmoid"))


if __name__ == "__main__":
    main()
