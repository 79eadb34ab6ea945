"""Texts of study files as values: YAML 1.2 by its core schema, with line numbers, and TOML; no tags, no bombs."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

from calibrant._optional import optional_import
from calibrant._repr import short_repr

# A study that lists ten thousand methods with parameters has about 80,000 values; bombs by aliases have billions.
MAX_NODES = 100_000
MAX_DEPTH = 60

_CORE = "tag:yaml.org,2002:"
_TAGS = {None, "!", *(_CORE + name for name in ("str", "int", "float", "bool", "null", "map", "seq"))}
# The core schema (YAML 1.2.2, section 10.3.2): "no", "on" and "1:30" are text, "1e-3" is a number.
_NULL = re.compile(r"(?:null|Null|NULL|~|)")
_BOOL = re.compile(r"(?:true|True|TRUE|false|False|FALSE)")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL, _HEXADECIMAL = re.compile(r"0o[0-7]+"), re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE, _NAN = re.compile(r"[-+]?\.(?:inf|Inf|INF)"), re.compile(r"\.(?:nan|NaN|NAN)")
_NO_KEY: Any = object()
_MAX_DIGITS = 400  # of a number; Python takes quadratic time to read long ones


class TextError(Exception):
    """The text of a file is wrong: the problem, and the line where it is known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


@dataclass
class YamlPart:
    """A value of a text, with the line that it stands in and, of a list or a mapping, those of its parts."""

    line: int
    value: Any = None
    lines: dict[Any, int] = field(default_factory=dict)
    parts: dict[Any, YamlPart] = field(default_factory=dict)
    is_open: bool = False
    size: int = 1  # number of values, those of aliases counted where they stand
    height: int = 0
    key: Any = _NO_KEY  # of an open mapping, the key that awaits its value

    def line_of(self, path: tuple[str | int, ...]) -> int:
        """Return the line of a part, or of the innermost part around it that there is."""
        part, line = self, self.line
        for key in path:
            if key not in part.parts:
                break
            part, line = part.parts[key], part.lines[key]
        return line


def read_yaml(text: str) -> YamlPart | None:
    r"""Return the only document of a YAML text; None if there is none.

    Raises
    ------
    TextError
        If the text is not YAML, repeats a key, has a tag other than those of plain values, more than one document,
        or more values or levels than a study needs, aliases expanded.

    Examples
    --------
    >>> whole = read_yaml("classes: [no, yes]\nrate: 1e-3\n")
    >>> whole.value, whole.line_of(("rate",))
    ({'classes': ['no', 'yes'], 'rate': 0.001}, 2)
    """
    yaml = optional_import("yaml", extra="studies", purpose="read study files in YAML")
    builder = _Builder()
    try:
        # Events, not nodes: the composers of PyYAML recurse, which deep nesting turns into a crash
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.add(type(event).__name__, event)
    except yaml.MarkedYAMLError as error:
        mark, problem = error.problem_mark or error.context_mark, f"{error.problem or ''} {error.context or ''}"
        hint = ". Indent with spaces, not with tabs" if "\\t" in problem or "tab character" in problem else ""
        problem = f"is not valid YAML: {' '.join(problem.split())}{hint}"
        raise TextError(problem, None if mark is None else mark.line + 1) from error
    except yaml.reader.ReaderError as error:
        character = chr(error.character) if isinstance(error.character, int) else str(error.character)
        before, found, _ = text.partition(character)
        line = before.count("\n") + 1 if found else None
        raise TextError(f"the character #x{error.character:04x} is not allowed", line) from error
    except yaml.YAMLError as error:
        raise TextError(" ".join(str(error).split())) from error
    return builder.document


