"""Learning from sources: the model of the same rows in memory in 255 bins, to the bit, and without its rows."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from calibrant import load_model, save
from calibrant.data import MDLDiscretizer
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    MOBESPClassifier,
)
from calibrant.exceptions import DataError, DataTypeError, NotSavedError, ParameterError, SchemaError
from calibrant.trees import ProbabilityTreeClassifier

N_ROWS = 1_200
FEATURES = ["a", "b", "c", "d"]
MAKERS = {
    "tree": lambda **params: ProbabilityTreeClassifier(**params),
    "pruned": lambda **params: ProbabilityTreeClassifier(prune="pessimistic", missing="learned", **params),
    "honest": lambda **params: ProbabilityTreeClassifier(honest=True, random_state=0, **params),
    "chosen": lambda **params: ProbabilityTreeClassifier(estimate="m_branch", random_state=0, **params),
    "forest": lambda **params: BaggedTreesClassifier(n_trees=4, random_state=0, **params),
    "subsample": lambda **params: BaggedTreesClassifier(n_trees=4, bootstrap="subsample", random_state=0, **params),
    "b_pets": lambda **params: BPETsClassifier(n_trees=4, random_state=0, **params),
    "eb_pets": lambda **params: EBPETsClassifier(n_trees=4, random_state=0, **params),
    "mob_esp": lambda **params: MOBESPClassifier(n_trees=4, random_state=0, **params),
    "votes": lambda **params: MOBESPClassifier(
        n_trees=4, combine="vote", vote_trees="out_of_bag", random_state=0, **params
    ),
    "styled": lambda **params: BaggedTreesClassifier(n_trees=3, style="c4", random_state=0, **params),
    "boosted": lambda **params: BoostedTreesClassifier(n_trees=4, max_depth=3, random_state=0, **params),
    "stumps": lambda **params: BoostedStumpsClassifier(n_trees=8, **params),
}
FORESTS = ("forest", "subsample", "b_pets", "eb_pets", "mob_esp", "votes", "styled")


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "a": random.normal(size=N_ROWS),
            "b": random.integers(0, 30, N_ROWS).astype(float),
            "c": random.choice(list("uvwx"), N_ROWS),
            "d": random.normal(size=N_ROWS).astype(np.float32),
        }
    )
    rows["y"] = np.where(rows["a"] + rows["b"] / 10 + random.normal(size=N_ROWS) > 1.5, "yes", "no")
    for name in ("a", "b", "c"):
        rows.loc[random.random(N_ROWS) < 0.1, name] = None
    rows["whole"], rows["any"] = random.integers(0, 4, N_ROWS), random.exponential(size=N_ROWS)
    rows["group"] = random.integers(0, 90, N_ROWS)
    return rows


@pytest.fixture(scope="module")
def parquet(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "rows.parquet"
    frame[[*FEATURES, "y"]].to_parquet(path, row_group_size=500)
    return path


def in_memory(maker, frame, **params):
    return MAKERS[maker](max_bins=255, **params).fit(frame[FEATURES], frame["y"])


def assert_same(model, other, frame):
    X = frame[FEATURES]
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    assert model.feature_names_in_.tolist() == other.feature_names_in_.tolist()
    if hasattr(type(other), "oob_proba_"):
        np.testing.assert_array_equal(model.oob_proba_, other.oob_proba_)
        assert model.oob_score_ == other.oob_score_
    trees = zip(getattr(model, "trees_", ()), getattr(other, "trees_", ()), strict=True)
    for one, two in [
        *trees,
        *((each.tree_, each2.tree_) for each, each2 in [(model, other)] if hasattr(each, "tree_")),
    ]:
        for state, same in zip(one.core.state, two.core.state, strict=True):
            np.testing.assert_array_equal(state, same)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_model_of_a_parquet_file_is_that_of_the_frame_in_255_bins(maker, frame, parquet):
    assert_same(MAKERS[maker]().fit(parquet, "y"), in_memory(maker, frame), frame)


@pytest.mark.parametrize("size", [1, 37, 500, 10_000])
def test_row_groups_of_any_size_give_the_same_forest(size, frame, tmp_path):
    some = frame[[*FEATURES, "y"]] if size > 1 else frame[[*FEATURES, "y"]][:60]
    pq.write_table(pa.Table.from_pandas(some), tmp_path / "rows.parquet", row_group_size=size)
    assert_same(MAKERS["eb_pets"]().fit(str(tmp_path / "rows.parquet"), "y"), in_memory("eb_pets", some), some)


@pytest.mark.parametrize("kind", ["csv", "folder", "csv_folder", "lazy", "dataset"])
def test_any_kind_of_source_gives_the_same_forest(kind, frame, parquet, tmp_path):
    rows = frame[[*FEATURES, "y"]]
    if kind in ("folder", "csv_folder"):
        for number, part in enumerate(np.array_split(np.arange(N_ROWS), 3)):
            some = rows.iloc[part]
            if kind == "folder":
                some.to_parquet(tmp_path / f"part-{number}.parquet")
            else:
                some.to_csv(tmp_path / f"part-{number}.csv", index=False)
    rows.to_csv(tmp_path.parent / f"{tmp_path.name}.csv", index=False)
    csv = tmp_path.parent / f"{tmp_path.name}.csv"
    source = {"csv": csv, "lazy": pl.scan_parquet(parquet), "dataset": ds.dataset(parquet)}.get(kind, tmp_path)
    expected = rows.astype({"d": str}).astype({"d": float}) if "csv" in kind else rows  # as the digits in the file
    assert_same(MAKERS["forest"]().fit(source, "y"), in_memory("forest", expected), expected)


@pytest.mark.parametrize("weights", ["whole", "any"])
@pytest.mark.parametrize("maker", ["tree", "forest", "eb_pets", "boosted", "stumps"])
def test_weights_are_a_column(maker, weights, frame, tmp_path):
    frame[[*FEATURES, "y", weights]].to_parquet(tmp_path / "rows.parquet", row_group_size=300)
    model = MAKERS[maker]().fit(tmp_path / "rows.parquet", "y", sample_weight=weights)
    expected = MAKERS[maker](max_bins=255).fit(frame[FEATURES], frame["y"], frame[weights])
    assert_same(model, expected, frame)


@pytest.mark.parametrize("maker", ["honest", "forest", "eb_pets"])
def test_groups_are_a_column(maker, frame, tmp_path):
    frame[[*FEATURES, "y", "group"]].to_parquet(tmp_path / "rows.parquet", row_group_size=300)
    model = MAKERS[maker]().fit(tmp_path / "rows.parquet", "y", groups="group")
    expected = MAKERS[maker](max_bins=255).fit(frame[FEATURES], frame["y"], groups=frame["group"])
    assert_same(model, expected, frame)


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": "balanced"},
        {"class_weight": {"yes": 2.5}, "weight_kind": "probability"},
        {"missing": "fractional", "nominal": ["b"]},
        {"max_bins": 16},
        {"prune": "reduced_error"},
        {"combine": "vote"},
    ],
    ids=str,
)
def test_parameters_mean_what_they_mean_in_memory(params, frame, parquet):
    expected = BaggedTreesClassifier(n_trees=3, random_state=0, **{"max_bins": 255, **params})
    model = BaggedTreesClassifier(n_trees=3, random_state=0, **params).fit(parquet, "y")
    assert_same(model, expected.fit(frame[FEATURES], frame["y"]), frame)


@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_the_discretizer_learns_from_a_source(weights, frame, tmp_path):
    rows = frame[[*FEATURES, "y", *([weights] if weights else [])]]
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    model = MDLDiscretizer().fit(tmp_path / "rows.parquet", "y", sample_weight=weights)
    expected = MDLDiscretizer(max_bins=255).fit(frame[FEATURES], frame["y"], frame[weights] if weights else None)
    assert any(map(len, expected.cut_points_))
    for one, other in zip(model.cut_points_, expected.cut_points_, strict=True):
        np.testing.assert_array_equal(one, other)
    pd.testing.assert_frame_equal(model.transform(frame[FEATURES]), expected.transform(frame[FEATURES]))
    np.testing.assert_array_equal(model.inverse_transform([[0, 0, 0, 0]]), expected.inverse_transform([[0, 0, 0, 0]]))


@pytest.mark.parametrize("maker", MAKERS)
def test_a_model_of_a_source_is_saved_and_loaded(maker, frame, parquet, tmp_path):
    model = MAKERS[maker]().fit(parquet, "y")
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").predict_proba(frame), model.predict_proba(frame))


def test_a_tree_of_a_source_is_shown_like_any_other(frame, parquet):
    model, expected = MAKERS["tree"]().fit(parquet, "y"), in_memory("tree", frame)
    assert model.export_text() == expected.export_text()
    assert model._short_conditions() == expected._short_conditions()
    assert model.with_estimate("frequency").predict_proba(frame[:1]).shape == (1, 2)


@pytest.mark.parametrize("maker", FORESTS)
def test_what_needs_the_rows_again_says_that_a_source_has_none(maker, parquet, frame):
    model = MAKERS[maker]().fit(parquet, "y")
    words = rf"{type(model).__name__} was fitted to a source, whose rows it does not keep, and in_bag_ needs them"
    with pytest.raises(NotSavedError, match=words):
        _ = model.in_bag_
    with pytest.raises(NotSavedError, match="fitted to a source"):
        model.oob_importances()
    model.set_params(max_bins=255).fit(frame[FEATURES], frame["y"])  # and a fit to a frame keeps them again
    assert model.in_bag_.shape == (len(model.trees_), N_ROWS)


@pytest.mark.parametrize("maker", ["forest", "boosted", "stumps"])
def test_a_model_of_a_source_is_not_extended(maker, parquet, frame):
    model = MAKERS[maker]().fit(parquet, "y").set_params(warm_start=True)
    words = r"fitted to a source, whose rows it does not keep, and fit with warm_start=True needs them"
    with pytest.raises(NotSavedError, match=words):
        model.fit(frame[FEATURES], frame["y"])


def test_an_estimate_chosen_by_folds_needs_the_rows(parquet):
    from calibrant.estimates import MEstimate

    model = MAKERS["tree"]().fit(parquet, "y")
    with pytest.raises(NotSavedError, match=r"fitted to a source, whose rows it does not keep, and with_estimate"):
        model.with_estimate(MEstimate("cv"))


# --- what cannot be learned ---------------------------------------------------------------------------------------


def test_classes_weights_and_groups_of_a_source_are_names(parquet, frame):
    with pytest.raises(DataTypeError, match="y must be the name of a column where X is a source; got Series"):
        MAKERS["tree"]().fit(parquet, frame["y"])
    with pytest.raises(DataTypeError, match="sample_weight must be the name of a column"):
        MAKERS["forest"]().fit(parquet, "y", sample_weight=frame["any"])
    with pytest.raises(SchemaError, match="no column 'z'"):
        MAKERS["forest"]().fit(parquet, "z")


@pytest.mark.parametrize("maker", ["tree", "forest", "boosted", "stumps"])
def test_a_client_is_for_dask_collections(maker, frame, parquet):
    with pytest.raises(ParameterError, match="client must be None for a table in memory"):
        MAKERS[maker]().fit(frame[FEATURES], frame["y"], client=object())
    with pytest.raises(ParameterError, match="client must be None unless the source is a Dask frame"):
        MAKERS[maker]().fit(parquet, "y", client=object())


def test_more_categories_than_a_byte_has_are_named():
    rows = pl.DataFrame({"town": [f"t{i % 300}" for i in range(600)], "y": [0, 1] * 300})
    with pytest.raises(DataError, match=r"column 'town' has 300 categories; at most 255"):
        MAKERS["tree"]().fit(rows.lazy(), "y")
    assert MAKERS["tree"](max_bins=255).fit(rows.select("town"), rows["y"]).n_leaves_ > 1  # in memory it works


# --- scratch files ------------------------------------------------------------------------------------------------


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("CALIBRANT_SCRATCH", str(folder))
    return folder


def test_the_scratch_folder_is_removed_after_a_fit(scratch, parquet):
    MAKERS["forest"]().fit(parquet, "y")
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_the_scratch_folder_is_removed_after_an_error(error, scratch, parquet, monkeypatch):
    seen = []

    def fail(*_args, **_options):
        seen.extend(scratch.iterdir())
        raise error

    monkeypatch.setattr(BaggedTreesClassifier, "_grow_coded", fail)
    with pytest.raises(error):
        MAKERS["forest"]().fit(parquet, "y")
    assert seen
    assert not list(scratch.iterdir())


def test_too_little_scratch_space_is_told_before_the_work(scratch, parquet, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _path: type("Usage", (), {"free": 5_000})())
    with pytest.raises(DataError, match=r"codes of 1,200 rows take 7.2e-06 GB .* has 5e-06 GB free"):
        MAKERS["forest"]().fit(parquet, "y")
    assert not list(scratch.iterdir())


# --- memory -------------------------------------------------------------------------------------------------------

CHILD = """
import os, resource, sys
import numpy as np
import pyarrow as pa, pyarrow.parquet, pandas, polars
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.data._sources import table_readers

