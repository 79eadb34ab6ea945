"""Reports as one HTML page that needs no network and no server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.report._charts.palette import model_style
from calibrant.report._page.embed_json import embed_json
from calibrant.report._page.page_parts import PageParts
from calibrant.report._page.scripts import chart_bundle, content_policy, read_source
from calibrant.report._page.theme import chart_config, theme_css, theme_properties

if TYPE_CHECKING:
    from calibrant._sections import Section

__all__ = ["page_html"]

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
    described = _models(models)
    config, chart_colors = chart_config()
    light = theme_properties("light", described) | chart_colors["light"]
    dark = theme_properties("dark", described) | chart_colors["dark"]
    charts = {"figures": parts.figures, "analysers": parts.analysers, "config": config, "colors": light}
    sheets = ["page.css", *(["analyser.css"] if parts.analysers else []), "print.css"]
    style = "\n".join([theme_css(light, dark, len(models)), *map(read_source, sheets)])
    scripts = _scripts(parts)
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


def _scripts(parts: PageParts) -> list[str]:
    """Return the scripts; charts are by far the largest, so that a page without a chart has none."""
    bundle = [chart_bundle()] if parts.figures or parts.analysers else []
    analyser = _ANALYSER if parts.analysers else ()
    return bundle + [read_source(name) for name in ("namespace.js", "charts.js", "numbers.js", *analyser, "page.js")]


def _models(models: Sequence[str]) -> list[dict[str, Any]]:
    return [{"name": name, **model_style(index)} for index, name in enumerate(models)]
