"""Theories compared on their training data by description length (Witten, Frank & Hall 2011, 5.9 and 5.10)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from calibrant._optional import pandas_frame
from calibrant._params import Choice, check_param
from calibrant.data._internal import Nominal, factorize, fit_columns, read_training_rows
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import DescriptionLength
from calibrant.trees._internal import PROBABILITIES, TREE_CODINGS, Coding, Probabilities, counts_bits

if TYPE_CHECKING:
    import pandas as pd

_MAX_BITS = 30  # of a centre, so that the number of bits fits in 5
_CHOICE_BITS = 5.0  # for the number of bits of a centre
_SPREAD_BITS = 6.0  # spreads are the range divided by a power of the root of 2, up to the 63rd
_ROUNDING = 1e-12  # gaps below this share of the values count as rounding, not as precision
_BIT = math.log(2.0)


class NumberBits(NamedTuple):
    """Bits of the centres, of the spreads, and of the values coded by them."""

    centres: float
    spreads: float
    values: float


def number_bits(values: NDArray[np.float64], cluster: NDArray[np.intp], n_clusters: int) -> NumberBits:
    """Return the bits of numbers, none of them missing, whose range and precision are known to the receiver.

    The precision is the least gap between two different values. Each centre takes b bits, the number of one of
    2^b equal intervals of the range; b is chosen for the shortest total, and is encoded too. A value takes -log2 of
    the probability of its unit of precision in the normal distribution of its cluster.

    Examples
    --------
    >>> values = np.array([0.0, 1, 2, 100, 101, 102])
    >>> [round(sum(number_bits(values, np.array(c), max(c) + 1)), 1) for c in ([0] * 6, [0, 0, 0, 1, 1, 1])]
    [57.2, 39.5]
    """
    if len(values) == 0:
        return NumberBits(0.0, 0.0, 0.0)
    distinct = np.unique(values)
    gaps = np.diff(distinct)
    gaps = gaps[gaps > _ROUNDING * np.abs(distinct).max()]
    if len(gaps) == 0:
        return NumberBits(0.0, 0.0, 0.0)
    # From 0 to `spread`, a `step` apart or more
    values, step, spread = values - distinct[0], float(gaps.min()), float(distinct[-1] - distinct[0])
    sizes = np.maximum(np.bincount(cluster, minlength=n_clusters), 1)
    means = np.bincount(cluster, values, n_clusters) / sizes

    def bits_with_centres(n_bits: int) -> NumberBits:
        width = spread / 2**n_bits
        centres = (np.clip(np.floor(means / width), 0, 2**n_bits - 1) + 0.5) * width
        distance = np.abs(values - centres[cluster])
        sd = np.sqrt(np.bincount(cluster, distance**2, len(sizes)) / sizes)
        farthest = np.zeros(len(sizes))
        np.maximum.at(farthest, cluster, distance)
        power = np.where(sd > 0, np.rint(-2 * np.log2(np.maximum(sd, 1e-300) / spread)), 63)
        power = np.where(farthest < 0.5 * step, 63, np.clip(power, 0, 63))  # the centre alone identifies the value
        scale = (spread * 2.0 ** (-power / 2))[cluster]
        bits = -_log_probability(distance / scale, step / scale).sum() / _BIT
        return NumberBits(_CHOICE_BITS + n_bits * len(sizes), _SPREAD_BITS * len(sizes), float(bits))

    max_bits = min(_MAX_BITS, math.ceil(math.log2(spread / step)) + 1)
    return min(map(bits_with_centres, range(max_bits + 1)), key=sum)


def _log_probability(distance: NDArray[np.float64], width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-probability of an interval of some width, at some distance from the mean of a standard normal."""
    near, far = log_ndtr(0.5 * width - distance), log_ndtr(-0.5 * width - distance)
    between = near + np.log1p(-np.exp(np.minimum(far - near, -1e-15)))
    density = -0.5 * distance**2 + np.log(width) - 0.5 * math.log(2 * math.pi)
    # Below 1e-4 the difference of two close probabilities loses more digits than the density times the width
    return np.where(width * (1.0 + distance) < 1e-4, density, between)


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
    data = float(len(cluster) * np.log2(n_clusters))
    if membership == "adaptive":
        data = counts_bits(np.bincount(cluster)[None].astype(np.float64), "adaptive")[1]
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


