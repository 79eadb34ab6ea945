"""Plans and scikit-learn's splitters alike: `splitters.describe(cv)` and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._params import HasMethods, check_params
from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import ParameterError, nearest
from calibrant.resampling._plans.fixed_splits import (
    PredefinedSplits,
    RollingOrigin,
    TimeOrderedHoldout,
    TimeOrderedPlan,
)
from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind, Plan, PlanRows, Split, rank_times
from calibrant.resampling._plans.random_plans import Bootstrap632, CrossValidation, Holdout, LeaveOneOut

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
    "is_by_time",
    "n_independent",
    "names",
    "plan_of_words",
    "rank_times",
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


_WORDS = "'10', '10x3', 'holdout 30%', 'time', 'time 30%', 'loo', '632' or '632+'"
_FOLDS = re.compile(r"(\d{1,6})(?:\s*[x×*]\s*(\d{1,6}))?")
_NAMED = re.compile(r"(holdout|time|loo|\.?632\+?)(?:\s+(\d{1,12}(?:\.\d{1,12})?)\s*(%?))?")


def plan_of_words(words: str, seed: int | None = 0) -> Plan:
    """Return the plan that words stand for: those of the command line, of study files and of Python.

    ``10`` is tenfold cross-validation and ``10x3`` three times that; ``holdout`` a third of the rows held out,
    ``holdout 30%`` and ``holdout 500`` as much; ``time`` training on the past at five moments, ``time 8`` at eight,
    ``time 30%`` once, before the latest 30 %; ``loo`` leave-one-out; ``632`` and ``632+`` the bootstraps.

    Examples
    --------
    >>> plan_of_words("10x3"), plan_of_words("holdout 30%").describe()
    (CrossValidation(n_folds=10, n_repeats=3, random_state=0, stratified=True),
     'holdout of 30 % of the rows, stratified')
    >>> plan_of_words("time 30%").describe()
    'holdout of the latest 30 % of the rows'
    """
    text = " ".join(words.lower().split())
    found = _NAMED.fullmatch(text)  # before numbers of folds, as 632 is a name
    if found and (found[2] is None or found[1] in ("holdout", "time")):
        plan = _named_plan(found[1].strip("."), found[2], found[3] == "%", seed)
    elif found := _FOLDS.fullmatch(text):
        plan = CrossValidation(int(found[1]), int(found[2] or 1), random_state=seed)
    else:
        raise ParameterError(f"plan must be {_WORDS}; got {short_repr(words)}.{nearest(text, _NAMES)}")
    try:
        check_params(plan, plan._rules)
    except ParameterError as error:
        raise ParameterError(f"plan {words!r}: {error}") from error
    return plan


_NAMES = ("holdout", "time", "loo", "632", "632+")


def _named_plan(name: str, number: str | None, is_share: bool, seed: int | None) -> Plan:
    if name == "loo":
        return LeaveOneOut()
    if name.startswith("632"):
        return Bootstrap632(plus=name.endswith("+"), random_state=seed)
    size = None if number is None else float(number) / 100 if is_share else float(number)
    size = int(size) if size is not None and not is_share and size.is_integer() else size
    if name == "holdout":
        return Holdout(1 / 3 if size is None else size, random_state=seed)
    if is_share:
        return TimeOrderedHoldout(cast("float", size))
    return RollingOrigin() if size is None else RollingOrigin(cast("int", size))


def is_by_time(splitter: Any) -> bool:
    """Return whether a plan trains on the past and tests on what follows; also scikit-learn's ``TimeSeriesSplit``."""
    return isinstance(splitter, TimeOrderedPlan) or type(splitter).__name__ == "TimeSeriesSplit"


def read_plan(plan: Any, seed: int | None = 0) -> Any:
    """Return the splitter that the parameter `plan` stands for; one of words or a number takes the seed.

    Examples
    --------
    >>> read_plan(None), read_plan("5")
    (CrossValidation(n_folds=10, n_repeats=1, random_state=0, stratified=True),
     CrossValidation(n_folds=5, n_repeats=1, random_state=0, stratified=True))
    """
    if plan is None:
        return CrossValidation(random_state=seed)
    if isinstance(plan, int | np.integer) and not isinstance(plan, bool):
        return CrossValidation(int(plan), random_state=seed)
    if isinstance(plan, str):
        return plan_of_words(plan, seed)
    if plan in SPLITTER:
        return plan
    if isinstance(plan, type) or not hasattr(plan, "__iter__"):
        raise ParameterError(
            "plan must be a plan of calibrant.resampling, a scikit-learn splitter, pairs of (train, test), a number of "
            f"folds, or {_WORDS}; got {short_repr(plan)}.{instance_hint(plan)}"
        )
    return PredefinedSplits(plan)
