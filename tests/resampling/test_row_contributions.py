"""Contributions of held-out rows to means over splits agree with closed forms and with DeLong's variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.stats

from calibrant import _core
from calibrant.metrics import METRICS
from calibrant.resampling._performance.row_contributions import Contributions, TestedRows, row_contributions
from calibrant.resampling._performance.row_statistics import RowStatistics
from calibrant.resampling._trials.scoring import Scorer, TrainingSummary, read_scorer
from calibrant.resampling._trials.trial_data import MethodTrial, read_trial_data

N_ROWS, N_FOLDS = 120, 4
NO_TRAINING = TrainingSummary(np.array([0.5, 0.5]))


def predictions(n_rows: int = N_ROWS, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    p = random.beta(2, 2, n_rows)
    return (random.random(n_rows) < p).astype(int), p


def scorer_of(y: Any, metrics: Sequence[str], params: Any = None, **by_row: Any) -> Scorer:
    data = read_trial_data(np.zeros((len(y), 1)), y, by_row.get("weight"), by_row.get("groups"), is_regression=False)
    return read_scorer(data, list(metrics), params, None)


def trials_of(folds: Sequence[np.ndarray], p: np.ndarray) -> list[MethodTrial]:
    table = np.column_stack([1 - p, p])
    n_train = len(p) - max(map(len, folds))
    return [
        MethodTrial(number, 0, rows, n_train, NO_TRAINING, True, predictions=table[rows])
        for number, rows in enumerate(folds)
    ]


def found_by(scorer: Scorer, metric: str, trials: Sequence[MethodTrial]) -> tuple[float, Contributions, TestedRows]:
    """Return the mean over splits, the contributions to it and the tests."""
    values = np.array([scorer.score(metric, t.predictions, t.test, t.training) for t in trials])
    tested = TestedRows.of(scorer.data, trials)
    return float(np.nanmean(values)), row_contributions(scorer, metric, trials, values, tested), tested


def k_folds(n_rows: int = N_ROWS, n_folds: int = N_FOLDS) -> list[np.ndarray]:
    return [np.arange(n_rows)[number::n_folds] for number in range(n_folds)]


def row_losses(metric: str, y: np.ndarray, p: np.ndarray) -> np.ndarray:
    own = np.where(y == 1, p, 1 - p)
    return {"log_loss": -np.log(own), "mse": 2 * (1 - own) ** 2, "error": (own < 0.5).astype(float)}[metric]


@pytest.mark.parametrize("metric", ["log_loss", "mse", "error"])
def test_the_variance_of_a_mean_over_equal_folds_is_that_of_the_row_losses_over_n(metric: str) -> None:
    y, p = predictions()
    mean, found, _ = found_by(scorer_of(y, [metric]), metric, trials_of(k_folds(), p))
    losses = row_losses(metric, y, p)
    assert mean == pytest.approx(losses.mean())
    assert found.by_unit == pytest.approx((losses - losses.mean()) / N_ROWS)
    ddof = 0 if metric == "error" else 1  # the variance of a proportion follows from its value, as Wilson's does
    assert found.variance == pytest.approx(losses.var(ddof=ddof) / N_ROWS)


def test_a_proportion_of_rows_is_normal_and_one_of_groups_has_their_degrees_of_freedom() -> None:
    y, p = predictions()
    groups = np.arange(N_ROWS) // 4
    _, rows, _ = found_by(scorer_of(y, ["error"]), "error", trials_of(k_folds(), p))
    _, grouped, _ = found_by(scorer_of(y, ["error"], groups=groups), "error", trials_of([np.arange(N_ROWS)], p))
    assert (rows.df, grouped.df) == (math.inf, 29)


@pytest.mark.parametrize("metric", ["log_loss", "auc", "rms", "average_precision"])
def test_repeats_of_the_same_folds_leave_the_variance_as_it_is(metric: str) -> None:
    y, p = predictions()
    scorer = scorer_of(y, [metric])
    _, once, _ = found_by(scorer, metric, trials_of(k_folds(), p))
    _, thrice, tested = found_by(scorer, metric, trials_of(3 * k_folds(), p))
    assert thrice.variance == pytest.approx(once.variance)
    assert tested.n_rows == N_ROWS


@pytest.mark.parametrize("metric", ["log_loss", "mse", "error", "profit"])
def test_a_weight_of_2_is_the_row_twice(metric: str) -> None:
    y, p = predictions()
    params = {"profit": {"amount": 2.0, "cost": 0.5}} if metric == "profit" else None
    weight = np.where(np.arange(N_ROWS) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(N_ROWS), weight.astype(int))
    folds = k_folds()
    doubled = [np.flatnonzero(np.isin(twice, rows)) for rows in folds]
    mean, weighted, _ = found_by(scorer_of(y, [metric], params, weight=weight), metric, trials_of(folds, p))
    other, copied, _ = found_by(scorer_of(y[twice], [metric], params), metric, trials_of(doubled, p[twice]))
    assert mean == pytest.approx(other)
    assert weighted.variance == pytest.approx(copied.variance)
    assert weighted.df == copied.df


def test_a_group_contributes_the_sum_of_its_rows() -> None:
    """30 groups of four rows, each within a fold: the variance of the sums of groups, by hand."""
    y, p = predictions()
    groups = np.arange(N_ROWS) // 4
    folds = [np.flatnonzero(groups % N_FOLDS == number) for number in range(N_FOLDS)]
    share = np.empty(N_ROWS)
    for rows in folds:
        share[rows] = 1 / (N_FOLDS * len(rows))
    losses = row_losses("log_loss", y, p)
    mean, found, tested = found_by(scorer_of(y, ["log_loss"], groups=groups), "log_loss", trials_of(folds, p))
    sums = np.bincount(groups, share * (losses - mean))
    assert found.by_unit == pytest.approx(sums)
    assert found.variance == pytest.approx(30 / 29 * (sums**2).sum())
    assert found.df == tested.n_rarer - 1 <= 29


@pytest.mark.parametrize("metric", ["log_loss", "auc", "rms"])
def test_groups_of_one_row_are_rows(metric: str) -> None:
    y, p = predictions()
    _, rows, _ = found_by(scorer_of(y, [metric]), metric, trials_of(k_folds(), p))
    _, groups, _ = found_by(scorer_of(y, [metric], groups=np.arange(N_ROWS)), metric, trials_of(k_folds(), p))
    assert groups.variance == pytest.approx(rows.variance)


@pytest.mark.parametrize("is_tied", [False, True])
def test_the_variance_of_an_area_of_one_split_is_that_of_delong(is_tied: bool) -> None:
    """DeLong divides each class's variance by its number of rows less 1, here by that of all rows."""
    y, p = predictions(400)
    p = np.round(p, 1) if is_tied else p
    area, found, _ = found_by(scorer_of(y, ["auc"]), "auc", trials_of([np.arange(400)], p))
    theirs, *variances, n_positive, n_negative = _core.area_variance(p, y == 1, None, 1)
    ours = [each * (n - 1) / n for each, n in zip(variances, (n_positive, n_negative), strict=True)]
    assert area == pytest.approx(theirs)
    assert found.variance == pytest.approx(400 / 399 * sum(ours))


