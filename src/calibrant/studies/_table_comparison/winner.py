"""The method to use: its held-out predictions with their verdict, its fit to all rows, its files."""

from __future__ import annotations

import math
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from calibrant._optional import optional_import
from calibrant._whole_file import whole_file
from calibrant.decisions import CostMatrix, DecisionReport, decision_report, profit
from calibrant.exceptions import DataError, StudyError
from calibrant.files import ExpectedScore, save
from calibrant.metrics import Verdict, calibration_verdict, evaluate
from calibrant.resampling import Pooled
from calibrant.resampling._internal import seeded_clone, splitters
from calibrant.studies._runners.runner import JobLost, TrialFinished
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord, TrialRef

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.studies._results.study_results import StudyResults
    from calibrant.studies._table_comparison.table_comparison import TableComparison
    from calibrant.studies._table_comparison.table_study import ComparedTable


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """The held-out predictions of a method, each row once.

    Parameters
    ----------
    method : str
        Its name.
    predictions : Pooled
        Rows, splits, classes and probabilities.
    compared : ComparedTable
        The table of the rows.
    """

    method: str
    predictions: Pooled
    compared: ComparedTable

    @property
    def groups(self) -> NDArray[Any] | None:
        """The group of each prediction."""
        return None if self.compared.groups is None else self.compared.groups[self.predictions.row]

    @property
    def known(self) -> dict[str, Any]:
        """The arguments of functions that evaluate predictions, beside classes and probabilities."""
        table, found = self.compared.table, self.predictions
        weight = None if table.sample_weight is None else np.asarray(table.sample_weight)[found.row]
        positive = table.positive if len(found.classes) == 2 else None
        return {"labels": list(found.classes), "sample_weight": weight, "pos_label": positive, "groups": self.groups}

    def verdict(self, seed: int, costs: CostMatrix | None) -> Verdict | None:
        """Return the verdict on calibration, with the money lost where there is a decision for each class.

        None where there are too few groups for one.
        """
        found = self.predictions
        n_classes = len(found.classes)
        matrix = costs.matrix if costs is not None and costs.matrix.shape == (n_classes, n_classes) else None
        try:
            return calibration_verdict(found.y_true, found.y_pred, matrix=matrix, random_state=seed, **self.known)
        except DataError:
            return None

    def money(self, costs: CostMatrix, seed: int) -> DecisionReport | None:
        """Return the profit of the decisions, decomposed; None where a class has too few rows for that."""
        found = self.predictions
        try:
            return decision_report(found.y_true, found.y_pred, costs, random_state=seed, **self.known)
        except DataError:
            return None

    def score(self, metric: str) -> Any:
        """Return the metric of the probabilities, with its interval."""
        found = self.predictions
        return evaluate(found.y_true, found.y_pred, metrics=[metric], **self.known)[metric]

    @property
    def latest(self) -> HeldOutRows:
        """The predictions of the last split."""
        found = self.predictions
        return replace(self, predictions=_take(found, np.flatnonzero(found.split == found.split.max())))

    def earned_per_row(self, costs: CostMatrix) -> float:
        """Return the earnings of the decisions for each row."""
        found = self.predictions
        earned = profit(found.y_true, found.y_pred, costs, confidence=None, **self.known)
        return earned.total.value / earned.n_rows

    def to_frame(self) -> pd.DataFrame:
        """Return the rows by position, from 0, the split that tested each, its class and its probabilities."""
        pandas = optional_import("pandas", extra="data", purpose="return held-out predictions as a frame")
        found = self.predictions
        columns: dict[str, Any] = {"row": found.row, "split": found.split}
        if self.compared.groups_column is not None:
            columns[self.compared.groups_column] = self.groups
        columns[self.compared.target] = found.y_true
        columns |= {f"probability_{label}": found.y_pred[:, k] for k, label in enumerate(found.classes)}
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame.sort_values("row", kind="stable", ignore_index=True)


def held_out_rows(results: StudyResults, method: str, compared: ComparedTable) -> HeldOutRows:
    """Return the first prediction of each row: averages over repeats would be those of another model."""
    pooled = results.predictions(method)
    # The first of each row, in the order of the predictions
    place = np.sort(np.unique(pooled.row, return_index=True)[1])
    return HeldOutRows(method, _take(pooled, place), compared)


