"""What stands for the training rows of a model that was loaded from a file without them, or fitted to a source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from calibrant.exceptions import NotSavedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.data._internal import Schema

__all__ = ["ExamplesWithoutRows", "TableWithoutRows", "missing_rows", "rows_needed"]


class _NotKeptError(NotSavedError):
    """Training rows are needed of a model that was fitted to a source, whose rows no model keeps."""


def missing_rows(name: str, *, from_source: bool = False) -> NoReturn:
    """Raise for an attribute that an object lacks: `NotSavedError` unless Python itself looks for it.

    `from_source` is whether the rows are those of a source, which were dropped at the end of `fit`.

    Examples
    --------
    >>> missing_rows("labels")
    Traceback (most recent call last):
    calibrant.exceptions.NotSavedError: The model was saved without its training rows, which are needed here. Save it
    with training_rows=True.
    """
    if name.startswith("__"):
        raise AttributeError(name)
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
    ...     missing_rows("labels")
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


@dataclass(frozen=True, eq=False)
class TableWithoutRows:
    """The columns of a coded table; ``cut_values`` are the distinct values next to the cuts of a tree, by column."""

    schema: Schema
    cut_values: tuple[NDArray[np.float64] | None, ...] = ()
    from_source: bool = False

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.schema.features)

    def known_values(self, column: int) -> NDArray[np.float64] | None:
        """Return the values of a column next to cuts; None where they are not known."""
        return self.cut_values[column] if self.cut_values else None

    def __getattr__(self, name: str) -> Any:
        missing_rows(name, from_source=vars(self).get("from_source", False))


@dataclass(frozen=True, eq=False)
class ExamplesWithoutRows:
    """Classes, columns and class weights of training rows; anything else of them raises `NotSavedError`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.data._internal import Schema
    >>> table = TableWithoutRows(Schema((), named=False))
    >>> examples = ExamplesWithoutRows(np.array(["a", "b"]), 2, np.arange(2), None, np.array([3.0, 1.0]), table)
    >>> examples.columns_and_classes[1]
    array(['a', 'b'], dtype='<U1')
    >>> examples.labels
    Traceback (most recent call last):
    calibrant.exceptions.NotSavedError: The model was saved without its training rows, which are needed here. Save it
    with training_rows=True.
    """

    classes: NDArray[Any]
    n_declared: int
    order: NDArray[np.intp]
    feature_names: tuple[str, ...] | None
    class_weights: NDArray[np.float64]
    table: TableWithoutRows

    @property
    def from_source(self) -> bool:
        """Whether the rows were those of a source."""
        return self.table.from_source

    @property
    def columns_and_classes(self) -> tuple[Schema, NDArray[Any], tuple[str, ...] | None]:
        """What a fitted classifier stores: the schema, the classes, and the column names where all are strings."""
        return self.table.schema, self.classes, self.feature_names

    def __getattr__(self, name: str) -> Any:
        missing_rows(name, from_source="table" in vars(self) and self.from_source)
