"""Named data sets from a folder, the package or scikit-learn, and the errors for missing ones."""

from __future__ import annotations

import json
import pickle
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from calibrant.data import list_datasets, load
from calibrant.data._datasets.catalog import catalog
from calibrant.exceptions import MissingFileError, ParameterError, ReadError, SchemaError

THIRD_PARTY = [name for name in catalog() if name != "appeal"]
ROOT = Path(__file__).resolve().parents[3]


def folder_with(tmp_path: Path, frame: pd.DataFrame, **entry: object) -> Path:
    frame.to_parquet(tmp_path / "tiny.parquet")
    described = {"name": "tiny", "file": "tiny.parquet", "target": "y", **entry}
    (tmp_path / "MANIFEST.json").write_text(json.dumps([described]))
    return tmp_path


@pytest.fixture
def tiny() -> pd.DataFrame:
    return pd.DataFrame(
        {"x": [0.5, 1.5], "y": [3, 4], "split": ["train", "test"], "id": [7, 8], "sample_weight": [1, 2]}
    )


@pytest.mark.parametrize("name", THIRD_PARTY)
def test_a_set_has_the_rows_features_and_classes_of_the_manifest(
    name: str, data_home: Path, manifest: dict[str, Any]
) -> None:
    table, entry = load(name, data_home), manifest[name]
    assert (table.name, table.n_rows, table.n_features) == (name, entry["rows"], entry["feature_columns"])
    assert table.class_counts == entry["class_counts"]
    assert int(table.X.isna().sum().sum()) == entry["missing_cells"]


@pytest.mark.parametrize("name", THIRD_PARTY)
def test_columns_that_are_not_features_are_in_extra(name: str, data_home: Path, manifest: dict[str, Any]) -> None:
    table, entry = load(name, data_home), manifest[name]
    extra = [] if table.extra is None else list(table.extra)
    assert extra == [column for column in entry["other_columns"] if column not in ("split", "sample_weight")]
    assert (table.sample_weight is not None) == ("sample_weight" in entry["other_columns"])
    split = None if table.split is None else table.split.value_counts().to_dict()
    assert split == entry.get("split_counts")


@pytest.mark.parametrize("name", [name for name in THIRD_PARTY if name != "zoo"])
def test_nominal_columns_are_those_of_the_manifest(name: str, data_home: Path, manifest: dict[str, Any]) -> None:
    said = manifest[name]["nominal_columns"]
    nominal = [column for column, kind in load(name, data_home).kinds.items() if kind == "nominal"]
    assert (nominal if isinstance(said, list) else len(nominal)) == said


def test_the_traits_of_zoo_are_booleans_and_so_nominal(data_home: Path) -> None:
    kinds = load("zoo", data_home).kinds
    assert [column for column, kind in kinds.items() if kind == "numeric"] == ["legs"]


def test_weights_restore_the_base_rate_of_the_case_control_sample(data_home: Path) -> None:
    table = load("kdd98_case_control", data_home)
    assert np.average(table.y == table.positive, weights=table.sample_weight) == pytest.approx(0.0508, abs=5e-5)


def test_the_environment_names_the_folder(tmp_path: Path, tiny: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALIBRANT_DATA", str(folder_with(tmp_path, tiny)))
    assert load("tiny").n_rows == 2


def test_a_set_that_only_the_manifest_knows_loads_with_the_types_of_its_own_labels(
    tmp_path: Path, tiny: pd.DataFrame
) -> None:
    others = ["split", "id", "sample_weight"]
    table = load("tiny", folder_with(tmp_path, tiny, other_columns=others, positive_class=4))
    assert (list(table.X), table.positive, table.class_counts) == (["x"], 4, {3: 1, 4: 1})
    assert table.extra is not None
    assert (list(table.extra), table.part("test").sample_weight) == (["id"], [2])


def test_a_positive_class_that_is_not_a_label_is_ignored(tmp_path: Path, tiny: pd.DataFrame) -> None:
    assert load("tiny", folder_with(tmp_path, tiny, positive_class="3 vs 4")).positive is None


def test_what_the_folder_lacks_is_looked_for_elsewhere(tmp_path: Path, tiny: pd.DataFrame) -> None:
    assert load("iris", folder_with(tmp_path, tiny)).notes == ("From scikit-learn's load_iris.",)


def test_the_folder_takes_precedence_over_bundled_data(tmp_path: Path, tiny: pd.DataFrame) -> None:
    assert load("iris", folder_with(tmp_path, tiny, name="iris")).n_rows == 2


def test_a_file_that_is_not_the_one_described_raises(tmp_path: Path, tiny: pd.DataFrame) -> None:
    home = folder_with(tmp_path, tiny, sha256="0" * 64)
    with pytest.raises(ReadError, match=r"tiny\.parquet: has the SHA-256 [0-9a-f]{64}; expected 0{64}"):
        load("tiny", home)


def test_a_file_that_the_manifest_lists_but_does_not_exist_is_named(tmp_path: Path, tiny: pd.DataFrame) -> None:
    (folder_with(tmp_path, tiny) / "tiny.parquet").unlink()
    with pytest.raises(MissingFileError, match=r"tiny\.parquet: does not exist, but MANIFEST\.json lists it"):
        load("tiny", tmp_path)


def test_a_column_that_the_manifest_lists_but_the_file_lacks_is_named(tmp_path: Path, tiny: pd.DataFrame) -> None:
    home = folder_with(tmp_path, tiny, other_columns=["idd"])
    with pytest.raises(SchemaError, match="tiny: column 'idd' is not in the file"):
        load("tiny", home)


def test_a_folder_that_does_not_exist_is_named_with_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingFileError, match=r"nowhere: the folder that home names does not exist"):
        load("iris", tmp_path / "nowhere")
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(MissingFileError, match=r"the folder that CALIBRANT_DATA names does not exist\. Pass a"):
        list_datasets()


