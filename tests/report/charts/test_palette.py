"""Lines of models can be seen on both backgrounds and distinguished by colour-blind readers."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from calibrant.report._charts.palette import MODELS, THEMES, model_style, vega_config

ThemeName = Literal["light", "dark"]
both = pytest.mark.parametrize("theme", ["light", "dark"])

# Machado, Oliveira & Fernandes (2009), table 1, severity 1.0, applied to linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
# Ottosson (2020): linear RGB to cone responses, and their cube roots to OKLab.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(color: str) -> NDArray[np.float64]:
    """Return linear RGB of "#rrggbb" (IEC 61966-2-1)."""
    channels = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(color: str, background: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    low, high = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (color, background))
    return (high + 0.05) / (low + 0.05)


def seen(color: str, vision: str) -> NDArray[np.float64]:
    """Return OKLab of a colour as somebody with that vision sees it."""
    return TO_OKLAB @ np.cbrt(TO_CONES @ np.clip(VISION[vision] @ linear(color), 0, 1))


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@both
def test_lines_have_a_contrast_of_3_to_1(theme: ThemeName) -> None:
    colors = THEMES[theme]
    grounds = (colors["background"], colors["surface"])
    assert min(contrast(line, ground) for line in (*MODELS[theme], colors["neutral"]) for ground in grounds) >= 3


@both
def test_texts_have_a_contrast_of_4_5_to_1(theme: ThemeName) -> None:
    colors = THEMES[theme]
    kinds = ("good", "bad", "unsure", "info", "warning")
    texts = [colors[name] for name in ("ink", "muted", "accent", *kinds)]
    assert min(contrast(text, colors[ground]) for text in texts for ground in ("background", "surface")) >= 4.5
    assert min(contrast(colors[each], colors[f"{kind}-ground"]) for kind in kinds for each in (kind, "ink")) >= 4.5


@both
@pytest.mark.parametrize("vision", VISION)
def test_the_first_six_models_differ_for_colour_blind_readers(theme: ThemeName, vision: str) -> None:
    labs = [seen(color, vision) for color in MODELS[theme][:6]]
    assert min(float(np.linalg.norm(one - other)) for one, other in combinations(labs, 2)) >= 0.11  # a step seen: 0.02


def test_49_models_differ_in_colour_or_dashes() -> None:
    styles = [model_style(index) for index in range(49)]
    assert len({(style["color"]["light"], tuple(style["dash"])) for style in styles}) == 49
    assert [style["color"]["dark"] for style in styles[:7]] == list(MODELS["dark"])


@both
def test_the_configuration_has_the_colours_of_its_theme(theme: ThemeName) -> None:
    config = vega_config(theme)
    assert config["range"]["category"] == list(MODELS[theme])
    assert config["axis"]["labelColor"] == THEMES[theme]["muted"]
