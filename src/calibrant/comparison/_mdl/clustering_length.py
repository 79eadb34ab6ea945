"""The description length of a clustering and of the rows coded by it (Witten, Frank & Hall 2011, section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.comparison._mdl.normal_code import number_bits
from calibrant.data._internal import Nominal, factorize, fit_columns
from calibrant.exceptions import DataError
from calibrant.trees import DescriptionLength
from calibrant.trees._internal import PROBABILITIES, Probabilities, counts_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEMBERSHIPS", "Membership", "clustering_description_length"]

Membership = Literal["equal", "adaptive"]

MEMBERSHIPS: dict[str, str] = {
    "equal": "the cluster of a row by log2 k",
    "adaptive": "the cluster of a row by the sizes of clusters so far",
}

_LIMIT = 1e150  # squares of greater values overflow

_CODING = (
    "log2 n for the number of clusters; {membership}; numbers at the least gap between two of a column, by a normal "
    "distribution discretised so, its centre to the best number of bits, its spread to 6; categories {probabilities}"
)


def clustering_description_length(
    X: Any,
    labels: Any,
    *,
    membership: Membership = "equal",
    probabilities: Probabilities = "adaptive",
    nominal: Nominal = "auto",
) -> DescriptionLength:
    """Return the bits that a clustering takes, and those of all rows coded by it.

    The receiver knows the columns, their categories, the range and precision of their numbers, but not the rows.
    A missing value is one more category; in a numeric column the positions of missing values are encoded first.

    Parameters
    ----------
    X : frame or array of shape (n_rows, n_columns)
        The rows.
    labels : sequence of length n_rows, or a fitted clusterer with ``labels_``
        The cluster of each row. Rows that a clusterer calls noise (-1) are a cluster like the others.
    membership : {"equal", "adaptive"}
        How the cluster of a row is encoded: in log2 k bits, as in the chapter, or by the sizes of clusters so far,
        which is shorter where they differ.
    probabilities : {"adaptive", "paid"}
        How categories are encoded: by the counts in the cluster so far, starting at one of each; or by frequencies,
        each free one at a cost of half of log2 of the cluster's size.
    nominal : "auto", "all", or a sequence of names, positions or booleans
        The columns to treat as nominal, in addition to those whose values are not numbers.

    Returns
    -------
    DescriptionLength
        ``theory``, ``data`` and ``total`` in bits, the ``parts`` of the theory and a description of the ``coding``.

    Examples
    --------
    >>> X = [[1], [2], [3], [101], [102], [103]]
    >>> two, one = (clustering_description_length(X, labels) for labels in ([0, 0, 0, 1, 1, 1], [0] * 6))
    >>> two < one
    True
    """
    check_param("membership", membership, Choice(*MEMBERSHIPS))
    check_param("probabilities", probabilities, Choice(*PROBABILITIES))
    columns = fit_columns(X, nominal)
    cluster, n_clusters = _read_clusters(labels, columns.n_rows)
    bits = {"clusters": float(np.log2(columns.n_rows)), "centres": 0.0, "spreads": 0.0, "probabilities": 0.0}
    data = _member_bits(cluster, n_clusters, membership)
    for array, feature in zip(columns.arrays, columns.schema.features, strict=True):
        codes = _codes(array, len(feature.categories) if feature.kind == "nominal" else 0)
        parameters, values = _nominal_bits(codes, cluster, n_clusters, probabilities)
        bits["probabilities"], data = bits["probabilities"] + parameters, data + values
        if feature.kind == "numeric":
            known = ~np.isnan(array)
            numbers = number_bits(_finite(array[known], feature.name), cluster[known], n_clusters)
            bits["centres"], bits["spreads"] = bits["centres"] + numbers.centres, bits["spreads"] + numbers.spreads
            data += numbers.values
    words = _CODING.format(membership=MEMBERSHIPS[membership], probabilities=PROBABILITIES[probabilities])
    return DescriptionLength(sum(bits.values()), data, words, bits)


def _read_clusters(labels: Any, n_rows: int) -> tuple[NDArray[np.intp], int]:
    labels = getattr(labels, "labels_", labels)
    if np.shape(labels) != (n_rows,):
        raise DataError(
            f"labels must have the cluster of each of {n_rows} rows, or be a fitted clusterer; got "
            f"{type(labels).__name__} of shape {np.shape(labels)}."
        )
    coded = factorize(labels)
    if (coded.codes < 0).any():
        raise DataError(f"labels must have a cluster for each row; there is none for row {coded.codes.argmin()}.")
    found, cluster = np.unique(coded.codes, return_inverse=True)
    return cluster.reshape(-1), len(found)


def _member_bits(cluster: NDArray[np.intp], n_clusters: int, membership: Membership) -> float:
    if membership == "equal":
        return float(len(cluster) * np.log2(n_clusters))
    return counts_bits(np.bincount(cluster)[None].astype(np.float64), "adaptive")[1]


def _codes(array: NDArray[Any], n_categories: int) -> NDArray[np.intp]:
    """Return categories numbered from 0, missing values last; of a numeric column, which values are missing."""
    if n_categories == 0:
        return np.isnan(array).astype(np.intp) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.intp)
    return np.where(array < 0, n_categories, array).astype(np.intp)


def _nominal_bits(
    codes: NDArray[np.intp], cluster: NDArray[np.intp], n_clusters: int, probabilities: Probabilities
) -> tuple[float, float]:
    n_values = int(codes.max()) + 1
    if n_values < 2:
        return 0.0, 0.0
    counts = np.bincount(cluster * n_values + codes, minlength=n_clusters * n_values)
    return counts_bits(counts.reshape(n_clusters, n_values).astype(np.float64), probabilities)


def _finite(values: NDArray[Any], name: str) -> NDArray[np.float64]:
    if not (np.abs(values) < _LIMIT).all():
        raise DataError(f"X: column {name!r} has infinite or huge values, which have no code; drop or replace them.")
    return values.astype(np.float64)