def test_a_folder_without_manifest_raises(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"MANIFEST\.json: does not exist\. Pass a folder"):
        load("iris", tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("{}", "must be a list"),
        ('[{"name": 3}]', "entry 1 must have a name and a file"),
    ],
)
def test_a_broken_manifest_raises(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "MANIFEST.json").write_text(text)
    with pytest.raises(ReadError, match=rf"MANIFEST\.json: {problem}"):
        load("iris", tmp_path)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"other_columns": None}, "other_columns must be a list of strings; got null"),
        ({"other_columns": [["id"]]}, r"other_columns must be a list of strings; got \[\["),
        ({"class_counts": None}, "class_counts must be an object of labels and rows; got null"),
        ({"class_counts": 2}, "class_counts must be an object"),
        ({"target": 3}, "target must be a string or None; got 3"),
        ({"positive_class": [1]}, "positive_class must be"),
        ({"rows": "two"}, 'rows must be an int >= 0 or None; got "two"'),
        ({"feature_columns": -1}, "feature_columns must be an int >= 0"),
        ({"sha256": 0}, "sha256 must be a string"),
    ],
)
def test_an_entry_with_a_value_of_the_wrong_type_is_named(
    entry: dict[str, object], problem: str, tmp_path: Path, tiny: pd.DataFrame
) -> None:
    home = folder_with(tmp_path, tiny, **entry)
    for call in (lambda: load("tiny", home), lambda: list_datasets(home)):
        with pytest.raises(ReadError, match=rf"MANIFEST\.json: entry 1, 'tiny': {problem}"):
            call()


@pytest.mark.parametrize("file", ["../secret.parquet", "/etc/passwd", "a/../../x.parquet", "", ".", "link.parquet"])
def test_a_manifest_cannot_name_a_file_outside_its_folder(file: str, tmp_path: Path, tiny: pd.DataFrame) -> None:
    home = tmp_path / "home"
    home.mkdir()
    tiny.to_parquet(tmp_path / "secret.parquet")
    (home / "link.parquet").symlink_to(tmp_path / "secret.parquet")
    folder_with(home, tiny, file=file)
    for call in (lambda: load("tiny", home), lambda: list_datasets(home)):
        with pytest.raises(ReadError, match=r"entry 1, 'tiny': file must be inside the folder of MANIFEST\.json; got"):
            call()


def test_a_manifest_may_name_a_file_in_a_folder_of_its_own(tmp_path: Path, tiny: pd.DataFrame) -> None:
    (tmp_path / "sets").mkdir()
    tiny.to_parquet(tmp_path / "sets" / "tiny.parquet")
    assert load("tiny", folder_with(tmp_path, tiny, file="sets/../sets/tiny.parquet")).n_rows == 2


def test_a_manifest_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "MANIFEST.json").mkdir()
    with pytest.raises(ReadError, match=r"MANIFEST\.json: cannot be read"):
        load("iris", tmp_path)


@pytest.mark.parametrize("home", [5, b"/somewhere", ["/somewhere"], False])
def test_a_home_that_is_not_a_path_raises(home: Any) -> None:
    for call in (lambda: load("iris", home), lambda: list_datasets(home)):
        with pytest.raises(ParameterError, match="home must be a string, a path or None; got "):
            call()


def test_a_home_of_an_unknown_user_does_not_exist() -> None:
    with pytest.raises(MissingFileError, match="~nobody_of_this_name/x: the folder that home names does not exist"):
        load("iris", "~nobody_of_this_name/x")


