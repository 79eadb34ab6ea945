"""The columns that a fitted model expects, found in the model, in the one that it wraps, or in its file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from calibrant.data._internal import Feature, Schema, WantedColumns
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.files._description import ColumnDescription

__all__ = ["described_schema", "find_schema", "has_own_labels", "is_calibrants", "wanted_columns", "wrapped_models"]


_MAX_DEPTH = 10


def find_schema(model: Any) -> Schema | None:
    """Return the kinds and categories of the columns of a model; None where it does not know them.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> find_schema(ProbabilityTreeClassifier().fit([[1], [2]], [0, 1])).features[0].kind
    'numeric'
    """
    return next((each._schema for each in wrapped_models(model) if _has_schema(each)), None)


def wrapped_models(model: Any) -> Iterator[Any]:
    """Yield a model, the one that it wraps, and so on."""
    for _ in range(_MAX_DEPTH):
        if model is None:
            return
        yield model
        model = _wrapped(model) if is_calibrants(model) else None


def is_calibrants(model: Any) -> bool:
    """Return whether a model is of a class of calibrant."""
    return type(model).__module__.partition(".")[0] == "calibrant"


def _wrapped(model: Any) -> Any:
    if _has_schema(model):
        return None
    several = getattr(model, "estimators_", None)
    first = several[0] if isinstance(several, list) and several else None
    return first if first is not None else getattr(model, "estimator_", getattr(model, "tree", None))


def _has_schema(model: Any) -> bool:
    return "_schema" in getattr(model, "__dict__", {})


# A blend may have members of other libraries, which get the rows as they are passed.
_PASS_ROWS = ("calibrant.blending",)
_DECIDE = ("calibrant.decisions",)


def wanted_columns(model: Any, keep: tuple[str, ...] | Literal["all"], described: Schema | None) -> WantedColumns:
    """Return the columns that a model needs, with their kinds where it or the description of its file knows them."""
    schema = find_schema(model) or described
    if schema is not None:
        known = schema.names if schema.named else None
        return WantedColumns(known, len(schema.features), schema, keep, as_text=not _is_own(model))
    names = getattr(model, "feature_names_in_", None)
    n_features = len(names) if names is not None else getattr(model, "n_features_in_", None)
    if n_features is None:
        raise ParameterError(
            f"model must know its columns; {type(model).__name__} has no feature_names_in_. Fit it to a frame."
        )
    return WantedColumns(None if names is None else tuple(map(str, names)), int(n_features), None, keep, as_text=True)


def described_schema(columns: Sequence[ColumnDescription], model: Any) -> Schema | None:
    """Return the columns of a model that the description of its file lists; None if it lists not all of them."""
    known = {each.name: _feature(each) for each in columns}
    names = [str(name) for name in getattr(model, "feature_names_in_", known)]
    is_known = bool(names) and all(name in known for name in names)
    return Schema(tuple(known[name] for name in names), named=True) if is_known else None


def _feature(column: ColumnDescription) -> Feature:
    return Feature(
        column.name,
        "nominal" if column.kind == "nominal" else "numeric",
        column.categories,
        measure=column.measure,
    )


def has_own_labels(model: Any) -> bool:
    """Return whether the class that a model predicts may be another than the most probable one."""
    return type(model).__module__.startswith(_DECIDE) or not is_calibrants(model)


def _is_own(model: Any) -> bool:
    """Return whether a model and what it wraps are of calibrant, which takes categories and strings alike."""
    models = list(wrapped_models(model))
    return all(is_calibrants(each) and not type(each).__module__.startswith(_PASS_ROWS) for each in models)
