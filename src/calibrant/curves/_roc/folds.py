"""Predictions split by the fold in which they were made."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.curves._ranked import read_one_class
from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, ParameterError

__all__ = ["by_fold", "fold_codes"]


def fold_codes(folds: Any, n_rows: int) -> tuple[np.ndarray[Any, np.dtype[np.intp]], list[Any]]:
    """Return the index of each row's fold, and the names of the folds.

    Examples
    --------
    >>> fold_codes(["b", "a", "b"], 3)
    (array([1, 0, 1]), ['a', 'b'])
    """
    coded = factorize(folds)
    if len(coded.codes) != n_rows or (coded.codes < 0).any():
        raise DataError(
            f"folds must name a fold for each of the {n_rows} rows; got {len(coded.codes)}, or missing values."
        )
    names, index = np.unique(np.asarray(coded.categories), return_inverse=True)
    return index[coded.codes].astype(np.intp), names.tolist()


def by_fold(
    folds: Any, y_true: Any, y_proba: Any, sample_weight: Any, options: dict[str, Any]
) -> list[tuple[Any, Any, Any, dict[str, Any]]]:
    """Split predictions by fold: classes, probabilities, weights, and options that name the positive class."""
    if folds is None:
        raise ParameterError('folds must be passed with average="vertical": the fold in which each row was predicted.')
    read = read_one_class(y_true, y_proba, sample_weight, **options, who="a ROC curve")
    of_row = fold_codes(folds, read.n_input_rows)[0][read.rows]
    known = {"labels": read.classes.tolist(), "pos_label": read.classes.tolist()[read.positive]}
    labels = read.classes[read.label]
    return [
        (labels[of_row == fold], read.proba[of_row == fold], read.weight[of_row == fold], known)
        for fold in np.unique(of_row)
    ]
