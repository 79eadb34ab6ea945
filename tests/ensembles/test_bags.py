"""Bags that follow from the seed, the tree and the number of a row, so that no matrix of them is stored."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import stats

import calibrant
from calibrant.ensembles import BaggedTreesClassifier, LazyOptionTreesClassifier
from calibrant.ensembles._bagging.bags import ForestBags

SEED = np.random.SeedSequence(8)
LABELS = np.random.default_rng(0).integers(0, 3, 30_000).astype(np.uint16)
KINDS = ("uniform", "by_class", "subsample", None)


def part_of(kind, rows):
    labels = LABELS if kind == "by_class" else np.zeros_like(LABELS)
    n_units, first_units = np.bincount(labels), np.bincount(labels[: rows.start], minlength=labels.max() + 1)
    return ForestBags(kind, LABELS[rows], SEED, None, 0.4, tuple(n_units.tolist()), tuple(first_units.tolist()))


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_the_rows_are_drawn_alone_as_in_the_whole(kind):
    whole = ForestBags(kind, LABELS, SEED, max_samples=0.4).count(5)
    parts = [slice(0, 1), slice(1, 4_999), slice(4_999, 20_000), slice(20_000, 20_000), slice(20_000, 30_000)]
    drawn = [part_of(kind, rows).count(5) for rows in parts]
    np.testing.assert_array_equal(np.concatenate(drawn), whole)


@pytest.mark.parametrize("kind", ["uniform", "by_class"])
def test_counts_have_the_distribution_of_draws_with_replacement(kind):
    bags = ForestBags(kind, LABELS, SEED)
    for label in range(3) if kind == "by_class" else [None]:
        rows = slice(None) if label is None else label == LABELS
        counts = np.concatenate([bags.count(tree)[rows] for tree in range(10)])
        n = len(counts) // 10
        assert counts.sum() == 10 * n
        expected = 10 * n * np.append(stats.binom.pmf(np.arange(6), n, 1 / n), stats.binom.sf(5, n, 1 / n))
        assert stats.chisquare(np.bincount(np.minimum(counts, 6), minlength=7), expected).pvalue > 1e-4


def test_a_subsample_of_few_rows_is_each_set_of_rows_equally_often():
    bags = ForestBags("subsample", LABELS[:6], SEED, max_samples=0.5)
    found = np.unique([bags.count(tree) @ (1 << np.arange(6)) for tree in range(6_000)], return_counts=True)[1]
    assert len(found) == 20  # 6 over 3
    assert stats.chisquare(found).pvalue > 1e-4


def test_a_fit_stores_no_table_of_trees_and_rows():
    X = np.arange(20_000.0)[:, np.newaxis]
    tracemalloc.start()
    model = BaggedTreesClassifier(n_trees=400, max_depth=1, random_state=0, n_jobs=1).fit(X, X[:, 0] > 9_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400 * 20_000  # bytes: the counts would take twice as many
    assert len(pickle.dumps(model)) < 400 * 20_000
    assert model.in_bag_.sum(axis=1).tolist() == [20_000] * 400


@pytest.mark.parametrize("groups", [None, np.arange(300) // 3])
@pytest.mark.parametrize("bootstrap", ["uniform", "by_class", "subsample", None])
def test_bags_are_the_same_after_saving(bootstrap, groups, tmp_path):
    X = np.random.default_rng(1).normal(size=(300, 3))
    model = BaggedTreesClassifier(n_trees=7, bootstrap=bootstrap, random_state=0).fit(X, X[:, 0] > 0.5, groups=groups)
    calibrant.save(model, tmp_path / "model", training_rows=True)
    for other in (calibrant.load_model(tmp_path / "model"), pickle.loads(pickle.dumps(model))):  # noqa: S301
        np.testing.assert_array_equal(other.in_bag_, model.in_bag_)


def test_lazy_trees_have_the_bags_of_a_forest_of_the_same_seed():
    X = np.random.default_rng(1).normal(size=(300, 3))
    models = [
        cls(n_trees=4, random_state=3, bootstrap="uniform")
        for cls in (LazyOptionTreesClassifier, BaggedTreesClassifier)
    ]
    lazy, forest = (model.fit(X, X[:, 0] > 0.5) for model in models)
    np.testing.assert_array_equal(lazy.in_bag_, forest.in_bag_)
