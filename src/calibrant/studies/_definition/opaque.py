"""Objects that no JSON document can hold: shown by their repr, told apart by a digest of their code and state."""

from __future__ import annotations

import dis
import hashlib
import pickle
import re
import types
from collections.abc import Iterator
from typing import Any

from calibrant._repr import short_repr
from calibrant.studies._definition.names import import_path

OPAQUE = "opaque"

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DESCRIPTORS = (
    *(types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType),
    *(types.MethodDescriptorType, types.BuiltinFunctionType),
)
# Attributes of a class that say where it was written, not what it does.
_NOT_CODE = {"__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__"}
_NOT_CODE |= {
    "_abc_impl",
    "__abstractmethods__",
    "__annotations__",
    "__annotate_func__",
    "__annotations_cache__",
    "__qualname__",
    "__parameters__",
}


def describe_opaque(value: Any) -> dict[str, str]:
    """Return the repr of an object without its address, and its digest where one can be computed.

    The digest of a function is of its compiled code, defaults and closure, not of its name, file or line. It
    depends on the version of Python, as pickled state does.

    Examples
    --------
    >>> half, again, double = (lambda x: x / 2), (lambda x: x / 2), (lambda x: x * 2)
    >>> describe_opaque(half)["opaque"]
    '<function <lambda>>'
    >>> describe_opaque(half) == describe_opaque(again), describe_opaque(half) == describe_opaque(double)
    (True, False)
    """
    document = {OPAQUE: _ADDRESS.sub("", short_repr(value))}
    try:
        document["digest"] = hashlib.sha256(repr(_state(value, ())).encode()).hexdigest()
    except Exception:  # pickling runs code of any class, which may raise anything
        return document
    return document


def _state(value: Any, seen: tuple[int, ...]) -> Any:
    """Return the code and state of an object as nested tuples with a stable repr."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return type(value).__name__, value
    if id(value) in seen:
        return "seen", seen.index(id(value))
    seen = (*seen, id(value))
    if isinstance(value, types.FunctionType):
        return import_path(value) or _function(value, seen)
    if isinstance(value, types.MethodType):
        return "method", _function(value.__func__, seen), _state(value.__self__, seen)
    if isinstance(value, types.CodeType):
        return _code(value, seen)
    if isinstance(value, classmethod | staticmethod):
        return type(value).__name__, _state(value.__func__, seen)
    if isinstance(value, property):
        return "property", *(_state(each, seen) for each in (value.fget, value.fset, value.fdel))
    return _class_or_object(value, seen)


def _class_or_object(value: Any, seen: tuple[int, ...]) -> Any:
    if isinstance(value, type):
        path = import_path(value)
        return ("type", path) if path else _class(value, seen)
    if isinstance(value, tuple | list):
        return type(value).__name__, *(_state(each, seen) for each in value)
    if isinstance(value, dict):
        return "dict", *((_state(key, seen), _state(each, seen)) for key, each in value.items())
    if isinstance(value, set | frozenset):
        return type(value).__name__, *sorted(repr(_state(each, seen)) for each in value)
    return _object(value, seen)


def _object(value: Any, seen: tuple[int, ...]) -> Any:
    path = import_path(type(value))
    if path is None:
        return "object", _class(type(value), seen), _state(_attributes(value), seen)
    if isinstance(value, _DESCRIPTORS):
        return path, value.__name__
    if hasattr(value, "get_params") and not clones_itself(value):
        return path, _state(_attributes(value), seen)
    try:
        return pickle.dumps(value, protocol=4)
    except Exception:  # of an object that holds functions, such as the descriptors of scikit-learn
        if not getattr(value, "__dict__", None):
            raise
        return path, _state(dict(vars(value)), seen)


def clones_itself(value: Any) -> bool:
    """Return whether cloning an estimator returns the estimator with its fitted state, as of a frozen one.

    Examples
    --------
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.naive_bayes import GaussianNB
    >>> clones_itself(FrozenEstimator(GaussianNB())), clones_itself(GaussianNB())
    (True, False)
    """
    clone = getattr(value, "__sklearn_clone__", None)
    return clone is not None and clone() is value


def _attributes(value: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, which are all that a clone of it keeps, or the attributes of an object."""
    return dict(value.get_params(deep=False)) if hasattr(value, "get_params") else dict(vars(value))


def _class(kind: type, seen: tuple[int, ...]) -> Any:
    body = ((name, each) for name, each in sorted(vars(kind).items()) if name not in _NOT_CODE)
    bases = tuple(_state(base, seen) for base in kind.__bases__)
    return "class", kind.__name__, bases, tuple((name, _state(each, seen)) for name, each in body)


def _function(function: Any, seen: tuple[int, ...]) -> Any:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = (function.__code__, function.__defaults__, function.__kwdefaults__, cells, _globals(function))
    return "function", *(_state(each, seen) for each in parts)


def _globals(function: Any) -> dict[str, Any]:
    """Return the global values that a function reads, apart from modules: their names say what they are."""
    names = set(_global_names(function.__code__))
    found = {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
    return {name: each.__name__ if isinstance(each, types.ModuleType) else each for name, each in found.items()}


def _global_names(code: types.CodeType) -> Iterator[str]:
    """Yield the global names that code reads, and those that functions inside it read."""
    yield from (each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _global_names(each)


def _code(code: types.CodeType, seen: tuple[int, ...]) -> Any:
    constants = tuple(_state(each, seen) for each in code.co_consts)
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return "code", code.co_code, code.co_flags, code.co_argcount, code.co_kwonlyargcount, names, constants
