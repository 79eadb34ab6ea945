"""m-branch, path averages and shrinkage on a tree small enough for pencil and paper."""

import math

import pytest
from scipy.special import betaln

from calibrant.estimates import HierarchicalShrinkage, MBranch, PathAverage
from calibrant.exceptions import ParameterError


def test_m_branch_smooths_each_node_towards_the_one_above(stairs):
    root, middle, leaf = 4 * (1 + 2 / 3 * 10), 4 * (1 + 1 / 2 * 10), 4
    top = (10 + root / 2) / (100 + root)
    between = (10 + middle * top) / (60 + middle)
    assert MBranch().table(stairs)[4, 1] == pytest.approx((8 + leaf * between) / (10 + leaf), abs=1e-15)


def test_m_branch_with_constant_m_weights_every_node_alike(stairs):
    top = (10 + 4 / 2) / (100 + 4)
    between = (10 + 4 * top) / (60 + 4)
    table = MBranch(constant=True).table(stairs)
    assert table[4, 1] == pytest.approx((8 + 4 * between) / (10 + 4), abs=1e-15)
    assert table[1, 1] == pytest.approx(4 * top / (40 + 4), abs=1e-15)


def test_the_height_of_a_node_is_that_of_the_path_not_of_the_tree(stairs):
    root = 4 * (1 + 1 / 2 * 10)
    top = (10 + root / 2) / (100 + root)
    assert MBranch().table(stairs)[1, 1] == pytest.approx((0 + 4 * top) / (40 + 4), abs=1e-15)


def test_shrinkage_shortens_each_step_by_the_weight_of_the_node_it_leaves(stairs):
    steps = (10 / 60 - 0.1) / (1 + 20 / 100) + (0.8 - 10 / 60) / (1 + 20 / 60)
    assert HierarchicalShrinkage(strength=20).table(stairs)[4, 1] == pytest.approx(0.1 + steps, abs=1e-15)


def test_shrinkage_candidates_go_from_an_eighth_to_the_training_weight(stairs):
    strengths = [e.strength for e in HierarchicalShrinkage(strength="cv").candidates(stairs)]
    assert strengths == [2.0**k for k in range(-3, 7)]
    with pytest.raises(ParameterError, match="HierarchicalShrinkage: strength must be a number"):
        HierarchicalShrinkage(strength="cv").table(stairs)


def marginal(positive, negative, alpha=1.0):
    return math.exp(betaln(positive + alpha, negative + alpha) - betaln(alpha, alpha))


def test_bayes_weights_the_two_prunings_of_a_fork_by_their_evidence(fork):
    kept, cut = marginal(3, 1) * marginal(1, 5), marginal(4, 6)
    table = PathAverage().table(fork([3, 1], [1, 5]))
    expected = (cut * 5 / 12 + kept * 4 / 6) / (cut + kept)
    assert table[1, 0] == pytest.approx(expected, rel=1e-13)


def test_bayes_sums_over_all_prunings(make_tree):
    tree = make_tree([-1, 0, 0, 2, 2], {1: [6, 0], 3: [5, 1], 4: [0, 4]})
    deep, middle, top = (
        marginal(5, 1) * marginal(0, 4) * marginal(6, 0),
        marginal(5, 5) * marginal(6, 0),
        marginal(11, 5),
    )
    expected = (top * 6 / 18 + middle * 6 / 12 + deep * 5 / 6) / (top + middle + deep)
    assert PathAverage().table(tree)[4, 1] == pytest.approx(expected, rel=1e-13)


def test_wallace_makes_small_prunings_more_probable_by_its_price(fork):
    """Three columns: the root is split with probability 2/3; its children, of two, are leaves with 1/2."""
    kept, cut = 2 / 3 / 4 * marginal(3, 1) * marginal(1, 5), 1 / 3 * marginal(4, 6)
    table = PathAverage(prior="wallace").table(fork([3, 1], [1, 5]))
    assert table[1, 0] == pytest.approx((cut * 5 / 12 + kept * 4 / 6) / (cut + kept), rel=1e-13)


def test_alpha_is_the_weight_of_each_class_beforehand(fork):
    kept, cut = marginal(3, 1, 0.5) * marginal(1, 5, 0.5), marginal(4, 6, 0.5)
    table = PathAverage(alpha=0.5).table(fork([3, 1], [1, 5]))
    expected = (cut * 4.5 / 11 + kept * 3.5 / 5) / (cut + kept)
    assert table[1, 0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MBranch(constant=2), "constant must be a bool; got 2"),
        (lambda: MBranch(M=0), "M must be a finite number > 0; got 0"),
        (lambda: HierarchicalShrinkage(strength=-1), "strength must be 'cv' or a number in"),
        (lambda: PathAverage("baye"), "Did you mean 'bayes'"),
        (lambda: PathAverage(alpha=0), "alpha must be a finite number > 0"),
        (lambda: PathAverage(prior="walace"), "Did you mean 'wallace'"),
    ],
)
def test_wrong_parameters_are_named(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
