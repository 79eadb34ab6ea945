"""Mixins for estimators: new rows are matched to the columns seen in `fit`, and classes are predicted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._saved import Field, Integer, LabelArray, Maybe, Object, need
from calibrant.data._validation.prediction_rows import Rows, read_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._frames.schema import Schema

__all__ = ["ColumnSchemaMixin", "LogProbaMixin", "RowClassifierMixin"]

_LOG_PROBA = """\
array of shape (n_rows, n_classes)
    Logarithms of the probabilities, in the order of ``classes_``."""


class ColumnSchemaMixin:
    """Mixin of an estimator that stores the schema of its columns and accepts nominal columns and missing values."""

    if TYPE_CHECKING:
        _schema: Schema

    _saved_fields: ClassVar[Mapping[str, Field]] = {
        "_schema": Object("data.Schema"),
        "n_features_in_": Integer(1),
        "feature_names_in_": Maybe(LabelArray()),
    }

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

    def _check_saved(self) -> None:
        names = getattr(self, "feature_names_in_", None)
        is_same = names is None or names.tolist() == list(self._schema.names)
        need(is_same and self.n_features_in_ == len(self._schema.features), "has other columns than its schema")

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

    if TYPE_CHECKING:
        classes_: NDArray[Any]

    _saved_fields: ClassVar[Mapping[str, Field]] = {**ColumnSchemaMixin._saved_fields, "classes_": LabelArray()}

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
