"""A fitted forest as an ONNX graph, run by onnxruntime with one thread: the same trees in another library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calibrant.ensembles import BaggedTreesClassifier

OPSETS = {"": 17, "ai.onnx.ml": 3}


def session_of(model: BaggedTreesClassifier) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that predicts probabilities of float32 rows, which take the same branches as in the model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        graph_of(model).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda rows: session.run(["probabilities"], {"rows": rows})[0]


def graph_of(model: BaggedTreesClassifier) -> Any:
    """Convert numeric trees and their probability tables to one TreeEnsembleClassifier."""
    from onnx import TensorProto, helper

    n_classes, n_trees = len(model.classes_), len(model.trees_)
    parts = [_tree(number, tree, table / n_trees) for number, (tree, table) in enumerate(_trees_and_tables(model))]
    attributes = {name: [value for part in parts for value in part[name]] for name in parts[0]}
    node = helper.make_node(
        "TreeEnsembleClassifier",
        ["rows"],
        ["labels", "probabilities"],
        domain="ai.onnx.ml",
        classlabels_int64s=list(range(n_classes)),
        post_transform="NONE",
        **attributes,
    )
    rows = helper.make_tensor_value_info("rows", TensorProto.FLOAT, [None, model.n_features_in_])
    labels = helper.make_tensor_value_info("labels", TensorProto.INT64, [None])
    probabilities = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, n_classes])
    graph = helper.make_graph([node], "forest", [rows], [labels, probabilities])
    opsets = [helper.make_opsetid(domain, number) for domain, number in OPSETS.items()]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _trees_and_tables(model: BaggedTreesClassifier) -> Any:
    return zip(model.trees_, model._reading.tables, strict=True)


def _tree(number: int, tree: Any, table: np.ndarray) -> dict[str, list[Any]]:
    """Return the attributes of one tree: its nodes, and a weight for each class at each leaf."""
    leaves, n_classes = np.flatnonzero(tree.is_leaf), table.shape[1]
    first, second = (np.where(tree.is_leaf, 0, _child(tree, branch)).tolist() for branch in (0, 1))
    return {
        "nodes_treeids": [number] * tree.n_nodes,
        "nodes_nodeids": list(range(tree.n_nodes)),
        "nodes_featureids": np.maximum(tree.feature, 0).tolist(),
        "nodes_modes": np.where(tree.is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        "nodes_values": rounded_down(np.where(tree.is_leaf, 0.0, tree.threshold)).tolist(),
        "nodes_truenodeids": first,
        "nodes_falsenodeids": second,
        "class_treeids": [number] * (len(leaves) * n_classes),
        "class_nodeids": np.repeat(leaves, n_classes).tolist(),
        "class_ids": np.tile(np.arange(n_classes), len(leaves)).tolist(),
        "class_weights": table[leaves].ravel().tolist(),
    }


def _child(tree: Any, branch: int) -> np.ndarray:
    return tree.children[np.minimum(tree.first_child + branch, len(tree.children) - 1)]


def rounded_down(thresholds: np.ndarray) -> np.ndarray:
    """Return the largest float32 not above each threshold; no float32 lies between the two."""
    nearest = thresholds.astype(np.float32)
    return np.where(nearest > thresholds, np.nextafter(nearest, np.float32(-np.inf)), nearest)
