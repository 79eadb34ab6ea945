"""The report of a study: answer, a section for each metric, failed trials, how it was made."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Real, check_param
from calibrant._repr import number_text
from calibrant._sections import (
    Axis,
    Block,
    Callout,
    DataTable,
    Figure,
    Layer,
    Paragraph,
    Section,
    TableColumn,
)
from calibrant.exceptions import CalibrantError, CalibrantWarning
from calibrant.report._how_made import made_section, store_text, versions_text
from calibrant.report._predictions.report_data import computed_once
from calibrant.report._predictions.wording import metric_heading, metric_term

if TYPE_CHECKING:
    from calibrant.comparison import CriticalDifference
    from calibrant.studies import BestMethod, PairDifference, StudyComparison, StudyResults, StudyStatus


@dataclass(frozen=True, eq=False)
class StudyQueries:
    """The results of a study, and how its methods are compared.

    Parameters
    ----------
    results : StudyResults
        The results.
    test, reference : str or None
        The test and the method that others are compared with, as in `StudyResults.compare`.
    confidence : float
        That of intervals and tests.
    """

    results: StudyResults
    test: str | None = None
    reference: str | None = None
    confidence: float = 0.95
    _computed: dict[Any, Any] = field(default_factory=dict)

    @property
    def percent(self) -> str:
        """The confidence as text."""
        return f"{100 * self.confidence:g} %"

    @computed_once
    def compare(self, metric: str) -> StudyComparison | str:
        """Return the methods compared by a metric, or why that cannot be done."""
        options: dict[str, Any] = {"reference": self.reference, "confidence": self.confidence, "partial": True}
        try:
            found = self.results.compare(metric, self.test, **options)
        except CalibrantError as error:
            return str(error)
        return found if found.test else f"No test holds: {found.reason}."

    @computed_once
    def best(self, metric: str) -> BestMethod | str:
        """Return the best method by a metric, or why there is none."""
        try:
            return self.results.best(metric, confidence=self.confidence, partial=True)
        except CalibrantError as error:
            return str(error)

    def direction(self, metric: str) -> str:
        """Return the better direction of a metric, in words; empty where it is not known."""
        try:
            return self.results.facts(metric).words
        except CalibrantError:
            return ""


def answer_section(queries: StudyQueries, status: StudyStatus | None, metrics: Sequence[str]) -> Section:
    """Return the best method by each metric, the differences that are shown, and the progress of the study."""
    blocks: list[Block] = [Paragraph(_lead(queries, metrics[0]), "lead")]
    blocks += [_on_metric(queries, metric) for metric in metrics]
    blocks.append(_on_trials(queries.results, status))
    return Section("answer", "What does the study show?", tuple(blocks))


def _lead(queries: StudyQueries, metric: str) -> str:
    results = queries.results
    n_sets, n_methods = len(results.datasets), len(results.methods)
    on = results.datasets[0] if n_sets == 1 else f"{n_sets:,} data sets"
    methods = "1 method" if n_methods == 1 else f"{n_methods:,} methods"
    best = queries.best(metric)
    if isinstance(best, str) or n_methods == 1:
        return f"{methods} on {on}."
    is_clear, _ = _beaten(queries, metric, best.method)
    doubt = "" if is_clear else ", but is not shown to be the best"
    words, term = metric_heading(metric)
    phrase = f"{words[0].lower()}{words[1:]} ({term})" if term != words else words
    return f"Of {methods} on {on}, {best.method} comes out best by {phrase}{doubt}."


def _on_metric(queries: StudyQueries, metric: str) -> Callout:
    """Return the best method by a metric, and how many of the others it is shown to beat."""
    best = queries.best(metric)
    if isinstance(best, str):
        return Callout("unsure", f"By {metric_term(metric)} no best method can be named.", best)
    term = metric_term(metric)
    if len(queries.results.methods) == 1:
        return Callout("info", f"{best.method} has {term} {_score(best)}.")
    is_clear, detail = _beaten(queries, metric, best.method)
    words = f"{best.method} comes out best by {term} ({best.better})."
    return Callout("good" if is_clear else "unsure", words, f"{term} {_score(best)}. {detail}")


def _score(best: BestMethod) -> str:
    if best.corrected != best.corrected:
        return f"{number_text(best.apparent)}, flattered by the choice"
    ends = "" if best.low != best.low else f" ({number_text(best.low)} to {number_text(best.high)})"
    return f"{number_text(best.corrected)}{ends} after correction for having been chosen"


def _beaten(queries: StudyQueries, metric: str, best: str) -> tuple[bool, str]:
    """Return whether the best method is shown to be better than all others, and a sentence on them."""
    found = queries.compare(metric)
    if isinstance(found, str):
        return False, f"Whether it differs from the others cannot be tested. {found}"
    pairs = [pair for pair in found.pairs if best in (pair.a, pair.b)]
    beaten = [pair for pair in pairs if pair.better == best]
    others = "the other one" if len(pairs) == 1 else f"{len(beaten)} of {len(pairs)} others"
    verb = "is shown" if beaten or len(pairs) > 1 else "is not shown"
    words = f"It {verb} to be better than {others} ({found.how}, at {queries.percent})."
    return len(beaten) == len(queries.results.methods) - 1, words


def _on_trials(results: StudyResults, status: StudyStatus | None) -> Callout:
    """Return the number of trials that are done, as a warning where some are not."""
    if status is None:
        return Callout("info", f"{results!r}.")
    done = f"{status.n_done:,} of {status.n_trials:,} trials are done"
    if status.is_complete:
        return Callout("good", f"The study is complete: {done}.")
    counts = ((status.n_failed, "failed"), (status.n_running, "are running"), (status.n_missing, "are missing"))
    rest = ", ".join(f"{n:,} {what}" for n, what in counts if n)
    return Callout(
        "warning", f"The study is not complete: {done}; {rest}.", "Means are of the splits that are finished."
    )


def rank_blocks(queries: StudyQueries, metric: str, number: int) -> list[Block]:
    """Return the mean ranks; with three or more methods the critical difference too (Demšar 2006)."""
    try:
        ranks = queries.results.ranks(metric, partial=True)
    except CalibrantError as error:
        return [Paragraph(f"Ranks: {error}", "note")]
    ordered = sorted(ranks.mean_ranks.items(), key=lambda item: item[1])
    columns = (TableColumn("Method", "left"), TableColumn("Mean rank"))
    rows = tuple((name, f"{rank:.2f}") for name, rank in ordered)
    left_out = f"Left out, because a method has no value there: {', '.join(ranks.left_out)}." if ranks.left_out else ""
    table = DataTable(f"Mean ranks over {len(ranks.datasets)} data sets; 1 is best", columns, rows, note=left_out)
    try:
        critical = queries.results.compare(metric, "nemenyi", confidence=queries.confidence, partial=True).ranks
    except CalibrantError:  # Nemenyi's test does not hold here
        return [table]
    return [table] if critical is None else [table, _rank_figure(critical, number), Paragraph(_rank_words(critical))]


def _rank_figure(found: CriticalDifference, number: int) -> Figure:
    """Return the mean ranks, with bars as long as the critical difference: methods whose bars do not meet differ."""
    ordered = sorted(found.mean_ranks.items(), key=lambda item: item[1])
    half = found.critical_difference / 2
    bars = ((name, rank, rank - half, rank + half) for name, rank in ordered)
    described = "; ".join(f"{name} {rank:.2f}" for name, rank in ordered)
    return Figure(
        f"ranks-{number}",
        "Mean rank by method",
        "Bars are as long as the critical difference: two methods whose bars do not meet are shown to differ.",
        f"Mean ranks: {described}; critical difference {found.critical_difference:.2f}.",
        Axis("Method"),
        Axis("Mean rank (1 is best)"),
        (Layer.of_intervals(bars, "mean rank and half the critical difference"),),
    )


def _rank_words(found: CriticalDifference) -> str:
    """Name the methods that are not shown to differ, group by group."""
    how = f"{found.test} over {found.n_datasets} data sets, {100 * found.confidence:g} %"
    test = f"critical difference {found.critical_difference:.3g} ({how})"
    groups = [group for group in found.groups if len(group) > 1]
    if not groups:
        return f"All methods are shown to rank differently; {test}."
    listed = "; ".join(", ".join(group) for group in groups)
    return f"Not shown to differ by their ranks: {listed}; {test}."


_MOST_PAIRS = 60  # in the page; `StudyResults.compare` has all


def difference_blocks(queries: StudyQueries, metric: str) -> list[Block]:
    """Return a table of the pairs that were compared, the test in words, and wins, ties and losses."""
    if len(queries.results.methods) < 2:
        return []
    found = queries.compare(metric)
    if isinstance(found, str):
        return [Paragraph(found, "note")]
    shown = sorted(found.pairs, key=lambda pair: not pair.holds)[:_MOST_PAIRS]
    columns = (
        TableColumn("Methods", "left"),
        TableColumn("Finding", "left"),
        TableColumn("Difference", term="first less second"),
        TableColumn("Interval"),
        TableColumn("Corrected p-value"),
    )
    more = len(found.pairs) - len(shown)
    note = f"{more:,} more pairs are left out; Study.compare has all." if more else ""
    n_found = len(found.differences)
    caption = f"{n_found} of {len(found.pairs)} pairs of methods are shown to differ by {metric_term(found.metric)}"
    table = DataTable(caption, columns, tuple(map(_row, shown)), note=note)
    parts = [f"{found.how}, at {100 * found.confidence:g} %: {found.reason}.", *found.notes]
    return [table, Paragraph(" ".join(parts), "note"), *_wins(queries.results, metric)]


def _row(pair: PairDifference) -> tuple[str, ...]:
    p_value = pair.pvalue if math.isnan(pair.adjusted_pvalue) else pair.adjusted_pvalue
    return (
        f"{pair.a} and {pair.b}",
        f"{pair.better} is better" if pair.holds else "not shown to differ",
        number_text(pair.difference),
        f"{number_text(pair.low)} to {number_text(pair.high)}" if math.isfinite(pair.high - pair.low) else "none",
        "" if math.isnan(p_value) else f"{p_value:.3g}",
    )


def _wins(results: StudyResults, metric: str) -> list[Block]:
    """Return wins, ties and losses over several data sets; nothing where their splits cannot be tested."""
    if len(results.datasets) < 2:
        return []
    try:
        found = results.win_tie_loss(metric, partial=True)
    except CalibrantError as error:
        return [Paragraph(f"Wins and losses: {error}", "note")]
    columns = tuple(TableColumn(name, "left") for name in ("Method", "Against"))
    columns += tuple(TableColumn(name) for name in ("Wins", "Ties", "Losses"))
    records = found.records[:_MOST_PAIRS]
    rows = tuple((each.method, each.competitor, *map(str, (each.wins, each.ties, each.losses))) for each in records)
    caption = f"Wins, ties and losses over the data sets, each tested at {100 * (1 - found.alpha):g} %"
    return [DataTable(caption, columns, rows)]


_BEST = "★ "


def metric_section(queries: StudyQueries, metric: str, number: int) -> Section:
    """Return the section of a metric."""
    if len(queries.results.datasets) == 1:
        blocks: list[Block] = _on_one_dataset(queries, metric, number)
    else:
        blocks = [_means(queries, metric), *rank_blocks(queries, metric, number)]
    blocks += difference_blocks(queries, metric)
    words, term = metric_heading(metric)
    return Section(f"metric-{number}", words, tuple(blocks), term=term)


def _marked(queries: StudyQueries, metric: str, values: Any) -> list[str]:
    """Return the values of a row, the best ones marked, ties included; none where the direction is not known."""
    means = np.asarray(values, dtype=np.float64)
    is_best = np.zeros(len(means), dtype=bool)
    if queries.direction(metric) and not np.isnan(means).all():
        losses = queries.results.facts(metric).losses(means)
        is_best = losses <= np.nanmin(losses)
    marks = zip(means.tolist(), is_best.tolist(), strict=True)
    return ["" if math.isnan(value) else f"{_BEST if mark else ''}{number_text(value)}" for value, mark in marks]


def _note(frame: Any, direction: str) -> str:
    parts = [f"{_BEST.strip()} best on the data set ({direction})."] if direction else []
    return " ".join([*parts, *(f"{note[:1].upper()}{note[1:]}." for note in frame.attrs.get("notes", []))])


def _means(queries: StudyQueries, metric: str) -> DataTable:
    """Return the means, data sets x methods, the best one of each data set marked."""
    frame = queries.results.table(metric, partial=True)
    columns = (TableColumn("Data set", "left"), *(TableColumn(str(name)) for name in frame.columns))
    rows = tuple(
        (str(dataset), *_marked(queries, metric, values))
        for dataset, values in zip(frame.index, frame.to_numpy(), strict=True)
    )
    caption = f"{metric_term(metric)}, mean over the test rows of the splits"
    return DataTable(caption, columns, rows, note=_note(frame, queries.direction(metric)))


def _on_one_dataset(queries: StudyQueries, metric: str, number: int) -> list[Block]:
    """Return a row for each method, with the interval of its mean, and a figure of the intervals."""
    results = queries.results
    frame = results.table(metric, interval=True, confidence=queries.confidence, partial=True)
    values = {end: [float(frame[name, end].iloc[0]) for name in results.methods] for end in ("mean", "low", "high")}
    found = list(zip(results.methods, values["mean"], values["low"], values["high"], strict=True))
    means = _marked(queries, metric, values["mean"])
    columns = (TableColumn("Method", "left"), TableColumn("Mean"), TableColumn(f"{queries.percent} interval"))
    rows = tuple(
        (name, mean, "" if math.isnan(low) else f"{number_text(low)} to {number_text(high)}")
        for (name, _, low, high), mean in zip(found, means, strict=True)
    )
    plan = results.plans[results.datasets[0]].words
    table = DataTable(
        f"{metric_term(metric)}, mean over {plan}", columns, rows, note=_note(frame, queries.direction(metric))
    )
    known = [row for row in found if math.isfinite(row[1]) and math.isfinite(row[2])]
    if not known:
        return [table, Paragraph("No interval holds for this plan and metric.", "note")]
    percent = queries.percent
    layer = Layer.of_intervals(known, f"mean and {percent} interval")
    described = "; ".join(f"{name} {number_text(mean)}" for name, mean, _, _ in known)
    caption = f"Mean and {percent} interval of each method; whether two differ is tested below."
    axes = Axis("Method"), Axis(metric_term(metric))
    title = f"{metric_heading(metric)[0]}, by method"
    return [table, Figure(f"intervals-{number}", title, caption, described, *axes, (layer,))]


_MOST_ROWS = 50


def failures_sections(results: StudyResults) -> tuple[Section, ...]:
    """Return a section of the failed trials by data set, method and error; none where none failed."""
    frame = results.to_frame()
    if "failure" not in frame or not (frame["state"] == "failed").any():
        return ()
    failed = frame[frame["state"] == "failed"]
    counts = failed.groupby(["dataset", "method", "failure"], observed=True).size()
    places: list[Any] = counts.index.tolist()
    rows = tuple(
        (str(dataset), str(method), f"{n:,}", str(error))
        for (dataset, method, error), n in zip(places, counts.tolist(), strict=True)
    )
    heads = ("Data set", "Method", "Trials", "Error")
    columns = tuple(TableColumn(name, "right" if name == "Trials" else "left") for name in heads)
    more = f"{len(rows) - _MOST_ROWS:,} more rows are left out. " if len(rows) > _MOST_ROWS else ""
    note = f"{more}Run the study with retry=True (--retry) to run these trials again."
    table = DataTable(f"{len(failed):,} trials failed", columns, rows[:_MOST_ROWS], note=note)
    return (Section("failures", "What failed?", (table,), term="Failed trials"),)


def how_made_section(study: Any, results: StudyResults, status: StudyStatus | None, command: str | None) -> Section:
    """Return the command, the plan, the seed, the store and the versions."""
    plans = dict.fromkeys(plan.words for plan in results.plans.values())
    facts = {
        "Study": results.name,
        "Data sets": ", ".join(results.datasets),
        "Methods": ", ".join(results.methods),
        "Plan": "; ".join(plans),
    }
    if status is not None:
        facts |= {
            "Seed": str(study.definition.seed),
            "Store": store_text(study.store),
            "Trials": f"{status.n_done:,} of {status.n_trials:,}, {status.seconds:,.1f} s",
        }
        facts |= {"Shared work": status.sharing} if status.sharing else {}
        facts |= {"Outdated": f"{status.n_outdated:,} trials are of other versions"} if status.n_outdated else {}
    frame = results.to_frame()
    recorded = [text for text in frame["versions"].dropna().unique().tolist() if text] if "versions" in frame else []
    return made_section(command, [*facts.items(), ("Versions", "; ".join(recorded) or versions_text())])


def study_sections(
    study: Any,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
    test: str | None,
    reference: str | None,
    confidence: float,
    command: str | None,
) -> tuple[str, tuple[Section, ...]]:
    """Return the name of a study, or of its results, and the sections of its report."""
    check_param("confidence", confidence, Real(0, 1, closed="neither"))
    with warnings.catch_warnings():  # the report says itself what is incomplete
        warnings.simplefilter("ignore", CalibrantWarning)
        results = study.results() if hasattr(study, "results") else study
        status = study.status() if hasattr(study, "status") else None
        results = results if datasets is None else results.select(datasets=datasets)
        chosen = tuple(results.metrics if metrics is None else metrics)
        queries = StudyQueries(results, test, reference, confidence)
        sections = (
            answer_section(queries, status, chosen),
            *(metric_section(queries, metric, number) for number, metric in enumerate(chosen)),
            *failures_sections(results),
            how_made_section(study, results, status, command),
        )
    return results.name, sections
