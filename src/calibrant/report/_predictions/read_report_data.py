"""Input validation of reports on predictions: everything is checked once, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Int, Real, check_param
from calibrant._repr import short_repr
from calibrant.data._internal import factorize
from calibrant.decisions._internal import CostedPredictions
from calibrant.exceptions import DataError, ParameterError, nearest
from calibrant.metrics._internal import Predictions, read_predictions
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.validation import check_cost_classes, check_ids, check_same_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_report_data"]

MOST_SEGMENTS = 200
_RULES = {"confidence": Real(0, 1, closed="neither"), "n_boot": Int(1), "random_state": Int(0)}


def read_report_data(
    y_true: Any,
    y_proba: Any,
    *,
    name: str = "model",
    costs: Any = None,
    amount: Any = None,
    by: Any = None,
    groups: Any = None,
    ids: Any = None,
    sample_weight: Any = None,
    weight_kind: str = "frequency",
    pos_label: Any = None,
    labels: Any = None,
    reference: str | None = None,
    model: Any = None,
    rows: bool = True,
    confidence: float = 0.95,
    n_boot: int = 1000,
    random_state: int = 0,
    source: str | None = None,
    command: str | None = None,
) -> ReportData:
    """Validate the arguments of `Report.from_predictions`, and drop the rows of weight 0."""
    numbers: dict[str, Any] = {"confidence": confidence, "n_boot": n_boot, "random_state": random_state}
    for parameter, value in numbers.items():
        check_param(parameter, value, _RULES[parameter])
    models = _models(y_proba, name)
    _check_classes(np.asarray(factorize(y_true).categories).tolist())
    read = _read_models(y_true, models, sample_weight, pos_label, labels)
    first = next(iter(read.values()))
    _check_classes(first.classes[np.unique(first.label)].tolist())
    if reference is not None and reference not in models:
        raise ParameterError(
            f"reference must be one of the models {', '.join(models)}; got {reference!r}.{nearest(reference, models)}"
        )
    known = None
    if costs is not None:
        check_cost_classes(costs, first.classes.tolist())
        known = CostedPredictions.read(
            y_true, next(iter(models.values())), costs, amount=amount, sample_weight=sample_weight,
            pos_label=pos_label, labels=labels,
        ).costs  # fmt: skip
    data = ReportData(
        first.classes[first.label],
        {key: _probabilities(each) for key, each in read.items()},
        tuple(first.classes.tolist()),
        first.classes.tolist()[first.positive] if first.n_classes == 2 else None,
        known,
        _amounts(amount, first),
        _segments(by, first),
        _values("groups", groups, first),
        _ids(ids, first, groups),
        first.weights,
        weight_kind,
        reference,
        model if isinstance(model, Mapping) else {} if model is None else {next(iter(models)): model},
        rows,
        **numbers,
        source=source or "",
        command=command or "",
    )
    return data.against_others(pos_label) if pos_label is not None and not data.is_binary and known is None else data


def _models(y_proba: Any, name: str) -> dict[str, Any]:
    models = {str(key): value for key, value in y_proba.items()} if isinstance(y_proba, Mapping) else {name: y_proba}
    if not models:
        raise ParameterError("y_proba must hold the probabilities of at least one model; got an empty dict.")
    if not all(each.strip() for each in models):
        raise ParameterError("y_proba must have a name for every model; got an empty one.")
    return models


def _read_models(
    y_true: Any, models: Mapping[str, Any], sample_weight: Any, pos_label: Any, labels: Any
) -> dict[str, Predictions]:
    check_same_rows(models, sample_weight)
    read = {}
    for key, value in models.items():
        try:
            read[key] = read_predictions(y_true, value, sample_weight, pos_label, labels)
        except DataError as error:
            raise type(error)(f"{key}: {error}" if len(models) > 1 else str(error)) from error
    return read


def _check_classes(seen: list[Any]) -> None:
    if len(seen) == 1:
        raise DataError(
            f"y_true has only rows of class {seen[0]!r}; a report needs rows of at least two classes to judge by."
        )


def _probabilities(read: Predictions) -> NDArray[np.float64]:
    return np.ascontiguousarray(read.column(read.positive) if read.n_classes == 2 else read.proba)


def _values(parameter: str, values: Any, read: Predictions) -> NDArray[Any] | None:
    """Return a value for each row of weight above 0."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != read.n_input_rows:
        raise DataError(
            f"{parameter} must have a value for each of the {read.n_input_rows:,} rows; got {short_repr(values)}."
        )
    return array if read.kept is None else array[read.kept]


def _amounts(values: Any, read: Predictions) -> NDArray[np.float64] | None:
    if values is None:
        return None
    every = np.broadcast_to(np.asarray(values, dtype=float), (read.n_input_rows,))
    return np.ascontiguousarray(every if read.kept is None else every[read.kept])


def _segments(by: Any, read: Predictions) -> dict[str, NDArray[Any]]:
    if by is None:
        return {}
    columns = by if isinstance(by, Mapping) else {str(getattr(by, "name", None) or "segment"): by}
    found = {}
    for column, values in columns.items():
        array = _values(f"by: {column}", values, read)
        assert array is not None  # noqa: S101  # because values were passed
        text = np.array(["missing" if each is None or each != each else str(each) for each in array.tolist()])
        if (n_segments := len(np.unique(text))) > MOST_SEGMENTS:
            raise DataError(
                f"by: {column!r} has {n_segments:,} different values, and a report shows at most {MOST_SEGMENTS} "
                "segments. Group the values first."
            )
        found[str(column)] = text
    return found


def _ids(ids: Any, read: Predictions, groups: Any) -> NDArray[Any] | None:
    values = _values("ids", ids, read)
    if values is not None:
        check_ids(values, has_groups=groups is not None)
    return values
