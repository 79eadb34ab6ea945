"""Curtailment: which node predicts, and by which estimate."""

import numpy as np
import pytest

from calibrant.estimates import Curtailment, Frequency, Laplace, MEstimate, PathAverage
from calibrant.exceptions import CalibrantWarning, ParameterError


def test_a_child_with_too_few_rows_is_not_entered(stairs):
    np.testing.assert_array_equal(Curtailment(v=50).answering(stairs), [0, 0, 2, 3, 2])


def test_v_itself_is_enough(stairs):
    assert Curtailment(v=10).answering(stairs)[4] == 4
    assert Curtailment(v=10.001).answering(stairs)[4] == 2


def test_a_node_predicts_some_rows_and_passes_others_on(stairs):
    table = Curtailment(v=50).table(stairs)
    np.testing.assert_allclose(table[[1, 3, 4]], [[0.9, 0.1], [0.96, 0.04], [50 / 60, 10 / 60]])


def test_the_node_that_predicts_can_be_smoothed(stairs):
    table = Curtailment(v=50, then="m").table(stairs)
    np.testing.assert_array_equal(table, MEstimate().table(stairs)[[0, 0, 2, 3, 2]])
    np.testing.assert_array_equal(Curtailment(v=50, then=Laplace()).table(stairs)[4], [51 / 62, 11 / 62])


def test_v_is_200_at_a_base_rate_of_5_percent():
    assert Curtailment().resolve([9_500, 500]) == Curtailment(v=200.0, then=Frequency())


def test_with_more_classes_v_follows_from_the_median_class():
    assert Curtailment().resolve([700, 200, 100]).v == pytest.approx(50)


def test_a_v_of_more_than_half_the_rows_is_warned_of(stairs):
    with pytest.warns(CalibrantWarning, match=r"v = 100 .* more than half of the training weight \(100\)"):
        table = Curtailment().table(stairs)
    np.testing.assert_allclose(table, [[0.9, 0.1]] * 5)


def test_resolving_reaches_what_comes_then():
    resolved = Curtailment(then="m").resolve([9_500, 500])
    assert resolved.then == MEstimate(m=200.0, prior=(0.95, 0.05))
    assert resolved.resolve([1, 99]) == resolved


def test_candidates_are_the_product_of_v_and_m(stairs):
    both = Curtailment(v="cv", then=MEstimate(m="cv")).candidates(stairs)
    assert len(both) == 49
    assert (both[8].v, both[8].then.m) == (2, 2)
    assert Curtailment(v=5, then="m").candidates(stairs) == (Curtailment(v=5, then="m"),)
    assert [e.v for e in Curtailment(v=5, then=MEstimate(m="cv")).candidates(stairs)] == [5] * 7


def test_a_single_candidate_has_its_number_too(fork):
    (only,) = Curtailment(v=1, then=MEstimate(m="cv")).candidates(fork([1, 0], [0, 0]))
    assert only.then.m == 1


def test_there_is_no_table_before_the_choice(stairs):
    with pytest.raises(ParameterError, match="Curtailment: v must be a number to compute probabilities; got 'cv'"):
        Curtailment(v="cv").table(stairs)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"v": -1}, "v must be 'cv', a number in"),
        ({"strength": float("nan")}, "strength must be"),
        ({"then": "laplas"}, "then must be .* Did you mean 'laplace'"),
        ({"then": 7}, "then must be .* an estimate of calibrant.estimates or None; got 7"),
        ({"then": "kernel_density"}, "then must be an estimate read from the counts alone; got 'kernel_density'"),
        ({"then": PathAverage("interpolate")}, "then must be an estimate read from the counts alone; got PathAv"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        Curtailment(**wrong)
