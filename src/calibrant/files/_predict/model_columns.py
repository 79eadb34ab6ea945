"""The columns that a fitted model expects, found in the model or in the one that it wraps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from calibrant.data._internal import WantedColumns
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from calibrant.data._internal import Schema

__all__ = ["find_schema", "has_own_labels", "wanted_columns"]

_MAX_DEPTH = 10
# A blend may have members of other libraries, which get the rows as they are passed.
_PASS_ROWS = ("calibrant.blending",)
_DECIDE = ("calibrant.decisions",)


def wanted_columns(model: Any, keep: tuple[str, ...] | Literal["all"]) -> WantedColumns:
    """Return the columns that a model needs, with their kinds where it knows them."""
    schema = find_schema(model)
    if schema is not None:
        names = schema.names if schema.named else None
        return WantedColumns(names, len(schema.features), schema, keep, as_text=not _is_own(model))
    names = getattr(model, "feature_names_in_", None)
    n_features = len(names) if names is not None else getattr(model, "n_features_in_", None)
    if n_features is None:
        raise ParameterError(
            f"model must know its columns; {type(model).__name__} has no feature_names_in_. Fit it to a frame."
        )
    return WantedColumns(None if names is None else tuple(map(str, names)), int(n_features), None, keep, as_text=True)


def find_schema(model: Any) -> Schema | None:
    """Return the kinds and categories of the columns of a model; None where it does not know them.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> find_schema(ProbabilityTreeClassifier().fit([[1], [2]], [0, 1])).features[0].kind
    'numeric'
    """
    return next((each._schema for each in _chain(model) if "_schema" in getattr(each, "__dict__", {})), None)


def has_own_labels(model: Any) -> bool:
    """Return whether the class that a model predicts may be another than the most probable one."""
    return type(model).__module__.startswith(_DECIDE) or not _is_calibrants(model)


def _is_own(model: Any) -> bool:
    """Return whether a model and what it wraps are of calibrant, which takes categories and strings alike."""
    return all(_is_calibrants(each) and not type(each).__module__.startswith(_PASS_ROWS) for each in _chain(model))


def _is_calibrants(model: Any) -> bool:
    return type(model).__module__.partition(".")[0] == "calibrant"


def _chain(model: Any) -> Iterator[Any]:
    """Yield a model, the one that it wraps, and so on."""
    for _ in range(_MAX_DEPTH):
        if model is None:
            return
        yield model
        model = _wrapped(model) if _is_calibrants(model) else None


def _wrapped(model: Any) -> Any:
    if "_schema" in getattr(model, "__dict__", {}):
        return None
    several = getattr(model, "estimators_", None)
    first = several[0] if isinstance(several, list) and several else None
    return first if first is not None else getattr(model, "estimator_", getattr(model, "tree", None))
