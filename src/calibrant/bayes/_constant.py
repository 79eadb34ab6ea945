"""Classifiers that say the same of every row: what others must beat (Zadrozny & Elkan 2001)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._memory import check_output_memory
from calibrant._params import Choice, Rule, check_params
from calibrant.data._internal import RowClassifierMixin, read_training_rows
from calibrant.exceptions import ParameterError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ConstantClassifier"]

_RULES: dict[str, Rule] = {"strategy": Choice("base_rate", "zero", "one")}


class ConstantClassifier(RowClassifierMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Say the same of every row: the base rates, or that it is positive, or that it is not.

    Parameters
    ----------
    strategy : {"base_rate", "zero", "one"}
        ``"base_rate"``: the share of each class among the training rows, by weight. ``"one"``: probability 1 for the
        positive class. ``"zero"``: probability 0 for it; the other classes share 1 by their base rates.
    positive : class, optional
        The positive class; the last of the sorted ones if None.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    proba_ : array of shape (n_classes,)
        What is said of every row.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    Notes
    -----
    Where `fit` sees one class only, there is no other to share the probability: it is 1 for that class.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "no", "yes"]
    >>> ConstantClassifier().fit(X, y).predict_proba([[5]])
    array([[0.75, 0.25]])
    >>> ConstantClassifier(strategy="zero").fit(X, y).predict_proba([[5]])
    array([[1., 0.]])
    """

    def __init__(self, *, strategy: Literal["base_rate", "zero", "one"] = "base_rate", positive: Any = None) -> None:
        self.strategy = strategy
        self.positive = positive

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstantClassifier:
        """Count the classes.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The table: of pandas, polars or pyarrow, or an array. It is checked and otherwise left alone.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            How often each row counts; a row of weight 0 is as if absent.

        Returns
        -------
        ConstantClassifier
            The classifier itself.
        """
        check_params(self, _RULES)
        rows = read_training_rows(X, y, sample_weight)
        classes = rows.labels.classes
        shares = np.bincount(rows.labels.codes, rows.weights, len(classes))
        if self.strategy != "base_rate":
            is_positive = np.arange(len(classes)) == self._place(classes.tolist())
            keeps = is_positive if self.strategy == "one" or len(classes) == 1 else ~is_positive
            shares = np.where(keeps, shares, 0.0)
        self.proba_ = shares / shares.sum()
        self._store_columns(rows.columns.schema, classes, rows.columns.feature_names)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows, as many as answers are wanted.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``; all rows are equal.
        """
        n_rows, _ = self._rows(X)
        check_output_memory(n_rows, len(self.classes_))
        return np.tile(self.proba_, (n_rows, 1))

    def _place(self, classes: list[Any]) -> int:
        if self.positive is None:
            return len(classes) - 1
        if self.positive not in classes:
            hint = nearest(self.positive, classes)
            raise ParameterError(f"positive must be a class of y or None; got {self.positive!r:.60}.{hint}")
        return classes.index(self.positive)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
