"""Bars are shown on a (pseudo) terminal and nowhere else, and always restore its state."""

from __future__ import annotations

import io
import multiprocessing
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant._progress import _is_watched, progress
from calibrant.exceptions import MissingExtraError

pty = pytest.importorskip("pty", reason="pseudo terminals are a Unix thing")
pytest.importorskip("rich", reason="rich draws the bars")

HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
IMPORT = "import sys; from calibrant._progress import progress\n"
UNSET = ("CALIBRANT_PROGRESS", "CI", "NO_COLOR", "FORCE_COLOR")
TERMINAL = {"TERM": "xterm-256color", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
LOOP = IMPORT + "for _ in progress(range(3), description='Growing'): pass\n"


class Run(NamedTuple):
    code: int
    out: str
    drawn: str


def on_terminal(script: str, **env: str) -> Run:
    ours, theirs = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name not in UNSET} | TERMINAL | env
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=theirs, env=known, text=True
    )
    os.close(theirs)
    drawn = read_all(ours)
    out, _ = process.communicate(timeout=60)
    return Run(process.returncode, out, drawn)


def read_all(terminal: int) -> str:
    chunks = []
    with open(terminal, "rb", buffering=0) as stream:
        try:
            while chunk := stream.read(4096):
                chunks.append(chunk)
        except OSError:  # raised by Linux when the other side is closed
            pass
    return b"".join(chunks).decode()


def in_a_pipe(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)


@given(st.lists(st.integers()))
def test_a_silent_bar_yields_the_items_unchanged(items: list[int]) -> None:
    assert list(progress(items)) == items
    assert list(progress(iter(items), enabled=False)) == items


def test_a_silent_bar_returns_the_iterator_itself() -> None:
    items = iter([1, 2])
    assert iter(progress(items, enabled=False)) is items


def test_a_pipe_has_no_bar_and_rich_is_not_imported() -> None:
    done = in_a_pipe(LOOP + "assert 'rich' not in sys.modules")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_terminal_shows_a_loop_up_to_its_end() -> None:
    run = on_terminal(LOOP)
    assert run.code == 0
    assert "Growing" in run.drawn
    assert "3/3" in run.drawn


def test_a_terminal_shows_the_steps_of_an_open_bar() -> None:
    steps = "bar.advance(3); bar.advance()"
    run = on_terminal(IMPORT + f"with progress(total=8, description='Adding') as bar: {steps}")
    assert run.code == 0
    assert "Adding" in run.drawn
    assert "4/8" in run.drawn


def test_a_bar_without_a_total_is_shown() -> None:
    run = on_terminal(IMPORT + "for _ in progress((x for x in 'abc'), description='Reading'): pass")
    assert "3/?" in run.drawn


def test_a_description_is_not_markup() -> None:
    assert "[red]{x}" in on_terminal(IMPORT + "list(progress([1], description='[red]{x}'))").drawn


def test_printing_within_a_loop_still_reaches_a_piped_stdout() -> None:
    assert on_terminal(IMPORT + "for x in progress([1, 2]): print(x)").out == "1\n2\n"


def test_the_environment_silences_and_rich_is_not_imported() -> None:
    run = on_terminal(LOOP + "assert 'rich' not in sys.modules", CALIBRANT_PROGRESS="0")
    assert (run.code, run.drawn) == (0, "")


def test_false_silences_on_a_terminal() -> None:
    assert on_terminal(IMPORT + "list(progress([1], enabled=False))").drawn == ""


def test_true_writes_the_last_state_into_a_pipe() -> None:
    assert "2/2" in in_a_pipe(IMPORT + "list(progress([1, 2], enabled=True))").stderr


def test_without_rich_a_terminal_stays_silent() -> None:
    run = on_terminal("import sys; sys.modules['rich'] = None\n" + LOOP)
    assert (run.code, run.drawn) == (0, "")


def test_true_without_rich_raises_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with pytest.raises(MissingExtraError, match=r'rich is needed .*: pip install "calibrant\[progress\]"'):
        progress([1], enabled=True)


def test_a_bar_within_a_bar_is_shown_with_it() -> None:
    inner = "[_ShownBar._shared.refresh() for _ in progress(range(2), description='inner')]"
    script = f"for _ in progress(range(3), description='outer'): {inner}"
    run = on_terminal(IMPORT + "from calibrant._progress import _ShownBar\n" + script)
    assert run.code == 0
    assert "outer" in run.drawn
    assert "inner" in run.drawn
    assert run.drawn.count(HIDE_CURSOR) == 1


