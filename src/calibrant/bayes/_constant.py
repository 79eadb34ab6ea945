"""Classifiers with the same probabilities for every row: baselines (Zadrozny & Elkan 2001)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._memory import check_output_memory
from calibrant._params import Choice, Rule, check_params
from calibrant._saved import Array, need, saved
from calibrant.data._internal import RowClassifierMixin, read_training_rows
from calibrant.exceptions import ParameterError, nearest


@saved(proba_=Array("f8", finite=True, low=0, high=1))
@fill_docstring()
@with_parameters
class ConstantClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """The same probabilities for every row: the base rates, or certainty of the positive class or of the others.

    Parameters
    ----------
    strategy : {"base_rate", "zero", "one"}
        ``"base_rate"``: the frequency of each class among the training rows. ``"one"``: probability 1 for the
        positive class. ``"zero"``: probability 0 for it; the other classes share 1 by their base rates.
    positive : class, optional
        The positive class; the last one in sorted order if None.

    Attributes
    ----------
    %(classes_)s
    proba_ : array of shape (n_classes,)
        The probabilities of every row.
    %(features_in_)s

    Notes
    -----
    Where y has one class only, its probability is 1, whatever the strategy.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "no", "yes"]
    >>> ConstantClassifier().fit(X, y).predict_proba([[5]])
    array([[0.75, 0.25]])
    >>> ConstantClassifier(strategy="zero").fit(X, y).predict_proba([[5]])
    array([[1., 0.]])
    """

    _short_name: ClassVar[str] = "base_rate"
    _rules: ClassVar[Mapping[str, Rule]] = {"strategy": Choice("base_rate", "zero", "one")}

    strategy: Literal["base_rate", "zero", "one"] = "base_rate"
    positive: Any = None

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstantClassifier:
        """Fit the base rates. The columns of X are validated and otherwise ignored.

        %(fit_sections)s
        """
        check_params(self)
        rows = read_training_rows(X, y, sample_weight)
        classes = rows.labels.classes
        counts = np.bincount(rows.labels.codes, rows.weights, len(classes))
        if self.strategy != "base_rate":
            known = classes.tolist()
            if self.positive is not None and self.positive not in known:
                hint = nearest(self.positive, known)
                raise ParameterError(f"positive must be a class of y or None; got {self.positive!r:.60}.{hint}")
            number = len(known) - 1 if self.positive is None else known.index(self.positive)
            is_positive = np.arange(len(known)) == number
            is_kept = is_positive if self.strategy == "one" or len(classes) == 1 else ~is_positive
            counts = np.where(is_kept, counts, 0.0)
        self.proba_ = counts / counts.sum()
        self._store_columns(rows.columns.schema, classes, rows.columns.feature_names)
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, the same for every row.

        %(predict_proba_sections)s
        """
        n_rows, _ = self._rows(X)
        check_output_memory(n_rows, len(self.classes_))
        return np.tile(self.proba_, (n_rows, 1))

    def _check_saved(self) -> None:
        super()._check_saved()
        need(len(self.proba_) == len(self.classes_) >= 1, "has other probabilities than classes")
        need(abs(self.proba_.sum() - 1) < 1e-6, "has probabilities that do not sum to 1")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
