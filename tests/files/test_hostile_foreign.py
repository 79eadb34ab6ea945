"""Hostile payloads of skops, LightGBM and XGBoost: what their own readers would follow is refused before."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC
from tests.files.crafted import file_of, parts, write
from tests.files.models import numbers, table, two_classes

import calibrant
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.lightgbm import check_trees_text, fit_lightgbm, take_lightgbm
from calibrant.files._foreign.sklearn_estimators import sklearn_from_bytes, sklearn_to_bytes
from calibrant.files._foreign.xgboost import fit_xgboost, take_xgboost

skops = pytest.importorskip("skops.io")


@cache
def forest() -> bytes:
    return sklearn_to_bytes(RandomForestClassifier(2, max_depth=3, random_state=0).fit(numbers(), two_classes()))


def changed(data: bytes, *, schema: Callable[[Any], Any] | None = None, **files: Callable[[bytes], bytes]) -> bytes:
    """Return an archive of skops with its document or its arrays changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    if schema:
        document = json.loads(entries["schema.json"])
        entries["schema.json"] = json.dumps(schema(document) or document).encode()
    if "arrays" in files:
        entries = {name: files["arrays"](each) if name.endswith("npy") else each for name, each in entries.items()}
    return archived(entries)


def archived(entries: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, each in entries.items():
            archive.writestr(name, each)
    return written.getvalue()


def node(module: str, name: str, loader: str, **more: Any) -> dict[str, Any]:
    return {"__class__": name, "__module__": module, "__loader__": loader, "__id__": 1, **more}


ATTACKS = {
    "a function of the system": node("os", "system", "FunctionNode"),
    "a call": node("builtins", "partial", "PartialNode", content={}),
    "a method": node("sklearn.svm._classes", "SVC", "MethodNode", content={"func": "fit", "obj": {}}),
    "an operator": node("operator", "methodcaller", "OperatorFuncNode", attrs={}),
    "a type": node("subprocess", "Popen", "TypeNode"),
    "an object": node("subprocess", "Popen", "ObjectNode"),
    "a constructor": node("subprocess", "Popen", "ConstructorFromReduceNode", content={}),
    "an old loader": node("builtins", "dict", "DefaultDictNode", content={}),
    "an estimator off the list": node("sklearn.neighbors._kde", "KernelDensity", "ObjectNode"),
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("inside", [False, True])
def test_types_off_the_list_are_refused(attack: str, inside: bool) -> None:
    def put(document: Any) -> Any:
        if not inside:
            return ATTACKS[attack] | {"protocol": 2, "_skops_version": "0"}
        document["content"]["content"]["n_jobs"] = ATTACKS[attack]
        return document

    with pytest.raises(ModelFileError, match="is of a class that model files do not hold"):
        sklearn_from_bytes(changed(forest(), schema=put))


def test_the_list_of_skops_itself_is_longer() -> None:
    data = skops.dumps(__import__("sklearn.neighbors", fromlist=["x"]).KernelDensity())
    assert skops.get_untrusted_types(data=data) == []
    with pytest.raises(ModelFileError, match="KernelDensity"):
        sklearn_from_bytes(data)


@pytest.mark.parametrize("field", ["left_child", "right_child", "feature"])
@pytest.mark.parametrize("value", [-7, 0, 10**6])
def test_a_tree_that_leads_out_of_its_nodes_is_refused(field: str, value: int) -> None:
    def lead_out(data: bytes) -> bytes:
        array = np.load(io.BytesIO(data))
        if array.dtype.names and field in array.dtype.names:
            array[field][0] = value if field != "feature" or value else -1
            written = io.BytesIO()
            np.save(written, array)
            return written.getvalue()
        return data

    with pytest.raises(ModelFileError, match="tree"):
        sklearn_from_bytes(changed(forest(), arrays=lead_out))


@pytest.mark.parametrize("change", [np.negative, lambda shares: 2 * shares], ids=["negative", "above 1"])
def test_a_tree_whose_probabilities_are_none_is_refused(change: Callable[[np.ndarray], np.ndarray]) -> None:
    def change_shares(data: bytes) -> bytes:
        array = np.load(io.BytesIO(data))
        written = io.BytesIO()
        np.save(written, change(array) if array.ndim == 3 else array)
        return written.getvalue()

    with pytest.raises(ModelFileError, match="class shares of a tree"):
        sklearn_from_bytes(changed(forest(), arrays=change_shares))


def test_an_array_that_is_shorter_than_its_header_is_refused() -> None:
    with pytest.raises(ModelFileError, match="length is not that of its header"):
        sklearn_from_bytes(changed(forest(), arrays=lambda data: data[:-8]))


def test_a_pickled_array_is_refused(tmp_path: Any) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "owned"),)

    stream = io.BytesIO()
    np.save(stream, np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(ModelFileError, match="length is not that of its header"):
        sklearn_from_bytes(changed(forest(), arrays=lambda _: stream.getvalue()))
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    "entries",
    [
        {"schema.json": b"{}", "../../evil.npy": b""},
        {"schema.json": b"{}", "a.pkl": b""},
        {"schema.json": b"[" * 100_000},
        {"schema.json": b"{" * 9},
        {},
    ],
    ids=["a path", "another name", "deep", "no JSON", "empty"],
)
def test_archives_that_skops_does_not_write_are_refused(entries: dict[str, bytes]) -> None:
    with pytest.raises(ModelFileError):
        sklearn_from_bytes(archived(entries))