@pytest.mark.usefixtures("no_home")
def test_without_scikit_learn_no_extra_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    monkeypatch.delattr("sklearn.datasets", raising=False)
    with pytest.raises(ImportError) as caught:
        load("iris")
    assert "sklearn" in str(caught.value)
    assert "calibrant[" not in str(caught.value)


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
def test_scikit_learn_gives_the_set_without_a_folder(name: str) -> None:
    table, info = load(name), catalog()[name]
    assert (table.n_rows, table.n_features, table.positive) == (info.rows, info.n_features, info.positive)
    assert table.class_counts == info.class_counts
    assert list(table.class_counts) == list(info.class_counts)


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
def test_scikit_learns_copy_is_that_of_the_folder(name: str, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = load(name, data_home)
    monkeypatch.delenv("CALIBRANT_DATA")
    here = load(name)
    pd.testing.assert_frame_equal(here.X, there.X, check_dtype=False)
    pd.testing.assert_series_equal(here.y, there.y)


@pytest.mark.usefixtures("no_home")
def test_a_task_works_on_scikit_learns_copy() -> None:
    assert load("nielsen.wine").class_counts == {"1": 59, "2": 71}


@pytest.mark.usefixtures("no_home")
def test_a_data_set_without_a_known_source_raises_with_a_remedy() -> None:
    with pytest.raises(ReadError, match=r"bupa is not available: CALIBRANT_DATA is not set.*lists bupa"):
        load("bupa")


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize(("name", "near"), [("irs", "iris"), ("nielsen.zo", "nielsen.zoo"), ("appeals", "appeal")])
def test_an_unknown_name_suggests_the_nearest(name: str, near: str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' is not a known data set.*Did you mean '{near}'"):
        load(name)


def test_a_path_in_place_of_a_name_is_referred_to_read_table(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ParameterError, match="read_table reads files"):
        load(str(file))


def test_a_name_must_be_a_string() -> None:
    with pytest.raises(ParameterError, match="name must be a string; got 61"):
        load(61)  # type: ignore[arg-type]


@pytest.mark.usefixtures("no_home")
def test_appeal_is_included_in_the_package() -> None:
    table = load("appeal")
    assert (table.n_rows, table.n_features, table.positive) == (1500, 8, "yes")
    assert table.extra is not None
    assert list(table.extra) == ["amount", "chance"]
    assert (table.part("train").n_rows, table.part("test").n_rows) == (1000, 500)


def test_appeal_has_numbers_names_missing_values_and_a_region_without_rows() -> None:
    table = load("appeal")
    assert sorted(table.kinds.values()) == ["nominal"] * 4 + ["numeric"] * 4
    assert list(table.X.columns[table.X.isna().any()]) == ["age", "wealth_band"]
    assert set(table.X["region"].cat.categories) - set(table.X["region"]) == {"abroad"}


def test_the_chances_of_appeal_are_those_its_classes_were_drawn_from() -> None:
    table = load("appeal")
    assert table.extra is not None
    gives, chance = np.asarray(table.y == "yes"), table.extra["chance"].to_numpy()
    assert abs(gives.sum() - chance.sum()) < 4 * np.sqrt((chance * (1 - chance)).sum())
    assert ((table.extra["amount"] > 0) == gives).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.sample(3)
def test_the_truth_behind_appeal_ranks_well_whatever_the_seed(seed: int) -> None:
    made = runpy.run_path(str(ROOT / "tools" / "make_appeal.py"))["appeal"](rows=20_000, seed=seed)
    rows = [line.split(",") for line in made.partition("@data\n")[2].splitlines()]
    gives, chance = [row[8] == "yes" for row in rows], [float(row[10]) for row in rows]
    assert 0.75 < roc_auc_score(gives, chance) < 0.8
    assert 0.09 < np.mean(gives) < 0.11


def test_appeal_equals_the_output_of_its_program() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "make_appeal.py"))["appeal"]()
    embedded = ROOT / "src" / "calibrant" / "data" / "_datasets" / "embedded" / "appeal.arff"
    assert embedded.read_text(encoding="utf-8") == made
    assert embedded.stat().st_size < 120_000


@pytest.mark.usefixtures("no_home")
def test_the_list_names_sets_and_tasks() -> None:
    names = list_datasets()
    assert isinstance(names, tuple)
    assert len(names) == len(set(names)) == 34 + 33
    assert {"appeal", "iris", "nielsen.audiology", "zadrozny.kdd98"} <= set(names)


@pytest.mark.usefixtures("no_home")
def test_the_frame_of_the_list_names_the_source_of_each_data_set() -> None:
    where = list_datasets().to_frame()["where"]
    assert where[["appeal", "iris", "adult", "bupa", "nielsen.wine"]].tolist() == [
        "calibrant",
        "scikit-learn",
        "OpenML",
        "not at hand",
        "scikit-learn",
    ]


def test_the_list_includes_what_only_the_manifest_knows(tmp_path: Path, tiny: pd.DataFrame) -> None:
    home = folder_with(tmp_path, tiny, rows=2, class_counts={"3": 1, "4": 1}, positive_class=4)
    line = list_datasets(home).to_frame().loc["tiny"]
    assert line[["rows", "classes", "positive", "where"]].tolist() == [2, 2, "4", str(tmp_path)]


@pytest.mark.usefixtures("no_home")
def test_the_list_prints_in_families() -> None:
    lines = repr(list_datasets()).splitlines()
    assert lines[0].startswith("67 data sets: load(name) loads one")
    assert lines[-1] == "  zadrozny.coil  zadrozny.kdd98"
    assert max(map(len, lines)) <= 100


def test_the_list_is_a_table_in_a_notebook_and_survives_pickling() -> None:
    names = list_datasets()
    assert '<th scope="row" class="left">appeal</th>' in names._repr_html_()
    again = pickle.loads(pickle.dumps(names))  # noqa: S301
    assert (again, again.entries) == (names, names.entries)
