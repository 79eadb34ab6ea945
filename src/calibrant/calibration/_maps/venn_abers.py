"""Venn predictors: of scores by isotonic regression, or of the leaves of a tree.

Venn-Abers adds the test row as either class (Vovk et al. 2015); leaves are categories as in Vovk, Gammerman & Shafer
(2005) and Johansson et al. (2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._numbers import as_floats
from calibrant._params import HasMethods, Rule, check_params
from calibrant._saved import Array, LabelArray, ListOf, Maybe, Object, need, saved
from calibrant.calibration._base import SOURCE_PARAMETERS, WEIGHT_KIND_DOC, ScoreMap, learned, normalised
from calibrant.calibration._fitting.bins import pool_ties
from calibrant.calibration._validation import ScoredRows, is_of_difference, one_column, read_scored
from calibrant.data._internal import LogProbaMixin, WeightKind, as_frequencies, check_weights, code_labels, is_source
from calibrant.exceptions import DataError, DataTypeError, ParameterError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from calibrant.calibration._validation import BinaryScores

    Pair: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


@saved(folds_=Maybe(ListOf(Object(), least=1)))
@learned(
    low_from_=Array("f8", finite=True),
    low_=Array("f8", finite=True, low=0, high=1),
    high_after_=Array("f8", finite=True),
    high_=Array("f8", finite=True, low=0, high=1),
)
class VennAbers(ScoreMap):
    """Two probabilities for each row, of which one is valid whatever the scores are, merged into one.

    ``p0`` is the row's probability by isotonic regression when it is added to the calibration rows as a negative one,
    ``p1`` when as a positive one; one of the two is perfectly calibrated, and the fewer calibration rows there are, the
    farther apart they are. They are not a confidence interval. ``predict`` returns ``p1 / (1 - p0 + p1)``, the minimax
    of the two in log-loss; it is never 0 or 1. It is monotone, but makes ties.

    With `folds` in ``fit`` it is the cross form: a predictor for the rows of each fold, merged by geometric means
    (`merge_pairs`). Scores to predict come from one model, and every fold maps them, or with ``predict_folds``
    from the model of each fold.

    Fitting sorts the scores and is linear after that; predicting a row takes a binary search. The row itself has
    weight 1. Several columns are mapped one against the rest.

    Attributes
    ----------
    low_from_, low_ : array
        p0 is ``low_[i]`` where i of the scores in ``low_from_`` are not above the score.
    high_after_, high_ : array
        p1 is ``high_[i]`` where i of the scores in ``high_after_`` are below the score.
    folds_ : list of VennAbers
        One for each fold, in the cross form only, which has no arrays of its own.

    Examples
    --------
    >>> venn = VennAbers().fit([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 1, 0, 0, 1, 1, 1])
    >>> p0, p1 = venn.predict_pair([0.35, 0.85])
    >>> p0.round(3), p1.round(3), venn.predict([0.35, 0.85]).round(3)
    (array([0.25 , 0.667]), array([0.5, 1. ]), array([0.4 , 0.75]))
    """

    _is_monotone = True

    @fill_docstring(weight_kind=WEIGHT_KIND_DOC, source_parameters=SOURCE_PARAMETERS)
    def fit(
        self,
        scores: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        folds: Any = None,
        weight_kind: WeightKind = "frequency",
        labels: Any = None,
        groups: Any = None,
        columns: str | Sequence[str] | None = None,
        client: Any = None,
    ) -> Self:
        """Fit the two step functions.

        Parameters
        ----------
        scores : array of shape (n_rows,) or (n_rows, n_classes)
            Scores of held-out rows.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            The weight of each row.
        labels : sequence, optional
            The classes in the order of the columns; sorted by default.
        folds : sequence of length n_rows, optional
            The fold of each row: rows of one fold were scored by one model. None: one model scored all rows.
        groups : sequence of length n_rows, optional
            The group of each row, as in other calibrators; nothing is held out here.
        %(weight_kind)s
        %(source_parameters)s

        Returns
        -------
        VennAbers
            The fitted calibrator.

        Examples
        --------
        >>> scores, y, folds = [0.1, 0.9, 0.8, 0.2, 0.3, 0.7], [0, 1, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1]
        >>> VennAbers().fit(scores, y, folds=folds).predict([0.5]).round(3)
        array([0.5])
        """
        self.__dict__.pop("folds_", None)
        if folds is None:
            options = {"weight_kind": weight_kind, "columns": columns, "client": client}
            return super().fit(scores, y, sample_weight, labels=labels, groups=groups, **options)
        if is_source(scores):
            raise ParameterError("folds must be None where the scores are a source. Pass scores in memory.")
        scored = read_scored(scores, y, sample_weight, labels, groups).weighted_by(weight_kind)
        of_rows = _read_folds(folds, sample_weight, len(y))
        self.classes_, self.n_columns_ = scored.classes, scored.scores.shape[1]
        self.folds_ = [_of_fold(scored, of_rows == fold) for fold in np.unique(of_rows)]
        return self

    def predict_pair(self, scores: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the two probabilities of rows.

        Parameters
        ----------
        scores : array of shape (n_rows,) or (n_rows, n_classes)
            As in `predict`.

        Returns
        -------
        p0, p1 : arrays of shape (n_rows,) or (n_rows, n_classes)
            For the last of two classes; for each class against the rest where there are more. In the cross form
            1 - p0 and p1 are geometric means over the folds.

        Examples
        --------
        >>> p0, p1 = VennAbers().fit([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]).predict_pair([2.5])
        >>> p0.round(3), p1.round(3)
        (array([0.]), array([1.]))
        """
        return self._pairs(self._read_table(scores))

    def predict_folds(self, scores: Sequence[Any]) -> NDArray[np.float64]:
        """Return the probabilities of rows that the model of each fold has scored.

        Parameters
        ----------
        scores : sequence of arrays of shape (n_rows,) or (n_rows, n_classes)
            The scores by each model, in the sorted order of the folds in ``fit``.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_classes)
            As in ``predict``.

        Examples
        --------
        >>> venn = VennAbers().fit([0.1, 0.9, 0.8, 0.2, 0.3, 0.7], [0, 1, 1, 0, 0, 1], folds=[0, 0, 0, 1, 1, 1])
        >>> venn.predict_folds([[0.1, 0.8], [0.3, 0.7]]).round(3)
        array([0.333, 0.667])
        """
        check_is_fitted(self, "folds_")
        if len(scores) != len(self.folds_):
            raise DataError(f"scores must have an array for each of the {len(self.folds_)} folds; got {len(scores)}.")
        return self._probabilities(
            _merge([fold.predict_pair(part) for fold, part in zip(self.folds_, scores, strict=True)])
        )

    def _learn(self, sample: BinaryScores) -> None:
        pooled = pool_ties(sample)
        low, high = np.empty(len(pooled.scores) + 1), np.empty(len(pooled.scores) + 1)
        _core.venn_abers(pooled.weight, pooled.positive, low, high)
        self.low_from_, self.low_ = _steps(pooled.scores, low)
        self.high_after_, self.high_ = _steps(pooled.scores, high)

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return _merged(self._pair(scores))

    def _pair(self, scores: NDArray[np.float64]) -> Pair:
        low = self.low_[np.searchsorted(self.low_from_, scores, side="right")]
        return low, self.high_[np.searchsorted(self.high_after_, scores, side="left")]

    def _pairs(self, table: NDArray[np.float64]) -> Pair:
        if hasattr(self, "folds_"):
            return _merge([fold._pairs(table) for fold in self.folds_])
        if len(self.classes_) == 2:
            return self._pair(one_column(table, self.of_difference_))
        low, high = zip(*(part._pair(table[:, k]) for k, part in enumerate(self.parts_)), strict=True)
        return np.stack(low, axis=1), np.stack(high, axis=1)

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._probabilities(self._pairs(table))

    def _probabilities(self, pair: Pair) -> NDArray[np.float64]:
        proba = _merged(pair)
        if len(self.classes_) > 2:
            return normalised(proba)
        return proba if self.n_columns_ == 1 else np.stack([1.0 - proba, proba], axis=1)

    def _write(self) -> dict[str, Any]:
        if hasattr(self, "folds_"):
            return {"folds": [fold.to_dict() for fold in self.folds_]}
        return super()._write()

    def _read(self, learned: Mapping[str, Any]) -> None:
        if "folds" in learned:
            self.folds_ = [VennAbers()._restore(fold) for fold in learned["folds"]]
        else:
            super()._read(learned)

    def _check_saved(self) -> None:
        if not hasattr(self, "folds_"):
            super()._check_saved()
            parts = getattr(self, "parts_", [])
            need(not any(hasattr(part, "folds_") for part in parts), "has maps of folds")
            return
        self._check_outputs()
        for fold in self.folds_:
            need(type(fold) is VennAbers and not hasattr(fold, "folds_"), "has wrong folds")
            same = fold.classes_.tolist() == self.classes_.tolist() and fold.n_columns_ == self.n_columns_
            need(same, "has wrong folds")

    def _check_learned(self) -> None:
        super()._check_learned()
        for at, values in ((self.low_from_, self.low_), (self.high_after_, self.high_)):
            need((np.diff(at) > 0).all() and len(values) == len(at) + 1, "has wrong steps")


