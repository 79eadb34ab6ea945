"""The document that a store keeps of a study: its definition, and what running it found out about its data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import StudyError, nearest
from calibrant.studies._definition.digests import CHOSEN
from calibrant.studies._results.study_values import read_dataset_plan
from calibrant.studies._trials.records import Part, PlannedTrials

if TYPE_CHECKING:
    from calibrant.studies._definition.definition import StudyDefinition
    from calibrant.studies._store.store import Store
    from calibrant.studies._trials.run_job import JobContext
    from calibrant.studies._trials.run_study import StudyPlan

_PLANNED = "planned"


def stored_document(definition: StudyDefinition, plan: StudyPlan) -> dict[str, Any]:
    """Return the definition with the fingerprints, the splits and the families of the data sets."""
    fingerprints = {name: context.rows.fingerprint for name, context in plan.contexts.items()}
    planned = [
        {
            "dataset": trials.dataset,
            "families": [list(family) for family in trials.families],
            "splits": [min(trials.splits), max(trials.splits)],
            "digests": dict(trials.digests),
            "facts": _facts(plan.contexts[trials.dataset]),
        }
        for trials in plan.trials
    ]
    sharing = reduce(add, (context.experiment.sharing(plan.work.plan) for context in plan.contexts.values()))
    return {**definition.document(fingerprints), _PLANNED: planned, "sharing": sharing.text}


def _facts(context: JobContext) -> dict[str, Any]:
    """Return the plan on a data set but for the sizes of its splits, so that queries need neither rows nor plan."""
    label = context.rows.pos_label
    label = label.item() if isinstance(label, np.generic) else label
    found = read_dataset_plan(
        context.work.plan, context.split_names, (), (), is_disjoint=context.is_disjoint, pos_label=label
    )
    # Lists as JSON has them: a definition that did not change is equal to the one in the store
    facts = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(found).items()}
    return {name: value for name, value in facts.items() if name not in ("n_train", "n_test", "numbers")}


@dataclass(frozen=True, eq=False)
class StoredStudy:
    """A study as its store keeps it, to be queried without its rows, methods and plan."""

    name: str
    document: Mapping[str, Any]

    @cached_property
    def trials(self) -> list[PlannedTrials]:
        """The trials of each data set; none if the study was never run."""
        return [
            PlannedTrials(
                each["dataset"],
                tuple(tuple(family) for family in each["families"]),
                tuple(range(each["splits"][0], each["splits"][1] + 1)),
                each["digests"],
            )
            for each in self.document.get(_PLANNED, [])
        ]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return sum(each.n_trials for each in self.trials)

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return [each["name"] for each in self.document["metrics"]]

    @property
    def own_metrics(self) -> set[str]:
        """The metrics that are functions of the user's."""
        return {each["name"] for each in self.document["metrics"] if "function" in each}

    @property
    def keyed_metrics(self) -> set[str]:
        """The metrics with keywords, in the study or in a data set."""
        sources = (self.document, *self.document["datasets"])
        return {name for each in sources for name, keywords in each.get("metric_params", {}).items() if keywords}

    @property
    def candidates(self) -> list[str]:
        """The methods that a nested plan chooses among."""
        return [each["name"] for each in self.document["methods"]] if self.document["choose_by"] else []

    @property
    def methods(self) -> list[str]:
        """The names that trials are recorded by."""
        return [CHOSEN] if self.document["choose_by"] else [each["name"] for each in self.document["methods"]]

    @property
    def more_parts(self) -> list[Part]:
        """The rows that metrics are computed on beside the test rows."""
        if any(each["facts"]["bootstrap"] for each in self.document[_PLANNED]):
            return ["training", "no_information"]
        return ["training"] if self.document["tests_training"] else []

    @property
    def sharing(self) -> str:
        """The work that trials share, in a sentence; empty if the study was never run."""
        return str(self.document.get("sharing", ""))

    def plan_facts(self, dataset: str) -> dict[str, Any]:
        """Return the facts of the plan on a data set."""
        facts: dict[str, Any] = next(each["facts"] for each in self.document[_PLANNED] if each["dataset"] == dataset)
        return facts

    def key_prefix(self, dataset: str, method: str) -> str:
        """Return the prefix of the keys of a method's trials on a data set."""
        digests = next(each.digests for each in self.trials if each.dataset == dataset)
        return f"{digests[method]}-"

    def counts(self, keys: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Mark the recorded trials that count: those of another definition of the study do not."""
        digests = {digest for each in self.trials for digest in each.digests.values()}
        # A split number may be negative: all rows, which the .632+ bootstrap needs, end in "--1"
        return np.fromiter((key[: key.find("-")] in digests for key in keys), dtype=bool, count=len(keys))


def read_stored_study(store: Store, name: str) -> StoredStudy:
    """Return a study of a store; raise if there is none of that name."""
    document = store.definition(name)
    if document is None:
        names = [each.name for each in store.studies()]
        known = f" It has {', '.join(map(repr, names[:10]))}." if names else ""
        raise StudyError(f"there is no study {name!r} in {store.url}.{known}{nearest(name, names)}")
    return StoredStudy(name, document)
