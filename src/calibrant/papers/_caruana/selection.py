"""The models that are best on the validation rows, by each metric for itself."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._caruana.algorithms import ALGORITHMS, BLEND, PAPER_MAPS, SEPARATOR, SIGN
from calibrant.papers._caruana.metrics import HIGHER_IS_BETTER, METRIC_NAMES
from calibrant.papers._caruana.problems import PROBLEMS
from calibrant.papers._caruana.scales import CHOICE_PROBLEM
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.studies import StudyResults

_BIT: Final = math.log(2.0)  # the trials have nats; the paper's figures are bits, as the finding on units shows


def read_trials(results: Mapping[str, StudyResults]) -> pd.DataFrame:
    """Return the trials of the problems: problem, sample, algorithm, setting, map, and the metrics."""
    import pandas as pd

    frames = [found.to_frame() for name, found in results.items() if name.partition(" ")[0] in PROBLEMS]
    trials = pd.concat(frames, ignore_index=True)
    trials[["problem", "sample"]] = trials["dataset"].astype(str).str.rsplit(" ", n=1, expand=True)
    trials["sample"] = trials["sample"].astype(int)
    parts = trials["method"].astype(str).str.split(SEPARATOR, regex=False, expand=True)
    trials[["algorithm", "setting", "map"]] = parts
    return with_accuracy_by_sign(trials)


def with_accuracy_by_sign(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the trials with the accuracy of raw SVMs by the sign of their margins, and without those that have it."""
    place, figures = ["problem", "sample", "setting"], ["validation ACC", "test ACC"]
    is_sign, is_raw = trials["map"] == SIGN, (trials["algorithm"] == "SVM") & (trials["map"] == "RAW")
    by_sign = trials[is_sign].set_index(place)[figures]
    changed = trials.copy()
    changed.loc[is_raw, figures] = by_sign.reindex(trials[is_raw].set_index(place).index).to_numpy()
    return changed[~is_sign]


def choose_models(trials: pd.DataFrame) -> Chosen:
    """Return the best model on the validation rows by each metric; of ties the first."""
    import pandas as pd

    keys = ["problem", "sample", "algorithm", "map"]
    lines = []
    for place, group in trials.groupby(keys, sort=False):
        for metric in METRIC_NAMES:
            values = group[f"validation {metric}"].to_numpy(dtype=np.float64)
            signed = np.where(np.isnan(values), np.inf, -values if metric in HIGHER_IS_BETTER else values)
            best = group.iloc[int(np.argmin(signed))]
            unit = _BIT if metric == "MXE" else 1.0
            lines.append(
                {
                    **dict(zip(keys, place, strict=True)),
                    "metric": metric,
                    "setting": best["setting"],
                    **{part: best[f"{part} {metric}"] / unit for part in ("validation", "test")},
                    "infinite": best["test infinite"],
                    "models": len(group),
                    "predicted": best["n_test"],
                }
            )
    return Chosen(pd.DataFrame(lines))


@dataclass(frozen=True, eq=False)
class Chosen:
    """The chosen models: a line for each problem, sample, algorithm, map and metric.

    Parameters
    ----------
    lines : DataFrame
        Their settings, their values on validation and test rows, and how many test rows have infinite log-loss.
    """

    lines: pd.DataFrame

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems, in the order of the paper."""
        return tuple(name for name in PROBLEMS if name in set(self.lines["problem"]))

    @property
    def samples(self) -> tuple[int, ...]:
        """The samples of rows."""
        return tuple(sorted(set(self.lines["sample"])))

    @property
    def maps(self) -> tuple[str, ...]:
        """The maps, in the order of the study."""
        return tuple(dict.fromkeys(self.lines["map"]))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in the order of Table 2, and the blend last."""
        known = set(self.lines["algorithm"])
        return tuple(name for name in (*ALGORITHMS, BLEND) if name in known)

    @cached_property
    def shared(self) -> NDArray[np.float64]:
        """For each problem, the share of its rows that are predicted in a sample: what samples have in common."""
        n_predicted = self.lines.groupby("problem")["predicted"].first()
        return np.array([n_predicted[name] / PROBLEMS[name].n_rows for name in self.problems])

    def by_sample(self, algorithm: str, name: str, metric: str) -> NDArray[np.float64]:
        """Return the values on the test rows, of shape (n_samples, n_problems); NaN where there are none."""
        found = self._tests
        places = [[(algorithm, name, metric, sample, each) for each in self.problems] for sample in self.samples]
        return np.array([[found.get(place, np.nan) for place in row] for row in places])

    def by_problem(self, algorithm: str, name: str, metric: str) -> NDArray[np.float64]:
        """Return the mean over the samples for each problem."""
        return np.asarray(self.by_sample(algorithm, name, metric).mean(axis=0))

    def mean(self, algorithm: str, name: str, metric: str) -> float:
        """Return the mean over samples and problems."""
        return float(self.by_sample(algorithm, name, metric).mean())

    @cached_property
    def _tests(self) -> dict[Hashable, float]:
        places = self.lines.set_index(["algorithm", "map", "metric", "sample", "problem"])
        return places["test"].astype(float).to_dict()


