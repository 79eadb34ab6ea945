"""Colours of light and dark pages: lines that everybody can distinguish, ink, grid, and the configuration of Vega."""

from __future__ import annotations

from typing import Any, Literal

# The same stack as the page's; Vega measures the texts with it, so that "inherit" does not do.
FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif'

# Strokes and gaps in pixels; models that share a colour differ in them, and all differ on black-and-white paper.
DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (8, 3), (2, 2), (8, 3, 2, 3), (4, 2), (12, 3, 2, 3, 2, 3), (5, 5))


# Hairlines and borders of controls have 3:1, labels and notes ("muted") 4.5:1 on the background and the surface, and so
# have the colour and the ink of each kind of callout on its ground (WCAG 2.2, AA). "neutral" is for lines of no model,
# "surface" for cards, tooltips and the heads of tables, "accent" for links and focus.
THEMES: dict[Literal["light", "dark"], dict[str, str]] = {
    "light": {
        "background": "#ffffff",
        "surface": "#f8f9fb",
        "ink": "#1b1f24",
        "muted": "#59626e",
        "grid": "#e4e7eb",
        "neutral": "#6b7480",
        "accent": "#005a8f",
        "good": "#0a6b4a",
        "bad": "#b03a00",
        "unsure": "#5a4a8c",
        "rule": "#dde0e5",
        "control": "#7d8590",
        "info": "#005a8f",
        "warning": "#7a5200",
        "good-ground": "#e6f4ee",
        "bad-ground": "#fdece4",
        "unsure-ground": "#f0edf8",
        "info-ground": "#e7f1f8",
        "warning-ground": "#fbf2dc",
    },
    "dark": {
        "background": "#15181d",
        "surface": "#1e2228",
        "ink": "#e8eaed",
        "muted": "#a3acb8",
        "grid": "#2c323a",
        "neutral": "#9099a5",
        "accent": "#7cc4f0",
        "good": "#63d2a6",
        "bad": "#ff9466",
        "unsure": "#c2b3f2",
        "rule": "#343b44",
        "control": "#7f8894",
        "info": "#7cc4f0",
        "warning": "#e9c46a",
        "good-ground": "#142b22",
        "bad-ground": "#351d13",
        "unsure-ground": "#252039",
        "info-ground": "#142a3a",
        "warning-ground": "#2f2613",
    },
}

# Hues of Okabe & Ito (2008). Their orange, sky blue and purple are too pale for lines on white (2.2 to 3.1:1), and on a
# dark page their blue is too dark: lightness was moved until each line has 3:1 and the six differ by at least 0.11 in
# OKLab under Machado, Oliveira & Fernandes' (2009) deuteranopia and protanopia (0.08 for the original six).
MODELS: dict[Literal["light", "dark"], tuple[str, ...]] = {
    "light": ("#0072B2", "#D55E00", "#2E9A78", "#7D2E62", "#7A4D00", "#4596D0", "#1B1F24"),
    "dark": ("#56B4E9", "#E0641E", "#85EBCB", "#AD5A88", "#F0E442", "#3D7BDE", "#E8EAED"),
}


def model_style(index: int) -> dict[str, Any]:
    """Return the colours and dashes of a model; 49 models differ in at least one of them.

    Examples
    --------
    >>> model_style(1)
    {'color': {'light': '#D55E00', 'dark': '#E0641E'}, 'dash': [8, 3]}
    """
    cycle, place = divmod(index, len(DASHES))
    color = {name: colors[place] for name, colors in MODELS.items()}
    return {"color": color, "dash": list(DASHES[(place + cycle) % len(DASHES)])}


def vega_config(theme: Literal["light", "dark"]) -> dict[str, Any]:
    """Return the configuration with which the page draws all charts; specifications hold no colours.

    Examples
    --------
    >>> config = vega_config("dark")
    >>> config["range"]["category"][0], config["background"]
    ('#56B4E9', 'transparent')
    """
    colors = THEMES[theme]
    return {
        "background": "transparent",
        "font": FONT,
        "padding": {"left": 2, "top": 4, "right": 16, "bottom": 4},  # half a label stands out on the right
        "range": {"category": list(MODELS[theme])},
        "view": {"stroke": None},
        "axis": {
            "aria": False,
            "domainColor": colors["neutral"],
            "gridColor": colors["grid"],
            "labelColor": colors["muted"],
            "labelFontSize": 12,
            "labelOverlap": True,
            "labelSeparation": 6,
            "ticks": False,
            "labelPadding": 6,
            "titleColor": colors["ink"],
            "titleFontSize": 13,
            "titleFontWeight": "normal",
        },
        "axisX": {"grid": False, "titlePadding": 8},
        "axisY": {
            "domain": False,
            "titleAngle": 0,
            "titleAlign": "left",
            "titleAnchor": "end",
            "titleBaseline": "bottom",
        },
        # Of marks that belong to no model, and of the dot under the pointer
        "style": {
            "calibrant-neutral": {"color": colors["neutral"]},
            "calibrant-fill": {"color": colors["neutral"]},
            "calibrant-reference": {"color": colors["neutral"], "strokeDash": [4, 3], "strokeWidth": 1},
            "calibrant-label": {"color": colors["muted"], "fontSize": 12, "font": FONT},
            "calibrant-title": {"font": FONT, "fontSize": 13, "fontWeight": "normal", "fill": colors["ink"]},
            "calibrant-dot": {"stroke": colors["background"], "strokeWidth": 1.5},
        },
    }
