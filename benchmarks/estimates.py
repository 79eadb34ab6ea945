"""One tree, ten estimates: the cost of reading and predicting all of them, compared with growing and with one."""

from __future__ import annotations

import argparse
import pickle
from typing import Any

import numpy as np

from _side_by_side import best_of, machine
from calibrant.estimates import Curtailment, Estimate, MEstimate, PathAverage
from calibrant.trees import ProbabilityTreeClassifier
from trees import PLAIN, continuous

# Ten estimates that need only the class counts.
TEN: list[str | Estimate] = [
    "frequency",
    "laplace",
    "m",
    MEstimate(m=2, prior="uniform"),
    Curtailment(v=200),
    "smoothed_curtailment",
    "m_branch",
    "path_average",
    PathAverage(prior="wallace"),
    "hierarchical_shrinkage",
]


def reading(name: str, params: dict[str, Any], X: np.ndarray, y: np.ndarray, rounds: int) -> ProbabilityTreeClassifier:
    model = ProbabilityTreeClassifier(**params)
    times = best_of(
        rounds,
        grow=lambda: model.fit(X, y),
        read=lambda: [model.with_estimate(estimate) for estimate in TEN],
    )
    print(
        f"\n{name}: {model.tree_}\n  growing {times['grow']:.4f} s, reading ten estimates {times['read']:.4f} s: "
        f"{1 + times['read'] / times['grow']:.3f} x growing (bar 1.1)"
    )
    return model


def predicting(model: ProbabilityTreeClassifier, X: np.ndarray, rounds: int) -> None:
    times = best_of(
        rounds,
        one=lambda: model.predict_proba(X),
        many=lambda: model.predict_proba_many(X, TEN),
    )
    print(
        f"  predicting {len(X):,} rows: one estimate {times['one']:.4f} s, ten {times['many']:.4f} s: "
        f"{times['many'] / times['one']:.2f} x one (bar 2)"
    )


def pickled_size(model: ProbabilityTreeClassifier, X: np.ndarray) -> None:
    tree, whole, raw = (n / 2**20 for n in (len(pickle.dumps(model.tree_)), len(pickle.dumps(model)), X.nbytes))
    print(f"  pickled {whole:.1f} MiB, of which the tree {tree:.1f} MiB (X has {raw:.1f} MiB)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(machine("numpy", "scikit-learn", "calibrant"))
    X, y = continuous(125_000, 0.05)
    million = np.tile(X, (8, 1))
    for name, params in {"A, C4.4": {}, "A, every cut allowed": PLAIN}.items():
        model = reading(name, params, X[:100_000], y[:100_000], rounds)
        predicting(model, million, rounds)
        pickled_size(model, X[:100_000])


if __name__ == "__main__":
    main()
