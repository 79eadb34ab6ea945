"""XGBoost's classifier as JSON and parameters, checked before XGBoost reads them."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.lightgbm import check_threads

_OBJECTIVES = ("binary:logistic", "binary:logitraw", "binary:hinge", "multi:softprob", "multi:softmax")
_MOST_CATEGORIES = 2**20  # XGBoost keeps a bit for each up to the highest
_ROOT = 2**31 - 1
_FLOATS = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")
_WHOLE = ("default_left", "left_children", "parents", "right_children", "split_indices", "split_type")
_CATEGORIES = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_TREE = {*_FLOATS, *_WHOLE, *_CATEGORIES, "id", "tree_param"}
_NAME = re.compile(r"[A-Za-z_]{1,40}")


def check_model_json(text: bytes, n_classes: int) -> str:
    """Return a model in XGBoost's JSON format, written again from what was checked of it."""
    try:
        document = json.loads(text)
        _check(document, n_classes)
        return json.dumps(document, allow_nan=False)
    except ModelFileError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
        raise _damaged(str(error)) from error


def _damaged(why: str) -> ModelFileError:
    return ModelFileError(f"holds a damaged model of XGBoost ({why})")


def _need(holds: object, why: str) -> None:
    if not holds:
        raise _damaged(why)


def _whole(text: Any, low: int, high: int) -> int:
    """Return a whole number, which XGBoost writes as a string."""
    _need(isinstance(text, str) and re.fullmatch("[0-9]{1,10}", text) and low <= int(text) <= high, "a number")
    return int(text)


def _check(document: dict[str, Any], n_classes: int) -> None:
    _need(document.keys() == {"learner", "version"}, "its parts")
    version = document["version"]
    _need(len(version) == 3 and all(type(part) is int and 0 <= part < 1000 for part in version), "its version")
    learner = document["learner"]
    parts = {"attributes", "feature_names", "feature_types", "gradient_booster", "learner_model_param", "objective"}
    _need(learner.keys() == parts, "its parts")
    param = learner["learner_model_param"]
    n_features = _whole(param["num_feature"], 1, 10**6)
    outputs = 1 if n_classes == 2 else n_classes
    _need(_whole(param["num_class"], 0, 10**5) == (0 if outputs == 1 else outputs), "its number of classes")
    _need(_whole(param["num_target"], 1, 1) and param["boost_from_average"] in ("0", "1"), "its outputs")
    _need(len(_floats(json.loads(param["base_score"]))) in (1, outputs), "its base score")
    _check_names(learner, n_features)
    _check_objective(learner["objective"], outputs)
    booster = learner["gradient_booster"]
    if booster["name"] == "dart":
        weights = _floats(booster["weight_drop"])
        booster = booster["gbtree"]
        _need(len(weights) == len(booster["model"]["trees"]), "the weights of its trees")
    _need(booster["name"] == "gbtree" and booster.keys() == {"model", "name"}, "the kind of its booster")
    _check_trees(booster["model"], n_features, outputs)


def _check_names(learner: dict[str, Any], n_features: int) -> None:
    for name in ("feature_names", "feature_types"):
        values = learner[name]
        _need(type(values) is list and len(values) in (0, n_features), name)
        _need(all(type(value) is str for value in values), name)
    attributes = learner["attributes"]
    _need(all(type(value) is str and len(value) < 10**6 for value in attributes.values()), "its attributes")


def _check_objective(objective: dict[str, Any], outputs: int) -> None:
    name = objective["name"]
    _need(name in _OBJECTIVES and (outputs > 1) == name.startswith("multi:"), f"the objective {name!r:.40}")
    for part, values in objective.items():
        if part != "name":
            _need(_NAME.fullmatch(part) and all(type(value) is str for value in values.values()), "its objective")
            _need(values.get("num_class", str(outputs)) == str(outputs), "its number of classes")


