"""The rules of the metrics' options, checked once by the public functions and not again for each replicate."""

from __future__ import annotations

from typing import Any

from calibrant._params import Bool, Choice, Int, Nothing, Real, Rule, check_param

__all__ = ["check_options"]

_POSITIVE = Real(0, closed="neither")
_FRACTION = Real(0, 1, closed="right")
_THRESHOLD: dict[str, Rule] = {"threshold": Real(0, 1) | Nothing(), "inclusive": Bool()}
_CLIP: dict[str, Rule] = {"clip": Real(0, 0.5, closed="left") | Nothing()}
_AVERAGE: dict[str, Rule] = {"average": Choice("macro", "weighted", "micro") | Nothing()}
_BINS: dict[str, Rule] = {
    "n_bins": Int(1),
    "strategy": Choice("width", "mass"),
    "norm": Choice("l1", "l2", "max"),
    "debiased": Bool(),
}

_RULES: dict[str, dict[str, Rule]] = {
    "accuracy": _THRESHOLD,
    "auc": {"average": Choice("one_vs_rest", "one_vs_one", "one_vs_rest_equal", "one_vs_one_weighted")},
    "aulc": {"step": Real(1e-6, 1) | Nothing()},
    "auprc": {"interpolation": Choice("davis_goadrich", "linear")},
    "avll": {"only_exact": Bool()},
    "balanced_accuracy": _THRESHOLD,
    "brier": {"form": Choice("auto", "sum", "half")},
    "cal": {"window": Int(1)},
    "calibration_intercept": {"joint": Bool()},
    "classwise_ece": _BINS,
    "confusion_matrix": _THRESHOLD,
    "cost": {"decide": Choice("likeliest", "cheapest")},
    "decomposition": {"score": Choice("brier", "log_loss")},
    "ece": _BINS,
    "error": _THRESHOLD,
    "f1": _THRESHOLD | _AVERAGE,
    "f_beta": {"beta": Real(0)} | _THRESHOLD | _AVERAGE,
    "g_mean": _THRESHOLD,
    "h_measure": {"alpha": _POSITIVE | Nothing(), "beta": _POSITIVE | Nothing()},
    "hosmer_lemeshow": {"n_groups": Int(2), "is_fitted": Bool()},
    "kappa": _THRESHOLD | {"weights": Choice("linear", "quadratic") | Nothing()},
    "lift": {"fraction": _FRACTION, "total_positives": _POSITIVE | Nothing()},
    "log_loss": _CLIP,
    "log_loss_bits": _CLIP,
    "mcc": _THRESHOLD,
    "murphy_decomposition": {"n_bins": Int(1) | Nothing()},
    "mxe": _CLIP,
    "nce": {"base": Real(1, closed="neither")} | _CLIP,
    "npv": _THRESHOLD | _AVERAGE,
    "partial_auc": {"max_fpr": _FRACTION, "standardized": Bool()},
    "precision": _THRESHOLD | _AVERAGE,
    "precision_at_k": {"k": _POSITIVE},
    "recall": _THRESHOLD | _AVERAGE,
    "recall_at_k": {"k": _POSITIVE, "total_positives": _POSITIVE | Nothing()},
    "sensitivity": _THRESHOLD | _AVERAGE,
    "sensitivity_specificity": _THRESHOLD,
    "specificity": _THRESHOLD | _AVERAGE,
    "spiegelhalter_z": {"weight_kind": Choice("frequency", "probability")},
    "top_k_accuracy": {"k": Int(1)},
}


def check_options(metric: str, /, **options: Any) -> None:
    """Raise a ParameterError if an option of a metric breaks its rule; options without a rule pass.

    Examples
    --------
    >>> check_options("ece", n_bins=0)
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: n_bins must be an int >= 1; got 0.
    """
    rules = _RULES.get(metric, {})
    for name, value in options.items():
        if name in rules:
            check_param(name, value, rules[name])
