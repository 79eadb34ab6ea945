"""The classes, weights and groups of a source that `CalibratedClassifier` is fitted to; its features stay there."""

from __future__ import annotations

from typing import Any

from calibrant._source_limits import check_source_columns
from calibrant.calibration._classifier.fit_data import FitData
from calibrant.calibration._classifier.response import final_step
from calibrant.calibration._source_rows import read_source_rows
from calibrant.exceptions import ParameterError

__all__ = ["read_source_data"]


def read_source_data(
    X: Any, y: Any, sample_weight: Any, groups: Any, fit_params: dict[str, Any], *, estimator: Any, cv: Any
) -> FitData:
    """Return the rows of a source for a forest that reads it again, or for a fitted model that predicts it.

    Raise where the held-out scores would need folds of the rows.

    Parameters
    ----------
    X : source
        The table.
    y, sample_weight, groups : str
        Its columns of classes, weights and groups.
    fit_params : dict
        Further arguments of the estimator's `fit`.
    estimator : classifier
        The classifier that is calibrated.
    cv : str or splitter
        The source of held-out scores.

    Returns
    -------
    FitData
        The codes of the classes of all rows.
    """
    check_source_columns(y=y, sample_weight=sample_weight, groups=groups)
    if not (isinstance(cv, str) and cv in ("oob", "prefit")):
        raise ParameterError(
            f"cv must be 'oob' or 'prefit' where X is a source; got {cv!r}. Calibrate a forest by cv='oob', or pass a "
            "table in memory."
        )
    if cv == "oob" and not type(final_step(estimator)).__module__.startswith("calibrant."):
        raise ParameterError(
            f"estimator must be a forest of calibrant where X is a source; got {type(estimator).__name__}. Use "
            "BaggedTreesClassifier."
        )
    client = fit_params.get("client")
    named = {"sample_weight": sample_weight, "groups": groups, **fit_params}
    to_fit = {name: value for name, value in named.items() if value is not None}
    rows, _ = read_source_rows(X, y, sample_weight, groups, columns=[], client=client)
    return FitData(X, rows.classes, rows.codes, rows.weight, to_fit, groups=rows.groups, target=y)
