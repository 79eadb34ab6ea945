"""The best of many methods, with the score that its choosing does not flatter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._optional import optional_import
from calibrant._params import CONFIDENCE, check_param
from calibrant._random import seed_sequence, stream
from calibrant._repr import number_text
from calibrant.comparison._internal import Better, tied_ranks
from calibrant.exceptions import DataError, StudyError
from calibrant.metrics import METRICS, Interval
from calibrant.resampling._internal import NO_INTERVAL, KeptTrials, split_interval
from calibrant.studies._results.predictions import read_kept_rows
from calibrant.studies._results.study_values import QUERY_PARAMETERS, MetricFacts, StudyValues
from calibrant.studies._results.tables import complete_means, mean_interval

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 110


@dataclass(frozen=True, repr=False)
class BestMethod:
    """The best of the methods of a study; its repr states both scores and how the second was corrected.

    Parameters
    ----------
    method : str
        The method; with a nested plan the one that was chosen most often.
    metric : str
        The metric that chose it.
    better : str
        Which value is better, in words.
    dataset : str or None
        The data set; None where it was chosen over several.
    n_methods : int
        Number of methods that it was chosen from.
    apparent : float
        Its mean, which is too good: it was chosen for it. NaN with a nested plan.
    corrected : float
        The score of a method that is chosen like this, on rows that had no part in the choice; NaN where it cannot be
        known.
    low, high : float
        The interval of the corrected score; NaN where none holds.
    confidence : float
        Its confidence.
    correction : {"nested", "folds", "rows", "data sets", "nothing chosen", "none"}
        What the choice was separated by.
    how : str
        The same in words.
    choices : dict of str to float
        How often each method was chosen when the choice was repeated, the most frequent first.
    mean_rank, corrected_mean_rank : float
        Over several data sets, the mean rank that it was chosen by, and the same corrected; else NaN.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
    >>> StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse").best("mse")
    forest is the best of 3 methods by mse on iris (lower is better)
      its mean is 0.1050, flattered by the choice; corrected 0.1069
    Corrected by choosing on folds that are drawn with replacement and testing the choice on the others; chosen
    there: forest 80 %, bayes 20 %.
    """

    method: str
    metric: str
    better: str
    dataset: str | None
    n_methods: int
    apparent: float
    corrected: float
    low: float = math.nan
    high: float = math.nan
    confidence: float = 0.95
    correction: Literal["nested", "folds", "rows", "data sets", "nothing chosen", "none"] = "none"
    how: str = ""
    choices: Mapping[str, float] = field(default_factory=dict)
    mean_rank: float = math.nan
    corrected_mean_rank: float = math.nan
    n_datasets: int = 1

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame of one row.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09]]}
        >>> best = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse").best("mse")
        >>> best.to_frame()[["method", "apparent", "corrected"]]
           method  apparent  corrected
        0  forest     0.105      0.105
        """
        pandas = optional_import("pandas", extra="studies", purpose="return the best method as a frame")
        shown = ("method", "metric", "dataset", "n_methods", "apparent", "corrected", "low", "high", "confidence")
        row = {name: getattr(self, name) for name in (*shown, "correction", "mean_rank", "corrected_mean_rank")}
        frame: pd.DataFrame = pandas.DataFrame([row])
        return frame

    def __repr__(self) -> str:
        on = self.dataset if self.dataset is not None else f"{self.n_datasets} data sets"
        if self.correction == "nested":
            first = f"{self.method} was chosen most often of {self.n_methods} methods by {self.metric} on {on}"
        else:
            first = f"{self.method} is the best of {self.n_methods} methods by {self.metric} on {on}"
        lines = [f"{first} ({self.better})", f"  {self._scores()}"]
        if not math.isnan(self.mean_rank):
            ranks = f"mean rank {self.mean_rank:.2f}, corrected {self.corrected_mean_rank:.2f}"
            lines.append(f"  {ranks}; a method of average rank has {(self.n_methods + 1) / 2:g}")
        chosen = [f"{name} {100 * share:.0f} %" for name, share in list(self.choices.items())[:5] if share >= 0.005]
        stated = f"; chosen there: {', '.join(chosen)}" if chosen else ""
        return "\n".join([*lines, fill(f"{self.how}{stated}.", _WIDTH)])

    def _scores(self) -> str:
        interval = f"{100 * self.confidence:g} % interval {number_text(self.low)} to {number_text(self.high)}"
        ends = "" if math.isnan(self.low) else f" ({interval})"
        if self.correction == "nested":
            return f"the score of choosing and testing on other rows is {number_text(self.corrected)}{ends}"
        if self.correction == "nothing chosen":
            return f"its mean is {number_text(self.corrected)}{ends}"
        mean = f"its mean is {number_text(self.apparent)}, flattered by the choice"
        is_corrected = not math.isnan(self.corrected)
        return f"{mean}; " + (f"corrected {number_text(self.corrected)}{ends}" if is_corrected else "not corrected")


