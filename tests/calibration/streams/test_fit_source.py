"""Calibrators fitted to sources: the same for any partition, and near the fit in memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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
from calibrant.calibration._streams import fit_source, passes
from calibrant.exceptions import DataError, DataTypeError, ParameterError, SchemaError

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")

BY_SUMS = [
    Platt(),
    Platt(on="score"),
    Beta(),
    Beta(form="am"),
    Beta(form="ab"),
    QuadraticLogit(),
    QuadraticLogit(penalty=0.0, monotone=False),
    Temperature(),
    VectorScaling(),
    MatrixScaling(),
    Dirichlet(),
]
BY_GRID = [Isotonic(), Isotonic(mode="step"), Binning(), Binning("cv"), VennAbers(), BBQ(), Spline(), Auto()]
ALL_CLASSES = [Platt(), Temperature(), VectorScaling(), MatrixScaling(), Dirichlet(), Isotonic(), VennAbers()]


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


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few cells and a small sample, so that small tables need what large ones do."""
    monkeypatch.setattr(passes, "MOST_CELLS", 500)
    monkeypatch.setattr(fit_source, "MOST_SAMPLED", 1500)


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("calibrator", [*BY_SUMS, *BY_GRID], ids=repr)
@pytest.mark.usefixtures("coarse")
def test_the_partition_of_a_source_changes_no_bit(calibrator: Calibrator, margins: bool) -> None:
    frame = two_classes(3000, margins=margins)
    at = frame["score"][:200]
    fits = [
        calibrator.fit(in_parts(frame, cuts), "y", sample_weight="w", columns="score").predict(at)
        for cuts in ([], [1, 1, 700, 2900], [1500])
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    np.testing.assert_array_equal(fits[0], fits[2])


@given(st.lists(st.integers(0, 3000), max_size=6))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("calibrator", [Beta(), MatrixScaling(), Isotonic()], ids=repr)
@pytest.mark.usefixtures("coarse")
def test_no_partition_of_three_classes_changes_a_bit(calibrator: Calibrator, cuts: list[int]) -> None:
    frame = three_classes(3000)
    whole, parts = (
        calibrator.fit(in_parts(frame, where), "y", sample_weight="w", columns=["c", "a", "b"]).to_dict()
        for where in ([], cuts)
    )
    assert whole == parts


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("calibrator", BY_SUMS, ids=repr)
@pytest.mark.usefixtures("coarse")
def test_maps_by_sums_are_those_of_all_rows_in_memory(calibrator: Calibrator, margins: bool) -> None:
    frame = two_classes(4000, margins=margins)
    streamed = calibrator.fit(in_parts(frame, [1000]), "y", sample_weight="w", columns="score")
    proba = streamed.predict(frame["score"])
    in_memory = calibrator.fit(frame["score"].to_numpy(), frame["y"], frame["w"]).predict(frame["score"])
    # a margin's axis and the ends of a bend are those of the grid, whose cells are 1 % of a score wide here
    np.testing.assert_allclose(proba, in_memory, atol=2e-4 if hasattr(calibrator, "axis_") else 1e-8)


@pytest.mark.parametrize("calibrator", ALL_CLASSES, ids=repr)
@pytest.mark.usefixtures("coarse")
def test_maps_of_three_classes_are_those_of_all_rows_in_memory(calibrator: Calibrator) -> None:
    frame = three_classes(5000)
    scores = frame[["a", "b", "c"]]
    streamed = calibrator.fit(in_parts(frame, [1000]), "y", sample_weight="w", columns=["c", "a", "b"])
    proba = streamed.predict(scores)
    in_memory = calibrator.fit(scores, frame["y"], frame["w"]).predict(scores)
    difference = np.abs(proba - in_memory)
    if isinstance(calibrator, Isotonic | VennAbers):
        assert difference.mean() < 0.005
    else:
        assert difference.max() < 1e-8


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("calibrator", BY_GRID, ids=repr)
def test_maps_from_the_grid_are_near_those_of_all_rows(calibrator: Calibrator, margins: bool) -> None:
    """The bound of docs/scale.md: a mean distance of 1e-3 with the 65,536 cells that are the default."""
    frame = two_classes(100_000, seed=3, margins=margins)
    streamed = calibrator.fit(in_parts(frame, []), "y", columns="score")
    proba = streamed.predict(frame["score"])
    in_memory = calibrator.fit(frame["score"].to_numpy(), frame["y"]).predict(frame["score"])
    if repr(calibrator) == "Binning(n_bins='cv')":  # of numbers of bins that are as good, another may be chosen
        is_yes = frame["y"] == "yes"
        assert ((proba - is_yes) ** 2).mean() == pytest.approx(((in_memory - is_yes) ** 2).mean(), abs=1e-4)
    else:
        assert np.abs(proba - in_memory).mean() < 1e-3


@pytest.mark.parametrize("calibrator", [*BY_SUMS, *BY_GRID], ids=repr)
def test_few_distinct_scores_lose_nothing(calibrator: Calibrator) -> None:
    frame = two_classes(2000).assign(score=lambda table: table["score"].round(2))
    streamed = calibrator.fit(in_parts(frame, [100, 900]), "y", columns="score").predict(frame["score"])
    in_memory = calibrator.fit(frame["score"].to_numpy(), frame["y"]).predict(frame["score"])
    np.testing.assert_allclose(streamed, in_memory, atol=1e-7)


def test_a_small_source_of_three_classes_is_fitted_as_in_memory() -> None:
    frame = three_classes(500)
    streamed = MatrixScaling().fit(in_parts(frame, [77]), "y", columns=["c", "a", "b"])
    in_memory = MatrixScaling().fit(frame[["a", "b", "c"]], frame["y"])
    np.testing.assert_allclose(streamed.coef_, in_memory.coef_, atol=1e-12)


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


@pytest.mark.parametrize("calibrator", [Pairwise(), Chain(Platt(), Isotonic()), PriorShift()], ids=repr)
def test_maps_that_need_all_rows_at_once_refuse_a_source(calibrator: Calibrator) -> None:
    with pytest.raises(ParameterError, match="needs all rows at once"):
        calibrator.fit(in_parts(two_classes(50), []), "y", columns="score")


def test_what_needs_all_rows_at_once_is_refused() -> None:
    source = in_parts(two_classes(50), [])
    with pytest.raises(ParameterError, match="groups must be None"):
        Platt().fit(source, "y", groups="w")
    with pytest.raises(ParameterError, match="weight_kind"):
        Platt().fit(source, "y", weight_kind="probability")
    with pytest.raises(ParameterError, match="folds"):
        VennAbers().fit(source, "y", folds="w")


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
