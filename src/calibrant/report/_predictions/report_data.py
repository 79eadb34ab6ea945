"""The data of a report on predictions, from which sections are made; scores are computed when first needed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant._sections import Block, Section
from calibrant.calibration import as_calibrator
from calibrant.decisions import CostMatrix, DecisionReport, ExampleCosts
from calibrant.decisions._internal import CostedPredictions, IntervalOptions, cross_fitted, decompose, profit_of
from calibrant.exceptions import CalibrantWarning, DataError
from calibrant.metrics import Score, ScoreCard, Verdict, evaluate
from calibrant.metrics._internal import BootstrapPlan, read_predictions, verdict_of
from calibrant.report._predictions.wording import rows_text

FEWEST_ROWS = 10  # that share a probability


def pooled(
    proba: NDArray[np.float64], fewest: int = FEWEST_ROWS, is_positive: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return the mean probability of each row's group of neighbours by probability, rounded to four decimals.

    Where rows have weights, pass their classes: a step of few positive rows would show the weight of one of them.

    Examples
    --------
    >>> pooled(np.array([0.1, 0.2, 0.3, 0.7, 0.9]), fewest=2)
    array([0.15 , 0.15 , 0.6333, 0.6333, 0.6333])
    """
    order = np.argsort(proba, kind="stable")
    values = proba[order]
    ends = np.append(np.flatnonzero(np.diff(values)) + 1, len(values))  # of tied rows
    positive = np.zeros(len(values), dtype=bool) if is_positive is None else is_positive[order]
    counted = [np.ones(len(values), dtype=bool)] if is_positive is None else [positive, ~positive]
    starts = spaced(ends, counted, fewest)
    sizes = np.diff(np.append(starts, len(values)))
    means = np.add.reduceat(values, starts) / sizes
    result = np.empty(len(values))
    result[order] = np.repeat(np.round(means, 4), sizes)
    return result


def spaced(ends: NDArray[np.intp], counted: list[NDArray[np.bool_]], fewest: int) -> list[int]:
    """Return 0 and those of the ends, but the last, that have so many rows of each kind on both sides.

    Examples
    --------
    >>> spaced(np.array([1, 2, 4, 5]), [np.ones(5, dtype=bool)], 2)
    [0, 2]
    """
    sums = [np.append(0, np.cumsum(kind)) for kind in counted]
    starts = [0]
    for end in ends[:-1].tolist():
        if all(total[end] - total[starts[-1]] >= fewest and total[-1] - total[end] >= fewest for total in sums):
            starts.append(end)
    return starts


Value = TypeVar("Value")

MOST_PAGES = 30  # of classes: the most frequent ones have a page


def computed_once(method: Callable[..., Value]) -> Callable[..., Value]:
    """Return a method that computes once: bootstraps, folds and tests take most of the time of a report."""

    @wraps(method)
    def computed(self: Any, *args: str) -> Value:
        key = method.__name__, *args
        if key not in self._computed:
            self._computed[key] = method(self, *args)
        found: Value = self._computed[key]
        return found

    return computed


