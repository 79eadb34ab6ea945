"""The document that a store keeps of a study: its definition, and what running it found out about its data sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import StudyError, nearest
from calibrant.resampling._internal import Sharing
from calibrant.studies._definition.keys import CHOSEN
from calibrant.studies._results.study_values import read_dataset_plan
from calibrant.studies._trials.records import BY_CLASS, PlannedTrials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies._definition.definition import StudyDefinition
    from calibrant.studies._store.store import Store
    from calibrant.studies._trials.records import Part
    from calibrant.studies._trials.run_job import JobContext
    from calibrant.studies._trials.run_study import StudyPlan

__all__ = ["StoredStudy", "read_stored_study", "stored_document"]

_PLANNED = "planned"
_PLAN_FACTS = (
    *("words", "split_names", "n_independent", "interval_kind", "bootstrap", "has_disjoint_tests", "is_nested"),
    *("caution", "pos_label"),
)


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
            "sharing": asdict(plan.contexts[trials.dataset].sharing),
        }
        for trials in plan.trials
    ]
    return {**definition.document(fingerprints), _PLANNED: planned}


def _facts(context: JobContext) -> dict[str, Any]:
    """Return what queries need to know of the plan on a data set, so that they need neither rows nor plan."""
    names, label = context.split_names, context.rows.pos_label
    no_sizes = np.zeros(len(names), dtype=np.intp)
    label = label.item() if isinstance(label, np.generic) else label
    found = read_dataset_plan(
        context.work.plan, names, no_sizes, no_sizes, is_disjoint=context.is_disjoint, pos_label=label
    )
    return {name: getattr(found, name) for name in _PLAN_FACTS} | {"split_names": names}


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

    def more_parts(self, metrics: Collection[str]) -> list[Part]:
        """Return the rows that metrics are computed on beside the test rows, and whether to read what areas count."""
        kinds = {each["facts"]["bootstrap"] for each in self.document[_PLANNED]}
        bootstrap: list[Part] = ["training", "no_information"]
        training: list[Part] = ["training"] if self.document["tests_training"] else []
        counted: list[Part] = ["counted"] if set(BY_CLASS).intersection(metrics) else []
        return [*(bootstrap if kinds - {None} else training), *counted]

    @property
    def sharing(self) -> str:
        """How much of their work the trials share, in a sentence; empty if the study was never run."""
        found = [each["sharing"] for each in self.document.get(_PLANNED, [])]
        if not found:
            return ""
        totals = {name: sum(each[name] for each in found) for name in found[0]}
        return Sharing(**(totals | {"grows_all": all(each["grows_all"] for each in found)})).text

    def plan_facts(self, dataset: str) -> dict[str, Any]:
        """Return what is known of the plan on a data set."""
        facts: dict[str, Any] = next(each["facts"] for each in self.document[_PLANNED] if each["dataset"] == dataset)
        return facts

    def key_prefix(self, dataset: str, method: str) -> str:
        """Return what the keys of the trials of a method on a data set begin with."""
        digests = next(each.digests for each in self.trials if each.dataset == dataset)
        return f"{digests[method]}-"

    def counts(self, keys: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Return which recorded trials count: those of another definition of the study do not."""
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
