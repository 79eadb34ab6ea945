"""Warnings of a report: each where it applies, and only there."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from tests.report.blocks import callouts, report_of

RNG = np.random.default_rng(0)


def warned(y: Any, proba: Any, **options: Any) -> list[str]:
    return [each.text for each in callouts(report_of(y, proba, n_boot=20, **options), "warnings")]


def calibrated(n_rows: int) -> tuple[Any, Any]:
    proba = RNG.uniform(0.05, 0.95, n_rows)
    return (RNG.random(n_rows) < proba).astype(int), proba


def spread() -> tuple[Any, Any]:
    """Return rows of known calibration: of each of 50 probabilities, exactly the expected share of ones."""
    proba = np.repeat(np.arange(0.25, 0.75, 0.01), 400)
    return (np.tile(np.arange(400), 50) < np.round(proba * 400)).astype(int), proba


def test_nothing_is_warned_of_where_all_is_well() -> None:
    assert warned(*spread()) == ["Nothing to warn about."]


def test_few_rows_and_few_of_a_class() -> None:
    y, proba = np.isin(np.arange(60), np.arange(0, 60, 5) + 1) | (np.arange(60) == 0), np.linspace(0.4, 0.1, 60)
    found = warned(y, proba)
    assert found[0] == "There are only 60 rows: read the intervals, not the values."
    assert found[1] == "There are few rows of some classes: True has 13 rows and False has 47 rows."
    assert re.match(r"These rows do not show that the probabilities are calibrated .*: about [\d,]+ rows in", found[-1])


def test_a_shifted_base_rate_is_named_with_both_rates() -> None:
    y, proba = spread()
    found = warned(y, proba / 2)
    assert "The base rate of 1 here is 49.5 %, the probabilities expect 24.8 % (p < 0.0001)." in found


def test_a_shift_that_is_too_small_to_matter_is_not_warned_of() -> None:
    y, proba = spread()
    assert warned(np.tile(y, 10), np.tile(proba * 1.02, 10)) == ["Nothing to warn about."]


def test_ties_are_warned_of() -> None:
    y = np.tile([0, 0, 0, 1, 1], 100)
    assert warned(y, np.full(500, 0.4))[0] == "All probabilities are equal."
    y, proba = calibrated(500)
    tied = np.where(np.arange(500) < 150, 0.5, proba)
    assert "30 % of the rows have the same probability, 0.5." in warned(y, tied)
    few = np.round(proba, 1)
    assert f"Probabilities of b have only {len(set(few))} values." in warned(y, {"a": proba, "b": few})


def test_no_probability_of_few_rows_is_named() -> None:
    assert not any("same probability" in text for text in warned([0, 1, 0, 1, 1], [0.1, 0.8, 0.4, 0.3, 0.9]))


def test_a_class_of_probability_zero_that_happened() -> None:
    y, proba = calibrated(500)
    proba[np.flatnonzero(y)[:2]] = 0.0
    assert (
        "The class of 2 rows happened although their probability was 0: the probabilities are too certain."
        in warned(y, proba)
    )


def test_copies_of_rows_are_warned_of_but_ties_at_zero_are_not() -> None:
    y, proba = calibrated(500)
    twice = np.concatenate([np.arange(500), np.arange(150)])
    assert "150 rows of 650 repeat another row exactly: oversampled rows?" in warned(y[twice], proba[twice])
    tied = np.where(np.arange(500) < 150, 0.5, proba)
    assert not any("repeat" in text for text in warned(y, tied))


def test_rows_of_groups_count_less() -> None:
    proba = np.repeat(RNG.uniform(0.1, 0.9, 200), 5)
    y = np.repeat(RNG.random(200) < proba[::5], 5)
    found = warned(y, proba, groups=np.repeat(np.arange(200), 5))
    assert found[0].startswith("Rows belong together: 1,000 rows of 200 groups say as much as about 1")
    assert "fewer than 10" in warned(y, proba, groups=np.arange(1000) % 4)[0]


def test_several_classes_have_a_base_rate_each() -> None:
    proba = RNG.dirichlet(np.ones(3), 3000)
    y = (proba.cumsum(axis=1) > RNG.random((3000, 1))).argmax(axis=1)
    keep = (y != 2) | (np.arange(3000) % 2 == 0)
    found = [text for text in warned(y[keep], proba[keep]) if text.startswith("The base rate of 2")]
    assert len(found) == 1
