"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._bagging.forest import BAGGED_RULES, Forest
from calibrant.ensembles._bagging.forest import RULES as FOREST_RULES
from calibrant.ensembles._boosting.boosted_stumps import BOOSTED_STUMP_RULES
from calibrant.ensembles._boosting.boosted_trees import BOOSTED_TREE_RULES
from calibrant.ensembles._boosting.boosting_loop import ALGORITHMS, boost, start_run
from calibrant.ensembles._boosting.boosting_loop import Run as BoostingRun
from calibrant.ensembles._boosting.gradient_boosting import GradientBoostedFolds, fit_gradient_boosting
from calibrant.ensembles._boosting.stumps import StumpMember, stack_stumps
from calibrant.ensembles._boosting.tree_learner import TreeLearner
from calibrant.ensembles._lazy_option_trees import LAZY_RULES, LazyTrees
from calibrant.ensembles._readings.eb_pets import EBPets
from calibrant.ensembles._readings.forest_reading import ForestReader, ReadingOptions
from calibrant.ensembles._readings.mob_esp import MobEsp
from calibrant.ensembles._readings.pooling import Alpha

__all__ = [
    "ALGORITHMS",
    "BAGGED_RULES",
    "BOOSTED_STUMP_RULES",
    "BOOSTED_TREE_RULES",
    "FOREST_RULES",
    "LAZY_RULES",
    "Alpha",
    "BoostingRun",
    "EBPets",
    "Forest",
    "ForestBags",
    "ForestReader",
    "GradientBoostedFolds",
    "LazyTrees",
    "MobEsp",
    "ReadingOptions",
    "StumpMember",
    "TreeLearner",
    "boost",
    "fit_gradient_boosting",
    "stack_stumps",
    "start_run",
]
