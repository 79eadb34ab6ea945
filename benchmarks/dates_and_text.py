"""`ProbabilityClassifier` with and without what is made of dates and free text: log-loss on new rows.

donors      The numbers of kdd98_case_control, months since gifts and mailings as dates before June 1997.
docstrings  The first lines of the docstrings of public functions, and whether they are of SciPy or of scikit-learn.
orders      Drawn: the log-odds rise by 1.5 at weekends and by 1.5 where the word "lost" is among 3 to 8 words of 14.
noise       telco_churn with a date and a text that say nothing.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from _side_by_side import machine
from calibrant import ProbabilityClassifier
from calibrant.blending import _plan
from calibrant.data import load

WORDS = [
    "late",
    "paid",
    "twice",
    "call",
    "again",
    "never",
    "asked",
    "refund",
    "sent",
    "lost",
    "parcel",
    "broken",
    "nice",
    "thanks",
]
PACKAGES = {
    "scikit-learn": "cluster decomposition ensemble linear_model metrics preprocessing datasets utils impute",
    "scipy": "stats optimize signal linalg special interpolate sparse spatial ndimage integrate",
}


def _words(rng: np.random.Generator, n_rows: int) -> list[str]:
    return [" ".join(rng.choice(WORDS, size=rng.integers(3, 9))) for _ in range(n_rows)]


def _days(rng: np.random.Generator, n_rows: int) -> pd.Series[Any]:
    return pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n_rows), unit="D"))


def donors(rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """Return some rows of the donors, with dates."""
    table = load("kdd98_case_control")
    rows = rng.permutation(table.n_rows)[:3_000]
    X = table.X.drop(columns=[name for name in table.X if table.kinds[name] == "nominal"])
    X = X.iloc[rows].reset_index(drop=True)
    for name in [name for name in X if str(name).startswith("MONTHS_SINCE")]:
        months = np.datetime64("1997-06") - X[name].fillna(0).to_numpy().astype("m8[M]")
        X[name] = pd.Series(months.astype("M8[D]").astype("M8[s]")).where(X[name].notna())
    return X, np.asarray(table.y.iloc[rows])


def docstrings(rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """Return the first lines of docstrings, the number of parameters, and the package."""
    found = {}
    for label, modules in PACKAGES.items():
        for name in modules.split():
            module = importlib.import_module(f"{'sklearn' if label == 'scikit-learn' else label}.{name}")
            for item in filter(callable, (getattr(module, each, None) for each in getattr(module, "__all__", ()))):
                text = (inspect.getdoc(item) or "").strip().split("\n")[0]
                if len(text.split()) > 1 and text not in found:
                    found[text] = (label, len(getattr(item, "__name__", "")))
    rows = [(text, length, label) for text, (label, length) in found.items()]
    frame = pd.DataFrame(rows, columns=["text", "length_of_name", "package"]).iloc[rng.permutation(len(rows))]
    return frame[["text", "length_of_name"]].reset_index(drop=True), frame["package"].to_numpy()


def orders(rng: np.random.Generator, n_rows: int = 2_000) -> tuple[pd.DataFrame, Any]:
    """Draw orders whose class depends on a number, the weekday and a word."""
    X = pd.DataFrame({"x": rng.normal(size=n_rows), "when": _days(rng, n_rows), "note": _words(rng, n_rows)})
    log_odds = X["x"] + 1.5 * (X["when"].dt.day_of_week >= 5) + 1.5 * X["note"].str.contains("lost") - 1.0
    return X, np.where(rng.random(n_rows) < 1 / (1 + np.exp(-log_odds)), "bad", "good")


def noise(rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """Return some rows of telco_churn with a date and a text at random."""
    table = load("telco_churn")
    rows = rng.permutation(table.n_rows)[:2_000]
    X = table.X.iloc[rows].reset_index(drop=True)
    return X.assign(when=_days(rng, len(rows)), note=_words(rng, len(rows))), np.asarray(table.y.iloc[rows])


TABLES: dict[str, Callable[[np.random.Generator], tuple[pd.DataFrame, Any]]] = {
    "donors": donors,
    "docstrings": docstrings,
    "orders": orders,
    "noise": noise,
}


def row_losses(X: pd.DataFrame, y: Any, seed: int) -> tuple[Any, float]:
    """Return the loss of each row of the second half by a model of the first, and the weight of dates and text."""
    half = len(y) // 2
    model = ProbabilityClassifier(random_state=seed).fit(X[:half], y[:half])
    proba = model.predict_proba(X[half:])
    losses = -np.log(proba[np.arange(len(y) - half), np.searchsorted(model.classes_, y[half:])])
    made = sum(each.weight for each in model.members_ if "dates" in each.name or "text" in each.name)
    return losses, made / sum(each.weight for each in model.members_)


def main() -> None:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--splits", type=int, default=3)
    arguments = parser.parse_args()
    print(machine())
    print(f"{'table':12} {'rows':>6} {'without':>8} {'with':>8} {'change':>8} {'+-':>7} {'share of weights':>17}")
    for name in arguments.tables:
        pairs, shares, n_rows = [], [], 0
        for seed in range(arguments.splits):
            X, y = TABLES[name](np.random.default_rng(seed))
            n_rows = len(y) // 2
            after, share = row_losses(X, y, seed)
            with patch.object(_plan, "_PARTS_FAMILIES", ()):
                before, _ = row_losses(X, y, seed)
            pairs.append((before, after))
            shares.append(share)
        before, after = (np.concatenate(each) for each in zip(*pairs, strict=True))
        error = (after - before).std() / np.sqrt(len(after))
        figures = f"{before.mean():8.4f} {after.mean():8.4f} {(after - before).mean():+8.4f} {error:7.4f}"
        print(f"{name:12} {n_rows:6,} {figures} {np.mean(shares):17.2f}", flush=True)


if __name__ == "__main__":
    main()
