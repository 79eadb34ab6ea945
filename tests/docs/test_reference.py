"""The reference has every public name of tests/public_api.txt, on a page of its own or where the same object is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FROZEN = Path(__file__).resolve().parents[1] / "public_api.txt"


def public_names() -> Iterator[tuple[str, str]]:
    """Yield module and name of everything public."""
    for line in FROZEN.read_text("utf-8").splitlines():
        if line and not line.startswith(" "):
            module = line
        elif found := re.match(r"    (?:class |def |module )?(\w+)", line):
            yield module, found[1]


def test_no_public_name_is_missing(source: dict[str, str]) -> None:
    names = list(public_names())
    assert len(names) > 300
    pages = {name: source[name] for name in source if name.startswith("reference/")}
    documented = {
        (module, name)
        for text in pages.values()
        for module in re.findall(r"^\.\. currentmodule:: (\S+)$", text, re.MULTILINE)
        for name in re.findall(r"^\.\. auto(?:class|function|exception|data):: (\S+)$", text, re.MULTILINE)
    }
    elsewhere = set(re.findall(r"^``([\w.]+)\.(\w+)`` is :py:obj:", "\n".join(pages.values()), re.MULTILINE))
    assert sorted(set(names) - documented - elsewhere) == []


def test_a_name_is_documented_once(source: dict[str, str]) -> None:
    moved = dict(re.findall(r"^``([\w.]+)`` is :py:obj:`([\w.]+)`", "\n".join(source.values()), re.MULTILINE))
    assert moved["calibrant.blending.ProbabilityClassifier"] == "calibrant.ProbabilityClassifier"
    assert moved["calibrant.comparison.Interval"] == "calibrant.metrics.Interval"


def test_names_that_differ_in_case_only_have_files_of_their_own(source: dict[str, str]) -> None:
    files = [name.lower() for name in source]
    assert len(files) == len(set(files))


@pytest.mark.parametrize(("registry", "n_rows"), [("metrics.METRICS", 50), ("calibration.CALIBRATORS", 14)])
def test_registries_are_shown_as_tables(registry: str, n_rows: int, source: dict[str, str]) -> None:
    assert source[f"reference/calibrant.{registry}.rst"].count("   * - ") > n_rows


def test_links_to_files_that_are_no_pages_become_text(docs_source: ModuleType) -> None:
    page = docs_source.DOCS / "studies.md"
    text = docs_source.with_links(page, "studies.md").decode()
    assert "`examples/nielsen_study.yaml`" in text
    assert "(nielsen_study.md)" in text
    assert "(project/results.md)" in docs_source.with_links(docs_source.DOCS / "blending.md", "blending.md").decode()
