"""Tables of a study: the means over its splits with intervals, all trials as rows."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant._params import CONFIDENCE, Bool, Choice, check_param
from calibrant.exceptions import CalibrantWarning, StudyError
from calibrant.metrics import Interval
from calibrant.resampling._internal import NO_INTERVAL, split_interval, splitters
from calibrant.studies._results.predictions import read_kept_rows
from calibrant.studies._results.study_values import DONE, FAILED, StudyValues

if TYPE_CHECKING:
    import pandas as pd

_ALL_COUNTED = ("accuracy", "error", "top_k_accuracy")  # proportions of all test rows
_MOST_NAMED = 5  # cells that a note names one by one


@dataclass(frozen=True, eq=False)
class Means:
    """Means over the splits, data sets x methods, and what is missing in them."""

    datasets: tuple[str, ...]
    values: NDArray[np.float64]
    gaps: tuple[str, ...]  # cells without all of their trials
    undefined: tuple[str, ...]  # cells in which the metric has no value in some splits

    @property
    def notes(self) -> list[str]:
        """The gaps in words."""
        found = {"trials failed or are missing": self.gaps, "the metric is undefined in some splits": self.undefined}
        named = {what: "; ".join(cells[:_MOST_NAMED]) for what, cells in found.items() if cells}
        more = {what: len(found[what]) - _MOST_NAMED for what in named}
        return [
            f"{what}: {cells}{f'; and {more[what]} more' if more[what] > 0 else ''}" for what, cells in named.items()
        ]

    def of_all_methods(self) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[str, ...]]:
        """Return the values on the data sets where every method has one, their names, and those of the others."""
        is_known = np.asarray(~np.isnan(self.values).any(axis=1))
        pairs = list(zip(self.datasets, is_known.tolist(), strict=True))
        kept, left_out = (tuple(name for name, known in pairs if known is wanted) for wanted in (True, False))
        return self.values[is_known], kept, left_out


def study_means(
    study: StudyValues,
    metric: str,
    datasets: tuple[str, ...],
    *,
    part: str = "test",
    partial: bool = False,
) -> Means:
    """Return the mean over the splits of each data set and method; NaN where trials failed or are missing.

    With `partial` such means are of the splits that were finished. Splits where the metric is undefined are left out,
    as by `estimate_performance`.
    """
    found = np.full((len(datasets), len(study.methods)), np.nan)
    gaps: list[str] = []
    undefined: list[str] = []
    for row, dataset in enumerate(datasets):
        values, states = study.recorded_values(metric, dataset, part), study.trial_states(metric, dataset, part)
        is_done = states == DONE
        is_value = is_done & ~np.isnan(values)
        if is_value.all() and values.shape[1]:
            means = np.asarray(values.mean(axis=1))
        else:  # sums of NumPy are pairwise: a row must be summed without its gaps to have the bits of a shorter row
            pairs = zip(values, is_value, strict=True)
            means = np.array([each[which].mean() if which.any() else math.nan for each, which in pairs])
        found[row] = means if partial else np.where(is_done.all(axis=1), means, np.nan)
        gaps += _gaps(study, dataset, states)
        n_undefined = (is_done & np.isnan(values)).sum(axis=1)
        undefined += [
            f"{dataset}, {study.methods[i]} ({n_undefined[i]} of {is_done.shape[1]})"
            for i in np.flatnonzero(n_undefined)
        ]
    return Means(datasets, found, tuple(gaps), tuple(undefined))


def _gaps(study: StudyValues, dataset: str, states: NDArray[np.int8]) -> list[str]:
    n_failed, n_done = (states == FAILED).sum(axis=1), (states == DONE).sum(axis=1)
    n_splits = states.shape[1]
    found = []
    for i in np.flatnonzero(n_done < n_splits):
        n_missing = n_splits - n_done[i] - n_failed[i]
        counts = [f"{n} {word}" for n, word in ((n_failed[i], "failed"), (n_missing, "missing")) if n]
        found.append(f"{dataset}, {study.methods[i]} ({' and '.join(counts)} of {n_splits})")
    return found


def complete_means(study: StudyValues, metric: str, datasets: tuple[str, ...], *, partial: bool) -> Means:
    """Return the means; raise where trials that they need failed or are missing."""
    means = study_means(study, metric, datasets, partial=partial)
    if means.gaps and not partial:
        raise StudyError(
            f"study {study.name!r} is not complete: {means.notes[0]}. Run it (failed trials again by retry=True), or "
            "pass partial=True to use the trials that were finished; select(methods=[...]) leaves methods out."
        )
    return means


def check_finite(study: StudyValues, values: NDArray[np.float64], where: str, metric: str) -> None:
    """Raise where a metric is infinite, so that its differences cannot be tested."""
    infinite = np.isinf(values).sum(axis=1)
    if infinite.any():
        first = int(np.argmax(infinite > 0))
        raise StudyError(
            f"{metric} of {study.methods[first]} is infinite {where} ({infinite[first]} times); compare by a "
            "metric that is finite, such as mse, or leave the method out by select(methods=[...])."
        )


def study_table(
    study: StudyValues, metric: str, part: str, interval: bool | str, confidence: float, partial: bool
) -> pd.DataFrame:
    """Return the means as a frame, data sets x methods, with a warning where some are incomplete."""
    pandas: Any = optional_import("pandas", extra="studies", purpose="return a table of a study")
    check_param("part", part, Choice("test", "training"))
    check_param("interval", interval, Bool() | Choice("rows", "splits"))
    check_param("confidence", confidence, CONFIDENCE)
    means = study_means(study, metric, study.datasets, part=part, partial=partial)
    index = pandas.Index(study.datasets, name="dataset")
    if interval:
        frame: pd.DataFrame = pandas.DataFrame(
            _with_intervals(study, metric, means, part, confidence, interval), index=index
        )
        frame.columns = pandas.MultiIndex.from_tuples(frame.columns, names=["method", None])
    else:
        frame = pandas.DataFrame(means.values, index=index, columns=pandas.Index(study.methods, name="method"))
    frame.attrs = {"metric": metric, "part": part, "notes": means.notes}
    if interval and part == "test":
        frame.attrs["notes"] += _without_interval(study, metric, frame, by_splits=interval == "splits")
    if means.gaps:
        done = "means are of the splits that were finished" if partial else "NaN there"
        warnings.warn(f"table of {metric}: {means.notes[0]}; {done}.", CalibrantWarning, stacklevel=4)  # of a study's
    return frame


def _with_intervals(
    study: StudyValues, metric: str, means: Means, part: str, confidence: float, interval: bool | str
) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the columns mean, low and high of each method."""
    ends = np.full((*means.values.shape, 2), np.nan)
    for i, dataset in enumerate(study.datasets):
        known = np.flatnonzero(~np.isnan(means.values[i]) & (part == "test")).tolist()
        for j in known:
            mean = float(means.values[i, j])
            ends[i, j] = mean_interval(study, metric, dataset, j, mean, confidence, by_splits=interval == "splits")
    return {
        (method, name): column
        for j, method in enumerate(study.methods)
        for name, column in (("mean", means.values[:, j]), ("low", ends[:, j, 0]), ("high", ends[:, j, 1]))
    }


