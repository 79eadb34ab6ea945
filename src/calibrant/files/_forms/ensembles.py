"""Forms of bagged and lazy trees; those of boosting stand in `boosting.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._saved.arrays import Array
from calibrant._saved.fields import Flag, Integer, ListOf, Maybe, Number, Text
from calibrant._saved.form import Form
from calibrant._saved.values import Object, Value
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.ensembles._internal import (
    BAGGED_RULES,
    FOREST_RULES,
    LAZY_RULES,
    Alpha,
    EBPets,
    Forest,
    ForestBags,
    ForestReader,
    LazyTrees,
    MobEsp,
    ReadingOptions,
)
from calibrant.estimates import RowEstimate
from calibrant.estimates._internal import ESTIMATE, check_estimate
from calibrant.exceptions import ModelFileError
from calibrant.files._forms.boosting import BOOSTING_FORMS
from calibrant.files._forms.data import COLUMNS, check_columns, taken_columns
from calibrant.files._forms.legacy import Optional_, Struct, estimator_form
from calibrant.files._forms.tree_fields import Narrowed, Snapshot, TablesByTree, Trees, WithRows, is_recomputed
from calibrant.files._forms.trees import EXAMPLES, check_has_rows, check_same_columns, table_of
from calibrant.trees._internal import Examples, with_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees import Tree

__all__ = ["FORMS"]

_WEIGHT = Number(0, finite=False)
_OPTIONS = Struct(
    ReadingOptions,
    {
        "estimate": Value(),
        "out_of_bag": Text("ignore", "count", "only", "condition"),
        "out_of_bag_weight": _WEIGHT | Text("auto", "leaf"),
        "in_bag_counts": Text("unique", "multiplicity"),
        "combine": Text("average", "vote"),
        "smooth_votes": Flag(),
        "vote_trees": Number(0, 1) | Text("out_of_bag"),
    },
)
_ALPHA = Struct(Alpha, {"number": _WEIGHT, "by_bin": Flag(), "floor": Number(0, 1)})


def _take_forest(forest: Forest, training_rows: bool) -> dict[str, Any]:
    values = {name: getattr(forest, name) for name in ("trees", "examples", "params", "seed")}
    if not training_rows:
        return values
    check_has_rows(forest.examples)
    return values if forest.drawn is None else {**values, "in_bag": forest.drawn}


def _make_forest(values: dict[str, Any]) -> Forest:
    examples, trees, in_bag = values["examples"], values["trees"], values.pop("in_bag", None)
    check_same_columns(examples.table.schema, examples.classes, trees[0])
    if isinstance(examples, Examples):
        if in_bag is not None and in_bag.shape != (len(trees), examples.n_rows):
            raise ModelFileError("has bags of other trees or rows")
        values["trees"] = tuple(with_table(tree, examples.table.core) for tree in trees)
    elif in_bag is not None:
        raise ModelFileError("has a part of its training rows")
    values["drawn"] = in_bag  # of older versions, which drew otherwise
    forest: Forest = object.__new__(Forest)
    vars(forest).update(values)
    return forest


def _take_reader(reader: ForestReader, training_rows: bool) -> dict[str, Any]:
    values: dict[str, Any] = {"forest": reader.forest, "options": reader.options}
    if reader.options.combine == "vote":
        return values | ({"n_voters": reader.n_voters} if reader.options.out_of_bag == "condition" else {})
    values["estimate"] = reader.estimate
    if reader.options.out_of_bag == "condition":
        values |= {"n_voters": reader.n_voters, "mob_esp": reader.mob_esp}
        if training_rows:
            values["oob_label"] = reader.mob_esp.oob_label
    elif reader.options.out_of_bag != "ignore":
        values["eb_pets"] = reader.eb_pets
    elif not isinstance(reader.estimate, RowEstimate) and not is_recomputed(reader.estimate):
        values["tables"] = reader.tables
    return values


def _make_reader(values: dict[str, Any]) -> ForestReader:
    trees, options = values["forest"].trees, values["options"]
    reader = ForestReader(values["forest"], options)
    needed = {"mob_esp": "condition", "eb_pets": "count only"}
    for name, modes in needed.items():
        is_needed = options.combine == "average" and options.out_of_bag in modes.split()
        if is_needed != (name in values):
            raise ModelFileError("must hold what its reading of out-of-bag rows needs, and nothing else")
    if "tables" in values:
        values["tables"] = _split(values["tables"], trees)
    if "eb_pets" in values:
        values["eb_pets"] = _split_eb_pets(values["eb_pets"], trees)
    if "mob_esp" in values:
        values["mob_esp"] = _split_mob_esp(values["mob_esp"], values.pop("oob_label", None), trees)
    vars(reader).update({name: value for name, value in values.items() if name not in ("forest", "options")})
    return reader


def _check_reader(reader: ForestReader) -> None:
    n_classes, found = len(reader.forest.examples.classes), vars(reader)
    if "estimate" in found:
        check_estimate(reader.estimate, n_classes)
    elif reader.options.combine != "vote":
        raise ModelFileError("lacks its estimate")
    if "n_voters" in found and not 0 < reader.n_voters <= len(reader.forest.trees):
        raise ModelFileError("has votes of more trees than there are")
    tables = found.get("tables") or (found["eb_pets"].tables if "eb_pets" in found else [])
    for table in tables:
        if table.shape[1] != n_classes or not np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-6):
            raise ModelFileError("has probabilities that do not sum to 1")


def _split(table: NDArray[Any], trees: tuple[Tree, ...]) -> list[NDArray[Any]]:
    """Return the lines of each tree of a table with one for each node of all trees."""
    ends = np.cumsum([tree.n_nodes for tree in trees])
    if len(table) != ends[-1]:
        raise ModelFileError("has tables of other nodes")
    return np.split(table, ends[:-1])


def _split_eb_pets(whole: Any, trees: tuple[Tree, ...]) -> EBPets:
    tables, filled = _split(whole.tables, trees), None
    if tables[0].shape[1] != len(trees[0].classes):
        raise ModelFileError("has tables of other classes")
    if whole.filled is not None:
        if whole.filled.shape[1] != 1:
            raise ModelFileError("has marks of other nodes")
        filled = [np.ascontiguousarray(each[:, 0]) for each in _split(whole.filled, trees)]
    return EBPets(tables, filled, whole.alpha)


def _take_eb_pets(reading: EBPets, _training_rows: bool) -> dict[str, Any]:
    filled = None if reading.filled is None else [each[:, np.newaxis] for each in reading.filled]
    return {"tables": reading.tables, "filled": filled, "alpha": reading.alpha}


def _take_mob_esp(reading: MobEsp, _training_rows: bool) -> dict[str, Any]:
    index = [line + 1 for line, _ in reading.cells if line is not None]
    tables = [table for _, table in reading.cells]
    return {
        "index": np.concatenate(index).astype(np.float64),
        "n_cells": [len(table) for table in tables],
        "tables": tables,
        "fallback": reading.fallback,
        "alpha": reading.alpha,
    }


def _make_mob_esp(values: dict[str, Any]) -> MobEsp:
    """Return a reading whose cells are split by tree later."""
    reading: MobEsp = object.__new__(MobEsp)
    cells = values.pop("index"), values.pop("n_cells"), values.pop("tables")
    vars(reading).update(values, cells=cells)
    return reading


def _split_mob_esp(whole: Any, oob_label: NDArray[np.int32] | None, trees: tuple[Tree, ...]) -> MobEsp:
    index, n_cells, table = whole.cells
    n_classes = len(trees[0].classes)
    if len(n_cells) != len(trees) or sum(n_cells) != len(table) or {table.shape[1], index.shape[1]} != {n_classes}:
        raise ModelFileError("has cells of other trees or classes")
    if len(table) and not np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-6):
        raise ModelFileError("has probabilities that do not sum to 1")
    by_tree = zip(_split(index, trees), np.split(table, np.cumsum(n_cells)[:-1]), strict=True)
    cells = [((lines.astype(np.int64) - 1).astype(np.int32), each) for lines, each in by_tree]
    if any((lines >= len(each)).any() for lines, each in cells):
        raise ModelFileError("has cells that do not exist")
    return MobEsp(cells, _split_eb_pets(whole.fallback, trees), whole.alpha, oob_label)  # type: ignore[arg-type]


def _take_bagged(model: BaggedTreesClassifier, training_rows: bool) -> dict[str, Any]:  # noqa: ARG001
    values = taken_columns(model)
    if not values:
        return {}
    return {**values, "_forest": (model._forest, _predicts_from_rows(model)), "_reading": model._reading}


def _predicts_from_rows(model: BaggedTreesClassifier) -> bool:
    options = model._reading.options
    is_by_table = options.combine == "vote" or options.out_of_bag != "ignore"
    return not is_by_table and isinstance(model._reading.estimate, RowEstimate)


def _check_bagged(model: BaggedTreesClassifier) -> None:
    check_columns(model)
    check_same_columns(model._schema, model.classes_, model._forest.trees[0])
    if model._reading.forest is not model._forest:
        raise ModelFileError("has the reading of another forest")
    if _predicts_from_rows(model) and table_of(model._forest.examples) is None:
        raise ModelFileError("lacks the training rows from which it predicts")


def _bagged(cls: type) -> Form:
    return estimator_form(
        f"ensembles.{cls.__name__}",
        cls,
        {**COLUMNS, "_forest": WithRows("ensembles.Forest"), "_reading": Object("ensembles.ForestReader")},
        take=_take_bagged,
        check=_check_bagged,
        rules=BAGGED_RULES,
    )


def _take_lazy(model: LazyOptionTreesClassifier, training_rows: bool) -> dict[str, Any]:  # noqa: ARG001
    values = taken_columns(model)
    return {**values, "examples": (model._trees.examples, True), "in_bag": model.in_bag_} if values else {}


def _finish_lazy(model: LazyOptionTreesClassifier, values: dict[str, Any]) -> None:
    examples, in_bag = values.pop("examples"), values.pop("in_bag")
    model.__dict__.update(values)
    if not isinstance(examples, Examples) or in_bag.ndim != 2 or in_bag.shape[1] != examples.n_rows or not len(in_bag):
        raise ModelFileError("lacks the training rows or bags from which it predicts")
    if examples.table.schema != model._schema or not np.array_equal(examples.classes, model.classes_):
        raise ModelFileError("has rows of other columns or classes")
    model._trees = LazyTrees.of(examples, ForestBags(drawn=in_bag), len(in_bag))


FORMS = (
    Form(
        "ensembles.Forest",
        Forest,
        {
            "trees": Trees(),
            "examples": EXAMPLES,
            "params": Snapshot(FOREST_RULES),
            "seed": Object("random.SeedSequence"),
            "in_bag": Maybe(Narrowed("u2", ndim=2)),
        },
        take=_take_forest,
        make=_make_forest,
    ),
    Form(
        "ensembles.EBPets",
        EBPets,
        {"tables": TablesByTree(), "filled": Optional_(TablesByTree("b")), "alpha": _ALPHA},
        take=_take_eb_pets,
    ),
    Form(
        "ensembles.MobEsp",
        MobEsp,
        {
            "index": Narrowed("f8", ndim=2),
            "n_cells": ListOf(Integer(0, 2**31)),
            "tables": TablesByTree(),
            "fallback": Object("ensembles.EBPets"),
            "alpha": _ALPHA,
        },
        take=_take_mob_esp,
        make=_make_mob_esp,
    ),
    Form(
        "ensembles.ForestReader",
        ForestReader,
        {
            "forest": Object("ensembles.Forest"),
            "options": _OPTIONS,
            "estimate": Maybe(ESTIMATE),
            "n_voters": Maybe(Integer(1)),
            "eb_pets": Maybe(Object("ensembles.EBPets")),
            "mob_esp": Maybe(Object("ensembles.MobEsp")),
            "oob_label": Maybe(Array("i4")),
            "tables": Maybe(TablesByTree()),
        },
        take=_take_reader,
        make=_make_reader,
        check=_check_reader,
    ),
    *map(_bagged, (BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier)),
    estimator_form(
        "ensembles.LazyOptionTreesClassifier",
        LazyOptionTreesClassifier,
        {
            **COLUMNS,
            "examples": WithRows("trees.Examples"),
            "in_bag": Narrowed("u2", ndim=2),
        },
        take=_take_lazy,
        finish=_finish_lazy,
        check=check_columns,
        rules=LAZY_RULES,
    ),
    *BOOSTING_FORMS,
)
