"""All stages of a blend after its members: weights, guarded calibration, the expected loss."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from calibrant._saved import Array, Flag, Maybe, Number, Object, RowsOnly, need, saved
from calibrant._stop import StopRequest
from calibrant.blending._log_linear_pool import LogLinearPool, fit_pool
from calibrant.blending._member import BlendRows, FittedMember
from calibrant.blending._table import BlendSample
from calibrant.calibration import Auto, Calibrator, Temperature, VectorScaling
from calibrant.calibration._internal import ScoredRows, standard_error_of_mean
from calibrant.exceptions import CalibrantWarning

_INFLATION = 1.3  # without it 88 to 98 % of the 95 % intervals held the truth (tests/validity/test_expected_loss.py)
_MAX_LOG_FACTOR = 50.0  # of the interval's ends to the mean, so that they are finite


@saved(
    inline=True,
    value=Number(0),
    low=Number(0),
    high=Number(0),
    confidence=Number(0, 1),
    n_rows=Number(0),
    is_by_time=Maybe(Flag()),
)
@dataclass(frozen=True)
class ExpectedLoss:
    """The log-loss to be expected on new rows.

    By default rows are taken to be exchangeable: the new ones as if drawn with those of `fit`. By time it is the loss
    of rows that followed those that a model was fitted to, and the interval allows for differences between periods.

    Parameters
    ----------
    value : float
        The mean log-loss, in nats.
    low, high : float
        The ends of the interval.
    confidence : float
        The share of such intervals that hold the log-loss of new rows.
    n_rows : float
        The weight of the rows it comes from.
    is_by_time : bool
        Whether the rows followed those that the models were fitted to.

    Examples
    --------
    >>> ExpectedLoss(0.412, 0.391, 0.434, 0.95, 1200)
    0.412 (95 % interval 0.391 to 0.434)
    """

    value: float
    low: float
    high: float
    confidence: float
    n_rows: float
    is_by_time: bool = False

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        when = " on rows that follow in time" if self.is_by_time else ""
        return f"{self.value:.3f} ({100 * self.confidence:g} % interval {self.low:.3f} to {self.high:.3f}){when}"


def row_losses(proba: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log-loss of each row, in nats."""
    return np.asarray(-np.log(np.maximum(proba[np.arange(len(codes)), codes], np.finfo(float).tiny)))


