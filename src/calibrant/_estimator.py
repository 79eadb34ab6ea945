"""The base of every estimator of calibrant: suggestions for misspelt parameters, versioned pickles."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from calibrant import __version__
from calibrant._dask.lazy import LAZY_METHODS, predicts_lazily
from calibrant._params import Rule
from calibrant._repr import short_repr
from calibrant.exceptions import NotSavedError, UnknownParameterError, VersionWarning, nearest

C = TypeVar("C")

_VERSION = "_calibrant_version"
NOT_SAVED = "_not_saved"  # the attributes that a loaded estimator lacks, because they are of its training rows


class _NotSavedAttributeError(NotSavedError, AttributeError):
    """An attribute that was not saved; an AttributeError, so that `hasattr` returns False."""


def not_saved(estimator: object, attribute: str) -> NotSavedError:
    """Return the error for an attribute of a loaded estimator that was not saved."""
    return _NotSavedAttributeError(
        f"{type(estimator).__name__} was saved without its training rows, and so without {attribute}. Save it with "
        "training_rows=True."
    )


class OfTrainingRows:
    """A fitted attribute that is saved with the training rows only: a loaded estimator without it says so.

    It has no value of its own: ``fit`` sets the attribute of the estimator.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        who = type(estimator).__name__
        if self._name in vars(estimator).get(NOT_SAVED, ()):
            raise not_saved(estimator, self._name)
        raise AttributeError(f"{who!r} object has no attribute {self._name!r}", name=self._name, obj=estimator)


class EstimatorMixin:
    """Mixin of an estimator, before ``BaseEstimator``: unknown parameters suggest one, pickles hold a version.

    ``_rules`` are the rules of its parameters, which `fit`, model files and studies check; ``_short_name`` is its name
    on the command line, where it has one besides that of its class.
    """

    _rules: ClassVar[Mapping[str, Rule]] = {}
    _short_name: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__init__ is not object.__init__ and not hasattr(cls.__init__, "__wrapped__"):
            cls.__init__ = _checked(cls.__init__)  # type: ignore[method-assign]
        for name in LAZY_METHODS:
            _predict_lazily(cls, name)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator; ``estimator__name`` is a parameter of a nested one.

        Parameters
        ----------
        **params : object
            The parameters by name.

        Returns
        -------
        Self
            The estimator.

        Examples
        --------
        >>> from calibrant.calibration import Binning
        >>> Binning().set_params(n_bins=5)
        Binning(n_bins=5)
        >>> Binning().set_params(bins=5)
        Traceback (most recent call last):
        calibrant.exceptions.UnknownParameterError: Binning: there is no parameter 'bins'. Did you mean 'n_bins'?
        """
        _check_names(type(self), (name.partition("__")[0] for name in params), self._get_param_names())  # type: ignore[attr-defined]
        return super().set_params(**params)  # type: ignore[misc, no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), _VERSION: __version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        written_by = state.get(_VERSION, __version__)
        if written_by != __version__:
            warnings.warn(
                f"{type(self).__name__} was pickled by calibrant {written_by} and is loaded by {__version__}: it may "
                f"predict otherwise or fail. Fit it again, or load it with calibrant {written_by}.",
                VersionWarning,
                stacklevel=2,
            )
        super().__setstate__({name: value for name, value in state.items() if name != _VERSION})  # type: ignore[misc]


def _predict_lazily(cls: type, name: str) -> None:
    """Let a method predict Dask collections lazily, in the class of calibrant that defines it."""
    owner = next((base for base in cls.__mro__ if name in vars(base)), object)
    method: Any = vars(owner).get(name)
    if not owner.__module__.startswith("calibrant.") or getattr(method, "_is_lazy", False):
        return
    if inspect.isfunction(method):
        lazy = predicts_lazily(method)
        lazy._is_lazy = True  # type: ignore[attr-defined]
        setattr(owner, name, lazy)
    elif hasattr(method, "fn"):  # of scikit-learn's available_if
        method.fn = predicts_lazily(method.fn)
        method._is_lazy = True


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def with_parameters(cls: type[C]) -> type[C]:
    """Return an estimator with a constructor that stores its parameters: its annotated attributes, by keyword only.

    The constructor is that of a dataclass, so a subclass declares what it adds and what has another default.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> @with_parameters
    ... class Stump(EstimatorMixin, BaseEstimator):
    ...     min_leaf: float = 2
    >>> Stump().min_leaf, Stump(min_leaf=5)
    (2, Stump(min_leaf=5))
    """
    dataclass(kw_only=True, eq=False, repr=False, match_args=False)(cls)
    cls.__init__ = _checked(cls.__init__)  # type: ignore[method-assign]
    return cls


def with_defaults(**defaults: Any) -> Callable[[type[C]], type[C]]:
    """Return a decorator of a class whose constructor differs from that of its base class in its defaults only.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> @with_defaults(min_leaf=5)
    ... class Stubby(ProbabilityTreeClassifier):
    ...     pass
    >>> Stubby().min_leaf, Stubby(min_leaf=3).min_leaf, Stubby(max_depth=1)
    (5, 3, Stubby(max_depth=1))
    """

    def decorate(cls: type[C]) -> type[C]:
        cls.__annotations__ = {each.name: each.type for each in fields(cls) if each.name in defaults}  # type: ignore[arg-type]
        for name, value in defaults.items():
            setattr(cls, name, value)
        return with_parameters(cls)

    return decorate


def _checked(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that says what to write where Python would only say that arguments do not fit."""
    parameters = inspect.signature(init).parameters
    kinds = [parameter.kind for parameter in parameters.values()]
    if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return init
    names = [name for name in parameters if name != "self"]
    n_positional = len(kinds) - kinds.count(inspect.Parameter.KEYWORD_ONLY) - 1

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **params: Any) -> None:
        if not params.keys() <= parameters.keys():
            _check_names(type(self), params, names)
        if len(args) > n_positional:
            raise UnknownParameterError(_by_keyword(type(self), args, params))
        init(self, *args, **params)

    return checked


def _check_names(kind: type, names: Iterable[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            hint = nearest(name, known) or f" There are {', '.join(known) or 'none'}."
            raise UnknownParameterError(f"{kind.__name__}: there is no parameter {name!r}.{hint}")


def _by_keyword(kind: type, args: tuple[Any, ...], params: Mapping[str, Any]) -> str:
    """Return the message for too many positional arguments: the same call with keyword arguments."""
    name, parameters = kind.__name__, inspect.signature(kind).parameters
    n_positional = sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters.values())
    takes = "keyword arguments only" if n_positional == 0 else f"{n_positional} positional argument"
    takes += "s" if n_positional > 1 else ""
    meant = {**dict(zip(parameters, args, strict=False)), **params}
    holds_rows = any(hasattr(value, "shape") or isinstance(value, list | tuple) for value in args)
    if not holds_rows and len(meant) == len(args) + len(params):
        return f"{name} takes {takes}: write {name}({_arguments(meant)})."
    first = next(iter(parameters))
    example = f"{name}({_arguments({first: parameters[first].default})})"
    return f"{name} takes {takes}, such as {example}{'; rows and classes go to fit' * holds_rows}."


def _arguments(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={short_repr(value)}" for name, value in values.items())
