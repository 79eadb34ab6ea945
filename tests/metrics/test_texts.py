"""Every figure that the texts derive, with its page."""

import math

import numpy as np
import pytest

from calibrant.metrics import (
    accuracy,
    auc,
    aulc,
    cal,
    confusion_matrix,
    cost,
    description_length,
    error,
    f1,
    informational_loss,
    kappa,
    lift,
    log_loss_bits,
    mse,
    nce,
    numeric,
    precision_at_k,
    profit,
    ql,
    quadratic_loss,
    recall_at_k,
    rms,
    sensitivity_specificity,
)

# Witten, Frank & Hall 2011, Table 5.6: the first 19 of 150 rows; what the others are is not printed.
SHOWN = [1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1]
PROBA = [95, 93, 93, 88, 86, 85, 82, 80, 80, 79, 77, 76, 73, 65, 63, 58, 56, 49, 48]
PROBA = [percent / 100 for percent in PROBA]


def test_kappa_of_table_5_4():
    """Witten, Frank & Hall 2011, 5.7, page 166: 140 of 200 right, 82 by chance, 58 of 118: 49.2 %."""
    table = np.array([[88, 10, 2], [14, 40, 6], [18, 10, 12]])
    actual, decided = np.indices((3, 3))
    rows = {"y_true": actual.ravel(), "y_proba": np.eye(3)[decided.ravel()], "sample_weight": table.ravel()}
    assert accuracy(**rows) == pytest.approx(0.70)
    assert kappa(**rows) == pytest.approx(58 / 118)
    assert round(100 * kappa(**rows), 1) == 49.2


def test_lift_of_table_5_6():
    """Witten, Frank & Hall 2011, 5.7, pages 168 to 169: eight of the first ten, 50 of 150 in all: a lift of 2.4."""
    y, proba = SHOWN + [0] * 131, PROBA + [0.1] * 131
    assert lift(y, proba, fraction=10 / 150, total_positives=50) == pytest.approx(2.4)


def test_recall_and_precision_at_10_of_table_5_6():
    """Witten, Frank & Hall 2011, 5.7, page 175: 40 relevant documents in all: recall 20 %, precision 80 %."""
    assert recall_at_k(SHOWN, PROBA, k=10, total_positives=40) == pytest.approx(0.20)
    assert precision_at_k(SHOWN, PROBA, k=10) == pytest.approx(0.80)


def test_lift_factors_of_the_mailing():
    """Witten, Frank & Hall 2011, 5.7, page 168: 400 of 100,000 and 800 of 400,000 where 1,000 of a million answer."""
    weights = [400, 99_600, 400, 299_600, 200, 599_800]
    rows = {"y_true": [1, 0] * 3, "y_proba": [0.9, 0.9, 0.5, 0.5, 0.1, 0.1], "sample_weight": weights}
    assert lift(**rows, fraction=0.1) == pytest.approx(4.0)
    assert lift(**rows, fraction=0.4) == pytest.approx(2.0)


def test_the_extremes_of_quadratic_loss():
    """Witten, Frank & Hall 2011, 5.6, page 163: 1 + sum p_j^2 at most where p_y is 0, so 2; 0 at a certain hit."""
    assert quadratic_loss([0, 1], [[1, 0, 0], [1, 0, 0]], labels=[0, 1, 2]).tolist() == [0.0, 2.0]
    p = np.array([0.5, 0.3, 0.2, 0.0])
    assert ql([3], [p], labels=range(4)) == pytest.approx(1 + (p**2).sum())
    assert ql([0], [p], labels=range(4)) == pytest.approx(1 - 2 * p[0] + (p**2).sum())


def test_informational_loss_is_in_bits():
    """Witten, Frank & Hall 2011, 5.6, page 161: a coin takes one bit; an impossible event infinitely many."""
    assert informational_loss(["heads"], [0.5], pos_label="heads").tolist() == [1.0]
    assert informational_loss([1], [0.0], pos_label=1).tolist() == [math.inf]
    assert description_length([0, 1, 1], [0.5, 0.25, 0.5]) == pytest.approx(4.0, rel=1e-12)


def test_constant_rows_of_kdd_98():
    """Zadrozny & Elkan 2001, Tables 1 and 2, training set: .09636; .28961 bits, or .28962 of a rounded .05076."""
    rows = {"y_true": [0, 1], "y_proba": [4843 / 95412] * 2, "sample_weight": [95412 - 4843, 4843]}
    assert round(mse(**rows), 5) == 0.09636
    assert round(log_loss_bits(**rows), 5) == 0.28961
    assert round(log_loss_bits([0, 1], [0.05076] * 2, sample_weight=[1 - 0.05076, 0.05076]), 5) == 0.28962
    assert rms(**rows) == pytest.approx(math.sqrt(mse(**rows) / 2))


