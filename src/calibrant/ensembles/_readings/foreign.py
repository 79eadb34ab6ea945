"""Nielsen's readings of other people's forests (Nielsen 2004, section 3.4.2).

All that they need of an ensemble is which training rows answer for a row: those that end in the same leaves.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._params import Choice, Real, Rule, check_param
from calibrant.data._internal import check_weights, code_labels
from calibrant.ensembles._readings.eb_pets import EBPets, read_eb_pets
from calibrant.ensembles._readings.foreign_trees import check_forest, check_same_rows, draws_of, leaves_of, trees_of
from calibrant.ensembles._readings.honest import honest_oob_proba
from calibrant.ensembles._readings.members import Members
from calibrant.ensembles._readings.mob_esp import MobEsp, n_voting, read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling
from calibrant.ensembles._readings.votes import count_votes
from calibrant.estimates import Estimate, Resolvable, as_estimate
from calibrant.exceptions import CalibrantWarning, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ForestReading", "mob_esp"]

_RULES: dict[str, Rule] = {
    "kind": Choice("mob_esp", "eb_pets"),
    "out_of_bag": Choice("count", "only"),
    "out_of_bag_weight": Real(0, closed="neither") | Choice("auto", "leaf"),
    "in_bag_counts": Choice("unique", "multiplicity"),
    "vote_trees": Real(0, 1, closed="right") | Choice("out_of_bag"),
}


@dataclass(frozen=True, eq=False, repr=False)
class ForestReading:
    """A fitted forest with other probabilities, made by `mob_esp`.

    Attributes
    ----------
    forest : estimator
        The forest; it is not changed.
    classes_ : array
        The classes, sorted.
    in_bag_ : array of shape (n_trees, n_rows)
        How often each training row was drawn for each tree.
    oob_proba_ : array of shape (n_rows, n_classes)
        Probabilities of the training rows by the trees grown without them, each row's own count taken away; NaN for
        a row that is in every bag.
    out_of_bag_weight_ : float
        How much a row out of the bag counts, chosen where that was asked for.
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
        """How often each training row was drawn for each tree."""
        return self.members.in_bag

    @cached_property
    def oob_proba_(self) -> NDArray[np.float64]:
        """Honest probabilities of the training rows, worked out when first asked for."""
        if isinstance(self.reading, MobEsp):
            return strict_oob_proba(self.members, self.pooling, self.reading)
        return honest_oob_proba(self.members, self.pooling, self.reading.alpha)

    @property
    def out_of_bag_weight_(self) -> float:
        """How much a row out of the bag counts beside one in it."""
        return self.reading.alpha.number

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Rows, as the forest itself takes them.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``.
        """
        ways = leaves_of(self.forest, X)
        if isinstance(self.reading, MobEsp):
            return self.reading.predict_proba(ways, self._voters)
        return self.reading.predict_proba(ways)

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of the greatest probability, the first of equal ones."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def vote(self, X: Any) -> NDArray[Any]:
        """Give the class that most trees vote for; MOB-ESP conditions on it."""
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
    """Read a fitted forest of scikit-learn anew, by the training rows in its leaves; no tree is grown.

    MOB-ESP labels each training row by the vote of the trees that were grown without it. A new row is labelled by vote
    too, and has the class frequencies, at its leaves, of the training rows with its label. EB-PETs take the
    frequencies of all training rows at a leaf, those that its tree was grown without among them. Where no training
    row with its label shares a leaf with it, a row has the answer of EB-PETs.

    Parameters
    ----------
    fitted_forest : RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier of decision trees
        The forest. Without a bootstrap all rows are in every bag, and both readings are frequencies in the bag.
    X, y : frame or array of shape (n_rows, n_columns), sequence of length n_rows
        The rows that it was fitted on, in the same order, and their classes.
    sample_weight : sequence of length n_rows, optional
        How often each row counts in the leaves.
    kind : "mob_esp" or "eb_pets"
        The reading.
    out_of_bag : "count" or "only"
        Whether rows that a tree was grown without count with the others, or alone.
    out_of_bag_weight : float, "auto" or "leaf"
        How much such a row counts beside one in the bag; ``"auto"`` chooses by the log-loss of `oob_proba_`, and
        ``"leaf"`` lets every leaf move away from that by what its rows out of the bag say.
    in_bag_counts : "unique" or "multiplicity"
        Whether a row in the bag counts once, as in the paper's footnotes, or as often as it was drawn.
    estimate : str or estimate of `calibrant.estimates`
        What makes probabilities of counts: ``"frequency"`` as in the paper, ``"laplace"``, or an `MEstimate`; with
        ``kind="eb_pets"`` any table of nodes x classes.
    vote_trees : float or "out_of_bag"
        The share of the trees, the first ones, that label a new row. ``"out_of_bag"``: as many as label a training
        row, about 37 % of them, so that both labels are equally good; the paper expects that of larger forests.

    Returns
    -------
    ForestReading
        With ``predict_proba(X)``, ``predict(X)``, ``vote(X)``, ``oob_proba_``, ``in_bag_`` and ``classes_``.

    Notes
    -----
    In `oob_proba_` a row's own count is taken out of the leaves that answer for it. With MOB-ESP its class could still
    reach the labels of the rows beside it, through the trees that it is in the bag of, so that only the part of the
    forest that was grown without a row answers for it, labels included: it is what a forest of 37 % of the trees says
    of a fresh row. It is worked out when first asked for; at a leaf with more than 256 rows so many of them, drawn at
    random, stand for all.

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
    check_param("kind", kind, _RULES["kind"])
    check_param("vote_trees", vote_trees, _RULES["vote_trees"])
    check_param("out_of_bag", out_of_bag, _RULES["out_of_bag"])
    check_param("out_of_bag_weight", out_of_bag_weight, _RULES["out_of_bag_weight"])
    check_param("in_bag_counts", in_bag_counts, _RULES["in_bag_counts"])
    check_forest(fitted_forest)
    members = _members_of(fitted_forest, X, y, sample_weight)
    resolved = _in_numbers(as_estimate("estimate", estimate), members)
    pooling = Pooling(out_of_bag, in_bag_counts, out_of_bag_weight, resolved)
    reading = read_mob_esp(members, pooling) if kind == "mob_esp" else read_eb_pets(members, pooling)
    return ForestReading(fitted_forest, members, pooling, reading, n_voting(vote_trees, members.in_bag))


