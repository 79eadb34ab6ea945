"""Help pages as plain text of the terminal's width: what it does, examples, commands or options, exit codes."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperCommand, TyperGroup

from calibrant.cli._app.exit_codes import EXIT_CODES
from calibrant.cli._app.printing import bold

__all__ = ["CommandPage", "GroupPage", "MainPage"]

_WIDEST = 100  # columns: lines of more are hard to read
_TERM = 22  # columns that a term takes at most beside its explanation


class CommandPage(TyperCommand):
    """A command whose help page is plain text."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write(_page([*_about(self, ctx), *_parameters(self, ctx)]))


class GroupPage(TyperGroup):
    """A command of commands, whose help page is plain text."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write(_page([*_about(self, ctx), *_commands(self, ctx), *_parameters(self, ctx)]))


class MainPage(TyperGroup):
    """The command ``calibrant``: its page has the exit codes of all commands too."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        codes = _listed("Exit codes", ((str(code), meaning) for code, (_, meaning) in EXIT_CODES.items()))
        end = _filled("calibrant COMMAND --help explains a command and shows examples.")
        formatter.write(_page([*_about(self, ctx), *_commands(self, ctx), *_parameters(self, ctx), *codes, *end]))


def _page(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def _width() -> int:
    return min(shutil.get_terminal_size().columns, _WIDEST)


def _filled(text: str) -> list[str]:
    return textwrap.wrap(text, _width(), break_on_hyphens=False)


def _about(command: Any, ctx: Any) -> Iterator[str]:
    """Yield usage and description; a paragraph that begins with ``$`` is an example and keeps its lines."""
    words = [
        ctx.command_path,
        *(_metavar(parameter) for parameter in command.params if not parameter.opts[0].startswith("-")),
    ]
    is_group = isinstance(command, TyperGroup)
    yield f"{bold('Usage:')} {' '.join([*words, 'COMMAND …' if is_group else '[OPTIONS]'])}"
    yield ""
    for paragraph in (command.help or "").split("\n\n"):
        if paragraph.startswith("$"):
            yield from (f"  {line}" for line in paragraph.split("\n"))
        else:
            yield from _filled(paragraph)
        yield ""


def _commands(group: Any, ctx: Any) -> Iterator[str]:
    headings: dict[str, list[tuple[str, str]]] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        heading = getattr(command, "rich_help_panel", None)
        first = (command.help or "").partition("\n\n")[0]
        headings.setdefault(heading if isinstance(heading, str) else "Commands", []).append((name, first))
    for heading, commands in headings.items():
        yield from _listed(heading, commands)


def _parameters(command: Any, ctx: Any) -> Iterator[str]:
    shown = [parameter for parameter in command.get_params(ctx) if not getattr(parameter, "hidden", False)]
    arguments = [parameter for parameter in shown if not parameter.opts[0].startswith("-")]
    options = [parameter for parameter in shown if parameter.opts[0].startswith("-")]
    yield from _listed("Arguments", ((_metavar(parameter), parameter.help or "") for parameter in arguments))
    yield from _listed("Options", ((_option_term(option), _option_text(option)) for option in options))


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or (parameter.name or "").upper())


def _option_term(option: Any) -> str:
    names = sorted(option.opts, key=len) + list(option.secondary_opts)
    takes_value = not getattr(option, "is_flag", False) and "--help" not in names
    return ", ".join(names) + (f" {_metavar(option)}" if takes_value and not option.secondary_opts else "")


def _option_text(option: Any) -> str:
    text = str(option.help or "")
    default = option.default
    is_told = isinstance(default, str | int | float) and not isinstance(default, bool) and option.show_default
    return text + (" Required." if option.required else f" By default {default}." if is_told else "")


def _listed(heading: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a heading and lines of a term and its explanation, wrapped beside it."""
    pairs = list(pairs)
    if not pairs:
        return
    indent = min(max(len(term) for term, _ in pairs), _TERM, _width() // 3) + 4
    yield bold(heading)
    for term, text in pairs:
        lines = textwrap.wrap(text, max(_width() - indent, 20), break_on_hyphens=False) or [""]
        if len(term) + 4 > indent:
            lines = ["", *lines]
        yield (f"  {term}".ljust(indent) + lines[0]).rstrip()
        yield from (" " * indent + line for line in lines[1:])
    yield ""
