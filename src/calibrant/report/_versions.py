"""The versions that a report was made with."""

from __future__ import annotations

import platform
from importlib import metadata

__all__ = ["versions_text"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "altair", "vl-convert-python")


def versions_text() -> str:
    """Return the versions of calibrant, Python and what a report is computed and drawn with.

    Examples
    --------
    >>> versions_text().split(", ")[2].split()[0]
    'numpy'
    """
    from calibrant import __version__

    found = {"calibrant": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # without the extra, a report has its plain form only
            continue
    return ", ".join(f"{name} {version}" for name, version in found.items())
