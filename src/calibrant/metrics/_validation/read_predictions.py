"""Input validation of every metric: classes, probabilities, weights and priors are checked once, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats, as_unmasked_floats
from calibrant._repr import listed, short_repr
from calibrant.data._internal import check_weights, classes_of_columns, column_names, order_columns
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._validation.predictions import Predictions, columns_of, read_label_codes, row_index

_OUTSIDE = 1e-9  # how far rounding may take a probability outside [0, 1]
_SUM = 1e-6  # how far rounding may take the sum of a row, or of a prior, from 1
_SUM_SINGLE = 1e-4  # the same for values of single precision, which has 7 digits


@document_metric
def read_predictions(
    y_true: Any, y_proba: Any, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> Predictions:
    """Validate the arguments of a metric.

    Probabilities may lie outside [0, 1] by 1e-9 and rows may sum to 1 within 1e-6 (1e-4 in single precision). Rows
    of weight 0 are not validated.

    %(parameters)s

    %(returns)s
        The rows of weight above 0.

    Examples
    --------
    >>> read_predictions([0, 1, 1], [0.2, 0.7, float("nan")], sample_weight=[1, 2, 0]).proba
    array([[0.8, 0.2],
           [0.3, 0.7]])
    """
    if isinstance(y_true, Predictions):  # a metric that judges rows which are validated already
        return y_true
    if isinstance(pos_label, np.ndarray | list):
        raise ParameterError(
            f"pos_label must be one class; got {short_repr(pos_label)}. Pass the positive class alone."
        )
    values = _table(y_proba)
    n_rows = len(values)
    codes, categories, are_seen = read_label_codes("y_true", y_true, n_rows)
    weights = check_weights(sample_weight, n_rows)
    kept = None if weights is None or weights.all() else np.flatnonzero(weights)
    if kept is not None and weights is not None:
        values, codes, weights, are_seen = values[kept], codes[kept], weights[kept], False
    if not are_seen:
        occurs = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
        seen = _sorted([name for name, found in zip(categories, occurs, strict=True) if found])
    else:
        seen = _sorted(categories)
    if labels is None and values.shape[1] > 1:
        named = classes_of_columns("y_proba", column_names(y_proba), seen, may_add=True)
        classes = _classes(seen, None if named is None else _sorted(named), pos_label, values.shape[1])
    else:
        classes = _classes(seen, labels, pos_label, values.shape[1])
        named = classes_of_columns("y_proba", column_names(y_proba), classes)
    positive = _positive(classes, pos_label)
    label, table = columns_of("y_true", codes, categories, classes, kept), check_probabilities(values, kept)
    if table.shape[1] > 1 or named is None:
        table = order_columns(table, named, classes)
    elif named[0] != classes[positive]:
        table = 1.0 - table
    return Predictions(np.array(classes), label, table, weights, positive, pos_label is not None, kept, n_rows)


def _table(y_proba: Any) -> NDArray[np.float64]:
    """Return the probabilities as a table, without a check of their values."""
    try:
        is_pandas = type(y_proba).__module__.startswith("pandas") and hasattr(y_proba, "to_numpy")
        if is_pandas and not np.iscomplexobj(y_proba):  # whose own missing values NumPy cannot convert
            values = as_unmasked_floats(y_proba.to_numpy(dtype=np.float64, na_value=np.nan))
        else:
            values = as_unmasked_floats(y_proba)
        if column_names(y_proba):  # a frame's columns lie apart: sums would differ from those of an array by rounding
            values = np.ascontiguousarray(values)
    except (TypeError, ValueError) as error:
        raise DataTypeError("y_proba must hold numbers: a column for each class, or one for the positive.") from error
    if values.ndim not in (1, 2) or values.shape[-1] == 0 or len(values) == 0:
        raise DataError(
            f"y_proba has shape {values.shape}; expected (n_rows, n_classes), or (n_rows,) for the positive class "
            "alone, with at least one row."
        )
    return values.reshape(len(values), -1)


def _sorted(names: list[Any]) -> list[Any]:
    return list(np.unique(names).tolist())


def _classes(seen: list[Any], labels: Any, pos_label: Any, n_columns: int) -> list[Any]:
    """Return the class of each column, or both classes of a single column."""
    classes = seen if labels is None else _check_labels(labels)
    if n_columns == 1 and labels is None:
        classes = two_classes(seen, pos_label)
    if n_columns != len(classes) and (n_columns, len(classes)) != (1, 2):
        whose = "y_true" if labels is None else "labels"
        raise DataError(
            f"y_proba has {n_columns} column(s) for {len(classes)} classes of {whose} "
            f"({listed(map(repr, classes), 5)}); pass "
            "labels=, the classes in the order of the columns."
        )
    return classes


def _check_labels(labels: Any) -> list[Any]:
    array = np.asarray(labels)
    names: list[Any] = array.tolist() if array.ndim == 1 else []
    if not names or len(set(names)) < len(names) or any(name != name for name in names):
        raise ParameterError(f"labels must be the classes in the order of the columns, each once; got {labels!r}.")
    return names


def two_classes(seen: list[Any], pos_label: Any) -> list[Any]:
    """Return the negative and the positive class of a single column, including one that does not occur.

    Examples
    --------
    >>> two_classes(["no"], "yes"), two_classes(["a", "b"], None)
    (['no', 'yes'], ['a', 'b'])
    """
    if pos_label is None:
        if len(seen) == 1:
            raise DataError(
                f"y_true has one class ({seen[0]!r}), so the class of the single column of y_proba is unknown; "
                "pass pos_label= or labels=."
            )
        return seen
    others = [name for name in seen if name != pos_label]
    if len(others) > 1:
        _positive(seen, pos_label)
    return [*(others or [f"not {pos_label}"]), pos_label]


def _positive(classes: list[Any], pos_label: Any) -> int:
    if pos_label is None:
        return classes.index(np.unique(classes).tolist()[-1])
    if pos_label not in classes:
        raise ParameterError(
            f"pos_label is {pos_label!r}, which is not a class ({listed(map(repr, classes), 5)})."
            f"{nearest(pos_label, classes)}"
        )
    return classes.index(pos_label)


def check_probabilities(values: NDArray[np.float64], kept: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """Check a table of probabilities, and return it clipped to [0, 1]; `kept` numbers its rows in messages.

    Examples
    --------
    >>> check_probabilities(np.array([[1.0 + 1e-12, -1e-12]]))
    array([[1., 0.]])
    """
    is_inside = values.min() >= 0.0 and values.max() <= 1.0
    if not is_inside:
        _raise_if_any(np.isnan(values), kept, "NaN", "drop those rows or set their weight to 0.")
        outside = (values < -_OUTSIDE) | (values > 1.0 + _OUTSIDE)
        hint = "pass probabilities, not scores; to_probabilities converts percent and log-odds."
        _raise_if_any(outside, kept, "value(s) outside [0, 1]", hint)
    if values.shape[1] > 1:
        _raise_if_any(
            _is_off(values), kept, "row(s) that do not sum to 1", "divide each row by its sum, or pass one column."
        )
    return values if is_inside else np.clip(values, 0.0, 1.0)


def _is_off(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mark for each row that does not sum to 1, within the precision of the values."""
    error = np.abs(np.einsum("ij->i", values) - 1.0)
    if (error <= _SUM).all() or (values != values.astype(np.float32)).any():
        return np.asarray(error > _SUM)
    return np.asarray(error > _SUM_SINGLE)


