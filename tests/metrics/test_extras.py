"""Options and arrays of metrics on the score card: money, averages, thresholds."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk

from calibrant.decisions import CostMatrix, ExampleCosts
from calibrant.decisions import profit as decision_profit
from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics import (
    METRICS,
    compare,
    cost,
    ece,
    evaluate,
    f1,
    lift,
    precision_at_k,
    profit,
    proportion_interval,
    recall,
)

MATRIX = [[0, 1, 2], [5, 0, 1], [3, 4, 0]]


def drawn(n=400, seed=0):
    """Return classes, probabilities, the amount that each row pays, its estimate and the cost of approaching it."""
    random = np.random.default_rng(seed)
    p = random.beta(1, 3, n)
    amount = random.lognormal(2, 0.5, n)
    return random.random(n) < p, p, amount, amount * random.uniform(0.7, 1.3, n), random.uniform(1, 3, n)


def drawn_of_three(n=300):
    random = np.random.default_rng(1)
    proba = random.dirichlet(np.ones(3), n)
    return (random.random(n)[:, None] > proba.cumsum(axis=1)[:, :2]).sum(axis=1), proba


def test_money_stands_on_the_card_with_intervals():
    y, p, a, _, c = drawn()
    card = evaluate(
        y, p, metrics=["auc"], extras={"profit": {"amount": a, "cost": c}, "cost": {"matrix": [[0, 1], [5, 0]]}}
    )
    assert list(card) == ["auc", "profit", "cost"]
    assert card["profit"].value == pytest.approx(profit(y, p, amount=a, cost=c), rel=1e-12)
    assert card["cost"].value == pytest.approx(cost(y, p, matrix=[[0, 1], [5, 0]]), rel=1e-12)
    for name in ("profit", "cost"):
        assert card[name].low < card[name].value < card[name].high
        assert card[name].method == "BCa"


def test_extras_are_added_to_the_default_metrics():
    y, p, a, _, c = drawn()
    extras = {"profit": {"amount": a, "cost": c}}
    card = evaluate(y, p, extras=extras, confidence=None)
    assert list(card) == [*evaluate(y, p, confidence=None), "profit"]
    assert list(evaluate(y, p, metrics=["profit", "auc"], extras=extras, confidence=None)) == ["profit", "auc"]


def test_the_interval_of_profit_is_that_of_decisions():
    y, p, a, estimated, c = drawn(2000)
    extras = {"profit": {"amount": a, "cost": c, "estimated_amount": estimated}}
    score = evaluate(y, p, metrics=[], extras=extras, n_boot=4000)["profit"]
    money = decision_profit(y, p, ExampleCosts(cost=c, benefit=estimated), amount=a, n_boot=4000).total
    assert score.value == pytest.approx(money.value, rel=1e-9)
    width = money.high - money.low
    assert (score.low, score.high) == pytest.approx((money.low, money.high), abs=0.04 * width)


def test_the_interval_of_the_cheapest_decision_is_that_of_decisions():
    y, proba = drawn_of_three()
    score = evaluate(y, proba, metrics=[], extras={"cost": {"matrix": MATRIX, "decide": "cheapest"}}, n_boot=4000)[
        "cost"
    ]
    money = decision_profit(y, proba, CostMatrix(MATRIX), n_boot=4000).total
    assert -300 * score.value == pytest.approx(money.value, rel=1e-9)
    width = money.high - money.low
    assert (-300 * score.high, -300 * score.low) == pytest.approx((money.low, money.high), abs=0.05 * width)


def test_the_cost_of_several_classes_follows_the_order_of_labels():
    y, proba = drawn_of_three()
    turned = evaluate(
        y,
        proba[:, [2, 0, 1]],
        labels=[2, 0, 1],
        metrics=[],
        extras={"cost": {"matrix": np.array(MATRIX)[[2, 0, 1]][:, [2, 0, 1]]}},
    )
    card = evaluate(y, proba, metrics=[], extras={"cost": {"matrix": MATRIX}})
    assert turned["cost"].value == pytest.approx(card["cost"].value, rel=1e-12)
    assert (turned["cost"].low, turned["cost"].high) == pytest.approx((card["cost"].low, card["cost"].high), rel=1e-9)


def test_rows_of_weight_0_and_segments_keep_their_amounts():
    y, p, a, estimated, c = drawn()
    w = np.tile([1, 0, 2, 1], 100)
    by = np.repeat(["a", "b"], 200)
    options = {"amount": a, "cost": c, "estimated_amount": estimated}
    card = evaluate(y, p, metrics=[], extras={"profit": options}, sample_weight=w, by=by)
    assert card["profit"].value == pytest.approx(profit(y, p, sample_weight=w, **options), rel=1e-12)
    for name in "ab":
        of_segment = {key: value[by == name] for key, value in options.items()}
        expected = profit(y[by == name], p[by == name], sample_weight=w[by == name], **of_segment)
        assert card.cards[name]["profit"].value == pytest.approx(expected, rel=1e-12)


def test_averages_over_classes_have_intervals():
    y, proba = drawn_of_three()
    card = evaluate(y, proba, metrics=[], extras={"recall": {"average": "macro"}, "f1": {"average": "weighted"}})
    predicted = proba.argmax(axis=1)
    assert card["recall"].value == pytest.approx(sk.recall_score(y, predicted, average="macro"))
    assert card["f1"].value == pytest.approx(sk.f1_score(y, predicted, average="weighted"))
    assert all(score.low < score.value < score.high and score.method == "BCa" for score in card.values())


def test_a_threshold_enters_value_and_interval():
    y, p, *_ = drawn()
    card = evaluate(y, p, metrics=["recall", "f1"], extras={"recall": {"threshold": 0.3}, "f1": {"threshold": 0.3}})
    assert (card["recall"].value, card["f1"].value) == (recall(y, p, threshold=0.3), f1(y, p, threshold=0.3))
    ends = proportion_interval((p > 0.3)[y].sum(), y.sum())
    assert (card["recall"].low, card["recall"].high) == pytest.approx(ends)
    assert card["f1"].low < card["f1"].value < card["f1"].high


def test_options_of_other_metrics_change_value_and_replicates():
    y, p, *_ = drawn()
    extras = {"lift": {"fraction": 0.3}, "precision_at_k": {"k": 50}, "ece": {"n_bins": 5, "norm": "l2"}}
    card = evaluate(y, p, metrics=["calibration_intercept"], extras=extras | {"calibration_intercept": {"joint": True}})
    assert card["lift"].value == lift(y, p, fraction=0.3)
    assert card["lift"].low <= card["lift"].value <= card["lift"].high
    assert card["precision_at_k"].value == precision_at_k(y, p, k=50)
    assert card["ece"].value == ece(y, p, n_bins=5, norm="l2")
    assert (card["ece"].low, card["ece"].note) == (None, "no interval: none is proved")
    assert card["calibration_intercept"].method == "BCa"


def test_cards_with_money_are_compared():
    y, p, a, estimated, c = drawn(1000)
    extras = {"profit": {"amount": a, "cost": c, "estimated_amount": estimated}, "cost": {"matrix": [[0, 1], [5, 0]]}}
    noise = np.random.default_rng(3).beta(1, 3, 1000)
    found = compare(*(evaluate(y, q, metrics=["accuracy"], extras=extras) for q in (p, noise)))
    expected = profit(y, p, **extras["profit"]) - profit(y, noise, **extras["profit"])
    assert found["profit"].difference == pytest.approx(expected, rel=1e-12)
    assert (found["profit"].better, found["profit"].method) == ("first", "BCa")
    assert found["profit"].low < expected < found["profit"].high


def test_cards_of_other_costs_are_not_compared():
    y, p, *_ = drawn()
    cards = [evaluate(y, p, metrics=[], extras={"cost": {"matrix": [[0, 1], [x, 0]]}}) for x in (5, 6)]
    with pytest.raises(DataError, match="'cost' has other options in the two cards"):
        compare(*cards)


def test_an_error_of_another_norm_has_a_value_alone():
    y, p, *_ = drawn()
    for options in ({"norm": "max"}, {"norm": "l2", "debiased": True}):
        score = evaluate(y, p, metrics=[], extras={"ece": options})["ece"]
        assert (score.value, score.low, score.pvalue) == (ece(y, p, **options), None, None)


def test_wrong_extras_raise_errors_that_say_what_to_pass():
    y, p, a, _, c = drawn()
    wrong = {
        "extras must map": (["profit"], ParameterError),
        r"extras\['cost'\] must map": ({"cost": MATRIX}, ParameterError),
        "Did you mean 'profit'": ({"profits": {}}, ParameterError),
        r"'profit' needs amount and cost; cost is missing": ({"profit": {"amount": a}}, ParameterError),
        "'profit' has no option 'amounts'.* Did you mean 'amount'": (
            {"profit": {"amounts": a, "cost": c}},
            ParameterError,
        ),
        "pass sample_weight to evaluate itself": ({"auc": {"sample_weight": a}}, ParameterError),
        r"amount has shape \(399,\); pass one number": ({"profit": {"amount": a[1:], "cost": c}}, DataError),
        "amount must hold numbers": ({"profit": {"amount": "much", "cost": c}}, DataTypeError),
        "matrix must be 2 rows": ({"cost": {"matrix": MATRIX}}, ParameterError),
        "decide must be": ({"cost": {"matrix": [[0, 1], [1, 0]], "decide": "dearest"}}, ParameterError),
    }
    for message, (extras, kind) in wrong.items():
        with pytest.raises(kind, match=message):
            evaluate(y, p, extras=extras)
    with pytest.raises(ParameterError, match=r"'cost' needs matrix; pass extras=\{'cost': \{'matrix': \.\.\.\}\}"):
        evaluate(y, p, metrics=["cost"])


def test_every_metric_takes_its_options_in_extras():
    y, p, a, _, c = drawn(60)
    needed = {"vote": y, "k": 5.0, "matrix": [[0, 1], [1, 0]], "amount": a, "cost": c, "prior": [0.6, 0.4]}
    for name, metric in METRICS.items():
        options = {need: needed[need] for need in metric.needs}
        score = evaluate(y, p, metrics=[], extras={name: options}, n_boot=20)[name]
        assert score.value == pytest.approx(metric.function(y, p, **options), rel=1e-9), name


def test_groups_of_calibration_errors_are_options_too():
    y, p, *_ = drawn(60)
    options = {"groups": np.arange(60) // 4, "debiased": True}
    for name in ("ece", "classwise_ece"):
        score = evaluate(y, p, metrics=[], extras={name: options})[name]
        assert score.value == METRICS[name].function(y, p, **options)
