"""The description length of a fitted tree with the classes of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.data._internal import TrainingRows, read_more_training_rows
from calibrant.exceptions import DataError
from calibrant.trees._description.code_lengths import PROBABILITIES, DescriptionLength, Probabilities, counts_bits
from calibrant.trees._description.tree_codes import TREE_CODINGS, Coding, cut_bits, structure_bits
from calibrant.trees._reading.leaf_shares import arrivals

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from calibrant.data._internal import Schema
    from calibrant.trees._tree import Tree

__all__: list[str] = []


class _Describing:
    """The method of a fitted tree that tells its length."""

    if TYPE_CHECKING:
        tree_: Tree
        classes_: NDArray[Any]
        n_jobs: int | None
        _schema: Schema
        _check_fitted: Callable[[], None]

    def description_length(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        coding: Coding = "wallace",
        probabilities: Probabilities = "adaptive",
    ) -> DescriptionLength:
        """Give the bits that the tree takes, and those of the classes of rows by it: L[T] + L[E|T].

        Sender and receiver know X and the classes there are. The tree comes first, then the class of each row by the
        counts of its leaf, whatever `estimate` is. On the training rows, the tree of least length is the one that
        fits without fitting noise (Witten, Frank & Hall 2011, section 5.9); `calibrant.comparison.mdl` compares some.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows that the tree was grown from; the values that cuts can stand at are theirs.
        y : sequence of length n_rows
            Their classes.
        sample_weight : sequence of length n_rows, optional
            How often each row counts; a row of weight 0 is as if absent.
        coding : {"wallace", "quinlan_rivest"}
            How nodes and columns are told: ``"wallace"`` as Wallace & Patrick (1993), where a node is a test with
            chance 1/a below a test of a branches; ``"quinlan_rivest"`` by a bit a node, which is what ``prune="mdl"``
            makes least.
        probabilities : {"adaptive", "paid"}
            How the classes at a leaf are told: by the counts so far, with one of each class beforehand; or by
            frequencies, each free one paid for by half of log2 of the leaf's weight.

        Returns
        -------
        DescriptionLength
            ``theory``, ``data`` and ``total`` in bits, the ``parts`` of the theory and the ``coding`` in words.

        Notes
        -----
        Rows are told in their order. That the order means nothing is worth log2 n! bits, the same for all theories.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> X, y = [[1], [2], [3], [4], [5], [6], [7], [8]], list("aaaabbbb")
        >>> length = ProbabilityTreeClassifier().fit(X, y).description_length(X, y)
        >>> round(length.theory, 2), round(length.data, 2)
        (5.81, 4.64)
        """
        check_param("coding", coding, Choice(*TREE_CODINGS))
        check_param("probabilities", probabilities, Choice(*PROBABILITIES))
        self._check_fitted()
        rows = read_more_training_rows(X, y, sample_weight, self._schema, type(self).__name__)
        features = self._schema.features
        columns = [_known(array, len(f.categories)) for array, f in zip(rows.columns.arrays, features, strict=True)]
        parameters, data = counts_bits(self._leaf_counts(rows, columns), probabilities)
        n_values = np.array([len(f.categories) or _n_distinct(c) for c, f in zip(columns, features, strict=True)])
        shape, tested = structure_bits(self.tree_, n_values > 1, coding)
        parts = {"nodes": shape, "columns": tested, "cuts": cut_bits(self.tree_, n_values), "leaves": parameters}
        words = f"{TREE_CODINGS[coding]}; {PROBABILITIES[probabilities]}"
        return DescriptionLength(sum(parts.values()), data, words, parts)

    def _leaf_counts(self, rows: TrainingRows, columns: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Give the weight of each class (columns) that the rows have at each node."""
        place = {label: number for number, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in rows.labels.classes.tolist() if label not in place]
        if unknown:
            raise DataError(
                f"y has a class that the tree does not know: {unknown[0]!r}; pass the rows it was grown from."
            )
        codes = np.array([place[label] for label in rows.labels.classes.tolist()])[rows.labels.codes]
        row, leaf, share = arrivals(self.tree_, rows.columns.n_rows, columns, self.n_jobs)
        weights = share if rows.weights is None else share * rows.weights[row]
        counts = np.bincount(leaf * len(place) + codes[row], weights, self.tree_.n_nodes * len(place))
        return np.asarray(counts, dtype=np.float64).reshape(-1, len(place))


def _known(array: NDArray[Any], n_categories: int) -> NDArray[Any]:
    """Give a column with categories that `fit` has not seen as missing."""
    return np.where(array < n_categories, array, np.int32(-1)) if n_categories else array


def _n_distinct(column: NDArray[Any]) -> int:
    return len(np.unique(column[~np.isnan(column)]))
