"""Score cards as tables or JSON, with gates on them."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from calibrant._repr import number_text
from calibrant.cli._app.options import usage_error
from calibrant.cli._app.printing import print_table, print_text
from calibrant.exceptions import nearest

if TYPE_CHECKING:
    from calibrant.metrics import Score, ScoreCard

_SEGMENT_METRICS = ("log_loss", "auc", "accuracy", "ece")  # of a dozen: more columns than that are hard to compare


def interval(low: float | None, high: float | None) -> str:
    """Return an interval or an upper bound as text, empty where there is none."""
    if high is None:
        return ""
    return f"at most {number_text(high)}" if low is None else f"{number_text(low)} to {number_text(high)}"


def print_cards(cards: Mapping[str, ScoreCard]) -> None:
    """Print the scores of one model, or those of several side by side."""
    first = next(iter(cards.values()))
    if len(cards) == 1:
        rows = [
            [name, number_text(score.value), interval(score.low, score.high), _remark(score)]
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
            [
                str(label),
                f"{part.n_rows:,}",
                *(number_text(part[metric].value) for metric in metrics),
                part.verdict.kind,
            ]
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
    parts = [f"debiased {number_text(score.debiased)}"] if score.debiased is not None else []
    return ", ".join(parts + ([f"p = {score.pvalue:.2g}"] if score.pvalue is not None else []))


def _with_interval(score: Score) -> str:
    ends = interval(score.low, score.high)
    return number_text(score.value) + (f" ({ends})" if ends else "")


def _difference(found: Any) -> str:
    sign = "+" if found.difference > 0 else ""
    ends = interval(found.low, found.high)
    held = {"first": ", better", "second": ", worse"}.get(found.better, "")
    return f"{sign}{number_text(found.difference)}" + (f" ({ends}){held}" if ends else "")


_COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_NUMBER = re.compile(r"\s*(\w+)(?:\.(\w+))?\s*(>=|<=|>|<)\s*(\S+)\s*")
_VERDICT = re.compile(r"\s*verdict\s*(=|==|!=)\s*(.+?)\s*")
_VERDICTS = ("calibrated", "miscalibrated", "too little to matter", "cannot tell")
_FIELDS = ("value", "low", "high", "debiased", "pvalue")


@dataclass(frozen=True)
class GateResult:
    """Whether a gate failed for a model, and the value it judged."""

    gate: str
    model: str
    value: float | str | None
    failed: bool
    message: str


@dataclass(frozen=True)
class Gate:
    """A condition under which the command fails; a metric that has no value fails too."""

    text: str
    metric: str | None  # None: the verdict
    field: str
    compare: str
    limit: float | str

    def judge(self, model: str, card: ScoreCard) -> GateResult:
        """Return whether the condition holds for a card."""
        return self._judge_verdict(model, card) if self.metric is None else self._judge_score(model, card)

    def _judge_verdict(self, model: str, card: ScoreCard) -> GateResult:
        kind = card.verdict.kind
        failed = (kind == self.limit) == (self.compare != "!=")
        return GateResult(self.text, model, kind, failed, f"the verdict is {kind!r}")

    def _judge_score(self, model: str, card: ScoreCard) -> GateResult:
        value = getattr(card[str(self.metric)], self.field)
        name = f"{self.metric}" if self.field == "value" else f"{self.metric}.{self.field}"
        if value is None or math.isnan(value):
            return GateResult(self.text, model, None, True, f"{name} has no value")
        limit = float(self.limit)
        failed = _COMPARE[self.compare](value, limit)
        side = "above" if value > limit else "below"
        apart = f", {abs(value - limit):.2g} {side} {limit:g}" if value != limit else ""
        return GateResult(self.text, model, value, failed, f"{name} is {value:.4g}{apart}")


def read_gate(text: str) -> Gate:
    """Return the gate of a text; raise a usage error if it is none.

    Examples
    --------
    >>> read_gate("ece > 0.05")
    Gate(text='ece > 0.05', metric='ece', field='value', compare='>', limit=0.05)
    >>> read_gate("verdict=miscalibrated").limit
    'miscalibrated'
    """
    if verdict := _VERDICT.fullmatch(text):
        kind = verdict[2].replace("_", " ").strip("'\"")
        if kind not in _VERDICTS:
            raise _error(f"{kind!r} is no verdict; there are {', '.join(_VERDICTS)}.{nearest(kind, _VERDICTS)}")
        return Gate(text, None, "", verdict[1], kind)
    found = _NUMBER.fullmatch(text)
    if not found:
        raise _error(f'must be like "ece>0.05", "auc<0.8" or "verdict=miscalibrated"; got {text!r}.')
    metric, field, compare, limit = found.groups()
    check_metric(metric, "--fail-if")
    if field is not None and field not in _FIELDS:
        raise _error(f"a score has no {field!r}; it has {', '.join(_FIELDS)}.{nearest(field, _FIELDS)}")
    try:
        number = float(limit)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise _error(f"must end with a number; got {limit!r} in {text!r}.")
    return Gate(text, metric, field or "value", compare, number)


def check_metric(metric: str, option: str) -> None:
    """Raise a usage error if there is no metric of this name that needs only classes and probabilities."""
    from calibrant.metrics import METRICS

    usable = [name for name, entry in METRICS.items() if not entry.needs]
    if metric not in usable:
        hint = nearest(metric, usable) or f" There are {', '.join(usable)}."
        raise usage_error(f"there is no metric {metric!r}.{hint}", option)


def _error(message: str) -> Exception:
    return usage_error(message, "--fail-if")
