"""Partitions on their workers: codes, classes and weights of their rows are those of the rows in memory, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.dask.tables import table

from calibrant.data._internal import open_source, read_training_rows
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._sources.cluster_rows import ClusterRows

dd = pytest.importorskip("dask.dataframe")


@pytest.mark.parametrize("class_weight", [None, "balanced", {"yes": 2.5}], ids=str)
@pytest.mark.parametrize("weights", [False, True], ids=["ones", "weights"])
def test_numbered_partitions_are_the_training_rows(client: Any, class_weight: Any, weights: bool) -> None:
    rows = table(weights=weights)
    sample_weight = rows["w"] if weights else None
    read = read_training_rows(rows.drop(columns=["ill", "w"], errors="ignore"), rows["ill"], sample_weight)
    expected = TrainingSet.of(read, class_weight=class_weight, max_bins=255)
    lazy = dd.from_pandas(rows, npartitions=4, sort=False)
    with open_source(lazy, target="ill", sample_weight="w" if weights else None, client=client) as source:
        futures, found = ClusterRows(source, 255).number(class_weight)
        parts = client.gather(futures)
    np.testing.assert_array_equal(np.concatenate([part.labels for part in parts]), expected.labels)
    np.testing.assert_array_equal(np.concatenate([part.matrix for part in parts]), expected.table.core.byte_matrix)
    if expected.weights is None:
        assert parts[0].weights is None
    else:
        np.testing.assert_array_equal(np.concatenate([part.weights for part in parts]), expected.weights)
    np.testing.assert_array_equal(found.class_weights, expected.class_weights)
    np.testing.assert_array_equal(found.order, expected.order)
