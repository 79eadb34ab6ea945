"""Forms of support vector machines, which hold their support vectors."""

from __future__ import annotations

import numpy as np

from calibrant._saved.arrays import Array
from calibrant._saved.fields import Integer, Number, Text
from calibrant.files._forms.data import COLUMNS, STANDARD_DESIGN, check_columns, check_standard_design
from calibrant.files._forms.legacy import Struct, estimator_form
from calibrant.files._forms.score_maps import need
from calibrant.svm import SVMClassifier
from calibrant.svm._internal import SVM_RULES, KernelFunction, Machines

__all__ = ["FORMS"]

_LARGE = 1e150  # products of two such numbers are finite
_FARTHEST = 1e6  # of a standardised term, so that powers of products are finite
_KERNEL = Struct(
    KernelFunction,
    {"name": Text("linear", "polynomial", "radial"), "degree": Integer(1, 10), "gamma": Number(0, 1e6)},
)
_MACHINES = Struct(
    Machines,
    {
        "kernel": _KERNEL,
        "support": Array("f8", ndim=2, finite=True, low=-_LARGE, high=_LARGE),
        "coef": Array("f8", ndim=2, finite=True, low=-1e100, high=1e100),
        "intercept": Array("f8", finite=True, low=-_LARGE, high=_LARGE),
        "low": Number(-1e300, 1e300),
        "high": Number(-1e300, 1e300),
    },
)


def _check(model: SVMClassifier) -> None:
    check_columns(model)
    check_standard_design(model._design, model._schema)
    machines, n_classes = model._machines, len(model.classes_)
    n_machines = n_classes if n_classes > 2 else n_classes - 1
    need(len(machines.coef) == len(machines.intercept) == len(model.n_iter_) == n_machines, "has other machines")
    need(machines.coef.shape[1] == len(machines.support), "has other coefficients than support vectors")
    need(machines.support.shape[1] == model._design.n_terms, "has support vectors of other columns")
    is_near = machines.kernel.name == "linear" or bool((np.abs(machines.support) <= _FARTHEST).all())
    need(is_near, "has support vectors beyond all rows")
    need(machines.low <= machines.high, "has a least margin above the greatest")


def _note(model: SVMClassifier) -> str:
    is_linear, n_vectors = model._machines.kernel.name == "linear", len(model._machines.support)
    return "" if is_linear else f"holds {n_vectors:,} training rows as numbers, its support vectors"


FORMS = (
    estimator_form(
        "svm.SVMClassifier",
        SVMClassifier,
        {**COLUMNS, "_design": STANDARD_DESIGN, "_machines": _MACHINES, "n_iter_": Array("i8", low=0)},
        check=_check,
        note=_note,
        rules=SVM_RULES,
    ),
)
