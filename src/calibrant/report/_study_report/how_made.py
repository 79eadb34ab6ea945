"""How the results of a study were made: plan, seed, store, trials, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._sections import Definitions, Preformatted, Section
from calibrant.report._comparison_report.how_made import store_text
from calibrant.report._versions import versions_text

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.studies import StudyResults, StudyStatus

__all__ = ["how_made_section"]


def how_made_section(study: Any, results: StudyResults, status: StudyStatus | None, command: str | None) -> Section:
    """Return the command, the plan, the seed, the store and the versions."""
    plans = dict.fromkeys(plan.words for plan in results.plans.values())
    pairs = [
        ("Study", results.name),
        ("Data sets", ", ".join(results.datasets)),
        ("Methods", ", ".join(results.methods)),
        ("Plan", "; ".join(plans)),
    ]
    if status is not None:
        pairs += [
            ("Seed", str(study.definition.seed)),
            ("Store", store_text(study.store)),
            ("Trials", f"{status.n_done:,} of {status.n_trials:,}, {status.seconds:,.1f} s"),
        ]
        pairs += [("Shared work", status.sharing)] if status.sharing else []
        pairs += [("Outdated", f"{status.n_outdated:,} trials are of other versions")] if status.n_outdated else []
    pairs.append(("Versions", _versions(results)))
    blocks: list[Block] = [] if command is None else [Preformatted(command, "Command")]
    return Section("how-made", "How it was made", (*blocks, Definitions(tuple(pairs))), term="Reproducibility")


def _versions(results: StudyResults) -> str:
    """Return the versions that computed the trials; those of this process where none were recorded."""
    frame = results.to_frame()
    found = [text for text in frame["versions"].dropna().unique().tolist() if text] if "versions" in frame else []
    return "; ".join(found) or versions_text()
