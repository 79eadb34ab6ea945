"""Tables 2, 5 and 6 of Nielsen (2004) reproduced: B-PETs, EB-PETs and MOB-ESP on 20 data sets, the paper's and ours.

    CALIBRANT_DATA=folder python examples/nielsen_tables.py --trials 100 --out nielsen.json
    python examples/nielsen_tables.py --read nielsen.json

The results of every trial are stored in the file as they are computed. Run again with the same file, the script
continues from there, so that a run can be stopped and trials can be added.

In each trial a random third is held out (not stratified) and 128 trees are grown twice: once with all columns at each
node for B-PETs, once with the square root of their number for EB-PETs and MOB-ESP, which are two readings of that one
forest. Both are read with each way of counting in-bag rows: ``unique``, once however often a row was drawn, as in the
paper's footnote 5, and ``multiplicity``, as often as it was drawn. The change of accuracy is measured from the vote of
the forest that predicts the probabilities; with ``--common-vote`` that of B-PETs is measured from the vote of the other
forest, as the paper's figures suggest.

Each figure has the standard error of its mean over the trials. The paper's figure is a mean of 100 trials too, so
the two differ beyond two standard errors (``*``) if their distance exceeds twice s * sqrt(1 / trials + 1 / 100), where
s is the standard deviation of our trials, plus half a unit of the paper's last digit. Wins are those of the paired
t-test at 0.1, and those in brackets are confirmed by the test corrected for trials that share rows.

Known differences: nominal columns stay nominal, where the paper converted them to integers by hand (``--codes`` uses
the index of each value instead, in the declared order or else sorted); credit_screening has its 15 raw columns, not 44.
``--with`` sets parameters of the trees: the paper's own program is closer to ``threshold=midpoint mdl_penalty=false``
than to C4.5 Release 8, whose rules are the defaults here; ``benchmarks/NIELSEN.md`` has both.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._progress import progress
from calibrant.comparison import win_tie_loss
from calibrant.data import Table, load
from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier
from calibrant.metrics import METRICS, aulc, avll, delta_accuracy, mse01

TITLES = {"mse01": "0/1-MSE", "avll": "AvLL", "aulc": "AULC", "delta_accuracy": "ΔAcc"}
COUNTINGS = ("unique", "multiplicity")
BASELINE = "B-PETs"
METHODS = (BASELINE, *(f"{kind}, {counting}" for kind in ("EB-PETs", "MOB-ESP") for counting in COUNTINGS))
PAIRS = (("EB-PETs", "B-PETs"), ("MOB-ESP", "B-PETs"), ("MOB-ESP", "EB-PETs"))
PAPER_TRIALS = 100
STORE_EVERY = 10  # trials of a data set
PAPER_RECORDS = {  # Tables 2 and 5
    ("EB-PETs", "B-PETs"): ("13/5/2", "14/5/1", "10/8/2", "15/3/2"),
    ("MOB-ESP", "B-PETs"): ("17/3/0", "17/3/0", "11/6/3", "14/4/2"),
    ("MOB-ESP", "EB-PETs"): ("16/3/1", "16/3/1", "1/12/7", "7/6/7"),
}
LETTERS = {"win": "W", "loss": "L", "tie": "-"}

Vector = NDArray[np.float64]


class Printed(NamedTuple):
    """A figure as printed in the paper."""

    text: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit."""
        return 0.5 * 10.0 ** -len(self.text.partition(".")[2])


class PaperRow(NamedTuple):
    """The paper's row of one data set and metric: a figure for each kind, the winner's letter for two pairs."""

    figures: dict[str, Printed]
    letters: dict[tuple[str, str], str]


