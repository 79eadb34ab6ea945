"""The score card of a report shows the numbers of `evaluate`, model beside model."""

from __future__ import annotations

import numpy as np
from tests.report.blocks import figures, paragraphs, report_of, tables

from calibrant.metrics import evaluate

RNG = np.random.default_rng(0)
P = RNG.beta(1, 3, 300)
Y = np.where(RNG.random(300) < P, "yes", "no")


def test_values_and_intervals_are_those_of_the_card() -> None:
    card = evaluate(Y, P, n_boot=50)
    (table,) = tables(report_of(Y, P), "score-card")
    auc = card["auc"]
    shown = dict(table.rows)["Pairs of rows ranked in the right order\nAUC, higher is better"]
    assert shown == f"{auc.value:.4f}\n{auc.low:.4f} to {auc.high:.4f}"
    assert len(table.rows) == len(card) + 1  # the calibration error once more, less what chance adds


def test_models_have_columns_of_their_own_that_are_hidden_with_them() -> None:
    report = report_of(Y, {"one": P, "two": np.sqrt(P)}, n_boot=20)
    (table,), (figure,) = tables(report, "score-card"), figures(report, "score-card").values()
    assert [column.model for column in table.columns] == ["", "one", "two"]
    assert [layer.model for layer in figure.layers] == ["one", "two"]


def test_money_is_shown_where_costs_are_known() -> None:
    (table,) = tables(report_of(Y, P, costs=[[0, 1], [0, -3]], pos_label="yes", n_boot=20), "score-card")
    assert [row[0].partition("\n")[0] for row in table.rows[-2:]] == [
        "What decisions by the model earn",
        "Lost by miscalibration",
    ]


def test_no_note_names_a_single_row() -> None:
    proba = np.where(np.arange(300) == np.flatnonzero(Y == "yes")[0], 0.0, P)
    notes = [each.text for each in paragraphs(report_of(Y, proba, n_boot=20), "score-card")]
    assert "Log-loss: the actual class has probability 0 in 1 row." in notes


def test_every_metric_has_words() -> None:
    (table,) = tables(report_of(Y, P, n_boot=2), "score-card")
    words, terms = zip(*(row[0].split("\n") for row in table.rows), strict=True)
    assert all(words)
    assert all(terms)