def mean_with_error(
    values: NDArray[np.float64], weight: NDArray[np.float64], groups: NDArray[np.intp] | None, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return a weighted mean, its standard error, and half the length of Student's interval; groups are whole."""
    total = float(weight.sum())
    error = standard_error_of_mean(values, weight, groups)
    n_free = (total if groups is None else len(np.unique(groups))) - 1.0
    reach = float(stdtrit(max(n_free, 1.0), 0.5 + confidence / 2.0)) * error
    return float(weight @ values) / total, error, reach


def expected_loss(proba: NDArray[np.float64], sample: BlendSample, confidence: float = 0.95) -> ExpectedLoss:
    """Return the mean log-loss of cross-fitted predictions, with an interval on the scale of its logarithm.

    The standard error of the rows' losses leaves out that models of other folds are not the model of all rows, and that
    rows of a fold share a model (Bates, Hastie and Tibshirani 2024), so it is multiplied. The logarithm makes the
    interval longer above, as losses are skewed. Where predictions hardly differ, losses do not either, and what remains
    is the cost of estimating base rates: (n_classes - 1) / (2 n_rows) nats, of which the interval has twice.

    By time, rows of one period share what is special about it: the interval is at least that of the means of periods.
    """
    losses, total = row_losses(proba, sample.codes), float(sample.weight.sum())
    mean, _, reach = mean_with_error(losses, sample.weight, sample.groups, confidence)
    if mean == 0.0:
        return ExpectedLoss(0.0, 0.0, 0.0, confidence, total, sample.is_by_time)
    reach = float(np.hypot(_INFLATION * reach, (sample.n_classes - 1.0) / total))
    if sample.is_by_time and len(sample.folds) > 1:
        reach = max(reach, mean_with_error(losses, sample.weight, sample.fold, confidence)[2])
    factor = float(np.exp(min(reach / mean, _MAX_LOG_FACTOR)))
    return ExpectedLoss(mean, mean / factor, mean * factor, confidence, total, sample.is_by_time)


_LEAST = 1e-15
_LEAST_CORRELATION = 0.5  # of log-probabilities before and after a map; those that are of use have more than 0.9


@saved()
class PoolCalibrator(Auto):
    """The guarded calibration of a pool, whose weights and biases leave little to maps of K x K parameters.

    With more than two classes temperature and vector scaling are tried: with 26 classes the others take minutes.
    """

    _multiclass_maps: ClassVar[Mapping[str, Callable[[], Calibrator]]] = {
        "temperature": Temperature,
        "vector_scaling": VectorScaling,
    }
    _tries_dirichlet: ClassVar[bool] = False


def cross_fit_pool(
    tables: Sequence[NDArray[np.float64]],
    families: Sequence[str],
    sample: BlendSample,
    start: LogLinearPool | None = None,
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Return the pooled probabilities of the sample, by pools fitted to other folds; the search starts at one."""
    pooled = np.empty((sample.n_pieces, sample.n_classes))

    def fit(fold: int) -> None:
        inside, known = sample.fold == fold, sample.known_to(fold)
        pool = fit_pool([each[known] for each in tables], families, sample.take(known), start)
        pooled[inside] = pool.proba([each[inside] for each in tables], int(inside.sum()))

    StopRequest().run(fit, sample.folds, n_threads)
    return pooled


def fit_map(proba: NDArray[np.float64], sample: BlendSample) -> PoolCalibrator:
    """Fit the guarded calibration to pooled probabilities."""
    scores = proba[:, 1:] if sample.n_classes == 2 else proba
    scored = ScoredRows(
        np.ascontiguousarray(scores),
        sample.codes.astype(np.int32),
        np.arange(sample.n_classes),
        sample.weight,
        sample.groups,
    )
    calibrator = PoolCalibrator()._fit_clone(scored)
    return calibrator if _keeps_order(calibrator, proba) else _without_map(scored)


def _keeps_order(calibrator: PoolCalibrator, proba: NDArray[np.float64]) -> bool:
    """Return whether mapped log-probabilities rise with those before.

    A row held out lowers the share of its class in what remains, so without signal held-out predictions are lower for
    the class that came: a map that reverses them gains on held-out rows, and is wrong for new ones.
    """
    before, after = (np.log(np.maximum(each, _LEAST)) for each in (proba, apply_map(calibrator, proba)))
    before, after = before - before.mean(axis=0), after - after.mean(axis=0)
    size = float(np.sqrt(np.sum(before**2) * np.sum(after**2)))
    return size == 0.0 or float(np.sum(before * after)) >= _LEAST_CORRELATION * size


def _without_map(scored: ScoredRows) -> PoolCalibrator:
    calibrator = PoolCalibrator(price=np.inf)._fit_clone(scored)
    calibrator.choice_ = replace(calibrator.choice_, reason="the map that gains reverses the order of predictions")
    return calibrator


def apply_map(calibrator: PoolCalibrator, proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return calibrated probabilities, a column for each class."""
    if proba.shape[1] != 2:
        return calibrator._predict_table(proba)
    second = calibrator._predict_table(np.ascontiguousarray(proba[:, 1:])).ravel()
    return np.stack([1.0 - second, second], axis=1)


def cross_fit_map(proba: NDArray[np.float64], sample: BlendSample, n_threads: int = 1) -> NDArray[np.float64]:
    """Return the calibrated probabilities of the sample, by maps fitted to other folds, two at a time.

    By time, a map is fitted to earlier folds; before all classes occurred in these there is none.
    """
    mapped = proba.copy()

    def fit(inside: NDArray[np.bool_], known: NDArray[np.bool_]) -> None:
        mapped[inside] = apply_map(fit_map(proba[known], sample.take(known)), proba[inside])

    if sample.is_by_time:
        splits = [(sample.fold == fold, sample.known_to(fold)) for fold in sample.folds]
        splits = [split for split in splits if len(np.unique(sample.codes[split[1]])) == sample.n_classes]
    else:
        # Two folds at a time, which halves the fits: the guard tries several maps in each
        pairs = [sample.fold // 2 == pair for pair in np.unique(sample.fold // 2)]
        splits = [(inside, ~inside) for inside in pairs]
    StopRequest().run(lambda split: fit(*split), splits, n_threads)
    return mapped


@saved(inline=True, weight=Number(0), log_loss=Number(finite=False), seconds=Number(0))
@dataclass(frozen=True)
class Member:
    """A member of a blend.

    Parameters
    ----------
    name : str
        The name, with the reading of a forest.
    family : str
        The name among `members`.
    weight : float
        The exponent of its probabilities in the pool, after its own temperature; 0: it was dropped.
    log_loss : float
        The log-loss of its own held-out probabilities after its temperature, in nats.
    seconds : float
        Its share of the time.
    note : str
        What is special about it, such as the rows of each tree.

    Examples
    --------
    >>> Member("logistic", "logistic", 0.4, 0.31, 0.2).weight
    0.4
    """

    name: str
    family: str
    weight: float
    log_loss: float
    seconds: float
    note: str = ""


@saved(
    calibrator=Object("blending.PoolCalibrator") | None,
    held_out=RowsOnly(Array("f8", ndim=2, finite=True, low=0, high=1)),
)
@dataclass(frozen=True, eq=False)
class Blend:
    """The members of positive weight, their pool and the calibration; and what was tried."""

    members: tuple[FittedMember, ...]
    pool: LogLinearPool
    calibrator: PoolCalibrator | None
    expected: ExpectedLoss
    tried: tuple[Member, ...]
    held_out: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))  # none in a loaded blend

    def proba(self, new: BlendRows, n_threads: int) -> NDArray[np.float64]:
        """Return the class probabilities of rows."""
        tables = [table for member in self.members for table in member.predict(new, n_threads)]
        pooled = self.pool.proba(tables, new.rows[0])
        return pooled if self.calibrator is None else apply_map(self.calibrator, pooled)

    def _check_saved(self) -> None:
        n_readings, n_classes = sum(len(member.readings) for member in self.members), len(self.pool.bias)
        need(len(self.pool.weights) == n_readings, "has other weights than members")
        need((self.calibrator is None) == (n_classes == 1), "lacks its calibration")
        if self.calibrator is not None:
            columns = 1 if n_classes == 2 else n_classes
            fits = len(self.calibrator.classes_) == n_classes and self.calibrator.n_columns_ == columns
            need(fits and self.calibrator.mended_ is not None, "has a calibration of other classes")

    def only(self, names: Sequence[str]) -> list[FittedMember]:
        """Return the members of these names, or of these families."""
        wanted = [
            (member, [i for i, name in enumerate(member.readings) if name in names or member.family in names])
            for member in self.members
        ]
        return [member.only(readings) for member, readings in wanted if readings]


def fit_blend(fitted: Sequence[FittedMember], sample: BlendSample, n_threads: int = 1) -> Blend:
    """Pool members by their held-out probabilities, calibrate the pool, and drop members without weight."""
    tables = [table for member in fitted for table in member.held_out]
    families = [member.family for member in fitted for _ in member.held_out]
    pool = fit_pool(tables, families, sample)
    # The weights of other folds are close to those of all, so their search starts there
    pooled = cross_fit_pool(tables, families, sample, pool, n_threads)
    # Of few rows: the blend itself is drawn to equal weights. Filters are global, so no thread may change them
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)
        held_out, calibrator = _calibrate(pooled, sample, n_threads)
    kept = np.flatnonzero(pool.weights > 0)
    return Blend(
        _only(fitted, kept),
        pool.only(kept.tolist()),
        calibrator,
        expected_loss(held_out, sample),
        tuple(_readings(fitted, pool, sample)),
        held_out,
    )


