"""Rows with numbers and categories, some of them missing."""

import numpy as np
import pandas as pd


def mixed_rows(n=240, seed=0):
    """Draw rows with numbers and categories missing, more often in one class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    frame["d"] = rng.choice(list("uvwx"), n)
    y = (frame["a"] + (frame["d"] == "u") + rng.normal(size=n) > 0.5).astype(int)
    for name in ["a", "c", "d"]:
        frame.loc[rng.random(n) < np.where(y == 1, 0.3, 0.1), name] = None
    return frame.astype({"d": "category"}), y.to_numpy()
