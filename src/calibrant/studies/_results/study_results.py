"""The results of a study: tables, comparisons, ranks, the best method, predictions and export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import short_repr
from calibrant.exceptions import ParameterError, StudyError
from calibrant.resampling import Pooled
from calibrant.resampling._internal import splitters
from calibrant.studies._results.best import BestQuery
from calibrant.studies._results.compare import CompareQuery
from calibrant.studies._results.export import ExportQuery
from calibrant.studies._results.predictions import predictions_from_parquet
from calibrant.studies._results.ranks import RankQueries
from calibrant.studies._results.study_values import DONE, FAILED, DatasetPlan, choose_name, positions_of
from calibrant.studies._results.tables import study_table, trials_frame

if TYPE_CHECKING:
    import pandas as pd


_ARRAYS = ("values", "states", "all_rows", "all_rows_states", "lacking")  # of methods, or methods x splits


def _part_of_plan(plan: DatasetPlan, chosen: list[int]) -> DatasetPlan:
    """Return the plan of some of its splits."""
    is_whole = len(chosen) == plan.n_splits
    return replace(
        plan,
        words=plan.words if is_whole else f"{plan.words}, {len(chosen)} of {plan.n_splits} splits",
        split_names=tuple(plan.split_names[i] for i in chosen),
        numbers=tuple(plan.split_numbers[i] for i in chosen),
        n_train=plan.n_train[chosen],
        n_test=plan.n_test[chosen],
        n_independent=min(plan.n_independent, len(chosen)),
        interval_kind="none" if len(chosen) == 1 and plan.bootstrap is not None else plan.interval_kind,
    )


def _named_positions(what: str, chosen: Sequence[str] | None, names: Sequence[str]) -> list[int]:
    if chosen is None:
        return list(range(len(names)))
    if isinstance(chosen, str) or not isinstance(chosen, Sequence) or not len(chosen):
        raise ParameterError(f"{what} must be a list of names, and not empty; got {short_repr(chosen)}.")
    found = [choose_name(what, name, names) for name in chosen]
    if len(set(found)) < len(found):
        raise ParameterError(f"{what} must be different names; got {short_repr(chosen)}.")
    return found


@dataclass(frozen=True, eq=False)
class StudyResults(CompareQuery, BestQuery, RankQueries, ExportQuery):
    """The results of a study as they were when they were read from its store; every query is answered from them.

    Parameters
    ----------
    name : str
        The name of the study.
    datasets, methods, metrics : tuples of str
        Their names, in the order of the study.
    plans : dict of data set to DatasetPlan
        The plan and the splits of each data set.
    values : dict of (data set, metric, part) to array of shape (n_methods, n_splits)
        The values, NaN where a trial has none.
    states : dict of data set to array of shape (n_methods, n_splits)
        0 where a trial is missing, 1 where it is done, 2 where it failed.
    all_rows, all_rows_states : dicts
        The same of the fits to all rows, which the .632+ bootstrap needs; arrays of shape (n_methods,).
    lacking : dict of (data set, metric, part) to array of bool
        Where a trial is done but was recorded before the metric was part of the study.
    choices : dict of data set to tuple of str
        With a nested plan, the method chosen in each split; empty where the trial is missing.
    candidates : tuple of str
        With a nested plan, the methods that are chosen among.
    own_metrics : frozenset of str
        The metrics that are functions of the user's.
    keyed_metrics : frozenset of str
        Metrics with keywords, which cannot be computed from kept predictions alone.
    columns : dict of str, or of (part, metric), to array
        All that was recorded of each trial, for `to_frame`.
    read_predictions : callable, optional
        Returns the predictions that were kept, ``read_predictions(dataset, method)``: number and Parquet bytes of each
        split.

    Examples
    --------
    >>> results = StudyResults.from_values({"iris": [[0.1, 0.2], [0.3, 0.2]], "wine": [[0.2, 0.1], [0.2, 0.3]]},
    ...                                    methods=["tree", "bayes"], metric="mse")
    >>> results
    Study 'study': 2 data sets x 2 methods, 8 trials of 8 done
    >>> results.table("mse")
    method   tree  bayes
    dataset
    iris     0.15   0.25
    wine     0.15   0.25
    """

    @staticmethod
    def from_values(
        values: Mapping[str, Any], *, methods: Sequence[str], metric: str, n_train: int = 9, n_test: int = 1
    ) -> StudyResults:
        """Return the results of splits that were run elsewhere, by cross-validation, so that they can be queried.

        Parameters
        ----------
        values : dict of data set to array of shape (n_methods, n_splits)
            The values; NaN where the metric is undefined.
        methods : sequence of str
            The names of the methods.
        metric : str
            The metric, an id in `calibrant.metrics.METRICS`.
        n_train, n_test : int
            Numbers of training rows and of test rows; only their ratio counts, 9 to 1 for tenfold cross-validation.

        Returns
        -------
        StudyResults
            The results.

        Examples
        --------
        >>> values = {"iris": [[0.1, 0.2, 0.3], [0.3, 0.2, 0.4]]}
        >>> StudyResults.from_values(values, methods=["tree", "bayes"], metric="mse").table("mse").to_numpy().round(2)
        array([[0.2, 0.3]])
        """
        arrays = {name: np.asarray(each, dtype=np.float64).reshape(len(methods), -1) for name, each in values.items()}
        sizes = {name: np.ones(each.shape[1], dtype=np.intp) for name, each in arrays.items()}
        plans = {
            name: DatasetPlan(
                f"{len(one)}-fold cross-validation" if len(one) > 1 else "1 split",
                tuple(f"fold {number + 1}" for number in range(len(one))),
                n_train * one,
                n_test * one,
                len(one),
                has_disjoint_tests=len(one) > 1,
            )
            for name, one in sizes.items()
        }
        columns = {
            "dataset": [name for name, each in arrays.items() for _ in range(each.size)],
            "method": [method for each in arrays.values() for method in methods for _ in range(each.shape[1])],
            "split": [split for each in arrays.values() for _ in methods for split in range(each.shape[1])],
            "state": ["done"] * sum(each.size for each in arrays.values()),
            ("test", metric): np.concatenate([np.empty(0), *(each.ravel() for each in arrays.values())]),
        }
        from calibrant.studies._results.read_study import read_results  # it imports this module

        return read_results("study", columns, datasets=list(arrays), methods=methods, metrics=[metric], plans=plans)

    def table(
        self,
        metric: str,
        *,
        part: str = "test",
        interval: bool | str = False,
        confidence: float = 0.95,
        partial: bool = False,
    ) -> pd.DataFrame:
        """Return the mean over the splits of each method on each data set.

        With the plan `Bootstrap632` the metrics on training rows are weighted in, as by `estimate_performance`; a study
        of one data set has the means and intervals of `estimate_performance`, but that after a bootstrap intervals are
        computed from the out-of-bag rows alone.

        Parameters
        ----------
        metric : str
            A metric of the study.
        part : {"test", "training"}
            The rows that the metric is computed on.
        interval : bool, "rows" or "splits"
            Whether to add columns with the interval of each mean; NaN where none holds. True and ``"rows"``: by the
            test rows, where predictions were kept; ``"splits"``: by the variance of the splits, which stratified splits
            make too small.
        confidence : float
            Confidence of the intervals.
        partial : bool
            Whether a mean is of the splits that were finished where trials failed or are missing. By default it is NaN
            there. Either way a warning names these cells, and ``attrs["notes"]`` of the frame too.

        Returns
        -------
        pandas.DataFrame
            Data sets as rows and methods as columns, in the order of the study.

        Examples
        --------
        >>> values = {"iris": [[0.1, 0.2, 0.3], [0.3, 0.2, 0.4]]}
        >>> results = StudyResults.from_values(values, methods=["tree", "bayes"], metric="mse")
        >>> results.table("mse", interval="splits")["tree"].round(3)
                 mean   low   high
        dataset
        iris      0.2  0.05  0.647
        """
        return study_table(self, metric, part, interval, confidence, partial)

    def select(
        self,
        *,
        methods: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
        splits: Sequence[int] | None = None,
    ) -> StudyResults:
        """Return the results of some methods on some data sets and splits, to be queried like all.

        Methods that failed, or of which a metric is infinite, can be left out of a comparison. What is left out is not
        corrected for: the choice must not depend on which methods look good.

        Parameters
        ----------
        methods, datasets : sequences of str, optional
            Their names, in the order of the tables; all by default.
        splits : sequence of int, optional
            Numbers of splits, such as those that all methods have finished; all by default.

        Returns
        -------
        StudyResults
            The results.

        Examples
        --------
        >>> values = {"iris": [[0.1, 0.2], [0.3, 0.2], [0.2, 0.2]]}
        >>> results = StudyResults.from_values(values, methods=["tree", "bayes", "forest"], metric="mse")
        >>> results.select(methods=["forest", "tree"]).table("mse")
        method   forest  tree
        dataset
        iris        0.2  0.15
        """
        if methods is not None and self.candidates:
            raise StudyError("select: a nested plan chose among all methods; the results are of the choice alone.")
        rows = _named_positions("methods", methods, self.methods)
        names = [self.datasets[i] for i in _named_positions("datasets", datasets, self.datasets)]
        kept = [self.methods[i] for i in rows]
        plans, columns = {name: self.plans[name] for name in names}, self.columns
        choices, read = {name: self.choices[name] for name in names if name in self.choices}, self.read_predictions
        which = np.ones(0, dtype=bool)
        if columns:
            which = (positions_of(columns["dataset"], names) >= 0) & (positions_of(columns["method"], kept) >= 0)
        chosen: Any = slice(None)
        if splits is not None:
            n_splits, chosen = min(plan.n_splits for plan in plans.values()), [int(each) for each in splits]
            if not chosen or len(set(chosen)) < len(chosen) or min(chosen) < 0 or max(chosen) >= n_splits:
                raise ParameterError(
                    f"splits must be different numbers from 0 to {n_splits - 1}, and not empty; got "
                    f"{short_repr(splits)}."
                )
            numbers = {splitters.ALL_ROWS, *(next(iter(plans.values())).split_numbers[i] for i in chosen)}
            which = which & np.isin(columns["split"], list(numbers)) if columns else which
            plans = {name: _part_of_plan(plan, chosen) for name, plan in plans.items()}
            choices = {name: tuple(each[i] for i in chosen) for name, each in choices.items()}
            if (read_all := self.read_predictions) is not None:
                read = lambda dataset, method: [each for each in read_all(dataset, method) if each[0] in numbers]  # noqa: E731

        def cut(arrays: Mapping[Any, NDArray[Any]]) -> dict[Any, NDArray[Any]]:
            """Return the rows of the methods, in the columns of the splits, of the data sets that are kept."""
            of_names = (key for key in arrays if (key if isinstance(key, str) else key[0]) in names)
            taken = {key: arrays[key][rows] for key in of_names}
            return {key: each[:, chosen] if each.ndim == 2 else each for key, each in taken.items()}

        cut_arrays: dict[str, Any] = {name: cut(getattr(self, name)) for name in _ARRAYS}
        return replace(
            self,
            datasets=tuple(names),
            methods=tuple(kept),
            plans=plans,
            choices=choices,
            columns={name: column[which] for name, column in columns.items()},
            read_predictions=read,
            **cut_arrays,
        )

    def to_frame(self, *, missing: bool = False) -> pd.DataFrame:
        """Return a frame with a row for each trial.

        Parameters
        ----------
        missing : bool
            Whether to add rows for the trials that have not run.

        Returns
        -------
        pandas.DataFrame
            Data set, method, split, state, seed, sizes, seconds, a column for each metric (``training_`` before those
            on training rows), what a nested plan chose, versions, and in ``failure`` the line of the traceback that
            names the error.

        Examples
        --------
        >>> results = StudyResults.from_values({"iris": [[0.1, 0.2]]}, methods=["tree"], metric="mse")
        >>> results.to_frame()
          dataset method  split state  mse
        0    iris   tree      0  done  0.1
        1    iris   tree      1  done  0.2
        """
        return trials_frame(self, missing=missing)

    def predictions(self, method: str, dataset: str | None = None) -> Pooled:
        """Return the predictions of a method for the test rows of all splits, where they were kept.

        Parameters
        ----------
        method : str
            The method.
        dataset : str, optional
            The data set, where there are several.

        Returns
        -------
        Pooled
            Rows, splits, actual classes and probabilities; as `Performance.pooled` returns them.

        Examples
        --------
        >>> results = StudyResults.from_values({"iris": [[0.1, 0.2]]}, methods=["tree"], metric="mse")
        >>> results.predictions("tree")
        Traceback (most recent call last):
        calibrant.exceptions.StudyError: tree on iris: no predictions were kept. Run the study with
        keep_predictions=True to have them.
        """
        choose_name("method", method, self.methods)
        chosen = self.chosen_datasets(dataset)
        if len(chosen) > 1:
            raise StudyError(f"dataset must be specified where there are several: {', '.join(chosen)}.")
        if not (self.states[chosen[0]][self.methods.index(method)] == DONE).any():
            raise StudyError(f"{method} on {chosen[0]}: its trials failed or are missing; there are no predictions.")
        found = [] if self.read_predictions is None else self.read_predictions(chosen[0], method)
        parts = [(split, predictions_from_parquet(data)) for split, data in sorted(found) if split >= 0]
        if not parts:
            where = f"{method} on {chosen[0]}"
            raise StudyError(
                f"{where}: no predictions were kept. Run the study with keep_predictions=True to have them."
            )
        names = ("row", "y_true", "y_pred")
        row, y_true, y_pred = (np.concatenate([getattr(part, name) for _, part in parts]) for name in names)
        splits, sizes = [split for split, _ in parts], [len(part.row) for _, part in parts]
        split = np.repeat(np.asarray(splits, dtype=np.intp), sizes)
        return Pooled(row, split, y_true, y_pred, parts[0][1].classes)

    def split_values(self, metric: str, dataset: str, *, part: str = "test") -> NDArray[np.float64]:
        """Return the value of every method and split, NaN where there is none.

        Parameters
        ----------
        metric, dataset : str
            A metric and a data set of the study.
        part : {"test", "training"}
            The rows that the metric is computed on.

        Returns
        -------
        array of shape (n_methods, n_splits)
            The values.

        Examples
        --------
        >>> results = StudyResults.from_values({"iris": [[0.1, 0.2]]}, methods=["tree"], metric="mse")
        >>> results.split_values("mse", "iris")
        array([[0.1, 0.2]])
        """
        return self.recorded_values(metric, dataset, part)

    def __repr__(self) -> str:
        n_trials = sum(states.size for states in self.states.values())
        n_done, n_failed = (
            sum(int((each == state).sum()) for each in self.states.values()) for state in (DONE, FAILED)
        )
        failed = f", {n_failed:,} failed" if n_failed else ""
        shape = f"{counted(len(self.datasets), 'data set')} x {counted(len(self.methods), 'method')}"
        return f"Study {self.name!r}: {shape}, {n_done:,} trials of {n_trials:,} done{failed}"


def counted(n: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"
