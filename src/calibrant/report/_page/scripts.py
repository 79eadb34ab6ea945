"""Style sheet and scripts of the page, and the content security policy that lets only them run."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from calibrant._optional import optional_import

__all__ = ["chart_bundle", "content_policy", "read_source"]


@cache
def read_source(name: str) -> str:
    """Return a file of this folder as text with line breaks as a browser reads them."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def chart_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script; made once a process, as it takes more than a second."""
    converter = optional_import("vl_convert", extra="report", purpose="draw the charts of a report")
    bundle: str = converter.javascript_bundle()
    # Both are the same string to JavaScript, but not to HTML
    return re.sub(r"<(?=/script|!--)", r"\\x3c", bundle.replace("\r\n", "\n"), flags=re.IGNORECASE)


def content_policy(scripts: Sequence[str], style: str) -> str:
    """Return a policy under which nothing is loaded and only these scripts and this style sheet are used.

    Examples
    --------
    >>> content_policy([], "")[:61]
    "default-src 'none'; script-src 'none'; style-src 'sha256-47DE"
    """
    allowed = " ".join(map(_source_hash, scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_source_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _source_hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
