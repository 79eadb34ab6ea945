"""The values of a study's trials by data set, method and split, which its queries are answered from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant._params import Choice, Nothing, check_param
from calibrant.exceptions import ParameterError, StudyError, nearest
from calibrant.metrics import METRICS, numeric
from calibrant.metrics._internal import CALIBRATION_ERRORS
from calibrant.resampling import CrossValidation, LeaveOneOut, Nested, RollingOrigin, SmallerTraining
from calibrant.resampling._internal import bootstrap_632_values, splitters

if TYPE_CHECKING:
    from calibrant.comparison._internal import Better

# The parameters of several queries, for `fill_docstring`
QUERY_PARAMETERS = {
    "metric": """\
metric : str
    A metric of the study.""",
    "metric_or_first": """\
metric : str, optional
    A metric of the study; by default the first.""",
    "dataset": """\
dataset : str, optional
    A single data set; by default all of them.""",
    "better": """\
better : {"higher", "lower"}, optional
    Which value is better, of a metric that is a function of yours; that of other metrics is known.""",
    "partial": """\
partial : bool
    Whether to use the trials that were finished where others failed or are missing, which raises an error
    otherwise.""",
}

MISSING, DONE, FAILED = 0, 1, 2  # states of a trial
Key = tuple[str, str, str]  # data set, metric, part


@dataclass(frozen=True)
class MetricFacts:
    """A metric of a study; `better` is empty where it is a function of which it is not known."""

    name: str
    better: Literal["lower", "higher", "nearer", ""] = ""
    low: float = -math.inf
    high: float = math.inf
    target: float = 0.0
    is_calibration_error: bool = False

    @property
    def side(self) -> Better:
        """The better side of two values of `comparable`; raise where it is not known."""
        if not self.better:
            raise StudyError(
                f"metric {self.name!r} is a function, of which it is not known whether more is better; pass "
                "better='higher' or better='lower'."
            )
        return "lower" if self.better == "nearer" else self.better

    def comparable(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values themselves, or how far they are from the best one where nearer is better."""
        return np.abs(values - self.target) if self.better == "nearer" else values

    def losses(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers of which the least is the best."""
        return self.comparable(values) if self.side == "lower" else -values

    @property
    def words(self) -> str:
        """The better value in words."""
        return f"nearer to {self.target:g} is better" if self.better == "nearer" else f"{self.side} is better"


def choose_name(what: str, name: Any, names: Sequence[str]) -> int:
    """Return the position of a name among those of a study, or raise with the names there are and the nearest."""
    if name not in names:
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        raise ParameterError(f"{what} must be one of {shown}; got {name!r}.{nearest(name, names)}")
    return names.index(name)


def positions_of(found: NDArray[Any], names: Sequence[str]) -> NDArray[np.intp]:
    """Return the position of each entry of a column among some names, -1 for one that is not there."""
    pandas = optional_import("pandas", extra="studies", purpose="query a study")
    positions: NDArray[np.intp] = pandas.Index(list(names), dtype=object).get_indexer(pandas.Index(found, dtype=object))
    return positions


# Splitters of scikit-learn whose test sets are disjoint, within each repeat where they repeat.
_DISJOINT = {
    *("GroupKFold", "KFold", "LeaveOneGroupOut", "LeaveOneOut", "PredefinedSplit", "RepeatedKFold"),
    *("RepeatedStratifiedKFold", "StratifiedGroupKFold", "StratifiedKFold", "TimeSeriesSplit"),
}


@dataclass(frozen=True, eq=False)
class DatasetPlan:
    """The plan of a study on one of its data sets.

    Parameters
    ----------
    words : str
        The description of the plan.
    split_names : tuple of str
        The names of the splits.
    n_train, n_test : arrays of shape (n_splits,)
        Numbers of different training rows and of test rows; 0 where no trial of the split has run.
    n_independent : int
        Number of splits of one repeat.
    interval_kind : {"rows", "none"}
        What intervals are computed from: the tested rows, or nothing.
    bootstrap : {".632", ".632+"} or None
        How the metrics on training rows and on test rows are combined.
    has_disjoint_tests : bool
        Whether the test rows of two splits of one repeat are different rows.
    is_nested : bool
        Whether a method is chosen within each split.
    caution : str
        When the estimate of the plan misleads.
    pos_label : object
        The positive class, if it was specified.
    numbers : tuple of int
        The numbers of the splits in the plan of the study; empty where they are all of them.
    """

    words: str
    split_names: tuple[str, ...]
    n_train: NDArray[np.intp]
    n_test: NDArray[np.intp]
    n_independent: int
    interval_kind: splitters.IntervalKind = "rows"
    bootstrap: splitters.BootstrapKind = None
    has_disjoint_tests: bool = False
    is_nested: bool = False
    caution: str = ""
    pos_label: Any = None
    numbers: tuple[int, ...] = ()

    @classmethod
    def of(cls, facts: Mapping[str, Any], n_train: Any, n_test: Any) -> DatasetPlan:
        """Return the plan of `plan_facts` with the numbers of rows of each split."""
        found = {**facts, "split_names": tuple(facts["split_names"])}
        return cls(**found, n_train=np.asarray(n_train, dtype=np.intp), n_test=np.asarray(n_test, dtype=np.intp))

    @property
    def split_numbers(self) -> tuple[int, ...]:
        """The number of each split in the plan of the study, by which trials are recorded."""
        return self.numbers or tuple(range(self.n_splits))

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.split_names)


def plan_facts(
    plan: Any, split_names: Sequence[str], *, is_disjoint: bool = True, pos_label: Any = None
) -> dict[str, Any]:
    """Return the fields of `DatasetPlan` but for the sizes of the splits, as JSON has them.

    Parameters
    ----------
    plan : plan or splitter
        The plan.
    split_names : sequence of str
        The names of its splits of this data set.
    is_disjoint : bool
        Whether no test row of a split is one of its training rows.
    pos_label : object
        The positive class, if it was specified.

    Examples
    --------
    >>> found = DatasetPlan.of(plan_facts(CrossValidation(2, 5), [str(i) for i in range(10)]), [50] * 10, [50] * 10)
    >>> found.words, found.n_independent, found.has_disjoint_tests
    ('5 times 2-fold cross-validation, stratified', 2, True)
    """
    kind, n_splits = splitters.interval_kind(plan), len(split_names)
    bootstrap = splitters.bootstrap_kind(plan)
    if n_splits == 1 and not (is_disjoint and bootstrap is None):
        kind = "none"
    return {
        "words": splitters.describe(plan),
        "split_names": list(split_names),
        "n_independent": splitters.n_independent(plan, n_splits),
        "interval_kind": kind,
        "bootstrap": bootstrap,
        "has_disjoint_tests": _has_disjoint_tests(plan),
        "is_nested": isinstance(plan, Nested),
        "caution": splitters.caution(plan),
        "pos_label": pos_label.item() if isinstance(pos_label, np.generic) else pos_label,
    }


def _has_disjoint_tests(plan: Any) -> bool:
    """Return whether the test sets of one repeat are disjoint; False where that is not known."""
    if isinstance(plan, Nested):
        return _has_disjoint_tests(plan.outer_)
    if isinstance(plan, SmallerTraining):
        return _has_disjoint_tests(plan.plan)
    if isinstance(plan, CrossValidation | LeaveOneOut | RollingOrigin):
        return True
    return type(plan).__module__.startswith("sklearn.") and type(plan).__name__ in _DISJOINT


@dataclass(frozen=True, eq=False)
class StudyValues:
    """Values and states of trials; `StudyResults` documents the fields."""

    name: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    plans: Mapping[str, DatasetPlan]
    values: Mapping[Key, NDArray[np.float64]] = field(repr=False)
    states: Mapping[str, NDArray[np.int8]] = field(repr=False)
    all_rows: Mapping[Key, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    all_rows_states: Mapping[str, NDArray[np.int8]] = field(default_factory=dict, repr=False)
    lacking: Mapping[Key, NDArray[np.bool_]] = field(default_factory=dict, repr=False)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    candidates: tuple[str, ...] = ()
    own_metrics: frozenset[str] = frozenset()
    keyed_metrics: frozenset[str] = frozenset()
    columns: Mapping[Any, Any] = field(default_factory=dict, repr=False)
    read_predictions: Callable[[str, str], Sequence[tuple[int, bytes]]] | None = field(default=None, repr=False)

    def facts(self, metric: str, better: Better | None = None) -> MetricFacts:
        """Return the direction and the range of a metric of the study; raise with the nearest name if it has none."""
        choose_name("metric", metric, self.metrics)
        check_param("better", better, Choice("higher", "lower") | Nothing())
        if metric in METRICS and metric not in self.own_metrics:
            found = METRICS[metric]
            side = found.better if better is None else better
            return MetricFacts(metric, side, found.low, found.high, found.target, metric in CALIBRATION_ERRORS)
        if metric in numeric.__all__ and metric not in self.own_metrics:
            higher = metric == "correlation"
            limits = (-1.0, 1.0) if higher else (0.0, math.inf)
            return MetricFacts(metric, better or ("higher" if higher else "lower"), *limits)
        return MetricFacts(metric, better or "")

    def chosen_datasets(self, dataset: str | None) -> tuple[str, ...]:
        """Return the data set of that name, or all."""
        if dataset is None:
            return self.datasets
        return (self.datasets[choose_name("dataset", dataset, self.datasets)],)

    def recorded_values(self, metric: str, dataset: str, part: str = "test") -> NDArray[np.float64]:
        """Return the values of methods and splits as estimates: bootstrap replicates with training rows weighted in."""
        choose_name("metric", metric, self.metrics)
        choose_name("dataset", dataset, self.datasets)
        kind = self.plans[dataset].bootstrap
        test = self._part(metric, dataset, part)
        if part != "test" or kind is None:
            return test
        training, guessing = (self._fitted(metric, dataset, each) for each in ("training", "no_information"))
        facts = self.facts(metric)

        def is_better(a: float, b: float) -> bool:
            return bool(facts.losses(np.asarray(a)) < facts.losses(np.asarray(b)))

        one, two, three = (each[:, np.newaxis] for each in (test, training, guessing))
        with np.errstate(invalid="ignore"):  # trials that are missing
            return np.ascontiguousarray(
                bootstrap_632_values(one, two, three, kind, [is_better if facts.better else None])[:, 0]
            )

    def done_values(self, metric: str, dataset: str) -> NDArray[np.float64]:
        """Return the values of methods and splits, NaN where a trial that they depend on failed or is missing."""
        values = self.recorded_values(metric, dataset)
        return np.where(self.trial_states(metric, dataset) == DONE, values, np.nan)

    def tested_values(self, metric: str, dataset: str) -> NDArray[np.float64]:
        """Return the values on test rows alone, which tests of differences take; out-of-bag rows of a bootstrap."""
        is_done = self._states_of(metric, dataset, "test") == DONE
        return np.where(is_done, self._part(metric, dataset, "test"), np.nan)

    def trial_states(self, metric: str, dataset: str, part: str = "test") -> NDArray[np.int8]:
        """Return whether each trial has a result for a metric: methods x splits, those that it depends on included."""
        states = self._states_of(metric, dataset, part)
        kind = self.plans[dataset].bootstrap if part == "test" else None
        if kind == ".632":
            return np.where(states == DONE, self._states_of(metric, dataset, "training"), states)
        if kind == ".632+" and dataset in self.all_rows_states:
            return np.where(states == DONE, self.all_rows_states[dataset][:, np.newaxis], states)
        return states

    def _part(self, metric: str, dataset: str, part: str) -> NDArray[np.float64]:
        found = self.values.get((dataset, metric, part))
        if found is not None:
            return found
        if part == "test":
            return np.full(self.states[dataset].shape, np.nan)
        raise StudyError(
            f"study {self.name!r} has no values of {metric!r} on {part} rows of {dataset!r}; part='test' has them, and "
            "a study that tests the training rows too records them."
        )

    def _fitted(self, metric: str, dataset: str, part: str) -> NDArray[np.float64]:
        """Return the values on training rows that a bootstrap combines: of each replicate, or of the fit to all."""
        source = self.all_rows if self.plans[dataset].bootstrap == ".632+" else self.values
        found = source.get((dataset, metric, part), np.full((len(self.methods), 1), np.nan))
        return found[:, np.newaxis] if found.ndim == 1 else found

    def _states_of(self, metric: str, dataset: str, part: str) -> NDArray[np.int8]:
        lacks = self.lacking.get((dataset, metric, part))
        states = self.states[dataset]
        return states if lacks is None else np.where(lacks & (states != FAILED), MISSING, states).astype(np.int8)
