"""Reports as one HTML page that needs no network and no server."""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from calibrant._optional import optional_import
from calibrant._sections import Section
from calibrant.report._charts.palette import model_style
from calibrant.report._page.page_parts import PageParts
from calibrant.report._page.theme import chart_config, theme_css, theme_properties


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


# Escaped as JSON escapes them: the text means the same, and HTML finds no tag, entity or line break in it
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def embed_json(value: Any) -> str:
    r"""Return a value as JSON that is safe inside a script element; numbers that are not finite become null.

    Examples
    --------
    >>> embed_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    try:
        written = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        written = json.dumps(_finite(value), separators=(",", ":"))
    return written.translate(_ESCAPES)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_ANALYSER = ("analyser_numbers.js", "analyser.js", "analyser_view.js")


def page_html(title: str, sections: Sequence[Section], models: Sequence[str]) -> str:
    """Return sections as one HTML page.

    Parameters
    ----------
    title : str
        The title.
    sections : sequence of Section
        The sections, the answer first.
    models : sequence of str
        The models, in the order of their colours.

    Returns
    -------
    str
        The page; all it needs is inside, and its content security policy lets nothing else run.

    Examples
    --------
    >>> page_html("Churn", [], []).startswith("<!doctype html>")
    True
    """
    from calibrant import __version__

    parts = PageParts(models)
    pages = parts.pages(sections)
    described = [{"name": name, **model_style(index)} for index, name in enumerate(models)]
    config, chart_colors = chart_config()
    light = theme_properties("light", described) | chart_colors["light"]
    dark = theme_properties("dark", described) | chart_colors["dark"]
    charts = {"figures": parts.figures, "analysers": parts.analysers, "config": config, "colors": light}
    sheets = ["page.css", *(["analyser.css"] if parts.analysers else []), "print.css"]
    style = "\n".join([theme_css(light, dark, len(models)), *map(read_source, sheets)])
    names = ["namespace.js", "charts.js", "numbers.js", *(_ANALYSER if parts.analysers else ()), "page.js"]
    # Charts are by far the largest script, so that a page without a chart has none
    bundle = [chart_bundle()] if parts.figures or parts.analysers else []
    scripts = bundle + [read_source(name) for name in names]
    safe = optional_import("markupsafe", extra="report", purpose="write a report").Markup
    return str(
        _template().render(
            title=title,
            version=__version__,
            pages=pages,
            models=described,
            several=len(models) > 1,
            policy=content_policy(scripts, style),
            style=safe(style),
            data=safe(embed_json({"models": described, **charts})),
            scripts=[safe(script) for script in scripts],
        )
    )


@cache
def _template() -> Any:
    jinja2 = optional_import("jinja2", extra="report", purpose="write a report")
    environment = jinja2.Environment(autoescape=True, finalize=_printable, undefined=jinja2.StrictUndefined)
    return environment.from_string(read_source("page.html"))


def _printable(value: Any) -> Any:
    """Return text with a space for each control character, as blocks do; what is HTML already stays."""
    if type(value) is not str or value.isprintable():
        return value
    return "".join(character if character.isprintable() else " " for character in value)
