"""Wins, ties and losses of the methods of a study over its data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.comparison import WinTieLoss, win_tie_loss
from calibrant.exceptions import StudyError
from calibrant.studies._results.tables import check_complete, check_finite, study_means

if TYPE_CHECKING:
    from calibrant.comparison._internal import Better
    from calibrant.studies._results.study_values import StudyValues

__all__ = ["study_wins"]


def study_wins(
    study: StudyValues, metric: str, *, method: str | None, alpha: float, better: Better | None, partial: bool
) -> WinTieLoss:
    """Count wins, ties and losses by the splits that have a value of every method."""
    facts = study.facts(metric, better)
    check_complete(study, study_means(study, metric, partial=partial), partial=partial)
    tables: dict[str, Any] = {}
    options: dict[str, Any] = {"n_train": {}, "n_test": {}, "k": {}}
    for dataset in study.datasets:
        plan = study.plans[dataset]
        values = facts.comparable(study.tested_values(metric, dataset))
        check_finite(study, values, f"in splits of {dataset}", metric)
        is_used = np.asarray(~np.isnan(values).any(axis=0))
        if plan.interval_kind == "none" or is_used.sum() < 2:
            raise StudyError(
                f"win_tie_loss tests the splits of each data set; {dataset!r} has {int(is_used.sum())} it can test "
                f"({plan.words}). Take cross-validation, or compare() over data sets."
            )
        tables[dataset] = values[:, is_used].T
        sizes = {"n_train": plan.n_train[is_used].mean(), "n_test": plan.n_test[is_used].mean()}
        for name, size in (sizes | {"k": min(plan.n_independent, int(is_used.sum()))}).items():
            options[name][dataset] = size
    return win_tie_loss(tables, better=facts.side, method=method, alpha=alpha, methods=list(study.methods), **options)
