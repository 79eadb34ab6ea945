"""All stages after the members: weights, guarded calibration, and the expected loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.blending._members.member import BlendRows, FittedMember
from calibrant.blending._pool.cross_fitting import apply_map, cross_fit_map, cross_fit_pool, fit_map
from calibrant.blending._pool.expected_loss import ExpectedLoss, expected_loss, row_losses
from calibrant.blending._pool.log_linear_pool import LogLinearPool, fit_pool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._pool.cross_fitting import PoolCalibrator
    from calibrant.blending._table.blend_table import BlendSample

__all__ = ["Blend", "Member", "fit_blend"]


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


@dataclass(frozen=True, eq=False)
class Blend:
    """The members of positive weight, their pool and the calibration; and what was tried."""

    members: tuple[FittedMember, ...]
    pool: LogLinearPool
    calibrator: PoolCalibrator | None
    held_out: NDArray[np.float64]
    expected: ExpectedLoss
    tried: tuple[Member, ...]

    def proba(self, new: BlendRows, n_threads: int) -> NDArray[np.float64]:
        """Return the class probabilities of rows."""
        tables = [table for member in self.members for table in member.model.predict(new, n_threads)]
        pooled = self.pool.proba(tables, new.rows[0])
        return pooled if self.calibrator is None else apply_map(self.calibrator, pooled)

    def only(self, names: Sequence[str]) -> list[FittedMember]:
        """Return the members of these names, or of these families."""
        wanted = [
            (member, [i for i, name in enumerate(member.readings) if name in names or member.family in names])
            for member in self.members
        ]
        return [member.only(readings) for member, readings in wanted if readings]


def fit_blend(fitted: Sequence[FittedMember], sample: BlendSample) -> Blend:
    """Pool members by their held-out probabilities, calibrate the pool, and drop members without weight."""
    tables = [table for member in fitted for table in member.held_out]
    families = [member.family for member in fitted for _ in member.held_out]
    pool = fit_pool(tables, families, sample)
    held_out, calibrator = _calibrate(cross_fit_pool(tables, families, sample, pool), sample)
    kept = np.flatnonzero(pool.weights > 0)
    return Blend(
        _only(fitted, kept),
        pool.only(kept.tolist()),
        calibrator,
        held_out,
        expected_loss(held_out, sample),
        tuple(_readings(fitted, pool, sample)),
    )


def _calibrate(pooled: NDArray[np.float64], sample: BlendSample) -> tuple[NDArray[np.float64], PoolCalibrator | None]:
    """Return the held-out probabilities after calibration, and the map where the guard uses one."""
    if sample.n_classes == 1:
        return pooled, None
    calibrator = fit_map(pooled, sample)
    is_unchanged = calibrator.weights_[0] == 1.0
    return (apply_map(calibrator, pooled) if is_unchanged else cross_fit_map(pooled, sample)), calibrator


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
