"""LightGBM's classifier as text and parameters: read and checked, as its own parser follows numbers unchecked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import LabelEncoder

from calibrant._optional import optional_import
from calibrant.exceptions import ModelFileError

_FIRST = "tree\n"
_LAST = "end of trees\n"
_HEADER_FLAGS = ("average_output",)  # of random forests
_HEADER = {
    *("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "objective"),
    *("feature_names", "feature_infos", "tree_sizes", "monotone_constraints"),
}
_OBJECTIVES = re.compile(
    r"binary sigmoid:[0-9.e+-]{1,30}|multiclass num_class:(?P<softmax>[0-9]{1,6})"
    r"|multiclassova num_class:(?P<ova>[0-9]{1,6}) sigmoid:[0-9.e+-]{1,30}|cross_entropy"
)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,4})?|[+-]?inf")
_PER_LEAF = ("leaf_value", "leaf_weight", "leaf_count")
_PER_NODE = {
    *("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child"),
    *("internal_value", "internal_weight", "internal_count"),
}
_WHOLE = {"num_leaves", "num_cat", "split_feature", "decision_type", "left_child", "right_child", "leaf_count"} | {
    *("internal_count", "cat_boundaries", "cat_threshold", "is_linear"),
}
_TREE = {"num_leaves", "num_cat", "cat_boundaries", "cat_threshold", "is_linear", "shrinkage", *_PER_LEAF, *_PER_NODE}


@dataclass(frozen=True)
class TreesText:
    """The sizes and the objective of a checked model."""

    n_features: int
    n_outputs: int
    n_trees: int
    objective: str


def check_trees_text(text: str) -> TreesText:
    """Return the sizes of a model in LightGBM's text format; raise if LightGBM would not have written it so."""
    try:
        return _checked(text)
    except ModelFileError:
        raise
    except (KeyError, ValueError, IndexError, OverflowError) as error:
        raise _damaged(str(error)) from error


def _damaged(why: str) -> ModelFileError:
    return ModelFileError(f"holds a damaged model of LightGBM ({why})")


def _need(holds: object, why: str) -> None:
    if not holds:
        raise _damaged(why)


def _checked(text: str) -> TreesText:
    _need(text.isascii() or "\0" not in text, "it is no text")
    _need(text.startswith(_FIRST) and text.endswith(_LAST), "it has no trees")
    head, _, body = text.partition("\n\n")
    header = _header(head[len(_FIRST) :].split("\n"))
    sizes = _numbers("tree_sizes", header["tree_sizes"])
    found = TreesText(
        n_features=int(header["max_feature_idx"]) + 1,
        n_outputs=int(header["num_tree_per_iteration"]),
        n_trees=len(sizes),
        objective=header["objective"].partition(" ")[0],
    )
    _check_header(header, found)
    data = body.encode()
    _need(int(sum(sizes)) + len(_LAST) == len(data) and all(size > 0 for size in sizes), "the sizes of its trees")
    start = 0
    for number, size in enumerate(map(int, sizes)):
        _check_tree(data[start : start + size].decode(), number, found.n_features)
        start += size
    return found


def _header(lines: list[str]) -> dict[str, str]:
    """Return the lines of the header by their names."""
    pairs = [line.partition("=") for line in lines if line not in _HEADER_FLAGS]
    found = {name: value for name, _, value in pairs}
    _need(len(found) == len(pairs) and found.keys() <= _HEADER, "its header has other lines than LightGBM writes")
    return found


def _check_header(header: dict[str, str], found: TreesText) -> None:
    objective = _OBJECTIVES.fullmatch(header["objective"])
    _need(objective, f"the objective {header['objective'][:40]!r} is not one of a classifier")
    classes = int(objective["softmax"] or objective["ova"] or 1)  # type: ignore[index]
    _need(header["version"] == "v4" and re.fullmatch("[0-9]+", header["label_index"]), "its version")
    _need(1 <= found.n_features <= 10**6 and 1 <= found.n_outputs <= 10**5, "its sizes")
    _need(int(header["num_class"]) == found.n_outputs == classes, "its number of classes")
    _need(found.n_trees >= 1 and found.n_trees % found.n_outputs == 0, "its number of trees")
    for name in ("feature_names", "feature_infos"):
        _need(len(header[name].split(" ")) == found.n_features and header[name].isprintable(), name)
    if "monotone_constraints" in header:
        signs = _numbers("num_cat", header["monotone_constraints"])
        _need(len(signs) == found.n_features and set(signs.tolist()) <= {-1, 0, 1}, "monotone_constraints")


