"""Forms of the calibrators that map scores to probabilities by what they learned themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Field, Flag, Integer, ListOf, MapOf, Maybe, Number, Text
from calibrant._saved.form import Form
from calibrant._saved.values import Object
from calibrant.calibration import (
    BBQ,
    Beta,
    Binning,
    Dirichlet,
    Isotonic,
    MatrixScaling,
    Platt,
    PriorShift,
    QuadraticLogit,
    Spline,
    Temperature,
    VectorScaling,
    VennAbers,
)
from calibrant.exceptions import ModelFileError
from calibrant.files._forms.legacy import Optional_, estimator_form

__all__ = ["CALIBRATED", "CERTAIN", "SCALE", "SCORE_MAP_FORMS", "check_certain", "check_outputs", "need"]

_LARGE = 1e150  # products of two such numbers are finite
_FARTHEST = 1e16  # positions on an axis are clipped at 1e15
_NARROWEST = 1e-9  # of the range of the knots of a spline, which are at least a thousandth of it apart
_AXIS = {"on", "centre", "spread", "floor", "ceiling"}

# The fields of every calibrator that is fitted.
CALIBRATED: dict[str, Field] = {"classes_": Maybe(LabelArray()), "n_columns_": Maybe(Integer(1))}
SCALE: Field = Maybe(Text("logit", "score"))
CERTAIN: Field = Maybe(Optional_(MapOf(Number(0, 1))))
_AXIS_FIELD: Field = Maybe(MapOf(Text("logit", "score") | Number(-1e308, 1e308)))
_NUMBER: Field = Maybe(Number(-_LARGE, _LARGE))
_PROBABILITIES: Field = Maybe(Array("f8", finite=True, low=0, high=1))
_POSITIONS: Field = Maybe(Array("f8", finite=True))


def need(holds: object, what: str) -> None:
    """Raise if fields do not agree."""
    if not holds:
        raise ModelFileError(what)


def check_outputs(calibrator: Any) -> bool:
    """Return whether a calibrator is fitted; raise unless it has a column of scores a class, or one for two classes."""
    if not hasattr(calibrator, "classes_"):
        need("n_columns_" not in vars(calibrator), "lacks its classes")
        return False
    n_classes = len(calibrator.classes_)
    need(n_classes >= 2 and len(set(calibrator.classes_.tolist())) == n_classes, "must have two classes or more")
    allowed = (1, 2) if n_classes == 2 else (n_classes,)
    need(getattr(calibrator, "n_columns_", None) in allowed, "has other columns than classes")
    return True


def check_certain(calibrator: Any) -> None:
    """Raise unless the least and the greatest probability are in order."""
    certain = calibrator.certain_
    if certain is not None:
        need(certain.keys() == {"floor", "ceiling"} and certain["floor"] <= certain["ceiling"], "has wrong certain_")


def _check_axis(calibrator: Any) -> None:
    axis = calibrator.axis_
    need(axis.keys() == _AXIS and axis["on"] in ("logit", "score"), "has a wrong axis")
    numbers = [axis[name] for name in ("centre", "spread", "floor", "ceiling")]
    need(all(type(value) in (int, float) for value in numbers), "has a wrong axis")
    need(axis["spread"] > 0 and 0 <= axis["floor"] <= axis["ceiling"] <= 1, "has a wrong axis")


def _ascending(values: np.ndarray) -> bool:
    return bool((np.diff(values) > 0).all())


def _check_bbq(bbq: BBQ) -> None:
    need(_ascending(bbq.cuts_) and len(bbq.values_) == len(bbq.cuts_) + 1, "has cuts that are not in order")
    need(len(bbq.n_bins_) == len(bbq.evidence_), "has other numbers of bins than evidence")


def _check_binning(binning: Binning) -> None:
    bins = len(binning.probabilities_)
    need(bool((np.diff(binning.edges_) >= 0).all()) and len(binning.edges_) == bins - 1, "has edges out of order")
    need(len(binning.weights_) == bins == binning.n_bins_, "has other weights than bins")


def _check_isotonic(isotonic: Isotonic) -> None:
    fewer = int(isotonic.mode == "step")
    need(len(isotonic.scores_) == len(isotonic.probabilities_) - fewer >= 1 - fewer, "has other scores than values")
    need(len(isotonic.probabilities_) >= 1, "has no values")
    need(_ascending(isotonic.scores_) and bool((np.diff(isotonic.probabilities_) >= 0).all()), "must increase")


def _check_venn_abers(venn: VennAbers) -> None:
    need(_ascending(venn.low_from_) and len(venn.low_) == len(venn.low_from_) + 1, "has wrong steps")
    need(_ascending(venn.high_after_) and len(venn.high_) == len(venn.high_after_) + 1, "has wrong steps")


def _check_spline(spline: Spline) -> None:
    _check_axis(spline)
    knots = spline.knots_
    need(len(knots) == len(spline.values_) >= 1, "has other values than knots")
    need(bool((np.diff(knots) > _NARROWEST * (knots[-1] - knots[0])).all()), "has knots that are not in order")


def _check_quadratic(quadratic: QuadraticLogit) -> None:
    _check_axis(quadratic)
    need(quadratic.low_ <= quadratic.high_, "has ends that are not in order")


def _nothing(_: Any) -> None:
    """Check nothing more."""


def _score_map(cls: Any, learned: dict[str, Field], check: Callable[[Any], None] = _nothing) -> Form:
    """Return the form of a map of one score; more than two classes have a map each."""
    name = f"calibration.{cls.__name__}"

    def check_map(calibrator: Any) -> None:
        if check_outputs(calibrator):
            _check_parts(calibrator, cls, {*learned}, check)

    parts: dict[str, Field] = {"of_difference_": Maybe(Flag()), "parts_": Maybe(ListOf(Object(name), least=3))}
    parts |= {"folds_": Maybe(ListOf(Object(name), least=1))} if cls is VennAbers else {}
    return estimator_form(name, cls, {**CALIBRATED, **learned, **parts}, check=check_map, rules=cls._rules)


def _check_parts(calibrator: Any, cls: type, learned: set[str], check: Callable[[Any], None]) -> None:
    n_classes = len(calibrator.classes_)
    if "folds_" in vars(calibrator):
        for fold in calibrator.folds_:
            same = fold.classes_.tolist() == calibrator.classes_.tolist()
            need(same and fold.n_columns_ == calibrator.n_columns_ and "folds_" not in vars(fold), "has wrong folds")
    elif n_classes == 2:
        need(all(hasattr(calibrator, name) for name in learned), "lacks what it learned")
        check(calibrator)
    else:
        parts: list[Any] = getattr(calibrator, "parts_", [])
        need(len(parts) == n_classes, "must have a map for each class")
        for part in parts:
            need(type(part) is cls and check_outputs(part), "has maps of other scores")
            need(len(part.classes_) == 2 and part.n_columns_ == 1, "has maps of other scores")
            need("folds_" not in vars(part), "has maps of folds")


def _log_linear(cls: Any) -> Form:
    fields = {
        **CALIBRATED,
        "coef_": Maybe(Array("f8", ndim=2, finite=True, low=-_LARGE, high=_LARGE)),
        "intercept_": Maybe(Array("f8", finite=True, low=-_LARGE, high=_LARGE)),
        "inverse_temperature_": Maybe(Number(0)),
        "uniform_share_": Maybe(Number(0, 1)),
        "on_": SCALE,
        "certain_": CERTAIN,
    }

    def check(calibrator: Any) -> None:
        if check_outputs(calibrator):
            n_classes = len(calibrator.classes_)
            need(all(hasattr(calibrator, name) for name in fields), "lacks what it learned")
            need(calibrator.coef_.shape == (n_classes, n_classes), "has other coefficients than classes")
            need(calibrator.intercept_.shape == (n_classes,), "has other intercepts than classes")
            check_certain(calibrator)

    return estimator_form(f"calibration.{cls.__name__}", cls, fields, check=check, rules=cls._rules)


def _check_temperature(calibrator: Temperature) -> None:
    if check_outputs(calibrator):
        need(hasattr(calibrator, "inverse_temperature_") and hasattr(calibrator, "on_"), "lacks what it learned")
        check_certain(calibrator)


def _check_prior_shift(calibrator: PriorShift) -> None:
    if check_outputs(calibrator):
        need(all(hasattr(calibrator, name) for name in ("train_prior_", "new_prior_", "on_")), "lacks its priors")
        n_classes = len(calibrator.classes_)
        need(len(calibrator.train_prior_) == len(calibrator.new_prior_) == n_classes, "has other priors than classes")


_PRIOR: Field = Maybe(Array("f8", finite=True, low=1e-300, high=1))

SCORE_MAP_FORMS = (
    _score_map(
        BBQ,
        {
            "cuts_": _POSITIONS,
            "values_": Maybe(Array("f8", finite=True, low=0, high=1 + 1e-6)),
            "n_bins_": Maybe(Array("i", low=1)),
            "evidence_": _PROBABILITIES,
        },
        _check_bbq,
    ),
    _score_map(
        Beta,
        {"a_": Maybe(Number(0, _LARGE)), "b_": Maybe(Number(0, _LARGE)), "intercept_": _NUMBER}
        | {"axis_": _AXIS_FIELD},
        _check_axis,
    ),
    _score_map(
        Binning,
        {
            "edges_": _POSITIONS,
            "probabilities_": _PROBABILITIES,
            "weights_": Maybe(Array("f8", finite=True, low=0)),
            "n_bins_": Maybe(Integer(1)),
        },
        _check_binning,
    ),
    _score_map(
        Isotonic,
        {
            "scores_": _POSITIONS,
            "probabilities_": _PROBABILITIES,
            "n_blocks_": Maybe(Integer(1)),
            "ties_": Maybe(Number()),
            "auc_change_": Maybe(Number()),
        },
        _check_isotonic,
    ),
    _score_map(
        Platt, {"slope_": Maybe(Number()), "intercept_": _NUMBER, "on_": SCALE, "certain_": CERTAIN}, check_certain
    ),
    _score_map(
        QuadraticLogit,
        {
            **dict.fromkeys(("quadratic_", "linear_", "intercept_"), _NUMBER),
            **{name: Maybe(Number(-_FARTHEST, _FARTHEST)) for name in ("low_", "high_", "centre_")},
            "axis_": _AXIS_FIELD,
        },
        _check_quadratic,
    ),
    _score_map(
        Spline,
        {
            "knots_": Maybe(Array("f8", finite=True, low=-_FARTHEST, high=_FARTHEST)),
            "values_": Maybe(Array("f8", finite=True, low=-1e100, high=1e100)),
            "penalty_": Maybe(Number(0)),
            "degrees_": Maybe(Number()),
            "axis_": _AXIS_FIELD,
        },
        _check_spline,
    ),
    _score_map(
        VennAbers,
        {"low_from_": _POSITIONS, "low_": _PROBABILITIES, "high_after_": _POSITIONS, "high_": _PROBABILITIES},
        _check_venn_abers,
    ),
    *map(_log_linear, (Dirichlet, MatrixScaling, VectorScaling)),
    estimator_form(
        "calibration.Temperature",
        Temperature,
        {**CALIBRATED, "inverse_temperature_": Maybe(Number(0)), "on_": SCALE, "certain_": CERTAIN},
        check=_check_temperature,
    ),
    estimator_form(
        "calibration.PriorShift",
        PriorShift,
        {**CALIBRATED, "train_prior_": _PRIOR, "new_prior_": _PRIOR, "on_": SCALE},
        check=_check_prior_shift,
        rules=PriorShift._rules,
    ),
)
