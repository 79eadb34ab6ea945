"""Models whose base rate differs from that of the rows, by resampling or class weights: their signs, their repair."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc
from sklearn.base import clone

from calibrant._docstrings import fill_docstring
from calibrant._folds import count_by_group, cut_into_units, deal_groups, unit_weight
from calibrant._params import Real, check_param, check_params
from calibrant.calibration._auto.auto import Auto
from calibrant.calibration._auto.calibration_test import standard_error_of_mean
from calibrant.calibration._base import WEIGHT_KIND_DOC, Calibrator, two_columns
from calibrant.calibration._classifier.held_out_scores import HeldOut
from calibrant.calibration._classifier.run_folds import deal_rows
from calibrant.calibration._fitting.logits import find_scale
from calibrant.calibration._maps.composed import Chain
from calibrant.calibration._maps.log_linear import log_columns
from calibrant.calibration._maps.prior_shift import Prior, PriorShift, implied_prior
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._names import as_calibrator
from calibrant.calibration._validation import ScoredRows, are_probabilities, check_every_class_has_rows, read_scored
from calibrant.data._internal import WeightKind
from calibrant.exceptions import BaseRateWarning, CalibrantWarning, DataError
from calibrant.metrics import log_loss, mse

# Warnings should hardly ever be wrong: 4 standard errors are one false warning in 16,000 classes.
_MIN_Z = 4.0  # standard errors between the mean probability and the base rate
_MIN_ODDS_RATIO = 1.5  # between the mean probability and the base rate, either way

# The parameters that weight classes, and their neutral values.
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "class_weight": (None,),
    "class_weights": (None,),
    "auto_class_weights": (None, "None"),
    "scale_pos_weight": (None, 1, 1.0),
    "is_unbalance": (None, False),
}


def causes_of_shift(estimator: Any) -> list[str]:
    """Return the parameters that weight classes and the steps that resample rows, in an estimator and its parts.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> causes_of_shift(LogisticRegression(class_weight="balanced")), causes_of_shift(LogisticRegression())
    (["class_weight='balanced'"], [])
    """
    causes = []
    for name, value in estimator.get_params(deep=True).items():
        neutral = _NEUTRAL.get(name.rsplit("__", 1)[-1])
        if hasattr(value, "fit_resample") and not isinstance(value, type):
            causes.append(f"the resampler {type(value).__name__}")
        elif neutral is not None and not (isinstance(value, int | float | str | None) and value in neutral):
            causes.append(f"{name}={value!r}")
    return causes


def warn_of_shift(estimator: Any, held_out: HeldOut, classes: Any, *, is_prefit: bool) -> None:
    """Warn where mean probabilities differ from base rates, and the estimator shows why or its rows are unknown.

    Parameters
    ----------
    estimator : classifier
        The base estimator.
    held_out : HeldOut
        Its scores of held-out rows.
    classes : array of shape (n_classes,)
        The classes in the order of the columns.
    is_prefit : bool
        Whether it was fitted to rows that are not known here; then the difference alone is a sign.
    """
    causes = causes_of_shift(estimator) if hasattr(estimator, "get_params") else []
    if not (causes or is_prefit) or not are_probabilities(held_out.scores):
        return
    found = _largest_shift(held_out, np.asarray(classes))
    if found is None:
        return
    name, predicted, observed = found
    why = " and ".join(causes) if causes else "the rows that the model was fitted to"
    warnings.warn(
        f"the mean probability of the class {name!r} is {predicted:.3g}, its base rate {observed:.3g}: {why} "
        "changed the base rate. The map must undo it; PriorShift and repair_base_rate do so explicitly, and a model of "
        "the original rows needs neither.",
        BaseRateWarning,
        stacklevel=4,
    )


def _largest_shift(held_out: HeldOut, classes: Any) -> tuple[Any, float, float] | None:
    """Return the class whose mean probability differs most from its base rate, with both; None without evidence."""
    table = held_out.scores if held_out.scores.shape[1] > 1 else np.hstack([1.0 - held_out.scores, held_out.scores])
    weight = np.ones(len(table)) if held_out.weight is None else held_out.weight
    own = (held_out.y[:, None] == classes[None, :]).astype(np.float64)
    predicted, observed = np.average(table, axis=0, weights=weight), np.average(own, axis=0, weights=weight)
    errors = [standard_error_of_mean(each, weight, held_out.groups) for each in (own - table).T]
    z = np.abs(observed - predicted) / np.maximum(errors, 1e-15)
    most = int(z.argmax())
    if z[most] < _MIN_Z or not _is_large(float(predicted[most]), float(observed[most])):
        return None
    return classes.tolist()[most], float(predicted[most]), float(observed[most])


def _is_large(predicted: float, observed: float) -> bool:
    if not (0.0 < predicted < 1.0 and 0.0 < observed < 1.0):
        return True
    ratio = predicted * (1.0 - observed) / (observed * (1.0 - predicted))
    return abs(math.log(ratio)) > math.log(_MIN_ODDS_RATIO)


_FOLDS = 5  # as in CalibratedClassifier


@dataclass(frozen=True)
class Quality:
    """The quality of probabilities on some rows.

    Parameters
    ----------
    base_rate : tuple of float
        The mean probability of each class.
    log_loss, mse : float
        The mean of -ln p of the actual class, and of the squared errors summed over classes.
    slope : float
        The best factor of the log-odds: below 1 where the probabilities are too extreme.

    Examples
    --------
    >>> round(repair_base_rate([0.2, 0.6, 0.4, 0.9], [0, 0, 1, 1], calibrator="platt").before.mse, 3)
    0.385
    """

    base_rate: tuple[float, ...]
    log_loss: float
    mse: float
    slope: float


@dataclass(frozen=True, repr=False)
class BaseRateRepair:
    """The result of `repair_base_rate`.

    Parameters
    ----------
    calibrator : Calibrator
        The map from the model's scores to repaired probabilities, fitted to all rows.
    classes : tuple
        The classes, in the order of base rates.
    observed : tuple of float
        The base rates of the rows.
    implied : tuple of float
        The base rates that the model behaves as if it was trained with.
    pvalue : float
        The p-value of the mean probabilities, if the model were perfectly calibrated.
    is_shifted : bool
        Whether the shift of the base rate was undone.
    before, after : Quality
        The quality of the scores as passed, and repaired: each row by a map fitted without its fold.

    Examples
    --------
    >>> repair = repair_base_rate([0.2, 0.6, 0.4, 0.9], [0, 0, 1, 1], calibrator="platt")
    >>> repair.is_shifted, round(repair.pvalue, 3), repair.calibrator
    (False, 0.907, Platt())
    """

    calibrator: Calibrator
    classes: tuple[Any, ...]
    observed: tuple[float, ...]
    implied: tuple[float, ...]
    pvalue: float
    is_shifted: bool
    before: Quality
    after: Quality

    def __repr__(self) -> str:
        was, now = self.before, self.after
        head = f"The mean probability of {self.classes[1]} was" if len(self.classes) == 2 else "Mean probabilities were"
        done = "This was undone, then the map fitted" if self.is_shifted else "The map alone was fitted"
        return "\n".join(
            [
                f"{head} {self._rates(was.base_rate)}, observed: {self._rates(self.observed)} "
                f"(p = {self.pvalue:.2g} if the model were right).",
                f"The model behaves as if trained with {self._rates(self.implied)}. {done}{self._chosen()}.",
                f"Repaired, its mean probability is {self._rates(now.base_rate)}.",
                f"Log-loss went from {was.log_loss:.4g} to {now.log_loss:.4g}, mse from {was.mse:.4g} to "
                f"{now.mse:.4g}, the slope from {was.slope:.3g} to {now.slope:.3g} (1 is right).",
            ]
        )

    def _chosen(self) -> str:
        """Return the mix that the automatic calibrator chose, in words."""
        last = self.calibrator.then_ if isinstance(self.calibrator, Chain) else self.calibrator
        return f" (chosen: {last.choice_.name})" if isinstance(last, Auto) else ""

    def _rates(self, rates: tuple[float, ...]) -> str:
        """Return base rates in words: that of the last of two classes, or of each class."""
        if len(rates) == 2:
            return f"{rates[1]:.3g}"
        return ", ".join(f"{name} {rate:.3g}" for name, rate in zip(self.classes, rates, strict=True))


@fill_docstring(weight_kind=WEIGHT_KIND_DOC)
def repair_base_rate(
    scores: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    train_prior: Prior = None,
    calibrator: str | Calibrator = "auto",
    alpha: float = 0.05,
    labels: Any = None,
    groups: Any = None,
    weight_kind: WeightKind = "frequency",
) -> BaseRateRepair:
    """Undo the effect of resampling or class weights on a model's base rates, then calibrate.

    The mean probabilities are compared with the observed base rates by a score test (chi-square, K - 1 degrees of
    freedom). Where they differ, or `train_prior` is passed, the shift is undone by `PriorShift`; then the map is
    fitted.

    Parameters
    ----------
    scores : array of shape (n_rows,) or (n_rows, n_classes)
        Probabilities, or margins that are log-odds, of held-out rows that were not resampled.
    y : sequence of length n_rows
        The class of each row; two rows or more of every class.
    sample_weight : sequence of length n_rows, optional
        The weight of each row.
    train_prior : number or one base rate for each class, optional
        The base rates that the model was trained with, where they are known.
    calibrator : str or Calibrator
        The map; ``"auto"`` compares several with none, so that nothing is mapped without evidence.
    alpha : float
        The p-value below which the base rate counts as shifted.
    labels : sequence, optional
        The classes in the order of the columns.
    groups : sequence of length n_rows, optional
        The group of each row: groups are one observation each in the test, and whole in folds.
    %(weight_kind)s

    Returns
    -------
    BaseRateRepair
        The fitted calibrator with the quality before and after; it prints as sentences.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> logits = rng.normal(size=2000) - 2
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-logits))
    >>> balanced = 1 / (1 + np.exp(-logits - 1.7))
    >>> repair_base_rate(balanced, y)
    The mean probability of True was 0.433, observed: 0.15 (p = 2.7e-173 if the model were right).
    The model behaves as if trained with 0.496. This was undone, then the map fitted (chosen: no map).
    Repaired, its mean probability is 0.15.
    Log-loss went from 0.5854 to 0.3653, mse from 0.4024 to 0.2229, the slope from 1.04 to 1.02 (1 is right).
    """
    check_param("alpha", alpha, Real(0, 1))
    scored = read_scored(scores, y, sample_weight, labels, groups).weighted_by(weight_kind)
    check_every_class_has_rows(scored)
    on = find_scale(scored.scores, "auto")
    raw = np.exp(log_columns(scored.scores, on))
    pvalue = _pvalue(raw, scored)
    is_shifted = train_prior is not None or pvalue < alpha
    then = as_calibrator("calibrator", calibrator)
    made = Chain(PriorShift(train_prior=train_prior), then) if is_shifted else clone(then)
    check_params(made, made._rules)
    after = _out_of_fold(made, scored)
    made._fit_rows(scored)
    return BaseRateRepair(
        calibrator=made,
        classes=tuple(scored.classes.tolist()),
        observed=_tuple(scored.class_weights() / scored.class_weights().sum()),
        implied=_tuple(made.first_.train_prior_ if isinstance(made, Chain) else implied_prior(scored, on)),
        pvalue=pvalue,
        is_shifted=is_shifted,
        before=_quality(raw, scored),
        after=_quality(*after),
    )


def _pvalue(proba: NDArray[np.float64], scored: ScoredRows) -> float:
    """Test whether the mean probabilities are the base rates: Rao's score for intercepts, summed by group if any."""
    weight = scored.weights()
    difference = (scored.class_weights() - weight @ proba)[1:]
    if scored.groups is None:
        spread = (np.diag(weight @ proba) - (proba * weight[:, np.newaxis]).T @ proba)[1:, 1:]
    else:
        sums = count_by_group(scored.groups, scored.codes, weight)
        np.subtract.at(sums, scored.groups, weight[:, np.newaxis] * proba)
        spread = (sums.T @ sums)[1:, 1:]
    return float(chdtrc(len(difference), difference @ np.linalg.pinv(spread, hermitian=True) @ difference))


