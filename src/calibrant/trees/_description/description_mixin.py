"""The method of a fitted tree that returns its description length together with the classes of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.data._internal import TrainingRows, read_more_training_rows
from calibrant.exceptions import DataError
from calibrant.trees._description.code_lengths import PROBABILITIES, DescriptionLength, Probabilities, counts_bits
from calibrant.trees._description.tree_codes import TREE_CODINGS, Coding, cut_bits, structure_bits
from calibrant.trees._prediction.leaf_shares import leaf_shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from calibrant.data._internal import Schema
    from calibrant.trees._tree import Tree

__all__: list[str] = []


class DescriptionMixin:
    """The description length of a fitted tree."""

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
        """Return the bits of the tree, L[T], and those of the classes of the rows given the tree, L[E|T].

        Sender and receiver know X and the set of classes. The tree is sent first, then the class of each row, coded by
        the counts of its leaf, whatever `estimate` is. On the training rows, the tree of least length is the one that
        fits without fitting noise (Witten, Frank & Hall 2011, section 5.9); `calibrant.comparison.mdl` compares trees.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows that the tree was grown from, which determine the possible cuts.
        y : sequence of length n_rows
            Their classes.
        sample_weight : sequence of length n_rows, optional
            How often each row counts; a row of weight 0 is as if absent.
        coding : {"wallace", "quinlan_rivest"}
            How nodes and columns are coded: ``"wallace"`` as by Wallace & Patrick (1993), where a node is a test with
            probability 1/a below a test of a branches; ``"quinlan_rivest"`` by one bit for each node, the length that
            ``prune="mdl"`` minimizes.
        probabilities : {"adaptive", "paid"}
            How the classes at a leaf are coded: by the counts so far, starting from one of each class; or by
            frequencies, each free one at a cost of half of log2 of the leaf's weight.

        Returns
        -------
        DescriptionLength
            ``theory``, ``data`` and ``total`` in bits, the ``parts`` of the theory and the ``coding`` as text.

        Notes
        -----
        Rows are coded in their order. Ignoring the order would save log2 n! bits, the same for all theories.

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
        columns = [
            _unseen_as_missing(array, len(f.categories)) for array, f in zip(rows.columns.arrays, features, strict=True)
        ]
        parameters, data = counts_bits(self._leaf_counts(rows, columns), probabilities)
        n_values = np.array([len(f.categories) or _n_distinct(c) for c, f in zip(columns, features, strict=True)])
        is_useful = n_values > 1
        is_useful[self.tree_.feature[~self.tree_.is_leaf]] = True  # one value and missing ones can be told apart
        shape, tested = structure_bits(self.tree_, is_useful, coding)
        parts = {"nodes": shape, "columns": tested, "cuts": cut_bits(self.tree_, n_values), "leaves": parameters}
        text = f"{TREE_CODINGS[coding]}; {PROBABILITIES[probabilities]}"
        return DescriptionLength(sum(parts.values()), data, text, parts)

    def _leaf_counts(self, rows: TrainingRows, columns: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the weight of each class (columns) at each node."""
        position = {label: number for number, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in rows.labels.classes.tolist() if label not in position]
        if unknown:
            raise DataError(
                f"y has a class that the tree does not have: {unknown[0]!r}. Pass the rows that it was grown from."
            )
        codes = np.array([position[label] for label in rows.labels.classes.tolist()])[rows.labels.codes]
        row, leaf, share = leaf_shares(self.tree_, rows.columns.n_rows, columns, self.n_jobs)
        weights = share if rows.weights is None else share * rows.weights[row]
        counts = np.bincount(leaf * len(position) + codes[row], weights, self.tree_.n_nodes * len(position))
        return np.asarray(counts, dtype=np.float64).reshape(-1, len(position))


def _unseen_as_missing(array: NDArray[Any], n_categories: int) -> NDArray[Any]:
    """Return a column with categories that `fit` did not see as missing values."""
    return np.where(array < n_categories, array, np.int32(-1)) if n_categories else array


def _n_distinct(column: NDArray[Any]) -> int:
    return len(np.unique(column[~np.isnan(column)]))
