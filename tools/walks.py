"""Count how many of calibrant's functions and files one passes on the walks that people take most.

    python tools/walks.py [WALK ...]

Each walk is run once to import what it needs, then again under `sys.setprofile`: the functions and files of calibrant
that were entered, and the most frames of calibrant that stood on one another. Processes that a walk starts are not
followed. `tests/test_walks.py` holds the files to `GOALS`.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import calibrant
from calibrant.metrics import evaluate
from calibrant.report import Report
from calibrant.resampling import CrossValidation
from calibrant.studies import Study, compare_table
from calibrant.trees import ProbabilityTreeClassifier

HOME = str(Path(calibrant.__file__).parent)
# The most files that a walk may pass. Raise one only with its reason beside the number.
GOALS: Mapping[str, int] = MappingProxyType(
    {
        "tree fit, 1,000 x 5": 24,
        "evaluate, 1,000 rows": 28,
        "save a tree": 22,
        "load a tree": 22,
        "Study.run, 2 methods x 5 folds": 75,
        "ProbabilityClassifier.fit, 300 rows": 80,
        "compare, three methods": 170,
        "report from predictions": 115,
    }
)


class Walk(NamedTuple):
    """The functions and files passed, and the depth reached."""

    functions: frozenset[tuple[str, str]]
    depth: int

    @property
    def files(self) -> set[str]:
        """The files of the functions."""
        return {file for file, _ in self.functions}


def walk(work: Callable[[], Any]) -> Walk:
    """Return the walk of some work, run for the second time."""
    work()
    functions: set[tuple[str, str]] = set()
    deepest = 0
    depths = threading.local()

    def record(frame: FrameType, event: str, _: Any) -> None:
        nonlocal deepest
        if not frame.f_code.co_filename.startswith(HOME) or event not in ("call", "return"):
            return
        depths.now = max(getattr(depths, "now", 0) + (1 if event == "call" else -1), 0)
        if event == "call":
            if not frame.f_code.co_name.startswith("<"):  # comprehensions have frames in Python 3.11 alone
                functions.add((frame.f_code.co_filename, frame.f_code.co_qualname))
            deepest = max(deepest, depths.now)

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return Walk(frozenset(functions), deepest)


def walks(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return the work of each walk, which may write files into a folder."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5))
    p = 1 / (1 + np.exp(-X[:, 0]))
    y = (rng.random(1000) < p).astype(int)
    rows = folder / "rows.csv"
    pd.DataFrame(X, columns=list("abcde")).assign(y=y).to_csv(rows, index=False)
    tree = ProbabilityTreeClassifier().fit(X, y)
    saved = folder / "tree.model"
    calibrant.save(tree, saved)
    small = X[:300], y[:300]
    numbers = iter(range(1000))

    def store() -> str:
        return f"sqlite:///{folder / f'{next(numbers)}.db'}"

    def study() -> None:
        Study(
            "walk",
            datasets=[rows],
            methods={"tree": ProbabilityTreeClassifier(), "laplace": ProbabilityTreeClassifier(estimate="frequency")},
            plan=CrossValidation(5),
            metrics=["log_loss", "auc"],
            store=store(),
        ).run()

    return dict(
        zip(
            GOALS,
            (
                lambda: ProbabilityTreeClassifier().fit(X, y),
                lambda: evaluate(y, p),
                lambda: calibrant.save(tree, folder / "again.model"),
                lambda: calibrant.load_model(saved),
                study,
                lambda: calibrant.ProbabilityClassifier(random_state=0).fit(*small),
                lambda: str(compare_table(rows, methods=["naive Bayes", "logistic regression", "tree"], store=store())),
                lambda: Report.from_predictions(y, p).to_html(),
            ),
            strict=True,
        )
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = walks(Path(folder))
        print(f"{'walk':38}{'functions':>10}{'files':>7}{'depth':>7}{'goal':>7}")
        for name in sys.argv[1:] or work:
            found = walk(work[name])
            print(f"{name:38}{len(found.functions):10,}{len(found.files):7}{found.depth:7}{GOALS[name]:7}", flush=True)


if __name__ == "__main__":
    main()
