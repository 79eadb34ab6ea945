"""Signs that a model's probabilities have a different base rate from the rows: class weights, resampling upstream."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration._auto.standard_error import standard_error_of_mean
from calibrant.calibration._validation import are_probabilities
from calibrant.exceptions import BaseRateWarning

if TYPE_CHECKING:
    from calibrant.calibration._classifier.held_out_scores import HeldOut

__all__ = ["causes_of_shift", "warn_of_shift"]

# Warnings should hardly ever be wrong: 4 standard errors are one false warning in 16,000 classes.
_MIN_Z = 4.0  # standard errors between the mean probability and the base rate
_MIN_ODDS_RATIO = 1.5  # between the mean probability and the base rate, either way

# The parameters that weight classes, and their neutral values.
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "class_weight": (None,),
    "class_weights": (None,),
    "auto_class_weights": (None, "None"),
    "scale_pos_weight": (None, 1, 1.0),
    "is_unbalance": (None, False),
}


def causes_of_shift(estimator: Any) -> list[str]:
    """Return the parameters that weight classes and the steps that resample rows, in an estimator and its parts.

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
    """Warn where mean probabilities differ from base rates, and the estimator shows why or its rows are unknown.

    Parameters
    ----------
    estimator : classifier
        The base estimator.
    held_out : HeldOut
        Its scores of held-out rows.
    classes : array of shape (n_classes,)
        The classes in the order of the columns.
    is_prefit : bool
        Whether it was fitted to rows that are not known here; then the difference alone is a sign.
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
        f"the mean probability of the class {name!r} is {predicted:.3g}, its base rate {observed:.3g}: {why} "
        "changed the base rate. The map must undo it; PriorShift and repair_base_rate do so explicitly, and a model of "
        "the original rows needs neither.",
        BaseRateWarning,
        stacklevel=4,
    )


def _largest_shift(held_out: HeldOut, classes: Any) -> tuple[Any, float, float] | None:
    """Return the class whose mean probability differs most from its base rate, with both; None without evidence."""
    table = held_out.scores if held_out.scores.shape[1] > 1 else np.hstack([1.0 - held_out.scores, held_out.scores])
    weight = np.ones(len(table)) if held_out.weight is None else held_out.weight
    own = (held_out.y[:, None] == classes[None, :]).astype(np.float64)
    predicted, observed = np.average(table, axis=0, weights=weight), np.average(own, axis=0, weights=weight)
    errors = [standard_error_of_mean(each, weight, held_out.groups) for each in (own - table).T]
    z = np.abs(observed - predicted) / np.maximum(errors, 1e-15)
    most = int(z.argmax())
    if z[most] < _MIN_Z or not _is_large(float(predicted[most]), float(observed[most])):
        return None
    return classes.tolist()[most], float(predicted[most]), float(observed[most])


def _is_large(predicted: float, observed: float) -> bool:
    if not (0.0 < predicted < 1.0 and 0.0 < observed < 1.0):
        return True
    ratio = predicted * (1.0 - observed) / (observed * (1.0 - predicted))
    return abs(math.log(ratio)) > math.log(_MIN_ODDS_RATIO)
