"""What plans that are made of another splitter take from it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind, Plan

if TYPE_CHECKING:
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["DelegatedSplitsMixin"]


class DelegatedSplitsMixin(Plan):
    """Names, number and reliability of the splits as those of ``_splitter``, a plan or another splitter."""

    @property
    @abstractmethod
    def _splitter(self) -> Any:
        """The splitter."""

    @property
    def caution(self) -> str:  # type: ignore[override]
        """When the estimate misleads."""
        return splitters.caution(self._splitter)

    @property
    def _interval(self) -> IntervalKind:  # type: ignore[override]
        return splitters.interval_kind(self._splitter)

    @property
    def _bootstrap(self) -> BootstrapKind:  # type: ignore[override]
        return splitters.bootstrap_kind(self._splitter)

    def _names(self, rows: PlanRows) -> list[str]:
        return splitters.names(self._splitter, rows)

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:
        return int(self._splitter.get_n_splits(X, y, groups))

    def _n_independent(self, n_splits: int) -> int:
        return splitters.n_independent(self._splitter, n_splits)
