"""Names: import paths of classes, text that a store can keep."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from typing import Any

from calibrant._repr import short_repr
from calibrant.exceptions import StudyError, nearest


def check_name(what: str, name: Any) -> None:
    """Raise a StudyError if a name is not text, is empty, or has characters that no database keeps.

    Examples
    --------
    >>> check_name("methods: a name", "Bäume 🌳")
    >>> check_name("methods: a name", " ")
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: methods: a name must be text, and not empty; got ' '.
    """
    if not isinstance(name, str) or not name.strip():
        raise StudyError(f"{what} must be text, and not empty; got {short_repr(name)}.")
    if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
        raise StudyError(f"{what} must have no NUL characters and no unpaired surrogates; got {short_repr(name)}.")


# Where a name without a dot is looked up.
_PACKAGES = (
    "ensembles",
    "trees",
    "bayes",
    "neighbors",
    "neural",
    "svm",
    "calibration",
    "decisions",
    "estimates",
    "resampling",
    "blending",
    "linear",
)


def import_path(named: Any) -> str | None:
    """Return the path that imports a class or function, without private modules where that is possible.

    Returns
    -------
    str or None
        None for what no other process can import: lambdas, local classes and the contents of ``__main__``.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> import_path(ProbabilityTreeClassifier), import_path(len), import_path(lambda: 0)
    ('calibrant.trees.ProbabilityTreeClassifier', 'builtins.len', None)
    """
    module, name = getattr(named, "__module__", None), getattr(named, "__qualname__", None)
    name = name or getattr(named, "__name__", None)  # a ufunc of NumPy has no qualified name
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__" or "<" in name:
        return None
    parts = module.split(".")
    private = next((position for position, part in enumerate(parts) if part.startswith("_")), 0)
    # The public module that holds a private one, which is where its names are offered, comes first
    modules = [".".join(parts[:private]), module] if private else [module]
    return next((f"{each}.{name}" for each in modules if _find(each, name) is named), None)


def _find(module: str, name: str) -> Any:
    try:
        found: Any = sys.modules.get(module) or importlib.import_module(module)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that a library is about to remove
            for part in name.split("."):
                found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found


def resolve_path(path: str) -> Any:
    """Import the class or function that a path names; a name without a dot is one of calibrant's, or a method's.

    Raises
    ------
    StudyError
        If there is no such module or name, or importing it fails.

    Examples
    --------
    >>> resolve_path("sklearn.naive_bayes.GaussianNB"), resolve_path("CrossValidation")
    (<class 'sklearn.naive_bayes.GaussianNB'>,
     <class 'calibrant.resampling._plans.random_plans.CrossValidation'>)
    >>> resolve_path("sklearn.naive_bayes.GausianNB")
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: sklearn.naive_bayes has no 'GausianNB'. Did you mean 'GaussianNB'?
    """
    if "." not in path:
        return _own(path)
    if not all(part.isidentifier() for part in path.split(".")):
        raise StudyError(f"{path!r} is not an import path; write it as 'package.module.Name'.")
    parts = path.split(".")
    for n_module in range(len(parts) - 1, 0, -1):
        found = _import(".".join(parts[:n_module]), path)
        if found is not None:
            break
    else:
        raise StudyError(
            f"{path!r} cannot be imported: there is no module {parts[0]!r}. Install it, or correct the path."
        )
    for name in parts[n_module:]:
        try:
            found = getattr(found, name)
        except AttributeError as error:
            where = getattr(found, "__name__", repr(found))
            raise StudyError(f"{where} has no {name!r}.{nearest(name, dir(found))}") from error
    return found


def short_names() -> dict[str, type]:
    """Return the classifiers of calibrant by their short names.

    Examples
    --------
    >>> short_names()["naive_bayes"].__name__
    'NaiveBayesClassifier'
    """
    classes = [each for each in _own_names().values() if isinstance(each, type) and "_short_name" in vars(each)]
    return {vars(each)["_short_name"]: each for each in classes}


# Further spellings of methods, which rankings and other libraries use
_SPELLINGS = {"logistic regression": "logistic", "boosted trees": "boosted", "random forest": "forest"}


def find_method(written: str) -> str | None:
    """Return the short name of the method that is meant; None if there is none.

    Case, spaces and underscores do not count, a class stands for its method, and so does its title in a ranking. What
    is neither a short name, a title nor a class is corrected in a warning.

    Examples
    --------
    >>> find_method("naive Bayes"), find_method("LogisticClassifier"), find_method("tre")
    ('naive_bayes', 'logistic', None)
    """
    known = short_names()
    classes = {each.__name__: name for name, each in known.items()}
    stems = {each.removesuffix("Classifier"): name for each, name in classes.items()}
    every = {**_SPELLINGS, **classes, **stems, **{name: name for name in known}}
    spellings = {_folded(each): name for each, name in every.items()}
    found = spellings.get(_folded(written))
    exact = found is not None and (written in (found, known[found].__name__, *_SPELLINGS) or " " in written)
    if found is not None and not exact:
        warnings.warn(f"the method {written!r} is called {found!r}.", stacklevel=3)
    return found


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _own_names() -> dict[str, Any]:
    modules = [importlib.import_module(f"calibrant.{package}") for package in reversed(_PACKAGES)]
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def _own(name: str) -> Any:
    methods, known = short_names(), _own_names()
    if name in methods:  # before functions of the same name
        return methods[name]
    if name not in known:
        method = find_method(name)
        if method is not None:
            return methods[method]
        raise StudyError(
            f"{name!r} is not a name of calibrant.{nearest(name, [*methods, *known])} Write another package's in "
            "full, as in 'sklearn.naive_bayes.GaussianNB'."
        )
    return known[name]


def _import(module: str, path: str) -> Any:
    """Import a module; None if there is none of that name."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            return None
        raise StudyError(f"{path!r} cannot be imported: {error}. Install what is missing.") from error
    except Exception as error:  # whatever a module raises where it runs
        raise StudyError(f"{path!r} cannot be imported: {type(error).__name__}: {error}.") from error