def _members_of(forest: Any, X: Any, y: Any, sample_weight: Any) -> Members:
    ways = leaves_of(forest, X)
    in_bag = draws_of(forest, ways.leaves.shape[1])
    weights = check_weights(sample_weight, in_bag.shape[1])
    drawn_by_weight = getattr(forest, "_sample_weight", None) is not None
    labels, trees = _labels_of(forest, y, in_bag.shape[1]), trees_of(forest)
    members = Members(trees, ways, in_bag, labels, len(forest.classes_), weights, drawn_by_weight)
    check_same_rows(members, ways)
    if in_bag.all():
        warnings.warn(
            f"no training row is out of a bag of this {type(forest).__name__}, so that there is nothing to learn from "
            "such rows; fit it with bootstrap=True.",
            CalibrantWarning,
            stacklevel=3,
        )
    return members


def _labels_of(forest: Any, y: Any, n_rows: int) -> NDArray[np.intp]:
    """Give the class of each row as a position in the forest's classes."""
    found = code_labels(y, n_rows)
    known = forest.classes_.tolist()
    strange = [label for label in found.classes.tolist() if label not in known]
    if strange:
        raise DataError(
            f"y has the class {strange[0]!r}, which fitted_forest does not know ({', '.join(map(repr, known[:5]))}"
            f"{' ...' if len(known) > 5 else ''}). Pass the y that it was fitted on."
        )
    return np.array([known.index(label) for label in found.classes.tolist()])[found.codes]


def _in_numbers(estimate: Estimate, members: Members) -> Estimate:
    if not isinstance(estimate, Resolvable):
        return estimate
    leaves = np.vstack([tree.counts[tree.is_leaf] for tree in members.trees])
    return estimate.resolve(members.class_weights, leaves)
