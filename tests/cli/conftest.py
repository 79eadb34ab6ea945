from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take COLUMNS out of the environment: readline sets it as soon as a library of other tests imports it."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def predictions() -> pd.DataFrame:
    """Calibrated probabilities `p` of the class yes, and `q`, which are too extreme."""
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.05, 0.95, 600).round(4)
    y = np.where(rng.random(600) < chance, "yes", "no")
    extreme = (1 / (1 + np.exp(-3 * np.log(chance / (1 - chance))))).round(6)
    region = np.repeat(["north", "south", "east"], 200)
    return pd.DataFrame({"id": range(600), "y": y, "p": chance, "q": extreme, "region": region, "gift": 20.0})


@pytest.fixture
def pred(predictions: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The predictions in the file pred.csv of the current folder, which is empty otherwise."""
    monkeypatch.chdir(tmp_path)
    predictions.to_csv("pred.csv", index=False)
    return tmp_path / "pred.csv"


@pytest.fixture
def three_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """Probabilities of three classes as `calibrant predict` writes them, in pred3.csv of the current folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([1, 1, 1], 300)
    y = np.array([rng.choice(["a", "b", "c"], p=row) for row in proba])
    frame = pd.DataFrame(proba, columns=["probability_a", "probability_b", "probability_c"]).assign(y=y)
    frame.to_csv("pred3.csv", index=False)
    return frame
