"""Segments of a report: the largest first, tested, pooled where nothing of single rows may be shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.report.blocks import callouts, figures, paragraphs, report_of, tables

from calibrant.exceptions import DataError
from calibrant.metrics import evaluate, proportion_interval
from calibrant.report import Report

RNG = np.random.default_rng(0)
P = RNG.beta(2, 3, 900)
Y = (RNG.random(900) < P).astype(int)
REGION = np.repeat(["north", "south", "west"], [500, 300, 100])


def found_of(by: Any, y: Any = Y, proba: Any = P, **options: Any) -> Report:
    return report_of(y, proba, by=by, **{"n_boot": 20, **options})


def rows_of(report: Report) -> Any:
    return tables(report, "segments")[0].rows


def test_without_segments_there_is_no_section() -> None:
    assert "segments" not in {each.name for each in report_of(Y, P, n_boot=20).sections}


def test_a_segment_has_its_rows_rates_and_wilsons_interval() -> None:
    first = rows_of(found_of({"region": REGION}))[0]
    rate, expected = Y[:500].mean(), P[:500].mean()
    low, high = proportion_interval(Y[:500].sum(), 500)
    assert first[:4] == ("north", "500", f"{100 * rate:.1f} %", f"{100 * expected:.1f} %")
    assert first[4] == f"{100 * (low - expected):+.1f} to {100 * (high - expected):+.1f}"
    card = evaluate(Y[:500], P[:500], metrics=["auc"], labels=[0, 1])
    assert first[7] == f"{card['auc'].value:.4f}"


def test_the_segment_that_is_calibrated_differently_is_named() -> None:
    proba = np.where(REGION == "south", P / 2, P)
    (first,) = callouts(found_of({"region": REGION}, proba=proba), "segments")
    assert first.kind == "bad"
    assert first.text.startswith("Calibrated differently from the rest of region: south (p < 0.0001)")
    expected = evaluate(Y, proba, metrics=[], by=REGION).equal_calibration
    assert expected is not None
    assert expected.corrected["south"] < 1e-4


def test_segments_that_are_alike_are_not_shown_to_differ() -> None:
    (first,) = callouts(found_of({"region": REGION}), "segments")
    assert first.text == "No segment of region is shown to be calibrated differently from the rest."


def test_more_than_fifty_segments_are_counted_in_a_sentence() -> None:
    by = np.concatenate([np.repeat(np.arange(50), 16), np.arange(50, 100).repeat(2)])
    found = found_of({"shop": by})
    assert len(rows_of(found)) == 51
    assert rows_of(found)[-1][:2] == ("all other segments", "100")
    notes = [each.text for each in paragraphs(found, "segments")]
    assert notes == [
        "Shown are the 50 largest segments; 50 smaller ones with 100 rows together count as “all other segments”."
    ]


def test_without_rows_small_segments_are_pooled() -> None:
    by = np.array(["a"] * 880 + ["b"] * 12 + ["c"] * 5 + ["d"] * 3)
    shown = rows_of(found_of({"s": by}, rows=False))  # c and d have 8 rows, too few without b
    assert [row[:2] for row in shown] == [("a", "880"), ("smaller segments", "20")]


def test_the_figure_has_a_layer_for_each_model() -> None:
    found = found_of({"region": REGION}, proba={"one": P, "two": P / 2})
    (figure,) = figures(found, "segments").values()
    assert [layer.model for layer in figure.layers] == ["one", "two"]
    assert figure.layers[0].columns["x"] == ["north", "south", "west"]
    assert tables(found, "segments")[0].models == ("one", "two") * 3


def test_very_many_rows_have_students_interval_of_the_loss() -> None:
    """The interval of 56 copies of the rows is narrower by the root of 56."""
    once = rows_of(found_of({"region": REGION}, n_boot=400))[0]
    many = rows_of(found_of({"region": np.tile(REGION, 56)}, np.tile(Y, 56), np.tile(P, 56)))[0]
    assert many[5] == once[5]
    lengths = [np.ptp([float(end) for end in row[6].split(" to ")]) for row in (once, many)]
    assert lengths[0] == pytest.approx(lengths[1] * 56**0.5, rel=0.15)


def test_several_classes_have_no_area() -> None:
    proba = RNG.dirichlet(np.ones(3), 900)
    y = (proba.cumsum(axis=1) > RNG.random((900, 1))).argmax(axis=1)
    assert len(tables(found_of({"region": REGION}, y, proba), "segments")[0].columns) == 8


def test_too_many_segments_are_an_error() -> None:
    with pytest.raises(DataError, match="at most 200"):
        found_of({"id": np.arange(900)})
