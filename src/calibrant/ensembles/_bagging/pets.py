"""Nielsen's three ensembles of probability estimation trees: one forest, three readings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier

__all__ = ["BPETsClassifier", "EBPETsClassifier", "MOBESPClassifier"]


def _with_defaults(**defaults: Any) -> Callable[..., None]:
    """Give an ``__init__`` with the parameters of bagged trees and some other defaults, as scikit-learn reads them."""
    signature = inspect.signature(BaggedTreesClassifier.__init__)
    parameters = [
        each.replace(default=defaults[name]) if name in defaults else each
        for name, each in signature.parameters.items()
    ]

    def init(self: BaggedTreesClassifier, **params: Any) -> None:
        BaggedTreesClassifier.__init__(self, **defaults | params)

    init.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return init


_NIELSEN = {"n_trees": 128, "bootstrap": "by_class", "tie_break": "random"}


class BPETsClassifier(BaggedTreesClassifier):
    """Bagged probability estimation trees (B-PETs): C4.4 trees with Laplace estimates, averaged.

    The parameters are those of `BaggedTreesClassifier`; by default 128 trees, each class drawn by itself, all columns
    at each node, random ties.

    References
    ----------
    R. D. Nielsen, "MOB-ESP and other improvements in probability estimation", 2004, section 2.1.

    Examples
    --------
    >>> model = BPETsClassifier(n_trees=9, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1]]).round(2)
    array([[0.75, 0.25]])
    """

    __init__ = _with_defaults(**_NIELSEN)


class EBPETsClassifier(BaggedTreesClassifier):
    """Enhanced bagged PETs (EB-PETs): leaves count the rows out of the bag too, unsmoothed.

    The parameters are those of `BaggedTreesClassifier`; by default 128 trees, each class drawn by itself, the square
    root of the number of columns, rounded up, drawn at each node, random ties, frequencies.

    References
    ----------
    R. D. Nielsen, "MOB-ESP and other improvements in probability estimation", 2004, section 2.2.

    Examples
    --------
    >>> model = EBPETsClassifier(n_trees=9, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1]])
    array([[1., 0.]])
    """

    __init__ = _with_defaults(
        **_NIELSEN, max_features="ceil_sqrt", estimate="frequency", out_of_bag="count", empty_leaf="parent"
    )


class MOBESPClassifier(BaggedTreesClassifier):
    """MOB-ESP: the class frequencies at a leaf among the rows that the forest classifies as the row in question.

    The forest is that of `EBPETsClassifier`. Each training row is labelled by the vote of the trees grown without it; a
    leaf keeps the class counts of its rows for each label; a new row is labelled by vote and reads the counts of its
    label. ``predict`` is the likeliest class, ``vote`` the label.

    References
    ----------
    R. D. Nielsen, "MOB-ESP and other improvements in probability estimation", 2004, section 2.3.

    Examples
    --------
    >>> model = MOBESPClassifier(n_trees=9, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1]]), model.vote([[1]])
    (array([[1., 0.]]), array(['a'], dtype='<U1'))
    """

    __init__ = _with_defaults(
        **_NIELSEN, max_features="ceil_sqrt", estimate="frequency", out_of_bag="condition", empty_leaf="parent"
    )
