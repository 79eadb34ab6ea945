"""The score card of a report shows the numbers of `evaluate`, model beside model."""

from __future__ import annotations

import numpy as np

from calibrant._repr import number_text
from calibrant._sections import DataTable, Figure, Paragraph
from calibrant.metrics import METRICS, evaluate
from calibrant.report._predictions.read_report_data import read_report_data
from calibrant.report._predictions.score_card import score_card_section
from calibrant.report._predictions.wording import metric_words

RNG = np.random.default_rng(0)
P = RNG.beta(1, 3, 300)
Y = np.where(RNG.random(300) < P, "yes", "no")


def test_values_and_intervals_are_those_of_the_card() -> None:
    card = evaluate(Y, P, n_boot=50)
    (table,) = (
        block for block in score_card_section(read_report_data(Y, P, n_boot=50)).blocks if isinstance(block, DataTable)
    )
    cells, auc = dict(table.rows), card["auc"]
    interval = f"{number_text(auc.low)} to {number_text(auc.high)}"
    assert (
        cells["Pairs of rows ranked in the right order\nAUC, higher is better"]
        == f"{number_text(auc.value)}\n{interval}"
    )
    assert len(table.rows) == len(card) + 1  # the calibration error once more, less what chance adds


def test_models_have_columns_of_their_own_that_are_hidden_with_them() -> None:
    found = score_card_section(read_report_data(Y, {"one": P, "two": np.sqrt(P)}, n_boot=20))
    (table,) = (block for block in found.blocks if isinstance(block, DataTable))
    (figure,) = (block for block in found.blocks if isinstance(block, Figure))
    assert [column.model for column in table.columns] == ["", "one", "two"]
    assert [layer.model for layer in figure.layers] == ["one", "two"]


def test_money_is_shown_where_costs_are_known() -> None:
    found = score_card_section(read_report_data(Y, P, costs=[[0, 1], [0, -3]], pos_label="yes", n_boot=20))
    (table,) = (block for block in found.blocks if isinstance(block, DataTable))
    assert [row[0].partition("\n")[0] for row in table.rows[-2:]] == [
        "What decisions by the model earn",
        "Lost by miscalibration",
    ]


def test_no_note_names_a_single_row() -> None:
    proba = np.where(np.arange(300) == np.flatnonzero(Y == "yes")[0], 0.0, P)
    found = score_card_section(read_report_data(Y, proba, n_boot=20))
    notes = [block.text for block in found.blocks if isinstance(block, Paragraph)]
    assert "Log-loss: the actual class has probability 0 in 1 row." in notes


def test_every_metric_has_words() -> None:
    assert all(metric_words(metric)[0] for metric in METRICS)
