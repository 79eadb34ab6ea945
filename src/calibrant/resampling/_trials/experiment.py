"""Validated methods, rows and metrics, and the trials of plans on them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from threading import Lock
from typing import Any, Literal

import numpy as np

from calibrant._params import CONFIDENCE, Choice, Int, Nothing, check_param
from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.derived_plans import Nested
from calibrant.resampling._plans.plan import PlanRows, Split
from calibrant.resampling._trials.families import (
    Family,
    Methods,
    Sharing,
    are_regressors,
    count_sharing,
    group_families,
    read_methods,
)
from calibrant.resampling._trials.fitting import takes_weights
from calibrant.resampling._trials.scoring import Scorer, read_scorer
from calibrant.resampling._trials.trial_data import MethodTrial, NumberedSplit, TrialData, read_trial_data
from calibrant.resampling._trials.trials import PreparedMethods, prepare_methods, run_nested_trials, run_trials

_MAX_KEPT_BYTES = 2**26  # those of 10 times 10 folds of 80,000 rows; all of leave-one-out take n_rows squared


class SplitSource:
    """Returns splits by their numbers, fastest in ascending order; the first ones, up to 64 MiB, are kept.

    A plan without a fixed seed splits otherwise each time it starts again: its splits are requested in order, or few
    enough to be kept.

    Examples
    --------
    >>> from calibrant.resampling import LeaveOneOut
    >>> from calibrant.resampling._plans.plan import read_plan_rows
    >>> source = SplitSource(LeaveOneOut(), read_plan_rows([[1], [2], [3]]))
    >>> source.get(2)[1], source.get(0)[1]
    (array([2]), array([0]))
    """

    def __init__(self, plan: Any, rows: PlanRows) -> None:
        self.plan = plan
        self._rows = rows
        self._kept: list[Split] = []
        self._free_bytes = _MAX_KEPT_BYTES
        self._upcoming: Iterator[tuple[int, Split]] = iter(())
        self._next = 0
        self._lock = Lock()

    def __iter__(self) -> Iterator[Split]:
        """Yield all splits, none of them kept."""
        return ((np.asarray(train), np.asarray(test)) for train, test in splitters.split(self.plan, self._rows))

    def get(self, number: int) -> Split:
        """Return a split by its number; raise if there are not so many."""
        if 0 <= number < len(self._kept):
            return self._kept[number]
        with self._lock:  # a worker of Dask may run jobs in several threads
            # A plan cannot go back: an earlier split, or the first request, starts it again
            if not 0 < self._next <= number:
                self._upcoming, self._next = zip(count(), self, strict=False), 0
            for found, split in self._upcoming:
                self._next = found + 1
                if found == len(self._kept):  # it follows the kept ones: kept too while there is room
                    self._free_bytes -= split[0].nbytes + split[1].nbytes
                    if self._free_bytes >= 0:
                        self._kept.append(split)
                if found == number:
                    return split
        raise ParameterError(f"splits: {splitters.describe(self.plan)} has {self._next} splits; got number {number}.")


Errors = Literal["raise", "record"]
_ERRORS = Choice("raise", "record")
_SEED = Int(0) | Nothing()


@dataclass(frozen=True, eq=False)
class Experiment:
    """Methods, and the rows and metrics to evaluate them; what they share, such as a coded table, serves all plans."""

    methods: Methods
    data: TrialData
    scorer: Scorer
    confidence: float
    n_jobs: int | None
    _prepared: dict[Any, PreparedMethods] = field(default_factory=dict)
    _sources: list[tuple[Any, SplitSource]] = field(default_factory=list)

    @classmethod
    def read(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        metrics: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        metric_params: Mapping[str, Mapping[str, Any]] | None = None,
        confidence: float = 0.95,
        n_jobs: int | None = None,
        times: Any = None,
    ) -> Experiment:
        """Validate the arguments of `estimate_performance` apart from the plan."""
        check_param("confidence", confidence, CONFIDENCE)
        methods = read_methods(estimator)
        data = read_trial_data(X, y, sample_weight, groups, times, is_regression=are_regressors(methods))
        ignoring = [] if data.weight is None else [name for name, each in methods.items() if not takes_weights(each)]
        if ignoring:
            warnings.warn(
                f"{', '.join(ignoring)}: fit does not take sample_weight, so the weights count in the metrics only. "
                "Pass weights to the step that takes them by metadata routing.",
                CalibrantWarning,
                stacklevel=3,
            )
        return cls(methods, data, read_scorer(data, metrics, metric_params, pos_label), confidence, n_jobs)

    def plan_for_rows(self, plan: Any) -> Any:
        """Return a plan for the rows of weight above 0."""
        return self._source(plan).plan

    def families(self, plan: Any) -> list[tuple[int, ...]]:
        """Return the positions of the methods that share grown trees; with a nested plan all are one family.

        Examples
        --------
        >>> from calibrant.resampling import CrossValidation
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "frequency")}
        >>> trees["deeper"] = ProbabilityTreeClassifier(min_leaf=1)
        >>> experiment = Experiment.read(trees, [[i] for i in range(8)], [0, 1] * 4)
        >>> experiment.families(CrossValidation()), experiment.families(Nested())
        ([(0, 1), (2,)], [(0, 1, 2)])
        """
        if isinstance(plan, Nested):
            return [tuple(range(len(self.methods)))]
        return [family.positions for family in self._families]

    def split_names(self, plan: Any) -> list[str]:
        """Return the names of the splits, in their order."""
        return splitters.names(self.plan_for_rows(plan), self._plan_rows)

    def split(self, plan: Any, number: int) -> Split:
        """Return the training rows and the test rows of a split."""
        return self._source(plan).get(number)

    def sharing(self, plan: Any) -> Sharing:
        """Count the work that all trials of a plan share; nothing is run.

        Rows that lack a class or, as Python objects, a kind are coded again, which is not counted.

        Examples
        --------
        >>> from calibrant.ensembles import BaggedTreesClassifier
        >>> from calibrant.resampling import CrossValidation
        >>> methods = {each: BaggedTreesClassifier(out_of_bag=each) for each in ("ignore", "count", "only")}
        >>> Experiment.read(methods, [[i] for i in range(8)], [0, 1] * 4).sharing(CrossValidation(10, 10)).text
        '300 trials: 100 growths instead of 300, 1 coding instead of 100.'
        """
        n_splits = len(self.split_names(plan)) + (splitters.bootstrap_kind(plan) == ".632+")
        n_inner, data = None, self.data
        if isinstance(plan, Nested):  # the others have as many as the first
            n_inner = len(plan.inner_split(self.split(plan, 0)[0], data.X, data.y, data.groups))
        return count_sharing(self._families, n_splits, n_inner)

    @cached_property
    def _families(self) -> list[Family]:
        return group_families(self.methods)

    def trials(
        self,
        plan: Any,
        *,
        positions: Sequence[int] | None = None,
        splits: Sequence[int] | None = None,
        seed: int | None = None,
        choose_by: str | None = None,
        tests_training: bool = False,
        errors: Errors = "raise",
    ) -> Iterator[MethodTrial]:
        """Try methods on splits of a plan, and yield the trials split by split, methods in order.

        A trial does not depend on the other splits and methods that are tried in the same call, unless a method or
        the plan draws at random without a seed.

        Parameters
        ----------
        plan : plan or scikit-learn splitter
            Splits the rows; with `Nested` there is one trial for each split, of the method chosen.
        positions : sequence of int, optional
            The positions of the methods; None: all.
        splits : sequence of int, optional
            The numbers of the splits, -1 for a trial that is trained and tested on all training rows, as .632+
            needs it; None: all splits of the plan.
        seed : int, optional
            A method whose `random_state` is None, at any depth, gets a seed derived from this one and the number of
            the split, the same for all methods. None: it stays None.
        choose_by : str, optional
            With `Nested`, the metric that chooses; None: the first.
        tests_training : bool
            Whether metrics are computed on the training rows too.
        errors : {"raise", "record"}
            Whether an exception of a method or of its metrics is raised, or recorded in its trial.

        Yields
        ------
        MethodTrial
            One method on one split.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from calibrant.resampling import CrossValidation
        >>> experiment = Experiment.read(GaussianNB(), [[0.0], [1.0], [8.0], [9.0]] * 2, list("aabb") * 2, ["error"])
        >>> [(trial.split, trial.values) for trial in experiment.trials(CrossValidation(4), splits=[1, 3])]
        [(1, array([0.])), (3, array([0.]))]
        """
        check_param("errors", errors, _ERRORS)
        check_param("seed", seed, _SEED)
        methods, source = self._prepare(positions, errors), self._source(plan)
        plan, numbered = source.plan, self._numbered(source, splits, seed, tests_training)
        if isinstance(plan, Nested):
            return run_nested_trials(methods, plan, numbered, self.scorer, choose_by=choose_by, n_jobs=self.n_jobs)
        return run_trials(methods, numbered, self.scorer, n_jobs=self.n_jobs)

    def _prepare(self, positions: Sequence[int] | None, errors: Errors) -> PreparedMethods:
        """Return methods in families, the tables of trees coded; kept for the next call."""
        wanted = tuple(range(len(self.methods))) if positions is None else tuple(positions)
        if not wanted or not set(wanted) <= set(range(len(self.methods))):
            raise ParameterError(f"positions must be some of 0 to {len(self.methods) - 1}; got {positions!r}.")
        whole = self._prepared.get(errors)
        if whole is None:
            whole = prepare_methods(self._families, self.methods, self.data, records_errors=errors == "record")
            self._prepared[errors] = whole
        if len(set(wanted)) == len(self.methods):
            return whole
        key = (errors, frozenset(wanted))
        if key not in self._prepared:
            self._prepared[key] = whole.subset(wanted)
        return self._prepared[key]

    def _numbered(
        self, source: SplitSource, numbers: Sequence[int] | None, seed: int | None, tests_training: bool
    ) -> Iterator[NumberedSplit]:
        def get(number: int) -> Split:
            if number != splitters.ALL_ROWS:
                return source.get(number)
            rows = splitters.all_training_rows(source.plan, self._plan_rows)
            return rows, rows

        for number, split in enumerate(source) if numbers is None else ((number, get(number)) for number in numbers):
            tests = tests_training or number == splitters.ALL_ROWS
            yield NumberedSplit(number, *split, splitters.split_seed(seed, number), tests)

    def _source(self, plan: Any) -> SplitSource:
        """Return the splits of a plan for the rows of weight above 0; those of the last plan are kept."""
        if not self._sources or self._sources[0][0] is not plan:
            for_rows = splitters.for_rows(plan, self.data.rows, self.data.n_passed)
            self._sources[:] = [(plan, SplitSource(for_rows, self._plan_rows))]
        return self._sources[0][1]

    @cached_property
    def _plan_rows(self) -> PlanRows:
        return self.data.plan_rows()
