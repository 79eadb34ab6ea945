"""SQLite files that are locked, damaged, full, no store, or may only be read."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from tests.studies.store_processes import query_as_nobody, run_together, write_as_nobody
from tests.studies.store_records import STUDY, key_of, make_record

from calibrant.exceptions import StoreError
from calibrant.studies._store.leases import Worker
from calibrant.studies._store.read_url import read_store_url
from calibrant.studies._store.sqlite import SqliteDatabase
from calibrant.studies._store.store import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a store of one trial."""
    with Store.open(tmp_path / "results.db") as store:
        store.save_definition(STUDY, {})
        store.record(STUDY, store.start_worker(STUDY), make_record(0))
    return tmp_path / "results.db"


# Locked


def test_a_locked_file_is_an_error_that_says_by_what(path: Path) -> None:
    script = f"""
        import sqlite3
        connection = sqlite3.connect({str(path)!r}, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        print("locked", flush=True)
        input()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        with Store.open(f"sqlite:///{path}?timeout=0.2") as store:
            assert len(store.trials(STUDY)["key"]) == 1  # reading is not held up
            with pytest.raises(StoreError, match=rf"locked for 0\.2 s.*pid {other.pid}\).*PostgreSQL"):
                store.save_definition("more", {})
            other.communicate(b"\n")
            store.save_definition("more", {})


def test_a_file_that_is_locked_for_a_moment_is_waited_for(path: Path) -> None:
    with Store.open(path) as store, closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        later = Timer(0.3, other.rollback)
        later.start()
        store.save_definition("more", {})
        later.join()


# No store, or a damaged one


def test_a_text_file_is_no_store_and_is_left_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("dear diary, " * 1000)
    for read_only in (False, True):
        with pytest.raises(StoreError, match="not an SQLite database, so it is no store; it was left unchanged"):
            Store.open(file, read_only=read_only)
    assert file.read_text() == "dear diary, " * 1000
    assert [found.name for found in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_of_another_program_is_no_store_and_is_left_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "photos.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE photos (id INTEGER)")
    before = file.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="database of another program, not a store of calibrant"):
            Store.open(file, read_only=read_only)
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"", None])
def test_an_empty_file_becomes_a_store(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "empty.db"
    if content is None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM")
    else:
        file.write_bytes(content)
    with Store.open(file) as store:
        assert store.studies() == []


def grow(path: Path) -> None:
    with Store.open(path) as store:
        worker = store.start_worker(STUDY)
        for number in range(1, 200):
            store.record(STUDY, worker, make_record(number, predictions=b"x" * 500))


def test_a_truncated_store_is_an_error_with_the_remedy(path: Path) -> None:
    grow(path)
    os.truncate(path, path.stat().st_size // 2)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"the file is damaged.*left unchanged.*Restore a backup.*\.recover"):
        read_everything(path)
    assert path.read_bytes() == before


def test_a_corrupt_page_is_an_error_with_the_remedy(path: Path) -> None:
    grow(path)
    content = bytearray(path.read_bytes())
    for page in range(3, len(content) // 4096):
        content[page * 4096 : page * 4096 + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"the file is damaged.*malformed.*\.recover"):
        read_everything(path)
    assert path.read_bytes() == content


def read_everything(path: Path) -> None:
    with Store.open(path) as store:
        store.trials(STUDY, ["brier", "auc"])
        store.finished(STUDY, {"test": ["brier"]})
        store.predictions(STUDY, "data 1", "tree")


def test_a_study_whose_digest_is_damaged_is_not_called_unknown(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE calibrant_studies SET digest = 'x' || substr(digest, 2)")
    with Store.open(path) as store:
        for query in (store.definition, store.trials):
            with pytest.raises(StoreError, match="is damaged, or was changed"):
                query(STUDY)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is a folder. Name a file in it, such as .*calibrant\.db"):
        Store.open(tmp_path)


def test_a_missing_folder_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no folder .*nowhere\. Create it"):
        Store.open(tmp_path / "nowhere" / "results.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [{"read_only": True}, {"create": False}])
def test_a_missing_file_is_an_error_and_is_not_created(tmp_path: Path, options: dict[str, bool]) -> None:
    with pytest.raises(StoreError, match=r"there is no such file. Correct the path"):
        Store.open(tmp_path / "results.db", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_deleted_while_it_is_open_is_not_written_to(path: Path) -> None:
    with Store.open(path) as store:
        worker = store.start_worker(STUDY)
        path.unlink()
        with pytest.raises(StoreError, match="deleted, moved or replaced while it was open"):
            store.record(STUDY, worker, make_record(1))


def test_a_file_that_is_replaced_is_not_written_to_after_a_fork(path: Path) -> None:
    with Store.open(path) as store:
        store._database.disconnect()  # as a fork does
        path.rename(path.with_name("moved.db"))
        with pytest.raises(StoreError, match=r"cannot be|deleted"):
            store.studies()
        assert not path.exists()
        shutil.copy(path.with_name("moved.db"), path)
        assert len(store.studies()) == 1
        with pytest.raises(StoreError, match="deleted, moved or replaced"):
            store.save_definition("more", {})


def test_a_store_that_nobody_closed_ends_without_a_warning(path: Path) -> None:
    opened = f"from calibrant.studies._store.store import Store; store = Store.open({str(path)!r})"
    script = f"{opened}; store.studies(); del store"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["ünï 研究 🎲.db", "a?b#c%20d&e=f.db", 'it\'s "quoted".db', "x" * 200 + ".db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path / name) as store:
        store.save_definition(STUDY, {})
    assert (tmp_path / name).exists()
    with Store.open(tmp_path / name, read_only=True) as store:
        assert [study.name for study in store.studies()] == [STUDY]


# Full


def record_until_full(store: Store, worker: Worker) -> int:
    """Record trials until there is no room; return the number of the first that had none."""
    recorded: list[int] = []

    def record_more() -> None:
        for number in range(1000):
            store.record(STUDY, worker, make_record(number, predictions=b"x" * 3000))
            recorded.append(number)

    with pytest.raises(StoreError, match=r"the disk is full. What was recorded is kept: free some space"):
        record_more()
    assert recorded
    return len(recorded)


def test_a_full_disk_is_an_error_and_nothing_of_the_trial_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    with Store.open(f"sqlite:///{path}?max_pages=60") as store:
        store.save_definition(STUDY, {})
        worker = store.start_worker(STUDY)
        number = record_until_full(store, worker)
        assert set(store.trials(STUDY)["key"]) == {key_of(done) for done in range(number)}
    with Store.open(path) as store:
        assert store.record(STUDY, worker, make_record(number, predictions=b"x" * 3000)) == "recorded"


def test_a_store_can_be_used_after_the_disk_was_full(path: Path) -> None:
    with Store.open(f"sqlite:///{path}?max_pages=30") as store:
        worker = store.start_worker(STUDY)
        with pytest.raises(StoreError, match="the disk is full"):
            store.record(STUDY, worker, make_record(1, predictions=b"x" * 1_000_000))
        assert store.record(STUDY, worker, make_record(1)) == "recorded"
        assert len(store.trials(STUDY)["key"]) == 2


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of one megabyte, where that is possible."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.name != "posix" or not mount or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small tmpfs can be mounted by root only")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607


def test_a_disk_that_is_really_full_is_an_error_and_nothing_is_lost(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    with Store.open(small_disk / "results.db") as store:
        store.save_definition(STUDY, {})
        worker = store.start_worker(STUDY)
        ballast.write_bytes(b"x" * 100_000)
        number = record_until_full(store, worker)
        assert len(store.trials(STUDY)["key"]) == number
        ballast.unlink()
        assert store.record(STUDY, worker, make_record(number, predictions=b"x" * 3000)) == "recorded"
        assert len(store.trials(STUDY)["key"]) == number + 1


# Only to be read


@pytest.fixture
def frozen(path: Path) -> Iterator[Path]:
    """Return a store in a folder that can be read by all and written by nobody but root."""
    folder = Path(tempfile.mkdtemp(prefix="calibrant-frozen-", dir="/tmp"))
    shutil.copy(path, folder / "results.db")
    yield folder / "results.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


def freeze(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)


def test_a_store_in_a_folder_that_may_only_be_read_can_be_queried(frozen: Path) -> None:
    freeze(frozen.parent)
    assert run_together(query_as_nobody, [(str(frozen),)]) == ["1 trials, 1 finished"]
    assert [file.name for file in frozen.parent.iterdir()] == ["results.db"]


def test_what_stands_in_the_log_of_a_killed_process_is_read_too(frozen: Path) -> None:
    with Store.open(frozen) as store:
        store.record(STUDY, store.start_worker(STUDY), make_record(1))
        for file in (frozen, frozen.with_name("results.db-wal")):
            shutil.copy(file, file.with_name(f"copy-{file.name}"))  # as a process that is killed leaves them
    for file in frozen.parent.glob("copy-*"):
        file.rename(file.with_name(file.name.removeprefix("copy-")))
    freeze(frozen.parent)
    before = sorted(Path(tempfile.gettempdir()).glob("calibrant-store-*"))
    assert run_together(query_as_nobody, [(str(frozen),)]) == ["2 trials, 2 finished"]
    assert sorted(file.name for file in frozen.parent.iterdir()) == ["results.db", "results.db-wal"]
    assert sorted(Path(tempfile.gettempdir()).glob("calibrant-store-*")) == before


@pytest.mark.parametrize("read_only", [True, False])
def test_the_store_of_a_killed_process_opens_with_all_that_it_recorded(path: Path, read_only: bool) -> None:
    script = f"""
        import os
        from tests.studies.store_records import make_record
        from calibrant.studies._store.store import Store
        store = Store.open({str(path)!r})
        worker = store.start_worker("trees")
        for number in range(1, 10):
            store.record("trees", worker, make_record(number))
        os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, timeout=60, check=False)
    assert path.with_name("results.db-wal").stat().st_size > 0
    path.with_name("results.db-shm").unlink()
    with Store.open(path, read_only=read_only) as store:
        assert len(store.trials(STUDY)["key"]) == 10


