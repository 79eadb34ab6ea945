"""Values as JSON documents that describe them completely, or are told apart by a digest of their code and state."""

from __future__ import annotations

import base64
import collections
import contextlib
import dis
import enum
import functools
import hashlib
import inspect
import math
import pathlib
import pickle
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import short_repr
from calibrant.studies._definition.build import FORMS
from calibrant.studies._definition.documents import canonical_json
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
        return "object", _class(type(value), seen), _state(_kept_attributes(value), seen)
    if isinstance(value, _DESCRIPTORS):
        return path, value.__name__
    if hasattr(value, "get_params") and not clones_itself(value):
        return path, _state(_kept_attributes(value), seen)
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


def _kept_attributes(value: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, which are all that a clone of it keeps, or the attributes of an object."""
    return dict(value.get_params(deep=False)) if hasattr(value, "get_params") else dict(vars(value))


def _class(kind: type, seen: tuple[int, ...]) -> Any:
    body = ((name, each) for name, each in sorted(vars(kind).items()) if name not in _NOT_CODE)
    bases = tuple(_state(base, seen) for base in kind.__bases__)
    return "class", kind.__name__, bases, tuple((name, _state(each, seen)) for name, each in body)


def _function(function: Any, seen: tuple[int, ...]) -> Any:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    # The global values that it reads, apart from modules: their names say what they are
    names = sorted({*_global_names(function.__code__)} & function.__globals__.keys())
    read = {name: function.__globals__[name] for name in names}
    read = {name: each.__name__ if isinstance(each, types.ModuleType) else each for name, each in read.items()}
    parts = (function.__code__, function.__defaults__, function.__kwdefaults__, cells, read)
    return "function", *(_state(each, seen) for each in parts)


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


_MAX_BYTES = 2**20  # of an array in a document; a larger one is told apart by its digest but not kept
_MAX_LISTED = 100  # values that a person may want to read
_PLAIN = "biuf"  # kinds whose values JSON has
_RAW = "biufcMmUS"  # kinds whose bytes are the values


def fits_document(array: NDArray[Any]) -> bool:
    """Return whether an array can be kept in a document.

    Examples
    --------
    >>> fits_document(np.arange(3)), fits_document(np.zeros(3, dtype="f8,i4")), fits_document(np.zeros(10**7))
    (True, False, False)
    """
    return array.dtype.kind in f"{_RAW}O" and array.dtype.names is None and array.nbytes <= _MAX_BYTES


_MAX_DEPTH = 60  # of nested values; deeper ones, and those that contain themselves, are opaque
# Their state changes with every number drawn, so that no document describes what they will draw.
_RANDOM = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
# What an estimator is told apart from its parameters, and a clone keeps: private attribute of scikit-learn, our key.
_REQUESTS, _OUTPUT = "_metadata_request", "_sklearn_output_config"


def describe_value(value: Any, depth: int = 0) -> Any:
    """Return the JSON document of a value, from which `build_value` makes an equal one.

    An estimator, plan or dataclass is its class and the parameters that differ from the defaults. What has no
    document (a lambda, a local class, an open file, a generator of random numbers) is ``{"opaque": repr, "digest":
    ...}``. NumPy's integers, booleans, strings and float64 are described as Python's, which are equal.

    Examples
    --------
    >>> from calibrant.estimates import MEstimate
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> describe_value(ProbabilityTreeClassifier(estimate=MEstimate(m=2), min_leaf=1))
    {'class': 'calibrant.trees.ProbabilityTreeClassifier',
     'params': {'estimate': {'class': 'calibrant.estimates.MEstimate', 'params': {'m': 2}}, 'min_leaf': 1}}
    >>> describe_value((1, math.inf, np.mean))
    {'tuple': [1, {'float': 'inf'}, {'function': 'numpy.mean'}]}
    """
    if depth > _MAX_DEPTH:
        return describe_opaque(value)
    nested = functools.partial(describe_value, depth=depth + 1)
    if isinstance(value, enum.Enum):
        path = import_path(type(value))
        return {"enum": path, "name": value.name} if path else describe_opaque(value)
    if isinstance(value, np.generic):
        return _describe_scalar(value, nested)
    describer = _DESCRIBERS.get(type(value))
    if describer is not None:
        return describer(value, nested)
    if isinstance(value, pathlib.PurePath):
        return {"path": str(value)}
    if isinstance(value, type):
        path = import_path(value)
        return {"type": path} if path else describe_opaque(value)
    return _describe_object(value, nested)


def _describe_mapping(value: Mapping[Any, Any], nested: Any) -> Any:
    if type(value) is dict and all(type(key) is str for key in value) and not value.keys() & FORMS.keys():
        return {key: nested(each) for key, each in value.items()}
    pairs = [[nested(key), nested(each)] for key, each in value.items()]
    return {"dict": pairs} if type(value) is dict else {"ordered_dict": pairs}


def _describe_set(value: Any, nested: Any) -> Any:
    return {type(value).__name__: sorted((nested(each) for each in value), key=canonical_json)}


def _describe_array(array: NDArray[Any], nested: Any) -> dict[str, Any]:
    """Return an array as a document: a few numbers as a list, else the bytes in base 64, little-endian."""
    if not fits_document(array):
        return describe_opaque(array)
    kind = array.dtype.kind
    if kind == "O":
        values: Any = [nested(each) for each in array.ravel().tolist()]
    elif kind in _PLAIN and array.size <= _MAX_LISTED:
        values = [nested(each) for each in array.astype(np.float64 if kind == "f" else array.dtype).ravel().tolist()]
    else:
        values = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    dtype = "object" if kind == "O" else array.dtype.newbyteorder("<").str
    return {"array": values, "dtype": dtype} | ({} if array.ndim == 1 else {"shape": list(array.shape)})


def _describe_scalar(scalar: np.generic, nested: Any) -> Any:
    """Return a NumPy scalar as a document: Python's number or string where that is equal and as precise."""
    if not fits_document(np.asarray(scalar)):
        return describe_opaque(scalar)
    if isinstance(scalar, np.bool_ | np.integer | np.float64 | np.str_):
        return nested(scalar.item())
    document = _describe_array(np.asarray(scalar), nested)
    values = document["array"]
    return {"scalar": values[0] if isinstance(values, list) else values, "dtype": document["dtype"]}


def _describe_function(value: Any, _nested: Any) -> Any:
    path = import_path(value)
    return {"function": path} if path else describe_opaque(value)


def _arguments(args: Any, keywords: Mapping[str, Any], nested: Any) -> dict[str, Any]:
    listed = {"args": [nested(each) for each in args]} if args else {}
    return listed | ({"keywords": _by_name(keywords, nested)} if keywords else {})


def _by_name(values: Mapping[str, Any], nested: Any) -> dict[str, Any]:
    return {name: nested(values[name]) for name in sorted(values)}


_DESCRIBERS: dict[type, Any] = {
    **{kind: lambda value, _nested: value for kind in (type(None), bool, int, str)},
    float: lambda value, _nested: value if math.isfinite(value) else {"float": str(value)},
    complex: lambda value, nested: {"complex": [nested(value.real), nested(value.imag)]},
    bytes: lambda value, _nested: {"bytes": base64.b64encode(value).decode()},
    list: lambda value, nested: [nested(each) for each in value],
    tuple: lambda value, nested: {"tuple": [nested(each) for each in value]},
    set: _describe_set,
    frozenset: _describe_set,
    dict: _describe_mapping,
    collections.OrderedDict: _describe_mapping,
    range: lambda value, _nested: {"range": [value.start, value.stop, value.step]},
    slice: lambda value, nested: {"slice": [nested(value.start), nested(value.stop), nested(value.step)]},
    np.ndarray: _describe_array,
    functools.partial: lambda value, nested: {
        "partial": nested(value.func),
        **_arguments(value.args, value.keywords, nested),
    },
    **dict.fromkeys((types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.mean)), _describe_function),
}