def merge_pairs(p0: Any, p1: Any) -> NDArray[np.float64]:
    """Merge the pairs of several Venn-Abers predictors by geometric means, as in cross Venn-Abers.

    Parameters
    ----------
    p0, p1 : array of shape (n_predictors, ...)
        The pairs of each predictor, for the same rows.

    Returns
    -------
    array of shape (...)
        GM(p1) / (GM(1 - p0) + GM(p1)).

    Examples
    --------
    >>> merge_pairs([[0.2, 0.5], [0.4, 0.5]], [[0.3, 0.75], [0.5, 0.75]]).round(3)
    array([0.359, 0.6  ])
    """
    try:
        low, high = as_floats(p0), as_floats(p1)
    except (TypeError, ValueError) as error:
        raise DataTypeError("p0 and p1 must hold numbers: the pairs of each predictor.") from error
    if low.shape != high.shape or low.ndim == 0:
        raise DataError(f"p0 and p1 must be of one shape, a row for each predictor; got {low.shape}, {high.shape}.")
    return _merged(_merge(list(zip(low, high, strict=True))))


def _merge(pairs: Sequence[Pair]) -> Pair:
    low, high = zip(*pairs, strict=True)
    return 1.0 - _geometric_mean(1.0 - np.stack(low)), _geometric_mean(np.stack(high))


