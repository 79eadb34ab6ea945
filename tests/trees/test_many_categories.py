"""Columns of many categories, which binary tests split off one by one: the trees of another way of growing."""

import numpy as np
import pandas as pd
import pytest

from calibrant.trees import ProbabilityTreeClassifier


def wide_table(random: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """A large column, one that mostly has one value, and one of two values, all with values missing."""
    n = 4000
    codes = np.column_stack([random.integers(0, 500, n), random.zipf(1.5, n).clip(0, 400), random.integers(0, 2, n)])
    log_odds = random.normal(size=(3, 500))[np.arange(3), codes].sum(axis=1)
    codes[random.random(codes.shape) < 0.05] = -1
    names = [f"v{code}" for code in range(500)]
    X = pd.DataFrame({name: pd.Categorical.from_codes(each, names) for name, each in zip("abc", codes.T, strict=True)})
    return X, np.digitize(log_odds + random.logistic(size=n), [-1.0, 2.0])


@pytest.mark.parametrize("missing", ["learned", "fractional"])
@pytest.mark.parametrize("criterion", ["entropy", "gain_ratio", "gini", "twoing"])
def test_a_table_of_categories_has_the_tree_that_it_has_beside_a_constant_number(criterion: str, missing: str) -> None:
    """Rows are moved value by value where all columns are nominal, and partitioned in order elsewhere."""
    random = np.random.default_rng()
    X, y = wide_table(random)
    X = X if missing == "learned" else X.fillna("v0")
    weights = random.integers(0, 4, len(y))
    model = ProbabilityTreeClassifier(criterion=criterion, missing=missing, nominal_splits="binary")
    alone = model.fit(X, y, weights).tree_
    beside = model.fit(X.assign(constant=0.0), y, weights).tree_
    for name in ("parent", "feature", "children", "counts", "weight", "missing_branch"):
        np.testing.assert_array_equal(getattr(alone, name), getattr(beside, name))
    for node in np.flatnonzero(~alone.is_leaf):
        np.testing.assert_array_equal(alone.branches_of(node), beside.branches_of(node))


def test_a_tree_that_splits_off_every_category_takes_memory_for_each_once() -> None:
    """Of 2,000 categories, of which a few hundred are split off."""
    random = np.random.default_rng()
    codes = random.integers(0, 2000, 12_000)
    y = random.random(12_000) < 1 / (1 + np.exp(-2 * random.normal(size=2000)[codes]))
    X = pd.DataFrame({"code": pd.Categorical.from_codes(codes, [f"v{code}" for code in range(2000)])})
    tree = ProbabilityTreeClassifier(nominal_splits="binary", criterion="entropy", prune=None).fit(X, y).tree_
    assert tree.n_leaves > 100
    assert len(tree.branch_of_value) < 4000
