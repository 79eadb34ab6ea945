"""Theories compared on their training data by description length (Witten, Frank & Hall 2011, 5.9 and 5.10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant._params import Choice, check_param
from calibrant.comparison._mdl.clustering_length import Membership, clustering_description_length
from calibrant.data._internal import Nominal, read_training_rows
from calibrant.exceptions import ParameterError
from calibrant.trees import DescriptionLength
from calibrant.trees._internal import PROBABILITIES, TREE_CODINGS, Coding, Probabilities, counts_bits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MDLComparison", "mdl"]


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
        pandas = optional_import("pandas", extra="data", purpose="return description lengths as a frame")
        baseline = self.lengths[self.baseline].total
        rows = [
            {"theory": each.theory, "data": each.data, "total": each.total, "saved": baseline - each.total}
            for each in self.lengths.values()
        ]
        frame: pd.DataFrame = pandas.DataFrame(rows, index=list(self.lengths))
        return frame

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
        _check_clusterings(theories, sample_weight)
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


def _check_clusterings(theories: Mapping[str, Any], sample_weight: Any) -> None:
    for name, theory in theories.items():
        if hasattr(theory, "description_length"):
            raise ParameterError(f"y must be passed with {name!r}, a tree: it encodes the classes of the rows.")
    if sample_weight is not None:
        raise ParameterError("sample_weight is for trees only; repeat the rows of clusterings instead.")


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
