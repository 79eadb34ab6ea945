"""`compare_table`: from a table to a ranking, a verdict and a model, within a time limit."""

from __future__ import annotations

import math
import os
import time as clock
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from calibrant._params import Bool, Int, Nothing, Real, check_param
from calibrant.decisions import CostMatrix
from calibrant.exceptions import (
    CalibrantWarning,
    DataError,
    ParameterError,
    StudyError,
    TableCheckError,
    nearest,
)
from calibrant.metrics import METRICS, Verdict
from calibrant.resampling import CrossValidation
from calibrant.resampling._internal import seeded_clone, splitters
from calibrant.studies._definition.names import find_method
from calibrant.studies._results.study_results import StudyResults
from calibrant.studies._store.read_url import DEFAULT_STORE
from calibrant.studies._table_comparison.advice import advise, simplest_first
from calibrant.studies._table_comparison.comparison_text import metric_words
from calibrant.studies._table_comparison.ranking import (
    AgainstBest,
    RankedMethod,
    compare_with_best,
    finished_part,
    finite_methods,
    rank_methods,
    unchanged_by_calibration,
)
from calibrant.studies._table_comparison.table_comparison import TableComparison, TestScore
from calibrant.studies._table_comparison.table_study import (
    BASELINE,
    CALIBRATED,
    ComparedTable,
    TimeCheck,
    WithoutSuspects,
    candidates,
)
from calibrant.studies._table_comparison.winner import (
    HeldOutRows,
    earnings_per_row,
    fit_winner,
    held_out_rows,
    model_size,
    predict_test,
    prepare_folder,
    save_winner,
)
from calibrant.studies.study import Study

# Processor time of what follows the trials: intervals, tests, the verdict, money; and by row. Chosen so that
# `benchmarks/cli.py` ends in time on adult, covertype and coil2000.
_SUMMARY_SECONDS, _SECONDS_A_ROW = 2.0, 2e-5
_LEAST_SHARE, _MOST_SHARE = 0.1, 0.75  # of the limit, kept for what follows the trials
_GRACE = 0.1  # of the limit, by which the fit of the best method may exceed it
_SHORT_FIT = 0.05  # of the limit: a fit that is expected to be shorter ends in time also in this process
_CHECK_SHARE = 0.02  # of the limit, between two looks at the trials that are recorded


