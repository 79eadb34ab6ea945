"""scikit-learn estimators as bytes of skops, with every size and index checked that compiled code relies on."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from calibrant._optional import optional_import
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.skops_archive import EXTRA_TRUSTED, SkopsArchive

_TREE_KEYS = {"max_depth", "node_count", "nodes", "values"}


def check_tree_nodes(archive: SkopsArchive) -> None:
    """Raise if a tree of an archive does not hold what its compiled class copies and follows without a check."""
    try:
        for node in archive.trees():
            _check_node_arrays(node, archive)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(f"holds a damaged tree of scikit-learn ({error})") from error


def _check_node_arrays(node: dict[str, Any], archive: SkopsArchive) -> None:
    n_features, classes, n_outputs = _arguments(node, archive)
    content = node["content"]["content"]
    if content.keys() != _TREE_KEYS:
        raise ModelFileError("holds a tree of scikit-learn with other fields than its class has")
    nodes, values = archive.array(content["nodes"]), archive.array(content["values"])
    if nodes.dtype.names is None or nodes.ndim != 1 or not len(nodes) == _integer(content["node_count"]) >= 1:
        raise ModelFileError("holds a tree of scikit-learn whose number of nodes is wrong")
    if values.dtype != np.float64 or values.shape != (len(nodes), n_outputs, classes.max()):
        raise ModelFileError("holds a tree of scikit-learn whose values have the wrong shape")
    _integer(content["max_depth"])
    internal = nodes["left_child"] != -1
    check_children(nodes["left_child"], nodes["right_child"], internal)
    feature = nodes["feature"][internal]
    if feature.size and not (feature.min() >= 0 and feature.max() < n_features):
        raise ModelFileError("holds a tree of scikit-learn that splits on a column it does not have")


def _arguments(node: dict[str, Any], archive: SkopsArchive) -> tuple[int, np.ndarray, int]:
    """Return the number of columns, the numbers of classes and the number of outputs that a tree is made with."""
    n_features, classes, n_outputs = node["__reduce__"]["args"]["content"]
    counts = archive.array(classes)
    outputs = _integer(n_outputs)
    if counts.dtype != np.int64 or outputs != 1 or counts.shape != (1,) or counts[0] < 1:
        raise ModelFileError("holds a tree of scikit-learn with other than one output")
    return _integer(n_features), counts, outputs


def _integer(node: dict[str, Any]) -> int:
    """Return the whole number of a node of plain JSON."""
    value = json.loads(node["content"]) if node["__loader__"] == "JsonNode" else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ModelFileError("holds a tree of scikit-learn whose sizes are not whole numbers")
    return value


def check_children(left: np.ndarray, right: np.ndarray, internal: np.ndarray) -> None:
    """Raise unless both children of every internal node come after it, so that each path ends, in a node there is."""
    parents = np.flatnonzero(internal)
    for child in (left[internal].astype(np.int64), right[internal].astype(np.int64)):
        if not ((child > parents) & (child < len(internal))).all():
            raise ModelFileError("holds a tree whose nodes are not in order")


def check_content(estimator: Any) -> None:
    """Raise if an estimator, or one inside it, holds sizes or indices that its compiled code would follow wrongly."""
    try:
        for part in _parts(estimator):
            _complete(part)
            check = _CHECKS.get(type(part).__name__)
            if check is not None:
                check(part)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(f"holds a damaged scikit-learn estimator ({error})") from error


def _parts(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and every object inside it, each once."""
    waiting, seen = [estimator], dict[int, Any]()
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen[id(item)] = item
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple, set)):
            waiting += item
        elif isinstance(item, np.ndarray):
            waiting += item.ravel().tolist() if item.dtype == object else ()
        elif type(item).__module__.startswith("sklearn."):
            yield item
            waiting += getattr(item, "__dict__", {}).values()


def _complete(part: Any) -> None:
    """Set parameters that an earlier version of scikit-learn did not have to their defaults."""
    if not isinstance(part, BaseEstimator):
        return
    for name, parameter in inspect.signature(type(part).__init__).parameters.items():
        if name in part._get_param_names() and name not in vars(part):
            _need(parameter.default is not parameter.empty, f"the parameter {name} is missing")
            setattr(part, name, parameter.default)


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ModelFileError(f"holds a damaged scikit-learn estimator: {what}")


