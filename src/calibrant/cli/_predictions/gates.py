"""Gates: conditions on a score card, such as ``ece>0.05``, under which a command fails."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.cli._app.options import usage_error
from calibrant.exceptions import nearest

if TYPE_CHECKING:
    from calibrant.metrics import ScoreCard

__all__ = ["Gate", "GateResult", "check_metric", "read_gate"]

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