def _check_tree(block: str, number: int, n_features: int) -> None:
    lines = block.rstrip("\n").split("\n")
    _need(lines[0] == f"Tree={number}" and block.endswith("\n\n\n"), f"where tree {number} starts")
    pairs = [line.partition("=") for line in lines[1:]]
    values = {name: _numbers(name, text) for name, _, text in pairs}
    _need(len(values) == len(pairs) and values.keys() <= _TREE, f"the lines of tree {number}")
    leaves, categories = int(values["num_leaves"][0]), int(values["num_cat"][0])
    _need(leaves >= 1 and int(values.get("is_linear", np.zeros(1))[0]) == 0, "a tree of linear leaves, or of none")
    for name in ("num_leaves", "num_cat", "is_linear", "shrinkage"):
        _need(len(values.get(name, "1")) == 1, name)
    _need(len(values["leaf_value"]) == leaves, "leaf_value")
    if leaves > 1:
        _need(all(len(values[name]) == leaves for name in _PER_LEAF), "the leaves of a tree")
        _need(all(len(values[name]) == leaves - 1 for name in _PER_NODE), "the nodes of a tree")
        _check_splits(values, n_features)
        _check_categories(values, categories)
    else:
        _need(not any(len(values.get(name, ())) > 1 for name in (*_PER_LEAF, *_PER_NODE)), "a tree of one leaf")
        _need(categories == 0, "a tree of one leaf")


def _check_splits(values: dict[str, np.ndarray], n_features: int) -> None:
    """Raise unless the nodes make up a tree: children come later, and each node and leaf is reached once."""
    feature, nodes = values["split_feature"], np.arange(len(values["split_feature"]))
    _need(((feature >= 0) & (feature < n_features)).all(), "a column of a tree")
    _need(np.isfinite(values["leaf_value"]).all() and not np.isnan(values["threshold"]).any(), "a value of a tree")
    reached = np.concatenate([values["left_child"], values["right_child"]])
    later = reached > np.tile(nodes, 2)
    _need((later | (reached < 0)).all(), "the order of its nodes")
    _need(sorted(reached[reached >= 0].tolist()) == nodes[1:].tolist(), "the nodes of a tree")
    _need(sorted((~reached[reached < 0]).tolist()) == [*nodes.tolist(), len(nodes)], "the leaves of a tree")
    kinds = values["decision_type"]
    _need(((kinds >= 0) & (kinds < 12)).all(), "decision_type")  # bit 0: categorical, 1: default left, 2-3: missing


def _check_categories(values: dict[str, np.ndarray], count: int) -> None:
    """Raise unless every split on categories refers to a set of them that is there."""
    split = (values["decision_type"] & 1) == 1
    number = values["threshold"][split]
    _need((number == np.floor(number)).all() and ((number >= 0) & (number < count)).all(), "a set of categories")
    if not count:
        return
    bounds, words = values["cat_boundaries"], values["cat_threshold"]
    _need(len(bounds) == count + 1 and bounds[0] == 0 and bounds[-1] == len(words), "cat_boundaries")
    _need((np.diff(bounds) > 0).all() and ((words >= 0) & (words < 2**32)).all(), "cat_threshold")


def _numbers(name: str, text: str) -> np.ndarray:
    """Return the numbers of a line; one that is not a number is an error."""
    words = text.split(" ") if text else []
    kind: Callable[[str], float] = int if name in _WHOLE or name == "tree_sizes" else float
    _need(all(map(_NUMBER.fullmatch, words)), f"{name} is not made of numbers")
    return np.array([kind(word) for word in words], dtype=np.int64 if kind is int else np.float64)


# Not among them: names of files, machines and devices, and ``predict_disable_shape_check``, which lets rows of too few
# columns be read beyond their end.
_KNOWN = """
    bagging_fraction bagging_freq bagging_seed boost boost_from_average boosting boosting_type cat_l2 cat_smooth
    class_weight colsample_bynode colsample_bytree data_random_seed deterministic drop_rate drop_seed
    early_stopping_round early_stopping_rounds early_stopping_min_delta extra_seed extra_trees feature_fraction
    feature_fraction_bynode feature_fraction_seed first_metric_only force_col_wise force_row_wise
    importance_type interaction_constraints is_unbalance lambda_l1 lambda_l2 learning_rate max_bin
    max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_drop metric min_child_samples
    min_child_weight min_data_in_bin min_data_in_leaf min_data_per_group min_gain_to_split min_split_gain
    min_sum_hessian_in_leaf monotone_constraints monotone_constraints_method monotone_penalty n_estimators
    n_jobs neg_bagging_fraction num_class num_grad_quant_bins num_leaves num_threads objective objective_seed
    other_rate path_smooth pos_bagging_fraction quant_train_renew_leaf random_state reg_alpha reg_lambda
    scale_pos_weight seed sigmoid silent skip_drop stochastic_rounding subsample subsample_for_bin
    subsample_freq top_rate uniform_drop unbalanced_sets use_missing use_quantized_grad verbose verbosity
    xgboost_dart_mode zero_as_missing
"""
_WORD = re.compile(r"[A-Za-z0-9_.,:+-]{0,200}")
_MOST_THREADS = 1024  # OpenMP ends the process where it cannot start as many as requested
_GENERATORS = (np.random.RandomState, np.random.Generator)