def test_a_compressed_archive_is_refused() -> None:
    with pytest.raises(ModelFileError, match="entries that skops does not write"):
        sklearn_from_bytes(archived({"schema.json": b" " * 10**7}, zipfile.ZIP_DEFLATED))


@pytest.mark.parametrize("protocol", [0, 1, 3, True, None, "2"])
def test_another_protocol_is_refused(protocol: Any) -> None:
    with pytest.raises(ModelFileError, match="another protocol of skops"):
        sklearn_from_bytes(changed(forest(), schema=lambda document: document | {"protocol": protocol}))


def test_two_objects_of_one_number_are_read_as_they_stand() -> None:
    model = LogisticRegression().fit(numbers(), two_classes())

    def same_numbers(document: Any) -> None:
        waiting = [document]
        while waiting:
            item = waiting.pop()
            if isinstance(item, dict):
                item.pop("__id__", None)
                item |= {"__id__": 1} if "__loader__" in item else {}
                waiting += item.values()
            elif isinstance(item, list):
                waiting += item

    loaded = sklearn_from_bytes(changed(sklearn_to_bytes(model), schema=same_numbers))
    assert loaded.predict_proba(numbers()).tobytes() == model.predict_proba(numbers()).tobytes()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda machine: setattr(machine, "_n_support", machine._n_support * 1000),
        lambda machine: setattr(machine, "support_vectors_", machine.support_vectors_[:, :1]),
        lambda machine: setattr(machine, "_dual_coef_", machine._dual_coef_[:, :3]),
        lambda machine: setattr(machine, "_intercept_", np.zeros(0)),
        lambda machine: setattr(machine, "_impl", "one_class"),
        lambda machine: setattr(machine, "classes_", np.arange(50)),
    ],
)
def test_a_support_vector_machine_of_other_sizes_is_refused(spoil: Callable[[Any], None]) -> None:
    machine = SVC().fit(numbers(), two_classes())
    spoil(machine)
    with pytest.raises(ModelFileError):
        sklearn_from_bytes(skops.dumps(machine))


def test_a_histogram_tree_that_leads_out_is_refused() -> None:
    model = HistGradientBoostingClassifier(max_iter=2).fit(numbers(), two_classes())
    model._predictors[0][0].nodes["left"][0] = 10**6
    with pytest.raises(ModelFileError, match="not in order"):
        sklearn_from_bytes(skops.dumps(model))


def lightgbm_values() -> dict[str, Any]:
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=2, num_leaves=4, min_child_samples=5, verbose=-1)
    return take_lightgbm(model.fit(table().astype({"town": "category"}), two_classes()), False)


def with_sizes(text: str) -> str:
    """Return a text whose sizes of trees are right again."""
    sizes = [len(block) for block in re.findall(r"Tree=.*?\n\n\n", text, re.DOTALL)]
    return re.sub("tree_sizes=.*", f"tree_sizes={' '.join(map(str, sizes))}", text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"left_child=-?\d+", "left_child=900"),
        (r"left_child=-?\d+", "left_child=-900"),
        (r"left_child=-?\d+", "left_child=0"),
        (r"split_feature=0", "split_feature=77"),
        (r"num_leaves=4", "num_leaves=400000000"),
        (r"max_feature_idx=3", "max_feature_idx=30000"),
        (r"num_tree_per_iteration=1", "num_tree_per_iteration=7"),
        (r"objective=binary sigmoid:1", "objective=multiclass num_class:100"),
        (r"tree_sizes=", "tree_sizes=9"),
        (r"is_linear=0", "is_linear=1"),
        (r"leaf_value=", "leaf_value=nan "),
        (r"end of trees", "end of trees\n\nparameters:\n[machines: evil:1]"),
    ],
)
def test_texts_that_lightgbm_would_follow_anywhere_are_refused(old: str, new: str) -> None:
    text = lightgbm_values()["text"].decode()
    assert check_trees_text(with_sizes(text)) == check_trees_text(text)
    spoiled, times = re.subn(old, new, text, count=1)
    assert times == 1
    with pytest.raises(ModelFileError):
        check_trees_text(spoiled if "tree_sizes" in old else with_sizes(spoiled))


