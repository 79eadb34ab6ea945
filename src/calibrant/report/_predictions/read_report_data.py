"""Input validation of reports on predictions: everything is checked once, before anything is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Int, Real, check_param
from calibrant._repr import listed, short_repr
from calibrant.data._internal import factorize
from calibrant.decisions import CostMatrix
from calibrant.decisions._internal import CostedPredictions
from calibrant.exceptions import DataError, ParameterError, nearest
from calibrant.metrics._internal import Predictions, read_predictions
from calibrant.report._predictions.report_data import ReportData

_MOST_SHOWN = 10


def check_same_rows(models: Mapping[str, Any], sample_weight: Any = None) -> None:
    """Raise if models have not the same number of rows, or if one has a probability where another has none.

    Examples
    --------
    >>> check_same_rows({"old": [0.1, 0.2, 0.3], "new": [0.1, float("nan"), 0.2]})
    Traceback (most recent call last):
    calibrant.exceptions.DataError: y_proba: all models must predict the same rows; 'new' has no probability in 1 of 3
    rows (first at row 1), where 'old' has one. Leave out those rows, or predict them.
    """
    sizes = {key: len(value) for key, value in models.items() if hasattr(value, "__len__")}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{key} has {size:,}" for key, size in sizes.items())
        raise DataError(f"y_proba: all models must predict the same rows; {found} rows.")
    without = {key: _without_probability(value, sample_weight) for key, value in models.items()}
    first, *others = without
    for other in others:
        rows = np.flatnonzero(without[first] ^ without[other])
        if len(rows):
            lacking, having = (first, other) if without[first][rows[0]] else (other, first)
            raise DataError(
                f"y_proba: all models must predict the same rows; {lacking!r} has no probability in "
                f"{int(without[lacking][rows].sum()):,} of {len(without[first]):,} rows (first at row {rows[0]}), "
                f"where {having!r} has one. Leave out those rows, or predict them."
            )


def _without_probability(value: Any, sample_weight: Any) -> NDArray[np.bool_]:
    """Find the rows of weight above 0 without a probability."""
    is_frame = type(value).__module__.startswith("pandas")
    try:
        table = np.asarray(value.to_numpy(float, na_value=np.nan) if is_frame else value, dtype=float)
        weight = np.ones(len(table)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        return np.asarray(np.isnan(table.reshape(len(table), -1)).any(axis=1) & (weight > 0))
    except (TypeError, ValueError):  # what they are is checked elsewhere
        return np.zeros(len(value) if hasattr(value, "__len__") else 1, dtype=bool)


def check_ids(ids: NDArray[Any], *, has_groups: bool) -> None:
    """Raise if an id stands in several rows, unless groups say which rows belong together.

    Examples
    --------
    >>> check_ids(np.array([7, 8, 7]), has_groups=False)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: ids must be different in every row; got '7' in 2 rows, and 1 value in more than one
    row. Leave out what is there twice or, if such rows belong together, pass groups= with the same values.
    """
    values = ids.tolist()
    if not has_groups and len(set(values)) < len(values):
        (most, n_rows), *_ = (counts := Counter(values)).most_common(1)
        n_repeated = sum(count > 1 for count in counts.values())
        raise DataError(
            f"ids must be different in every row; got {str(most)!r} in {n_rows:,} rows, "
            f"and {n_repeated:,} value{'' if n_repeated == 1 else 's'} in more than one row. Leave out what is there "
            "twice or, if such rows belong together, pass groups= with the same values."
        )


def check_cost_classes(costs: Any, classes: Sequence[Any]) -> None:
    """Raise if costs have labels that are not the classes.

    Examples
    --------
    >>> check_cost_classes(CostMatrix([[0, 1], [5, 0]], labels=["bad", "good"]), ["no", "yes"])
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: costs must have a row for every class of y_true, which has no and yes; got
    costs of bad and good. Name the classes alike.
    """
    labels = list(costs if isinstance(costs, Mapping) else getattr(costs, "labels", None) or ())
    if not labels:
        return
    try:  # the rule by which the text of a file names a class
        CostMatrix(np.zeros((len(labels), 1)), labels=labels, actions=["any"]).for_classes(list(classes))
    except ParameterError as error:
        raise ParameterError(
            f"costs must have a row for every class of y_true, which has {listed(classes, most=_MOST_SHOWN)}; got "
            f"costs of {listed(labels, most=_MOST_SHOWN)}. Name the classes alike."
        ) from error


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
    pos_label: Any = None,
    labels: Any = None,
    reference: str | None = None,
    model: Any = None,
    **settings: Any,
) -> ReportData:
    """Validate the arguments of `Report.from_predictions`, and drop the rows of weight 0."""
    for parameter, rule in _RULES.items():
        if parameter in settings:
            check_param(parameter, settings[parameter], rule)
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
    row_ids = _values("ids", ids, first)
    if row_ids is not None:
        check_ids(row_ids, has_groups=groups is not None)
    amounts = None
    if amount is not None:
        every = np.broadcast_to(np.asarray(amount, dtype=float), (first.n_input_rows,))
        amounts = np.ascontiguousarray(every if first.kept is None else every[first.kept])
    data = ReportData(
        first.classes[first.label],
        {
            key: np.ascontiguousarray(each.column(each.positive) if each.n_classes == 2 else each.proba)
            for key, each in read.items()
        },
        tuple(first.classes.tolist()),
        first.classes.tolist()[first.positive] if first.n_classes == 2 else None,
        known,
        amounts,
        _segments(by, first),
        _values("groups", groups, first),
        row_ids,
        first.weights,
        reference=reference,
        model=model if isinstance(model, Mapping) else {} if model is None else {next(iter(models)): model},
        **settings,
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