class _Builder:
    """Builds values from events, with a stack of open ones instead of recursion."""

    def __init__(self) -> None:
        self.document: YamlPart | None = None
        self._open: list[YamlPart] = []
        self._anchors: dict[str, YamlPart] = {}
        self._n_values = 0

    def add(self, kind: str, event: Any) -> None:
        line = event.start_mark.line + 1
        if kind in ("MappingEndEvent", "SequenceEndEvent"):
            part = self._open.pop()
            part.is_open = False
            self._place(part, part.line)
        elif kind == "AliasEvent":
            aliased = self._anchors.get(event.anchor)
            if aliased is None or aliased.is_open:
                problem = f"before its anchor &{event.anchor}" if aliased is None else "inside of what it stands for"
                raise TextError(f"has the alias *{event.anchor} {problem}", line)
            self._count(aliased.size, line)
            self._place(aliased, line)
        elif kind == "DocumentStartEvent" and self.document is not None:
            raise TextError("has a second document, after '---'; a study file has one", line)
        elif kind in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            self._start(kind, event, line)

    def _start(self, kind: str, event: Any, line: int) -> None:
        if event.tag not in _TAGS:
            tag = event.tag.replace(_CORE, "!!")
            raise TextError(f"has the tag {short_repr(tag)}; only plain values are allowed, no objects", line)
        part = YamlPart(line)
        if event.anchor is not None:
            self._anchors[event.anchor] = part
        self._count(1, line)
        if kind == "ScalarEvent":
            part.value = _scalar(event, line)
            self._place(part, line)
            return
        part.value, part.is_open, part.height = ({} if kind == "MappingStartEvent" else []), True, 1
        if len(self._open) >= MAX_DEPTH:
            raise TextError(f"is nested more than {MAX_DEPTH} levels deep", line)
        self._open.append(part)

    def _count(self, n_values: int, line: int) -> None:
        self._n_values += n_values
        if self._n_values > MAX_NODES:
            raise TextError(f"has more than {MAX_NODES:,} values, aliases expanded; a study needs fewer", line)

    def _place(self, part: YamlPart, line: int) -> None:
        """Put a finished value where it stands: into the innermost open one."""
        if len(self._open) + part.height > MAX_DEPTH:
            raise TextError(f"is nested more than {MAX_DEPTH} levels deep", line)
        if not self._open:
            self.document = part
            return
        parent = self._open[-1]
        if isinstance(parent.value, list):
            key = len(parent.value)
            parent.value.append(part.value)
            parent.lines[key] = line
        elif parent.key is _NO_KEY:
            parent.key = _checked_key(part, parent, line)
            parent.lines[parent.key] = line
            return
        else:
            key, parent.key = parent.key, _NO_KEY
            parent.value[key] = part.value
        parent.parts[key] = part
        parent.size, parent.height = parent.size + part.size, max(parent.height, part.height + 1)


def _checked_key(part: YamlPart, parent: YamlPart, line: int) -> Any:
    if isinstance(part.value, list | dict):
        raise TextError("has a list or a mapping as a key; a key is text or a number", line)
    if part.value == "<<":
        raise TextError("has a merge key '<<', which YAML 1.2 does not have; write the values out", line)
    if part.value in parent.lines:
        raise TextError(f"has the key {short_repr(part.value)} twice, first in line {parent.lines[part.value]}", line)
    return part.value


def _scalar(event: Any, line: int) -> Any:
    text = event.value
    is_plain = event.implicit[0] if event.tag is None else event.tag.removeprefix(_CORE) not in ("str", "!")
    if not is_plain:
        return text
    if len(text) > _MAX_DIGITS and (_INT.fullmatch(text) or _FLOAT.fullmatch(text) or _HEXADECIMAL.fullmatch(text)):
        raise TextError(f"has a number of {len(text):,} digits", line)
    return _resolved(text)


def _resolved(text: str) -> Any:
    """Return the value of a plain scalar by the core schema."""
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() == "true"
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return -math.inf if text.startswith("-") else math.inf
    return math.nan if _NAN.fullmatch(text) else text


# tomllib takes quadratic time and memory for keys of many parts (CPython issue 149231).
_MAX_PARTS = 30
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}]")


def read_toml(text: str) -> dict[str, Any]:
    r"""Return the values of a TOML text.

    Raises
    ------
    TextError
        If the text is not TOML, or has more values or levels than a study needs.

    Examples
    --------
    >>> read_toml('name = "s"\n[plan]\nclass = "LeaveOneOut"\n')
    {'name': 's', 'plan': {'class': 'LeaveOneOut'}}
    """
    _check_keys(text)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, where = str(error).rpartition(" (at ")
        line = re.match(r"line (\d+)", where)
        if line is None:
            raise TextError(f"is not valid TOML: {error}") from error
        raise TextError(f"is not valid TOML: {problem}", int(line[1])) from error
    except RecursionError as error:
        raise TextError(f"is nested more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:  # a number of thousands of digits, which Python does not read
        raise TextError(f"is not valid TOML: {error}") from error
    _check_size(values)
    return values


def _check_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") <= _MAX_PARTS or line.lstrip().startswith("#"):
            continue
        packed = line.replace(" ", "").replace("\t", "")
        if any(piece.count(".") > _MAX_PARTS for piece in _BETWEEN_KEYS.split(packed)):
            raise TextError(f"has a key of more than {_MAX_PARTS} parts", number)


def _check_size(values: Any) -> None:
    """Raise if there are too many values or levels; without recursion, which deep nesting would exhaust."""
    level, n_values = [values], 0
    for _ in range(MAX_DEPTH + 1):
        n_values += len(level)
        if n_values > MAX_NODES:
            raise TextError(f"has more than {MAX_NODES:,} values; a study needs fewer")
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [value for each in inner for value in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return
    raise TextError(f"is nested more than {MAX_DEPTH} levels deep")
