"""The metrics of every trial, with wins, ties and losses over the data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from calibrant.comparison import Record, win_tie_loss
from calibrant.papers._nielsen.published_figures import METRIC_TITLES
from calibrant.papers._nielsen.readings import ADDED, ALL_VOTE, B_PETS, RANDOM_VOTE, REMOVED

if TYPE_CHECKING:
    from calibrant.studies import StudyResults

OWN_VOTE = "delta_accuracy_own_vote"
TITLES: Mapping[str, str] = METRIC_TITLES | {OWN_VOTE: "ΔAcc, own vote"}

# By the names that those of the study begin with: the forest of these looks at all columns
_ALL_COLUMNS = ("B-PETs, ", ADDED["OB Examples"], ADDED["Omit Smoothing"], REMOVED["Random Features"])
_DIGITS = 12  # differences in the last bits of sums are none; a t-test would find them significant


def higher_is_better(metric: str) -> bool:
    """Return whether a greater value of a metric is the better one."""
    return metric not in ("mse01", "avll")


def paper_metric(metric: str) -> str:
    """Return the metric that the paper's table has: its change of accuracy, whichever vote ours is measured from."""
    return "delta_accuracy" if metric == OWN_VOTE else metric


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
        has_all_columns = method == B_PETS or method.startswith(_ALL_COLUMNS)
        vote = ALL_VOTE if metric == OWN_VOTE and has_all_columns else RANDOM_VOTE
        return np.round(accuracy[method] - accuracy[vote], _DIGITS)

    def gains(self, metric: str, data_set: str, method: str, competitor: str) -> NDArray[np.float64]:
        """Return by how much a method is better than another in each trial."""
        difference = self.of(metric, data_set, method) - self.of(metric, data_set, competitor)
        return np.round(difference if higher_is_better(metric) else -difference, _DIGITS)

    def all_of(self, metric: str, method: str) -> NDArray[np.float64]:
        """Return the values of all data sets and trials, the greater the better."""
        values = np.stack([self.of(metric, name, method) for name in self.data_sets])
        return values if higher_is_better(metric) else -values

    def mean_gains(self, metric: str, method: str, competitor: str) -> NDArray[np.float64]:
        """Return the mean over the trials of each data set."""
        return np.array([self.gains(metric, name, method, competitor).mean() for name in self.data_sets])

    @cached_property
    def _recorded(self) -> dict[tuple[str, str], dict[str, NDArray[np.float64]]]:
        return {
            (metric, name): dict(
                zip(
                    self.results.methods,
                    np.round(self.results.split_values(metric, name), _DIGITS),
                    strict=True,
                )
            )
            for metric in self.results.metrics
            for name in self.data_sets
        }


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
