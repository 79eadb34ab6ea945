"""The recommended default classifier: a calibrated blend of several kinds of models."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_limits

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, not_saved
from calibrant._estimator_html import SectionsReprMixin
from calibrant._params import Int, Nothing, Real, Rule, Seed, check_param, check_params
from calibrant._random import SeedLike, seed_sequence
from calibrant._saved import MapOf, Object, RowsOnly, Text, need, saved
from calibrant._sections import Section
from calibrant._source_limits import check_no_client, check_source_columns
from calibrant._threads import N_JOBS, n_threads
from calibrant.blending._blend import Blend, ExpectedLoss, Member, fit_blend
from calibrant.blending._by_time import TimeOrderedTable, TimePlanRule
from calibrant.blending._description import blend_importances, blend_sections, describe, member_names, members_frame
from calibrant.blending._distill import Distilled, distill_tree, measure_tree
from calibrant.blending._learners import SourceForestLearner
from calibrant.blending._measured_rows import MeasuredRows, check_passed, read_measured_rows, refit
from calibrant.blending._member import BlendRows
from calibrant.blending._plan import MEMBERS_RULE, FittedPlan, MemberName, fit_members, plan_members
from calibrant.blending._source_sample import sample_source
from calibrant.blending._table import BlendSample, BlendTable, read_blend_table
from calibrant.data._internal import RowClassifierMixin, is_source, open_source, warn_of_number
from calibrant.ensembles import PermutationImportances
from calibrant.exceptions import CalibrantWarning, NotSavedError, ParameterError, nearest
from calibrant.trees._internal import TREE_PARAMETER_DOCS

if TYPE_CHECKING:
    import pandas as pd

_WEIGHT = """\
sample_weight : sequence of length n_rows, optional
    The weight of each row, a frequency: 2 means the row twice, whose units may be in different folds; 0 that it is
    absent. Where weights are not frequencies, pass a group for each row as `groups`, which keeps rows whole."""


_TIMES = """\
times : sequence of length n_rows, optional
    The time of each row, for a `cv` by time without times of its own; without any, rows are in order of time."""


@saved(
    _blend=Object(Blend),
    left_out_=MapOf(Text()),
    _sample=RowsOnly(Object(BlendSample)),
    _examples=RowsOnly(Object("trees.TrainingSet")),
)
@fill_docstring()
class ProbabilityClassifier(
    SectionsReprMixin,
    RowClassifierMixin,
    ClassifierMixin,  # type: ignore[misc]
    EstimatorMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """The best probabilities for a table: a calibrated blend of forests, boosting, naive Bayes and logistic regression.

    Every member predicts each training row by models that were fitted without it, out-of-bag or by eight folds. The
    members' log-probabilities are pooled with weights of at least 0 and a bias for each class, fitted to these
    predictions and drawn to equal weights where rows are few. A calibration map comes last, and only where the guard
    of `calibrant.calibration.Auto` finds that it gains. It is fitted to pooled predictions whose weights were fitted to
    the other folds, so no stage sees predictions that an earlier stage made with the label of the row. Members without
    weight are dropped.

    Nominal columns and missing values need no preparation. Only logistic regression, plain and with a radial kernel,
    codes nominal columns one-hot, standardises numeric ones and replaces missing values by the mean, with a column that
    marks them.

    Parameters
    ----------
    members : "auto" or sequence
        The members: names among ``"bayes"``, ``"logistic"``, ``"forest"``, ``"gradient"``, ``"kernel"``, ``"boosted"``
        and ``"bagged"``, and pairs of a name and any classifier with scikit-learn's interface, which gets rows as they
        are passed. ``"auto"``: all seven, as far as the table allows (see Notes).
    time_limit : float, optional
        Seconds after which no further member is begun, and one that is being fitted is stopped. The fastest come first,
        so there is a model after a second or so; what was left out is in ``left_out_`` and in a warning. Logistic
        regression and estimators of other libraries are stopped after the fold that they are at. None: all members,
        and the same result, to the bit, for any number of threads.
    cv : "time", a plan by time or pairs of (train, test), optional
        None: rows are exchangeable, and those held out are out of bag or in folds drawn at random. ``"time"``,
        `calibrant.resampling.RollingOrigin` or another plan by time: every model predicts rows that follow those it was
        fitted to, for the weights, the calibration and ``expected_log_loss_``. The model for new rows has all rows.
        Pairs of rows are in order of time.
    n_jobs : int, optional
        Number of threads, counted as scikit-learn counts; estimators of other libraries and BLAS get one.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds folds, bags and draws of columns.

    Attributes
    ----------
    %(classes_)s
    members_ : tuple of Member
        The members tried, greatest weight first: weight, held-out log-loss, seconds. A forest is read in several ways,
        each a member of its own.
    left_out_ : dict
        The members that were not fitted, with the reason.
    expected_log_loss_ : ExpectedLoss
        The log-loss to be expected on new rows, in nats, with an interval that allows for the choice of weights and
        calibration: both were made without the rows that it is measured on. It takes rows to be exchangeable, the new
        ones as if drawn with those of `fit`; where the world changes it is too low, and `cv` by time is not.
    calibration_ : AutoChoice or None
        What the guarded calibration tried and chose; None with a single class.
    held_out_proba_ : array of shape (n_rows, n_classes)
        The cross-fitted probabilities of the training rows, NaN for rows that are not in the sample of a large table,
        and by time for the first ones; a row whose units are in several folds has their mean.
    %(features_in_)s

    Notes
    -----
    The plan by size. Up to 20,000 rows every member learns from all of them. Beyond, the weights, the calibration and
    the members but gradient boosting and forests use a sample of 20,000 (fewer with more than 50 classes, at least
    5,000; rare classes are drawn more often and weighted less); each tree of a forest has at most 100,000 rows, and
    there are as many trees as keep the rows of all trees at 6 million, at least 60. Trees of all columns have at most
    20,000 rows each and are 100 up to 400,000 cells, fewer beyond, at least 60. Members are left out where they would
    take minutes: boosted trees where the sample has more than a million cells times classes, trees of all columns above
    4 million cells, logistic regression above 50 million numbers and with a kernel above 5 million. Ctrl-C keeps the
    members fitted so far.

    `fit` keeps the coded training rows, for `distill` and `permutation_importances`.

    Of a source of more than 100,000 rows, ``"forest"`` learns all rows, in bins. The other members, the weights and the
    calibration are fitted to the 100,000 rows with the smallest hashes of row numbers and some more of rare classes;
    the note of a member says so, and ``"bagged"`` is left out. ``held_out_proba_`` is that of these rows.

    Examples
    --------
    %(example_split)s
    >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(train.X, train.y)
    >>> model.predict_proba(test.X[:2]).round(1)
    array([[0.9, 0.1],
           [0.9, 0.1]])
    """

    _short_name: ClassVar[str] = "probability"

    _blend: Blend
    _rules: ClassVar[Mapping[str, Rule]] = {
        "members": MEMBERS_RULE,
        "time_limit": Real(0.0, closed="neither") | Nothing(),
        "cv": TimePlanRule() | Nothing(),
        "n_jobs": N_JOBS,
        "random_state": Seed(),
    }

    def __init__(
        self,
        *,
        members: str | Sequence[MemberName] = "auto",
        time_limit: float | None = None,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: SeedLike = None,
    ) -> None:
        self.members = members
        self.time_limit = time_limit
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fill_docstring(
        y=TREE_PARAMETER_DOCS["y"], sample_weight=_WEIGHT, groups=f"{TREE_PARAMETER_DOCS['groups']}\n{_TIMES}"
    )
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, times: Any = None, client: Any = None
    ) -> Self:
        """Fit the members and blend them.

        %(source_fit_sections)s
        """
        start = time.perf_counter()
        check_params(self)
        if is_source(X):
            if self.cv is not None:
                raise ParameterError("cv must be None where X is a source. Pass a table in memory.")
            self._fit_source(X, y, sample_weight, groups, client, start)
            return self
        check_no_client(client)
        threads, seed = n_threads(self.n_jobs), seed_sequence(self.random_state)
        with threadpool_limits(1):  # sums of BLAS depend on the number of threads
            table = read_blend_table(X, y, sample_weight, groups, seed=seed, n_threads=threads)
            if groups is None:
                warn_of_number(table.examples.n_copies, table.n_rows, has_weight_kind=False)
            plan = plan_members(self.members, table)
            if self.cv is None or table.n_classes == 1:
                self._store(fit_members(plan, table, start, self.time_limit), table)
                return self
            ordered = TimeOrderedTable.of(table, self.cv, times)
            fitted = fit_members(ordered.plan(plan), table, start, self.time_limit)
            self._store(fitted, replace(table, sample=ordered.sample))
        return self

    def _fit_source(self, X: Any, y: Any, sample_weight: Any, groups: Any, client: Any, start: float) -> None:
        """Fit forests to all rows of a source, and what blends them and all other members to a sample in memory."""
        check_source_columns(y=y, sample_weight=sample_weight)
        if groups is not None:
            raise ParameterError("groups must be None where X is a source. Pass a table in memory.")
        threads, seed = n_threads(self.n_jobs), seed_sequence(self.random_state)
        with open_source(X, target=y, sample_weight=sample_weight, client=client) as source:
            labels = source.survey().labels
            classes = labels.labels().classes if labels is not None else np.empty(0)
            sample = sample_source(source, classes)
        with threadpool_limits(1):
            rows = sample.X, classes[sample.codes], sample.balanced_weights
            table = read_blend_table(*rows, None, seed=seed, n_threads=threads)
            plan, is_sampled = plan_members(self.members, table), sample.n_rows > len(sample.codes)
            if is_sampled:
                arguments = {"sample_weight": sample_weight, "client": client}
                plan = plan.of_source(SourceForestLearner(X, y, arguments, sample.numbers, sample.n_rows))
            fitted = fit_members(plan, table, start, self.time_limit)
            if is_sampled:
                fitted.add_note(f"fitted to {len(sample.codes):,} of {sample.n_rows:,} rows", other_than="forest")
            self._store(fitted, table)

    def _store(self, fitted: FittedPlan, table: BlendTable) -> None:
        self._blend = fit_blend(fitted.members, table.sample, table.n_threads)
        self._sample, self._examples = table.sample, table.examples
        self.left_out_ = fitted.left_out
        self._store_columns(*table.examples.columns_and_classes)
        if fitted.is_cut_short:
            reasons = ", ".join(f"{name} ({reason})" for name, reason in fitted.left_out.items())
            warnings.warn(
                f"{type(self).__name__}: left out {reasons}. The blend of the other members is kept; for all of them "
                "fit again without a limit.",
                CalibrantWarning,
                stacklevel=3,
            )

    def _check_saved(self) -> None:
        super()._check_saved()
        need(len(self._blend.pool.bias) == len(self.classes_), "has a blend of other classes")
        for member in self._blend.members:
            member.check_loaded(self._schema, self.classes_)

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        rows = self._rows(X)
        with threadpool_limits(1):
            return self._blend.proba(BlendRows(rows, X), n_threads(self.n_jobs))

    def with_members(self, *members: str) -> Self:
        """Return a fitted classifier that blends some of the members only; weights and calibration are fitted again.

        Parameters
        ----------
        *members : str
            Names of members of positive weight; a family, such as ``"forest"``, stands for all its readings.

        Returns
        -------
        ProbabilityClassifier
            A new classifier; this one does not change.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(X, y)
        >>> [member.name for member in model.with_members("logistic").members_]
        ['logistic']
        """
        self._check_fitted()
        known = member_names(self._blend)
        for name in members:
            if name not in known:
                raise ParameterError(
                    f"members must be among those of positive weight, {', '.join(known)}; got {name!r}."
                    f"{nearest(name, list(known))}"
                )
        self._check_has_rows("with_members")
        if not members:
            raise ParameterError(f"with_members needs at least one name; there are {', '.join(known)}.")
        other = copy.copy(self)
        with threadpool_limits(1):
            other._blend = fit_blend(self._blend.only(members), self._sample, n_threads(self.n_jobs))
        return other

    @property
    def members_(self) -> tuple[Member, ...]:
        """The members tried, greatest weight first."""
        self._check_fitted()
        return tuple(sorted(self._blend.tried, key=lambda member: -member.weight))

    @property
    def expected_log_loss_(self) -> ExpectedLoss:
        """The log-loss to be expected on new rows like those of `fit`, or with `cv` on rows that follow them."""
        self._check_fitted()
        return self._blend.expected

    @property
    def calibration_(self) -> Any:
        """The guarded calibration: its candidates and its choice."""
        self._check_fitted()
        return None if self._blend.calibrator is None else self._blend.calibrator.choice_

    @property
    def held_out_proba_(self) -> NDArray[np.float64]:
        """The cross-fitted probabilities of the training rows."""
        self._check_fitted()
        if "_sample" not in vars(self):
            raise not_saved(self, "held_out_proba_")
        sums = np.zeros((self._examples.n_rows, len(self.classes_)))
        weight = np.bincount(self._sample.rows, self._sample.weight, len(sums))
        np.add.at(sums, self._sample.rows, self._sample.weight[:, np.newaxis] * self._blend.held_out)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / weight[:, np.newaxis])

    @fill_docstring()
    def distill(
        self, max_leaves: int = 8, X: Any = None, y: Any = None, *, sample_weight: Any = None, groups: Any = None
    ) -> Distilled:
        """Return the one small tree that comes nearest to this blend, with what that costs in log-loss.

        A tree is grown on the held-out probabilities of the training rows, each row counted in every class by its
        probability. Of its subtrees of at most `max_leaves` leaves, the one with the least log-loss is kept.

        Parameters
        ----------
        max_leaves : int
            The number of leaves allowed; 1 leaves the base rates.
        X, y : rows and classes that `fit` has not seen, optional
            What the cost is measured on. By default the same members are blended from three quarters of the training
            rows and a tree is distilled from that blend; both are measured on the rest. This takes about as long as
            `fit`, once: further calls, and those of `permutation_importances`, use the same blend.
        sample_weight : sequence of length n_rows, optional
            The weight of each row of `X`.
        groups : sequence of length n_rows, optional
            The group of each row of `X`; the rows of a group are one observation.

        Returns
        -------
        Distilled
            The fitted tree, its log-loss and its cost; its repr shows the tree as text.

        Notes
        -----
        Estimators of other libraries cannot be fitted again from the rows that are kept: with one among the members,
        `X` and `y` must be passed.

        References
        ----------
        M. Bohanec and I. Bratko, "Trading accuracy for simplicity in decision trees", Machine Learning 15, 1994.

        Examples
        --------
        %(example_split)s
        >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(train.X, train.y)
        >>> small = model.distill(3, test.X, test.y)
        >>> small.n_leaves, small.cost < 0.02
        (3, True)
        """
        self._check_fitted()
        check_param("max_leaves", max_leaves, Int(1))
        self._check_has_rows("distill")
        tree = distill_tree(self._blend, self._examples, self._sample, int(max_leaves))
        measured, blend, rows = tree, self._blend, self._measured_rows(X, y, sample_weight, groups)
        if rows is None:
            other = refit(blend, self._examples, self._sample, n_threads(self.n_jobs))
            measured = distill_tree(other.blend, other.examples, other.sample, int(max_leaves))
            blend, rows = other.blend, other.rows
        return replace(measure_tree(measured, blend, rows), tree=tree, max_leaves=int(max_leaves))

    @fill_docstring()
    def permutation_importances(
        self,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        n_repeats: int = 5,
        random_state: SeedLike = None,
    ) -> PermutationImportances:
        """Measure the importance of each column: the increase of the log-loss on held-out rows when it is permuted.

        Parameters
        ----------
        X, y : rows and classes that `fit` has not seen, optional
            What importances are measured on. By default the same members are blended from three quarters of the
            training rows (at most 26,000 rows are used) and measured on the rest. This takes about as long as `fit`,
            once: further calls, and those of `distill`, use the same blend.
        sample_weight : sequence of length n_rows, optional
            The weight of each row of `X`.
        groups : sequence of length n_rows, optional
            The group of each row of `X`; the rows of a group are one observation in the standard errors.
        n_repeats : int
            Number of times that each column is permuted.
        random_state : int, numpy Generator, RandomState or SeedSequence, optional
            Seeds the permutations.

        Returns
        -------
        PermutationImportances
            The increase of the log-loss for each column, with standard errors.

        Notes
        -----
        Estimators of other libraries cannot be fitted again from the rows that are kept: with one among the members,
        `X` and `y` must be passed.

        Columns that say the same share their importance: permuting one of them costs little.

        References
        ----------
        L. Breiman, "Random forests", Machine Learning 45, 2001, section 10.

        Examples
        --------
        %(example_split)s
        >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(train.X, train.y)
        >>> importances = model.permutation_importances(test.X, test.y, random_state=0)
        >>> importances.names[importances.mean.argmax()]
        'months_since_last_gift'
        """
        self._check_fitted()
        check_param("n_repeats", n_repeats, Int(1))
        seed, threads, blend = seed_sequence(random_state), n_threads(self.n_jobs), self._blend
        rows = self._measured_rows(X, y, sample_weight, groups)
        if rows is None:
            self._check_has_rows("permutation_importances", "pass X and y, or save it with training_rows=True")
            other = refit(blend, self._examples, self._sample, threads)
            blend, rows = other.blend, other.rows
        return blend_importances(blend, rows, self._schema, int(n_repeats), seed, threads)

    def _check_has_rows(self, what: str, remedy: str = "save it with training_rows=True") -> None:
        """Raise if the model was saved without the training rows that a method needs."""
        if "_sample" not in vars(self):
            raise NotSavedError(
                f"{type(self).__name__} was saved without its training rows, which {what} needs: {remedy}."
            )

    def _measured_rows(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> MeasuredRows | None:
        """Validate rows to be measured on; None where none are passed."""
        check_passed(X, y, sample_weight, groups)
        return None if X is None else read_measured_rows(self, X, y, sample_weight, groups)

    def leaderboard(self) -> pd.DataFrame:
        """Return the members tried, and the blend itself, as a pandas frame, least held-out log-loss first.

        Returns
        -------
        pandas.DataFrame
            Columns ``weight``, ``log_loss``, ``seconds`` and ``note``, indexed by member.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(X, y)
        >>> sorted(model.leaderboard().index)
        ['bayes', 'blend', 'logistic']
        """
        self._check_fitted()
        return members_frame(self._blend)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        unfitted: str = super().__repr__(N_CHAR_MAX)
        return unfitted if "_blend" not in self.__dict__ else f"{unfitted}\n{describe(self._blend, self.left_out_)}"

    def _sections(self) -> tuple[Section, ...]:
        """Return the fitted blend as sections, which notebooks, reports and web pages show."""
        return blend_sections(self)
