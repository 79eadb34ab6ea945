"""scikit-learn's contract: its own checks with nothing excused, for boosting by weights."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.ensembles import BoostedTreesClassifier


@parametrize_with_checks(
    [
        BoostedTreesClassifier(n_trees=5),
        BoostedTreesClassifier(n_trees=5, algorithm="samme", max_depth=1, criterion="gini", estimate="frequency"),
        BoostedTreesClassifier(n_trees=5, algorithm="real", max_depth=2, n_jobs=2),
    ]
)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")  # members without error, or as bad as chance
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
