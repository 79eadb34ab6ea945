"""Declarations of classes: a class says once, beside itself, which of its attributes stand in model files.

How to declare a class. `saved` names the fields that cannot be derived, with their types and ranges::

    @saved(counts=Array("f8", ndim=2, finite=True, low=0, high=1e150))
    @dataclass(frozen=True)
    class CategoryCounts:
        counts: NDArray[np.float64]
        smoothing: Smoothing  # derived, as Smoothing is declared too

        def _check_saved(self) -> None:
            need(self.counts.shape[1] >= 1, "has no classes")


    @saved(proba_=Array("f8", finite=True, low=0, high=1))
    class ConstantClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):
        _rules: ClassVar[Mapping[str, Rule]] = {"strategy": Choice("base_rate", "zero", "one")}

Its name in files is the package and the class, ``bayes.CategoryCounts``; ``_DECLARED`` has all of them, and reading a
file imports the package of a name, from a fixed list, and nothing else.

- **An estimator** has its constructor's parameters as a field, checked by the class's ``_rules``, which `fit` checks
  too (``check_params(self)``). Its other fields are fitted attributes. One that is not fitted, such as a parameter of
  another one, has its parameters alone.
- **A dataclass or NamedTuple** has a field for each of its own; those that `saved` does not name are derived from the
  annotations ``int``, ``float``, ``bool``, ``str``, ``Literal[...]``, declared classes, ``X | None``, ``tuple[X, ...]``
  and ``list[X]``. It is made by its constructor, whose errors become a `ModelFileError`.
- **Any other class** has the fields that `saved` names; it is made without calling anything, and they are set.
- Fields are inherited: a mixin that is no class of files has them as ``_saved_fields``.
- ``inline=True``: small objects, written wherever they occur instead of once for all who share them.
- ``Maybe(field)`` is of an attribute that an object may lack, ``RowsOnly(field)`` of one that is saved with the
  training rows only; a loaded estimator then says so. ``field | None`` and ``field | field`` are alternatives.
- An attribute that is no field is an error in `save`, so that nothing is forgotten silently; ``cached_property`` is
  left out and computed again.

Methods that a class may have, all of them used here only:

- ``_check_saved(self)`` raises by `need` where fields do not agree: every length, index and sum that later code relies
  on, above all arguments of native code. It is all that stands between a hostile file and a crash. Call ``super()``.
- ``_saved_values(self, training_rows)`` returns the values of the fields where they are not the attributes: of a
  fitted estimator those that differ, of any other class all; ``_from_saved(cls, values)``, a class method, returns the
  object of them, or of an estimator with its parameters ``_set_saved(self, values)`` sets them.
- ``_saved_note(self)`` returns a sentence for `ModelDescription.notes`, or "": that a model holds its training rows.

Objects may be shared: the same object, or array, is written once and is the same object after loading. They may not
refer to each other in a circle. Arrays come back read-only, as views of the file where it is mapped.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from calibrant._estimator import NOT_SAVED, OfTrainingRows
from calibrant._params import check_params
from calibrant._saved.fields import (
    Field,
    Flag,
    Integer,
    ListOf,
    Number,
    RowsOnly,
    Text,
    TupleOf,
    named,
    wrong,
)
from calibrant._saved.values import Object, Parameters, Value, form_name
from calibrant.exceptions import CalibrantError, ModelFileError, NotSavedError, ParameterError

if TYPE_CHECKING:
    from calibrant._saved.documents import Reader, Writer

C = TypeVar("C", bound=type)

# The module that declares the classes of each package; names in a file are looked up here and never imported.
_PACKAGES = (
    "bayes blending calibration curves data decisions ensembles estimates files linear neighbors neural svm trees"
)
MODULES = {
    **{name: f"calibrant.{name}" for name in _PACKAGES.split()},
    "foreign": "calibrant.files._foreign.forms",
    "random": __name__,  # NumPy's sources of randomness, which cannot declare themselves
}
_DECLARED: dict[str, type] = {}
_INLINE: set[type] = set()
# Set by scikit-learn where the user requests routing or output containers.
_OF_NO_MODEL = frozenset(("_metadata_request", "_sklearn_output_config", "_sklearn_version", NOT_SAVED))
_BY_ANNOTATION = {int: Integer(), float: Number(), bool: Flag(), str: Text()}


def saved(*, inline: bool = False, **fields: Field) -> Callable[[C], C]:
    """Return a decorator that declares a class of model files; see the module's docstring.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> form_of(ConstantClassifier()).name
    'bayes.ConstantClassifier'
    """

    def declare(cls: C) -> C:
        cls._saved_fields = {**getattr(cls, "_saved_fields", {}), **fields}  # type: ignore[attr-defined]
        _DECLARED[form_name(cls)] = cls
        if inline:
            _INLINE.add(cls)
        for name, each in fields.items():
            if isinstance(each, RowsOnly) and not hasattr(cls, name):
                setattr(cls, name, OfTrainingRows(name))
        return cls

    return declare


@dataclass(frozen=True)
class Form:
    """The fields of a class in model files, with the functions that take them from an object and make one of them.

    ``matches`` recognises the objects of forms that stand for many classes, of other packages.
    """

    name: str
    cls: type
    fields: Mapping[str, Field]
    make: Callable[[dict[str, Any]], Any] | None = None
    take: Callable[[Any, bool], Mapping[str, Any]] | None = None
    check: Callable[[Any], None] | None = None
    note: Callable[[Any], str] | None = None
    matches: Callable[[object], bool] | None = None
    known: tuple[str, ...] = ()
    _known: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset((*self.fields, *self.known)) | _OF_NO_MODEL | _caches(self.cls))

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        """Return the document of an object; its objects and arrays are added to the file."""
        values = self.take(value, out.training_rows) if self.take else self.attributes(value)
        document = {}
        for name, field_ in self.fields.items():
            if isinstance(field_, RowsOnly) and not out.training_rows:
                continue
            if name in values:
                with named(name):
                    document[name] = field_.write(values[name], out)
            elif not field_.may_be_missing and not _is_unfitted(values):
                raise ModelFileError(f"has no attribute {name!r}: is it fitted?")
        if self.note and not _is_unfitted(values) and (note := self.note(value)):
            out.notes.append(note)
        return document

    def read(self, document: Any, source: Reader) -> Any:
        """Return the object of a document."""
        if not isinstance(document, dict) or not document.keys() <= self.fields.keys():
            raise ModelFileError(f"has fields that {self.name} does not have")
        values = {}
        for name, field_ in self.fields.items():
            if name in document:
                with named(name):
                    values[name] = field_.read(document[name], source)
            elif not field_.may_be_missing and not _is_unfitted(document):
                raise ModelFileError(f"lacks the field {name}")
        made = self.make(values) if self.make else self._made(values)
        if self.check and not _is_unfitted(document):
            self.check(made)
        return made

    def attributes(self, value: Any) -> dict[str, Any]:
        """Return the attributes of the fields; raise if there are others that are not left out on purpose."""
        unknown = sorted(getattr(value, "__dict__", {}).keys() - self._known)
        if unknown:
            raise ModelFileError(f"has the attribute {unknown[0]!r}, which model files do not hold: delete it first")
        return {name: getattr(value, name) for name in self.fields if hasattr(value, name)}

    def _made(self, values: dict[str, Any]) -> Any:
        made: Any = object.__new__(self.cls)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made


class Inline(Field):
    """An object of a declared class that stands in the document itself."""

    def __init__(self, cls: Any) -> None:
        self.cls: Any = cls

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        form = declared_form(self.cls)
        if type(value) is not self.cls:
            raise wrong(f"a {self.cls.__name__}", value)
        return form.write(value, out)

    def read(self, document: Any, source: Reader) -> Any:
        return declared_form(self.cls).read(document, source)


@cache
def declared_form(cls: Any) -> Form:
    """Return the form of a declared class."""
    fields, name = dict(cls._saved_fields), form_name(cls)
    take, check, note = (getattr(cls, each, None) for each in ("_saved_values", "_check_saved", "_saved_note"))
    if hasattr(cls, "_get_param_names"):
        return _estimator_form(name, cls, fields, take=take, check=check, note=note)
    own = [each.name for each in dataclasses.fields(cls) if each.init] if dataclasses.is_dataclass(cls) else ()
    own = own or getattr(cls, "_fields", ())
    make = getattr(cls, "_from_saved", _maker(cls) if own else None)
    if take is None:
        fields = {**{each: fields[each] if each in fields else _derived(cls, each) for each in own}, **fields}
    return Form(name, cls, fields, make=make, take=take, check=check, note=note)


def _maker(cls: type) -> Callable[[dict[str, Any]], Any]:
    """Return a function that calls the constructor of a class, which checks the values."""

    def make(values: dict[str, Any]) -> Any:
        try:
            return cls(**values)
        except ModelFileError:
            raise
        except (CalibrantError, TypeError, ValueError) as error:
            raise ModelFileError(f"has a wrong value: {error}") from None

    return make


def _derived(cls: type, name: str) -> Field:
    """Return the field of an attribute by its annotation."""
    owner = next(base for base in cls.__mro__ if name in inspect.get_annotations(base))
    annotated = SimpleNamespace(__annotations__={name: inspect.get_annotations(owner)[name]})
    try:
        return _by_hint(typing.get_type_hints(annotated, vars(sys.modules[owner.__module__]))[name])
    except (NameError, TypeError) as error:
        raise TypeError(f"{cls.__name__}.{name}: say in @saved which field it is ({error})") from None


def _by_hint(hint: Any) -> Field:
    if hint in _BY_ANNOTATION:
        return _BY_ANNOTATION[hint]
    if hint in _DECLARED.values():
        return Inline(hint) if hint in _INLINE else Object(form_name(hint))
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return Text(*inner)
    if origin in (types.UnionType, typing.Union) and len(inner) == 2 and inner[1] is types.NoneType:
        return _by_hint(inner[0]) | None
    if origin is tuple and inner[1:] == (...,):
        return TupleOf(_by_hint(inner[0]))
    if origin is list:
        return ListOf(_by_hint(inner[0]))
    raise TypeError(f"no field is derived from {hint}")


def form_named(name: Any) -> Form:
    """Return the form of a name that stands in a file; raise if there is none."""
    name = name if isinstance(name, str) else repr(name)
    package = name.partition(".")[0]
    if package in MODULES and name not in _DECLARED:
        for form in _other_forms(package):
            if form.name == name:
                return form
        # A public class that its package imports on first use
        module, public = importlib.import_module(MODULES[package]), name.partition(".")[2]
        if public in getattr(module, "__all__", ()):
            getattr(module, public)
    if name in _DECLARED and _DECLARED[name] not in _INLINE:
        return declared_form(_DECLARED[name])
    raise ModelFileError(f"there is no class {name!r:.60} in model files of this version of calibrant")


def form_of(value: object) -> Form:
    """Return the form of an object; raise if its class has none."""
    cls: Any = type(value)
    if _DECLARED.get(form_name(cls) if cls.__module__.startswith("calibrant.") else "") is cls:
        return declared_form(cls)
    for form in _other_forms("random" if cls.__module__.startswith("numpy.random") else "foreign"):
        if form.matches(value) if form.matches else form.cls is cls:
            return form
    raise ModelFileError(f"is of a class that model files do not hold ({cls.__module__}.{cls.__qualname__})")


def _other_forms(package: str) -> tuple[Form, ...]:
    """Import a package; return the forms of classes that are not of calibrant, of which two modules have some."""
    return getattr(importlib.import_module(MODULES[package]), "FORMS", ())


def _estimator_form(name: str, cls: Any, fitted: Mapping[str, Field], **hooks: Any) -> Form:
    """Return the form of an estimator: the parameters of its constructor, and its fitted attributes."""
    parameters = tuple(cls._get_param_names())
    plain = Form(name, cls, fitted, known=parameters)
    with_rows = [each for each, field_ in fitted.items() if isinstance(field_, RowsOnly)]
    take, set_saved = hooks.pop("take"), getattr(cls, "_set_saved", lambda made, values: made.__dict__.update(values))

    def taken(value: Any, training_rows: bool) -> Mapping[str, Any]:
        own = vars(value)
        values = {name: own[name] for name in fitted if name in own} if take else plain.attributes(value)
        values |= take(value, training_rows) if take and values else {}  # of one that is fitted
        return {"parameters": {name: getattr(value, name) for name in parameters}, **values}

    def made(values: dict[str, Any]) -> Any:
        try:
            estimator = cls(**values.pop("parameters"))
            check_params(estimator)
        except TypeError as error:
            raise ModelFileError(f"lacks a parameter: {error}") from None
        except (NotSavedError, ParameterError) as error:  # the first where a parameter is an object that has no rows
            raise ModelFileError(f"has a wrong parameter: {error}") from None
        if values:
            set_saved(estimator, values)
            if missing := tuple(name for name in with_rows if name not in values):
                vars(estimator)[NOT_SAVED] = missing
        return estimator

    return Form(name, cls, {"parameters": Parameters(parameters), **fitted}, made, taken, **hooks)


def check_fitted(model: Any) -> None:
    """Raise unless an object is a fitted model; parts of one, such as a parameter, need not be fitted."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(type(model), "fit"):
        raise ModelFileError(f"{type(model).__name__} is no model, but a part of one")
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(f"{type(model).__name__} has no fitted attributes: is it fitted?") from None
    except Exception as error:  # of other packages' estimators that lack attributes
        raise ModelFileError(f"{type(model).__name__} is no fitted model ({error})") from error


