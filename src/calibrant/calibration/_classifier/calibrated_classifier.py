"""A classifier whose scores become probabilities by a map fitted to held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin, with_parameters
from calibrant._fit_warnings import one_warning_a_fit
from calibrant._folds import Pieces
from calibrant._params import Bool, HasMethods, Int, Rule, Seed, check_params
from calibrant._random import SeedLike
from calibrant._saved import Inline, ListOf, Maybe, Object, RowsOnly, need, saved
from calibrant._threads import N_JOBS
from calibrant.calibration._auto.auto import Auto, warn_of_few_rows
from calibrant.calibration._auto.choice import AutoChoice
from calibrant.calibration._base import Calibrator, normalised, two_columns
from calibrant.calibration._classifier.base_rate import warn_of_shift
from calibrant.calibration._classifier.fit_data import FitData, read_fit_data, read_source_data
from calibrant.calibration._classifier.held_out_scores import (
    CV,
    HeldOut,
    Scoring,
    Source,
    fit_out_of_bag,
    join_held_out,
    make_splits,
    pool_scores,
)
from calibrant.calibration._classifier.response import METHOD, Method, WrapperMixin, final_step, scores_of
from calibrant.calibration._classifier.run_folds import ReadingOfFits, splits_of_folds, unit_pieces
from calibrant.calibration._maps.venn_abers import VennAbers, merge_pairs
from calibrant.calibration._names import as_calibrator
from calibrant.calibration._validation import ScoredRows, order_classes, read_named_scores
from calibrant.data._internal import WEIGHT_KIND, WeightKind, is_source, warn_of_copies, warn_of_weights
from calibrant.exceptions import CalibrantWarning, DataError, ParameterError

_WEIGHT = """\
sample_weight : sequence of length n_rows, optional
    The weight of each row, in the map and, where it takes weights, in the estimator."""
_GROUPS = """\
groups : sequence of length n_rows, optional
    The group of each row, such as the patient of several rows. Folds keep groups whole, those of the automatic
    calibrator too. A splitter gets the groups, and so does the estimator's `fit` where it takes them; for
    ``cv="oob"`` it must, so that bags are of whole groups."""
_TIMES = """\
times : sequence of length n_rows, optional
    The time of each row, for a `cv` by time without times of its own, and for the estimator's `fit` where it takes
    times; without any, rows are in order of time."""
_FIT_PARAMS = """\
**fit_params : Any
    Arguments of the estimator's `fit`; those with a value for each row are split with the rows."""


