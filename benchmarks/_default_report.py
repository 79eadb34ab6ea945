"""The tables of `default_quality.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from _default_fill import calibrated_names
from _default_peers import BLEND, ONLY, OURS, PEERS, WITHOUT
from _default_scores import Comparison, Losses, compare, paired_error, paired_tail_error, read_losses, tail
from _default_store import CellStore, Key
from _default_tables import CHOOSING, DATASETS, LARGE

AUTOGLUON = "AutoGluon"
MAIN = [*PEERS, *(name for peer in PEERS for name in calibrated_names(peer)), *OURS, BLEND]
ROWS, MORE_ROWS = 2000, 10_000


def print_report(store: CellStore, n_splits: int) -> None:
    """Print every table that the store has cells for."""
    losses = read_losses(store)
    methods = [*MAIN, *_others(losses)]
    print("Log-loss of test rows in % of the class entropy; +- is the paired standard error, over sets, of the")
    print(f"difference to the reference ({BLEND} where it is stored, else the first method).\n")
    for n in _useful_splits(losses, methods, n_splits):
        whole = compare(losses, methods, _sets(losses, n, ROWS), range(n), ROWS)
        if whole:
            _print_sections(whole, losses)
    _print_large(losses, methods, n_splits)
    _print_autogluon(losses, methods)
    _print_ablation(losses)
    _print_missing(losses, methods, n_splits)


def _others(losses: dict[Key, Losses]) -> list[str]:
    """Return the stored methods that have no table of their own: those passed as ``module:Class``."""
    names = {key.method for key in losses} - set(MAIN) - {AUTOGLUON}
    return sorted(name for name in names if not name.startswith((ONLY, WITHOUT)))


def _useful_splits(losses: dict[Key, Losses], methods: Sequence[str], n_splits: int) -> list[int]:
    """Return the numbers of splits, the greatest first, at which more methods or sets are complete."""
    found: list[int] = []
    most = 0
    for n in range(n_splits, 0, -1):
        whole = compare(losses, methods, _sets(losses, n, ROWS), range(n), ROWS)
        if whole and whole.log_loss.size > most:
            found, most = [*found, n], whole.log_loss.size
    return found


def _sets(losses: dict[Key, Losses], n_splits: int, rows: int) -> list[str]:
    """Return the data sets with all splits of the unchanged peers, and of the blend if it is stored at all."""
    needed = [*PEERS, *([BLEND] if any(key.method == BLEND and key.rows == rows for key in losses) else [])]
    names = DATASETS if rows == ROWS else LARGE
    return [
        name
        for name in names
        if all(Key(name, method, split, rows) in losses for method in needed for split in range(n_splits))
    ]


def _print_sections(whole: Comparison, losses: dict[Key, Losses]) -> None:
    n_classes = {key.dataset: losses[key].n_classes for key in losses}
    halves = {
        "all sets": whole.datasets,
        "the half that constants were chosen on": CHOOSING,
        "the other half": [name for name in whole.datasets if name not in CHOOSING],
        "two classes": [name for name in whole.datasets if n_classes[name] == 2],
        "more than two classes": [name for name in whole.datasets if n_classes[name] > 2],
    }
    for title, datasets in halves.items():
        part = whole.of(datasets)
        if len(part.datasets) < 2:  # no paired error
            continue
        print(f"## {ROWS} rows, {title}: {len(part.datasets)} sets, {whole.n_splits} splits\n")
        print_table(part)
    _print_sets(whole)


def print_table(part: Comparison) -> None:
    """Print mean, rank and tail of each method, the best mean first, and how far the reference leads."""
    first = reference(part)
    mean_error = paired_error(part.log_loss, part.log_loss[first])
    rank_error = paired_error(part.ranks, part.ranks[first])
    tail_error = paired_tail_error(part.excess, part.excess[first])
    tails = tail(part.excess)
    print("| method | log-loss | +- | rank | +- | tail | +- | Brier | AUC | ahead on | fit s | predict s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for at in np.argsort(part.log_loss.mean(axis=1), kind="stable"):
        ahead = int(np.sum(part.log_loss[first] < part.log_loss[at]))
        print(
            f"| {part.methods[at]} | {part.log_loss[at].mean():.2f} | {mean_error[at]:.2f} "
            f"| {part.ranks[at].mean():.2f} | {rank_error[at]:.2f} | {tails[at]:.2f} | {tail_error[at]:.2f} "
            f"| {part.brier[at].mean():.2f} | {part.auc[at].mean():.2f} "
            f"| {'' if at == first else ahead} | {part.fit_seconds[at].mean():.2f} "
            f"| {part.predict_seconds[at].mean():.3f} |"
        )
    print()
    for name, values, errors in (
        ("mean", part.log_loss.mean(axis=1), mean_error),
        ("mean rank", part.ranks.mean(axis=1), rank_error),
        ("tail", tails, tail_error),
    ):
        _print_lead(part, name, values, errors)
    print()


def reference(part: Comparison) -> int:
    """Return the position of the method that others are compared with."""
    return part.methods.index(BLEND) if BLEND in part.methods else 0


def _print_lead(part: Comparison, name: str, values: np.ndarray, errors: np.ndarray) -> None:
    first = reference(part)
    rivals = [at for at in range(len(part.methods)) if at != first]
    best = min(rivals, key=lambda at: values[at])
    lead = values[best] - values[first]
    least = min((values[at] - values[first]) / max(errors[at], 1e-12) for at in rivals)
    verdict = "first, by more than every paired error" if least > 1 else "first" if lead > 0 else "NOT first"
    print(
        f"{part.methods[first]} in the {name}: {verdict} (the least lead is {least:.1f} errors); "
        f"next {part.methods[best]}, {lead:+.2f} +- {errors[best]:.2f}"
    )


def _print_sets(whole: Comparison) -> None:
    first = reference(whole)
    print(f"## {ROWS} rows, set by set: the reference, the best other method\n")
    print(f"| set | {whole.methods[first]} | best other | its name | CatBoost |\n|---|---|---|---|---|")
    rivals = np.delete(np.arange(len(whole.methods)), first)
    for at, dataset in enumerate(whole.datasets):
        best = rivals[np.argmin(whole.log_loss[rivals, at])]
        catboost = whole.log_loss[whole.methods.index("CatBoost"), at] if "CatBoost" in whole.methods else np.nan
        print(
            f"| {dataset} | {whole.log_loss[first, at]:.2f} | {whole.log_loss[best, at]:.2f} "
            f"| {whole.methods[best]} | {catboost:.2f} |"
        )
    print()


def _print_large(losses: dict[Key, Losses], methods: Sequence[str], n_splits: int) -> None:
    for n in range(n_splits, 0, -1):
        whole = compare(losses, methods, _sets(losses, n, MORE_ROWS), range(n), MORE_ROWS)
        if whole and len(whole.datasets) > 1:
            print(f"## {MORE_ROWS} rows: {len(whole.datasets)} sets, {n} splits\n")
            print_table(whole)
            return


def _print_autogluon(losses: dict[Key, Losses], methods: Sequence[str]) -> None:
    """Print all methods on the sets that have them, then the blend alone on every set that AutoGluon has."""
    for names, candidates in ((methods, _sets(losses, 1, ROWS)), ([BLEND], DATASETS)):
        datasets = [
            dataset
            for dataset in candidates
            if all(Key(dataset, name, 0, ROWS) in losses for name in (AUTOGLUON, names[0]))
        ]
        whole = compare(losses, [*names, AUTOGLUON], datasets, [0], ROWS) if len(datasets) > 1 else None
        if whole:
            print(f"## {AUTOGLUON} (good_quality, 40 s, two cores): {len(datasets)} sets, one split, {ROWS} rows\n")
            print_table(whole)
            print(f"{AUTOGLUON}: {whole.fit_seconds[whole.methods.index(AUTOGLUON)].sum():.0f} s in all\n")


def _print_ablation(losses: dict[Key, Losses]) -> None:
    """Print each member alone and the blend without it, against the blend on the same splits of the same sets."""
    variants = sorted({key.method for key in losses if key.method.startswith((ONLY, WITHOUT))})
    if not variants:
        return
    print(f"## Members, {ROWS} rows: each alone, and the blend without it\n")
    print("| blend | sets | splits | log-loss | of the whole blend | difference | +- |\n|---|---|---|---|---|---|---|")
    for name in variants:
        pairs = _pairs(losses, name)
        theirs, blend = np.array([np.mean(one, axis=0) for one in pairs]).T
        splits = max(len(one) for one in pairs)
        error = paired_error(theirs, blend) if len(pairs) > 1 else np.nan
        title, difference = name.removeprefix(BLEND).strip(), (theirs - blend).mean()
        print(
            f"| {title} | {len(pairs)} | {splits} | {theirs.mean():.2f} | {blend.mean():.2f} "
            f"| {difference:+.2f} | {error:.2f} |"
        )
    print()


def _pairs(losses: dict[Key, Losses], method: str) -> list[list[tuple[float, float]]]:
    """Return the log-losses of a method and of the blend on each split that has both, set by set."""
    found: dict[str, list[tuple[float, float]]] = {}
    for key in losses:
        blend = replace(key, method=BLEND)
        if key.method == method and key.rows == ROWS and blend in losses:
            found.setdefault(key.dataset, []).append((losses[key].log_loss, losses[blend].log_loss))
    return list(found.values())


def _print_missing(losses: dict[Key, Losses], methods: Sequence[str], n_splits: int) -> None:
    """Print the number of cells that each incomplete method lacks."""
    for rows, datasets in ((ROWS, DATASETS), (MORE_ROWS, LARGE)):
        lacking = Counter(
            name
            for name in methods
            for dataset in datasets
            for split in range(n_splits)
            if Key(dataset, name, split, rows) not in losses
        )
        by_count: dict[int, list[str]] = {}
        for name, count in lacking.items():
            by_count.setdefault(count, []).append(name)
        total = len(datasets) * n_splits
        for count, names in sorted(by_count.items()):
            print(f"{rows} rows, {total - count} of {total} cells stored: {', '.join(names)}")
