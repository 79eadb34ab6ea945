"""The report of a reproduced paper: findings with verdicts, tables of published figures and ours, pictures."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

from calibrant._sections import (
    Block,
    Callout,
    DataTable,
    Paragraph,
    PngPicture,
    Section,
    TableColumn,
)
from calibrant.report._how_made import made_section, versions_text

_KINDS = {"holds": "good", "does not hold": "bad", "undecided": "unsure"}
_UNDECIDED = "cannot be decided by our figures"
_COUNTED = {"holds": ("holds", "hold"), "does not hold": ("does not", "do not"), "undecided": (_UNDECIDED,) * 2}
_DPI = 90  # a figure of 6.4 inches is then as wide as the text of the page


def reproduction_sections(found: Any, command: str | None) -> tuple[Section, ...]:
    """Return the sections of the report of a reproduced paper."""
    pictures = tuple(_picture(each) for each in found.pictures)
    facts = {
        "Paper": found.citation,
        "Size": f"{found.size}: {found.n_trials:,} trials, {found.seconds:,.0f} s in all",
        "Versions": versions_text(),
    }
    return (
        _answer(found),
        *(_table_section(table) for table in found.tables),
        *((Section("figures", "The figures of the paper, drawn from our results", pictures),) if pictures else ()),
        made_section(command, facts.items()),
    )


def _answer(found: Any) -> Section:
    """Return the number of findings that hold, then each with its verdict and evidence."""
    blocks: list[Block] = [Paragraph(_lead(found), "lead"), Paragraph(_about(found)), *map(_finding, found.findings)]
    return Section("answer", "Do the paper's findings hold?", tuple(blocks))


def _lead(found: Any) -> str:
    """Return the numbers of findings by verdict."""
    counts, n_all = Counter(each.verdict for each in found.findings), len(found.findings)
    parts = [f"{n} {words[n > 1]}" for verdict, words in _COUNTED.items() if (n := counts[verdict])]
    return f"Of {n_all} finding{'' if n_all == 1 else 's'} {', '.join(parts)}."


def _about(found: Any) -> str:
    """Name the experiment that was repeated, and count the published figures that agree."""
    about = f"The experiment of {found.citation}, repeated in its {found.size} size."
    if not found.n_judged:
        return about
    return (
        f"{about} {found.n_agreeing:,} of {found.n_judged:,} published figures that can be judged agree with ours "
        "within two standard errors and rounding."
    )


def _finding(each: Any) -> Callout:
    advice = f" Today: {each.advice}" if each.advice else ""
    detail = f"{each.source}. {each.evidence}{advice}"
    return Callout(_KINDS[each.verdict], f"{each.statement} {each.verdict.capitalize()}.", detail)  # type: ignore[arg-type]


def _table_section(table: Any) -> Section:
    """Return a table of the paper: the published figures, ours and their differences, block by block."""
    blocks: list[Block] = [_block_table(table, block) for block in table.blocks]
    if table.n_judged:
        agree = f"{table.n_agreeing} of {table.n_judged} figures agree with the paper's."
        blocks.append(Paragraph(agree, "note"))
    blocks += [Paragraph(text, "note") for text in _causes(table)]
    blocks += [Paragraph(table.note, "note")] if table.note else []
    return Section(table.name.replace("_", "-"), table.title, tuple(blocks))


def _block_table(table: Any, block: str) -> DataTable:
    head, rows = table._texts(block, "* {}")
    columns = tuple(TableColumn(name, "right" if number else "left") for number, name in enumerate(head))
    return DataTable(block or table.title, columns, tuple(map(tuple, rows)))


def _causes(table: Any) -> list[str]:
    """Return why figures differ, where they do, each cause with its number of figures."""
    causes = Counter(each.why or "The cause is open." for each in table.cells if each.verdict == "differs")
    return [f"* {n} differ by more than sampling error: {why}" for why, n in causes.items()]


def _picture(each: Any) -> PngPicture:
    file = io.BytesIO()
    each.figure.savefig(file, format="png", dpi=_DPI, bbox_inches="tight")
    return PngPicture(file.getvalue(), each.caption, each.caption)