def _is_unfitted(values: Mapping[str, Any]) -> bool:
    """Return whether an estimator has nothing but its parameters."""
    return values.keys() == {"parameters"}


def _caches(cls: type) -> frozenset[str]:
    """Return the names of the cached properties of a class, which are computed again after loading."""
    return frozenset(
        name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, cached_property)
    )


_WORD = Integer(0, 2**32 - 1)
_ENTROPY = Integer(0, 2**4096) | ListOf(_WORD) | TupleOf(_WORD) | None
_GENERATORS = {
    cls.__name__: cls
    for cls in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
}


def _take_seed_sequence(seed: np.random.SeedSequence, _training_rows: bool) -> dict[str, Any]:
    names = ("entropy", "spawn_key", "pool_size", "n_children_spawned")
    values = {name: getattr(seed, name) for name in names}
    if isinstance(values["entropy"], np.ndarray):
        values["entropy"] = values["entropy"].tolist()
    return {**values, "spawn_key": tuple(int(word) for word in values["spawn_key"])}


def _bit_generator(values: dict[str, Any]) -> Any:
    """Return a bit generator in a state like that of a new one; NumPy does not check positions in buffers."""
    generator = _GENERATORS[values["kind"]](0)
    state = values["state"]
    is_possible = _is_like(state, generator.state)
    is_possible = is_possible and 0 <= state["state"].get("pos", 0) <= 624 and 0 <= state.get("buffer_pos", 0) <= 4
    is_possible = is_possible and state.get("has_uint32", 0) in (0, 1) and 0 <= state.get("uinteger", 0) < 2**32
    if not is_possible:
        raise ModelFileError("has an impossible state of random numbers")
    generator.state = state
    return generator


