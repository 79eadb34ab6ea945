"""Base rates that differ from those of the training set (Elkan 2001; Saerens, Latinne & Decaestecker 2002)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from calibrant._numbers import as_floats
from calibrant._params import InstanceOf, Nothing, Real, Rule, check_params
from calibrant._saved import Array, need
from calibrant.calibration._base import Calibrator, learned
from calibrant.calibration._fitting.logits import SCALE_FIELD, Scale, find_scale
from calibrant.calibration._fitting.multinomial import Penalty, ShiftLoss
from calibrant.calibration._maps.log_linear import log_columns
from calibrant.calibration._validation import (
    ScoredRows,
    are_probabilities,
    check_every_class_has_rows,
    read_named_scores,
    read_scores,
)
from calibrant.data._internal import check_weights, named_classes
from calibrant.exceptions import DataError, ParameterError

Prior: TypeAlias = "float | Sequence[float] | NDArray[np.float64] | None"

_SUM = 1e-6  # how far base rates may sum from 1: users round them
_CHANGE, _MAX_STEPS = 1e-12, 10_000  # expectation-maximisation converges linearly, slowly where classes overlap
_LEAST = 1e-12  # a base rate of 0 would never recover

_PRIOR_FIELD = Array("f8", finite=True, low=1e-300, high=1)
_PRIOR = (
    Real(0, 1, closed="neither")
    | InstanceOf(Sequence, words="a base rate for each class")
    | InstanceOf(np.ndarray, words="a base rate for each class")
    | Nothing()
)


@learned(train_prior_=_PRIOR_FIELD, new_prior_=_PRIOR_FIELD, on_=SCALE_FIELD)
class PriorShift(Calibrator):
    """Probabilities of a model that was trained with other base rates: p_k times new prior / training prior.

    For models trained on resampled or class-weighted data, and for data whose classes have become more or less
    frequent while each class looks as before. Nothing but the base rates changes: the ranking of two classes stays.
    A prior that is not passed is learned by ``fit`` from rows with classes, or by ``fit_unlabelled`` from rows
    without.

    Parameters
    ----------
    train_prior : number or one base rate for each class, optional
        The base rates that the model was trained with, such as 0.5 for a balanced sample of two classes; one number is
        that of the last of two classes. By default the base rates that the model behaves as if trained with: those
        for which the shifted probabilities of the rows in ``fit`` have the least log-loss.
    new_prior : number or one base rate for each class, optional
        The base rates where the probabilities are to hold; those of the rows in ``fit`` by default.

    Attributes
    ----------
    train_prior_, new_prior_ : arrays of shape (n_classes,)
        Both, as passed or as learned.
    on_ : "logit" or "score"
        Whether the scores were probabilities; margins are read as log-odds.

    Examples
    --------
    A model trained on as many positives as negatives, where one row in ten is positive:

    >>> shift = PriorShift(train_prior=0.5, new_prior=0.1).fit([0.2, 0.5, 0.8], [0, 1, 1])
    >>> shift.predict([0.2, 0.5, 0.8]).round(3)
    array([0.027, 0.1  , 0.308])
    """

    _is_monotone = True
    _rules: ClassVar[Mapping[str, Rule]] = {"train_prior": _PRIOR, "new_prior": _PRIOR}

    train_prior: Prior = None
    new_prior: Prior = None

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.on_ = find_scale(scored.scores, "auto")
        observed = scored.class_weights() / scored.class_weights().sum()
        train = _base_rates("train_prior", self.train_prior, len(scored.classes))
        new = _base_rates("new_prior", self.new_prior, len(scored.classes))
        if train is None or new is None:
            check_every_class_has_rows(scored)
        self.train_prior_ = implied_prior(scored, self.on_) if train is None else train
        self.new_prior_ = observed if new is None else new

    def fit_unlabelled(self, scores: Any, sample_weight: Any = None, *, labels: Any = None) -> Self:
        """Fit the new prior to rows whose classes are not known (Saerens, Latinne & Decaestecker 2002).

        Their expectation-maximisation finds the base rates of maximum likelihood, which are unique. The
        scores must be calibrated where the prior is `train_prior`, which must be passed.

        Parameters
        ----------
        scores : array of shape (n_rows,) or (n_rows, n_classes)
            Scores of the new rows.
        sample_weight : sequence of length n_rows, optional
            The weight of each row.
        labels : sequence, optional
            The classes in the order of the columns; by default the sorted names of a frame's columns, else 0, 1, ...

        Returns
        -------
        PriorShift
            The fitted calibrator.

        Examples
        --------
        >>> shift = PriorShift(train_prior=0.5).fit_unlabelled([0.1, 0.1, 0.2, 0.2, 0.9])
        >>> shift.new_prior_.round(3), shift.predict([0.5]).round(3)
        (array([0.856, 0.144]), array([0.144]))
        """
        check_params(self, self._rules)
        table, named = read_scores(scores), named_classes(scores)
        named = named if len(named) > 1 else list(range(max(table.shape[1], 2)))
        classes = np.array(named) if labels is None else np.asarray(labels)
        if len(classes) != max(table.shape[1], 2):
            raise DataError(f"labels has {len(classes)} classes; scores has {table.shape[1]} column(s).")
        train = _base_rates("train_prior", self.train_prior, len(classes))
        if train is None or self.new_prior is not None:
            raise ParameterError("fit_unlabelled fits new_prior, which must be None, and needs train_prior.")
        table = read_named_scores(scores, classes)
        weight = check_weights(sample_weight, len(table))
        self.classes_, self.n_columns_ = classes, table.shape[1]
        self.on_ = find_scale(table, "auto")
        self.train_prior_ = train
        self.new_prior_ = _maximum_likelihood(np.exp(log_columns(table, self.on_)), train, weight)
        return self

    def _log_ratio(self) -> NDArray[np.float64]:
        return np.asarray(np.log(self.new_prior_) - np.log(self.train_prior_))

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        proba = softmax(log_columns(table, self.on_) + self._log_ratio(), axis=1)
        return np.asarray(proba[:, 1] if self.n_columns_ == 1 else proba)

    def inverse(self, proba: Any) -> NDArray[np.float64]:
        """Return the scores that have these probabilities.

        Parameters
        ----------
        proba : array of shape (n_rows,) or (n_rows, n_classes)
            Probabilities under the new prior, as many columns as in ``fit``.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_classes)
            Scores, on the scale of those in ``fit``; margins of several columns sum to 0.

        Examples
        --------
        >>> shift = PriorShift(train_prior=0.5, new_prior=0.1).fit([0.2, 0.5, 0.8], [0, 1, 1])
        >>> shift.inverse(shift.predict([0.2, 0.5])).round(9)
        array([0.2, 0.5])
        """
        table = self._read_table(proba)
        if not are_probabilities(table):
            raise DataError("proba must be in [0, 1], and rows of several columns sum to 1.")
        logs = log_columns(table, "logit") - self._log_ratio()
        if self.n_columns_ == 1:
            return np.asarray(softmax(logs, axis=1)[:, 1] if self.on_ == "logit" else logs[:, 1] - logs[:, 0])
        return np.asarray(softmax(logs, axis=1) if self.on_ == "logit" else logs - logs.mean(axis=1, keepdims=True))

    def _check_learned(self) -> None:
        super()._check_learned()
        need(len(self.train_prior_) == len(self.new_prior_) == len(self.classes_), "has other priors than classes")


def implied_prior(scored: ScoredRows, on: Scale) -> NDArray[np.float64]:
    """Return the base rates that a model behaves as if it was trained with, judged by rows with classes.

    Shifted from them to the base rates of the rows, its probabilities have the least log-loss, and their means are the
    base rates.

    Parameters
    ----------
    scored : ScoredRows
        Scores and classes.
    on : "logit" or "score"
        Whether the scores are probabilities.

    Returns
    -------
    array of shape (n_classes,)
        Base rates.
    """
    loss = ShiftLoss(log_columns(scored.scores, on), scored.codes, scored.weight)
    shift = loss.fit(Penalty(np.zeros(len(scored.classes)), np.zeros(len(scored.classes))))
    return np.asarray(softmax(np.log(scored.class_weights()) - shift))


def _maximum_likelihood(
    proba: NDArray[np.float64], train: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    share = np.ones(len(proba)) if weight is None else weight
    share, ratio, prior = share / share.sum(), proba / train, train
    for _ in range(_MAX_STEPS):
        posterior = ratio * prior
        following = share @ (posterior / posterior.sum(axis=1, keepdims=True))
        following = np.maximum(following, _LEAST) / np.maximum(following, _LEAST).sum()
        change, prior = np.abs(following - prior).max(), following
        if change <= _CHANGE:
            break
    return np.asarray(prior)


def _base_rates(name: str, prior: Any, n_classes: int) -> NDArray[np.float64] | None:
    if prior is None:
        return None
    try:
        rates = as_floats(prior)
    except (TypeError, ValueError):
        rates = np.empty(0)
    rates = np.array([1.0 - rates, rates]) if rates.ndim == 0 else rates
    if rates.shape != (n_classes,) or not (rates > 0).all() or not abs(rates.sum() - 1.0) <= _SUM:
        raise ParameterError(
            f"{name} must be {n_classes} base rates above 0 that sum to 1, or a number for two classes; got {prior!r}."
        )
    return np.asarray(rates / rates.sum())
