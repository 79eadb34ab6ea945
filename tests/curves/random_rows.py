"""Hypothesis strategies for small sets of predictions with ties, both classes present."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

PROBABILITIES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0])


def rows_of(*more):
    """Return lists of (is_positive, probability, ...) rows."""
    row = st.tuples(st.booleans(), PROBABILITIES, *more)
    return st.lists(row, min_size=2, max_size=20).filter(lambda rows: len({row[0] for row in rows}) == 2)


ROWS = rows_of()
WEIGHTED_ROWS = rows_of(st.integers(1, 3))


def columns(rows):
    """Return the columns of the rows as arrays."""
    return tuple(np.array(column) for column in zip(*rows, strict=True))
