"""Fingerprints of the rows of a data set, with its positive class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibrant.data._internal import fingerprint_rows
from calibrant.studies._definition.describe import describe_value
from calibrant.studies._definition.digests import canonical_json

__all__ = ["fingerprint"]


def fingerprint(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    by_row: Mapping[str, Any] | None = None,
) -> str:
    """Return the digest of rows: names, kinds, values and categories of columns, classes and their order, and so on.

    Examples
    --------
    >>> len(fingerprint([[1.0], [2.0]], ["no", "yes"], positive="yes"))
    32
    """
    described = canonical_json(describe_value(positive))
    return fingerprint_rows(X, y, groups=groups, sample_weight=sample_weight, positive=described, by_row=by_row)