if "SMALL_PARTS" in os.environ:
    table_readers._CELLS = 2**17
pa.set_cpu_count(1)
pa.set_io_thread_count(1)
path, allowed = sys.argv[1], int(sys.argv[2])
# What imports and threads take is not allocated for the rows: a small fit first.
rows = {f"x{j}": np.arange(50.0) for j in range(20)} | {"text": ["a", "b"] * 25, "y": np.arange(50) % 2}
pa.parquet.write_table(pa.table(rows), path + ".small")
params = {"n_trees": 2, "max_depth": 6, "n_jobs": 1, "random_state": 0}
BaggedTreesClassifier(**params).fit(path + ".small", "y")
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData")) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (used + allowed, used + allowed))
try:
    np.ones(allowed // 8 + 2**20)
    sys.exit("the limit does not hold")
except MemoryError:
    pass
model = BaggedTreesClassifier(**params).fit(path, "y")
print(sum(tree.n_nodes for tree in model.trees_), round(model.oob_score_, 2))
"""


SMALL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}


def learn_with_little_memory(path, n_rows, n_texts, allowed, **environment):
    """Write a file of three times the memory that a child may allocate, and let the child learn from it."""
    random = np.random.default_rng(0)
    texts = pa.array([f"{i}" * 100 for i in range(8)])
    types = [pa.float64()] * (20 - n_texts) + [pa.string()] * n_texts + [pa.int64()]
    schema = pa.schema([(f"x{j}", each) for j, each in enumerate(types[:-1])] + [("y", pa.int64())])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for _ in range(n_rows // 10_000):
            X = random.random((10_000, 20 - n_texts))
            y = (random.random(10_000) < 0.1 + 0.8 * (X[:, 0] > X[:, 1])).astype(np.int64)
            words = [texts.take(pa.array(random.integers(0, 8, 10_000))) for _ in range(n_texts)]
            writer.write_table(pa.table([*X.T, *words, y], schema=schema), row_group_size=2_000 if n_texts else None)
    assert path.stat().st_size >= 3 * allowed
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(path), str(allowed)],
        capture_output=True,
        text=True,
        check=False,
        # Freed memory goes back to the system, where it is no longer counted
        env={**os.environ, **SMALL, "CALIBRANT_SCRATCH": str(path.parent), **environment},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    n_nodes, score = map(float, done.stdout.split())
    assert n_nodes > 20
    assert score > 0.7


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
def test_a_forest_is_learned_from_a_file_of_three_times_the_memory(tmp_path):
    learn_with_little_memory(tmp_path / "rows.parquet", 100_000, 15, 48 * 2**20, SMALL_PARTS="1")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
def test_a_forest_is_learned_from_a_large_file_of_three_times_the_memory(tmp_path):
    learn_with_little_memory(tmp_path / "rows.parquet", 2_400_000, 0, 128 * 2**20)