def _check_tree(tree: Any) -> None:
    if hasattr(tree, "tree_"):
        _need(type(tree.tree_).__name__ == "Tree", "a tree without nodes")
        _need(tree.tree_.n_features == tree.n_features_in_, "a tree of other columns than its estimator")
        values = tree.tree_.value
        _need(np.isfinite(values).all(), "values of a tree")
        if hasattr(tree, "predict_proba"):  # which returns the shares of a leaf as they are
            _need(values.min() >= 0 and np.allclose(values.sum(axis=2), 1), "class shares of a tree")


def _check_members(ensemble: Any) -> None:
    """Check ensembles that pass validated rows straight to the compiled trees of their members."""
    if not hasattr(ensemble, "estimators_"):
        return
    members = np.asarray(ensemble.estimators_, dtype=object).ravel()
    for tree in members:
        _need(type(tree).__module__ == "sklearn.tree._classes", "an ensemble with a member that is no tree")
        _check_tree(tree)
        _need(tree.n_features_in_ == ensemble.n_features_in_, "members of different columns")


def _check_gradient_boosting(ensemble: Any) -> None:
    _check_members(ensemble)
    if hasattr(ensemble, "estimators_"):
        classes = len(getattr(ensemble, "classes_", ()))
        columns = classes if classes > 2 else 1
        shape = np.shape(ensemble.estimators_)
        _need(len(shape) == 2 and shape[1] == columns, "boosted trees of another number of classes")
        has_zero = isinstance(ensemble.init_, str) and ensemble.init_ == "zero"
        _need(has_zero or len(getattr(ensemble.init_, "classes_", ())) == classes, "a start of other classes")
        _need(all(tree.tree_.value.shape[1:] == (1, 1) for tree in ensemble.estimators_.ravel()), "values of a tree")


def _check_hist_gradient_boosting(ensemble: Any) -> None:
    if not hasattr(ensemble, "_predictors"):
        return
    _need(ensemble.is_categorical_ is None and ensemble._preprocessor is None, "categories of columns")
    mapper = ensemble._bin_mapper
    _need(not np.any(mapper.is_categorical_), "categories of columns")
    features = ensemble.n_features_in_
    _need(isinstance(features, int) and len(mapper.bin_thresholds_) == features, "the number of columns")
    _need(ensemble._n_features == features and len(mapper.is_categorical_) == features, "the number of columns")
    width = ensemble.n_trees_per_iteration_
    _need(np.shape(ensemble._baseline_prediction) == (1, width), "the first prediction")
    for stage in ensemble._predictors:
        _need(len(stage) == width, "a round with another number of trees")
        for predictor in stage:
            _check_predictor(predictor, features)


def _check_predictor(predictor: Any, features: int) -> None:
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    nodes = predictor.nodes
    _need(nodes.dtype == PREDICTOR_RECORD_DTYPE and nodes.ndim == 1 and len(nodes) > 0, "the nodes of a tree")
    internal = nodes["is_leaf"] == 0
    check_children(nodes["left"], nodes["right"], internal)
    _need(not nodes["is_categorical"].any() and set(np.unique(nodes["is_leaf"])) <= {0, 1}, "the nodes of a tree")
    _need(not internal.any() or int(nodes["feature_idx"][internal].min()) >= 0, "a column of a tree")
    _need(not internal.any() or int(nodes["feature_idx"][internal].max()) < features, "a column of a tree")


