"""The stack of a worker as faulthandler wrote it, shown as Python shows tracebacks."""

from __future__ import annotations

import re
from itertools import takewhile

__all__ = ["format_stack"]

_FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>.*) in (?P<function>.*)')
_MAX_FRAMES = 50


def format_stack(dump: str, own_file: str) -> str:
    """Return the frames that the loop of a worker called, the last call last; empty if there are none.

    Parameters
    ----------
    dump : str
        What faulthandler wrote: the frames of each thread, the last call first.
    own_file : str
        The file of the worker's loop, whose frames and those before them are left out.

    Examples
    --------
    >>> dump = '''Timeout (0:00:02)!
    ... Thread 0x00007f (most recent call first):
    ...   File "method.py", line 7 in wait
    ...   File "method.py", line 3 in fit
    ...   File "worker.py", line 99 in serve
    ... '''
    >>> print(format_stack(dump, "worker.py"), end="")
    Stack shortly before the limit (most recent call last):
      File "method.py", line 3, in fit
      File "method.py", line 7, in wait
    """
    for thread in re.split(r"^(?=Thread|Current thread)", dump, flags=re.MULTILINE):
        frames = [match for line in thread.splitlines() if (match := _FRAME.fullmatch(line))]
        called = list(takewhile(lambda frame: frame["file"] != own_file, frames))
        if called and len(called) < len(frames):
            lines = [f'  File "{each["file"]}", line {each["line"]}, in {each["function"]}' for each in called]
            shown = lines[:_MAX_FRAMES][::-1]
            return "\n".join(["Stack shortly before the limit (most recent call last):", *shown, ""])
    return ""
