"""The figures that Zadrozny & Elkan (2001) print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from calibrant.papers._reproduction.table import Published, read_printed

PrintedTable = Mapping[str, tuple[Published, ...]]


MSE: Final = read_printed(
    """
    Bagged Laplace                 0.07011 0.09812
    Kearns-Mansour                 0.08643 0.10424
    C4.5 without pruning           0.08789 0.10211
    Laplace (C4.4)                 0.08950 0.10090
    Bagged curtailment             0.09455 0.09515
    Curtailment                    0.09508 0.09535
    Smoothing                      0.09510 0.09557
    Smoothed curtailment           0.09516 0.09525
    Binned naive Bayes             0.09546 0.09528
    All base rate                  0.09636 0.09602
    Naive Bayes                    0.10089 0.10111
    All zero (C4.5 with pruning)   0.10151 0.10113
    All one                        1.89848 1.89886
    """
)  # Table 1
LOG_LOSS: Final = read_printed(
    """
    Bagged Laplace                 0.18841 ∞
    Kearns-Mansour                 0.24326 ∞
    C4.5 without pruning           0.25422 ∞
    Laplace (C4.4)                 0.26477 0.29705
    Bagged curtailment             0.27691 0.28300
    Smoothing                      0.28037 0.28529
    Curtailment                    0.28090 0.28439
    Smoothed curtailment           0.28146 0.28352
    Binned naive Bayes             0.28336 0.28365
    All base rate                  0.28961 0.28880
    Naive Bayes                    0.30198 0.30400
    All zero (C4.5 with pruning)   ∞       ∞
    All one                        ∞       ∞
    """
)  # Table 2
PROFIT: Final = read_printed(
    """
    Bagged Laplace                 $48639 $10190
    Kearns-Mansour                 $30448 $8873
    C4.5 without pruning           $24212 $10538
    Bagged curtailment             $22109 $14502
    Laplace (C4.4)                 $21240 $12601
    Smoothing                      $19248 $13897
    Smoothed curtailment           $17081 $14741
    Curtailment                    $16823 $14190
    Binned naive Bayes             $14897 $14642
    All base rate                  $11923 $12252
    All one                        $10790 $10560
    Naive Bayes                    $10083 $9531
    All zero (C4.5 with pruning)   $0     $0
    """
)  # Table 3
MSE_COIL: Final = read_printed(
    """
    C4.5 without pruning           0.09481 0.11420
    Kearns-Mansour                 0.09575 0.11431
    Bagged Laplace                 0.09621 0.11331
    Laplace (C4.4)                 0.09586 0.11548
    Binned naive Bayes             0.10485 0.10742
    Curtailment                    0.10657 0.10839
    Smoothed curtailment           0.10681 0.10844
    Bagged curtailment             0.10686 0.10860
    Smoothing                      0.10723 0.11091
    All base rate                  0.11240 0.11192
    All zero (C4.5 with pruning)   0.11955 0.11900
    Naive Bayes                    0.12896 0.13409
    All one                        1.88045 1.88100
    """
)  # Table 4
SCORE_RANGES: Final = read_printed(
    """
    C4.5 without pruning           0      1
    Smoothing                      0.0224 0.1018
    Curtailment                    0.0045 0.1699
    """
)  # lowest and highest score of a test row, sections 2.2 and 2.3
