"""Nielsen's readings of scikit-learn's forests (Nielsen 2004, section 3.4.2).

All that they need of an ensemble is which training rows share the leaves of a row.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Real, Rule, check_param
from calibrant._repr import instance_hint, short_repr
from calibrant._threads import n_threads
from calibrant.data._internal import check_weights, code_labels
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.eb_pets import EBPets, honest_oob_proba, read_eb_pets
from calibrant.ensembles._readings.forest_members import LeafMatrix, Members, count_votes
from calibrant.ensembles._readings.mob_esp import MobEsp, n_voting, read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling
from calibrant.estimates import CountedTree, Estimate, Resolvable, as_estimate
from calibrant.estimates._internal import with_classes
from calibrant.exceptions import CalibrantWarning, DataError, ParameterError

_FORESTS = (RandomForestClassifier, ExtraTreesClassifier)


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


def trees_of(forest: Any) -> list[CountedTree]:
    """Return the trees of a fitted forest, with the arrays that estimates use; counts are those of their bags.

    Examples
    --------
    >>> forest = RandomForestClassifier(1, bootstrap=False).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> trees_of(forest)[0].counts
    array([[2., 2.],
           [2., 0.],
           [0., 2.]])
    """
    return [_counted_tree(each, len(forest.classes_)) for each in forest.estimators_]


def _counted_tree(model: Any, n_classes: int) -> CountedTree:
    """Return a fitted DecisionTreeClassifier, whose classes are positions in those of its forest."""
    tree = model.tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    parent = np.full(tree.node_count, -1, dtype=np.int32)
    parent[tree.children_left[inner]] = parent[tree.children_right[inner]] = inner
    # Counts or shares, by the version of scikit-learn: normalizing serves both.
    shares = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
    weight, counts = tree.weighted_n_node_samples, np.zeros((tree.node_count, n_classes))
    counts[:, np.asarray(model.classes_).astype(np.intp)] = shares * weight[:, np.newaxis]
    feature = np.maximum(tree.feature, -1).astype(np.int32)
    nodes = SimpleNamespace(
        counts=counts,
        weight=weight,
        parent=parent,
        depth=tree.compute_node_depths() - 1,
        feature=feature,
        n_features=int(model.n_features_in_),
        is_leaf=feature < 0,
        n_children=np.where(feature < 0, 0, 2).astype(np.uint32),
        n_values=np.zeros(len(parent), dtype=np.uint32),
    )
    return cast("CountedTree", nodes)


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
    # Weighted or class-weighted trees have other counts than their rows, so nothing can be compared.
    if tree.weight[0] != drawn.sum() or (tree.counts[0] != np.round(tree.counts[0])).any():
        return
    key = paths.leaves[0] * np.intp(members.n_classes) + members.labels
    counts = np.bincount(key, drawn, tree.counts.size).reshape(tree.counts.shape)
    if not np.allclose(counts[tree.is_leaf], tree.counts[tree.is_leaf]):
        raise DataError(
            "X and y must be the rows that fitted_forest was fitted on; its first tree has other class counts. "
            "Pass the same rows in the same order."
        )


_RULES: dict[str, Rule] = {
    "kind": Choice("mob_esp", "eb_pets"),
    "out_of_bag": Choice("count", "only"),
    "out_of_bag_weight": Real(0, closed="neither") | Choice("auto", "leaf"),
    "in_bag_counts": Choice("unique", "multiplicity"),
    "vote_trees": Real(0, 1, closed="right") | Choice("out_of_bag"),
}

_X_FOREST = """\
X : frame or array of shape (n_rows, n_columns)
    Rows in any form that the forest accepts."""


@dataclass(frozen=True, eq=False, repr=False)
class ForestReading:
    """A fitted forest of scikit-learn read by `mob_esp`.

    Attributes
    ----------
    forest : estimator
        The forest, unchanged.
    classes_ : array
        The classes, sorted.
    in_bag_ : array of shape (n_trees, n_rows)
        Number of times each training row was drawn for each tree.
    oob_proba_ : array of shape (n_rows, n_classes)
        Probabilities of the training rows by the trees grown without them, with each row's own count subtracted; NaN
        for a row that is in every bag.
    out_of_bag_weight_ : float
        The weight of an out-of-bag row, specified or chosen.
    """

    forest: Any
    members: Members
    pooling: Pooling
    reading: EBPets | MobEsp
    n_voting: int

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.asarray(self.forest.classes_)

    @property
    def in_bag_(self) -> NDArray[np.uint16]:
        """Number of times each training row was drawn for each tree."""
        return self.members.in_bag

    @cached_property
    def oob_proba_(self) -> NDArray[np.float64]:
        """Honest out-of-bag probabilities of the training rows, computed at first use."""
        if isinstance(self.reading, MobEsp):
            return strict_oob_proba(self.members, self.pooling, self.reading)
        return honest_oob_proba(self.members, self.pooling, self.reading.alpha)

    @property
    def out_of_bag_weight_(self) -> float:
        """The weight of an out-of-bag row relative to one in the bag."""
        return self.reading.alpha.number

    @fill_docstring(X_predict=_X_FOREST)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        paths = leaves_of(self.forest, X)
        if isinstance(self.reading, MobEsp):
            return self.reading.predict_proba(paths, self._voters)
        return self.reading.predict_proba(paths)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; the first if several are tied."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def vote(self, X: Any) -> NDArray[Any]:
        """Return the class that most trees vote for, on which MOB-ESP conditions."""
        return np.asarray(self.classes_[count_votes(self._voters, leaves_of(self.forest, X)).labels])

    @property
    def _voters(self) -> list[NDArray[np.float64]]:
        return self.members.frequencies[: self.n_voting]

    def __repr__(self) -> str:
        kind = "MOB-ESP" if isinstance(self.reading, MobEsp) else "EB-PETs"
        return f"<{kind} reading of a {type(self.forest).__name__} of {self.members.n_trees} trees>"


def mob_esp(
    fitted_forest: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    kind: Literal["mob_esp", "eb_pets"] = "mob_esp",
    out_of_bag: Literal["count", "only"] = "count",
    out_of_bag_weight: float | Literal["auto", "leaf"] = 1.0,
    in_bag_counts: Literal["unique", "multiplicity"] = "unique",
    estimate: str | Estimate = "frequency",
    vote_trees: float | Literal["out_of_bag"] = 1.0,
) -> ForestReading:
    """Read a fitted forest of scikit-learn by the training rows in its leaves; no tree is grown.

    MOB-ESP labels each training row by the vote of the trees that were grown without it. A new row is labelled by vote
    too, and has the class frequencies, at its leaves, of the training rows with its label. EB-PETs use the
    frequencies of all training rows at a leaf, including those that its tree was grown without. Where no training
    row with its label shares a leaf with it, a row has the probabilities of EB-PETs.

    Parameters
    ----------
    fitted_forest : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier of decision trees
        The forest. Without a bootstrap all rows are in every bag, and both readings are frequencies in the bag.
    X, y : frame or array of shape (n_rows, n_columns), sequence of length n_rows
        The rows that it was fitted on, in the same order, and their classes.
    sample_weight : sequence of length n_rows, optional
        The weight of each row in the leaves.
    kind : "mob_esp" or "eb_pets"
        The reading.
    out_of_bag : "count" or "only"
        Whether out-of-bag rows count together with the others, or alone.
    out_of_bag_weight : float, "auto" or "leaf"
        The weight of such a row relative to one in the bag; ``"auto"`` chooses by the log-loss of `oob_proba_`, and
        ``"leaf"`` lets every leaf deviate from that as its out-of-bag rows suggest.
    in_bag_counts : "unique" or "multiplicity"
        Whether a row in the bag counts once, as in the paper's footnotes, or as often as it was drawn.
    estimate : str or estimate of `calibrant.estimates`
        What turns counts into probabilities: ``"frequency"`` as in the paper, ``"laplace"``, or an `MEstimate`; with
        ``kind="eb_pets"`` any table of nodes x classes.
    vote_trees : float or "out_of_bag"
        The share of the trees, the first ones, that label a new row. ``"out_of_bag"``: as many as label a training
        row, about 37 % of them, so both labels are equally good; the paper expects that of larger forests.

    Returns
    -------
    ForestReading
        With ``predict_proba(X)``, ``predict(X)``, ``vote(X)``, ``oob_proba_``, ``in_bag_`` and ``classes_``.

    Notes
    -----
    In `oob_proba_` a row's own count is subtracted from its leaves. With MOB-ESP its class could still reach the labels
    of the other rows there, through the trees whose bags it is in. Therefore a row is predicted by the part of the
    forest that was grown without it, labels included: this equals the prediction of a new row by 37 % of the trees. It
    is computed at first use; at a leaf with more than 256 rows that many of them, drawn at random, represent all.

    References
    ----------
    R. D. Nielsen, "MOB-ESP and other improvements in probability estimation", UAI 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> reading = mob_esp(forest, X, y)
    >>> reading
    <MOB-ESP reading of a RandomForestClassifier of 50 trees>
    >>> reading.predict_proba(X[:1]), reading.oob_proba_.shape
    (array([[1., 0., 0.]]), (150, 3))
    """
    options = {
        "kind": kind,
        "vote_trees": vote_trees,
        "out_of_bag": out_of_bag,
        "out_of_bag_weight": out_of_bag_weight,
        "in_bag_counts": in_bag_counts,
    }
    for name, value in options.items():
        check_param(name, value, _RULES[name])
    check_forest(fitted_forest)
    members = _members_of(fitted_forest, X, y, sample_weight)
    resolved = _resolve(with_classes(as_estimate("estimate", estimate), fitted_forest.classes_), members)
    pooling = Pooling(out_of_bag, in_bag_counts, out_of_bag_weight, resolved)
    reading = read_mob_esp(members, pooling) if kind == "mob_esp" else read_eb_pets(members, pooling)
    return ForestReading(fitted_forest, members, pooling, reading, n_voting(vote_trees, members.bags, members.n_trees))


def _members_of(forest: Any, X: Any, y: Any, sample_weight: Any) -> Members:
    paths = leaves_of(forest, X)
    in_bag = bags_of(forest, paths.leaves.shape[1])
    weights = check_weights(sample_weight, in_bag.shape[1])
    drawn_by_weight = getattr(forest, "_sample_weight", None) is not None
    labels, trees = _labels_of(forest, y, in_bag.shape[1]), trees_of(forest)
    members = Members(trees, paths, ForestBags(drawn=in_bag), labels, len(forest.classes_), weights, drawn_by_weight)
    check_same_rows(members, paths)
    if in_bag.all():
        warnings.warn(
            f"no training row is out of a bag of this {type(forest).__name__}, so both readings are "
            "frequencies in the bag. Fit it with bootstrap=True.",
            CalibrantWarning,
            stacklevel=3,
        )
    return members


def _labels_of(forest: Any, y: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the class of each row as a position in the forest's classes."""
    found = code_labels(y, n_rows)
    known = forest.classes_.tolist()
    unknown = [label for label in found.classes.tolist() if label not in known]
    if unknown:
        raise DataError(
            f"y has the class {unknown[0]!r}, which fitted_forest does not have ({', '.join(map(repr, known[:5]))}"
            f"{' ...' if len(known) > 5 else ''}). Pass the y that it was fitted on."
        )
    return np.array([known.index(label) for label in found.classes.tolist()])[found.codes]


def _resolve(estimate: Estimate, members: Members) -> Estimate:
    if not isinstance(estimate, Resolvable):
        return estimate
    leaves = np.vstack([tree.counts[tree.is_leaf] for tree in members.trees])
    return estimate.resolve(members.class_weights, leaves)
