"""Documents of objects of SciPy and scikit-learn whose state does not show how they were made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["describe_known"]


def describe_known(value: Any, nested: Callable[[Any], Any]) -> dict[str, Any] | None:
    """Return the document of a distribution of SciPy or a scorer of scikit-learn; None for anything else.

    Examples
    --------
    >>> import scipy.stats
    >>> describe_known(scipy.stats.uniform(0, 1), lambda each: each)
    {'distribution': 'scipy.stats.uniform', 'args': [0, 1]}
    """
    module = type(value).__module__
    if module.startswith("scipy.stats.") and hasattr(value, "dist"):
        return _describe_distribution(value, nested)
    if module == "sklearn.metrics._scorer" and hasattr(value, "_score_func"):
        return _describe_scorer(value, nested)
    return None


def _describe_distribution(value: Any, nested: Callable[[Any], Any]) -> dict[str, Any] | None:
    import scipy.stats

    name = getattr(value.dist, "name", "")
    if type(getattr(scipy.stats, name, None)) is not type(value.dist):
        return None
    document: dict[str, Any] = {"distribution": f"scipy.stats.{name}"}
    document |= {"args": [nested(each) for each in value.args]} if value.args else {}
    return document | ({"keywords": {key: nested(value.kwds[key]) for key in sorted(value.kwds)}} if value.kwds else {})


def _describe_scorer(value: Any, nested: Callable[[Any], Any]) -> dict[str, Any] | None:
    from sklearn.metrics import make_scorer

    params = {
        "score_func": value._score_func,
        "response_method": value._response_method,
        "greater_is_better": value._sign > 0,
        **value._kwargs,
    }
    if vars(make_scorer(**params)).keys() != vars(value).keys():
        return None
    return {"factory": "sklearn.metrics.make_scorer", "params": {key: nested(params[key]) for key in sorted(params)}}