def _check_trees(model: dict[str, Any], n_features: int, outputs: int) -> None:
    _need(model.keys() <= {"cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees"}, "its trees")
    trees, groups, rounds = model["trees"], model["tree_info"], _integers(model["iteration_indptr"])
    _need(_whole(model["gbtree_model_param"]["num_trees"], 0, 10**7) == len(trees) == len(groups), "its trees")
    parallel = _whole(model["gbtree_model_param"]["num_parallel_tree"], 0, 10**7)
    group = _integers(groups)
    _need(((group >= 0) & (group < outputs)).all(), "the classes of its trees")
    step = max(parallel, 1) * outputs
    _need(rounds.tolist() == list(range(0, len(trees) + 1, step)) and len(trees) % step == 0, "its rounds")
    for number, tree in enumerate(trees):
        _need(tree.keys() == _TREE and tree["id"] == number, "the fields of a tree")
        _check_tree(tree, n_features)
    if "cats" in model:
        _check_cats(model["cats"], n_features)


def _check_tree(tree: dict[str, Any], n_features: int) -> None:
    param = tree["tree_param"]
    count = _whole(param["num_nodes"], 1, 10**8)
    _need(_whole(param["num_feature"], 0, 10**6) == n_features, "the columns of a tree")
    _need(_whole(param["size_leaf_vector"], 0, 1) in (0, 1) and _whole(param["num_deleted"], 0, count) >= 0, "a tree")
    for name in _FLOATS:
        _need(len(_floats(tree[name])) == count, name)
    whole = {name: _integers(tree[name]) for name in _WHOLE}
    _need(all(len(values) == count for values in whole.values()), "the nodes of a tree")
    _need(all(set(np.unique(whole[name])) <= {0, 1} for name in ("default_left", "split_type")), "the splits of a tree")
    reached = _reached(whole)
    split = reached & (whole["left_children"] != -1)
    feature = whole["split_indices"][split]
    _need(((feature >= 0) & (feature < n_features)).all(), "a column of a tree")
    _check_categories(tree, whole["split_type"], split)


def _reached(whole: dict[str, np.ndarray]) -> np.ndarray:
    """Return a mask of the nodes that a row can reach; raise unless one path leads to each, by the parent it names."""
    left, right, parents = whole["left_children"], whole["right_children"], whole["parents"]
    reached = np.zeros(len(left), dtype=bool)
    level, origin = np.zeros(1, dtype=np.int64), np.array([_ROOT])
    while level.size:
        _need(((level >= 0) & (level < len(left))).all() and not reached[level].any(), "the order of its nodes")
        _need(len(np.unique(level)) == len(level) and (parents[level] == origin).all(), "the order of its nodes")
        reached[level] = True
        _need(((left[level] == -1) == (right[level] == -1)).all(), "a node with one child")
        inner = level[left[level] != -1]
        level, origin = np.concatenate([left[inner], right[inner]]), np.concatenate([inner, inner])
    return reached


def _check_categories(tree: dict[str, Any], split_type: np.ndarray, split: np.ndarray) -> None:
    """Raise unless every split on categories has its own part of the categories of the tree."""
    values, nodes, starts, sizes = (_integers(tree[name]) for name in _CATEGORIES)
    _need(nodes.tolist() == np.flatnonzero(split_type == 1).tolist(), "the splits on categories of a tree")
    _need(split[nodes].all() and len(starts) == len(sizes) == len(nodes), "the splits on categories of a tree")
    _need((sizes > 0).all() and int(sizes.sum()) == len(values), "the categories of a tree")
    _need(starts.tolist() == (np.cumsum(sizes) - sizes).tolist(), "the categories of a tree")
    _need(((values >= 0) & (values < _MOST_CATEGORIES)).all(), "the categories of a tree")


