"""The forms by name and by class; the module of a package's forms is imported when one of them is needed."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from calibrant.exceptions import ModelFileError

if TYPE_CHECKING:
    from calibrant.files._codec.form import Form

__all__ = ["form_named", "form_of", "forms"]

# The module of files/_forms for the forms of each package; names from a file are looked up here and never imported.
MODULES = {
    "bayes": "bayes",
    "blending": "blending",
    "calibration": "calibration",
    "curves": "decisions",
    "data": "data",
    "decisions": "decisions",
    "ensembles": "ensembles",
    "estimates": "estimates",
    "foreign": "foreign",
    "linear": "blending",
    "neighbors": "neighbors",
    "neural": "neural",
    "random": "random",
    "svm": "svm",
    "trees": "trees",
}


@cache
def forms(module: str) -> tuple[Form, ...]:
    """Return the forms of a module of files/_forms.

    Examples
    --------
    >>> [form.name for form in forms("data")]
    ['data.Schema']
    """
    return tuple(importlib.import_module(f"calibrant.files._forms.{module}").FORMS)


def form_named(name: Any) -> Form:
    """Return the form of a name that stands in a file; raise if there is none."""
    package = name.partition(".")[0] if isinstance(name, str) else ""
    for form in forms(MODULES[package]) if package in MODULES else ():
        if form.name == name:
            return form
    raise ModelFileError(f"there is no class {name!r:.60} in model files of this version of calibrant")


def form_of(value: object) -> Form:
    """Return the form of an object; raise if its class has none."""
    cls = type(value)
    for form in forms(MODULES[_package(cls)]):
        if form.matches(value) if form.matches else form.cls is cls:
            return form
    raise ModelFileError(f"is of a class that model files do not hold ({cls.__module__}.{cls.__qualname__})")


def _package(cls: type) -> str:
    """Return the package of a class among those that have forms."""
    top, _, rest = cls.__module__.partition(".")
    if top == "calibrant":
        return package if (package := rest.partition(".")[0]) in MODULES else "foreign"
    return "random" if cls.__module__.startswith("numpy.random") else "foreign"
