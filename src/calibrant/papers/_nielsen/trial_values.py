"""The metrics of every trial, with the change of accuracy from the forests' votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.papers._nielsen.published_figures import METRIC_TITLES
from calibrant.papers._nielsen.readings import ADDED, ALL_VOTE, B_PETS, RANDOM_VOTE, REMOVED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies import StudyResults

__all__ = ["OWN_VOTE", "TITLES", "TrialValues", "higher_is_better", "paper_metric"]

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
