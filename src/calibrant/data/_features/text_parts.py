"""Free text as numbers: hashed words, weighted by their rarity, folded to a few components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._params import Int, Rule, check_params
from calibrant._saved import Array, TupleOf, need, saved
from calibrant.data._frames.columns import fit_columns, read_texts
from calibrant.data._frames.schema import Schema
from calibrant.data._validation.estimator_rows import ColumnSchemaMixin
from calibrant.exceptions import DataTypeError

_BUCKETS = 2**12  # of hashed words: the components of a column take 32 kB each


def hash_words(texts: Sequence[str | None]) -> sparse.csr_array:
    """Return the number of words of each text in each bucket, and in a last column 1 where the text is missing.

    Examples
    --------
    >>> hash_words(["Late again, late", None]).sum(axis=1)
    array([3., 1.])
    """
    vectorizer = HashingVectorizer(n_features=_BUCKETS, alternate_sign=False, norm=None)
    counts = vectorizer.transform(["" if text is None else text for text in texts])
    is_missing = np.array([[text is None] for text in texts], dtype=np.float64)
    return sparse.csr_array(sparse.hstack([counts, sparse.csr_array(is_missing)], format="csr"))


@saved(
    _rarity=TupleOf(Array("f8", finite=True, low=0, high=100), least=1),
    _components=TupleOf(Array("f8", ndim=2, finite=True, low=-2, high=2), least=1),
)
@fill_docstring()
class TextParts(ColumnSchemaMixin, TransformerMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Replace each column of free text by a few numbers: components of its words, and the number of words.

    Words are counted in 4,096 buckets by their hash, weighted by the logarithm of their rarity (TF-IDF), and folded to
    the components of the largest variance by scikit-learn's ``TruncatedSVD``. The number of words is a logarithm. No
    word and no text is kept. Missing texts stay missing.

    Parameters
    ----------
    n_components : int
        The most components of a column; there are fewer where there are fewer rows.

    Attributes
    ----------
    %(features_in_)s

    See Also
    --------
    DateParts : The same for dates.
    calibrant.ProbabilityClassifier : Fits both by itself, within its folds.

    References
    ----------
    S. Deerwester et al., "Indexing by latent semantic analysis", Journal of the American Society for Information
    Science 41, 1990. K. Weinberger et al., "Feature hashing for large scale multitask learning", ICML 2009.

    Examples
    --------
    >>> X = [["the parcel came late"], ["late, and the parcel was broken"], ["a kind answer, thank you"], [None]]
    >>> parts = TextParts(n_components=2).fit(X)
    >>> parts.get_feature_names_out().tolist()
    ['x0_1', 'x0_2', 'x0_words']
    >>> abs(parts.transform(X)).round(1)
    array([[0.9, 0. , 1.6],
           [0.9, 0. , 1.9],
           [0. , 1. , 1.6],
           [nan, nan, nan]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_components": Int(1, _BUCKETS // 2)}

    _rarity: tuple[NDArray[np.float64], ...]
    _components: tuple[NDArray[np.float64], ...]

    def __init__(self, *, n_components: int = 16) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the rarity of words and the components.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Columns of text; select them from a table by scikit-learn's ``ColumnTransformer``.
        y : ignored
            Present by convention.

        Returns
        -------
        TextParts
            This transformer.
        """
        check_params(self)
        columns = fit_columns(X)
        features = []
        for feature in columns.schema.features:
            is_text = all(isinstance(value, str) for value in feature.categories)
            if not is_text or (feature.kind == "numeric" and feature.measure):
                held = feature.measure or type(feature.categories[0]).__name__
                raise DataTypeError(
                    f"X must hold text; column {feature.name!r} holds {held}. Select the columns of text."
                )
            features.append(replace(feature, kind="nominal", categories=(), declared=False, measure="text"))
        schema = Schema(tuple(features), columns.schema.named)
        words = self._read_words(X, schema)
        return self._fit_words(schema, words, np.ones(columns.n_rows), columns.feature_names)

    def _fit_words(
        self,
        schema: Schema,
        words: Sequence[sparse.csr_array],
        weights: NDArray[np.float64],
        feature_names: tuple[str, ...] | None = None,
    ) -> Self:
        """Fit to the hashed words of columns of text."""
        pairs = [self._fit_column(counts[weights > 0], weights[weights > 0]) for counts in words]
        self._rarity, self._components = tuple(rarity for rarity, _ in pairs), tuple(found for _, found in pairs)
        self._store_schema(schema, feature_names)
        return self

    def _fit_column(
        self, counts: sparse.csr_array, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        is_known = counts[:, [-1]].toarray().ravel() == 0
        counts, weights = counts[is_known][:, :_BUCKETS], weights[is_known]
        n_texts = (counts > 0).astype(np.float64).T @ weights
        rarity = np.log((1.0 + weights.sum()) / (1.0 + n_texts)) + 1.0  # as scikit-learn's TfidfTransformer
        n_components = min(self.n_components, counts.shape[0])
        if n_components == 0 or counts.nnz == 0:
            return rarity, np.zeros((1, _BUCKETS))
        # Rows times the root of their weight: a weight of 2 is the row twice
        scaled = sparse.csr_array(sparse.diags_array(np.sqrt(weights)) @ _weighted(counts, rarity))
        svd = TruncatedSVD(n_components, random_state=0).fit(sparse.csr_matrix(scaled))
        return rarity, np.ascontiguousarray(svd.components_, dtype=np.float64)

    @fill_docstring()
    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the components and the number of words of each text.

        Parameters
        ----------
        %(X_predict)s

        Returns
        -------
        array of shape (n_rows, n_parts)
            The parts of the first column, then those of the second, and so on; NaN where a text is missing.
        """
        self._rows(X)
        return np.column_stack(self._transform_words(self._read_words(X, self._schema)))

    @staticmethod
    def _read_words(X: Any, schema: Schema) -> list[sparse.csr_array]:
        """Return the hashed words of the columns of free text of a table."""
        return [hash_words(texts) for texts in read_texts(X, schema)]

    def _transform_words(self, words: Sequence[sparse.csr_array]) -> list[NDArray[np.float64]]:
        """Return the parts of hashed words."""
        found: list[NDArray[np.float64]] = []
        for counts, rarity, components in zip(words, self._rarity, self._components, strict=True):
            is_missing = counts[:, [-1]].toarray().ravel() > 0
            known = counts[:, :_BUCKETS]
            length = np.log1p(np.asarray(known.sum(axis=1)).ravel())
            parts = np.column_stack([_weighted(known, rarity) @ components.T, length])
            parts[is_missing] = np.nan
            found.extend(np.ascontiguousarray(parts.T))
        return found

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the parts.

        Parameters
        ----------
        input_features : sequence of str, optional
            The names of the columns; by default those of `fit`.

        Returns
        -------
        array of str
            The name of the column, then the number of the component or ``"words"``: ``"remark_1"``, ``"remark_words"``.
        """
        self._check_fitted()
        names = self._schema.names if input_features is None else [str(name) for name in input_features]
        self._schema.locate(None, len(names), type(self).__name__)
        pairs = zip(names, self._components, strict=True)
        parts = [(name, [*range(1, len(components) + 1), "words"]) for name, components in pairs]
        return np.array([f"{name}_{part}" for name, own in parts for part in own], dtype=object)

    def _check_saved(self) -> None:
        super()._check_saved()
        need(len(self._rarity) == len(self._components) == len(self._schema.features), "has other words than columns")
        sizes = {*(each.shape for each in self._rarity), *(each.shape[1:] for each in self._components)}
        need(sizes == {(_BUCKETS,)} and all(len(each) for each in self._components), "has components of other words")


def _weighted(counts: sparse.csr_array, rarity: NDArray[np.float64]) -> sparse.csr_array:
    """Return counts times the rarity of words, each row of length 1."""
    return sparse.csr_array(normalize(sparse.csr_matrix(counts @ sparse.diags_array(rarity))))
