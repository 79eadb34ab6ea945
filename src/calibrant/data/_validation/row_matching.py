"""What every estimator does with rows: match them to what `fit` saw; a classifier names the likeliest class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from calibrant.data._validation.prediction_rows import Rows, read_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._frames.schema import Schema

__all__: list[str] = []


class ColumnSchemaMixin:
    """An estimator that keeps what it saw of the columns, and takes nominal columns and missing values as they are."""

    if TYPE_CHECKING:
        _schema: Schema

    def _store_schema(self, schema: Schema, feature_names: tuple[str, ...] | None) -> None:
        """Keep what scikit-learn wants to know of the table that was seen."""
        self._schema = schema
        self.n_features_in_ = len(schema.features)
        self.__dict__.pop("feature_names_in_", None)
        if feature_names is not None:
            self.feature_names_in_ = np.array(feature_names, dtype=object)

    def _rows(self, X: Any) -> Rows:
        self._check_fitted()
        return read_rows(X, self._schema, type(self).__name__, has_names="feature_names_in_" in self.__dict__)

    def _check_fitted(self) -> None:
        if "_schema" not in self.__dict__:  # scikit-learn's check takes longer than a prediction
            check_is_fitted(self, "_schema")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class RowClassifierMixin(ColumnSchemaMixin):
    """A classifier of rows."""

    if TYPE_CHECKING:
        classes_: NDArray[Any]

        def predict_proba(self, X: Any) -> NDArray[np.float64]:
            """Give the probability of each class."""
            ...

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the likeliest class of each row, the lower of equals.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def _store_columns(self, schema: Schema, classes: NDArray[Any], feature_names: tuple[str, ...] | None) -> None:
        self._store_schema(schema, feature_names)
        self.classes_ = classes
