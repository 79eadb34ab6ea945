"""Forms of the classifiers of calibrant.bayes."""

from __future__ import annotations

from calibrant.bayes import ConstantClassifier
from calibrant.exceptions import ModelFileError
from calibrant.files._codec.arrays import Array
from calibrant.files._codec.form import estimator_form
from calibrant.files._forms.data import COLUMNS, check_columns

__all__ = ["FORMS"]


def _check_constant(model: ConstantClassifier) -> None:
    check_columns(model)
    if len(model.proba_) != len(model.classes_):
        raise ModelFileError("has other probabilities than classes")


FORMS = (
    estimator_form(
        "bayes.ConstantClassifier",
        ConstantClassifier,
        {**COLUMNS, "proba_": Array("f8", finite=True, low=0, high=1)},
        check=_check_constant,
    ),
)
