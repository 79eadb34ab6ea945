"""The predictions that a study keeps, as the bytes of Parquet files, with the statistics of their rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.exceptions import StoreError
from calibrant.metrics import METRICS
from calibrant.resampling._internal import KeptTrials, TestPredictions

if TYPE_CHECKING:
    from calibrant.studies._results.study_values import StudyValues

_KEY = b"calibrant"
_NATURAL = "iufbU"  # kinds of NumPy's types that a column of classes keeps; others are written as numbers of classes
_OPTIONS: dict[str, Any] = {
    "compression": "zstd",  # 0.3 ms for 200 rows of three classes, and a third smaller
    "use_dictionary": ["y_true"],
    "write_statistics": False,
    "store_schema": False,
    "write_page_checksum": True,  # SQLite has none: damaged predictions would be read as others
}


def predictions_to_parquet(
    row: NDArray[np.intp],
    y_true: NDArray[Any],
    y_pred: NDArray[np.float64],
    classes: Sequence[Any] = (),
    *,
    weight: NDArray[np.float64] | None = None,
    group: NDArray[Any] | None = None,
) -> bytes:
    """Return the predictions of a trial as the bytes of a Parquet file.

    The columns are row, y_true and ``p(class)`` of each class, or ``y_pred``; they can be read by other programs. The
    classes stand in the metadata too, with their types.

    Examples
    --------
    >>> data = predictions_to_parquet(np.array([4]), np.array(["b"]), np.array([[0.25, 0.75]]), ["a", "b"])
    >>> found = predictions_from_parquet(data)
    >>> found.y_pred.tolist(), found.classes
    ([[0.25, 0.75]], ('a', 'b'))
    """
    arrow, parquet = _arrow()
    proba = np.asarray(y_pred, dtype=np.float64)
    outcome, entry = np.asarray(y_true), None
    if len(classes):  # of the type of the outcomes, so that both come back as they were
        labels = np.array(list(classes), dtype=None if outcome.dtype.kind == "U" else outcome.dtype)
        found = labels.tolist()
        is_coded = labels.dtype.kind not in _NATURAL and not all(isinstance(label, str) for label in found)
        plain = [label if isinstance(label, str | int | float) or not is_coded else str(label) for label in found]
        entry = {"dtype": labels.dtype.str, "labels": plain, "coded": is_coded}
        if is_coded:
            number = {label: i for i, label in enumerate(found)}
            outcome = np.array([number[label] for label in outcome.tolist()], dtype=np.int64)
        named = [(f"p({label})", column) for label, column in zip(classes, proba.T, strict=True)]
    else:
        outcome, named = np.asarray(y_true, dtype=np.float64), [("y_pred", proba)]
    extras = [(name, found) for name, found in (("weight", weight), ("group", group)) if found is not None]
    about = {"classes": entry, "extras": [name for name, _ in extras]}
    named = [("row", np.asarray(row, dtype=np.int64)), ("y_true", outcome), *named, *extras]
    arrays = [arrow.array(np.ascontiguousarray(column)) for _, column in named]
    schema = arrow.schema([arrow.field(name, array.type) for (name, _), array in zip(named, arrays, strict=True)])
    sink = arrow.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema, **_OPTIONS) as writer:
        writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
        writer.add_key_value_metadata({_KEY: json.dumps(about, ensure_ascii=False)})
    return bytes(sink.getvalue().to_pybytes())


def predictions_from_parquet(data: bytes) -> TestPredictions:
    """Return the predictions that `predictions_to_parquet` wrote.

    Examples
    --------
    >>> data = predictions_to_parquet(np.array([4, 7]), np.array([1.5, 2.5]), np.array([1.25, 3.0]))
    >>> predictions_from_parquet(data).y_pred
    array([1.25, 3.  ])
    """
    arrow, parquet = _arrow()
    try:
        file = parquet.ParquetFile(arrow.BufferReader(data), page_checksum_verification=True)
        table, about = file.read(use_threads=False), json.loads(file.metadata.metadata[_KEY])
        columns = [table.column(i).to_numpy() for i in range(table.num_columns)]
        n_extras = len(about["extras"])
        extras = dict(zip(about["extras"], columns[len(columns) - n_extras :], strict=True))
        row, outcome, *predicted = columns[: len(columns) - n_extras]
        if about["classes"] is None:
            return TestPredictions(row.astype(np.intp), outcome, predicted[0], (), **extras)
        labels = np.array(about["classes"]["labels"], dtype=np.dtype(about["classes"]["dtype"]))
        code = outcome if about["classes"]["coded"] else _codes(outcome, labels)
        proba = np.stack(predicted, axis=1)
        return TestPredictions(row.astype(np.intp), labels[code], proba, tuple(labels.tolist()), **extras)
    except (arrow.ArrowException, OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        text = " ".join(str(error).split())
        raise StoreError(f"predictions of a trial cannot be read: {text}. Run the trial again.") from error


def _arrow() -> tuple[Any, Any]:
    purpose = "keep the predictions of a study"
    return tuple(optional_import(name, extra="studies", purpose=purpose) for name in ("pyarrow", "pyarrow.parquet"))


def _codes(outcome: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each row's class."""
    known = labels.astype(str) if labels.dtype.kind == "O" else labels
    order = np.argsort(known, kind="stable")
    return np.asarray(order[np.searchsorted(known, outcome.astype(known.dtype), sorter=order)])


def read_kept_rows(
    study: StudyValues, dataset: str, methods: Sequence[str], metrics: Sequence[str]
) -> KeptTrials | str:
    """Return the kept predictions of methods on the splits that all of them have, or why they are not enough."""
    for metric in metrics:
        needs_more = metric in METRICS and METRICS[metric].needs
        if needs_more or metric in study.own_metrics or metric in study.keyed_metrics:
            return f"{metric} cannot be computed from kept predictions alone"
    read = study.read_predictions or (lambda *_: [])
    kept = {
        method: {split: predictions_from_parquet(data) for split, data in sorted(read(dataset, method)) if split >= 0}
        for method in methods
    }
    plan = study.plans[dataset]
    least = int(plan.n_train[plan.n_train > 0].min(initial=np.iinfo(np.intp).max))  # 0: the split was not run
    return KeptTrials.of(kept, metrics, plan.pos_label, least)
