"""The figures that the paper prints: Tables 2 and 6 by data set, Tables 3 to 5 as wins, ties and losses."""

from __future__ import annotations

import csv
from pathlib import Path

from calibrant.papers._reproduction.table import Published

METRIC_TITLES = {"mse01": "0/1-MSE", "avll": "AvLL", "aulc": "AULC", "delta_accuracy": "ΔAcc"}
OWN_VOTE = "delta_accuracy_own_vote"  # of which the paper's table has the change of accuracy, whoever's vote it means
TITLES = METRIC_TITLES | {OWN_VOTE: "ΔAcc, own vote"}
_COLUMNS = {"B-PETs": "b_pets", "EB-PETs": "eb_pets", "MOB-ESP": "mob_esp"}

# Wins/ties/losses by 0/1-MSE, AvLL, AULC and ΔAcc
ADDING_RECORDS = {
    "OB Examples": ("11/8/1", "10/7/3", "2/18/0", "6/13/1"),
    "Omit Smoothing": ("7/11/2", "11/5/4", "0/20/0", "1/18/1"),
    "Random Features": ("7/7/6", "6/7/7", "10/8/2", "14/2/4"),
    "All (EB-PETs)": ("13/5/2", "14/5/1", "10/8/2", "15/3/2"),
}
REMOVING_RECORDS = {
    "OB Examples": ("4/10/6", "5/9/6", "1/19/0", "7/6/7"),
    "Omit Smoothing": ("0/5/15", "0/4/16", "0/19/1", "0/13/7"),
    "Random Features": ("6/4/10", "7/6/7", "2/8/10", "2/3/15"),
}
MOB_ESP_RECORDS = {
    "B-PETs": ("17/3/0", "17/3/0", "11/6/3", "14/4/2"),
    "EB-PETs": ("16/3/1", "16/3/1", "1/12/7", "7/6/7"),
}


with Path(__file__).with_name("tables_2_and_6.csv").open(encoding="utf-8", newline="") as _file:
    _ROWS = {(row["metric"], row["set"]): row for row in csv.DictReader(_file)}
    _ROWS |= {(OWN_VOTE, name): row for (metric, name), row in _ROWS.items() if metric == "delta_accuracy"}
DATA_SETS = tuple(dict.fromkeys(name for _, name in _ROWS))


def figure(metric: str, data_set: str, system: str) -> Published:
    """Return the printed figure of one of the three systems.

    Examples
    --------
    >>> figure("mse01", "ionosphere", "B-PETs").text
    '0.247'
    """
    return Published(_ROWS[metric, data_set][_COLUMNS[system]])


def letter(metric: str, data_set: str, system: str) -> str:
    """Return W, L or nothing: that of EB-PETs against B-PETs, or of MOB-ESP against EB-PETs.

    Examples
    --------
    >>> letter("mse01", "glass", "EB-PETs"), letter("mse01", "bupa", "EB-PETs")
    ('L', '')
    """
    return _ROWS[metric, data_set][f"{_COLUMNS[system]}_win"]


def record(records: tuple[str, ...], metric: str) -> dict[str, Published]:
    """Return the numbers of wins, ties and losses by a metric.

    Examples
    --------
    >>> {name: each.text for name, each in record(ADDING_RECORDS["OB Examples"], "avll").items()}
    {'wins': '10', 'ties': '7', 'losses': '3'}
    """
    text = records[min([*TITLES].index(metric), len(records) - 1)]
    return dict(zip(("wins", "ties", "losses"), map(Published, text.split("/")), strict=True))
