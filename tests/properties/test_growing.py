"""Properties of every grown tree, for any data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.properties.impurities import dkm, entropy, gini, twoing

from calibrant import _core
from calibrant.data import CodedTable

CRITERIA = ["entropy", "gini", "dkm", "hellinger", "twoing"]


def hellinger_gain(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the greatest distance of one class to the others, by shares, not by the overlap as in the core."""
    distances = []
    for k in range(len(left)):
        mine, others = left[k] + right[k], left.sum() + right.sum() - left[k] - right[k]
        if mine > 0 and others > 0:
            sides = [(side[k] / mine, (side.sum() - side[k]) / others) for side in (left, right)]
            distances.append(sum((np.sqrt(a) - np.sqrt(b)) ** 2 for a, b in sides))
    return float(np.sqrt(max(distances, default=0.0)))


def gain(criterion: str, left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    if criterion == "hellinger":
        return hellinger_gain(left, right)
    if criterion == "twoing":
        return twoing(left, right)
    impurity = {"entropy": entropy, "gini": gini, "dkm": dkm}[criterion]
    both = left + right
    return impurity(both) - (left.sum() * impurity(left) + right.sum() * impurity(right)) / both.sum()


def options(n_classes: int, **chosen: Any) -> _core.GrowOptions:
    result = _core.GrowOptions()
    result.n_declared_classes = n_classes
    for name, value in chosen.items():
        setattr(result, name, value)
    return result


def grow(columns: list[Any], y: Any, weights: Any, n_classes: int, chosen: dict[str, Any]) -> _core.Tree:
    table = _core.code_table(len(y), columns, 1)
    labels = np.asarray(y, dtype=np.uint16)
    return _core.grow_tree(table, labels, weights, n_classes, options(n_classes, **chosen))


def assert_same_tree(a: _core.Tree, b: _core.Tree, rtol: float = 0.0) -> None:
    for name in ("feature", "threshold", "label", "parent", "children", "branch_of_value"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    for name in ("weight", "counts"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=rtol, atol=rtol, err_msg=name)


def side_counts(x: Any, y: Any, w: Any, cut: float, n_classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    left = np.bincount(y[x <= cut], w[x <= cut], minlength=n_classes)
    return left, np.bincount(y[x > cut], w[x > cut], minlength=n_classes)


@st.composite
def one_column(draw: st.DrawFn) -> tuple[Any, ...]:
    """Few or many rows and values: the column is sorted at the node, counted, or kept sorted."""
    n_rows, n_values = draw(st.sampled_from([(12, 6), (60, 10), (150, 120)]))
    n_classes = draw(st.integers(2, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = random.integers(0, n_values, n_rows).astype(float)
    y = (x * random.random() + random.integers(0, n_classes, n_rows)).astype(np.int64) % n_classes
    weights = draw(st.sampled_from([None, random.integers(0, 4, n_rows) / 2.0, random.random(n_rows)]))
    return x, y, weights, n_classes


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=one_column(), min_leaf=st.sampled_from([0.5, 1.0, 3.0]))
def test_a_split_equals_brute_force_over_all_cuts(criterion: str, data: tuple[Any, ...], min_leaf: float) -> None:
    x, y, weights, n_classes = data
    chosen = {"criterion": getattr(_core.Criterion, criterion), "ratio": False, "penalty": False, "c45_cuts": False}
    tree = grow([x], y, weights, n_classes, {**chosen, "min_leaf": min_leaf, "max_depth": 1})
    w = np.ones(len(x)) if weights is None else weights
    sides = [side_counts(x, y, w, cut, n_classes) for cut in np.unique(x[w > 0])[:-1]]
    gains = [gain(criterion, *s) for s in sides if min(s[0].sum(), s[1].sum()) >= min_leaf - 1e-9]
    if np.max(np.bincount(y, w, minlength=n_classes)) >= w.sum() - 1e-9 or w.sum() < 2 * min_leaf:
        gains = []
    if tree.n_nodes == 1:
        assert max(gains, default=0.0) <= 1e-6
    else:
        ours = gain(criterion, *side_counts(x, y, w, tree.threshold[0], n_classes))
        assert ours == pytest.approx(max(gains), abs=1e-8)


@dataclass
class Mixed:
    """Numeric and nominal columns, with or without missing values, and the options of a tree."""

    columns: list[Any]
    y: NDArray[np.int64]
    n_classes: int
    chosen: dict[str, Any]

    def grow(self, weights: Any = None, **more: Any) -> _core.Tree:
        return grow(self.columns, self.y, weights, self.n_classes, {**self.chosen, **more})

    def repeated(self, times: NDArray[np.int64]) -> Mixed:
        columns = [(c[0].repeat(times), c[1]) if isinstance(c, tuple) else c.repeat(times) for c in self.columns]
        return Mixed(columns, self.y.repeat(times), self.n_classes, self.chosen)

    def predict(self, tree: _core.Tree) -> NDArray[np.float64]:
        bare = [c[0] if isinstance(c, tuple) else c for c in self.columns]
        weight, counts = np.asarray(tree.weight), np.asarray(tree.counts).reshape(tree.n_nodes, -1)
        shares = counts / np.where(weight > 0, weight, 1)[:, None]
        out = np.empty((len(self.y), shares.shape[1]))
        _core.predict_tree(tree, len(self.y), bare, [shares], [out], 1)
        return out


@st.composite
def mixed(draw: st.DrawFn, missing: bool = True) -> Mixed:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_classes = draw(st.sampled_from([15, 80, 300])), draw(st.integers(2, 3))
    few, many = random.integers(0, 9, n_rows).astype(float), random.integers(0, 250, n_rows).astype(float)
    nominal = random.integers(0, 5, n_rows).astype(np.int32)
    y = ((few > 4).astype(int) + (nominal % 2) * (many > 100) + (random.random(n_rows) < 0.2)) % n_classes
    if missing and draw(st.booleans()):
        for column, missing_value in ((few, np.nan), (many, np.nan), (nominal, -1)):
            column[random.random(n_rows) < 0.1] = missing_value
    chosen = {
        "criterion": getattr(_core.Criterion, draw(st.sampled_from(CRITERIA))),
        "nominal_splits": getattr(_core.NominalSplits, draw(st.sampled_from(["multiway", "subset", "binary"]))),
        "dialect": getattr(_core.Dialect, draw(st.sampled_from(["c45", "j48"]))),
        "ratio": draw(st.booleans()),
        "penalty": draw(st.booleans()),
        "c45_cuts": draw(st.booleans()),
        "midpoint": draw(st.booleans()),
        "min_leaf": draw(st.sampled_from([1.0, 2.0, 4.0])),
    }
    return Mixed([few, (nominal, 5), many], y.astype(np.int64), n_classes, chosen)


@given(mixed(missing=False), st.integers(0, 2**32))
def test_whole_weights_equal_repeated_rows_exactly(problem: Mixed, seed: int) -> None:
    times = np.random.default_rng(seed).integers(0, 4, len(problem.y))
    assert_same_tree(problem.grow(times.astype(float)), problem.repeated(times).grow())


@given(mixed(), st.integers(0, 2**32))
def test_whole_weights_equal_repeated_rows_with_missing_values(problem: Mixed, seed: int) -> None:
    times = np.random.default_rng(seed).integers(0, 4, len(problem.y))
    assert_same_tree(problem.grow(times.astype(float)), problem.repeated(times).grow(), rtol=1e-9)


@given(mixed(missing=False))
def test_weights_of_one_change_nothing(problem: Mixed) -> None:
    assert_same_tree(problem.grow(np.ones(len(problem.y))), problem.grow())


@given(mixed(missing=False))
def test_the_code_for_missing_values_agrees_where_there_are_none(problem: Mixed) -> None:
    empty = np.full(len(problem.y), np.nan)  # never tested, but now any row may be split among branches
    with_empty = Mixed([*problem.columns, empty], problem.y, problem.n_classes, problem.chosen)
    assert_same_tree(with_empty.grow(), problem.grow())


@given(mixed(missing=False))
def test_a_row_of_missing_values_and_weight_zero_changes_nothing(problem: Mixed) -> None:
    few, (nominal, n_values), many = problem.columns
    columns = [np.append(few, np.nan), (np.append(nominal, np.int32(-1)), n_values), np.append(many, np.nan)]
    weights = np.append(np.ones(len(problem.y)), 0.0)  # every column has a missing value, no row of weight has one
    with_missing = Mixed(columns, np.append(problem.y, 0), problem.n_classes, problem.chosen)
    assert_same_tree(with_missing.grow(weights), problem.grow())


@given(mixed(), st.integers(0, 2**32))
def test_a_monotone_transform_does_not_change_the_predictions_of_training_rows(problem: Mixed, seed: int) -> None:
    random = np.random.default_rng(seed)
    before = problem.predict(problem.grow())
    for j in (0, 2):
        distinct, ranks = np.unique(problem.columns[j], return_inverse=True)
        steps = np.cumsum(2e-5 + random.exponential(10 ** random.uniform(-4, 4), len(distinct)))
        problem.columns[j] = np.where(np.isnan(problem.columns[j]), np.nan, steps[ranks] - random.normal() * 50)
    np.testing.assert_array_equal(problem.predict(problem.grow()), before)


@given(mixed())
def test_random_ties_are_the_same_for_the_same_seed(problem: Mixed) -> None:
    first, second = (problem.grow(random_ties=True, seed=7) for _ in range(2))
    assert_same_tree(first, second)


def test_a_table_from_a_frame_grows_as_its_columns_do() -> None:
    x, y = np.arange(6.0), np.array([0, 0, 1, 1, 0, 0])
    table = CodedTable.from_frame(x[:, None])
    tree = _core.grow_tree(table.core, y.astype(np.uint16), None, 2, options(2, min_leaf=1.0))
    assert_same_tree(tree, grow([x], y, None, 2, {"min_leaf": 1.0}))
