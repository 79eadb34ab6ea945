"""calibrant: class probabilities that people can act on.

`calibrant.data` reads tables; learners, calibrators, measures and decisions build on it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from calibrant.exceptions import CalibrantError, CalibrantWarning

if TYPE_CHECKING:
    from calibrant.blending import ProbabilityClassifier
    from calibrant.files import load_model, save

__all__ = ["CalibrantError", "CalibrantWarning", "ProbabilityClassifier", "__version__", "load_model", "save"]

__version__ = "0.1.0"

# Imported at their first use, so that `import calibrant` stays light.
_PACKAGES = (
    "bayes",
    "blending",
    "calibration",
    "cli",
    "comparison",
    "curves",
    "data",
    "decisions",
    "ensembles",
    "estimates",
    "files",
    "linear",
    "metrics",
    "neighbors",
    "neural",
    "papers",
    "plots",
    "report",
    "resampling",
    "studies",
    "svm",
    "trees",
)
_NAMES = {"ProbabilityClassifier": "blending", "load_model": "files", "save": "files"}


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        globals()[name] = found = getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
        return found
    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES, *_PACKAGES})