def _geometric_mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(values).mean(axis=0)))


def _merged(pair: Pair) -> NDArray[np.float64]:
    """Return p1 / (1 - p0 + p1); one half where huge weights leave 0 / 0."""
    low, high = pair
    total = 1.0 - low + high
    return np.asarray(np.divide(high, total, out=np.full_like(high, 0.5), where=total > 0))


def _steps(scores: NDArray[np.float64], values: NDArray[np.float64]) -> Pair:
    """Return the scores where a step function changes, and its values, of which there is one more."""
    changed = np.flatnonzero(values[1:] != values[:-1])
    return scores[changed], values[np.concatenate(([0], changed + 1))]


def _read_folds(folds: Any, sample_weight: Any, n_rows: int) -> NDArray[Any]:
    """Return the fold of each row of positive weight."""
    of_rows, weight = np.asarray(folds), check_weights(sample_weight, n_rows)
    if of_rows.shape != (n_rows,):
        raise DataError(
            f"folds must have the fold of each of the {n_rows} rows; got an array of shape {of_rows.shape}."
        )
    return of_rows if weight is None else of_rows[weight > 0]


def _of_fold(scored: ScoredRows, rows: NDArray[np.bool_]) -> VennAbers:
    """Return a predictor fitted to the rows of a fold; whether two columns are margins is decided by all rows."""
    fitted = VennAbers()
    fitted.classes_, fitted.n_columns_ = scored.classes, scored.scores.shape[1]
    if len(scored.classes) == 2:
        fitted.of_difference_ = is_of_difference(scored.scores)
        fitted._learn(scored.two_class().take(rows))
    else:
        fitted._fit_scored(scored.take(rows))
    return fitted


_INTERVAL = """\
array of shape (n_rows, n_classes, 2)
    The low and the high end for each class."""

_MULTIPROBABILITY = """\
array of shape (n_rows, n_classes, n_classes)
    Entry (i, k, j) is the probability of class j with row i added as class k."""


