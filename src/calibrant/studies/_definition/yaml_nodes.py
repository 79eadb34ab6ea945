"""YAML text as values with line numbers: the core schema of YAML 1.2, without tags, bombs or repeated keys."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
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
_MAX_DIGITS = 400  # of a number; Python takes quadratic time to read long ones


class TextError(Exception):
    """The text of a file is wrong: the problem, and the line where it is known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


@dataclass
class YamlNode:
    """A value with its line: a scalar, a list of nodes, or a mapping of keys to their lines and nodes."""

    line: int
    value: Any = None  # of a scalar
    items: list[YamlNode] | None = None
    entries: dict[Any, tuple[int, YamlNode]] | None = None
    is_open: bool = False
    size: int = 1  # number of nodes, those of aliases counted where they stand
    height: int = 0
    key: tuple[int, Any] | None = field(default=None, repr=False)  # the key of an open mapping that awaits its value

    def to_value(self) -> Any:
        """Return the value without line numbers."""
        if self.items is not None:
            return [each.to_value() for each in self.items]
        if self.entries is not None:
            return {key: each.to_value() for key, (_, each) in self.entries.items()}
        return self.value

    def line_of(self, path: tuple[str | int, ...]) -> int:
        """Return the line of a part, or of the innermost part around it that there is."""
        node, line = self, self.line
        for key in path:
            if node.entries is not None and key in node.entries:
                line, node = node.entries[key]
            elif node.items is not None and isinstance(key, int) and key < len(node.items):
                node = node.items[key]
                line = node.line
            else:
                break
        return line


def read_yaml(text: str) -> YamlNode | None:
    r"""Return the only document of a YAML text; None if there is none.

    Raises
    ------
    TextError
        If the text is not YAML, repeats a key, has a tag other than those of plain values, more than one document,
        or more values or levels than a study needs, aliases expanded.

    Examples
    --------
    >>> node = read_yaml("classes: [no, yes]\nrate: 1e-3\n")
    >>> node.to_value(), node.line_of(("rate",))
    ({'classes': ['no', 'yes'], 'rate': 0.001}, 2)
    """
    yaml = optional_import("yaml", extra="studies", purpose="read study files in YAML")
    builder = _Builder()
    try:
        # Events, not nodes: the composers of PyYAML recurse, which deep nesting turns into a crash
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.add(type(event).__name__, event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise TextError(_syntax_problem(error), None if mark is None else mark.line + 1) from error
    except yaml.reader.ReaderError as error:
        raise TextError(f"the character #x{error.character:04x} is not allowed", _line_of(text, error)) from error
    except yaml.YAMLError as error:
        raise TextError(" ".join(str(error).split())) from error
    return builder.document


def _syntax_problem(error: Any) -> str:
    problem = " ".join(f"{error.problem or ''} {error.context or ''}".split())
    hint = ". Indent with spaces, not with tabs" if "\\t" in problem or "tab character" in problem else ""
    return f"is not valid YAML: {problem}{hint}"


def _line_of(text: str, error: Any) -> int | None:
    character = chr(error.character) if isinstance(error.character, int) else str(error.character)
    position = text.find(character)
    return None if position < 0 else text.count("\n", 0, position) + 1


class _Builder:
    """Builds nodes from events, with a stack of open ones instead of recursion."""

    def __init__(self) -> None:
        self.document: YamlNode | None = None
        self._open: list[YamlNode] = []
        self._anchors: dict[str, YamlNode] = {}
        self._n_nodes = 0

    def add(self, kind: str, event: Any) -> None:
        line = event.start_mark.line + 1
        if kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close()
        elif kind == "AliasEvent":
            self._place(self._aliased(event.anchor, line), line)
        elif kind == "DocumentStartEvent" and self.document is not None:
            raise TextError("has a second document, after '---'; a study file has one", line)
        elif kind in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            self._start(kind, event, line)

    def _start(self, kind: str, event: Any, line: int) -> None:
        if event.tag not in _TAGS:
            tag = event.tag.replace(_CORE, "!!")
            raise TextError(f"has the tag {short_repr(tag)}; only plain values are allowed, no objects", line)
        node = YamlNode(line)
        if kind == "ScalarEvent":
            node.value = _scalar(event, line)
        elif kind == "MappingStartEvent":
            node.entries, node.is_open = {}, True
        else:
            node.items, node.is_open = [], True
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if node.is_open:
            if len(self._open) >= MAX_DEPTH:
                raise TextError(f"is nested more than {MAX_DEPTH} levels deep", line)
            self._count(1, line)
            self._open.append(node)
        else:
            self._place(node, line)

    def _aliased(self, anchor: str, line: int) -> YamlNode:
        node = self._anchors.get(anchor)
        if node is None:
            raise TextError(f"has the alias *{anchor} before its anchor &{anchor}", line)
        if node.is_open:
            raise TextError(f"has the alias *{anchor} inside of what it stands for", line)
        return node

    def _close(self) -> None:
        node = self._open.pop()
        node.is_open = False
        children = list(_children(node))
        node.size = 1 + sum(each.size for each in children)
        node.height = 1 + max((each.height for each in children), default=0)
        self._n_nodes -= node.size  # counted one by one so far; placing it counts it again
        self._place(node, node.line)

    def _count(self, n_nodes: int, line: int) -> None:
        self._n_nodes += n_nodes
        if self._n_nodes > MAX_NODES:
            raise TextError(f"has more than {MAX_NODES:,} values, aliases expanded; a study needs fewer", line)

    def _place(self, node: YamlNode, line: int) -> None:
        """Put a finished node where it stands: into the innermost open one."""
        self._count(node.size, line)
        if len(self._open) + node.height > MAX_DEPTH:
            raise TextError(f"is nested more than {MAX_DEPTH} levels deep", line)
        if not self._open:
            self.document = node
            return
        parent = self._open[-1]
        if parent.items is not None:
            parent.items.append(node)
        elif parent.key is None:
            parent.key = line, _checked_key(node, parent, line)
        elif parent.entries is not None:
            key_line, key = parent.key
            parent.entries[key], parent.key = (key_line, node), None


def _children(node: YamlNode) -> Iterator[YamlNode]:
    yield from node.items or ()
    yield from (each for _, each in (node.entries or {}).values())


def _checked_key(node: YamlNode, parent: YamlNode, line: int) -> Any:
    if node.items is not None or node.entries is not None:
        raise TextError("has a list or a mapping as a key; a key is text or a number", line)
    if node.value == "<<":
        raise TextError("has a merge key '<<', which YAML 1.2 does not have; write the values out", line)
    if parent.entries is not None and node.value in parent.entries:
        first = parent.entries[node.value][0]
        raise TextError(f"has the key {short_repr(node.value)} twice, first in line {first}", line)
    return node.value


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
