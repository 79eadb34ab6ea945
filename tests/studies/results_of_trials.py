"""Results of studies made in tests: from arrays of values, or from what `estimate_performance` returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.resampling import Performance
from calibrant.studies._results.predictions import predictions_to_parquet
from calibrant.studies._results.read_study import read_results
from calibrant.studies._results.study_results import StudyResults
from calibrant.studies._results.study_values import DatasetPlan, plan_facts


def columns_of(
    values: Mapping[tuple[str, str], Mapping[str, Any]], methods: list[str], failed: Any = (), missing: Any = ()
) -> dict[Any, Any]:
    """Return the columns of trials: values by (part, metric) and data set; gaps by (data set, method, split)."""
    first = next(iter(values.values()))
    places = [
        (name, method, split)
        for name, each in first.items()
        for method in range(len(methods))
        for split in range(np.shape(each)[1])
    ]
    places = [(name, method, split) for name, method, split in places if (name, methods[method], split) not in missing]
    is_failed = [(name, methods[method], split) in failed for name, method, split in places]
    columns: dict[Any, Any] = {
        "dataset": [name for name, _, _ in places],
        "method": [methods[method] for _, method, _ in places],
        "split": [split for _, _, split in places],
        "state": ["failed" if each else "done" for each in is_failed],
        "error": [
            "Traceback (most recent call last):\n  ...\nValueError: no rows\n" if each else "" for each in is_failed
        ],
    }
    for key, by_dataset in values.items():
        found = np.array([by_dataset[name][method][split] for name, method, split in places], dtype=float)
        columns[key] = np.where(is_failed, np.nan, found)
    return columns


def results(
    values: Mapping[str, Any],
    methods: list[str],
    plan: DatasetPlan | Mapping[str, DatasetPlan],
    metric: str = "mse",
    *,
    failed: Any = (),
    missing: Any = (),
    **options: Any,
) -> StudyResults:
    """Return the results of a study of one metric."""
    plans = dict.fromkeys(values, plan) if isinstance(plan, DatasetPlan) else dict(plan)
    columns = columns_of({("test", metric): values}, methods, failed, missing)
    names = {"datasets": list(values), "methods": methods, "metrics": [metric], "plans": plans}
    return read_results("test", columns, **names, **options)


def dataset_plan(plan: Any, split_names: Any, n_train: Any, n_test: Any) -> DatasetPlan:
    """Return a plan with the numbers of rows of its splits."""
    return DatasetPlan.of(plan_facts(plan, split_names), n_train, n_test)


def folds(n_folds: int, n_repeats: int = 1, n_rows: int = 100) -> DatasetPlan:
    """Return the plan of a cross-validation."""
    from calibrant.resampling import CrossValidation

    n = n_folds * n_repeats
    names = [f"split {number + 1}" for number in range(n)]
    n_test = n_rows // n_folds
    return dataset_plan(CrossValidation(n_folds, n_repeats), names, [n_rows - n_test] * n, [n_test] * n)


def of_performance(name: str, found: Performance, plan: Any, **options: Any) -> StudyResults:
    """Return the results of a study of one data set, as its trials would be recorded; not for bootstrap plans."""
    values = {("test", metric): {name: found.values[:, i]} for i, metric in enumerate(found.metrics)}
    columns = columns_of(values, list(found.methods))
    columns["choice"] = [found.choices[split] if found.choices else "" for split in columns["split"]]
    plans = {name: dataset_plan(plan, found.split_names, found.n_train, found.n_test)}
    names = {"datasets": [name], "methods": list(found.methods), "metrics": list(found.metrics), "plans": plans}

    def read(_: str, method: str) -> list[tuple[int, bytes]]:
        pooled = found.pooled(method)
        masks = [(split, pooled.split == split) for split in range(found.n_splits)]
        return [
            (split, predictions_to_parquet(pooled.row[at], pooled.y_true[at], pooled.y_pred[at], pooled.classes))
            for split, at in masks
        ]

    return read_results("test", columns, **names, read_predictions=read, **options)
