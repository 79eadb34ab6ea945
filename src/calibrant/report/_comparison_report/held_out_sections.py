"""The sections of the held-out predictions of the best methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.report._comparison_report.top_models import held_out_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._sections import Section
    from calibrant.studies import TableComparison

__all__ = ["held_out_sections"]

# The report of a comparison has its own: the comparison of predictions does not allow for the choice of the best one
_REPLACED = ("answer", "comparison", "how-made")


def held_out_sections(
    found: TableComparison, models: dict[str, NDArray[np.float64]], *, rows: bool
) -> tuple[Section, ...]:
    """Return the sections of a report of predictions, less those that the report of a comparison has of its own."""
    from calibrant.report._report import Report  # it imports this module

    row = found.held_out["row"].to_numpy()
    compared, classes = found.compared, held_out_classes(found)
    weight = found.table.sample_weight
    is_binary = len(classes) == 2
    options: dict[str, Any] = {
        "costs": found.costs,
        "groups": None if compared.groups is None else compared.groups[row],
        "sample_weight": None if weight is None else np.asarray(weight)[row],
        "pos_label": found.table.positive if is_binary else None,
        "labels": classes,
        "model": None if found.model is None else {found.advised: found.model},
    }
    report = Report.from_predictions(found.held_out[compared.target].to_numpy(), models, rows=rows, **options)
    return tuple(section for section in report.sections if section.name not in _REPLACED and not _is_idle(section))


def _is_idle(section: Section) -> bool:
    """Return whether a section on the model has nothing but its name, which the ranking has too."""
    return section.name == "tree" and len(section.blocks) == 1
