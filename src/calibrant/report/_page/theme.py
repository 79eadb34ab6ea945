"""Colours of the page in both themes as CSS custom properties, those of the charts among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from calibrant.report._charts.palette import FONT, THEMES, vega_config

_Name = Literal["light", "dark"]


def chart_config() -> tuple[dict[str, Any], dict[_Name, dict[str, str]]]:
    """Return Vega's configuration with a custom property for each colour, and their values in both themes.

    With custom properties a chart follows the theme, and paper is light, without being drawn anew.

    Examples
    --------
    >>> config, properties = chart_config()
    >>> config["axis"]["labelColor"] in {f"var(--{name})" for name in properties["dark"]}
    True
    """
    names: dict[tuple[str, str], str] = {}
    config = _with_properties(vega_config("light"), vega_config("dark"), names)
    values = {index: {name: pair[index] for pair, name in names.items()} for index in (0, 1)}
    return config, {"light": values[0], "dark": values[1]}


def _with_properties(light: Any, dark: Any, names: dict[tuple[str, str], str]) -> Any:
    """Return the configuration of both themes; what differs between them is a colour."""
    if isinstance(light, dict):
        return {key: _with_properties(light[key], dark[key], names) for key in light}
    if isinstance(light, list):
        return [_with_properties(one, other, names) for one, other in zip(light, dark, strict=True)]
    return light if light == dark else f"var(--{names.setdefault((light, dark), f'chart-{len(names)}')})"


def theme_properties(name: _Name, models: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the custom properties of a theme: its own and those of the models."""
    return THEMES[name] | {f"model-{index}": model["color"][name] for index, model in enumerate(models)}


def theme_css(light: dict[str, str], dark: dict[str, str], n_models: int) -> str:
    """Return the rules that define the properties of both themes and the colour of what belongs to a model.

    Examples
    --------
    >>> theme_css({"ink": "#000"}, {"ink": "#fff"}, 1).splitlines()[-1]
    '[data-model="0"],[data-model-switch="0"]{--model:var(--model-0)}'
    """
    dark_rule = f"{{color-scheme:dark;{_declarations(dark)}}}"
    return "\n".join(
        [
            f":root{{color-scheme:light;--sans:{FONT};{_declarations(light)}}}",
            f"@media screen{{:root[data-theme=dark]{dark_rule}}}",
            f"@media screen and (prefers-color-scheme:dark){{:root[data-theme=auto]{dark_rule}}}",
            *(f'[data-model="{i}"],[data-model-switch="{i}"]{{--model:var(--model-{i})}}' for i in range(n_models)),
        ]
    )


def _declarations(properties: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in properties.items())
