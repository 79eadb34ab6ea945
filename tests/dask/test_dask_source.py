"""Dask frames and arrays as sources: passes on the workers equal those in this process, for any partitioning."""

from __future__ import annotations

import os
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest

from calibrant.data._sources.open_source import is_source, open_source
from calibrant.data._sources.source_part import SourcePart
from calibrant.exceptions import SchemaError

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")


def frame(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    towns = np.array(["Bonn", "Oslo", "Rome"])[rng.integers(3, size=n_rows)]
    ill = np.where(rng.random(n_rows) < 0.3, "yes", "no")
    return pd.DataFrame({"age": rng.normal(size=n_rows), "town": towns, "w": rng.integers(3, size=n_rows), "ill": ill})


def summary(part: SourcePart) -> tuple[int, int, list[Any], int]:
    return part.number, part.n_rows, part.X["age"].tolist(), os.getpid()


def joined(one: list[int], other: list[int]) -> list[int]:
    return one + other


def numbers(part: SourcePart) -> list[int]:
    return [part.number]


def with_an_empty_partition(rows: pd.DataFrame) -> Any:
    parts = [rows[:20], rows[:0], rows[20:23], rows[23:]]
    return dd.from_map(lambda i: parts[i], range(4), meta=rows[:0])


@pytest.mark.parametrize("n_partitions", [1, 3, 7])
def test_the_first_pass_does_not_depend_on_the_partitions(client: Any, n_partitions: int) -> None:
    rows = frame()
    lazy = dd.from_pandas(rows, npartitions=n_partitions, sort=False)
    roles: dict[str, Any] = {"target": "ill", "sample_weight": "w"}
    with open_source(lazy, **roles, client=client) as remote, open_source(rows, **roles) as local:
        assert remote.n_parts == n_partitions
        assert (remote.schema, remote.n_rows) == (local.schema, local.n_rows)
        assert remote.survey().labels == local.survey().labels


def test_passes_run_on_the_workers_in_the_order_of_partitions(client: Any) -> None:
    rows = frame()
    lazy = with_an_empty_partition(rows)
    assert is_source(lazy)
    with open_source(lazy, target="ill", client=client) as source:
        found = source.map(summary)
        assert [each[:2] for each in found] == [(0, 20), (1, 0), (2, 3), (3, 37)]
        assert [age for each in found for age in each[2]] == rows["age"].tolist()
        assert os.getpid() not in {each[3] for each in found}
        assert source.first_rows == [0, 20, 20, 23]
        assert source.reduce(numbers, merge=joined) == [0, 1, 2, 3]


def length(part: SourcePart, values: Any) -> tuple[int, int]:
    return part.n_rows, len(values)


def test_large_arguments_of_a_pass_do_not_travel_in_every_task(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compute, sent = client.compute, list[int]()
    values = np.zeros(1_000_000)

    def count(tasks: list[Any], **options: Any) -> Any:
        sent.extend(len(cloudpickle.dumps(task)) for task in tasks)
        return compute(tasks, **options)

    with open_source(with_an_empty_partition(frame()), target="ill", client=client) as source:
        monkeypatch.setattr(client, "compute", count)
        assert source.map(length, values) == [(20, len(values)), (0, len(values)), (3, len(values)), (37, len(values))]
    assert len(sent) == 4
    assert sum(sent) < values.nbytes


def test_without_a_client_this_process_reads_the_partitions() -> None:
    with open_source(with_an_empty_partition(frame()), target="ill") as source:
        assert {each[3] for each in source.map(summary)} == {os.getpid()}


def test_the_active_client_is_used(client: Any) -> None:
    with client.as_current(), open_source(dd.from_pandas(frame(), npartitions=2), target="ill") as source:
        assert os.getpid() not in {each[3] for each in source.map(summary)}


def test_an_array_of_unknown_lengths_and_several_blocks_of_columns(client: Any) -> None:
    X = np.random.default_rng(0).normal(size=(50, 4)).round(1)
    X[:, 3] = X[:, 0] > 0
    lazy = da.from_array(X, chunks=(20, 3))
    lazy = lazy[lazy[:, 1] > 0]  # as many rows as only a computation knows
    with open_source(lazy, target=3, client=client) as source:
        ages = np.concatenate(source.map(_first_column))
        assert ages.tolist() == X[X[:, 1] > 0, 0].tolist()
        assert source.n_rows == len(ages)
        assert not source.schema.named


def _first_column(part: SourcePart) -> Any:
    return part.X["0"].to_numpy()


@pytest.mark.parametrize("where", ["cluster", "here"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.rename(columns={"age": "years"}), "partition 1 of the Dask frame has the columns 'years'"),
        (lambda rows: rows.assign(age=rows["age"].astype(str)), "'age' of partition 1 .* the frame declares float64"),
    ],
)
def test_partitions_of_other_columns_or_dtypes_are_an_error(client: Any, where: str, change: Any, message: str) -> None:
    rows = frame()
    parts = [dask.delayed(rows[:30]), dask.delayed(change(rows[30:]))]
    lazy = dd.from_delayed(parts, meta=rows[:0], verify_meta=False)
    with (
        open_source(lazy, target="ill", client=client if where == "cluster" else None) as source,
        pytest.raises(SchemaError, match=message),
    ):
        source.survey()
