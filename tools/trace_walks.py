"""Trace four walks of the data through calibrant: what is called, in which order, and what is called again.

    python tools/trace_walks.py

For each walk: the number of Python calls inside calibrant, the modules in the order of their first call, the calls
from a package into one above it in the layers (there should be none), and how often input is validated or coded.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.metrics import evaluate
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

LAYERS = (
    *("data", "metrics", "curves", "estimates", "trees", "bayes", "neighbors", "neural", "svm"),
    *("ensembles", "calibration"),
    *("resampling", "comparison", "decisions", "plots"),
)
VALIDATION = (
    *("check_param", "check_params", "check_weights", "code_labels"),
    *("fit_columns", "match_columns", "from_columns"),
)


@dataclass
class Trace:
    """The calls inside calibrant while some work runs."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    uphill: Counter[tuple[str, str]] = field(default_factory=Counter)

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        """Count a call; `sys.setprofile` calls this."""
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith("calibrant."):
            return
        self.calls[module, frame.f_code.co_name] += 1
        caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
        if 0 <= layer(caller) < layer(module):
            self.uphill[caller, f"{module}.{frame.f_code.co_name}"] += 1

    @classmethod
    def of(cls, work: Callable[[], Any]) -> Trace:
        """Return the trace of some work."""
        trace = cls()
        sys.setprofile(trace.record)
        try:
            work()
        finally:
            sys.setprofile(None)
        return trace

    def __str__(self) -> str:
        modules = list(dict.fromkeys(module for module, _ in self.calls))
        validated = Counter[str]()
        for (_, name), n in self.calls.items():
            if name in VALIDATION:
                validated[name] += n
        lines = [
            f"{self.calls.total():,} calls of {len(self.calls)} functions in {len(modules)} modules",
            f"validated and coded: {', '.join(f'{name} {n:,}' for name, n in validated.most_common()) or 'nothing'}",
            f"calls uphill: {self.uphill.total()}" + "".join(f"\n    {a} -> {b}" for a, b in self.uphill),
            "modules: " + " > ".join(module.removeprefix("calibrant.") for module in modules),
        ]
        return "\n".join(f"  {line}" for line in lines)


def layer(module: str) -> int:
    """Return the height of a module's package in the layers, -1 where it has none."""
    root, package, *_ = [*module.split("."), ""]
    return LAYERS.index(package) if root == "calibrant" and package in LAYERS else -1


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5))
    p = 1 / (1 + np.exp(-X[:, 0]))
    y = rng.random(1000) < p
    tree = ProbabilityTreeClassifier().fit(X, y)
    walks: dict[str, Callable[[], Any]] = {
        "ProbabilityTreeClassifier.fit": lambda: ProbabilityTreeClassifier().fit(X, y),
        "ProbabilityTreeClassifier.predict_proba": lambda: tree.predict_proba(X),
        'CalibratedClassifier(BaggedTreesClassifier(), cv="oob").fit': lambda: CalibratedClassifier(
            BaggedTreesClassifier(n_trees=20, random_state=0), cv="oob"
        ).fit(X, y),
        'evaluate(metrics="all")': lambda: evaluate(y, p, metrics="all"),
        "estimate_performance": lambda: estimate_performance(
            ProbabilityTreeClassifier(), X, y, CrossValidation(10), metrics=["log_loss", "auc"]
        ),
    }
    for name, work in walks.items():
        work()  # imports at first use are not part of the walk
        print(name, Trace.of(work), sep="\n")


if __name__ == "__main__":
    main()
