"""A study that is killed, starved or cut off loses nothing, records nothing twice, and ends with the same table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.faults.kinds import KINDS, Kind

ROOT = Path(__file__).parents[2]
# Ends a driver that hangs, also where many other processes share the cores.
LIMIT = 1800.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the driver forks, and ends its children by prctl")


def drive(store: str, times: str, *names: str) -> dict[str, dict[str, Any]]:
    """Run the driver in a process of its own; return what it found, by kind of fault."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path])),
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "tests.faults.driver", store, times, *names]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {each["kind"]: each for each in found}


@cache
def few_faults(store: str) -> dict[str, dict[str, Any]]:
    return drive(store, "few")


def check(kind: Kind, found: dict[str, dict[str, Any]], n_times: int) -> None:
    counts = found.get("all") or found[kind.name]
    if "skipped" in counts:
        pytest.skip(counts["skipped"])
    assert counts["tried"] >= n_times
    assert not counts["problems"]
    unwanted = ("lost", "recorded_twice", "tables_differ", "failed")
    assert {name: counts[name] for name in unwanted} == dict.fromkeys(unwanted, 0), counts
    if kind.name not in ("stop", "damage"):
        assert not counts["computed_twice"], counts


def named(kind: Kind) -> str:
    return f"{kind.store}: {kind.name}"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.few], ids=named)
@pytest.mark.long
def test_a_disturbed_study_comes_out_whole(kind: Kind) -> None:
    check(kind, few_faults(kind.store), kind.few)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_a_study_that_is_disturbed_many_times_comes_out_whole(kind: Kind) -> None:
    check(kind, drive(kind.store, "many", kind.name), kind.many)


@pytest.mark.long
@pytest.mark.parametrize("store", ["SQLite", "PostgreSQL"])
def test_kills_hit_every_moment(store: str) -> None:
    counts = drive(store, "many", "kill in commits")["kill in commits"]
    assert counts["moments"]["in a commit that did not"] >= 10
    assert counts["moments"]["in a commit that came through"] + counts["moments"]["between two commits"] >= 10
