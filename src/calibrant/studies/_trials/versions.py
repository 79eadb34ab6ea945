"""The versions that results were computed with, and which changes of them make results outdated."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata
from typing import Any

import calibrant

__all__ = ["is_outdated", "method_versions"]

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


def is_outdated(recorded: Mapping[str, str], current: Mapping[str, str]) -> bool:
    """Return whether a result may differ under the current versions.

    A change of calibrant, of scikit-learn or of the package that a method comes from makes a result outdated. Changes
    of Python, NumPy and SciPy are recorded, and do not.

    Examples
    --------
    >>> recorded = {"calibrant": "0.1.0", "numpy": "2.0.0", "scikit-learn": "1.6.0"}
    >>> is_outdated(recorded, recorded | {"numpy": "2.1.0"}), is_outdated(recorded, recorded | {"calibrant": "0.2.0"})
    (False, True)
    """
    return any(recorded.get(name) != version for name, version in current.items() if name not in _INFORMATIVE)
