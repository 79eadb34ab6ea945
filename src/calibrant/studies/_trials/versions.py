"""The versions that results were computed with, and which changes of them make results outdated."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

import calibrant

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["are_outdated", "method_versions"]

_ALWAYS = ("numpy", "scipy", "scikit-learn")
_INFORMATIVE = {"python", "numpy", "scipy"}  # recorded, but a change of them does not make a result outdated


@lru_cache(maxsize=1024)
def _package_versions(modules: tuple[str, ...]) -> dict[str, str]:
    found = {"calibrant": calibrant.__version__, "python": platform.python_version()}
    packages = metadata.packages_distributions() if set(modules) - {"calibrant", "sklearn"} else {}
    own = [each for module in modules if module != "calibrant" for each in packages.get(module, ())]
    return found | {name: metadata.version(name) for name in sorted({*_ALWAYS, *own})}


def method_versions(estimator: Any) -> dict[str, str]:
    """Return the versions of calibrant, Python, the numerical libraries and the packages that a method is made of.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> sorted(method_versions(GaussianNB()))
    ['calibrant', 'numpy', 'python', 'scikit-learn', 'scipy']
    """
    parts = [estimator, *_nested(estimator)]
    modules = {type(each).__module__.partition(".")[0] for each in parts}
    return _package_versions(tuple(sorted(modules - {"builtins", "__main__"})))


def _nested(estimator: Any) -> list[Any]:
    params = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    return [value for value in params.values() if hasattr(value, "get_params")]


def are_outdated(recorded: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Return which trials may have other results under the versions that are installed now.

    A change of calibrant, of scikit-learn or of the package that a method comes from makes a result outdated. Changes
    of Python, NumPy and SciPy are recorded, and do not.

    Parameters
    ----------
    recorded : array of dict
        The versions that each trial was computed with; trials of the same versions share one.

    Examples
    --------
    >>> now = method_versions(None)
    >>> are_outdated(np.array([now, now | {"numpy": "0.1"}, now | {"calibrant": "0.0.1"}]))
    array([False, False,  True])
    """
    distinct = {id(each): each for each in recorded}
    outdated = {key: _is_outdated(each) for key, each in distinct.items()}
    return np.array([outdated[id(each)] for each in recorded], dtype=bool)


def _is_outdated(recorded: Mapping[str, str]) -> bool:
    return any(version != _current(name) for name, version in recorded.items() if name not in _INFORMATIVE)


def _current(package: str) -> str | None:
    """Return the version that is installed, or None."""
    if package == "calibrant":
        return calibrant.__version__
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
