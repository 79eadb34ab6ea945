"""Sections as the template needs them: pages of sections, figures side by side, models by their index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import groupby
from typing import Any

from calibrant._optional import optional_import
from calibrant._sections import Block, Callout, Figure, Section
from calibrant._sections.blocks import text
from calibrant.report._charts.payload import figure_payload

_MODEL_NAME = re.compile(r' data-model-name="([^"]*)"')
_ID, _LABEL = "{}-{}", "{} ({})"  # of what has the name of something else
# Of the page itself
_OWN = [(_LABEL, "Models"), *((_ID, name) for name in ("theme", "content", "tooltip", "calibrant-data"))]
_REGION = re.compile(r'role="region" aria-label="([^"]*)"')


@dataclass
class PageParts:
    """The parts of a page, and the payloads of its charts in the order of their places.

    Parameters
    ----------
    models : sequence of str
        The models; what belongs to one is marked by its index, as no name belongs in a selector.
    """

    models: Sequence[str]
    figures: list[dict[str, Any]] = field(default_factory=list)
    analysers: list[dict[str, Any]] = field(default_factory=list)
    uses: Counter[tuple[str, str]] = field(default_factory=lambda: Counter(_OWN))

    def __post_init__(self) -> None:
        # Names as they stand in attributes, where control characters are spaces
        self._indexes = {unescape(text(name)): index for index, name in enumerate(self.models)}

    def pages(self, sections: Sequence[Section]) -> list[dict[str, Any]]:
        """Return the main page and those of the classes, in the order of their first section."""
        names = dict.fromkeys(["", *(section.page for section in sections)])
        pages = []
        for index, name in enumerate(names):
            prefix = f"page-{index}-" if name else ""
            shown = [self._section(section, prefix) for section in sections if section.page == name]
            pages.append({"id": f"page-{index}", "name": name, "sections": shown})
        return pages

    def _section(self, section: Section, prefix: str) -> dict[str, Any]:
        groups = [
            {"kind": kind, "blocks": [self._block(block, kind) for block in blocks]}
            for kind, blocks in groupby(section.blocks, _kind)
        ]
        identity = {"id": self._once(prefix + section.name, _ID), "page": section.page}
        return {**identity, "title": section.title, "term": section.term, "groups": groups}

    def _block(self, block: Block, kind: str) -> Any:
        if isinstance(block, Figure):
            identity = {"id": f"figure-{len(self.figures)}"}
            self.figures.append({**figure_payload(block, tuple(self.models)), **identity})
            words = {"title": block.title, "caption": block.caption, "description": block.description}
            return {**identity, "name": block.name, **words}
        if kind != "analyser":
            return self._html(block.html())
        identity = {"id": f"analyser-{len(self.analysers)}"}
        self.analysers.append({**block.payload(), **identity})  # type: ignore[attr-defined]
        return {**identity, "html": self._html(block.html())}

    def _html(self, html: str) -> Any:
        """Return the HTML of a block with models by their index and a label of its own for every region."""

        def region(found: re.Match[str]) -> str:
            return f'role="region" aria-label="{self._once(found[1], _LABEL)}"'

        encodable = _REGION.sub(region, _MODEL_NAME.sub(self._model, html)).encode(errors="replace").decode()
        return optional_import("markupsafe", extra="report", purpose="write a report").Markup(encodable)

    def _model(self, found: re.Match[str]) -> str:
        name = unescape(found[1])
        return f' data-model="{self._indexes[name]}"' if name in self._indexes else ""

    def _once(self, name: str, pattern: str) -> str:
        """Return a name, or from its second use on one with the number of its use."""
        self.uses[pattern, name] += 1  # ids and labels are numbered apart
        n_uses = self.uses[pattern, name]
        return name if n_uses == 1 else pattern.format(name, n_uses)


def _kind(block: Block) -> str:
    if isinstance(block, Figure):
        return "figures"
    if isinstance(block, Callout):
        return "callouts"
    return "analyser" if hasattr(block, "payload") else "plain"
