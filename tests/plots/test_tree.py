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
    assert all("p = " in text.get_text() and "n = " in text.get_text() for text, _ in boxes(display))


def test_no_two_nodes_have_the_same_position(tree):
    positions = [text.get_position() for text, _ in boxes(TreeDisplay.from_estimator(tree))]
    assert len(set(positions)) == len(positions) == tree.n_nodes_


def test_a_test_is_centred_above_its_branches(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=1)
    (root, *children) = [text.get_position() for text, _ in boxes(display)]
    assert root[0] == pytest.approx(np.mean([x for x, _ in children]))
    assert labels(display)[2].endswith(" leaves below")


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


def test_an_inner_node_has_the_probability_and_the_rows_of_its_table(tree):
    display = TreeDisplay.from_estimator(tree)
    root = labels(display)[0].split("\n")
    table = tree._reading.table[0]
    assert root[0] == tree.tree_.schema.names[tree.tree_.feature[0]]
    assert root[1] == str(tree.classes_[table.argmax()])
    assert root[2] == f"p = {table.max():.3f}, n = {tree.tree_.weight[0]:,.0f}"


def test_cuts_have_as_few_digits_as_separate_the_training_values():
    X = np.array([[0.123456, 1000.25], [0.187654, 2000.75], [0.312345, 3000.125], [0.412345, 4000.5]]).repeat(5, axis=0)
    model = ProbabilityTreeClassifier(threshold="midpoint").fit(X[:, :1], [0] * 10 + [1] * 10)
    assert labels(TreeDisplay.from_estimator(model))[1] == "<= 0.2"
    observed = ProbabilityTreeClassifier().fit(X[:, 1:], [0] * 10 + [1] * 10)
    assert observed.tree_.threshold[0] == 2000.75
    assert labels(TreeDisplay.from_estimator(observed))[1] == "<= 2001"
    assert "2000.75" in observed.export_text()


@pytest.mark.parametrize("threshold", ["observed", "midpoint"])
@pytest.mark.parametrize("seed", range(2))
def test_a_short_cut_sends_every_training_value_the_same_way(seed, threshold):
    """With a class for each value a tree cuts between any two of them."""
    random = np.random.default_rng(seed)
    values = np.sort(np.exp(random.normal(size=50) * 4) * random.choice([-1, 1], 50))
    options = {"threshold": threshold, "min_leaf": 1, "mdl_penalty": False}
    model = ProbabilityTreeClassifier(**options).fit(values[:, np.newaxis], np.arange(50))
    shown = [label.removeprefix("<= ") for label in labels(TreeDisplay(model).plot()) if "<=" in label]
    shown.sort(key=float)
    cuts = np.sort(model.tree_.threshold[~model.tree_.is_leaf])
    assert all(low <= float(cut) < high for low, cut, high in zip(values[:-1], shown, values[1:], strict=True))
    assert all(len(text) <= len(f"{cut:.17f}") for text, cut in zip(shown, cuts, strict=True))


def test_what_max_depth_leaves_out_is_said_at_the_node_and_in_the_title(tree):
    display = TreeDisplay.from_estimator(tree, max_depth=1)
    below = [int(text.split("… ")[1].split()[0]) for text in labels(display) if "below" in text]
    n_drawn = sum(tree.tree_.is_leaf & (tree.tree_.depth <= 1))
    assert sum(below) + n_drawn == tree.n_leaves_
    title = f"drawn to depth 1 of {tree.depth_}, {n_drawn} of {tree.n_leaves_} leaves"
    assert display.ax_.get_title() == title
    assert TreeDisplay.from_estimator(tree, max_depth=tree.depth_).ax_.get_title() == ""


def test_no_labels_overlap_where_the_drawing_stops(tree):
    assert overlaps(TreeDisplay.from_estimator(tree, max_depth=2)) == []
