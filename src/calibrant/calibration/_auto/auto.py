"""The automatic calibrator: it tries the others and keeps the scores unchanged unless held-out rows show a gain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._folds import Pieces
from calibrant._params import Real, Rule
from calibrant._saved import Array, Flag, Inline, ListOf, Object, need
from calibrant.calibration._auto.calibration_test import calibration_pvalue, standard_error_of_mean
from calibrant.calibration._auto.choice import (
    AutoChoice,
    Candidate,
    assign_folds,
    best_weights,
    has_few_groups,
    log_mix,
    pool_equal_rows,
    row_losses,
    take_pieces,
)
from calibrant.calibration._base import Calibrator, learned
from calibrant.calibration._fitting.logits import as_logits, as_logs, from_logits
from calibrant.calibration._fitting.replace_certain import ReplaceCertain
from calibrant.calibration._maps.beta import Beta
from calibrant.calibration._maps.isotonic import Isotonic
from calibrant.calibration._maps.log_linear import Dirichlet, MatrixScaling, VectorScaling
from calibrant.calibration._maps.platt import Platt
from calibrant.calibration._maps.quadratic_logit import QuadraticLogit
from calibrant.calibration._maps.spline import Spline
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._validation import ScoredRows, are_probabilities, is_of_difference, one_column
from calibrant.data._internal import caller_level
from calibrant.exceptions import DataError, LittleDataWarning

# The numbers here, and the defaults of `price` and `multiple`, were chosen by benchmarks/calibration_quality.py among
# about a hundred variants, on the first five of ten splits of 30 data sets; the other five confirm them (RESULTS.md).
_FOLDS, _FEWER_FOLDS = 10, 5
_ROWS_FOR_FEWER = 5000.0  # weight from which on maps of nine tenths and of four fifths of the rows hardly differ
_MIN_CLASS_WEIGHT = 10.0  # below, one map is tried: ten folds need a row of the class each
_ROWS_AT_LEVEL = 200.0  # beyond, the level grows: at 500 rows or more .03 throughout lost gains (RESULTS.md)
_MIN_WEIGHT, _MIN_SECOND_WEIGHT = 10.0, 2.0  # of all rows, and of the second class by size: below, nothing is tried
_MIN_FOR_ISOTONIC = 500.0  # weight of either class: with fewer rows isotonic regression overfits
_ROWS_PER_PARAMETER = 2.0  # of a Dirichlet map, which has K (K + 1) parameters
_NO_MAP = "no map"

# The candidates for one score and for one column a class; margins have Platt's sigmoid as their reference.
_BINARY: dict[str, Callable[[], Calibrator]] = {
    "vector_scaling": VectorScaling,
    "temperature": Temperature,
    "beta": Beta,
    "quadratic_logit": QuadraticLogit,
    "spline": Spline,
}
_MULTICLASS: dict[str, Callable[[], Calibrator]] = {
    "temperature": Temperature,
    "vector_scaling": VectorScaling,
    "matrix_scaling": MatrixScaling,
}


@learned(
    choice_=Inline(AutoChoice),
    members_=ListOf(Object()),
    weights_=Array("f8", finite=True, low=0, high=1 + 1e-6),
    mended_=Inline(ReplaceCertain) | None,
    of_difference_=Flag(),
)
class Auto(Calibrator):
    """A mix of maps and no map at all, weighted by their gains on held-out rows.

    Each candidate's held-out log-loss is computed in ten folds of the calibration rows, five from 5,000 rows on. Mixed
    in log-odds, the candidates and the unchanged scores get the weights of least log-loss, where a map pays a `price`
    for its weight: this shrinks the mix towards the identity, the more the fewer rows there are. The guard: the mix is
    used only if its gain over no map exceeds `multiple` standard errors of the paired difference of the rows and the
    hypothesis that the scores are calibrated is rejected, at the level `alpha`, by outcomes drawn from the scores; else
    the probabilities stay unchanged. So up to 200 calibrated scores are mapped in at most a share `alpha` of fits.

    Certain probabilities, 0 and 1, have infinite log-loss if wrong. They are replaced first, also where no map is
    used (see `mended_`). Margins are not probabilities, so Platt's sigmoid is used in place of the unchanged scores.

    The candidates for two classes are vector scaling, which is Platt's sigmoid of the log-odds shrunk towards the
    identity, temperature, beta, quadratic logit, spline and, with 500 rows of each class, centred isotonic regression
    with smoothed ends; for more classes temperature, vector scaling, matrix scaling and, with two rows or more for
    each of its parameters, Dirichlet. With fewer than ten rows of either class, or ten for each of more classes, a
    vector scaling is the only candidate: with few rows its penalty shrinks it strongly.

    Parameters
    ----------
    price : float
        The price of a weight of 1, in nats over all rows. 0: the best mix; infinite: no map.
    multiple : float
        Number of standard errors that the gain must exceed.
    alpha : float
        The p-value above which up to 200 scores count as calibrated; the default leaves a margin below 5 %. With more
        rows it grows in proportion, as the harm of a needless map falls. 1: no such test.

    Attributes
    ----------
    choice_ : AutoChoice
        The candidates and the choice, with their evidence.
    members_ : list of Calibrator
        The maps of positive weight.
    weights_ : array of shape (1 + n_members,)
        The weight of no map, then of each member.
    mended_ : ReplaceCertain or None
        The replacement of probabilities of 0 and 1; None for margins.
    of_difference_ : bool
        Whether the score of two classes is the difference of two columns, which are margins.

    Notes
    -----
    Folds are drawn with a fixed seed from the rows in sorted order, equal rows pooled: the fit depends on nothing but
    the weighted empirical distribution. Weights are frequencies, whose units are rows of their own in folds (a weight
    that is not whole makes as many units as the nearest whole number, at least one). With `groups` folds are of whole
    groups, and the standard error is that of groups. Of more than 10,000 rows as many are drawn for the choice; the
    maps are fitted to all.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.random(500)
    >>> y, overconfident = rng.random(500) < true, true**3 / (true**3 + (1 - true) ** 3)
    >>> Auto().fit(overconfident, y).predict([0.1, 0.5, 0.9]).round(2)
    array([0.32, 0.5 , 0.68])
    >>> Auto().fit(true, y).choice_
    no map: no other mix gains its price
      log-loss 0.4944 -> 0.4944, gain 0.0000 +- 0.0000, cross-validated on 500 rows
      map             log-loss     gain       +-   weight
      no map            0.4944                       1.00
      vector_scaling    0.4999  -0.0055   0.0020     0.00
      temperature       0.4985  -0.0041   0.0015     0.00
      beta              0.5010  -0.0067   0.0025     0.00
      quadratic_logit   0.5006  -0.0062   0.0021     0.00
      spline            0.4989  -0.0046   0.0014     0.00
    >>> auto = Auto(price=np.inf)
    >>> auto.is_monotone, auto.fit(np.linspace(0.1, 0.9, 40), [0, 1] * 20).is_monotone
    (False, True)
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"price": Real(0.0, np.inf), "multiple": Real(0.0), "alpha": Real(0.0, 1.0)}

    _multiclass_maps: ClassVar[Mapping[str, Callable[[], Calibrator]]] = _MULTICLASS
    _tries_dirichlet: ClassVar[bool] = True

    price: float = 2.0
    multiple: float = 0.5
    alpha: float = 0.03

    @property
    def _is_monotone(self) -> bool:  # type: ignore[override]
        if not hasattr(self, "members_") or len(self.classes_) != 2:
            return False
        # Mixed with an increasing map, a sigmoid that decreases may do either.
        return all(each.is_monotone and (not isinstance(each, Platt) or each.slope_ >= 0.0) for each in self.members_)

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.of_difference_ = len(scored.classes) == 2 and is_of_difference(scored.scores)
        is_binary = len(scored.classes) == 2
        sample = pool_equal_rows(
            replace(scored, scores=one_column(scored.scores).reshape(-1, 1)) if is_binary else scored
        )
        sizes, is_proba = sample.class_weights(), are_probabilities(sample.scores)
        self.mended_ = ReplaceCertain.fit(sample) if is_proba else None
        makers = self._candidates(sizes, is_proba)
        if (sample.scores == sample.scores[0]).all():
            self._store(sample, makers, AutoChoice("platt", (), 0.0, 0.0, sizes.sum(), "all scores are equal"))
            return
        warn_of_few_rows(sizes, sample.classes)
        if not makers or has_few_groups(sample) or (_is_too_little(sizes) and not is_proba):
            name, reason = _NO_MAP if is_proba else "platt", "too few rows to compare maps"
            self._store(sample, makers, AutoChoice(name, (), 0.0, 0.0, sizes.sum(), reason))
        else:
            self._store(sample, makers, self._choose(_run_trial(sample, makers, has_identity=is_proba)))

    def _candidates(self, sizes: NDArray[np.float64], is_proba: bool) -> dict[str, Calibrator]:
        """Return the maps that are tried, by the weight of each class."""
        if is_proba and _is_too_little(sizes):
            # Stronger penalties than that of vector scaling gained less (RESULTS.md)
            is_enough = sizes.sum() >= _MIN_WEIGHT and np.sort(sizes)[-2] >= _MIN_SECOND_WEIGHT
            return {"vector_scaling": VectorScaling()} if is_enough else {}
        made = {name: make() for name, make in (_BINARY if len(sizes) == 2 else self._multiclass_maps).items()}
        if not is_proba:
            made = {"platt": Platt(on="score"), **made}
        n_parameters = len(sizes) * (len(sizes) + 1)
        if self._tries_dirichlet and len(sizes) > 2 and sizes.sum() >= _ROWS_PER_PARAMETER * n_parameters:
            made["dirichlet"] = Dirichlet()
        if len(sizes) == 2 and sizes.min() >= _MIN_FOR_ISOTONIC:
            made["isotonic"] = Isotonic(mode="centred", smooth_ends=True)
        return made

    def _choose(self, trial: _Trial) -> AutoChoice:
        """Return the best mix, or the reference alone where the guard finds too little evidence for a mix."""
        alone = np.eye(len(trial.names))[0]
        # The weights are fitted to the same held-out rows that the gain is measured on; the price makes up for that.
        weights = best_weights(trial.logs, trial.codes, trial.weight, self.price)
        gain, error = trial.gain_of(weights)
        reason = f"gains more than {self.multiple:g} standard errors"
        if weights[0] == 1.0:
            reason = "no other mix gains its price"
        elif gain <= self.multiple * error:
            weights, reason = alone, f"no mix gains more than {self.multiple:g} standard errors"
        elif (pvalue := trial.pvalue(self.alpha)) is not None:
            weights, reason = alone, f"the scores may be calibrated (p = {pvalue:.2f})"
        return AutoChoice.of(trial.candidates(weights), trial.gain_of(weights), float(trial.weight.sum()), reason)

    def _store(self, sample: ScoredRows, makers: Mapping[str, Calibrator], choice: AutoChoice) -> None:
        """Fit the maps of positive weight to all rows."""
        shares = {each.name: each.weight for each in choice.candidates if each.weight > 0} or {choice.name: 1.0}
        rows = _replace_in_rows(sample, self.mended_)
        names = [name for name in shares if name != _NO_MAP]
        self.members_ = [makers.get(name, Platt())._fit_clone(rows) for name in names]
        self.weights_ = np.array([shares.get(_NO_MAP, 0.0), *(shares[name] for name in names)])
        self.choice_ = choice

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.classes_) == 2:
            table = one_column(table, self.of_difference_).reshape(-1, 1)
        if self.mended_ is not None:
            table = self.mended_.apply(table)
        maps = ([table] if self.weights_[0] > 0 else []) + [each._predict_table(table) for each in self.members_]
        shares = self.weights_[self.weights_ > 0]
        if len(self.classes_) > 2:
            return np.exp(log_mix(np.stack([as_logs(proba) for proba in maps]), shares))
        odds = sum(share * as_logits(proba.ravel()) for share, proba in zip(shares, maps, strict=True))
        proba = from_logits(np.asarray(odds))
        return proba if self.n_columns_ == 1 else np.stack([1.0 - proba, proba], axis=1)

    def _check_learned(self) -> None:
        super()._check_learned()
        n_classes, columns = len(self.classes_), 1 if len(self.classes_) == 2 else len(self.classes_)
        need(len(self.weights_) == 1 + len(self.members_), "must have a weight for each member")
        are_shares = (self.weights_[1:] > 0).all() and abs(self.weights_.sum() - 1) < 1e-6
        need(are_shares, "has weights that are not shares")
        fits = (isinstance(each, Calibrator) and each._is_of(n_classes, columns) for each in self.members_)
        need(all(fits), "has members of other classes")
        need(self.mended_ is None or self.mended_.floor <= self.mended_.ceiling, "has a floor above the ceiling")
        need(self.mended_ is not None or self.weights_[0] == 0, "must map margins")

    def _write(self) -> dict[str, Any]:
        return {
            "mended": None if self.mended_ is None else self.mended_.to_dict(),
            "members": [member.to_dict() for member in self.members_],
            "weights": self.weights_.tolist(),
            "choice": self.choice_.to_dict(),
            "of_difference": self.of_difference_,
        }

    def _read(self, learned: Mapping[str, Any]) -> None:
        from calibrant.calibration._names import calibrator_from_dict  # which imports this module

        self.mended_ = None if learned["mended"] is None else ReplaceCertain(**learned["mended"])
        self.members_ = [calibrator_from_dict(member) for member in learned["members"]]
        self.weights_ = np.asarray(learned["weights"])
        self.choice_ = AutoChoice.from_dict(learned["choice"])
        self.of_difference_ = learned["of_difference"]


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """The log-probabilities of the reference and the candidates for held-out rows."""

    names: list[str]
    logs: NDArray[np.float64]
    codes: NDArray[np.int32]
    weight: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    def gain_of(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """Return the mean gain of a mix over the reference, and the standard error of the paired difference."""
        reference = row_losses(self.logs[0], self.codes)
        gains = reference - row_losses(log_mix(self.logs, weights), self.codes)
        gain = float(self.weight @ gains) / float(self.weight.sum())
        return gain, standard_error_of_mean(gains, self.weight, self.groups)

    def pvalue(self, alpha: float) -> float | None:
        """Return the p-value of the hypothesis that the unchanged scores are calibrated, None if it is rejected."""
        level = alpha * max(1.0, float(self.weight.sum()) / _ROWS_AT_LEVEL)
        if level >= 1.0 or self.names[0] != _NO_MAP:  # margins are no probabilities
            return None
        pvalue = calibration_pvalue(self.logs[0], self.codes, self.weight, self.groups)
        return None if pvalue <= level else pvalue

    def candidates(self, weights: NDArray[np.float64]) -> tuple[Candidate, ...]:
        """Return each candidate with its evidence."""
        level = float(self.weight @ row_losses(self.logs[0], self.codes)) / float(self.weight.sum())
        evidence = [(0.0, 0.0), *(self.gain_of(alone) for alone in np.eye(len(self.names))[1:])]
        return tuple(
            Candidate(name, level - gain, gain, error, float(weight))
            for name, (gain, error), weight in zip(self.names, evidence, weights, strict=True)
        )


def _run_trial(pooled: ScoredRows, makers: Mapping[str, Calibrator], *, has_identity: bool) -> _Trial:
    """Predict each fold by every candidate fitted to the others; one that cannot be fitted to some is left out."""
    n_folds = _FOLDS if pooled.class_weights().sum() < _ROWS_FOR_FEWER else _FEWER_FOLDS
    pieces = assign_folds(pooled, n_folds)
    names = ([_NO_MAP] if has_identity else []) + list(makers)
    logs = {name: np.zeros((len(pieces.rows), len(pooled.classes))) for name in names}
    for fold in range(int(pieces.fold.max()) + 1):
        found = _predict_fold(pooled, pieces, fold, {name: makers.get(name) for name in logs}, is_proba=has_identity)
        logs = {name: table for name, table in logs.items() if name in found}
        for name, table in logs.items():
            table[pieces.fold == fold] = found[name]
    groups = None if pooled.groups is None else pooled.groups[pieces.rows]
    return _Trial(list(logs), np.stack(list(logs.values())), pooled.codes[pieces.rows], pieces.weight, groups)


def _predict_fold(
    pooled: ScoredRows, pieces: Pieces, fold: int, makers: Mapping[str, Calibrator | None], *, is_proba: bool
) -> dict[str, NDArray[np.float64]]:
    """Return the log-probabilities of a fold's rows by maps fitted to the other folds; None is the identity."""
    is_test = pieces.fold == fold
    train, test = take_pieces(pooled, pieces, ~is_test), take_pieces(pooled, pieces, is_test)
    # Certain probabilities are replaced by what the training rows say: the held-out fold must not choose its own floor.
    certain = ReplaceCertain.fit(train) if is_proba else None
    train, test = _replace_in_rows(train, certain), _replace_in_rows(test, certain)
    found: dict[str, NDArray[np.float64]] = {}
    for name, maker in makers.items():
        try:
            proba = test.scores if maker is None else maker._fit_clone(train)._predict_table(test.scores)
        except DataError:
            continue
        table = proba.reshape(len(proba), -1)  # a column for each class, or one for two
        found[name] = as_logs(table if table.shape[1] > 1 else np.concatenate([1.0 - table, table], axis=1))
    return found


def _replace_in_rows(scored: ScoredRows, certain: ReplaceCertain | None) -> ScoredRows:
    if certain is None:
        return scored
    return replace(scored, scores=certain.apply(scored.scores))


def _is_too_little(sizes: NDArray[np.float64]) -> bool:
    return bool(sizes.min() < _MIN_CLASS_WEIGHT if len(sizes) == 2 else sizes.sum() < _MIN_CLASS_WEIGHT * len(sizes))


def warn_of_few_rows(sizes: NDArray[np.float64], classes: NDArray[Any]) -> None:
    """Warn where there are too few rows for a map to be reliable.

    Examples
    --------
    >>> warn_of_few_rows(np.array([50.0, 12.0]), np.array(["no", "yes"]))
    """
    if not _is_too_little(sizes):
        return
    rare = int(sizes.argmin())
    name = classes.tolist()[rare]
    warnings.warn(
        f"{sizes.sum():g} calibration rows, {sizes[rare]:g} of them of the class {name!r}, are too few for "
        f"a map to be reliable: {_MIN_CLASS_WEIGHT:g} rows of each class are the minimum.",
        LittleDataWarning,
        stacklevel=caller_level(),
    )
