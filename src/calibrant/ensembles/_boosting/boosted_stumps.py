"""Boosted stumps as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._params import Bool, Choice, Int, Rule, check_params
from calibrant._saved import Array, NarrowFloats, need, saved
from calibrant._source_limits import check_no_client, rows_needed
from calibrant._threads import n_threads
from calibrant.data._internal import Nominal, Rows, Schema, is_source
from calibrant.ensembles._boosting.boosted_predictions import BoostedScoresMixin
from calibrant.ensembles._boosting.boosting_loop import (
    ALGORITHMS,
    AlgorithmName,
    MemberPredictions,
    Run,
    boost,
    start_run,
)
from calibrant.ensembles._boosting.stumps import StumpMember, Stumps, StumpSums, branch_of, stack_stumps
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import (
    TREE_PARAMETER_DOCS,
    TrainingSet,
    fit_source,
)

StumpCriterion: TypeAlias = Literal["entropy", "gain_ratio", "gini", "dkm", "twoing"]
StumpEstimate: TypeAlias = Literal["frequency", "laplace"]
STUMP_CRITERIA: tuple[StumpCriterion, ...] = ("entropy", "gain_ratio", "gini", "dkm", "twoing")


class StumpLearner:
    """Fits one stump each round to coded rows and their weights."""

    advice = ""
    is_random = False

    def __init__(self, examples: TrainingSet, criterion: str, estimate: str, n_jobs: int | None) -> None:
        self._n_classes = len(examples.classes)
        self._kinds = [feature.kind for feature in examples.table.schema.features]
        self._prior_counts = 1.0 if estimate == "laplace" else 0.0
        core_criterion = _core.StumpCriterion[criterion]
        table = examples.table.core
        self._search = _core.stump_search(table, examples.labels, self._n_classes, core_criterion, n_threads(n_jobs))
        self.weights = np.ones(examples.n_rows) if examples.weights is None else examples.weights.copy()
        self._total = float(self.weights.sum())

    def fit(self, number: int) -> tuple[StumpMember, MemberPredictions]:  # noqa: ARG002
        """Find the stump of a round; all rows of one class and branch have one prediction."""
        self._stump = self._search.best(self.weights)
        self._counts = np.asarray(self._stump.counts)
        member = self._member(self._stump)
        # Rows of a branch and a class are weighted alike, so 3 x classes totals stand for all rows.
        labels = np.tile(np.arange(self._n_classes), 3)
        return member, MemberPredictions(np.repeat(member.proba, self._n_classes, axis=0), labels, self._counts.ravel())

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows in each branch and class, scaled to their previous sum."""
        # Weights sum to the rows after every round, as in Weka, so that counts keep their scale.
        scale = self._total / (factors * self._counts.ravel()).sum()
        self._search.reweight(self._stump, (factors * scale).reshape(3, -1), self.weights)

    def _member(self, stump: _core.Stump) -> StumpMember:
        is_nominal = stump.column >= 0 and self._kinds[stump.column] == "nominal"
        threshold = np.nan if is_nominal or stump.column < 0 else stump.threshold
        category = stump.code if is_nominal else -1
        return StumpMember(stump.column, threshold, category, stump.gain, self._counts, self._proba(self._counts))

    def _proba(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities in the branches; one without weight has those of all rows."""
        # A branch without rows predicts as all rows do.
        filled = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, counts.sum(axis=0))
        filled = filled + self._prior_counts
        return np.asarray(filled / filled.sum(axis=1, keepdims=True))


@saved(
    feature=Array("i4"),
    threshold=Array("f8"),
    category=Array("i4"),
    gain=Array("f8", finite=True),
    counts=NarrowFloats(ndim=3),
    proba=Array("f8", ndim=3, finite=True, low=0, high=1),
)
@fill_docstring()
@with_parameters
class BoostedStumpsClassifier(BoostedScoresMixin, ClassifierMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Thousands of trees of one test each, every one fitted to rows reweighted by the errors of those before it.

    The rows of each column are sorted once; a round is then linear in the rows. The result is exact: every cut between
    two values and every category is considered in every round. `predict_proba` returns scores, **not calibrated
    probabilities**: the share of the members' weighted votes, the raw value that Caruana and Niculescu-Mizil calibrate.

    A stump has three branches: numbers up to a threshold, or one category; all other values; and missing values, as in
    Weka's DecisionStump. A branch without training weight, such as that of missing values where there are none, has
    the class weights of all rows.

    Parameters
    ----------
    n_trees : int
        The maximum number of rounds; there may be fewer, see ``stopped_``.
    algorithm : {"m1", "samme", "real"}
        AdaBoost.M1, SAMME or Real AdaBoost, as in `BoostedTreesClassifier`. With more than two classes a single test is
        seldom right half of the time, as ``"m1"`` requires; use ``"samme"`` or ``"real"``.
    criterion : {"entropy", "gain_ratio", "gini", "dkm", "twoing"}
        The criterion of a good test, over all three branches: information gain; the gain ratio, among columns of
        at least average gain, the best cut of each column being that of the most gain; the Gini index; Kearns and
        Mansour's; twoing of the first two branches, times their share of the weight. With two classes and
        without missing values twoing and Gini choose the same.
    estimate : {"laplace", "frequency"}
        How the class weights in a branch become probabilities: w_k + 1 over w + K, or w_k over w. Votes do not depend
        on it; ``"real"``, and the probabilities of a single stump, do. Weights add up to the number of rows, so
        the former is the smoothing of Schapire and Singer (1999).
    %(nominal)s
    %(max_bins)s
    n_jobs : int, optional
        Number of threads, which share the columns, counted as scikit-learn counts them; the result is the same for any
        number.
    warm_start : bool
        Whether `fit` continues from the stumps already fitted, on the same rows, until there are `n_trees`.

    Attributes
    ----------
    stumps_ : Stumps
        The members as arrays: ``feature``, ``threshold``, ``category``, ``gain``, ``counts``;
        ``stumps_.to_frame()`` shows them.
    estimator_weights_ : array of shape (n_members,)
        The weights of their votes; 1 with ``"real"``.
    errors_ : array of shape (n_members,)
        The share of the weight in its round that each member misclassifies.
    stopped_ : {"perfect", "weak"} or None
        Why there are fewer members than `n_trees`, as in `BoostedTreesClassifier`; None where there are not.
    feature_importances_ : array of shape (n_features,)
        The share of each column in the gains, weighted by the members' weights.
    %(classes_)s
    %(features_in_)s

    Notes
    -----
    Ties, criteria within 1e-9 of each other, are broken in favour of the first column, and within it of the least
    threshold or the first category. Prediction first sums all stumps of a column into one step function: its time
    grows with the logarithm of the number of rounds rather than with their number.

    References
    ----------
    Y. Freund and R. E. Schapire, "Experiments with a new boosting algorithm", 1996. R. E. Schapire and Y. Singer,
    "Improved boosting algorithms using confidence-rated predictions", 1999. I. H. Witten, E. Frank and M. A. Hall,
    *Data Mining*, 3rd ed. 2011 (DecisionStump).

    Examples
    --------
    %(example_split)s
    >>> model = BoostedStumpsClassifier(n_trees=64).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(3)
    array([[0.665, 0.335],
           [0.653, 0.347]])
    """

    _short_name: ClassVar[str] = "stumps"
    _READING: ClassVar[frozenset[str]] = frozenset({"n_trees", "n_jobs"})  # one run is read after any number of rounds
    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_trees": Int(1),
        "algorithm": Choice(*ALGORITHMS),
        "criterion": Choice(*STUMP_CRITERIA),
        "estimate": Choice("laplace", "frequency"),
        "max_bins": ProbabilityTreeClassifier._rules["max_bins"],
        "n_jobs": ProbabilityTreeClassifier._rules["n_jobs"],
        "warm_start": Bool(),
    }

    n_trees: int = 256
    algorithm: AlgorithmName = "m1"
    criterion: StumpCriterion = "entropy"
    estimate: StumpEstimate = "laplace"
    nominal: Nominal = "auto"
    max_bins: int | None = None
    n_jobs: int | None = None
    warm_start: bool = False

    @fill_docstring(y=TREE_PARAMETER_DOCS["y"])
    def fit(self, X: Any, y: Any, sample_weight: Any = None, client: Any = None) -> BoostedStumpsClassifier:
        """Find the stumps, one after the other.

        %(ungrouped_source_fit_sections)s
        """
        check_params(self)
        if is_source(X):
            return fit_source(self, X, y, sample_weight, None, client)
        check_no_client(client)
        return self._fit_coded(TrainingSet.read(self, X, y, sample_weight))

    def _fit_coded(self, examples: TrainingSet) -> BoostedStumpsClassifier:
        """Find the stumps of coded rows."""
        check_params(self)
        before = self.__dict__.get("_run") if self.warm_start else None
        with rows_needed(self, "fit with warm_start=True"):
            run = start_run(before, self.n_trees, examples.fingerprint(), 0)
        rounds = StumpLearner(examples, self.criterion, self.estimate, self.n_jobs)
        boost(run, rounds, ALGORITHMS[self.algorithm], self.n_trees, type(self).__name__)
        return self._store(run, examples)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the gains, weighted by the members' weights."""
        check_is_fitted(self)
        used = self.stumps_.feature >= 0
        gains = np.maximum(self.stumps_.gain * self.estimator_weights_, 0.0)[used]
        total = np.bincount(self.stumps_.feature[used], gains, self.n_features_in_)
        return np.asarray(total / max(total.sum(), np.finfo(float).tiny))

    def _store(self, run: Run, examples: TrainingSet) -> BoostedStumpsClassifier:
        self._store_run(run, examples)
        self._stack(examples.schema)
        return self

    def _stack(self, schema: Schema) -> None:
        """Store the stumps of all rounds as arrays."""
        self.stumps_: Stumps = stack_stumps(self._run.members, self._order, schema)
        self._proba = np.stack([member.proba for member in self._run.members])

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        members: list[StumpMember] = self._run.members
        arrays = {name: np.array([getattr(member, name) for member in members]) for name in StumpMember._fields}
        for name in ("feature", "category"):
            arrays[name] = arrays[name].astype(np.int32)
        return {**self._saved_run(training_rows), **arrays}

    def _set_saved(self, values: dict[str, Any]) -> None:
        arrays = [values[name] for name in StumpMember._fields]
        shape = (len(arrays[0]), 3, len(values["classes_"]))
        same = shape[0] > 0 and all(len(array) == shape[0] for array in arrays)
        need(same, "has arrays of different numbers of stumps")
        same = values["counts"].shape == shape and values["proba"].shape == shape
        need(same, "has counts of other branches or classes")
        is_proba = np.allclose(values["proba"].sum(axis=2), 1.0, rtol=0, atol=1e-6)
        need(is_proba, "has probabilities that do not sum to 1")
        _check_tests(values["feature"], values["threshold"], values["category"], values["_schema"])
        rows = zip(*(array.tolist() for array in arrays[:4]), *arrays[4:], strict=True)
        members = [StumpMember(*row) for row in rows]
        self._set_saved_run(values, members)
        self._stack(values["_schema"])

    def _member_proba(self, member: StumpMember, rows: Rows) -> NDArray[np.float64]:
        return np.asarray(member.proba[branch_of(member, rows)])

    def _branch_contributions(self) -> NDArray[np.float64]:
        """Return the contributions (stumps x branches x classes), which are proportional to the weights."""
        unweighted = ALGORITHMS[self.algorithm].contribution(self._proba.reshape(-1, len(self.classes_)), 1.0)
        return np.asarray(unweighted.reshape(self._proba.shape) * self.estimator_weights_[:, np.newaxis, np.newaxis])

    def _staged_sums(self, rows: Rows, numbers: list[int]) -> Iterator[NDArray[np.float64]]:
        sums = StumpSums(self.stumps_, self._branch_contributions(), rows)
        return map(sums.of_first, numbers)

    def _contributions(self, rows: Rows) -> Iterator[NDArray[np.float64]]:
        for member, contribution in zip(self._run.members, self._branch_contributions(), strict=True):
            yield contribution[branch_of(member, rows)]


def _check_tests(feature: NDArray[Any], threshold: NDArray[Any], category: NDArray[Any], schema: Any) -> None:
    """Raise unless numeric columns have thresholds, and nominal ones categories that exist."""
    n_categories = np.array([len(each.categories) if each.kind == "nominal" else 0 for each in schema.features])
    exists = ((feature >= -1) & (feature < len(n_categories))).all()
    need(exists, "has a test of a column that does not exist")
    n = np.where(feature >= 0, n_categories[feature], 0)
    is_nominal = (feature >= 0) & np.array([each.kind == "nominal" for each in schema.features])[feature]
    is_numeric = (feature >= 0) & ~is_nominal
    is_wrong = (np.isnan(threshold) & is_numeric) | (is_nominal & ((category < 0) | (category >= n)))
    need(not is_wrong.any(), "has a test without a threshold, or of a category that does not exist")
    need((category[~is_nominal] == -1).all(), "has a category of a numeric column")
