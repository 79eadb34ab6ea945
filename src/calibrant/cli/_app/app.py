"""The typer app: its commands, in the order of ``calibrant --help``.

To add a command, write ``cli/_commands/NAME.py`` with a function ``NAME`` (or, for a command that has commands of its
own, a ``typer.Typer`` called ``app``), and add its name to `COMMANDS`. The function's parameters are typer's. Its
docstring (that of the module for an ``app``) is the help page: the first paragraph is its line in ``calibrant --help``,
a paragraph that begins with ``$`` is an example and keeps its lines. Import whatever takes time (numpy, pandas,
calibrant's packages) inside the function. Then:

- take `Json` of ``options.py`` where there is a result, and print it by `print_json`: nothing else may then go to
  standard output;
- read tables (a path or ``-``) and write files (whole or not at all) by ``files.py``;
- print results by `print_text` and `print_table` of ``printing.py``, remarks by `print_note` (to standard error);
- let errors of calibrant pass: ``errors.py`` maps them to exit codes, ``run.py`` prints them. Raise `CommandError`
  with an exit code for others, `usage_error` for arguments that do not fit together, ``typer.Exit(code)`` to stop;
- document it in ``docs/command_line.md``, whose examples ``tests/cli/test_documentation.py`` runs.
"""

from __future__ import annotations

import importlib
import inspect
import shutil
import textwrap
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from calibrant import __version__
from calibrant.cli._app.errors import EXIT_CODES

# The commands, which have the names of their files, by their heading in ``calibrant --help``
COMMANDS = {
    "The main job": ("compare",),
    "One step at a time": ("check", "fit", "predict", "evaluate", "decide", "report"),
    "Studies, models and data": ("inspect", "study", "reproduce", "datasets"),
}
_WIDEST = 100  # columns: lines of more are hard to read
_TERM = 22  # columns that a term takes at most beside its explanation


class _Command(TyperCommand):
    """A command whose help page leaves room for explanations on narrow terminals."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        formatter.write_dl = partial(formatter.write_dl, col_max=_TERM)
        super().format_options(ctx, formatter)


class _Group(TyperGroup):
    """A command of commands, whose help page has their first paragraphs whole, under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands; typer's own list cuts off what does not fit a line."""
        headings: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            heading = command.rich_help_panel if isinstance(command.rich_help_panel, str) else "Commands"
            headings.setdefault(heading, []).append((name, command.help.partition("\n\n")[0]))
        for heading in [*(each for each in COMMANDS if each in headings), *(headings.keys() - COMMANDS.keys())]:
            with formatter.section(heading):
                formatter.write_dl(headings[heading])


class _Main(_Group):
    """The command ``calibrant``: its page has the exit codes of all commands too."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # click's signature
        """Write the exit codes."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, (_, meaning) in EXIT_CODES.items()])
        formatter.write_paragraph()
        formatter.write_text("calibrant COMMAND --help explains a command and shows examples.")


def make_command() -> Any:
    """Return the command ``calibrant``, with help pages in plain text of the terminal's width."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    settings = {"help_option_names": ["-h", "--help"], "terminal_width": width}
    app = typer.Typer(cls=_Main, no_args_is_help=True, context_settings=settings, rich_markup_mode=None)
    app.callback(help=_page_text(calibrant))(calibrant)
    for heading, names in COMMANDS.items():
        for name in names:
            module = importlib.import_module(f"calibrant.cli._commands.{name}")
            page: dict[str, Any] = {"no_args_is_help": True, "rich_help_panel": heading}
            if hasattr(module, "app"):
                for command in module.app.registered_commands:
                    command.cls, command.help = _Command, _page_text(command.callback)
                app.add_typer(module.app, name=name, cls=_Group, help=_page_text(module), **page)
            else:
                function = getattr(module, name)
                app.command(name, cls=_Command, help=_page_text(function), **page)(function)
    return get_command(app)


def _page_text(described: Any) -> str:
    """Return a docstring as typer takes it: a paragraph of examples, which begins with ``$``, keeps its lines."""
    paragraphs = inspect.cleandoc(described.__doc__ or "").split("\n\n")
    return "\n\n".join(_example(text) if text.startswith("$") else text.replace("\n", " ") for text in paragraphs)


def _example(text: str) -> str:
    """Return the lines of an example; a command that is wider than the terminal goes on after a backslash."""
    width = max(min(shutil.get_terminal_size().columns, _WIDEST) - 4, _TERM)
    wrap = partial(textwrap.wrap, width=width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    lines = [" \\\n".join(wrap(line)) if line.startswith("$") else line for line in text.split("\n")]
    return "\b\n" + "\n".join(lines)


def _print_version(shown: bool) -> None:
    if shown:
        typer.echo(f"calibrant {__version__}")
        raise typer.Exit


_Version = Annotated[bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")]
_Debug = Annotated[bool, typer.Option("--debug", help="Print Python's traceback with an error; may stand anywhere.")]


def calibrant(*, version: _Version = False, debug: _Debug = False) -> None:
    """Get class probabilities that people can act on: learn, calibrate, measure, compare and decide.

    From a table to a calibrated model, a verdict and a decision:

    $ calibrant compare data.csv --target y
    """
    del version, debug  # read by the callback, and by `run`
