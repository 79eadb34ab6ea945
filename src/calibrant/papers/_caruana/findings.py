"""The findings of Caruana & Niculescu-Mizil (2004), checked on the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from calibrant.papers._caruana.candidates import ALGORITHMS, PAPER_MAPS
from calibrant.papers._caruana.evidence import (
    JudgedDifference,
    Verdict,
    all_below_zero,
    all_of,
    p_text,
    read_difference,
)
from calibrant.papers._caruana.tables_of_changes import GAINERS
from calibrant.papers._reproduction.finding import Finding

if TYPE_CHECKING:
    from calibrant.papers._reproduction.table import PaperTable

__all__ = ["algorithm_findings"]

Tables = dict[str, "PaperTable"]

_MAPS = PAPER_MAPS[1:]
_PLACES = tuple((metric, name) for metric in ("RMS", "MXE") for name in _MAPS)
_HARDLY: Mapping[str, float] = {"RMS": 0.005, "MXE": 0.01}  # the paper's own: at most 0.0019 and 0.0086


def algorithm_findings(tables: Tables) -> list[Finding]:
    """Return the findings on the algorithms before and after calibration."""
    return [
        _gain_most(tables),
        _best_after(tables, "BST-DT", "boosted-trees-best", "Calibrated boosted trees are the best of the seven."),
        _best_after(tables, "SVM", "svms-next-best", "Calibrated SVMs are better than all but boosted trees."),
        _hardly_gain(tables),
        _best_before(tables),
        _better_rankings(tables),
        _stumps(tables),
        _platt_and_isotonic(tables),
        _orders(tables, "RAW", "order-before", "Before calibration the order of the seven algorithms is the paper's."),
        _orders(tables, "PLATT", "order-after", "After calibration the order of the seven algorithms is the paper's."),
    ]


def _gain_most(tables: Tables) -> Finding:
    row = "change of SVM, BST-STMP, BST-DT - of the others"
    shown = [read_difference(tables, row, f"{metric}, {name}") for metric, name in _PLACES]
    firsts = [_greatest_gains(tables, metric, name) for metric, name in _PLACES]
    verdict = all_below_zero(shown)
    if verdict == "holds" and any(set(each) != set(GAINERS) for each in firsts):
        verdict = "undecided"
    lists = "; ".join(
        f"{metric}, {name}: {', '.join(first)}" for (metric, name), first in zip(_PLACES, firsts, strict=True)
    )
    evidence = f"Their mean change less that of the others: {_by_place(shown)}. The three greatest gains: {lists}."
    statement = "SVMs, boosted stumps and boosted trees gain most from calibration."
    return Finding("gain-most", statement, verdict, evidence, "Table 4, section 4")


def _greatest_gains(tables: Tables, metric: str, name: str) -> list[str]:
    changes = {each: tables["changes"].cell(each, f"{metric}, {name}").ours for each in ALGORITHMS}
    return sorted(changes, key=changes.__getitem__)[:3]


def _best_after(tables: Tables, best: str, slug: str, statement: str) -> Finding:
    others = [each for each in ALGORITHMS if each not in {"BST-DT", best}]
    shown = {
        (metric, name): [_ordered(tables, best, other, metric, name) for other in others] for metric, name in _PLACES
    }
    verdict = all_below_zero([each for found in shown.values() for each in found])
    parts = []
    for (metric, name), found in shown.items():
        nearest = max(found, key=lambda each: each.value)
        rank = int(tables["orderings"].cell(best, "our rank", f"{metric}, {name}").ours)
        parts.append(f"{metric}, {name}: rank {rank}; nearest {nearest}")
    return Finding(slug, statement, verdict, "; ".join(parts) + ".", "Table 4, section 4")


def _ordered(tables: Tables, one: str, other: str, metric: str, name: str) -> JudgedDifference:
    """Return one less the other, whichever of the two rows the table has."""
    block, row = f"{metric}, {name}", f"{one} - {other}"
    if any(each.row == row and each.block == block for each in tables["comparisons"].cells):
        return read_difference(tables, row, block)
    return read_difference(tables, f"{other} - {one}", block).reversed()


def _hardly_gain(tables: Tables) -> Finding:
    verdicts: list[Verdict] = []
    parts = []
    for algorithm in ("BAG-DT", "ANN"):
        for metric, name in _PLACES:
            cell = tables["changes"].cell(algorithm, f"{metric}, {name}")
            verdicts.append(_within(cell.low, cell.high, _HARDLY[metric]))
            parts.append(f"{algorithm} {metric}, {name} {cell.ours:.4f} [{cell.low:.4f}, {cell.high:.4f}]")
    hardly = f"a gain below {_HARDLY['RMS']} of RMS and {_HARDLY['MXE']} of MXE, with its interval"
    evidence = f"Changes: {'; '.join(parts)}. Hardly: {hardly}."
    statement = "Bagged trees and nets hardly gain from calibration."
    return Finding("hardly-gain", statement, all_of(verdicts), evidence, "Table 4, section 4")


def _within(low: float, high: float, bound: float) -> Verdict:
    """Return whether a gain is below a bound, by the interval of the change."""
    if low > -bound:
        return "holds"
    return "does not hold" if high < -bound else "undecided"


def _best_before(tables: Tables) -> Finding:
    rivals = [each for each in ALGORITHMS if each not in {"ANN", "BAG-DT"}]
    shown = {
        metric: [_ordered(tables, one, other, metric, "RAW") for one in ("ANN", "BAG-DT") for other in rivals]
        for metric in ("RMS", "MXE")
    }
    nearest = {metric: max(found, key=lambda each: each.value) for metric, found in shown.items()}
    ranks = {
        metric: [int(tables["orderings"].cell(each, "our rank", f"{metric}, RAW").ours) for each in ("ANN", "BAG-DT")]
        for metric in ("RMS", "MXE", "CAL")
    }
    verdict = all_below_zero([each for found in shown.values() for each in found])
    texts = [f"{metric}: nets rank {ann}, bagged trees {bag}" for metric, (ann, bag) in ranks.items()]
    evidence = (
        f"{'; '.join(texts)}. Nearest rivals: {'; '.join(f'{metric}: {each}' for metric, each in nearest.items())}."
    )
    statement = "Before calibration nets and bagged trees have the best probabilities."
    return Finding("best-before", statement, verdict, evidence, "Table 2, section 4")


def _better_rankings(tables: Tables) -> Finding:
    shown = [
        (metric, _ordered(tables, one, other, metric, "RAW"))
        for metric in ("ACC", "AUC")
        for one in ("BST-DT", "SVM")
        for other in ("ANN", "BAG-DT")
    ]
    verdict = all_below_zero([each.reversed() for _, each in shown])
    evidence = "; ".join(f"{metric}: {each}" for metric, each in shown) + "."
    statement = "Before calibration boosted trees and SVMs have better accuracy and AUC than nets and bagged trees."
    return Finding("better-rankings", statement, verdict, evidence, "Table 2, section 4")


def _stumps(tables: Tables) -> Finding:
    shown = [_ordered(tables, "BST-DT", "BST-STMP", metric, name) for metric, name in _PLACES]
    changes = [read_difference(tables, "change of BST-STMP", f"{metric}, {name}") for metric, name in _PLACES]
    verdict = all_below_zero([*changes, *shown])
    evidence = f"Changes: {_by_place(changes)}. BST-DT less BST-STMP after it: {_by_place(shown)}."
    statement = "Boosted stumps gain much from calibration and are still not competitive."
    return Finding("stumps-not-competitive", statement, verdict, evidence, "Section 1, Table 4")


def _platt_and_isotonic(tables: Tables) -> Finding:
    shown = [(metric, read_difference(tables, "BST-DT, PLATT - ISOTONIC", f"{metric}, maps")) for metric in _HARDLY]
    verdict = all_of("holds" if abs(each.value) < _HARDLY[metric] else "does not hold" for metric, each in shown)
    evidence = "; ".join(f"{metric}: {each}" for metric, each in shown) + "; alike: below 0.005 of RMS, 0.01 of MXE."
    statement = "Platt scaling and isotonic regression are alike for boosted trees."
    return Finding("platt-and-isotonic-alike", statement, verdict, evidence, "Table 4, section 4")


def _orders(tables: Tables, name: str, slug: str, statement: str) -> Finding:
    verdicts: list[Verdict] = []
    parts = []
    for metric in ("RMS", "MXE"):
        block = f"{metric}, {name}"
        cells = [tables["orderings"].cell(row, "our rank", block).ours for row in ("Spearman's correlation", "p")]
        verdicts.append("holds" if cells[1] < 0.05 and cells[0] > 0 else "undecided")
        parts.append(f"{metric}: Spearman's correlation {cells[0]:.2f} (p {p_text(cells[1])})")
    return Finding(slug, statement, all_of(verdicts), "; ".join(parts) + ".", "Tables 2 and 4")


def _by_place(shown: list[JudgedDifference]) -> str:
    texts = (
        f"{metric}, {name} {each.value:.4f} (p {p_text(each.p_value)})"
        for (metric, name), each in zip(_PLACES, shown, strict=True)
    )
    return "; ".join(texts)
