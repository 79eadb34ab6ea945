"""The findings of the paper, checked on the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from calibrant.papers._chawla.holdout import COIL, METRICS
from calibrant.papers._chawla.methods import BASELINE, SMOOTHED
from calibrant.papers._chawla.published import PRUNING, SETS, SKEWED
from calibrant.papers._chawla.tables import OTHER_CLIPS, POINTS, PVALUE, SHARE, versus
from calibrant.papers._reproduction.finding import Finding, Verdict, shown_by, with_advice
from calibrant.papers._reproduction.table import PaperTable

_LEVEL = 0.05


@dataclass(frozen=True)
class Claim:
    """The claim that a metric of one method is lower, or higher, than that of another."""

    metric: str
    method: str
    other: str
    sense: Literal["lower", "higher"] = "lower"


@dataclass(frozen=True)
class Evidence:
    """The comparisons of a reproduction, asked set by set."""

    tables: Mapping[str, PaperTable]

    @property
    def datasets(self) -> tuple[str, ...]:
        """The sets of the paper that were run."""
        return tuple(name for name in self.tables["comparisons"].columns if name in SETS)

    def outcome(self, claim: Claim, dataset: str, n_claims: int = 1) -> int:
        """Return 1 if the claim is shown on a set, -1 if its contrary is, else 0.

        The contrary has to be shown at 5 % divided by the number of claims any of which it would refute.
        """
        table, row = self.tables["comparisons"], versus(claim.method, claim.other)
        difference = table.cell(row, dataset, claim.metric).ours
        pvalue = table.cell(row, dataset, f"{claim.metric}: {PVALUE}").ours
        is_claimed = (difference < 0.0) == (claim.sense == "lower")
        level = _LEVEL if is_claimed else _LEVEL / n_claims
        return 0 if pvalue > level or difference == 0.0 else 1 if is_claimed else -1

    def verdict(self, claims: Sequence[Claim], datasets: Sequence[str] | None = None) -> Verdict:
        """Return the verdict on claims that are all to hold, each on all of the sets."""
        sets = self.datasets if datasets is None else datasets
        n_claims = len(claims) * len(sets)
        outcomes = [self.outcome(claim, name, n_claims) for claim in claims for name in sets]
        return shown_by(set(outcomes) <= {1}, -1 in outcomes)

    def count(self, claims: Sequence[Claim], datasets: Sequence[str] | None = None, n_claims: int | None = None) -> str:
        """Return on which sets each claim is shown, on which its contrary, and the mean differences."""
        sets = self.datasets if datasets is None else datasets
        return ". ".join(self._count(claim, sets, n_claims or len(sets)) for claim in claims)

    def _count(self, claim: Claim, sets: Sequence[str], n_claims: int) -> str:
        row, contrary = versus(claim.method, claim.other), {"lower": "higher", "higher": "lower"}[claim.sense]
        by_word: dict[str, list[str]] = {claim.sense: [], contrary: [], "neither shown": []}
        words = dict(zip((1, -1, 0), by_word, strict=True))
        for name in sets:
            difference = self.tables["comparisons"].cell(row, name, claim.metric).ours
            by_word[words[self.outcome(claim, name, n_claims)]].append(f"{name} ({difference:+.4f})")
        listed = "; ".join(f"{word} on {', '.join(names)}" for word, names in by_word.items() if names)
        return f"{claim.metric} of {claim.method} against {claim.other}: {listed}"

    def by_clip(self, claims: Sequence[Claim]) -> str:
        """Return the verdicts on claims about the NCE with other least probabilities."""
        verdicts = {name: self.verdict([replace(each, metric=name) for each in claims]) for name in OTHER_CLIPS}
        return ", ".join(f"{name}: {verdict}" for name, verdict in verdicts.items())


ADVICE: Final[dict[str, str]] = {
    "smoothing-spreads-probabilities": "Never act on raw leaf frequencies; average trees where many levels are needed.",
    "smoothing-reduces-nce": "Smooth every tree: any estimate of calibrant but `Frequency` has a finite log-loss.",
    "bagged-laplace-most-consistent": "Bag; `BaggedTreesClassifier` reads its forests by shrinkage along the path.",
    "laplace-leaves-the-error-unchanged": "Do not judge a smoothing method by the error: it cannot see it.",
    "error-is-sensitive-to-the-m-estimate": "With a rare class decide by costs, not by a threshold of one half.",
    "m-estimate-never-beats-laplace": "Let folds choose m (`MEstimate(m='cv')`): 10 / b is right for classes that "
    "overlap (CoIL) and far too much for those that do not.",
    "m-estimate-raises-ql-on-the-most-skewed": "A rare class is no reason for a large m; an overlapping one is.",
    "bagging-reduces-the-error": "Bag whenever the model need not be one tree.",
    "bagging-improves-unbalanced-sets": "Bag on unbalanced data too.",
    "bagging-does-not-always-improve": "Where classes overlap regularize the leaves; bagging alone is no substitute.",
    "pruning-lowers-unsmoothed-nce": "Smooth instead of pruning: it gains more, and loses no detail.",
    "pruning-raises-unsmoothed-auc": "Do not prune for the sake of a ranking.",
    "unpruned-laplace-ranks-better": "Pruning matters little once leaves are smoothed; try both.",
    "unpruned-laplace-has-lower-nce": "Pruning matters little once leaves are smoothed; try both.",
    "nce-and-auc-are-tightly-anticorrelated": "Measure both: a log-loss with probabilities of 0 hangs on its clip.",
    "ql-and-error-are-tightly-correlated": "Report a proper score; the error adds little to it.",
    "ql-and-error-do-not-follow-auc": "Rank and calibration are two questions: measure both.",
}


_FIGURE_3: Final = "Figure 3 and its discussion"
_LOSSES: Final = ("NCE", "QL")
_BAGGED: Final = ("Bagged", "Bagged-Laplace")
# Bagging an estimate against the estimate itself, and against the best single tree of Zadrozny & Elkan.
_SMOOTHED_PAIRS: Final = (
    ("Bagged-Laplace", "Laplace"),
    ("Bagged m-estimate", "m-estimate"),
    ("Bagged curtailment", "Curtailment"),
    ("Bagged-Laplace", "Smoothed curtailment"),
)


def bagging_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings on bagging."""
    coil = [name for name in evidence.tables["comparisons"].columns if name in COIL]
    skewed = [name for name in evidence.datasets if name in SKEWED]
    error = [Claim("01L", method, BASELINE) for method in _BAGGED]
    unsmoothed = [Claim(loss, method, BASELINE) for loss in _LOSSES for method in _BAGGED]
    smoothed = [Claim("QL", *pair) for pair in _SMOOTHED_PAIRS]
    outcomes = {evidence.outcome(claim, name, len(smoothed)) for claim in smoothed for name in coil}
    return [
        Finding(
            "bagging-reduces-the-error",
            "Bagging always reduces the error.",
            evidence.verdict(error),
            f"{evidence.count(error)}.",
            _FIGURE_3,
        ),
        Finding(
            "bagging-improves-unbalanced-sets",
            "Even on large unbalanced sets bagging improves on the probabilities of an unsmoothed tree.",
            evidence.verdict(unsmoothed, skewed) if skewed else "undecided",
            f"{evidence.count(unsmoothed, [*skewed, *coil])}.",
            "Bagged Decision Trees",
        ),
        Finding(
            "bagging-does-not-always-improve",
            "Zadrozny & Elkan: on unbalanced sets bagging does not always improve on smoothed or curtailed single "
            "trees.",
            shown_by(-1 in outcomes, outcomes == {1}),
            f"{evidence.count(smoothed, [*evidence.datasets, *coil], len(smoothed))}.",
            "Bagged Decision Trees; Zadrozny & Elkan (2001), section 5",
        ),
    ]


