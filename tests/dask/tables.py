"""A table with numbers, missing values, categories, three classes, and weights that are not whole."""

from __future__ import annotations

import numpy as np
import pandas as pd


def table(n_rows: int = 600, *, weights: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"x{j}": rng.normal(size=n_rows) for j in range(4)})
    X["x3"] = X["x3"].round(1).where(rng.random(n_rows) > 0.1)
    X["town"] = np.array(["Bonn", "Oslo", "Rome"])[rng.integers(3, size=n_rows)]
    score = X["x0"] - X["x1"] + (X["town"] == "Rome") + rng.normal(size=n_rows)
    X["ill"] = np.select([score > 1.5, score > 0], ["badly", "yes"], "no")
    if weights:
        X["w"] = rng.random(n_rows) + 0.1
    return X
