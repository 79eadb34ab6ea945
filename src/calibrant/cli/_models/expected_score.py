"""The score to expect of a fitted model on new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from calibrant.files import ExpectedScore

__all__ = ["expected_score"]

_METRIC = "log_loss"
_CONFIDENCE = 0.95


def expected_score(
    model: Any, X: Any, y: Any, *, weight: Any, groups: Any, seed: int, n_folds: int
) -> tuple[ExpectedScore | None, str]:
    """Return the log-loss to expect with its interval, and how it is known; None where it is not.

    A blend knows it, a forest has the probabilities of rows out of bag; with ``n_folds`` it is cross-validated instead.
    """
    from calibrant.files import ExpectedScore

    own = getattr(model, "expected_log_loss_", None)
    if own is not None and not n_folds:
        return ExpectedScore(_METRIC, own.value, own.low, own.high, own.confidence), "cross-fitted"
    out_of_bag = _out_of_bag(model)
    if out_of_bag is not None and not n_folds:
        return _of_rows(out_of_bag, y, weight, groups, model.classes_), "out of bag"
    if not n_folds:
        return None, ""
    return _cross_validated(model, X, y, weight, groups, seed, n_folds), f"{n_folds}-fold cross-validation"


def _out_of_bag(model: Any) -> Any:
    if not type(model).__module__.startswith("calibrant.ensembles"):
        return None
    return getattr(model, "oob_proba_", None)


def _of_rows(proba: Any, y: Any, weight: Any, groups: Any, classes: Any) -> ExpectedScore | None:
    from calibrant.files import ExpectedScore
    from calibrant.metrics import evaluate

    is_known = ~np.isnan(proba).any(axis=1)
    if not is_known.any():
        return None
    rows: dict[str, Any] = {
        name: None if each is None else np.asarray(each)[is_known]
        for name, each in (("sample_weight", weight), ("groups", groups))
    }
    score = evaluate(
        np.asarray(y)[is_known], proba[is_known], metrics=[_METRIC], confidence=_CONFIDENCE, labels=classes, **rows
    )[_METRIC]
    return ExpectedScore(_METRIC, score.value, score.low, score.high, _CONFIDENCE)


def _cross_validated(model: Any, X: Any, y: Any, weight: Any, groups: Any, seed: int, n_folds: int) -> ExpectedScore:
    from sklearn.base import clone

    from calibrant.files import ExpectedScore
    from calibrant.resampling import CrossValidation, estimate_performance

    plan = CrossValidation(n_folds, random_state=seed)
    found = estimate_performance(
        clone(model), X, y, plan, [_METRIC], groups=groups, sample_weight=weight, confidence=_CONFIDENCE
    ).score(_METRIC)
    return ExpectedScore(_METRIC, found.value, found.low, found.high, _CONFIDENCE)
