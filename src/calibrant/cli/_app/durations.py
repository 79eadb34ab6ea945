"""Durations: ``30s``, ``5m``, ``1h``, or a number of seconds."""

from __future__ import annotations

import re

import typer

__all__ = ["read_duration"]

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_duration(text: str) -> float:
    """Return the seconds of a duration.

    Examples
    --------
    >>> read_duration("30s"), read_duration("1.5m"), read_duration("90")
    (30.0, 90.0, 90.0)
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([smhd]?)\s*", text.lower())
    if not found or float(found[1]) == 0.0:
        raise typer.BadParameter(f"must be a duration above 0, such as 30s, 5m or 1h; got {text!r}.")
    return float(found[1]) * _SECONDS[found[2]]
