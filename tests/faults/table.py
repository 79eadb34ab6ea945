"""Runs all kinds of fault and writes the table of docs/studies_faults.md; an hour or so.

python -m tests.faults.table [NAME ...]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.faults.kinds import KINDS
from tests.faults.test_faults import ROOT, drive

PAGE = ROOT / "docs" / "studies_faults.md"
FIGURES = Path(__file__).parent / "figures.json"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
MOMENTS = (
    "before the first trial was recorded",
    "between two commits",
    "in a commit that did not",
    "in a commit that came through",
)
HEAD = "| Fault | Store | Times | Studies finished | Lost | Recorded twice | Computed twice | Tables equal |"


def main() -> None:
    found: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    for kind in KINDS:
        if len(sys.argv) == 1 or kind.name in sys.argv[1:]:
            counts = drive(kind.store, "many", kind.name, seconds=7200)
            found[f"{kind.name}, {kind.store}"] = counts.get("all") or counts[kind.name]
            print(kind.name, kind.store, found[f"{kind.name}, {kind.store}"], flush=True)
            FIGURES.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    write_page(found)


def write_page(found: dict[str, dict[str, Any]]) -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    lines = [HEAD, "|---|---|--:|--:|--:|--:|--:|---|", *(table_row(found, kind) for kind in KINDS)]
    moments = ["| Fault | Store | " + " | ".join(MOMENTS) + " |", "|---|---|" + "--:|" * len(MOMENTS)]
    moments += [
        moments_row(found, kind) for kind in KINDS if _counts(found, kind).get("moments") and _has_moments(kind)
    ]
    PAGE.write_text(f"{before}{BEGIN}\n{chr(10).join(lines)}\n\n{chr(10).join(moments)}\n{END}{rest.partition(END)[2]}")


def table_row(found: dict[str, dict[str, Any]], kind: Any) -> str:
    counts = _counts(found, kind)
    if "tried" not in counts:
        return f"| {kind.title} | {kind.store} | not run: {counts.get('skipped', 'no figures')} | | | | | |"
    equal = "yes" if not counts["tables_differ"] and not counts["problems"] else f"{counts['tables_differ']} differ"
    if kind.name == "damage":
        moments = counts["moments"]
        answers = [f"{moments.get(name, 0)} {text}" for name, text in _ANSWERS]
        return f"| {kind.title} | {kind.store} | {counts['tried']} | | | | | {', '.join(answers)} |"
    cells = [counts[name] for name in ("tried", "rounds", "lost", "recorded_twice", "computed_twice")]
    return f"| {kind.title} | {kind.store} | {' | '.join(map(str, cells))} | {equal} |"


_ANSWERS = (("StoreError", "`StoreError`"), ("right", "nothing damaged that is read"), ("different", "not noticed"))


def moments_row(found: dict[str, dict[str, Any]], kind: Any) -> str:
    moments = _counts(found, kind)["moments"]
    return f"| {kind.title} | {kind.store} | {' | '.join(str(moments.get(name, 0)) for name in MOMENTS)} |"


def _counts(found: dict[str, dict[str, Any]], kind: Any) -> dict[str, Any]:
    return found.get(f"{kind.name}, {kind.store}", {})


def _has_moments(kind: Any) -> bool:
    return kind.name != "damage"


if __name__ == "__main__":
    main()