def test_gini_is_twice_the_area() -> None:
    y, p = predictions()
    scorer = scorer_of(y, ["auc", "gini"])
    (_, area, _), (_, gini, _) = (found_by(scorer, name, trials_of(k_folds(), p)) for name in ("auc", "gini"))
    assert gini.by_unit == pytest.approx(2 * area.by_unit)
    assert gini.training == pytest.approx(area.training)


def test_folds_of_one_class_are_left_out_of_an_area() -> None:
    y, p = predictions()
    order = np.argsort(y, kind="stable")
    folds = [order[:20], *np.array_split(np.random.default_rng(0).permutation(order[20:]), 3)]
    mean, found, _ = found_by(scorer_of(y, ["auc"]), "auc", trials_of(folds, p))
    others = [METRICS["auc"].function(y[rows], p[rows]) for rows in folds[1:]]
    assert mean == pytest.approx(np.mean(others))
    assert not found.by_unit[folds[0]].any()


def test_tied_areas_vary_more_with_the_training_set_than_their_rows_show() -> None:
    """Untied predictions have a factor near 1, those of a stump one above 1, a constant none."""
    y, p = predictions(2_000)
    scorer, whole = scorer_of(y, ["auc"]), [np.arange(2_000)]
    assert found_by(scorer, "auc", trials_of(whole, p))[1].training == pytest.approx(1.0, abs=0.15)
    assert found_by(scorer, "auc", trials_of(whole, np.where(p > 0.9, 0.6, 0.4)))[1].training > 2.0
    assert found_by(scorer, "auc", trials_of(whole, np.full(2_000, 0.5)))[1].training == 1.0


def test_the_contributions_to_a_profit_are_the_profits_of_rows() -> None:
    """The mean over folds of a sum: n / K rows, each with its own profit."""
    y, p = predictions()
    amount = np.random.default_rng(1).lognormal(size=N_ROWS)
    params = {"profit": {"amount": amount, "cost": 0.6, "estimated_amount": 1.5}}
    earned = np.where(p * 1.5 > 0.6, y * amount - 0.6, 0.0)
    mean, found, _ = found_by(scorer_of(y, ["profit"], params), "profit", trials_of(k_folds(), p))
    assert mean == pytest.approx(earned.sum() / N_FOLDS)
    assert found.variance == pytest.approx(N_ROWS * earned.var(ddof=1) / N_FOLDS**2)


