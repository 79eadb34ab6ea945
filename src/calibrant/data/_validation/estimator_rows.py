"""Input validation of the rows that estimators take, in fit or for predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._fit_warnings import warn_of_fit
from calibrant._repr import listed
from calibrant._saved import Field, Integer, LabelArray, Maybe, Object, need
from calibrant.data._frames.columns import MAX_ROWS, Columns, Nominal, extend_columns, fit_columns, match_columns
from calibrant.data._frames.schema import Schema
from calibrant.data._validation.class_columns import caller_level
from calibrant.data._validation.labels_and_weights import Labels, check_weights, code_labels, read_groups


@dataclass(frozen=True)
class TrainingRows:
    """Validated training rows; ``weights`` is None where all are 1, ``groups`` where rows do not belong together."""

    columns: Columns
    labels: Labels
    weights: NDArray[np.float64] | None
    groups: NDArray[np.intp] | None = None


def read_training_rows(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    nominal: Nominal = "auto",
    groups: Any = None,
    takes_text: bool = False,
) -> TrainingRows:
    """Validate a table, its classes, its weights and the groups of its rows; warn of free text unless it is taken.

    Examples
    --------
    >>> rows = read_training_rows([[1.0], [2.0], [9.0]], ["b", "a", "c"], [1, 2, 0])
    >>> rows.columns.n_rows, rows.labels.classes.tolist(), rows.weights
    (2, ['a', 'b'], array([1., 2.]))
    """
    rows = _read(lambda rows: fit_columns(X, nominal, rows), y, sample_weight, groups)
    if not takes_text:
        warn_of_text(rows.columns.schema)
    return rows


def warn_of_text(schema: Schema) -> None:
    """Warn of the columns that are left out because they are free text."""
    names = [repr(feature.name) for feature in schema.features if feature.measure == "text"]
    if names:
        is_one = len(names) == 1
        warn_of_fit(
            f"text {names}",
            f"{listed(names)} {'is' if is_one else 'are'} left out: free text, mostly distinct and of several words. "
            f"ProbabilityClassifier takes it; nominal= takes {'it' if is_one else 'them'} as categories.",
            stacklevel=caller_level(),
        )


def read_more_training_rows(X: Any, y: Any, sample_weight: Any, schema: Schema, who: str) -> TrainingRows:
    """Validate further training rows against the schema of earlier ones; new categories are added to it.

    Examples
    --------
    >>> schema = fit_columns([["red"], ["blue"]]).schema
    >>> read_more_training_rows([["red"], ["green"]], [0, 1], None, schema, "it").columns.arrays[0]
    array([1, 2], dtype=int32)
    """
    return _read(lambda rows: extend_columns(X, schema, who, rows), y, sample_weight)


def _read(
    read: Callable[[NDArray[np.intp] | None], Columns], y: Any, sample_weight: Any, groups: Any = None
) -> TrainingRows:
    columns = read(None)
    weights = check_weights(sample_weight, columns.n_rows)
    numbers = read_groups(groups, columns.n_rows, None if weights is None else np.flatnonzero(weights))
    if weights is None or weights.all():
        labels = code_labels(y, columns.n_rows)
    else:
        rows = np.flatnonzero(weights)
        labels = code_labels(y, columns.n_rows, rows)
        columns, weights = read(rows), weights[rows]
    if weights is not None and (weights == 1).all():
        weights = None
    return TrainingRows(columns, labels, weights, numbers)


# The number of rows, and a matrix of floats or a list of columns.
Rows = tuple[int, "NDArray[Any] | list[NDArray[Any]]"]

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def read_rows(X: Any, schema: Schema, who: str, *, has_names: bool) -> Rows:
    """Match rows to the schema of ``fit``; warn, as scikit-learn does, if only one of the tables has names.

    Examples
    --------
    >>> from calibrant.data._frames.columns import fit_columns
    >>> read_rows([[5], [6]], fit_columns([[1], [2]]).schema, "it", has_names=False)
    (2, [array([5., 6.])])
    """
    if is_float_matrix(X, schema):
        rows, named = (len(X), X), False
    else:
        columns = match_columns(X, schema, who)
        rows, named = (columns.n_rows, list(columns.arrays)), columns.feature_names is not None
    if named != has_names:
        message = "X does not have valid feature names, but {} was fitted with feature names"
        if named:
            message = "X has feature names, but {} was fitted without feature names"
        warnings.warn(message.format(who), UserWarning, stacklevel=4)
    return rows


def is_float_matrix(X: Any, schema: Schema) -> bool:
    """Return whether X is an array that input validation would leave unchanged."""
    return (
        type(X) is np.ndarray
        and X.dtype in _FLOATS
        and X.ndim == 2
        and X.shape[1] == len(schema.features)
        and 0 < len(X) <= MAX_ROWS
        and X.flags.aligned
        and schema.is_numbers
        and all(stride % X.itemsize == 0 for stride in X.strides)
    )


_LOG_PROBA = """\
array of shape (n_rows, n_classes)
    Logarithms of the probabilities, in the order of ``classes_``."""


class ColumnSchemaMixin:
    """Mixin of an estimator that stores the schema of its columns and accepts nominal columns and missing values."""

    _saved_fields: ClassVar[Mapping[str, Field]] = {
        "_schema": Object("data.Schema"),
        "n_features_in_": Integer(1),
        "feature_names_in_": Maybe(LabelArray()),
    }

    if TYPE_CHECKING:
        _schema: Schema

    def _check_saved(self) -> None:
        names = getattr(self, "feature_names_in_", None)
        is_same = names is None or names.tolist() == list(self._schema.names)
        need(is_same and self.n_features_in_ == len(self._schema.features), "has other columns than its schema")

    def _store_schema(self, schema: Schema, feature_names: tuple[str, ...] | None) -> None:
        """Store the schema, and the fitted attributes that scikit-learn expects."""
        self._schema = schema
        self.n_features_in_ = len(schema.features)
        self.__dict__.pop("feature_names_in_", None)
        if feature_names is not None:
            self.feature_names_in_ = np.array(feature_names, dtype=object)

    def _rows(self, X: Any) -> Rows:
        self._check_fitted()
        return read_rows(X, self._schema, type(self).__name__, has_names="feature_names_in_" in self.__dict__)

    def _check_fitted(self) -> None:
        if "_schema" not in self.__dict__:  # because check_is_fitted takes longer than a small prediction
            check_is_fitted(self, "_schema")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _has_proba(self: Any) -> bool:
    return hasattr(self, "predict_proba")


class LogProbaMixin:
    """Mixin of a classifier with `predict_proba`: `predict_log_proba` returns the logarithms."""

    if TYPE_CHECKING:

        def predict_proba(self, X: Any) -> NDArray[np.float64]:
            """Return the class probabilities of each row."""
            ...

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    @fill_docstring(proba=_LOG_PROBA)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of each class probability; minus infinity, without a warning, for one of 0.

        %(predict_proba_sections)s
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


class RowClassifierMixin(LogProbaMixin, ColumnSchemaMixin):
    """Mixin of a classifier: `predict` returns the most probable class."""

    _saved_fields: ClassVar[Mapping[str, Field]] = {**ColumnSchemaMixin._saved_fields, "classes_": LabelArray()}

    if TYPE_CHECKING:
        classes_: NDArray[Any]

    @fill_docstring()
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the lower of ties.

        %(predict_sections)s
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[most_probable])

    def _store_columns(self, schema: Schema, classes: NDArray[Any], feature_names: tuple[str, ...] | None) -> None:
        self._store_schema(schema, feature_names)
        self.classes_ = classes

    def _check_saved(self) -> None:
        super()._check_saved()
        need(len(set(self.classes_.tolist())) == len(self.classes_), "has a class twice")