class TimeLimit:
    """The time that a comparison may take from now on.

    Trials end early enough for the summary and for fitting the best method so far to all rows, if there is still time
    for that; else they go on, and the best method is fitted when the comparison is run again. A second of processor
    time takes longer on a busy machine, as much as it did from the start to `begin_trials`.

    Parameters
    ----------
    seconds : float or None
        The limit; None: there is none.

    Examples
    --------
    >>> limit = TimeLimit(3600)
    >>> limit.begin_trials(n_rows=1000, fit_seconds=lambda: 10.0)
    >>> limit.is_over()
    False
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._start, self._processor = clock.monotonic(), clock.process_time()
        self._before = self._summary = 0.0
        self._fit_seconds: Callable[[], float | None] = lambda: None
        self._expected: float | None = None
        self._next_check = -math.inf

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return self.seconds - (clock.monotonic() - self._start)

    def left_for_fit(self, expected: float) -> float:
        """Return the seconds after which a fit to all rows is ended; infinite where it is expected to be short."""
        return math.inf if expected <= _SHORT_FIT * self.seconds else self.left + _GRACE * self.seconds

    def needed(self, fit_seconds: float) -> float:
        """Return a limit within which a fit to all rows can be expected to end."""
        return self._before + self._summary + fit_seconds / (1 - _GRACE)

    def begin_trials(self, n_rows: int, fit_seconds: Callable[[], float | None]) -> None:
        """Keep time for what follows the trials, which begin now.

        Parameters
        ----------
        n_rows : int
            Number of rows of the table.
        fit_seconds : function
            Returns the seconds that fitting the best method so far to all rows would take; None before the first trial.
        """
        self._before = clock.monotonic() - self._start
        slowdown = max(1.0, self._before / max(clock.process_time() - self._processor, 1e-3))
        needed = slowdown * (_SUMMARY_SECONDS + _SECONDS_A_ROW * n_rows)
        self._summary = min(max(needed, _LEAST_SHARE * self.seconds), _MOST_SHARE * self.seconds)
        self._fit_seconds = fit_seconds

    def is_over(self) -> bool:
        """Return whether trials must end now."""
        if clock.monotonic() >= self._next_check:
            self._expected = self._fit_seconds()
            self._next_check = clock.monotonic() + _CHECK_SHARE * self.seconds
        if self._expected is None:  # nothing can be summarised before a trial is recorded
            return self.left <= _LEAST_SHARE * self.seconds
        left = self.left - self._summary
        return left <= 0 or left <= self._expected <= left + _GRACE * self.seconds


def fit_seconds(study: Study, metric: str, n_rows: int, method: str | None = None) -> float | None:
    """Return the seconds that a method, by default the best so far, would take to be fitted to all rows.

    Fits are taken to be linear in the number of rows. None before a trial is finished.
    """
    results = study.results([metric])
    trials = results.to_frame()
    trials = trials[(trials["state"] == "done") & np.isfinite(trials[metric].astype(float))]
    if not len(trials):
        return None
    seconds = trials[["fit_seconds", "predict_seconds", "shared_seconds"]].sum(axis=1) * n_rows / trials["n_train"]
    means = trials.assign(seconds=seconds).groupby("method", observed=True)[[metric, "seconds"]].mean()
    if method is not None:
        return float(means["seconds"].get(method, 0.0))
    best = int(np.argmin(results.facts(metric).losses(means[metric].to_numpy(dtype=float))))
    return float(means["seconds"].iloc[best])


_METRICS = ("log_loss", "brier", "auc")
_TOO_SHORT = "time_limit: no method has finished a split in time. Pass a longer one."

_MOST_FITS = 5  # of the advised method, to tell what another plan would say

Ended = Literal["", "time limit", "interrupted"]


def compare_table(
    table: Any,
    *,
    target: str | None = None,
    positive: Any = None,
    costs: Any = None,
    groups: str | None = None,
    time: str | None = None,
    plan: Any = None,
    test: Any = None,
    nominal: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
    methods: Sequence[str] | None = None,
    metric: str = "log_loss",
    time_limit: float | None = None,
    workers: int | None = None,
    store: str | PathLike[str] = DEFAULT_STORE,
    name: str | None = None,
    out: str | PathLike[str] | None = None,
    seed: int = 0,
    strict: bool = False,
) -> TableComparison:
    """Compare the usual methods on a table, and fit the one to use to all rows: what ``calibrant compare`` runs.

    The base rate, naive Bayes, logistic regression, a tree, a forest, `ProbabilityClassifier` and boosted trees, each
    as it is and calibrated by `CalibratedClassifier`, which chooses the calibration map within the training rows, are
    run as a study. All methods finish the first split before any starts the second. Interrupted, or at the end of its
    time, it returns what there is; called again it goes on.

    Parameters
    ----------
    table : path, str, Table or frame
        A file that `calibrant.data.read_table` reads, the name of a data set, a table or a frame. Columns of a file
        that look like ids are left out.
    target : str, optional
        The class column; by default that of the table, or the last one.
    positive : optional
        The class of interest, of two; by default that of the table, or the last sorted one.
    costs : path, CostMatrix or dict of dicts, optional
        The costs of actions (columns) by actual class (rows); a path is read by `CostMatrix.from_csv`.
    groups : str, optional
        A column that says which rows belong together, such as the patient; it is not a feature, and no group is both
        trained and tested on.
    time : str, optional
        A column of dates or other times; it is not a feature. Methods are trained on the past and tested on what
        follows, and what they learn from held-out rows of their own they learn so too.
    plan : str, int, plan of `calibrant.resampling` or splitter, optional
        How rows are split, as `estimate_performance` takes it: ``"10x3"``, ``"holdout 30%"``, ``"time"``, ``"loo"``,
        ``"632"``; by default by the number of rows, or by time. A plan by time without `time` takes rows in their
        order.
    test : path, str, Table or frame, optional
        A table kept apart. Methods are ranked by the plan; the score to expect, the verdict on calibration and money
        are those of the advised model on this table.
    nominal : sequence of str, optional
        Columns of a file that are nominal whatever their values.
    reading : dict, optional
        Further keywords of `calibrant.data.read_table` for a file, such as ``{"decimal": ","}``.
    methods : sequence of str, optional
        Some of the methods, by their short names, such as ``"naive_bayes"`` and ``"calibrated naive_bayes"``, or those
        of the ranking; by default all. The base rate is always among them.
    metric : str
        The metric that ranks.
    time_limit : float, optional
        Seconds that the whole call may take, also on a busy machine: it ends within a quarter more, unless reading the
        rows takes longer. Trials that run when their time is up are ended, and those that are recorded count. Time is
        kept for what follows them: the summary, and fitting the best method to all rows, as long as its folds suggest.
        Where that fit is not finished in time there is no model, and the result says which limit would do. At least
        one method must finish a split.
    workers : int, optional
        Number of processes; by default this one, with a time limit one other.
    store : str or path
        The store of the study.
    name : str, optional
        The name of the study; by default ``"compare "`` and the name of the table.
    out : str or path, optional
        A folder for the model (``model.calibrant``) and its held-out predictions (``held_out.csv``); by default
        neither is written.
    seed : int
        The seed of splits and methods.
    strict : bool
        Whether to raise a `TableCheckError` before anything is learned where `check_table` finds anything.

    Returns
    -------
    TableComparison
        The advice, the ranking in three groups (best, as good as far as the rows show, shown to be worse), the best
        method with its corrected score, and of the method to use the verdict on its calibration, money, the fitted
        model and its held-out predictions; prints as text.

    Notes
    -----
    The method to use is the simplest of those that are as good as the best and within one standard error of it: naive
    Bayes, logistic regression or a tree, the best of them, else the fastest of the others; one whose probabilities are
    shown to be miscalibrated is passed over. A method and its calibrated version with the same probabilities are one.

    The plan depends on the number of rows: under 1,000 it is 10-fold cross-validation three times, to 5,000 10-fold,
    to 50,000 5-fold cross-validation, above a stratified third held out, at most 200,000 rows. The rarest class must
    have two rows, and folds are at most as many as it has; with groups, groups that have such rows. By time there are
    five moments, fewer where times are few or a class comes late; above 50,000 rows the latest third is held out.

    Before anything is learned the table is checked by `calibrant.data.check_table`; a column that may be a leak of the
    class is the headline of the advice, with the score of the advised method without it.

    Scores of shuffled rows assume that rows are exchangeable: that new ones are as if drawn with these. Where the table
    has times or dates, ``time_check`` has the score of the advised method by the other plan.

    Examples
    --------
    >>> import tempfile
    >>> from calibrant.data import load
    >>> from calibrant.studies import compare_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = compare_table("appeal", methods=["base rate", "tree", "naive Bayes"], store=f"{folder}/s.db")
    >>> found.best.method, found.plan
    ('naive Bayes', '10-fold cross-validation, stratified')
    >>> found.model.predict_proba(load("appeal").X[:1]).shape
    (1, 2)
    """
    limit = TimeLimit(time_limit)
    check_param("time_limit", time_limit, Real(0, closed="right") | Nothing())
    check_param("workers", workers, Int(1) | Nothing())
    check_param("seed", seed, Int(0))
    check_param("strict", strict, Bool())
    if metric not in METRICS or METRICS[metric].needs:
        raise ParameterError(
            f"metric must be one that needs probabilities alone; got {metric!r}.{nearest(metric, METRICS)}"
        )
    compared = ComparedTable.read(
        table, target=target, positive=positive, groups=groups, time=time, nominal=nominal, reading=reading
    )
    if compared.check.findings and strict:  # looked at before any learning
        raise TableCheckError(f"{compared.check!r}\nNothing was learned, because strict is set.")
    matrix = _read_costs(costs, compared)
    split, apart = compared.plan(plan, seed), None if test is None else compared.read_test(test)
    by_time = splitters.is_by_time(split)
    study = Study(
        name or f"compare {compared.table.name}",
        datasets=[compared.dataset],
        methods=_chosen(candidates(by_time=by_time), methods),
        plan=split,
        metrics=list(dict.fromkeys((metric, *_METRICS))),
        store=store,
        seed=seed,
        keep_predictions=True,
    )
    if out is not None:
        prepare_folder(Path(out))
    if limit.left <= 0:  # the rows took all of it to read
        raise StudyError(_TOO_SHORT)
    limit.begin_trials(compared.table.n_rows, lambda: fit_seconds(study, metric, compared.table.n_rows))
    stop_after = None if time_limit is None else limit.is_over
    with warnings.catch_warnings():
        # the check of the table, and its notes, say of free text that these methods leave it out
        warnings.filterwarnings("ignore", r".* left out: free text", CalibrantWarning)
        try:
            status = study.run(workers=workers, update=True, retry=True, stop_after=stop_after)
            ended: Ended = "time limit" if status.n_missing else ""
        except KeyboardInterrupt:
            ended = "interrupted"
        if ended and not study.status().n_done:
            if ended == "interrupted":
                raise KeyboardInterrupt
            raise StudyError(_TOO_SHORT)
        found = _summarise(study, compared, apart, matrix, metric, ended, seed, limit)
    return found if out is None else save_winner(found, Path(out))


def _read_costs(costs: Any, compared: ComparedTable) -> CostMatrix | None:
    """Return the costs in the sorted order of the classes."""
    if costs is None:
        return None
    if isinstance(costs, str | os.PathLike):
        costs = CostMatrix.from_csv(Path(costs))
    elif isinstance(costs, dict):
        costs = CostMatrix.from_dict(costs)
    if not isinstance(costs, CostMatrix):
        raise ParameterError(f"costs must be a path, a CostMatrix or a dict of dicts; got {type(costs).__name__}.")
    try:
        return costs.for_classes(sorted(label for label, n in compared.table.class_counts.items() if n))
    except ParameterError as error:
        raise DataError(f"costs: {error}") from error


def _chosen(methods: dict[str, Any], names: Sequence[str] | None) -> dict[str, Any]:
    """Return the methods of some names, and the base rate, which all are compared with."""
    if names is None:
        return methods
    titles = {type(each)._short_name: name for name, each in methods.items() if not name.startswith(CALIBRATED)}
    titles |= {f"{CALIBRATED}{short}": f"{CALIBRATED}{name}" for short, name in titles.items() if name != BASELINE}
    chosen = {BASELINE}
    for name in names:
        plain = name.removeprefix(CALIBRATED)
        title = titles.get(name[: len(name) - len(plain)] + (find_method(plain) or ""))
        if title is None:
            raise ParameterError(
                f"methods: there is no {name!r}.{nearest(name, titles)} There are {', '.join(titles)}."
            )
        chosen.add(title)
    return {name: methods[name] for name in methods if name in chosen}


def _summarise(
    study: Study,
    compared: ComparedTable,
    apart: ComparedTable | None,
    costs: CostMatrix | None,
    metric: str,
    ended: Ended,
    seed: int,
    limit: TimeLimit,
) -> TableComparison:
    everything: StudyResults = study.results()
    finished, left_out = finished_part(everything)
    same = unchanged_by_calibration(finished)
    finished = finished.select(methods=[name for name in finished.methods if name not in same])
    finite = finished.select(methods=finite_methods(finished, metric))
    best = finite.best(metric)
    against = compare_with_best(finite, metric, best.method) if len(finite.methods) > 1 else None
    earned, standings = earnings_per_row(finished, compared, costs), {} if against is None else against.standings
    ranking = rank_methods(finished, metric, standings, earned, {plain: name for name, plain in same.items()})
    held_out, verdict, passed_over = _choose(ranking, against, finished, compared, costs, seed)
    plan, n_planned = finished.plans[finished.datasets[0]], everything.plans[everything.datasets[0]].n_splits
    model, no_model = None, ""
    if ended != "interrupted":
        model, no_model = _fit(study, held_out.method, compared, metric, seed, limit)
    judged = held_out
    if apart is not None and model is not None:
        judged = predict_test(held_out.method, model, compared, apart)
        verdict = judged.verdict(seed, costs)
    money = None if costs is None else judged.money(costs, seed)
    by_time = splitters.is_by_time(study.definition.plan)
    own = next(each.value for each in ranking if each.method == held_out.method)
    without = _without_suspects(study, held_out.method, own, compared, metric, seed, limit)
    found = TableComparison(
        compared,
        plan.words,
        metric,
        ranking,
        best,
        held_out.method,
        None if against is None else against.comparison,
        verdict,
        money,
        costs,
        advise(
            ranking, held_out.method, against, verdict, money, metric_words(metric), passed_over, is_by_time=by_time
        ),
        left_out,
        ended,
        plan.n_splits,
        n_planned,
        0 if against is None else against.n_rows,
        study,
        model,
        None if model is None else model_size(model),
        held_out.to_frame(),
        no_model=no_model,
        test=None if judged is held_out else TestScore.of(judged, metric),
        latest=TestScore.of(held_out.latest, metric) if by_time else None,
        time_check=_check_time(study, held_out.method, compared, metric, seed, limit),
        without_suspects=without,
    )
    return replace(found, advice=f"{found.warning} If so: {found.advice}") if found.warning else found


def _without_suspects(
    study: Study, method: str, own: float, compared: ComparedTable, metric: str, seed: int, limit: TimeLimit
) -> WithoutSuspects | None:
    """Return the score of the advised method without the columns that may be leaks, where time is left for it."""
    suspects = tuple(name for name in compared.check.suspects if name in compared.table.X)
    expected = fit_seconds(study, metric, compared.table.n_rows, method) or 0.0
    if not suspects or method == BASELINE or _MOST_FITS * expected > limit.left:
        return None
    by_time = splitters.is_by_time(study.definition.plan)
    others = compared.table.n_features > len(suspects)
    estimator = candidates(by_time=by_time)[method if others else BASELINE]
    folds = CrossValidation(min(_MOST_FITS, compared.n_rarest), random_state=seed)
    plan, left_out = study.definition.plan if by_time else folds, suspects if others else ()
    value = compared.score_without(left_out, seeded_clone(estimator, seed), plan, metric)
    return WithoutSuspects(suspects, value, own)


def _check_time(
    study: Study, method: str, compared: ComparedTable, metric: str, seed: int, limit: TimeLimit
) -> TimeCheck | None:
    """Return the score of the advised method by the plan that was not run, where there are dates and time is left."""
    expected = fit_seconds(study, metric, compared.table.n_rows, method) or 0.0
    if method == BASELINE or _MOST_FITS * expected > limit.left:
        return None
    estimator = candidates(by_time=False)[method]
    is_by_time = splitters.is_by_time(study.definition.plan)
    return compared.score_otherwise(seeded_clone(estimator, seed), metric, seed, is_by_time=is_by_time)


def _choose(
    ranking: Sequence[RankedMethod],
    against: AgainstBest | None,
    finished: StudyResults,
    compared: ComparedTable,
    costs: CostMatrix | None,
    seed: int,
) -> tuple[HeldOutRows, Verdict | None, list[str]]:
    """Return the held-out rows of the method to use with the verdict on them, and the methods that it goes before.

    It is the first choice whose probabilities are not shown to be miscalibrated, or the first choice if all are.
    """
    found: list[tuple[HeldOutRows, Verdict]] = []
    for method in simplest_first(ranking, against):
        rows = held_out_rows(finished, method, compared)
        verdict = rows.verdict(seed, costs)
        if verdict is None or verdict.kind != "miscalibrated":
            return rows, verdict, [each.method for each, _ in found]
        found.append((rows, verdict))
    return (*found[0], [])


def _fit(
    study: Study, method: str, compared: ComparedTable, metric: str, seed: int, limit: TimeLimit
) -> tuple[Any, str]:
    """Fit a method to all rows; return the model, or None and why there is none."""
    expected = fit_seconds(study, metric, compared.table.n_rows, method) or 0.0
    model = fit_winner(method, study.definition.methods[method], compared, seed, limit.left_for_fit(expected))
    if model is not None:
        return model, ""
    return None, (
        f"{method} is not fitted to all rows yet, for which the time limit left too little. Run it again with a time "
        f"limit of {10 * math.ceil(limit.needed(expected) / 10)} s or more: what is recorded counts."
    )
