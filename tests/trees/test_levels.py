"""Trees grown level by level from parts of the rows equal those grown from all rows at once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.local_parts import LocalParts

from calibrant import _core
from calibrant.data._bins.bins import bins_of
from calibrant.data._internal import Bins, CodedPart, fit_columns
from calibrant.exceptions import DataError
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import LevelPlan

N_ROWS = 1200


def coded_rows(seed: int, n_classes: int, missing: float) -> tuple[Bins, CodedPart]:
    """Return rows of four columns, two of them in bins, whose classes follow the first two."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(N_ROWS, 2)), rng.integers(0, 9, (N_ROWS, 2))]).astype(np.float64)
    y = np.where(rng.random(N_ROWS) < 0.2, rng.integers(0, n_classes, N_ROWS), X[:, 0] + 0.3 * X[:, 1] > 0)
    X[rng.random(X.shape) < missing] = np.nan
    columns = fit_columns(X)
    bins = bins_of(columns, None, 40)
    return bins, CodedPart(0, bins.code(columns), y.astype(np.uint16))


def cut(part: CodedPart, ends: list[int]) -> LocalParts:
    """Return the rows as parts, some of them empty."""
    edges = [0, *sorted(ends), part.n_rows]
    weights = part.weights
    return LocalParts(
        [
            CodedPart(i, part.matrix[i:j], part.labels[i:j], None if weights is None else weights[i:j])
            for i, j in pairwise(edges)
        ]
    )


def same(a: Any, b: Any) -> bool:
    """Return whether two trees are equal; priors of tests up to rounding, since small nodes are counted in two ways."""
    *arrays, log_prior = zip(a.state, b.state, strict=True)
    return all(np.array_equal(x, y) for x, y in arrays) and np.allclose(*log_prior, rtol=0, atol=1e-9)


def both(bins: Bins, part: CodedPart, ends: list[int], few_rows: int | None, **params: Any) -> tuple[Any, Any]:
    """Return the tree of all rows and the one of parts."""
    n_classes = int(part.labels.max()) + 1
    tree = ProbabilityTreeClassifier(prune=None, **params)
    plan = LevelPlan(bins, n_classes, n_classes, part.n_rows, tree)
    table = bins.table(part.matrix).core
    whole = _core.grow_tree(table, part.labels, part.weights, n_classes, plan.options(3))
    return whole, plan.grow(cut(part, ends), {0: 3}, few_rows)[0]


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_classes=st.integers(2, 3),
    ends=st.lists(st.integers(0, N_ROWS), max_size=5),
    few_rows=st.sampled_from([0, 50, 300, N_ROWS]),
    criterion=st.sampled_from(["gain_ratio", "gini", "hellinger", "bayes"]),
    threshold=st.sampled_from(["observed", "midpoint"]),
)
def test_a_tree_of_parts_is_the_tree_of_all_rows(
    seed: int, n_classes: int, ends: list[int], few_rows: int, criterion: str, threshold: str
) -> None:
    bins, part = coded_rows(seed, n_classes, 0.0)
    whole, parts = both(bins, part, ends, few_rows, criterion=criterion, threshold=threshold)
    assert whole.n_nodes > 1
    assert same(whole, parts)


@pytest.mark.parametrize("step", [1.0, 0.25])
@pytest.mark.parametrize("few_rows", [40, 2000])
def test_weights_and_learned_branches_of_missing_values_are_the_same(step: float, few_rows: int) -> None:
    bins, part = coded_rows(5, 2, 0.1)
    weights: NDArray[np.float64] = step * np.random.default_rng(1).integers(0, 5, N_ROWS)
    weighted = CodedPart(0, part.matrix, part.labels, weights)
    assert same(*both(bins, weighted, [100, 100, 700], few_rows, missing="learned", weight_kind="probability"))


def test_fractions_of_rows_with_missing_values_raise() -> None:
    bins, part = coded_rows(5, 2, 0.1)
    with pytest.raises(DataError, match="missing='learned'"):
        both(bins, part, [600], None)


def test_a_part_that_forgot_the_nodes_of_its_rows_finds_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.trees._sources.grow_levels.KEPT_ROWS.pop", lambda *_: None)
    bins, part = coded_rows(6, 2, 0.0)
    assert same(*both(bins, part, [500], 60))
