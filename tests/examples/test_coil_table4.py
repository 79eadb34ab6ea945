"""Table 4 of Zadrozny & Elkan (2001): constants to the last digit, and the claims that hold here too."""

from __future__ import annotations

import pytest

TREES = ("C4.5 without pruning", "Kearns-Mansour", "Kearns-Mansour, ratio", "Laplace (C4.4)")
REGULARIZED = ("Curtailment", "Smoothed curtailment", "Smoothing")


@pytest.fixture(scope="module")
def script(example):
    return example("coil_table4")


@pytest.fixture(scope="module")
def coil(script, papers_data):
    return script.load("zadrozny.coil", papers_data)


@pytest.fixture(scope="module", params=[2, 25], ids="min_leaf={}".format)
def on_test_rows(request, script, coil):
    errors = script.tree_errors(coil, min_leaf=request.param) | script.constant_errors(coil)
    return {name: test for name, (_, test) in errors.items()}


@pytest.mark.parametrize("name", ["All base rate", "All zero", "All one"])
def test_the_constant_rows_agree_to_the_last_digit(script, coil, name):
    train, test = script.constant_errors(coil)[name]
    assert (round(train, 5), round(test, 5)) == script.PAPER[name]


def test_pruning_leaves_a_single_leaf(script, coil):
    assert script.pruned_leaves(coil) == 1


def test_every_regularized_tree_beats_every_other_on_the_test_rows(on_test_rows):
    assert max(on_test_rows[name] for name in REGULARIZED) < min(on_test_rows[name] for name in TREES)


def test_only_regularized_trees_beat_the_base_rate(on_test_rows):
    better = {name for name, error in on_test_rows.items() if error < on_test_rows["All base rate"]}
    assert better == set(REGULARIZED)


def test_curtailment_beats_smoothing_and_is_little_changed_by_it(on_test_rows):
    curtailed, smoothed = on_test_rows["Curtailment"], on_test_rows["Smoothed curtailment"]
    assert max(curtailed, smoothed) < on_test_rows["Smoothing"]
    assert abs(curtailed - smoothed) < 0.1 * (on_test_rows["Smoothing"] - smoothed)


def test_regularized_trees_are_within_one_percent_of_the_papers_errors(script, coil):
    errors = script.tree_errors(coil)
    for name in REGULARIZED:
        assert errors[name] == pytest.approx(script.PAPER[name], rel=0.01)


def test_changing_the_criterion_gains_little(on_test_rows):
    unpruned, regularized = on_test_rows["C4.5 without pruning"], on_test_rows["Smoothed curtailment"]
    for name in ("Kearns-Mansour", "Kearns-Mansour, ratio"):
        assert on_test_rows[name] > unpruned - 0.2 * (unpruned - regularized)
