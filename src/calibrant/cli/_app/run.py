"""Running a command: its exit code, a message instead of a traceback."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

import typer

from calibrant.cli._app.errors import (
    BUG,
    CLOSED_PIPE,
    DONE,
    EXIT_CODES,
    INTERRUPTED,
    USAGE,
    CommandError,
    as_command_line,
    code_of,
)
from calibrant.cli._app.invocation import record_command, record_start
from calibrant.cli._app.printing import print_error, print_json, print_note


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


_UsageError = typer.BadParameter.__bases__[0]  # public under no name that all versions of typer have
_NEW_ISSUE = "This is a bug in calibrant. Please report it with the command and what --debug prints."


def run(args: Sequence[str], start: float) -> int:
    """Run a command that began at a time of the monotonic clock; errors are printed, and the exit code returned."""
    record_start(start)
    args, options = list(args), args[: args.index("--")] if "--" in args else args
    debug, as_json = "--debug" in options, "--json" in options
    if debug:
        args.remove("--debug")
    for name in ("stdout", "stderr"):  # closed by the caller: Python has None for it
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # for the whole process
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

    for name in args:
        if not name.isprintable() and any("\ud800" <= character <= "\udfff" for character in name):
            raise CommandError(f"{name!r} is not text in the encoding of this system. Rename the file.", USAGE)
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
