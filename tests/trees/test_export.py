"""Trees written for people: plain, as C4.5 prints them, in DOT, and in a notebook."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn

from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier

GOLF = pd.DataFrame(
    {
        "outlook": pd.Categorical(
            ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5, categories=["sunny", "overcast", "rain"]
        ),
        "humidity": [70.0, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96],
        "windy": [True, True, False, False, False, True, False, True, False, True, True, False, False, False],
    }
)
PLAY = ["Play"] + ["Don't"] * 3 + ["Play"] * 5 + ["Don't"] * 2 + ["Play"] * 3
C45 = """\
outlook = overcast: Play (4.0)
outlook = sunny:
|   humidity <= 75 : Play (2.0)
|   humidity > 75 : Don't (3.0)
outlook = rain:
|   windy = False: Play (3.0)
|   windy = True: Don't (2.0)"""
PLAIN = """\
outlook = sunny
|   humidity <= 75: Play (p = 0.750, n = 2)
|   humidity > 75: Don't (p = 0.800, n = 3)
outlook = overcast: Play (p = 0.833, n = 4)
outlook = rain
|   windy = False: Play (p = 0.800, n = 3)
|   windy = True: Don't (p = 0.750, n = 2)"""


@pytest.fixture(scope="module")
def golf():
    return ProbabilityTreeClassifier().fit(GOLF, PLAY)


def test_c45_prints_leaves_before_subtrees(golf):
    assert golf.export_text(style="c45") == C45


def test_the_plain_text_gives_probabilities_in_the_order_of_branches(golf):
    assert golf.export_text() == PLAIN


def test_the_plain_text_stops_at_a_depth(golf):
    assert golf.export_text(max_depth=1).splitlines() == [
        "outlook = sunny: ...",
        "outlook = overcast: Play (p = 0.833, n = 4)",
        "outlook = rain: ...",
    ]


def test_a_leaf_alone_is_one_line():
    model = ProbabilityTreeClassifier().fit([[1.0], [1.0], [1.0]], ["a", "a", "b"])
    assert model.export_text() == "a (p = 0.600, n = 3)"
    assert model.export_text(style="c45") == " a (3.0/1.0)"  # the space is C4.5's


def test_c45_breaks_the_line_of_a_long_group_without_counting_the_bars():
    towns = [f"town-{letter * 12}" for letter in "abcdef"]
    X = pd.DataFrame({"n": np.arange(72.0), "at": pd.Categorical(towns * 12, categories=towns)})
    y = np.where(X["n"] < 36, "low", np.where(X["at"] == towns[0], "first", "rest"))
    model = ProbabilityTreeClassifier(nominal_splits="subset").fit(X, y)
    assert model.export_text(style="c45").splitlines() == [
        "n <= 35 : low (36.0)",
        "n > 35 :",
        "|   at = town-aaaaaaaaaaaa: first (6.0)",
        "|   at in {town-bbbbbbbbbbbb,town-cccccccccccc,town-dddddddddddd,",
        "|          town-eeeeeeeeeeee,town-ffffffffffff}: rest (30.0)",
    ]


def test_more_than_99_subtrees_are_numbered_on():
    n = 2_600
    params = {"min_leaf": 1, "min_cut": "min_leaf", "criterion": "entropy", "mdl_penalty": False}
    model = ProbabilityTreeClassifier(**params).fit(np.arange(n)[:, None], np.arange(n) % 2)
    text = model.export_text(style="c45")
    assert text.count("\n\nSubtree [S") > 99
    assert "Subtree [S100]" in text
    assert "?" not in text


def test_an_unknown_style_is_named(golf):
    with pytest.raises(ParameterError, match=r"style must be 'plain' or 'c45'; got 'C4\.5'"):
        golf.export_text(style="C4.5")


def test_the_graph_has_a_node_a_node_and_an_edge_a_branch(golf):
    dot = golf.export_graphviz()
    assert len(re.findall(r"^  \d+ \[", dot, re.M)) == golf.n_nodes_
    assert len(re.findall(r"^  \d+ -> \d+ \[", dot, re.M)) == golf.n_nodes_ - 1
    assert '1 -> 2 [label="<= 75"]' in dot


def test_the_graph_stops_at_a_depth(golf):
    assert golf.export_graphviz(max_depth=1).count('label="…"') == 2


def test_quotes_and_lines_in_names_do_not_break_the_graph():
    X = pd.DataFrame({'a "b" \\\n c': ['x"', 'x"', "y\\", "y\\"]})
    dot = ProbabilityTreeClassifier().fit(X, ['k"'] * 2 + ["l"] * 2).export_graphviz()
    unquoted = re.sub(r'"(?:[^"\\]|\\.)*"', "", dot)
    assert '"' not in unquoted


def test_graphviz_reads_the_graph(golf):
    graphviz = pytest.importorskip("graphviz")
    try:
        assert b"<svg" in graphviz.Source(golf.export_graphviz()).pipe("svg")
    except graphviz.ExecutableNotFound:
        pytest.skip("needs the dot program")


def test_a_notebook_shows_the_top_of_a_fitted_tree(golf):
    page = golf._repr_html_()
    assert "outlook = overcast" in page
    assert "8 nodes, 5 leaves, depth 2" in page
    assert "outlook" not in ProbabilityTreeClassifier()._repr_html_()
    assert page == golf._repr_mimebundle_()["text/html"]


def test_names_cannot_break_the_page():
    X = pd.DataFrame({"<script>": ["<b>", "<b>", "&", "&"]})
    page = ProbabilityTreeClassifier().fit(X, ["<i>"] * 2 + ["j"] * 2)._repr_html_()
    assert not re.search("<script>|<b>|<i>", page)


def test_a_wide_tree_is_cut_in_the_notebook():
    X = pd.DataFrame({"id": [f"c{i}" for i in range(500)] * 2})
    page = ProbabilityTreeClassifier().fit(X, np.arange(1000) % 2)._repr_html_()
    assert page.count("<path") == 12
    assert "+ 488 nodes" in page
    assert "… 200 more lines" in page


def test_text_is_shown_where_scikit_learn_is_configured_so(golf):
    with sklearn.config_context(display="text"):
        assert not hasattr(golf, "_repr_html_")
