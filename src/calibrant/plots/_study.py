"""What displays read of a study."""

from __future__ import annotations

from typing import Any

from calibrant._repr import short_repr
from calibrant.exceptions import ParameterError

__all__ = ["results_of"]


def results_of(study: Any, metric: str) -> Any:
    """Return the results of a study, read once from its store, or results themselves.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> results = StudyResults.from_values({"iris": [[0.1, 0.2]]}, methods=["tree"], metric="mse")
    >>> results_of(results, "mse") is results
    True
    """
    found = study.results([metric]) if callable(getattr(study, "results", None)) else study
    if isinstance(study, type) or not all(hasattr(found, name) for name in ("compare", "split_values", "methods")):
        raise ParameterError(f"study must be a Study or its results; got {short_repr(study)}.")
    return found
