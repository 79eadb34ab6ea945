"""A leading underscore means private to its package: others may import its public names and its `_internal` only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import calibrant

SOURCE = Path(calibrant.__file__).parent
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("[a-z]*/__init__.py"))

# Each name that a package offers to the others in its `_internal` ties packages together.
MOST_INTERNAL_NAMES = 180


@cache
def imports(path: Path) -> list[tuple[str, str]]:
    """Return the module and the name of every import of calibrant's own in a file."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "calibrant":
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.split(".")[0] == "calibrant"]
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def foreign_private(package: str) -> Iterator[str]:
    """Yield the private modules and private names of other packages that a package imports."""
    for path in sorted((SOURCE / package).rglob("*.py")):
        for module, name in imports(path):
            _, owner, *rest = [*module.split("."), ""]
            if owner in PACKAGES and owner != package:
                internal = rest[:1] == ["_internal"] and not is_private(name)
                if not internal and any(is_private(part) for part in [*rest, name]):
                    yield f"{path.relative_to(SOURCE)}: {module}.{name}"


def internal_names(package: str) -> list[str]:
    path = SOURCE / package / "_internal.py"
    if not path.exists():
        return []
    node = next(node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.Assign))
    return list(ast.literal_eval(node.value))


def test_a_package_imports_nothing_private_of_another() -> None:
    assert [found for package in PACKAGES for found in foreign_private(package)] == []


def test_internal_names_are_few() -> None:
    assert sum(len(internal_names(package)) for package in PACKAGES) <= MOST_INTERNAL_NAMES


def test_every_internal_name_is_used_by_another_package_alone() -> None:
    used: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for path in SOURCE.rglob("*.py"):
        user = path.relative_to(SOURCE).parts[0]
        for module, name in imports(path):
            _, owner, part = [*module.split(".")[:3], "", ""][:3]
            if part == "_internal":
                assert owner != user, f"{path} imports the interface of its own package"
                used[owner].add(name)
    assert used == {package: set(internal_names(package)) for package in PACKAGES}
