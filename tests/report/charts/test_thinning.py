"""A thinned curve is nowhere farther from the curve than a tenth of a percent of the axes, nor the curve from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibrant.report._charts.thinning import FEW, TOLERANCE, thin, thin_points, thin_steps

Floats = NDArray[np.float64]
MILLION = 1_000_000


def distance_to_curve(points: Floats, curve: Floats) -> float:
    """Return the largest distance of points from a polyline, by brute force over segments."""
    start, along = curve[:-1], np.diff(curve, axis=0)
    squared = np.maximum((along**2).sum(axis=1), 1e-300)
    worst = 0.0
    for chunk in np.array_split(points, max(1, len(points) * len(start) // 2_000_000)):
        offset = chunk[:, None, :] - start
        share = np.clip((offset * along).sum(axis=2) / squared, 0, 1)
        worst = max(worst, float(np.linalg.norm(offset - share[..., None] * along, axis=2).min(axis=1).max()))
    return worst


def error(x: Floats, y: Floats, rows: NDArray[np.intp], n_checked: int = 300) -> float:
    """Return the larger of both distances between the curve and the thinned one, points between vertices included."""
    whole, thinned = np.column_stack([x, y]), np.column_stack([x[rows], y[rows]])
    at = np.random.default_rng(0).integers(0, len(x) - 1, n_checked)
    along = np.random.default_rng(1).random((n_checked, 1))
    there = distance_to_curve(whole[at] * along + whole[at + 1] * (1 - along), thinned)
    if len(x) > 10_000:
        return there
    at = at % (len(rows) - 1)
    return max(there, distance_to_curve(thinned[at] * along + thinned[at + 1] * (1 - along), whole))


def unit(values: Floats) -> Floats:
    return (values - values.min()) / (np.ptp(values) or 1.0)


def roc_curve() -> tuple[Floats, Floats]:
    is_positive = np.random.default_rng(0).random(MILLION) < np.linspace(1, 0, MILLION) ** 3
    return unit(np.cumsum(~is_positive)), unit(np.cumsum(is_positive))


def corners() -> tuple[Floats, Floats]:
    """Return 500,000 steps of very unequal height as a line through their corners."""
    height = np.cumsum(np.random.default_rng(0).pareto(0.6, MILLION // 2))
    at = np.linspace(0, 1, MILLION // 2 + 1)
    return np.repeat(at, 2)[1:-1], unit(np.repeat(height, 2))


def profit_curve() -> tuple[Floats, Floats]:
    """Return the profit of a campaign by the share mailed: rare large gifts less the postage."""
    rng = np.random.default_rng(0)
    gifts = rng.exponential(15, MILLION) * (rng.random(MILLION) < 0.12 * np.linspace(1, 0, MILLION))
    return np.linspace(0, 1, MILLION), unit(np.cumsum(gifts - 0.68))


def random_walk() -> tuple[Floats, Floats]:
    """Return the worst case: a walk without drift fills the height of the chart with noise."""
    return np.linspace(0, 1, MILLION), unit(np.cumsum(np.random.default_rng(0).normal(size=MILLION)))


@pytest.mark.parametrize(
    ("curve", "most"), [(roc_curve, 200), (corners, 300), (profit_curve, 300), (random_walk, 2_500)]
)
def test_a_million_points_are_thinned_within_the_bound(curve, most: int) -> None:  # type: ignore[no-untyped-def]
    x, y = curve()
    rows = thin(x, y)
    assert len(rows) <= most
    assert {0, MILLION - 1, int(y.argmin()), int(y.argmax())} <= set(rows.tolist())
    assert error(x, y, rows) <= TOLERANCE


@st.composite
def curves(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Return a curve with plateaus, jumps, ties and noise of any size; x rises, falls or turns back."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 3_000))
    x = rng.random(n) ** draw(st.sampled_from([0.1, 1, 10]))
    order = draw(st.sampled_from(["rises", "falls", "turns"]))
    x = x if order == "turns" else np.sort(x)[:: 1 if order == "rises" else -1]
    steps = rng.normal(draw(st.sampled_from([0, 1])), 1, n) * (rng.random(n) < draw(st.sampled_from([0.01, 0.3, 1])))
    y = np.cumsum(steps) + draw(st.sampled_from([0, 1, 100])) * rng.standard_cauchy(n)
    return unit(np.round(x, draw(st.sampled_from([1, 3, 9])))), unit(y)


@settings(deadline=None, max_examples=25)
@given(curves())
def test_the_bound_holds_for_any_curve(curve: tuple[Floats, Floats]) -> None:
    rows = thin(*curve)
    assert error(*curve, rows, n_checked=200) <= TOLERANCE + 1e-12
    assert {0, len(curve[0]) - 1} <= set(rows.tolist())
    assert {curve[1].min(), curve[1].max()} <= set(curve[1][rows].tolist())


def test_the_ends_of_a_band_are_thinned_to_the_same_rows() -> None:
    x = np.linspace(0, 1, 50_000)
    low, high = 0.3 * x**3, 0.5 + 0.4 * np.sin(20 * x)
    rows = thin(x, low, high)
    assert len(rows) < 400
    assert max(error(x, low, rows), error(x, high, rows)) <= TOLERANCE


@pytest.mark.long
@settings(deadline=None, max_examples=12)
@given(curves())
def test_the_bound_holds_for_steps(curve: tuple[Floats, Floats]) -> None:
    x, y = curve
    corner = np.repeat(np.arange(len(x)), 2)
    at, start = thin_steps(x, y)
    whole, thinned = np.column_stack([x[corner[1:]], y[corner[:-1]]]), np.column_stack([x[at], y[start]])
    assert max(distance_to_curve(whole, thinned), distance_to_curve(thinned, whole)) <= TOLERANCE + 1e-12


def test_few_points_are_kept_as_they_are() -> None:
    x = np.linspace(0, 1, FEW)
    assert thin(x, x).tolist() == list(range(FEW))


def test_a_missing_value_interrupts_the_curve_and_both_parts_are_thinned() -> None:
    x = np.linspace(0, 1, 10_001)
    y = np.where((x > 0.4) & (x < 0.6), np.nan, x**2)
    rows = thin(x, y)
    assert np.isnan(y[rows]).sum() == 1
    assert {0, 4000, 6000, 10_000} <= set(rows.tolist())
    for part in (x <= 0.4, x >= 0.6):
        kept = rows[part[rows]]
        assert np.abs(np.interp(x[part], x[kept], y[kept]) - y[part]).max() <= TOLERANCE


def test_a_curve_without_a_finite_point_keeps_one() -> None:
    nothing = np.full(1_000, np.nan)
    assert thin(np.linspace(0, 1, 1_000), nothing).tolist() == [0]


def test_a_curve_that_sheds_one_vertex_at_a_time_keeps_the_bound() -> None:
    x = np.concatenate([[0.0], 1 - 0.997 ** np.arange(20_000)])
    y = np.where(np.arange(20_001) % 2, x, x * 0.99)
    assert error(x, y, thin(x, y)) <= TOLERANCE


def test_every_dropped_point_of_a_scatter_is_near_a_kept_one() -> None:
    points = np.random.default_rng(0).normal(0.5, 0.001, (5_000, 2))
    kept = points[thin_points(*points.T)]
    assert len(kept) < 500
    assert np.sqrt(((points[:, None] - kept) ** 2).sum(axis=2)).min(axis=1).max() <= TOLERANCE
