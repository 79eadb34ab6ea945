"""The held-out predictions of the best methods of a compared table, on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import StoreError, StudyError
from calibrant.studies._internal import BASELINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies import TableComparison

__all__ = ["held_out_classes", "top_models"]

_MOST = 4  # models in the figures: more lines than that cannot be told apart
_PREFIX = "probability_"


def held_out_classes(found: TableComparison) -> list[Any]:
    """Return the classes in the order of the columns of the held-out predictions."""
    by_text = {f"{_PREFIX}{label}": label for label in found.table.class_counts}
    return [by_text[name] for name in found.held_out if name in by_text]


def top_models(found: TableComparison) -> dict[str, NDArray[np.float64]]:
    """Return the probabilities of the advised method and, where the store has them, of the best ones.

    Every array has the rows of ``found.held_out``, in its order. Methods whose probabilities are those of a better one
    are left out, such as a calibrated one whose guard kept all of them, and the base rate, which is a constant.
    """
    columns = [f"{_PREFIX}{label}" for label in held_out_classes(found)]
    own = {found.advised: found.held_out[columns].to_numpy(dtype=np.float64)}
    models = own if found.advised != BASELINE else {}
    for each in found.ranking:
        if len(models) == _MOST:
            break
        proba = None if each.method in (*models, BASELINE) else _kept_proba(found, each.method)
        if proba is not None and not any(np.allclose(proba, other, atol=1e-9) for other in models.values()):
            models[each.method] = proba
    return models or own


def _kept_proba(found: TableComparison, method: str) -> NDArray[np.float64] | None:
    """Return what the store has of a method on the held-out rows; None where a row is missing."""
    try:
        pooled = found.study.predictions(method)
    except (StoreError, StudyError):
        return None
    wanted = list(zip(found.held_out["row"].tolist(), found.held_out["split"].tolist(), strict=True))
    places = {key: place for place, key in enumerate(zip(pooled.row.tolist(), pooled.split.tolist(), strict=True))}
    if list(pooled.classes) != held_out_classes(found) or any(key not in places for key in wanted):
        return None
    return np.asarray(pooled.y_pred[[places[key] for key in wanted]], dtype=np.float64)