def _check_svm(machine: Any) -> None:
    """Check the arrays that libsvm reads by sizes taken from one of them."""
    if not hasattr(machine, "support_vectors_"):
        return
    classes, vectors, columns = len(machine.classes_), len(machine.support_), machine.n_features_in_
    pairs = classes * (classes - 1) // 2
    _need(machine._sparse is False and not callable(machine.kernel), "sparse rows or a kernel of one's own")
    _need(machine.kernel in ("linear", "poly", "rbf", "sigmoid") and "_impl" not in vars(machine), "its kernel")
    _need(np.shape(machine.support_vectors_) == (vectors, columns), "the support vectors")
    _need(machine._n_support.shape == (classes,) and (machine._n_support >= 0).all(), "the support vectors")
    _need(int(machine._n_support.sum()) == vectors, "the support vectors")
    _need(np.shape(machine._dual_coef_) == np.shape(machine.dual_coef_) == (classes - 1, vectors), "the coefficients")
    _need(np.shape(machine._intercept_) == np.shape(machine.intercept_) == (pairs,), "the intercepts")
    sizes = (np.size(machine._probA), np.size(machine._probB))
    _need(sizes in ((0, 0), (pairs, pairs)), "the probabilities")
    arrays = (machine.support_vectors_, machine._dual_coef_, machine._intercept_, machine._probA, machine._probB)
    _need(all(array.dtype == np.float64 for array in arrays), "the types of its arrays")
    _need(machine.support_.dtype == np.int32 and machine._n_support.dtype == np.int32, "the types of its arrays")


def _check_one_hot(encoder: Any) -> None:
    """Check an encoder whose sparse rows are made of column numbers that SciPy does not check again."""
    if not hasattr(encoder, "categories_"):
        return
    _need(encoder._infrequent_enabled is False, "rare categories")
    drop = [None] * len(encoder.categories_) if encoder.drop_idx_ is None else list(encoder.drop_idx_)
    widths = [len(found) - (one is not None) for found, one in zip(encoder.categories_, drop, strict=True)]
    _need(list(encoder._n_features_outs) == widths and encoder.n_features_in_ == len(widths), "the categories")
    kept = zip(encoder.categories_, drop, strict=True)
    _need(all(one is None or 0 <= int(one) < len(found) for found, one in kept), "the categories")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "DecisionTreeClassifier": _check_tree,
    "DecisionTreeRegressor": _check_tree,
    "ExtraTreeClassifier": _check_tree,
    "ExtraTreeRegressor": _check_tree,
    "ExtraTreesClassifier": _check_members,
    "ExtraTreesRegressor": _check_members,
    "RandomForestClassifier": _check_members,
    "RandomForestRegressor": _check_members,
    "GradientBoostingClassifier": _check_gradient_boosting,
    "GradientBoostingRegressor": _check_gradient_boosting,
    "HistGradientBoostingClassifier": _check_hist_gradient_boosting,
    "HistGradientBoostingRegressor": _check_hist_gradient_boosting,
    "NuSVC": _check_svm,
    "OneHotEncoder": _check_one_hot,
    "SVC": _check_svm,
}


def _skops() -> ModuleType:
    return optional_import("skops.io", extra="files", purpose="save and load scikit-learn estimators")  # type: ignore[no-any-return]


def sklearn_to_bytes(estimator: Any) -> bytes:
    """Return a scikit-learn estimator as bytes; raise if it holds what `sklearn_from_bytes` would not read."""
    skops = _skops()
    try:
        data = skops.dumps(estimator)
    except Exception as error:  # skops raises many kinds for what it cannot write
        raise ModelFileError(f"{type(estimator).__name__}: skops cannot write it ({error})") from error
    check_tree_nodes(SkopsArchive(data))
    check_content(estimator)
    return data  # type: ignore[no-any-return]


def sklearn_from_bytes(data: bytes) -> Any:
    """Return the scikit-learn estimator of the bytes; raise if anything in them is not on the list of trusted types."""
    skops = _skops()
    archive = SkopsArchive(data)
    check_tree_nodes(archive)
    try:
        estimator = skops.loads(archive.checked_bytes(), trusted=EXTRA_TRUSTED)
    except Exception as error:  # whatever the classes of scikit-learn raise for attributes that do not fit
        raise ModelFileError(f"holds a damaged scikit-learn estimator ({type(error).__name__}: {error})") from error
    if not isinstance(estimator, BaseEstimator):
        raise ModelFileError("holds something else where a scikit-learn estimator should stand")
    check_content(estimator)
    return estimator
