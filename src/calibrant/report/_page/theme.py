"""Colours of the page in both themes, as CSS custom properties; those of the models come from the charts' palette."""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "theme_css"]

# Text has a contrast of at least 4.5 to the surfaces below it, lines and borders of controls of at least 3 (WCAG 2.2, AA)
LIGHT = {
    "bg": "#f6f6f3",
    "surface": "#ffffff",
    "ink": "#181b20",
    "muted": "#555b65",
    "rule": "#dcddd8",
    "control": "#81868e",
    "grid": "#ecece8",
    "accent": "#00568f",
    "reference": "#73787f",
    "good": "#006547",
    "good-bg": "#e7f4ee",
    "bad": "#a33000",
    "bad-bg": "#fdede5",
    "unsure": "#5a4a8c",
    "unsure-bg": "#f0edf8",
    "info": "#00568f",
    "info-bg": "#e8f1f8",
    "warning": "#795000",
    "warning-bg": "#fbf2de",
}
DARK = {
    "bg": "#111417",
    "surface": "#1a1e22",
    "ink": "#e9e9e5",
    "muted": "#a9afb7",
    "rule": "#30363c",
    "control": "#7d858f",
    "grid": "#282d33",
    "accent": "#7cc0f5",
    "reference": "#959ca5",
    "good": "#57d3a8",
    "good-bg": "#13291f",
    "bad": "#ff9a70",
    "bad-bg": "#331b11",
    "unsure": "#c2b3f2",
    "unsure-bg": "#231e35",
    "info": "#7cc0f5",
    "info-bg": "#13273a",
    "warning": "#f0bd55",
    "warning-bg": "#2d2311",
}


def theme_css(light: dict[str, str], dark: dict[str, str], n_models: int) -> str:
    """Return the rules that define the colours of both themes and the colour of what belongs to a model.

    Examples
    --------
    >>> theme_css({"ink": "#000"}, {"ink": "#fff"}, 0).splitlines()[0]
    ':root{color-scheme:light;--ink:#000}'
    """
    dark_rule = f"{{color-scheme:dark;{_properties(dark)}}}"
    return "\n".join(
        [
            f":root{{color-scheme:light;{_properties(light)}}}",
            f"@media screen{{:root[data-theme=dark]{dark_rule}}}",
            f"@media screen and (prefers-color-scheme:dark){{:root[data-theme=auto]{dark_rule}}}",
            *(f'[data-model="{i}"],[data-model-switch="{i}"]{{--model:var(--model-{i})}}' for i in range(n_models)),
        ]
    )


def _properties(colors: dict[str, str]) -> str:
    return ";".join(f"--{name}:{color}" for name, color in colors.items())
