"""Forms of trees, of their training rows, and of `ProbabilityTreeClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Integer, ListOf, Maybe, Number, Text, TupleOf
from calibrant._saved.form import Form
from calibrant._saved.values import Object
from calibrant.data import CodedTable
from calibrant.estimates._internal import ESTIMATE, check_estimate
from calibrant.exceptions import ModelFileError
from calibrant.files._forms.data import COLUMNS, check_columns, taken_columns
from calibrant.files._forms.legacy import Optional_, estimator_form
from calibrant.files._forms.tree_fields import Narrowed, NarrowFloats, Snapshot, Trees, check_order, same_table
from calibrant.trees import ProbabilityTreeClassifier, Tree
from calibrant.trees._internal import (
    RULES,
    SINGLE_TREE_RULES,
    Examples,
    ExamplesWithoutRows,
    GrownTree,
    NodeReader,
    RowSubsets,
    TableWithoutRows,
    TreeReading,
    with_table,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._saved.documents import Writer

__all__ = ["EXAMPLES", "FORMS", "check_has_rows", "check_reading", "check_same_columns", "table_of"]

EXAMPLES = Object("trees.Examples", "trees.ExamplesWithoutRows")
_READER = Object("trees.NodeReader")
_HELD = ("labels", "weights", "copies", "groups", "cases", "codes", "values")  # and `lows` of rows in bins


class _Labels(Narrowed):
    """The classes of the training rows; the file says that it holds them."""

    def write(self, value: Any, out: Writer) -> Any:
        out.notes.append(f"holds {len(value):,} training rows")
        return super().write(value, out)


def check_same_columns(schema: Any, classes: NDArray[Any], other: Any) -> None:
    """Raise unless an object that has trees or rows is of these columns and classes."""
    if other.schema != schema or not np.array_equal(other.classes, classes):
        raise ModelFileError("has trees or rows of other columns or classes")


def table_of(examples: Any) -> _core.CodedTable | None:
    """Return the coded training rows, None where they were left out."""
    return examples.table.core if isinstance(examples, Examples) else None


def check_reading(tree: Tree, reading: TreeReading) -> None:
    """Raise unless what reads a tree has a line for each of its nodes."""
    n_classes = len(tree.classes)
    check_estimate(reading.estimate, n_classes)
    table = vars(reading).get("table")
    if table is not None and table.shape != (tree.n_nodes, n_classes):
        raise ModelFileError("has a table of other nodes")
    if table is not None and not np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-6):
        raise ModelFileError("has probabilities that do not sum to 1")
    if reading.reader is not None:
        _check_reader(tree, reading.reader)


def _check_reader(tree: Tree, reader: NodeReader) -> None:
    if len(reader.node) != tree.n_nodes or not ((reader.node >= -1) & (reader.node < tree.n_nodes)).all():
        raise ModelFileError("has a reader of other nodes")
    rows: Any = reader.rows
    if rows.fallback.shape != (tree.n_nodes, len(tree.classes)) or len(rows.kernels.columns) != tree.n_features:
        raise ModelFileError("has kernels of other nodes or columns")
    for column, n in rows.kernels.n_categories.items():
        if n != len(tree.schema.features[column].categories):
            raise ModelFileError("has kernels of other categories")


def check_has_rows(examples: Any) -> None:
    """Raise if the training rows that are to be saved were left out of the file that a model was loaded from."""
    if not isinstance(examples, Examples):
        raise ModelFileError("was loaded without its training rows, or fitted to a source: save it without them")


def _take_examples(examples: Any, training_rows: bool) -> dict[str, Any]:
    table = examples.table
    values = {
        "classes": examples.classes,
        "n_declared": examples.n_declared,
        "order": examples.order,
        "feature_names": examples.feature_names,
        "class_weights": examples.class_weights,
        "schema": table.schema,
    }
    if not training_rows:
        return values
    check_has_rows(examples)
    columns = range(table.n_columns)
    rows = {name: getattr(examples, name) for name in ("labels", "weights", "copies", "groups", "cases")}
    held = {**values, **rows, "codes": [table.codes(j) for j in columns], "values": [table.values(j) for j in columns]}
    lows = [table.lows(j) for j in columns]
    has_bins = examples.is_binned or any(each is not None for each in lows)
    return {**held, "lows": lows} if has_bins else held


def _make_examples(values: dict[str, Any]) -> Any:
    schema, class_weights = values.pop("schema"), values.pop("class_weights")
    n_classes = len(values["classes"])
    check_order(values["order"], n_classes)
    if len(class_weights) != n_classes or not class_weights.sum() > 0 or not 0 < n_classes <= values["n_declared"]:
        raise ModelFileError("has weights of other classes")
    if "labels" not in values:
        if values.keys() & set(_HELD):
            raise ModelFileError("has a part of its training rows")
        return ExamplesWithoutRows(**values, class_weights=class_weights, table=TableWithoutRows(schema))
    if not values.keys() >= set(_HELD):
        raise ModelFileError("has a part of its training rows")
    held = (values.pop("codes"), values.pop("values"), values.pop("lows", None))
    table = _make_table(*held, schema, len(values["labels"]))
    examples = Examples(**values, table=table)
    _check_examples(examples)
    return examples


def _make_table(codes: list[Any], numbers: list[Any], lows: list[Any] | None, schema: Any, n_rows: int) -> CodedTable:
    if not len(codes) == len(numbers) == len(schema.features) == len(codes if lows is None else lows) or n_rows == 0:
        raise ModelFileError("has rows of other columns")
    columns = []
    for feature, code, values in zip(schema.features, codes, numbers, strict=True):
        if (values is None) != (feature.kind == "nominal") or (values is not None and np.isnan(values).any()):
            raise ModelFileError("has values of a column of another kind")
        columns.append((code, len(feature.categories) if values is None else len(values), values))
    try:
        if lows is not None and any(code.dtype == np.uint8 for code in codes):
            return _make_binned(columns, lows, schema, n_rows)
        return CodedTable(_core.restore_table(n_rows, columns, lows or []), schema)
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"has wrong training rows: {error}") from None


def _make_binned(columns: list[tuple[Any, int, Any]], lows: list[Any], schema: Any, n_rows: int) -> CodedTable:
    """Return the table of columns of bytes; raise ValueError if they are none."""
    codes = [code for code, _, _ in columns]
    if any(code.dtype != np.uint8 or len(code) != n_rows for code in codes):
        raise ValueError("codes of bins must be bytes, one for each row")
    bins = [(n_values, highs, low) for (_, n_values, highs), low in zip(columns, lows, strict=True)]
    return CodedTable(_core.byte_table(np.column_stack(codes), bins), schema)


def _check_examples(examples: Examples) -> None:
    n_rows = examples.n_rows
    for array in (examples.labels, examples.weights, examples.copies, examples.groups, examples.cases):
        if array is not None and len(array) != n_rows:
            raise ModelFileError("has rows of different number")
    if int(examples.labels.max()) >= len(examples.classes) or not examples.class_weights.sum() > 0:
        raise ModelFileError("has rows of no class, or of no weight")
    if examples.groups is not None and (examples.groups.min() < 0 or examples.groups.max() >= n_rows):
        raise ModelFileError("has more groups than rows")


def _take_grown(grown: GrownTree, training_rows: bool) -> dict[str, Any]:
    values = {"tree": (grown.tree,), "examples": grown.examples, "params": grown.params, "seed": grown.seed}
    if training_rows:
        check_has_rows(grown.examples)
        subsets = grown.subsets
        return {**values, "subsets": (subsets.grow, subsets.prune, subsets.count)}
    return {**values, "cut_values": list(grown.cut_values)}


def _make_grown(values: dict[str, Any]) -> GrownTree:
    ((tree,), examples, cut_values) = values.pop("tree"), values["examples"], values.pop("cut_values", None)
    subsets = values.pop("subsets", None)
    check_same_columns(examples.table.schema, examples.classes, tree)
    if isinstance(examples, Examples):
        if subsets is None or any(each is not None and len(each) != examples.n_rows for each in subsets):
            raise ModelFileError("has a part of its training rows")
        return GrownTree(with_table(tree, examples.table.core), examples, RowSubsets(*subsets), **_rest(values))
    if cut_values is not None and len(cut_values) == tree.n_features:
        table = TableWithoutRows(tree.schema, tuple(cut_values))
        examples = ExamplesWithoutRows(**{**vars(examples), "table": table})
    grown: GrownTree = object.__new__(GrownTree)
    vars(grown).update(tree=tree, examples=examples, **_rest(values))
    return grown


def _rest(values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in ("params", "seed")}


def _take_classifier(model: ProbabilityTreeClassifier, training_rows: bool) -> dict[str, Any]:  # noqa: ARG001
    values = taken_columns(model)
    if not values:
        return {}
    reading = model._reading
    values |= {"_grown_tree": model._grown_tree, "ccp_alpha_": model.ccp_alpha_}
    values |= {"estimate_": reading.estimate, "reader": reading.reader}
    return values if same_table(model.tree_, reading, model) else {**values, "table": reading.table}


def _finish_classifier(model: ProbabilityTreeClassifier, values: dict[str, Any]) -> None:
    table, reader, grown = values.pop("table", None), values.pop("reader"), values["_grown_tree"]
    model.__dict__.update(values)
    tree = model.tree_ = grown.tree
    check_same_columns(model._schema, model.classes_, tree)
    model.n_nodes_, model.n_leaves_, model.depth_ = tree.n_nodes, tree.n_leaves, tree.max_depth
    if table is None:
        model._reading = TreeReading.stored(tree, model.estimate_, reader, model)
    else:
        model._reading = TreeReading(model.estimate_, table, reader)
    check_reading(tree, model._reading)


def _examples_form(name: str, cls: type) -> Form:
    return Form(
        name,
        cls,
        {
            "classes": LabelArray(),
            "n_declared": Integer(1, 2**32),
            "order": Array("i8"),
            "feature_names": Optional_(TupleOf(Text())),
            "class_weights": NarrowFloats(),
            "schema": Object("data.Schema"),
            "labels": Maybe(_Labels("u2")),
            "weights": Maybe(Optional_(NarrowFloats())),
            "copies": Maybe(Optional_(NarrowFloats())),
            "groups": Maybe(Optional_(Array("i8"))),
            "cases": Maybe(Optional_(NarrowFloats())),
            "codes": Maybe(ListOf(Array("u1 u2 u4"))),
            "values": Maybe(ListOf(Optional_(Array("f8")))),
            "lows": Maybe(ListOf(Optional_(Array("f8")))),
        },
        take=_take_examples,
        make=_make_examples,
    )


FORMS = (
    Form(
        "trees.Tree",
        Tree,
        {"tree": Trees(only_one=True)},
        take=lambda tree, _: {"tree": (tree,)},
        make=lambda values: values["tree"][0],
    ),
    _examples_form("trees.Examples", Examples),
    _examples_form("trees.ExamplesWithoutRows", ExamplesWithoutRows),
    Form(
        "trees.GrownTree",
        GrownTree,
        {
            "tree": Trees(only_one=True),
            "examples": EXAMPLES,
            "params": Snapshot(RULES),
            "seed": Object("random.SeedSequence"),
            "subsets": Maybe(TupleOf(Optional_(Array("b")), least=3, most=3)),
            "cut_values": Maybe(ListOf(Optional_(Array("f8")))),
        },
        take=_take_grown,
        make=_make_grown,
    ),
    Form(
        "trees.NodeReader",
        NodeReader,
        {"rows": Object("estimates.KernelReader"), "node": Array("i8", low=-1)},
        take=lambda reader, _: reader._asdict(),
        make=lambda values: NodeReader(**values),
    ),
    estimator_form(
        "trees.ProbabilityTreeClassifier",
        ProbabilityTreeClassifier,
        {
            **COLUMNS,
            "_grown_tree": Object("trees.GrownTree"),
            "estimate_": ESTIMATE,
            "reader": Optional_(_READER),
            "table": Maybe(Array("f8", ndim=2, finite=True, low=0, high=1)),
            "ccp_alpha_": Number(0),
        },
        take=_take_classifier,
        finish=_finish_classifier,
        check=check_columns,
        rules=SINGLE_TREE_RULES,
    ),
)
