"""Progress of long work: a rich bar where somebody watches (a terminal, a notebook), nothing elsewhere."""

from __future__ import annotations

import multiprocessing
import operator
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any, Generic, NamedTuple, Self, TypeVar, overload

from calibrant._optional import optional_import
from calibrant.exceptions import MissingExtraError

__all__ = ["Bar", "progress"]

T = TypeVar("T")


class Bar(Generic[T]):
    """A bar that nobody sees; the drawn one behaves the same.

    Examples
    --------
    >>> with Bar([3, 4]) as bar:
    ...     bar.advance()
    >>> list(bar)
    [3, 4]
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def advance(self, steps: float = 1) -> None:
        """Tell that some steps are done."""


class _DrawnBar(Bar[T]):
    """A line of the display, from ``with`` or the first item on."""

    def __init__(self, items: Iterable[T], total: float | None, description: str) -> None:
        super().__init__(items)
        self._total, self._description = total, description
        self._line: _Line | None = None

    def __iter__(self) -> Iterator[T]:
        with self:
            for item in self._items:
                yield item
                self.advance()

    def __enter__(self) -> Self:
        if self._line is None:
            self._line = _screen.open(self._description, self._total)
        return self

    def __exit__(self, *_: object) -> None:
        line, self._line = self._line, None
        if line is not None:
            _screen.close(line)

    def advance(self, steps: float = 1) -> None:
        """Draw that some steps are done."""
        if self._line is not None:
            self._line.display.advance(self._line.task, steps)


class _Line(NamedTuple):
    display: Any
    task: Any


class _Screen:
    """Keeps one live display, which is all that rich allows: a bar within a bar is a second line of it."""

    def __init__(self) -> None:
        # Re-entrant, because an abandoned bar may be collected, and so closed, while another one opens
        self._lock = threading.RLock()
        self._display: Any = None

    def open(self, description: str, total: float | None) -> _Line:
        with self._lock:
            if self._display is None:
                self._display = _new_display()
                self._display.start()
            display = self._display
            return _Line(display, display.add_task(description, total=total))

    def close(self, line: _Line) -> None:
        with self._lock:
            if len(line.display.task_ids) > 1:
                line.display.remove_task(line.task)
            else:
                self._display = None
                line.display.stop()


_screen = _Screen()


@overload
def progress(
    iterable: Iterable[T], *, total: float | None = ..., description: str = ..., enabled: bool | None = ...
) -> Bar[T]: ...


@overload
def progress(
    iterable: None = ..., *, total: float | None = ..., description: str = ..., enabled: bool | None = ...
) -> Bar[Any]: ...


def progress(
    iterable: Iterable[Any] | None = None,
    *,
    total: float | None = None,
    description: str = "",
    enabled: bool | None = None,
) -> Bar[Any]:
    """Show how far a loop or a piece of work has come.

    Parameters
    ----------
    iterable : iterable, optional
        What to loop over: ``for tree in progress(trees): ...``. Without it, open the bar with ``with`` and
        tell it of each step: ``with progress(total=n) as bar: bar.advance()``.
    total : float, optional
        The number of steps; by default the length of the iterable where it has one.
    description : str
        What is being done, in a word or two.
    enabled : bool, optional
        None draws where somebody watches: standard error is a terminal or the process runs a notebook, rich
        is installed and the environment variable ``CALIBRANT_PROGRESS`` is not ``0``. False is silent. True
        draws in any case, and needs rich.

    Returns
    -------
    Bar
        To loop over or to open with ``with``.

    Examples
    --------
    >>> [2 * x for x in progress([1, 2, 3], description="Doubling")]
    [2, 4, 6]
    >>> with progress(total=10, description="Growing", enabled=False) as bar:
    ...     bar.advance(5)
    """
    if not _is_drawn(enabled):
        return Bar(() if iterable is None else iterable)
    if total is None and iterable is not None:
        known = operator.length_hint(iterable, -1)
        total = known if known >= 0 else None
    return _DrawnBar(() if iterable is None else iterable, total, description)


def _is_drawn(enabled: bool | None) -> bool:
    if enabled is False or (enabled is None and not _is_watched()):
        return False
    try:
        optional_import("rich.progress", extra="progress", purpose="draw progress bars")
    except MissingExtraError:
        if enabled:
            raise
        return False
    return True


def _is_watched() -> bool:
    silenced = os.environ.get("CALIBRANT_PROGRESS") == "0"
    # Workers share the terminal of their parent, whose own bar they would overwrite
    is_worker = multiprocessing.parent_process() is not None
    return not silenced and not is_worker and (_is_terminal(sys.stderr) or _is_notebook())


def _is_terminal(file: Any) -> bool:
    # rich puts a proxy before the streams while it draws; that of rich 13 says it is no terminal
    file = getattr(file, "rich_proxied_file", file)
    try:
        return bool(file.isatty())
    except (AttributeError, ValueError):  # None under pythonw, or closed
        return False


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # rich warns at each refresh where it has no widget to draw in
    return getattr(shell, "kernel", None) is not None and find_spec("ipywidgets") is not None


def _new_display() -> Any:
    import rich.console
    import rich.progress as columns

    return columns.Progress(
        columns.TextColumn("{task.description}", markup=False),
        columns.BarColumn(),
        columns.MofNCompleteColumn(),
        columns.TimeRemainingColumn(elapsed_when_finished=True),
        console=rich.console.Console(stderr=True),
        # A redirected print goes where the display goes, to stderr: not what a pipe on stdout waits for
        redirect_stdout=_is_terminal(sys.stdout),
    )
