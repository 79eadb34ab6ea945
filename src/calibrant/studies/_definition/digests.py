"""Digests of documents, of rows, of trials: the same in every process on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def canonical_json(document: Any) -> str:
    """Return a document as JSON text with sorted keys and without spaces: equal documents have the same text.

    Examples
    --------
    >>> canonical_json({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(document: Any) -> str:
    """Return the SHA-256 of a JSON document, as 64 hexadecimal digits.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()


CHOSEN = "chosen"  # the name of the method that a nested plan tests

# Parameters that change how long a fit takes but not its result, in these packages
_NO_EFFECT = {"n_jobs", "verbose"}
_PACKAGES = ("calibrant.", "sklearn.")


def group_digest(names: tuple[str, str], fingerprint: str, method: str, plan: str, seed: int) -> str:
    """Return the common beginning of the keys of all trials of a method on a data set, 24 hexadecimal digits.

    Parameters
    ----------
    names : tuple of str
        The names of the data set and of the method: the same method under two names has trials of its own.
    fingerprint : str
        The digest of the rows.
    method, plan : str
        The digests of their documents.
    seed : int
        The seed of the study.

    Examples
    --------
    >>> group_digest(("iris", "tree"), "f", "m", "p", 0)
    '...'
    """
    return hashlib.sha256(canonical_json([*names, fingerprint, method, plan, seed]).encode()).hexdigest()[:24]


def key_document(document: Any) -> Any:
    """Return a description of a method without the parameters that do not change what it predicts.

    Examples
    --------
    >>> key_document({"class": "calibrant.ensembles.BPETsClassifier", "params": {"n_jobs": 2, "n_trees": 10}})
    {'class': 'calibrant.ensembles.BPETsClassifier', 'params': {'n_trees': 10}}
    """
    if isinstance(document, list):
        return [key_document(each) for each in document]
    if not isinstance(document, Mapping):
        return document
    reduced = {name: key_document(each) for name, each in document.items()}
    if str(document.get("class", "")).startswith(_PACKAGES) and "params" in document:
        params = {name: each for name, each in reduced.pop("params").items() if name not in _NO_EFFECT}
        reduced |= {"params": params} if params else {}
    return reduced


def method_digests(methods: Mapping[str, Any], choose_by: str | None, metric_params: Any) -> dict[str, str]:
    """Return the digest of each method, or with `choose_by` that of the choice among all of them.

    Examples
    --------
    >>> list(method_digests({"a": 1, "b": 2}, None, {})), list(method_digests({"a": 1, "b": 2}, "auc", {}))
    (['a', 'b'], ['chosen'])
    """
    reduced = {name: key_document(each) for name, each in methods.items()}
    if choose_by is None:
        return {name: digest(each) for name, each in reduced.items()}
    chosen = {"choose_by": choose_by, "params": metric_params.get(choose_by), "candidates": list(reduced.items())}
    return {CHOSEN: digest(chosen)}
