"""Measure the coverage of intervals from held-out rows, and the size and power of differences: docs/resampling.md.

``python benchmarks/interval_coverage.py run FOLDER [--draws 1.0] [--only "WORDS;WORDS"] [--seed 0]`` writes a file for
each cell that is not in the folder; ``... table FOLDER`` writes the tables of the page from them. A population is a
finite set of points, each with its probability: rows are drawn from it with replacement, so that the true loss of a
fitted model is a sum over the points. A real population is the rows of a shared set, with probabilities of 0 and 1. The
truth of one method is the mean true loss of the models that the plan fitted, that of a difference its mean over all
draws.
"""

from __future__ import annotations

import argparse
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit, stdtr, stdtrit, xlog1py, xlogy
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.blending import ProbabilityClassifier
from calibrant.data import load
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import CalibrantWarning
from calibrant.resampling import CrossValidation, Performance, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

DOCS = Path(__file__).parents[1] / "docs" / "resampling.md"
MARKS = "<!-- written by benchmarks/interval_coverage.py -->", "<!-- end -->"
METRICS = ("log_loss", "mse", "auc", "profit")  # mse is twice the Brier score of two classes: the coverage is the same
LEVEL, N_POINTS, N_EQUAL, GROUP_SIZE, FEWEST = 0.05, 4_000, 13, 4, 5
METHODS: dict[str, Any] = {
    "constant": ConstantClassifier(),
    "logistic": LogisticRegression(),
    "naive Bayes": NaiveBayesClassifier(),
    "tree": ProbabilityTreeClassifier(estimate="laplace"),
}
COSTLY: dict[str, Any] = {
    "constant": ConstantClassifier(),
    "forest": BaggedTreesClassifier(n_trees=50),
    "blend": ProbabilityClassifier(),
}


class Population(NamedTuple):
    """Points with the probability of the positive class and the amount that a positive row pays."""

    X: np.ndarray
    p: np.ndarray
    amount: np.ndarray

    @property
    def cost(self) -> float:
        """Of approaching a row: half of what the average row pays, so that the base rate approaches all."""
        return 0.5 * float((self.p * self.amount).mean())


class Drawn(NamedTuple):
    """One sample: true values of methods and metrics, their intervals, and the differences of pairs of methods."""

    truth: np.ndarray
    own: np.ndarray
    between: np.ndarray


@dataclass(frozen=True)
class Cell:
    """One population, number of rows and plan."""

    population: str
    n_rows: int
    base_rate: float | None
    plan: str
    n_draws: int

    @property
    def title(self) -> str:
        """The name of the cell."""
        rate = "" if self.base_rate is None else f", base rate {self.base_rate:g}"
        return f"{self.population}, {self.n_rows:,} rows{rate}: {self.plan}"


PLANS: dict[str, Callable[[int], CrossValidation]] = {
    "stratified": lambda seed: CrossValidation(5, random_state=seed),
    "not stratified": lambda seed: CrossValidation(5, stratified=False, random_state=seed),
    "stratified, 3 repeats": lambda seed: CrossValidation(5, 3, random_state=seed),
    "not stratified, 3 repeats": lambda seed: CrossValidation(5, 3, stratified=False, random_state=seed),
    "groups": lambda seed: CrossValidation(5, stratified=False, random_state=seed),
    "stratified, 10 folds": lambda seed: CrossValidation(10, random_state=seed),
}


def simulated(base_rate: float) -> Population:
    """Return points whose log-odds have a linear part, an interaction and a base rate."""
    random = np.random.default_rng(1)
    X = random.normal(size=(N_POINTS, 4))
    odds = 1.2 * X[:, 0] + 0.8 * X[:, 1] * X[:, 2]
    low, high = -12.0, 12.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if expit(odds + middle).mean() < base_rate else (low, middle)
    return Population(X, expit(odds + low), random.lognormal(0.0, 0.5, N_POINTS))


