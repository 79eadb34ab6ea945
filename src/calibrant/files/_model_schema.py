"""The columns that a fitted model expects, found in the model or in the one that it wraps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant.data._internal import Schema

__all__ = ["find_schema", "is_calibrants", "wrapped_models"]

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
