"""Every worked example about costs in chapter 5 of Witten, Frank & Hall (2011), by page or table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.curves import CostLine
from calibrant.decisions import CostMatrix, CostSensitiveClassifier, best_decision, cost_benefit, expected_cost, profit
from calibrant.metrics import cost

N, RESPONDENTS, TOP, FOUND = 47_706, 2_402, 22_285, 1_417  # Figure 5.2, as ALGORITHMS.md 10.14 solves it


@pytest.fixture(scope="module")
def mailing():
    """The ranked list of Figure 5.2 as far as the book specifies it: two groups of tied rows."""
    y = np.repeat([1, 0, 1, 0], [FOUND, TOP - FOUND, RESPONDENTS - FOUND, N - TOP - RESPONDENTS + FOUND])
    return y, np.repeat([0.06, 0.04], [TOP, N - TOP])


def mail(price):
    """Costs of a mailing: a response earns 15 net of the letter, a letter without response costs its price."""
    return CostMatrix.from_benefits([[0, -price], [0, 15.0]])


def test_table_5_5_default_matrices_count_errors():
    assert CostMatrix.errors(["yes", "no"]).matrix.tolist() == [[0, 1], [1, 0]]
    assert CostMatrix.errors("abc").matrix.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_page_167_expected_costs_under_table_5_5_are_1_less_the_probability():
    proba = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    np.testing.assert_allclose(expected_cost(proba, CostMatrix.errors("abc")), 1 - proba)
    assert best_decision(proba, CostMatrix.errors("abc")).tolist() == ["a", "c"]


def test_page_167_for_a_different_matrix_the_prediction_might_be_different():
    costs = CostMatrix([[0, 1, 1], [1, 0, 1], [10, 10, 0]], labels="abc")
    assert best_decision([[0.5, 0.3, 0.2]], costs).tolist() == ["c"]


def test_table_5_4_the_default_matrix_gives_the_60_errors_of_200():
    """Page 164: 140 of 200 are right, a success rate of 70 %."""
    counts = np.array([[88, 10, 2], [14, 40, 6], [18, 10, 12]])
    actual, predicted = (part.ravel() for part in np.indices((3, 3)))
    money = profit(
        actual, np.eye(3)[predicted], CostMatrix.errors([0, 1, 2]), sample_weight=counts.ravel(), confidence=None
    )
    assert money.total.value == -60
    assert cost(actual, np.eye(3)[predicted], matrix=1 - np.eye(3), sample_weight=counts.ravel()) == pytest.approx(0.30)


def test_page_168_ten_times_the_no_instances_makes_false_positives_ten_times_as_expensive():
    """Rows weighted by cost are rows repeated, and fewer of the errors are false positives."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 1))
    y = np.where(X[:, 0] + rng.normal(size=2000) > 0, "yes", "no")
    ten = CostSensitiveClassifier(GaussianNB(), [[0, 10], [1, 0]], when="train").fit(X, y)
    times = np.where(y == "no", 10, 1)
    repeated = GaussianNB().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(ten.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)
    predicted = ten.predict(X)
    assert ((predicted == "yes") & (y == "no")).sum() < ((predicted == "no") & (y == "yes")).sum()


@pytest.mark.parametrize(("n_mailed", "found", "lift"), [(100_000, 400, 4), (400_000, 800, 2)])
def test_page_168_lift_factors_of_the_million_households(n_mailed, found, lift):
    y = np.repeat([1, 0, 1, 0], [found, n_mailed - found, 1000 - found, 1_000_000 - n_mailed - 1000 + found])
    p = np.repeat([0.004, 0.0005], [n_mailed, 1_000_000 - n_mailed])
    point = cost_benefit(y, p, mail(0.5)).at(fraction=n_mailed / 1_000_000)
    assert point.tp == pytest.approx(found)
    assert point.tp / point.selected / 0.001 == pytest.approx(lift)


def test_page_169_an_expensive_model_makes_mass_mailing_the_better_choice():
    y = np.repeat([1, 0, 1, 0], [400, 99_600, 600, 899_400])
    p = np.repeat([0.004, 0.0006], [100_000, 900_000])
    letter = CostMatrix.from_benefits([[0, -0.01], [0, 19.99]], labels=[0, 1], actions=["leave", "mail"])
    cheap = profit(y, p, letter, confidence=None)
    assert cheap.gain.value == pytest.approx(0)  # 0.0006 * 20 > 0.01: everybody is worth a letter
    expensive = profit(y, p, letter, fixed_cost=5_000, row_cost=0.001, confidence=None)
    assert expensive.best_alone == "mail"
    assert expensive.gain.value == pytest.approx(-6_000)


