"""Naive Bayes with each treatment of numeric columns, compared with scikit-learn's GaussianNB."""

from __future__ import annotations

import argparse
import copy
import pickle
import time

import numpy as np
from sklearn.naive_bayes import GaussianNB

from _side_by_side import best_of, machine
from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import MDLDiscretizer
from trees import continuous


def fit_and_predict(X: np.ndarray, y: np.ndarray, numeric: str, rounds: int) -> None:
    model, peer = NaiveBayesClassifier(numeric=numeric), GaussianNB()
    fit = best_of(rounds, time.process_time, ours=lambda: model.fit(X, y), theirs=lambda: peer.fit(X, y))
    predict = best_of(
        rounds,
        time.process_time,
        ours=lambda: copy.deepcopy(model).predict_proba(X),  # with what a fitted model computes once
        theirs=lambda: peer.predict_proba(X),
    )
    for what, times in (("fit", fit), ("predict", predict)):
        print(
            f"  {numeric:<12}{X.dtype} {what:<8} {times['ours']:.4f} s, GaussianNB {times['theirs']:.4f} s: "
            f"{times['theirs'] / times['ours']:.2f} x its speed (processor seconds)"
        )
    print(
        f"  {numeric:<12}{X.dtype} pickle   {len(pickle.dumps(model)):,} bytes, GaussianNB {len(pickle.dumps(peer)):,}"
    )


def kernels(n: int, rounds: int) -> None:
    X, y = continuous(2 * n, 0.05)
    model = NaiveBayesClassifier(numeric="kernel").fit(X[:n], y[:n])
    time = best_of(rounds, ours=lambda: model.predict_proba(X[n:]))["ours"]
    print(f"\nkernels of {n:,} rows x {X.shape[1]} columns at as many new rows: {time:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(machine("numpy", "scipy", "scikit-learn", "calibrant"))
    X, y = continuous(100_000, 0.05)
    cut = best_of(rounds, ours=lambda: MDLDiscretizer().fit(X, y))["ours"]
    print(f"\n{len(X):,} x {X.shape[1]}: MDLDiscretizer fitted in {cut:.3f} s (bar 1)")
    for numeric in ("gaussian", "mdl", "equal_width"):
        for numbers in (X, X.astype(np.float64)):  # GaussianNB computes in floats of the width that it is given
            fit_and_predict(numbers, y, numeric, rounds)
    kernels(10_000, rounds)


if __name__ == "__main__":
    main()
