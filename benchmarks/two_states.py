"""Two states of calibrant in turns: the processor time of what people run most, old, new, and their ratio.

    python benchmarks/two_states.py OLD_PYTHON NEW_PYTHON [ROUNDS]

Each argument is the interpreter of an environment in which one state is installed. The states take turns, in processes
of one thread, and the least time of a job counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

Jobs = dict[str, tuple[Callable[[], Any], int]]  # what to run, how often to measure it


def jobs(folder: Path) -> Jobs:
    import numpy as np
    import pandas as pd

    import calibrant
    from calibrant.bayes import NaiveBayesClassifier
    from calibrant.calibration import CalibratedClassifier
    from calibrant.ensembles import BaggedTreesClassifier, EBPETsClassifier
    from calibrant.metrics import evaluate
    from calibrant.report import Report
    from calibrant.resampling import CrossValidation
    from calibrant.studies import Study, compare_table
    from calibrant.trees import ProbabilityTreeClassifier

    rng = np.random.default_rng(0)

    def rows(n: int, n_columns: int) -> tuple[Any, Any, Any]:
        X = rng.normal(size=(n, n_columns))
        p = 1 / (1 + np.exp(-X[:, 0] - 0.5 * X[:, 1]))
        return X, (rng.random(n) < p).astype(int), p

    (S, ys, ps), (M, ym, _), (L, yl, pl) = rows(1000, 5), rows(20_000, 10), rows(200_000, 20)
    table = folder / "rows.csv"
    pd.DataFrame(S, columns=list("abcde")).assign(y=ys).to_csv(table, index=False)
    numbers = count()
    tree, saved = ProbabilityTreeClassifier().fit(M, ym), folder / "tree.calibrant"

    def store() -> str:
        return f"sqlite:///{folder / str(next(numbers))}.db"

    def study() -> None:
        methods = {"tree": ProbabilityTreeClassifier(), "bayes": NaiveBayesClassifier()}
        plan, metrics = CrossValidation(5), ["log_loss", "auc"]
        Study("s", datasets=[table], methods=methods, plan=plan, metrics=metrics, store=store()).run(workers=1)

    def compare() -> str:
        methods = ["naive Bayes", "logistic regression", "tree"]
        return str(compare_table(table, methods=methods, workers=1, store=store()))

    return {
        "tree, 1,000 x 5": (lambda: ProbabilityTreeClassifier().fit(S, ys), 60),
        "tree, 20,000 x 10": (lambda: ProbabilityTreeClassifier().fit(M, ym), 5),
        "binned tree, 200,000 x 20": (lambda: ProbabilityTreeClassifier(max_bins=255).fit(L, yl), 3),
        "forest, 20 x 20,000 rows": (lambda: BaggedTreesClassifier(n_trees=20, n_jobs=1, random_state=0).fit(M, ym), 2),
        "EB-PETs, 10 x 1,000 rows, and predictions": (
            lambda: EBPETsClassifier(n_trees=10, n_jobs=1, random_state=0).fit(S, ys).predict_proba(S),
            8,
        ),
        "predictions of a tree, 20,000 rows": (lambda: tree.predict_proba(M), 50),
        "naive Bayes, 20,000 rows": (lambda: NaiveBayesClassifier().fit(M, ym).predict_proba(M), 8),
        "calibrated tree, 1,000 rows": (lambda: CalibratedClassifier(ProbabilityTreeClassifier()).fit(S, ys), 4),
        "evaluate, 1,000 rows": (lambda: evaluate(ys, ps), 6),
        "evaluate, 200,000 rows": (lambda: evaluate(yl, pl), 2),
        "save and load a tree": (lambda: (calibrant.save(tree, saved), calibrant.load_model(saved)), 15),
        "ProbabilityClassifier, 300 rows": (
            lambda: calibrant.ProbabilityClassifier(random_state=0, n_jobs=1).fit(S[:300], ys[:300]),
            1,
        ),
        "study, 2 methods x 5 folds": (study, 3),
        "compare, three methods": (compare, 1),
        "report, 1,000 rows": (lambda: Report.from_predictions(ys, ps).to_html(), 2),
    }


def measure() -> None:
    start = time.process_time()
    import calibrant  # noqa: F401

    print("import calibrant", time.process_time() - start, sep="\t")
    with tempfile.TemporaryDirectory() as folder:
        for name, (run, n) in jobs(Path(folder)).items():
            run()
            seconds = []
            for _ in range(3):
                start = time.process_time()
                for _ in range(n):
                    run()
                seconds.append((time.process_time() - start) / n)
            print(name, min(seconds), sep="\t", flush=True)


def main() -> None:
    pythons, rounds = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 2
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    least: dict[str, list[float]] = {}
    for number in range(rounds):
        for state in (0, 1) if number % 2 == 0 else (1, 0):
            command = [pythons[state], __file__, "--measure"]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)  # noqa: S603
            for line in done.stdout.splitlines():
                name, seconds = line.split("\t")
                times = least.setdefault(name, [float("inf")] * 2)
                times[state] = min(times[state], float(seconds))
    print("| job | old | new | new / old |", "|---|---|---|---|", sep="\n")
    for name, (old, new) in least.items():
        print(f"| {name} | {old * 1e3:.2f} ms | {new * 1e3:.2f} ms | {new / old:.2f} |")


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure()
    elif len(sys.argv) < 3:
        print(__doc__)  # `make bench` runs every script: this one needs two environments
    else:
        main()
