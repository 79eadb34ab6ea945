"""Many trees as one: bagged probability trees, their enhanced reading and MOB-ESP (Nielsen 2004), and boosting."""

from calibrant.ensembles._bagged import BaggedTreesClassifier
from calibrant.ensembles._boosted import BoostedTreesClassifier
from calibrant.ensembles._foreign import mob_esp
from calibrant.ensembles._pets import BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.ensembles._stump_members import Stumps
from calibrant.ensembles._stumps import BoostedStumpsClassifier

__all__ = [
    "BPETsClassifier",
    "BaggedTreesClassifier",
    "BoostedStumpsClassifier",
    "BoostedTreesClassifier",
    "EBPETsClassifier",
    "MOBESPClassifier",
    "Stumps",
    "mob_esp",
]
