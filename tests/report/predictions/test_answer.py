"""The answer says what the score card and the decision report say, and claims nothing that is not shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.report.blocks import callouts, paragraphs, report_of

from calibrant.decisions import decision_report
from calibrant.metrics import evaluate
from calibrant.report import Report

COSTS = [[0, 1], [0, -9]]  # targeting costs 1 and earns 9 of a positive


def rows(n_rows: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    proba = rng.beta(1, 3, n_rows)
    return np.where(rng.random(n_rows) < proba, "yes", "no"), proba


def lead(found: Report) -> str:
    text: str = paragraphs(found, "answer")[0].text
    return text


def test_few_rows_cannot_tell_and_the_rows_needed_are_those_of_the_verdict() -> None:
    y, proba = rows(60)
    verdict = evaluate(y, proba, pos_label="yes").verdict
    found = report_of(y, proba)
    first = callouts(found, "answer")[0]
    assert first.kind == "unsure"
    assert first.text == "Whether the probabilities are right cannot be told yet from 60 rows."
    assert f"Collect about {verdict.rows_needed:,} rows in all" in lead(found)
    assert first.detail == " ".join(verdict.sentences)


def test_calibrated_probabilities_are_used_as_they_are() -> None:
    y = np.concatenate([np.arange(24_000) % 10 < 1, np.arange(8_000) % 10 < 3, np.arange(8_000) % 20 < 13])
    found = report_of(y, np.repeat([0.1, 0.3, 0.65], [24_000, 8_000, 8_000]))
    assert lead(found) == "Use these probabilities as they are."
    assert [each.kind for each in callouts(found, "answer")] == ["good", "good"]
    assert callouts(found, "answer")[0].text.startswith("The probabilities are right")


def test_what_miscalibration_costs_is_that_of_the_decision_report() -> None:
    y, proba = rows(800)
    found = report_of(y, proba / 8, costs=COSTS, pos_label="yes")
    expected = decision_report(y, proba / 8, COSTS, pos_label="yes", n_boot=50)
    money = callouts(found, "answer")[-1]
    assert expected.miscalibration.low > 0
    assert money.kind == "bad"
    assert money.text.startswith(f"Miscalibration costs {expected.miscalibration.value:,.2f} (95 % interval ")
    assert f"earns {expected.now.total.value:,.2f} on 800 rows" in money.detail
    assert lead(found) == (
        "Do not decide by these probabilities now: “yes” for every row earns more, and recalibration is shown to help."
    )


def test_what_is_shown_to_cost_money_is_not_used_as_it_is() -> None:
    """Of 40,000 rows half have 11 %, where 9 % come true: too little to matter, but not for costs that tip at 10 %."""
    y = np.concatenate([np.arange(20_000) % 100 < 9, np.arange(20_000) % 2 < 1])
    shuffled = np.random.default_rng(0).permutation(40_000)
    found = report_of(y[shuffled], np.repeat([0.11, 0.5], 20_000)[shuffled], costs=COSTS, n_boot=20)
    assert found.summary["verdicts"]["model"]["kind"] == "too little to matter"
    assert lead(found) == (
        "Use these probabilities only after recalibration on rows kept apart, which is shown to earn more."
    )


def test_a_loss_that_is_not_shown_is_bounded() -> None:
    y, proba = rows(800)
    found = report_of(y, proba, costs=COSTS, pos_label="yes")
    lost = decision_report(y, proba, COSTS, pos_label="yes", n_boot=50).miscalibration
    assert lost.low <= 0
    assert callouts(found, "answer")[-1].text == (
        f"Nothing is shown to be lost by miscalibration; at most {lost.high:,.2f} (at 95 % confidence)."
    )


def test_the_best_model_is_named_with_those_it_is_shown_to_beat() -> None:
    y, proba = rows(1500)
    noisy = np.clip(proba + np.random.default_rng(1).normal(0, 0.2, 1500), 0.01, 0.99)
    found = report_of(y, {"sharp": proba, "noisy": noisy})
    told = callouts(found, "answer")
    assert told[0].text == "sharp has the lowest log-loss, and is shown to be better than noisy."
    assert lead(found).startswith("Use sharp")
    assert [each.model for each in told] == ["", "sharp", "noisy"]


def test_equal_models_are_not_shown_to_differ() -> None:
    y, proba = rows(150)
    found = report_of(y, {"one": proba, "same": proba})
    expected = "one has the lowest log-loss, but is not shown to be better than same."
    assert callouts(found, "answer")[0].text == expected
    assert lead(found).endswith("The other is not shown to be worse.")


def test_probabilities_that_say_nothing_of_the_rows_are_not_to_be_acted_on() -> None:
    rng = np.random.default_rng(3)
    found = report_of(rng.permutation(np.arange(200) % 2), rng.random(200))
    assert (
        lead(found)
        == "Do not act on these probabilities yet: nothing shows that the rows are ranked better than chance."
    )
    assert callouts(found, "answer")[1].kind == "unsure"


def test_probabilities_of_the_other_class_are_noticed() -> None:
    y, proba = rows(150)
    assert "wrong order" in lead(report_of(y, 1 - proba))


def test_several_classes_are_answered_of_the_predicted_class() -> None:
    rng = np.random.default_rng(4)
    proba = rng.dirichlet(np.ones(7), 400)
    y = (proba.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    found = report_of(y, proba)
    assert callouts(found, "answer")[0].kind == "unsure"
    assert "predicted class" in paragraphs(found, "answer")[-1].text
