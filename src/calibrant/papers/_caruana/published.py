"""The figures of Caruana & Niculescu-Mizil (2004): Tables 2 and 4, means over seven problems."""

from __future__ import annotations

from calibrant.papers._reproduction.table import read_printed

_TABLE_2 = read_printed(
    """
    ANN      0.8720 0.9033 0.2805 0.4143 0.0233
    BAG-DT   0.8728 0.9089 0.2818 0.4050 0.0314
    KNN      0.8688 0.8970 0.2861 0.4367 0.0270
    DT       0.8433 0.8671 0.3211 0.5019 0.0346
    SVM      0.8745 0.9067 0.3390 0.5767 0.0765
    BST-STMP 0.8470 0.8866 0.3659 0.6241 0.0502
    BST-DT   0.8828 0.9138 0.3050 0.4810 0.0542
    """
)
_TABLE_4 = read_printed(
    """
    BST-DT   0.3050 0.2650 0.2652 0.4810 0.3727 0.3745
    SVM      0.3303 0.2727 0.2719 0.5767 0.3988 0.3984
    BAG-DT   0.2818 0.2815 0.2799 0.4050 0.4082 0.3996
    ANN      0.2805 0.2821 0.2806 0.4143 0.4229 0.4120
    KNN      0.2861 0.2871 0.2839 0.4367 0.4300 0.4186
    BST-STMP 0.3659 0.3098 0.3096 0.6241 0.4713 0.4734
    DT       0.3211 0.3212 0.3145 0.5019 0.5091 0.4865
    """
)


# By algorithm, map and metric
TABLE_2 = {
    (row, "RAW", metric): figure
    for row, figures in _TABLE_2.items()
    for metric, figure in zip(("ACC", "AUC", "RMS", "MXE", "CAL"), figures, strict=True)
}
TABLE_4 = {
    (row, name, metric): figures[3 * half + place]
    for row, figures in _TABLE_4.items()
    for half, metric in enumerate(("RMS", "MXE"))
    for place, name in enumerate(("RAW", "PLATT", "ISOTONIC"))
}