def test_a_copy_of_a_store_that_changed_meanwhile_is_made_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, copied, real = path.with_name("results.db-wal"), [], shutil.copyfile

    def copy(source: Path, target: Path) -> None:
        real(source, target)
        copied.append(source)
        if len(copied) == 1:
            log.write_bytes(log.read_bytes() + b"x")  # as a writer would, between the two files

    with Store.open(path) as store:
        store.record(STUDY, store.start_worker(STUDY), make_record(1))
        content = {file: file.read_bytes() for file in (path, log)}
    for file, text in content.items():
        file.write_bytes(text)
    monkeypatch.setattr("shutil.copyfile", copy)
    address = read_store_url(path)
    database = SqliteDatabase(address, read_only=True, retry_seconds=0.0, create=False)
    with closing(database._connect_unshared()) as connection:
        assert connection.execute("SELECT COUNT(*) FROM calibrant_trials").fetchall() == [(2,)]
    database.close()
    assert copied == [path, log, path, log]


def test_a_store_can_be_read_while_a_process_of_another_user_writes(frozen: Path) -> None:
    with Store.open(frozen) as store:
        store.record(STUDY, store.start_worker(STUDY), make_record(1))
        freeze(frozen.parent)
        assert run_together(query_as_nobody, [(str(frozen),)]) == ["2 trials, 2 finished"]


@pytest.mark.parametrize("name", ["results.db", "new.db"])
def test_a_folder_that_may_only_be_read_is_an_error_with_the_remedy(frozen: Path, name: str) -> None:
    freeze(frozen.parent)
    [message] = run_together(write_as_nobody, [(str(frozen.with_name(name)),)])
    assert re.search(r"cannot be written by this user .*Choose another folder, or open .*read_only=True", message)


def test_a_file_that_may_not_be_read_is_an_error(frozen: Path) -> None:
    frozen.chmod(0o000)
    frozen.parent.chmod(0o555)
    [message] = run_together(query_as_nobody, [(str(frozen),)])
    assert "the file cannot be read" in message


def test_a_store_that_is_only_read_cannot_be_written(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        assert repr(store) == f"Store.open('sqlite:///{path}', read_only=True)"
        with pytest.raises(StoreError, match="read_only=True, which cannot write"):
            store.start_worker(STUDY)
