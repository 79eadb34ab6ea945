"""The registry of metrics, with the rules of their options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from numpy.typing import NDArray

from calibrant._params import Bool, Choice, Int, Nothing, Real, Rule, check_param
from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import KEYWORDS, Common, document_metric
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric and the meaning of its values.

    Parameters
    ----------
    id : str
        Its name in `METRICS`.
    function : callable
        ``function(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None)``, with further keywords.
    judge : callable
        The same for validated rows and keywords, ``judge(predictions)``, with further keywords: so that rows are
        validated and sorted once for many metrics.
    better : {"lower", "higher", "nearer"}
        Which of two values is better: the lower, the higher, or the one nearer to `target`.
    low, high : float
        The range of its values.
    papers : dict of str to str
        Its name in the papers.
    classes : {"any", "two"}
        The number of classes it is defined for. If two, more can be evaluated one against all others, by `pos_label`.
    needs : tuple of str
        The required keywords, such as costs.
    target : float
        The best value, where `better` is "nearer".
    hits : callable, optional
        Of a metric that is a proportion of rows which the actual classes alone determine: ``hits(predictions)`` returns
        for each row 1 or 0, whether it is counted, and NaN where it does not belong to them; it takes those options of
        the metric, such as a threshold, that leave it a proportion. `compare` tests the difference of such a metric by
        the rows that count for one model only.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> METRICS["mse"].better, METRICS["mse"].high
    ('lower', 2.0)
    >>> METRICS["mse"].function([0, 1], [0.5, 0.5])
    0.5
    """

    id: str
    function: Callable[..., float]
    judge: Callable[..., float]
    better: Literal["lower", "higher", "nearer"]
    low: float
    high: float
    papers: Mapping[str, str] = field(default_factory=dict)
    classes: Literal["any", "two"] = "any"
    needs: tuple[str, ...] = ()
    target: float = 0.0
    hits: Callable[..., NDArray[np.float64]] | None = None

    def is_better(self, one: float, other: float) -> bool:
        """Return whether one value is better than another.

        Examples
        --------
        >>> from calibrant.metrics import METRICS
        >>> METRICS["mse"].is_better(0.1, 0.2), METRICS["calibration_slope"].is_better(1.1, 0.8)
        (True, True)
        """
        if self.better == "nearer":
            return abs(one - self.target) < abs(other - self.target)
        return one < other if self.better == "lower" else one > other


METRICS: dict[str, Metric] = {}  # by id, in the order of `calibrant.metrics`
_F = TypeVar("_F", bound=Callable[..., float])


def metric(
    better: Literal["lower", "higher", "nearer"],
    low: float,
    high: float,
    papers: Mapping[str, str] | None = None,
    *,
    judge: Callable[..., float] | None = None,
    **facts: Any,
) -> Callable[[_F], _F]:
    """Enter a function into the registry, and fill the placeholders of its docstring.

    The function passes its first arguments to `read_rows`, which returns validated rows as they are: so it is its own
    `judge`, unless another is passed. `facts` are further fields of `Metric`.
    """

    def register(function: _F) -> _F:
        name = function.__name__
        own = judge or partial(_judge, function)
        METRICS[name] = Metric(name, function, own, better, low, high, papers or {}, **facts)
        return document_metric(function, own)

    return register


def _judge(function: Callable[..., float], predictions: Any, **options: Any) -> float:
    return function(predictions, None, **options)


@dataclass(frozen=True, eq=False)
class BoundMetric(Metric):
    """A metric with options of its own, which its `judge` is called with.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> BoundMetric.of(METRICS["lift"], {"fraction": 0.5}).options
    {'fraction': 0.5}
    """

    options: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(metric: Metric, options: Mapping[str, Any], labels: Any = None) -> BoundMetric:
        """Bind the options of a metric, and the order of classes that a matrix or a prior among them follows."""
        follows = labels is not None and not {"matrix", "prior"}.isdisjoint(options)
        # Only options that are laid out by class follow their order; passing it to others would be an unknown keyword.
        judge = partial(metric.judge, **options, **({"labels": labels} if follows else {}))
        kept = {each.name: getattr(metric, each.name) for each in fields(metric)}
        # What a metric needs is bound now, so it can be evaluated like one without options.
        own = {"judge": judge, "needs": (), "hits": bound_hits(metric, options)}
        return BoundMetric(**(kept | own), options=dict(options))


def bound_hits(metric: Metric, options: Mapping[str, Any]) -> Callable[..., NDArray[np.float64]] | None:
    """Return the hits with the options of a metric; None where one, such as an average, makes it no proportion."""
    if metric.hits is None or not options.keys() <= inspect.signature(metric.hits).parameters.keys():
        return None
    return partial(metric.hits, **options)


def options_of(metric: Metric) -> Mapping[str, Any]:
    """Return the options that a metric is bound to; none for one of the registry."""
    return metric.options if isinstance(metric, BoundMetric) else {}


def bound_keywords(metric: Metric) -> dict[str, Any]:
    """Return the keywords that the `judge` of a bound metric passes on; none for one of the registry."""
    return dict(metric.judge.keywords) if isinstance(metric.judge, partial) and options_of(metric) else {}


