"""Figures of R's pROC, Hmisc, rms, ROCR, vcd, performance and reliabilitydiag; see SOURCE.md and r_measures.R."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import auc as area_under

from calibrant import _core
from calibrant.curves import cost_curve, reliability, roc, roc_hull, threshold_table
from calibrant.metrics import (
    auc,
    brier,
    cal,
    calibration_intercept,
    calibration_slope,
    decomposition,
    gini,
    hosmer_lemeshow,
    ici,
    kappa,
    ks,
    mxe,
    rms,
    spiegelhalter_z,
)
from calibrant.metrics._intervals.delong import placement_covariances

FOLDER = Path(__file__).parent
R = json.loads((FOLDER / "r_measures.json").read_text())
SETS = [
    (np.array(rows["y"]), np.array(rows["proba"]), found)
    for rows, found in zip(json.loads((FOLDER / "metrics.json").read_text()), R["sets"], strict=True)
]
WITHOUT_TIES = SETS[:2]
CLOSE = {"rel": 1e-10, "abs": 1e-13}  # fifteen digits are kept


def beside(p):
    """Return the other ranking of the script: each probability averaged with the next row's."""
    return (p + np.roll(p, -1)) / 2


def weights_of(p):
    return np.arange(1, len(p) + 1) % 3 + 1


