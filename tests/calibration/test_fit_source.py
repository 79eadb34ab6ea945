"""Calibrators fitted to sources: the fit to the same rows in memory, for any partition."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest
from scipy.special import expit, softmax

from calibrant.calibration import (
    BBQ,
    Auto,
    Beta,
    Binning,
    Calibrator,
    Chain,
    Dirichlet,
    Isotonic,
    MatrixScaling,
    Pairwise,
    Platt,
    PriorShift,
    QuadraticLogit,
    Spline,
    Temperature,
    VectorScaling,
    VennAbers,
)
from calibrant.exceptions import DataError, DataTypeError, ParameterError, SchemaError

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")

OF_TWO_CLASSES = [
    Platt(),
    Platt(on="score"),
    Beta(),
    Beta(form="ab"),
    QuadraticLogit(),
    Temperature(),
    VectorScaling(),
    MatrixScaling(),
    Dirichlet(),
    Isotonic(),
    Binning("cv"),
    VennAbers(),
    BBQ(),
    Spline(),
    Auto(),
    Chain(Platt(), Isotonic()),
    PriorShift(),
]
OF_THREE_CLASSES = [Platt(), Temperature(), MatrixScaling(), Isotonic(), Pairwise()]


def two_classes(n_rows: int, seed: int = 0, *, margins: bool = False) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    log_odds = 2.0 * random.normal(size=n_rows)
    y = np.where(random.random(n_rows) < expit(0.7 * log_odds + 0.2), "yes", "no")
    weight = random.integers(1, 4, n_rows) * 0.37
    return pd.DataFrame({"score": log_odds if margins else expit(log_odds), "y": y, "w": weight})


def three_classes(n_rows: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    log_odds = 1.5 * random.normal(size=(n_rows, 3))
    true = softmax(0.7 * log_odds + [0.2, 0.0, -0.3], axis=1)
    y = np.array(["a", "b", "c"])[(random.random((n_rows, 1)) > true.cumsum(axis=1)).sum(axis=1).clip(0, 2)]
    table = pd.DataFrame(softmax(log_odds, axis=1), columns=["c", "a", "b"])[["c", "a", "b"]]
    return table.assign(y=y, w=random.random(n_rows) + 0.1)


def in_parts(frame: pd.DataFrame, cuts: Sequence[int]) -> Any:
    """Return a dataset in memory whose parts end at these rows."""
    ends = [0, *sorted(cuts), len(frame)]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parts = [table.slice(a, b - a) for a, b in itertools.pairwise(ends)]
    return dataset.dataset([dataset.dataset(part) for part in parts])


@pytest.mark.parametrize("cuts", [[], [1, 1, 700, 2900]])
@pytest.mark.parametrize("calibrator", OF_TWO_CLASSES, ids=repr)
def test_a_source_of_two_classes_is_fitted_as_in_memory(calibrator: Calibrator, cuts: list[int]) -> None:
    frame = two_classes(3000, margins=len(cuts) > 0)
    streamed = calibrator.fit(in_parts(frame, cuts), "y", sample_weight="w", columns="score").to_dict()
    assert streamed == calibrator.fit(frame["score"].to_numpy(), frame["y"], frame["w"]).to_dict()


@pytest.mark.parametrize("calibrator", OF_THREE_CLASSES, ids=repr)
def test_columns_of_three_classes_are_matched_by_name(calibrator: Calibrator) -> None:
    frame = three_classes(1000)
    streamed = calibrator.fit(in_parts(frame, [77]), "y", sample_weight="w", columns=["c", "a", "b"]).to_dict()
    assert streamed == calibrator.fit(frame[["a", "b", "c"]], frame["y"], frame["w"]).to_dict()


def test_groups_and_probability_weights_are_those_in_memory() -> None:
    frame = two_classes(900).assign(patient=np.arange(900) // 3)
    options = {"groups": frame["patient"], "weight_kind": "probability"}
    in_memory = Binning("cv").fit(frame["score"].to_numpy(), frame["y"], frame["w"], **options).to_dict()
    options["groups"] = "patient"
    assert Binning("cv").fit(in_parts(frame, [400]), "y", "w", columns="score", **options).to_dict() == in_memory


def test_rows_that_do_not_fit_memory_are_refused_with_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant._memory._ALWAYS_ALLOWED", 1000)
    monkeypatch.setattr("calibrant._memory.machine_memory", lambda: 10_000)
    with pytest.raises(DataError, match=r"has 300 rows, which are read into 40 bytes each: 1\.2e-05 GB, but 5e-06 GB"):
        Platt().fit(in_parts(two_classes(300), []), "y", "w", columns="score")


def test_files_folders_and_lazy_frames_are_sources(tmp_path: Path) -> None:
    frame = two_classes(400)
    (tmp_path / "parts").mkdir()
    frame[:150].to_parquet(tmp_path / "parts" / "a.parquet")
    frame[150:].to_parquet(tmp_path / "parts" / "b.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    expected = Platt().fit(in_parts(frame, []), "y", sample_weight="w").to_dict()
    for source in (tmp_path / "parts", tmp_path / "rows.csv", polars.LazyFrame(frame)):
        assert Platt().fit(source, "y", sample_weight="w").to_dict() == expected


def test_rows_of_weight_0_do_not_count() -> None:
    frame = two_classes(300)
    more = pd.concat([frame, frame.assign(w=0.0, y="maybe")])
    assert Beta().fit(in_parts(more, [10]), "y", "w").to_dict() == Beta().fit(in_parts(frame, []), "y", "w").to_dict()


def test_two_columns_are_one_score_as_in_memory() -> None:
    frame = two_classes(500).assign(no=lambda table: 1.0 - table["score"]).rename(columns={"score": "yes"})
    streamed = Platt().fit(in_parts(frame, [3]), "y", columns=["yes", "no"])
    in_memory = Platt().fit(frame[["no", "yes"]], frame["y"])
    assert streamed.slope_ == pytest.approx(in_memory.slope_, abs=1e-9)
    assert streamed.classes_.tolist() == ["no", "yes"]
    assert streamed.n_columns_ == 2


def test_folds_of_a_source_are_refused() -> None:
    with pytest.raises(ParameterError, match="folds"):
        VennAbers().fit(in_parts(two_classes(50), []), "y", folds="w")


def test_wrong_input_is_named() -> None:
    frame = two_classes(50)
    with pytest.raises(DataTypeError, match="y must be the name of a column"):
        Platt().fit(in_parts(frame, []), frame["y"])
    with pytest.raises(SchemaError, match="no column 'scor'"):
        Platt().fit(in_parts(frame, []), "y", columns="scor")
    with pytest.raises(DataError, match="NaN"):
        Platt().fit(in_parts(frame.assign(score=np.nan), []), "y", columns="score")
    with pytest.raises(DataError, match="one class only"):
        Platt().fit(in_parts(frame.assign(y="no"), []), "y", columns="score")


def test_columns_of_a_dask_array_are_numbers() -> None:
    array = pytest.importorskip("dask.array")
    frame = two_classes(300)
    is_yes = (frame["y"] == "yes").to_numpy(dtype=float)
    rows = array.from_array(np.column_stack([frame["score"], is_yes]), chunks=(100, 2))
    assert Platt().fit(rows, 1, columns=0).slope_ == pytest.approx(Platt().fit(frame["score"], is_yes).slope_)