def _check_cats(cats: dict[str, Any], n_features: int) -> None:
    """Raise unless the categories of the training table are strings or numbers of lengths that agree."""
    _need(cats.keys() == {"enc", "feature_segments", "sorted_idx"}, "its categories")
    lengths = [_n_categories(part) for part in cats["enc"]]
    segments, order = _integers(cats["feature_segments"]), _integers(cats["sorted_idx"])
    if lengths or len(segments) or len(order):
        _need(len(lengths) == n_features, "its categories")
        _need(segments.tolist() == [0, *np.cumsum(lengths).tolist()] and len(order) == sum(lengths), "its categories")
        start = 0
        for length in lengths:
            _need(sorted(order[start : start + length].tolist()) == list(range(length)), "its categories")
            start += length


def _n_categories(part: dict[str, Any]) -> int:
    """Return the number of categories of a column."""
    values = _integers(part["values"]) if part.get("type") not in (5, 6, 7) else _floats(part["values"])
    if part.keys() == {"offsets", "values"}:
        offsets = _integers(part["offsets"])
        _need(((values >= -128) & (values < 256)).all(), "its categories")
        if not len(offsets):
            _need(not len(values), "its categories")
            return 0
        _need(offsets[0] == 0 and (np.diff(offsets) >= 0).all() and offsets[-1] == len(values), "its categories")
        return len(offsets) - 1
    _need(part.keys() == {"type", "values"} and type(part["type"]) is int and 0 <= part["type"] < 16, "its categories")
    return len(values)


def _integers(values: Any) -> np.ndarray:
    """Return a list of whole numbers as an array."""
    _need(type(values) is list and all(type(value) is int for value in values), "a list of whole numbers")
    return np.array(values, dtype=np.int64)


def _floats(values: Any) -> np.ndarray:
    """Return a list of finite numbers as an array."""
    _need(type(values) is list and all(type(value) in (int, float) for value in values), "a list of numbers")
    found = np.array(values, dtype=np.float64)
    _need(np.isfinite(found).all(), "a number that is not finite")
    return found


def take_xgboost(model: Any, _: bool) -> dict[str, Any]:
    """Return the values of a classifier: its parameters, and where it is fitted its trees."""
    parameters = model.get_params()
    for name in ("callbacks", "objective", "eval_metric"):
        if parameters.get(name) is not None and not isinstance(parameters[name], str | list):
            raise ModelFileError(f".{name} is a function, which model files do not hold")
    if not model.__sklearn_is_fitted__():
        return {"parameters": parameters}
    text = bytes(model.get_booster().save_raw("json"))
    try:
        check_model_json(text, model.n_classes_)
    except ModelFileError as error:
        raise ModelFileError(f"is a model of XGBoost that model files do not hold: {error}") from None
    found = {"parameters": parameters, "text": text, "n_classes": int(model.n_classes_)}
    results = getattr(model, "evals_result_", None)
    return found | ({} if results is None else {"evals_result": {name: dict(each) for name, each in results.items()}})


def fit_xgboost(values: dict[str, Any]) -> Any:
    """Return a classifier of these values, fitted if there are trees."""
    xgboost = optional_import("xgboost", extra="files", purpose="load this model")
    check_threads(values["parameters"])
    try:
        model = xgboost.XGBClassifier(**values["parameters"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"has wrong parameters of XGBoost: {error}") from error
    if values.keys() == {"parameters"}:
        return model
    if not {"text", "n_classes"} <= values.keys():
        raise ModelFileError("holds half a model of XGBoost")
    text = check_model_json(values["text"], values["n_classes"])
    try:
        booster = xgboost.Booster({"n_jobs": model.n_jobs})
        booster.load_model(bytearray(text.encode()))
    except (xgboost.core.XGBoostError, TypeError, ValueError) as error:
        raise ModelFileError(f"holds a damaged model of XGBoost ({error})") from error
    model._Booster, model.n_classes_ = booster, values["n_classes"]
    if "evals_result" in values:
        model.evals_result_ = values["evals_result"]
    return model
