"""The methods of a boosted classifier that take rows: scores, staged scores, classes, and summed votes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.data._internal import RowClassifierMixin, Rows
from calibrant.ensembles._boosting.adaboost_variants import ALGORITHMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._boosting.adaboost_variants import AlgorithmName
    from calibrant.ensembles._boosting.boosting_loop import Run
    from calibrant.trees._internal import Examples

__all__: list[str] = []

_SUMMED_VOTES = """\
array of shape (n_rows, n_classes)
    With ``"m1"`` and ``"samme"`` the weights of the members that vote for each class, with ``"real"`` the sum
    of the logarithms of the members' probabilities. Weka's AdaBoostM1 returns the softmax of the former."""

_SCORES = """\
array of shape (n_rows, n_classes)
    Scores in the order of ``classes_``."""


class BoostedScoresMixin(RowClassifierMixin):
    """Scores of a boosted classifier."""

    if TYPE_CHECKING:
        algorithm: AlgorithmName
        estimator_weights_: NDArray[np.float64]
        _run: Run
        _order: NDArray[np.intp]

        def _member_proba(self, member: Any, rows: Rows) -> NDArray[np.float64]:
            """Return a member's probabilities, with the classes in the order in which they were declared."""
            ...

    @fill_docstring(proba=_SCORES)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class: in [0, 1], adding up to 1, and not calibrated.

        %(predict_proba_sections)s
        """
        rows = self._rows(X)
        if len(self._run.members) == 1:
            return self._sorted(self._member_proba(self._run.members[0], rows))
        return self._scores(self._sums(rows), len(self._run.members))

    @fill_docstring()
    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round, those of `predict_proba` had boosting ended there.

        Parameters
        ----------
        %(X_predict)s

        Yields
        ------
        array of shape (n_rows, n_classes)
            The scores of the first member, of the first two, and so on.
        """
        rows = self._rows(X)
        return self._stages(rows)

    @fill_docstring()
    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes after each round.

        Parameters
        ----------
        %(X_predict)s

        Yields
        ------
        %(predicted)s
        """
        return (self._most_probable(scores) for scores in self.staged_predict_proba(X))

    @fill_docstring(proba=_SUMMED_VOTES)
    def summed_votes(self, X: Any) -> NDArray[np.float64]:
        """Return the sum over the members from which the scores are computed.

        %(predict_proba_sections)s
        """
        return self._sorted(self._sums(self._rows(X)))

    def _sums(self, rows: Rows) -> NDArray[np.float64]:
        sums = np.zeros((rows[0], len(self.classes_)))
        for contribution in self._contributions(rows):
            sums += contribution
        return sums

    def _contributions(self, rows: Rows) -> Iterator[NDArray[np.float64]]:
        algorithm = ALGORITHMS[self.algorithm]
        for member, weight in zip(self._run.members, self._run.weights, strict=True):
            yield algorithm.contribution(self._member_proba(member, rows), weight)

    def _stages(self, rows: Rows) -> Iterator[NDArray[np.float64]]:
        sums = np.zeros((rows[0], len(self.classes_)))
        for n_members, contribution in enumerate(self._contributions(rows), start=1):
            sums += contribution
            if n_members == 1:
                yield self._sorted(self._member_proba(self._run.members[0], rows))
            else:
                yield self._scores(sums, n_members)

    def _scores(self, sums: NDArray[np.float64], n_members: int) -> NDArray[np.float64]:
        return self._sorted(ALGORITHMS[self.algorithm].score(sums, self.estimator_weights_[:n_members]))

    def _sorted(self, by_class: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ascontiguousarray(by_class[:, self._order])

    def _most_probable(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _store_run(self, run: Run, examples: Examples) -> None:
        self._run, self._order = run, examples.order
        self.estimator_weights_, self.errors_ = np.array(run.weights), np.array(run.errors)
        self.stopped_ = run.stopped
        self._store_columns(*examples.columns_and_classes)
