"""What a plan offers beyond scikit-learn's splitters, for both: `splitters.describe(cv)` and so on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import HasMethods, check_params
from calibrant.resampling._plans.plan import Plan, Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = [
    "SPLITTER",
    "all_training_rows",
    "bootstrap_kind",
    "caution",
    "describe",
    "for_rows",
    "interval_kind",
    "n_independent",
    "names",
    "split",
]

SPLITTER = HasMethods("split", "get_n_splits", words="a plan or scikit-learn splitter")


def describe(splitter: Any) -> str:
    """Return the description of a plan, or the repr of another splitter."""
    return str(splitter.describe()) if isinstance(splitter, Plan) else repr(splitter)


def caution(splitter: Any) -> str:
    """Return when the estimate of a plan misleads; empty for another splitter."""
    return str(getattr(splitter, "caution", ""))


def interval_kind(splitter: Any) -> IntervalKind:
    """Return what intervals over the splits are computed from."""
    kind: IntervalKind = getattr(splitter, "_interval", "rows")
    return kind


def bootstrap_kind(splitter: Any) -> BootstrapKind:
    """Return how metrics on training rows and on test rows are combined."""
    kind: BootstrapKind = getattr(splitter, "_bootstrap", None)
    return kind


def all_training_rows(splitter: Any, rows: PlanRows) -> NDArray[np.intp]:
    """Return the rows of a fit on all there are, fewer where the splitter trains on fewer."""
    if isinstance(splitter, Plan):
        return splitter._all_training_rows(rows)
    return np.arange(rows.n_rows)


def n_independent(splitter: Any, n_splits: int) -> int:
    """Return the number of splits that count in an interval: those of one repeat, where the splitter repeats."""
    if isinstance(splitter, Plan):
        return splitter._n_independent(n_splits)
    return n_splits // int(getattr(splitter, "n_repeats", 1))


def for_rows(splitter: Any, kept: NDArray[np.intp], n_rows: int) -> Any:
    """Return a splitter for some of the rows."""
    return splitter._for_rows(kept, n_rows) if isinstance(splitter, Plan) else splitter


def split(splitter: Any, rows: PlanRows) -> Iterable[Split]:
    """Yield the splits of validated rows."""
    return splitter._split_rows(rows) if isinstance(splitter, Plan) else splitter.split(*rows.arguments)


def names(splitter: Any, rows: PlanRows) -> list[str]:
    """Return a name for each split of validated rows."""
    if isinstance(splitter, Plan):
        check_params(splitter, splitter._rules)
        return splitter._names(rows)
    return [f"split {number + 1}" for number in range(splitter.get_n_splits(*rows.arguments))]
