"""Every trial of a study as a row of a frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.resampling._internal import ALL_ROWS

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from calibrant.studies._results.study_values import StudyValues

__all__ = ["error_line", "trials_frame"]

_FIRST = ("dataset", "method", "split", "split_name", "state", "seed", "n_train", "n_test")
_SECONDS = ("fit_seconds", "predict_seconds", "shared_seconds", "n_sharing")
_LAST = ("choice", "versions", "failure")
_NAMES = {"error": "failure"}  # error is a metric
_PREFIX = {"test": "", "training": "training_", "no_information": "no_information_"}


def trials_frame(study: StudyValues, *, missing: bool = False) -> pd.DataFrame:
    """Return a frame with a row for each recorded trial and, if requested, each that is missing."""
    pandas: Any = optional_import("pandas", extra="studies", purpose="return the trials of a study")
    columns = {_NAMES.get(name, name): column for name, column in study.columns.items() if isinstance(name, str)}
    named = {
        _metric_column(part, metric, columns): study.columns[part, metric]
        for part in _PREFIX
        for metric in study.metrics
        if (part, metric) in study.columns
    }
    order = [name for name in (*_FIRST, *_SECONDS) if name in columns]
    last = [name for name in _LAST if name in columns]
    further = [name for name in columns if name not in {*order, *last}]
    found = {name: _plain(name, columns[name]) for name in (*order, *further)} | named
    if "recorded" in found:
        found["recorded"] = pandas.to_datetime(found["recorded"], unit="s", utc=True)
    found |= {name: _plain(name, columns[name]) for name in last}
    for name, names in (("dataset", study.datasets), ("method", study.methods)):
        found[name] = pandas.Categorical(found[name], categories=list(names))
    frame = pandas.DataFrame(found)
    if missing:
        frame = _with_missing(pandas, study, frame)
    ordered: pd.DataFrame = frame.sort_values(["dataset", "method", "split"], kind="stable", ignore_index=True)
    return ordered


def _metric_column(part: str, metric: str, taken: Collection[str]) -> str:
    """Return the name of a metric's column; a function of the user's may have that of another column."""
    name = f"{_PREFIX[part]}{metric}"
    return f"{part}_{metric}" if name in taken else name


def _plain(name: str, column: Any) -> Any:
    """Return a column as a frame shows it: errors by one line, versions as text."""
    if name == "failure":
        return _by_distinct(column, error_line)
    return _by_distinct(column, _versions_text) if name == "versions" else column


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


def _versions_text(versions: Any) -> str:
    if isinstance(versions, Mapping):
        return ", ".join(f"{name} {version}" for name, version in versions.items())
    return str(versions or "")


def _with_missing(pandas: Any, study: StudyValues, frame: Any) -> Any:
    """Append a row for each planned trial that was not recorded."""
    rows = [
        (dataset, study.methods[method], split, study.plans[dataset].split_names[split])
        for dataset in study.datasets
        for method, split in np.argwhere(study.states[dataset] == 0).tolist()
    ]
    rows += [
        (dataset, study.methods[method], ALL_ROWS, "all rows")
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
