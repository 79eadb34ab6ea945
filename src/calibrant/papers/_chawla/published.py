"""The figures of Tables 1 to 3 as the paper prints them."""

from __future__ import annotations

from typing import Final

from calibrant.papers._reproduction.table import Published

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

_COLUMNS = ("Frequency", "Pruned frequency", "Laplace", "Pruned Laplace")

# Table 3: NCE and AUC of frequencies and Laplace estimates, each of unpruned and of pruned trees.
_TABLE_3 = """
Phoneme .312174 .293877 .156307 .159342 .749640 .746100 .798680 .782070
Adult .385605 .157325 .146401 .141756 .668420 .767510 .783980 .777330
Satimage .451316 .354893 .117407 .112777 .514000 .397530 .822590 .795210
Forest_Cover .069245 .057237 .026180 .026670 .877140 .881790 .974840 .966270
Mammography .041607 .039046 .022569 .023136 .777647 .781200 .849300 .808600
"""


def _read_table_3() -> dict[tuple[str, str, str], Published]:
    found = {}
    for line in _TABLE_3.split("\n")[1:-1]:
        name, *figures = line.split()
        places = [(metric, method) for metric in ("NCE", "AUC") for method in _COLUMNS]
        for (metric, method), text in zip(places, figures, strict=True):
            found[metric, name.replace("_", " "), method] = Published(f"0{text}")
    return found


# By metric, data set and method.
PRUNING: Final = _read_table_3()
