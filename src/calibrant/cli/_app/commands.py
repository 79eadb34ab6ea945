"""The list of commands, in the order of ``calibrant --help``.

To add a command, write ``cli/_commands/NAME.py`` with a function ``NAME`` (or, for a command that has commands of its
own, a ``typer.Typer`` called ``app``), and add a line to `COMMANDS`. The function's parameters are typer's. Its
docstring (that of the module for an ``app``) is the help page: the first paragraph is its line in ``calibrant --help``,
a paragraph that begins with ``$`` is an example and keeps its lines. Import whatever takes time (numpy, pandas,
calibrant's packages) inside the function. Then:

- take `Json` of ``options.py`` where there is a result, and print it by `print_json`: nothing else may then go to
  standard output;
- read tables by ``reading.py`` (a path or ``-``), and write files by ``writing.py`` (whole or not at all);
- print results by `print_text` and `print_table` of ``printing.py``, remarks by `print_note` (to standard error);
- let errors of calibrant pass: ``exit_codes.py`` maps them to exit codes, ``run.py`` prints them. Raise `CommandError`
  with an exit code for others, `usage_error` for arguments that do not fit together, ``typer.Exit(code)`` to stop;
- document it in ``docs/command_line.md``, whose examples ``tests/cli/test_documentation.py`` runs.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMMANDS", "Command"]

_MAIN = "The main job"
_STEPS = "One step at a time"
_MORE = "Studies, models and data"


@dataclass(frozen=True)
class Command:
    """The name of a command, which is that of its file, and its heading in ``calibrant --help``."""

    name: str
    heading: str


COMMANDS = (
    Command("compare", _MAIN),
    Command("fit", _STEPS),
    Command("predict", _STEPS),
    Command("evaluate", _STEPS),
    Command("decide", _STEPS),
    Command("report", _STEPS),
    Command("inspect", _MORE),
    Command("study", _MORE),
    Command("reproduce", _MORE),
    Command("datasets", _MORE),
)
