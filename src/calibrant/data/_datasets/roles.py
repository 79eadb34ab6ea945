"""The roles of the columns of a file: class, split, weight, or not a feature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._tables.assemble import assemble
from calibrant.exceptions import SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._readers.parsed_file import ParsedFile
    from calibrant.data._tables.table import Table

__all__ = ["Roles", "assign_roles", "match_label"]


@dataclass(frozen=True)
class Roles:
    """The columns of a file that are not features."""

    target: str | None = None  # the class; None: the last column
    other: tuple[str, ...] = ()  # every column that is neither a feature nor the class, including the next two
    split: str = "split"  # the official split, if it is in `other`
    weight: str = "sample_weight"  # the weights, if they are in `other`
    positive: object = None  # the class of interest or its string; ignored if it is not a label

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Roles:
        """Return the roles of a JSON object."""
        named: dict[str, Any] = {**entry, "other": tuple(entry.get("other", ()))}
        return cls(**named)


def assign_roles(parsed: ParsedFile, roles: Roles, name: str) -> Table:
    """Return the table of a file whose columns have these roles.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._readers.parsed_file import ParsedFile
    >>> frame = pd.DataFrame({"age": [31, 64], "id": [7, 8], "split": ["a", "b"], "won": ["no", "yes"]})
    >>> table = assign_roles(ParsedFile(frame), Roles("won", ("id", "split"), positive="yes"), "tiny")
    >>> table.positive, list(table.X), list(table.extra), list(table.split)
    ('yes', ['age'], ['id'], ['a', 'b'])
    """
    _check_columns(parsed.frame, (*roles.other, *filter(None, [roles.target])), name)
    # The split is passed in `extra`, so that it stays aligned with the rows.
    table = assemble(_without_weight(replace(parsed, target=roles.target), roles), name=name)
    return replace(
        table,
        positive=match_label(table.y, roles.positive),
        split=table.extra[roles.split] if roles.split in roles.other and table.extra is not None else None,
        extra=_without_split(table.extra, roles.split),
    )


def match_label(y: pd.Series[Any] | None, wanted: object) -> object:
    """Return the label of ``y`` whose string equals that of ``wanted``; None if there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> match_label(pd.Series([0, 1, 1]), "1"), match_label(pd.Series(["a"]), "b")
    (1, None)
    """
    labels: list[object] = [] if y is None or wanted is None else y.dropna().unique().tolist()
    return next((label for label in labels if str(label) == str(wanted)), None)


def _check_columns(frame: pd.DataFrame, columns: Iterable[str], name: str) -> None:
    for column in columns:
        if column not in frame:
            raise SchemaError(f"{name}: column {column!r} is not in the file.{nearest(column, frame)}")


def _without_weight(parsed: ParsedFile, roles: Roles) -> ParsedFile:
    if roles.weight not in roles.other:
        return replace(parsed, extra=roles.other)
    extra = tuple(column for column in roles.other if column != roles.weight)
    weight = np.asarray(parsed.frame[roles.weight], dtype=np.float64)
    return replace(parsed, frame=parsed.frame.drop(columns=roles.weight), sample_weight=weight, extra=extra)


def _without_split(extra: pd.DataFrame | None, split: str) -> pd.DataFrame | None:
    if extra is None:
        return None
    rest = extra.drop(columns=split, errors="ignore")
    return rest if rest.shape[1] else None
