"""Measure the size of tests between learners of equal expected, but unequal conditional performance.

One learner on two equally informative blocks of columns: on average over tables neither is better, though on any one
table one is. ``python tests/validity/sizes_of_tests.py KIND N FIRST`` prints the counts for N tables as JSON;
``... write FILE ...`` adds such counts up and writes the tables of docs/size_of_tests.md.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedShuffleSplit

from calibrant.comparison import (
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni_dunn,
    corrected_resampled_t_test,
    five_by_two_test,
    friedman,
    holm,
    mcnemar_test,
    nemenyi,
    paired_t_test,
    sign_test,
    unpaired_t_test,
    wilcoxon,
)
from calibrant.resampling._performance.row_contributions import Contributions, TestedRows
from calibrant.resampling._performance.row_statistics import RowStatistics
from calibrant.trees import ProbabilityTreeClassifier

DOCS = Path(__file__).parents[2] / "docs" / "size_of_tests.md"
N_ROWS, N_COLUMNS, SHIFT = 200, 5, 0.5
LEVEL = 0.05
KINDS = ("nearest centroid", "nearest neighbour", "tree", "many tables", "separate tables")
MARK, END = "<!-- written by tests/validity/sizes_of_tests.py -->", "<!-- end -->"
Labels = np.ndarray


def nearest_centroid(X: np.ndarray, y: np.ndarray, train: np.ndarray) -> Labels:
    """Label all rows by the nearer class mean, for each set of training rows (rows of train)."""
    ones, zeros = train * y, train * (1 - y)
    one, zero = (part @ X / part.sum(axis=1, keepdims=True) for part in (ones, zeros))
    return np.asarray(2 * (one - zero) @ X.T > (one**2 - zero**2).sum(axis=1, keepdims=True))


def nearest_neighbour(X: np.ndarray, y: np.ndarray, train: np.ndarray) -> Labels:
    """Label them by the class of the nearest training row."""
    distance = ((X[:, None] - X) ** 2).sum(axis=2)
    order = np.argsort(distance, axis=1)
    nearest = train[:, order].argmax(axis=2)  # the position of the nearest training row in the order
    return np.asarray(y[order[np.arange(len(X)), nearest]])


def tree(X: np.ndarray, y: np.ndarray, train: np.ndarray) -> Labels:
    """Label them by C4.5 trees."""
    model = ProbabilityTreeClassifier()
    return np.array([model.fit(X[mask], y[mask]).predict(X) for mask in train])


LEARNERS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Labels]] = {
    "nearest centroid": nearest_centroid,
    "nearest neighbour": nearest_neighbour,
    "tree": tree,
}


def draw(random: np.random.Generator, n_blocks: int = 2, shift: float = SHIFT) -> tuple[np.ndarray, np.ndarray]:
    """Draw the classes of a table and its blocks of columns, which are exchangeable."""
    y = np.tile([0, 1], N_ROWS // 2)
    return y, random.normal(size=(n_blocks, N_ROWS, N_COLUMNS)) + shift * y[:, None]


def masks(splitter: Any, y: np.ndarray) -> np.ndarray:
    train = np.zeros((splitter.get_n_splits(y, y), len(y)), dtype=bool)
    for row, (chosen, _) in zip(train, splitter.split(y, y), strict=True):
        row[chosen] = True
    return train


def accuracies(labels: Labels, y: np.ndarray, train: np.ndarray) -> np.ndarray:
    return np.asarray((((labels == y) & ~train).sum(axis=1)) / (~train).sum(axis=1))


def one_table(seed: int, learner: str) -> Iterator[tuple[str, bool]]:
    """Run every plan on a table, and yield for each test whether it finds a difference at 5 %."""
    random = np.random.default_rng([seed, len(learner)])
    y, blocks = draw(random)
    state = int(random.integers(2**31))

    def run(splitter: Any) -> tuple[np.ndarray, Labels, np.ndarray]:
        train = masks(splitter, y)
        labels = np.stack([LEARNERS[learner](X, y, train) for X in blocks])
        return np.stack([accuracies(each, y, train) for each in labels]), labels, train

    values, labels, train = run(RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=state))
    for name, pvalue in on_ten_times_ten(*values):
        yield f"10 x 10-fold cross-validation: {name}", pvalue <= LEVEL
    yield "10 x 10-fold cross-validation: rows", by_rows(labels, y, train) <= LEVEL
    for name, pvalue in on_ten_folds(*values[:, :10]):
        yield f"10-fold cross-validation: {name}", pvalue <= LEVEL
    pooled = [np.where(train[:10], False, each[:10]).sum(axis=0) for each in labels]
    exact = mcnemar_test(y, *pooled, method="exact")
    yield "10-fold cross-validation: McNemar, exact, predictions pooled", exact.pvalue <= LEVEL
    yield "10-fold cross-validation: rows", by_rows(labels[:, :10], y, train[:10]) <= LEVEL
    n_thirds = 1 if learner == "tree" else 100
    values, labels, train = run(StratifiedShuffleSplit(n_splits=n_thirds, test_size=1 / 3, random_state=state))
    for name, pvalue in on_thirds(*values) if n_thirds > 1 else ():
        yield f"100 random thirds: {name}", pvalue <= LEVEL
    held = ~train[0]
    for method in ("exact", "mid_p", "chi2", "chi2_corrected"):
        found = mcnemar_test(y[held], labels[0, 0, held], labels[1, 0, held], method=method)
        yield f"one third held out: McNemar, {method}", found.pvalue <= LEVEL
    values, _, _ = run(RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=state))
    for statistic in "tf":
        yield (
            f"5 x 2-fold cross-validation: {statistic}",
            five_by_two_test(*values, statistic=statistic).pvalue <= LEVEL,
        )


def by_rows(labels: Labels, y: np.ndarray, train: np.ndarray) -> float:
    """Return the p-value of the rows' differences, as `Performance.compare` has it."""
    split, row = np.nonzero(~train)
    n_tests = (~train).sum(axis=0)
    right = [((each == y) & ~train).sum(axis=0) / n_tests for each in labels]
    single = [((each == y)[split, row] - own.mean()) / n_tests[row] for each, own in zip(labels, right, strict=True)]
    ones = np.ones(N_ROWS)
    n_train = int(train.sum(axis=1).min())
    tested = TestedRows(row, split, np.arange(N_ROWS), ones, len(train), N_ROWS, n_train, N_ROWS / 2)
    found = {
        (name, ""): Contributions((each - each.mean()) / N_ROWS, ones, math.inf, tests=(row, tests / N_ROWS))
        for name, each, tests in zip("ab", right, single, strict=True)
    }
    return RowStatistics(tested, found).difference("a", "b", "", float(np.mean(right[0] - right[1])), 0.95).pvalue


