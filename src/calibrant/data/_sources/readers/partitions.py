"""The partitions of Dask frames and arrays as pandas frames, not computed; each is checked when it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from calibrant.data._frames.columns import find_duplicates
from calibrant.data._sources.readers.reader import SourceReader
from calibrant.exceptions import DataTypeError, SchemaError

if TYPE_CHECKING:
    from calibrant.data._sources.column_roles import ColumnRoles

__all__ = ["PartitionReader", "Partitions"]


class Partitions:
    """The partitions of a Dask collection, in order.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.array.Array
        The columns of an array are named by their positions.
    """

    def __init__(self, collection: Any) -> None:
        self._collection = collection
        self.is_array = hasattr(collection, "chunks")
        self.name = "the Dask array" if self.is_array else "the Dask frame"
        if getattr(collection, "ndim", 0) != 2:
            raise DataTypeError(f"{self.name} must have two dimensions; got {type(collection).__name__}.")
        if self.is_array:
            self.columns = [str(position) for position in range(collection.shape[1])]
        else:
            self.columns = [str(name) for name in collection.columns]
            if repeated := find_duplicates(self.columns):
                raise SchemaError(f"{self.name} has several columns named {repeated[0]!r}. Rename them.")

    def delayed(self, names: Sequence[str]) -> list[Any]:
        """Return a delayed pandas frame of some columns for each partition."""
        from dask.delayed import delayed

        positions = [self.columns.index(name) for name in names]
        if self.is_array:
            read = delayed(_block_frame, pure=False)
            whole = self._collection.rechunk({1: -1})
            return [read(block, tuple(names), positions) for block in whole.to_delayed().ravel()]
        chosen = self._collection[[self._collection.columns[position] for position in positions]]
        expected = tuple((name, _dtype_name(chosen.dtypes.iloc[i])) for i, name in enumerate(names))
        read = delayed(_checked, pure=False)
        return [read(part, expected, number) for number, part in enumerate(chosen.to_delayed())]


class PartitionReader(SourceReader):
    """A Dask collection whose partitions this process computes one after another."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self.name, self.columns = partitions.name, partitions.columns

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield the partitions."""
        for number, delayed in enumerate(self._partitions.delayed(roles.columns)):
            yield f"partition {number}", delayed.compute()


def _block_frame(block: Any, names: Sequence[str], positions: Sequence[int]) -> Any:
    """Return some columns of a block of an array as a frame."""
    import pandas as pd

    return pd.DataFrame({name: block[:, position] for name, position in zip(names, positions, strict=True)})


def _checked(frame: Any, expected: Sequence[tuple[str, str]], number: int) -> Any:
    """Return a computed partition; raise if it has other columns or dtypes than the Dask frame declares."""
    names = [str(name) for name in frame.columns]
    if names != [name for name, _ in expected]:
        raise SchemaError(
            f"partition {number} of the Dask frame has the columns {', '.join(map(repr, names))}; the frame declares "
            f"{', '.join(repr(name) for name, _ in expected)}. Build the frame from partitions of the same columns."
        )
    for position, (name, dtype) in enumerate(expected):
        found = _dtype_name(frame.dtypes.iloc[position])
        if found != dtype:
            raise SchemaError(
                f"column {name!r} of partition {number} of the Dask frame is of dtype {found}; the frame declares "
                f"{dtype}. Convert it with astype, or correct the meta of the frame."
            )
    return frame.set_axis(names, axis=1)


def _dtype_name(dtype: Any) -> str:
    """Return the name of a dtype; text is text, however it is stored."""
    return "str" if str(dtype) in ("object", "str", "string") else str(dtype)