def read_paper() -> dict[tuple[str, str], PaperRow]:
    """Return the rows of Tables 2 and 6 by metric and data set, in the order of the paper."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return {(row["metric"], row["set"]): _paper_row(row) for row in csv.DictReader(file)}


def _paper_row(row: dict[str, str]) -> PaperRow:
    kinds = {"B-PETs": "b_pets", "EB-PETs": "eb_pets", "MOB-ESP": "mob_esp"}
    letters = {PAIRS[0]: row["eb_pets_win"] or "-", PAIRS[2]: row["mob_esp_win"] or "-"}
    return PaperRow({kind: Printed(row[column]) for kind, column in kinds.items()}, letters)


PAPER = read_paper()
SETS = tuple(dict.fromkeys(name for _, name in PAPER))


@dataclass
class Results:
    """The results of every trial, by data set, method and metric."""

    trials: int
    n_trees: int
    seed: int
    codes: bool
    params: dict[str, Any]
    common_vote: bool = False
    scores: dict[str, dict[str, dict[str, list[float]]]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Results:
        """Read stored results."""
        return cls(**json.loads(file.read_text(encoding="utf-8")))

    def write(self, file: Path) -> None:
        """Store the results; a run that is stopped meanwhile leaves the old file."""
        new = file.with_name(file.name + ".new")
        new.write_text(json.dumps(asdict(self)), encoding="utf-8")
        new.replace(file)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that two runs must share for their trials to be combined."""
        return {name: value for name, value in asdict(self).items() if name not in ("trials", "scores")}

    def n_done(self, name: str) -> int:
        """Return the number of finished trials of a data set."""
        return len(self.scores[name][BASELINE]["mse01"]) if name in self.scores else 0

    def of(self, name: str, method: str, metric: str) -> Vector:
        """Return the values of all trials."""
        return np.asarray(self.scores[name][method][metric])


class Mean(NamedTuple):
    """A mean over trials with its standard error, and that of its difference from a mean of the paper's trials."""

    value: float
    error: float
    error_to_paper: float

    @classmethod
    def of(cls, values: Vector) -> Mean:
        """Compute the mean over trials."""
        spread = float(values.std(ddof=1))
        both = np.sqrt(1 / len(values) + 1 / PAPER_TRIALS)
        return cls(float(values.mean()), spread / np.sqrt(len(values)), float(spread * both))

    def differs(self, printed: Printed) -> bool:
        """Return whether the paper's figure is beyond two standard errors and its rounding."""
        return abs(self.value - printed.value) > 2 * self.error_to_paper + printed.rounding


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse(arguments)
    show(Results.read(options.read) if options.read else run(options.sets, stored_or_new(options), options.out))


def stored_or_new(options: argparse.Namespace) -> Results:
    """Return the stored trials, if any; raise if they have other settings."""
    new = Results(options.trials, options.trees, options.seed, options.codes, dict(options.params), options.common_vote)
    old = Results.read(options.out) if options.out and options.out.exists() else new
    if old.settings != new.settings:
        raise SystemExit(f"{options.out} has trials of {old.settings}; got {new.settings}. Use another file for these.")
    return replace(old, trials=max(old.trials, new.trials))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Nielsen's Tables 2, 5 and 6: the paper's figures and ours.")
    parser.add_argument("--trials", type=int, default=100, help="random thirds held out, at least 2")
    parser.add_argument("--trees", type=int, default=128)
    parser.add_argument("--seed", type=int, default=2004)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="SET", help="by default all 20")
    parser.add_argument("--codes", action="store_true", help="convert nominal values to integers, as the paper did")
    parser.add_argument("--with", dest="params", nargs="+", default=[], type=_param, metavar="X=VALUE", help="of trees")
    parser.add_argument("--common-vote", action="store_true", help="ΔAcc of B-PETs from the other forest's vote")
    parser.add_argument("--out", type=Path, help="store every trial in this JSON file, and continue from its trials")
    parser.add_argument("--read", type=Path, help="show the results stored in this file without growing trees")
    options = parser.parse_args(arguments)
    if options.trials < 2:
        parser.error("--trials must be at least 2: a t-test needs two differences.")
    return options


