"""Wins, ties and losses over the data sets, and how much they vary by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from calibrant.comparison import Record, win_tie_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.papers._nielsen.trial_values import TrialValues

__all__ = ["LEVEL", "PAPER_TRIALS", "Counts", "RecordOfTrials", "read_record", "read_unpaired"]

LEVEL = 0.1
PAPER_TRIALS = 100
_N_REPLICATES = 200
_SEED = 2004


@dataclass(frozen=True)
class Counts:
    """Wins, ties and losses, each with the standard deviation of its difference from the paper's if chance is all."""

    numbers: tuple[int, int, int]
    errors: tuple[float, float, float]


@dataclass(frozen=True)
class RecordOfTrials:
    """Wins, ties and losses by the paired test, those that the corrected test finds too, and by data set."""

    counts: Counts
    record: Record
    outcomes: dict[str, int]  # 1, 0 or -1 by data set


def read_record(values: TrialValues, metric: str, method: str, competitor: str) -> RecordOfTrials:
    """Compare a method with another on every data set by the paired t-test, and by the corrected one."""
    gains = {name: values.gains(metric, name, method, competitor) for name in values.data_sets}
    table = {name: np.column_stack([np.zeros_like(each), each]) for name, each in gains.items()}
    # A third is held out, so there are two training rows for each test row
    found = win_tie_loss(table, better="higher", methods=[competitor, method], alpha=LEVEL, n_train=2, n_test=1)
    numbers = {"win": 1, "tie": 0, "loss": -1}
    outcomes = {each.dataset: numbers[each.result] for each in found.outcomes}
    (record,) = found.records
    differences = np.stack([*gains.values()])
    errors = _errors(differences, np.zeros_like(differences), is_paired=True)
    return RecordOfTrials(Counts((record.wins, record.ties, record.losses), errors), record, outcomes)


def read_unpaired(values: TrialValues, metric: str, method: str, competitor: str) -> Counts:
    """Compare a method with another on every data set by the t-test that does not pair their trials."""
    first, second = (values.all_of(metric, name) for name in (method, competitor))
    wins, ties, losses = _count(first, second, is_paired=False)
    return Counts((int(wins), int(ties), int(losses)), _errors(first, second, is_paired=False))


def _errors(first: NDArray[np.float64], second: NDArray[np.float64], *, is_paired: bool) -> tuple[float, float, float]:
    """Return the standard deviations of differences of wins, ties and losses between our trials and the paper's."""
    rng = np.random.default_rng(_SEED)
    variances = []
    for n_trials in (first.shape[1], PAPER_TRIALS):
        drawn = rng.integers(first.shape[1], size=(_N_REPLICATES, n_trials))
        variances.append(_count(first[:, drawn], second[:, drawn], is_paired=is_paired).var(axis=0))
    wins, ties, losses = np.sqrt(np.sum(variances, axis=0))
    return float(wins), float(ties), float(losses)


def _count(first: NDArray[np.float64], second: NDArray[np.float64], *, is_paired: bool) -> NDArray[np.intp]:
    """Return wins, ties and losses over the first axis, the data sets, of t-tests over the last one, the trials."""
    n_trials = first.shape[-1]
    gain = first.mean(axis=-1) - second.mean(axis=-1)
    if is_paired:
        variance, df = (first - second).var(axis=-1, ddof=1), n_trials - 1
    else:
        variance, df = first.var(axis=-1, ddof=1) + second.var(axis=-1, ddof=1), 2 * n_trials - 2
    bound = stdtrit(df, 1 - LEVEL / 2) * np.sqrt(variance / n_trials) + 1e-12  # equal means may differ in the last bits
    wins, losses = (gain > bound).sum(axis=0), (gain < -bound).sum(axis=0)
    return np.stack([wins, len(first) - wins - losses, losses], axis=-1)
