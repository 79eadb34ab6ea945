"""The readers against Weka 3.9.7, C4.5 release 8, SciPy and the ARFF parser inside scikit-learn.

Figures and data: CALIBRANT_GOLDENS, described in its README.md. Counts, codes and names are compared exactly;
numbers too, because all of these programs read the nearest double.
"""

from __future__ import annotations

import json
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.io import arff as scipy_arff
from sklearn.externals import _arff as liac_arff

from calibrant.data._readers.arff import read_arff
from calibrant.data._readers.c45 import Names, read_c45, read_names

ARFF = [
    "breast-cancer",
    "credit-g",
    "diabetes",
    "glass",
    "ionosphere",
    "iris",
    "labor",
    "segment-challenge",
    "soybean",
    "vote",
]
WEKA = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
RELEASE_8 = ["golf", "labor-neg", "monk1", "monk3", "soybean", "vote"]
RELEASE_8_TWINS = [f"weka_{name}" for name in (*WEKA, "credit-g", "segment-challenge")]
C45_FILES = ["golf", "labor-neg", "vote", "soybean", "hypo", "crx", "monk1", "monk2", "monk3"]
NO_TEST_FILE = ["golf", "soybean"]


@cache
def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def arff_frame(goldens: Path, name: str) -> pd.DataFrame:
    path = goldens / "data" / f"{name}.arff"
    return read_arff(path, path.read_text(encoding="latin-1")).frame


def arff_part(goldens: Path, name: str, part: str) -> pd.DataFrame:
    rows = read_json(goldens / "splits.json")[name][part]
    frame: pd.DataFrame = arff_frame(goldens, name).iloc[rows].reset_index(drop=True)
    return frame


def c45_names(goldens: Path, name: str) -> Names:
    path = goldens / "data" / f"c45_{name}.names"
    return read_names(path, path.read_text(encoding="latin-1"))


@cache
def c45_frame(goldens: Path, name: str, ending: str) -> pd.DataFrame:
    path = goldens / "data" / f"c45_{name}.{ending}"
    return read_c45(path, path.read_text(encoding="latin-1"), c45_names(goldens, name)).frame


def class_counts(frame: pd.DataFrame) -> list[int]:
    label = frame.iloc[:, -1].cat
    return [int(n) for n in np.bincount(label.codes, minlength=len(label.categories))]


