"""Input validation: two arrays of values reduced to what tests use, and values of methods on data sets or in trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats, as_unmasked_floats
from calibrant.exceptions import DataError, DataTypeError, ParameterError, SchemaError, nearest

# Differences below this share of the values count as rounding: about 50 units in the last place of a double
_ROUNDING = 1e-14
_LIMIT = 1e150  # squares of greater values overflow


class DifferenceMoments(NamedTuple):
    """Number, mean and variance (with divisor n - 1) of the differences of pairs."""

    n: int
    mean: float
    variance: float


class SampleMoments(NamedTuple):
    """Sizes of two samples, the difference of their means, and their variances (with divisor n - 1)."""

    n: tuple[int, int]
    difference: float
    variances: tuple[float, float]


class SignedDifferences(NamedTuple):
    """Differences of pairs, and the mid-ranks of their absolute values, zeros included."""

    values: NDArray[np.float64]
    ranks: NDArray[np.float64]


def read_difference_moments(a: Any, b: Any, test: str) -> DifferenceMoments:
    """Check paired values and return the moments of a - b.

    Where all differences are equal up to rounding, the variance is 0, and so is a mean that is rounding itself.

    Examples
    --------
    >>> read_difference_moments([3, 6, 9], [2, 3, 4], "test")
    DifferenceMoments(n=3, mean=3.0, variance=4.0)
    >>> read_difference_moments([0.3, 0.6, 0.9], [0.2, 0.5, 0.8], "test").variance
    0.0
    """
    differences, rounding = _read_differences(a, b, test)
    n, mean = len(differences), float(differences.mean())
    if np.ptp(differences) > rounding:
        return DifferenceMoments(n, mean, float(differences.var(ddof=1)))
    return DifferenceMoments(n, mean if abs(mean) > rounding else 0.0, 0.0)


def read_signed_differences(a: Any, b: Any, test: str) -> SignedDifferences:
    """Check paired values and return a - b with its ranks; values that are equal up to rounding are ties.

    Examples
    --------
    >>> read_signed_differences([0.3, 0.6, 0.9, 0.5], [0.2, 0.5, 0.7, 0.5], "test").ranks
    array([2.5, 2.5, 4. , 1. ])
    """
    differences, rounding = _read_differences(a, b, test)
    size = np.abs(differences)
    order = np.argsort(size, kind="stable")
    group = np.cumsum(np.diff(size[order], prepend=0.0) > rounding)  # group 0 holds the equal pairs
    starts, ends = np.searchsorted(group, group), np.searchsorted(group, group, side="right")
    ranks, values = np.empty(len(size)), np.empty(len(size))
    ranks[order] = (starts + 1 + ends) / 2
    values[order] = np.where(group == 0, 0.0, size[order][starts])
    return SignedDifferences(np.copysign(values, differences) + 0.0, ranks)


def read_sample_moments(a: Any, b: Any, test: str) -> SampleMoments:
    """Check values that are not paired and return the moments of both.

    Where all values of a method are equal up to rounding, its variance is 0, and the difference of the means is 0
    where it is rounding itself.

    Examples
    --------
    >>> read_sample_moments([1, 2, 3], [2, 4, 6, 8], "test")
    SampleMoments(n=(3, 4), difference=-3.0, variances=(1.0, 6.666666666666667))
    >>> read_sample_moments([0.3, 0.3], [0.1 + 0.2, 0.1 + 0.2], "test")
    SampleMoments(n=(2, 2), difference=0.0, variances=(0.0, 0.0))
    """
    samples = _read_values("a", a, "trial"), _read_values("b", b, "trial")
    for name, values in zip("ab", samples, strict=True):
        if len(values) < 2:
            raise DataError(f"{test} needs at least 2 values of each; {name} has {len(values)}. Run more trials.")
    rounding = _ROUNDING * max(float(np.abs(values).max()) for values in samples)
    first, second = (float(values.var(ddof=1)) if np.ptp(values) > rounding else 0.0 for values in samples)
    difference = float(samples[0].mean() - samples[1].mean())
    is_rounding = first == second == 0.0 and abs(difference) <= rounding
    return SampleMoments((len(samples[0]), len(samples[1])), 0.0 if is_rounding else difference, (first, second))


def read_names(names: Any) -> tuple[str, str]:
    """Check the names of two methods and return them as strings.

    Examples
    --------
    >>> read_names(["tree", "forest"])
    ('tree', 'forest')
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise ParameterError(f"names must be the names of the two methods; got {names!r}.")
    return str(names[0]), str(names[1])


