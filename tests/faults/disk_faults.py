"""A disk that is full, and a store that was damaged."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.counts import FaultCounts
from tests.faults.disturbed_study import results_of
from tests.faults.trial_ground import Ground, Watch

from calibrant.exceptions import StoreError

__all__ = ["NoMountError", "damage_store", "fill_disk", "fill_pages", "small_disk"]

_PATIENCE = 60.0
_PAGE = 4096
_CLONE_NEWNS = 0x20000


class NoMountError(Exception):
    """A small file system cannot be mounted; the reason is for the skipped tests."""


def fill_pages(ground: Ground, n_times: int) -> FaultCounts:
    """Let the largest size of the file be reached again and again; each time a little more is allowed."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch, limit = Watch(ground.new_url(), counts), int(ground.rng.integers(20, 40))
        while not _fills(ground, watch, f"{watch.url}?max_pages={limit}"):
            limit += int(ground.rng.integers(1, 12))
            if counts.tried >= n_times:
                limit = 100_000
        watch.finish(ground)
    return counts


def fill_disk(ground: Ground, disk: Path, n_times: int) -> FaultCounts:
    """Fill a small file system with another file; each time a little of it is removed."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch = Watch(f"sqlite:///{disk / 'store.db'}", counts)
        filler = disk / "filler"
        space = shutil.disk_usage(disk).free
        free = int(ground.rng.integers(100_000, 200_000))
        filler.write_bytes(b"\0" * (space - free))
        while not _fills(ground, watch, watch.url):
            left = filler.stat().st_size - int(ground.rng.integers(1, 600_000))
            os.truncate(filler, 0 if counts.tried >= n_times else max(0, left))
        watch.finish(ground)
        for path in disk.iterdir():
            path.unlink()
    return counts


def _fills(ground: Ground, watch: Watch, url: str) -> bool:
    """Run the study; return whether it is complete, and check the error if it is not."""
    with ground.start(url) as child:
        child.wait(_PATIENCE)
        if child.status != 0:
            watch.counts.tried += 1
            error = child.output
            if "StoreError" not in error or "the disk is full" not in error.splitlines()[-1]:
                watch.counts.problems.append(error[-2000:])
                raise AssertionError(error)
        keys = watch.check(child)
        if child.status != 0:
            watch.counts.moments[child.moment(keys)] += 1
        return child.status == 0


@contextmanager
def small_disk(folder: Path, size: int = 8_000_000) -> Iterator[Path]:
    """Mount a small file system in memory that only this process and its children see, and that ends with them."""
    place, mount, umount = folder / "disk", shutil.which("mount"), shutil.which("umount")
    if os.geteuid() != 0 or mount is None or umount is None:
        raise NoMountError("only root may mount a small file system")
    if ctypes.CDLL(None).unshare(_CLONE_NEWNS):
        raise NoMountError("a small file system cannot be mounted: no mount namespace of its own")
    place.mkdir()
    _run([mount, "--make-rprivate", "/"])
    _run([mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)])
    try:
        yield place
    finally:
        _run([umount, str(place)])
        place.rmdir()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NoMountError(f"a small file system cannot be mounted: {done.stderr.strip()}")


def damage_store(ground: Ground, n_times: int) -> FaultCounts:
    """Overwrite bytes in the middle of a finished store: queries and runs must raise or be right, and never crash.

    `moments` counts what the queries answered. SQLite keeps no checksums: bytes that are overwritten inside of a
    number are not noticed; those of predictions are.
    """
    counts = FaultCounts()
    source = ground.new_url()
    with ground.start(source) as child:
        child.wait(_PATIENCE)
    bytes_of = Path(source.removeprefix("sqlite:///")).read_bytes()
    for _ in range(n_times):
        damaged, url = bytearray(bytes_of), ground.new_url()
        begin = int(ground.rng.integers(_PAGE, len(damaged) - _PAGE))
        length = int(ground.rng.choice([16, 512, 8192]))
        damaged[begin : begin + length] = ground.rng.bytes(len(damaged[begin : begin + length]))
        Path(url.removeprefix("sqlite:///")).write_bytes(damaged)
        counts.tried += 1
        counts.moments[_query(ground, url, counts)] += 1
        with ground.start(url) as child:
            child.wait(_PATIENCE)
            last = child.output.strip().rpartition("\n")[2]
            if child.status != 0 and "StoreError" not in last:
                counts.problems.append(f"run on a damaged store: {child.output[-2000:]}")
    counts.rounds = 1
    return counts


def _query(ground: Ground, url: str, counts: FaultCounts) -> str:
    try:
        found = results_of(url)
    except StoreError:
        return "StoreError"
    except Exception as error:
        counts.problems.append(f"query of a damaged store: {type(error).__name__}: {error}")
        return type(error).__name__
    return "right" if found == ground.expected else "different"
