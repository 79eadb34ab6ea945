"""The comparison of models in a report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.report.blocks import figures, paragraphs, report_of, tables

from calibrant.comparison import holm, paired_t_test
from calibrant.metrics import compare, evaluate
from calibrant.report import Report

RNG = np.random.default_rng(0)
P = RNG.beta(1, 3, 500)
Y = (RNG.random(500) < P).astype(int)
MODELS = {"a": P, "b": np.clip(P + RNG.normal(0, 0.2, 500), 0.01, 0.99), "c": np.sqrt(P)}


@pytest.fixture(scope="module")
def three() -> Report:
    return report_of(Y, MODELS, reference="b")


@pytest.fixture(scope="module")
def two() -> Report:
    return report_of(Y, {"a": P, "b": MODELS["b"]})


def scores(report: Report) -> dict[str, Any]:
    """Return the rows of the table of scores by the name of the score."""
    return {row[1]: row for row in tables(report, "comparison")[-1].rows}


def test_one_model_has_no_comparison() -> None:
    assert "comparison" not in {each.name for each in report_of(Y, P, n_boot=20).sections}


def test_the_statement_names_the_winner_and_those_it_beats(three: Report) -> None:
    first = paragraphs(three, "comparison")[0].text
    assert first.startswith(
        "By log-loss, a is the best of 3 models on these rows: it is shown to be better than b and c."
    )
    assert "at most 5 of 100" in first


def test_the_figure_has_the_bounds_of_the_table(three: Report) -> None:
    (figure,) = figures(three, "comparison").values()
    for layer, row in zip(figure.layers, tables(three, "comparison")[0].rows, strict=True):
        assert row[0] == layer.model
        assert float(row[2]) == pytest.approx(layer.columns["low"][0], abs=1e-4)


def test_a_reference_is_compared_two_sided_with_holms_correction(three: Report) -> None:
    table = next(each for each in tables(three, "comparison") if "reference" in each.caption)
    losses = {name: -np.log(np.where(Y == 1, proba, 1 - proba)) for name, proba in MODELS.items()}
    tests = [paired_t_test(losses[name], losses["b"]) for name in ("a", "c")]
    expected = holm([test.pvalue for test in tests])
    assert [row[3] for row in table.rows] == ["< 0.0001" if p < 1e-4 else f"{p:.2g}" for p in expected]
    assert table.rows[0][4] == "better than b"


def test_differences_of_scores_are_those_of_compare(two: Report) -> None:
    expected = compare(*(evaluate(Y, proba, metrics=["log_loss", "accuracy"], n_boot=50) for proba in (MODELS["b"], P)))
    shown = scores(two)
    assert shown["accuracy: higher is better"][2] == f"{expected['accuracy'].difference:+.4f}"
    assert shown["log-loss: lower is better"][4] == expected["log_loss"].method
    assert shown["log-loss: lower is better"][5] == "a"


def test_an_infinite_loss_is_worse_for_certain() -> None:
    certain = np.where(np.arange(500) == np.flatnonzero(Y)[0], 0.0, P)
    loss = scores(report_of(Y, {"a": P, "b": certain}))["log-loss: lower is better"]
    assert (loss[2], loss[5]) in {("∞", "a"), ("-∞", "a")}


def test_very_many_rows_are_compared_by_formulas(two: Report) -> None:
    """A hundred copies of the rows have the same differences."""
    many = scores(report_of(np.tile(Y, 100), {"a": np.tile(P, 100), "b": np.tile(MODELS["b"], 100)}, n_boot=2))
    assert many["log-loss: lower is better"][4:] == ("paired t", "a")
    assert [row[2] for row in many.values()] == [row[2] for row in scores(two).values()]
