"""Every figure that the texts work out, with its place."""

import math

import numpy as np
import pytest

from calibrant.metrics import (
    accuracy,
    aulc,
    description_length,
    informational_loss,
    kappa,
    lift,
    log_loss_bits,
    mse,
    precision_at_k,
    ql,
    quadratic_loss,
    recall_at_k,
    rms,
)

# Witten, Frank & Hall 2011, Table 5.6: the first 19 of 150 rows; what the others are is not printed.
SHOWN = [1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1]
PROBA = [95, 93, 93, 88, 86, 85, 82, 80, 80, 79, 77, 76, 73, 65, 63, 58, 56, 49, 48]
PROBA = [percent / 100 for percent in PROBA]


def test_kappa_of_table_5_4():
    """Witten, Frank & Hall 2011, 5.7: 140 of 200 right, 82 by chance, 58 of 118: 49.2 %."""
    table = np.array([[88, 10, 2], [14, 40, 6], [18, 10, 12]])
    actual, decided = np.indices((3, 3))
    rows = {"y_true": actual.ravel(), "y_proba": np.eye(3)[decided.ravel()], "sample_weight": table.ravel()}
    assert accuracy(**rows) == pytest.approx(0.70)
    assert kappa(**rows) == pytest.approx(58 / 118)
    assert round(100 * kappa(**rows), 1) == 49.2


def test_lift_of_table_5_6():
    """Witten, Frank & Hall 2011, 5.7: eight of the first ten, 50 of 150 in all: a lift of 2.4."""
    y, proba = SHOWN + [0] * 131, PROBA + [0.1] * 131
    assert lift(y, proba, fraction=10 / 150, total_positives=50) == pytest.approx(2.4)


def test_recall_and_precision_at_10_of_table_5_6():
    """Witten, Frank & Hall 2011, 5.7: 40 relevant documents in all: recall 20 %, precision 80 %."""
    assert recall_at_k(SHOWN, PROBA, k=10, total_positives=40) == pytest.approx(0.20)
    assert precision_at_k(SHOWN, PROBA, k=10) == pytest.approx(0.80)


def test_lift_factors_of_the_mailing():
    """Witten, Frank & Hall 2011, 5.7: 400 of 100,000 and 800 of 400,000 where 1,000 of a million answer."""
    weights = [400, 99_600, 400, 299_600, 200, 599_800]
    rows = {"y_true": [1, 0] * 3, "y_proba": [0.9, 0.9, 0.5, 0.5, 0.1, 0.1], "sample_weight": weights}
    assert lift(**rows, fraction=0.1) == pytest.approx(4.0)
    assert lift(**rows, fraction=0.4) == pytest.approx(2.0)


def test_the_extremes_of_quadratic_loss():
    """Witten, Frank & Hall 2011, 5.6: 1 + sum p_j^2 at most where p_y is 0, so 2; 0 at a certain hit."""
    assert quadratic_loss([0, 1], [[1, 0, 0], [1, 0, 0]], labels=[0, 1, 2]).tolist() == [0.0, 2.0]
    p = np.array([0.5, 0.3, 0.2, 0.0])
    assert ql([3], [p], labels=range(4)) == pytest.approx(1 + (p**2).sum())
    assert ql([0], [p], labels=range(4)) == pytest.approx(1 - 2 * p[0] + (p**2).sum())


def test_informational_loss_is_in_bits():
    """Witten, Frank & Hall 2011, 5.6: a coin takes one bit; what has no probability no end of them."""
    assert informational_loss(["heads"], [0.5], pos_label="heads").tolist() == [1.0]
    assert informational_loss([1], [0.0], pos_label=1).tolist() == [math.inf]
    assert description_length([0, 1, 1], [0.5, 0.25, 0.5]) == 4.0


def test_constant_rows_of_kdd_98():
    """Zadrozny & Elkan 2001, Tables 1 and 2, training set: MSE .09636, .28961 bits, or .28962 of a rounded .05076."""
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
