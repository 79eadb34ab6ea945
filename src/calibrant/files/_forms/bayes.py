"""Forms of the classifiers of calibrant.bayes and of the distributions of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.bayes._internal import (
    CONSTANT_RULES,
    NAIVE_BAYES_RULES,
    CategoryCounts,
    FittedGaussian,
    Gaussian,
    IntervalCounts,
    KernelDistribution,
    Smoothing,
    ValueCounts,
    ValueGrid,
)
from calibrant.exceptions import ModelFileError
from calibrant.files._codec.arrays import Array
from calibrant.files._codec.fields import Field, Integer, ListOf, Number, Struct, Text
from calibrant.files._codec.form import Form, estimator_form
from calibrant.files._codec.values import Object
from calibrant.files._forms.data import COLUMNS, check_columns
from calibrant.files._forms.score_maps import need

__all__ = ["FORMS"]

_MOST = 1e150  # sums of such weights are finite
_FARTHEST = 4e300  # positions on a grid are clipped at 1e300
_LEAST_SD = 1e-3  # of a normal distribution on a grid, which has a sixth of a unit at least
_DIALECT = Text("exact", "weka")
_COUNTED = {"counts": Object("bayes.ValueCounts"), "dialect": _DIALECT}


def _check_constant(model: ConstantClassifier) -> None:
    check_columns(model)
    need(len(model.proba_) == len(model.classes_) >= 1, "has other probabilities than classes")
    need(abs(model.proba_.sum() - 1) < 1e-6, "has probabilities that do not sum to 1")


def _check_intervals(intervals: IntervalCounts) -> None:
    need(bool((np.diff(intervals.cuts) > 0).all()), "has cuts that are not in order")
    need(len(intervals.counts.counts) == len(intervals.cuts) + 1, "has other counts than intervals")


def _check_values(counts: ValueCounts) -> None:
    n_values, pairs = len(counts.values), len(counts.value_index)
    need(bool((np.diff(counts.values) > 0).all()), "has values that are not in order")
    need(pairs == len(counts.labels) == len(counts.weights) and (pairs > 0) == (n_values > 0), "has other labels")
    if pairs:
        need(int(counts.value_index.max()) < n_values, "has positions of values that are not there")
        need(int(counts.labels.max()) < counts.n_classes and float(counts.weights.min()) > 0, "has wrong classes")
        need(float(counts.weights.sum()) < _MOST, "has weights without a sum")


def _check_gaussian(gaussian: FittedGaussian) -> None:
    need(len(gaussian.means) == len(gaussian.sds) >= 1 and gaussian.grid.step > 0, "has other means than deviations")


def _n_classes(column: Any) -> int:
    """Return the number of classes of a column's distribution."""
    if isinstance(column, CategoryCounts):
        return int(column.counts.shape[1])
    if isinstance(column, IntervalCounts):
        return int(column.counts.counts.shape[1])
    return len(column.means) if isinstance(column, FittedGaussian) else int(column.counts.n_classes)


def _check_naive_bayes(model: NaiveBayesClassifier) -> None:
    check_columns(model)
    features, columns = model._schema.features, model._columns
    need(len(columns) == len(features) == len(model.cut_points_), "has other distributions than columns")
    need(len(model.class_count_) == len(model.classes_) >= 1, "has other counts than classes")
    column: Any
    for feature, column in zip(features, columns, strict=True):
        need(_n_classes(column) == len(model.classes_), "has distributions of other classes")
        is_nominal = isinstance(column, CategoryCounts)
        need(is_nominal == (feature.kind == "nominal"), "has distributions of other kinds of columns")
        need(not is_nominal or len(column.counts) == len(feature.categories), "has counts of other categories")


def _take_naive_bayes(model: NaiveBayesClassifier, training_rows: bool) -> Mapping[str, Any]:
    """Return the attributes; of normal distributions the values are left out, and their moments kept."""
    taken = {name: getattr(model, name) for name in _NAIVE_BAYES if hasattr(model, name)}
    if not training_rows and "_columns" in taken:
        taken["_columns"] = [_without_values(column) for column in model._columns]
    return taken


def _without_values(column: Any) -> Any:
    return column.fitted if isinstance(column, Gaussian) and len(column.counts.values) else column


def _note(model: NaiveBayesClassifier) -> str:
    kernels = [len(column.counts.values) for column in model._columns if isinstance(column, KernelDistribution)]
    return (
        f"holds up to {max(kernels):,} training values of {len(kernels)} columns, from which it predicts"
        if kernels
        else ""
    )


def _make_category_counts(values: dict[str, Any]) -> CategoryCounts:
    if values["counts"].shape[1] < 1:
        raise ModelFileError("has no classes")
    return CategoryCounts(**values)


_NAIVE_BAYES: dict[str, Field] = {
    **COLUMNS,
    "_columns": ListOf(
        Object(
            *(f"bayes.{name}" for name in ("CategoryCounts", "IntervalCounts", "Gaussian", "FittedGaussian")),
            "bayes.KernelDistribution",
        )
    ),
    "class_count_": Array("f8", finite=True, low=0, high=_MOST),
    "cut_points_": ListOf(Array("f8", finite=True)),
}

FORMS: tuple[Form, ...] = (
    estimator_form(
        "bayes.ConstantClassifier",
        ConstantClassifier,
        {**COLUMNS, "proba_": Array("f8", finite=True, low=0, high=1)},
        check=_check_constant,
        rules=CONSTANT_RULES,
    ),
    Form(
        "bayes.CategoryCounts",
        CategoryCounts,
        {
            "counts": Array("f8", ndim=2, finite=True, low=0, high=_MOST),
            "smoothing": Struct(Smoothing, {"how": Text("laplace", "m"), "m": Number(0, _MOST)}),
        },
        make=_make_category_counts,
    ),
    Form(
        "bayes.IntervalCounts",
        IntervalCounts,
        {"cuts": Array("f8", finite=True), "counts": Object("bayes.CategoryCounts")},
        check=_check_intervals,
    ),
    Form(
        "bayes.ValueCounts",
        ValueCounts,
        {
            "values": Array("f8", finite=True),
            "value_index": Array("i8", low=0),
            "labels": Array("i8", low=0),
            "weights": Array("f8", finite=True, low=0, high=_MOST),
            "n_classes": Integer(1, 2**31),
        },
        check=_check_values,
    ),
    Form("bayes.Gaussian", Gaussian, _COUNTED),
    Form("bayes.KernelDistribution", KernelDistribution, _COUNTED),
    Form(
        "bayes.FittedGaussian",
        FittedGaussian,
        {
            "means": Array("f8", finite=True, low=-_FARTHEST, high=_FARTHEST),
            "sds": Array("f8", finite=True, low=_LEAST_SD),
            "grid": Struct(ValueGrid, {"step": Number(0), "origin": Number(-_FARTHEST, _FARTHEST)}),
            "dialect": _DIALECT,
        },
        check=_check_gaussian,
    ),
    estimator_form(
        "bayes.NaiveBayesClassifier",
        NaiveBayesClassifier,
        _NAIVE_BAYES,
        check=_check_naive_bayes,
        take=_take_naive_bayes,
        note=_note,
        rules=NAIVE_BAYES_RULES,
    ),
)