def floats(values):
    """Read numbers among which NaN and Inf are written as words."""
    return np.array([float(value) for value in values])


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_areas_and_their_variances_are_procs(y, p, found):
    golden = found["pROC"]
    area, *variances, _, _ = _core.area_variance(p, y == 1, None, 1)
    assert auc(y, p) == pytest.approx(golden["auc"], **CLOSE)
    assert area == pytest.approx(golden["auc"], **CLOSE)
    assert sum(variances) == pytest.approx(golden["variance"], **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_paired_differences_of_areas_are_procs(y, p, found):
    golden = found["pROC"]
    areas, covariances, _ = placement_covariances(p, beside(p), y == 1)
    difference = areas[0] - areas[1]
    error = np.sqrt(sum(each[0, 0] + each[1, 1] - 2 * each[0, 1] for each in covariances))
    assert difference == pytest.approx(golden["difference"], **CLOSE)
    assert difference / error == pytest.approx(golden["z"], **CLOSE)
    assert 2 * norm.sf(abs(difference / error)) == pytest.approx(golden["p_value"], rel=1e-9)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_every_point_of_the_roc_curve_is_procs(y, p, found):
    curve = roc(y, p)
    np.testing.assert_allclose([curve.fpr, curve.tpr], [found["pROC"]["fpr"], found["pROC"]["tpr"]], atol=1e-14)
    assert ks(y, p) == pytest.approx(found["pROC"]["youden"], **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_ranks_are_correlated_as_in_hmisc(y, p, found):
    golden = found["Hmisc"]
    assert (auc(y, p), gini(y, p)) == pytest.approx(tuple(golden["somers2"].values()), **CLOSE)
    assert (auc(y, p), gini(y, p)) == pytest.approx(tuple(golden["rcorr"].values()), **CLOSE)
    weighted = {"sample_weight": weights_of(p)}
    assert (auc(y, p, **weighted), gini(y, p, **weighted)) == pytest.approx(tuple(golden["weighted"].values()), **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_probabilities_are_validated_as_by_rms(y, p, found):
    golden = found["rms"]
    assert brier(y, p) == pytest.approx(golden["Brier"], **CLOSE)
    assert spiegelhalter_z(y, p) == pytest.approx(golden["S:z"], **CLOSE)
    assert 2 * norm.sf(abs(spiegelhalter_z(y, p))) == pytest.approx(golden["S:p"], rel=1e-9)
    line = calibration_intercept(y, p, joint=True), calibration_slope(y, p)
    assert line == pytest.approx((golden["Intercept"], golden["Slope"]), rel=1e-6)  # where its search ends
    assert ici(y, p) == pytest.approx(golden["Eavg"], abs=0.02)  # a smoother curve, by lowess


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_lines_are_those_of_glm(y, p, found):
    golden = found["glm"]
    for weight, expected in ((None, golden["joint"]), (weights_of(p), golden["weighted"])):
        line = [calibration_intercept(y, p, joint=True, sample_weight=weight)]
        line.append(calibration_slope(y, p, sample_weight=weight))
        assert line == pytest.approx(expected, rel=1e-9)
    assert calibration_intercept(y, p) == pytest.approx(golden["intercept"], rel=1e-9)


@pytest.mark.parametrize(("y", "golden"), [(y, found["glm"]) for y, _, found in WITHOUT_TIES])
def test_hosmer_and_lemeshows_test_is_that_of_performance(y, golden):
    ours = hosmer_lemeshow(y, np.array(golden["fitted"]), is_fitted=True)
    assert ours.statistic == pytest.approx(golden["hosmer"]["chisq"], **CLOSE)
    assert (ours.df, ours.p_value) == (golden["hosmer"]["df"], pytest.approx(golden["hosmer"]["p.value"], **CLOSE))


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_losses_are_rocrs(y, p, found):
    assert mxe(y, p) == pytest.approx(found["ROCR"]["mxe"], **CLOSE)
    assert rms(y, p) == pytest.approx(found["ROCR"]["rmse"], **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), WITHOUT_TIES)
def test_sliding_windows_are_rocrs(y, p, found):
    assert cal(y, p, window=50) == pytest.approx(found["ROCR"]["cal"], **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_every_row_of_the_table_of_thresholds_is_rocrs(y, p, found):
    table, golden = threshold_table(y, p), found["ROCR"]
    np.testing.assert_allclose(table.threshold, floats(golden["threshold"]), atol=1e-14)
    np.testing.assert_allclose((5 * table.fn + table.fp) / len(y), golden["expected_cost"], atol=1e-13)
    for name in ("precision", "recall", "f1", "lift", "accuracy"):
        expected = floats(golden["along"][name])
        known = ~np.isnan(expected)
        np.testing.assert_allclose(getattr(table, name)[known], expected[known], atol=1e-13)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_the_hull_is_rocrs(y, p, found):
    hull, golden = roc_hull(y, p), found["ROCR"]["hull"]
    assert hull.auc == pytest.approx(area_under(golden["fpr"], golden["tpr"]), **CLOSE)
    inside = [(f, t) for f, t in zip(golden["fpr"], golden["tpr"], strict=True) if 0 < f < 1]
    assert [hull.mix(f).tpr for f, _ in inside] == pytest.approx([t for _, t in inside], **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_the_envelope_of_the_cost_curve_is_rocrs(y, p, found):
    curve, golden = cost_curve(y, p), found["ROCR"]["envelope"]
    np.testing.assert_allclose(curve.at(golden["x"]), golden["cost"], atol=1e-13)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
@pytest.mark.parametrize("score", ["brier", "log_loss"])
def test_corp_decompositions_are_reliabilitydiags(y, p, found, score):
    golden, parts = found["reliabilitydiag"][score], decomposition(y, p, score=score)
    assert parts.score == pytest.approx(golden["mean_score"], **CLOSE)
    for part in ("miscalibration", "discrimination", "uncertainty"):
        assert getattr(parts, part) == pytest.approx(golden[part], **CLOSE)


@pytest.mark.parametrize(("y", "p", "found"), SETS)
def test_corp_bins_are_reliabilitydiags(y, p, found):
    curve, golden = reliability(y, p, method="corp"), found["reliabilitydiag"]
    np.testing.assert_array_equal(curve.weight, golden["n"])
    expected = [golden["low"], golden["high"], golden["observed"]]
    np.testing.assert_allclose([curve.low, curve.high, curve.observed], expected, atol=1e-14)


def test_consistency_bands_of_many_rows_are_the_normal_ones_of_reliabilitydiag():
    """4,000 rows at each of five probabilities; 2,000 draws leave an error of 5 % of a half-width of 0.008 to 0.013."""
    golden = R["regions"]["asymptotic"]
    p = np.repeat(golden["x"], golden["n"])
    band = reliability(p > 0.4, p, method="corp", bands="consistency", confidence=0.9, n_resamples=2000).band
    np.testing.assert_allclose(band.x, golden["x"])
    np.testing.assert_allclose([band.lower, band.upper], [golden["lower"], golden["upper"]], atol=2e-3)


def test_consistency_bands_of_few_rows_are_near_those_of_reliabilitydiag():
    """Its resamples draw the probabilities, too, ours keep them; and both are random."""
    golden = R["regions"]["resampled"]
    x = np.array(golden["x"])
    band = reliability(x > 0.4, x, method="corp", bands="consistency", confidence=0.9, n_resamples=1000).band
    gaps = np.abs(np.array([band.lower, band.upper]) - [golden["lower"], golden["upper"]])
    assert gaps.mean() < 0.012


def test_three_classes_are_judged_as_by_proc_and_vcd():
    golden = R["three"]
    rows = golden["label"], np.array(golden["proba"])
    assert auc(*rows, average="one_vs_one") == pytest.approx(golden["auc"], **CLOSE)
    assert kappa(*rows) == pytest.approx(golden["kappa"], **CLOSE)
    assert kappa(*rows, weights="linear") == pytest.approx(golden["linear"], **CLOSE)
    assert kappa(*rows, weights="quadratic") == pytest.approx(golden["quadratic"], **CLOSE)
