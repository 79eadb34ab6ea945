"""Forms of calibrators."""

from __future__ import annotations

from calibrant.calibration import Platt
from calibrant.files._codec.arrays import LabelArray
from calibrant.files._codec.fields import Flag, Integer, MapOf, Maybe, Number, Optional_, Text
from calibrant.files._codec.form import estimator_form

__all__ = ["FORMS"]

_FITTED = {"classes_": LabelArray(), "n_columns_": Integer(1), "of_difference_": Maybe(Flag())}

FORMS = (
    estimator_form(
        "calibration.Platt",
        Platt,
        {
            **_FITTED,
            "slope_": Number(),
            "intercept_": Number(),
            "on_": Text("logit", "score"),
            "certain_": Maybe(Optional_(MapOf(Number(0, 1)))),
        },
    ),
)
