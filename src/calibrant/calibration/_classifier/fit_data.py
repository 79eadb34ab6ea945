"""The rows and arguments that the fit of a wrapped classifier takes.

Arguments are routed by scikit-learn's metadata routing where that is enabled, else as by its CalibratedClassifierCV.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from calibrant._repr import short_repr
from calibrant._sklearn import num_samples, safe_indexing
from calibrant._source_limits import check_source_columns
from calibrant.calibration._classifier.response import final_step
from calibrant.calibration._source_rows import read_source_rows
from calibrant.data._internal import check_integers, check_weights, code_labels, read_groups
from calibrant.exceptions import CalibrantWarning, DataError, DataTypeError, ParameterError


@dataclass(frozen=True, slots=True, eq=False)
class FitData:
    """Rows, their classes and weights, and the further arguments of the base estimator's `fit`.

    Parameters
    ----------
    X : frame, array, sparse matrix or list
        The rows as they were passed; the base estimator validates them.
    classes : array of shape (n_classes,)
        The classes of these rows, sorted.
    codes : array of shape (n_rows,)
        The position of each row's class in `classes`. Labels are coded here once; all that follows uses the codes.
    weight : array of shape (n_rows,) or None
        The weight of each row in the map.
    to_fit, to_split : mapping
        Arguments of the base estimator's `fit` and of the splitter's `split`, those with a value a row among them.
    groups : array of shape (n_rows,) or None
        The number of each row's group.
    times : array of shape (n_rows,) or None
        The time of each row.
    pieces_of : array of shape (n_rows,) or None
        Where these are pieces of other rows, the row of each.
    target : str or None
        The column of classes where `X` is a source, which the estimator reads by itself.
    """

    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    weight: NDArray[np.float64] | None = None
    to_fit: Mapping[str, Any] = field(default_factory=dict)
    to_split: Mapping[str, Any] = field(default_factory=dict)
    groups: NDArray[np.intp] | None = None
    times: NDArray[Any] | None = None
    pieces_of: NDArray[np.intp] | None = None
    target: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def y(self) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.classes[self.codes])

    def subset(self, rows: NDArray[np.intp]) -> FitData:
        """Return some of the rows, with the same classes.

        Examples
        --------
        >>> arguments = {"sample_weight": [1, 2, 3], "k": 5}
        >>> data = FitData([[1], [2], [3]], np.array(["a", "b"]), np.array([0, 1, 0]), to_fit=arguments)
        >>> part = data.subset(np.array([0, 2]))
        >>> part.X, part.y.tolist(), part.to_fit
        ([[1], [3]], ['a', 'a'], {'sample_weight': [1, 3], 'k': 5})
        """
        return replace(
            self,
            X=take_rows(self.X, rows),
            codes=self.codes[rows],
            weight=None if self.weight is None else self.weight[rows],
            to_fit=self._take_arguments(self.to_fit, rows),
            to_split=self._take_arguments(self.to_split, rows),
            groups=None if self.groups is None else np.unique(self.groups[rows], return_inverse=True)[1],
            times=None if self.times is None else self.times[rows],
        )

    def pieces(self, rows: NDArray[np.intp], weight: NDArray[np.float64]) -> FitData:
        """Return pieces of rows as rows with weights of their own, in the map and in the estimator."""
        taken = self.subset(rows)
        return replace(taken, weight=weight, to_fit={**taken.to_fit, "sample_weight": weight}, pieces_of=rows)

    def fit_clone(self, estimator: Any, rows: NDArray[np.intp] | None = None) -> Any:
        """Return a clone of an estimator fitted to all rows, or to some."""
        if rows is None:
            return clone(estimator).fit(self.X, self.y, **self.to_fit)
        X = self.test_rows(estimator, rows, rows)
        return clone(estimator).fit(X, self.classes[self.codes[rows]], **self._take_arguments(self.to_fit, rows))

    def test_rows(self, estimator: Any, rows: NDArray[np.intp], train: NDArray[np.intp]) -> Any:
        """Return some rows in the form that an estimator fitted to the rows `train` predicts."""
        return take_square(self.X, rows, train) if is_pairwise(estimator) else take_rows(self.X, rows)

    def _take_arguments(self, arguments: Mapping[str, Any], rows: NDArray[np.intp]) -> dict[str, Any]:
        taken = dict(arguments)
        for name, value in arguments.items():
            is_sequence = hasattr(value, "__len__") or hasattr(value, "shape")
            is_sequence = is_sequence and not isinstance(value, str | Mapping)
            if is_sequence and np.ndim(value) > 0 and len(value) == self.n_rows:
                taken[name] = take_rows(value, rows)
        return taken


def is_pairwise(estimator: Any) -> bool:
    """Return whether an estimator takes similarities between rows in place of the rows."""
    return bool(get_tags(estimator).input_tags.pairwise)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of anything that scikit-learn can index, or of an Arrow table, in the same type.

    Examples
    --------
    >>> take_rows([[1, "a"], [2, "b"], [3, "c"]], np.array([2, 0]))
    [[3, 'c'], [1, 'a']]
    """
    if type(X) is np.ndarray:  # scikit-learn takes 100 µs to find that out
        return X[rows]
    return X.take(rows) if type(X).__module__.startswith("pyarrow") else safe_indexing(X, rows)


def take_square(X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
    """Return the similarities of some rows to others."""
    if np.ndim(X) != 2 or num_samples(X) != np.shape(X)[1]:
        raise DataError(f"X must be square for an estimator of similarities; got shape {np.shape(X)}.")
    return np.asarray(X)[np.ix_(rows, columns)]


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


_IN_MAP_ONLY = "the weights count in the map only, which then describes other rows than the model"


def read_fit_data(
    owner: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    fit_params: Mapping[str, Any],
    *,
    groups: Any = None,
    times: Any = None,
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
    times : sequence of length n_rows or None
        The time of each row: for a splitter by time and, where it takes times, the base estimator.
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
    try:
        X = indexable(X)[0]
        n_rows = num_samples(X)
    except TypeError as error:  # of a number, None or an array of no dimensions
        raise DataTypeError(
            f"X must be a table of rows and columns; got {short_repr(X)}. Pass a frame or an array."
        ) from error
    weight = check_weights(sample_weight, n_rows)
    numbers = read_groups(groups, n_rows)
    to_fit, to_split = _route(owner, weight, groups, fit_params, otherwise)
    moments = None if times is None else np.asarray(times)
    if moments is not None and moments.shape != (n_rows,):
        raise DataError(f"times must have a value for each of the {n_rows} rows; got shape {moments.shape}.")
    if moments is not None and has_fit_parameter(owner.estimator, "times"):
        to_fit["times"] = moments
    kept = _kept_rows(owner.estimator, weight, to_fit)
    labels = code_labels(y, n_rows, kept)
    if labels.classes.dtype.kind == "O":  # scikit-learn's splitters do not know the type of vast integers
        check_integers(labels.classes)
    if len(labels.classes) < 2:
        raise DataError(
            f"y has one class only ({labels.classes.tolist()[0]!r}); a classifier needs rows of two classes."
        )
    if kept is None:
        return FitData(X, labels.classes, labels.codes, weight, to_fit, to_split, numbers, moments), None
    codes = np.zeros(n_rows, dtype=np.int32)
    codes[kept] = labels.codes
    return FitData(X, labels.classes, codes, weight, to_fit, to_split, numbers, moments).subset(kept), kept


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