def _read_differences(a: Any, b: Any, test: str) -> tuple[NDArray[np.float64], float]:
    """Return a - b, and the greatest size of a rounding error."""
    first, second = _read_values("a", a), _read_values("b", b)
    if len(first) != len(second):
        raise DataError(
            f"a has {len(first)} values, b {len(second)}; pass one value of each for every pair, in the same order."
        )
    if len(first) < 2:
        raise DataError(f"{test} needs at least 2 pairs to estimate their variance; got {len(first)}. Run more trials.")
    return first - second, _ROUNDING * float(max(np.abs(first).max(), np.abs(second).max()))


def _read_values(name: str, array: Any, unit: str = "pair") -> NDArray[np.float64]:
    try:
        if np.asarray(array).dtype.kind in "mM":  # dates, which NumPy would convert
            raise TypeError(array)
        values = as_unmasked_floats(array)  # NaN where one is masked
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{name} must hold numbers, one for each {unit}; got {type(array).__name__}.") from error
    if values.ndim != 1:
        raise DataError(f"{name} has shape {values.shape}; expected one value for each {unit}.")
    wrong = np.flatnonzero(~(np.abs(values) < _LIMIT))
    if len(wrong):
        drop = "those pairs from both" if unit == "pair" else "those values"
        raise DataError(
            f"{name} has {len(wrong)} value(s) that are NaN, infinite or huge (first at {wrong[0]}: {values[wrong[0]]})"
            f"; drop {drop}, or compare by a metric that is finite."
        )
    return values


_SHAPES = (
    "Pass a dict of data set to trials x methods, an array of data sets x trials x methods, or a frame with a row for "
    "each trial whose data set is in the column that by= names or in the first of several levels of a pandas index."
)


@dataclass(frozen=True)
class DatasetValues:
    """Values of methods in the trials of each data set."""

    methods: tuple[str, ...]
    values: dict[Any, NDArray[np.float64]]  # trials x methods of each data set

    def column(self, dataset: Any, method: str) -> NDArray[np.float64]:
        """Return the values of a method on a data set."""
        return self.values[dataset][:, self.methods.index(method)]


def read_dataset_values(
    table: Any, by: str | None = None, methods: list[str] | tuple[str, ...] | None = None
) -> DatasetValues:
    """Check values and return them by data set.

    Parameters
    ----------
    table : dict of data set to trials x methods, array of data sets x trials x methods, or a frame of all trials
        Frames may be of pandas, polars or pyarrow. `by` names the column of the data set, unless the pandas index has
        levels, the first of which is the data set.
    by : str, optional
        That column.
    methods : list of str, optional
        The methods, where the table has no names for its columns.

    Returns
    -------
    DatasetValues
        The values.

    Examples
    --------
    >>> read_dataset_values({"iris": [[0.1, 0.2], [0.3, 0.3]]}, methods=["tree", "forest"]).column("iris", "forest")
    array([0.2, 0.3])
    """
    flat, parts = _read_parts(table, by)
    if flat is not None:
        raise DataError(
            f"table has {len(_block(flat, methods)[1])} rows of one value for each method; each row is a data set, as "
            f"for friedman and compare_methods, and a test within a data set needs its trials. {_SHAPES}"
        )
    blocks = {name: _block(part, methods) for name, part in parts}
    if not blocks:
        raise DataError(f"table has no data sets. {_SHAPES}")
    named = next(iter(blocks.values()))[0]
    return DatasetValues(named, {name: _checked(name, *block, named) for name, block in blocks.items()})


