"""`tools/gallery.py`: what is written, what is skipped, and the page that lists it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from calibrant.exceptions import ReadError
from calibrant.report import Report

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "tools" / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_a_report_without_its_data_is_skipped_with_a_clear_line(gallery, tmp_path, capsys):
    def absent() -> Report:
        raise ReadError("wpbc is not available.")

    card = gallery.write(gallery.Entry("sixty", "60 rows", "Look.", absent), tmp_path)
    assert capsys.readouterr().out == "sixty: Skipped, because its data are not here: wpbc is not available.\n"
    assert "Skipped" in card
    assert "href" not in card
    assert not list(tmp_path.iterdir())


def test_the_index_is_escaped_and_links_what_was_written(gallery, tmp_path):
    entry = gallery.Entry("a", "<b>A</b>", "Look at </p>.", lambda: Report("Nothing", ()))
    card = gallery.write(entry, tmp_path)
    assert 'href="a.html"' in card
    assert "<b>" not in card
    assert "&lt;/p&gt;" in card
    assert gallery.index_page([card]).count("<li>") == 1
    assert (tmp_path / "a.html").exists()


def test_the_five_kinds_are_there(gallery):
    names = [entry.name for entry in gallery.ENTRIES]
    assert names == ["rare_class", "three_classes", "sixty_rows", "covertype", "million", "four_models"]


@pytest.mark.long
def test_every_report_whose_data_are_here_is_small(gallery, tmp_path):
    assert gallery.main([str(tmp_path)]) == 0
    sizes = {path.name: path.stat().st_size for path in tmp_path.glob("*_*.html")}
    assert {name for name, size in sizes.items() if size > 3_000_000} == set()