def check_lightgbm_parameters(parameters: dict[str, Any]) -> None:
    """Raise if a parameter is not known to be harmless."""
    check_threads(parameters)
    for name, value in parameters.items():
        if name not in _KNOWN.split():
            raise ModelFileError(f".{name} is a parameter of LightGBM that model files do not hold")
        is_allowed = name == "random_state" and isinstance(value, _GENERATORS)
        if name != "class_weight" and not is_allowed and not _is_plain(value):
            raise ModelFileError(f".{name} must be a number, a word, or a list of numbers or words")


def check_threads(parameters: dict[str, Any]) -> None:
    """Raise if a parameter requests more threads than a machine has."""
    for name in ("n_jobs", "nthread", "num_threads"):
        value = parameters.get(name)
        if isinstance(value, int) and abs(value) > _MOST_THREADS:
            raise ModelFileError(f".{name} must be at most {_MOST_THREADS}")


def _is_plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if isinstance(value, list | tuple):
        return depth < 2 and all(_is_plain(each, depth + 1) for each in value)
    return value is None or isinstance(value, bool | int | float | np.integer | np.floating | np.bool_)


_END_OF_TREES = "end of trees\n"
_MOST_CATEGORIES = 10**6


def take_lightgbm(model: Any, _: bool) -> dict[str, Any]:
    """Return the values of a classifier: its parameters, and where it is fitted its trees and classes."""
    parameters = model.get_params()
    check_lightgbm_parameters(parameters)
    if not getattr(model, "fitted_", False):
        return {"parameters": parameters}
    booster = model.booster_
    return {
        "parameters": parameters,
        "text": _trees(booster),
        "classes": model.classes_,
        "n_features": model.n_features_in_,
        "named": bool(getattr(model, "_fitted_with_feature_names", True)),
        "categories": _plain(booster.pandas_categorical),
        "best_iteration": int(model._best_iteration),
        "best_score": {name: dict(values) for name, values in model.best_score_.items()},
        "evals_result": {name: dict(values) for name, values in (model.evals_result_ or {}).items()},
    }


def _trees(booster: Any) -> bytes:
    """Return the trees as text; the parameters of training, which stand behind them, are left out."""
    head, found, _ = booster.model_to_string(num_iteration=-1).partition(_END_OF_TREES)
    try:
        check_trees_text(head + found)
    except ModelFileError as error:
        raise ModelFileError(f"is a model of LightGBM that model files do not hold: {error}") from None
    return bytes((head + found).encode())


def _plain(categories: Any) -> Any:
    """Return the categories of columns as lists of plain values."""
    return (
        None
        if categories is None
        else [[getattr(each, "item", lambda e=each: e)() for each in column] for column in categories]
    )


def fit_lightgbm(values: dict[str, Any]) -> Any:
    """Return a classifier of these values, fitted if there are trees."""
    lightgbm = optional_import("lightgbm", extra="files", purpose="load this model")
    check_lightgbm_parameters(values["parameters"])
    model = lightgbm.LGBMClassifier(**values["parameters"])
    if values.keys() == {"parameters"}:
        return model
    if not {"text", "classes", "n_features", "named", "categories", "best_iteration"} <= values.keys():
        raise ModelFileError("holds half a model of LightGBM")
    _check_category_lists(values["categories"])
    try:
        text = values["text"].decode()
    except UnicodeDecodeError as error:
        raise ModelFileError("holds a damaged model of LightGBM (it is no text)") from error
    sizes, classes = check_trees_text(text), values["classes"]
    if sizes.n_features != values["n_features"] or sizes.n_outputs != (1 if len(classes) <= 2 else len(classes)):
        raise ModelFileError("holds a model of LightGBM whose columns or classes are not those of its estimator")
    _set_fitted(model, _booster(lightgbm, text), sizes.objective, values)
    return model


def _booster(lightgbm: Any, text: str) -> Any:
    try:
        return lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise ModelFileError(f"holds a damaged model of LightGBM ({error})") from error


def _check_category_lists(categories: Any) -> None:
    if categories is None:
        return
    is_table = isinstance(categories, list) and all(isinstance(column, list) for column in categories)
    if not is_table or not all(isinstance(each, str | bool | int | float) for column in categories for each in column):
        raise ModelFileError("holds a model of LightGBM whose categories are not lists of strings and numbers")


def _set_fitted(model: Any, booster: Any, objective: str, values: dict[str, Any]) -> None:
    """Set the attributes that the classifier's ``fit`` sets."""
    classes, encoder = values["classes"], LabelEncoder()
    encoder.classes_ = classes
    booster.pandas_categorical, booster.best_iteration = values["categories"], values["best_iteration"]
    model._Booster, model._le, model._classes, model._n_classes = booster, encoder, classes, len(classes)
    model._class_map = dict(zip(classes, np.arange(len(classes)), strict=True))
    model._n_features = model._n_features_in = values["n_features"]
    model._fitted_with_feature_names = values["named"]
    model._objective = objective if model.objective is None else model.objective
    model._best_iteration, model.fitted_ = values["best_iteration"], True
    model._best_score, model._evals_result = values.get("best_score", {}), values.get("evals_result", {})
