"""HTML files of reports: ``--html FILE``, checked before the work and written whole after it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli._app.options import usage_error
from calibrant.cli._app.writing import STDOUT, open_output

if TYPE_CHECKING:
    from calibrant.report import Report

__all__ = ["Html", "NoRows", "check_html", "save_report"]

_EXTENSIONS = (".html", ".htm")

Html = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Write a report to open in a browser: one HTML file.")
]


NoRows = Annotated[
    bool,
    typer.Option("--no-rows", help="Embed nothing of single rows: at least ten share every number of a curve."),
]


class _NothingWrittenError(Exception):
    """Ends a trial of writing, so that nothing is written."""


def check_html(path: str | None) -> None:
    """Raise if a report cannot be made or its file not be written; call it before long work.

    An older file stays as it is. The extension must be that of HTML, so that a mistyped option overwrites no table.
    """
    if path is None:
        return
    if path == STDOUT:
        raise usage_error("must be a file; got -.", "--html")
    if Path(path).suffix.lower() not in _EXTENSIONS and not Path(path).is_dir():
        raise usage_error(f"must be a file with the extension .html; got {path!r}.", "--html")
    from calibrant._optional import optional_import

    for package in ("altair", "vl_convert"):
        optional_import(package, extra="report", purpose="make a report")
    try:
        with open_output(path):
            raise _NothingWrittenError
    except _NothingWrittenError:
        pass


def save_report(report: Report, path: str) -> int:
    """Write a report, whole or not at all, and return its size in bytes."""
    page = report.to_html().encode()
    with open_output(path) as file:
        file.write(page)
    return len(page)
