"""What each column of a source is: a feature, the target, the weight or the group of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibrant.data._frames.columns import Nominal, choose_nominal
from calibrant.exceptions import DataError, SchemaError, nearest

__all__ = ["ColumnRoles", "choose_roles"]


@dataclass(frozen=True)
class ColumnRoles:
    """The features of a source, in order, and the columns of classes, weights and groups; None where there is none.

    ``named`` is False where the columns have no names of their own, as those of an array.
    """

    features: tuple[str, ...]
    target: str | None = None
    sample_weight: str | None = None
    groups: str | None = None
    nominal: Nominal = "auto"
    named: bool = True

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are not features."""
        return tuple(name for name in (self.target, self.sample_weight, self.groups) if name is not None)

    @property
    def columns(self) -> list[str]:
        """All columns that are read, each once."""
        return list(dict.fromkeys((*self.features, *self.others)))

    def nominal_positions(self) -> set[int]:
        """Return the positions of the features that ``nominal`` specifies."""
        return choose_nominal(self.nominal, self.features)


def choose_roles(
    names: Sequence[str],
    not_features: Sequence[str] = (),
    *,
    target: str | None,
    sample_weight: str | None = None,
    groups: str | None = None,
    columns: Sequence[str] | None = None,
    nominal: Nominal = "auto",
    named: bool = True,
) -> ColumnRoles:
    """Return the role of each column; by default those without another role are features.

    Examples
    --------
    >>> choose_roles(["age", "town", "ill", "w"], target="ill", sample_weight="w").features
    ('age', 'town')
    >>> choose_roles(["age", "ill"], target="il")
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: source has no column 'il'. Did you mean 'ill'?
    """
    others = [name for name in (target, sample_weight, groups) if name is not None]
    _check_names([*others, *(columns or ())], names)
    used = {*others, *not_features}
    features = tuple(columns) if columns is not None else tuple(name for name in names if name not in used)
    if not features and columns is None:
        raise DataError(f"source has no feature beside {', '.join(map(repr, others))}; pass a table with features.")
    return ColumnRoles(features, target, sample_weight, groups, nominal, named)


def _check_names(chosen: Sequence[str], names: Sequence[str]) -> None:
    """Raise if a column has two roles, or is not found."""
    if len(set(chosen)) < len(chosen):
        raise SchemaError(f"the columns must be different ones; got {', '.join(map(repr, chosen))}.")
    for name in chosen:
        if name not in names:
            raise SchemaError(f"source has no column {name!r}.{nearest(name, list(names))}")