def _out_of_fold(calibrator: Calibrator, scored: ScoredRows) -> tuple[NDArray[np.float64], ScoredRows]:
    """Return the probabilities of rows by maps fitted without their folds, and these rows: units of weighted ones."""
    fewest = int(np.bincount(scored.codes).min())
    if fewest < 2:
        raise DataError("y must have two rows or more of every class, so that the repair can be evaluated.")
    rows = scored if scored.weight is None or scored.groups is not None else _units(scored)
    if rows.groups is not None and int(rows.groups.max()) + 1 < len(rows.codes):
        counts = count_by_group(rows.groups, rows.codes, rows.weight)
        fold = deal_groups(counts, np.ones(min(_FOLDS, len(counts))), np.random.default_rng(0))[rows.groups]
    else:
        fold = deal_rows(rows.codes, min(_FOLDS, fewest), 0)
    proba = np.empty((len(rows.codes), len(rows.classes)))
    for number in range(int(fold.max()) + 1):
        test = fold == number
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrantWarning)  # the fit to all rows warns once
            fitted = clone(calibrator)._fit_rows(rows.take(~test))
        proba[test] = two_columns(fitted.predict(rows.scores[test]))
    return proba, rows


def _units(scored: ScoredRows) -> ScoredRows:
    unit = unit_weight(scored.weights())
    units = cut_into_units(np.arange(len(scored.codes)), scored.weights() / unit)
    return replace(scored.take(units.rows), weight=unit * units.weight)


def _quality(proba: NDArray[np.float64], scored: ScoredRows) -> Quality:
    weight = scored.weights()
    names = scored.classes[scored.codes]
    options: dict[str, Any] = {"sample_weight": weight, "labels": scored.classes}
    slope = Temperature()._fit_rows(replace(scored, scores=proba)).inverse_temperature_
    mean = weight @ proba / weight.sum()
    return Quality(_tuple(mean), log_loss(names, proba, **options), mse(names, proba, **options), slope)


def _tuple(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(values.tolist())