@saved(classes_=Maybe(LabelArray()), counts_=Maybe(Array("f8", ndim=2, finite=True, low=0, high=1e150)))
class LeafVenn(LogProbaMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Several probabilities for each row, one of them valid whatever the tree is, merged into one.

    Calibration rows, which had no part in growing, are sorted into the leaves of a fitted tree. A test row is added to
    its leaf once as a row of each class k: class j then has the frequency ``(n_j + [j = k]) / (n + 1)``. The
    frequencies with the row's own class are perfectly calibrated, so the interval of a class, ``n_j / (n + 1)`` to
    ``(n_j + 1) / (n + 1)``, is wider the fewer calibration rows there are. It is not a confidence interval.

    ``predict_proba`` returns ``(n_j + 1) / (n + K)``, Laplace's rule on the calibration rows, which loses least against
    the frequencies with the row's own class in log-loss; with more than two classes it may lie a little outside the
    intervals. In a leaf without calibration rows intervals are [0, 1] and all classes equally likely.
    So grow the tree with a `min_leaf` of some rows.

    Parameters
    ----------
    tree : ProbabilityTreeClassifier, or any classifier with an `apply` that returns one leaf for each row
        Fitted to other rows; it is used as it is. A row with a missing value counts in the leaf that holds most of it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Those of the tree, sorted.
    counts_ : array of shape (n_nodes, n_classes)
        The class counts of the calibration rows in each leaf, indexed by node up to the last leaf that has any.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> venn = LeafVenn(tree).fit([[1], [1], [2], [3], [4]], ["a", "a", "b", "b", "b"])
    >>> venn.predict_proba([[1], [4]])
    array([[0.6 , 0.4 ],
           [0.25, 0.75]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "tree": HasMethods("apply", "predict_proba", words="a fitted tree with apply() and predict_proba()")
    }

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    @fill_docstring(weight_kind=WEIGHT_KIND_DOC)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, weight_kind: WeightKind = "frequency") -> Self:
        """Count calibration rows in the leaves of the tree.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows that the tree was not grown from.
        y : sequence of length n_rows
            Their classes, all known to the tree.
        sample_weight : sequence of length n_rows, optional
            The weight of each row, by default a frequency: a weight of 2 is the row twice.
        %(weight_kind)s

        Returns
        -------
        %(fitted_self)s
        """
        check_params(self, self._rules)
        check_is_fitted(self.tree, "classes_")
        self.classes_ = np.asarray(self.tree.classes_)
        leaves = self._leaves(X)
        weight = check_weights(sample_weight, len(leaves))
        rows = None if weight is None else np.flatnonzero(weight)
        codes = self._codes(y, len(leaves), rows)
        if rows is not None and weight is not None:
            leaves, weight = leaves[rows], weight[rows]
        weight = as_frequencies(weight, weight_kind)
        flat = np.bincount(leaves * len(self.classes_) + codes, weight, (leaves.max() + 1) * len(self.classes_))
        self.counts_ = flat.reshape(-1, len(self.classes_)).astype(np.float64)
        return self

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        %(predict_proba_sections)s
        """
        counts = self._counts(X)
        return np.asarray((counts + 1.0) / (counts.sum(axis=1, keepdims=True) + counts.shape[1]))

    @fill_docstring()
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first of equals.

        %(predict_sections)s
        """
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    @fill_docstring(proba=_MULTIPROBABILITY)
    def predict_multiprobability(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of each class for each class that the row may be of.

        %(predict_proba_sections)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> LeafVenn(tree).fit([[1], [1], [2]], ["a", "a", "b"]).predict_multiprobability([[1]])
        array([[[0.75, 0.25],
                [0.5 , 0.5 ]]])
        """
        counts = self._counts(X)[:, np.newaxis]
        return np.asarray((counts + np.eye(counts.shape[2])) / (counts.sum(axis=2, keepdims=True) + 1.0))

    @fill_docstring(proba=_INTERVAL)
    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """Return the least and the greatest of the probabilities of each class.

        %(predict_proba_sections)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> LeafVenn(tree).fit([[1], [1], [2]], ["a", "a", "b"]).predict_interval([[1], [4]])
        array([[[0.5 , 0.75],
                [0.25, 0.5 ]],
        <BLANKLINE>
               [[0.  , 1.  ],
                [0.  , 1.  ]]])
        """
        counts = self._counts(X)
        total = counts.sum(axis=1, keepdims=True) + 1.0
        return np.stack([counts / total, (counts + 1.0) / total], axis=2)

    def _counts(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self, "counts_")
        leaves = self._leaves(X)
        has_rows = leaves < len(self.counts_)
        counts = np.zeros((len(leaves), len(self.classes_)))
        counts[has_rows] = self.counts_[leaves[has_rows]]
        return counts

    def _leaves(self, X: Any) -> NDArray[np.intp]:
        leaves = np.asarray(self.tree.apply(X))
        if leaves.ndim != 1:
            raise ParameterError("tree must return one leaf for each row; a forest has many. Take one of its trees.")
        return leaves.astype(np.intp)

    def _codes(self, y: Any, n_rows: int, rows: NDArray[np.intp] | None) -> NDArray[np.intp]:
        labels = code_labels(y, n_rows, rows)
        index = {value: position for position, value in enumerate(self.classes_.tolist())}
        unknown = [value for value in labels.classes.tolist() if value not in index]
        if unknown:
            raise DataError(f"y has the class {unknown[0]!r}, which the tree does not know: {self.classes_.tolist()}.")
        return np.array([index[value] for value in labels.classes.tolist()], dtype=np.intp)[labels.codes]

    def _check_saved(self) -> None:
        is_whole = hasattr(self, "classes_") and hasattr(self, "counts_")
        need(is_whole, "has classes without counts, or counts without classes")
        need(self.counts_.shape[1] == len(self.classes_) >= 1 and len(self.counts_) >= 1, "has wrong counts")
