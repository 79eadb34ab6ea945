"""Drawn trees have every node and condition of the tree."""

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


def labels(display):
    return [text.get_text() for text in display.ax_.texts]


def boxes(display):
    """Return the texts and boxes of the nodes; conditions are in boxes without an edge."""
    texts = [(text, text.get_bbox_patch()) for text in display.ax_.texts]
    return [(text, box) for text, box in texts if box.get_edgecolor()[3] > 0]


def test_every_node_is_drawn_with_its_condition(tree):
    display = TreeDisplay.from_estimator(tree)
    assert len(labels(display)) == 2 * tree.n_nodes_ - 1
    assert len([text for text, _ in boxes(display) if "p = " in text.get_text()]) == tree.n_leaves_


def test_no_two_nodes_have_the_same_position(tree):
    positions = [text.get_position() for text, _ in boxes(TreeDisplay.from_estimator(tree))]
    assert len(set(positions)) == len(positions) == tree.n_nodes_


def test_a_test_is_centred_above_its_branches(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=1)
    (root, *children) = [text.get_position() for text, _ in boxes(display)]
    assert root[0] == pytest.approx(np.mean([x for x, _ in children]))
    assert labels(display)[2] == "…"


@pytest.mark.parametrize("v", [None, 60, 150])
def test_no_labels_overlap(tree, v):
    display = TreeDisplay.from_estimator(tree if v is None else tree.with_estimate(Curtailment(v=v)))
    assert overlaps(display) == []


def overlaps(display):
    display.figure_.draw_without_rendering()
    drawn = [(text.get_text(), text.get_window_extent()) for text in display.ax_.texts]
    return [(a, b) for n, (a, box) in enumerate(drawn) for b, other in drawn[:n] if box.overlaps(other)]


def test_the_font_shrinks_in_axes_that_are_too_small(tree):
    _, ax = plt.subplots(figsize=(4, 3))
    assert overlaps(TreeDisplay(tree).plot(ax)) == []


def test_eliminated_nodes_are_dotted_and_a_test_that_is_also_a_leaf_is_grey(tree):
    model = tree.with_estimate(Curtailment(v=150))
    display, curtailed = TreeDisplay.from_estimator(model), model.curtailed()
    drawn = boxes(display)
    assert len([box for _, box in drawn if box.get_linestyle() == ":"]) == curtailed.is_eliminated.sum()
    grey = [box for _, box in drawn if np.allclose(box.get_facecolor()[:3], 0.85)]
    assert len(grey) == (curtailed.is_test & curtailed.answers).sum() > 0
    assert display.ax_.get_title().startswith("Curtailed: v = 150")


def test_a_more_certain_leaf_has_a_stronger_colour():
    model = ProbabilityTreeClassifier(estimate="frequency", min_leaf=1).fit(
        np.repeat([[1], [2]], 10, axis=0), np.repeat(["a", "b", "a"], [10, 7, 3])
    )
    sure, unsure = (box.get_facecolor() for _, box in boxes(TreeDisplay.from_estimator(model))[1:])
    assert max(sure[:3]) - min(sure[:3]) > max(unsure[:3]) - min(unsure[:3])


def test_other_models_raise():
    with pytest.raises(ParameterError, match="model must be a ProbabilityTreeClassifier; got list"):
        TreeDisplay.from_estimator([])
