"""The choice of the automatic calibrator: mixes of candidates by their log-loss on held-out rows.

Folds depend on nothing but the weighted empirical distribution: rows are sorted and equal ones pooled, so that a row of
weight 2 counts as two rows; the seed is fixed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from calibrant import _core
from calibrant._folds import Pieces, count_by_group, deal_groups, unit_folds
from calibrant._saved import Number, saved
from calibrant._threads import n_threads
from calibrant.calibration._fitting.bins import pool_ties
from calibrant.calibration._validation import BinaryScores, ScoredRows
from calibrant.data._internal import caller_level
from calibrant.exceptions import LittleDataWarning

if TYPE_CHECKING:
    import pandas as pd

_NUMBER = Number(finite=False)  # in a model file: what nothing was tried for is NaN


@saved(inline=True, log_loss=_NUMBER, gain=_NUMBER, standard_error=_NUMBER, weight=Number(0, 1 + 1e-6))
@dataclass(frozen=True)
class Candidate:
    """A map that was tried.

    Parameters
    ----------
    name : str
        Its name in `CALIBRATORS`; ``"no map"`` for unchanged scores.
    log_loss : float
        Its cross-validated log-loss, in nats per row.
    gain, standard_error : float
        How much less that is than the reference's, and the standard error of the paired difference.
    weight : float
        Its weight in the chosen mix.

    Examples
    --------
    >>> Candidate("beta", 0.31, 0.02, 0.005, 0.8).weight
    0.8
    """

    name: str
    log_loss: float
    gain: float
    standard_error: float
    weight: float


@saved(inline=True, gain=_NUMBER, standard_error=_NUMBER, n_rows=Number(0))
@dataclass(frozen=True, repr=False)
class AutoChoice:
    """The choice of an `Auto` calibrator with its evidence.

    Parameters
    ----------
    name : str
        The mix in words.
    candidates : tuple of Candidate
        The candidates; the reference is the first. Empty where nothing could be tried.
    gain, standard_error : float
        How much less the cross-validated log-loss of the mix is than the reference's, and its standard error.
    n_rows : float
        The weight of the rows that this was evaluated on.
    reason : str
        The reason of the choice.

    Examples
    --------
    >>> reference, beta = Candidate("no map", 0.35, 0.0, 0.0, 0.2), Candidate("beta", 0.31, 0.04, 0.01, 0.8)
    >>> AutoChoice.of((reference, beta), (0.045, 0.009), 500.0, "gains more than 0.5 standard errors")
    0.80 beta + 0.20 no map: gains more than 0.5 standard errors
      log-loss 0.3500 -> 0.3050, gain 0.0450 +- 0.0090, cross-validated on 500 rows
      map        log-loss     gain       +-   weight
      no map       0.3500                       0.20
      beta         0.3100   0.0400   0.0100     0.80
    """

    name: str
    candidates: tuple[Candidate, ...]
    gain: float
    standard_error: float
    n_rows: float
    reason: str

    @classmethod
    def of(
        cls, candidates: tuple[Candidate, ...], evidence: tuple[float, float], n_rows: float, reason: str
    ) -> AutoChoice:
        """Return a choice whose name lists the weights of its mix, the largest first.

        Examples
        --------
        >>> tried = (Candidate("no map", 0.35, 0.0, 0.0, 1.0), Candidate("beta", 0.35, 0.0, 0.0, 0.0))
        >>> AutoChoice.of(tried, (0.0, 0.0), 500.0, "").name
        'no map'
        """
        used = sorted((each for each in candidates if each.weight > 0), key=lambda each: -each.weight)
        mix = " + ".join(f"{each.weight:.2f} {each.name}" for each in used)
        return cls(used[0].name if len(used) == 1 else mix, candidates, *evidence, n_rows, reason)

    def to_frame(self) -> pd.DataFrame:
        """Return the candidates as a frame of pandas, one row each.

        Examples
        --------
        >>> choice = AutoChoice("no map", (Candidate("no map", 0.35, 0.0, 0.0, 1.0),), 0.0, 0.0, 500.0, "")
        >>> choice.to_frame().columns.tolist()
        ['name', 'log_loss', 'gain', 'standard_error', 'weight']
        """
        import pandas as pd

        return pd.DataFrame([vars(each) for each in self.candidates])

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold.

        Examples
        --------
        >>> AutoChoice("no map", (), 0.0, 0.0, 3.0, "too few rows").to_dict()["reason"]
        'too few rows'
        """
        return {**vars(self), "candidates": [vars(each) for each in self.candidates]}

    @classmethod
    def from_dict(cls, written: dict[str, Any]) -> AutoChoice:
        """Return the choice that `to_dict` wrote.

        Examples
        --------
        >>> choice = AutoChoice("no map", (Candidate("no map", 0.35, 0.0, 0.0, 1.0),), 0.0, 0.0, 500.0, "")
        >>> AutoChoice.from_dict(choice.to_dict()) == choice
        True
        """
        return cls(**{**written, "candidates": tuple(Candidate(**each) for each in written["candidates"])})

    def __repr__(self) -> str:  # `z` prints a gain that rounds to 0 as 0.0000, never -0.0000, on any processor
        lines = [f"{self.name}: {self.reason}"]
        if self.candidates:
            before = self.candidates[0].log_loss
            lines += [
                f"  log-loss {before:.4f} -> {before - self.gain:.4f}, gain {self.gain:z.4f} +- "
                f"{self.standard_error:.4f}, cross-validated on {self.n_rows:,.0f} rows",
                *self._table(),
            ]
        return "\n".join(lines)

    def _table(self) -> list[str]:
        width = max(10, *(len(each.name) for each in self.candidates))
        rows = [f"  {'map':{width}} {'log-loss':>8} {'gain':>8} {'+-':>8} {'weight':>8}"]
        for position, each in enumerate(self.candidates):
            evidence = f"{each.gain:z8.4f} {each.standard_error:8.4f}" if position else " " * 17
            rows.append(f"  {each.name:{width}} {each.log_loss:8.4f} {evidence} {each.weight:8.2f}")
        return rows


