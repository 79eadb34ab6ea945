"""Ensembles of trees: bagged trees and their readings (Nielsen 2004), boosting, lazy option trees."""

from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier
from calibrant.ensembles._bagging.permutation import PermutationImportances, oob_permutation_importances
from calibrant.ensembles._bagging.pets import BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.ensembles._boosting.boosted_stumps import BoostedStumpsClassifier
from calibrant.ensembles._boosting.boosted_trees import BoostedTreesClassifier
from calibrant.ensembles._boosting.stumps import Stumps
from calibrant.ensembles._lazy_option_trees import LazyOptionTreesClassifier
from calibrant.ensembles._readings.sklearn_reading import mob_esp

__all__ = [
    "BPETsClassifier",
    "BaggedTreesClassifier",
    "BoostedStumpsClassifier",
    "BoostedTreesClassifier",
    "EBPETsClassifier",
    "LazyOptionTreesClassifier",
    "MOBESPClassifier",
    "PermutationImportances",
    "Stumps",
    "mob_esp",
    "oob_permutation_importances",
]