def _is_like(state: Any, other: Any) -> bool:
    """Return whether a state has the keys, types and shapes of another one."""
    if type(state) is not type(other):
        return False
    if isinstance(state, dict):
        return state.keys() == other.keys() and all(_is_like(state[key], other[key]) for key in other)
    if isinstance(state, np.ndarray):
        return bool(state.dtype == other.dtype and state.shape == other.shape)
    return bool(state == other) if isinstance(state, str) else 0 <= state < 2**128


def _random_state(values: dict[str, Any]) -> np.random.RandomState:
    state = np.random.RandomState(_bit_generator(values))
    state.set_state({**state.get_state(legacy=False), "has_gauss": int(values["has_gauss"]), "gauss": values["gauss"]})
    return state


def _take_random_state(state: np.random.RandomState, _training_rows: bool) -> dict[str, Any]:
    whole = dict(state.get_state(legacy=False))
    gauss = {"has_gauss": bool(whole.pop("has_gauss")), "gauss": float(whole.pop("gauss"))}
    return {"kind": whole["bit_generator"], "state": whole, **gauss}


FORMS = (
    Form(
        "random.SeedSequence",
        np.random.SeedSequence,
        {
            "entropy": _ENTROPY,
            "spawn_key": TupleOf(_WORD, most=100),
            "pool_size": Integer(4, 1024),
            "n_children_spawned": Integer(0, 2**32 - 1),
        },
        make=lambda values: np.random.SeedSequence(**values),
        take=_take_seed_sequence,
    ),
    Form(
        "random.Generator",
        np.random.Generator,
        {"kind": Text(*_GENERATORS), "state": Value()},
        make=lambda values: np.random.Generator(_bit_generator(values)),
        take=lambda random, _: {
            "kind": type(random.bit_generator).__name__,
            "state": random.bit_generator.state,
        },
    ),
    Form(
        "random.RandomState",
        np.random.RandomState,
        {"kind": Text("MT19937"), "state": Value(), "has_gauss": Flag(), "gauss": Number()},
        make=_random_state,
        take=_take_random_state,
    ),
)
