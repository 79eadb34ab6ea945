"""Forms of the estimates that turn class counts into probabilities, and of what predicts from kernel densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from calibrant._saved.arrays import Array
from calibrant._saved.fields import Field, Flag, Integer, Number, Text, TupleOf
from calibrant._saved.form import Form
from calibrant._saved.values import Object, Plain, Value
from calibrant.estimates import (
    Curtailment,
    Frequency,
    HierarchicalShrinkage,
    KernelDensity,
    Laplace,
    MBranch,
    MEstimate,
    PathAverage,
)
from calibrant.estimates._internal import ClassKernels, KernelReader
from calibrant.exceptions import ModelFileError, ParameterError
from calibrant.files._forms.legacy import Optional_

__all__ = ["ESTIMATE", "FORMS", "check_estimate"]

# An estimate with all its numbers.
ESTIMATE = Object(
    "estimates.Curtailment",
    "estimates.Frequency",
    "estimates.HierarchicalShrinkage",
    "estimates.KernelDensity",
    "estimates.Laplace",
    "estimates.MBranch",
    "estimates.MEstimate",
    "estimates.PathAverage",
)
_POSITIVE = Number(0, finite=False)
_PRIOR = Text("base_rate", "uniform") | TupleOf(Number(0, 1), least=1)


def check_estimate(estimate: Any, n_classes: int) -> None:
    """Raise unless an estimate has all its numbers, for this number of classes."""
    if isinstance(estimate, Curtailment):
        if not isinstance(estimate.v, float | int):
            raise ModelFileError("has an estimate without its numbers")
        if estimate.then is not None and not isinstance(estimate.then, str):
            check_estimate(estimate.then, n_classes)
    if isinstance(estimate, MEstimate) and not isinstance(estimate.m, float | int):
        raise ModelFileError("has an estimate without its numbers")
    if isinstance(estimate, HierarchicalShrinkage) and isinstance(estimate.strength, str):
        raise ModelFileError("has an estimate without its numbers")
    if isinstance(estimate, PathAverage) and estimate.needs_held_out:
        raise ModelFileError("has an estimate without its numbers")
    prior = estimate.prior if isinstance(estimate, MEstimate | KernelDensity) else "uniform"
    if not isinstance(prior, str) and len(prior) != n_classes:
        raise ModelFileError("has an estimate with a prior of other classes")


def _made_by(cls: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """Return what calls a constructor, which checks its arguments."""

    def make(values: dict[str, Any]) -> Any:
        try:
            return cls(**values)
        except ParameterError as error:
            raise ModelFileError(f"has a wrong number: {error}") from None

    return make


def _make_m_estimate(values: dict[str, Any]) -> MEstimate:
    position = values.pop("_position", None)
    estimate: MEstimate = _made_by(MEstimate)(values)
    object.__setattr__(estimate, "_position", position)
    return estimate


def _estimate(cls: type, fields: dict[str, Field], make: Callable[[dict[str, Any]], Any] | None = None) -> Form:
    return Form(f"estimates.{cls.__name__}", cls, fields, make=make or _made_by(cls))


def _check_kernels(kernels: ClassKernels) -> None:
    n_columns, n_classes = kernels.width.shape
    n_rows = len(kernels.label)
    if len(kernels.columns) != n_columns or len(kernels.weight) != n_rows or n_classes < 1:
        raise ModelFileError("has kernels of other columns or rows")
    if not ((kernels.label >= 0) & (kernels.label < n_classes)).all() or not (kernels.width > 0).all():
        raise ModelFileError("has kernels of no class or of no width")
    tested = kernels.n_categories
    if type(tested) is not dict or not all(type(key) is int and type(n) is int for key, n in tested.items()):
        raise ModelFileError("must have a number of categories for each column")
    for column, n in tested.items():
        if not 0 <= column < n_columns or n < 0 or len(kernels.columns[column]) != n_rows:
            raise ModelFileError("has kernels of a column that does not exist")
        _check_column(kernels.columns[column], kernels.width[column], n)


def _check_column(column: np.ndarray[Any, Any], width: np.ndarray[Any, Any], n_categories: int) -> None:
    is_nominal = n_categories > 0
    if (column.dtype.kind == "f") == is_nominal or (is_nominal and (column.max(initial=-1) >= n_categories)):
        raise ModelFileError("has kernels of values that the column does not have")
    if is_nominal and not (width < 1).all():
        raise ModelFileError("has kernels that are too wide")


def _check_reader(reader: KernelReader) -> None:
    n_nodes, n_classes = reader.fallback.shape
    columns = {column for each in reader.sets for column in each}
    if len(reader.set_of) != n_nodes or not ((reader.set_of >= 0) & (reader.set_of < len(reader.sets))).all():
        raise ModelFileError("has a set of columns that does not exist")
    if not columns <= reader.kernels.n_categories.keys():
        raise ModelFileError("has a set with a column that no test has")
    if reader.kernels.width.shape[1] != n_classes or len(reader.prior) != n_classes:
        raise ModelFileError("has kernels of other classes")
    if not math.isclose(float(reader.prior.sum()), 1.0, rel_tol=1e-9):
        raise ModelFileError("has prior probabilities that do not sum to 1")


def _reader_note(reader: KernelReader) -> str:
    return f"holds {len(reader.kernels.label):,} training rows, from which it predicts (kernel_density)"


FORMS = (
    _estimate(Frequency, {}),
    _estimate(Laplace, {"alpha": Number(0)}),
    _estimate(
        MEstimate,
        {
            "m": Optional_(_POSITIVE | Text("cv")),
            "strength": Number(0),
            "prior": _PRIOR,
            "positive": Value(),
            "_position": Optional_(Integer(0, 65_535)),
        },
        _make_m_estimate,
    ),
    _estimate(
        Curtailment,
        {"v": Optional_(_POSITIVE | Text("cv")), "strength": Number(0), "then": Optional_(Text() | ESTIMATE)},
    ),
    _estimate(MBranch, {"M": Number(0), "constant": Flag()}),
    _estimate(
        PathAverage,
        {
            "how": Text("bayes", "interpolate"),
            "alpha": Number(0),
            "prior": Text("flat", "wallace", "wallace_choices"),
            "n_rounds": Integer(0),
            "trust": Optional_(TupleOf(Number(0, 1), least=1)),
        },
    ),
    _estimate(HierarchicalShrinkage, {"strength": _POSITIVE | Text("cv")}),
    _estimate(KernelDensity, {"prior": _PRIOR, "width": Text("silverman", "cv")}),
    Form(
        "estimates.ClassKernels",
        ClassKernels,
        {
            "columns": TupleOf(Array("f8 f4 i4", finite=False)),
            "label": Array("i8", low=0),
            "weight": Array("f8", finite=True, low=0),
            "width": Array("f8", ndim=2, finite=True),
            "n_categories": Plain(),
        },
        check=_check_kernels,
    ),
    Form(
        "estimates.KernelReader",
        KernelReader,
        {
            "kernels": Object("estimates.ClassKernels"),
            "sets": TupleOf(TupleOf(Integer(0, 2**31))),
            "set_of": Array("i8"),
            "prior": Array("f8", finite=True, low=0, high=1),
            "fallback": Array("f8", ndim=2, finite=True, low=0, high=1),
        },
        check=_check_reader,
        note=_reader_note,
    ),
)