@saved(
    calibrators_=ListOf(Object(), least=1),
    calibrator_=Maybe(Object()),
    held_out_=RowsOnly(Inline(HeldOut)),
)
@with_parameters
class CalibratedClassifier(WrapperMixin, ClassifierMixin, MetaEstimatorMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Any classifier with its scores calibrated.

    The map from scores to probabilities is fitted to scores of held-out rows. By default these come from five folds and
    are pooled; the model that predicts is then fitted to all rows, so there is one base model, ``estimator_``,
    whose importances, plots and explanations still hold.

    Parameters
    ----------
    estimator : classifier
        Any classifier with scikit-learn's interface: of LightGBM, XGBoost or CatBoost, a pipeline, a search.
    calibrator : str or calibrator
        The map: a name of `CALIBRATORS` or an object of `calibrant.calibration`. ``"auto"`` compares several maps with
        none.
    cv : int, splitter, iterable of (train, test) pairs, "prefit", "train" or "oob"
        Where scores come from. A number: stratified folds of shuffled rows, or of whole groups (the papers use 3).
        ``"prefit"``: the estimator is fitted already and all rows passed are for the map. ``"train"``: the model scores
        its own training rows, which suits naive Bayes alone (Zadrozny & Elkan 2001). ``"oob"``: trees score their
        out-of-bag rows, for the forests of `calibrant.ensembles` and scikit-learn's; one fit instead of six. A
        `ProbabilityClassifier` has held-out probabilities of its own, which serve alike. Numbers, ``"oob"`` and
        ``"train"`` take rows to be exchangeable; where the model will predict the future, a plan by time, such as
        `calibrant.resampling.RollingOrigin`, fits the map to scores of rows that follow.
    ensemble : bool
        Whether each fold keeps its model with a map of its own and their probabilities are averaged (pairs of
        `VennAbers` by geometric means); no model is then fitted to all rows.
    refit : bool
        Whether a model is fitted to all rows once the map is fitted. False, for a `cv` of one split: the model fitted
        to the training rows stays, and the test rows are for the map alone.
    method : {"auto", "predict_proba", "decision_function"}
        The method that returns the scores. ``"auto"``: probabilities where there are any, but margins of SVC and NuSVC,
        whose probabilities are a map already.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or a row that represents two of the population. Where `cv` is a
        number, the units of a frequency are split among the folds as copies of the row would be; rows with probability
        weights stay whole, and their scale does not matter to the map.
    n_jobs : int, optional
        Folds fitted at once, counted as scikit-learn counts; the result is the same for any number. Our own
        learners are fitted in threads, others in joblib's processes unless the folds take less time than starting them.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the shuffle of the rows where `cv` is a number.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted; those of the estimator for ``cv="prefit"``.
    estimator_, calibrator_ : classifier, calibrator
        The base model and the map; not with ``ensemble=True``.
    estimators_, calibrators_ : list
        The same, one for each fold with ``ensemble=True``, else one.
    held_out_ : HeldOut
        The scores that the map was fitted to: ``rows``, ``scores``, ``y``, ``weight``. With ``ensemble=True`` those
        of all folds.
    choice_ : AutoChoice
        What the automatic calibrator tried and chose, with its evidence. With ``ensemble=True`` each of
        ``calibrators_`` has its own.
    n_features_in_, feature_names_in_
        Those of the base model, where it has any.

    Notes
    -----
    Frames reach the estimator as they are, and it validates them. Rows of weight 0 are as if absent. Arguments of `fit`
    are routed as in scikit-learn's CalibratedClassifierCV: without metadata routing all go to the estimator's `fit`,
    and `sample_weight` too where it takes it; with it, as requested (groups for the splitter, for one).

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedClassifier(GaussianNB()).fit(X[::2], y[::2])
    >>> model.predict_proba(X[1:3]).round(2)
    array([[0.98, 0.02],
           [0.98, 0.02]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "estimator": HasMethods("fit", words="a classifier"),
        "cv": CV,
        "ensemble": Bool(),
        "refit": Bool(),
        "method": METHOD,
        "weight_kind": WEIGHT_KIND,
        "n_jobs": N_JOBS,
        "random_state": Seed(),
    }

    _copied_tags: ClassVar[tuple[str, ...]] = ("pairwise", *WrapperMixin._copied_tags)

    estimator: Any = field(kw_only=False)
    calibrator: str | Calibrator = field(default="auto", kw_only=False)
    cv: Source = 5
    ensemble: bool = False
    refit: bool = True
    method: Method = "auto"
    weight_kind: WeightKind = "frequency"
    n_jobs: int | None = None
    random_state: SeedLike = 0

    @fill_docstring(row_weight=_WEIGHT, groups=f"{_GROUPS}\n{_TIMES}", fit_params=_FIT_PARAMS)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, times: Any = None, **fit_params: Any
    ) -> Self:
        """Fit the classifier and the map.

        With ``cv="oob"`` or ``"prefit"``, `X` may be a source that is larger than memory, as of the forests of
        calibrant; `y`, `sample_weight` and `groups` are then names of its columns.

        %(wrapped_grouped_fit_sections)s
        """
        check_params(self)
        calibrator = as_calibrator("calibrator", self.calibrator)
        check_params(calibrator, calibrator._rules)
        if self.ensemble and isinstance(self.cv, str):
            raise ParameterError(f"ensemble=True needs folds; cv={self.cv!r} has none. Use cv=5 or ensemble=False.")
        if is_source(X):
            options = {"estimator": self.estimator, "cv": self.cv}
            data, kept = read_source_data(X, y, sample_weight, groups, fit_params, **options), None
        else:
            data, kept = read_fit_data(self, X, y, sample_weight, fit_params, groups=groups, times=times)
        self._warn_of_rows(data)
        scoring = Scoring(self.estimator, self.method, self._find_classes(data), getattr(self, "_adopted", None))
        with one_warning_a_fit():
            if self.cv in Int() or not isinstance(self.cv, str):
                models, parts = self._fit_splits(scoring, data, kept)
            else:
                model, part = self._fit_whole(scoring, data)
                models, parts = [model], [part]
        self.held_out_ = join_held_out(parts)
        self._fit_maps(calibrator, models, [self._scored_rows(part, data, scoring.classes) for part in parts])
        return self

    def _fit_map(
        self,
        shared: ReadingOfFits,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        times: Any = None,
    ) -> Self:
        """Fit the map alone: `shared` holds the estimator as `fit` would fit it to all these rows, and its folds.

        Where it is read in several ways, ``estimator_`` is the estimator that was fitted; see `_calibrate`.
        """
        self._adopted = shared
        try:
            return self.fit(X, y, sample_weight, groups, times)
        finally:
            del self._adopted

    def _warn_of_rows(self, data: FitData) -> None:
        """Warn of weights that are no frequencies, and of copies of rows that would be held out from one another."""
        if self.weight_kind == "frequency":
            warn_of_weights(data.weight)
        holds_out = not (isinstance(self.cv, str) and self.cv in ("prefit", "train"))
        if data.target is None and data.groups is None and holds_out:
            warn_of_copies(data.X, data.codes)

    @property
    def _is_prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _find_classes(self, data: FitData) -> NDArray[Any]:
        if not self._is_prefit:
            return data.classes
        check_is_fitted(self.estimator)
        return np.asarray(getattr(self.estimator, "classes_", data.classes))

    def _fit_splits(
        self, scoring: Scoring, data: FitData, kept: NDArray[np.intp] | None
    ) -> tuple[list[Any], list[HeldOut]]:
        pieces: Pieces | None = None  # the units of weighted rows in folds; None where rows are split as they are
        if self.cv in Int() and self.weight_kind != "probability":
            pieces = unit_pieces(data, int(cast("int", self.cv)), self.random_state)
        if pieces is None:
            parts, splits = data, make_splits(self.cv, data, kept, self.random_state)
        else:
            parts, splits = data.pieces(pieces.rows, pieces.weight), splits_of_folds(pieces.fold)
        if not (self.refit or self.ensemble) and len(splits) > 1:
            raise ParameterError(
                f"refit=False keeps the model of one split; cv has {len(splits)}. Use ensemble=True, or a splitter of "
                "one split: ShuffleSplit(1), StratifiedShuffleSplit(1)."
            )
        fitted, scores = zip(*scoring.fit_folds(parts, splits, self.n_jobs), strict=True)
        folds = list(zip(splits, scores, strict=True))
        pools = [[each] for each in folds] if self.ensemble else [folds]
        held_out = [pool_scores(parts, [split for split, _ in pool], [part for _, part in pool]) for pool in pools]
        if pieces is not None:
            held_out = [replace(each, rows=pieces.rows[each.rows]) for each in held_out]
        if self.ensemble:
            return list(fitted), held_out
        return [scoring.fit_all(data) if self.refit else fitted[0]], held_out

    def _fit_whole(self, scoring: Scoring, data: FitData) -> tuple[Any, HeldOut]:
        if self.cv == "oob":
            return fit_out_of_bag(scoring, data)
        if self.cv == "train":
            _warn_of_same_rows(self.estimator)
        model = self.estimator if self.cv == "prefit" else scoring.fit_all(data)
        rows, scores = np.arange(data.n_rows), scoring.of(model, data.X)
        if len(scores) != data.n_rows:
            raise DataError(
                "sample_weight must be above 0 in all rows of a source for cv='prefit'; drop rows of weight 0."
            )
        return model, HeldOut.of(data, rows, scores)

    def _fit_maps(self, calibrator: Calibrator, models: list[Any], parts: list[ScoredRows]) -> None:
        """Fit a map to the held-out rows of each part, and warn of rows that no map can help."""
        for name in ("estimator_", "calibrator_"):
            self.__dict__.pop(name, None)
        classes = parts[0].classes
        self.calibrators_ = [clone(calibrator)._fit_rows(part) for part in parts]
        self._store_models(classes, models)
        if not self.ensemble:
            self.estimator_, self.calibrator_ = models[0], self.calibrators_[0]
        warn_of_shift(self.estimator, self.held_out_, classes, is_prefit=self._is_prefit)
        if not isinstance(calibrator, Auto):  # which warns by itself
            warn_of_few_rows(np.sum([part.class_weights() for part in parts], axis=0), classes)

    def _scored_rows(self, part: HeldOut, data: FitData, classes: NDArray[Any]) -> ScoredRows:
        """Return held-out scores for a calibrator: the scores validated, the classes as coded when `fit` was called."""
        scores, codes = read_named_scores(part.scores, classes), data.codes[part.rows]
        rows = ScoredRows(scores, codes, data.classes, part.weight, part.groups)
        rows = rows if part.weight is None or part.weight.all() else rows.take(np.flatnonzero(part.weight))
        if self.weight_kind == "probability":
            rows = rows.weighted_by("probability")
        return order_classes(rows, classes)

    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the calibrated probability of each class.

        %(wrapped_predict_proba_sections)s
        """
        check_is_fitted(self, "estimators_")
        scores = [scores_of(estimator, X, self.method, self.classes_) for estimator in self.estimators_]
        return self._calibrate(scores)

    def _calibrate(self, scores: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the mean of the probabilities of all maps, of rows by the scores of each base model."""
        fitted = list(zip(self.calibrators_, scores, strict=True))
        if len(fitted) > 1 and all(isinstance(each, VennAbers) for each in self.calibrators_):
            # Pairs of Venn-Abers are merged as in its cross form.
            pairs = [cast("VennAbers", each).predict_pair(part) for each, part in fitted]
            merged = merge_pairs(*zip(*pairs, strict=True))
            return normalised(merged) if merged.ndim == 2 else two_columns(merged)
        tables = [two_columns(each.predict(part)) for each, part in fitted]
        return tables[0] if len(tables) == 1 else np.asarray(np.mean(tables, axis=0))

    @fill_docstring(X_predict="%(X_wrapped)s")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first of equals.

        %(predict_sections)s
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    @property
    def choice_(self) -> AutoChoice:
        """The choice of the automatic calibrator: its candidates, with the evidence for each."""
        check_is_fitted(self, "estimators_")
        return self.calibrator_.choice_  # type: ignore[no-any-return]

    def _check_saved(self) -> None:
        self._check_models("predict_proba", "decision_function")
        need(len(self.estimators_) == len(self.calibrators_), "must have a map for each model")
        n_classes, columns = len(self.classes_), 1 if len(self.classes_) == 2 else len(self.classes_)
        fits = (isinstance(each, Calibrator) and each._is_of(n_classes, columns) for each in self.calibrators_)
        is_map = isinstance(getattr(self, "calibrator_", self.calibrators_[0]), Calibrator)
        need(is_map and all(fits), "has maps of other classes")


def _warn_of_same_rows(estimator: Any) -> None:
    """Warn that scores of training rows are too good, except for naive Bayes, which hardly memorises rows."""
    module = type(final_step(estimator)).__module__
    if not module.startswith(("sklearn.naive_bayes", "calibrant.bayes")):
        warnings.warn(
            f"cv='train' fits the map to scores of the rows that {type(estimator).__name__} was fitted to, which "
            "look better than those of new rows: probabilities will be too extreme. Use cv=5.",
            CalibrantWarning,
            stacklevel=4,
        )
