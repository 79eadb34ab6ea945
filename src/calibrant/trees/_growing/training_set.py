"""The training set of a tree: coded columns, numbered classes, weights."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from calibrant._exact_sums import round_weights
from calibrant._params import Real, check_param
from calibrant.data import CodedTable
from calibrant.data._internal import (
    Columns,
    Labels,
    Nominal,
    TrainingRows,
    WeightKind,
    check_weight_sizes,
    code_columns,
    copies_among,
    hash_codes,
    read_training_rows,
    warn_of_weights,
)
from calibrant.exceptions import DataError, NotSavedError, ParameterError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Schema

__all__ = [
    "Examples",
    "ExamplesWithoutRows",
    "NumberedClasses",
    "TableWithoutRows",
    "TrainingData",
    "class_factors",
    "fixed_point_step",
    "fixed_point_weights",
    "missing_rows",
    "number_classes",
    "prepare_training",
    "read_training",
    "read_training_for",
    "rows_needed",
]


ClassWeight = Mapping[Any, float] | Literal["balanced"] | None

_MAX_CLASSES = 65_535  # the core keeps the class of a row in 16 bits


@dataclass(frozen=True, eq=False)
class NumberedClasses:
    """The classes of training rows and their weights; ``weights`` is None where every row counts once.

    The core numbers the classes in the order in which they were declared, because ties follow that order: ``labels``
    use the core's numbers, and ``order`` is the core's number of each sorted class. ``copies`` is the number of rows
    that a row stands for in folds, its weight without that of its class, None for one each; ``groups`` numbers rows
    that belong together.
    """

    classes: NDArray[Any]
    n_declared: int
    labels: NDArray[np.uint16]
    order: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    copies: NDArray[np.float64] | None = field(default=None, kw_only=True)
    groups: NDArray[np.intp] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class TrainingData(NumberedClasses):
    """Validated training rows."""

    columns: Columns


def read_training(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    nominal: Nominal = "auto",
    class_weight: ClassWeight = None,
    groups: Any = None,
    weight_kind: WeightKind = "frequency",
) -> TrainingData:
    """Validate a table, its classes, its weights and the groups of its rows; warn of weights that are no frequencies.

    Examples
    --------
    >>> training = read_training([[1.0], [2.0], [9.0]], ["b", "a", "c"], [1, 2, 0])
    >>> training.columns.n_rows, training.classes.tolist(), training.weights
    (2, ['a', 'b'], array([1., 2.]))
    """
    rows = read_training_rows(X, y, sample_weight, nominal=nominal, groups=groups)
    if weight_kind == "frequency":
        warn_of_weights(rows.weights)
    return prepare_training(rows, class_weight)


def read_training_for(classifier: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingData:
    """Validate the arguments of the `fit` of a tree or forest by its parameters.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(class_weight={"a": 3.0})
    >>> read_training_for(model, [[1.0], [2.0]], ["b", "a"], None, None).weights
    array([1., 3.])
    """
    return read_training(
        X,
        y,
        sample_weight,
        nominal=classifier.nominal,
        class_weight=classifier.class_weight,
        groups=groups,
        weight_kind=classifier.weight_kind,
    )


def prepare_training(rows: TrainingRows, class_weight: ClassWeight = None) -> TrainingData:
    """Weight validated rows by class and number their classes as the core needs them.

    Examples
    --------
    >>> rows = read_training_rows([[1.0], [2.0]], ["b", "a"])
    >>> prepare_training(rows, {"a": 3.0}).weights
    array([1., 3.])
    """
    numbered = number_classes(rows.labels, rows.weights, rows.groups, class_weight)
    return TrainingData(**vars(numbered), columns=rows.columns)


def number_classes(
    labels: Labels,
    weights: NDArray[np.float64] | None,
    groups: NDArray[np.intp] | None,
    class_weight: ClassWeight = None,
) -> NumberedClasses:
    """Return classes numbered as the core needs them, and rows weighted by class.

    Examples
    --------
    >>> rows = read_training_rows([[1.0], [2.0]], ["b", "a"])
    >>> number_classes(rows.labels, None, None, {"a": 3.0}).weights
    array([1., 3.])
    """
    _check_classes(labels)
    weighted = _weight_classes(labels, weights, class_weight)
    if weighted is not None and (weighted == 1).all():
        weighted = None
    order = np.argsort(labels.declared)
    numbered = order.astype(np.uint16)[labels.codes]
    return NumberedClasses(labels.classes, labels.n_declared, numbered, order, weighted, copies=weights, groups=groups)


def _check_classes(labels: Labels) -> None:
    if len(labels.classes) > _MAX_CLASSES:
        raise DataError(
            f"y has {len(labels.classes):,} classes; a tree takes at most {_MAX_CLASSES:,}. If y is "
            "numeric rather than a class, group its values first."
        )


def _weight_classes(
    labels: Labels, weights: NDArray[np.float64] | None, class_weight: ClassWeight
) -> NDArray[np.float64] | None:
    if class_weight is None:
        return weights
    weights = np.ones(len(labels.codes)) if weights is None else weights
    totals = np.bincount(labels.codes, weights, len(labels.classes))
    factors = class_factors(labels.classes, class_weight, totals.astype(np.float64))
    weighted = np.asarray(weights * factors[labels.codes])
    check_weight_sizes(weighted, "sample_weight times class_weight")
    return weighted


def class_factors(
    classes: NDArray[Any], class_weight: Mapping[Any, float] | Literal["balanced"], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the weights of the rows of each class, `totals` in all, are multiplied with."""
    if isinstance(class_weight, str):
        return np.asarray(totals.sum() / (len(totals) * totals))
    return _factors(classes, class_weight)


