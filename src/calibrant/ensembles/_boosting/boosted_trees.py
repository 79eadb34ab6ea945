"""Boosted trees as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._params import Bool, Choice, Int, Rule, check_params
from calibrant._random import SeedLike
from calibrant._saved import Array, ListOf, Object, need, saved
from calibrant._source_limits import check_no_client, rows_needed
from calibrant.data._internal import Rows, is_source
from calibrant.ensembles._bagging.forest import TREE_RULES
from calibrant.ensembles._boosting.boosted_predictions import BoostedScoresMixin
from calibrant.ensembles._boosting.boosting_loop import ALGORITHMS, AlgorithmName, Run, boost, start_run
from calibrant.ensembles._boosting.tree_learner import TreeLearner
from calibrant.ensembles._levels.cluster_boosting import fit_boosting_on_cluster
from calibrant.ensembles._tree_style import STYLE_DOC, STYLE_RULE, styled, styled_for
from calibrant.estimates._internal import ESTIMATE
from calibrant.trees._internal import (
    TREE_PARAMETER_DOCS,
    TrainingSet,
    TreeParamsMixin,
    TreeReading,
    Trees,
    check_table,
    fit_source,
    impurity_importances,
)

_ESTIMATE_NUMBERS = """\
Votes
go to the most probable class, and ``"real"`` takes the logarithms of the probabilities. Base rates are those of the
weighted rows. A number left to ``"cv"`` is chosen in every round, as in `ProbabilityTreeClassifier`."""


@with_parameters
class _RoundsMixin:
    """The parameters of boosting, which come before those of the trees."""

    n_trees: int = 100
    algorithm: AlgorithmName = "m1"
    resample: bool = True
    style: str | None = None


@saved(
    trees=Trees(),
    estimates=ListOf(ESTIMATE),
    readers=ListOf(Object("trees.NodeReader") | None),
    tables=ListOf(Array("f8", ndim=2, finite=True, low=0, high=1)) | None,
)
@fill_docstring(**{**TREE_PARAMETER_DOCS, "estimate_numbers": _ESTIMATE_NUMBERS, "style": STYLE_DOC})
@with_parameters
class BoostedTreesClassifier(
    BoostedScoresMixin,
    TreeParamsMixin,
    _RoundsMixin,
    ClassifierMixin,  # type: ignore[misc]
    EstimatorMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """Trees grown one after the other, each on rows reweighted by the errors of the trees before it.

    `predict_proba` returns scores, **not calibrated probabilities**: the share of the members' weighted votes, the raw
    value that Caruana and Niculescu-Mizil calibrate. It ranks rows well and stays away from 0 and 1; map it to
    probabilities by Platt scaling or isotonic regression on held-out rows.

    The table is coded once; a round changes only the weights of the rows. These are scaled to the sum of
    `sample_weight` (the number of rows without it), and `min_leaf` is in their units.

    Parameters
    ----------
    n_trees : int
        The maximum number of rounds; there may be fewer, see ``stopped_``.
    algorithm : {"m1", "samme", "real"}
        ``"m1"`` is AdaBoost.M1: a tree of error e votes with weight ln((1 - e) / e), and the weights of the rows that
        it misclassifies are multiplied by (1 - e) / e. ``"samme"`` adds ln(K - 1) to the weight of the vote, so
        with K classes a tree need only be better than guessing; with two classes it is the same. ``"real"`` is Real
        AdaBoost (SAMME.R for K classes): the score is the geometric mean of the trees' probabilities, clipped at
        1e-10, scaled to add up to 1.
    resample : bool
        Grow each tree on as many rows as there are, drawn by their weights, rather than on weighted rows. On weighted
        rows full trees are soon too weak where classes are noisy, and 3 to 10 of 100 members survive
        (``benchmarks/defaults.py``). Where `sample_weight` adds up to 2^32 or more, fewer are drawn, at least 2^31, and
        each counts several times.
    %(style)s
    %(tree_parameters)s
    n_jobs : int, optional
        Number of threads within a round, counted as scikit-learn counts them; the result is the same for any number.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the draws: of rows with `resample`, of rows set aside, of random ties and of folds.
    warm_start : bool
        Whether `fit` continues from the trees already grown, on the same rows, until there are `n_trees`.

    Attributes
    ----------
    trees_ : list of Tree
        The members.
    estimator_weights_ : array of shape (n_members,)
        The weights of their votes; 1 with ``"real"``.
    errors_ : array of shape (n_members,)
        The share of the weight in its round that each member misclassifies.
    stopped_ : {"perfect", "weak"} or None
        Why there are fewer members than `n_trees`; None where there are not.
    feature_importances_ : array of shape (n_features,)
        The share of each column in the decrease of impurity of the weighted rows, with the trees weighted as their
        votes are: the Gini index with ``criterion="gini"``, else the entropy.
    %(classes_)s
    %(features_in_)s

    Notes
    -----
    Boosting stops early in two cases, each with a `CalibrantWarning` and in ``stopped_``.

    * ``"perfect"``: a tree makes no error, so no weight changes and every further tree would be the same. It
      stays, and votes as if it misclassified 1e-10 of the weight, which usually outvotes the others. Weka leaves such a
      tree out unless it is the first, and one that misclassifies less than 1e-6 too. Where trees differ by chance
      (`resample` and random ties among others) boosting continues. ``"real"`` stops where no weight changes.
    * ``"weak"``: a tree misclassifies at least half of the weight, with ``"samme"`` at least 1 - 1/K. It is left out,
      as in Weka; where it is the first, it stays as the only one. ``"real"`` never stops in this way.

    Rows set aside by `honest` or ``prune="reduced_error"`` are drawn again in each round. Where ``dialect="j48"``
    counts rows, each counts as its `sample_weight`, whatever its weight in the round; a row drawn by `resample` counts
    as often as it is drawn.

    There is no ``class_weight``: the rounds reweight the rows by their errors, and would undo it. Nor is there a
    ``weight_kind``: the weights of the rounds are not survey weights.

    The scores of a single member are its own probabilities: one round is one `ProbabilityTreeClassifier`.

    A vote goes to the most probable class; of ties, within 1e-9, to the first declared.

    References
    ----------
    Y. Freund and R. E. Schapire, "Experiments with a new boosting algorithm", 1996. J. Friedman, T. Hastie and
    R. Tibshirani, "Additive logistic regression", 2000. J. Zhu, H. Zou, S. Rosset and T. Hastie, "Multi-class
    AdaBoost", 2009. A. Niculescu-Mizil and R. Caruana, "Obtaining calibrated probabilities from boosting", 2005.

    Examples
    --------
    %(example_split)s
    >>> model = BoostedTreesClassifier(n_trees=20, max_depth=3, random_state=0).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(3)
    array([[0.663, 0.337],
           [0.678, 0.322]])
    """

    _short_name: ClassVar[str] = "boosted"
    _READING: ClassVar[frozenset[str]] = frozenset({"n_trees", "n_jobs"})  # one run is read after any number of rounds
    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_trees": Int(1),
        "algorithm": Choice(*ALGORITHMS),
        "resample": Bool(),
        "warm_start": Bool(),
        "style": STYLE_RULE,
        **{name: rule for name, rule in TREE_RULES.items() if name not in ("class_weight", "weight_kind")},
    }

    ccp_alpha: float = 0.0
    n_jobs: int | None = None
    random_state: SeedLike = None
    warm_start: bool = False

    @fill_docstring(y=TREE_PARAMETER_DOCS["y"], groups=TREE_PARAMETER_DOCS["groups"])
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, client: Any = None
    ) -> BoostedTreesClassifier:
        """Grow the trees, one after the other.

        %(source_fit_sections)s
        """
        check_params(self)
        if is_source(X):
            return fit_source(self, X, y, sample_weight, groups, client)
        check_no_client(client)
        return self._fit_coded(TrainingSet.read(self, X, y, sample_weight, groups))

    def _fit_coded(self, examples: TrainingSet) -> BoostedTreesClassifier:
        """Boost trees on coded rows."""
        check_params(self)
        before = self.__dict__.get("_run") if self.warm_start else None
        with rows_needed(self, "fit with warm_start=True"):
            run = start_run(before, self.n_trees, examples.fingerprint(), self.random_state)
        boost(
            run,
            TreeLearner(examples, styled_for(examples, self, run.seed), run.seed),
            ALGORITHMS[self.algorithm],
            self.n_trees,
            type(self).__name__,
        )
        return self._store(run, examples)

    _fit_cluster = fit_boosting_on_cluster

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in the decrease of impurity."""
        check_is_fitted(self)
        shares = np.array([impurity_importances([tree], styled(self).criterion) for tree in self.trees_])
        total = self.estimator_weights_ @ shares
        return np.asarray(total / max(total.sum(), np.finfo(float).tiny))

    def _store(self, run: Run, examples: TrainingSet) -> BoostedTreesClassifier:
        self._store_run(run, examples)
        self.trees_ = [member.tree for member in run.members]
        return self

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:
        members: list[TreeReading] = self._run.members
        is_recomputed = all(member.saved_table(self) is None for member in members)
        return {
            **self._saved_run(training_rows),
            "trees": tuple(member.tree for member in members),
            "estimates": [member.estimate for member in members],
            "readers": [member.reader for member in members],
            "tables": None if is_recomputed else [member.table for member in members],
        }

    def _set_saved(self, values: dict[str, Any]) -> None:
        trees, estimates, readers = values["trees"], values["estimates"], values["readers"]
        tables = [None] * len(trees) if values["tables"] is None else values["tables"]
        need(len(trees) == len(estimates) == len(readers) == len(tables), "has readings of other trees")
        check_table(trees[0], values["_schema"], values["classes_"])
        parts = zip(trees, estimates, readers, tables, strict=True)
        members = [TreeReading.from_saved(tree, each, self, reader, table) for tree, each, reader, table in parts]
        self._set_saved_run(values, members)
        self.trees_ = list(trees)

    def _member_proba(self, member: TreeReading, rows: Rows) -> NDArray[np.float64]:
        return member.declared_proba(rows, self.n_jobs)
