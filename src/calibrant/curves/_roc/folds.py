"""Predictions parted by the fold they were made in."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import read_predictions

__all__ = ["by_fold", "fold_codes"]


def fold_codes(folds: Any, n_rows: int) -> tuple[np.ndarray[Any, np.dtype[np.intp]], list[Any]]:
    """Return the number of each row's fold, and the folds by number.

    Examples
    --------
    >>> fold_codes(["b", "a", "b"], 3)
    (array([1, 0, 1]), ['a', 'b'])
    """
    coded = factorize(folds)
    if len(coded.codes) != n_rows or (coded.codes < 0).any():
        raise DataError(
            f"folds must name a fold for each of the {n_rows} rows; got {len(coded.codes)}, or some missing."
        )
    names, place = np.unique(np.asarray(coded.categories), return_inverse=True)
    return place[coded.codes].astype(np.intp), names.tolist()


def by_fold(
    folds: Any, y_true: Any, y_proba: Any, sample_weight: Any, options: dict[str, Any]
) -> list[tuple[Any, Any, Any, dict[str, Any]]]:
    """Part predictions by fold: classes, probabilities, weights and options of each, the positive class named."""
    if folds is None:
        raise ParameterError('folds must be given with average="vertical": the fold that each row was predicted in.')
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, **options)
    of_row = fold_codes(folds, read.n_given)[0][read.rows]
    named = {"labels": read.classes.tolist(), "pos_label": read.classes.tolist()[read.positive]}
    labels = read.classes[read.label]
    return [
        (labels[of_row == fold], read.proba[of_row == fold], read.weight[of_row == fold], named)
        for fold in np.unique(of_row)
    ]