@dataclass(frozen=True, repr=False)
class MDLComparison:
    """Theories by description length, the shortest first; its repr is a sentence.

    Parameters
    ----------
    lengths : dict of str to DescriptionLength
        The length of each theory and of the data coded by it, and that of the baseline, the shortest first.
    baseline : str
        The theory without structure: a tree of a single leaf, or one cluster.
    n_rows : int
        Number of rows.

    Examples
    --------
    >>> X = [[1], [2], [3], [101], [102], [103]]
    >>> result = mdl({"two": [0, 0, 0, 1, 1, 1], "three": [0, 0, 1, 1, 2, 2]}, X)
    >>> result.best, list(result.lengths)
    ('two', ['two', 'one cluster', 'three'])
    """

    lengths: dict[str, DescriptionLength]
    baseline: str
    n_rows: int

    @property
    def best(self) -> str:
        """The theory with the shortest description."""
        return next(iter(self.lengths))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each theory, and the bits that it saves over the baseline.

        Examples
        --------
        >>> X = [[1], [2], [3], [101], [102], [103]]
        >>> mdl({"two": [0, 0, 0, 1, 1, 1]}, X).to_frame().columns.tolist()
        ['theory', 'data', 'total', 'saved']
        """
        baseline = self.lengths[self.baseline].total
        rows = [
            {"theory": each.theory, "data": each.data, "total": each.total, "saved": baseline - each.total}
            for each in self.lengths.values()
        ]
        return pandas_frame(rows, "return description lengths as a frame", index=list(self.lengths))

    def __repr__(self) -> str:
        (name, best), *others = self.lengths.items()
        against = ", ".join(f"{other} {length.total:.4g}" for other, length in others)
        figures = f"{best.total:.4g} bits, the theory {best.theory:.4g} and the data by it {best.data:.4g}"
        fewer = f", {others[0][1].total - best.total:.4g} bits fewer than the next" if others else ""
        return (
            f"{name} is the shortest description of {self.n_rows} rows{fewer}: {figures}; {against}. A comparison of "
            f"{len(self.lengths)} theories on the training data alone: no test, no interval. Assumed: what the coding "
            f"makes short is probable beforehand. Coding: {best.coding}."
        )


def mdl(
    theories: Mapping[str, Any],
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    coding: Coding = "wallace",
    probabilities: Probabilities = "adaptive",
    membership: Membership = "equal",
    nominal: Nominal = "auto",
) -> MDLComparison:
    """Compare theories on the data that they were fitted to, by the bits that theory and data take together.

    No test data are needed: a theory that fits noise takes more bits than it saves. Trees are charged for their
    nodes, columns, cuts and leaves, and encode the classes of the rows; clusterings for their centres, spreads and
    probabilities, and encode the rows themselves. What is short depends on the coding, which the result states.

    Parameters
    ----------
    theories : dict of str to fitted tree, or to clustering
        With y, trees (`ProbabilityTreeClassifier`, or what has a ``description_length`` like its); without,
        clusterings: the cluster of each row, or a fitted clusterer with ``labels_``.
    X : frame or array of shape (n_rows, n_columns)
        The rows that the theories were fitted to.
    y : sequence of length n_rows, optional
        Their classes.
    sample_weight : sequence of length n_rows, optional
        The weight of each row; for trees only.
    coding : {"wallace", "quinlan_rivest"}
        How the nodes and columns of trees are encoded; see `ProbabilityTreeClassifier.description_length`.
    probabilities : {"adaptive", "paid"}
        How classes at leaves, and categories in clusters, are encoded.
    membership : {"equal", "adaptive"}
        How the cluster of a row is encoded; see `clustering_description_length`.
    nominal : "auto", "all", or a sequence of names, positions or booleans
        The columns that clusterings treat as nominal, in addition to those whose values are not numbers.

    Returns
    -------
    MDLComparison
        The lengths, the shortest first, with those of a single leaf or a single cluster among them.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> X, y = [[i, i % 3] for i in range(30)], list("nnnnynnnnnnnnynyyyyyyynyyyyyyy")
    >>> full = ProbabilityTreeClassifier(min_leaf=1, mdl_penalty=False).fit(X, y)
    >>> stump = ProbabilityTreeClassifier(max_depth=1).fit(X, y)
    >>> result = mdl({"full": full, "stump": stump}, X, y)
    >>> result.best
    'stump'
    >>> result.to_frame().round(1)
                 theory  data  total  saved
    stump           8.9  18.6   27.5    5.6
    single leaf     1.0  32.1   33.1    0.0
    full           56.0  15.5   71.5  -38.4
    """
    if not isinstance(theories, Mapping) or not theories:
        raise ParameterError(f"theories must be a dict of name to theory, with at least one; got {theories!r}.")
    if y is None:
        for name, theory in theories.items():
            if hasattr(theory, "description_length"):
                raise ParameterError(f"y must be passed with {name!r}, a tree: it encodes the classes of the rows.")
        if sample_weight is not None:
            raise ParameterError("sample_weight is for trees only; repeat the rows of clusterings instead.")
        return _compare_clusterings(theories, X, membership, probabilities, nominal)
    check_param("coding", coding, Choice(*TREE_CODINGS))
    check_param("probabilities", probabilities, Choice(*PROBABILITIES))
    for name, theory in theories.items():
        if not hasattr(theory, "description_length"):
            raise ParameterError(
                f"theories: {name!r} must be a fitted tree with a description_length; got {type(theory).__name__}. "
                "Clusterings are compared without y."
            )
    lengths = {
        name: theory.description_length(X, y, sample_weight, coding=coding, probabilities=probabilities)
        for name, theory in theories.items()
    }
    n_classes = max(len(getattr(theory, "classes_", ())) for theory in theories.values())
    baseline, n_rows = _single_leaf(X, y, sample_weight, coding, probabilities, n_classes)
    return _compare(lengths, "single leaf", baseline, n_rows)


def _compare_clusterings(
    theories: Mapping[str, Any], X: Any, membership: Membership, probabilities: Probabilities, nominal: Nominal
) -> MDLComparison:
    def length(labels: Any) -> DescriptionLength:
        return clustering_description_length(
            X, labels, membership=membership, probabilities=probabilities, nominal=nominal
        )

    lengths = {name: length(theory) for name, theory in theories.items()}
    n_rows = len(np.asarray(getattr(labels := next(iter(theories.values())), "labels_", labels)))
    return _compare(lengths, "one cluster", length(np.zeros(n_rows)), n_rows)


def _single_leaf(
    X: Any, y: Any, sample_weight: Any, coding: Coding, probabilities: Probabilities, n_classes: int
) -> tuple[DescriptionLength, int]:
    """Return the length of a tree that is a leaf, with as many classes as the others, and the number of rows."""
    rows = read_training_rows(X, y, sample_weight)
    counts = np.bincount(rows.labels.codes, rows.weights, n_classes).astype(np.float64)
    parameters, data = counts_bits(counts[None], probabilities)
    root = float(np.log2(max(len(rows.columns.arrays), 2))) if coding == "wallace" else 1.0
    parts = {"nodes": root, "leaves": parameters}
    words = f"{TREE_CODINGS[coding]}; {PROBABILITIES[probabilities]}"
    return DescriptionLength(root + parameters, data, words, parts), rows.columns.n_rows


def _compare(
    lengths: dict[str, DescriptionLength], baseline: str, baseline_length: DescriptionLength, n_rows: int
) -> MDLComparison:
    if baseline in lengths:
        raise ParameterError(f"theories: {baseline!r} is the name of the baseline; rename the theory.")
    ordered = sorted((lengths | {baseline: baseline_length}).items(), key=lambda item: item[1].total)
    return MDLComparison(dict(ordered), baseline, n_rows)
