"""Score cards: the value of each metric, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from calibrant._optional import optional_import, pandas_frame
from calibrant._repr import aligned_lines, number_text
from calibrant._sections import Block, DataTable, Paragraph, Section, TableColumn, sections_html
from calibrant.exceptions import ParameterError, nearest
from calibrant.metrics._calibration.calibration_tests import EqualCalibration
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan as Judged  # the name in the public signature
from calibrant.metrics._verdict.verdict import Verdict

_MOST_SEGMENTS, _MOST_ROWS = 20, 200  # with a section each, and with a row each


def _card_section(card: ScoreCard, name: str) -> Section:
    names = TableColumn("interval", "left"), TableColumn("by", "left"), TableColumn("without chance", "left")
    head = TableColumn("metric", "left"), TableColumn("value"), *names
    rows = tuple(_cells(score) for score in card.scores.values())
    used = [column for column in range(5) if column < 2 or any(row[column] for row in rows)]
    columns = tuple(head[column] for column in used)
    table = DataTable("Metrics", columns, tuple(tuple(row[column] for column in used) for row in rows))
    notes = filter(None, [scope_text(card), *_notes(card)])
    return Section(name, _title(card), (table, *(Paragraph(note, "note") for note in notes)))


def _segments_blocks(card: ScoreCard) -> tuple[Block, ...]:
    head, *rows = _segment_cells(card)
    columns = TableColumn("segment", "left"), *(TableColumn(name) for name in head[1:])
    n_more = len(rows) - 1 - _MOST_ROWS
    note = f"… and {n_more:,} more segments" if n_more > 0 else ""
    table = DataTable("Segments", columns, tuple(map(tuple, rows[: _MOST_ROWS + 1])), note=note)
    return (table, Paragraph(str(card.equal_calibration))) if card.equal_calibration is not None else (table,)


def _title(card: ScoreCard) -> str:
    of = f" of {card.name}" if card.name is not None else ""
    sure = f", intervals at {100 * card.confidence:g} %" if card.confidence is not None else ""
    rows = "1 row" if card.n_rows == 1 else f"{card.n_rows:,} rows"
    return f"Scores{of}: {rows}, {len(card.classes)} classes{sure}"


def _notes(card: ScoreCard) -> list[str]:
    """Return each note once, after the metrics that it applies to."""
    of_note: dict[str, list[str]] = {}
    for score in card.scores.values():
        of_note.setdefault(score.note, []).append(score.metric)
    return [f"{', '.join(metrics)}: {note}" for note, metrics in of_note.items() if note]


def scope_text(card: ScoreCard) -> str:
    """Return a sentence on the scope and the assumptions of the intervals."""
    if card.confidence is None or all(score.high is None for score in card.scores.values()):
        return ""
    has_clusters = card.judged is not None and card.judged.group is not None
    drawn = "groups drawn" if has_clusters else "rows drawn independently"
    bounded = ", ".join(name for name, score in card.scores.items() if score.low is None and score.high is not None)
    bound = f" {bounded}: “at most” bounds the true mean error; chance adds to the value." if bounded else ""
    return f"Intervals of this fitted model, on {drawn} like these.{bound}"


def _cells(score: Score) -> tuple[str, str, str, str, str]:
    calibration = f"debiased {number_text(score.debiased)}" if score.debiased is not None else ""
    calibration += f"  p = {score.pvalue:.3g}" if score.pvalue is not None else ""
    return score.metric, number_text(score.value), _interval_text(score), score.method, calibration.strip()


def _interval_text(score: Score) -> str:
    if score.high is None:
        return ""
    if score.low is None:
        return f"at most {number_text(score.high)}"
    return f"[{number_text(score.low)}, {number_text(score.high)}]"


def _segment_cells(card: ScoreCard) -> list[list[str]]:
    """Return the names of the columns, and the cells of all rows and of each segment."""
    parts = [("(all)", card), *((str(name), part) for name, part in card.cards.items())]
    cells = ([name, f"{part.n_rows:,}", *map(number_text, map(float, part.values()))] for name, part in parts)
    return [["", "rows", *card], *cells]


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
        For calibration errors, and average_precision and aulc of more than five classes: the value less what chance
        alone adds to it.
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
        parts = [self.metric, number_text(self.value), _interval_text(self)]
        parts += [f"debiased {number_text(self.debiased)}"] if self.debiased is not None else []
        parts += [f"p = {self.pvalue:.3g}"] if self.pvalue is not None else []
        return " ".join(filter(None, parts))


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
        from calibrant.metrics._verdict.judge import verdict_of

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
        if self.cards:
            pandas = optional_import("pandas", extra="data", purpose="make a frame of a score card")
            return pandas.concat({name: card.to_frame() for name, card in self.cards.items()}, names=["by", None])
        rows = [[getattr(score, column) for column in _COLUMNS] for score in self.scores.values()]
        return pandas_frame(rows, "make a frame of a score card", index=list(self.scores), columns=list(_COLUMNS))

    def __repr__(self) -> str:
        if self.cards:
            equal = [] if self.equal_calibration is None else [str(self.equal_calibration)]
            return "\n".join([_title(self), *aligned_lines(_segment_cells(self)), *equal])
        lines = aligned_lines(map(_cells, self.scores.values()), left=(0, 2, 3, 4))
        return "\n".join([_title(self), *lines, *_notes(self), *filter(None, [scope_text(self)])])

    def _repr_html_(self) -> str:
        return sections_html(self._sections())

    def _sections(self) -> tuple[Section, ...]:
        """Return the sections that notebooks, reports and web pages show: of all rows, and of each segment."""
        if not self.cards:
            return (_card_section(self, "score-card"),)
        whole = replace(self, name="all rows", cards={}, equal_calibration=None)
        parts = list(self.cards.values())[:_MOST_SEGMENTS]
        return (
            Section("segments", _title(self), _segments_blocks(self)),
            _card_section(whole, "score-card"),
            *(_card_section(part, f"score-card-{number}") for number, part in enumerate(parts, 1)),
        )
