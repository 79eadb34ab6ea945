"""The methods of a fitted tree that take rows: probabilities by one estimate or several, intervals, leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._params import Real, check_param
from calibrant._source_limits import rows_needed
from calibrant._threads import n_threads
from calibrant.data._internal import RowClassifierMixin, Rows
from calibrant.estimates import Estimate, RowEstimate
from calibrant.exceptions import ParameterError
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._prediction.intervals import intervals
from calibrant.trees._prediction.tree_reading import TreeReading, leaf_shares
from calibrant.trees._tree import Tree, impurity_importances
from calibrant.trees._tree_params import RULES, TreeParamsMixin


def node_indicator(tree: Tree, rows: Rows, n_jobs: int | None) -> Any:
    """Return a sparse matrix of rows x nodes: 1 for every node that a part of the row reaches.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> node_indicator(tree, (2, np.array([[1.0], [np.nan]])), 1).toarray()
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    from scipy.sparse import csr_matrix  # slow to import

    n_rows, columns = rows
    row, node, _ = leaf_shares(tree, n_rows, columns, n_jobs)
    cells = []
    while len(row):
        cells.append(np.unique(row * tree.n_nodes + node))  # the paths of a row with missing values share their start
        above = tree.parent[node]
        row, node = row[above >= 0], above[above >= 0]
    found = np.unique(np.concatenate(cells)) if cells else np.empty(0, dtype=np.int64)
    # Cells are numbered row by row and sorted, so the row pointers of the matrix are found by bisection.
    ends = np.searchsorted(found, np.arange(n_rows + 1) * tree.n_nodes)
    return csr_matrix((np.ones(len(found), dtype=np.int64), found % tree.n_nodes, ends), shape=(n_rows, tree.n_nodes))


class PredictionMixin(RowClassifierMixin, TreeParamsMixin):
    """Predictions of a fitted tree, and other readings of it."""

    if TYPE_CHECKING:
        tree_: Tree
        _grown_tree: GrownTree
        _reading: TreeReading

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        rows = self._rows(X)
        return self._reading.predict_proba(rows, self.n_jobs)

    @fill_docstring()
    def predict_proba_many(self, X: Any, estimates: Sequence[str | Estimate]) -> list[NDArray[np.float64]]:
        """Return the class probabilities by several estimates of the same tree; the rows go down it once.

        Parameters
        ----------
        %(X_predict)s
        estimates : sequence of str or estimate of `calibrant.estimates`
            Estimates to read the tree by. Numbers that they leave to cross-validation are chosen as in `fit`.

        Returns
        -------
        list of arrays of shape (n_rows, n_classes)
            In the order of `estimates`; each equals ``with_estimate(e).predict_proba(X)``.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> for probabilities in model.predict_proba_many([[1]], ["frequency", "laplace", "hierarchical_shrinkage"]):
        ...     print(probabilities)
        [[1. 0.]]
        [[0.75 0.25]]
        [[0.9 0.1]]
        """
        if isinstance(estimates, str):
            raise ParameterError(
                f"estimates must be a sequence of estimates; got {estimates!r}. Pass a list, even for a single one."
            )
        rows = self._rows(X)
        for estimate in estimates:
            check_param("estimate", estimate, RULES["estimate"])
        with rows_needed(self, f"predict_proba_many(X, {list(estimates)!r})"):
            readings = [TreeReading.of(self._grown_tree, estimate, self) for estimate in estimates]
        return TreeReading.predict_many(readings, rows, self.n_jobs)

    @fill_docstring()
    def predict_interval(self, X: Any, confidence: float = 0.95) -> NDArray[np.float64]:
        """Return an equal-tailed posterior interval for the probability of each class.

        The class probabilities at a node have a Dirichlet posterior: the prior that matches the estimate, updated by
        the class counts of the node that predicts. That is the leaf, the node where a `Curtailment` stops, and for a
        leaf without training weight the nearest node above with some. The prior has 1 for each class with `Laplace`,
        m times the prior probabilities with `MEstimate`, M times the estimate of the node above with `MBranch`, and
        1/2 for each class (Jeffreys') with `Frequency` and with estimates that mix the nodes of a path, whose
        probabilities the interval of the leaf alone need not contain. A row with missing values has the mixture of
        the posteriors of its leaves. Raise for `KernelDensity`, whose probabilities are not those of a leaf.

        Parameters
        ----------
        %(X_predict)s
        confidence : float
            The posterior probability of the interval, between 0 and 1; equal probability lies on each side.

        Returns
        -------
        array of shape (n_rows, n_classes, 2)
            The lower and the upper end for each class.

        Notes
        -----
        Coverage is claimed for ``honest=True`` only, with `Laplace` or `Frequency`: about `confidence` of the intervals
        contain the true frequency of the class among all rows that end in the same leaf, because the rows counted
        there did not choose the tests. The tests of an ordinary tree were chosen to make its counts look pure; its
        intervals are too extreme and too narrow (at a confidence of 0.95, 62 % contained the truth in our tests). A
        strong prior, such as that of `MEstimate`, pulls an interval towards the base rates whether or not the leaf
        is like them: it covers only where leaves scatter about the base rates as the prior assumes.

        An interval is about the average of the rows of a leaf, not about one of them. Each class has its own interval:
        the coverage is not simultaneous.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.predict_interval([[1]]).round(3)
        array([[[0.292, 0.992],
                [0.008, 0.708]]])
        """
        check_param("confidence", confidence, Real(0, 1, closed="neither"))
        rows = self._rows(X)
        if isinstance(self._reading.estimate, RowEstimate):
            raise ParameterError(
                f"estimate must be read from counts for intervals; got {self._reading.estimate!r}, which weights the "
                "rows of a leaf by their distance and has no posterior. Use with_estimate('laplace')."
            )
        return intervals(self.tree_, rows, self._reading.estimate, float(confidence), self.n_jobs)

    @fill_docstring()
    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row; with missing values, the leaf that most of the row's weight reaches.

        In an honest tree a row with a missing value may stop at a test where no row was counted.

        Parameters
        ----------
        %(X_predict)s

        Returns
        -------
        array of shape (n_rows,)
            Node numbers of ``tree_``.
        """
        n_rows, columns = self._rows(X)
        return np.asarray(_core.apply_tree(self.tree_.core, n_rows, columns, n_threads(self.n_jobs)))

    @fill_docstring()
    def decision_path(self, X: Any) -> Any:
        """Return the nodes that each row visits, as scikit-learn's trees do.

        Parameters
        ----------
        %(X_predict)s

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
            1 for every node on the path of a row; a row with missing values has every node that a part of it reaches,
            on several paths.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.decision_path([[1], [None]]).toarray()
        array([[1, 1, 0],
               [1, 1, 1]])
        """
        rows = self._rows(X)
        return node_indicator(self.tree_, rows, self.n_jobs)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the decrease of impurity."""
        self._check_fitted()
        return impurity_importances([self.tree_], self.criterion)

    def _read(self, grown: GrownTree) -> None:
        """Read a grown tree by `estimate`; nothing is stored if that fails."""
        reading = TreeReading.of(grown, self.estimate, self)
        self._grown_tree, self._reading, self.estimate_ = grown, reading, reading.estimate
