"""Many trees as one: bagged trees and their readings (Nielsen 2004), boosting, lazy option trees."""

from calibrant.ensembles._bagged import BaggedTreesClassifier
from calibrant.ensembles._boosted import BoostedTreesClassifier
from calibrant.ensembles._foreign import mob_esp
from calibrant.ensembles._lazy_options import LazyOptionTreesClassifier
from calibrant.ensembles._permutation import oob_permutation_importances
from calibrant.ensembles._permuted import PermutationImportances
from calibrant.ensembles._pets import BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.ensembles._stump_members import Stumps
from calibrant.ensembles._stumps import BoostedStumpsClassifier

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
