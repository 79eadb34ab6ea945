"""The description of a model file, in lines and table rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant._repr import listed
from calibrant.files import DataSource

if TYPE_CHECKING:
    from calibrant.files import ColumnDescription, ModelDescription

__all__ = ["column_rows", "description_lines"]

_MOST_CATEGORIES = 6
_MOST_CLASSES = 10


def description_lines(described: ModelDescription) -> list[str]:
    """Return what a file says about its model, a line each."""
    versions = ", ".join(f"{name} {version}" for name, version in described.versions.items())
    lines = [
        f"model: {described.model}",
        f"made: {described.created.replace('T', ' ').replace('Z', ' UTC')}"
        + (f" by {described.made_by}" if described.made_by else "")
        + f", with {versions}",
    ]
    if described.made_from != DataSource():
        rows = "" if described.made_from.n_rows is None else f"{described.made_from.n_rows:,} rows of "
        digest = f" (fingerprint {described.made_from.fingerprint})" if described.made_from.fingerprint else ""
        lines.append(f"from: {rows}{described.made_from.name or 'data without a name'}{digest}")
    lines += [f"expected: {score}" for score in described.expected]
    if described.classes:
        lines.append(f"classes: {listed(map(str, described.classes), _MOST_CLASSES, ', ')}")
    return [*lines, f"file: {described.n_bytes:,} bytes, SHA-256 {described.sha256}"]


def column_rows(columns: Sequence[ColumnDescription]) -> list[list[str]]:
    """Return name, kind and categories of each column."""
    return [[each.name, each.kind, _values(each)] for each in columns]


def _values(column: ColumnDescription) -> str:
    if column.kind == "numeric":
        return column.measure if column.measure not in ("", "numbers") else ""
    n = len(column.categories)
    return f"{n:,}: {listed(map(str, column.categories), _MOST_CATEGORIES, ', ')}" if n else "none"