def read_dataset_means(
    table: Any, by: str | None = None, methods: list[str] | tuple[str, ...] | None = None
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Check values and return the methods with one value for each data set (rows) and method (columns).

    A frame without `by` and levels, or an array of two dimensions, has a row for each data set. What
    `read_dataset_values` takes is averaged over the trials of each data set.

    Examples
    --------
    >>> read_dataset_means([[0.1, 0.2], [0.3, 0.3]], methods=["tree", "forest"])[1].tolist()
    [[0.1, 0.2], [0.3, 0.3]]
    >>> read_dataset_means({"iris": [[0.1, 0.2], [0.3, 0.2]], "wine": [[0.5, 0.6]]})[1].tolist()
    [[0.2, 0.2], [0.5, 0.6]]
    """
    flat, parts = _read_parts(table, by)
    blocks = [(name, *_block(part, methods)) for name, part in ([("table", flat)] if flat is not None else parts)]
    if not blocks:
        raise DataError("table has no data sets; pass the values of methods on at least two.")
    named, row = blocks[0][1], "trial" if flat is None else "row"
    checked = [_checked(name, names, values, named, 1, row) for name, names, values in blocks]
    rows = np.concatenate([block.mean(axis=0, keepdims=True) for block in checked]) if flat is None else checked[0]
    if len(rows) < 2:
        raise DataError(
            f"table has {len(rows)} data set; a comparison over data sets needs at least 2. Pass a frame or array of "
            f"data sets x methods; of trials: {_SHAPES[0].lower()}{_SHAPES[1:]}"
        )
    return named, rows


def _read_parts(table: Any, by: str | None) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return a table with a row for each data set, or None; and otherwise each data set with its trials."""
    frame = _as_frame(table)
    if isinstance(frame, nw.DataFrame):
        levels = getattr(getattr(frame.to_native(), "index", None), "nlevels", 1)
        return (table, []) if by is None and levels == 1 else (None, list(_parts_of_frame(frame, by)))
    if by is not None:
        raise ParameterError(f"by={by!r} names a column of a frame; the table is of type {type(table).__name__}.")
    if isinstance(table, Mapping):
        return None, list(table.items())
    values = _as_table(table)
    return (None, list(enumerate(values))) if values.ndim == 3 else (values, [])


def _as_frame(table: Any) -> Any:
    """Return a frame as a narwhals frame, and anything else unchanged."""
    try:
        return nw.from_native(table, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise SchemaError(f"table: two columns have the same name; rename one of them. {error}") from error


def _parts_of_frame(frame: nw.DataFrame[Any], by: str | None) -> Iterator[tuple[Any, Any]]:
    if by is not None:
        if by not in frame.columns:
            raise SchemaError(f"by={by!r} is not a column of the table.{nearest(by, frame.columns)}")
        if frame[by].is_null().any() or (frame[by].dtype.is_float() and frame[by].is_nan().any()):
            raise DataError(f"by={by!r} has missing values; each row must name its data set.")
        datasets, frame = frame[by].to_numpy(), frame.drop(by)
    else:
        datasets = frame.to_native().index.get_level_values(0).to_numpy()
    for name in dict.fromkeys(datasets.tolist()):
        yield name, frame.filter((datasets == name).tolist())


def _block(part: Any, methods: list[str] | tuple[str, ...] | None) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the methods and the values of one data set."""
    frame = _as_frame(part)
    is_frame = isinstance(frame, nw.DataFrame)
    values = _as_table(frame.to_numpy() if is_frame else part)
    if values.ndim != 2:
        raise DataError(f"table must have trials x methods for each data set; one has shape {values.shape}. {_SHAPES}")
    found = tuple(frame.columns) if is_frame else tuple(f"method {column}" for column in range(values.shape[1]))
    names = found if methods is None else methods
    if not isinstance(names, list | tuple) or not len(set(names)) == len(names) == values.shape[1]:
        raise ParameterError(
            f"methods must be a list that names the {values.shape[1]} columns, each once; got {names!r}."
        )
    return tuple(names), values


def _as_table(table: Any) -> NDArray[np.float64]:
    try:
        return as_floats(table)
    except (TypeError, ValueError) as error:
        raise DataTypeError(
            "table must hold numbers, one for each method and trial; pass a dict where data sets differ in trials, "
            "and by= where a column names them."
        ) from error


def _checked(
    dataset: Any,
    names: tuple[str, ...],
    values: NDArray[np.float64],
    methods: tuple[str, ...],
    least: int = 2,
    row: str = "trial",
) -> NDArray[np.float64]:
    """Check the values of a data set, and return them with the columns in the order of the first data set."""
    if set(names) != set(methods):
        raise SchemaError(f"table: {dataset!r} has the methods {list(names)}, the first data set {list(methods)}.")
    if len(methods) < 2 or len(values) < least:
        raise DataError(
            f"table: {dataset!r} has {len(values)} {row}(s) of {len(methods)} method(s); at least {least} and 2 are "
            "needed."
        )
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        position, column = wrong[0]
        raise DataError(
            f"table: {dataset!r} has {len(wrong)} value(s) that are NaN or infinite (first in {row} {position}, "
            f"{names[column]!r}); drop those {row}s, or compare by a metric that is finite."
        )
    return np.asarray(values[:, [names.index(method) for method in methods]])
