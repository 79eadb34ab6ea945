"""The figures of Tables 1 to 3 as the paper prints them."""

from __future__ import annotations

from typing import Final

from calibrant.papers._reproduction.table import Published, read_printed

SETS: Final = {
    "Phoneme": "chawla.phoneme",
    "Adult": "chawla.adult",
    "Satimage": "chawla.satimage",
    "Forest Cover": "chawla.covertype",
    "Mammography": "chawla.mammography",
}
SKEWED: Final = ("Forest Cover", "Mammography")  # "the two most skewed datasets"

# Table 1: features, examples, proportion of the positive class.
DATASETS: Final = {
    "Phoneme": ("5", "5,400", "0.29"),
    "Adult": ("14", "48,840", "0.24"),
    "Satimage": ("36", "6,430", "0.097"),
    "Forest Cover": ("54", "38,500", "0.071"),
    "Mammography": ("6", "11,183", "0.023"),
}

# Table 2, above the diagonal and the column of AUC.
CORRELATIONS: Final = {
    ("NCE", "QL"): Published("0.5044"),
    ("NCE", "01L"): Published("0.6217"),
    ("NCE", "AUC"): Published("-0.8663"),
    ("QL", "01L"): Published("0.8245"),
    ("QL", "AUC"): Published("-0.4668"),
    ("01L", "AUC"): Published("-0.4931"),
}

_TABLE_3 = read_printed(
    """
    Phoneme      0.312174 0.293877 0.156307 0.159342 0.749640 0.746100 0.798680 0.782070
    Adult        0.385605 0.157325 0.146401 0.141756 0.668420 0.767510 0.783980 0.777330
    Satimage     0.451316 0.354893 0.117407 0.112777 0.514000 0.397530 0.822590 0.795210
    Forest Cover 0.069245 0.057237 0.026180 0.026670 0.877140 0.881790 0.974840 0.966270
    Mammography  0.041607 0.039046 0.022569 0.023136 0.777647 0.781200 0.849300 0.808600
    """
)

# Table 3 by metric, data set and method: NCE and AUC of frequencies and Laplace estimates, of both kinds of trees.
PRUNING: Final = {
    (metric, name, method): figures[4 * half + place]
    for name, figures in _TABLE_3.items()
    for half, metric in enumerate(("NCE", "AUC"))
    for place, method in enumerate(("Frequency", "Pruned frequency", "Laplace", "Pruned Laplace"))
}
