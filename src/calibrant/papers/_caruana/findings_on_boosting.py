"""Findings on the predictions of boosted trees, problem by problem, and on what calibrant adds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant.comparison import paired_t_test
from calibrant.papers._caruana.candidates import ALGORITHMS, BLEND, OUR_MAPS, PAPER_MAPS
from calibrant.papers._caruana.evidence import Verdict, all_below_zero, read_difference
from calibrant.papers._caruana.histograms import BIN_NAMES
from calibrant.papers._caruana.tables_of_paper import LOSSES
from calibrant.papers._reproduction.finding import Finding

if TYPE_CHECKING:
    from calibrant.papers._reproduction.table import PaperTable

__all__ = ["boosting_findings", "our_findings"]

Tables = dict[str, "PaperTable"]

_FEW = 0.001  # share of rows below which a bin says little of its frequency


def boosting_findings(tables: Tables) -> list[Finding]:
    """Return the findings on the predictions of boosted trees."""
    return [_away_from_ends(tables), _s_shape(tables), _each_problem(tables)]


def _away_from_ends(tables: Tables) -> Finding:
    table = tables["figure_1"]
    shares = {
        problem: [sum(_bins(table, f"{name} share", problem)[each] for each in (0, -1)) for name in PAPER_MAPS]
        for problem in table.blocks
    }
    verdict = _on_problems([raw < min(platt, isotonic) for raw, platt, isotonic in shares.values()])
    texts = (f"{problem} {raw:.2f}, {platt:.2f}, {iso:.2f}" for problem, (raw, platt, iso) in shares.items())
    evidence = f"Share of the test rows below 0.1 or above 0.9, raw, Platt, isotonic: {'; '.join(texts)}."
    statement = "Boosting pushes predictions away from 0 and 1, and calibration undoes it."
    return Finding("away-from-ends", statement, verdict, evidence, "Figures 1 to 3, section 4")


def _s_shape(tables: Tables) -> Finding:
    table = tables["figure_1"]
    found, texts = [], []
    for problem in table.blocks:
        share, mean, frequency = (_bins(table, f"RAW {what}", problem) for what in ("share", "mean", "frequency"))
        kept = [each for each in range(len(share)) if share[each] > _FEW]
        low = [each for each in kept if mean[each] < 0.4]
        high = [each for each in kept if mean[each] > 0.6]
        right = sum(frequency[each] < mean[each] for each in low) + sum(frequency[each] > mean[each] for each in high)
        found.append(right == len(low) + len(high))
        texts.append(f"{problem} {right} of {len(low) + len(high)}")
    evidence = (
        "Bins with a mean prediction below 0.4 whose frequency is below it, or above 0.6 and above it: "
        f"{'; '.join(texts)}."
    )
    statement = "The reliability diagrams of boosted trees are S-shaped."
    return Finding("s-shaped", statement, _on_problems(found), evidence, "Figure 1, section 4")


def _each_problem(tables: Tables) -> Finding:
    table = tables["by_problem"]
    parts = {}
    for block in table.blocks:
        raw, *others = (table.cell("BST-DT", name, block).ours for name in PAPER_MAPS)
        parts[block] = (raw, *others)
    verdict = _on_problems([max(others) < raw for raw, *others in parts.values()])
    texts = (f"{block} {raw:.4f}, {platt:.4f}, {isotonic:.4f}" for block, (raw, platt, isotonic) in parts.items())
    evidence = f"Raw, Platt, isotonic: {'; '.join(texts)}."
    statement = "On each problem both maps lower squared error and cross-entropy of boosted trees."
    return Finding("each-problem", statement, verdict, evidence, "Section 4")


def _bins(table: PaperTable, column: str, problem: str) -> list[float]:
    return [table.cell(row, column, problem).ours for row in BIN_NAMES]


def _on_problems(found: Sequence[bool]) -> Verdict:
    """Return the verdict on a statement about each problem: it holds on all, or fails on most."""
    if all(found):
        return "holds"
    return "does not hold" if sum(found) <= len(found) / 2 else "undecided"


def our_findings(tables: Tables) -> list[Finding]:
    """Return what calibrant adds to the paper."""
    made = []
    rows = tables["comparisons"].rows
    if f"{BLEND} - BST-DT, PLATT" in rows:
        made.append(_blend_is_best(tables))
    made += [_map_is_better(tables, name) for name in ("Beta", "Spline") if f"{name} - PLATT, all seven" in rows]
    return [*made, _infinite(tables), _bits(tables)]


def _blend_is_best(tables: Tables) -> Finding:
    shown = [
        (metric, read_difference(tables, f"{BLEND} - {other}, {name}", f"{metric}, today"))
        for metric in ("RMS", "MXE")
        for other in ("BST-DT", "SVM", "BAG-DT", "ANN")
        for name in PAPER_MAPS[1:]
    ]
    verdict = all_below_zero([each for _, each in shown])
    nearest = [max((each for key, each in shown if key == metric), key=lambda x: x.value) for metric in ("RMS", "MXE")]
    texts = (f"{metric}: nearest {each}" for metric, each in zip(("RMS", "MXE"), nearest, strict=True))
    statement = f"{BLEND} without any choice is better than the best calibrated model of each algorithm of the paper."
    return Finding("blend-best", statement, verdict, "; ".join(texts) + ".", "Not in the paper")


def _map_is_better(tables: Tables, name: str) -> Finding:
    shown = [
        (metric, read_difference(tables, f"{name} - {other}, all seven", f"{metric}, today"))
        for metric in ("RMS", "MXE")
        for other in PAPER_MAPS[1:]
    ]
    # Any of our maps could have been the one that is named, so its p-values are multiplied by their number
    verdict = all_below_zero([each.corrected(len(OUR_MAPS)) for _, each in shown])
    evidence = "; ".join(f"{metric}: {each}" for metric, each in shown)
    evidence += f". The verdict is by these p-values times {len(OUR_MAPS)}, the number of our maps."
    statement = f"The map {name} is better than Platt scaling and isotonic regression, on average over the algorithms."
    return Finding(f"{name.lower()}-better", statement, verdict, evidence, "Not in the paper")


def _infinite(tables: Tables) -> Finding:
    table = tables["infinite"]
    counts = {each.row: each.ours for each in table.cells if each.column == "ISOTONIC"}
    verdict: Verdict = "holds" if any(each > 0 for each in counts.values()) else "does not hold"
    evidence = "Rows in 10,000: " + ", ".join(f"{row} {each:.2f}" for row, each in counts.items()) + "."
    statement = "Isotonic regression as in the paper makes the cross-entropy of some test rows infinite."
    return Finding("isotonic-infinite", statement, verdict, evidence, "Not in the paper")


def _bits(tables: Tables) -> Finding:
    """Return whether the paper's cross-entropies are bits: how they compare with squared errors, in it and here."""
    ratios = []
    for algorithm in ALGORITHMS:
        squared, crossed = (tables["table_4"].cell(algorithm, "RAW", block) for block in LOSSES.values())
        if squared.published is not None and crossed.published is not None:
            theirs = crossed.published.value / squared.published.value**2
            ratios.append(math.log(theirs / (crossed.ours / squared.ours**2)))
    found = paired_t_test(ratios, [0.0] * len(ratios))
    in_nats = math.log(math.log(2.0))
    verdict: Verdict = "undecided"
    if not found.low < in_nats < found.high:
        verdict = "holds" if abs(found.difference) < abs(found.difference - in_nats) else "does not hold"
    low, mean, high = (math.exp(each) for each in (found.low, found.difference, found.high))
    evidence = (
        f"Raw cross-entropy over squared error, the paper's divided by ours in bits: {mean:.2f} [{low:.2f}, "
        f"{high:.2f}] over the algorithms; it would be {math.log(2.0):.2f} if the paper's were nats."
    )
    statement = "The cross-entropies of the paper, which names no base, are in bits."
    return Finding("cross-entropy-in-bits", statement, verdict, evidence, "Not in the paper")