def on_ten_times_ten(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, float]]:
    yield "paired t, 100 folds", paired_t_test(a, b).pvalue
    runs = a.reshape(10, 10).mean(axis=1), b.reshape(10, 10).mean(axis=1)
    yield "paired t, means of 10 runs", paired_t_test(*runs).pvalue
    yield "unpaired t, conservative, 100 folds", unpaired_t_test(a, b).pvalue
    yield "unpaired t, Welch, 100 folds", unpaired_t_test(a, b, df="welch").pvalue
    yield "sign, 100 folds", sign_test(a, b).pvalue
    yield "Wilcoxon, 100 folds", wilcoxon(a, b).pvalue
    yield "corrected t, Weka: k = 100, df = 99", corrected_resampled_t_test(a, b, n_train=9, n_test=1).pvalue
    yield "corrected t, k = 100, df = 9", corrected_resampled_t_test(a, b, n_train=9, n_test=1, df=9).pvalue
    yield "corrected t, chapter: k = 10, df = 9", corrected_resampled_t_test(a, b, n_train=9, n_test=1, k=10).pvalue
    bayes = bayesian_correlated_t_test(a, b, n_train=9, n_test=1)
    yield "Bayesian correlated t, either side above 97.5 %", 2 * min(bayes.less, bayes.greater)


def on_ten_folds(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, float]]:
    yield "paired t", paired_t_test(a, b).pvalue
    yield "unpaired t, conservative", unpaired_t_test(a, b).pvalue
    yield "unpaired t, Welch", unpaired_t_test(a, b, df="welch").pvalue
    yield "sign", sign_test(a, b).pvalue
    yield "Wilcoxon", wilcoxon(a, b).pvalue
    yield "corrected t, k = 10, df = 9", corrected_resampled_t_test(a, b, n_train=9, n_test=1).pvalue


def on_thirds(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, float]]:
    yield "paired t", paired_t_test(a, b).pvalue
    yield "sign", sign_test(a, b).pvalue
    yield "Wilcoxon", wilcoxon(a, b).pvalue
    yield "corrected t, Weka: k = 100, df = 99", corrected_resampled_t_test(a, b, n_train=2, n_test=1).pvalue
    yield "corrected t, k = 10, df = 9", corrected_resampled_t_test(a, b, n_train=2, n_test=1, k=10).pvalue