@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_perfect_rankings_have_lift_areas_of_one_plus_the_entropy(n):
    """Nielsen 2004, eq. 12: (1 + H_n - H_n/2) for two classes of equal size, towards 1 + ln 2."""
    y = np.repeat([1, 0], n // 2)
    harmonic = (1 / np.arange(n // 2 + 1, n + 1)).sum()
    assert aulc(y, np.linspace(1, 0, n)) == pytest.approx(1 + harmonic, rel=1e-12)
    assert aulc(y, np.linspace(1, 0, n)) == pytest.approx(1 + math.log(2), abs=1 / n)


# Zadrozny & Elkan 2001, section 4: rows and positives of the training and test sets of KDD'98 and of CoIL.
KDD_TRAIN, KDD_TEST, COIL_TRAIN, COIL_TEST = (95412, 4843), (96367, 4873), (5822, 348), (4000, 238)


@pytest.mark.parametrize(
    ("train", "test", "printed"),
    [(KDD_TRAIN, KDD_TEST, (0.09602, 0.10113, 1.89886)), (COIL_TRAIN, COIL_TEST, (0.11192, 0.11900, 1.88100))],
    ids=["KDD'98", "CoIL"],
)
def test_constant_rows_of_the_test_sets(train, test, printed):
    """Zadrozny & Elkan 2001, section 4, Tables 1 and 4: all the training base rate, all zero, all one."""
    weights = [test[0] - test[1], test[1]]
    for p, expected in zip((train[1] / train[0], 0.0, 1.0), printed, strict=True):
        assert mse([0, 1], [p, p], sample_weight=weights) == pytest.approx(expected, abs=1.01e-5)


def test_log_losses_of_constant_rows():
    """Zadrozny & Elkan 2001, section 4, Table 2, test set: .28880 bits; infinite where all are zero or one."""
    rows = {"y_true": [0, 1], "sample_weight": [KDD_TEST[0] - KDD_TEST[1], KDD_TEST[1]]}
    base_rate = KDD_TRAIN[1] / KDD_TRAIN[0]
    assert log_loss_bits(y_proba=[base_rate] * 2, **rows) == pytest.approx(0.28880, abs=1.01e-5)
    assert log_loss_bits(y_proba=[0.0, 0.0], **rows) == log_loss_bits(y_proba=[1.0, 1.0], **rows) == math.inf


def test_profits_of_asking_everybody_and_nobody():
    """Zadrozny & Elkan 2001, section 4, Table 3: $10,790, exactly 10,788.54 of 75,668.70 donated; nobody $0."""
    rows = {"y_true": [0, 1], "sample_weight": [KDD_TRAIN[0] - KDD_TRAIN[1], KDD_TRAIN[1]], "cost": 0.68}
    rows["amount"] = 75_668.70 / KDD_TRAIN[1]
    assert profit(y_proba=[1.0, 1.0], **rows) == pytest.approx(10_788.54, abs=0.005)
    assert profit(y_proba=[0.0, 0.0], **rows) == 0.0


def test_a_predictor_of_no_cow_in_heat_is_correct_97_percent_of_the_time():
    """Witten, Frank & Hall 2011, 5.7, page 163: a cycle of 30 days; and its kappa is 0."""
    rows = {"y_true": [0, 1], "y_proba": [0.0, 0.0], "sample_weight": [29, 1]}
    assert round(accuracy(**rows), 2) == 0.97
    assert kappa(**rows) == pytest.approx(0.0, abs=1e-12)
    assert sensitivity_specificity(**rows) == 0.0


def test_chance_agreements_of_table_5_4():
    """Witten, Frank & Hall 2011, 5.7, page 165: the random predictor's matrix has a kappa of 0, and 82 right."""
    table = np.array([[60, 30, 10], [36, 18, 6], [24, 12, 4]])
    actual, decided = np.indices((3, 3))
    rows = {"y_true": actual.ravel(), "y_proba": np.eye(3)[decided.ravel()], "sample_weight": table.ravel()}
    assert np.trace(confusion_matrix(**rows)) == 82
    assert kappa(**rows) == pytest.approx(0.0, abs=1e-12)


def test_the_default_costs_of_table_5_5_are_errors():
    """Witten, Frank & Hall 2011, 5.7, page 166: the mean cost is the error rate."""
    y, proba = [0, 1, 2, 2], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.35, 0.25]]
    matrix = 1 - np.eye(3)
    assert cost(y, proba, matrix=matrix) == error(y, proba) == 0.25
    assert cost(y, proba, matrix=matrix, decide="cheapest") == 0.25


def test_forty_percent_of_four_classes():
    """Witten, Frank & Hall 2011, 5.6, page 162: quadratic loss is least where the rest is even, bits do not care."""
    even, uneven = [0.4, 0.2, 0.2, 0.2], [0.4, 0.6, 0.0, 0.0]
    assert quadratic_loss([0, 0], [even, uneven], labels=range(4)).tolist() == pytest.approx([0.48, 0.72])
    assert informational_loss([0, 0], [even, uneven], labels=range(4)).tolist() == pytest.approx([-math.log2(0.4)] * 2)


def test_the_true_probabilities_have_the_least_loss():
    """Witten, Frank & Hall 2011, 5.6, pages 160 and 161: the loss is then the variance, or the entropy."""
    truth, other = np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.3, 0.1])
    rows = {"y_true": [0, 1, 2], "sample_weight": truth}
    assert ql(y_proba=[truth] * 3, **rows) == pytest.approx((truth * (1 - truth)).sum())
    assert ql(y_proba=[other] * 3, **rows) == pytest.approx(((other - truth) ** 2 + truth * (1 - truth)).sum())
    assert log_loss_bits(y_proba=[truth] * 3, **rows) == pytest.approx(-(truth * np.log2(truth)).sum())


