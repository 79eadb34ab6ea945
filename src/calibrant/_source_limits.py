"""Limits of models without training rows: parameters that a source refuses, requests that need rows not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeAlias

from calibrant.exceptions import DataTypeError, NotSavedError, ParameterError

_MAX_BINS = 255  # codes of a source are bytes, of which one means missing

# "any": every source. "levels": only where the tops of trees are grown level by level, from histograms of partitions.
SourceWay: TypeAlias = Literal["any", "levels"]


@dataclass(frozen=True)
class RefusedParameter:
    """Values of a parameter that raise where a model is learned from a source.

    Parameters
    ----------
    setting : str
        The parameter and its values as written in an error and in docs/scale.md, such as ``"warm_start=True"``.
    is_set : callable
        Whether an estimator has such a value; False for one without the parameter.
    instead : str
        What to do instead, a sentence of an error and of docs/scale.md.
    way : {"any", "levels"}
        The way of learning that raises.
    """

    setting: str
    is_set: Callable[[Any], bool]
    instead: str
    way: SourceWay = "any"


def _looks_at_rows(estimator: Any) -> bool:
    estimate = getattr(estimator, "estimate", None)
    return estimate == "kernel_density" if isinstance(estimate, str) else hasattr(estimate, "reader")


_MORE_MEMORY = "{}, or start workers that have memory for the codes of all rows."

REFUSED_PARAMETERS: tuple[RefusedParameter, ...] = (
    RefusedParameter(
        "max_bins > 255",
        lambda estimator: (getattr(estimator, "max_bins", None) or 0) > _MAX_BINS,
        "Set max_bins to 255 or less: codes of a source are bytes.",
    ),
    RefusedParameter(
        "warm_start=True",
        lambda estimator: bool(getattr(estimator, "warm_start", False)),
        "Set n_trees to the number wanted: the rows are not kept after a fit.",
    ),
    RefusedParameter(
        'estimate="kernel_density"',
        _looks_at_rows,
        "Choose an estimate that is read from class counts: kernel densities keep the rows of every leaf.",
    ),
    RefusedParameter(
        'numeric="kernel"',
        lambda estimator: getattr(estimator, "numeric", None) == "kernel",
        'Set numeric to "gaussian", "mdl" or "equal_width": kernels keep every value.',
    ),
    RefusedParameter(
        'numeric="gaussian" with dialect="weka"',
        lambda estimator: getattr(estimator, "numeric", None) == "gaussian" and estimator.dialect == "weka",
        'Set dialect to "exact": the digits of Weka need every value.',
    ),
    RefusedParameter(
        "prune other than None",
        lambda estimator: getattr(estimator, "prune", None) is not None,
        _MORE_MEMORY.format("Set prune=None"),
        "levels",
    ),
    RefusedParameter(
        "honest=True",
        lambda estimator: bool(getattr(estimator, "honest", False)),
        _MORE_MEMORY.format("Set honest=False"),
        "levels",
    ),
    RefusedParameter(
        "collapse=True",
        lambda estimator: bool(getattr(estimator, "collapse", False)),
        _MORE_MEMORY.format("Set collapse=False"),
        "levels",
    ),
    RefusedParameter(
        'out_of_bag_weight="auto" or "leaf" with out_of_bag="condition"',
        lambda estimator: (
            getattr(estimator, "out_of_bag", None) == "condition" and isinstance(estimator.out_of_bag_weight, str)
        ),
        _MORE_MEMORY.format('Set out_of_bag_weight to a number, or out_of_bag="count"'),
        "levels",
    ),
    RefusedParameter(
        'dialect="j48" of boosted trees',
        lambda estimator: hasattr(estimator, "resample") and getattr(estimator, "dialect", "c45") == "j48",
        _MORE_MEMORY.format('Set dialect="c45"'),
        "levels",
    ),
)

# Estimators that keep their training rows, and what to use instead.
IN_MEMORY_ESTIMATORS: dict[str, str] = {
    "LazyOptionTreesClassifier": "BaggedTreesClassifier, or pass a sample of the rows in memory",
    "NeighborsClassifier": "BaggedTreesClassifier, or pass a sample of the rows in memory",
}


def check_source_params(estimator: Any, way: SourceWay = "any") -> None:
    """Raise if a parameter of an estimator has a value that cannot be used with a source.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> check_source_params(BaggedTreesClassifier(warm_start=True))
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: BaggedTreesClassifier: warm_start=True cannot be used where rows are read from
    a source. Set n_trees to the number wanted: the rows are not kept after a fit.
    """
    for refused in REFUSED_PARAMETERS:
        if refused.way in ("any", way) and refused.is_set(estimator):
            where = "a source" if refused.way == "any" else "a source level by level"
            raise ParameterError(
                f"{type(estimator).__name__}: {refused.setting} cannot be used where rows are read from {where}. "
                f"{refused.instead}"
            )


def refuse_source(estimator: Any, is_source: bool) -> None:
    """Raise if an estimator that keeps its training rows in memory is passed a source.

    Examples
    --------
    >>> from calibrant.ensembles import LazyOptionTreesClassifier
    >>> refuse_source(LazyOptionTreesClassifier(), True)
    Traceback (most recent call last):
    calibrant.exceptions.DataTypeError: LazyOptionTreesClassifier keeps its training rows, so it cannot learn from a
    source, which may not fit memory. Use BaggedTreesClassifier, or pass a sample of the rows in memory.
    """
    if is_source:
        name = type(estimator).__name__
        raise DataTypeError(
            f"{name} keeps its training rows, so it cannot learn from a source, which may not fit memory. Use "
            f"{IN_MEMORY_ESTIMATORS[name]}."
        )


def check_no_client(client: Any) -> None:
    """Raise if a client is passed with a table in memory.

    Examples
    --------
    >>> check_no_client(None)
    """
    if client is not None:
        raise ParameterError(
            "client must be None for a table in memory; got a client. Pass a Dask frame or array to learn on its "
            "workers."
        )


def check_source_columns(**columns: Any) -> None:
    """Raise unless classes, weights and groups are columns of a source, the classes at least.

    Examples
    --------
    >>> check_source_columns(y="ill", sample_weight=None)
    >>> check_source_columns(y=[0, 1])
    Traceback (most recent call last):
    calibrant.exceptions.DataTypeError: y must be the name of a column where X is a source; got list. Put it into the
    source as a column, or pass a table in memory.
    """
    for argument, name in columns.items():
        if not isinstance(name, str | int) and (name is not None or argument == "y"):
            raise DataTypeError(
                f"{argument} must be the name of a column where X is a source; got {type(name).__name__}. Put it into "
                "the source as a column, or pass a table in memory."
            )


class _NotKeptError(NotSavedError):
    """Training rows are needed of a model that was fitted to a source, whose rows no model keeps."""


def missing_rows(*, from_source: bool = False) -> NoReturn:
    """Raise for training rows that a model lacks; `from_source` where they were dropped at the end of `fit`.

    Examples
    --------
    >>> missing_rows()
    Traceback (most recent call last):
    calibrant.exceptions.NotSavedError: The model was saved without its training rows, which are needed here. Save it
    with training_rows=True.
    """
    if from_source:
        raise _NotKeptError(
            "The model was fitted to a source, whose rows it does not keep, and they are needed here. Fit it to a "
            "table in memory, with max_bins where it is large."
        )
    raise NotSavedError(
        "The model was saved without its training rows, which are needed here. Save it with training_rows=True."
    )


@contextmanager
def rows_needed(model: object, request: str) -> Iterator[None]:
    """Name the model and the request in the error where training rows are needed that were not saved.

    Examples
    --------
    >>> with rows_needed([], "oob_proba_"):
    ...     missing_rows()
    Traceback (most recent call last):
    calibrant.exceptions.NotSavedError: list was saved without its training rows, which oob_proba_ needs. Save it with
    training_rows=True.
    """
    try:
        yield
    except _NotKeptError:
        raise _NotKeptError(
            f"{type(model).__name__} was fitted to a source, whose rows it does not keep, and {request} needs them. "
            "Fit it to a table in memory, with max_bins where it is large."
        ) from None
    except NotSavedError:
        raise NotSavedError(
            f"{type(model).__name__} was saved without its training rows, which {request} needs. Save it with "
            "training_rows=True."
        ) from None
