"""calibrant: class probabilities that people can act on.

`calibrant.data` reads tables; learners, calibrators, measures and decisions build on it.
"""

from __future__ import annotations

from calibrant.exceptions import CalibrantError, CalibrantWarning

__all__ = ["CalibrantError", "CalibrantWarning", "__version__"]

__version__ = "0.1.0"
