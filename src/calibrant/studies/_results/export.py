"""The table and the trials of a study as text, or in a file that is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Bool, Choice, Int, Nothing, check_param, choose
from calibrant._whole_file import whole_file
from calibrant.exceptions import ParameterError
from calibrant.studies._results.compare import plans_in_words
from calibrant.studies._results.export_text import WRITERS, TextTable, best_marks, number_cell
from calibrant.studies._results.tables import study_table
from calibrant.studies._results.trials_frame import trials_frame

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.studies._results.metric_facts import MetricFacts
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["export_study"]

_SUFFIXES = {".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".tex": "latex"}


def export_study(
    study: StudyValues,
    path: str | os.PathLike[str] | None,
    metric: str | None,
    *,
    format: str | None,  # noqa: A002
    what: str,
    digits: int | None,
    bold: bool,
    interval: bool | str,
    confidence: float,
    part: str,
    partial: bool,
) -> str:
    """Return a table or all trials as text, and write it to a file if a path is passed."""
    for name, value, rule in (
        *(("what", what, Choice("table", "trials")), ("digits", digits, Int(0, 17) | Nothing())),
        *(("bold", bold, Bool()), ("interval", interval, Bool() | Choice("rows", "splits"))),
    ):
        check_param(name, value, rule)
    kind = _format(path, format)
    write = choose("format", kind, WRITERS)
    if what == "trials":
        frame = trials_frame(study)
        text = frame.to_csv(index=False, lineterminator="\n") if kind == "csv" else write(_trials_table(frame, digits))
    else:
        if metric is None and len(study.metrics) > 1:
            raise ParameterError(f"export: metric must be one of {', '.join(study.metrics)} for a table; got None.")
        name = study.metrics[0] if metric is None else metric
        shown = (4 if kind != "csv" else None) if digits is None else digits
        options: Any = {"interval": interval, "confidence": confidence, "partial": partial, "stacklevel": 5}
        frame = study_table(study, name, part=part, **options)
        text = write(_means_table(study, study.facts(name), frame, shown, kind, bold=bold, interval=interval))
    if path is not None:
        _write_whole(Path(path), text)
    return text


def _format(path: str | os.PathLike[str] | None, chosen: str | None) -> str:
    """Return the format, by default that of the file's suffix."""
    if chosen is not None:
        return chosen
    if path is None:
        return "csv"
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise ParameterError(f"path must end in {known} where format is not passed; got {Path(path).name!r}.")
    return _SUFFIXES[suffix]


def _means_table(
    study: StudyValues,
    facts: MetricFacts,
    frame: pd.DataFrame,
    digits: int | None,
    kind: str,
    *,
    bold: bool,
    interval: bool | str,
) -> TextTable:
    """Return the cells of a table of means, with their intervals in the same cells or, in CSV, beside them."""
    step = 3 if interval else 1
    numbers = frame.to_numpy(dtype=np.float64)
    cells = [[number_cell(value, digits) for value in row] for row in numbers.tolist()]
    means = [row[::step] for row in cells]
    is_marked = bold and kind != "csv" and bool(facts.better)
    losses = facts.losses(numbers[:, ::step]).tolist() if is_marked else []
    marks = [best_marks(*each) for each in zip(losses, means, strict=True)] if is_marked else _no_marks(means)
    head = list(study.methods)
    if interval and kind == "csv":
        head = [name for method in head for name in (method, f"{method} low", f"{method} high")]
        means, marks = cells, _no_marks(cells)
    elif interval:
        means = [[_with_ends(*row[i : i + 3]) for i in range(0, len(row), 3)] for row in cells]
    rows = tuple((name, *row) for name, row in zip(study.datasets, means, strict=True))
    notes = [_caption(study, facts, frame, interval=interval), *frame.attrs["notes"]]
    return TextTable(("dataset", *head), rows, tuple(marks), "; ".join(notes))


def _no_marks(cells: list[list[str]]) -> list[tuple[bool, ...]]:
    return [(False,) * len(row) for row in cells]


def _with_ends(mean: str, low: str, high: str) -> str:
    return f"{mean} [{low}, {high}]" if mean and low else mean


def _caption(study: StudyValues, facts: MetricFacts, frame: pd.DataFrame, *, interval: bool | str) -> str:
    rows = "" if frame.attrs["part"] == "test" else " on training rows"
    direction = f" ({facts.words})" if facts.better else ""
    ends = ", with intervals" if interval else ""
    return f"{facts.name}{rows}, mean over {plans_in_words(study, study.datasets)}{ends}{direction}"


def _trials_table(frame: pd.DataFrame, digits: int | None) -> TextTable:
    rows = tuple(tuple(_cell(value, digits) for value in row) for row in frame.itertuples(index=False))
    return TextTable(tuple(frame.columns), rows, tuple((False,) * (len(row) - 1) for row in rows))


def _cell(value: Any, digits: int | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return number_cell(value, digits) if isinstance(value, float) else str(value)


def _write_whole(path: Path, text: str) -> None:
    """Write a file, so that there is the old one or the whole new one."""
    if not path.parent.is_dir():
        raise ParameterError(f"path: there is no folder {str(path.parent)!r}; create it first.")
    with whole_file(path) as file:
        file.write(text.encode())
