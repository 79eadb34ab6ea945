"""A PostgreSQL server for the tests alone: Debian's programs, a folder, a port and a socket of its own."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

USER, PASSWORD = "calibrant", "o'se:cr@et"
_PATIENCE = 60.0

# Ends the server when its input is closed: when these tests stop it, or when they are killed.
_GUARD = """"$@" >&2 < /dev/null & pid=$!; echo $pid; read -r _; kill -INT $pid 2> /dev/null; wait $pid"""


class NoPostgresError(Exception):
    """There is no server to be had; the reason is for the skipped tests."""


class PostgresServer:
    """A running server; connections by its socket are trusted, those by TCP need the password."""

    def __init__(self) -> None:
        self._programs = _find_programs()
        self._account = _account()
        self.folder = Path(tempfile.mkdtemp(prefix="calibrant-pg-", dir=os.environ.get("TMPDIR", "/tmp")))  # noqa: S108
        self._process: subprocess.Popen[bytes] | None = None
        self._n_schemas = 0
        self.port = _free_port()
        try:
            self._create()
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def is_running(self) -> bool:
        """Whether the server was started and not stopped."""
        return self._process is not None

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self.folder}
        settings |= {"fsync": "on", "shared_buffers": "32MB", "max_connections": 60}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [*self._account, "/bin/sh", "-c", _GUARD, "sh"]
        command += [self._programs / "postgres", "-D", self.folder / "data", *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=self.folder
            )
        assert self._process.stdout is not None
        self._pid = int(self._process.stdout.readline())
        deadline = time.monotonic() + _PATIENCE
        while not self._is_ready():
            if time.monotonic() > deadline:
                raise NoPostgresError(f"postgres did not start: {self._log()}")
            time.sleep(0.02)

    def stop(self, *, crash: bool = False) -> None:
        """Stop the server: open transactions are rolled back; after a crash the log is replayed at the next start."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGQUIT if crash else signal.SIGINT)
            process.communicate(timeout=_PATIENCE)  # closes its input

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self.stop(crash=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_url(self) -> str:
        """Return the URL of an empty schema, by the socket; a schema is made in milliseconds, a database is not."""
        self._n_schemas += 1
        name = f"studies_{self._n_schemas}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self.url}&options={quote(f'-csearch_path={name}', safe='')}"

    @property
    def url(self) -> str:
        """The URL of the database by the socket, without a password."""
        return f"postgresql://{USER}@/postgres?host={quote(str(self.folder), safe='')}&port={self.port}"

    def tcp_url(self, password: str = PASSWORD) -> str:
        """Return the URL of the database by TCP, with a password."""
        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/postgres"

    def end_connections(self) -> int:
        """End the sessions of all clients but this one, as a lost network would; return their number."""
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND {}"
        return len(self.execute(query.format("backend_type = 'client backend'")))

    def execute(self, sql: str, url: str = "") -> list[tuple[Any, ...]]:
        """Run a statement as the owner, outside a transaction, in the schema of a URL if one is passed."""
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)  # type: ignore[call-overload]
            return list(cursor.fetchall()) if cursor.description else []

    def _create(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if self._account:
            for path in (self.folder, secret):
                shutil.chown(path, *_owner())
        command = [*self._account, self._programs / "initdb", "-D", self.folder / "data", "--no-sync", "--no-locale"]
        command += ["--encoding=UTF8", f"--username={USER}", f"--pwfile={secret}", "--auth-local=trust"]
        command += ["--auth-host=scram-sha-256"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.folder)
        if done.returncode:
            raise NoPostgresError(f"initdb failed: {done.stderr.strip()[-300:]}")

    def _is_ready(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _log(self) -> str:
        log = self.folder / "log"
        return log.read_text(errors="replace")[-300:].strip() if log.exists() else "no log"


def _find_programs() -> Path:
    """Return the folder of initdb and postgres: on the path, or where Debian has them, the newest first."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: _version(path.parent.name))
    on_path = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    for folder in [*on_path, *reversed(debian)]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NoPostgresError("PostgreSQL is not installed: apt-get install postgresql")


def _version(name: str) -> float:
    try:
        return float(name)
    except ValueError:
        return 0.0


def _account() -> list[str | Path]:
    """Return the command that runs another as a user that may run postgres."""
    if os.geteuid() != 0:
        return []
    user, group = _owner()
    if setpriv := shutil.which("setpriv"):
        return [setpriv, f"--reuid={user}", f"--regid={group}", "--clear-groups", "--"]
    raise NoPostgresError("postgres does not run as root, and there is no setpriv to run it as another user")


def _owner() -> tuple[int, int]:
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise NoPostgresError("postgres does not run as root, and there is no user postgres or nobody")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