# --- objects ------------------------------------------------------------------------------------------------------


def _describe_object(value: Any, nested: Any) -> Any:
    path, module = import_path(type(value)), type(value).__module__
    if isinstance(value, _RANDOM):
        return describe_opaque(value)
    document = None
    if module.startswith("scipy.stats.") and hasattr(value, "dist"):
        document = _describe_distribution(value, nested)
    elif module == "sklearn.metrics._scorer" and hasattr(value, "_score_func"):
        document = _describe_scorer(value, nested)
    if document is None and path is not None:
        describer = _describe_estimator if hasattr(value, "get_params") else _describe_by_constructor
        document = describer(value, path, nested)
    if document is None:
        # A function in a wrapper of its own, such as a cached one, goes by its own path
        document = _describe_function(value, nested) if callable(value) else describe_opaque(value)
    return document


def _describe_distribution(value: Any, nested: Any) -> dict[str, Any] | None:
    import scipy.stats

    name = getattr(value.dist, "name", "")
    if type(getattr(scipy.stats, name, None)) is not type(value.dist):
        return None
    return {"distribution": f"scipy.stats.{name}", **_arguments(value.args, value.kwds, nested)}


def _describe_scorer(value: Any, nested: Any) -> dict[str, Any] | None:
    from sklearn.metrics import make_scorer

    params = {
        "score_func": value._score_func,
        "response_method": value._response_method,
        "greater_is_better": value._sign > 0,
        **value._kwargs,
    }
    if vars(make_scorer(**params)).keys() != vars(value).keys():
        return None
    return {"factory": "sklearn.metrics.make_scorer", "params": _by_name(params, nested)}


