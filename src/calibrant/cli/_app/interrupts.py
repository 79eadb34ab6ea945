"""Ctrl-C, also where a library replaces or loses the exception that it raises."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["Interrupts"]


class Interrupts:
    """Whether Ctrl-C was pressed within a ``with`` block, whatever became of the exception.

    Importing a library runs code in destructors and callbacks, where Python prints an exception and drops it: it is
    raised again there.
    """

    def __init__(self) -> None:
        self.happened = False
        self._before: tuple[Any, Any] | None = None

    def __enter__(self) -> Self:
        try:
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._interrupt)
                self._before = (signal.default_int_handler, sys.unraisablehook)
                sys.unraisablehook = self._raise_again
        except ValueError:  # not the main thread, which has the signals
            pass
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before[0])
            sys.unraisablehook = self._before[1]

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.happened = True
        signal.default_int_handler(number, frame)

    def _raise_again(self, dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        else:
            sys.__unraisablehook__(dropped)
