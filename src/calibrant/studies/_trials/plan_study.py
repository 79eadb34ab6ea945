"""Planning: read the data sets, and list the trials, what they share and what must be recorded of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.resampling._internal import ALL_ROWS, splitters
from calibrant.studies._definition.read_rows import read_rows
from calibrant.studies._trials.needed import Needed
from calibrant.studies._trials.planned import PlannedTrials
from calibrant.studies._trials.records import Part
from calibrant.studies._trials.run_job import JobContext
from calibrant.studies._trials.work import StudyRows, StudyWork

if TYPE_CHECKING:
    from calibrant.studies._definition.definition import StudyDefinition

__all__ = ["StudyPlan", "plan_study"]


@dataclass(frozen=True, eq=False)
class StudyPlan:
    """The trials of a study on rows that were read.

    Parameters
    ----------
    work : StudyWork
        What is done with every data set.
    contexts : dict of str to JobContext
        By data set, its rows and what trials share.
    trials : tuple of PlannedTrials
        The trials of each data set.
    needed : Needed
        What a finished trial has.
    """

    work: StudyWork
    contexts: Mapping[str, JobContext]
    trials: tuple[PlannedTrials, ...]
    needed: Needed

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return sum(each.n_trials for each in self.trials)

    def rows(self, dataset: str) -> StudyRows:
        """Return the rows of a data set."""
        return self.contexts[dataset].rows


def plan_study(definition: StudyDefinition) -> StudyPlan:
    """Read the data sets of a study and list its trials."""
    work = definition.work()
    contexts = {
        name: JobContext(read_rows(dataset, definition.metric_params), work)
        for name, dataset in definition.datasets.items()
    }
    trials = tuple(_planned(name, definition, context) for name, context in contexts.items())
    return StudyPlan(work, contexts, trials, _needed(next(iter(contexts.values())), definition))


def _planned(dataset: str, definition: StudyDefinition, context: JobContext) -> PlannedTrials:
    fingerprint = context.rows.fingerprint
    digests = {method: definition.group_digest(dataset, fingerprint, method) for method in definition.trial_methods}
    splits = range(len(context.split_names))
    needs_all_rows = splitters.bootstrap_kind(definition.plan) == ".632+"
    return PlannedTrials(dataset, context.families, (*splits, ALL_ROWS) if needs_all_rows else tuple(splits), digests)


def _needed(context: JobContext, definition: StudyDefinition) -> Needed:
    metrics = tuple(context.experiment.scorer.metrics)
    needed: dict[Part, tuple[str, ...]] = {"test": metrics}
    if definition.tests_training or splitters.bootstrap_kind(definition.plan) == ".632":
        needed["training"] = metrics
    return Needed(needed, definition.keeps_predictions)
