"""The metrics of every trial, with wins, ties and losses over the data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from calibrant.comparison import win_tie_loss
from calibrant.papers._nielsen.published_figures import OWN_VOTE
from calibrant.papers._nielsen.readings import ALL_COLUMNS, ALL_VOTE, RANDOM_VOTE

if TYPE_CHECKING:
    from calibrant.studies import StudyResults

_DIGITS = 12  # differences in the last bits of sums are none; a t-test would find them significant


def higher_is_better(metric: str) -> bool:
    """Return whether a greater value of a metric is the better one."""
    return metric not in ("mse01", "avll")


@dataclass(frozen=True, eq=False)
class TrialValues:
    """The values of all trials of a study with one way of growing."""

    results: StudyResults

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The data sets."""
        return self.results.datasets

    @property
    def n_trials(self) -> int:
        """Number of trials of each data set."""
        return int(self.results.states[self.data_sets[0]].shape[1])

    def of(self, metric: str, data_set: str, method: str) -> NDArray[np.float64]:
        """Return the values of all trials of a method.

        The change of accuracy is that from the vote of the forest with random features, the classifier of all three
        systems as the paper's figures suggest, or from the vote of the method's own forest.
        """
        if metric not in ("delta_accuracy", OWN_VOTE):
            return self._recorded[metric, data_set][method]
        accuracy = self._recorded["accuracy", data_set]
        is_own = metric == OWN_VOTE and method.partition(",")[0] in ALL_COLUMNS
        vote = ALL_VOTE if is_own else RANDOM_VOTE
        return np.round(accuracy[method] - accuracy[vote], _DIGITS)

    def gains(self, metric: str, data_set: str, method: str, competitor: str) -> NDArray[np.float64]:
        """Return by how much a method is better than another in each trial."""
        difference = self.of(metric, data_set, method) - self.of(metric, data_set, competitor)
        return np.round(difference if higher_is_better(metric) else -difference, _DIGITS)

    @cached_property
    def _recorded(self) -> dict[tuple[str, str], dict[str, NDArray[np.float64]]]:
        found = {}
        for metric, name in product(self.results.metrics, self.data_sets):
            values = np.round(self.results.split_values(metric, name), _DIGITS)
            found[metric, name] = dict(zip(self.results.methods, values, strict=True))
        return found


LEVEL = 0.1
PAPER_TRIALS = 100
_N_REPLICATES = 200
_SEED = 2004


@dataclass(frozen=True)
class Counts:
    """Wins, ties and losses, each with the standard deviation of its difference from the paper's if chance is all.

    Of the paired test there are the wins and losses that the corrected test finds too, and the result of each data set:
    1, 0 or -1.
    """

    numbers: tuple[int, int, int]
    errors: tuple[float, float, float]
    remaining: tuple[int, int] = (0, 0)
    outcomes: Mapping[str, int] = field(default_factory=dict)


def read_record(values: TrialValues, metric: str, method: str, competitor: str) -> Counts:
    """Compare a method with another on every data set by the paired t-test, and by the corrected one."""
    gains = {name: values.gains(metric, name, method, competitor) for name in values.data_sets}
    table = {name: np.column_stack([np.zeros_like(each), each]) for name, each in gains.items()}
    # A third is held out, so there are two training rows for each test row
    found = win_tie_loss(table, better="higher", methods=[competitor, method], alpha=LEVEL, n_train=2, n_test=1)
    outcomes = {each.dataset: {"win": 1, "tie": 0, "loss": -1}[each.result] for each in found.outcomes}
    (record,) = found.records
    differences = np.stack([*gains.values()])
    errors = _errors(differences, np.zeros_like(differences), is_paired=True)
    remaining = (record.corrected_wins or 0, record.corrected_losses or 0)
    return Counts((record.wins, record.ties, record.losses), errors, remaining, outcomes)


def read_unpaired(values: TrialValues, metric: str, method: str, competitor: str) -> Counts:
    """Compare a method with another on every data set by the t-test that does not pair their trials."""
    sign = 1.0 if higher_is_better(metric) else -1.0
    trials = [[sign * values.of(metric, each, name) for each in values.data_sets] for name in (method, competitor)]
    first, second = map(np.stack, trials)
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
