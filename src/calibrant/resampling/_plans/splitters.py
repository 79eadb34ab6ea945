"""Plans and scikit-learn's splitters alike: `splitters.describe(cv)` and so on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._params import HasMethods, check_params
from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import ParameterError
from calibrant.resampling._plans.cross_validation import CrossValidation
from calibrant.resampling._plans.fixed_splits import PredefinedSplits
from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind, Plan, PlanRows, Split

__all__ = [
    "ALL_ROWS",
    "SPLITTER",
    "BootstrapKind",
    "IntervalKind",
    "all_training_rows",
    "bootstrap_kind",
    "caution",
    "describe",
    "for_rows",
    "interval_kind",
    "n_independent",
    "names",
    "read_plan",
    "split",
    "split_seed",
]

ALL_ROWS = -1  # the number of the split that trains and tests on all training rows
SPLITTER = HasMethods("split", "get_n_splits", words="a plan or scikit-learn splitter")


def describe(splitter: Any) -> str:
    """Return the description of a plan, or the repr of another splitter."""
    return str(splitter.describe()) if isinstance(splitter, Plan) else repr(splitter)


def caution(splitter: Any) -> str:
    """Return when the estimate of a plan misleads; empty for another splitter."""
    return str(getattr(splitter, "caution", ""))


def interval_kind(splitter: Any) -> IntervalKind:
    """Return the source of intervals over the splits: the tested rows, or none."""
    kind: IntervalKind = getattr(splitter, "_interval", "rows")
    return kind


def bootstrap_kind(splitter: Any) -> BootstrapKind:
    """Return the kind of bootstrap, which weighs metrics on training rows in; None for other splitters."""
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


def split_seed(seed: int | None, split: int) -> int | None:
    """Return the seed of a split, or None where there is none for the plan.

    It is below 2**31, which every library takes for `random_state`.

    Examples
    --------
    >>> split_seed(0, 0), split_seed(0, 1), split_seed(None, 1)
    (336614359, 1620722436, None)
    """
    if seed is None:
        return None
    stream = np.random.SeedSequence(seed, spawn_key=(split + 1,))
    return int(stream.generate_state(1, np.uint32)[0] >> 1)


def read_plan(plan: Any) -> Any:
    """Return the splitter that the parameter `plan` stands for.

    Examples
    --------
    >>> read_plan(None), read_plan(5)
    (CrossValidation(n_folds=10, n_repeats=1, random_state=0, stratified=True),
     CrossValidation(n_folds=5, n_repeats=1, random_state=0, stratified=True))
    """
    if plan is None:
        return CrossValidation()
    if isinstance(plan, int | np.integer) and not isinstance(plan, bool):
        return CrossValidation(int(plan))
    if plan in SPLITTER:
        return plan
    if isinstance(plan, str | type) or not hasattr(plan, "__iter__"):
        raise ParameterError(
            "plan must be a plan of calibrant.resampling, a scikit-learn splitter, pairs of (train, test), or a number "
            f"of folds; got {short_repr(plan)}.{instance_hint(plan)}"
        )
    return PredefinedSplits(plan)
