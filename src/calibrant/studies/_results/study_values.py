"""The values of a study's trials by data set, method and split, which its queries are answered from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import StudyError
from calibrant.metrics import METRICS
from calibrant.resampling._internal import bootstrap_632_values
from calibrant.studies._results.arrays import DONE, FAILED, MISSING
from calibrant.studies._results.dataset_plan import DatasetPlan
from calibrant.studies._results.metric_facts import MetricFacts, choose_name, metric_facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.comparison._internal import Better
    from calibrant.studies._results.arrays import Key

__all__ = ["COUNTED", "StudyValues"]

COUNTED = "counted"  # the part that holds how many rows a proportion counts in each split, by `Scorer.n_counted`
_ALL_COUNTED = ("accuracy", "error", "top_k_accuracy")  # proportions of all test rows


@dataclass(frozen=True, eq=False)
class StudyValues:
    """Values and states of trials; `StudyResults` documents the fields."""

    name: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    plans: Mapping[str, DatasetPlan]
    values: Mapping[Key, NDArray[np.float64]] = field(repr=False)
    states: Mapping[str, NDArray[np.int8]] = field(repr=False)
    all_rows: Mapping[Key, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    all_rows_states: Mapping[str, NDArray[np.int8]] = field(default_factory=dict, repr=False)
    lacking: Mapping[Key, NDArray[np.bool_]] = field(default_factory=dict, repr=False)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    candidates: tuple[str, ...] = ()
    own_metrics: frozenset[str] = frozenset()
    keyed_metrics: frozenset[str] = frozenset()
    columns: Mapping[Any, Any] = field(default_factory=dict, repr=False)
    read_predictions: Callable[[str, str], Sequence[tuple[int, bytes]]] | None = field(default=None, repr=False)

    def facts(self, metric: str, better: Better | None = None) -> MetricFacts:
        """Return the direction and the range of a metric of the study."""
        return metric_facts(metric, self.metrics, self.own_metrics, better)

    def chosen_datasets(self, dataset: str | None) -> tuple[str, ...]:
        """Return the data set of that name, or all."""
        if dataset is None:
            return self.datasets
        return (self.datasets[choose_name("dataset", dataset, self.datasets)],)

    def recorded_values(self, metric: str, dataset: str, part: str = "test") -> NDArray[np.float64]:
        """Return the values of methods and splits as estimates: bootstrap replicates with training rows weighted in."""
        choose_name("metric", metric, self.metrics)
        choose_name("dataset", dataset, self.datasets)
        kind = self.plans[dataset].bootstrap
        test = self._part(metric, dataset, part)
        if part != "test" or kind is None:
            return test
        training, guessing = (self._fitted(metric, dataset, each) for each in ("training", "no_information"))
        is_better = None if metric in self.own_metrics else self._is_better(metric)
        one, two, three = (each[:, np.newaxis] for each in (test, training, guessing))
        with np.errstate(invalid="ignore"):  # trials that are missing
            return np.ascontiguousarray(bootstrap_632_values(one, two, three, kind, [is_better])[:, 0])

    def done_values(self, metric: str, dataset: str) -> NDArray[np.float64]:
        """Return the values of methods and splits, NaN where a trial that they depend on failed or is missing."""
        values = self.recorded_values(metric, dataset)
        return np.where(self.trial_states(metric, dataset) == DONE, values, np.nan)

    def tested_values(self, metric: str, dataset: str) -> NDArray[np.float64]:
        """Return the values on test rows alone, which tests of differences take; out-of-bag rows of a bootstrap."""
        is_done = self._states_of(metric, dataset, "test") == DONE
        return np.where(is_done, self._part(metric, dataset, "test"), np.nan)

    def trial_states(self, metric: str, dataset: str, part: str = "test") -> NDArray[np.int8]:
        """Return whether each trial has a result for a metric: methods x splits, those that it depends on included."""
        states = self._states_of(metric, dataset, part)
        kind = self.plans[dataset].bootstrap if part == "test" else None
        if kind == ".632":
            return np.where(states == DONE, self._states_of(metric, dataset, "training"), states)
        if kind == ".632+" and dataset in self.all_rows_states:
            return np.where(states == DONE, self.all_rows_states[dataset][:, np.newaxis], states)
        return states

    def n_counted(self, metric: str, dataset: str) -> NDArray[np.float64] | None:
        """Return the rows that a proportion or an area counts in each split; None where it is neither, or not known."""
        counted = self.values.get((dataset, metric, COUNTED))
        known = None if counted is None else counted[~np.isnan(counted).any(axis=1)]
        if known is not None and len(known):
            return np.asarray(known[0])
        is_of_all = metric in _ALL_COUNTED and metric not in self.own_metrics
        return self.plans[dataset].n_test.astype(np.float64) if is_of_all else None

    def _part(self, metric: str, dataset: str, part: str) -> NDArray[np.float64]:
        found = self.values.get((dataset, metric, part))
        if found is not None:
            return found
        if part == "test":
            return np.full(self.states[dataset].shape, np.nan)
        raise StudyError(
            f"study {self.name!r} has no values of {metric!r} on {part} rows of {dataset!r}; part='test' has them, and "
            "a study that tests the training rows too records them."
        )

    def _fitted(self, metric: str, dataset: str, part: str) -> NDArray[np.float64]:
        """Return the values on training rows that a bootstrap combines: of each replicate, or of the fit to all."""
        source = self.all_rows if self.plans[dataset].bootstrap == ".632+" else self.values
        found = source.get((dataset, metric, part))
        if found is None:
            found = np.full((len(self.methods), 1), np.nan)
        return found[:, np.newaxis] if found.ndim == 1 else found

    def _states_of(self, metric: str, dataset: str, part: str) -> NDArray[np.int8]:
        lacks = self.lacking.get((dataset, metric, part))
        states = self.states[dataset]
        return states if lacks is None else np.where(lacks & (states != FAILED), MISSING, states).astype(np.int8)

    def _is_better(self, metric: str) -> Callable[[float, float], bool]:
        if metric in METRICS:
            return METRICS[metric].is_better
        return (lambda one, other: one > other) if metric == "correlation" else (lambda one, other: one < other)