def assert_same_codes(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    assert ours.shape == theirs.shape
    for (_, mine), (_, other) in zip(ours.items(), theirs.items(), strict=True):
        if mine.dtype == "category":
            assert mine.cat.codes.tolist() == other.cat.codes.tolist()
            assert len(mine.cat.categories) == len(other.cat.categories)
        else:
            np.testing.assert_array_equal(mine, other)


def naive_bayes_counts(text: str, n_classes: int) -> dict[str, dict[str, list[float]]]:
    """Parse Weka's table of a naive Bayes model: nominal attribute -> value -> count + 1 by class."""
    counts = {}
    for block in text.partition("=\n")[2].strip().split("\n\n"):
        name, *lines = block.split("\n")
        rows = [line.rsplit(maxsplit=n_classes) for line in lines]
        if rows[-1][0].strip() == "[total]":
            counts[name] = {value.strip(): [float(x) for x in numbers] for value, *numbers in rows[:-1]}
    return counts


@pytest.mark.parametrize("name", ARFF)
def test_an_arff_file_has_the_rows_of_its_split(goldens: Path, name: str) -> None:
    split = read_json(goldens / "splits.json")[name]
    assert len(arff_frame(goldens, name)) == split["n"]
    assert sorted(split["train"] + split["test"]) == list(range(split["n"]))


@pytest.mark.parametrize("name", WEKA)
def test_weka_has_the_same_attributes_and_classes(goldens: Path, name: str) -> None:
    golden, frame = read_json(goldens / "weka" / f"{name}.json"), arff_frame(goldens, name)
    assert sorted(frame.columns[:-1]) == sorted(golden["attribute_info_gain"])
    assert frame.iloc[:, -1].cat.categories.tolist() == golden["classes"]


@pytest.mark.parametrize("name", WEKA)
def test_weka_has_the_same_rows_and_classes_of_rows(goldens: Path, name: str) -> None:
    golden = read_json(goldens / "weka" / f"{name}.json")
    train, test = arff_part(goldens, name, "train"), arff_part(goldens, name, "test")
    assert (len(train), len(test)) == (golden["n_train"], golden["n_test"])
    assert test.iloc[:, -1].cat.codes.tolist() == golden["test_actual"]
    for model in golden["models"]:
        assert model["evaluation"]["classPriors"] == [count + 1 for count in class_counts(train)]


@pytest.mark.parametrize("name", WEKA)
def test_weka_counts_the_same_values_by_class(goldens: Path, name: str) -> None:
    models = read_json(goldens / "weka" / f"{name}.json")["models"]
    text = next(m["model_text"] for m in models if m["scheme"] == "weka.classifiers.bayes.NaiveBayes")
    train = arff_part(goldens, name, "train")
    label = train.iloc[:, -1]
    nominal = [c for c in train.columns[:-1] if train[c].dtype == "category"]
    ours = {c: pd.crosstab(train[c], label, dropna=False).reindex(train[c].cat.categories) for c in nominal}
    theirs = naive_bayes_counts(text, len(label.cat.categories))
    assert {c: {v: [n + 1.0 for n in row] for v, row in t.T.items()} for c, t in ours.items()} == theirs


@pytest.mark.parametrize("name", WEKA)
def test_weka_sees_the_same_missing_numbers(goldens: Path, name: str) -> None:
    models = read_json(goldens / "weka" / f"{name}.json")["models"]
    text = next(m["model_text"] for m in models if m["scheme"] == "weka.classifiers.bayes.NaiveBayes")
    train = arff_part(goldens, name, "train")
    for column in train.columns[train.dtypes == np.float64]:
        known = train[column].notna().groupby(train.iloc[:, -1], observed=False).sum()
        block = text.partition(f"\n{column}\n")[2].partition("\n\n")[0]
        line = next(line for line in block.split("\n") if line.strip().startswith("weight sum"))
        assert [int(word) for word in line.split()[2:]] == known.tolist()


@pytest.mark.parametrize("name", ARFF)
def test_scipy_reads_the_same(goldens: Path, name: str) -> None:
    ours = arff_frame(goldens, name)
    text = (goldens / "data" / f"{name}.arff").read_text(encoding="latin-1")
    # SciPy keeps the blank of `a, b` as part of a declared value, and the quotes of a name of one letter.
    records, meta = scipy_arff.loadarff(StringIO(text.replace(", same-lst-sev-yrs}", ",same-lst-sev-yrs}")))
    assert [column.strip("'") for column in meta.names()] == list(ours.columns)
    for column, kind in zip(meta.names(), meta.types(), strict=True):
        mine = ours[column.strip("'")]
        if kind == "nominal":
            assert list(meta[column][1]) == mine.cat.categories.tolist()
            words = [value.decode("latin-1") for value in records[column]]
            assert words == mine.astype(object).where(mine.notna(), "?").tolist()
        else:
            np.testing.assert_array_equal(mine, records[column])


@pytest.mark.parametrize("name", ARFF)
def test_the_parser_inside_scikit_learn_reads_the_same(goldens: Path, name: str) -> None:
    ours = arff_frame(goldens, name)
    text = (goldens / "data" / f"{name}.arff").read_text(encoding="latin-1")
    theirs = liac_arff.loads(text)
    assert [column for column, _ in theirs["attributes"]] == list(ours.columns)
    for (column, kind), cells in zip(theirs["attributes"], zip(*theirs["data"], strict=True), strict=True):
        if isinstance(kind, list):
            assert ours[column].cat.categories.tolist() == kind
            assert ours[column].cat.codes.tolist() == [-1 if x is None else kind.index(x) for x in cells]
        else:
            np.testing.assert_array_equal(ours[column], np.array(cells, dtype=float))


@pytest.mark.parametrize("name", ARFF)
@pytest.mark.parametrize(("part", "ending"), [("train", "data"), ("test", "test")])
def test_an_arff_file_and_its_c45_twin_hold_the_same(goldens: Path, name: str, part: str, ending: str) -> None:
    assert_same_codes(arff_part(goldens, name, part), c45_frame(goldens, f"weka_{name}", ending))


@pytest.mark.parametrize("name", C45_FILES)
def test_the_files_of_release_8_read(goldens: Path, name: str) -> None:
    names = c45_names(goldens, name)
    for ending in ["data"] if name in NO_TEST_FILE else ["data", "test"]:
        frame = c45_frame(goldens, name, ending)
        assert frame.shape[1] == len(names.attributes) + 1
        assert frame["class"].notna().all()


def test_every_file_of_the_goldens_is_read_here(goldens: Path) -> None:
    found = {path.name for path in (goldens / "data").iterdir()}
    twins = {f"c45_weka_{name}.{ending}" for name in ARFF for ending in ("names", "data", "test")}
    own = {f"c45_{name}.{ending}" for name in C45_FILES for ending in ("names", "data", "test")}
    assert found == {f"{name}.arff" for name in ARFF} | twins | own - {f"c45_{n}.test" for n in NO_TEST_FILE}


@pytest.mark.parametrize("name", [*RELEASE_8, *RELEASE_8_TWINS])
def test_c45_has_the_same_names(goldens: Path, name: str) -> None:
    golden, names = read_json(goldens / "c45" / f"{name}.json"), c45_names(goldens, name)
    assert list(names.classes) == golden["classes"]
    assert [attribute for attribute, _ in names.attributes] == golden["attributes"]
    specs = [list(spec) if isinstance(spec, tuple) else None for _, spec in names.attributes]
    assert specs == golden["attribute_values"]


@pytest.mark.parametrize("name", [*RELEASE_8, *RELEASE_8_TWINS])
def test_c45_has_the_same_rows_and_counts_of_classes(goldens: Path, name: str) -> None:
    data = c45_frame(goldens, name, "data")
    for run in read_json(goldens / "c45" / f"{name}.json")["runs"]:
        root = run["unpruned_tree"]
        assert run["n_train"] == root["items"] == len(data)
        assert root["class_dist"] == class_counts(data)
        if "n_test" in run:
            assert run["n_test"] == len(c45_frame(goldens, name, "test"))


@pytest.mark.parametrize("name", [*RELEASE_8, *RELEASE_8_TWINS])
def test_c45_sends_the_same_rows_down_the_branches_of_the_root(goldens: Path, name: str) -> None:
    data = c45_frame(goldens, name, "data")
    for run in read_json(goldens / "c45" / f"{name}.json")["runs"]:
        root = run["unpruned_tree"]
        column = data.iloc[:, root["att_index"]]
        if (
            column.isna().any() or root["type"] == "subset"
        ):  # rows with missing values are split between branches, and subsets are not listed
            continue
        real = np.float32 if run["precision"] == "single" else np.float64
        branch = column.cat.codes if root["type"] == "discrete" else column.astype(real) > real(root["cut"])
        for number, child in enumerate(root["branches"]):
            rows = data[np.asarray(branch) == number]
            assert child["items"] == len(rows)
            assert len(rows) == 0 or child["class_dist"] == class_counts(rows)