def test_an_outer_bar_may_end_before_the_inner_one() -> None:
    script = "a, b = progress(total=2), progress(total=5); a.__enter__(); b.__enter__(); a.__exit__()\n"
    run = on_terminal(IMPORT + script + "b.advance(5); b.__exit__()")
    assert run.code == 0
    assert "5/5" in run.drawn


def test_bars_of_many_threads_share_the_display() -> None:
    pool = "from concurrent.futures import ThreadPoolExecutor as Pool\n"
    work = "f = lambda n: sum(progress(range(n)))\n"
    run = on_terminal(IMPORT + pool + work + "with Pool(8) as pool: print(sum(pool.map(f, [9] * 64)))")
    assert (run.code, run.out) == (0, "2304\n")


def test_a_bar_beside_a_display_of_the_caller_does_not_crash() -> None:
    mine = "from rich.live import Live; from rich.console import Console; c = Console(stderr=True)\n"
    run = on_terminal(IMPORT + mine + "with Live('mine', console=c): list(progress([1]))")
    assert run.code == 0


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "ValueError"])
@pytest.mark.parametrize("bar", ["for _ in progress(range(3)):", "with progress(total=3):"])
def test_an_error_propagates_after_the_cursor_is_restored(error: str, bar: str) -> None:
    run = on_terminal(IMPORT + f"{bar} raise {error}")
    assert run.code != 0
    assert run.drawn.index(HIDE_CURSOR) < run.drawn.index(SHOW_CURSOR) < run.drawn.index("Traceback")


def test_a_loop_left_early_closes_its_bar_at_once() -> None:
    left = "for _ in progress(range(9)): break\nprint('left', file=sys.stderr)"
    run = on_terminal(IMPORT + left)
    assert run.drawn.index(SHOW_CURSOR) < run.drawn.index("left")


def test_a_bar_may_be_opened_closed_and_looped_over_again() -> None:
    script = "bar = progress([1, 2])\nwith bar: print(list(bar))\n"
    run = on_terminal(IMPORT + script + "bar.advance(); bar.__exit__(); print(list(bar))")
    assert (run.code, run.out) == (0, "[1, 2]\n[1, 2]\n")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_worker_process_leaves_the_terminal_to_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALIBRANT_PROGRESS", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert _is_watched()
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    assert not _is_watched()


def test_a_terminal_behind_a_proxy_of_rich_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = io.StringIO()
    proxy.rich_proxied_file = Terminal()  # type: ignore[attr-defined]
    monkeypatch.delenv("CALIBRANT_PROGRESS", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stderr", proxy)
    assert _is_watched()


def test_an_absent_or_closed_stderr_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stderr in (None, io.StringIO(), closed):
        monkeypatch.setattr(sys, "stderr", stderr)
        assert not _is_watched()


@pytest.mark.parametrize(("kernel", "widgets"), [(1, "spec"), (None, "spec"), (1, None)])
def test_a_notebook_with_widgets_is_watched(kernel: object, widgets: object, monkeypatch: pytest.MonkeyPatch) -> None:
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=kernel))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr("calibrant._progress.find_spec", lambda _: widgets)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.delenv("CALIBRANT_PROGRESS", raising=False)
    monkeypatch.delenv("CI", raising=False)
    assert _is_watched() is bool(kernel and widgets)


@pytest.mark.parametrize(("value", "is_silent"), [("true", True), ("1", True), ("false", False), ("", False)])
def test_ci_is_silent_on_a_terminal_too(value: str, is_silent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALIBRANT_PROGRESS", raising=False)
    monkeypatch.setenv("CI", value)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert _is_watched() is not is_silent


def test_bars_are_hidden_while_a_table_is_shown() -> None:
    imports = "from calibrant._progress import LiveTable, progress\n"
    script = "with LiveTable(lambda: 'the table'): list(progress([1], description='inner'))\n"
    run = on_terminal(imports + script + "list(progress([1], description='after'))")
    assert run.code == 0
    assert "the table" in run.drawn
    assert "inner" not in run.drawn
    assert "after" in run.drawn


def test_an_error_within_a_table_propagates_after_the_cursor_is_restored() -> None:
    run = on_terminal("from calibrant._progress import LiveTable\nwith LiveTable(lambda: 'x'): raise ValueError")
    assert run.code != 0
    assert run.drawn.index(SHOW_CURSOR) < run.drawn.index("Traceback")
