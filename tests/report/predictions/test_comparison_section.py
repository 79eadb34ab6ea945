"""The comparison of models in a report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibrant._sections import DataTable, Figure, Paragraph, Section
from calibrant.comparison import holm, paired_t_test
from calibrant.metrics import compare, evaluate
from calibrant.report._predictions import comparison
from calibrant.report._predictions.comparison import comparison_section
from calibrant.report._predictions.read_report_data import read_report_data

RNG = np.random.default_rng(0)
P = RNG.beta(1, 3, 500)
Y = (RNG.random(500) < P).astype(int)
MODELS = {"a": P, "b": np.clip(P + RNG.normal(0, 0.2, 500), 0.01, 0.99), "c": np.sqrt(P)}


def found_of(models: Any = None, **options: Any) -> Section:
    found = comparison_section(read_report_data(Y, models or MODELS, **{"n_boot": 50, **options}))
    assert found is not None
    return found


def tables(found: Section) -> list[DataTable]:
    return [block for block in found.blocks if isinstance(block, DataTable)]


def test_one_model_has_no_comparison() -> None:
    assert comparison_section(read_report_data(Y, P, n_boot=20)) is None


def test_the_statement_names_the_winner_and_those_it_beats() -> None:
    first = found_of().blocks[0]
    assert isinstance(first, Paragraph)
    assert first.text.startswith(
        "By log-loss, a is the best of 3 models on these rows: it is shown to be better than b and c."
    )
    assert "at most 5 of 100" in first.text


def test_the_figure_has_the_bounds_of_the_table() -> None:
    found = found_of()
    (figure,) = (block for block in found.blocks if isinstance(block, Figure))
    for layer, row in zip(figure.layers, tables(found)[0].rows, strict=True):
        assert row[0] == layer.model
        assert float(row[2]) == pytest.approx(layer.columns["low"][0], abs=1e-4)


def test_a_reference_is_compared_two_sided_with_holms_correction() -> None:
    table = next(each for each in tables(found_of(reference="b")) if "reference" in each.caption)
    losses = {name: -np.log(np.where(Y == 1, proba, 1 - proba)) for name, proba in MODELS.items()}
    tests = [paired_t_test(losses[name], losses["b"]) for name in ("a", "c")]
    expected = holm([test.pvalue for test in tests])
    assert [row[3] for row in table.rows] == ["< 0.0001" if p < 1e-4 else f"{p:.2g}" for p in expected]
    assert table.rows[0][4] == "better than b"


def test_differences_of_scores_are_those_of_compare() -> None:
    table = tables(found_of({"a": P, "b": MODELS["b"]}))[-1]
    expected = compare(*(evaluate(Y, proba, metrics=["log_loss", "accuracy"], n_boot=50) for proba in (MODELS["b"], P)))
    shown = {row[1]: row for row in table.rows}
    assert shown["accuracy: higher is better"][2] == f"{expected['accuracy'].difference:+.4f}"
    assert shown["log-loss: lower is better"][4] == expected["log_loss"].method
    assert shown["log-loss: lower is better"][5] == "a"


def test_an_infinite_loss_is_worse_for_certain() -> None:
    certain = np.where(np.arange(500) == np.flatnonzero(Y)[0], 0.0, P)
    rows = tables(found_of({"a": P, "b": certain}))[-1].rows
    loss = next(row for row in rows if row[1].startswith("log-loss"))
    assert (loss[2], loss[5]) in {("∞", "a"), ("-∞", "a")}


def test_very_many_rows_are_compared_by_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {row[1]: row for row in tables(found_of({"a": P, "b": MODELS["b"]}))[-1].rows}
    monkeypatch.setattr(comparison, "_MANY_ROWS", 100)
    after = {row[1]: row for row in tables(found_of({"a": P, "b": MODELS["b"]}))[-1].rows}
    assert after["log-loss: lower is better"][4] == "paired t"
    assert [row[2] for row in after.values()] == [row[2] for row in before.values()]
    assert [row[5] for row in after.values()] == [row[5] for row in before.values()]