_N_STYLES = 2
_N_SVMS = 20
_COLUMN = "validation RMS"


def make_default_grid(results: StudyResults) -> PaperTable:
    """Return the least validation error of each style, net and SVM over steps, epochs and maps, and what is chosen."""
    best: dict[tuple[str, str], float] = {}
    for method, value in results.to_frame()[["method", _COLUMN]].itertuples(index=False):
        algorithm, setting, name = method.split(SEPARATOR)
        if name in PAPER_MAPS:
            # Without the number of trees, steps or epochs
            place = algorithm, setting if algorithm == "SVM" else setting.rsplit(", ", 1)[0]
            best[place] = min(best.get(place, 1.0), float(value))
    cells = tuple(Cell(row, _COLUMN, value, block=block) for (block, row), value in best.items())
    chosen = choose_default_grid(PaperTable("default_grid", "", cells))
    marks = (Cell(row, "chosen", float(row in chosen[block]), block=block) for block, row in best)
    note = (
        f"Root of the mean squared error on the validation rows of {CHOICE_PROBLEM}, the least over raw, Platt and "
        "isotonic, and over steps of boosting (to 256) and epochs (16 and 64). Chosen (1): the two best "
        "styles, for each number of hidden units the best momentum, for each kernel the best C, and for the nine "
        "best kernels the second best."
    )
    title = f"The choice of the default grid on the validation rows of {CHOICE_PROBLEM}"
    return PaperTable("default_grid", title, (*cells, *marks), note)


def choose_default_grid(table: PaperTable) -> dict[str, tuple[str, ...]]:
    """Return the chosen rows of each block of the table."""
    chosen = {}
    for block in table.blocks:
        cells = [each for each in table.cells if each.block == block and each.column == _COLUMN]
        # Rounded, as machines of several C are often the same one; the sort is stable, so that the least C comes first
        values = dict(sorted(((each.row, round(each.ours, 4)) for each in cells), key=lambda each: each[1]))
        if block in ("ANN", "SVM"):
            rows = _first_of_each(values)
            if block == "SVM":  # then the second best, with another figure, of the best kernels
                best = {_kind(row): values[row] for row in rows}
                second = _first_of_each(row for row in values if values[row] != best[_kind(row)])
                rows += second[: _N_SVMS - len(rows)]
            chosen[block] = tuple(rows)
        else:
            chosen[block] = tuple(values)[:_N_STYLES]
    return chosen


def _kind(row: str) -> str:
    """Return the words before the comma: the hidden units of a net, the kernel of an SVM."""
    return row.split(", ")[0]


def _first_of_each(rows: Iterable[str]) -> list[str]:
    """Return the best row of each kind.

    Examples
    --------
    >>> _first_of_each(["8 hidden, momentum 0.5", "8 hidden, momentum 0", "2 hidden, momentum 0"])
    ['8 hidden, momentum 0.5', '2 hidden, momentum 0']
    """
    found: dict[str, str] = {}
    for row in rows:
        found.setdefault(_kind(row), row)
    return [*found.values()]
