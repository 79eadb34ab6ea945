"""The tree as a picture: every node and condition that its text has."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from calibrant.data import load
from calibrant.estimates import Curtailment
from calibrant.exceptions import ParameterError
from calibrant.plots import TreeDisplay
from calibrant.trees import ProbabilityTreeClassifier


@pytest.fixture(scope="module")
def tree():
    donors = load("appeal").part("train")
    return ProbabilityTreeClassifier(random_state=0, min_leaf=40).fit(donors.X, donors.y)


def words(display):
    return [text.get_text() for text in display.ax_.texts]


def boxes(display):
    """Give words, place and colour of the nodes; conditions stand in boxes without an edge."""
    found = [(text, text.get_bbox_patch()) for text in display.ax_.texts]
    return [(text, box) for text, box in found if box.get_edgecolor()[3] > 0]


def test_every_node_is_drawn_with_what_leads_to_it(tree):
    display = TreeDisplay.from_estimator(tree)
    assert len(words(display)) == 2 * tree.n_nodes_ - 1
    assert len([text for text, _ in boxes(display) if "p = " in text.get_text()]) == tree.n_leaves_


def test_no_two_nodes_stand_at_one_place(tree):
    places = [text.get_position() for text, _ in boxes(TreeDisplay.from_estimator(tree))]
    assert len(set(places)) == len(places) == tree.n_nodes_


def test_a_test_stands_above_the_middle_of_its_branches(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=1)
    (root, *children) = [text.get_position() for text, _ in boxes(display)]
    assert root[0] == pytest.approx(np.mean([x for x, _ in children]))
    assert words(display)[2] == "…"


@pytest.mark.parametrize("v", [None, 60, 150])
def test_no_words_lie_on_other_words(tree, v):
    display = TreeDisplay.from_estimator(tree if v is None else tree.with_estimate(Curtailment(v=v)))
    assert overlaps(display) == []


def overlaps(display):
    display.figure_.draw_without_rendering()
    drawn = [(text.get_text(), text.get_window_extent()) for text in display.ax_.texts]
    return [(a, b) for n, (a, box) in enumerate(drawn) for b, other in drawn[:n] if box.overlaps(other)]


def test_letters_shrink_in_axes_that_are_too_small(tree):
    _, ax = plt.subplots(figsize=(4, 3))
    assert overlaps(TreeDisplay(tree).plot(ax)) == []


def test_what_curtailment_eliminates_is_dotted_and_a_test_that_answers_is_grey(tree):
    model = tree.with_estimate(Curtailment(v=150))
    display, left = TreeDisplay.from_estimator(model), model.curtailed()
    drawn = boxes(display)
    assert len([box for _, box in drawn if box.get_linestyle() == ":"]) == left.is_eliminated.sum()
    grey = [box for _, box in drawn if np.allclose(box.get_facecolor()[:3], 0.85)]
    assert len(grey) == (left.is_test & left.answers).sum() > 0
    assert display.ax_.get_title().startswith("Curtailed: v = 150")


def test_a_surer_leaf_has_more_colour():
    model = ProbabilityTreeClassifier(estimate="frequency", min_leaf=1).fit(
        np.repeat([[1], [2]], 10, axis=0), np.repeat(["a", "b", "a"], [10, 7, 3])
    )
    sure, unsure = (box.get_facecolor() for _, box in boxes(TreeDisplay.from_estimator(model))[1:])
    assert max(sure[:3]) - min(sure[:3]) > max(unsure[:3]) - min(unsure[:3])


def test_other_models_are_refused():
    with pytest.raises(ParameterError, match="model must be a ProbabilityTreeClassifier; got list"):
        TreeDisplay.from_estimator([])
