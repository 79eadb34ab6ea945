"""Venn predictors whose categories are the leaves of a tree (Vovk, Gammerman & Shafer 2005; Johansson et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._params import HasMethods, Rule, check_params
from calibrant.calibration._base import WEIGHT_KIND_DOC
from calibrant.data._internal import LogProbaMixin, WeightKind, as_frequencies, check_weights, code_labels
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["LeafVenn"]

_INTERVAL = """\
array of shape (n_rows, n_classes, 2)
    The low and the high end for each class."""

_MULTIPROBABILITY = """\
array of shape (n_rows, n_classes, n_classes)
    Entry (i, k, j) is the probability of class j with row i added as class k."""


class LeafVenn(LogProbaMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Several probabilities for each row, one of them valid whatever the tree is, merged into one.

    Calibration rows, which had no part in growing, are sorted into the leaves of a fitted tree. A test row is added to
    its leaf once as a row of each class k: class j then has the frequency ``(n_j + [j = k]) / (n + 1)``. The
    frequencies with the row's own class are perfectly calibrated, so the interval of a class, ``n_j / (n + 1)`` to
    ``(n_j + 1) / (n + 1)``, is wider the fewer calibration rows there are. It is not a confidence interval.

    ``predict_proba`` returns ``(n_j + 1) / (n + K)``, Laplace's rule on the calibration rows, which loses least against
    the frequencies with the row's own class in log-loss; with more than two classes it may lie a little outside the
    intervals. In a leaf without calibration rows intervals are [0, 1] and all classes equally likely.
    So grow the tree with a `min_leaf` of some rows.

    Parameters
    ----------
    tree : ProbabilityTreeClassifier, or any classifier with an `apply` that returns one leaf for each row
        Fitted to other rows; it is used as it is. A row with a missing value counts in the leaf that holds most of it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Those of the tree, sorted.
    counts_ : array of shape (n_nodes, n_classes)
        The class counts of the calibration rows in each leaf, indexed by node up to the last leaf that has any.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> venn = LeafVenn(tree).fit([[1], [1], [2], [3], [4]], ["a", "a", "b", "b", "b"])
    >>> venn.predict_proba([[1], [4]])
    array([[0.6 , 0.4 ],
           [0.25, 0.75]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "tree": HasMethods("apply", "predict_proba", words="a fitted tree with apply() and predict_proba()")
    }

    classes_: NDArray[Any]
    counts_: NDArray[np.float64]

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    @fill_docstring(weight_kind=WEIGHT_KIND_DOC)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, weight_kind: WeightKind = "frequency") -> Self:
        """Count calibration rows in the leaves of the tree.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows that the tree was not grown from.
        y : sequence of length n_rows
            Their classes, all known to the tree.
        sample_weight : sequence of length n_rows, optional
            The weight of each row, by default a frequency: a weight of 2 is the row twice.
        %(weight_kind)s

        Returns
        -------
        %(fitted_self)s
        """
        check_params(self, self._rules)
        check_is_fitted(self.tree, "classes_")
        self.classes_ = np.asarray(self.tree.classes_)
        leaves = self._leaves(X)
        weight = check_weights(sample_weight, len(leaves))
        rows = None if weight is None else np.flatnonzero(weight)
        codes = self._codes(y, len(leaves), rows)
        if rows is not None and weight is not None:
            leaves, weight = leaves[rows], weight[rows]
        weight = as_frequencies(weight, weight_kind)
        flat = np.bincount(leaves * len(self.classes_) + codes, weight, (leaves.max() + 1) * len(self.classes_))
        self.counts_ = flat.reshape(-1, len(self.classes_)).astype(np.float64)
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        %(predict_proba_sections)s
        """
        counts = self._counts(X)
        return np.asarray((counts + 1.0) / (counts.sum(axis=1, keepdims=True) + counts.shape[1]))

    @fill_docstring()
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first of equals.

        %(predict_sections)s
        """
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    @fill_docstring(proba=_MULTIPROBABILITY)
    def predict_multiprobability(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of each class for each class that the row may be of.

        %(predict_proba_sections)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> LeafVenn(tree).fit([[1], [1], [2]], ["a", "a", "b"]).predict_multiprobability([[1]])
        array([[[0.75, 0.25],
                [0.5 , 0.5 ]]])
        """
        counts = self._counts(X)[:, np.newaxis]
        return np.asarray((counts + np.eye(counts.shape[2])) / (counts.sum(axis=2, keepdims=True) + 1.0))

    @fill_docstring(proba=_INTERVAL)
    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """Return the least and the greatest of the probabilities of each class.

        %(predict_proba_sections)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> LeafVenn(tree).fit([[1], [1], [2]], ["a", "a", "b"]).predict_interval([[1], [4]])
        array([[[0.5 , 0.75],
                [0.25, 0.5 ]],
        <BLANKLINE>
               [[0.  , 1.  ],
                [0.  , 1.  ]]])
        """
        counts = self._counts(X)
        total = counts.sum(axis=1, keepdims=True) + 1.0
        return np.stack([counts / total, (counts + 1.0) / total], axis=2)

    def _counts(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self, "counts_")
        leaves = self._leaves(X)
        has_rows = leaves < len(self.counts_)
        counts = np.zeros((len(leaves), len(self.classes_)))
        counts[has_rows] = self.counts_[leaves[has_rows]]
        return counts

    def _leaves(self, X: Any) -> NDArray[np.intp]:
        leaves = np.asarray(self.tree.apply(X))
        if leaves.ndim != 1:
            raise ParameterError("tree must return one leaf for each row; a forest has many. Take one of its trees.")
        return leaves.astype(np.intp)

    def _codes(self, y: Any, n_rows: int, rows: NDArray[np.intp] | None) -> NDArray[np.intp]:
        labels = code_labels(y, n_rows, rows)
        index = {value: position for position, value in enumerate(self.classes_.tolist())}
        unknown = [value for value in labels.classes.tolist() if value not in index]
        if unknown:
            raise DataError(f"y has the class {unknown[0]!r}, which the tree does not know: {self.classes_.tolist()}.")
        return np.array([index[value] for value in labels.classes.tolist()], dtype=np.intp)[labels.codes]