def real(name: str, n_points: int) -> Population:
    """Return the numeric columns without missing values of so many rows of a shared set."""
    table = load(name)
    frame = table.X.select_dtypes("number").dropna(axis="columns")
    y = np.asarray(table.y).astype(str)
    labels, counts = np.unique(y, return_counts=True)
    rarer = labels[counts.argmin()]
    amount = np.random.default_rng(1).lognormal(0.0, 0.5, len(y))
    chosen = np.random.default_rng(2).permutation(len(y))[:n_points]
    X = frame.to_numpy(dtype=np.float64)[chosen]
    # Amounts of money in logarithms: on their own scale one row makes the log-loss of a logistic regression infinite
    X = np.sign(X) * np.log1p(np.abs(X))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return Population(X, (y == rarer)[chosen].astype(float), amount[chosen])


def cells(draws: float) -> Iterator[Cell]:
    """Yield the cells of the grid; with fewer draws where fits take longer."""
    for plan, share in (
        ("stratified", 1.0),
        ("not stratified", 1.0),
        ("groups", 1.0),
        ("stratified, 3 repeats", 0.2),
        ("not stratified, 3 repeats", 0.2),
    ):
        for n_rows, base_rate in itertools.product((300, 1_500, 10_000), (0.5, 0.1, 0.02)):
            if n_rows * base_rate < 20 and plan != "stratified":
                continue
            n_draws = draws * share * (500 if n_rows < 10_000 else 100)
            yield Cell("simulated", n_rows, base_rate, plan, round(n_draws))
    for name, sizes in {"adult": (300, 1_500, 10_000), "taiwan": (300, 1_500), "mammography": (1_500,)}.items():
        for n_rows in sizes:
            n_draws = draws * (500 if n_rows < 10_000 else 50)
            yield Cell(name, n_rows, None, "stratified, 10 folds", round(n_draws))


