"""Signs that a model's probabilities speak of another base rate than the rows: class weights, resampling upstream."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration._validation import are_probabilities
from calibrant.exceptions import BaseRateWarning

if TYPE_CHECKING:
    from calibrant.calibration._classifier.held_out_scores import HeldOut

__all__ = ["causes_of_shift", "warn_of_shift"]

_SURE = 4.0  # standard errors between the mean probability and the base rate
_NOTABLE = 1.5  # how many times larger or smaller the odds must be

# The parameters that weigh classes, and the values by which they do not.
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "class_weight": (None,),
    "class_weights": (None,),
    "auto_class_weights": (None, "None"),
    "scale_pos_weight": (None, 1, 1.0),
    "is_unbalance": (None, False),
}


def causes_of_shift(estimator: Any) -> list[str]:
    """Name the parameters that weigh classes and the steps that resample rows, in an estimator and all within it.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> causes_of_shift(LogisticRegression(class_weight="balanced")), causes_of_shift(LogisticRegression())
    (["class_weight='balanced'"], [])
    """
    return list(_causes(estimator))


def _causes(estimator: Any) -> Iterator[str]:
    for name, value in estimator.get_params(deep=True).items():
        if hasattr(value, "fit_resample") and not isinstance(value, type):
            yield f"the resampler {type(value).__name__}"
            continue
        neutral = _NEUTRAL.get(name.rsplit("__", 1)[-1])
        if neutral is not None and not any(value is each or _same(value, each) for each in neutral):
            yield f"{name}={value!r}"


def _same(value: Any, other: Any) -> bool:
    return isinstance(value, int | float | str) and isinstance(other, int | float | str) and value == other


def warn_of_shift(estimator: Any, held_out: HeldOut, classes: Any, *, is_prefit: bool) -> None:
    """Warn where probabilities have another mean than the classes, and the estimator shows why or its rows are unknown.

    Parameters
    ----------
    estimator : classifier
        The base estimator.
    held_out : HeldOut
        Its scores of rows that it was not fitted to.
    classes : array of shape (n_classes,)
        The classes in the order of the columns.
    is_prefit : bool
        Whether it was fitted to rows that nobody knows here; then the difference alone is a sign.
    """
    causes = causes_of_shift(estimator) if hasattr(estimator, "get_params") else []
    if not (causes or is_prefit) or not are_probabilities(held_out.scores):
        return
    found = _largest_shift(held_out, np.asarray(classes))
    if found is None:
        return
    name, predicted, observed = found
    why = " and ".join(causes) if causes else "the rows that the model was fitted to"
    warnings.warn(
        f"the mean probability of the class {name!r} is {predicted:.3g}, its share of the rows {observed:.3g}: {why} "
        "changed the base rate. The map must undo it; PriorShift and repair_base_rate do so knowingly, and a model of "
        "the rows as they are needs neither.",
        BaseRateWarning,
        stacklevel=4,
    )


def _largest_shift(held_out: HeldOut, classes: Any) -> tuple[Any, float, float] | None:
    """Give the class whose mean probability is surest to differ from its share, with both, if notably so."""
    table = held_out.scores if held_out.scores.shape[1] > 1 else np.hstack([1.0 - held_out.scores, held_out.scores])
    weight = np.ones(len(table)) if held_out.weight is None else held_out.weight
    own = (held_out.y[:, None] == classes[None, :]).astype(np.float64)
    predicted, observed = np.average(table, axis=0, weights=weight), np.average(own, axis=0, weights=weight)
    spread = np.average((own - table - (observed - predicted)) ** 2, axis=0, weights=weight)
    surety = np.abs(observed - predicted) / np.sqrt(np.maximum(spread / weight.sum(), 1e-30))
    place = int(surety.argmax())
    if surety[place] < _SURE or not _is_notable(float(predicted[place]), float(observed[place])):
        return None
    return classes.tolist()[place], float(predicted[place]), float(observed[place])


def _is_notable(predicted: float, observed: float) -> bool:
    if not (0.0 < predicted < 1.0 and 0.0 < observed < 1.0):
        return True
    ratio = predicted * (1.0 - observed) / (observed * (1.0 - predicted))
    return abs(math.log(ratio)) > math.log(_NOTABLE)
