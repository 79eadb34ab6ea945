"""Score cards as tables and as JSON: one model or several, all rows or segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from calibrant.cli._app.printing import print_table, print_text

if TYPE_CHECKING:
    from calibrant.metrics import Score, ScoreCard

__all__ = ["card_document", "number", "print_cards", "print_differences", "print_segments"]

_SEGMENT_METRICS = ("log_loss", "auc", "accuracy", "ece")  # of a dozen: more columns than that are hard to compare


def number(value: float | None) -> str:
    """Return a number with four digits after the point, more if it is small."""
    if value is None:
        return ""
    if value == 0 or not abs(value) < float("inf"):
        return f"{value:g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.3g}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval or an upper bound as text, empty where there is none."""
    if high is None:
        return ""
    return f"at most {number(high)}" if low is None else f"{number(low)} to {number(high)}"


def print_cards(cards: Mapping[str, ScoreCard]) -> None:
    """Print the scores of one model, or those of several side by side."""
    first = next(iter(cards.values()))
    if len(cards) == 1:
        rows = [
            [name, number(score.value), interval(score.low, score.high), _remark(score)]
            for name, score in first.items()
        ]
        print_table(["metric", "value", _title(first), ""], rows, left=["metric", _title(first), ""])
    else:
        columns = ["metric", *cards]
        print_table(
            columns, [[name, *(_with_interval(card[name]) for card in cards.values())] for name in first], left=columns
        )
    notes = dict.fromkeys(
        f"{name}: {score.note}." for card in cards.values() for name, score in card.items() if score.note
    )
    for note in notes:
        print_text(note)


def print_differences(differences: Mapping[str, Mapping[str, Any]], reference: str) -> None:
    """Print the differences of models from the first one, with intervals, and which of them hold."""
    columns = ["metric", *(f"{name} − {reference}" for name in differences)]
    metrics = list(next(iter(differences.values())))
    rows = [[metric, *(_difference(found[metric]) for found in differences.values())] for metric in metrics]
    print_table(columns, rows, left=columns)


def print_segments(column: str, cards: Mapping[str, ScoreCard], requested: bool) -> None:
    """Print the scores of the segments of each model, with the test of equal calibration."""
    for name, card in cards.items():
        metrics = [metric for metric in card if requested or metric in _SEGMENT_METRICS]
        rows = [
            [str(label), f"{part.n_rows:,}", *(number(part[metric].value) for metric in metrics), part.verdict.kind]
            for label, part in card.cards.items()
        ]
        of = f" of {name}" if len(cards) > 1 else ""
        print_text(f"\nBy {column}{of}")
        print_table([column, "rows", *metrics, "verdict"], rows, left=[column, "verdict"])
        if card.equal_calibration is not None:
            print_text(f"{card.equal_calibration!r}.".capitalize())


def card_document(card: ScoreCard) -> dict[str, Any]:
    """Return a card for JSON: rows, scores and verdict."""
    found = card.verdict
    verdict = {name: value for name, value in vars(found).items() if name not in ("off", "tests", "classes")}
    for name, parts in (("off", found.off), ("classes", found.classes)):
        verdict[name] = [part._asdict() for part in parts]
    verdict["tests"] = dict(found.tests)
    scores = {
        name: {key: value for key, value in asdict(score).items() if key != "metric"} for name, score in card.items()
    }
    return {"rows": card.n_rows, "scores": scores, "verdict": verdict}


def _title(card: ScoreCard) -> str:
    return f"{100 * card.confidence:g} % interval" if card.confidence is not None else "interval"


def _remark(score: Score) -> str:
    parts = [f"debiased {number(score.debiased)}"] if score.debiased is not None else []
    return ", ".join(parts + ([f"p = {score.pvalue:.2g}"] if score.pvalue is not None else []))


def _with_interval(score: Score) -> str:
    ends = interval(score.low, score.high)
    return number(score.value) + (f" ({ends})" if ends else "")


def _difference(found: Any) -> str:
    sign = "+" if found.difference > 0 else ""
    ends = interval(found.low, found.high)
    held = {"first": ", better", "second": ", worse"}.get(found.better, "")
    return f"{sign}{number(found.difference)}" + (f" ({ends}){held}" if ends else "")