class Recorded(ClassifierMixin, BaseEstimator):
    """A classifier that keeps the true losses of every model that it was fitted as."""

    losses: ClassVar[dict[str, list[list[float]]]] = {}
    population: ClassVar[Population]

    def __init__(self, model: Any = None, name: str = "") -> None:
        self.model = model
        self.name = name

    def fit(self, X: Any, y: Any) -> Recorded:
        """Fit a clone, and record its true losses."""
        self.fitted_ = clone(self.model).fit(X, y)
        self.classes_ = self.fitted_.classes_
        q = self.fitted_.predict_proba(self.population.X)[:, -1]
        self.losses.setdefault(self.name, []).append(true_losses(self.population, q))
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the fitted clone."""
        return self.fitted_.predict_proba(X)

    def predict(self, X: Any) -> Any:
        """Return the class that the fitted clone predicts."""
        return self.fitted_.predict(X)


def true_losses(population: Population, q: np.ndarray) -> list[float]:
    """Return log-loss, squared error, area under the ROC curve and profit of a row, of probabilities q."""
    p, amount = population.p, population.amount
    log_loss = -(xlogy(p, q) + xlog1py(1.0 - p, -q)).mean()
    squared = 2.0 * (p * (1.0 - q) ** 2 + (1.0 - p) * q**2).mean()
    _, tied = np.unique(q, return_inverse=True)
    positive, negative = np.bincount(tied, p), np.bincount(tied, 1.0 - p)
    below = np.cumsum(negative) - 0.5 * negative
    area = positive @ below / (p.sum() * (1.0 - p).sum())
    is_approached = q * amount.mean() > population.cost
    profit = (is_approached * (p * amount - population.cost)).mean()
    return [float(log_loss), float(squared), float(area), float(profit)]


def draw(population: Population, cell: Cell, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Any]:
    """Draw points, their classes and, with groups, rows of the same point whose classes are alike."""
    if cell.plan != "groups":
        point = random.integers(0, len(population.p), cell.n_rows)
        return point, (random.random(cell.n_rows) < population.p[point]).astype(int), None
    n_groups = cell.n_rows // GROUP_SIZE
    group = np.repeat(np.arange(n_groups), GROUP_SIZE)
    point = random.integers(0, len(population.p), n_groups)[group]
    first = (random.random(n_groups) < population.p[point[::GROUP_SIZE]])[group]
    own = random.random(len(point)) < population.p[point]
    return point, np.where(random.random(len(point)) < 0.5, first, own).astype(int), group


def run_draw(population: Population, cell: Cell, methods: Mapping[str, Any], seed: list[int]) -> Drawn | None:
    """Return the intervals and differences of one sample, with the true losses of its models.

    None where a class has fewer rows than an interval needs.
    """
    random = np.random.default_rng(seed)
    point, y, groups = draw(population, cell, random)
    if min(np.bincount(y, minlength=2)) < FEWEST:
        return None
    Recorded.losses, Recorded.population = {}, population
    recorded = {name: Recorded(model, name) for name, model in methods.items()}
    amounts = {"amount": population.amount[point], "estimated_amount": float(population.amount.mean())}
    plan = PLANS[cell.plan](int(random.integers(2**31)))
    params = {"profit": {**amounts, "cost": population.cost}}
    found = estimate_performance(recorded, population.X[point], y, plan, METRICS, groups=groups, metric_params=params)
    scale = np.array([1.0, 1.0, 1.0, found.n_test.mean()])
    truth = np.array([scale * np.mean(Recorded.losses[name], axis=0) for name in methods])
    own = np.array([[ends(found, name, metric) for metric in METRICS] for name in methods])
    pairs = itertools.combinations(methods, 2)
    between = np.array([[difference(found, *pair, metric) for metric in METRICS] for pair in pairs])
    return Drawn(truth, own, between)


def ends(found: Performance, name: str, metric: str) -> tuple[float, ...]:
    """Return the interval, and that of rows alone, without the factor 1 + 1 / (K - 1)."""
    df = found.rows.contributions[name, metric].df
    score = found.score(metric, name)
    if score.low is None:
        return (math.nan,) * 4
    narrower = 2.0 * stdtr(df, stdtrit(df, 0.975) / math.sqrt(found.rows.own_factor)) - 1.0
    again = found.rows.interval(name, metric, found.mean(metric, name), float(narrower))
    return score.low, score.high, *again


def difference(found: Performance, one: str, other: str, metric: str) -> tuple[float, ...]:
    """Return a difference, its interval and p-value by rows, its variance, and the p-value of the folds."""
    value = found.mean(metric, one) - found.mean(metric, other)
    by_rows = found.rows.difference(one, other, metric, value, 0.95)
    d = found.split_values(metric, one) - found.split_values(metric, other)
    d = d[~np.isnan(d)]
    variance = float(d.var(ddof=1)) if len(d) > 1 else 0.0
    error = math.sqrt(variance * (1.0 / len(d) + found.n_test.mean() / found.n_train.mean())) if len(d) else 0.0
    pvalue = 2.0 * stdtr(len(d) - 1, -abs(d.mean()) / error) if error > 1e-12 else 1.0
    return value, by_rows.low, by_rows.high, by_rows.pvalue, by_rows.error, by_rows.df, variance, float(pvalue)


def run_cell(cell: Cell, methods: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the arrays of a cell: truth, own intervals, differences; draws first."""
    if cell.base_rate is None:
        population = real(_SETS[cell.population], 8_000 if cell.n_rows < 10_000 else 50_000)
    else:
        population = simulated(cell.base_rate)
    drawn = [run_draw(population, cell, methods, [seed, cell.n_rows, number]) for number in range(cell.n_draws)]
    known = [each for each in drawn if each is not None]
    return {name: np.array([getattr(each, name) for each in known]) for name in Drawn._fields}


