"""Weka in a warm Java virtual machine: the jar inside python-weka-wrapper3, driven through JPype.

pip install JPype1; pip download --no-deps --no-binary :all: python-weka-wrapper3; tar xf python_weka_wrapper3-*.tar.gz
WEKA_JAR=python_weka_wrapper3-.../python/weka/lib/weka.jar python benchmarks/resampling.py
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np


def weka_cross_validation(X: np.ndarray, y: np.ndarray, n_repeats: int) -> Callable[[], list[list[float]]] | None:
    """Return a function that runs Weka's repeated tenfold cross-validation of an unpruned J48; None without its jar."""
    jar = os.environ.get("WEKA_JAR")
    if jar is None:
        return None
    import jpype

    if not jpype.isJVMStarted():
        jpype.startJVM("-Xmx1g", "--add-opens=java.base/java.lang=ALL-UNNAMED", classpath=[jar])
    data, J48, Evaluation, Random = _instances(X, y), *map(jpype.JClass, _CLASSES)

    def run() -> list[list[float]]:
        results = []
        for repeat in range(n_repeats):
            tree = J48()
            tree.setOptions(["-U", "-A", "-O"])
            evaluation = Evaluation(data)
            evaluation.crossValidateModel(tree, data, 10, Random(repeat))
            results.append(_metrics(evaluation))
        return results

    return run


_CLASSES = ("weka.classifiers.trees.J48", "weka.classifiers.Evaluation", "java.util.Random")


def _metrics(evaluation: Any) -> list[float]:
    return [
        float(evaluation.pctCorrect()) / 100,
        float(evaluation.weightedAreaUnderROC()),
        float(evaluation.SFMeanSchemeEntropy()),
        float(evaluation.rootMeanSquaredError()),
    ]


def _instances(X: np.ndarray, y: np.ndarray) -> Any:
    """Convert a table to Weka instances; the class is the last column."""
    import jpype

    Attribute, ArrayList = jpype.JClass("weka.core.Attribute"), jpype.JClass("java.util.ArrayList")
    columns, labels = ArrayList(), ArrayList()
    for label in np.unique(y):
        labels.add(str(label))
    for column in range(X.shape[1]):
        columns.add(Attribute(f"x{column}"))
    columns.add(Attribute("class", labels))
    data = jpype.JClass("weka.core.Instances")("rows", columns, len(X))
    DenseInstance = jpype.JClass("weka.core.DenseInstance")
    for row in np.column_stack([X, y]):
        data.add(DenseInstance(1.0, jpype.JArray(jpype.JDouble)(row.tolist())))
    data.setClassIndex(X.shape[1])
    return data
