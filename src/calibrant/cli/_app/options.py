"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Json", "usage_error"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, to standard output.")]


def usage_error(message: str, *options: str) -> typer.BadParameter:
    """Return the error for options that are wrong or do not fit together; the message names them."""
    return typer.BadParameter(message, param_hint=" / ".join(options) or None)
