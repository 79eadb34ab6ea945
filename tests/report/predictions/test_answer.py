"""The answer says what the score card and the decision report say, and claims nothing that is not shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from calibrant._sections import Callout, Paragraph, Section
from calibrant.decisions import DecisionReport, Money
from calibrant.metrics import Verdict, evaluate
from calibrant.report._predictions.answer import answer_section
from calibrant.report._predictions.read_report_data import read_report_data

COSTS = [[0, 1], [0, -9]]  # targeting costs 1 and earns 9 of a positive


def rows(n_rows: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    proba = rng.beta(1, 3, n_rows)
    return np.where(rng.random(n_rows) < proba, "yes", "no"), proba


def with_costs(y: Any, proba: Any) -> tuple[DecisionReport, Section]:
    """Return the decision report that the data of a report hold, and the answer."""
    data = read_report_data(y, proba, costs=COSTS, pos_label="yes", n_boot=100)
    report = data.money("model")
    assert report is not None
    return report, answer_section(data)


def answer(y: Any, proba: Any, **options: Any) -> Section:
    return answer_section(read_report_data(y, proba, **{"n_boot": 100, **options}))


def callouts(found: Section) -> list[Callout]:
    return [block for block in found.blocks if isinstance(block, Callout)]


def lead(found: Section) -> str:
    first = found.blocks[0]
    assert isinstance(first, Paragraph)
    return first.text


def test_few_rows_cannot_tell_and_the_rows_needed_are_those_of_the_verdict() -> None:
    y, proba = rows(60)
    verdict = evaluate(y, proba, pos_label="yes").verdict
    found = answer(y, proba)
    assert callouts(found)[0].kind == "unsure"
    assert callouts(found)[0].text == "Whether the probabilities are right cannot be told yet from 60 rows."
    assert f"Collect about {verdict.rows_needed:,} rows in all" in lead(found)
    assert callouts(found)[0].detail == " ".join(verdict.sentences)


def test_calibrated_probabilities_are_used_as_they_are() -> None:
    y = np.concatenate([np.arange(24_000) % 10 < 1, np.arange(8_000) % 10 < 3, np.arange(8_000) % 20 < 13])
    proba = np.repeat([0.1, 0.3, 0.65], [24_000, 8_000, 8_000])
    found = answer(y, proba)
    assert lead(found) == "Use these probabilities as they are."
    assert [each.kind for each in callouts(found)] == ["good", "good"]
    assert callouts(found)[0].text.startswith("The probabilities are right")


def test_what_miscalibration_costs_is_that_of_the_decision_report() -> None:
    y, proba = rows(800)
    report, found = with_costs(y, proba / 8)
    money = callouts(found)[-1]
    assert report.miscalibration.low is not None
    assert report.miscalibration.low > 0
    assert money.kind == "bad"
    assert money.text.startswith(f"Miscalibration costs {report.miscalibration.value:,.2f} (95 % interval ")
    assert f"earns {report.now.total.value:,.2f} on 800 rows" in money.detail
    assert lead(found) == (
        "Do not decide by these probabilities now: “yes” for every row earns more, and recalibration is shown to help."
    )


def test_what_is_shown_to_cost_money_is_not_used_as_it_is() -> None:
    """Also where the verdict says that the probabilities are right: at these costs a small error matters."""
    y, proba = rows(400)
    data = read_report_data(y, proba, costs=COSTS, pos_label="yes", n_boot=20)
    money = data.money("model")
    assert money is not None
    lost = replace(money, miscalibration=Money(50.0, 20.0, 80.0))
    data._computed["money", "model"] = lost
    data._computed["verdict", "model"] = Verdict("calibrated", "calibrated")
    assert lead(answer_section(data)) == (
        "Use these probabilities only after recalibration on rows kept apart, which is shown to earn more."
    )


def test_a_loss_that_is_not_shown_is_bounded() -> None:
    y, proba = rows(800)
    report, found = with_costs(y, proba)
    money = callouts(found)[-1]
    assert report.miscalibration.low is not None
    assert report.miscalibration.low <= 0
    most = f"{report.miscalibration.high:,.2f}"
    assert money.text == f"Nothing is shown to be lost by miscalibration; at most {most} (at 95 % confidence)."


def test_the_best_model_is_named_with_those_it_is_shown_to_beat() -> None:
    y, proba = rows(1500)
    noisy = np.clip(proba + np.random.default_rng(1).normal(0, 0.2, 1500), 0.01, 0.99)
    found = answer(y, {"sharp": proba, "noisy": noisy})
    assert callouts(found)[0].text == "sharp has the lowest log-loss, and is shown to be better than noisy."
    assert lead(found).startswith("Use sharp")
    assert [each.model for each in callouts(found)] == ["", "sharp", "noisy"]


def test_equal_models_are_not_shown_to_differ() -> None:
    y, proba = rows(150)
    found = answer(y, {"one": proba, "same": proba})
    assert callouts(found)[0].text == "one has the lowest log-loss, but is not shown to be better than same."
    assert lead(found).endswith("The other is not shown to be worse.")


def test_probabilities_that_say_nothing_of_the_rows_are_not_to_be_acted_on() -> None:
    rng = np.random.default_rng(3)
    found = answer(rng.permutation(np.arange(200) % 2), rng.random(200))
    assert (
        lead(found)
        == "Do not act on these probabilities yet: nothing shows that the rows are ranked better than chance."
    )
    assert callouts(found)[1].kind == "unsure"


def test_probabilities_of_the_other_class_are_noticed() -> None:
    y, proba = rows(150)
    assert "wrong order" in lead(answer(y, 1 - proba))


def test_several_classes_are_answered_of_the_predicted_class() -> None:
    rng = np.random.default_rng(4)
    proba = rng.dirichlet(np.ones(7), 400)
    y = (proba.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    found = answer(y, proba)
    assert callouts(found)[0].kind == "unsure"
    assert isinstance(found.blocks[-1], Paragraph)
    assert "predicted class" in found.blocks[-1].text
