"""What a practitioner should do today about each finding of the paper."""

from __future__ import annotations

from typing import Final

__all__ = ["ADVICE"]

ADVICE: Final[dict[str, str]] = {
    "smoothing-spreads-probabilities": "Never act on raw leaf frequencies; average trees where many levels are needed.",
    "smoothing-reduces-nce": "Smooth every tree: any estimate of calibrant but `Frequency` has a finite log-loss.",
    "bagged-laplace-most-consistent": "Bag; `BaggedTreesClassifier` reads its forests by shrinkage along the path.",
    "laplace-leaves-the-error-unchanged": "Do not judge a smoothing method by the error: it cannot see it.",
    "error-is-sensitive-to-the-m-estimate": "With a rare class decide by costs, not by a threshold of one half.",
    "m-estimate-never-beats-laplace": "Let folds choose m (`MEstimate(m='cv')`): 10 / b is right for classes that "
    "overlap (CoIL) and far too much for those that do not.",
    "m-estimate-raises-ql-on-the-most-skewed": "A rare class is no reason for a large m; an overlapping one is.",
    "bagging-reduces-the-error": "Bag whenever the model need not be one tree.",
    "bagging-improves-unbalanced-sets": "Bag on unbalanced data too.",
    "bagging-does-not-always-improve": "Where classes overlap regularize the leaves; bagging alone is no substitute.",
    "pruning-lowers-unsmoothed-nce": "Smooth instead of pruning: it gains more, and loses no detail.",
    "pruning-raises-unsmoothed-auc": "Do not prune for the sake of a ranking.",
    "unpruned-laplace-ranks-better": "Pruning matters little once leaves are smoothed; try both.",
    "unpruned-laplace-has-lower-nce": "Pruning matters little once leaves are smoothed; try both.",
    "nce-and-auc-are-tightly-anticorrelated": "Measure both: a log-loss with probabilities of 0 hangs on its clip.",
    "ql-and-error-are-tightly-correlated": "Report a proper score; the error adds little to it.",
    "ql-and-error-do-not-follow-auc": "Rank and calibration are two questions: measure both.",
}
