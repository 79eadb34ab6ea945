"""The training set of a tree: coded columns, numbered classes, weights."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import fixed_point_weights
from calibrant._params import Real, check_param
from calibrant._saved import (
    Array,
    Integer,
    LabelArray,
    ListOf,
    Maybe,
    Narrowed,
    NarrowFloats,
    Object,
    Text,
    TupleOf,
    need,
    saved,
)
from calibrant._source_limits import missing_rows
from calibrant.data import CodedTable
from calibrant.data._internal import (
    Labels,
    Schema,
    TrainingRows,
    check_weight_sizes,
    code_columns,
    copies_among,
    hash_codes,
    read_training_rows,
    warn_of_weights,
)
from calibrant.exceptions import DataError, ModelFileError, ParameterError, nearest
from calibrant.trees._tree import Tree, check_order, check_table

if TYPE_CHECKING:
    from calibrant._saved.documents import Writer

ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
R = TypeVar("R")

_MAX_CLASSES = 65_535  # the core keeps the class of a row in 16 bits
_BLOCK = 2**20  # rows
_OF_ROWS = {"labels", "weights", "copies", "groups", "cases", "codes", "values"}  # and `lows` of rows in bins


def read_training(estimator: Any, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> TrainingRows:
    """Validate the arguments of the `fit` of an estimator of trees; warn of weights that are no frequencies.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> rows = read_training(ProbabilityTreeClassifier(), [[1.0], [2.0], [9.0]], ["b", "a", "c"], [1, 2, 0])
    >>> rows.columns.n_rows, rows.labels.classes.tolist(), rows.weights
    (2, ['a', 'b'], array([1., 2.]))
    """
    rows = read_training_rows(X, y, sample_weight, nominal=estimator.nominal, groups=groups)
    if getattr(estimator, "weight_kind", "frequency") == "frequency":
        warn_of_weights(rows.weights)
    return rows


class _OfRows(Generic[R]):
    """A field of training rows; `NotSavedError` where the training set has lost them."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, instance: Any, owner: type) -> R:
        if instance is None:
            return cast("R", None)  # the default that the dataclass takes
        found: R | None = vars(instance)[self._name]
        if found is None:
            missing_rows(from_source=instance.from_source)
        return found

    def __set__(self, instance: Any, value: R | None) -> None:
        vars(instance)[self._name] = value


class _SavedLabels(Narrowed):
    """The classes of the training rows; the file says that it holds them."""

    def write(self, value: Any, out: Writer) -> Any:
        out.notes.append(f"holds {len(value):,} training rows")
        return super().write(value, out)


