"""The systems of the paper's tables: readings of two forests, with all columns at each node or random ones."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier


class ForestVoteClassifier(EBPETsClassifier):
    """The class that most trees vote for, with probability 1.

    As a reading of a forest that others read too, it costs a study no further trees.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> ForestVoteClassifier(n_trees=9, random_state=0).fit(X, y).predict_proba([[1], [4]])
    array([[1., 0.],
           [0., 1.]])
    """

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probability 1 for the class that most trees vote for."""
        votes = np.searchsorted(self.classes_, self.vote(X))
        return np.asarray(np.eye(len(self.classes_))[votes])


Counting: TypeAlias = Literal["unique", "multiplicity"]

COUNTINGS: tuple[Counting, ...] = ("unique", "multiplicity")
N_TREES = 128

B_PETS, EB_PETS, MOB_ESP = "B-PETs", "EB-PETs", "MOB-ESP"
ADDED = {
    "OB Examples": "B-PETs with OB examples",
    "Omit Smoothing": "B-PETs without smoothing",
    "Random Features": "B-PETs with random features",
    "All (EB-PETs)": EB_PETS,
}
REMOVED = {
    "OB Examples": "EB-PETs without OB examples",
    "Omit Smoothing": "EB-PETs with smoothing",
    "Random Features": "EB-PETs without random features",
}
UNIQUE_B_PETS = "B-PETs, each in-bag row once"
ALL_VOTE, RANDOM_VOTE = "Vote, all features", "Vote, random features"

# The parameters of both ways of growing; the first is close to the paper's
GROWING: dict[str, dict[str, Any]] = {
    "integers": {"threshold": "midpoint", "mdl_penalty": False},
    "c45": {"threshold": "observed", "mdl_penalty": True},
}


def paper_methods(**params: Any) -> dict[str, BaggedTreesClassifier]:
    """Return the systems of Tables 2 to 6 by the names that the tables of results have, with parameters of their trees.

    Where out-of-bag rows are counted, an in-bag row counts once unless `in_bag_counts` is passed.

    Examples
    --------
    >>> list(paper_methods())[:3]
    ['B-PETs', 'B-PETs with OB examples', 'B-PETs without smoothing']
    """
    every, random = _forests(params)
    return {
        B_PETS: BPETsClassifier(**every),
        ADDED["OB Examples"]: EBPETsClassifier(**every, estimate="laplace"),
        ADDED["Omit Smoothing"]: BPETsClassifier(**every, estimate="frequency"),
        ADDED["Random Features"]: BPETsClassifier(**random),
        REMOVED["OB Examples"]: BPETsClassifier(**random, estimate="frequency"),
        REMOVED["Omit Smoothing"]: EBPETsClassifier(**random, estimate="laplace"),
        REMOVED["Random Features"]: EBPETsClassifier(**every),
        EB_PETS: EBPETsClassifier(**random),
        MOB_ESP: MOBESPClassifier(**random),
    }


def _forests(params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters of the forest with all columns at each node, and of that with random ones."""
    # Empty leaves take the estimate of their parent in all readings, so that these can share a forest
    common: dict[str, Any] = {"n_trees": N_TREES, "empty_leaf": "parent"} | params
    return common | {"max_features": None}, common | {"max_features": "ceil_sqrt"}


def study_methods(**params: Any) -> dict[str, BaggedTreesClassifier]:
    """Return the methods of a study: the systems with both ways of counting in-bag rows, and the forests' votes.

    Examples
    --------
    >>> [name for name in study_methods() if "MOB-ESP" in name]
    ['MOB-ESP, unique', 'MOB-ESP, multiplicity']
    """
    params = {"n_jobs": 1} | params
    methods: dict[str, BaggedTreesClassifier] = {}
    for counting in COUNTINGS:
        for name, method in paper_methods(in_bag_counts=counting, **params).items():
            methods.setdefault(counted(name, counting), method)
    every, random = _forests(params)
    # Out-of-bag rows of weight 0: the in-bag rows alone, each once, as the paper's footnote 5 counts them
    methods[UNIQUE_B_PETS] = EBPETsClassifier(**every, estimate="laplace", out_of_bag_weight=0.0)
    methods[ALL_VOTE] = ForestVoteClassifier(**every)
    methods[RANDOM_VOTE] = ForestVoteClassifier(**random)
    return methods


ALL_COLUMNS = {B_PETS, ADDED["OB Examples"], ADDED["Omit Smoothing"], REMOVED["Random Features"]}
_IN_BAG_ALONE = {B_PETS, ADDED["Omit Smoothing"], ADDED["Random Features"], REMOVED["OB Examples"]}


def share_forest(name: str, other: str) -> bool:
    """Return whether two systems read the same forest.

    Examples
    --------
    >>> share_forest("EB-PETs", "MOB-ESP"), share_forest("EB-PETs", "B-PETs")
    (True, False)
    """
    return (name in ALL_COLUMNS) == (other in ALL_COLUMNS)


def counted(name: str, counting: Counting) -> str:
    """Return the name in the study of a system that counts in-bag rows in one way.

    Without out-of-bag rows a system has its leaves' counts, with multiplicity, whatever the way.

    Examples
    --------
    >>> counted("EB-PETs", "unique"), counted("B-PETs", "unique")
    ('EB-PETs, unique', 'B-PETs')
    """
    return name if name in _IN_BAG_ALONE else f"{name}, {counting}"


def with_countings(label: str, *systems: str) -> dict[tuple[str, ...], str]:
    """Return the names of systems in the study by way of counting, each with a label; one where both are the same.

    Examples
    --------
    >>> with_countings("EB-PETs", "EB-PETs"), with_countings("B-PETs", "B-PETs")
    ({('EB-PETs, unique',): 'EB-PETs', ('EB-PETs, multiplicity',): 'EB-PETs, multiplicity'}, {('B-PETs',): 'B-PETs'})
    """
    found: dict[tuple[str, ...], str] = {}
    for counting in COUNTINGS:
        names = tuple(counted(each, counting) for each in systems)
        found.setdefault(names, label if counting == "unique" else f"{label}, {counting}")
    return found