def _calibrate(
    pooled: NDArray[np.float64], sample: BlendSample, n_threads: int
) -> tuple[NDArray[np.float64], PoolCalibrator | None]:
    """Return the held-out probabilities after calibration, and the map where the guard uses one."""
    if sample.n_classes == 1:
        return pooled, None
    calibrator = fit_map(pooled, sample)
    # An identity needs no cross-fitting: it has learned nothing from the labels
    is_unchanged = calibrator.weights_[0] == 1.0
    return (apply_map(calibrator, pooled) if is_unchanged else cross_fit_map(pooled, sample, n_threads)), calibrator


def _only(fitted: Sequence[FittedMember], kept: NDArray[np.intp]) -> tuple[FittedMember, ...]:
    """Return the members with the readings that are kept, numbered through all members."""
    found, first = [], 0
    for member in fitted:
        own = [i for i in range(len(member.readings)) if first + i in kept]
        first += len(member.readings)
        if own:
            found.append(member.only(own))
    return tuple(found)


def _readings(fitted: Sequence[FittedMember], pool: LogLinearPool, sample: BlendSample) -> list[Member]:
    found: list[Member] = []
    total = float(sample.weight.sum())
    for member in fitted:
        for name, table in zip(member.readings, member.held_out, strict=True):
            position = len(found)
            losses = row_losses(np.exp(pool.maps[position].logs(table)), sample.codes)
            loss = float(sample.weight @ losses) / total
            seconds = member.seconds / len(member.readings)
            found.append(Member(name, member.family, float(pool.weights[position]), loss, seconds, member.note))
    return found
