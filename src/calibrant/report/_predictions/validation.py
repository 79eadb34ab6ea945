"""Checks of what is passed to a report: models of the same rows, ids that occur once, costs of the same classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._repr import listed
from calibrant.decisions import CostMatrix
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_cost_classes", "check_ids", "check_same_rows"]

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
        differ = without[first] ^ without[other]
        if differ.any():
            rows = np.flatnonzero(differ)
            lacking, having = (first, other) if without[first][rows[0]] else (other, first)
            n_rows = int((differ & without[lacking]).sum())
            raise DataError(
                f"y_proba: all models must predict the same rows; {lacking!r} has no probability in {n_rows:,} of "
                f"{len(differ):,} rows (first at row {rows[0]}), where {having!r} has one. Leave out those rows, or "
                "predict them."
            )


def _without_probability(value: Any, sample_weight: Any) -> NDArray[np.bool_]:
    """Return which rows of weight above 0 have no probability."""
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