def _factors(classes: NDArray[Any], class_weight: Mapping[Any, float]) -> NDArray[np.float64]:
    """Return the weight of each class, 1 for one that is not named; raise if a name is not a class."""
    names = classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    if unknown and len(class_weight) - len(unknown) < len(names):
        raise ParameterError(f"class_weight names {unknown[0]!r}, which is not a class.{nearest(unknown[0], names)}")
    for name, weight in class_weight.items():
        check_param(f"class_weight[{name!r}]", weight, Real(0, closed="neither"))
    return np.array([float(class_weight.get(name, 1.0)) for name in names])


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


_EXACT_BITS = 53  # of a double
_COUNT_BITS = 8  # a row that is drawn more than 256 times by chance has not been seen since the universe began


def fixed_point_step(total: float) -> float:
    """Return the power of two whose multiples add up to `total`, times the greatest count of a bag, without rounding.

    Examples
    --------
    >>> fixed_point_step(1000.0) == 2.0 ** (10 + 8 - 53)
    True
    """
    return math.ldexp(1.0, math.frexp(total)[1] + _COUNT_BITS - _EXACT_BITS)


def fixed_point_weights(weights: NDArray[np.float64], total: float | None = None) -> NDArray[np.float64]:
    """Return weights rounded to multiples of one power of two, whole ones as they are; `total` is their exact sum.

    Every sum of them, each counted up to 256 times, is exact in a double, so neither the order of rows nor how they are
    partitioned changes it. A weight above 0 stays above 0.

    Examples
    --------
    >>> fixed_point_weights(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0]
    >>> rounded = fixed_point_weights(np.array([0.1, 0.2, 0.3]))
    >>> float(np.abs(rounded - [0.1, 0.2, 0.3]).max()) < 1e-13, rounded.sum() == rounded[::-1].sum()
    (True, np.True_)
    """
    total = math.fsum(weights) if total is None else total
    step = fixed_point_step(total)
    if step <= 1.0 and (weights == np.floor(weights)).all():
        return weights
    return np.where(weights > 0, np.maximum(round_weights(weights, step), step), 0.0)


_BLOCK = 2**20  # rows


