"""The style of an ensemble's trees stands for their parameters, and the trees are those of `tree_style`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier, BPETsClassifier
from calibrant.ensembles._readings.pooling import PooledTree
from calibrant.estimates import PathAverage
from calibrant.exceptions import ParameterError
from calibrant.trees import tree_style
from calibrant.trees._internal import STYLES

RNG = np.random.default_rng(2)
X = RNG.normal(size=(150, 3)).round(1)
Y = (X[:, 0] + RNG.normal(size=150) > 0).astype(int)


@pytest.mark.parametrize("style", [*STYLES, "MML"])
def test_one_tree_of_all_rows_is_the_tree_of_the_style(style: str) -> None:
    alone = tree_style(style, random_state=0).fit(X, Y)
    bagged = BaggedTreesClassifier(n_trees=1, bootstrap=None, tie_break="first", style=style, random_state=0).fit(X, Y)
    boosted = BoostedTreesClassifier(n_trees=1, resample=False, style=style, random_state=0).fit(X, Y)
    for model in (bagged, boosted):
        assert model.trees_[0].n_nodes == alone.tree_.n_nodes
        np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize("kind", [BaggedTreesClassifier, BoostedTreesClassifier])
@pytest.mark.parametrize("style", [name for name in STYLES if not name.startswith("cart")])
def test_a_style_is_its_parameters(kind: Any, style: str) -> None:
    by_style = kind(n_trees=4, style=style, random_state=0).fit(X, Y)
    by_hand = kind(n_trees=4, random_state=0, **STYLES[style.lower()]).fit(X, Y)
    np.testing.assert_array_equal(by_style.predict_proba(X), by_hand.predict_proba(X))
    np.testing.assert_array_equal(by_style.feature_importances_, by_hand.feature_importances_)


@pytest.mark.parametrize("kind", [BaggedTreesClassifier, BoostedTreesClassifier, BPETsClassifier])
def test_a_parameter_of_the_style_cannot_be_set_as_well(kind: Any) -> None:
    model = kind(n_trees=2, style="bayes", criterion="dkm", min_leaf=7)
    with pytest.raises(ParameterError, match="style='bayes' determines criterion, min_leaf; got criterion='dkm', min"):
        model.fit(X, Y)


@pytest.mark.parametrize("kind", [BaggedTreesClassifier, BoostedTreesClassifier])
def test_an_unknown_style_names_those_there_are(kind: Any) -> None:
    with pytest.raises(ParameterError, match=r"style must be 'bayes', .* or None; got 'c45'"):
        kind(style="c45").fit(X, Y)


def test_another_estimate_can_be_read_from_a_forest_of_a_style() -> None:
    model = BaggedTreesClassifier(n_trees=3, style="c44bs", random_state=0).fit(X, Y)
    same_trees = BaggedTreesClassifier(n_trees=3, style="c44ls", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.reread(estimate="laplace").predict_proba(X), same_trees.predict_proba(X))
    assert model.style == "c44bs"


@pytest.mark.parametrize("style", ["bayes", "smml"])
def test_out_of_bag_counts_keep_the_prior_of_the_cuts(style: str) -> None:
    tree, estimate = tree_style(style).fit(X, Y).tree_, PathAverage(prior="wallace")
    assert (tree.log_prior < 0).any()
    np.testing.assert_array_equal(estimate.table(PooledTree(tree, tree.counts)), estimate.table(tree))


@pytest.mark.parametrize("style", ["cart", "smml"])
def test_boosting_of_a_style_can_be_continued(style: str) -> None:
    continued = BoostedTreesClassifier(n_trees=2, style=style, random_state=0, warm_start=True).fit(X, Y)
    at_once = BoostedTreesClassifier(n_trees=4, style=style, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(continued.set_params(n_trees=4).fit(X, Y).predict_proba(X), at_once.predict_proba(X))
