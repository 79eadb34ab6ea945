"""Fields of trees, which stand in a file packed, all those of a model in one set of arrays; and of what reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import check_params
from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Field, wrong
from calibrant._saved.values import Object, Parameters
from calibrant.estimates import Curtailment, Estimate, PathAverage, as_estimate
from calibrant.exceptions import ModelFileError, ParameterError
from calibrant.trees._internal import TREE_ARRAYS, TreeReading, narrowest, pack_trees, probability_table, unpack_trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._params import Rule
    from calibrant._saved.documents import Reader, Writer
    from calibrant.trees import Tree

__all__ = [
    "NarrowFloats",
    "Narrowed",
    "Snapshot",
    "TablesByTree",
    "Trees",
    "WithRows",
    "check_order",
    "is_recomputed",
    "same_table",
]


_LATER_PARAMETERS = {"max_bins": None}  # which files of earlier versions lack
_OPTIONAL = {"log_prior"}  # arrays of a tree that only some have


class Trees(Field):
    """A tuple of trees of the same columns and classes: at least one, or only one."""

    def __init__(self, *, only_one: bool = False) -> None:
        self.only_one = only_one

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        trees: Sequence[Tree] = tuple(value)
        if not trees:
            raise ModelFileError("has no trees: is it fitted?")
        first = trees[0]
        if any(tree.schema != first.schema or not np.array_equal(tree.classes, first.classes) for tree in trees):
            raise ModelFileError("has trees of different columns or classes")
        try:
            arrays = pack_trees(trees)
        except ValueError as error:
            raise ModelFileError(f"has a tree that cannot be packed: {error}") from None
        return {
            "schema": Object("data.Schema").write(first.schema, out),
            "classes": LabelArray().write(first.classes, out),
            "order": Array("i8").write(first.order, out),
            "arrays": {name: out.add_array(arrays[name]) for name in TREE_ARRAYS if name in arrays},
        }

    def read(self, document: Any, source: Reader) -> tuple[Tree, ...]:
        if type(document) is not dict or document.keys() != {"schema", "classes", "order", "arrays"}:
            raise wrong("trees", document)
        named = document["arrays"]
        if type(named) is not dict or named.keys() | _OPTIONAL != set(TREE_ARRAYS):
            raise wrong("the arrays of trees", named)
        arrays = {name: Array("u1 u2 u4 f4 f8").read(named[name], source) for name in named}
        classes, order = LabelArray().read(document["classes"], source), Array("i8").read(document["order"], source)
        check_order(order, len(classes))
        try:
            trees = unpack_trees(arrays, order, classes, Object("data.Schema").read(document["schema"], source))
        except ValueError as error:
            raise ModelFileError(f"holds no trees: {error}") from None
        if self.only_one and len(trees) != 1:
            raise ModelFileError("must hold one tree")
        return trees


class Snapshot(Field):
    """The parameters that trees were grown with, by the rules that they meet."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules, self.parameters = rules, Parameters(tuple(rules))

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        return self.parameters.write({name: getattr(value, name) for name in self.rules}, out)

    def read(self, document: Any, source: Reader) -> SimpleNamespace:
        values = {**_LATER_PARAMETERS, **self.parameters.read(document, source)}
        if values.keys() != self.rules.keys():
            raise wrong(f"the parameters {', '.join(self.rules)}", sorted(values))
        params = SimpleNamespace(**values)
        try:
            check_params(params, self.rules)
        except ParameterError as error:
            raise ModelFileError(f"has a wrong parameter: {error}") from None
        return params


class Narrowed(Field):
    """An array of numbers in the narrowest type that has them all, read as one type again."""

    def __init__(self, dtype: str, *, ndim: int = 1, high: float | None = None) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.field = Array("u1 u2 u4" if self.dtype.kind == "u" else "u1 u2 u4 f4 f8", ndim=ndim, high=high)

    def write(self, value: Any, out: Writer) -> Any:
        return self.field.write(narrowest(np.ascontiguousarray(value)), out)

    def read(self, document: Any, source: Reader) -> NDArray[Any]:
        array = self.field.read(document, source)
        if array.dtype.itemsize > self.dtype.itemsize:
            raise wrong(f"numbers of type {self.dtype}", array)
        return array.astype(self.dtype, copy=False)


class NarrowFloats(Narrowed):
    """An array of finite numbers from ``low`` to ``high`` in the narrowest type that has them all."""

    def __init__(self, *, ndim: int = 1, low: float = 0.0, high: float = 1e280) -> None:
        super().__init__("f8", ndim=ndim)
        self.field = Array("u1 u2 u4 f4 f8", ndim=ndim, finite=True, low=low, high=high)


class TablesByTree(Field):
    """A list of tables with one line for each node of each tree, as one array."""

    def __init__(self, kinds: str = "f8", *, low: float = 0.0, high: float = 1.0) -> None:
        self.field = Array(kinds, ndim=2, finite=True, low=low, high=high)

    def write(self, value: Any, out: Writer) -> Any:
        return self.field.write(np.concatenate(value), out)

    def read(self, document: Any, source: Reader) -> NDArray[Any]:
        return self.field.read(document, source)  # split by the number of nodes later


class WithRows(Object):
    """An object and whether its training rows are saved whatever the user requests, because it predicts from them."""

    def write(self, value: Any, out: Writer) -> int:
        held, keeps_rows = value
        before, n_notes = out.training_rows, len(out.notes)
        out.training_rows = before or keeps_rows
        try:
            return super().write(held, out)
        finally:
            out.training_rows = before
            if keeps_rows:
                out.notes[n_notes:] = [f"{note}, from which it predicts" for note in out.notes[n_notes:]]


def check_order(order: NDArray[Any], n_classes: int) -> None:
    """Raise unless an order of classes is a permutation."""
    if not np.array_equal(np.sort(order), np.arange(n_classes)):
        raise ModelFileError("has an order of classes that is none")


def is_recomputed(estimate: Estimate) -> bool:
    """Return whether a table of probabilities has the same bits on any machine, being sums, products and quotients."""
    if isinstance(estimate, Curtailment):
        return estimate.then is None or is_recomputed(as_estimate("estimate", estimate.then))
    return not (isinstance(estimate, PathAverage) and estimate.how == "bayes")


def same_table(tree: Tree, reading: TreeReading, params: Any) -> bool:
    """Return whether the table of a reading follows from the tree and the parameters, to the bit."""
    if not is_recomputed(reading.estimate):
        return False
    made = probability_table(tree, reading.estimate, empty_leaf=params.empty_leaf, dialect=params.dialect)
    return made.tobytes() == reading.table.tobytes()
