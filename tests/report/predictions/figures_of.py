"""The figures of a section, by name."""

from __future__ import annotations

from typing import Any

from calibrant._sections import Figure, Layer, Section
from calibrant.report._predictions.read_report_data import read_report_data

__all__ = ["data_of", "figures_of", "layers_of"]


def data_of(y: Any, p: Any, **options: Any) -> Any:
    return read_report_data(y, p, **{"n_boot": 50, **options})


def figures_of(section: Section | None) -> dict[str, Figure]:
    assert section is not None
    return {block.name: block for block in section.blocks if isinstance(block, Figure)}


def layers_of(figure: Figure, model: str) -> list[Layer]:
    return [layer for layer in figure.layers if layer.model == model]
