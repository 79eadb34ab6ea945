"""Intervals from held-out rows hold the truth and equal methods are not told apart: quick runs of the benchmark.

Draws are few: each bound is what `docs/resampling.md` states less, or plus, 3.5 standard errors of a share.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from calibrant.bayes import ConstantClassifier
from calibrant.resampling import CrossValidation, estimate_performance

LOW = 0.93  # the coverage that every cell has at least


def margin(share: float, n_draws: int) -> float:
    return 3.5 * math.sqrt(share * (1 - share) / n_draws)


def draws(few: int, many: int) -> list[Any]:
    return [few, pytest.param(many, marks=pytest.mark.long)]


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "interval_coverage.py"
    spec = importlib.util.spec_from_file_location("interval_coverage", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n_draws", draws(60, 200))
@pytest.mark.parametrize("stratified", [True, False])
def test_the_interval_of_the_base_rate_holds_the_entropy(stratified: bool, n_draws: int) -> None:
    """1,500 rows, 9 % positive: by the variance of stratified folds 41 % of the intervals held it."""
    random, held = np.random.default_rng(0), 0
    entropy = -(0.09 * math.log(0.09) + 0.91 * math.log(0.91))
    for seed in range(n_draws):
        y = random.random(1_500) < 0.09
        plan = CrossValidation(10, stratified=stratified, random_state=seed)
        score = estimate_performance(ConstantClassifier(), np.zeros((1_500, 1)), y, plan, ["log_loss"]).score(
            "log_loss"
        )
        held += score.low <= entropy <= score.high
    assert held / n_draws >= 0.95 - margin(0.95, n_draws)


@pytest.mark.parametrize("n_draws", draws(15, 80))
@pytest.mark.parametrize("plan", ["stratified", "not stratified", "groups"])
def test_intervals_hold_the_true_losses_of_the_fitted_models(simulation: ModuleType, plan: str, n_draws: int) -> None:
    """600 rows, 10 % positive; of the constant, logistic regression, naive Bayes and a tree."""
    found = simulation.run_cell(simulation.Cell("simulated", 600, 0.1, plan, n_draws), simulation.METHODS, seed=1)
    covered = simulation.coverage(found["truth"], found["own"])[0]
    assert covered.shape == (4, 4)
    assert covered.min() >= LOW - margin(LOW, n_draws)


@pytest.mark.parametrize("n_draws", draws(12, 40))
def test_three_repeats_cover_as_one_does(simulation: ModuleType, n_draws: int) -> None:
    methods = {name: simulation.METHODS[name] for name in ("constant", "tree")}
    cell = simulation.Cell("simulated", 600, 0.1, "stratified, 3 repeats", n_draws)
    found = simulation.run_cell(cell, methods, seed=2)
    assert simulation.coverage(found["truth"], found["own"])[0].min() >= LOW - margin(LOW, n_draws)


@pytest.mark.parametrize("n_draws", draws(8, 40))
@pytest.mark.parametrize("model", ["logistic", "tree"])
def test_of_13_equally_good_methods_none_is_called_worse(simulation: ModuleType, model: str, n_draws: int) -> None:
    """In at most 5 % of the draws any is, and at most 5 % of the pairs are told apart, by losses and by areas."""
    found = simulation.equal_methods(300, model, n_draws, seed=3)
    assert found["worse"].mean(axis=0).max() <= 0.05 + margin(0.05, n_draws)
    assert found["better"].mean(axis=0).max() <= 0.05 + margin(0.05, n_draws)


def test_a_weak_logistic_regression_is_shown_to_beat_the_base_rate(simulation: ModuleType) -> None:
    """10,000 rows, log-odds that rise by 0.2 a standard deviation, an area of 0.55: in at least nine of ten draws."""
    random, shown, n_draws = np.random.default_rng(4), 0, 15
    methods = {name: simulation.METHODS[name] for name in ("constant", "logistic")}
    for seed in range(n_draws):
        X = random.normal(size=(10_000, 2))
        y = random.random(10_000) < 1 / (1 + np.exp(1.0 - 0.2 * X[:, 0]))
        found = estimate_performance(methods, X, y, CrossValidation(10, random_state=seed), ["log_loss"])
        shown += found.compare("log_loss", "logistic", "constant").better == "first"
    assert shown / n_draws >= 0.9 - margin(0.9, n_draws)
