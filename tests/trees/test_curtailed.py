"""Curtailed trees as Zadrozny & Elkan draw them in their Figure 2."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from calibrant.estimates import Curtailment
from calibrant.exceptions import ParameterError
from calibrant.trees import CurtailedTree, ProbabilityTreeClassifier

# Three towns; the large one has a test of its own below.
X = [["rome", i] for i in range(60)] + [["oslo", 0]] * 30 + [["bari", 0]] * 10
Y = ["no"] * 50 + ["yes"] * 10 + ["yes"] * 30 + ["no"] * 10
TEXT = """\
Curtailed: v = 20 keeps 4 of 6 nodes, depth 2 of 2
all rows, also a leaf: no (p = 0.600, n = 100)
: x0 = bari (n = 10)
x0 = oslo: yes (p = 1.000, n = 30)
x0 = rome, also a leaf: no (p = 0.833, n = 60)
|   x1 <= 49: no (p = 1.000, n = 50)
|   : x1 > 49 (n = 10)"""


@pytest.fixture(scope="module")
def model():
    return ProbabilityTreeClassifier(estimate=Curtailment(v=20)).fit(X, Y)


def test_the_text_marks_what_is_kept_what_is_removed_and_what_is_both(model):
    assert model.export_text() == TEXT


def test_the_text_stops_at_a_depth(model):
    assert model.export_text(max_depth=1).splitlines()[-1] == "x0 = rome: ..."
    assert len(model.with_estimate(Curtailment(v=60)).export_text(max_depth=1).splitlines()) == 5


def test_c45_prints_the_tree_as_it_was_grown(model):
    assert model.export_text(style="c45") == model.with_estimate("laplace").export_text(style="c45")


def test_size_and_depth_are_those_of_what_is_left(model):
    curtailed = model.curtailed()
    assert (curtailed.n_nodes, curtailed.n_leaves, curtailed.max_depth) == (4, 4, 2)
    assert (
        repr(curtailed) == "<CurtailedTree: v = 20 keeps 4 of 6 nodes, depth 2 of 2; 4 leaves, 2 of them also a test>"
    )
    assert (model.n_nodes_, model.depth_) == (6, 2)


@pytest.mark.parametrize(("v", "left"), [(0, 6), (11, 4), (30, 4), (31, 3), (60, 2), (61, 1), (1e9, 1)])
def test_more_is_eliminated_with_a_larger_v(model, v, left):
    other = model.with_estimate(Curtailment(v=v))
    assert other.curtailed().n_nodes == left
    assert len(re.findall(r"^\|?[ |]*: ", other.export_text(), re.M)) == other.curtailed().is_eliminated.sum()


def test_what_predicts_is_where_rows_end(model):
    leaves = model.apply(X)
    answering = model.estimate_.answering(model.tree_)[leaves]
    np.testing.assert_array_equal(np.unique(answering), np.flatnonzero(model.curtailed().answers))


def test_the_graph_dots_the_eliminated_and_greys_what_is_both(model):
    dot = model.export_graphviz()
    assert 'label="Curtailed: v = 20 keeps 4 of 6 nodes, depth 2 of 2"' in dot
    assert dot.count('style="rounded,dotted"') == dot.count("style=dotted") == 2
    assert dot.count("fillcolor=lightgrey") == 2
    assert dot.count("->") == 5
    assert '[label="n = 10", style="rounded,dotted"]' in dot
    assert 'label="x1\\n\\nno\\np = 0.833\\nn = 60", fillcolor=lightgrey' in dot


def test_what_lies_below_an_eliminated_node_is_not_drawn(model):
    root = model.with_estimate(Curtailment(v=61))
    assert root.export_graphviz().count("->") == 3
    assert root.export_text().splitlines()[1:] == [
        "no (p = 0.600, n = 100)",
        ": x0 = bari (n = 10)",
        ": x0 = oslo (n = 30)",
        ": x0 = rome (n = 60)",
    ]


DOT = shutil.which("dot") or ""


@pytest.mark.skipif(not DOT, reason="needs the dot program")
def test_dot_draws_it(model):
    drawn = subprocess.run([DOT, "-Tsvg"], input=model.export_graphviz(), capture_output=True, text=True, check=True)
    assert drawn.stdout.count("stroke-dasharray") == 4


def test_other_estimates_leave_no_curtailed_tree(model):
    with pytest.raises(ParameterError, match=r"the estimate must be a Curtailment; got Laplace\(alpha=1\.0\)"):
        model.with_estimate("laplace").curtailed()


def test_a_rule_of_thumb_for_v_is_shown_as_a_number(model):
    curtailed = CurtailedTree(model.tree_, Curtailment(strength=8))
    assert curtailed.summary == "v = 20 keeps 4 of 6 nodes, depth 2 of 2"
