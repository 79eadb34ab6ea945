"""The arguments of a wrapper's `fit`, validated and routed to the base estimator and the splitter.

Routing is scikit-learn's metadata routing where that is enabled, else that of its CalibratedClassifierCV.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from calibrant._sklearn import num_samples
from calibrant.calibration._classifier.fit_data import FitData, is_pairwise
from calibrant.data._internal import check_integers, check_weights, code_labels, read_groups
from calibrant.exceptions import CalibrantWarning, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_fit_data"]


_IN_MAP_ONLY = "the weights count in the map only, which then describes other rows than the model"


def read_fit_data(
    owner: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    fit_params: Mapping[str, Any],
    *,
    groups: Any = None,
    otherwise: str = _IN_MAP_ONLY,
) -> tuple[FitData, NDArray[np.intp] | None]:
    """Validate classes and weights, and route the arguments to the map, the base estimator and the splitter.

    Parameters
    ----------
    owner : classifier
        Whose `fit` it is, with an `estimator`.
    X, y, sample_weight
        The arguments of `fit`; X is left to the base estimator to validate.
    fit_params : mapping
        Its further arguments.
    groups : sequence of length n_rows or None
        The group of each row: for the map, the splitter and, where it takes groups, the base estimator.
    otherwise : str
        What becomes of weights where the base estimator takes none, for the warning.

    Returns
    -------
    FitData
        The rows that count: those of weight 0 are dropped where the base estimator would not count them either.
    array of int or None
        The positions of these rows among those passed; None for all.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibrant.calibration import CalibratedClassifier
    >>> owner = CalibratedClassifier(GaussianNB())
    >>> data, kept = read_fit_data(owner, [[1.0], [2.0], [3.0]], ["a", "b", "c"], [1, 0, 2], {})
    >>> data.y.tolist(), data.to_fit, kept.tolist()
    (['a', 'c'], {'sample_weight': array([1., 2.])}, [0, 2])
    """
    X = indexable(X)[0]
    weight = check_weights(sample_weight, num_samples(X))
    numbers = read_groups(groups, num_samples(X))
    to_fit, to_split = _route(owner, weight, groups, fit_params, otherwise)
    kept = _kept_rows(owner.estimator, weight, to_fit)
    labels = code_labels(y, num_samples(X), kept)
    if labels.classes.dtype.kind == "O":  # scikit-learn's splitters do not know the type of vast integers
        check_integers(labels.classes)
    if len(labels.classes) < 2:
        raise DataError(
            f"y has one class only ({labels.classes.tolist()[0]!r}); a classifier needs rows of two classes."
        )
    if kept is None:
        return FitData(X, labels.classes, labels.codes, weight, to_fit, to_split, numbers), None
    codes = np.zeros(num_samples(X), dtype=np.int32)
    codes[kept] = labels.codes
    return FitData(X, labels.classes, codes, weight, to_fit, to_split, numbers).subset(kept), kept


def _kept_rows(
    estimator: Any, weight: NDArray[np.float64] | None, to_fit: Mapping[str, Any]
) -> NDArray[np.intp] | None:
    """Return the rows that count, or None for all where the base estimator does not get the weights."""
    if weight is None or weight.all() or is_pairwise(estimator):
        return None
    is_for_map_alone = _is_routing() and "sample_weight" not in to_fit
    return None if is_for_map_alone else np.flatnonzero(weight)


def _route(
    owner: Any, weight: NDArray[np.float64] | None, groups: Any, fit_params: Mapping[str, Any], otherwise: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of the base estimator's `fit` and those of the splitter's `split`."""
    by_group = {} if groups is None else {"groups": groups}
    if _is_routing():
        routed = process_routing(owner, "fit", sample_weight=weight, **by_group, **fit_params)
        to_fit, to_split = dict(routed.estimator.fit), dict(routed.get("splitter", {}).get("split", {}))
        return {name: value for name, value in to_fit.items() if value is not None}, to_split
    to_fit = {**fit_params, **(by_group if has_fit_parameter(owner.estimator, "groups") else {})}
    if weight is not None and has_fit_parameter(owner.estimator, "sample_weight"):
        to_fit["sample_weight"] = weight
    elif weight is not None:
        warnings.warn(
            f"{type(owner.estimator).__name__} does not take sample_weight: {otherwise}. Pass weights to the step "
            "that takes them by metadata routing.",
            CalibrantWarning,
            stacklevel=4,
        )
    return to_fit, by_group


def _is_routing() -> bool:
    return bool(get_config()["enable_metadata_routing"])