@dataclass(frozen=True, eq=False)
class Examples(NumberedClasses):
    """Coded training rows.

    ``cases`` is how often each row counts where J48 counts cases rather than weight; None for its weight.
    ``from_source`` is whether they are mapped from the files of a scratch folder.
    """

    table: CodedTable
    feature_names: tuple[str, ...] | None
    cases: NDArray[np.float64] | None = None
    from_source: bool = False

    @classmethod
    def code(cls, training: TrainingData, *, n_jobs: int | None = 1, max_bins: int | None = None) -> Examples:
        """Code the columns of a training set, the numeric ones in at most ``max_bins`` bins.

        Examples
        --------
        >>> from calibrant.trees._growing.training_set import read_training
        >>> Examples.code(read_training([[2.5], [0.5], [None]], ["b", "a", "b"])).table.codes(0)
        array([    1,     0, 65535], dtype=uint16)
        """
        table = code_columns(training.columns, training.copies, max_bins, n_jobs=n_jobs)
        return cls.of(training, table, training.columns.feature_names).with_exact_sums()

    @classmethod
    def of(cls, classes: NumberedClasses, table: CodedTable, feature_names: tuple[str, ...] | None) -> Examples:
        """Put classes and weights together with the coded table of the same rows."""
        return cls(
            classes.classes,
            classes.n_declared,
            classes.labels,
            classes.order,
            classes.weights,
            table,
            feature_names,
            copies=classes.copies,
            groups=classes.groups,
        )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def columns_and_classes(self) -> tuple[Schema, NDArray[Any], tuple[str, ...] | None]:
        """What a fitted classifier stores: the schema, the classes, and the column names where all are strings."""
        return self.table.schema, self.classes, self.feature_names

    @property
    def n_bytes(self) -> int:
        """Memory that codes, classes and weights take."""
        optional = (each.nbytes for each in (self.weights, self.cases, self.groups) if each is not None)
        return self.table.n_bytes + self.labels.nbytes + sum(optional)

    @property
    def sorted_labels(self) -> NDArray[np.intp]:
        """The class of each row as a position in ``classes``, which is sorted."""
        return np.argsort(self.order)[self.labels]

    @property
    def class_weights(self) -> NDArray[np.float64]:
        """The weight of each class of ``classes``."""
        counts, block = np.zeros(len(self.classes)), len(self.labels)
        if self.weights is None or self.is_binned:  # sums are exact, and copies of a source's rows do not fit memory
            block = min(block, _BLOCK)
        for first in range(0, len(self.labels), block):
            rows = slice(first, first + block)
            weights = None if self.weights is None else self.weights[rows]
            counts += np.bincount(self.labels[rows], weights, len(self.classes))
        return counts[self.order]

    def equals(self, other: Examples) -> bool:
        """Return whether other rows have the same values, classes, weights and groups."""
        mine, theirs = self.table, other.table
        return (
            mine.schema == theirs.schema
            and mine.n_rows == theirs.n_rows
            and np.array_equal(self.classes, other.classes)
            and np.array_equal(self.labels, other.labels)
            and _same(self.weights, other.weights)
            and _same(self.cases, other.cases)
            and _same(self.copies, other.copies)
            and _same(self.groups, other.groups)
            and all(np.array_equal(mine.codes(j), theirs.codes(j)) for j in range(mine.n_columns))
            and all(_same(mine.values(j), theirs.values(j)) for j in range(mine.n_columns))
            and all(_same(mine.lows(j), theirs.lows(j)) for j in range(mine.n_columns))
        )

    def fingerprint(self) -> bytes:
        """Return a digest of the rows, classes, weights, groups and columns, to recognise them where they are not kept.

        Examples
        --------
        >>> from calibrant.trees._growing.training_set import read_training
        >>> one, other = (Examples.code(read_training([[1.0], [x]], ["a", "b"])) for x in (2.0, 3.0))
        >>> one.fingerprint() == other.fingerprint()
        False
        """
        digest = hashlib.blake2b(digest_size=16)
        features = [(each.name, each.kind, *map(str, each.categories)) for each in self.table.schema.features]
        digest.update(repr((features, [str(label) for label in self.classes])).encode())
        table = self.table
        columns = [each for j in range(table.n_columns) for each in (table.codes(j), table.values(j), table.lows(j))]
        for array in (self.labels, self.order, self.weights, *columns, self.cases, self.groups):
            digest.update(b"" if array is None else np.ascontiguousarray(array).data)
        return digest.digest()

    @property
    def row_hashes(self) -> NDArray[np.uint64]:
        """A number for each row that depends on its values alone, the same for equal rows.

        Examples
        --------
        >>> from calibrant.trees._growing.training_set import read_training
        >>> hashes = Examples.code(read_training([[2.5, 1], [0.5, 1], [2.5, 1]], ["b", "a", "a"])).row_hashes
        >>> hashes[0] == hashes[2], hashes[0] == hashes[1]
        (np.True_, np.False_)
        """
        return hash_codes([self.table.codes(j) for j in range(self.table.n_columns)], self.n_rows)

    @property
    def n_copies(self) -> int:
        """Number of rows that repeat an earlier one, class included; 0 where no column is continuous.

        Examples
        --------
        >>> from calibrant.trees._growing.training_set import read_training
        >>> X = np.random.default_rng(0).random((100, 2))[np.arange(150) % 100]
        >>> Examples.code(read_training(X, [0] * 150)).n_copies
        50
        """
        columns = range(self.table.n_columns)
        if any(self.table.lows(j) is not None for j in columns):  # rows of the same bins differ
            return 0
        values = [self.table.values(j) for j in columns]
        hashes = hash_codes([self.row_hashes, self.labels], self.n_rows)
        return copies_among(hashes, [each for each in values if each is not None])

    @property
    def weights_or_ones(self) -> NDArray[np.float64]:
        """The weight of each row as an array."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    def reweighted(self, weights: NDArray[np.float64]) -> Examples:
        """Return the rows with other weights; the cases of J48 keep their ratio to the weight."""
        if self.cases is None:
            return replace(self, weights=weights)
        ratio = np.divide(weights, self.weights_or_ones, out=np.zeros(self.n_rows), where=self.weights_or_ones > 0)
        return replace(self, weights=weights, cases=ratio * self.cases)

    @property
    def is_binned(self) -> bool:
        """Whether the codes are bytes, from which trees are grown by histograms."""
        return self.table.core.byte_matrix is not None

    def with_exact_sums(self) -> Examples:
        """Return the rows with weights whose sums do not depend on their order, where the codes are bytes."""
        if self.weights is None or not self.is_binned:
            return self
        return replace(self, weights=fixed_point_weights(self.weights))

    def repeated(self, times: NDArray[np.uint16]) -> Examples:
        """Return the rows with each counted so many times, in weight and in folds."""
        number = times.astype(np.float64)
        weights = number if self.weights is None else number * self.weights
        return replace(self, weights=weights, copies=number if self.copies is None else number * self.copies)

    def without_rows(self, cut_values: tuple[NDArray[np.float64] | None, ...] = ()) -> ExamplesWithoutRows:
        """Return what a classifier fitted to a source keeps of its rows; `cut_values` are those next to its cuts."""
        table = TableWithoutRows(self.table.schema, cut_values, from_source=True)
        return ExamplesWithoutRows(
            self.classes, self.n_declared, self.order, self.feature_names, self.class_weights, table
        )

    def weights_of_block(self, rows: slice) -> NDArray[np.float64]:
        """Return the weights of neighbouring rows."""
        labels = self.labels[rows]
        return np.ones(len(labels)) if self.weights is None else self.weights[rows]

    def weights_of(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the weights of some rows, 0 for the others."""
        return rows.astype(np.float64) if self.weights is None else np.where(rows, self.weights, 0.0)

    def column(self, index: int, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return a column of some rows as validated: numbers with NaN, or category codes with -1, where missing.

        Examples
        --------
        >>> from calibrant.trees._growing.training_set import read_training
        >>> examples = Examples.code(read_training([[2.5, "u"], [0.5, None]], ["b", "a"]))
        >>> examples.column(0, np.array([0, 1])), examples.column(1, np.array([1, 0]))
        (array([2.5, 0.5]), array([-1,  0], dtype=int32))
        """
        codes, values = self.table.codes(index)[rows], self.table.values(index)
        is_missing = codes == self.table.missing_code(index)
        if values is None:
            return np.where(is_missing, -1, codes.astype(np.int32))
        return np.append(values, np.nan)[np.where(is_missing, len(values), codes)]


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)
