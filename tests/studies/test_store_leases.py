"""Workers count as dead if their process on this host is gone, and no others do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.studies.store_records import STUDY

from calibrant.studies._store import leases
from calibrant.studies._store.leases import ProcessIdentity, is_dead, this_process
from calibrant.studies._store.store import Store


@pytest.fixture
def ended() -> ProcessIdentity:
    """Return the identity of a process that was killed and waited for."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity = replace(this_process(), pid=child.pid, process_start=psutil.Process(child.pid).create_time())
    assert not is_dead(identity)
    child.kill()
    child.communicate()
    return identity


def test_this_process_is_alive() -> None:
    assert not is_dead(this_process())
    assert this_process() == this_process()


def test_a_process_that_is_gone_is_dead(ended: ProcessIdentity) -> None:
    assert is_dead(ended)


def test_a_process_that_its_parent_has_not_waited_for_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    identity = replace(this_process(), pid=child.pid, process_start=psutil.Process(child.pid).create_time())
    deadline = time.monotonic() + 60
    while not is_dead(identity):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert Path(f"/proc/{child.pid}").exists() or sys.platform != "linux"
    child.wait()


def test_a_number_that_another_process_has_now_belongs_to_a_dead_one() -> None:
    here = this_process()
    assert is_dead(replace(here, process_start=here.process_start - 1000.0))


def test_a_process_from_before_the_host_was_started_again_is_dead() -> None:
    assert is_dead(replace(this_process(), boot="another start"))


@pytest.mark.parametrize("change", [{"host": "elsewhere"}, {"namespace": "pid:[1]"}])
def test_processes_of_other_hosts_and_containers_cannot_be_seen(ended: ProcessIdentity, change: dict[str, str]) -> None:
    assert not is_dead(replace(ended, **change))  # type: ignore[arg-type]
    assert not is_dead(replace(ended, boot="another start", **change))  # type: ignore[arg-type]


def test_without_linux_processes_are_known_by_the_start_of_the_host(
    monkeypatch: pytest.MonkeyPatch, ended: ProcessIdentity
) -> None:
    monkeypatch.setattr(leases, "Path", lambda _: Path("/no/such/file"))
    here = this_process()
    assert (here.namespace, is_dead(here)) == ("", False)
    assert is_dead(replace(here, process_start=here.process_start - 1000.0))
    assert is_dead(replace(here, pid=ended.pid, process_start=0.0))


def test_a_claim_of_a_container_of_this_host_is_kept_until_its_lease_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: ProcessIdentity
) -> None:
    with Store.open(tmp_path / "results.db") as store:
        store.save_definition(STUDY, {})
        foreign = replace(ended, namespace="pid:[1]")
        with monkeypatch.context() as patch:
            patch.setattr("calibrant.studies._store.leases.this_process", lambda: foreign)
            lasting, brief = store.start_worker(STUDY, lease=3600.0), store.start_worker(STUDY, lease=0.05)
        store.claim(STUDY, lasting, ["a"])
        store.claim(STUDY, brief, ["b"])
        time.sleep(0.06)
        assert store.claim(STUDY, store.start_worker(STUDY), ["a", "b"]) == ["b"]
        assert [status.state for status in store.workers(STUDY)] == ["alive", "expired", "alive"]


def test_a_worker_that_speaks_again_keeps_what_nobody_took(tmp_path: Path) -> None:
    with Store.open(tmp_path / "results.db") as store:
        store.save_definition(STUDY, {})
        worker, other = store.start_worker(STUDY, lease=0.2), store.start_worker(STUDY)
        store.claim(STUDY, worker, ["a"])
        time.sleep(0.25)
        assert store.workers(STUDY)[0].state == "expired"
        store.heartbeat(worker)
        assert store.claim(STUDY, other, ["a"]) == [] or store.workers(STUDY)[0].seconds_silent > 0.2


def test_the_identity_names_this_process() -> None:
    assert this_process().pid == os.getpid()