def _param(text: str) -> tuple[str, Any]:
    """Return the name and value of a parameter of the trees; the value is JSON, or else a string."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def run(sets: Sequence[str], results: Results, out: Path | None = None) -> Results:
    """Run the missing trials of each data set, and store all in the file as they are computed."""
    with progress(total=len(sets) * results.trials, description="Trials") as bar:
        for name in sets:
            table = load(f"nielsen.{name}")
            check_reproduced(name, table, results)
            bar.advance(results.n_done(name))
            for trial in range(results.n_done(name), results.trials):
                add_trial(name, trial, table, results)
                bar.advance()
                if out and (trial + 1 == results.trials or (trial + 1) % STORE_EVERY == 0):
                    results.write(out)
    return results


def add_trial(name: str, trial: int, table: Table, results: Results) -> None:
    """Run a trial and add its results together, so that a stopped run has complete trials."""
    values = list(one_trial(table, _seed(name, trial, results.seed), results))
    scores = results.scores.setdefault(name, {method: {metric: [] for metric in TITLES} for method in METHODS})
    for method, metric, value in values:
        scores[method][metric].append(value)


def check_reproduced(name: str, table: Table, results: Results) -> None:
    """Repeat the first trial before trials are added; raise if its results are not the stored ones."""
    if not 0 < results.n_done(name) < results.trials:
        return
    again = one_trial(table, _seed(name, 0, results.seed), results)
    if not all(np.isclose(results.of(name, method, metric)[0], value, atol=1e-9) for method, metric, value in again):
        raise SystemExit(f"{name}: the first trial differs from the stored one; start with a new file.")


def _seed(name: str, trial: int, seed: int) -> np.random.SeedSequence:
    """Return the seed of a trial, which does not depend on the other data sets or the number of trials."""
    return np.random.SeedSequence([seed, SETS.index(name), trial])


def one_trial(table: Table, seed: np.random.SeedSequence, results: Results) -> Iterator[tuple[str, str, float]]:
    """Hold out a third, grow both forests on the rest, and yield method, metric and value of every reading."""
    split_seed, *forest_seeds = seed.spawn(3)
    X, y = with_codes(table) if results.codes else table.X, table.y.astype(str)
    order = np.random.default_rng(split_seed).permutation(table.n_rows)
    test, train = np.split(order, [round(table.n_rows / 3)])
    prior = y.iloc[train].value_counts(normalize=True).to_dict()
    models = dict(_fit_models(X.iloc[train], y.iloc[train], forest_seeds, results))
    votes = {method: model.vote(X.iloc[test]) for method, model in models.items()}
    if results.common_vote:
        votes[BASELINE] = votes[METHODS[1]]
    for method, model in models.items():
        proba = model.predict_proba(X.iloc[test])
        labels: dict[str, Any] = {"labels": model.classes_}
        yield method, "mse01", mse01(y.iloc[test], proba, **labels)
        yield method, "avll", avll(y.iloc[test], proba, prior=prior, **labels)
        yield method, "aulc", aulc(y.iloc[test], proba, prior=prior, **labels)
        yield method, "delta_accuracy", delta_accuracy(y.iloc[test], proba, vote=votes[method], **labels)


def with_codes(table: Table) -> Any:
    """Return the features with nominal values replaced by their index in the declared order."""
    X = table.X.copy()
    for column, kind in table.kinds.items():
        if kind == "nominal":
            X[column] = X[column].astype("category").cat.codes.astype(float)
    return X


def _fit_models(
    X: Any, y: Any, seeds: Sequence[np.random.SeedSequence], results: Results
) -> Iterator[tuple[str, BaggedTreesClassifier]]:
    params = {"n_trees": results.n_trees, "n_jobs": 1} | results.params
    yield BASELINE, BPETsClassifier(random_state=seeds[0], **params).fit(X, y)
    grown = EBPETsClassifier(random_state=seeds[1], **params).fit(X, y)
    for counting in COUNTINGS:
        yield f"EB-PETs, {counting}", grown.reread("eb_pets", in_bag_counts=counting)
        yield f"MOB-ESP, {counting}", grown.reread("mob_esp", in_bag_counts=counting)


def show(results: Results) -> None:
    trials = " or ".join(map(str, sorted({results.n_done(name) for name in results.scores})))
    nominal = "converted to integers" if results.codes else "nominal"
    params = "".join(f", {name}={value}" for name, value in results.params.items())
    vote = "the other forest's" if results.common_vote else "its own"
    print(
        f"{len(results.scores)} sets, {trials} trials, {results.n_trees} trees, seed {results.seed}{params}; "
        f"nominal values {nominal}; ΔAcc of B-PETs from {vote} vote.\n"
        "Ours with the standard error; * differs from the paper beyond two standard errors."
    )
    for metric in TITLES:
        print(f"\n### {TITLES[metric]} ({METRICS[metric].better} is better)\n")
        show_metric(results, metric)
    print(
        "\n### Wins/ties/losses by paired t-test at 0.1; in brackets wins and losses that the corrected test confirms\n"
    )
    show_records(results)
    print("\n### Which way of counting in-bag rows is closer to the paper\n")
    show_fit(results)
    print("\n### Where our figures differ from the paper's beyond two standard errors\n")
    show_differences(results)


def show_metric(results: Results, metric: str) -> None:
    """Print a row for each data set; the letters are the paper's, then ours by each way of counting."""
    _row(
        "set",
        "B-PETs paper",
        "ours",
        "EB-PETs paper",
        *COUNTINGS,
        "to B-PETs",
        "MOB-ESP paper",
        *COUNTINGS,
        "to EB-PETs",
    )
    _row(*["---"] * 11)
    letters = {pair: _letters(results, metric, pair) for pair in (PAIRS[0], PAIRS[2])}
    for name in results.scores:
        row = PAPER[metric, name]
        means = {method: Mean.of(results.of(name, method, metric)) for method in METHODS}
        cells = {method: _cell(mean, row.figures[_kind(method)]) for method, mean in means.items()}
        parts: list[str] = [row.figures[BASELINE].text, cells[BASELINE]]
        for pair in letters:
            ours = [cells[method] for method in METHODS if _kind(method) == pair[0]]
            parts += [row.figures[pair[0]].text, *ours, " ".join([row.letters[pair], *letters[pair][name]])]
        _row(name, *parts)


