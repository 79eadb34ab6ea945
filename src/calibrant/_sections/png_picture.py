"""A picture that is drawn already."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field

from calibrant._sections.markup import element, text

__all__ = ["PngPicture"]


@dataclass(frozen=True)
class PngPicture:
    """A picture in a PNG file.

    Parameters
    ----------
    png : bytes
        The content of the file.
    description : str
        What the picture shows, for those who do not see it.
    caption : str
        What stands below it.

    Examples
    --------
    >>> PngPicture(b"", "A line").html()
    '<figure class="picture"><img src="data:image/png;base64," alt="A line"></figure>'
    """

    png: bytes = field(repr=False)
    description: str
    caption: str = ""

    def html(self) -> str:
        """Return the picture as HTML, the file inside."""
        image = f'<img src="data:image/png;base64,{b64encode(self.png).decode()}" alt="{text(self.description)}">'
        caption = element("figcaption", text(self.caption)) if self.caption else ""
        return element("figure", image, caption, class_="picture")
