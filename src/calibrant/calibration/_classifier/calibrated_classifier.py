"""A classifier whose scores become probabilities by a map learnt from rows that it was not fitted to."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from calibrant._params import Bool, HasMethods, Int, Nothing, Seed, check_params
from calibrant._random import SeedLike
from calibrant.calibration._auto.auto import Auto, warn_of_few
from calibrant.calibration._auto.choice import AutoChoice
from calibrant.calibration._base import Calibrator, normalised
from calibrant.calibration._classifier.base_rate import warn_of_shift
from calibrant.calibration._classifier.fit_data import Given
from calibrant.calibration._classifier.held_out_scores import (
    CV,
    HeldOut,
    Scoring,
    Source,
    fit_folds,
    fit_out_of_bag,
    pooled,
    splits_of,
)
from calibrant.calibration._classifier.response import METHOD, Method, final_step, scores_of
from calibrant.calibration._classifier.routing import read_given
from calibrant.calibration._maps.venn_abers import VennAbers, merge_pairs
from calibrant.calibration._names import as_calibrator
from calibrant.exceptions import CalibrantWarning, ParameterError

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["CalibratedClassifier"]

_RULES = {
    "estimator": HasMethods("fit", words="a classifier"),
    "cv": CV,
    "ensemble": Bool(),
    "refit": Bool(),
    "method": METHOD,
    "n_jobs": Int() | Nothing(),
    "random_state": Seed(),
}


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Any classifier with its scores calibrated.

    The map from scores to probabilities is learnt from scores of rows that their model was not fitted to. By default
    these come from five folds and are pooled; the classifier that answers is then fitted to all rows, so that there is
    one base model, ``estimator_``, whose importances, plots and explanations still hold.

    Parameters
    ----------
    estimator : classifier
        Any classifier of scikit-learn's kind: of LightGBM, XGBoost or CatBoost, a pipeline, a search.
    calibrator : str or calibrator
        The map: a name of `CALIBRATORS` or an object of `calibrant.calibration`. ``"auto"`` weighs several maps
        against none.
    cv : int, splitter, iterable of (train, test) pairs, "prefit", "train" or "oob"
        Where scores come from. A number: stratified folds of shuffled rows (the papers' method is 3). ``"prefit"``:
        the estimator is fitted already and all rows given are for the map. ``"train"``: the model scores the rows it
        was fitted to, which suits naive Bayes alone (Zadrozny & Elkan 2001). ``"oob"``: trees score the rows out of
        their bag, for the forests of `calibrant.ensembles` and scikit-learn's; one fit instead of six.
    ensemble : bool
        Whether each fold keeps its model with a map of its own and their probabilities are averaged (pairs of
        `VennAbers` by geometric means); no model is then fitted to all rows.
    refit : bool
        Whether a model is fitted to all rows once the map is learnt. False, for a `cv` of one split: the model fitted
        to the train part stays, and the test part is for the map alone.
    method : {"auto", "predict_proba", "decision_function"}
        What gives the scores. ``"auto"``: probabilities where there are any, but margins of SVC and NuSVC, whose
        probabilities are a map already.
    n_jobs : int, optional
        Folds fitted at once, counted as scikit-learn counts; the result is the same for any number.
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
        The scores that the map was learnt from: ``rows``, ``scores``, ``y``, ``weight``. With ``ensemble=True`` those
        of all folds.
    choice_ : AutoChoice
        What the automatic calibrator tried and chose, with its evidence. With ``ensemble=True`` each of
        ``calibrators_`` has its own.
    n_features_in_, feature_names_in_
        Those of the base model, where it has any.

    Notes
    -----
    Frames reach the estimator as they are, and it checks them. Rows of weight 0 are as if absent. Parameters of `fit`
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

    classes_: NDArray[Any]
    estimators_: list[Any]
    calibrators_: list[Calibrator]
    held_out_: HeldOut

    def __init__(
        self,
        estimator: Any,
        calibrator: str | Calibrator = "auto",
        *,
        cv: Source = 5,
        ensemble: bool = False,
        refit: bool = True,
        method: Method = "auto",
        n_jobs: int | None = None,
        random_state: SeedLike = 0,
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.refit = refit
        self.method = method
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the classifier and learn the map.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.
        y : sequence of length n_rows
            The class of each row.
        sample_weight : sequence of length n_rows, optional
            How often each row counts, in the map and, where it takes weights, in the estimator.
        **fit_params : Any
            Parameters of the estimator's `fit`; what has a value for each row is parted with the rows.

        Returns
        -------
        CalibratedClassifier
            The classifier itself.
        """
        check_params(self, _RULES)
        calibrator = as_calibrator("calibrator", self.calibrator)
        self._check_together()
        given, kept = read_given(self, X, y, sample_weight, fit_params)
        scoring = Scoring(self.estimator, self.method, self._settled_classes(given))
        if self.cv in Int() or not isinstance(self.cv, str):
            models, parts = self._fit_splits(scoring, given, kept)
        else:
            model, part = self._fit_whole(scoring, given)
            models, parts = [model], [part]
        self.held_out_ = parts[0] if len(parts) == 1 else _joined(parts)
        self._store(scoring.classes, models, [self._learnt(calibrator, part, scoring.classes) for part in parts])
        self._warn(calibrator, scoring.classes)
        return self

    def _warn(self, calibrator: Calibrator, classes: NDArray[Any]) -> None:
        is_prefit = isinstance(self.cv, str) and self.cv == "prefit"
        warn_of_shift(self.estimator, self.held_out_, classes, is_prefit=is_prefit)
        if not isinstance(calibrator, Auto):  # which warns by itself
            warn_of_few(_class_weights(self.held_out_, classes), classes)

    def _check_together(self) -> None:
        if self.ensemble and isinstance(self.cv, str):
            raise ParameterError(f"ensemble=True needs folds; cv={self.cv!r} has none. Use cv=5 or ensemble=False.")

    def _settled_classes(self, given: Given) -> NDArray[Any]:
        seen = np.unique(given.y)
        if not (isinstance(self.cv, str) and self.cv == "prefit"):
            return seen
        check_is_fitted(self.estimator)
        return np.asarray(getattr(self.estimator, "classes_", seen))

    def _fit_splits(
        self, scoring: Scoring, given: Given, kept: NDArray[np.intp] | None
    ) -> tuple[list[Any], list[HeldOut]]:
        splits = splits_of(self.cv, given, kept, self.random_state)
        if not (self.refit or self.ensemble) and len(splits) > 1:
            raise ParameterError(
                f"refit=False keeps the model of one split; cv has {len(splits)}. Use ensemble=True, or a splitter of "
                "one split: ShuffleSplit(1), StratifiedShuffleSplit(1)."
            )
        fitted, scores = zip(*fit_folds(scoring, given, splits, self.n_jobs), strict=True)
        if self.ensemble:
            return list(fitted), [pooled(given, [split], [part]) for split, part in zip(splits, scores, strict=True)]
        model = given.fitted(self.estimator) if self.refit else fitted[0]
        return [model], [pooled(given, splits, list(scores))]

    def _fit_whole(self, scoring: Scoring, given: Given) -> tuple[Any, HeldOut]:
        if self.cv == "oob":
            return fit_out_of_bag(scoring, given)
        if self.cv == "train":
            _warn_of_same_rows(self.estimator)
        model = self.estimator if self.cv == "prefit" else given.fitted(self.estimator)
        rows = np.arange(given.n_rows)
        return model, HeldOut.of(given, rows, scoring.of(model, given.X))

    def _learnt(self, calibrator: Calibrator, part: HeldOut, classes: NDArray[Any]) -> Calibrator:
        fitted: Calibrator = clone(calibrator)
        return fitted.fit(part.scores, part.y, part.weight, labels=classes)

    def _store(self, classes: NDArray[Any], models: list[Any], maps: list[Calibrator]) -> None:
        for name in ("estimator_", "calibrator_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        self.classes_, self.estimators_, self.calibrators_ = classes, models, maps
        if not self.ensemble:
            self.estimator_, self.calibrator_ = models[0], maps[0]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(models[0], name):
                setattr(self, name, getattr(models[0], name))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the calibrated probability of each class.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Probabilities in the order of ``classes_``; rows sum to 1.
        """
        check_is_fitted(self, "estimators_")
        scores = [scores_of(estimator, X, self.method, self.classes_) for estimator in self.estimators_]
        return _averaged(self.calibrators_, scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the likeliest class of each row, the lower of equals.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows,)
            Values of ``classes_``.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Those of the base model, or their mean over the models of the folds."""
        check_is_fitted(self, "estimators_")
        return np.asarray(np.mean([final_step(each).feature_importances_ for each in self.estimators_], axis=0))

    @property
    def choice_(self) -> AutoChoice:
        """What the automatic calibrator tried and chose, with its evidence."""
        check_is_fitted(self, "estimators_")
        return self.calibrator_.choice_  # type: ignore[no-any-return]

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what `fit` passes on, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            To the estimator's `fit` and the splitter's `split`.
        """
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )

    def __sklearn_tags__(self) -> Any:
        tags, base = super().__sklearn_tags__(), get_tags(self.estimator)
        for name in ("pairwise", "sparse", "allow_nan", "string"):
            setattr(tags.input_tags, name, getattr(base.input_tags, name))
        tags.classifier_tags.multi_class = base.classifier_tags is None or base.classifier_tags.multi_class
        return tags


def _averaged(calibrators: list[Calibrator], scores: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Give the mean of what maps say of scores, or what cross Venn-Abers makes of several pairs."""
    if len(scores) > 1 and all(isinstance(each, VennAbers) for each in calibrators):
        pairs = [each.predict_pair(part) for each, part in zip(calibrators, scores, strict=True)]
        merged = merge_pairs(*zip(*pairs, strict=True))
        return normalised(merged) if merged.ndim == 2 else _both(merged)
    tables = [_both(each.predict(part)) for each, part in zip(calibrators, scores, strict=True)]
    return tables[0] if len(tables) == 1 else np.asarray(np.mean(tables, axis=0))


def _both(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    return proba if proba.ndim == 2 else np.stack([1.0 - proba, proba], axis=1)


def _class_weights(held_out: HeldOut, classes: NDArray[Any]) -> NDArray[np.float64]:
    own = (held_out.y[:, None] == classes[None, :]).astype(np.float64)
    return np.asarray(own.sum(axis=0) if held_out.weight is None else held_out.weight @ own)


def _joined(parts: list[HeldOut]) -> HeldOut:
    """Put the scores of all folds in the order of their rows."""
    order = np.argsort(np.concatenate([part.rows for part in parts]), kind="stable")
    weights = [part.weight for part in parts if part.weight is not None]
    return HeldOut(
        np.concatenate([part.rows for part in parts])[order],
        np.concatenate([part.scores for part in parts])[order],
        np.concatenate([part.y for part in parts])[order],
        np.concatenate(weights)[order] if weights else None,
    )


def _warn_of_same_rows(estimator: Any) -> None:
    """Warn that scores of a model's own rows flatter it, but for naive Bayes, which hardly learns rows by heart."""
    module = type(final_step(estimator)).__module__
    if not module.startswith(("sklearn.naive_bayes", "calibrant.bayes")):
        warnings.warn(
            f"cv='train' learns the map from scores of the rows that {type(estimator).__name__} was fitted to, which "
            "look better than those of new rows: probabilities will be too extreme. Use cv=5.",
            CalibrantWarning,
            stacklevel=4,
        )
