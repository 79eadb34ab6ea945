"""The grid of scores: exact for few distinct scores, bounded cells for many, the same for any partition."""

from __future__ import annotations

import itertools
from functools import reduce

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.calibration._streams.score_grid import ScoreGrid, margin_keys, merge_grids, probability_keys


def grid_of(scores: np.ndarray, most: int, *, margins: bool) -> ScoreGrid:
    keys = margin_keys(scores) if margins else probability_keys(scores)
    return ScoreGrid.of(keys, scores, np.arange(len(scores), dtype=np.int32) % 2, np.ones(len(scores)), 2, most)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_grid_is_the_same_for_any_partition(data: st.DataObject) -> None:
    margins = data.draw(st.booleans())
    numbers = st.floats(-1e300, 1e300) if margins else st.floats(0.0, 1.0)
    scores = np.array(data.draw(st.lists(numbers, min_size=2, max_size=60)))
    most = data.draw(st.integers(1, 40))
    cuts = sorted({0, len(scores), *data.draw(st.lists(st.integers(0, len(scores) // 2), max_size=5))})
    cuts = [2 * (cut // 2) if cut < len(scores) else cut for cut in cuts]  # classes alternate
    whole = grid_of(scores, most, margins=margins)
    parts = [grid_of(scores[a:b], most, margins=margins) for a, b in itertools.pairwise(cuts)]
    merged = reduce(merge_grids, parts)
    assert merged.shift == whole.shift
    assert len(whole.cells) <= most
    for one, other in ((merged.cells, whole.cells), (merged.low, whole.low), (merged.high, whole.high)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(merged.weight, whole.weight)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=50))
def test_few_distinct_scores_have_a_cell_each(scores: list[float]) -> None:
    grid = grid_of(np.array(scores) + 0.0, 50, margins=False)
    assert grid.is_exact
    np.testing.assert_array_equal(grid.scores(), np.unique(np.array(scores) + 0.0))


def test_cells_are_a_small_part_of_the_distance_to_the_nearer_end() -> None:
    scores = np.random.default_rng(0).random(200_000)
    grid = grid_of(scores, 2**16, margins=False)
    near = np.minimum(grid.high, 1.0 - grid.low)
    assert not grid.is_exact
    assert len(grid.cells) > 2**14
    assert ((grid.high - grid.low) <= near / 2000).all()


def test_margins_far_from_0_are_resolved_as_well() -> None:
    scores = 1000.0 + np.random.default_rng(0).normal(size=100_000)
    grid = grid_of(scores, 2**16, margins=True)
    assert (grid.high - grid.low).max() < 1e-3
