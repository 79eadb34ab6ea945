"""Which column of a file plays what part: class, split, weight, or no feature at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._tables.assemble import assemble
from calibrant.exceptions import SchemaError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._readers.parsed import Parsed
    from calibrant.data._tables.table import Table

__all__ = ["Roles", "cast", "own_label"]


@dataclass(frozen=True)
class Roles:
    """The columns of a file that are not features.

    Parameters
    ----------
    target : str, optional
        The class; None: the last column.
    other : tuple of str
        Every column that is neither feature nor class, the next two among them.
    split : str
        The official part of each row, if ``other`` has it.
    weight : str
        The weight of each row, if ``other`` has it.
    positive : object, optional
        The class of interest, or how it reads; what is no label is passed over.
    """

    target: str | None = None
    other: tuple[str, ...] = ()
    split: str = "split"
    weight: str = "sample_weight"
    positive: object = None

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Roles:
        """Take the roles from a JSON object."""
        named: dict[str, Any] = {**entry, "other": tuple(entry.get("other", ()))}
        return cls(**named)


def cast(parsed: Parsed, roles: Roles, name: str) -> Table:
    """Make a table of a file whose columns are known.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrant.data._readers.parsed import Parsed
    >>> frame = pd.DataFrame({"age": [31, 64], "id": [7, 8], "split": ["a", "b"], "won": ["no", "yes"]})
    >>> table = cast(Parsed(frame), Roles("won", ("id", "split"), positive="yes"), "tiny")
    >>> table.positive, list(table.X), list(table.extra), list(table.split)
    ('yes', ['age'], ['id'], ['a', 'b'])
    """
    _check_columns(parsed.frame, (*roles.other, *filter(None, [roles.target])), name)
    # The split passes through `extra`, so that it stays with its row whatever is done to the rows.
    table = assemble(_without_weight(replace(parsed, target=roles.target), roles), name=name)
    return replace(
        table,
        positive=own_label(table.y, roles.positive),
        split=table.extra[roles.split] if roles.split in roles.other and table.extra is not None else None,
        extra=_rest(table.extra, roles.split),
    )


def own_label(y: pd.Series[Any] | None, wanted: object) -> object:
    """Give the label that reads like the one wanted, with the type it has in ``y``; None where there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> own_label(pd.Series([0, 1, 1]), "1"), own_label(pd.Series(["a"]), "b")
    (1, None)
    """
    labels: list[object] = [] if y is None or wanted is None else y.dropna().unique().tolist()
    return next((label for label in labels if str(label) == str(wanted)), None)


def _check_columns(frame: pd.DataFrame, columns: Iterable[str], name: str) -> None:
    for column in columns:
        if column not in frame:
            raise SchemaError(f"{name}: column {column!r} is not in the file.{nearest(column, frame)}")


def _without_weight(parsed: Parsed, roles: Roles) -> Parsed:
    if roles.weight not in roles.other:
        return replace(parsed, extra=roles.other)
    extra = tuple(column for column in roles.other if column != roles.weight)
    weight = np.asarray(parsed.frame[roles.weight], dtype=np.float64)
    return replace(parsed, frame=parsed.frame.drop(columns=roles.weight), sample_weight=weight, extra=extra)


def _rest(extra: pd.DataFrame | None, split: str) -> pd.DataFrame | None:
    if extra is None:
        return None
    rest = extra.drop(columns=split, errors="ignore")
    return rest if rest.shape[1] else None
