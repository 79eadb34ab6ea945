"""How the report of a compared table was made: command, plan, seed, versions, fingerprint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._sections import Definitions, Preformatted, Section
from calibrant.data._internal import fingerprint_rows
from calibrant.report._versions import versions_text

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.studies import TableComparison

__all__ = ["how_made_section", "store_text"]


def how_made_section(found: TableComparison, command: str | None) -> Section:
    """Return what was taken as what, the plan, the seed, the versions and the fingerprint of the table."""
    table = found.table
    about, *others = found.compared.lines
    pairs = [("Table", about), *map(_split, others)]
    splits = f"{found.n_splits} of {found.n_planned} splits"
    pairs += [
        ("Plan", found.plan if found.n_splits == found.n_planned else f"{found.plan} ({splits})"),
        ("Seed", str(found.study.definition.seed)),
        ("Study", f"{found.study.name}, in {store_text(found.study.store)}"),
        *(("Held-out rows" if name == "held_out" else name.capitalize(), path) for name, path in found.files.items()),
        ("Fingerprint of the table", fingerprint_rows(table.X, table.y, sample_weight=table.sample_weight)),
        ("Versions", versions_text()),
    ]
    blocks: list[Block] = [] if command is None else [Preformatted(command, "Command")]
    return Section("how-made", "How it was made", (*blocks, Definitions(tuple(pairs))), term="Reproducibility")


def _split(line: str) -> tuple[str, str]:
    name, _, value = line.partition(": ")
    return name.capitalize(), value


def store_text(store: str) -> str:
    """Return the name of a store without the folders of this computer, which a report that is sent need not show.

    Examples
    --------
    >>> store_text("sqlite:////home/ada/studies.db"), store_text("postgresql://ada:***@localhost/studies")
    ('sqlite:///studies.db', 'postgresql://ada:***@localhost/studies')
    """
    return f"sqlite:///{store.rpartition('/')[2]}" if store.startswith("sqlite:") else store
