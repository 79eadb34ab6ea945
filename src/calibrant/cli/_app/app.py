"""The typer app, made of the commands that `COMMANDS` lists."""

from __future__ import annotations

import importlib
import inspect
from typing import Annotated, Any

import typer
from typer.main import get_command

from calibrant import __version__
from calibrant.cli._app.commands import COMMANDS
from calibrant.cli._app.help_page import CommandPage, GroupPage, MainPage

__all__ = ["make_command"]

_SETTINGS = {"help_option_names": ["-h", "--help"]}


def make_command() -> Any:
    """Return the command ``calibrant``."""
    app = typer.Typer(cls=MainPage, no_args_is_help=True, context_settings=_SETTINGS)
    app.callback(help=_page_text(calibrant))(calibrant)
    for entry in COMMANDS:
        module = importlib.import_module(f"calibrant.cli._commands.{entry.name}")
        if hasattr(module, "app"):
            for command in module.app.registered_commands:
                command.cls, command.help = CommandPage, _page_text(command.callback)
            page: dict[str, Any] = {"cls": GroupPage, "help": _page_text(module), "rich_help_panel": entry.heading}
            app.add_typer(module.app, name=entry.name, no_args_is_help=True, **page)
        else:
            function = getattr(module, entry.name)
            page = {"cls": CommandPage, "help": _page_text(function), "rich_help_panel": entry.heading}
            app.command(entry.name, no_args_is_help=True, **page)(function)
    return get_command(app)


def _page_text(described: Any) -> str:
    """Return a docstring with its paragraphs unwrapped, except those that begin with ``$``."""
    paragraphs = inspect.cleandoc(described.__doc__ or "").split("\n\n")
    return "\n\n".join(text if text.startswith("$") else text.replace("\n", " ") for text in paragraphs)


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