# The mean loss of a mix and its gradient by the weights.
_Loss: TypeAlias = "Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]"

_NEGLIGIBLE = 0.01  # a smaller weight hardly changes the mix, at the cost of a whole map


def log_mix(logs: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mix log-probabilities of several maps and normalise: a mix of their log-odds.

    Examples
    --------
    >>> logs = np.log([[[0.5, 0.5]], [[0.2, 0.8]]])
    >>> np.exp(log_mix(logs, np.array([0.5, 0.5]))).round(3)
    array([[0.333, 0.667]])
    """
    mixed = np.tensordot(weights, logs, axes=1)
    mixed -= mixed.max(axis=1, keepdims=True)
    return np.asarray(mixed - np.log(np.exp(mixed).sum(axis=1, keepdims=True)))


def row_losses(log_proba: NDArray[np.float64], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return minus the log-probability of each row's class.

    Examples
    --------
    >>> row_losses(np.log([[0.5, 0.5], [0.2, 0.8]]), np.array([0, 1])).round(3)
    array([0.693, 0.223])
    """
    return -np.asarray(log_proba[np.arange(len(codes)), codes])


def best_weights(
    logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64], price: float
) -> NDArray[np.float64]:
    """Return the weights, none negative and of sum 1, that minimise log-loss plus price.

    Parameters
    ----------
    logs : array of shape (n_maps, n_rows, n_classes)
        The log-probabilities of each map for held-out rows; the first map has no price.
    codes : array of shape (n_rows,)
        The class of each row.
    weight : array of shape (n_rows,)
        The weight of each row.
    price : float
        The cost of a weight of 1, in nats over all rows.

    Returns
    -------
    array of shape (n_maps,)
        The weights; the problem is convex, so the minimum is global.

    Examples
    --------
    >>> logs = np.log([[[0.5, 0.5]] * 20, [[0.1, 0.9]] * 20])
    >>> best_weights(logs, np.array([1] * 18 + [0] * 2), np.ones(20), price=1.0).round(2)
    array([0.1, 0.9])
    """
    if math.isinf(price):
        return np.asarray(np.eye(len(logs))[0])
    mean = (_loss_of_two if logs.shape[2] == 2 else _loss_of_several)(logs, codes, weight)
    costs = price / float(weight.sum()) * (np.arange(len(logs)) > 0)

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slopes = mean(mix)
        return value + float(costs @ mix), slopes + costs

    start = np.full(len(logs), 1.0 / len(logs))
    found = minimize(
        loss,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(logs),
        constraints={"type": "eq", "fun": lambda mix: mix.sum() - 1.0, "jac": np.ones_like},
        options={"ftol": 1e-10, "maxiter": 200},  # far below the price of a weight
    ).x
    kept = np.where(found >= _NEGLIGIBLE, found, 0.0)
    return np.asarray(kept / kept.sum())


def _loss_of_several(logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64]) -> _Loss:
    own, total = logs[:, np.arange(len(codes)), codes] @ weight, float(weight.sum())

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_proba = log_mix(logs, mix)
        slopes = np.tensordot(logs, weight[:, None] * np.exp(log_proba), axes=2) - own
        return float(weight @ row_losses(log_proba, codes)) / total, slopes / total

    return loss


def _loss_of_two(logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64]) -> _Loss:
    """Return the loss of a mix of log-odds, which is that of a logistic regression without an intercept."""
    odds, positive, total = [table[:, 1] - table[:, 0] for table in logs], codes == 1, float(weight.sum())
    scale, shift, threads = np.ones(len(logs)), np.zeros(len(logs)), n_threads(None)

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        coef = np.append(mix, 0.0)
        value, slopes, _ = _core.logistic_sums(odds, scale, shift, positive, weight, 0.0, 1.0, coef, threads)
        return value / total, slopes[:-1] / total

    return loss


_SEED = 20_010_628  # arbitrary and fixed: the same rows have the same folds in every fit
_MIN_GROUPS = 5  # below, the variance between groups is unknown
_ENOUGH_UNITS = 10_000  # beyond, as many are drawn: the choice hardly changes, and the time stays that of 10,000 rows


