"""ThresholdCurve and CostCurve of Weka, four models of six data sets: every count, rate and line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from calibrant.curves import cost_curve, precision_recall, roc, threshold_table

SETS = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
# Weka's names and ours; its "Fallout" is 1 - precision.
COLUMNS = {
    "True Positives": "tp",
    "False Negatives": "fn",
    "False Positives": "fp",
    "True Negatives": "tn",
    "False Positive Rate": "fpr",
    "True Positive Rate": "tpr",
    "Precision": "precision",
    "Recall": "recall",
    "FMeasure": "f1",
    "Sample Size": "fraction",
    "Lift": "lift",
}


# Twelve printed digits do not tell probabilities next to 1 apart.
PRINTED = {("ionosphere", "NaiveBayes", 0), ("iris", "NaiveBayes", 0), ("vote", "NaiveBayes", 0)}
# Weka's sums of votes differ in their last bit where they should be equal, and its curve parts and joins such rows.
LAST_BIT = {("glass", "IBk -K 5", 0), ("labor", "IBk -K 5", 0), ("labor", "IBk -K 5", 1)}


def curves_of(goldens, name):
    """Yield the class against the others, its probabilities, and what Weka drew, for every model with curves."""
    golden = json.loads((goldens / "weka" / f"{name}.json").read_text())
    actual = np.array(golden["test_actual"])
    for model in golden["models"]:
        for number, golden in (model.get("threshold_curves") or {}).items():
            scheme = model["scheme"].rpartition(".")[2]
            if (name, scheme, int(number)) not in PRINTED | LAST_BIT:
                proba = np.array(model["test_distribution"])[:, int(number)]
                yield actual == int(number), proba, golden, (model.get("cost_curves") or {}).get(number)


@pytest.fixture(scope="module", params=SETS)
def curves(request, goldens):
    return list(curves_of(goldens, request.param))


def table_of(golden):
    """Return Weka's columns, from the highest threshold to the lowest."""
    return dict(zip(golden["columns"], np.array(golden["rows"], dtype=float)[::-1].T, strict=True))


def test_every_row_of_the_threshold_curve_is_ours(curves):
    for y, proba, golden, _ in curves:
        weka, ours = table_of(golden["curve"]), threshold_table(y, proba, pos_label=True)
        for theirs, name in COLUMNS.items():
            known = ~np.isnan(weka[theirs])
            np.testing.assert_allclose(getattr(ours, name)[known], weka[theirs][known], atol=1e-11)


def test_areas_are_wekas(curves):
    for y, proba, golden, _ in curves:
        if y.any():
            assert roc(y, proba, pos_label=True).auc == pytest.approx(golden["roc_area"], abs=1e-11)
            area = precision_recall(y, proba, pos_label=True).average_precision
            assert area == pytest.approx(golden["prc_area"], abs=1e-11)


def test_every_line_of_the_cost_curve_is_ours(curves):
    for y, proba, _, golden in curves:
        if golden is not None:
            curve, weka = cost_curve(y, proba, pos_label=True), table_of(golden)
            cost, x = weka["Normalized Expected Cost"], weka["Probability Cost Function"]
            np.testing.assert_allclose(cost[x == 0], curve.fpr, atol=1e-11)
            np.testing.assert_allclose(cost[x == 1], curve.fnr, atol=1e-11)


def test_as_many_curves_are_compared_as_are_said(goldens):
    assert sum(len(list(curves_of(goldens, name))) for name in SETS) == 38
