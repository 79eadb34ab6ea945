"""Make ``appeal.arff``, the data set that comes with calibrant: a charity's past donors and its next appeal.

Nobody in it is real. The class is drawn from a chance that is written beside it, so that calibration can be
judged against the truth. Only uniform numbers are drawn: their stream is the same in every release of NumPy.

    python tools/make_appeal.py [FILE]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

SEED = 7
ROWS, TRAIN = 1500, 1000
HERE = Path(__file__).resolve().parent.parent / "src" / "calibrant" / "data" / "_datasets" / "embedded" / "appeal.arff"

REGIONS = {"north": 0.24, "south": 0.22, "east": 0.19, "west": 0.17, "capital": 0.14, "islands": 0.04}
CHANNELS = {"mail": 0.55, "phone": 0.12, "event": 0.13, "web": 0.20}
WEALTH = {"low": 0.30, "middle": 0.40, "high": 0.22, "top": 0.08}

REGION_EFFECT = {"north": 0.0, "south": -0.2, "east": 0.1, "west": 0.0, "capital": 0.3, "islands": -0.4}
CHANNEL_EFFECT = {"mail": 0.0, "phone": -0.5, "event": 0.3, "web": -0.6}
WEALTH_EFFECT = {None: -0.1, "low": -0.3, "middle": 0.0, "high": 0.2, "top": 0.5}

HEADER = """\
% appeal: 1,500 past donors of a charity and who answered its next appeal.
% Made up by tools/make_appeal.py; nobody in it is real. Public domain (CC0).
% chance is the true probability of gives = yes; amount is what was given, in dollars. Neither is a feature.
@relation appeal

@attribute months_since_last_gift numeric
@attribute gifts_so_far numeric
@attribute average_gift numeric
@attribute age numeric
@attribute region {north, south, east, west, capital, islands, abroad}
@attribute channel {mail, phone, event, web}
@attribute newsletter {no, yes}
@attribute wealth_band {low, middle, high, top}
@attribute gives {no, yes}
@attribute amount numeric
@attribute chance numeric
@attribute part {train, test}

@data
"""

T = TypeVar("T", int, str)
Uniform = NDArray[np.float64]


class Donor(NamedTuple):
    """A person as the charity knows them before it writes."""

    months: int
    gifts: int
    average: float
    age: int | None
    region: str
    channel: str
    newsletter: str
    wealth: str | None


def pick(shares: dict[str, float], u: float) -> str:
    edges = np.cumsum(list(shares.values()))
    return list(shares)[min(int(np.searchsorted(edges, u)), len(shares) - 1)]


def unless(missing: bool, value: T) -> T | None:
    return None if missing else value


def normal(u: float, v: float) -> float:
    return math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v)


def half_dollars(amount: float) -> float:
    return max(1.0, round(amount * 2) / 2)


def donor(u: Uniform) -> Donor:
    return Donor(
        months=1 + int(-17 * math.log(1 - 0.97 * u[0])),
        gifts=1 + int(-4.5 * math.log(1 - 0.999 * u[1])),
        average=half_dollars(math.exp(2.8 + 0.6 * normal(u[2], u[3]))),
        age=unless(u[4] < 0.18, int(min(95, max(19, 60 + 16 * normal(u[5], u[6]))))),
        region=pick(REGIONS, u[7]),
        channel=pick(CHANNELS, u[8]),
        newsletter="yes" if u[9] < 0.42 else "no",
        wealth=unless(u[10] < 0.25, pick(WEALTH, u[11])),
    )


def chance(d: Donor) -> float:
    # A missing value has its own effect: only what the file shows decides, so this is P(yes | features).
    score = -3.0 - 0.04 * d.months + 0.65 * math.log(d.gifts) - 0.012 * d.average
    score += 0.0 if d.age is None else 0.7 - ((d.age - 68) / 25) ** 2
    score += REGION_EFFECT[d.region] + CHANNEL_EFFECT[d.channel] + WEALTH_EFFECT[d.wealth]
    # The interaction: the newsletter works on recent donors, most of all on those who came through the web.
    score += (0.9 + 0.9 * (d.channel == "web")) * (d.newsletter == "yes") * (d.months <= 18)
    return round(1 / (1 + math.exp(-score)), 4)


def line(number: int, u: Uniform) -> str:
    who = donor(u)
    truth = chance(who)
    gives = u[12] < truth
    amount = half_dollars(who.average * math.exp(0.35 * normal(u[13], u[14]))) if gives else 0
    cells = (*who, "yes" if gives else "no", amount, truth, "train" if number < TRAIN else "test")
    return ",".join("?" if cell is None else f"{cell}" for cell in cells)


def appeal(rows: int = ROWS, seed: int = SEED) -> str:
    draws = np.random.default_rng(seed).random((rows, 15))
    return HEADER + "".join(line(number, u) + "\n" for number, u in enumerate(draws))


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    target.write_text(appeal(), encoding="utf-8", newline="\n")
    print(f"{target}: {ROWS} rows")
