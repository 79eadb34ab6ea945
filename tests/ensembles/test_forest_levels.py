"""Forests grown level by level from parts of the rows equal those grown from all rows at once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_parts import LocalParts, source_facts

from calibrant import _core
from calibrant._random import stream_seed
from calibrant._source_limits import check_source_params
from calibrant.data._bins.bins import bins_of
from calibrant.data._internal import CodedPart, fit_columns
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._levels.cluster_forest import forest_plan, grow_forest_levels
from calibrant.exceptions import ParameterError

N_ROWS, N_GROUPS = 3000, 40
SEED = np.random.SeedSequence(4)
TREES = range(2, 5)


def rows() -> tuple[Any, CodedPart]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N_ROWS, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=N_ROWS) > 0).astype(np.uint16)
    columns = fit_columns(X)
    bins = bins_of(columns, None, 60)
    return bins, CodedPart(0, bins.code(columns), y, None, rng.integers(0, N_GROUPS, N_ROWS))


@settings(max_examples=12, deadline=None)
@given(
    kind=st.sampled_from(["uniform", "by_class", "by_group", "subsample", None]),
    ends=st.lists(st.integers(0, N_ROWS), max_size=4),
    max_features=st.sampled_from(["sqrt", None]),
)
def test_a_forest_of_parts_is_the_forest_of_all_rows(kind: Any, ends: list[int], max_features: Any) -> None:
    bins, part = rows()
    params = BaggedTreesClassifier(bootstrap=kind, max_features=max_features, prune=None)
    by_group = kind == "by_group"
    bags = ForestBags(kind, part.labels, SEED, part.groups if by_group else None, params.max_samples).core
    table, seeds = bins.table(part.matrix).core, [stream_seed(SEED, tree, 1) for tree in TREES]
    options = grow_options_of(params, part)
    expected = _core.grow_forest(table, part.labels, None, bags, TREES.start, seeds, 2, options)
    edges = [0, *sorted(ends), N_ROWS]
    parts = LocalParts(
        [
            CodedPart(i, part.matrix[i:j], part.labels[i:j], None, part.groups[i:j] if by_group else None)
            for i, j in pairwise(edges)
        ]
    )
    facts = source_facts(bins, N_ROWS, n_groups=N_GROUPS if by_group else None)
    plan = forest_plan(parts, facts, params, SEED)
    found = grow_forest_levels(parts, plan, SEED, TREES)
    for a, b in zip(expected, found, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a.state, b.state, strict=True))


def grow_options_of(params: Any, part: CodedPart) -> _core.GrowOptions:
    from calibrant.ensembles._bagging.forest import n_drawn
    from calibrant.trees._growing.grow import grow_options

    options = grow_options(params, 2, n_drawn(params.max_features, part.matrix.shape[1]))
    options.n_threads = 1
    return options


@pytest.mark.parametrize(("name", "value"), [("prune", "pessimistic"), ("honest", True), ("collapse", True)])
def test_what_needs_the_rows_after_growing_raises(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        check_source_params(BaggedTreesClassifier().set_params(**{name: value}), "levels")
