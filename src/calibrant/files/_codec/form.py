"""The form of a class in model files: which attributes stand there, with their types and ranges.

How to write a form. It stands in ``files/_forms/<package>.py``, whose ``FORMS`` is a tuple of all of them::

    FORMS = (
        Form("bayes.Smoothing", Smoothing, {"how": Text("laplace", "m"), "m": Number(0)}),
        Form("bayes.CategoryCounts", CategoryCounts, {
            "counts": Array("f", ndim=2, finite=True, low=0),
            "smoothing": Object("bayes.Smoothing"),
        }),
        estimator_form("bayes.ConstantClassifier", ConstantClassifier, {
            "_schema": Object("data.Schema"), "classes_": LabelArray(), "n_features_in_": Integer(1),
            "feature_names_in_": Maybe(LabelArray()), "proba_": Array("f", low=0, high=1),
        }, check=_check_proba),
    )

A name is the package and the class. The registry (``registry.py``) imports ``files/_forms/<package>.py`` for a class of
``calibrant.<package>`` and for a name that starts with ``<package>.``, and nothing else.

- ``fields`` has the attributes in the order they are written. One that an object may lack is ``Maybe(field)``.
- ``dropped`` lists the attributes that are left out on purpose: training rows, caches. The values of
  ``cached_property`` are left out without being listed. Any other attribute that is in no list is an error in
  `save`, so that nothing is forgotten silently.
- ``take(object, training_rows)`` returns the values of the fields where they are not the attributes themselves, and
  ``make(values)`` returns the object from the values. Without ``make`` the object is made without calling anything of
  its class, and the attributes are set; a field then has the name of the attribute.
- ``check(object)`` raises `ModelFileError` where fields do not agree: every length, index and sum that later code
  relies on, above all what native code is passed. It is all that stands between a hostile file and a crash.
- ``note(object)`` returns a sentence for `ModelDescription.notes`, or "": that a model holds its training rows.
- ``matches(object)`` is for forms of many classes, of other packages: any object it accepts has this form.

Objects may be shared: the same object, or array, is written once and is the same object after loading. They may not
refer to each other in a circle. Arrays come back read-only, as views of the file where it is mapped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from calibrant._estimator import NOT_SAVED
from calibrant._params import check_params
from calibrant.exceptions import ModelFileError, NotSavedError, ParameterError
from calibrant.files._codec.fields import named
from calibrant.files._codec.values import Parameters

if TYPE_CHECKING:
    from calibrant._params import Rule
    from calibrant.files._codec.fields import Field
    from calibrant.files._codec.reader import Reader
    from calibrant.files._codec.writer import Writer

__all__ = ["Form", "check_fitted", "estimator_form"]

# Set by scikit-learn where the user requests routing or output containers, or by our pickles.
_OF_NO_MODEL = frozenset(
    ("_calibrant_version", "_metadata_request", "_sklearn_output_config", "_sklearn_version", NOT_SAVED)
)


@dataclass(frozen=True)
class Form:
    """How the objects of a class are written and read; see the module's docstring.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> from calibrant.files._codec.registry import form_of
    >>> form_of(ConstantClassifier()).name
    'bayes.ConstantClassifier'
    """

    name: str
    cls: type
    fields: Mapping[str, Field]
    make: Callable[[dict[str, Any]], Any] | None = None
    take: Callable[[Any, bool], Mapping[str, Any]] | None = None
    check: Callable[[Any], None] | None = None
    dropped: tuple[str, ...] = ()
    note: Callable[[Any], str] | None = None
    matches: Callable[[object], bool] | None = None
    _known: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset((*self.fields, *self.dropped)) | _OF_NO_MODEL | _caches(self.cls))

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        """Return the document of an object; its objects and arrays are added to the file."""
        values = self.take(value, out.training_rows) if self.take else self._attributes(value)
        document = {}
        for name, field_ in self.fields.items():
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

    def _attributes(self, value: Any) -> dict[str, Any]:
        """Return the attributes of the fields; raise if there are others that are not dropped on purpose."""
        unknown = sorted(getattr(value, "__dict__", {}).keys() - self._known)
        if unknown:
            raise ModelFileError(f"has the attribute {unknown[0]!r}, which model files do not hold: delete it first")
        return {name: getattr(value, name) for name in self.fields if hasattr(value, name)}

    def _made(self, values: dict[str, Any]) -> Any:
        made: Any = object.__new__(self.cls)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made


def estimator_form(
    name: str,
    cls: type,
    fitted: Mapping[str, Field],
    *,
    check: Callable[[Any], None] | None = None,
    dropped: tuple[str, ...] = (),
    note: Callable[[Any], str] | None = None,
    take: Callable[[Any, bool], Mapping[str, Any]] | None = None,
    finish: Callable[[Any, dict[str, Any]], None] | None = None,
    rules: Mapping[str, Rule] | None = None,
    with_rows: tuple[str, ...] = (),
) -> Form:
    """Return the form of an estimator: the parameters of its constructor, and its fitted attributes.

    ``take(estimator, training_rows)`` returns the values of the ``fitted`` fields, and ``finish(estimator, values)``
    sets what they stand for on an estimator with its parameters; by default both are the attributes. ``rules`` are
    those that ``fit`` checks the parameters by: pass them, so that those of a file are checked too. ``with_rows``
    names the fields that are saved with the training rows only; a loaded estimator without them says so. An estimator
    that is not fitted, such as a parameter of another one, has its parameters alone.
    """
    parameters = tuple(cls._get_param_names())  # type: ignore[attr-defined]
    fields: dict[str, Field] = {"parameters": Parameters(parameters), **fitted}
    plain = Form(name, cls, fitted, dropped=(*parameters, *dropped))

    def taken(value: Any, training_rows: bool) -> Mapping[str, Any]:
        values = take(value, training_rows) if take else plain._attributes(value)
        kept = {name: each for name, each in values.items() if training_rows or name not in with_rows}
        return {"parameters": {name: getattr(value, name) for name in parameters}, **kept}

    def made(values: dict[str, Any]) -> Any:
        try:
            estimator = cls(**values.pop("parameters"))
        except TypeError as error:
            raise ModelFileError(f"lacks a parameter: {error}") from None
        _check_rules(estimator, rules or {})
        if not values:
            return estimator
        if finish:
            finish(estimator, values)
        else:
            vars(estimator).update(values)
        if missing := tuple(name for name in with_rows if name not in values):
            vars(estimator)[NOT_SAVED] = missing
        return estimator

    return Form(name, cls, fields, make=made, take=taken, check=check, dropped=dropped, note=note)


def check_fitted(model: Any) -> None:
    """Raise unless an object is a fitted model; parts of one, such as a parameter, need not be fitted."""
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


def _check_rules(estimator: Any, rules: Mapping[str, Rule]) -> None:
    try:
        check_params(estimator, rules)
    except (NotSavedError, ParameterError) as error:  # the first where a parameter is an object that has no rows
        raise ModelFileError(f"has a wrong parameter: {error}") from None


def _caches(cls: type) -> frozenset[str]:
    """Return the names of the cached properties of a class, which are computed again after loading."""
    return frozenset(
        name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, cached_property)
    )
