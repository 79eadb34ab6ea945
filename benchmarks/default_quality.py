"""The probabilities of `ProbabilityClassifier` and of everybody else's defaults on 31 data sets, by log-loss.

    python benchmarks/default_quality.py --store DIR [--methods NAME ...] [--splits 5] [--rows 2000] [--data NAME ...]
    python benchmarks/default_quality.py --store DIR --report
    python benchmarks/default_quality.py --store DIR --time
    python benchmarks/default_quality.py --store DIR --export | --import-autogluon

The first form fills a store with the test probabilities of each method on each split; an interrupted run continues,
``--redo`` begins again. ``--methods`` takes names, or ``peers`` (raw), ``calibrated`` (peers by sigmoid, isotonic and
the guard, all on the same out-of-fold predictions), ``ours``, ``blend``, ``ablation``, or a class as ``module:Class``.
``--report`` prints the tables. ``--time`` compares times with CatBoost's on two threads: nothing else should run then.
``--export`` writes the splits for `_default_autogluon.py`, whose probabilities ``--import-autogluon`` moves into the
store.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from _default_fill import EVERY_MEMBER, calibrated_names, fill
from _default_peers import BLEND, ONLY, OURS, PEERS, WITHOUT
from _default_store import CellStore, Key
from _default_tables import DATASETS, LARGE, table_split

AUTOGLUON = "AutoGluon"
LABEL = "__class__"
GROUPS = {
    "peers": list(PEERS),
    "calibrated": [name for peer in PEERS for name in calibrated_names(peer)],
    "ours": list(OURS),
    "blend": [BLEND],
    "ablation": [EVERY_MEMBER],
}


def main() -> None:
    """Run what the arguments ask for."""
    args = _arguments()
    store = CellStore(args.store)
    if args.export:
        _export(args.store / "autogluon" / "splits", args.rows)
    elif args.import_autogluon:
        _import_autogluon(store, args.store / "autogluon" / "raw")
    elif args.time:
        from _default_timing import print_times

        print_times(store, args.data or DATASETS, args.rounds)
    elif args.report:
        from _default_report import print_report

        print_report(store, args.splits)
    else:
        names = args.data or (DATASETS if args.rows <= 2000 else LARGE)
        splits = args.only_splits or range(args.splits)
        methods = _expanded(args.methods)
        if args.redo:
            _delete(store, [key for key in store if key.rows == args.rows], names, methods, splits)
        fill(store, names, methods, splits, args.rows)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--methods", nargs="+", default=list(GROUPS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--only-splits", type=int, nargs="+")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--data", nargs="+", choices=DATASETS)
    parser.add_argument("--rounds", type=int, default=2, help="of timed fits; the best counts")
    parser.add_argument("--redo", action="store_true", help="compute stored cells again")
    modes = parser.add_mutually_exclusive_group()
    for mode in ("--report", "--time", "--export", "--import-autogluon"):
        modes.add_argument(mode, action="store_true")
    return parser.parse_args()


def _expanded(methods: list[str]) -> list[str]:
    return [name for one in methods for name in GROUPS.get(one, [one])]


def _delete(
    store: CellStore, keys: Iterable[Key], datasets: Sequence[str], methods: Sequence[str], splits: Sequence[int]
) -> None:
    prefixes = (ONLY, WITHOUT) if EVERY_MEMBER in methods else ()
    for key in keys:
        is_named = key.method in methods or key.method.startswith(prefixes)
        if is_named and key.dataset in datasets and key.split in splits:
            store.delete(key)


def _export(folder: Path, rows: int) -> None:
    """Write the first split of every data set as parquet."""
    folder.mkdir(parents=True, exist_ok=True)
    for dataset in DATASETS:
        table = table_split(dataset, 0, rows)
        for part, X, y in (("train", table.X, table.y), ("test", table.X_test, table.y_test)):
            X.copy().assign(**{LABEL: y}).to_parquet(folder / f"{dataset}.0.{rows}.{part}.parquet")


def _import_autogluon(store: CellStore, folder: Path) -> None:
    for path in sorted(folder.glob("*.npz")):
        dataset, split, rows = path.name.removesuffix(".npz").rsplit(".", 2)
        with np.load(path) as stored:
            store.write(Key(dataset, AUTOGLUON, int(split), int(rows)), **dict(stored))


if __name__ == "__main__":
    main()
