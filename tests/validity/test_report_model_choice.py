"""A report calls the truly best model worse in at most 5 of 100 reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from calibrant.metrics import evaluate
from calibrant.report._predictions.comparison import ModelChoice, choose_model
from calibrant.report._predictions.read_report_data import read_report_data

N_REPORTS = 300
MOST_WRONG = int(binom.ppf(0.999, N_REPORTS, 0.05))  # 28 of 300


def choice_of(y: Any, models: dict[str, Any], **options: Any) -> ModelChoice:
    data = read_report_data(y, models, **options)
    # The choice needs the log-loss and the rows alone, and a whole card takes a hundred times as long
    cards = {
        name: evaluate(y, proba, metrics=["log_loss"], confidence=None, groups=options.get("groups"))
        for name, proba in models.items()
    }
    data.__dict__["cards"] = cards
    found = choose_model(data)
    assert found is not None
    return found


@pytest.mark.long
@pytest.mark.parametrize("n_copies", [1, 4])
def test_a_model_as_good_as_the_best_is_hardly_ever_called_worse(n_copies: int) -> None:
    """Three models of equal expected loss, on independent rows or on rows of groups that are all copies."""
    n_wrong = 0
    for seed in range(N_REPORTS):
        rng = np.random.default_rng(seed)
        score = rng.normal(-1.0, 1.0, 150)
        y = rng.random(150) < expit(score)
        models = {name: expit(score + rng.normal(0.0, 0.5, 150)) for name in "abc"}
        row = np.repeat(np.arange(150), n_copies)
        options = {} if n_copies == 1 else {"groups": row}
        choice = choice_of(y[row], {name: proba[row] for name, proba in models.items()}, **options)
        n_wrong += "a" in choice.worse
    assert n_wrong <= MOST_WRONG


def test_a_model_that_is_clearly_worse_is_called_worse() -> None:
    n_found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        score = rng.normal(-1.0, 1.0, 400)
        models = {"true": expit(score), "noisy": expit(score + rng.normal(0.0, 1.5, 400))}
        choice = choice_of(rng.random(400) < expit(score), models)
        n_found += choice.best == "true" and choice.worse == ["noisy"]
    assert n_found >= 95
