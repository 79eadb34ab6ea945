"""What the table of comparisons shows of a claim about two methods on several data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from calibrant.papers._chawla.comparisons import OTHER_CLIPS, PVALUE, SHARE, versus
from calibrant.papers._chawla.published import SETS
from calibrant.papers._reproduction.table import PaperTable

__all__ = ["Claim", "Evidence", "Verdict"]

Verdict = Literal["holds", "does not hold", "undecided"]

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
        if -1 in outcomes:
            return "does not hold"
        return "holds" if all(outcomes) else "undecided"

    def count(self, claim: Claim, datasets: Sequence[str] | None = None, n_claims: int | None = None) -> str:
        """Return on which sets the claim is shown, on which its contrary, and the mean differences."""
        sets = self.datasets if datasets is None else datasets
        found = {name: self.outcome(claim, name, n_claims or len(sets)) for name in sets}
        contrary = {"lower": "higher", "higher": "lower"}[claim.sense]
        words = {claim.sense: 1, contrary: -1, "neither shown": 0}
        parts = []
        for word, sign in words.items():
            if names := [self.described(claim, name) for name in sets if found[name] == sign]:
                parts.append(f"{word} on {', '.join(names)}")
        listed = "; ".join(parts)
        return f"{claim.metric} of {claim.method} against {claim.other}: {listed}"

    def described(self, claim: Claim, dataset: str) -> str:
        """Return a set with the difference on it."""
        found = self.tables["comparisons"].cell(versus(claim.method, claim.other), dataset, claim.metric).ours
        return f"{dataset} ({found:+.4f})"

    def by_clip(self, claims: Sequence[Claim]) -> str:
        """Return the verdicts on claims about the NCE with other least probabilities."""
        verdicts = {name: self.verdict([replace(each, metric=name) for each in claims]) for name in OTHER_CLIPS}
        return ", ".join(f"{name}: {verdict}" for name, verdict in verdicts.items())

    def share(self, claim: Claim, dataset: str) -> float:
        """Return the share of single splits in which the first method is lower."""
        row = versus(claim.method, claim.other)
        return self.tables["comparisons"].cell(row, dataset, f"{claim.metric}: {SHARE}").ours
