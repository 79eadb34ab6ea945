"""Rows coded part by part equal those coded in memory, and nothing is left in the scratch folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from calibrant.data._bins.bins import bins_of
from calibrant.data._bins.find_bins import find_bins
from calibrant.data._bins.write_codes import CodedPart, CodesFolder, write_codes
from calibrant.data._sources.open_source import open_source
from calibrant.data._validation.estimator_rows import read_training_rows
from calibrant.exceptions import DataError


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("CALIBRANT_SCRATCH", str(folder))
    return folder


def make_frame(n: int = 3000) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    town = rng.choice(["Bern", "Rome", None], n)
    town[-1] = "Zug"  # a category and a class of the last part only
    ill = np.append(rng.choice(["no", "yes"], n - 1), "maybe")
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 9, n), "town": town, "ill": ill})
    return frame.assign(w=rng.integers(0, 3, n) / 2, house=rng.integers(5, 90, n))


def test_written_codes_are_those_of_the_table_in_memory(tmp_path: Path) -> None:
    frame = make_frame()
    frame.to_parquet(tmp_path / "rows.parquet", index=False)
    known = read_training_rows(frame[["a", "b", "town"]], frame["ill"], frame["w"], groups=frame["house"])
    bins = bins_of(known.columns, known.weights, 100)
    source = open_source(tmp_path / "rows.parquet", target="ill", sample_weight="w", groups="house", batch_size=321)
    with CodesFolder() as folder:
        rows = write_codes(source, find_bins(source, 100), folder, n_jobs=2)
        assert rows.table.core.byte_matrix is not None
        np.testing.assert_array_equal(rows.table.core.byte_matrix, bins.code(known.columns))
        np.testing.assert_array_equal(rows.labels.codes, known.labels.codes)
        assert rows.labels.classes.tolist() == ["maybe", "no", "yes"]
        np.testing.assert_array_equal(np.asarray(rows.weights), known.weights)
        np.testing.assert_array_equal(np.asarray(rows.groups), known.groups)
        assert rows.n_groups == len(np.unique(np.asarray(known.groups)))
        groups = source.survey().groups
        parts = [CodedPart.of(part, rows.bins, rows.labels.classes, groups, weighted=True) for part in source]
        np.testing.assert_array_equal(np.concatenate([part.matrix for part in parts]), rows.table.core.byte_matrix)
        np.testing.assert_array_equal(np.concatenate([part.labels for part in parts]), rows.labels.codes)
        assert [part.first_row for part in parts] == source.first_rows


def test_the_folder_is_removed_at_the_end_and_after_an_error(scratch: Path) -> None:
    with CodesFolder() as folder:
        folder.array("a", (5,), np.float64)[:] = 1.0
        assert len(list(scratch.iterdir())) == 1
    assert not list(scratch.iterdir())
    with pytest.raises(ZeroDivisionError), CodesFolder():
        _ = 1 / 0
    assert not list(scratch.iterdir())
    CodesFolder().array("a", (5,), np.uint8)  # forgotten
    assert not list(scratch.iterdir())


def test_too_little_space_is_told_with_the_size_before_the_work(monkeypatch: pytest.MonkeyPatch, scratch: Path) -> None:
    source = open_source(make_frame(), target="ill")
    bins = find_bins(source)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 0, 2000))  # type: ignore[attr-defined]
    with (
        pytest.raises(DataError, match=r"codes of 3,000 rows take .* and .* free.*CALIBRANT_SCRATCH"),
        CodesFolder() as folder,
    ):
        write_codes(source, bins, folder)
    assert not list(scratch.iterdir())


def test_a_scratch_folder_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALIBRANT_SCRATCH", "/nowhere/at/all")
    with pytest.raises(DataError, match=r"no scratch folder can be made in /nowhere/at/all"):
        CodesFolder()


def test_more_than_255_categories_are_an_error_that_names_the_column() -> None:
    frame = pd.DataFrame({"town": [f"t{i}" for i in range(300)], "y": np.arange(300) % 2})
    source = open_source(frame, target="y", batch_size=100)
    with pytest.raises(DataError, match=r"'town' has 300 categories.*[Gg]roup"), CodesFolder() as folder:
        write_codes(source, find_bins(source), folder)


def test_without_a_target_there_is_nothing_to_learn() -> None:
    source = open_source(make_frame()[["a"]], target=None)
    with pytest.raises(DataError, match="target"), CodesFolder() as folder:
        write_codes(source, find_bins(source), folder)
