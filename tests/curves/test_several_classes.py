"""With more than two classes a curve is of one of them, which `pos_label` must name, as metrics of one class demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from calibrant import curves, plots
from calibrant.exceptions import ParameterError
from calibrant.metrics import ks

Y = np.array(["a", "b", "c"] * 20)
PROBA = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
CURVES: dict[str, Callable[..., Any]] = {
    "roc": curves.roc,
    "roc of folds": partial(curves.roc, folds=np.arange(60) // 30, average="vertical"),
    "hull": curves.roc_hull,
    "precision_recall": curves.precision_recall,
    "lift": curves.lift,
    "threshold_table": curves.threshold_table,
    "profit_curve": partial(curves.profit_curve, amount=10, cost=1),
    "cost_curve": curves.cost_curve,
    "error_curve": curves.error_curve,
    "brier_curve": curves.brier_curve,
    "decision_curve": partial(curves.decision_curve, thresholds=[0.2], confidence=None),
    "reliability": curves.reliability,
    "score_histogram": curves.score_histogram,
}


@pytest.mark.parametrize("curve", CURVES)
def test_the_class_must_be_named(curve: str) -> None:
    with pytest.raises(ParameterError, match=r"there are 3; pass pos_label=, one of \['a', 'b', 'c'\]"):
        CURVES[curve](Y, PROBA)
    with pytest.raises(ParameterError, match="there are 3; pass pos_label="):
        ks(Y, PROBA)
    CURVES[curve](Y, PROBA, pos_label="a")
    CURVES[curve](Y == "a", PROBA[:, 0])


def test_points_by_cost_ratio_need_the_class_too() -> None:
    with pytest.raises(ParameterError, match="there are 3; pass pos_label="):
        curves.roc_by_cost_ratio(Y, {1.0: Y})
    assert curves.roc_by_cost_ratio(Y, {1.0: Y}, pos_label="b").tpr.tolist() == [1.0]


def test_sorted_scores_need_the_class_and_the_order_of_the_columns() -> None:
    with pytest.raises(ParameterError, match="3 columns; pass pos_label= and labels="):
        curves.sorted_scores({"tree": PROBA})
    with pytest.raises(ParameterError, match="3 columns; pass pos_label= and labels="):
        curves.sorted_scores({"tree": PROBA}, pos_label="a")
    found = curves.sorted_scores({"tree": PROBA}, pos_label="a", labels=["a", "b", "c"])
    np.testing.assert_array_equal(found.scores["tree"], np.sort(PROBA[:, 0]))


def test_displays_need_it_as_well() -> None:
    with pytest.raises(ParameterError, match="pass pos_label="):
        plots.RocDisplay.from_predictions(Y, PROBA)
