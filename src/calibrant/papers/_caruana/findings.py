"""The findings of Caruana & Niculescu-Mizil (2004), checked on the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from calibrant.comparison import holm, paired_t_test
from calibrant.papers._caruana.algorithms import ALGORITHMS, BLEND, OUR_MAPS, PAPER_MAPS
from calibrant.papers._caruana.tables_of_changes import GAINERS
from calibrant.papers._caruana.tables_of_paper import BIN_NAMES, LOSSES
from calibrant.papers._reproduction.finding import Finding, Verdict, all_of, shown_by, with_advice
from calibrant.papers._reproduction.table import PaperTable

_LEVEL = 0.05
Tables = Mapping[str, PaperTable]


@dataclass(frozen=True)
class JudgedDifference:
    """A difference of the table ``comparisons``.

    Its p-value is over other rows of the same problems; with a single sample of rows, over other problems.

    Examples
    --------
    >>> shown = JudgedDifference("BST-DT - ANN", "RMS, RAW", -0.012, 0.001, 4, 5)
    >>> shown.below_zero, str(shown)
    ('holds', 'BST-DT - ANN -0.0120 (p 0.001; below 0 on 4 of 5 problems)')
    >>> JudgedDifference("BST-DT - ANN", "RMS, RAW", 0.012, 0.001, 1, 5).below_zero
    'does not hold'
    """

    name: str
    block: str
    value: float
    p_value: float
    n_negative: int
    n_problems: int

    @property
    def below_zero(self) -> Verdict:
        """Whether the difference is below 0, beyond sampling error."""
        is_shown = self.p_value < _LEVEL
        return shown_by(is_shown and self.value < 0, is_shown)

    def reversed(self) -> JudgedDifference:
        """Return the difference with the opposite sign."""
        one, other = self.name.split(" - ", 1)
        n_positive = self.n_problems - self.n_negative
        return replace(self, name=f"{other} - {one}", value=-self.value, n_negative=n_positive)

    def __str__(self) -> str:
        counted = f"below 0 on {self.n_negative} of {self.n_problems} problems"
        return f"{self.name} {self.value:.4f} (p {p_text(self.p_value)}; {counted})"


def read_difference(tables: Tables, row: str, block: str) -> JudgedDifference:
    """Return a difference of the table ``comparisons``."""
    table = tables["comparisons"]
    columns = ("difference", "p (rows)", "p (problems)", "problems below 0")
    value, p_rows, p_problems, n_negative = (table.cell(row, column, block).ours for column in columns)
    p_value = p_problems if math.isnan(p_rows) else p_rows
    return JudgedDifference(row, block, value, p_value, int(n_negative), len(tables["raw_by_problem"].blocks))


def all_below_zero(differences: Sequence[JudgedDifference]) -> Verdict:
    """Return whether all differences are below 0.

    It holds if each is, beyond sampling error; it does not hold if one is above 0 beyond it, by p-values corrected for
    their number (Holm).

    Examples
    --------
    >>> below = JudgedDifference("a - b", "RMS, RAW", -0.1, 0.01, 5, 5)
    >>> above = JudgedDifference("a - c", "RMS, RAW", 0.1, 0.03, 0, 5)
    >>> all_below_zero([below]), all_below_zero([above]), all_below_zero([below, above])
    ('holds', 'does not hold', 'does not hold')
    >>> all_below_zero([above] * 3)
    'undecided'
    """
    if all(each.below_zero == "holds" for each in differences):
        return "holds"
    corrected = holm([1.0 if math.isnan(each.p_value) else each.p_value for each in differences])
    shown = (each.value > 0 and p_value < _LEVEL for each, p_value in zip(differences, corrected, strict=True))
    return "does not hold" if any(shown) else "undecided"


def p_text(p_value: float) -> str:
    """Return a p-value with three decimals.

    Examples
    --------
    >>> p_text(0.0321), p_text(0.0001)
    ('0.032', '< 0.001')
    """
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


ADVICE: Final[dict[str, str]] = {
    "gain-most": "Never use raw scores of SVMs or AdaBoost as probabilities: calibrate them on held-out rows.",
    "boosted-trees-best": "Boost and calibrate, or take `ProbabilityClassifier`: the two are close.",
    "svms-next-best": "Do not choose an algorithm by a ranking over other problems: `calibrant compare` yours.",
    "hardly-gain": "Calibrate bagged trees and nets under the guard (`Auto`), which leaves them alone unless it helps.",
    "best-before": "Without rows to calibrate on, prefer models of averages (bagging, neighbours) to those of margins.",
    "better-rankings": "A better ranking is worth having where a calibration map can follow it.",
    "stumps-not-competitive": "Boost trees rather than stumps.",
    "platt-and-isotonic-alike": "For boosted trees Platt scaling is enough; its probabilities are smooth and never 0.",
    "order-before": "Expect these distortions of other boosted models and margins too.",
    "order-after": "Compare algorithms after calibration, not before.",
    "away-from-ends": "Look at the histogram of scores: none near 0 and 1 is a sign of boosting's distortion.",
    "s-shaped": "An S in the reliability diagram asks for Platt scaling, any other shape for a freer map.",
    "each-problem": "Calibrate boosted trees always.",
    "blend-best": "Start with `ProbabilityClassifier`: it needs no choice among hundreds of models.",
    "beta-better": "Try `Beta` where scores are probabilities: it can be the identity, which Platt scaling cannot.",
    "spline-better": "Try `Spline` beside the two, or let `Auto` choose.",
    "isotonic-infinite": "Where log-loss counts, do not use isotonic regression as it is: it is certain at its ends.",
    "cross-entropy-in-bits": "Name the base of every log-loss that you report.",
}


_METRICS = ("RMS", "MXE")
_MAPS = PAPER_MAPS[1:]
_CALIBRATED = tuple(f"{metric}, {name}" for metric in _METRICS for name in _MAPS)  # blocks of the tables
_HARDLY: Mapping[str, float] = {"RMS": 0.005, "MXE": 0.01}  # the paper's own: at most 0.0019 and 0.0086


def check_findings(tables: Tables) -> list[Finding]:
    """Return the findings of the paper, and those on what calibrant adds."""
    findings = [
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
        _away_from_ends(tables),
        _s_shape(tables),
        _each_problem(tables),
        *_our_findings(tables),
    ]
    return with_advice(findings, ADVICE)


def _metrics_text(shown: Sequence[JudgedDifference]) -> str:
    return "; ".join(f"{each.block.partition(',')[0]}: {each}" for each in shown)


def _blocks_text(shown: Sequence[JudgedDifference]) -> str:
    return "; ".join(f"{each.block} {each.value:.4f} (p {p_text(each.p_value)})" for each in shown)


def _nearest(shown: Sequence[JudgedDifference]) -> dict[str, JudgedDifference]:
    """Return the greatest difference of each block."""
    blocks = dict.fromkeys(each.block for each in shown)
    return {
        block: max((each for each in shown if each.block == block), key=lambda each: each.value) for block in blocks
    }


def _gain_most(tables: Tables) -> Finding:
    row = "change of SVM, BST-STMP, BST-DT - of the others"
    shown = [read_difference(tables, row, block) for block in _CALIBRATED]
    firsts = {}
    for block in _CALIBRATED:
        changes = {each: tables["changes"].cell(each, block).ours for each in ALGORITHMS}
        firsts[block] = sorted(changes, key=changes.__getitem__)[:3]
    verdict = all_below_zero(shown)
    if verdict == "holds" and any(set(each) != set(GAINERS) for each in firsts.values()):
        verdict = "undecided"
    lists = "; ".join(f"{block}: {', '.join(first)}" for block, first in firsts.items())
    evidence = f"Their mean change less that of the others: {_blocks_text(shown)}. The three greatest gains: {lists}."
    statement = "SVMs, boosted stumps and boosted trees gain most from calibration."
    return Finding("gain-most", statement, verdict, evidence, "Table 4, section 4")


def _best_after(tables: Tables, best: str, slug: str, statement: str) -> Finding:
    others = [each for each in ALGORITHMS if each not in {"BST-DT", best}]
    shown = [_ordered(tables, best, other, block) for block in _CALIBRATED for other in others]
    parts = []
    for block, nearest in _nearest(shown).items():
        rank = int(tables["orderings"].cell(best, "our rank", block).ours)
        parts.append(f"{block}: rank {rank}; nearest {nearest}")
    return Finding(slug, statement, all_below_zero(shown), "; ".join(parts) + ".", "Table 4, section 4")


def _ordered(tables: Tables, one: str, other: str, block: str) -> JudgedDifference:
    """Return one less the other, whichever of the two rows the table has."""
    row = f"{one} - {other}"
    if any(each.row == row and each.block == block for each in tables["comparisons"].cells):
        return read_difference(tables, row, block)
    return read_difference(tables, f"{other} - {one}", block).reversed()


def _hardly_gain(tables: Tables) -> Finding:
    verdicts: list[Verdict] = []
    parts = []
    for algorithm in ("BAG-DT", "ANN"):
        for block in _CALIBRATED:
            cell, least = tables["changes"].cell(algorithm, block), _HARDLY[block[:3]]
            verdicts.append(shown_by(cell.low > -least, cell.high < -least))
            parts.append(f"{algorithm} {block} {cell.ours:.4f} [{cell.low:.4f}, {cell.high:.4f}]")
    hardly = f"a gain below {_HARDLY['RMS']} of RMS and {_HARDLY['MXE']} of MXE, with its interval"
    evidence = f"Changes: {'; '.join(parts)}. Hardly: {hardly}."
    statement = "Bagged trees and nets hardly gain from calibration."
    return Finding("hardly-gain", statement, all_of(verdicts), evidence, "Table 4, section 4")


def _best_before(tables: Tables) -> Finding:
    two = ("ANN", "BAG-DT")
    rivals = [each for each in ALGORITHMS if each not in two]
    shown = [_ordered(tables, one, other, f"{metric}, RAW") for metric in _METRICS for one in two for other in rivals]
    texts = []
    for metric in (*_METRICS, "CAL"):
        ann, bag = (int(tables["orderings"].cell(each, "our rank", f"{metric}, RAW").ours) for each in two)
        texts.append(f"{metric}: nets rank {ann}, bagged trees {bag}")
    evidence = f"{'; '.join(texts)}. Nearest rivals: {_metrics_text([*_nearest(shown).values()])}."
    statement = "Before calibration nets and bagged trees have the best probabilities."
    return Finding("best-before", statement, all_below_zero(shown), evidence, "Table 2, section 4")


def _better_rankings(tables: Tables) -> Finding:
    shown = [
        _ordered(tables, one, other, f"{metric}, RAW")
        for metric in ("ACC", "AUC")
        for one in ("BST-DT", "SVM")
        for other in ("ANN", "BAG-DT")
    ]
    verdict = all_below_zero([each.reversed() for each in shown])
    statement = "Before calibration boosted trees and SVMs have better accuracy and AUC than nets and bagged trees."
    return Finding("better-rankings", statement, verdict, f"{_metrics_text(shown)}.", "Table 2, section 4")


def _stumps(tables: Tables) -> Finding:
    shown = [_ordered(tables, "BST-DT", "BST-STMP", block) for block in _CALIBRATED]
    changes = [read_difference(tables, "change of BST-STMP", block) for block in _CALIBRATED]
    verdict = all_below_zero([*changes, *shown])
    evidence = f"Changes: {_blocks_text(changes)}. BST-DT less BST-STMP after it: {_blocks_text(shown)}."
    statement = "Boosted stumps gain much from calibration and are still not competitive."
    return Finding("stumps-not-competitive", statement, verdict, evidence, "Section 1, Table 4")


def _platt_and_isotonic(tables: Tables) -> Finding:
    shown = [read_difference(tables, "BST-DT, PLATT - ISOTONIC", f"{metric}, maps") for metric in _HARDLY]
    are_alike = all(abs(each.value) < least for each, least in zip(shown, _HARDLY.values(), strict=True))
    evidence = f"{_metrics_text(shown)}; alike: below 0.005 of RMS, 0.01 of MXE."
    statement = "Platt scaling and isotonic regression are alike for boosted trees."
    verdict = shown_by(are_alike, not are_alike)
    return Finding("platt-and-isotonic-alike", statement, verdict, evidence, "Table 4, section 4")


def _orders(tables: Tables, name: str, slug: str, statement: str) -> Finding:
    verdicts: list[Verdict] = []
    parts = []
    for metric in _METRICS:
        rows = ("Spearman's correlation", "p")
        correlation, p = (tables["orderings"].cell(row, "our rank", f"{metric}, {name}").ours for row in rows)
        verdicts.append("holds" if p < 0.05 and correlation > 0 else "undecided")
        parts.append(f"{metric}: Spearman's correlation {correlation:.2f} (p {p_text(p)})")
    return Finding(slug, statement, all_of(verdicts), "; ".join(parts) + ".", "Tables 2 and 4")


_FEW = 0.001  # share of rows below which a bin says little of its frequency


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
    parts = {block: [table.cell("BST-DT", name, block).ours for name in PAPER_MAPS] for block in table.blocks}
    verdict = _on_problems([max(platt, isotonic) < raw for raw, platt, isotonic in parts.values()])
    texts = (f"{block} {raw:.4f}, {platt:.4f}, {isotonic:.4f}" for block, (raw, platt, isotonic) in parts.items())
    evidence = f"Raw, Platt, isotonic: {'; '.join(texts)}."
    statement = "On each problem both maps lower squared error and cross-entropy of boosted trees."
    return Finding("each-problem", statement, verdict, evidence, "Section 4")


def _bins(table: PaperTable, column: str, problem: str) -> list[float]:
    return [table.cell(row, column, problem).ours for row in BIN_NAMES]


def _on_problems(found: Sequence[bool]) -> Verdict:
    """Return the verdict on a statement about each problem: it holds on all, or fails on most."""
    return shown_by(all(found), sum(found) <= len(found) / 2)


def _our_findings(tables: Tables) -> list[Finding]:
    """Return the findings on what calibrant adds to the paper."""
    made = []
    rows = tables["comparisons"].rows
    if f"{BLEND} - BST-DT, PLATT" in rows:
        others = [f"{other}, {name}" for other in ("BST-DT", "SVM", "BAG-DT", "ANN") for name in _MAPS]
        shown = [read_difference(tables, f"{BLEND} - {each}", f"{m}, today") for m in _METRICS for each in others]
        texts = (f"{block.partition(',')[0]}: nearest {each}" for block, each in _nearest(shown).items())
        statement = (
            f"{BLEND} without any choice is better than the best calibrated model of each algorithm of the paper."
        )
        evidence = f"{'; '.join(texts)}."
        made.append(Finding("blend-best", statement, all_below_zero(shown), evidence, "Not in the paper"))
    made += [_map_is_better(tables, name) for name in ("Beta", "Spline") if f"{name} - PLATT, all seven" in rows]
    return [*made, _infinite(tables), _bits(tables)]


def _map_is_better(tables: Tables, name: str) -> Finding:
    shown = [
        read_difference(tables, f"{name} - {other}, all seven", f"{m}, today") for m in _METRICS for other in _MAPS
    ]
    # Any of our maps could have been the one that is named, so its p-values are multiplied by their number
    corrected = [replace(each, p_value=min(1.0, len(OUR_MAPS) * each.p_value)) for each in shown]
    evidence = (
        f"{_metrics_text(shown)}. The verdict is by these p-values times {len(OUR_MAPS)}, the number of our maps."
    )
    statement = f"The map {name} is better than Platt scaling and isotonic regression, on average over the algorithms."
    return Finding(f"{name.lower()}-better", statement, all_below_zero(corrected), evidence, "Not in the paper")


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