def _without_interval(study: StudyValues, metric: str, frame: Any, *, by_splits: bool) -> list[str]:
    """Return why means have no interval, each reason once."""
    found: dict[str, str] = {}
    for dataset in study.datasets:
        for method in study.methods:
            mean, low, _ = frame.loc[dataset, method]
            if not math.isnan(mean) and math.isnan(low):
                if by_splits:
                    why = "too few splits, or no value differs"
                elif study.plans[dataset].interval_kind == "none":
                    why = "the tested rows do not show what others would"
                elif isinstance(kept := read_kept_rows(study, dataset, [method], [metric]), str):
                    why = kept
                else:
                    why = kept.statistics.why_none(method, metric) or "all rows have the same value"
                found.setdefault(why, f"no interval of {method} on {dataset}: {why}")
    return list(found.values())


def mean_interval(
    study: StudyValues,
    metric: str,
    dataset: str,
    method: int,
    mean: float,
    confidence: float,
    *,
    by_splits: bool = False,
) -> Interval:
    """Return the interval of a mean over splits as `estimate_performance` does: by the rows whose predictions are kept.

    With a bootstrap plan they are the out-of-bag rows alone, which vary a little more than the combined value. By the
    variance of the splits where that was requested.
    """
    plan, facts = study.plans[dataset], study.facts(metric)
    if plan.interval_kind == "none" or facts.is_calibration_error:
        return NO_INTERVAL
    kept = read_kept_rows(study, dataset, [study.methods[method]], [metric])
    if by_splits:
        # The rows that a proportion or an area counts in each split; None where it is neither, or not known
        is_of_all = metric in _ALL_COUNTED and metric not in study.own_metrics
        n_counted = plan.n_test.astype(np.float64) if is_of_all else None
        if not isinstance(kept, str) and kept.n_splits == plan.n_splits:
            n_counted = kept.split_counts(metric)
        return split_interval(
            *(study.done_values(metric, dataset)[method], plan.n_train, plan.n_test, confidence, plan.n_independent),
            low=facts.low,
            high=facts.high,
            n_counted=n_counted,
        )
    if isinstance(kept, str):
        return NO_INTERVAL
    return kept.statistics.interval(study.methods[method], metric, mean, confidence)


