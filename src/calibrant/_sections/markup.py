"""HTML elements made of escaped text."""

from __future__ import annotations

from html import escape

__all__ = ["element", "text"]


def text(value: object) -> str:
    """Return a value as escaped text; line breaks and control characters become spaces.

    Examples
    --------
    >>> text("a < b & 'c'")
    'a &lt; b &amp; &#x27;c&#x27;'
    """
    return escape("".join(character if character.isprintable() else " " for character in str(value)))


def element(tag: str, *content: str, **attributes: str | int | None) -> str:
    """Return an element; its content is HTML already, its attributes are text. ``class_`` is the attribute class.

    Attributes that are None or empty are left out, and an underscore in a name is a hyphen.

    Examples
    --------
    >>> element("td", text("<b>"), class_="number", data_model=0, title='"')
    '<td class="number" data-model="0" title="&quot;">&lt;b&gt;</td>'
    """
    shown = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value not in (None, "")}
    inside = "".join(f' {name}="{text(value)}"' for name, value in shown.items())
    return f"<{tag}{inside}>{''.join(content)}</{tag}>"