def many_tables(seed: int, critical: tuple[float, float]) -> Iterator[tuple[str, bool]]:
    """Hold out a third of each of 20 tables, for 4 blocks, and yield for each test whether it finds a difference."""
    random = np.random.default_rng(seed)
    table = np.array([one_third(random, shift) for shift in np.linspace(0.2, 1.0, 20)])
    a, b = table[:, 0], table[:, 1]
    tests = (paired_t_test, unpaired_t_test, sign_test, wilcoxon)
    for name, test in zip(("paired t", "unpaired t, conservative", "sign", "Wilcoxon"), tests, strict=True):
        yield f"20 tables, two methods: {name}", test(a, b).pvalue <= LEVEL
    yield "20 tables, two methods: unpaired t, Welch", unpaired_t_test(a, b, df="welch").pvalue <= LEVEL
    bayes = bayesian_signed_rank_test(a, b, n_draws=4000, random_state=seed)
    yield (
        "20 tables, two methods: Bayesian signed-rank, either side above 97.5 %",
        min(bayes.less, bayes.greater) <= LEVEL / 2,
    )
    ranks = friedman(table)
    yield "20 tables, four methods: Friedman, chi-squared", ranks.pvalue <= LEVEL
    yield "20 tables, four methods: Friedman, Iman and Davenport's F", ranks.f_pvalue <= LEVEL
    means = list(ranks.mean_ranks.values())
    yield "20 tables, four methods: Nemenyi, any of 6 pairs", max(means) - min(means) >= critical[0]
    gaps = [abs(mean - means[0]) for mean in means[1:]]
    yield "20 tables, four methods: Bonferroni-Dunn, any of 3 others", max(gaps) >= critical[1]
    pairs = [wilcoxon(table[:, i], table[:, j]).pvalue for i in range(4) for j in range(i)]
    yield "20 tables, four methods: Wilcoxon with Holm, any of 6 pairs", holm(pairs).min() <= LEVEL
    yield "20 tables, four methods: Wilcoxon uncorrected, any of 6 pairs", min(pairs) <= LEVEL


def separate_tables(seed: int) -> Iterator[tuple[str, bool]]:
    """Hold out a third, for one method on each of 10 tables and for the other on 14 others."""
    random = np.random.default_rng(seed)
    values = [one_third(random, SHIFT)[0] for _ in range(24)]
    for df in ("conservative", "welch"):
        found = unpaired_t_test(values[:10], values[10:], df=df)
        yield f"10 and 14 other tables: unpaired t, {df}", found.pvalue <= LEVEL


def one_third(random: np.random.Generator, shift: float) -> list[float]:
    y, blocks = draw(random, 4, shift)
    train = random.permutation(N_ROWS)[None] >= N_ROWS // 3
    return [float(accuracies(nearest_centroid(X, y, train), y, train)[0]) for X in blocks]


def sizes(n_tables: int, kind: str, first_seed: int = 0) -> dict[str, list[int]]:
    """Return for each test the number of tables where it finds a difference, and the number of tables."""
    critical = critical_differences()
    runs: dict[str, Callable[[int], Iterator[tuple[str, bool]]]] = {
        "many tables": lambda seed: many_tables(seed, critical),
        "separate tables": separate_tables,
    }
    run = runs.get(kind, lambda seed: one_table(seed, kind))
    counts: dict[str, list[int]] = {}
    for seed in range(first_seed, first_seed + n_tables):
        for name, found in run(seed):
            count = counts.setdefault(name, [0, 0])
            count[0] += bool(found)
            count[1] += 1
    return counts


def critical_differences() -> tuple[float, float]:
    """Return the differences of Nemenyi and of Bonferroni and Dunn, which depend on 4 methods and 20 tables alone."""
    table = np.random.default_rng(0).random((20, 4))
    dunn = bonferroni_dunn(table, control="method 0")
    return nemenyi(table).critical_difference, dunn.critical_difference


def share(found: int, n: int) -> tuple[float, float]:
    """Return a share with its Monte Carlo error, with one success and one failure added."""
    smoothed = (found + 1) / (n + 2)
    return found / n, math.sqrt(smoothed * (1 - smoothed) / n)


def table_of(title: str, counts: dict[str, list[int]]) -> str:
    n = max(n for _, n in counts.values())
    lines = [f"### {title} ({n:,} draws)", "", "| plan: test | finds a difference |", "|---|---|"]
    for name, count in counts.items():
        mean, error = share(*count)
        lines.append(f"| {name} | {100 * mean:.1f} % ± {100 * error:.1f} |")
    return "\n".join([*lines, ""])


def documented() -> dict[str, dict[str, tuple[float, float]]]:
    """Read the shares and their errors from the documentation, by kind and test."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for line in DOCS.read_text("utf-8").split(MARK)[1].splitlines():
        if line.startswith("### "):
            rows = found.setdefault(line[4:].split(" (")[0], {})
        elif " % ± " in line:
            _, name, figures, _ = (part.strip() for part in line.split("|"))
            mean, error = figures.split(" % ± ")
            rows[name] = float(mean) / 100, float(error) / 100
    return found


def write(paths: list[str]) -> None:
    """Add up counts and write them into the tables of the documentation."""
    merged: dict[str, dict[str, list[int]]] = {}
    for line in (line for path in paths for line in Path(path).read_text("utf-8").splitlines()):
        for kind, counts in json.loads(line).items():
            for name, (found, n) in counts.items():
                total = merged.setdefault(kind, {}).setdefault(name, [0, 0])
                total[0], total[1] = total[0] + found, total[1] + n
    head, _, rest = DOCS.read_text("utf-8").partition(MARK)
    tables = "\n".join(table_of(kind, merged[kind]) for kind in KINDS if kind in merged)
    DOCS.write_text(f"{head}{MARK}\n\n{tables}\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2:])
    else:
        print(json.dumps({sys.argv[1]: sizes(int(sys.argv[2]), sys.argv[1], int(sys.argv[3]))}))
