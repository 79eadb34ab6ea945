"""The training rows as a fitted tree keeps them: coded columns, classes and weights."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data import CodedTable
from calibrant.data._internal import code_columns, copies_among, hash_codes
from calibrant.trees._growing.fixed_point import fixed_point_weights
from calibrant.trees._growing.rows_left_out import ExamplesWithoutRows, TableWithoutRows
from calibrant.trees._growing.training_data import NumberedClasses, TrainingData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Schema

__all__ = ["Examples"]

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
        >>> from calibrant.trees._growing.training_data import read_training
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
        >>> from calibrant.trees._growing.training_data import read_training
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
        >>> from calibrant.trees._growing.training_data import read_training
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
        >>> from calibrant.trees._growing.training_data import read_training
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
        >>> from calibrant.trees._growing.training_data import read_training
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
