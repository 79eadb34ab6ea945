"""Isotonic regression: the best nondecreasing step function (Zadrozny & Elkan 2002), by pooling adjacent violators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from calibrant import _core
from calibrant._params import Bool, Choice, Rule
from calibrant._saved import Array, Integer, Number, need
from calibrant._threads import n_threads
from calibrant.calibration._base import ScoreMap, learned, read_probabilities
from calibrant.calibration._fitting.natural_spline import interpolate, midpoints
from calibrant.calibration._validation import BinaryScores, check_has_inverse

Method = TypeVar("Method")

_where_centred: Callable[[Method], Method] = available_if(lambda self: self.mode == "centred")


@learned(
    scores_=Array("f8", finite=True),
    probabilities_=Array("f8", finite=True, low=0, high=1),
    n_blocks_=Integer(1),
    ties_=Number(),
    auc_change_=Number(),
)
class Isotonic(ScoreMap):
    """The nondecreasing function of the score that fits best, by least squares and by log-loss alike.

    For a thousand calibration rows or more: it can follow any shape, and overfits where rows are few. It maps the rows
    of a block to one probability, so ranking is lost there, and its first and last blocks are often 0 and 1, for
    which the log-loss of one error is infinite; ``mode="centred"`` and ``smooth_ends=True`` avoid the first and the
    second.

    Parameters
    ----------
    mode : "interpolate", "step" or "centred"
        What lies between blocks. ``"interpolate"``: a line from the last score of a block to the first of the next, as
        in scikit-learn. ``"step"``: a step halfway, where a score belongs to the upper block. ``"centred"``: each block
        is placed at its weighted mean score, with lines between those (Oron & Flournoy 2017), so only scores
        beyond the first and the last mean get equal probabilities. Beyond the scores of ``fit`` the map is constant.
    smooth_ends : bool
        Whether to take (s + 1) / (n + 2) for the n rows of the first and of the last block, s of them positive; a block
        whose probability then passes its neighbour's is merged with it.

    Attributes
    ----------
    scores_, probabilities_ : array of shape (n_knots,)
        The knots of the map, or the least score of each step but the first (``"step"``), and its values there.
    n_blocks_ : int
        Number of blocks, each of one probability.
    ties_ : float
        The fraction, among pairs of rows with different scores in ``fit``, of those whose probabilities are equal.
    auc_change_ : float
        The area under the ROC curve of the probabilities in ``fit``, minus that of the scores.

    Examples
    --------
    >>> isotonic = Isotonic().fit([1.0, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
    >>> isotonic.predict([2.0, 2.5, 3.5, 9.0])
    array([0.  , 0.25, 0.5 , 1.  ])
    >>> isotonic.n_blocks_, isotonic.ties_, round(isotonic.auc_change_, 3)
    (3, 0.2, 0.056)
    """

    _is_monotone = True
    _rules: ClassVar[Mapping[str, Rule]] = {"mode": Choice("interpolate", "step", "centred"), "smooth_ends": Bool()}

    mode: Literal["interpolate", "step", "centred"] = "interpolate"
    smooth_ends: bool = False

    def _learn(self, sample: BinaryScores) -> None:
        fit = _core.fit_isotonic(
            sample.scores, sample.positive, sample.weight, self.smooth_ends, self.mode == "centred", n_threads(None)
        )
        self.scores_, self.probabilities_ = fit.centre, fit.probability
        if self.mode == "step":
            self.scores_ = midpoints(fit.last[:-1], fit.first[1:])
        elif self.mode == "interpolate":  # both ends of each block, once where they are the same
            ends = np.stack([fit.first, fit.last], axis=1).ravel()
            once = np.append(True, np.diff(ends) > 0)
            self.scores_, self.probabilities_ = ends[once], np.repeat(fit.probability, 2)[once]
        self.n_blocks_ = len(fit.centre)
        self.ties_ = (fit.pairs_before - fit.pairs_after) / fit.pairs_before if fit.pairs_before else 0.0
        self.auc_change_ = fit.auc_after - fit.auc_before

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.mode == "step":
            return np.asarray(self.probabilities_[np.searchsorted(self.scores_, scores, side="right")])
        return interpolate(scores, self.scores_, self.probabilities_)

    @_where_centred
    def inverse(self, proba: Any) -> NDArray[np.float64]:
        """Return the scores that have these probabilities; only for ``mode="centred"``, which alone has an inverse.

        Parameters
        ----------
        proba : array of shape (n_rows,)
            Probabilities of the positive class; those beyond the map's range are clipped to it.

        Returns
        -------
        array of shape (n_rows,)
            Scores.

        Examples
        --------
        >>> centred = Isotonic(mode="centred").fit([1.0, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> centred.inverse(centred.predict([2.0, 4.0]))
        array([2., 4.])
        """
        requested = read_probabilities(self, proba)
        check_has_inverse(is_constant=self.n_blocks_ == 1)
        return interpolate(requested, self.probabilities_, self.scores_)

    def _check_learned(self) -> None:
        super()._check_learned()
        fewer = int(self.mode == "step")
        need(len(self.scores_) == len(self.probabilities_) - fewer >= 1 - fewer, "has other scores than values")
        need(len(self.probabilities_) >= 1, "has no values")
        need((np.diff(self.scores_) > 0).all() and (np.diff(self.probabilities_) >= 0).all(), "must increase")
