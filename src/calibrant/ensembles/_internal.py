"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.ensembles._bagging.forest import Forest
from calibrant.ensembles._boosting.boosting_loop import ALGORITHMS, boost, start_run
from calibrant.ensembles._boosting.gradient_boosting import fit_gradient_boosting
from calibrant.ensembles._boosting.tree_learner import TreeLearner

__all__ = [
    "ALGORITHMS",
    "Forest",
    "TreeLearner",
    "boost",
    "fit_gradient_boosting",
    "start_run",
]
