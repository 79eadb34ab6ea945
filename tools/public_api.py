"""Print every public name of a package with its signature, the same on each version of Python.

    python tools/public_api.py > tests/public_api.txt

Public is what stands in the ``__all__`` of a module without an underscore in its path. Of a class: its bases,
its constructor, and the public methods and properties that the package itself defines.
"""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

PACKAGE = "calibrant"
WIDTH = 90


def describe(package: str) -> Iterator[str]:
    for module in public_modules(package):
        yield module.__name__
        for name in sorted(module.__all__):
            yield from indent(describe_name(name, getattr(module, name)))
        yield ""


def public_modules(package: str) -> Iterator[ModuleType]:
    module = importlib.import_module(package)
    yield module
    for child in sorted(pkgutil.iter_modules(getattr(module, "__path__", [])), key=lambda info: info.name):
        if not child.name.startswith("_"):
            yield from public_modules(f"{package}.{child.name}")


def describe_name(name: str, item: Any) -> Iterator[str]:
    if inspect.ismodule(item):
        yield f"module {name}"
    elif inspect.isclass(item):
        yield from describe_class(name, item)
    elif inspect.isroutine(item):
        yield f"def {name}{signature(item)}"
    else:
        yield f"{name}{type_of(item)}"


def describe_class(name: str, cls: type) -> Iterator[str]:
    bases = [base.__name__ for base in cls.__bases__ if base is not object and not is_private(base)]
    yield f"class {name}" + (f"({', '.join(bases)})" if bases else "")
    yield from indent(describe_members(cls))


def is_private(base: type) -> bool:
    """Return whether a base class is a detail: private by its name, or a mixin of the package itself."""
    own_mixin = base.__module__.startswith(f"{PACKAGE}.") and base.__name__.endswith("Mixin")
    return own_mixin or base.__name__.startswith("_")


def describe_members(cls: type) -> Iterator[str]:
    own = [base for base in cls.__mro__ if base.__module__.split(".")[0] == cls.__module__.split(".")[0]]
    members = {member: value for base in reversed(own) for member, value in vars(base).items()}
    if issubclass(cls, enum.Enum):
        yield from (f"{name} = {member.value!r}" for name, member in cls.__members__.items())
    elif not getattr(cls, "_is_protocol", False) and members.keys() & {"__init__", "__new__"}:
        yield f"__init__{signature(cls)}"
    for member in sorted(members):
        if not member.startswith("_"):
            yield from describe_member(member, members[member])


def describe_member(name: str, item: Any) -> Iterator[str]:
    """Describe methods and properties; what else a class holds is a field or put there by another library."""
    if isinstance(item, property | functools.cached_property):
        getter = item.fget if isinstance(item, property) else item.func
        yield f"property {name}{signature(getter, bound=True).removeprefix('()')}"
    elif isinstance(item, classmethod | staticmethod):
        kind = type(item).__name__
        yield f"{kind} {name}{signature(item.__func__, bound=kind == 'classmethod')}"
    elif inspect.isfunction(inspect.unwrap(item)):
        yield f"def {name}{signature(inspect.unwrap(item), bound=True)}"


def signature(item: Any, *, bound: bool = False) -> str:
    found = inspect.signature(item)
    parts = written([*found.parameters.values()][bound:])
    returns = "" if inspect.isclass(item) else annotation(" -> ", found.return_annotation)
    line = f"({', '.join(parts)}){returns}"
    if len(line) <= WIDTH:
        return line
    return "\n".join(["(", *indent(f"{part}," for part in parts), f"){returns}"])


def written(parameters: Sequence[inspect.Parameter]) -> list[str]:
    parts = [write(parameter) for parameter in parameters]
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    if by_position := kinds.count(inspect.Parameter.POSITIONAL_ONLY):
        parts.insert(by_position, "/")
    return parts


def write(parameter: inspect.Parameter) -> str:
    # A default without a repr of its own shows its address, which changes from run to run
    default = re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(parameter.default))
    name = str(parameter.replace(annotation=inspect.Parameter.empty, default=inspect.Parameter.empty))
    value = "" if parameter.default is inspect.Parameter.empty else f" = {default}"
    return name + annotation(": ", parameter.annotation) + value


def annotation(prefix: str, given: Any) -> str:
    """Return an annotation as it was written: no quotes, no ``ForwardRef(...)``."""
    if given is inspect.Signature.empty:
        return ""
    text = getattr(given, "__forward_arg__", given)
    return prefix + (text if isinstance(text, str) else inspect.formatannotation(text))


def type_of(item: Any) -> str:
    """Return the type of a constant, unless it is one of typing's, whose names change between versions."""
    kind = type(item)
    return f": {kind.__name__}" if kind.__module__.split(".")[0] in ("builtins", PACKAGE) else ""


def indent(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for text in lines for line in text.splitlines())


if __name__ == "__main__":
    print("\n".join(describe(sys.argv[1] if len(sys.argv) > 1 else PACKAGE)).rstrip())