def take_pieces(scored: ScoredRows, pieces: Pieces, chosen: NDArray[np.bool_]) -> ScoredRows:
    """Return some pieces as rows."""
    return replace(scored.take(pieces.rows[chosen]), weight=pieces.weight[chosen])


def pool_equal_rows(scored: ScoredRows) -> ScoredRows:
    """Sort rows by class and scores, and sum the weights of equal ones of the same group.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> pooled = pool_equal_rows(read_scored([0.7, 0.2, 0.7, 0.7], [1, 0, 1, 0]))
    >>> pooled.scores.ravel(), pooled.codes, pooled.weight
    (array([0.2, 0.7, 0.7]), array([0, 0, 1], dtype=int32), array([1., 1., 2.]))
    """
    if scored.groups is None and scored.weight is None and scored.scores.shape[1] == 1 and len(scored.classes) == 2:
        return _pool_binary(scored)
    keys = [] if scored.groups is None else [scored.groups]
    order = np.lexsort([*keys, *scored.scores.T[::-1], scored.codes])
    scores, codes = scored.scores[order], scored.codes[order]
    weight = scored.weights()[order]
    is_new = np.r_[True, (codes[1:] != codes[:-1]) | (scores[1:] != scores[:-1]).any(axis=1)]
    if scored.groups is not None:
        is_new[1:] |= np.diff(scored.groups[order]) != 0
    starts = np.flatnonzero(is_new)
    groups = None if scored.groups is None else scored.groups[order][starts]
    return ScoredRows(scores[starts], codes[starts], scored.classes, np.add.reduceat(weight, starts), groups)


def _pool_binary(scored: ScoredRows) -> ScoredRows:
    """Sort and pool rows of two classes that count once: one sort of the scores in the core, not one by class too."""
    scores = np.ascontiguousarray(scored.scores[:, 0])
    ties = pool_ties(BinaryScores(scores, scored.codes == 1))
    by_class = [ties.weight - ties.positive, ties.positive]
    kept = [np.flatnonzero(weight) for weight in by_class]
    codes = np.repeat(np.arange(2, dtype=scored.codes.dtype), [len(rows) for rows in kept])
    weight = np.concatenate([weight[rows] for weight, rows in zip(by_class, kept, strict=True)])
    return ScoredRows(ties.scores[np.concatenate(kept)].reshape(-1, 1), codes, scored.classes, weight)


def assign_folds(pooled: ScoredRows, n_folds: int) -> Pieces:
    """Assign pooled rows to folds, class by class, or group by group.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> pieces = assign_folds(pool_equal_rows(read_scored([0.7, 0.2, 0.7, 0.6], [1, 0, 1, 0])), 2)
    >>> pieces.rows, pieces.weight, np.bincount(pieces.fold)
    (array([0, 1, 2, 2]), array([1., 1., 1., 1.]), array([2, 2]))
    """
    random = np.random.default_rng(_SEED)
    if pooled.groups is None:
        return unit_folds(pooled.codes, pooled.weights(), n_folds, random, enough=_ENOUGH_UNITS)
    groups, weight = pooled.groups, pooled.weights()
    if int(groups.max()) + 1 == len(groups):  # whole rows: a unit each, whatever they weigh
        units = unit_folds(pooled.codes, np.ones(len(groups)), n_folds, random, enough=_ENOUGH_UNITS)
        return Pieces(units.rows, weight[units.rows], units.fold)
    kept = np.flatnonzero(_drawn_groups(np.bincount(groups, weight).astype(np.float64), n_folds, random)[groups])
    numbers = np.unique(groups[kept], return_inverse=True)[1]
    counts = count_by_group(numbers, pooled.codes[kept], weight[kept])
    return Pieces(kept, weight[kept], deal_groups(counts, np.ones(n_folds), random)[numbers])


def has_few_groups(scored: ScoredRows) -> bool:
    """Return whether there are too few groups to hold any out, with a warning.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> has_few_groups(read_scored([0.2, 0.7, 0.9], [0, 1, 1]))
    False
    """
    n_groups = _MIN_GROUPS if scored.groups is None else len(np.unique(scored.groups))
    if n_groups >= _MIN_GROUPS:
        return False
    warnings.warn(
        f"{n_groups} group(s) of calibration rows are too few to hold any out: {_MIN_GROUPS} are the minimum, so no "
        "map is tried. Use rows of more groups.",
        LittleDataWarning,
        stacklevel=caller_level(),
    )
    return True


def _drawn_groups(sizes: NDArray[np.float64], n_folds: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Return the groups to use: all, or as many at random as make up enough weight."""
    drawn = np.ones(len(sizes), dtype=np.bool_)
    if sizes.sum() > _ENOUGH_UNITS:
        order = random.permutation(len(sizes))
        is_beyond = np.cumsum(sizes[order]) - sizes[order] >= _ENOUGH_UNITS
        is_beyond[:n_folds] = False
        drawn[order[is_beyond]] = False
    return drawn
