"""What a study shows, in words: the first section of its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant._repr import number_text
from calibrant._sections import Callout, Paragraph, Section
from calibrant.report._metric_phrase import metric_phrase, metric_term

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.report._study_report.study_queries import StudyQueries
    from calibrant.studies import BestMethod, StudyResults, StudyStatus

__all__ = ["answer_section"]


def answer_section(queries: StudyQueries, status: StudyStatus | None, metrics: Sequence[str]) -> Section:
    """Return which method is the best by each metric, what is shown to differ, and how far the study is."""
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
    return f"Of {methods} on {on}, {best.method} comes out best by {metric_phrase(metric)}{doubt}."


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
    """Return how many trials are done, with a warning where some are not."""
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
