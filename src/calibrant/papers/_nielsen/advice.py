"""What a practitioner should do today about each finding."""

from __future__ import annotations

__all__ = ["ADVICE"]

_UNSMOOTHED = "Read bagged trees without Laplace's smoothing."
_OUT_OF_BAG = "Do not count out-of-bag rows for their own sake; keep them for honest estimates of performance."
_RANDOM = "Draw columns at random for ranks and accuracy, and calibrate the probabilities."
_TEST = "Compare methods over data sets, or by the corrected test."

ADVICE = {
    "eb-pets-beat-b-pets": "Prefer EB-PETs to B-PETs; expect a small gain.",
    "eb-pets-rank-better": "Prefer EB-PETs to B-PETs where rows are ranked.",
    "mob-esp-ranks-better": "Do not choose MOB-ESP for its ranks.",
    "mob-esp-beats-b-pets": "Use MOB-ESP where squared error or log-loss counts, with a map fitted out of bag.",
    "mob-esp-beats-eb-pets": "Use MOB-ESP where squared error or log-loss counts, with a map fitted out of bag.",
    "eb-pets-beat-mob-esp-on-aulc": "Try EB-PETs first where rows are ranked; the difference is small.",
    "ob-examples-alone": _OUT_OF_BAG,
    "omit-smoothing-alone": _UNSMOOTHED,
    "random-features-rank": _RANDOM,
    "random-features-errors": _RANDOM,
    "ob-examples-in-eb-pets": _OUT_OF_BAG,
    "omit-smoothing-in-eb-pets": _UNSMOOTHED,
    "omit-smoothing-matters-most": _UNSMOOTHED,
    "random-features-in-eb-pets": _RANDOM,
    "mob-esp-with-c45-trees": "Keep nominal columns nominal: MOB-ESP needs no integers.",
    "differences-remain": _TEST,
    "differences-remain-c45": _TEST,
    "unique-counting": "Count in-bag rows either way: the results hardly differ.",
}
