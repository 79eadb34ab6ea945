"""A job run by the engine of `calibrant.resampling`, in whatever process: its trials as they are recorded."""

from __future__ import annotations

import platform
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

import calibrant
from calibrant.resampling import Nested
from calibrant.resampling._internal import Experiment, MethodTrial, splitters
from calibrant.studies._definition.documents import CHOSEN
from calibrant.studies._results.predictions import predictions_to_parquet
from calibrant.studies._trials.records import Job, Part, StudyRows, StudyWork, TrialRecord, TrialRef

_ALWAYS = ("numpy", "scipy", "scikit-learn")
_INFORMATIVE = {"python", "numpy", "scipy"}  # recorded, but a change of them does not make a result outdated


@lru_cache(maxsize=1024)
def _package_versions(modules: tuple[str, ...]) -> dict[str, str]:
    found = {"calibrant": calibrant.__version__, "python": platform.python_version()}
    packages = metadata.packages_distributions() if set(modules) - {"calibrant", "sklearn"} else {}
    own = [each for module in modules if module != "calibrant" for each in packages.get(module, ())]
    return found | {name: metadata.version(name) for name in sorted({*_ALWAYS, *own})}


def method_versions(estimator: Any) -> dict[str, str]:
    """Return the versions of calibrant, Python, the numerical libraries and the packages that a method is made of.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> sorted(method_versions(GaussianNB()))
    ['calibrant', 'numpy', 'python', 'scikit-learn', 'scipy']
    """
    params = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    parts = [estimator, *(value for value in params.values() if hasattr(value, "get_params"))]
    modules = {type(each).__module__.partition(".")[0] for each in parts}
    return _package_versions(tuple(sorted(modules - {"builtins", "__main__"})))


def are_outdated(recorded: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Mark the trials that may have other results under the versions that are installed now.

    A change of calibrant, of scikit-learn or of the package that a method comes from makes a result outdated. Changes
    of Python, NumPy and SciPy are recorded, and do not.

    Parameters
    ----------
    recorded : array of dict
        The versions that each trial was computed with; trials of the same versions share one.

    Examples
    --------
    >>> now = method_versions(None)
    >>> are_outdated(np.array([now, now | {"numpy": "0.1"}, now | {"calibrant": "0.0.1"}]))
    array([False, False,  True])
    """
    distinct = {id(each): each for each in recorded}
    installed: dict[str, str | None] = {"calibrant": calibrant.__version__}
    for name in {name for each in distinct.values() for name in each} - {*_INFORMATIVE, "calibrant"}:
        with suppress(metadata.PackageNotFoundError):
            installed[name] = metadata.version(name)
    outdated = {
        key: any(version != installed.get(name) for name, version in each.items() if name not in _INFORMATIVE)
        for key, each in distinct.items()
    }
    return np.array([outdated[id(each)] for each in recorded], dtype=bool)


@dataclass(frozen=True, eq=False)
class JobContext:
    """The rows of a data set with the methods, plan and metrics of a study; what trials share is computed once."""

    rows: StudyRows
    work: StudyWork

    @cached_property
    def experiment(self) -> Experiment:
        """The validated rows, methods and metrics."""
        rows, work = self.rows, self.work
        return Experiment.read(
            dict(work.methods),
            rows.X,
            rows.y,
            work.metrics,
            rows.groups,
            rows.sample_weight,
            rows.pos_label,
            rows.metric_params,
            confidence=0.95,
            n_jobs=1,
            times=rows.times,
        )

    @cached_property
    def split_names(self) -> list[str]:
        """The names of the splits."""
        return self.experiment.split_names(self.work.plan)

    @cached_property
    def is_disjoint(self) -> bool:
        """Whether no test row is a training row, where there is a single split."""
        if len(self.split_names) > 1:
            return True
        train, test = self.experiment.split(self.work.plan, 0)
        return not np.isin(test, train).any()

    @property
    def families(self) -> tuple[tuple[str, ...], ...]:
        """The methods, those that share grown trees together."""
        if isinstance(self.work.plan, Nested):
            return ((CHOSEN,),)
        names = tuple(self.work.methods)
        return tuple(tuple(names[position] for position in each) for each in self.experiment.families(self.work.plan))

    @cached_property
    def versions(self) -> dict[str, dict[str, str]]:
        """The versions that each method depends on."""
        found = {name: method_versions(each) for name, each in self.work.methods.items()}
        return found | {CHOSEN: {name: version for each in found.values() for name, version in each.items()}}

    def run(self, job: Job) -> Iterator[TrialRecord]:
        """Run the trials of a job."""
        refs = {(ref.method, ref.split): ref for ref in job.refs}
        names, work = list(self.work.methods), self.work
        is_nested = isinstance(self.work.plan, Nested)
        # A job without trials prepares what all share
        positions = None if is_nested or not job.refs else [names.index(method) for method in job.methods]
        for trial in self.experiment.trials(
            work.plan,
            positions=positions,
            splits=job.splits,
            seed=work.seed,
            choose_by=work.choose_by,
            tests_training=work.tests_training or splitters.bootstrap_kind(work.plan) == ".632",
            errors="record",
        ):
            method = CHOSEN if is_nested else names[trial.method]
            yield self._record(refs[method, trial.split], trial)

    def _record(self, ref: TrialRef, trial: MethodTrial) -> TrialRecord:
        seconds = trial.seconds
        return TrialRecord(
            ref=ref,
            token=uuid.uuid4().hex,
            split_name=self.split_names[ref.split] if ref.split >= 0 else "all rows",
            seed=trial.seed,
            versions=self.versions[ref.method],
            data_fingerprint=self.rows.fingerprint,
            n_train=trial.n_train,
            n_test=len(trial.test),
            fit_seconds=seconds.fit,
            predict_seconds=seconds.predict,
            shared_seconds=seconds.shared,
            n_sharing=seconds.n_sharing,
            scores={} if trial.error else self._scores(trial),
            choice=trial.choice,
            error=trial.error,
            predictions=self._predictions(trial) if self.work.keeps_predictions and not trial.error else None,
        )

    def _scores(self, trial: MethodTrial) -> dict[Part, dict[str, float]]:
        parts: dict[Part, Any] = {
            "test": trial.values,
            "training": trial.training_values,
            "no_information": trial.no_information,
        }
        return {
            part: dict(zip(self.experiment.scorer.metrics, np.asarray(values).tolist(), strict=True))
            for part, values in parts.items()
            if values is not None
        }

    def _predictions(self, trial: MethodTrial) -> bytes:
        data, rows = self.experiment.data, trial.test
        outcome = data.outcome[rows]
        y_true = outcome if data.classes is None else data.classes[outcome]
        classes = () if data.classes is None else tuple(data.classes.tolist())
        return predictions_to_parquet(
            *(data.rows[rows], y_true, np.asarray(trial.predictions), classes),
            weight=None if data.weight is None else data.weight[rows],
            group=None if data.groups is None else np.asarray(data.groups)[rows],
        )


_context = lru_cache(maxsize=2)(JobContext)  # the last jobs of a data set overlap the first of the next


def run_job(rows: StudyRows, work: StudyWork, job: Job) -> Iterator[TrialRecord]:
    """Run the trials of a job, in a process that does nothing else: what jobs share stays in memory."""
    return _context(rows, work).run(job)