@dataclass(frozen=True, eq=False, repr=False)
class ReportData:
    """Validated predictions of models for the same rows, of weight above 0, with what was computed of them.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        The class of each row.
    probas : dict of str to array of shape (n_rows,) or (n_rows, n_classes)
        The probabilities of each model: of the positive class, or of more than two classes.
    classes : tuple
        The classes, sorted.
    positive : object
        The positive class; None where there are more than two classes.
    costs : CostMatrix, ExampleCosts or None
        The costs of decisions.
    amount : array of shape (n_rows,) or None
        With `ExampleCosts`, the actual amount of each row.
    by : dict of str to array of shape (n_rows,)
        Columns of segments.
    groups, ids, sample_weight : array of shape (n_rows,) or None
        The cluster, the id and the weight of each row.
    weight_kind : {"frequency", "probability"}
        What a weight means.
    reference : str or None
        The model that others are compared with.
    model : dict of str to estimator
        Fitted models to draw.
    rows : bool
        Whether the report may contain something of single rows.
    confidence : float
        That of intervals.
    n_boot : int
        Number of bootstrap replicates.
    random_state : int
        The seed.
    source, command : str
        The file of the predictions, and the command that made the report.
    page : str
        The class this page is about; "" for the main page.
    page_number, n_pages : int
        The index of that class, and the number of classes with a page.
    """

    y_true: NDArray[Any]
    probas: Mapping[str, NDArray[np.float64]]
    classes: tuple[Any, ...]
    positive: Any = None
    costs: CostMatrix | ExampleCosts | None = None
    amount: NDArray[np.float64] | None = None
    by: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    groups: NDArray[Any] | None = None
    ids: NDArray[Any] | None = None
    sample_weight: NDArray[np.float64] | None = None
    weight_kind: str = "frequency"
    reference: str | None = None
    model: Mapping[str, Any] = field(default_factory=dict)
    rows: bool = True
    confidence: float = 0.95
    n_boot: int = 1000
    random_state: int = 0
    source: str = ""
    command: str = ""
    page: str = ""
    page_number: int = 0
    n_pages: int = 1
    _computed: dict[Any, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.probas)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y_true)

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return self.positive is not None

    @cached_property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return np.asarray(self.y_true == self.positive)

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The weight of each row, also where all are 1."""
        return np.ones(self.n_rows) if self.sample_weight is None else self.sample_weight

    def count(self, which: NDArray[np.bool_]) -> float:
        """Return the number of rows among some: rows with a frequency count as so many."""
        return float(self.weight[which].sum()) if self.weight_kind == "frequency" else float(which.sum())

    @property
    def n_counted(self) -> float:
        """Number of rows, where rows with a frequency count as so many."""
        return self.count(np.ones(self.n_rows, dtype=bool))

    @cached_property
    def has_own_weights(self) -> bool:
        """Whether weights differ between rows."""
        return bool(np.ptp(self.weight) > 0.0)

    @cached_property
    def base_rate(self) -> float:
        """The frequency of the positive class."""
        return float(np.average(self.is_positive, weights=self.weight))

    @property
    def level(self) -> str:
        """The confidence as percent."""
        return f"{100 * self.confidence:g} %"

    @property
    def fewest_selected(self) -> float:
        """The least share of the rows whose precision and lift are shown: ten rows, or 1 % of fewer than 1,000."""
        return min(10.0 / self.n_rows, 0.01)

    def few_rows_text(self, label: object) -> str:
        """Return the number of rows of a class; only that they are few where nothing of single rows may be shown."""
        which = self.y_true == label
        is_hidden = not self.rows and which.sum() < FEWEST_ROWS
        return f"fewer than {FEWEST_ROWS} rows" if is_hidden else rows_text(self.count(which))

    def subject(self, name: str) -> str:
        """Return the subject of a sentence: with several models, it names the one whose probabilities are meant."""
        return "the probabilities" if len(self.names) == 1 else f"the probabilities of {name}"

    def model_of(self, name: str) -> str:
        """Return the model that a block is hidden with: none where there is one model."""
        return name if len(self.names) > 1 else ""

    @property
    def positive_text(self) -> str:
        """The positive class, as captions name it."""
        return f"class {self.positive}"

    @property
    def curve_options(self) -> dict[str, Any]:
        """The arguments of curves and metrics beside classes and probabilities."""
        return {"sample_weight": self.sample_weight, "pos_label": self.positive, "labels": list(self.classes)}

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of functions with bootstrap intervals beside classes and probabilities."""
        return {
            **self.curve_options,
            "groups": self.groups,
            "weight_kind": self.weight_kind,
            "confidence": self.confidence,
            "n_boot": self.n_boot,
            "random_state": self.random_state,
        }

    def curve_proba(self, name: str) -> NDArray[np.float64]:
        """Return the probabilities that curves show; pooled where nothing of single rows may be shown."""
        return self.probas[name] if self.rows else self._pooled(name)

    @computed_once
    def _pooled(self, name: str) -> NDArray[np.float64]:
        return pooled(self.probas[name], is_positive=self.is_positive if self.has_own_weights else None)

    @cached_property
    def cards(self) -> dict[str, ScoreCard]:
        """The score card of each model."""
        return {name: evaluate(self.y_true, proba, **self.options) for name, proba in self.probas.items()}

    def area(self, name: str) -> Score:
        """Return the area under the ROC curve of a model."""
        return (self._class_card(name) if self.page else self.cards[name])["auc"]

    def class_verdict(self, name: str) -> Verdict:
        """Return the verdict on the calibration of a model for the class of a page."""
        return verdict_of(self._class_card(name))

    @computed_once
    def _class_card(self, name: str) -> ScoreCard:
        """Return the card of a page with the area alone, which needs no bootstrap."""
        return evaluate(self.y_true, self.probas[name], metrics=["auc"], **self.options)

    def plan(self, name: str) -> BootstrapPlan:
        """Return the rows of a model's card and how they are resampled."""
        plan = self.cards[name].judged
        assert plan is not None  # noqa: S101  # `evaluate` keeps the rows
        return plan

    @computed_once
    def verdict(self, name: str) -> Verdict:
        """Return the verdict on the calibration of a model, with the money that it bounds where there are costs."""
        costs, n_classes = self.costs, len(self.classes)
        if not isinstance(costs, CostMatrix) or costs.matrix.shape != (n_classes, n_classes):
            return self.cards[name].verdict
        order = costs.labels or self.classes
        matrix = costs.matrix[[list(order).index(label) for label in self.classes]]
        return verdict_of(self.cards[name], matrix, list(self.classes))

    def recalibrated(self, name: str) -> NDArray[np.float64] | None:
        """Return the probabilities of a model recalibrated fold by fold; None where a class has too few rows."""
        found = self._recalibrated(name)
        if found is None:
            return None
        return np.ascontiguousarray(found[:, self.classes.index(self.positive)]) if self.is_binary else found

    @computed_once
    def _recalibrated(self, name: str) -> NDArray[np.float64] | None:
        """Return the recalibrated probabilities of all classes."""
        read = read_predictions(self.y_true, self.probas[name], **self.curve_options)
        try:
            with warnings.catch_warnings():  # of equal probabilities, which the report warns of itself
                warnings.simplefilter("ignore", CalibrantWarning)
                return cross_fitted(read, as_calibrator("calibrator", "auto"), self._money_options)
        except DataError:
            return None

    @computed_once
    def money(self, name: str) -> DecisionReport | None:
        """Return the profit of a model's decisions, decomposed; None without costs, or with too few rows for it."""
        if self.costs is None or (recalibrated := self._recalibrated(name)) is None:
            return None
        options, costed = self._money_options, self.costed(name)
        return decompose(costed, recalibrated, profit_of(costed, options), options, type(_AUTO).__name__)

    def costed(self, name: str) -> CostedPredictions:
        """Return the predictions of a model with the costs of decisions."""
        return CostedPredictions.read(
            self.y_true, self.probas[name], self.costs, amount=self.amount, **self.curve_options
        )

    @property
    def _money_options(self) -> IntervalOptions:
        return IntervalOptions(self.weight_kind, self.groups, self.confidence, self.n_boot, self.random_state)

    def against_others(self, label: Any) -> ReportData:
        """Return the data of one class against all others."""
        number = self.classes.index(label)
        name, others = str(label), f"not {label}"
        return replace(
            self,
            y_true=np.where(self.y_true == label, name, others),
            probas={model: np.ascontiguousarray(proba[:, number]) for model, proba in self.probas.items()},
            classes=tuple(sorted((others, name))),
            positive=name,
            costs=None,
            _computed={},
        )

    @cached_property
    def page_classes(self) -> tuple[Any, ...]:
        """The classes that have a page: of very many the most frequent ones, in the order of the classes.

        Where nothing of single rows may be shown, classes of very few rows have none: its curves would be of them.
        """
        rows = {label: self.y_true == label for label in self.classes}
        counts = {label: float(self.weight[rows[label]].sum()) for label in self.classes}
        most = sorted(self.classes, key=lambda label: -counts[label])[:MOST_PAGES]
        fewest = 1 if self.rows else FEWEST_ROWS
        return tuple(label for label in self.classes if label in most and rows[label].sum() >= fewest)

    @computed_once
    def class_pages(self) -> list[ReportData]:
        """Return the data of the page of each class: that class against all others."""
        alone: dict[str, Any] = {"amount": None, "by": {}, "model": {}, "n_pages": len(self.page_classes)}
        pages = {label: self.against_others(label) for label in self.page_classes}
        return [
            replace(page, page=str(label), page_number=self.classes.index(label), _computed={}, **alone)
            for label, page in pages.items()
        ]

    def curves(self, compute: Callable[..., Value], **options: Any) -> dict[str, Value]:
        """Return a curve of each model, by what computes it from classes and probabilities."""
        options |= self.curve_options
        return {name: compute(self.y_true, self.curve_proba(name), **options) for name in self.names}

    def section(self, name: str, title: str, blocks: Sequence[Block], term: str) -> Section:
        """Return a section of the page that these data are of."""
        return Section(self.figure_name(name), title, tuple(blocks), term, self.page)

    def figure_name(self, name: str) -> str:
        """Return the name of a figure or section, which differs between pages."""
        return f"class-{self.page_number}-{name}" if self.page else name


_AUTO = as_calibrator("calibrator", "auto")
