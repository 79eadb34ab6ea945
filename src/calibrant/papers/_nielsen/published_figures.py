"""The figures that the paper prints: Tables 2 and 6 by data set, Tables 3 to 5 as wins, ties and losses."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from calibrant.papers._reproduction.table import Published

METRIC_TITLES = {"mse01": "0/1-MSE", "avll": "AvLL", "aulc": "AULC", "delta_accuracy": "ΔAcc"}
_COLUMNS = {"B-PETs": "b_pets", "EB-PETs": "eb_pets", "MOB-ESP": "mob_esp"}
LETTERS = {"W": "win", "L": "loss", "": "tie"}

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


class _Row(NamedTuple):
    """The paper's figures of one data set and metric, with the winner's letters of Tables 2 and 6."""

    figures: dict[str, Published]
    letters: dict[str, str]


def _read() -> dict[tuple[str, str], _Row]:
    with Path(__file__).with_name("tables_2_and_6.csv").open(encoding="utf-8", newline="") as file:
        return {(row["metric"], row["set"]): _read_row(row) for row in csv.DictReader(file)}


def _read_row(row: dict[str, str]) -> _Row:
    figures = {system: Published(row[column]) for system, column in _COLUMNS.items()}
    return _Row(figures, {"EB-PETs": row["eb_pets_win"], "MOB-ESP": row["mob_esp_win"]})


_ROWS = _read()
DATA_SETS = tuple(dict.fromkeys(name for _, name in _ROWS))


def figure(metric: str, data_set: str, system: str) -> Published:
    """Return the printed figure of one of the three systems.

    Examples
    --------
    >>> figure("mse01", "ionosphere", "B-PETs").text
    '0.247'
    """
    return _ROWS[metric, data_set].figures[system]


def letter(metric: str, data_set: str, system: str) -> str:
    """Return W, L or nothing: that of EB-PETs against B-PETs, or of MOB-ESP against EB-PETs.

    Examples
    --------
    >>> letter("mse01", "glass", "EB-PETs"), letter("mse01", "bupa", "EB-PETs")
    ('L', '')
    """
    return _ROWS[metric, data_set].letters[system]


def record(text: str) -> dict[str, Published]:
    """Return the numbers of wins, ties and losses of text such as ``13/5/2``.

    Examples
    --------
    >>> {name: each.text for name, each in record("13/5/2").items()}
    {'wins': '13', 'ties': '5', 'losses': '2'}
    """
    return dict(zip(("wins", "ties", "losses"), map(Published, text.split("/")), strict=True))
