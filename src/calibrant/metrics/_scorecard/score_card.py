"""Score cards: the value of each metric, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant._sections import Section, sections_html
from calibrant.exceptions import ParameterError, nearest
from calibrant.metrics._scorecard.card_text import card_sections, card_text, score_text

if TYPE_CHECKING:
    from calibrant.metrics._calibration.equal_calibration import EqualCalibration
    from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan as Judged  # the name in the public signature
    from calibrant.metrics._verdict.result import Verdict

__all__ = ["Score", "ScoreCard"]

_COLUMNS = ("value", "low", "high", "method", "debiased", "pvalue", "note")


@dataclass(frozen=True)
class Score:
    """The value of a metric and its interval.

    Parameters
    ----------
    metric : str
        The metric's id in `METRICS`.
    value : float
        Its value.
    low, high : float or None
        The interval; None where no valid one is known. Of calibration errors only the upper bound on the true mean
        error is.
    method : str
        The method of the interval.
    debiased : float or None
        For calibration errors: the value less what chance alone adds to it.
    pvalue : float or None
        For calibration errors and tests of calibration: the probability of a value at least so extreme under perfect
        calibration.
    note : str
        A remark on the value or the interval.

    Examples
    --------
    >>> Score("auc", 0.75, 0.6, 0.86, "DeLong")
    auc 0.7500 [0.6000, 0.8600]
    >>> float(Score("auc", 0.75))
    0.75
    """

    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    method: str = ""
    debiased: float | None = None
    pvalue: float | None = None
    note: str = ""

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return score_text(self)


@dataclass(frozen=True, eq=False)
class ScoreCard(Mapping[str, Score]):
    """A score for each metric, from the same rows.

    Intervals are those of this fitted model on further rows, drawn independently like these (or by whole clusters, if
    `groups` was passed). They do not cover the variation between models fitted to other rows.

    Parameters
    ----------
    scores : dict of str to Score
        The scores, in the order requested.
    n_rows : int
        Number of rows of weight above 0.
    classes : tuple
        The classes.
    confidence : float or None
        The probability that such intervals cover the true value; None: there are none.
    name : object
        The segment of the rows, where there are several.
    cards : dict of object to ScoreCard
        A card for each segment, if `by` was passed.
    equal_calibration : EqualCalibration or None
        The test of equal calibration of the segments, if `by` was passed.
    judged : BootstrapPlan or None
        The rows and how they are resampled; kept for `verdict` and `compare`.
    binned : BootstrapPlan or None
        The rows of a streamed table, in bins of nearly equal probability; kept for `verdict`.

    Examples
    --------
    >>> from calibrant.metrics import evaluate
    >>> card = evaluate([0, 1, 0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3, 0.9, 0.2], metrics=["auc", "mse"])
    >>> card["auc"]
    auc 0.8889 [0.2724, 0.9942]
    >>> list(card)
    ['auc', 'mse']
    """

    scores: Mapping[str, Score]
    n_rows: int
    classes: tuple[Any, ...]
    confidence: float | None
    name: Any = None
    cards: Mapping[Any, ScoreCard] = field(default_factory=dict)
    equal_calibration: EqualCalibration | None = None
    judged: Judged | None = field(default=None, repr=False)
    binned: Judged | None = field(default=None, repr=False)

    def __getitem__(self, metric: str) -> Score:
        if metric not in self.scores:
            raise ParameterError(
                f"the card has no {metric!r}; it has {', '.join(self.scores)}.{nearest(metric, self.scores)} Pass "
                "metrics= to evaluate."
            )
        return self.scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __contains__(self, metric: object) -> bool:
        return metric in self.scores

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on calibration in words; see `calibration_verdict`.

        Examples
        --------
        >>> from calibrant.metrics import evaluate
        >>> evaluate([0, 1] * 50, [0.5] * 100, metrics=["mse"]).verdict.kind
        'cannot tell'
        """
        from calibrant.metrics._verdict.verdict import verdict_of

        return verdict_of(self)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each metric; with segments, one for each segment and metric.

        Examples
        --------
        >>> from calibrant.metrics import evaluate
        >>> evaluate([0, 1, 1], [0.2, 0.7, 0.6], metrics=["mse"], confidence=None).to_frame()["value"].round(3)
        mse    0.193
        Name: value, dtype: float64
        """
        pandas = optional_import("pandas", extra="data", purpose="make a frame of a score card")
        if self.cards:
            return pandas.concat({name: card.to_frame() for name, card in self.cards.items()}, names=["by", None])
        rows = [[getattr(score, column) for column in _COLUMNS] for score in self.scores.values()]
        return pandas.DataFrame(rows, index=list(self.scores), columns=list(_COLUMNS))

    def __repr__(self) -> str:
        return card_text(self)

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the card as sections, which notebooks, reports and web pages show."""
        return card_sections(self)
