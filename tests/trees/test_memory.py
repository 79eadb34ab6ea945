"""Very many classes or rows: an error with numbers, not the end of the process."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from calibrant import _memory
from calibrant._memory import SizedCache, check_output_memory, machine_memory
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import DataError
from calibrant.trees import ProbabilityTreeClassifier

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.random((4_000, 2)), RANDOM.integers(0, 1_000, 4_000)


@pytest.fixture
def little_memory(monkeypatch):
    """Leaves four megabytes for counts: 500 nodes of 1,000 classes."""
    monkeypatch.setattr(_memory, "machine_memory", lambda: 20_000_000)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("prune", [None, "pessimistic"])
def test_counts_that_take_too_much_memory_are_rejected_with_numbers(n_jobs, prune):
    with pytest.raises(DataError, match=r"y has \d+ classes, and the class counts of all nodes take more than the \d"):
        ProbabilityTreeClassifier(n_jobs=n_jobs, prune=prune).fit(X, Y)


@pytest.mark.usefixtures("little_memory")
def test_a_smaller_tree_fits():
    assert ProbabilityTreeClassifier(max_depth=6).fit(X, Y).n_nodes_ > 60


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("prune", [None, "pessimistic"])
def test_the_trees_of_a_forest_share_the_memory(prune):
    assert len(BaggedTreesClassifier(n_trees=3, max_depth=5, prune=prune).fit(X, Y).trees_) == 3
    with pytest.raises(DataError, match="for smaller trees, or grow fewer of them"):
        BaggedTreesClassifier(n_trees=100, max_depth=5, prune=prune).fit(X, Y)


@pytest.mark.usefixtures("little_memory")
def test_a_column_of_many_values_is_not_counted_with_many_classes():
    frame = pd.DataFrame({"id": [f"c{i}" for i in range(2_000)] * 2})
    words = r"column 'id' has 2,000 values and y \d+ classes; their class counts take 0\.01\d+ GB, but \d"
    with pytest.raises(DataError, match=words):
        ProbabilityTreeClassifier().fit(frame, Y)
    assert ProbabilityTreeClassifier().fit(frame, Y % 2).n_leaves_ == 2_000


def test_probabilities_that_take_half_of_the_memory_are_rejected():
    n_rows = machine_memory() // 16 // 60_000 + 1
    check_output_memory(n_rows - 1, 60_000)
    with pytest.raises(
        DataError, match=r"the probabilities of 60,000 classes for all of them take .* GB, but .* are available"
    ):
        check_output_memory(n_rows, 60_000)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
def test_too_many_rows_to_predict_are_rejected_before_anything_is_copied(method):
    model = ProbabilityTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(DataError, match="X has 2,147,483,648 rows; at most 2,147,483,647"):
        getattr(model, method)(np.broadcast_to(1.0, (2**31, 1)))


def test_the_cache_of_grown_trees_is_bounded_by_number_and_by_bytes():
    cache = SizedCache(max_bytes=100, max_values=3)
    for key in "abcd":
        cache.keep(key, SimpleNamespace(n_bytes=10))
    assert [key for key in "abcd" if cache.get(key)] == ["b", "c", "d"]
    cache.get("b")
    cache.keep("e", SimpleNamespace(n_bytes=85))
    assert [key for key in "abcde" if cache.get(key)] == ["b", "e"]
    cache.keep("f", SimpleNamespace(n_bytes=101))
    assert not any(cache.get(key) for key in "abcdef")
