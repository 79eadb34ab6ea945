"""Many trees as one: bagged probability trees, their enhanced reading and MOB-ESP (Nielsen 2004), and boosting."""

from calibrant.ensembles._bagged import BaggedTreesClassifier
from calibrant.ensembles._boosted import BoostedTreesClassifier
from calibrant.ensembles._foreign import mob_esp
from calibrant.ensembles._pets import BPETsClassifier, EBPETsClassifier, MOBESPClassifier

__all__ = [
    "BPETsClassifier",
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "EBPETsClassifier",
    "MOBESPClassifier",
    "mob_esp",
]