_TIGHT: Final = float(np.sqrt(0.5))  # from here on one explains more than half of the variance of the other
_TABLE_3: Final = "Table 3 and its discussion"


def pruning_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings of Table 3, by both of its measures."""
    lower, better = Claim("NCE", "Pruned frequency", BASELINE), Claim("AUC", "Pruned frequency", BASELINE, "higher")
    worse_area = Claim("AUC", "Pruned Laplace", "Laplace")
    worse_nce = Claim("NCE", "Pruned Laplace", "Laplace", "higher")
    statements = {
        "pruning-lowers-unsmoothed-nce": (lower, "Without smoothing pruned trees have the lower NCE."),
        "pruning-raises-unsmoothed-auc": (better, "Without smoothing pruned trees have the higher AUC."),
        "unpruned-laplace-ranks-better": (worse_area, "With Laplace estimates unpruned trees have the higher AUC."),
        "unpruned-laplace-has-lower-nce": (worse_nce, "With Laplace estimates unpruned trees have the lower NCE."),
    }
    findings = []
    for slug, (claim, statement) in statements.items():
        printed = {
            name: PRUNING[claim.metric, name, claim.method].value - PRUNING[claim.metric, name, claim.other].value
            for name in SETS
        }
        names = [name for name, each in printed.items() if (each < 0 if claim.sense == "lower" else each > 0)]
        evident = (
            f"{evidence.count([claim])}. The paper's own table has it so on {len(names)} of 5 ({', '.join(names)})."
        )
        if claim is lower:
            evident += f" With other clips: {evidence.by_clip([claim])}."
        findings.append(Finding(slug, statement, evidence.verdict([claim]), evident, _TABLE_3))
    return findings


def correlation_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings of Table 2."""
    nce, area = ([PRUNING[key].value for key in PRUNING if key[0] == metric] for metric in ("NCE", "AUC"))
    theirs = float(np.asarray(np.corrcoef(nce, area))[0, 1])
    ways = [each.ours for each in evidence.tables["table_2_conventions"].cells if each.column == "NCE, AUC"]
    with_nce, with_nce_text = _beyond(evidence, "NCE", "AUC", -1)
    with_error, with_error_text = _beyond(evidence, "QL", "01L", 1)
    with_area = {metric: _beyond(evidence, metric, "AUC", -1) for metric in ("QL", "01L")}
    found = {each for signs, _ in with_area.values() for each in signs}
    return [
        Finding(
            "nce-and-auc-are-tightly-anticorrelated",
            "NCE and AUC are tightly inversely correlated.",
            shown_by(with_nce == {1}, with_nce == {-1}),
            f"{with_nce_text}. By what is done with rows at probability 0, and within the sets: {min(ways):.2f} to "
            f"{max(ways):.2f}. The 20 pairs of the paper's own Table 3 have {theirs:.2f}. Tight is taken as more than "
            f"half of the variance, |r| > {_TIGHT:.2f}.",
            "Table 2, Figure 3",
        ),
        Finding(
            "ql-and-error-are-tightly-correlated",
            "The error is tightly correlated with the quadratic loss.",
            shown_by(with_error == {1}, with_error == {-1}),
            f"{with_error_text}.",
            "Table 2",
        ),
        Finding(
            "ql-and-error-do-not-follow-auc",
            "Neither the quadratic loss nor the error is tightly correlated with the AUC.",
            shown_by(found == {-1}, 1 in found),
            " ".join(f"{metric}: {text}." for metric, (_, text) in with_area.items()),
            "Table 2",
        ),
    ]


