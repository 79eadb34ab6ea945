"""Progress of long computations: a rich bar or table on a terminal or in a notebook, nothing elsewhere.

What rich.progress lacks: staying silent, and not imported, where nobody is watching (pipes, worker processes, notebooks
without widgets, CI), and, before rich 14.1, a second bar while one is shown: bars share one display here.
"""

from __future__ import annotations

import multiprocessing
import operator
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any, Generic, Self, TypeVar, overload

from calibrant._optional import optional_import
from calibrant.exceptions import MissingExtraError

T = TypeVar("T")

_DRAWN_PER_SECOND = 4  # of a live table: fast enough to look alive, under 1 % of a processor


class Bar(Generic[T]):
    """A bar that is not shown; the one that is shown has the same methods.

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
        """Advance the bar by some steps."""


class _ShownBar(Bar[T]):
    """A line of the shared display, from ``with`` or the first item on."""

    # Re-entrant, because an abandoned bar may be collected, and so closed, while another one opens
    _lock = threading.RLock()
    _shared: Any = None  # the display of all open bars

    def __init__(self, items: Iterable[T], total: float | None, description: str) -> None:
        super().__init__(items)
        self._total, self._description = total, description
        self._display: Any = None
        self._task: Any = None

    def __iter__(self) -> Iterator[T]:
        with self:
            for item in self._items:
                yield item
                self.advance()

    def __enter__(self) -> Self:
        with self._lock:
            if self._display is None:
                if _ShownBar._shared is None:
                    _ShownBar._shared = _new_display()
                    _ShownBar._shared.start()
                self._display = _ShownBar._shared
                self._task = self._display.add_task(self._description, total=self._total)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            display, self._display = self._display, None
            if display is not None and len(display.task_ids) > 1:
                display.remove_task(self._task)
            elif display is not None:
                _ShownBar._shared = None
                display.stop()

    def advance(self, steps: float = 1) -> None:
        """Advance the bar by some steps."""
        if self._display is not None:
            self._display.advance(self._task, steps)


class LiveTable:
    """A table that is drawn anew several times a second while it is open; bars within stay hidden.

    Parameters
    ----------
    render : function
        Returns what is shown: a renderable of rich. It is called by a thread of its own.
    console : rich.console.Console, optional
        By default one that writes to standard error.
    """

    _n_open = 0  # in this process

    def __init__(self, render: Callable[[], Any], console: Any = None) -> None:
        self._render, self._console = render, console
        self._live: Any = None

    def __enter__(self) -> Self:
        import rich.console
        import rich.live

        self._live = rich.live.Live(
            get_renderable=self._render,
            console=self._console or rich.console.Console(stderr=True),
            refresh_per_second=_DRAWN_PER_SECOND,
            redirect_stdout=_is_terminal(sys.stdout),
        )
        self._live.start()
        LiveTable._n_open += 1
        return self

    def __exit__(self, *_: object) -> None:
        LiveTable._n_open -= 1
        self._live.stop()

    @classmethod
    def is_open(cls) -> bool:
        """Return whether a table is shown by this process."""
        return cls._n_open > 0


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
    """Return a progress bar for a loop or another computation.

    Parameters
    ----------
    iterable : iterable, optional
        What to loop over: ``for tree in progress(trees): ...``. Without it, open the bar with ``with`` and advance
        it: ``with progress(total=n) as bar: bar.advance()``.
    total : float, optional
        The number of steps; by default the length of the iterable where it has one.
    description : str
        What is computed, in a word or two.
    enabled : bool, optional
        None shows the bar where standard error is a terminal or the process runs a notebook, rich is installed, the
        environment variable ``CALIBRANT_PROGRESS`` is not ``0`` and ``CI`` is not set. False never shows it. True
        always shows it, and needs rich.

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
    items = () if iterable is None else iterable
    if not is_shown(enabled):
        return Bar(items)
    if total is None and iterable is not None:
        length = operator.length_hint(iterable, -1)
        total = length if length >= 0 else None
    return _ShownBar(items, total, description)


def is_shown(enabled: bool | None) -> bool:
    """Return whether progress is shown: `enabled`, or if that is None, whether somebody is watching.

    Examples
    --------
    >>> is_shown(False)
    False
    """
    if enabled is False or (enabled is None and not _is_watched()):
        return False
    try:
        optional_import("rich.progress", extra="progress", purpose="show progress bars")
    except MissingExtraError:
        if enabled:
            raise
        return False
    return True


def _is_watched() -> bool:
    is_silenced = os.environ.get("CALIBRANT_PROGRESS") == "0" or _is_ci() or LiveTable.is_open()
    # Workers share the terminal of their parent, whose own bar they would overwrite
    is_worker = multiprocessing.parent_process() is not None
    return not is_silenced and not is_worker and (_is_terminal(sys.stderr) or _is_notebook())


def _is_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")  # some services offer a terminal to their logs


def _is_terminal(file: Any) -> bool:
    # rich replaces the streams by a proxy while it draws, and that of rich 13 denies being a terminal
    file = getattr(file, "rich_proxied_file", file)
    try:
        return bool(file.isatty())
    except (AttributeError, ValueError):  # None under pythonw, or closed
        return False


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # Without widgets rich warns at each refresh
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
        # A redirected print goes where the display goes, to stderr, and not to a pipe on stdout that expects it
        redirect_stdout=_is_terminal(sys.stdout),
    )
