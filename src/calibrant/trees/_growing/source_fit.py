"""Fits to sources, tables that may be larger than memory: their codes are on disk while a model is fitted to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from calibrant._source_limits import check_source_columns, check_source_params
from calibrant.data._internal import DaskSource, Source, binned_rows, open_source, warn_of_weights
from calibrant.trees._cluster.cluster_fit import fit_examples, fit_on_cluster
from calibrant.trees._growing.examples import Examples
from calibrant.trees._growing.training_data import number_classes

__all__ = ["fit_source", "open_examples"]

E = TypeVar("E")


def fit_source(estimator: E, X: Any, y: Any, sample_weight: Any, groups: Any, client: Any) -> E:
    """Fit an estimator of trees to a source; its rows are dropped in the end.

    Examples
    --------
    >>> import polars
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> lazy = polars.LazyFrame({"age": [31, 64, 45, 19], "ill": ["no", "yes", "yes", "no"]})
    >>> fit_source(ProbabilityTreeClassifier(), lazy, "ill", None, None, None).tree_
    <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
    """
    check_source_params(estimator)
    check_source_columns(y=y, sample_weight=sample_weight, groups=groups)
    roles = {"target": y, "sample_weight": sample_weight, "groups": groups}
    with open_source(X, **roles, nominal=estimator.nominal, client=client) as source:  # type: ignore[attr-defined]
        if isinstance(source, DaskSource):
            fit_on_cluster(estimator, source)
        else:
            with open_examples(estimator, source) as examples:
                fit_examples(estimator, examples)
    return estimator


@contextmanager
def open_examples(estimator: Any, source: Source) -> Iterator[Examples]:
    """Yield the rows of a source, one byte a value in a scratch folder that is removed in the end."""
    with binned_rows(source, estimator.max_bins, n_jobs=estimator.n_jobs) as rows:
        if getattr(estimator, "weight_kind", "frequency") == "frequency":
            warn_of_weights(rows.weights)
        numbered = number_classes(rows.labels, rows.weights, rows.groups, getattr(estimator, "class_weight", None))
        names = source.columns if source.roles.named else None
        yield replace(Examples.of(numbered, rows.table, names), from_source=True).with_exact_sums()