def _beyond(evidence: Evidence, row: str, column: str, sign: int) -> tuple[set[int], str]:
    """Return whether correlations are beyond a tight one (1), short of it (-1) or neither, and these as text."""
    cells = {points: evidence.tables["table_2"].cell(row, column, points) for points in POINTS}
    gaps = [(sign * cell.ours - _TIGHT, 2 * cell.error) for cell in cells.values()]
    shown = [f"{cell.ours:.2f} ± {2 * cell.error:.2f} over {points}" for points, cell in cells.items()]
    return {int(np.sign(gap)) if abs(gap) > error else 0 for gap, error in gaps}, ", ".join(shown)


def smoothing_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings on smoothed single trees, and on the spread of probabilities."""
    claims = [Claim("NCE", method, BASELINE) for method in SMOOTHED]
    return [
        _spread(evidence),
        Finding(
            "smoothing-reduces-nce",
            "Smoothing invariably and consistently reduces the NCE.",
            evidence.verdict(claims),
            f"{evidence.count(claims)}. With other clips: {evidence.by_clip(claims)}. Without one the NCE of "
            "frequencies is infinite.",
            _FIGURE_3,
        ),
        _most_consistent(evidence),
        _laplace_and_error(evidence),
        *_m_estimate(evidence),
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
        f"{evidence.count(claims)}. Worst relative difference over the sets: {shown}.",
        _FIGURE_3,
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
        _FIGURE_3,
    )


def _m_estimate(evidence: Evidence) -> list[Finding]:
    """Return the findings on the error, on all metrics compared with Laplace, and on the quadratic loss."""
    error, sets = Claim("01L", "m-estimate", BASELINE, "higher"), evidence.datasets
    changed = [name for name in sets if evidence.outcome(error, name)]
    table = evidence.tables["figure_3"]
    relative = ", ".join(f"{name} {table.cell('m-estimate', '01L', name).ours:+.1%}" for name in sets)
    claims = [Claim(metric, "m-estimate", "Laplace", "lower" if metric == "AUC" else "higher") for metric in METRICS]
    loss = Claim("QL", "m-estimate", BASELINE, "higher")
    skewed = [name for name in sets if name in SKEWED]
    place = versus(loss.method, loss.other), f"{loss.metric}: {SHARE}"
    shares = {name: evidence.tables["comparisons"].cell(place[0], name, place[1]).ours for name in skewed}
    return [
        Finding(
            "error-is-sensitive-to-the-m-estimate",
            "The error is very sensitive to the m-estimate, which shifts probabilities towards the base rate.",
            "holds" if 2 * len(changed) > len(sets) else "undecided",
            f"Changed beyond sampling error on {len(changed)} of {len(sets)} sets. Relative differences: {relative}. "
            f"{evidence.count([error])}.",
            _FIGURE_3,
        ),
        Finding(
            "m-estimate-never-beats-laplace",
            "The m-estimate does not improve on Laplace on any of the sets.",
            evidence.verdict(claims),
            f"{evidence.count(claims, n_claims=len(claims) * len(sets))}.",
            _FIGURE_3,
        ),
        Finding(
            "m-estimate-raises-ql-on-the-most-skewed",
            "On the two most skewed sets, mammography and cover type, the m-estimate raises the quadratic loss.",
            evidence.verdict([loss], skewed) if skewed else "undecided",
            f"{evidence.count([loss])}. Single splits in which it raises it: "
            f"{', '.join(f'{name} {1 - each:.0%}' for name, each in shares.items())}.",
            _FIGURE_3,
        ),
    ]


def check_findings(tables: Mapping[str, PaperTable]) -> list[Finding]:
    """Return the findings on smoothing, bagging, pruning and the relation of losses and AUC."""
    evidence = Evidence(tables)
    found = [smoothing_findings, bagging_findings, pruning_findings, correlation_findings]
    return with_advice((finding for check in found for finding in check(evidence)), ADVICE)