def coverage(truth: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return for methods and metrics the shares of intervals that hold the truth, and of those by rows alone."""
    rounding = 1e-9  # the area of the constant is one half up to rounding
    with np.errstate(invalid="ignore"):
        covers = [(own[..., i] <= truth + rounding) & (truth <= own[..., i + 1] + rounding) for i in (0, 2)]
    n_known = np.maximum((~np.isnan(own[..., 0])).sum(axis=0), 1)
    return np.stack([each.sum(axis=0) / n_known for each in covers])


_SETS = {"adult": "adult", "taiwan": "taiwan_credit_default", "mammography": "mammography"}


class OnColumns(ClassifierMixin, BaseEstimator):
    """A classifier of two of the columns."""

    def __init__(self, model: Any = None, number: int = 0) -> None:
        self.model = model
        self.number = number

    def fit(self, X: Any, y: Any) -> OnColumns:
        """Fit a clone to the two columns."""
        self.fitted_ = clone(self.model).fit(X[:, 2 * self.number : 2 * self.number + 2], y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the fitted clone."""
        return self.fitted_.predict_proba(X[:, 2 * self.number : 2 * self.number + 2])

    def predict(self, X: Any) -> Any:
        """Return the class that the fitted clone predicts."""
        return self.fitted_.predict(X[:, 2 * self.number : 2 * self.number + 2])


def equal_methods(n_rows: int, model: str, n_draws: int, seed: int) -> dict[str, Any]:
    """Return, for draws and metrics, whether any of 13 equally good methods is called worse, and shares of pairs.

    Each method is the same learner on two columns of its own; all columns are exchangeable.
    """
    methods = {f"m{number}": OnColumns(METHODS[model], number) for number in range(N_EQUAL)}
    metrics, worse, better = METRICS[:3], np.zeros((n_draws, 3)), np.zeros((n_draws, 3))
    for number in range(n_draws):
        random = np.random.default_rng([seed, n_rows, number])
        X = random.normal(size=(n_rows, 2 * N_EQUAL))
        y = (random.random(n_rows) < expit(0.4 * X.sum(axis=1))).astype(int)
        plan = CrossValidation(5, random_state=int(random.integers(2**31)))
        found = estimate_performance(methods, X, y, plan, metrics)
        for column, metric in enumerate(metrics):
            sign = -1.0 if metric == "auc" else 1.0
            losses = np.array([sign * found.mean(metric, name) for name in methods])
            worse[number, column] = found.rows.best_pvalues(list(methods), metric, losses).min() <= LEVEL
            pairs = itertools.combinations(methods, 2)
            better[number, column] = np.mean([bool(found.compare(metric, *pair).better) for pair in pairs])
    return {"worse": worse, "better": better}


def jobs(draws: float, seed: int) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return all cells by name."""
    costly = Cell("forest and blend", 300, 0.5, "stratified", round(100 * draws))
    found = {cell.title: partial(run_cell, cell, METHODS, seed) for cell in cells(draws)}
    found[costly.title] = partial(run_cell, costly, COSTLY, seed)
    for model, n_rows in itertools.product(("logistic", "tree"), (300, 1_500)):
        n_draws = round(draws * (400 if n_rows == 300 else 200))
        found[f"{N_EQUAL} equal methods, {n_rows:,} rows: {model}"] = partial(
            equal_methods, n_rows, model, n_draws, seed
        )
    return found


def run(folder: Path, draws: float, only: str, seed: int) -> None:
    """Run the cells whose name has all the words, which semicolons separate, each into a file of its own."""
    folder.mkdir(exist_ok=True)
    for name, job in jobs(draws, seed).items():
        path = folder / f"{name.replace(':', ';')}.npz"
        if not path.exists() and all(words in name for words in only.split(";")):
            np.savez(path, **job())


def table(folder: Path) -> None:
    """Write the tables of all files into the page."""
    found = {path.stem.replace(";", ":"): np.load(path) for path in sorted(folder.glob("*.npz"))}
    known = {name: found[name] for name in jobs(1.0, 0) if name in found}
    cells = {name: each for name, each in known.items() if "own" in each}
    lines = [_HEAD_OWN, "|---|" + "---|" * 5, *(_own_line(*item) for item in cells.items()), ""]
    lines += [_HEAD_PAIRS, "|---|" + "---|" * 5, *(_pair_line(*item) for item in cells.items()), ""]
    equal = {name: each for name, each in known.items() if "worse" in each}
    lines += [_HEAD_EQUAL, "|---|" + "---|" * 4, *(_equal_line(*item) for item in equal.items())]
    head, rest = DOCS.read_text("utf-8").split(MARKS[0])
    DOCS.write_text(head + MARKS[0] + "\n" + "\n".join(lines) + "\n" + MARKS[1] + rest.split(MARKS[1], 1)[1], "utf-8")


_HEAD_OWN = "| cell | draws | log-loss | Brier | AUC | profit |"
_HEAD_PAIRS = "| cell | draws | cover | wrong | shown by rows | shown by folds |"
_HEAD_EQUAL = "| 13 equal methods | draws | log-loss | Brier | AUC |"


def _own_line(name: str, found: Mapping[str, np.ndarray]) -> str:
    """Return the coverage of each method, methods within a cell, rows alone in brackets."""
    ours, alone = 100.0 * coverage(found["truth"], found["own"])
    if name.startswith("forest"):  # the constant is in the other cells
        ours, alone = ours[1:], alone[1:]
    cells = [
        f"{' '.join(f'{share:.0f}' for share in ours[:, column])} ({alone[:, column].min():.0f})"
        for column in range(len(METRICS))
    ]
    return f"| {name} | {len(found['truth'])} | {' | '.join(cells)} |"


def _pair_line(name: str, found: Mapping[str, np.ndarray]) -> str:
    """Return the coverage of the pairs and metrics, the most wrong calls and the mean share of right ones."""
    shares = np.array(list(_pair_shares(found["truth"], found["between"])))
    cover, wrong, right, folds = 100.0 * shares.T
    figures = f"{cover.min():.0f} to {cover.max():.0f} ({(cover < 93.0).sum()} of {len(cover)} below 93)"
    return (
        f"| {name} | {len(found['truth'])} | {figures} | {wrong.max():.1f} | {right.mean():.0f} | {folds.mean():.0f} |"
    )


def _pair_shares(truth: np.ndarray, between: np.ndarray) -> Iterator[tuple[float, ...]]:
    """Yield of each pair and metric the coverage, the wrong calls by rows and the right ones by rows and by folds.

    Draws in which both methods predict the same for all rows have no interval.
    """
    expected = truth.mean(axis=0)
    pairs = itertools.combinations(range(truth.shape[1]), 2)
    for (number, (one, other)), column in itertools.product(enumerate(pairs), range(len(METRICS))):
        value, low, high, pvalue, error, _, _, of_folds = between[:, number, column].T
        true = expected[one, column] - expected[other, column]
        known = error > 1e-12
        is_right = np.sign(value) == np.sign(true)
        yield (
            float(((low <= true) & (true <= high))[known].mean()),
            float(((pvalue <= LEVEL) & ~is_right).mean()),
            float(((pvalue <= LEVEL) & is_right).mean()),
            float(((of_folds <= LEVEL) & is_right).mean()),
        )


def _equal_line(name: str, found: Mapping[str, np.ndarray]) -> str:
    """Return the share of draws that call any method worse, and in brackets the share of pairs told apart."""
    shares = zip(found["worse"].mean(axis=0), found["better"].mean(axis=0), strict=True)
    cells = [f"{100 * worse:.1f} ({100 * better:.1f})" for worse, better in shares]
    return f"| {name.partition(', ')[2]} | {len(found['worse'])} | {' | '.join(cells)} |"


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore", CalibrantWarning)
    if options.what == "table":
        table(options.folder)
    else:
        run(options.folder, options.draws, options.only, options.seed)


if __name__ == "__main__":
    main()
