"""Boosted stumps as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant._params import Bool, Choice, Int, check_params
from calibrant._source_limits import check_no_client
from calibrant.data._internal import Nominal, Rows, is_source
from calibrant.ensembles._boosting.adaboost_variants import ALGORITHMS, AlgorithmName
from calibrant.ensembles._boosting.boosted_predictions import BoostedScoresMixin
from calibrant.ensembles._boosting.boosting_loop import Run, boost, start_run
from calibrant.ensembles._boosting.stump_learner import (
    STUMP_CRITERIA,
    StumpCriterion,
    StumpEstimate,
    StumpLearner,
)
from calibrant.ensembles._boosting.stumps import StumpMember, Stumps, StumpSums, branch_of, stack_stumps
from calibrant.trees._internal import (
    RULES,
    TREE_PARAMETER_DOCS,
    Examples,
    fit_source,
    read_training,
    rows_needed,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BOOSTED_STUMP_RULES", "BoostedStumpsClassifier"]

BOOSTED_STUMP_RULES = {
    "n_trees": Int(1),
    "algorithm": Choice(*ALGORITHMS),
    "criterion": Choice(*STUMP_CRITERIA),
    "estimate": Choice("laplace", "frequency"),
    "max_bins": RULES["max_bins"],
    "n_jobs": RULES["n_jobs"],
    "warm_start": Bool(),
}


@fill_docstring()
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
    _rules = BOOSTED_STUMP_RULES

    def __init__(
        self,
        *,
        n_trees: int = 256,
        algorithm: AlgorithmName = "m1",
        criterion: StumpCriterion = "entropy",
        estimate: StumpEstimate = "laplace",
        nominal: Nominal = "auto",
        max_bins: int | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
    ) -> None:
        self.n_trees = n_trees
        self.algorithm = algorithm
        self.criterion = criterion
        self.estimate = estimate
        self.nominal = nominal
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.warm_start = warm_start

    @fill_docstring(y=TREE_PARAMETER_DOCS["y"])
    def fit(self, X: Any, y: Any, sample_weight: Any = None, client: Any = None) -> BoostedStumpsClassifier:
        """Find the stumps, one after the other.

        %(ungrouped_source_fit_sections)s
        """
        check_params(self, BOOSTED_STUMP_RULES)
        if is_source(X):
            return fit_source(self, X, y, sample_weight, None, client)
        check_no_client(client)
        training = read_training(X, y, sample_weight, nominal=self.nominal)
        return self._fit_examples(Examples.code(training, n_jobs=self.n_jobs, max_bins=self.max_bins))

    def _fit_examples(self, examples: Examples) -> BoostedStumpsClassifier:
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

    def _store(self, run: Run, examples: Examples) -> BoostedStumpsClassifier:
        self._store_run(run, examples)
        self.stumps_: Stumps = stack_stumps(run.members, examples)
        self._proba = np.stack([member.proba for member in run.members])
        return self

    def _member_proba(self, member: StumpMember, rows: Rows) -> NDArray[np.float64]:
        number = next(i for i, each in enumerate(self._run.members) if each is member)
        return np.asarray(member.proba[branch_of(self.stumps_, number, rows)])

    def _branch_contributions(self) -> NDArray[np.float64]:
        """Return the contributions (stumps x branches x classes), which are proportional to the weights."""
        unweighted = ALGORITHMS[self.algorithm].contribution(self._proba.reshape(-1, len(self.classes_)), 1.0)
        return np.asarray(unweighted.reshape(self._proba.shape) * self.estimator_weights_[:, np.newaxis, np.newaxis])

    def _staged_sums(self, rows: Rows, numbers: list[int]) -> Iterator[NDArray[np.float64]]:
        sums = StumpSums(self.stumps_, self._branch_contributions(), rows)
        return map(sums.of_first, numbers)

    def _contributions(self, rows: Rows) -> Iterator[NDArray[np.float64]]:
        for number, contribution in enumerate(self._branch_contributions()):
            yield contribution[branch_of(self.stumps_, number, rows)]
