"""Nearest neighbours as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._memory import check_output_memory
from calibrant._params import Bool, Choice, Int, Nothing, Real, Rule, check_param, check_params
from calibrant._saved import Array, Object, need, saved
from calibrant._source_limits import refuse_source
from calibrant._threads import N_JOBS
from calibrant.data._internal import Nominal, RowClassifierMixin, is_source, read_training_rows
from calibrant.neighbors._column_weights import Numbers, check_finite, column_weights, read_scale
from calibrant.neighbors._readings import WEIGHTS, RowsByClass, Ties, VoteCount, Weights
from calibrant.neighbors._search import Algorithm, NeighborPairs, Neighbours, in_blocks
from calibrant.neighbors._space import Points, Space


@saved(
    _neighbours=Object(Neighbours),
    _labels=Array("i4", low=0),
    _positions=Array("i8", low=0),
    attribute_weights_=Array("f8", finite=True, low=0, high=1e100),
)
@fill_docstring()
@with_parameters
class NeighborsClassifier(RowClassifierMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Class probabilities from the most similar training rows: votes of the nearest, or of all by their distance.

    The distance is Euclidean: ``d^2`` is the sum over columns of the column's weight times a squared difference.
    Numeric values are scaled by `scale`, nominal ones differ by 0 or 1. A missing value, or an unknown category,
    differs as much as it can: by 1 from every category, and from a number by as much as the farther
    end of the training values does; two missing numbers by their whole range. Weights are frequencies: a row of
    weight 2 is the row twice and counts as two neighbours, one of weight 0 is absent.

    Parameters
    ----------
    n_neighbors : int or "all"
        Number of neighbours; ``"all"``, or more than there are rows, takes all rows. With
        fractional weights, rows are taken until their weight reaches this.
    weights : {"uniform", "inverse", "inverse_squared", "similarity", "gaussian"}
        The weight of the vote of a neighbour at distance d: 1; 1/d; 1/d^2; 1 - d, at least 0; ``exp(-d^2 / 2 h^2)`` of
        *all* rows, which is locally weighted averaging with kernel width h (`bandwidth`). 1/d, 1/d^2 and the Gaussian
        are relative to the nearest row, so rows equal to the query are averaged and others ignored.
        In 1 - d the distance is relative to the greatest between training rows, corner to corner. The Gaussian had the
        least loss after calibration (``benchmarks/defaults.py``), and needs all distances; the others may use an index.
    attribute_weights : {"gain_ratio", "info_gain"}, None, or sequence of length n_columns
        The factor of the squared difference of each column: its gain ratio or information gain (see
        `attribute_gains`), 1, or a number >= 0. Where all gains are 0 all weights are 1.
    relative_attribute_weights : bool
        Divide the attribute weights by the greatest. This changes the unit of `kneighbors` and `bandwidth`, and
        otherwise no probability.
    scale : {"standard", "range"}, None, or array of shape (2, n_columns)
        How numeric columns are scaled: by standard deviations, by the range of the training values, not at
        all, or between known lower and upper limits (nominal columns may have NaN).
    bandwidth : float or "auto"
        For ``"gaussian"``: h in the units of `kneighbors`. ``"auto"``: a third of the distance of the last
        of `n_neighbors` neighbours, which so counts 1 % of the nearest or a little more: narrow where rows are dense.
    offset : float
        For the inverses: added to the distance, relative as in 1 - d, before it is inverted. With 0 the votes are
        relative to the nearest row. Weka has 0.001.
    smoothing : float or "1/n"
        The initial count of each class before votes are added; ``"1/n"``: one over the weight of all rows, as in
        Weka, so that no probability is 0.
    ties : {"all", "share"}
        Rows that tie for the last place are all taken, or share what is left of `n_neighbors`. Neither depends on
        the order of rows.
    tie_tolerance : float
        The relative difference below which distances are ties. With 0 rounding decides, as in Weka.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}
        Which of scikit-learn's indices searches neighbours where no value is missing; the result is the same. Rows
        with missing values, ties that an index may have truncated, and votes of all rows need all distances.
    %(nominal)s
    n_jobs : int, optional
        Threads for prediction, counted as scikit-learn counts them; the result is the same for any number.

    Attributes
    ----------
    attribute_weights_ : array of shape (n_columns,)
        The factor of the squared difference of each column; 0 for one without any known value.
    %(classes_)s
    %(features_in_)s

    Notes
    -----
    Weka's IBk is ``attribute_weights=None, scale="range", tie_tolerance=0`` with ``weights="uniform"``; its option
    ``-I`` is ``weights="inverse", offset=0.001``, and ``-F`` is ``weights="similarity"``. IBk widens its ranges by the
    rows that it predicts, ours stay those of the training rows: for the same digits where a test row
    lies outside, pass the ranges of both in `scale`.

    A constant numeric column makes no difference except for a missing value, which differs by 1. Infinite values
    raise an error, and differences are at most 1e100 units.

    Time and memory: where an index can be used, a prediction takes about as long as scikit-learn's; else the distances
    from all training rows are computed in blocks of a few megabytes.

    References
    ----------
    D. W. Aha, D. Kibler and M. K. Albert, "Instance-based learning algorithms", 1991. C. G. Atkeson, A. W. Moore and
    S. Schaal, "Locally weighted learning", 1997. R. Caruana and A. Niculescu-Mizil, "Predicting good probabilities with
    supervised learning", 2005; `grid_of_k` has the numbers of neighbours they try.

    Examples
    --------
    %(example_split)s
    >>> model = NeighborsClassifier(n_neighbors=100).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(2)
    array([[0.91, 0.09],
           [0.96, 0.04]])
    """

    _short_name: ClassVar[str] = "neighbors"
    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_neighbors": Int(1) | Choice("all"),
        "weights": Choice(*WEIGHTS),
        "attribute_weights": Choice("gain_ratio", "info_gain") | Nothing() | Numbers(1),
        "relative_attribute_weights": Bool(),
        "scale": Choice("standard", "range") | Nothing() | Numbers(2),
        "bandwidth": Real(0, closed="neither") | Choice("auto"),
        "offset": Real(0),
        "smoothing": Real(0) | Choice("1/n"),
        "ties": Choice("all", "share"),
        "tie_tolerance": Real(0, 1, closed="left"),
        "algorithm": Choice("auto", "kd_tree", "ball_tree", "brute"),
        "n_jobs": N_JOBS,
    }

    _READING: ClassVar[frozenset[str]] = frozenset(
        {"n_neighbors", "weights", "bandwidth", "offset", "smoothing", "ties", "tie_tolerance", "n_jobs"}
    )

    n_neighbors: int | Literal["all"] = 25
    weights: Weights = "gaussian"
    attribute_weights: Literal["gain_ratio", "info_gain"] | ArrayLike | None = "gain_ratio"
    relative_attribute_weights: bool = False
    scale: Literal["standard", "range"] | ArrayLike | None = "standard"
    bandwidth: float | Literal["auto"] = "auto"
    offset: float = 0.0
    smoothing: float | Literal["1/n"] = "1/n"
    ties: Ties = "all"
    tie_tolerance: float = 1e-9
    algorithm: Algorithm = "auto"
    nominal: Nominal = "auto"
    n_jobs: int | None = None

    @fill_docstring()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights and scales of the columns, and store the rows.

        %(fit_sections)s
        """
        check_params(self)
        refuse_source(self, is_source(X))
        rows = read_training_rows(X, y, sample_weight, nominal=self.nominal)
        check_finite(rows.columns.schema, rows.columns.arrays)
        weights = column_weights(rows, self.attribute_weights, relative=self.relative_attribute_weights)
        space = Space.of(rows.columns, weights, read_scale(self.scale, rows.columns), rows.weights)
        points = space.to_points(rows.columns.arrays)
        self._neighbours = Neighbours.of(space, points, rows.weights, self.algorithm)
        self._labels = rows.labels.codes
        self._positions = _positions(sample_weight, rows.columns.n_rows)
        self.attribute_weights_ = weights
        self._store_columns(rows.columns.schema, rows.labels.classes, rows.columns.feature_names)
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        %(predict_proba_sections)s
        """
        queries = self._read_points(X)
        check_output_memory(len(queries), len(self.classes_))
        neighbours, count = self._neighbours, self._vote_count(self)
        if self.weights == "gaussian" or not neighbours.is_indexed(count.n_neighbors):
            return self._count_all(queries, [count])[0]

        def vote(block: Points) -> NDArray[np.float64]:
            pairs = neighbours.nearest(block, count.n_neighbors, self.tie_tolerance).from_near_to_far()
            return count.of_pairs(pairs, self._labels, neighbours.weights, len(self.classes_))

        return np.concatenate(in_blocks(vote, queries, neighbours.block_size(count.n_neighbors), self.n_jobs))

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the distances and the positions of the nearest training rows, each counted once.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            As in `predict_proba`.
        n_neighbors : int, optional
            Number of rows, at most all; by default that of the classifier.

        Returns
        -------
        distances : array of shape (n_rows, n_neighbors)
            Ascending.
        rows : array of shape (n_rows, n_neighbors)
            Positions in the X of `fit`; of rows at the same distance the first ones.

        Examples
        --------
        >>> model = NeighborsClassifier(attribute_weights=None, scale="range")
        >>> model.fit([[0, "a"], [4, "b"], [8, "b"]], ["no", "yes", "yes"]).kneighbors([[3, "b"]], 2)
        (array([[0.125, 0.625]]), array([[1, 2]]))
        """
        check_param("n_neighbors", n_neighbors, Int(1) | Nothing())
        queries = self._read_points(X)
        requested = self.n_neighbors if n_neighbors is None else n_neighbors
        n_rows = len(self._labels)
        k = n_rows if requested == "all" else min(int(requested), n_rows)
        unweighted = replace(self._neighbours, weights=None)  # each row counts as one neighbour
        parts = in_blocks(
            lambda block: _first(unweighted.nearest(block, k, 0.0), k),
            queries,
            unweighted.block_size(k),
            self.n_jobs,
        )
        squared, rows = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return np.sqrt(squared), self._positions[rows]

    def _read_points(self, X: Any) -> Points:
        _, rows = self._rows(X)
        check_params(self)
        check_finite(self._schema, rows)
        return self._neighbours.space.to_points(rows)

    @classmethod
    def _family_head(cls, members: Sequence[Any]) -> Any:
        """Return any member, since all store the same rows; raise if a parameter of one is wrong."""
        for member in members:
            check_params(member)
        return members[0]

    def _predict_readings(self, X: Any, members: Sequence[Any]) -> list[NDArray[np.float64]]:
        """Return the class probabilities of members from one computation of the distances."""
        queries = self._read_points(X)
        check_output_memory(len(members) * len(queries), len(self.classes_))
        return self._count_all(queries, [self._vote_count(member) for member in members])

    def _count_all(self, queries: Points, counts: list[VoteCount]) -> list[NDArray[np.float64]]:
        """Return the class probabilities by several readings of the distances from all rows."""
        rows = RowsByClass.of(self._neighbours, self._labels, len(self.classes_))
        parts = in_blocks(lambda block: rows.read(block, counts), queries, rows.neighbours.full_block_size, self.n_jobs)
        return [np.concatenate(tables) for tables in zip(*parts, strict=True)]

    def _vote_count(self, member: Any) -> VoteCount:
        """Return the vote count of a member of the family for these rows."""
        neighbours = self._neighbours
        return VoteCount(
            n_neighbors=neighbours.total if member.n_neighbors == "all" else float(member.n_neighbors),
            kind=member.weights,
            ties=member.ties,
            tolerance=float(member.tie_tolerance),
            diameter=neighbours.space.diameter,
            start=1 / neighbours.total if member.smoothing == "1/n" else float(member.smoothing),
            offset=float(member.offset),
            bandwidth=None if member.bandwidth == "auto" else float(member.bandwidth),
        )

    def _saved_note(self) -> str:
        return f"holds {len(self._labels):,} training rows, from which it predicts"

    def _check_saved(self) -> None:
        super()._check_saved()
        space, features, n_rows = self._neighbours.space, self._schema.features, len(self._neighbours.points)
        for kind, columns in (("numeric", space.numeric), ("nominal", space.nominal)):
            is_right = (column < len(features) and features[column].kind == kind for column in columns)
            need(all(is_right), "has columns that its table does not have")
        sizes = [len(features[column].categories) for column in space.nominal]
        need(sizes == list(space.n_categories), "has other categories than its table")
        need(len(self._labels) == len(self._positions) == n_rows, "has other classes than rows")
        is_there = np.array_equal(np.unique(self._labels), np.arange(len(self.classes_)))
        need(is_there, "has rows of a class that is not there, or a class without rows")
        need(len(self.attribute_weights_) == len(features), "has other weights than columns")


def _positions(sample_weight: Any, n_kept: int) -> NDArray[np.intp]:
    """Return the positions of the kept rows in the table of `fit`."""
    weights = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=np.float64)
    return np.arange(n_kept) if weights.ndim == 0 else np.flatnonzero(weights)


def _first(pairs: NeighborPairs, k: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the first k pairs of each query, by distance and then by row."""
    order = np.lexsort((pairs.row, pairs.squared, pairs.query))
    starts = np.searchsorted(pairs.query[order], np.arange(pairs.n_queries))
    chosen = order[starts[:, None] + np.arange(k)]
    return pairs.squared[chosen], pairs.row[chosen]
