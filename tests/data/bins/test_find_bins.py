"""Bins of a source equal those of the table in memory to the bit, whatever its partitions, weights and values."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.data._bins import find_bins as find_bins_module
from calibrant.data._bins.bins import Bins, bins_of
from calibrant.data._bins.find_bins import find_bins, key_edges
from calibrant.data._sources.open_source import open_source
from calibrant.data._sources.source import LocalSource
from calibrant.data._sources.source_part import choose_roles
from calibrant.data._sources.table_readers import SourceReader
from calibrant.data._validation.estimator_rows import read_training_rows

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308]


class Partitions(SourceReader):
    """A frame cut at given rows, parts possibly empty."""

    name = "the partitions"

    def __init__(self, frame: pd.DataFrame, cuts: list[int]) -> None:
        self.columns, self._frame = list(frame), frame
        self._cuts = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]

    def tables(self, roles: Any) -> Any:
        for number, (begin, end) in enumerate(zip(self._cuts, self._cuts[1:], strict=False)):
            yield f"part {number}", self._frame.iloc[begin:end][roles.columns]


def in_memory(frame: pd.DataFrame, weight: str | None, max_bins: int) -> Bins:
    X = frame.drop(columns=[name for name in ("y", weight) if name is not None])
    rows = read_training_rows(X, frame["y"], None if weight is None else frame[weight])
    return bins_of(rows.columns, rows.weights, max_bins)


def assert_same(one: Bins, other: Bins) -> None:
    assert one.schema == other.schema
    for mine, theirs in zip([*one.highs, *one.lows], [*other.highs, *other.lows], strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            np.testing.assert_array_equal(mine.view(np.int64), theirs.view(np.int64))


def check(frame: pd.DataFrame, cuts: list[int], max_bins: int, weight: str | None = None) -> None:
    reader = Partitions(frame, cuts)
    source = LocalSource(reader, choose_roles(reader.columns, target="y", sample_weight=weight))
    assert_same(find_bins(source, max_bins), in_memory(frame, weight, max_bins))


def gather_at_most(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Collect the values of so few rows of a column at once."""
    monkeypatch.setattr(find_bins_module, "_GATHERED_BYTES", 0)
    monkeypatch.setattr(find_bins_module, "_LEAST_GATHERED", n_rows)


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few rows take the passes that otherwise millions take."""
    monkeypatch.setattr(find_bins_module, "_LEAST_CELLS", 3)
    monkeypatch.setattr(find_bins_module, "_MOST_CELLS", 5)
    gather_at_most(4, monkeypatch)
    monkeypatch.setattr(find_bins_module, "_MOST_PIECES", 2)
    monkeypatch.setattr(find_bins_module, "_N_CELLS", 40)


@settings(max_examples=min(40, 2 * settings.default.max_examples))
@given(data=st.data(), n=st.integers(1, 80), max_bins=st.integers(2, 12))
def test_bins_of_partitions_are_those_of_the_whole(data: st.DataObject, n: int, max_bins: int) -> None:
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    special = data.draw(st.lists(st.sampled_from(SPECIAL) | st.floats(), min_size=n, max_size=n))
    frame = pd.DataFrame(
        {
            "special": special,
            "normal": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32),
            "ties": rng.integers(0, 15, n),
            "large": rng.integers(-(2**60), 2**60, n),
            "flag": rng.random(n) < 0.5,
            "when": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), unit="s"),
            "void": np.nan,
            "town": rng.choice(["Bern", "Rome", "Oslo"], n),
            "y": rng.integers(0, 2, n),
        }
    )
    kept = data.draw(st.lists(st.sampled_from(list(frame)[:-1]), min_size=1, max_size=3, unique=True))
    frame = frame[[*kept, "y"]]
    kind = data.draw(st.sampled_from(["none", "ones", "whole", "fractions", "tiny"]))
    weights = {"ones": np.ones(n), "whole": rng.integers(0, 5, n), "fractions": rng.random(n)}
    weights["tiny"] = np.where(rng.random(n) < 0.5, 1e-30, 1.0)
    if kind != "none":
        frame = frame.assign(w=np.append(1.0, weights[kind][1:]))
    cuts = data.draw(st.lists(st.integers(0, n), max_size=6))
    with pytest.MonkeyPatch.context() as monkeypatch:
        if data.draw(st.booleans()):
            small(monkeypatch)
        check(frame, cuts, max_bins, None if kind == "none" else "w")


@pytest.mark.parametrize("heavy", [-np.inf, np.inf, 0.0, 7.5])
def test_a_value_of_most_rows_needs_no_endless_passes(heavy: float, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    rng = np.random.default_rng(2)
    values = np.where(rng.random(3000) < 0.9, heavy, rng.normal(size=3000))
    check(pd.DataFrame({"a": values, "y": 0}), [500, 1000], 20)


def test_a_sample_that_misses_most_values_only_takes_more_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sampled row is 0, so that all other values are found by dividing the floats evenly."""
    gather_at_most(50, monkeypatch)
    values = np.exp(np.random.default_rng(4).normal(size=2**13) * 20)
    values[:: 2**2] = 0.0
    check(pd.DataFrame({"a": values, "y": 0}), [], 255)


def test_many_rows_are_counted_from_a_sample() -> None:
    rng = np.random.default_rng(5)
    n = 60_000
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 5000, n), "c": np.sort(rng.random(n))})
    frame["y"], frame["w"] = rng.integers(0, 2, n), rng.random(n)
    check(frame, [100, 7000, 50_000], 255)
    check(frame, list(range(0, n, 3000)), 255, "w")
    assert_same(find_bins(open_source(frame, target="y", batch_size=999)), find_bins(open_source(frame, target="y")))


@pytest.mark.parametrize("weight", [pytest.param(None, marks=pytest.mark.long), "w"])
def test_finding_bins_takes_at_most_two_megabytes_a_column(weight: str | None) -> None:
    rng, n, n_columns = np.random.default_rng(6), 300_000, 10
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n) for j in range(n_columns)}).assign(y=0)
    if weight is not None:
        frame[weight] = rng.random(n)
    tracemalloc.start()
    try:
        find_bins(open_source(frame, target="y", sample_weight=weight, batch_size=5000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_columns * 2**21


def test_edges_divide_the_floats_between_two_evenly_and_end_at_single_values() -> None:
    edges = key_edges(-np.inf, np.inf, 64)
    assert len(edges) <= 66
    assert (np.diff(edges) > 0).all()
    assert edges[-1] == np.inf
    assert key_edges(1.0, 1.0 + 2**-51, 8).tolist() == [1.0 + 2**-52, 1.0 + 2**-51]
