"""A report on predictions, and the blocks of its sections by what they hold."""

from __future__ import annotations

from typing import Any

from calibrant.report import Report

__all__ = ["callouts", "facts", "figures", "html_of", "layers_of", "paragraphs", "report_of", "section", "tables"]


def report_of(y: Any, p: Any, **options: Any) -> Report:
    return Report.from_predictions(y, p, **{"n_boot": 50, **options})


def section(report: Report, name: str) -> Any:
    return next(each for each in report.sections if each.name == name)


def html_of(report: Report, name: str) -> str:
    html: str = section(report, name).html()
    return html


def callouts(report: Report, name: str) -> list[Any]:
    return [block for block in section(report, name).blocks if hasattr(block, "detail")]


def paragraphs(report: Report, name: str) -> list[Any]:
    return [block for block in section(report, name).blocks if hasattr(block, "kind") and not hasattr(block, "detail")]


def tables(report: Report, name: str) -> list[Any]:
    return [block for block in section(report, name).blocks if hasattr(block, "columns")]


def figures(report: Report, name: str) -> dict[str, Any]:
    return {block.name: block for block in section(report, name).blocks if hasattr(block, "layers")}


def layers_of(figure: Any, model: str) -> list[Any]:
    return [layer for layer in figure.layers if layer.model == model]


def facts(report: Report) -> dict[str, str]:
    """Return the named facts of how the report was made."""
    return dict(next(block.pairs for block in section(report, "how-made").blocks if hasattr(block, "pairs")))
