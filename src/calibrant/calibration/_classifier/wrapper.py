"""What classifiers that wrap another one share: its attributes, its tags and scikit-learn's metadata routing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from calibrant.calibration._classifier.response import final_step
from calibrant.data._internal import LogProbaMixin

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WrapperMixin"]


class WrapperMixin(LogProbaMixin):
    """A classifier with a base classifier `estimator`, fitted as one or more ``estimators_``."""

    _copied_tags: ClassVar[tuple[str, ...]] = ("sparse", "allow_nan", "string")

    estimator: Any
    classes_: NDArray[Any]
    estimators_: list[Any]

    def _store_models(self, classes: NDArray[Any], models: list[Any]) -> None:
        """Keep the fitted models, with the names of their columns where they have any."""
        self.classes_, self.estimators_ = classes, models
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(models[0], name):
                setattr(self, name, getattr(models[0], name))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Feature importances of the base model, averaged over the models where there are several."""
        check_is_fitted(self, "estimators_")
        return np.asarray(np.mean([final_step(each).feature_importances_ for each in self.estimators_], axis=0))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata `fit` passes on, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            Routing to the estimator's `fit` and, where there is a `cv`, to the splitter's `split`.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)
        if hasattr(self, "cv"):
            router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    def __sklearn_tags__(self) -> Any:
        tags, base = super().__sklearn_tags__(), get_tags(self.estimator)  # type: ignore[misc]
        for name in self._copied_tags:
            setattr(tags.input_tags, name, getattr(base.input_tags, name))
        tags.classifier_tags.multi_class = base.classifier_tags is None or base.classifier_tags.multi_class
        return tags