def _describe_estimator(value: Any, path: str, nested: Any) -> Any:
    if clones_itself(value):
        return None
    try:
        document = _document(type(value), path, value.get_params(deep=False), nested)
    except Exception:  # get_params of any class may raise anything
        return None
    # The metadata that it requests by routing, by method, where it was set for this instance
    methods = vars(vars(value).get(_REQUESTS, object)) if _REQUESTS in getattr(value, "__dict__", {}) else {}
    requests = {
        name: {key: chosen for key, chosen in sorted(getattr(each, "requests", {}).items()) if chosen is not None}
        for name, each in sorted(methods.items())
    }
    requests, output = {name: each for name, each in requests.items() if each}, getattr(value, _OUTPUT, None)
    return document | ({"requests": requests} if requests else {}) | ({"output": dict(output)} if output else {})


def _describe_by_constructor(value: Any, path: str, nested: Any) -> Any:
    """Return the document of an object that its attributes rebuild; None if it has any other state."""
    try:
        parameters = inspect.signature(type(value)).parameters
        if any(each.kind in _VARIABLE for each in parameters.values()):
            return None
        params = {name: _attribute(value, name) for name in parameters}
        rebuilt = type(value)(**params)
        is_same = nested(_attributes(rebuilt)) == nested(_attributes(value))
    except Exception:  # a constructor of any class may raise anything
        return None
    return _document(type(value), path, params, nested) if is_same else None


def _attribute(value: Any, name: str) -> Any:
    """Return a parameter of a constructor; the repeated splits of scikit-learn keep theirs in a dict."""
    arguments = getattr(value, "cvargs", {})
    return arguments[name] if name in arguments else getattr(value, name)


def _attributes(value: Any) -> dict[str, Any]:
    slots = getattr(type(value), "__slots__", ())
    return dict(vars(value)) if hasattr(value, "__dict__") else {name: getattr(value, name) for name in slots}


def _document(kind: type, path: str, params: Mapping[str, Any], nested: Any) -> dict[str, Any]:
    """Return a class and the parameters that differ from its defaults."""
    defaults, described = _defaults(kind), _by_name(params, nested)
    kept = {name: each for name, each in described.items() if name not in defaults or each != defaults[name]}
    return {"class": path} | ({"params": kept} if kept else {})


@functools.lru_cache(maxsize=1000)
def _defaults(kind: type) -> dict[str, Any]:
    """Return the documents of the defaults of a class: of its signature, and where that is open of an instance."""
    parameters = inspect.signature(kind).parameters
    defaults = {name: each.default for name, each in parameters.items() if each.default is not inspect.Parameter.empty}
    is_open = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    if is_open and hasattr(kind, "get_params"):
        with contextlib.suppress(TypeError):  # parameters without a default
            defaults = {**kind().get_params(deep=False), **defaults}  # as of XGBoost
    return {name: describe_value(each) for name, each in defaults.items()}