def _take(found: Pooled, place: NDArray[np.intp]) -> Pooled:
    names = ("row", "split", "y_true", "y_pred")
    rows: dict[str, Any] = {name: getattr(found, name)[place] for name in names}
    return replace(found, **rows)


def predict_test(method: str, model: Any, compared: ComparedTable, test: ComparedTable) -> HeldOutRows:
    """Return the predictions of a fitted model for the rows of a table kept apart."""
    rows, classes = np.arange(test.table.n_rows), tuple(np.asarray(model.classes_).tolist())
    predictions = Pooled(
        rows, np.zeros(len(rows), dtype=np.intp), test.labels, model.predict_proba(test.table.X), classes
    )
    return HeldOutRows(method, predictions, replace(test, table=replace(test.table, positive=compared.table.positive)))


def earnings_per_row(results: StudyResults, compared: ComparedTable, costs: CostMatrix | None) -> dict[str, float]:
    """Return the earnings of each method's decisions for each row; empty without costs."""
    if costs is None:
        return {}
    return {method: held_out_rows(results, method, compared).earned_per_row(costs) for method in results.methods}


@dataclass(frozen=True)
class _FittedModel(TrialRecord):
    """The trial of a worker that fits a method to all rows, and returns the model."""

    model: Any = None


def fit_winner(method: str, estimator: Any, compared: ComparedTable, seed: int, seconds: float = math.inf) -> Any:
    """Fit the best method to all rows; return None if that takes longer than some seconds.

    With a limit it is fitted in a worker process, as trials are, which is ended when time is up.
    """
    table = compared.table
    rows = StudyRows(table.name, "", table.X, table.y, compared.groups, table.sample_weight, times=compared.times)
    work = StudyWork({method: estimator}, plan=None, seed=seed)
    job = Job(1, table.name, (TrialRef("all rows", table.name, method, splitters.ALL_ROWS),))
    if seconds <= 0:
        return None
    if math.isinf(seconds):
        return next(_fit_all_rows(rows, work, job)).model
    from calibrant.studies._runners.process_runner import ProcessRunner

    deadline = time.monotonic() + seconds
    runner = ProcessRunner(work, lambda _: rows, workers=1, run_job=_fit_all_rows)
    try:
        runner.submit(job)
        while (left := deadline - time.monotonic()) > 0:
            for event in runner.poll(left):
                if isinstance(event, JobLost):
                    raise StudyError(f"{method} cannot be fitted to all rows: {event.reason}.")
                if isinstance(event, TrialFinished):
                    if isinstance(event.record, _FittedModel):
                        return event.record.model
                    raise StudyError(f"{method} cannot be fitted to all rows:\n{event.record.error}")
    finally:
        runner.stop()
    return None


def _fit_all_rows(rows: StudyRows, work: StudyWork, job: Job) -> Iterator[_FittedModel]:
    """Fit the methods of a job to all rows."""
    for ref in job.refs:
        estimator = work.methods[ref.method]
        model = seeded_clone(estimator, splitters.split_seed(work.seed, splitters.ALL_ROWS))
        by_row = {"sample_weight": rows.sample_weight, "groups": rows.groups, "times": rows.times}
        passed = {name: value for name, value in by_row.items() if value is not None and has_fit_parameter(model, name)}
        yield _FittedModel(ref, uuid.uuid4().hex, model=model.fit(rows.X, rows.y, **passed))


_MODEL, _HELD_OUT = "model.calibrant", "held_out.csv"


def prepare_folder(folder: Path) -> None:
    """Create a folder, or raise if nothing can be written there: before the work rather than after it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def model_size(model: Any) -> int:
    """Return the number of bytes of the file of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, _MODEL)
        save(model, path)
        return path.stat().st_size


def save_winner(found: TableComparison, folder: Path) -> TableComparison:
    """Write the model and its held-out predictions to a folder; nothing where there is no model."""
    if found.model is None:
        return found
    with whole_file(folder / _HELD_OUT) as file:
        found.held_out.to_csv(file, index=False)
    save(found.model, folder / _MODEL, made_from=found.table, expected=_expected(found))
    return replace(found, files={"model": str(folder / _MODEL), "held_out": str(folder / _HELD_OUT)})


def _expected(found: TableComparison) -> list[ExpectedScore]:
    """Return the score of the method that was saved."""
    value, low, high = found.expected
    if math.isnan(value):
        return []
    ends = () if math.isnan(low) else (low, high, found.best.confidence)
    return [ExpectedScore(found.metric, value, *ends)]