@pytest.mark.parametrize(
    "parameters",
    [
        {"predict_disable_shape_check": True},
        {"boosting_type": "gbdt predict_disable_shape_check=true"},
        {"machines": "evil:1"},
        {"forcedsplits_filename": "/etc/passwd"},
        {"n_jobs": 10**9},
    ],
    ids=str,
)
def test_parameters_of_lightgbm_that_do_harm_are_refused(parameters: dict[str, Any]) -> None:
    values = lightgbm_values()
    with pytest.raises(ModelFileError):
        fit_lightgbm(values | {"parameters": values["parameters"] | parameters})


def xgboost_values() -> dict[str, Any]:
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=2, max_depth=2, enable_categorical=True, max_cat_to_onehot=1)
    return take_xgboost(model.fit(table().astype({"town": "category"}), two_classes() == "yes"), False)


def _tree(document: Any) -> Any:
    return document["learner"]["gradient_booster"]["model"]["trees"][0]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda doc: _tree(doc)["left_children"].__setitem__(0, 10**6),
        lambda doc: _tree(doc)["left_children"].__setitem__(1, 0),
        lambda doc: _tree(doc)["right_children"].__setitem__(0, _tree(doc)["left_children"][0]),
        lambda doc: _tree(doc)["split_indices"].__setitem__(0, 99),
        lambda doc: _tree(doc)["split_conditions"].pop(),
        lambda doc: _tree(doc)["tree_param"].__setitem__("num_nodes", "1000000"),
        lambda doc: _tree(doc)["split_type"].__setitem__(0, 1 - _tree(doc)["split_type"][0]),
        lambda doc: doc["learner"]["learner_model_param"].__setitem__("num_feature", "1"),
        lambda doc: doc["learner"]["learner_model_param"].__setitem__("num_class", "900"),
        lambda doc: doc["learner"]["gradient_booster"]["model"]["tree_info"].__setitem__(0, 5),
        lambda doc: doc["learner"]["gradient_booster"]["model"]["iteration_indptr"].__setitem__(1, 9),
        lambda doc: doc["learner"]["gradient_booster"].__setitem__("name", "gblinear"),
        lambda doc: doc["learner"]["objective"].__setitem__("name", "rank:ndcg"),
        lambda doc: doc["learner"]["gradient_booster"]["model"]["cats"]["sorted_idx"].append(99),
        lambda doc: doc["learner"]["feature_names"].pop(),
    ],
)
def test_documents_that_xgboost_would_follow_anywhere_are_refused(spoil: Callable[[Any], None]) -> None:
    values = xgboost_values()
    document = json.loads(values["text"])
    spoil(document)
    with pytest.raises(ModelFileError, match="damaged model of XGBoost"):
        fit_xgboost(values | {"text": json.dumps(document).encode()})


def test_an_estimator_that_cannot_predict_is_refused(tmp_path: Path) -> None:
    model = LogisticRegression().fit(numbers(), two_classes())
    model.coef_ = model.coef_[:, :-1]
    header, arrays = parts(model)
    with pytest.raises(ModelFileError, match=r"cannot predict \(ValueError"):
        calibrant.load_model(write(tmp_path / "model", file_of(header, [array.tobytes() for array in arrays])))


def test_an_estimator_that_asks_for_all_memory_is_refused(tmp_path: Path) -> None:
    model = make_pipeline(PolynomialFeatures(2), LogisticRegression()).fit(numbers(), two_classes())
    model[0]._n_out_full = 10**14
    header, arrays = parts(model)
    with pytest.raises(ModelFileError, match=r"cannot predict \(.*MemoryError"):
        calibrant.load_model(write(tmp_path / "model", file_of(header, [array.tobytes() for array in arrays])))
