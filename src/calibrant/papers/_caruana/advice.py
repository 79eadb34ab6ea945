"""What a practitioner should do today about each finding of the paper."""

from __future__ import annotations

from typing import Final

__all__ = ["ADVICE"]

ADVICE: Final[dict[str, str]] = {
    "gain-most": "Never use raw scores of SVMs or AdaBoost as probabilities: calibrate them on held-out rows.",
    "boosted-trees-best": "Boost and calibrate, or take `ProbabilityClassifier`: the two are close.",
    "svms-next-best": "Do not choose an algorithm by a ranking over other problems: `calibrant compare` yours.",
    "hardly-gain": "Calibrate bagged trees and nets under the guard (`Auto`), which leaves them alone unless it helps.",
    "best-before": "Without rows to calibrate on, prefer models of averages (bagging, neighbours) to those of margins.",
    "better-rankings": "A better ranking is worth having where a calibration map can follow it.",
    "stumps-not-competitive": "Boost trees rather than stumps.",
    "platt-and-isotonic-alike": "For boosted trees Platt scaling is enough; its probabilities are smooth and never 0.",
    "order-before": "Expect these distortions of other boosted models and margins too.",
    "order-after": "Compare algorithms after calibration, not before.",
    "away-from-ends": "Look at the histogram of scores: none near 0 and 1 is a sign of boosting's distortion.",
    "s-shaped": "An S in the reliability diagram asks for Platt scaling, any other shape for a freer map.",
    "each-problem": "Calibrate boosted trees always.",
    "blend-best": "Start with `ProbabilityClassifier`: it needs no choice among hundreds of models.",
    "beta-better": "Try `Beta` where scores are probabilities: it can be the identity, which Platt scaling cannot.",
    "spline-better": "Try `Spline` beside the two, or let `Auto` choose.",
    "isotonic-infinite": "Where log-loss counts, do not use isotonic regression as it is: it is certain at its ends.",
    "cross-entropy-in-bits": "Name the base of every log-loss that you report.",
}
