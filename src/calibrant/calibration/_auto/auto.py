"""The calibrator that tries the others and leaves the scores alone unless rows it held out say otherwise."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Real, Rule
from calibrant.calibration._auto.choice import AutoChoice, Candidate
from calibrant.calibration._auto.mixing import best_weights, log_mix, row_losses
from calibrant.calibration._auto.replace_certain import Mended, mend
from calibrant.calibration._auto.unit_folds import Pieces, pool_equal_rows, unit_folds
from calibrant.calibration._base import Calibrator
from calibrant.calibration._fitting.logits import as_logits, as_logs, from_logits
from calibrant.calibration._maps.beta import Beta
from calibrant.calibration._maps.dirichlet import Dirichlet
from calibrant.calibration._maps.isotonic import Isotonic
from calibrant.calibration._maps.matrix_scaling import MatrixScaling
from calibrant.calibration._maps.platt import Platt
from calibrant.calibration._maps.quadratic_logit import QuadraticLogit
from calibrant.calibration._maps.spline import Spline
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._maps.vector_scaling import VectorScaling
from calibrant.calibration._validation import ScoredRows, are_probabilities, is_of_difference, one_column
from calibrant.exceptions import DataError, LittleDataWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Auto", "warn_of_few"]

_FOLDS, _FEWER_FOLDS = 10, 5
_ROWS_FOR_FEWER = 5000.0  # weight from which on a tenth more rows to learn from makes no difference
_FEWEST = 10.0  # weight of a class below which no map is tried: a row a fold
_MANY = 500.0  # weight of either class from which on isotonic regression is tried
_ROWS_A_NUMBER = 2.0  # rows for each number of a Dirichlet map, which has a number for each pair of classes
_NO_MAP = "no map"

# What is tried for one score and for a column a class; the reference of margins is Platt's sigmoid.
_ONE: dict[str, Callable[[], Calibrator]] = {
    "vector_scaling": VectorScaling,
    "temperature": Temperature,
    "beta": Beta,
    "quadratic_logit": QuadraticLogit,
    "spline": Spline,
}
_SEVERAL: dict[str, Callable[[], Calibrator]] = {
    "temperature": Temperature,
    "vector_scaling": VectorScaling,
    "matrix_scaling": MatrixScaling,
}


class Auto(Calibrator):
    """A mix of maps and no map at all, weighed by what each gains on rows that it was not learnt from.

    Ten folds of the calibration rows, five from 5,000 rows on, give every candidate's log-loss on other rows. Mixed in
    log-odds, the candidates and the scores as they are get the weights of least log-loss, where a map pays a `price`
    for its weight: that draws the mix towards the identity, the more the less data there is. The mix is used only if
    its gain over doing nothing exceeds `multiple` standard errors of the paired difference of the rows; else the
    probabilities stay.

    Probabilities of exactly 0 and 1 have infinite log-loss if wrong. They are replaced first, also where no map is
    used (see `mended_`). Margins are no probabilities, so that Platt's sigmoid takes the place of doing nothing.

    The candidates for two classes are vector scaling, which is Platt's sigmoid of the log-odds shrunk towards the
    identity, temperature, beta, quadratic logit, spline and, with 500 rows of each class, centred isotonic regression
    with smoothed ends; for more classes temperature, vector scaling, matrix scaling and, with two rows or more for
    each of its numbers, Dirichlet.

    Parameters
    ----------
    price : float
        What a weight of 1 must gain, in nats over all rows. 0: the best mix; infinite: no map.
    multiple : float
        How many standard errors the gain must exceed.

    Attributes
    ----------
    choice_ : AutoChoice
        What was tried and chosen, by how much and with what evidence.
    members_ : list of Calibrator
        The maps that have a weight.
    weights_ : array of shape (1 + n_members,)
        The weight of no map, then of each member.
    mended_ : Mended or None
        What takes the place of 0 and 1; None for margins.
    of_difference_ : bool
        Whether the score of two classes is the difference of two columns, which are margins.

    Notes
    -----
    Folds are dealt by a fixed seed from the rows in sorted order, equal rows pooled: the fit sees nothing but the
    weighted empirical distribution. Of more than 10,000 rows as many are drawn for the choice; the maps learn from all.

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
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"price": Real(0.0, np.inf), "multiple": Real(0.0)}

    choice_: AutoChoice
    members_: list[Calibrator]
    weights_: NDArray[np.float64]
    mended_: Mended | None
    of_difference_: bool

    def __init__(self, *, price: float = 2.0, multiple: float = 0.5) -> None:
        self.price = price
        self.multiple = multiple

    @property
    def is_monotone(self) -> bool:
        """Whether a greater score never has a smaller probability, as was chosen and learnt; False before.

        Examples
        --------
        >>> auto = Auto(price=np.inf)
        >>> auto.is_monotone, auto.fit(np.linspace(0.1, 0.9, 40), [0, 1] * 20).is_monotone
        (False, True)
        """
        is_of_one = hasattr(self, "members_") and len(self.classes_) == 2
        return is_of_one and all(member.is_monotone and _rises(member) for member in self.members_)

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.of_difference_ = len(scored.classes) == 2 and is_of_difference(scored.scores)
        sample = pool_equal_rows(_one_score(scored))
        sizes, is_proba = sample.class_weights(), are_probabilities(sample.scores)
        self.mended_ = mend(sample) if is_proba else None
        tried = _candidates(sizes, is_proba)
        if (sample.scores == sample.scores[0]).all():
            self._settle(sample, tried, AutoChoice("platt", (), 0.0, 0.0, sizes.sum(), "all scores are equal"))
        elif _is_little(sizes):
            warn_of_few(sizes, sample.classes, stacklevel=5)
            name, reason = _NO_MAP if is_proba else "platt", "too few rows to judge maps by"
            self._settle(sample, tried, AutoChoice(name, (), 0.0, 0.0, sizes.sum(), reason))
        else:
            self._settle(sample, tried, self._chosen(_tried(sample, tried, has_identity=is_proba)))

    def _chosen(self, trial: _Trial) -> AutoChoice:
        """Weigh the candidates, and keep the reference unless the mix has the evidence for it."""
        alone = np.eye(len(trial.names))[0]
        weights = best_weights(trial.logs, trial.codes, trial.weight, self.price)
        gain, error = trial.gain_of(weights)
        reason = f"gains more than {self.multiple:g} standard errors"
        if weights[0] == 1.0:
            reason = "no other mix gains its price"
        elif gain <= self.multiple * error:
            weights, reason = alone, f"no mix gains more than {self.multiple:g} standard errors"
        return AutoChoice.of(trial.told(weights), trial.gain_of(weights), float(trial.weight.sum()), reason)

    def _settle(self, sample: ScoredRows, tried: Mapping[str, Calibrator], choice: AutoChoice) -> None:
        """Learn the maps that have a share from all rows."""
        shares = {each.name: each.weight for each in choice.candidates if each.weight > 0} or {choice.name: 1.0}
        rows = _mended_rows(sample, self.mended_)
        names = [name for name in shares if name != _NO_MAP]
        self.members_ = [tried.get(name, Platt())._fit_clone(rows) for name in names]
        self.weights_ = np.array([shares.get(_NO_MAP, 0.0), *(shares[name] for name in names)])
        self.choice_ = choice

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.classes_) == 2:
            table = one_column(table, self.of_difference_).reshape(-1, 1)
        if self.mended_ is not None:
            table = self.mended_.table(table)
        maps = ([table] if self.weights_[0] > 0 else []) + [each._predict_table(table) for each in self.members_]
        shares = self.weights_[self.weights_ > 0]
        if len(self.classes_) > 2:
            return np.exp(log_mix(np.stack([as_logs(proba) for proba in maps]), shares))
        odds = sum(share * as_logits(proba.ravel()) for share, proba in zip(shares, maps, strict=True))
        proba = from_logits(np.asarray(odds))
        return proba if self.n_columns_ == 1 else np.stack([1.0 - proba, proba], axis=1)

    def _write(self) -> dict[str, Any]:
        return {
            "mended": None if self.mended_ is None else self.mended_.to_dict(),
            "members": [member.to_dict() for member in self.members_],
            "weights": self.weights_.tolist(),
            "choice": self.choice_.to_dict(),
            "of_difference": self.of_difference_,
        }

    def _read(self, learnt: Mapping[str, Any]) -> None:
        from calibrant.calibration._names import calibrator_from_dict  # which names this file

        self.mended_ = None if learnt["mended"] is None else Mended(**learnt["mended"])
        self.members_ = [calibrator_from_dict(member) for member in learnt["members"]]
        self.weights_ = np.asarray(learnt["weights"])
        self.choice_ = AutoChoice.from_dict(learnt["choice"])
        self.of_difference_ = learnt["of_difference"]


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """The log-probabilities of the reference and the candidates for rows that they were not learnt from."""

    names: list[str]
    logs: NDArray[np.float64]
    codes: NDArray[np.int32]
    weight: NDArray[np.float64]

    def gain_of(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """Give the mean gain of a mix over the reference, and the standard error of the paired difference."""
        reference = row_losses(self.logs[0], self.codes)
        gains = reference - row_losses(log_mix(self.logs, weights), self.codes)
        total = float(self.weight.sum())
        gain = float(self.weight @ gains) / total
        spread = float(self.weight @ (gains - gain) ** 2) / max(total - 1.0, 1.0)
        return gain, float(np.sqrt(spread / total))

    def told(self, weights: NDArray[np.float64]) -> tuple[Candidate, ...]:
        """Give each candidate with its evidence."""
        level = float(self.weight @ row_losses(self.logs[0], self.codes)) / float(self.weight.sum())
        evidence = [(0.0, 0.0), *(self.gain_of(alone) for alone in np.eye(len(self.names))[1:])]
        return tuple(
            Candidate(name, level - gain, gain, error, float(weight))
            for name, (gain, error), weight in zip(self.names, evidence, weights, strict=True)
        )


def _candidates(sizes: NDArray[np.float64], is_proba: bool) -> dict[str, Calibrator]:
    made = {name: make() for name, make in (_ONE if len(sizes) == 2 else _SEVERAL).items()}
    if not is_proba:
        made = {"platt": Platt(on="score"), **made}
    if len(sizes) > 2 and sizes.sum() >= _ROWS_A_NUMBER * len(sizes) * (len(sizes) + 1):
        made["dirichlet"] = Dirichlet()
    if len(sizes) == 2 and sizes.min() >= _MANY:
        made["isotonic"] = Isotonic(mode="centred", smooth_ends=True)
    return made


def _tried(pooled: ScoredRows, makers: Mapping[str, Calibrator], *, has_identity: bool) -> _Trial:
    """Learn every candidate without each fold and ask it about that fold; one that cannot be learnt is left out."""
    n_folds = _FOLDS if pooled.class_weights().sum() < _ROWS_FOR_FEWER else _FEWER_FOLDS
    pieces = unit_folds(pooled, n_folds)
    names = ([_NO_MAP] if has_identity else []) + list(makers)
    logs = {name: np.zeros((len(pieces.rows), len(pooled.classes))) for name in names}
    for fold in range(n_folds):
        told = _asked(pooled, pieces, fold, {name: makers.get(name) for name in logs}, mended=has_identity)
        logs = {name: table for name, table in logs.items() if name in told}
        for name, table in logs.items():
            table[pieces.fold == fold] = told[name]
    return _Trial(list(logs), np.stack(list(logs.values())), pooled.codes[pieces.rows], pieces.weight)


def _asked(
    pooled: ScoredRows, pieces: Pieces, fold: int, makers: Mapping[str, Calibrator | None], *, mended: bool
) -> dict[str, NDArray[np.float64]]:
    """Give the log-probabilities of a fold's rows by maps learnt from the other folds; None is the identity."""
    train, test = pieces.part(pooled, pieces.fold != fold), pieces.part(pooled, pieces.fold == fold)
    mending = mend(train) if mended else None
    train, test = _mended_rows(train, mending), _mended_rows(test, mending)
    found: dict[str, NDArray[np.float64]] = {}
    for name, maker in makers.items():
        try:
            proba = test.scores if maker is None else maker._fit_clone(train)._predict_table(test.scores)
        except DataError:
            continue
        found[name] = _log_table(proba)
    return found


def _one_score(scored: ScoredRows) -> ScoredRows:
    """Give two classes one column."""
    if len(scored.classes) > 2:
        return scored
    return ScoredRows(one_column(scored.scores).reshape(-1, 1), scored.codes, scored.classes, scored.weight)


def _mended_rows(scored: ScoredRows, mended: Mended | None) -> ScoredRows:
    if mended is None:
        return scored
    return ScoredRows(mended.table(scored.scores), scored.codes, scored.classes, scored.weight)


def _rises(member: Calibrator) -> bool:
    """Tell a sigmoid of scores that speak against the class from others: mixed with one that rises it may do either."""
    return not isinstance(member, Platt) or member.slope_ >= 0.0


def _log_table(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the log-probability of every class, whether there is a column for each or one for two."""
    table = proba.reshape(len(proba), -1)
    return as_logs(table if table.shape[1] > 1 else np.concatenate([1.0 - table, table], axis=1))


def _is_little(sizes: NDArray[np.float64]) -> bool:
    return bool(sizes.min() < _FEWEST if len(sizes) == 2 else sizes.sum() < _FEWEST * len(sizes))


def warn_of_few(sizes: NDArray[np.float64], classes: NDArray[Any], *, stacklevel: int = 4) -> None:
    """Warn of too few rows for any map to help.

    Examples
    --------
    >>> warn_of_few(np.array([50.0, 12.0]), np.array(["no", "yes"]))
    """
    if not _is_little(sizes):
        return
    rare = int(sizes.argmin())
    name = classes.tolist()[rare]
    warnings.warn(
        f"{sizes.sum():g} calibration rows, {sizes[rare]:g} of them of the class {name!r}, are too little for "
        f"a map to help: {_FEWEST:g} rows of each class are the least.",
        LittleDataWarning,
        stacklevel=stacklevel,
    )
