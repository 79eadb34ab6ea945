"""What the paper claims of Laplace and m-estimates, and of the consistency of bagged Laplace estimates."""

from __future__ import annotations

from typing import Final

from calibrant.papers._chawla.evidence import Claim, Evidence, Verdict
from calibrant.papers._chawla.holdout import METRICS
from calibrant.papers._chawla.methods import BASELINE, SMOOTHED
from calibrant.papers._chawla.published import SKEWED
from calibrant.papers._reproduction.finding import Finding

__all__ = ["smoothing_findings"]

_SOURCE: Final = "Figure 3 and its discussion"
_LOSSES = ("NCE", "QL")


def smoothing_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings on smoothed single trees, and on the spread of probabilities."""
    return [
        _spread(evidence),
        _all_reduce_nce(evidence),
        _most_consistent(evidence),
        _laplace_and_error(evidence),
        _m_and_error(evidence),
        _m_and_laplace(evidence),
        _m_and_quadratic_loss(evidence),
    ]


def _spread(evidence: Evidence) -> Finding:
    table = evidence.tables["figure_2"]
    certain = {row: table.cell(row, "exactly 0").ours + table.cell(row, "exactly 1").ours for row in table.rows}
    values = {row: table.cell(row, "distinct values").ours for row in table.rows}
    more = all(certain[row] < certain[BASELINE] and values[row] > values[BASELINE] for row in table.rows[1:])
    shown = ", ".join(f"{row} {certain[row]:.0%} ({values[row]:,.0f} distinct values)" for row in table.rows)
    return Finding(
        "smoothing-spreads-probabilities",
        "Smoothing overcomes the skewness of leaf frequencies and results in broadly distributed probabilities.",
        "holds" if more else "undecided",
        f"Positive test rows of mammography with a probability of exactly 0 or 1: {shown}. Laplace estimates have "
        "none by construction; a single tree has few distinct values whatever the estimate, and bagging is what "
        "spreads them.",
        "Figure 2",
    )


def _all_reduce_nce(evidence: Evidence) -> Finding:
    claims = [Claim("NCE", method, BASELINE) for method in SMOOTHED]
    counted = ". ".join(evidence.count(claim) for claim in claims)
    return Finding(
        "smoothing-reduces-nce",
        "Smoothing invariably and consistently reduces the NCE.",
        evidence.verdict(claims),
        f"{counted}. With other clips: {evidence.by_clip(claims)}. Without one the NCE of frequencies is infinite.",
        _SOURCE,
    )


def _most_consistent(evidence: Evidence) -> Finding:
    claims = [Claim(loss, "Bagged-Laplace", BASELINE) for loss in _LOSSES]
    table = evidence.tables["figure_3"]
    worst = {
        method: [max(table.cell(method, loss, name).ours for name in evidence.datasets) for loss in _LOSSES]
        for method in SMOOTHED
    }
    ours, others = worst["Bagged-Laplace"], [worst[each] for each in SMOOTHED if each != "Bagged-Laplace"]
    verdict = evidence.verdict(claims)
    if verdict == "holds" and any(each[0] < ours[0] and each[1] < ours[1] for each in others):
        verdict = "does not hold"
    elif verdict == "holds" and any(each[0] < ours[0] or each[1] < ours[1] for each in others):
        verdict = "undecided"
    shown = "; ".join(f"{method} NCE {each[0]:+.0%}, QL {each[1]:+.0%}" for method, each in worst.items())
    return Finding(
        "bagged-laplace-most-consistent",
        "Bagged Laplace estimates are the most consistent by both QL and NCE.",
        verdict,
        f"{'. '.join(evidence.count(claim) for claim in claims)}. Worst relative difference over the sets: {shown}.",
        _SOURCE,
    )


def _laplace_and_error(evidence: Evidence) -> Finding:
    table, row = evidence.tables["comparisons"], "Laplace less Frequency"
    cells = {name: table.cell(row, name, "01L") for name in evidence.datasets}
    same = [name for name, cell in cells.items() if cell.low == cell.ours == cell.high == 0.0]
    shown = ", ".join(f"{name} ({cell.ours:+.6f})" for name, cell in cells.items() if name not in same)
    verdict: Verdict = "undecided" if len(cells) < 5 else "holds" if len(same) == 4 else "does not hold"
    return Finding(
        "laplace-leaves-the-error-unchanged",
        "Laplace estimates leave the error unchanged on four of five sets.",
        verdict,
        f"Exactly the same error in every split on {', '.join(same) or 'no set'}; changed on {shown or 'none'}. With "
        "two classes (n + 1) / (N + 2) is above a half exactly where n / N is, so that nothing can change in a tree "
        "without missing values; Adult has them, and a row that goes down several branches averages over leaves.",
        _SOURCE,
    )


def _m_and_error(evidence: Evidence) -> Finding:
    claim = Claim("01L", "m-estimate", BASELINE, "higher")
    changed = [name for name in evidence.datasets if evidence.outcome(claim, name)]
    table = evidence.tables["figure_3"]
    relative = ", ".join(f"{name} {table.cell('m-estimate', '01L', name).ours:+.1%}" for name in evidence.datasets)
    return Finding(
        "error-is-sensitive-to-the-m-estimate",
        "The error is very sensitive to the m-estimate, which shifts probabilities towards the base rate.",
        "holds" if 2 * len(changed) > len(evidence.datasets) else "undecided",
        f"Changed beyond sampling error on {len(changed)} of {len(evidence.datasets)} sets. Relative differences: "
        f"{relative}. {evidence.count(claim)}.",
        _SOURCE,
    )


def _m_and_laplace(evidence: Evidence) -> Finding:
    claims = [Claim(metric, "m-estimate", "Laplace", "lower" if metric == "AUC" else "higher") for metric in METRICS]
    return Finding(
        "m-estimate-never-beats-laplace",
        "The m-estimate does not improve on Laplace on any of the sets.",
        evidence.verdict(claims),
        ". ".join(evidence.count(claim, n_claims=len(claims) * len(evidence.datasets)) for claim in claims) + ".",
        _SOURCE,
    )


def _m_and_quadratic_loss(evidence: Evidence) -> Finding:
    claim = Claim("QL", "m-estimate", BASELINE, "higher")
    skewed = [name for name in evidence.datasets if name in SKEWED]
    splits = ", ".join(f"{name} {1 - evidence.share(claim, name):.0%}" for name in skewed)
    return Finding(
        "m-estimate-raises-ql-on-the-most-skewed",
        "On the two most skewed sets, mammography and cover type, the m-estimate raises the quadratic loss.",
        evidence.verdict([claim], skewed) if skewed else "undecided",
        f"{evidence.count(claim)}. Single splits in which it raises it: {splits}.",
        _SOURCE,
    )