@saved(
    classes=LabelArray(),
    n_declared=Integer(1, 2**32),
    order=Array("i8"),
    feature_names=TupleOf(Text()) | None,
    class_weights=NarrowFloats(),
    schema=Object("data.Schema"),
    labels=Maybe(_SavedLabels("u2")),
    weights=Maybe(NarrowFloats() | None),
    copies=Maybe(NarrowFloats() | None),
    groups=Maybe(Array("i8") | None),
    cases=Maybe(NarrowFloats() | None),
    codes=Maybe(ListOf(Array("u1 u2 u4"))),
    values=Maybe(ListOf(Array("f8") | None)),
    lows=Maybe(ListOf(Array("f8") | None)),
)
@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Coded training rows; or, where a model was saved or fitted without keeping them, what is left of them.

    The core numbers the classes in the order in which they were declared, because ties follow that order: ``labels``
    use the core's numbers, and ``order`` is the core's number of each sorted class. ``weights`` is None where every row
    counts once. ``copies`` is the number of rows that a row stands for in folds, its weight without that of its class,
    None for one each; ``groups`` numbers rows that belong together. ``cases`` is how often each row counts where J48
    counts cases rather than weight; None for its weight. ``from_source`` is whether the rows are those of a source.

    A set that has lost its rows has the ``kept_`` fields instead: the columns, the weight of each class, and the
    distinct values next to the cuts of a tree, by column.

    Examples
    --------
    >>> from calibrant.data._internal import Schema
    >>> lost = TrainingSet(np.array(["a", "b"]), 2, np.arange(2), None, kept_schema=Schema((), named=False))
    >>> lost.has_rows
    False
    >>> lost.labels
    Traceback (most recent call last):
    calibrant.exceptions.NotSavedError: The model was saved without its training rows, which are needed here. Save it
    with training_rows=True.
    """

    classes: NDArray[Any]
    n_declared: int
    order: NDArray[np.intp]
    feature_names: tuple[str, ...] | None
    table: _OfRows[CodedTable] = _OfRows()
    labels: _OfRows[NDArray[np.uint16]] = _OfRows()
    weights: NDArray[np.float64] | None = None
    copies: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    cases: NDArray[np.float64] | None = None
    from_source: bool = False
    kept_schema: Schema | None = None
    kept_weights: NDArray[np.float64] | None = None
    kept_values: tuple[NDArray[np.float64] | None, ...] = ()

    @classmethod
    def of(
        cls,
        rows: TrainingRows,
        *,
        class_weight: ClassWeight = None,
        n_jobs: int | None = 1,
        max_bins: int | None = None,
        n_drawn: int = 0,
    ) -> TrainingSet:
        """Code validated rows, the numeric columns in at most ``max_bins`` bins, and weight them by class.

        Columns are coded when they are first used where trees draw only ``n_drawn`` of very many at each node.

        Examples
        --------
        >>> rows = read_training_rows([[2.5], [0.5], [None]], ["b", "a", "b"])
        >>> TrainingSet.of(rows, class_weight={"a": 3.0}).weights
        array([1., 3., 1.])
        >>> TrainingSet.of(rows).table.codes(0)
        array([    1,     0, 65535], dtype=uint16)
        """
        table = code_columns(rows.columns, rows.weights, max_bins, n_drawn=n_drawn, n_jobs=n_jobs)
        return cls.number(
            table, rows.labels, rows.weights, rows.groups, class_weight, feature_names=rows.columns.feature_names
        )

    @classmethod
    def read(cls, estimator: Any, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> TrainingSet:
        """Validate and code the arguments of the `fit` of an estimator of trees by its parameters."""
        rows = read_training(estimator, X, y, sample_weight, groups)
        draws = hasattr(estimator, "_n_drawn")
        return cls.of(
            rows,
            class_weight=getattr(estimator, "class_weight", None),
            n_jobs=estimator.n_jobs,
            max_bins=getattr(estimator, "max_bins", None),
            n_drawn=estimator._n_drawn(len(rows.columns.arrays)) if draws else 0,
        )

    @classmethod
    def number(
        cls,
        table: CodedTable,
        labels: Labels,
        weights: NDArray[np.float64] | None,
        groups: NDArray[np.intp] | None = None,
        class_weight: ClassWeight = None,
        *,
        feature_names: tuple[str, ...] | None = None,
        from_source: bool = False,
    ) -> TrainingSet:
        """Return rows that are coded, with classes numbered as the core needs them and rows weighted by class.

        Where the codes are bytes, trees are grown by histograms: weights are rounded so that their sums do not depend
        on the order of the rows.
        """
        if len(labels.classes) > _MAX_CLASSES:
            raise DataError(
                f"y has {len(labels.classes):,} classes; a tree takes at most {_MAX_CLASSES:,}. If y is "
                "numeric rather than a class, group its values first."
            )
        weighted = _weight_classes(labels, weights, class_weight)
        if weighted is not None and (weighted == 1).all():
            weighted = None
        order = np.argsort(labels.declared)
        numbered = order.astype(np.uint16)[labels.codes]
        return cls(
            labels.classes,
            labels.n_declared,
            order,
            feature_names,
            table,
            numbered,
            weighted,
            copies=weights,
            groups=groups,
            from_source=from_source,
        ).with_exact_sums()

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        names = ("classes", "n_declared", "order", "feature_names", "class_weights", "schema")
        values = {name: getattr(self, name) for name in names}
        if not training_rows:
            return values
        self.check_has_rows()
        table, columns = self.table, range(self.table.n_columns)
        values |= {name: getattr(self, name) for name in ("labels", "weights", "copies", "groups", "cases")}
        values |= {"codes": [table.codes(j) for j in columns], "values": [table.values(j) for j in columns]}
        lows = [table.lows(j) for j in columns]
        has_bins = self.is_binned or any(each is not None for each in lows)
        return {**values, "lows": lows} if has_bins else values

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> TrainingSet:
        schema, weights = values.pop("schema"), values.pop("class_weights")
        n_classes = len(values["classes"])
        check_order(values["order"], n_classes)
        is_right = len(weights) == n_classes and weights.sum() > 0 and 0 < n_classes <= values["n_declared"]
        need(is_right, "has weights of other classes")
        held = values.keys() & _OF_ROWS
        need(not held or held == _OF_ROWS, "has a part of its training rows")
        if not held:
            return cls(**values, kept_schema=schema, kept_weights=weights)
        n_rows, columns = len(values["labels"]), (values.pop("codes"), values.pop("values"), values.pop("lows", None))
        made = cls(**values, table=_saved_table(schema, *columns, n_rows))
        for array in (made.labels, made.weights, made.copies, made.groups, made.cases):
            need(array is None or len(array) == made.n_rows, "has rows of different number")
        has_classes = int(made.labels.max()) < n_classes and made.class_weights.sum() > 0
        need(has_classes, "has rows of no class, or of no weight")
        groups = made.groups
        need(groups is None or (groups.min() >= 0 and groups.max() < n_rows), "has more groups than rows")
        return made

    def check_has_rows(self) -> None:
        """Raise `ModelFileError` if the rows, which are to be saved, are lost."""
        need(self.has_rows, "was loaded without its training rows, or fitted to a source: save it without them")

    def adopt(self, trees: Sequence[Tree]) -> tuple[Tree, ...]:
        """Return trees of a file that were grown from these rows, whose codes they predict where rows are kept."""
        check_table(trees[0], self.schema, self.classes)
        return tuple(each._with_table(self.table.core) for each in trees) if self.has_rows else tuple(trees)

    @property
    def has_rows(self) -> bool:
        """Whether the rows are kept."""
        return vars(self)["_table"] is not None

    @property
    def schema(self) -> Schema:
        """Names, kinds and categories of the columns."""
        return self.table.schema if self.kept_schema is None else self.kept_schema

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def columns_and_classes(self) -> tuple[Schema, NDArray[Any], tuple[str, ...] | None]:
        """The schema, the classes, and the column names where all are strings, which a fitted classifier stores."""
        return self.schema, self.classes, self.feature_names

    def tree(self, core: _core.Tree) -> Tree:
        """Return a tree of the core with the classes and columns of these rows."""
        return Tree(core, self.order, self.classes, self.schema)

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
        if self.kept_weights is not None:
            return self.kept_weights
        counts, block = np.zeros(len(self.classes)), len(self.labels)
        if self.weights is None or self.is_binned:  # sums are exact, and copies of a source's rows do not fit memory
            block = min(block, _BLOCK)
        for first in range(0, len(self.labels), block):
            rows = slice(first, first + block)
            weights = None if self.weights is None else self.weights[rows]
            counts += np.bincount(self.labels[rows], weights, len(self.classes))
        return counts[self.order]

    def known_values(self, column: int) -> NDArray[np.float64] | None:
        """Return values of a numeric column, by which cuts are written with few digits; None where none are known."""
        if self.has_rows:
            return self.table.known_values(column)
        return self.kept_values[column] if self.kept_values else None

    def fingerprint(self) -> bytes:
        """Return a digest of the rows, classes, weights, groups and columns, by which the same rows are recognised.

        Examples
        --------
        >>> one, other = (TrainingSet.of(read_training_rows([[1.0], [x]], ["a", "b"])) for x in (2.0, 3.0))
        >>> one.fingerprint() == other.fingerprint()
        False
        """
        digest, table = hashlib.blake2b(digest_size=16), self.table
        features = [(each.name, each.kind, *map(str, each.categories)) for each in table.schema.features]
        columns = [each for j in range(table.n_columns) for each in (table.codes(j), table.values(j), table.lows(j))]
        arrays = (self.labels, self.order, self.weights, self.copies, self.groups, self.cases, *columns)
        sizes = [None if each is None else (each.dtype.str, len(each)) for each in arrays]
        digest.update(repr((features, [str(label) for label in self.classes], sizes)).encode("utf-8", "surrogatepass"))
        for array in arrays:
            digest.update(b"" if array is None else np.ascontiguousarray(array).data)
        return digest.digest()

    @property
    def row_hashes(self) -> NDArray[np.uint64]:
        """A number for each row that depends on its values alone, the same for equal rows.

        Examples
        --------
        >>> hashes = TrainingSet.of(read_training_rows([[2.5, 1], [0.5, 1], [2.5, 1]], ["b", "a", "a"])).row_hashes
        >>> hashes[0] == hashes[2], hashes[0] == hashes[1]
        (np.True_, np.False_)
        """
        return hash_codes([self.table.codes(j) for j in range(self.table.n_columns)], self.n_rows)

    @property
    def n_copies(self) -> int:
        """Number of rows that repeat an earlier one, class included; 0 where no column is continuous.

        Examples
        --------
        >>> X = np.random.default_rng(0).random((100, 2))[np.arange(150) % 100]
        >>> TrainingSet.of(read_training_rows(X, [0] * 150)).n_copies
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

    def reweighted(self, weights: NDArray[np.float64]) -> TrainingSet:
        """Return the rows with other weights; the cases of J48 keep their ratio to the weight."""
        # J48 counts cases, so a fold that takes a share of a row's weight takes that share of its cases.
        if self.cases is None:
            return replace(self, weights=weights)
        ratio = np.divide(weights, self.weights_or_ones, out=np.zeros(self.n_rows), where=self.weights_or_ones > 0)
        return replace(self, weights=weights, cases=ratio * self.cases)

    @property
    def is_binned(self) -> bool:
        """Whether the codes are bytes, from which trees are grown by histograms."""
        return self.table.core.byte_matrix is not None

    def with_exact_sums(self) -> TrainingSet:
        """Return the rows with weights whose sums do not depend on their order, where the codes are bytes."""
        if self.weights is None or not self.is_binned:
            return self
        return replace(self, weights=fixed_point_weights(self.weights))

    def repeated(self, times: NDArray[np.uint16]) -> TrainingSet:
        """Return the rows with each counted so many times, in weight and in folds."""
        number = times.astype(np.float64)
        weights = number if self.weights is None else number * self.weights
        return replace(self, weights=weights, copies=number if self.copies is None else number * self.copies)

    def without_rows(self, cut_values: tuple[NDArray[np.float64] | None, ...] = ()) -> TrainingSet:
        """Return the set that a classifier of a source keeps, without rows; `cut_values` are next to its cuts."""
        return TrainingSet(
            self.classes,
            self.n_declared,
            self.order,
            self.feature_names,
            from_source=True,
            kept_schema=self.schema,
            kept_weights=self.class_weights,
            kept_values=cut_values,
        )

    def counted_in(self, tree: _core.Tree, rows: NDArray[np.bool_] | None) -> _core.Tree:
        """Return a tree with the counts of the rows that are set aside for it."""
        weights = cast("NDArray[np.float64]", self.weights_of(rows))
        return _core.count_rows(tree, self.n_rows, self.table.core, self.labels, weights)

    def weights_of(self, rows: NDArray[np.bool_] | None) -> NDArray[np.float64] | None:
        """Return the weights of some rows, 0 for the others; those of all for None, None where each is 1."""
        if rows is None:
            return self.weights
        return rows.astype(np.float64) if self.weights is None else np.where(rows, self.weights, 0.0)

    def column(self, index: int, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return a column of some rows as validated: numbers with NaN, or category codes with -1, where missing.

        Examples
        --------
        >>> examples = TrainingSet.of(read_training_rows([[2.5, "u"], [0.5, None]], ["b", "a"]))
        >>> examples.column(0, np.array([0, 1])), examples.column(1, np.array([1, 0]))
        (array([2.5, 0.5]), array([-1,  0], dtype=int32))
        """
        codes, values = self.table.codes(index)[rows], self.table.values(index)
        is_missing = codes == self.table.missing_code(index)
        if values is None:
            return np.where(is_missing, -1, codes.astype(np.int32))
        return np.append(values, np.nan)[np.where(is_missing, len(values), codes)]


def _saved_table(
    schema: Schema, codes: list[Any], numbers: list[Any], lows: list[Any] | None, n_rows: int
) -> CodedTable:
    """Return the coded table of a file; raise `ModelFileError` if it is none of the columns."""
    same = len(codes) == len(numbers) == len(schema.features) == len(codes if lows is None else lows)
    need(same and n_rows > 0, "has rows of other columns")
    columns = []
    for feature, code, values in zip(schema.features, codes, numbers, strict=True):
        is_known = (values is None) == (feature.kind == "nominal") and (values is None or not np.isnan(values).any())
        need(is_known, "has values of a column of another kind")
        columns.append((code, len(feature.categories) if values is None else len(values), values))
    try:
        if lows is None or all(code.dtype != np.uint8 for code in codes):
            return CodedTable(_core.restore_table(n_rows, columns, lows or []), schema)
        if any(code.dtype != np.uint8 or len(code) != n_rows for code in codes):
            raise ValueError("codes of bins must be bytes, one for each row")
        bins = [(n_values, highs, low) for (_, n_values, highs), low in zip(columns, lows, strict=True)]
        return CodedTable(_core.byte_table(np.column_stack(codes), bins), schema)
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"has wrong training rows: {error}") from None


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
    """Return the factor of the weights of the rows of each class, whose sums are `totals`; 1 where it is not named."""
    if isinstance(class_weight, str):
        return np.asarray(totals.sum() / (len(totals) * totals))
    names = classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    # As in scikit-learn: a dict that covers every class may name others too, absent from this fold.
    if unknown and len(class_weight) - len(unknown) < len(names):
        raise ParameterError(f"class_weight names {unknown[0]!r}, which is not a class.{nearest(unknown[0], names)}")
    for name, weight in class_weight.items():
        check_param(f"class_weight[{name!r}]", weight, Real(0, closed="neither"))
    return np.array([float(class_weight.get(name, 1.0)) for name in names])
