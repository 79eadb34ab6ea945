"""The members of a plan, fitted one after the other until all are done, time is up or Ctrl-C is pressed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from calibrant._progress import progress
from calibrant.blending._table import StopRequest

if TYPE_CHECKING:
    from calibrant.blending._member import FittedMember, MemberLearner
    from calibrant.blending._plan import MemberPlan
    from calibrant.blending._table import BlendTable

__all__ = ["FittedPlan", "fit_members"]

_POLL_SECONDS = 0.05
_SHARE_OF_MEMBERS = 0.9  # of a time limit: pooling and calibration take the rest


@dataclass
class FittedPlan:
    """The members that were fitted, and why others were not; ``is_cut_short`` where time or Ctrl-C ended it."""

    members: list[FittedMember] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    is_cut_short: bool = False

    def cut_short(self, learners: tuple[MemberLearner, ...], reason: str) -> FittedPlan:
        """Leave out further learners."""
        self.left_out |= {learner.family: reason for learner in learners}
        self.is_cut_short = True
        return self

    def add_note(self, note: str, other_than: str) -> None:
        """Add a note to the members of all families but one."""
        for i, member in enumerate(self.members):
            if member.family != other_than:
                self.members[i] = replace(member, note="; ".join(filter(None, (member.note, note))))


def fit_members(plan: MemberPlan, table: BlendTable, start: float, time_limit: float | None) -> FittedPlan:
    """Fit the members of a plan; the first is always fitted, and Ctrl-C before its end is an error.

    Parameters
    ----------
    plan : MemberPlan
        The learners.
    table : BlendTable
        The training rows.
    start : float
        When `fit` was called, by `time.perf_counter`.
    time_limit : float or None
        Seconds from the start.
    """
    done = FittedPlan(left_out=dict(plan.left_out))
    deadline = None if time_limit is None else start + _SHARE_OF_MEMBERS * time_limit
    with progress(total=len(plan.learners), description="Fitting members") as bar:
        for number, learner in enumerate(plan.learners):
            try:
                member = _fit_one(learner, replace(table, stop=StopRequest()), deadline if done.members else None)
            except KeyboardInterrupt:
                if not done.members:
                    raise
                return done.cut_short(plan.learners[number:], "interrupted")
            if member is None:
                return done.cut_short(plan.learners[number:], f"the time limit of {time_limit:g} s")
            done.members.append(member)
            bar.advance()
    return done


def _fit_one(learner: MemberLearner, table: BlendTable, deadline: float | None) -> FittedMember | None:
    """Fit a member; None where the deadline comes first."""
    start = time.perf_counter()
    member = learner.fit(table) if deadline is None else _fit_until(learner, table, deadline)
    return None if member is None else replace(member, seconds=time.perf_counter() - start)


def _fit_until(learner: MemberLearner, table: BlendTable, deadline: float) -> FittedMember | None:
    """Fit a member in another thread, which is stopped at the deadline."""
    if time.perf_counter() >= deadline:
        return None
    with ThreadPoolExecutor(1, initializer=table.stop.watch) as pool:
        running = pool.submit(learner.fit, table)
        try:
            while wait([running], _POLL_SECONDS).not_done:
                if time.perf_counter() >= deadline:
                    return None
            return running.result()
        finally:
            table.stop.request()
