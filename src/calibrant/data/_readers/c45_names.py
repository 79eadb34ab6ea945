"""The ``.names`` file of C4.5: the classes, then each attribute and its values.

Follows J. R. Quinlan, *C4.5: Programs for Machine Learning* (1993). Of See5, its successor, the name of an attribute
as the class and ``label`` for ``ignore`` are supported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibrant.data._readers.c45_lexer import Lexer, Name
from calibrant.data._readers.file_text import PathLike, check_width, normalize_text, quoted, suggestion
from calibrant.exceptions import ReadError, nearest

__all__ = ["Names", "Spec", "read_names"]

Spec = Literal["continuous", "ignore"] | int | tuple[str, ...]

_DISCRETE = re.compile(r"discrete ?([0-9]*+)")
# A larger number of values is a mistake in the file rather than a column.
_MAX_VALUES = 1_000_000
_KINDS = ("continuous", "ignore", "discrete")
_WRITE_VALUES = "Write continuous, ignore, discrete n, or two values or more."
_SELECTIONS = ("attributes included", "attributes excluded")


@dataclass(frozen=True)
class Names:
    """What a ``.names`` file declares.

    Parameters
    ----------
    classes : tuple of str
        The classes in declared order; empty if the class is a ``discrete n`` attribute.
    attributes : tuple of (str, spec)
        The attributes in the order of the data: ``"continuous"``, ``"ignore"``, an int n for ``discrete n``,
        or the tuple of the declared values.
    target : str, optional
        The attribute that is the class. None: the class follows the attributes.

    Examples
    --------
    >>> Names(("no", "yes"), (("age", "continuous"), ("class", ("a", "b")))).class_name
    'class_1'
    """

    classes: tuple[str, ...]
    attributes: tuple[tuple[str, Spec], ...]
    target: str | None = None

    @property
    def class_name(self) -> str:
        """The name of the class column: ``class``, or ``class_1`` and so on if that is taken."""
        if self.target is not None:
            return self.target
        taken = {name for name, _ in self.attributes}
        options = ("class", *(f"class_{number}" for number in range(1, len(taken) + 1)))
        return next(option for option in options if option not in taken)


def read_names(path: PathLike, text: str) -> Names:
    r"""Read the text of a ``.names`` file; ``path`` is for error messages.

    Examples
    --------
    >>> names = read_names("golf.names", "play, don't play.\nsky: sunny, rain.\nwind: continuous.")
    >>> names.classes, names.attributes
    (('play', "don't play"), (('sky', ('sunny', 'rain')), ('wind', 'continuous')))
    """
    return _NamesReader(path, Lexer(normalize_text(path, text), colons=True)).read()


class _NamesReader:
    """Reads a ``.names`` file entry by entry."""

    def __init__(self, path: PathLike, lexer: Lexer) -> None:
        self._path, self._lexer = path, lexer
        self._attributes: dict[str, Spec] = {}

    def read(self) -> Names:
        """Read all entries."""
        classes = self._classes()
        while (name := self._lexer.next_name()) is not None:
            self._read_attribute(name)
        if not self._attributes:
            raise self._error(self._lexer.line, "no attributes follow the classes", "Write 'name: values.' lines.")
        attributes = tuple(self._attributes.items())
        if len(classes) > 1:
            return Names(tuple(name.text for name in classes), attributes)
        return Names(self._classes_of(classes[0]), attributes, classes[0].text)

    def _classes(self) -> list[Name]:
        names = self._lexer.list_of_names()
        if not names or names[-1].end == ":":
            raise self._error(self._lexer.line, "the classes are missing", "Write them first: no, yes.")
        self._check_list(names)
        return names

    def _classes_of(self, target: Name) -> tuple[str, ...]:
        """Return the classes if the first entry is the name of an attribute instead of a list of classes."""
        if target.text not in self._attributes:
            hint = suggestion(target.text, self._attributes, title="Attributes")
            problem = f"{quoted(target.text)} is the only class, and no attribute has that name"
            raise self._error(target.line, problem, hint)
        spec = self._attributes[target.text]
        if isinstance(spec, str):
            raise self._error(target.line, f"the class is {spec}", "Make it nominal.", target.text)
        return spec if isinstance(spec, tuple) else ()

    def _read_attribute(self, name: Name) -> None:
        if name.end != ":":
            hint = "Write 'name: values.', and a comma where a list goes on."
            raise self._error(name.line, f"no colon follows {quoted(name.text)}", hint)
        if not name.text:
            raise self._error(name.line, "an attribute has no name", "Write it before the colon.")
        if name.text in self._attributes:
            problem = "a second attribute has this name"
            raise self._error(name.line, problem, "Rename one of them.", name.text)
        if name.text in _SELECTIONS:
            hint = "Declare the attributes to exclude as ignore."
            raise self._error(name.line, f"{quoted(name.text)} of See5 is not supported", hint)
        self._attributes[name.text] = self._spec(name)
        check_width(self._path, len(self._attributes))

    def _spec(self, attribute: Name) -> Spec:
        names = self._lexer.list_of_names()
        if not names or not names[0].text:
            raise self._error(attribute.line, "no values are declared", _WRITE_VALUES, attribute.text)
        if names[-1].end == ":":
            problem = f"a colon follows the value {quoted(names[-1].text)}"
            hint = "Declare values for each attribute; write \\: inside a value."
            raise self._error(names[-1].line, problem, hint, attribute.text)
        if len(names) == 1:
            return self._kind(names[0], attribute.text)
        self._check_list(names, attribute.text)
        return tuple(name.text for name in names)

    def _kind(self, name: Name, attribute: str) -> Spec:
        match name.text.lower():
            case "continuous":
                return "continuous"
            case "ignore" | "label":
                return "ignore"
            case text if match := _DISCRETE.fullmatch(text):
                return self._discrete(match[1], name.line, attribute)
        near = nearest(name.text[:40].lower(), _KINDS).strip()
        problem = f"{quoted(name.text)} is the only value"
        raise self._error(name.line, problem, near or _WRITE_VALUES, attribute)

    def _discrete(self, digits: str, line: int, attribute: str) -> int:
        number = int(digits[:9] or 0)
        if not 2 <= number <= _MAX_VALUES:
            problem = f"the number of discrete values is {digits or 'missing'}"
            raise self._error(line, problem, f"Write discrete 2 to discrete {_MAX_VALUES}.", attribute)
        return number

    def _check_list(self, names: Sequence[Name], column: str | None = None) -> None:
        counts = Counter(name.text for name in names)
        for name in names:
            if not name.text:
                raise self._error(name.line, "a name in the list is empty", "Remove a comma.", column)
            if counts[name.text] > 1:
                problem = f"{quoted(name.text)} is declared {counts[name.text]} times"
                raise self._error(name.line, problem, "Name it once.", column)
        if names[-1].end == ",":
            raise self._error(names[-1].line, "the list ends in a comma", "Complete it.", column)

    def _error(self, line: int, problem: str, hint: str, column: str | None = None) -> ReadError:
        return ReadError.at(self._path, problem, line=line, column=column, hint=hint)