def _raise_if_any(wrong: NDArray[np.bool_], kept: NDArray[np.intp] | None, what: str, hint: str) -> None:
    if wrong.any():
        first = row_index(np.argwhere(wrong)[0, 0], kept)
        raise DataError(f"y_proba has {wrong.sum()} {what} (first at row {first}); {hint}")


def read_prior(prior: Any, predictions: Predictions, labels: Any) -> NDArray[np.float64]:
    """Return the frequency of the class of each column.

    Parameters
    ----------
    prior : sequence of length n_classes, dict of class to frequency, or None
        Frequencies that sum to 1, in the order of `labels` or else of the sorted classes; None: those of the rows. A
        pandas Series is read by its index: ``y.value_counts(normalize=True)`` is sorted by frequency.
    predictions : Predictions
        The rows.
    labels : sequence or None
        The classes in the order of the columns, as passed to the metric.

    Returns
    -------
    array of shape (n_classes,)
        The frequencies.

    Examples
    --------
    >>> predictions = read_predictions(["a", "b", "b", "b"], [0.1, 0.8, 0.6, 0.9])
    >>> read_prior(None, predictions, None), read_prior({"b": 0.6, "a": 0.4}, predictions, None)
    (array([0.25, 0.75]), array([0.4, 0.6]))
    """
    classes, weights = predictions.classes.tolist(), predictions.class_weights()
    if prior is None:
        return np.asarray(weights / weights.sum())
    if type(prior).__name__ == "Series" and hasattr(prior, "to_dict"):
        by_index = prior.to_dict()
        # The default index of a Series names no classes, unless they are such numbers themselves.
        is_by_position = [*by_index] == [*range(len(prior))] and set(by_index) != set(classes)
        prior = prior if is_by_position else by_index
    is_by_class = isinstance(prior, Mapping)
    if is_by_class and set(prior) != set(classes):
        raise ParameterError(f"prior must have a frequency for each class, {classes}; got one for {[*prior]}.")
    if not is_by_class and labels is None and not weights.all():  # the class that does not occur has no known position
        raise ParameterError(
            "prior: the rows have one class only, so the order of the classes is unknown; pass labels=."
        )
    try:
        frequencies = as_floats([prior[name] for name in classes] if is_by_class else prior)
    except (TypeError, ValueError):
        frequencies = np.empty(0)
    has_one_per_class = frequencies.shape == predictions.classes.shape
    if not has_one_per_class or not (frequencies >= 0).all() or not abs(frequencies.sum() - 1.0) <= _SUM:
        raise ParameterError(
            f"prior must be {len(classes)} frequencies, one for each class, that sum to 1; got {prior!r}. "
            "Divide counts by their sum."
        )
    frequencies = np.asarray(frequencies / frequencies.sum())
    in_order = is_by_class or labels is not None
    return frequencies if in_order else np.asarray(frequencies[np.argsort(np.argsort(predictions.classes))])
