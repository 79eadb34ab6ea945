"""Numbers, lists, metrics as the texts of a report write them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed, number_text
from calibrant.decisions import Money
from calibrant.metrics import METRICS

_SMALL = 0.001  # numbers below need more than four decimals
_ROUNDING = 1e-6  # a number below is the rounding of 0


def money_text(value: float) -> str:
    """Return a sum to the cent.

    Examples
    --------
    >>> money_text(1234.5), money_text(-0.001)
    ('1,234.50', '0.00')
    """
    return repr(Money(value))


def cell_text(value: float | None) -> str:
    """Return a number for a table: four decimals, more where it is small; a dash where it is not defined.

    Examples
    --------
    >>> cell_text(0.5), cell_text(4e-11), cell_text(0.00012345), cell_text(float("inf")), cell_text(float("nan"))
    ('0.5000', '0.0000', '0.0001234', '∞', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return "0.0000" if abs(value) < _ROUNDING else number_text(value)


def ends_text(low: float | None, high: float | None) -> str:
    """Return the ends of an interval, or an upper bound alone; empty where there is none.

    Examples
    --------
    >>> ends_text(0.25, 0.5), ends_text(None, None), ends_text(None, 0.5)
    ('0.2500 to 0.5000', '', 'at most 0.5000')
    >>> ends_text(-0.00012345, 0.5), ends_text(-0.00012345, 0.0005)
    ('-0.0001 to 0.5000', '-0.0001234 to 0.0005')
    """
    if high is None or (low is not None and math.isnan(low)):
        return ""
    if low is None:
        return f"at most {cell_text(high)}"
    is_small = max(abs(low), abs(high)) < _SMALL
    return " to ".join(cell_text(end if is_small or abs(end) >= _SMALL else round(end, 4)) for end in (low, high))


def pvalue_text(pvalue: float) -> str:
    """Return a p-value with two significant digits; empty where it is NaN.

    Examples
    --------
    >>> pvalue_text(0.0321), pvalue_text(2e-9), pvalue_text(1.0)
    ('0.032', '< 0.0001', '1')
    """
    if math.isnan(pvalue):
        return ""
    return "< 0.0001" if pvalue < 1e-4 else f"{pvalue:.2g}"


def pvalue_words(pvalue: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> pvalue_words(0.0321), pvalue_words(2e-9)
    ('p = 0.032', 'p < 0.0001')
    """
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue_text(pvalue)}"


def rows_text(n_rows: float, noun: str = "row") -> str:
    """Return a number of rows, or of something else.

    Examples
    --------
    >>> rows_text(1), rows_text(12000), rows_text(2, "group")
    ('1 row', '12,000 rows', '2 groups')
    """
    return f"{n_rows:,.0f} {noun}{'' if n_rows == 1 else 's'}"


def upper_first(sentence: str) -> str:
    """Return a sentence that starts with a capital letter and ends with a full stop.

    Examples
    --------
    >>> upper_first("calibrated within ±0.02")
    'Calibrated within ±0.02.'
    """
    return f"{capital(sentence).removesuffix('.')}."


_MOST_LISTED = 4  # models: of more, a caption names the best and the worst


def percent_format(top: float) -> str:
    """Return the format of an axis of shares from 0 to `top`, in d3's notation.

    Examples
    --------
    >>> percent_format(1.0), percent_format(0.04)
    ('.0%', '.1%')
    """
    return f".{max(0, int(np.ceil(-np.log10(max(top, 1e-9)))) - 1)}%"


def capital(text: str) -> str:
    """Return a text that begins with a capital letter.

    Examples
    --------
    >>> capital("class A found")
    'Class A found'
    """
    return text[:1].upper() + text[1:]


def probability(value: float) -> str:
    """Return a probability or threshold with three significant digits.

    Examples
    --------
    >>> probability(0.12345), probability(0.5), probability(0.00012)
    ('0.123', '0.5', '0.00012')
    """
    return f"{value:.3g}" if value >= 1e-4 or value == 0.0 else f"{value:.1e}"


def by_model(values: dict[str, float], texts: dict[str, str], *, less_is_better: bool = False) -> str:
    """Return a text for each model; of more than four those of the best and of the worst. A single one has no name.

    Examples
    --------
    >>> by_model({"a": 0.5, "b": 0.7}, {"a": "50 %", "b": "70 %"})
    '50 % with a and 70 % with b'
    >>> by_model({"a": 0.5}, {"a": "50 %"})
    '50 %'
    """
    if len(values) == 1:
        return next(iter(texts.values()))
    order = sorted(values, key=lambda name: values[name] if less_is_better else -values[name])
    shown = list(values) if len(values) <= _MOST_LISTED else [order[0], order[-1]]
    text = listed([f"{texts[name]} with {name}" for name in shown])
    return text if len(values) <= _MOST_LISTED else f"from {text} (best and worst of {len(values)} models)"


def finite(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds with NaN for the infinite ones, which select no row or all of them.

    Examples
    --------
    >>> finite(np.array([np.inf, 0.5]))
    array([nan, 0.5])
    """
    return np.where(np.isfinite(threshold), threshold, np.nan)


MetricWords = tuple[str, str, str]  # in words, the term, which value is better

_WORDS = {
    "log_loss": ("Surprise at what happens", "log-loss"),
    "brier": ("Squared error of the probabilities", "Brier score"),
    "auc": ("Pairs of rows ranked in the right order", "AUC"),
    "average_precision": ("Share of hits, averaged over the ranking", "average precision"),
    "ks": ("Largest gap between the classes", "KS"),
    "lift": ("Hits in the top tenth, against random", "lift at 10 %"),
    "accuracy": ("Rows classified correctly", "accuracy"),
    "f1": ("Hits against misses and false alarms", "F1"),
    "mcc": ("Agreement of predicted and actual classes", "MCC"),
    "ece": ("Mean distance of probabilities from frequencies", "ECE"),
    "calibration_slope": ("Spread: below 1 too extreme, above 1 too timid", "calibration slope"),
    "calibration_intercept": ("Level: below 0 too high, above 0 too low", "calibration intercept"),
}
LONG_TERMS = {
    "auc": "AUC the area under the ROC curve",
    "ks": "KS the statistic of Kolmogorov and Smirnov",
    "mcc": "MCC the correlation of Matthews",
    "ece": "ECE the expected calibration error",
}


def metric_words(metric: str) -> MetricWords:
    """Return a metric in words, its term and which value is better.

    Examples
    --------
    >>> metric_words("accuracy")
    ('Rows classified correctly', 'accuracy', 'higher')
    >>> metric_words("calibration_slope")[2], metric_words("kappa")
    ('nearer to 1', ('kappa', 'kappa', 'higher'))
    """
    known = METRICS[metric]
    better = f"nearer to {known.target:g}" if known.better == "nearer" else known.better
    return *_WORDS.get(metric, (metric.replace("_", " "),) * 2), better


def metric_heading(name: str) -> tuple[str, str]:
    """Return a metric in words, and the term of the field.

    Examples
    --------
    >>> metric_heading("accuracy"), metric_heading("my_metric")
    (('Rows classified correctly', 'accuracy'), ('my_metric', 'my_metric'))
    """
    if name not in METRICS:
        return name, name
    words, term, _ = metric_words(name)
    return words, term or words


def metric_term(name: str) -> str:
    """Return the term of the field, short enough for an axis.

    Examples
    --------
    >>> metric_term("auc"), metric_term("my_metric")
    ('AUC', 'my_metric')
    """
    return metric_heading(name)[1].partition(",")[0]