_FIRST = (
    *("dataset", "method", "split", "split_name", "state", "seed", "n_train", "n_test"),
    *("fit_seconds", "predict_seconds", "shared_seconds", "n_sharing"),
)
_LAST = ("choice", "versions", "failure")
_PREFIX = {"test": "", "training": "training_", "no_information": "no_information_"}


def trials_frame(study: StudyValues, *, missing: bool = False) -> pd.DataFrame:
    """Return a frame with a row for each recorded trial and, if requested, each that is missing."""
    pandas: Any = optional_import("pandas", extra="studies", purpose="return the trials of a study")
    # error is a metric
    columns: dict[str, Any] = {name: column for name, column in study.columns.items() if isinstance(name, str)}
    columns = {"failure" if name == "error" else name: column for name, column in columns.items()}
    texts = {"failure": error_line, "versions": lambda each: ", ".join(f"{name} {each[name]}" for name in each)}
    columns |= {name: _by_distinct(columns[name], text) for name, text in texts.items() if name in columns}
    if "recorded" in columns:
        columns["recorded"] = pandas.to_datetime(columns["recorded"], unit="s", utc=True)
    for name, names in (("dataset", study.datasets), ("method", study.methods)):
        columns[name] = pandas.Categorical(columns[name], categories=list(names))
    order = [name for name in _FIRST if name in columns]
    last = [name for name in _LAST if name in columns]
    order += [name for name in columns if name not in {*order, *last}]
    found = {name: columns[name] for name in order}
    for part, metric in ((part, metric) for part in _PREFIX for metric in study.metrics):
        if (part, metric) in study.columns:
            name = f"{_PREFIX[part]}{metric}"  # a function of the user's may have that of another column
            found[f"{part}_{metric}" if name in columns else name] = study.columns[part, metric]
    frame = pandas.DataFrame(found | {name: columns[name] for name in last})
    if missing:
        frame = _with_missing(pandas, study, frame)
    ordered: pd.DataFrame = frame.sort_values(["dataset", "method", "split"], kind="stable", ignore_index=True)
    return ordered


def _by_distinct(column: Any, text: Any) -> NDArray[Any]:
    """Return the text of each entry, computed once for entries that are the same object or string."""
    known: dict[Any, str] = {}
    found = np.empty(len(column), dtype=object)
    for i, entry in enumerate(column):
        key = entry if isinstance(entry, str) else id(entry)
        if key not in known:
            known[key] = text(entry)
        found[i] = known[key]
    return found


def error_line(error: Any) -> str:
    """Return the line of a traceback that names the error, the last one; else the first line."""
    lines = [line.strip() for line in str(error or "").splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def _with_missing(pandas: Any, study: StudyValues, frame: Any) -> Any:
    """Append a row for each planned trial that was not recorded."""
    rows = [
        (dataset, study.methods[method], split, study.plans[dataset].split_names[split])
        for dataset in study.datasets
        for method, split in np.argwhere(study.states[dataset] == 0).tolist()
    ]
    rows += [
        (dataset, study.methods[method], splitters.ALL_ROWS, "all rows")
        for dataset in study.datasets
        if study.plans[dataset].bootstrap == ".632+" and dataset in study.all_rows_states
        for method in np.flatnonzero(study.all_rows_states[dataset] == 0).tolist()
    ]
    if not rows:
        return frame
    new = pandas.DataFrame(rows, columns=["dataset", "method", "split", "split_name"]).assign(state="missing")
    for name in ("dataset", "method"):
        new[name] = pandas.Categorical(new[name], categories=frame[name].cat.categories)
    return pandas.concat([frame, new], ignore_index=True)
