"""The data in a report's cost-benefit analyser is exact and small, without single rows where none is allowed."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from calibrant.decisions import CostMatrix, ExampleCosts, cost_benefit
from calibrant.report._analyser.cost_benefit_analyser import CostBenefitAnalyser
from calibrant.report._analyser.selection_table import private_cuts, selection_table
from calibrant.report._analyser.stored_rows import Packed, pack_floats, pack_probabilities, pack_quantized
from calibrant.report._predictions.read_report_data import read_report_data
from calibrant.report._predictions.report_data import ReportData

MAIL = CostMatrix.from_benefits([[0, -0.8], [0, 9]], labels=["no", "yes"], actions=["leave", "mail"])


def rows(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    proba = rng.beta(1, 6, n_rows)
    return np.where(rng.random(n_rows) < proba, "yes", "no"), proba, np.round(rng.gamma(2, 8, n_rows), 2)


def unpacked(packed: Packed) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["data"]), np.uint8)
    if packed["type"] == "u24":
        words = np.zeros((packed["size"], 4), np.uint8)
        words[:, :3] = raw.reshape(-1, 3)
        return words.view("<u4")[:, 0] / packed["scale"]
    kinds = {"f64": "<f8", "f32": "<f4", "u32": "<u4", "i32": "<i4", "u16": "<u2", "u8": "u1"}
    return raw.view(kinds[packed["type"]]) / packed["scale"]


def analysed(n_rows: int = 500, n_models: int = 1, **options: Any) -> CostBenefitAnalyser:
    y, proba, _ = rows(n_rows)
    models = {f"m{k}": proba ** (1 + k / 10) for k in range(n_models)}
    return CostBenefitAnalyser(read_report_data(y, models, n_boot=50, **options))


def not_recalibrated(data: ReportData) -> ReportData:
    """Return data that need no time for what a test does not look at."""
    data._computed.update({(what, name): None for what in ("_recalibrated", "money") for name in data.names})
    return data


@pytest.mark.parametrize("digits", [2, 3, 5, 9, 17])
def test_probabilities_are_packed_exactly(digits: int) -> None:
    proba = np.round(np.random.default_rng(0).random(1000), digits)
    assert np.array_equal(unpacked(pack_probabilities(proba, 8)), proba)


@pytest.mark.parametrize("n_bytes", [3, 4])
def test_rounded_probabilities_keep_order_and_ties(n_bytes: int) -> None:
    close = 0.4 + np.arange(5) * 1e-11
    proba = np.repeat(np.append(np.random.default_rng(0).random(1000), [*close, 1.0, 1.0 - 1e-12]), 2)
    packed = pack_probabilities(proba, n_bytes)
    assert len(np.unique(unpacked(packed))) == len(np.unique(proba))
    assert np.abs(unpacked(packed) - proba).max() == packed["slack"] < 8 / 2 ** (8 * n_bytes)
    assert np.array_equal(np.argsort(unpacked(packed), kind="stable"), np.argsort(proba, kind="stable"))


def test_probabilities_too_close_for_rounding_stay_exact() -> None:
    proba = 1 / 3 + np.arange(100) * 1e-12
    assert np.array_equal(unpacked(pack_probabilities(proba, 4)), proba)


KINDS = [(655.35, "u16"), (1e5, "u24"), (1e7, "u32"), (-1e6, "i32"), (1e8, "f64")]


@pytest.mark.parametrize(("largest", "kind"), KINDS)
def test_amounts_in_cents_are_whole_numbers_of_few_bytes(largest: float, kind: str) -> None:
    amounts = np.array([0.1, 12.34, largest])
    assert pack_floats(amounts)["type"] == kind
    assert np.array_equal(unpacked(pack_floats(amounts)), amounts)


@pytest.mark.parametrize("n_bytes", [2, 3, 4])
def test_recalibrated_probabilities_are_rounded_to_the_bytes_there_are(n_bytes: int) -> None:
    proba = np.random.default_rng(0).random(100)
    found = unpacked(pack_quantized(proba, n_bytes))
    assert np.abs(found - proba).max() <= 0.51 / (2.0 ** (8 * n_bytes) - 1)


@pytest.mark.long
def test_four_models_of_50_000_rows_stay_below_two_megabytes() -> None:
    y, proba, _ = rows(50_000)
    rng = np.random.default_rng(1)
    data = read_report_data(y, {f"m{k}": np.clip(proba + rng.normal(0, 0.01, 50_000), 0, 1) for k in range(4)})
    again = {name: np.sqrt(values) for name, values in data.probas.items()}
    data._computed.update({("_recalibrated", name): np.stack([1 - p, p], axis=1) for name, p in again.items()})
    payload = CostBenefitAnalyser(data).payload()
    assert payload["rows"] is not None
    assert sum(len(model[key]["data"]) for model in payload["models"] for key in ("proba", "recalibrated")) < 1_700_000


def test_more_rows_are_stored_as_at_most_10_000_cuts() -> None:
    found = analysed(60_000)
    not_recalibrated(found.data)
    payload = found.payload()
    assert payload["rows"] is None
    assert payload["models"][0]["table"]["tp"]["size"] <= 10_000
    assert "9,999 stored cuts" in payload["storage"]


def test_stored_cuts_are_exact_and_hold_the_best() -> None:
    found = analysed(60_000, costs=MAIL)
    table, full = found.shown("m0"), cost_benefit(*rows(60_000)[:2], MAIL)
    at = np.searchsorted(-full.threshold, -table.threshold)
    assert np.allclose(table.profits(found.costs.cells), full.benefit[at], rtol=1e-9)
    assert table.profits(found.costs.cells).max() == pytest.approx(full.best.benefit)


def test_without_rows_every_cut_is_ten_rows_from_the_next() -> None:
    table = analysed(rows=False).shown("m0")
    assert np.diff(table.n_positive + table.n_negative).min() >= 10
    assert not np.isin(table.threshold[1:], rows(500)[1]).any()
    assert table.threshold[-1] == 0.0
    assert (np.diff(table.threshold[1:]) <= 0).all()


def test_without_rows_amounts_are_summed_over_ten_positives() -> None:
    y, proba, amount = rows(2000)
    costs = ExampleCosts(cost=np.round(amount / 20 + 0.1, 2), benefit=amount)
    table = CostBenefitAnalyser(read_report_data(y, proba, costs=costs, rows=False)).shown("model")
    assert np.diff(table.n_positive).min() >= 10
    assert np.diff(table.n_negative).min() >= 10


def test_private_cuts_of_few_rows_are_none_and_all() -> None:
    table = private_cuts(selection_table(np.arange(15.0), np.arange(15) > 7), 100, 10)
    assert (table.n_positive + table.n_negative).tolist() == [0, 15]


def test_costs_by_row_become_numbers_and_parts() -> None:
    y, proba, amount = rows(100)
    data = read_report_data(y, proba, costs=ExampleCosts(0.68, amount + 1), amount=amount)
    costs = CostBenefitAnalyser(data).costs
    assert costs.cells == {"tp": -0.68, "fp": -0.68, "fn": 0.0, "tn": 0.0}
    assert costs.parts["tp"] == "plus the amount of the row"
    assert costs.is_by_gain


def test_costs_alike_for_all_rows_are_a_matrix() -> None:
    y, proba, _ = rows(100)
    costs = CostBenefitAnalyser(read_report_data(y, proba, costs=ExampleCosts(0.5, 15.5))).costs
    assert costs.cells == {"tp": 15.0, "fp": -0.5, "fn": 0.0, "tn": 0.0}
    assert not costs.is_by_gain


def test_of_three_actions_the_best_of_either_class_are_compared() -> None:
    y, proba, _ = rows(100)
    costs = CostMatrix([[0, 3, 1], [9, 0, 1]], labels=["no", "yes"], actions=["pass", "stop", "ask"])
    found = CostBenefitAnalyser(read_report_data(y, proba, costs=costs, n_boot=50)).costs
    assert (found.select, found.leave) == ("stop", "pass")
    assert "two are compared" in found.note


def test_an_action_that_is_best_for_both_classes_is_compared_with_the_next() -> None:
    y, proba, _ = rows(100)
    costs = CostMatrix([[0, 3, 1], [0, 2, 1]], labels=["no", "yes"], actions=["pass", "stop", "ask"])
    found = CostBenefitAnalyser(read_report_data(y, proba, costs=costs, n_boot=50)).costs
    assert (found.select, found.leave) == ("pass", "ask")


def test_the_plain_form_shows_the_best_cut() -> None:
    y, proba, _ = rows(500)
    best = cost_benefit(y, proba, MAIL).best
    ((_, selected, _, profit, random, _),) = analysed(costs=MAIL).best_points()
    assert (selected.split()[0], profit, random) == (
        f"{best.selected:g}",
        f"{best.benefit:,.2f}",
        f"{best.random:,.2f}",
    )


def test_groups_widen_the_interval() -> None:
    y, proba, _ = rows(500)
    doubled = read_report_data(np.repeat(y, 2), np.repeat(proba, 2), groups=np.repeat(np.arange(500), 2))
    (model,) = CostBenefitAnalyser(not_recalibrated(doubled)).payload()["models"]
    assert model["designEffect"] == pytest.approx(2.0, abs=0.02)


def test_the_loss_by_miscalibration_is_that_of_the_decision_report() -> None:
    found = analysed(costs=MAIL)
    report = found.data.money("m0")
    assert report is not None
    assert found.payload()["models"][0]["own"]["value"] == report.miscalibration.value


def test_pages_of_classes_share_the_room_of_a_report() -> None:
    """Of 41,000 rows on one page every row would be stored."""
    rng = np.random.default_rng(0)
    pages = read_report_data(rng.integers(0, 5, 41_000), rng.dirichlet(np.ones(5), 41_000)).class_pages()
    assert [page.n_pages for page in pages] == [5] * 5
    assert not CostBenefitAnalyser(pages[0]).has_rows
