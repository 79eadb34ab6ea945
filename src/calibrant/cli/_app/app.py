"""The typer app, made of the commands that `COMMANDS` lists."""

from __future__ import annotations

import importlib
import inspect
from typing import Annotated, Any

import typer
from typer.main import get_command

from calibrant import __version__
from calibrant.cli._app.commands import COMMANDS
from calibrant.cli._app.help_page import HelpPage

__all__ = ["make_command", "page_text"]

_SETTINGS = {"help_option_names": ["-h", "--help"]}


def make_command() -> Any:
    """Return the command ``calibrant``."""
    app = typer.Typer(
        name="calibrant", cls=HelpPage, no_args_is_help=True, pretty_exceptions_enable=False, context_settings=_SETTINGS
    )
    app.callback()(calibrant)
    for entry in COMMANDS:
        module = importlib.import_module(f"calibrant.cli._commands.{entry.name}")
        if hasattr(module, "app"):
            help_text = page_text(module)
            app.add_typer(
                module.app, name=entry.name, help=help_text, no_args_is_help=True, rich_help_panel=entry.heading
            )
        else:
            function = getattr(module, entry.name)
            app.command(entry.name, help=page_text(function), rich_help_panel=entry.heading, no_args_is_help=True)(
                function
            )
    return get_command(app)


def page_text(described: Any) -> str:
    """Return a docstring with its paragraphs unwrapped, except lines that begin with ``$`` or a blank."""
    paragraphs = inspect.cleandoc(described.__doc__ or "").split("\n\n")
    return "\n\n".join(text if text.startswith(("$", " ")) else text.replace("\n", " ") for text in paragraphs)


def calibrant(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=lambda shown: _print_version(shown), help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print Python's traceback with an error; may stand anywhere.")
    ] = False,
) -> None:
    """Get class probabilities that people can act on: learn, calibrate, measure, compare and decide."""
    del version, debug  # read by callbacks and by `run`


def _print_version(shown: bool) -> None:
    if shown:
        typer.echo(f"calibrant {__version__}")
        raise typer.Exit
