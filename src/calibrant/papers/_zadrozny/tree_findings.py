"""What Zadrozny & Elkan (2001) claim of the size of trees, the range of scores, and m and v."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.papers._zadrozny.comparisons import pair
from calibrant.papers._zadrozny.evidence import Checked, TableEvidence, conclude, interval_text
from calibrant.papers._zadrozny.kdd98 import CASE_CONTROL, THINNED
from calibrant.papers._zadrozny.methods import SWEPT, SWEPT_VALUES, sweep_name
from calibrant.papers._zadrozny.tree_sizes import MOST_LEAVES, MOST_SCORES

if TYPE_CHECKING:
    from calibrant.papers._reproduction.finding import Finding

__all__ = ["tree_findings"]

_RAW, _PRUNED = "C4.5 without pruning", "C4.5 with pruning"
_SIMILAR = 0.1  # of the gain over raw frequencies


def tree_findings(evidence: TableEvidence) -> list[Finding]:
    """Return what holds of trees."""
    return [_single_leaf(evidence), _smaller_trees(evidence), _below_half(evidence), *_sweeps(evidence)]


def _leaves(evidence: TableEvidence, row: str, dataset: str) -> int:
    return int(evidence.tables["trees"].cell(row, dataset).ours)


def _single_leaf(evidence: TableEvidence) -> Finding:
    """Return whether pruning leaves one leaf, on rows without weights; on weighted ones it is shown why not."""
    weighted, checked = "", []
    for dataset in evidence.tables["trees"].columns:
        row, scores = (MOST_LEAVES, "") if dataset == THINNED else (_PRUNED, MOST_SCORES)
        n_leaves = _leaves(evidence, row, dataset)
        text = f"{evidence.short(dataset)}: {n_leaves} of {_leaves(evidence, _RAW, dataset):,} leaves"
        if scores:
            text += f", in random splits at most {_leaves(evidence, scores, dataset)} different scores"
        if dataset == CASE_CONTROL:
            weighted = f" Not counted, {text}: its leaves of donors lack the others who belong there"
        else:
            checked.append(Checked(n_leaves == 1, text))
    checked[-1] = Checked(checked[-1].outcome, f"{checked[-1].text}.{weighted}" if weighted else checked[-1].text)
    return conclude(
        "single-leaf",
        "Pruned C4.5 is a single leaf on KDD'98 and CoIL.",
        "Section 2.1, Tables 1 and 4",
        checked,
        "Do not prune for accuracy where one class is rare.",
    )


def _smaller_trees(evidence: TableEvidence) -> Finding:
    checked = []
    for dataset in evidence.tables["trees"].columns:
        new, old, free = (
            _leaves(evidence, row, dataset) for row in ("Kearns-Mansour", _RAW, "C4.5 without pruning or penalty")
        )
        text = f"{evidence.short(dataset)}: {new:,} leaves, C4.5 {old:,}, C4.5 without its penalty {free:,}"
        checked.append(Checked(new < old, text))
    return conclude(
        "smaller-trees",
        "Kearns and Mansour's criterion leads to somewhat smaller unpruned trees than C4.5's.",
        "Section 2.4",
        checked,
        "Do not choose a criterion for the size of its trees: the stopping rules decide it.",
    )


def _below_half(evidence: TableEvidence) -> Finding:
    table, checked = evidence.tables["scores"], []
    for row in ("Smoothing", "Curtailment", "Smoothed curtailment"):
        cell = table.cell(row, "highest", table.blocks[0])
        ends = (cell.ours, cell.ours) if cell.low != cell.low else (cell.low, cell.high)
        outcome = True if ends[1] < 0.5 else False if ends[0] >= 0.5 else None
        checked.append(Checked(outcome, f"{row}: highest score {cell.ours:.3f} (to {ends[1]:.3f})"))
    return conclude(
        "below-half",
        "All regularized scores of KDD'98 are below 0.5, so that votes of trees would all be for the common class.",
        "Section 4",
        checked,
        "Average the probabilities of trees; do not count votes.",
    )


def _sweeps(evidence: TableEvidence) -> list[Finding]:
    blocks = [each for each in evidence.tables["comparisons"].blocks if each.endswith(": MSE of the sweep")]
    datasets = [each.partition(": MSE of")[0] for each in blocks]
    return [
        conclude(
            "m-and-v-100-to-400",
            "The precise m and v are unimportant: from 100 to 400 the MSE changes by less than a tenth of the gain.",
            "Sections 2.2 and 2.3",
            [_similar(evidence, dataset, method) for dataset in datasets for method in SWEPT],
            "Take 10 / b, or let folds choose if the last percent counts.",
        ),
        conclude(
            "m-and-v-ranking",
            "Whatever m and v from 25 to 800, smoothing and curtailment beat raw frequencies and Laplace.",
            "Below Table 4",
            [_always_better(evidence, dataset) for dataset in datasets],
            "Regularize first and tune later, if at all.",
        ),
    ]


def _similar(evidence: TableEvidence, dataset: str, method: str) -> Checked:
    metric = "MSE of the sweep"
    gain = evidence.difference(dataset, metric, f"{method}, gain at 200").ours
    cells = [
        evidence.difference(dataset, metric, pair(sweep_name(method, value), sweep_name(method, 200)))
        for value in (100, 400)
    ]
    inside = [max(-each.low, each.high) < _SIMILAR * gain for each in cells]
    outside = [each.low > _SIMILAR * gain or each.high < -_SIMILAR * gain for each in cells]
    texts = " and ".join(interval_text(each, 5) for each in cells)
    outcome = False if any(outside) else True if all(inside) else None
    return Checked(outcome, f"{evidence.short(dataset)}, {method}: {texts} of a gain of {gain:.5f}")


def _always_better(evidence: TableEvidence, dataset: str) -> Checked:
    table, block = evidence.tables["sweep"], f"{dataset}: MSE"
    fixed = min(table.cell(row, "whatever m and v", block).ours for row in (_RAW, "Laplace (C4.4)"))
    worst = max(table.cell(str(value), method, block).ours for value in SWEPT_VALUES for method in SWEPT)
    return Checked(worst < fixed, f"{evidence.short(dataset)}: at worst {worst:.5f}, the better of the two {fixed:.5f}")