@pytest.mark.parametrize(("metric", "of"), [("rms", "mse"), ("mse", "mse")])
def test_blocks_agree_with_the_delta_method(metric: str, of: str) -> None:
    """The root of a mean m of one split: its variance is that of m over 4 m, up to 1 / n."""
    y, p = predictions(180)
    whole = [np.arange(180)]
    value, found, _ = found_by(scorer_of(y, [metric]), metric, trials_of(whole, p))
    mean, means, _ = found_by(scorer_of(y, [of]), of, trials_of(whole, p))
    slope = value / (2 * mean) if metric == "rms" else 1.0
    assert found.variance == pytest.approx(slope**2 * means.variance, rel=0.02)


def test_weights_count_alike_in_blocks_and_in_rows() -> None:
    """A function of one's own that is the weighted mse, by blocks of one row, against the contributions of mse."""
    y, p = predictions()
    weight = np.where(np.arange(N_ROWS) % 2 == 0, 3.0, 1.0)
    data = read_trial_data(np.zeros((N_ROWS, 1)), y, weight, None, is_regression=False)
    scorer = read_scorer(data, {"mse": None, "own": METRICS["mse"].function}, None, None)
    trials = trials_of(k_folds(), p)
    (_, rows, _), (_, blocks, _) = (found_by(scorer, name, trials) for name in ("mse", "own"))
    assert blocks.variance == pytest.approx(rows.variance, rel=0.02)


def test_splits_of_one_row_contribute_their_values() -> None:
    """Leave-one-out of a metric that is no mean of rows: the root of each row's squared error."""
    y, p = predictions()
    folds = [np.array([row]) for row in range(N_ROWS)]
    _, found, _ = found_by(scorer_of(y, ["rms"]), "rms", trials_of(folds, p))
    values = np.abs(y - p) * METRICS["rms"].function([0, 1], [1.0, 0.0])
    assert found.variance == pytest.approx(values.var(ddof=1) / N_ROWS)


def test_the_combination_of_tests_and_training_rows_is_that_of_their_contributions() -> None:
    random, copies = np.random.default_rng(0), np.ones(50)
    one, other = (Contributions(random.normal(size=50), copies, 49.0) for _ in range(2))
    both = one.plus(other, 0.368)
    assert both.by_unit == pytest.approx(0.632 * one.by_unit + 0.368 * other.by_unit)
    assert both.df == 49.0


def test_a_difference_of_k_folds_has_the_standard_error_of_nadeau_and_bengio_with_rows() -> None:
    """SE^2 = s^2 / n (1 + K / (K - 1)), by Student's t."""
    y, p = predictions()
    other = np.clip(p + np.random.default_rng(1).normal(0, 0.1, N_ROWS), 0.01, 0.99)
    scorer, found = scorer_of(y, ["mse"]), {}
    for name, q in (("a", p), ("b", other)):
        _, found[name, "mse"], tested = found_by(scorer, "mse", trials_of(k_folds(), q))
    d = row_losses("mse", y, p) - row_losses("mse", y, other)
    result = RowStatistics(tested, found).difference("a", "b", "mse", d.mean(), 0.9)
    error = math.sqrt(d.var(ddof=1) / N_ROWS * (1 + N_FOLDS / (N_FOLDS - 1)))
    df = min(np.bincount(y)) - 1
    assert result.error == pytest.approx(error)
    assert result.high - result.low == pytest.approx(2 * scipy.stats.t(df).ppf(0.95) * error)
    assert result.pvalue == pytest.approx(2 * scipy.stats.t(df).sf(abs(d.mean()) / error))
    same = RowStatistics(tested, found).difference("a", "a", "mse", 0.0, 0.9)
    assert (same.low, same.high, same.pvalue) == (0.0, 0.0, 1.0)


def test_the_worst_of_many_is_worse_and_equal_predictions_never_are() -> None:
    y, p = predictions(1_000)
    random, scorer, found, losses = np.random.default_rng(2), scorer_of(y, ["mse"]), {}, []
    names = [f"noise {i}" for i in range(4)] + ["bad", "copy of 0"]
    for name in names:
        seed = np.random.default_rng(3) if name in ("noise 0", "copy of 0") else random
        q = 1 - p if name == "bad" else np.clip(p + seed.normal(0, 0.02, len(p)), 0.01, 0.99)
        mean, found[name, "mse"], tested = found_by(scorer, "mse", trials_of(k_folds(1_000), q))
        losses.append(mean)
    pvalues = RowStatistics(tested, found).best_pvalues(names, "mse", np.array(losses))
    assert pvalues[4] < 0.001
    assert (pvalues[[0, 1, 2, 3, 5]] > 0.05).all()
    assert pvalues[0] == pvalues[5]
