"""Values of parameters checked before anything is fitted, where the class of an estimator can check them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from calibrant.exceptions import ParameterError

__all__ = ["check_parameter_values"]


def check_parameter_values(estimator: Any) -> None:
    """Raise a ParameterError if a parameter of an estimator, or of one inside it, has an invalid value.

    Estimators of calibrant check their parameters on the first line of `fit`, those of scikit-learn by rules; others
    are not checked before they are fitted.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> check_parameter_values(ProbabilityTreeClassifier(min_leaf=0))
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: ProbabilityTreeClassifier: min_leaf must be a finite number > 0; got 0.
    """
    inner = [each for each in estimator.get_params(deep=True).values() if _is_estimator(each)]
    for each in (estimator, *inner):
        package = type(each).__module__.partition(".")[0]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _CHECKS.get(package, _check_nothing)(each)
        except ParameterError as error:
            raise ParameterError(f"{type(each).__name__}: {error}") from error


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and hasattr(value, "fit") and not isinstance(value, type)


def _check_own(estimator: Any) -> None:
    """Fit to no rows: the parameters are checked first, and then the rows."""
    from sklearn.base import clone

    try:
        clone(estimator).fit(np.empty((0, 1)), [])
    except ParameterError:
        raise
    except Exception:  # that there are no rows
        return


def _check_sklearn(estimator: Any) -> None:
    from sklearn.utils._param_validation import InvalidParameterError

    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise ParameterError(str(error)) from error
    except AttributeError:
        return


def _check_nothing(_estimator: Any) -> None:
    return


_CHECKS = {"calibrant": _check_own, "sklearn": _check_sklearn}
