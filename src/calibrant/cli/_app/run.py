"""Running a command: its exit code, and a message instead of a traceback."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from typing import TYPE_CHECKING

import typer

from calibrant.cli._app.command_text import record_command
from calibrant.cli._app.durations import record_start
from calibrant.cli._app.exit_codes import BUG, CLOSED_PIPE, DONE, EXIT_CODES, INTERRUPTED, USAGE, CommandError, code_of
from calibrant.cli._app.interrupts import Interrupts
from calibrant.cli._app.named_arguments import as_command_line
from calibrant.cli._app.printing import print_error, print_json, print_note

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run"]

_UsageError = typer.BadParameter.__bases__[0]  # public under no name that all versions of typer have
_NEW_ISSUE = "This is a bug in calibrant. Please report it with the command and what --debug prints."


def run(args: Sequence[str], start: float) -> int:
    """Run a command that began at a time of the monotonic clock; errors are printed, and the exit code returned."""
    record_start(start)
    args, options = list(args), args[: args.index("--")] if "--" in args else args
    debug, as_json = "--debug" in options, "--json" in options
    if debug:
        args.remove("--debug")
    for stream in (sys.stdout, sys.stderr):  # a terminal that is not UTF-8 shows ? for what it does not have
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with Interrupts() as interrupts, warnings.catch_warnings():
        if not debug:
            warnings.showwarning = _show_warning
        try:
            code = _invoke(args)
            sys.stdout.flush()
        except SystemExit:
            raise
        except BaseException as error:
            is_ours = isinstance(error, CommandError) or not interrupts.happened
            reported = error if is_ours else KeyboardInterrupt()  # whatever a library made of it
            code = _report(reported, debug=debug, as_json=as_json)
    return code


def _invoke(args: list[str]) -> int:
    from calibrant.cli._app.app import make_command

    command = make_command()
    record_command(args)
    if "_CALIBRANT_COMPLETE" in os.environ:
        command.main(args=args, prog_name="calibrant")
    try:
        with command.make_context("calibrant", args) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    return DONE


def _report(error: BaseException, *, debug: bool, as_json: bool) -> int:
    """Print an error and return its exit code."""
    code = USAGE if isinstance(error, _UsageError) else code_of(error)
    if debug:
        traceback.print_exception(error)
    if code == CLOSED_PIPE:
        _discard_output()
        return code
    try:
        if as_json:
            document = {"kind": EXIT_CODES[code][0], "message": _message(error, code), "exit_code": code}
            print_json({"error": document})
        else:
            _print_error(error, code)
        sys.stdout.flush()
    except OSError:
        _discard_output()
    return code


def _message(error: BaseException, code: int) -> str:
    if code == INTERRUPTED:
        return "Interrupted."
    if code == BUG:
        text = "".join(traceback.format_exception_only(error)).strip()
        return f"{text}. {_NEW_ISSUE}"
    if isinstance(error, _UsageError):
        return str(error.format_message())  # type: ignore[attr-defined]
    if isinstance(error, MemoryError):
        return "There is not enough memory. Use fewer rows, or a machine with more memory."
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return as_command_line(str(error))


def _print_error(error: BaseException, code: int) -> None:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" and context is not None:
        sys.stderr.write(context.get_help() + "\n")
        return
    if code == INTERRUPTED:
        print_note("Interrupted.")
        return
    print_error(_message(error, code))
    if isinstance(error, _UsageError) and context is not None:
        print_note(f"Try '{context.command_path} --help' for help.")


def _discard_output() -> None:
    """Send what is left in the buffer nowhere, because Python would report the error again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print_note(f"Note: {as_command_line(str(message))}")
