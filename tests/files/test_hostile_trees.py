"""Trees, readings and rows of a file that do not belong together are refused before anything uses them."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files.crafted import Document, file_of, parts, write
from tests.files.models import fitted, table, three_classes, two_classes

import calibrant
from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.exceptions import ModelFileError
from calibrant.trees import ProbabilityTreeClassifier


@cache
def model(name: str) -> Any:
    """Return a small model, whose arrays all stand in the document."""
    makers: dict[str, Callable[[], Any]] = {
        "tree": lambda: ProbabilityTreeClassifier(max_depth=3),
        "kernels": lambda: ProbabilityTreeClassifier(max_depth=2, estimate="kernel_density"),
        "bayes": lambda: ProbabilityTreeClassifier(max_depth=2, estimate="path_average"),
        "forest": lambda: BaggedTreesClassifier(n_trees=2, max_depth=2, random_state=0),
        "mob_esp": lambda: MOBESPClassifier(n_trees=2, max_depth=2, random_state=0),
        "boosted": lambda: BoostedTreesClassifier(n_trees=2, max_depth=2, random_state=0),
        "stumps": lambda: BoostedStumpsClassifier(n_trees=3, algorithm="samme"),
        "lazy": lambda: LazyOptionTreesClassifier(n_trees=2, random_state=0),
    }
    return fitted(makers[name], table(), three_classes() if name == "mob_esp" else two_classes())


def objects(header: Document, form: str) -> Document:
    """Return the fields of the last object of a form."""
    return [each["fields"] for each in header["objects"] if each["form"] == form][-1]


def put(document: Document, name: str, values: Any, dtype: str | None = None) -> None:
    """Put other numbers in the place of an array."""
    old = document[name]
    array = np.asarray(values, dtype=f"<{dtype or old['dtype']}")
    content = base64.b64encode(array.tobytes()).decode()
    document[name] = {"dtype": dtype or old["dtype"], "shape": list(array.shape), "data": content}


def add(document: Document, name: str, values: Any) -> None:
    """Add an array that the file does not have."""
    document[name] = document["test"]
    put(document, name, values, "f8")


def numbers(document: Document, name: str) -> Any:
    old = document[name]
    return np.frombuffer(base64.b64decode(old["data"]), dtype=f"<{old['dtype']}").reshape(old["shape"]).copy()


def edit(document: Document, name: str, at: Any, value: Any, dtype: str | None = None) -> None:
    array = numbers(document, name).astype(dtype or document[name]["dtype"])
    array[at] = value
    put(document, name, array, dtype)


def load(name: str, change: Callable[[Document], None], path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("calibrant._saved.documents._INLINE", 2**20)
    header, arrays = parts(model(name))
    assert arrays == []
    change(header)
    return calibrant.load_model(write(path / "m", file_of(header)))


def tree(header: Document) -> Document:
    return objects(header, "trees.GrownTree")["tree"]["arrays"]


def forest(header: Document) -> Document:
    return objects(header, "ensembles.Forest")["trees"]["arrays"]


def root(header: Document) -> Document:
    fields: Document = header["objects"][-1]["fields"]
    return fields


CHANGES: list[tuple[str, Callable[[Document], None], str]] = [
    ("tree", lambda h: edit(tree(h), "test", 0, 0), "no trees"),  # a leaf with nodes below it
    ("tree", lambda h: edit(tree(h), "test", 0, 200), "no trees"),  # a column that does not exist
    ("tree", lambda h: put(tree(h), "n_nodes", [2**31], "u4"), "no trees"),
    ("tree", lambda h: put(tree(h), "n_nodes", []), "no trees"),
    ("tree", lambda h: edit(tree(h), "cut", 0, np.nan, "f8"), "no trees"),
    ("tree", lambda h: put(tree(h), "test", [0.0, np.nan], "f8"), "no trees"),
    ("tree", lambda h: put(tree(h), "missing_branch", [77]), "no trees"),
    ("tree", lambda h: edit(tree(h), "counts", 0, -1.0, "f8"), "no trees"),
    ("tree", lambda h: edit(tree(h), "counts", 0, np.inf, "f8"), "no trees"),
    ("tree", lambda h: put(tree(h), "counts", numbers(tree(h), "counts") * 0), "no trees"),
    ("tree", lambda h: put(tree(h), "label_node", [2**32 - 1], "u4"), "no trees"),
    ("tree", lambda h: tree(h).pop("label"), "the arrays of trees"),
    ("tree", lambda h: add(tree(h), "log_prior", [-0.5] * 999), "no trees"),
    ("tree", lambda h: add(tree(h), "log_prior", [0.5] * 999), "no trees"),
    ("tree", lambda h: add(tree(h), "log_prior", [np.nan] * 999), "no trees"),
    ("tree", lambda h: add(tree(h), "more", [1.0]), "the arrays of trees"),
    ("tree", lambda h: put(objects(h, "trees.GrownTree")["tree"], "order", [0, 0]), "order of classes"),
    ("tree", lambda h: objects(h, "trees.GrownTree")["params"].update(criterion="best"), "wrong parameter"),
    ("tree", lambda h: objects(h, "trees.GrownTree")["params"].pop("criterion"), "parameters"),
    ("tree", lambda h: put(objects(h, "trees.TrainingSet"), "class_weights", [1.0], "f8"), "other classes"),
    ("tree", lambda h: objects(h, "estimates.Laplace").update(alpha=-1.0), "number >= 0"),
    ("tree", lambda h: root(h).update(reader=0), "must be trees.NodeReader"),
    ("tree", lambda h: root(h)["parameters"].update(estimate={"object": 10_000}), "number of an object"),
    ("bayes", lambda h: edit(root(h), "table", (0, 0), 0.9), "do not sum to 1"),
    ("bayes", lambda h: put(root(h), "table", [[0.5, 0.5]]), "other nodes"),
    ("kernels", lambda h: edit(objects(h, "trees.NodeReader"), "node", 0, 99), "other nodes"),
    ("kernels", lambda h: edit(objects(h, "estimates.KernelReader"), "set_of", 0, 99), "set of columns"),
    ("kernels", lambda h: objects(h, "estimates.KernelReader").update(sets=[[], [3000]]), "set"),
    ("kernels", lambda h: edit(objects(h, "estimates.ClassKernels"), "label", 0, 7), "no class"),
    ("kernels", lambda h: edit(objects(h, "estimates.ClassKernels"), "width", (0, 0), 0.0), "no width"),
    ("forest", lambda h: put(forest(h), "n_nodes", [1, 2**20], "u4"), "no trees"),
    ("forest", lambda h: objects(h, "ensembles.ForestReader").pop("estimate"), "lacks its estimate"),
    ("forest", lambda h: objects(h, "ensembles.ForestReader")["options"].update(out_of_bag="count"), "out-of-bag"),
    ("forest", lambda h: put(objects(h, "trees.TrainingSet"), "class_weights", [0.0, 0.0], "f8"), "other classes"),
    ("mob_esp", lambda h: edit(objects(h, "ensembles.MobEsp"), "index", (0, 0), 250), "cells that do not exist"),
    ("mob_esp", lambda h: put(objects(h, "ensembles.MobEsp"), "tables", [[1.0, 0.0, 0.0]]), "cells of other"),
    ("mob_esp", lambda h: put(objects(h, "ensembles.EBPets"), "tables", [[1.0, 0.0, 0.0]]), "other nodes"),
    ("mob_esp", lambda h: objects(h, "ensembles.ForestReader").update(n_voters=3), "more trees"),
    ("boosted", lambda h: root(h)["estimates"].pop(), "other trees"),
    ("boosted", lambda h: put(root(h), "estimator_weights_", [1.0]), "other members"),
    ("boosted", lambda h: edit(root(h), "estimator_weights_", 1, -1.0), ">= 0"),
    ("boosted", lambda h: put(root(h), "estimator_weights_", [0.0, 0.0]), "without weight"),
    ("boosted", lambda h: put(root(h), "order", [1, 1]), "order of classes"),
    ("stumps", lambda h: edit(root(h), "feature", 0, 4), "column that does not exist"),
    ("stumps", lambda h: edit(root(h), "threshold", 0, np.nan), "threshold"),
    ("stumps", lambda h: edit(root(h), "category", 0, 2), "category"),
    ("stumps", lambda h: edit(root(h), "proba", (0, 0, 0), 1.0), "do not sum to 1"),
    ("lazy", lambda h: edit(objects(h, "trees.TrainingSet"), "labels", 0, 9), "no class"),
    ("lazy", lambda h: objects(h, "trees.TrainingSet").pop("codes"), "part of its training rows"),
    ("lazy", lambda h: objects(h, "trees.TrainingSet")["codes"].pop(), "other columns"),
    ("lazy", lambda h: edit(objects(h, "trees.TrainingSet")["codes"], 3, 0, 900), "wrong training rows"),
    ("lazy", lambda h: put(root(h), "in_bag", [[1, 1]]), "training rows or bags"),
]


@pytest.mark.parametrize(("name", "change", "words"), CHANGES, ids=[f"{i}-{each[0]}" for i, each in enumerate(CHANGES)])
def test_what_does_not_belong_together_is_refused(
    name: str,
    change: Callable[[Document], None],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ModelFileError, match=words):
            load(name, change, tmp_path, monkeypatch)


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CHANGES}))
def test_without_a_change_they_load(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load(name, lambda _: None, tmp_path, monkeypatch)
    assert loaded.predict_proba(table()).tobytes() == model(name).predict_proba(table()).tobytes()


def test_a_model_inside_another_must_be_fitted(tmp_path: Path) -> None:
    header, _ = parts(
        fitted(lambda: CalibratedClassifier(ProbabilityTreeClassifier(max_depth=1)), table(), two_classes())
    )
    fields = objects(header, "trees.ProbabilityTreeClassifier")
    for name in [name for name in fields if name != "parameters"]:
        del fields[name]
    with pytest.raises(ModelFileError, match=r"must be fitted; got a trees.ProbabilityTreeClassifier"):
        calibrant.load_model(write(tmp_path / "m", file_of(header)))


def test_other_counts_are_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load("forest", lambda h: edit(forest(h), "counts", 0, 40), tmp_path, monkeypatch)
    proba = loaded.predict_proba(table())
    assert not np.array_equal(proba, model("forest").predict_proba(table()))
    assert np.allclose(proba.sum(axis=1), 1)
