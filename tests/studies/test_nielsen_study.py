"""The example that kills a study twice: its file, its page, and a run of a small part of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from calibrant.data import list_datasets
from calibrant.studies import Study

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "nielsen_study.yaml"


def test_the_file_has_ten_methods_on_the_twenty_tasks():
    definition = Study.from_file(FILE).definition
    assert list(definition.datasets) == [name for name in list_datasets() if name.startswith("nielsen.")]
    assert len(definition.datasets) == 20
    assert len(definition.methods) == 10


def test_the_page_has_every_task_in_every_table():
    page = (ROOT / "docs" / "nielsen_study.md").read_text("utf-8")
    for name in Study.from_file(FILE).definition.datasets:
        assert page.count(f"| {name} |") == 4
    assert "80,000 of 80,000 values are equal to the bit" in page


@pytest.mark.long
def test_a_small_part_is_killed_twice_and_equals_a_run_in_one_go(tmp_path):
    shutil.copy(FILE.with_suffix(".py"), tmp_path)
    text = FILE.read_text("utf-8").replace("n_repeats: 10", "n_repeats: 2")
    (tmp_path / FILE.name).write_text(re.sub(r"  - nielsen\.(?!iris|wine).*\n", "", text), "utf-8")
    script = [sys.executable, "-W", "ignore", str(tmp_path / "nielsen_study.py"), "--store", "killed.db"]
    run = subprocess.run([*script, "--reference", "whole.db"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert len(re.findall("^killed after", run.stdout, re.M)) == 2
    assert "400 of 400 trials done" in run.stdout
    assert "1,600 of 1,600 values are equal to the bit" in run.stdout
