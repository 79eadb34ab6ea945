"""The trees, leaves and bags of scikit-learn's forests, as readings use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from calibrant._repr import instance_hint, short_repr
from calibrant._threads import n_threads
from calibrant.ensembles._readings.forest_members import Members
from calibrant.ensembles._readings.leaf_paths import LeafMatrix
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SklearnTree", "bags_of", "check_forest", "check_same_rows", "leaves_of", "trees_of"]

_FORESTS = (RandomForestClassifier, ExtraTreesClassifier)


@dataclass(frozen=True, eq=False)
class SklearnTree:
    """A tree of scikit-learn with the arrays that estimates use; ``counts`` are those of its bag."""

    counts: NDArray[np.float64]
    weight: NDArray[np.float64]
    parent: NDArray[np.int32]
    depth: NDArray[np.intp]
    feature: NDArray[np.int32]
    n_features: int

    @classmethod
    def of(cls, model: Any, n_classes: int) -> SklearnTree:
        """Convert a fitted DecisionTreeClassifier, whose classes are positions in those of its forest."""
        tree = model.tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        parent = np.full(tree.node_count, -1, dtype=np.int32)
        parent[tree.children_left[inner]] = parent[tree.children_right[inner]] = inner
        shares = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
        weight, counts = tree.weighted_n_node_samples, np.zeros((tree.node_count, n_classes))
        counts[:, np.asarray(model.classes_).astype(np.intp)] = shares * weight[:, np.newaxis]
        feature = np.maximum(tree.feature, -1).astype(np.int32)
        return cls(counts, weight, parent, _depths(parent), feature, int(model.n_features_in_))

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return self.feature < 0

    @property
    def n_children(self) -> NDArray[np.uint32]:
        """Number of branches of each node."""
        return np.where(self.is_leaf, 0, 2).astype(np.uint32)

    @property
    def n_values(self) -> NDArray[np.uint32]:
        """Number of categories of each nominal test: there are none."""
        return np.zeros(len(self.parent), dtype=np.uint32)


def _depths(parent: NDArray[np.int32]) -> NDArray[np.intp]:
    depth, at = np.zeros(len(parent), dtype=np.intp), parent.astype(np.intp)
    while (below := at >= 0).any():
        depth += below
        at = np.where(below, parent[at], -1)
    return depth


def check_forest(forest: Any) -> None:
    """Raise if a forest is not a fitted bag of classification trees.

    Examples
    --------
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> check_forest(GradientBoostingClassifier())
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: fitted_forest must be a RandomForestClassifier, an ExtraTreesClassifier or a
    BaggingClassifier of decision trees, of scikit-learn; got GradientBoostingClassifier. It needs trees that were
    each grown from a bag of the training rows.
    """
    is_bagging = isinstance(forest, BaggingClassifier)
    if not isinstance(forest, (*_FORESTS, BaggingClassifier)):
        raise _wrong_forest(
            short_repr(forest) if isinstance(forest, type) else type(forest).__name__, instance_hint(forest)
        )
    check_is_fitted(forest)
    others = [each for each in forest.estimators_ if not isinstance(each, DecisionTreeClassifier)]
    if others:
        raise _wrong_forest(f"{type(forest).__name__} of {type(others[0]).__name__}")
    if not is_bagging and forest.n_outputs_ > 1:
        raise DataError(f"fitted_forest predicts {forest.n_outputs_} columns of classes; fit one forest for each.")


def _wrong_forest(got: str, hint: str = "") -> ParameterError:
    return ParameterError(
        "fitted_forest must be a RandomForestClassifier, an ExtraTreesClassifier or a BaggingClassifier of decision "
        f"trees, of scikit-learn; got {got}.{hint} It needs trees that were each grown from a bag of the training rows."
    )


def trees_of(forest: Any) -> list[SklearnTree]:
    """Return the trees of a fitted forest.

    Examples
    --------
    >>> forest = RandomForestClassifier(1, bootstrap=False).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> trees_of(forest)[0].counts
    array([[2., 2.],
           [2., 0.],
           [0., 2.]])
    """
    return [SklearnTree.of(each, len(forest.classes_)) for each in forest.estimators_]


def leaves_of(forest: Any, X: Any) -> LeafMatrix:
    """Return the leaf that each row reaches in each tree.

    Examples
    --------
    >>> forest = RandomForestClassifier(1, bootstrap=False).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> leaves_of(forest, [[1], [9]]).leaves
    array([[1, 2]], dtype=int32)
    """
    if isinstance(forest, _FORESTS):
        return LeafMatrix(np.ascontiguousarray(forest.apply(X).T, dtype=np.int32), n_threads(forest.n_jobs))
    rows = validate_data(forest, X, reset=False, dtype=None, ensure_all_finite=False)
    ends = [
        tree.apply(rows[:, features])
        for tree, features in zip(forest.estimators_, forest.estimators_features_, strict=True)
    ]
    return LeafMatrix(np.array(ends, dtype=np.int32), n_threads(forest.n_jobs))


def bags_of(forest: Any, n_rows: int) -> NDArray[np.uint16]:
    """Return the number of times each row was drawn for each tree; 1 where there was no bootstrap.

    Examples
    --------
    >>> forest = RandomForestClassifier(1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> int(bags_of(forest, 4).sum())
    4
    """
    fitted_rows = getattr(forest, "_n_samples", n_rows)
    if n_rows != fitted_rows:
        raise DataError(
            f"X has {n_rows} rows; fitted_forest was fitted on {fitted_rows}. Pass the rows that it was fitted on."
        )
    if not forest.bootstrap and isinstance(forest, _FORESTS):
        return np.ones((len(forest.estimators_), n_rows), dtype=np.uint16)
    return np.array([np.bincount(drawn, minlength=n_rows) for drawn in forest.estimators_samples_], dtype=np.uint16)


def check_same_rows(members: Members, paths: LeafMatrix) -> None:
    """Raise if the rows do not reproduce the counts of the first tree, as in another order they do not.

    A tree of weighted rows cannot be distinguished from one grown on other rows, and is not checked.
    """
    tree, drawn = members.trees[0], members.bags.count(0)
    if tree.weight[0] != drawn.sum() or (tree.counts[0] != np.round(tree.counts[0])).any():
        return
    key = paths.leaves[0] * np.intp(members.n_classes) + members.labels
    counts = np.bincount(key, drawn, tree.counts.size).reshape(tree.counts.shape)
    if not np.allclose(counts[tree.is_leaf], tree.counts[tree.is_leaf]):
        raise DataError(
            "X and y must be the rows that fitted_forest was fitted on; its first tree has other class counts. "
            "Pass the same rows in the same order."
        )
