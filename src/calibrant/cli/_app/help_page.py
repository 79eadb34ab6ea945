"""The page that ``calibrant --help`` prints: commands by heading, options, exit codes."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from calibrant.cli._app.exit_codes import EXIT_CODES

__all__ = ["HelpPage"]

_WIDEST = 100  # columns: lines of more are hard to read


class HelpPage(TyperGroup):
    """The root command, with a help page of its own: plain text of the terminal's width."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        width = min(shutil.get_terminal_size().columns, _WIDEST)
        formatter.write("\n".join(self._lines(ctx, width)) + "\n")

    def _lines(self, ctx: Any, width: int) -> Iterator[str]:
        yield from textwrap.wrap(self.help or "", width)
        yield from ["", f"{_bold('Usage:')} calibrant COMMAND …", ""]
        for heading, commands in self._by_heading(ctx).items():
            yield _bold(heading)
            yield from _pairs(((name, command.get_short_help_str(1000)) for name, command in commands), width)
            yield ""
        yield _bold("Options")
        yield from _pairs(((option.opts[-1], getattr(option, "help", "")) for option in self.get_params(ctx)), width)
        yield from ["", _bold("Exit codes")]
        yield from _pairs(((str(code), meaning) for code, (_, meaning) in EXIT_CODES.items()), width)
        yield from ["", *textwrap.wrap("calibrant COMMAND --help explains a command and shows examples.", width)]

    def _by_heading(self, ctx: Any) -> dict[str, list[tuple[str, Any]]]:
        found: dict[str, list[tuple[str, Any]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                found.setdefault(str(getattr(command, "rich_help_panel", None)), []).append((name, command))
        return found


def _bold(text: str) -> str:
    return typer.style(text, bold=True)


def _pairs(pairs: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield lines of a term and its explanation, wrapped beside it."""
    pairs = list(pairs)
    indent = min(max((len(term) for term, _ in pairs), default=0), 24) + 4
    for term, text in pairs:
        first = f"  {term}".ljust(indent)
        lines = textwrap.wrap(text, max(width - indent, 20)) or [""]
        yield first + lines[0]
        yield from (" " * indent + line for line in lines[1:])
