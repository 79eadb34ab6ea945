"""What a member of a blend is: held-out probabilities of the training rows, and a model for new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable
    from calibrant.data._internal import Rows

__all__ = ["BlendRows", "FittedMember", "MemberLearner", "MemberModel", "NotedLearner", "OneReading"]


@dataclass(frozen=True, eq=False)
class BlendRows:
    """New rows: as validated, and as passed for estimators of other libraries."""

    rows: Rows
    X: Any


class MemberModel(Protocol):
    """A fitted model; it has one table of probabilities for each of its readings."""

    def predict(self, new: BlendRows, n_threads: int) -> list[NDArray[np.float64]]:
        """Return the class probabilities of rows, for each reading."""
        ...

    def only(self, readings: Sequence[int]) -> MemberModel:
        """Return the model with some of its readings."""
        ...


class OneReading:
    """Base class of a model with one table of probabilities."""

    def only(self, readings: Sequence[int]) -> Self:  # noqa: ARG002
        """Return the model, which has one reading."""
        return self


@dataclass(frozen=True, eq=False)
class FittedMember:
    """A member with the held-out probabilities of the sampled pieces, one table for each of its readings."""

    family: str
    readings: tuple[str, ...]
    held_out: tuple[NDArray[np.float64], ...]
    model: MemberModel
    note: str = ""
    seconds: float = 0.0

    def only(self, readings: Sequence[int]) -> FittedMember:
        """Return the member with some of its readings."""
        return replace(
            self,
            readings=tuple(self.readings[i] for i in readings),
            held_out=tuple(self.held_out[i] for i in readings),
            model=self.model.only(readings),
        )


class MemberLearner(Protocol):
    """What fits a member."""

    @property
    def family(self) -> str:
        """The name of the member."""
        ...

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the member."""
        ...


@dataclass(frozen=True, eq=False)
class NotedLearner:
    """A learner whose member has a note."""

    learner: MemberLearner
    note: str

    @property
    def family(self) -> str:
        """The name of the member."""
        return self.learner.family

    def fit(self, table: BlendTable) -> FittedMember:
        """Fit the member."""
        member = self.learner.fit(table)
        return replace(member, note="; ".join(filter(None, (member.note, self.note))))
