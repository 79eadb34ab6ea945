"""What a fitted tree says of rows: probabilities by one estimate or by many, intervals, classes, leaves."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant import _core
from calibrant._params import Real, check_param
from calibrant._threads import n_threads
from calibrant.data._internal import RowClassifierMixin
from calibrant.estimates import Estimate
from calibrant.exceptions import ParameterError
from calibrant.trees._reading.intervals import intervals
from calibrant.trees._reading.probability_tables import Reading, answers, read_tree
from calibrant.trees._tree_params import RULES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.growth import Growth
    from calibrant.trees._tree import Tree
    from calibrant.trees._tree_params import Dialect, EmptyLeaf

__all__: list[str] = []


class _Predicting(RowClassifierMixin):
    """The methods of a fitted tree that take rows, and other readings of it."""

    if TYPE_CHECKING:
        tree_: Tree
        estimate: str | Estimate
        dialect: Dialect
        empty_leaf: EmptyLeaf | None
        n_jobs: int | None
        _growth: Growth
        _reading: Reading

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows; columns are found by name where both tables have names, else by position.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        rows = self._rows(X)
        return answers(self.tree_, rows, [self._reading], self.n_jobs)[0]

    def predict_proba_many(self, X: Any, estimates: Sequence[str | Estimate]) -> list[NDArray[np.float64]]:
        """Give the probability of each class by several estimates of the same tree; the rows go down it once.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.
        estimates : sequence of str or estimate of `calibrant.estimates`
            Ways to read the tree. Numbers that they leave to cross-validation are chosen as in `fit`.

        Returns
        -------
        list of arrays of shape (n_rows, n_classes)
            In the order of `estimates`; each is what ``with_estimate(e).predict_proba(X)`` gives.

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
            raise ParameterError(f"estimates must be a sequence of estimates; got {estimates!r}.")
        rows = self._rows(X)
        readings = [read_tree(self._growth, _checked(estimate), self) for estimate in estimates]
        return answers(self.tree_, rows, readings, self.n_jobs)

    def predict_interval(self, X: Any, confidence: float = 0.95) -> NDArray[np.float64]:
        """Give an interval for the probability of each class: the middle of its posterior where the row ends.

        The class probabilities at a node have a Dirichlet posterior: the prior that matches the estimate, and the
        class counts of the node that answers. That is the leaf, the node where a `Curtailment` stops, and for a
        leaf without training weight the nearest node above with some. The prior has 1 for each class with `Laplace`,
        m times the prior probabilities with `MEstimate`, M times the estimate of the node above with `MBranch`, and
        1/2 for each class (Jeffreys') with `Frequency` and with estimates that mix the nodes of a path, whose answers
        the interval of the leaf alone need not hold. A row with missing values has the mixture of its leaves.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.
        confidence : float
            The probability that the posterior gives to the interval, between 0 and 1; equally much lies on each side.

        Returns
        -------
        array of shape (n_rows, n_classes, 2)
            The low and the high end for each class.

        Notes
        -----
        Coverage is claimed for ``honest=True`` only, with `Laplace` or `Frequency`: about `confidence` of the intervals
        hold the true frequency of the class among all rows that end in the same leaf, since the rows counted there
        had no say in the tests. The counts of an ordinary tree were chosen to look pure; its intervals are too far
        out and too narrow (of those at 0.95, 62 % held the truth in our tests). A strong prior, such as that of
        `MEstimate`, pulls an interval towards the base rates, whether the leaf is like them or not: it covers where
        leaves scatter about the base rates as the prior says, and no further.

        An interval is about the rows of a leaf on average, not about one row among them, and each class has its own:
        they need not all hold at once.

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
        return intervals(self.tree_, rows, self._reading.estimate, float(confidence), self.n_jobs)

    def with_estimate(self, estimate: str | Estimate) -> Self:
        """Give a fitted classifier that reads the same grown tree by another estimate.

        Nothing is grown again: ``tree_`` is shared. Where the estimate leaves a number to cross-validation, trees for
        the folds are grown from the coded rows that a fitted classifier keeps, once for all such estimates.

        Parameters
        ----------
        estimate : str or estimate of `calibrant.estimates`
            How the counts of the tree become probabilities.

        Returns
        -------
        ProbabilityTreeClassifier
            Another one; this one stays as it is.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> raw = model.with_estimate("frequency")
        >>> raw.predict_proba([[1]]), raw.tree_ is model.tree_
        (array([[1., 0.]]), True)
        """
        self._check_fitted()
        other = copy.copy(self)
        other.estimate = _checked(estimate)
        other._read(self._growth)
        return other

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Give the leaf of each row; with missing values, the leaf that holds most of the row's weight.

        In an honest tree a row with a missing value may stop at a test that no row was counted at.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.

        Returns
        -------
        array of shape (n_rows,)
            Numbers of nodes of ``tree_``.
        """
        n_rows, columns = self._rows(X)
        return np.asarray(_core.apply_tree(self.tree_.core, n_rows, columns, n_threads(self.n_jobs)))

    def _read(self, growth: Growth) -> None:
        """Read a grown tree by the estimate that the parameters name, or leave all as it was."""
        reading = read_tree(growth, self.estimate, self)
        self._growth, self._reading, self.estimate_ = growth, reading, reading.estimate


def _checked(estimate: str | Estimate) -> str | Estimate:
    check_param("estimate", estimate, RULES["estimate"])
    return estimate
