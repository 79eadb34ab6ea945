"""The demo of ``make demo``: a data set that comes with the package, and trees compared on it by cross-validation."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

from calibrant.data import CodedTable, Table, list_datasets, load, read_table
from calibrant.trees import ProbabilityTreeClassifier

TREES = {
    "unpruned, frequencies": {"estimate": "frequency"},
    "unpruned, Laplace (C4.4)": {},
    "pruned, frequencies (C4.5)": {"prune": "pessimistic", "collapse": True, "estimate": "frequency"},
    "pruned, Laplace": {"prune": "pessimistic", "collapse": True},
}
SCORES = {"log-loss": "neg_log_loss", "Brier": "neg_brier_score", "AUC": "roc_auc"}


def main() -> None:
    donors = load("appeal")
    print(donors, end="\n\n")

    print("The same rows read from a CSV file, which declares no types:\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "appeal.csv"
        donors.X.assign(gives=donors.y).to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)
        print(read_table(path, positive="yes"), end="\n\n")

    print("Coded for the estimators:", CodedTable.from_frame(donors.X, n_jobs=-1))
    names = list_datasets()
    print(f"{len(names)} data sets and tasks can be loaded by name, such as {', '.join(names[:4])}.\n")
    compare_trees(donors)


def compare_trees(table: Table) -> None:
    print(f"Trees on {table.name}, five times repeated ten-fold cross-validation:\n")
    print(f"  {'':<28}{'leaves':>8}" + "".join(f"{name:>10}" for name in SCORES))
    plan = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0)
    for name, params in TREES.items():
        model = ProbabilityTreeClassifier(**params)
        y = (table.y == table.positive).astype(int)
        scores = cross_validate(model, table.X, y, cv=plan, scoring=SCORES, return_estimator=True, error_score="raise")
        leaves = sum(tree.n_leaves_ for tree in scores["estimator"]) / len(scores["estimator"])
        means = (abs(scores[f"test_{score}"].mean()) for score in SCORES)
        print(f"  {name:<28}{leaves:>8.1f}" + "".join(f"{mean:>10.4f}" for mean in means))
    print("\nFrequencies are 0 at a leaf without a donor; scikit-learn's log-loss clips them to a tiny number.")


if __name__ == "__main__":
    main()
