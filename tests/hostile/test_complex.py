"""Complex numbers are refused wherever numbers or classes are taken, and not cut to their real parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.hostile.calls import SCORES, X, Y, arguments, estimators, functions, required

from calibrant.calibration import Calibrator
from calibrant.data import DateParts, TextParts
from calibrant.exceptions import CalibrantError

# What these arguments hold is not numbers: names, models, curves, classes in their order.
NOT_NUMBERS = ("name", "given", "written", "control", "theories", "curves", "model", "fitted_forest", "estimator")
NOT_NUMBERS += ("card_a", "card_b", "source", "target", "decisions", "sizes", "labels", "plan")


def _as_complex(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_complex(item) for key, item in value.items()}
    return np.asarray(value) + 0j


def _cases() -> list[Any]:
    return [
        pytest.param(name, argument, id=f"{name}-{argument}")
        for name, function in functions().items()
        for argument, value in arguments(name, function).items()
        if argument not in NOT_NUMBERS and isinstance(value, np.ndarray | list | dict)
    ]


@pytest.mark.parametrize(("name", "argument"), _cases())
def test_a_function_refuses_complex_numbers(name: str, argument: str) -> None:
    function = functions()[name]
    given = arguments(name, function)
    error = ValueError if name == "ensembles.mob_esp" else CalibrantError  # the forest is scikit-learn's
    with pytest.raises(error):
        function(**{**given, argument: _as_complex(given[argument])})


# Transformers of dates and text refuse numbers of any kind, and take no classes.
@pytest.mark.parametrize("kind", [kind for kind in estimators() if kind not in (DateParts, TextParts)])
def test_an_estimator_refuses_complex_columns_and_classes(kind: type[Any]) -> None:
    model = kind(**required(kind))
    columns: list[Any] = [SCORES + 0j, list(SCORES + 0j)]
    if not issubclass(kind, Calibrator):
        columns = [X + 0j, (X + 0j).astype(object), pd.DataFrame({"a": X[:, 0], "b": X[:, 1] + 0j})]
    for given in columns:  # HeckmanRegressor reads columns as scikit-learn does
        with pytest.raises((CalibrantError, ValueError, TypeError), match=r"(?i)complex"):
            model.fit(given, Y)
    for classes in (Y + 0j, list(Y + 0j), pd.Series(Y + 0j)):
        with pytest.raises((CalibrantError, ValueError), match=r"(?i)complex"):
            model.fit(SCORES if issubclass(kind, Calibrator) else X, classes)