def test_two_systems_that_retrieve_documents():
    """Witten, Frank & Hall 2011, 5.7, page 174: 40 of 100 retrieved are relevant, or 80 of 400."""
    for found, retrieved in ((40, 100), (80, 400)):
        y, p = [1, 0, 0], [0.9, 0.9, 0.1]
        weights = [found, retrieved - found, 1000]
        assert precision_at_k(y, p, k=retrieved, sample_weight=weights) == pytest.approx(found / retrieved)
        recall = recall_at_k(y, p, k=retrieved, sample_weight=weights, total_positives=100)
        assert recall == pytest.approx(found / 100)


def test_f_is_the_harmonic_mean_of_recall_and_precision():
    """Witten, Frank & Hall 2011, 5.7, page 175: 2 recall precision / (recall + precision) at the first ten of 40."""
    y, p = [1, 0, 1, 0], [0.9, 0.9, 0.1, 0.1]
    assert f1(y, p, sample_weight=[8, 2, 32, 50]) == pytest.approx(2 * 0.2 * 0.8 / (0.2 + 0.8))


@pytest.mark.parametrize(
    ("squared", "absolute", "relative_squared", "relative_absolute"),
    [(67.8, 41.3, 42.2, 43.1), (91.7, 38.5, 57.2, 40.1), (63.3, 33.4, 39.4, 34.8), (57.4, 29.2, 35.8, 30.4)],
    ids="ABCD",
)
def test_the_relative_rows_of_table_5_9_follow_from_the_others(squared, absolute, relative_squared, relative_absolute):
    """Witten, Frank & Hall 2011, 5.8, page 182: all four are relative to 160.4 and 96.0, to a tenth of a percent."""
    of_mean = {"training_mean": 0.0}
    root = numeric.relative_root_mean_squared_error([160.4, -160.4], [160.4 - squared, squared - 160.4], **of_mean)
    assert 100 * root == pytest.approx(relative_squared, abs=0.1)
    share = numeric.relative_mean_absolute_error([96.0, -96.0], [96.0 - absolute, absolute - 96.0], **of_mean)
    assert 100 * share == pytest.approx(relative_absolute, abs=0.1)


def test_the_best_and_the_worst_case_of_ql_and_nce():
    """Chawla & Cieslak 2006, Loss Measures: 1 - 2 * 0 + 1 = 2 and 1 - 2 * 1 + 1 = 0; 0 and infinity."""
    assert ql([1], [0.0], pos_label=1) == 2.0
    assert ql([1], [1.0], pos_label=1) == 0.0
    assert nce([1, 0], [1.0, 0.0]) == 0.0
    assert nce([1, 0], [0.0, 0.0]) == math.inf


def test_cal_of_85_percent_that_are_positive():
    """Caruana & Niculescu-Mizil 2004, 2.2: 85 of 100 cases that are predicted at 0.85; then cases 2 to 101."""
    y = np.repeat([1, 0], [85, 15])
    assert cal(y, np.full(100, 0.85)) == pytest.approx(0.0, abs=1e-12)
    first, last = abs(0.85 - 0.85), abs((85 / 100 * 99 + 1) / 100 - (0.85 * 99 + 0.95) / 100)
    assert cal(np.append(y, 1), np.append(np.full(100, 0.85), 0.95)) == pytest.approx((first + last) / 2, abs=1e-12)


def test_auc_depends_on_the_order_alone():
    """Caruana & Niculescu-Mizil 2004, 2.2: no difference if predictions are between 0.49 and 0.51."""
    p = np.random.default_rng(0).random(100)
    y = np.random.default_rng(1).random(100) < p
    assert auc(y, 0.49 + 0.02 * p) == auc(y, p)
