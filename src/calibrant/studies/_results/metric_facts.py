"""Which of two values of a metric is better, and between which limits they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._params import Choice, Nothing, check_param
from calibrant.exceptions import ParameterError, StudyError, nearest
from calibrant.metrics import METRICS, numeric
from calibrant.metrics._internal import CALIBRATION_ERRORS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from calibrant.comparison._internal import Better

__all__ = ["MetricFacts", "choose_name", "metric_facts"]


@dataclass(frozen=True)
class MetricFacts:
    """A metric of a study; `better` is empty where it is a function of which it is not known."""

    name: str
    better: Literal["lower", "higher", "nearer", ""] = ""
    low: float = -math.inf
    high: float = math.inf
    target: float = 0.0
    is_calibration_error: bool = False

    @property
    def side(self) -> Better:
        """Which of two values of `comparable` is better; raise where it is not known."""
        if not self.better:
            raise StudyError(
                f"metric {self.name!r} is a function, of which it is not known whether more is better; pass "
                "better='higher' or better='lower'."
            )
        return "lower" if self.better == "nearer" else self.better

    def comparable(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values themselves, or how far they are from the best one where nearer is better."""
        return np.abs(values - self.target) if self.better == "nearer" else values

    def losses(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers of which the least is the best."""
        return self.comparable(values) if self.side == "lower" else -values

    @property
    def words(self) -> str:
        """Which value is better, in words."""
        return f"nearer to {self.target:g} is better" if self.better == "nearer" else f"{self.side} is better"


def metric_facts(
    name: str, metrics: Sequence[str], own: Collection[str] = (), better: Better | None = None
) -> MetricFacts:
    """Return the facts of a metric of a study, with the nearest name in the error for one that it does not have.

    Examples
    --------
    >>> metric_facts("auc", ["auc", "mse"]).better, metric_facts("calibration_slope", ["calibration_slope"]).words
    ('higher', 'nearer to 1 is better')
    """
    choose_name("metric", name, metrics)
    check_param("better", better, Choice("higher", "lower") | Nothing())
    if name in own:
        return MetricFacts(name, better or "")
    if name in METRICS:
        found = METRICS[name]
        side = found.better if better is None else better
        return MetricFacts(name, side, found.low, found.high, found.target, name in CALIBRATION_ERRORS)
    if name in numeric.__all__:
        higher = name == "correlation"
        return MetricFacts(name, better or ("higher" if higher else "lower"), -1.0 if higher else 0.0, _top(higher))
    return MetricFacts(name, better or "")


def _top(is_correlation: bool) -> float:
    return 1.0 if is_correlation else math.inf


def choose_name(what: str, name: Any, names: Sequence[str]) -> int:
    """Return the position of a name among those of a study, or raise with the names there are and the nearest."""
    if name not in names:
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        raise ParameterError(f"{what} must be one of {shown}; got {name!r}.{nearest(name, names)}")
    return names.index(name)
