"""What ``make demo`` runs: read a data set that comes with the package and show what calibrant understood of it."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

from calibrant.data import CodedTable, list_datasets, load, read_table


def main() -> None:
    donors = load("appeal")
    print(donors, end="\n\n")

    print("The same rows from a CSV file, where nothing is declared:\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "appeal.csv"
        donors.X.assign(gives=donors.y).to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)
        print(read_table(path, positive="yes"), end="\n\n")

    print("Coded for the learners:", CodedTable.from_frame(donors.X, n_jobs=-1))
    known = list_datasets()
    print(f"{len(known)} data sets and tasks are known by name, such as {', '.join(known[:4])}.")


if __name__ == "__main__":
    main()