def test_table_5_6_the_ten_most_likely_of_150_include_8_of_50():
    """Page 170: a success proportion of 80 %, a lift of about 2.4."""
    top = "yyn yyyy yny n yy n y n y n y".replace(" ", "")
    scores = [0.95, 0.93, 0.93, 0.88, 0.86, 0.85, 0.82, 0.80, 0.80, 0.79]
    scores += [0.77, 0.76, 0.73, 0.65, 0.63, 0.58, 0.56, 0.49, 0.48]
    y = np.array([letter == "y" for letter in top] + [True] * (50 - top.count("y")) + [False] * (100 - top.count("n")))
    point = cost_benefit(y, np.append(scores, np.zeros(131)), [[0, 1], [0, -1]]).at(fraction=10 / 150)
    assert (point.tp, point.fp) == (8, 2)
    assert point.tp / point.selected / (50 / 150) == pytest.approx(2.4)


def test_page_163_the_null_rule_about_cows_is_right_97_percent_of_the_time():
    """One day of 30: never in estrus is wrong once, and expensive enough errors make it the wrong prediction."""
    y, p = np.repeat([0, 1], [29, 1]), np.full(30, 1 / 30)
    assert 1 + profit(y, p, CostMatrix.errors([0, 1]), confidence=None).mean == pytest.approx(0.97, abs=0.005)
    assert best_decision(p, [[0, 1], [28, 0]])[0] == 0
    assert best_decision(p, [[0, 1], [30, 0]])[0] == 1


def test_page_179_the_parabola_is_furthest_below_one_classifier_at_a_quarter_and_three_quarters():
    """The book reads about 0.04 off the figure; x (1 - x), which B at 0.25 touches, is 0.0625 below there."""
    x = np.linspace(0, 1, 401)
    scheme = np.minimum(CostLine(0.25, 0.25).at(x), np.minimum(x, 1 - x))
    ahead = scheme - x * (1 - x)
    assert ahead.min() >= -1e-12
    assert x[ahead > ahead.max() - 1e-12].tolist() == pytest.approx([0.25, 0.75])
    assert ahead.max() == pytest.approx(0.0625)
    assert ahead[200] == pytest.approx(0)


def test_figure_5_2_a_at_50_cents_mailing_to_all_is_best(mailing):
    """Page 171: no subset of the ranked list yields more than the entire population; 13,378.00 by its counts."""
    analysis = cost_benefit(*mailing, mail(0.50))
    assert analysis.best.fraction == 1
    assert round(analysis.best.benefit, 2) == 13_378.00


def test_figure_5_2_b_at_80_cents_the_top_46_7_percent_are_best(mailing):
    """Page 171: a maximum profit of $4,560.60 by the top 46.7 %, where a random sample loses $99.59."""
    analysis = cost_benefit(*mailing, mail(0.80))
    best = analysis.best
    assert best.selected == TOP
    assert round(100 * best.fraction, 2) == 46.71
    assert round(best.benefit, 2) == 4_560.60
    assert round(best.random, 2) == -99.59
    assert round(best.gain, 2) == 4_660.19
    assert round(analysis.at(fraction=1.0).benefit, 2) == -213.20
    assert best.confusion.tolist() == [[N - TOP - RESPONDENTS + FOUND, TOP - FOUND], [RESPONDENTS - FOUND, FOUND]]


def test_figure_5_2_a_sample_can_be_chosen_by_recall_or_by_threshold(mailing):
    analysis = cost_benefit(*mailing, mail(0.80))
    assert analysis.at(recall=FOUND / RESPONDENTS).selected == pytest.approx(TOP)
    assert analysis.at(threshold=0.05).benefit == analysis.best.benefit


def test_figure_5_2_profit_by_decisions_is_that_of_the_best_sample(mailing):
    """15 p > 0.80 (1 - p) from p = 0.0506 on, which separates the two groups."""
    y, p = mailing
    assert mail(0.80).threshold() == pytest.approx(0.80 / 15.80)
    assert round(profit(y, p, mail(0.80), confidence=None).total.value, 2) == 4_560.60