# Draws of units: with 1,000 the error of the simulation is a fortieth of the standard error that 10 folds have
_MOST_DRAWS, _MOST_NUMBERS = 1000, 10_000_000
_ROW_DRAWS = 200  # each of them computes the metric of every method once


class Selection(NamedTuple):
    """The mean score of the methods that were chosen on other units, and how often each was chosen."""

    score: float
    shares: NDArray[np.float64]


def select_by_units(losses: NDArray[np.float64], values: NDArray[np.float64], repeat: int = 0) -> Selection:
    """Choose the method of the least mean loss on units that are drawn, and read its values on the other units.

    Every unit counts the same: the mean of what was read on it, and then the mean over the units.

    Parameters
    ----------
    losses, values : arrays of shape (n_methods, n_units)
        What chooses, the least is best, and what is read; NaN where there is no value.
    repeat : int
        The number of the stream of random draws.

    Examples
    --------
    >>> errors = np.array([[0.1, 0.2, 0.1], [0.3, 0.4, 0.2]])
    >>> score, shares = select_by_units(errors, errors)
    >>> round(score, 4), shares.tolist()
    (0.1333, [1.0, 0.0])
    """
    n_methods, n_units = losses.shape
    weights = bootstrap_weights(n_units, max(100, min(_MOST_DRAWS, _MOST_NUMBERS // n_units)), repeat)
    chosen = _chosen(losses, weights)
    read = np.where(weights == 0, values[chosen], np.nan)  # draws x units
    n_read = (~np.isnan(read)).sum(axis=0)
    by_unit = np.where(np.isnan(read), 0.0, read).sum(axis=0)[n_read > 0] / n_read[n_read > 0]
    shares = np.bincount(chosen, minlength=n_methods) / len(chosen)
    return Selection(float(by_unit.mean()) if len(by_unit) else float("nan"), shares)


def bootstrap_weights(n_units: int, n_draws: int, repeat: int = 0) -> NDArray[np.int64]:
    """Return the number of times that each unit is drawn, in bootstrap draws that leave at least one out."""
    random = stream(seed_sequence(0), repeat)
    weights = random.multinomial(n_units, np.full(n_units, 1.0 / n_units), size=n_draws)
    return np.asarray(weights[(weights == 0).any(axis=1)])


def _chosen(losses: NDArray[np.float64], weights: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the method of the least mean loss in each draw, the first of equal ones."""
    is_known = ~np.isnan(losses)
    total, n_known = np.where(is_known, losses, 0.0) @ weights.T, is_known.astype(np.float64) @ weights.T
    means = np.divide(total, n_known, out=np.full(total.shape, np.inf), where=n_known > 0)
    return np.asarray(means.argmin(axis=0))


def select_by_rows(
    score: Callable[[int, NDArray[np.float64]], float],
    loss: Callable[[float], float],
    n_methods: int,
    unit: NDArray[np.intp],
) -> Selection:
    """Choose by the metric on rows that are drawn, and read the metric of the chosen method on the other rows.

    Parameters
    ----------
    score : callable
        ``score(method, weight)``, the metric of a method with the predictions weighted; NaN where it is undefined.
    loss : callable
        Turns a value of the metric into a number of which the least is best.
    n_methods : int
        Number of methods.
    unit : array of int
        The row, or the group, of each prediction; those of one are drawn together.

    Examples
    --------
    >>> errors = np.array([[0, 0, 1, 0], [1, 1, 0, 1]])
    >>> found = select_by_rows(lambda i, w: float(np.average(errors[i], weights=w)), float, 2, np.arange(4))
    >>> 0.2 < found.score < 0.5
    True
    """
    codes = np.unique(unit, return_inverse=True)[1]
    weights = bootstrap_weights(int(codes.max()) + 1, _ROW_DRAWS)[:, codes].astype(np.float64)
    chosen, read = [], []
    for weight in weights:
        losses = [loss(score(method, weight)) for method in range(n_methods)]
        if np.isnan(losses).all():
            continue
        chosen.append(int(np.nanargmin(losses)))
        read.append(score(chosen[-1], (weight == 0).astype(np.float64)))
    shares = np.bincount(chosen, minlength=n_methods) / max(1, len(chosen))
    found: Any = np.array(read)[~np.isnan(read)] if read else np.empty(0)
    return Selection(float(found.mean()) if len(found) else float("nan"), shares)


_DRAWN = "Corrected by choosing on {} that are drawn with replacement and testing the choice on the others"
_NESTED = "A method was chosen within the training rows of each split"


class BestQuery(StudyValues):
    """The best method of a study."""

    @fill_docstring(**QUERY_PARAMETERS)
    def best(
        self,
        by: str,
        dataset: str | None = None,
        *,
        better: Better | None = None,
        confidence: float = 0.95,
        partial: bool = False,
    ) -> BestMethod:
        """Return the best method, with its score and the score that its choosing does not flatter.

        The best mean of many methods is too good: even of equally good methods, one is best by chance. The choice is
        therefore repeated on a bootstrap draw of folds, and the method that it chooses is read on the folds that were
        not drawn (Tsamardinos, Greasidou & Borboudakis 2018, with folds as units; within each repeat of a repeated
        cross-validation, since repeats share rows). Where the test rows of the splits overlap, or there is one split,
        rows are drawn instead, if predictions were kept; if not, no correction is possible. With a nested plan the
        score is that of the choice within each split. Over several data sets the best has the best mean rank, and the
        choice is repeated on a draw of data sets and read on the others: what to expect on a further data set.

        Parameters
        ----------
        by : str
            The metric that chooses.
        %(dataset)s
        %(better)s
        confidence : float
            Confidence of the interval of the corrected score.
        %(partial)s

        Returns
        -------
        BestMethod
            ``method``, ``apparent``, ``corrected``, ``low``, ``high``, ``how`` and ``choices``.

        Notes
        -----
        In the simulation of tests/validity/test_best_of_many.py 50 equally good methods have an apparent error of
        0.20 where the truth is 0.30; the corrected one is right on average, with a third of the squared error of
        leaving out one fold after the other. Where one method is truly better but rarely found, the corrected score is
        a little too bad, since the choice is made on fewer folds.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
        >>> best = StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse").best("mse")
        >>> best.method, round(best.apparent, 4), round(best.corrected, 4)
        ('forest', 0.105, 0.1069)
        """
        check_param("confidence", confidence, CONFIDENCE)
        facts, datasets = self.facts(by, better), self.chosen_datasets(dataset)
        means = complete_means(self, by, datasets, partial=partial)
        if any(self.plans[name].is_nested for name in datasets):
            return _nested(self, facts, datasets, means.values, confidence)
        values, kept, _ = means.of_all_methods()
        if np.isnan(means.values).all() or (len(datasets) > 1 and not kept):
            raise StudyError(f"best: {by} has no value on any data set that all methods share.")
        if len(datasets) > 1:
            return _over_datasets(self, facts, kept, values, confidence)
        return _on_dataset(self, facts, datasets[0], means.values[0], confidence)


def _on_dataset(
    study: StudyValues, facts: MetricFacts, dataset: str, means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the method of the best mean, corrected by folds or by rows."""
    best = int(np.nanargmin(facts.losses(means)))
    about = (study.methods[best], facts.name, facts.words, dataset, len(study.methods), float(means[best]))
    if len(study.methods) == 1:
        ends = mean_interval(study, facts.name, dataset, best, about[-1], confidence)
        return BestMethod(*about, about[-1], *ends, confidence, "nothing chosen", "There is one method")
    plan = study.plans[dataset]
    values = study.done_values(facts.name, dataset)
    if plan.has_disjoint_tests and plan.n_independent > 1:
        # Within each repeat, whose folds are disjoint: one of another repeat could not be read as other rows
        n_folds, starts = plan.n_independent, range(0, values.shape[1], plan.n_independent)
        repeats = [values[:, start : start + n_folds] for start in starts]
        found = [select_by_units(facts.losses(each), each, number) for number, each in enumerate(repeats)]
        corrected = float(np.nanmean([each.score for each in found]))
        ends = mean_interval(study, facts.name, dataset, best, corrected, confidence)
        chosen = _counted(study.methods, np.mean([each.shares for each in found], axis=0))
        return BestMethod(*about, corrected, *ends, confidence, "folds", _DRAWN.format("folds"), chosen)
    kept = read_kept_rows(study, dataset, study.methods, [facts.name])
    if isinstance(kept, str):
        splits = "there is one split" if plan.n_splits == 1 else "the test rows of the splits overlap"
        instead = "Take cross-validation or a nested plan, or keep the predictions"
        how = f"No correction is possible: {splits}, and {kept}. {instead}"
        return BestMethod(*about, math.nan, confidence=confidence, correction="none", how=how)
    moved, shares = _by_rows(facts, kept, best)
    corrected, chosen = about[-1] + moved, _counted(study.methods, shares)
    ends = mean_interval(study, facts.name, dataset, best, corrected, confidence)
    return BestMethod(*about, corrected, *ends, confidence, "rows", _DRAWN.format("test rows"), chosen)


def _by_rows(facts: MetricFacts, kept: KeptTrials, best: int) -> tuple[float, NDArray[np.float64]]:
    """Return by how much the choice on some rows moves the score on others, and the shares of the choices."""
    rows, data, judge = kept.rows, kept.scorer.data, METRICS[facts.name].judge
    read = [kept.scorer.read(kept.predictions(method), rows) for method in kept.trials]

    def score(method: int, drawn: NDArray[np.float64]) -> float:
        # Weighting validated predictions takes a tenth of the time of validating them in each draw
        found, chosen = read[method], np.flatnonzero(drawn)
        weights = drawn[chosen] if found.weights is None else drawn[chosen] * found.weights[chosen]
        try:
            return float(
                judge(
                    replace(found, label=found.label[chosen], table=found.table[chosen], weights=weights, kept=chosen)
                )
            )
        except DataError:  # such as a single class among the rows
            return math.nan

    unit = rows if data.groups is None else np.asarray(data.groups)[rows]
    found = select_by_rows(score, lambda value: float(facts.losses(np.array(value))), len(read), unit)
    return found.score - score(best, np.ones(len(rows))), found.shares


def _over_datasets(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the method of the best mean rank, corrected by data sets that had no part in the choice."""
    ranks = np.stack([tied_ranks(row) for row in facts.losses(means)])
    best = int(ranks.mean(axis=0).argmin())
    about = (study.methods[best], facts.name, facts.words, None, len(study.methods), float(means[:, best].mean()))
    own_rank = float(ranks[:, best].mean())
    if len(datasets) == 1 or len(study.methods) == 1:
        how = "There is one method" if len(study.methods) == 1 else "No correction is possible: one data set has values"
        known = about[-1] if len(study.methods) == 1 else math.nan
        return BestMethod(*about, known, correction="nothing chosen" if known == known else "none", how=how)
    score, shares = select_by_units(ranks.T, means.T)
    rank = select_by_units(ranks.T, ranks.T).score
    ends = _dataset_interval(means[:, best] + (score - about[-1]), facts, confidence)
    return BestMethod(
        *(*about, score, *ends, confidence, "data sets", _DRAWN.format("data sets"), _counted(study.methods, shares)),
        mean_rank=own_rank,
        corrected_mean_rank=rank,
        n_datasets=len(datasets),
    )


def _dataset_interval(values: NDArray[np.float64], facts: MetricFacts, confidence: float) -> Interval:
    """Return the interval of a mean over independent data sets: no rows are shared, so that nothing is corrected."""
    if np.ptp(values) == 0.0:
        return NO_INTERVAL
    n = len(values)
    no_rows_shared = {"n_train": np.full(n, np.inf), "n_test": np.ones(n)}
    return split_interval(values, **no_rows_shared, confidence=confidence, k=n, low=facts.low, high=facts.high)


def _nested(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the score of the choice within each split."""
    counts = Counter(choice for name in datasets for choice in study.choices.get(name, ()) if choice)
    total = sum(counts.values())
    chosen = {name: n / total for name, n in counts.most_common()}
    dataset, values = datasets[0] if len(datasets) == 1 else None, means[:, 0]
    if dataset is None:
        ends = _dataset_interval(values, facts, confidence)
    else:
        ends = mean_interval(study, facts.name, dataset, 0, float(values[0]), confidence)
    about = (next(iter(chosen), ""), facts.name, facts.words, dataset, len(study.candidates), math.nan)
    corrected, n = float(values.mean()), len(datasets)
    return BestMethod(*about, corrected, *ends, confidence, "nested", _NESTED, chosen, n_datasets=n)


def _counted(methods: tuple[str, ...], shares: NDArray[np.float64]) -> dict[str, float]:
    """Return the shares above 0 by method, the greatest first."""
    order = np.argsort(-shares, kind="stable")
    return {methods[i]: float(shares[i]) for i in order.tolist() if shares[i] > 0}