def requested_metrics(
    metrics: str | Iterable[str] | None,
    can: Mapping[str, Metric],
    default: Iterable[str],
    find: Callable[[str], Metric],
) -> dict[str, Metric]:
    """Return by name the metrics that `find` returns for a list of names, all that can be evaluated, or the default."""
    if metrics is None:
        return {name: can[name] for name in default if name in can}
    if isinstance(metrics, str) and metrics == "all":
        return dict(can)
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        hint = f" Pass [{metrics!r}]." if isinstance(metrics, str) else ""
        raise ParameterError(f"metrics must be a list of ids, 'all' or None; got {metrics!r}.{hint}")
    return {name: find(name) for name in metrics}


CARUANA = "Caruana & Niculescu-Mizil 2006"
CHAWLA = "Chawla & Cieslak 2006"
NIELSEN = "Nielsen 2004"
WITTEN = "Witten, Frank & Hall 2011"
ZADROZNY = "Zadrozny & Elkan 2001"


_POSITIVE = Real(0, closed="neither")
_FRACTION = Real(0, 1, closed="right")
_CLIP: dict[str, Rule] = {"clip": Real(0, 0.5, closed="left") | Nothing()}
# Of the keywords that several metrics share; those below are of one metric or of few.
_SHARED_RULES: dict[str, Rule] = {
    "threshold": Real(0, 1) | Nothing(),
    "inclusive": Bool(),
    "average": Choice("macro", "weighted", "micro") | Nothing(),
    "weights": Choice("linear", "quadratic") | Nothing(),
    "n_bins": Int(1),
    "strategy": Choice("width", "mass"),
    "norm": Choice("l1", "l2", "max"),
    "debiased": Bool(),
}
_OPTION_RULES: dict[str, dict[str, Rule]] = {
    "auc": {"average": Choice("one_vs_rest", "one_vs_one", "one_vs_rest_equal", "one_vs_one_weighted")},
    "aulc": {"step": Real(1e-6, 1) | Nothing()},
    "auprc": {"interpolation": Choice("davis_goadrich", "linear")},
    "avll": {"only_exact": Bool()},
    "brier": {"form": Choice("auto", "sum", "half")},
    "cal": {"window": Int(1)},
    "calibration_intercept": {"joint": Bool()},
    "confusion_matrix": {name: _SHARED_RULES[name] for name in ("threshold", "inclusive")},
    "cost": {"decide": Choice("likeliest", "cheapest")},
    "decomposition": {"score": Choice("brier", "log_loss")},
    "f_beta": {"beta": Real(0)},
    "h_measure": {"alpha": _POSITIVE | Nothing(), "beta": _POSITIVE | Nothing()},
    "hosmer_lemeshow": {"n_groups": Int(2), "is_fitted": Bool()},
    "lift": {"fraction": _FRACTION, "total_positives": _POSITIVE | Nothing()},
    "log_loss": _CLIP,
    "log_loss_bits": _CLIP,
    "murphy_decomposition": {"n_bins": Int(1) | Nothing()},
    "mxe": _CLIP,
    "nce": {"base": Real(1, closed="neither")} | _CLIP,
    "partial_auc": {"max_fpr": _FRACTION, "standardized": Bool()},
    "precision_at_k": {"k": _POSITIVE},
    "recall_at_k": {"k": _POSITIVE, "total_positives": _POSITIVE | Nothing()},
    "spiegelhalter_z": {"weight_kind": Choice("frequency", "probability")},
    "top_k_accuracy": {"k": Int(1)},
}


def rules_of(metric: str) -> dict[str, Rule]:
    """Return the rules of the options of a metric, by name.

    Examples
    --------
    >>> sorted(rules_of("f_beta"))
    ['average', 'beta', 'inclusive', 'threshold']
    """
    shared = {name: rule for name, rule in _SHARED_RULES.items() if name in KEYWORDS.get(metric, ())}
    return shared | _OPTION_RULES.get(metric, {})


def check_options(metric: str, **options: Any) -> None:
    """Raise a ParameterError if an option of a metric breaks its rule; options without a rule pass.

    Examples
    --------
    >>> check_options("ece", n_bins=0)
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: n_bins must be an int >= 1; got 0.
    """
    rules = rules_of(metric) if options else {}
    for name, value in options.items():
        if name in rules:
            check_param(name, value, rules[name])


def read_rows(metric: str, y_true: Any, y_proba: Any, keywords: Common, /, **options: Any) -> Predictions:
    """Validate the options of a metric, and its rows; rows that are validated already are returned as they are.

    Examples
    --------
    >>> read_rows("log_loss", [0, 1], [0.2, 0.7], {"pos_label": 1}, clip=0.01).n_rows
    2
    """
    if isinstance(y_true, Predictions):  # of a caller who has checked the options, once for all metrics and replicates
        return y_true
    if unknown := keywords.keys() - KEYWORDS[metric]:
        raise TypeError(f"{metric}() got an unexpected keyword argument {min(unknown)!r}")
    check_options(metric, **options)
    return read_predictions(y_true, y_proba, **keywords)


def judge_rows(metric: str, y_true: Any, y_proba: Any, keywords: Mapping[str, Any], /, **options: Any) -> float:
    """Return the value of a metric that has a `judge` of its own, with the options among the keywords and others."""
    shared = [name for name in KEYWORDS[metric] if name in keywords and name not in Common.__annotations__]
    options |= {name: keywords[name] for name in shared}
    common = cast("Common", {name: value for name, value in keywords.items() if name not in shared})
    return METRICS[metric].judge(read_rows(metric, y_true, y_proba, common, **options), **options)
