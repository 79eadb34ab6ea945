"""Model files as classes see them: what a class declares of itself, and the documents made of that."""

from calibrant._saved.arrays import Array, Bytes, Narrowed, NarrowFloats
from calibrant._saved.fields import (
    Field,
    Flag,
    Integer,
    Line,
    ListOf,
    MapOf,
    Maybe,
    Number,
    RowsOnly,
    Text,
    TupleOf,
    need,
    wrong,
)
from calibrant._saved.form import Inline, saved
from calibrant._saved.values import LabelArray, Object, Parameters, Plain, Snapshot, Value, Values, WithRows

__all__ = [
    "Array",
    "Bytes",
    "Field",
    "Flag",
    "Inline",
    "Integer",
    "LabelArray",
    "Line",
    "ListOf",
    "MapOf",
    "Maybe",
    "NarrowFloats",
    "Narrowed",
    "Number",
    "Object",
    "Parameters",
    "Plain",
    "RowsOnly",
    "Snapshot",
    "Text",
    "TupleOf",
    "Value",
    "Values",
    "WithRows",
    "need",
    "saved",
    "wrong",
]
