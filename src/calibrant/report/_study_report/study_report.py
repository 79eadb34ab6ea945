"""The report of a study."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calibrant._params import Real, check_param
from calibrant.exceptions import CalibrantWarning
from calibrant.report._study_report.answer import answer_section
from calibrant.report._study_report.failures import failures_sections
from calibrant.report._study_report.how_made import how_made_section
from calibrant.report._study_report.metric_section import metric_section
from calibrant.report._study_report.study_queries import StudyQueries

if TYPE_CHECKING:
    from calibrant.report._report import Report

__all__ = ["study_report"]


def study_report(
    study: Any,
    *,
    metrics: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    test: str | None = None,
    reference: str | None = None,
    confidence: float = 0.95,
    title: str | None = None,
    command: str | None = None,
) -> Report:
    """Return the report of a study, or of its results; `Report.from_study` describes it."""
    from calibrant.report._report import Report  # it imports this module

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
    return Report(title or f"Study: {results.name}", sections)