def _row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |")


def _kind(method: str) -> str:
    return method.partition(",")[0]


def _cell(mean: Mean, printed: Printed) -> str:
    digits = len(printed.text.partition(".")[2])
    star = " *" if mean.differs(printed) else ""
    return f"{mean.value:.{digits}f} ±{mean.error:.{digits}f}{star}"


def _letters(results: Results, metric: str, pair: tuple[str, str]) -> dict[str, list[str]]:
    letters: dict[str, list[str]] = {name: [] for name in results.scores}
    for counting in COUNTINGS:
        for outcome in compare(results, metric, pair, counting).outcomes:
            letters[outcome.dataset].append(LETTERS[outcome.result])
    return letters


def compare(results: Results, metric: str, pair: tuple[str, str], counting: str) -> Any:
    """Return wins, ties and losses of the first of a pair against the second over all data sets."""
    rival, method = (kind if kind == BASELINE else f"{kind}, {counting}" for kind in reversed(pair))
    values = {n: np.column_stack([results.of(n, kind, metric) for kind in (rival, method)]) for n in results.scores}
    return win_tie_loss(values, better=METRICS[metric].better, methods=[rival, method], alpha=0.1, n_train=2, n_test=1)


def show_records(results: Results) -> None:
    _row("", "counting", *TITLES.values())
    _row(*["---"] * 6)
    for pair in PAIRS:
        versus = f"{pair[0]} against {pair[1]}"
        _row(versus, "paper, 20 sets", *PAPER_RECORDS[pair])
        for counting in COUNTINGS:
            _row(versus, counting, *(_record(compare(results, metric, pair, counting)) for metric in TITLES))


def _record(result: Any) -> str:
    (record,) = result.records
    return f"{record.wins}/{record.ties}/{record.losses} ({record.corrected_wins} and {record.corrected_losses})"


def show_fit(results: Results) -> None:
    """Print the distance of each way of counting from the paper, over all data sets and where B-PETs agree."""
    heads = [f"{column}: {counting}" for column in ("mean distance", "closer", "beyond") for counting in COUNTINGS]
    _row("", "metric", "sets", *heads)
    _row(*["---"] * 9)
    for kind in ("EB-PETs", "MOB-ESP"):
        for metric, title in TITLES.items():
            agreeing = [name for name in results.scores if not _differs(results, name, BASELINE, metric)]
            for label, names in (("all", [*results.scores]), ("B-PETs agree", agreeing)):
                _row(kind, title, f"{len(names)} ({label})", *_fit(results, names, kind, metric))


def _fit(results: Results, names: Sequence[str], kind: str, metric: str) -> list[str]:
    """Return for each way of counting the mean distance and the numbers of sets where it is closer and differs."""
    methods = [f"{kind}, {counting}" for counting in COUNTINGS]
    paper = np.array([PAPER[metric, name].figures[kind].value for name in names])
    ours = np.array([[results.of(name, method, metric).mean() for name in names] for method in methods])
    distance = np.abs(ours - paper)
    closer = (distance < distance[::-1] - 1e-12).sum(axis=1)
    beyond = [sum(_differs(results, name, method, metric) for name in names) for method in methods]
    means = [f"{distances.mean():.4f}" if len(names) else "" for distances in distance]
    return [*means, *(str(number) for number in (*closer, *beyond))]


def show_differences(results: Results) -> None:
    for method in METHODS:
        for metric, title in TITLES.items():
            differing = [name for name in results.scores if _differs(results, name, method, metric)]
            print(f"- {method}, {title}: {', '.join(differing) or 'none'}")


def _differs(results: Results, name: str, method: str, metric: str) -> bool:
    return Mean.of(results.of(name, method, metric)).differs(PAPER[metric, name].figures[_kind(method)])


if __name__ == "__main__":
    main()
