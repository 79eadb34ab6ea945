"""The formulas of pessimistic pruning that Python knows; pruned trees are compared with other programs elsewhere."""

import pytest
from scipy.stats import norm

from calibrant.exceptions import ParameterError
from calibrant.trees._growing.grow import deviate, extra_errors


@pytest.mark.parametrize(("confidence", "z"), [(0.25, 0.6925), (0.1, 1.28), (0.001, 3.09), (1.0, 0.0), (0.03, 1.99)])
def test_c45_interpolates_quinlans_table(confidence, z):
    assert deviate(confidence, "c45") == pytest.approx(z)


@pytest.mark.parametrize("confidence", [0.01, 0.25, 0.5])
def test_j48_takes_the_exact_deviate(confidence):
    assert deviate(confidence, "j48") == pytest.approx(norm.isf(confidence))


def test_j48_rejects_a_confidence_above_a_half():
    with pytest.raises(ParameterError, match=r"confidence must be a number in \(0, 0.5\] with dialect='j48'; got 0.6"):
        deviate(0.6, "j48")


@pytest.mark.parametrize(
    ("n", "errors", "extra"),
    [(6, 0, 1.2378), (9, 0, 1.2848), (1, 0, 0.75), (16, 1, 1.5069), (2, 2, 0), (3, 2.6, 0.268)],
)
def test_extra_errors_are_quinlans(n, errors, extra):
    # Quinlan (1993, p. 42): U25%(0, 6) = .206, U25%(0, 9) = .143, U25%(1, 16) = .157, the program's z a little off
    assert extra_errors(n, errors, 0.25) == pytest.approx(extra, abs=2e-4)
