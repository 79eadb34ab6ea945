"""Forms of nearest neighbours."""

from __future__ import annotations

from calibrant.files._codec.form import Form

__all__ = ["FORMS"]

FORMS: tuple[Form, ...] = ()
