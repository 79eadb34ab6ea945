"""Fields and forms that stand apart from their classes, until each class declares its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from calibrant._saved.fields import Field, OrNone, RowsOnly, named, wrong
from calibrant._saved.form import Form
from calibrant._saved.form import estimator_form as _estimator_form

__all__ = ["Optional_", "Struct", "estimator_form"]

Optional_ = OrNone


class Struct(Field):
    """A small object that stands in the document itself: its class, and the fields that its constructor takes."""

    def __init__(self, cls: Callable[..., Any], fields: Mapping[str, Field]) -> None:
        self.cls, self.fields = cls, fields

    def write(self, value: Any, out: Any) -> dict[str, Any]:
        if type(value) is not self.cls:
            raise wrong(f"a {self.cls.__name__}", value)
        document = {}
        for name, field in self.fields.items():
            with named(name):
                document[name] = field.write(getattr(value, name), out)
        return document

    def read(self, document: Any, source: Any) -> Any:
        if type(document) is not dict or document.keys() != self.fields.keys():
            raise wrong(f"{', '.join(self.fields)}", document)
        values = {}
        for name, field in self.fields.items():
            with named(name):
                values[name] = field.read(document[name], source)
        return self.cls(**values)


def estimator_form(
    name: str, cls: type, fitted: Mapping[str, Field], *, with_rows: tuple[str, ...] = (), **options: Any
) -> Form:
    """Return the form of an estimator; ``with_rows`` names fields that are saved with the training rows only."""
    fields = {each: RowsOnly(field) if each in with_rows else field for each, field in fitted.items()}
    return _estimator_form(name, cls, fields, **options)
