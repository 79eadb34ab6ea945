"""Write the source of the documentation site: the pages of docs/, pages of the project, and a reference.

    python tools/docs_source.py build/docs-source

`docs/` itself has only what people write. The reference has a page for each public module and for each public name
(those of tests/public_api.txt); the pages of the project are Markdown files beside `docs/`, with their links set right.
"""

from __future__ import annotations

import functools
import inspect
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# Files of the repository that are pages of the site too, and where
PROJECT = {
    "CHANGELOG.md": "project/changelog.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "benchmarks/RESULTS.md": "project/results.md",
}
KINDS = {"class": "Classes", "exception": "Exceptions and warnings", "function": "Functions", "data": "Data"}


def write_source(folder: Path) -> None:
    """Write the whole source into a folder; what was there and is no longer part of it is deleted."""
    wanted = {**copied_pages(), **project_pages(), **reference_pages()}
    for old in (path for path in folder.rglob("*") if path.is_file()):
        if old.relative_to(folder).as_posix() not in wanted:
            old.unlink()
    for name, content in wanted.items():
        write_if_changed(folder / name, content)


def write_if_changed(path: Path, content: bytes) -> None:
    """Write a file unless it is the same already, so that Sphinx reads again only what changed."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copied_pages() -> dict[str, bytes]:
    files = (path for path in DOCS.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {
        (name := path.relative_to(DOCS).as_posix()): with_links(path, name)
        if path.suffix == ".md"
        else path.read_bytes()
        for path in files
    }


def project_pages() -> dict[str, bytes]:
    pages = {page: with_links(ROOT / name, page) for name, page in PROJECT.items()}
    return {**pages, "project/index.rst": project_index().encode()}


def project_index() -> str:
    """Return the front page of the files beside docs/ that no other page lists."""
    listed = (DOCS / "background.md").read_text("utf-8")
    pages = [Path(page).stem for page in PROJECT.values() if page.removesuffix(".md") not in listed]
    text = "How calibrant is built, tested and extended, and what changed in each version.\n\n"
    return titled("Project") + text + ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {page}\n" for page in pages)


def with_links(path: Path, page: str) -> bytes:
    """Return a page whose links lead to pages of the site; what is no page of it becomes plain text."""
    text = path.read_text("utf-8").replace("\n\n```\n", "\n```\n")  # the blank line is for doctest only
    return re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", lambda link: relinked(link, path, page), text).encode()


def relinked(link: re.Match[str], path: Path, page: str) -> str:
    text, target = link.groups()
    name, _, anchor = target.partition("#")
    if not name or ":" in name:
        return link[0]
    file = (path.parent / name).resolve().relative_to(ROOT).as_posix()
    found = PROJECT.get(file) or (file.removeprefix("docs/") if file.startswith("docs/") else None)
    if found is None:
        return f"`{file}`" if text.strip("`") in (target, file) else f"{text} (`{file}`)"
    up = "../" * page.count("/")
    return f"[{text}]({up}{found}{'#' if anchor else ''}{anchor})"


def reference_pages() -> dict[str, bytes]:
    modules = [module for module in public_modules() if module.__all__]
    pages = {f"reference/{name}.rst": text for module in modules for name, text in module_pages(module)}
    pages["reference/index.rst"] = index_page(modules)
    return {name: text.encode() for name, text in pages.items()}


@functools.cache
def public_modules() -> list[ModuleType]:
    public_api = runpy.run_path(str(ROOT / "tools" / "public_api.py"))
    return list(public_api["public_modules"]("calibrant"))


def module_pages(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yield the page of a module, and one for each of its names that no module above it has."""
    names = {name: kind_of(getattr(module, name)) for name in sorted(module.__all__)}
    own = {name: kind for name, kind in names.items() if home_of(module, name) == module.__name__}
    yield module.__name__, module_page(module, own, [name for name in names if name not in own])
    for name, kind in own.items():
        yield page_of(module.__name__, name), name_page(module.__name__, name, kind)


def kind_of(item: Any) -> str:
    if inspect.isclass(item):
        return "exception" if issubclass(item, BaseException) else "class"
    return "function" if inspect.isroutine(item) else "data"


def home_of(module: ModuleType, name: str) -> str:
    """Return the module whose page documents a name: the highest of those that export the same object."""
    item = getattr(module, name)
    exporting = [
        each.__name__
        for each in public_modules()
        if name in each.__all__ and getattr(each, name) is item and not name.startswith("__")
    ]
    defined_in = [each for each in exporting if f"{getattr(item, '__module__', '')}.".startswith(f"{each}.")]
    return min(defined_in or [module.__name__], key=lambda each: each.count("."))


def page_of(module: str, name: str) -> str:
    """Return the page of a name. `Friedman` and `friedman` would be one file where case does not count."""
    return f"{module}.{name}-class" if name[:1].isupper() and name != name.upper() else f"{module}.{name}"


def titled(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n"


def toctree(pages: list[str]) -> str:
    return ".. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages) + "\n"


def module_page(module: ModuleType, own: dict[str, str], elsewhere: list[str]) -> str:
    text = titled(module.__name__) + f".. automodule:: {module.__name__}\n   :no-members:\n\n"
    text += f".. currentmodule:: {module.__name__}\n\n"
    for kind, heading in KINDS.items():
        if names := [name for name in own if own[name] == kind]:
            text += f".. rubric:: {heading}\n\n.. autosummary::\n\n" + "".join(f"   {name}\n" for name in names) + "\n"
    for name in elsewhere:
        text += f"``{module.__name__}.{name}`` is :py:obj:`{home_of(module, name)}.{name}`.\n\n"
    return text + toctree([f"{name} <{page_of(module.__name__, name)}>" for name in own])


def name_page(module: str, name: str, kind: str) -> str:
    options = "   :members:\n   :inherited-members:\n" if kind == "class" else ""
    options = "   :no-value:\n" if kind == "data" else options
    text = f"{titled(name)}.. currentmodule:: {module}\n\n.. auto{kind}:: {name}\n{options}\n"
    return text + registry_table(module, name)


def registry_table(module: str, name: str) -> str:
    """Return a table of what a registry of the package has: metrics, calibrators, estimates."""
    registry = getattr(sys.modules[module], name)
    if not isinstance(registry, dict):
        return ""
    if name == "METRICS":
        header = ["id", "better", "range", "classes", "needs", "in papers"]
        return "A dict of id to `Metric`. `evaluate` takes the ids.\n\n" + table(
            [header, *(metric_row(module, key, each) for key, each in registry.items())]
        )
    rows = [[f"``{key!r}``", link_to(module, each)] for key, each in registry.items()]
    return "A dict of name to class. Wherever an object is accepted, its name is.\n\n" + table(
        [["name", "class"], *rows]
    )


def metric_row(module: str, key: str, metric: Any) -> list[str]:
    papers = "; ".join(f"{there} ({paper})".replace("|", r"\|") for paper, there in metric.papers.items())
    values = f"{metric.low:g} to {metric.high:g}".replace("inf", "∞")
    better = f"{metric.better} to {metric.target:g}" if metric.better == "nearer" else metric.better
    link = f":py:obj:`{key} <{module}.{metric.function.__name__}>`"
    return [link, better, values, metric.classes, ", ".join(metric.needs), papers]


def link_to(module: str, item: Any) -> str:
    """Return a link to a class or function, and the parameters that a shorthand sets."""
    if isinstance(item, functools.partial):
        given = ", ".join(f"{key}={value!r}" for key, value in item.keywords.items())
        return f"{link_to(module, item.func)} with ``{given}``"
    return f":py:obj:`{item.__name__} <{module}.{item.__name__}>`"


def table(rows: list[list[str]]) -> str:
    lines = (f"   {'  ' if column else '* '}- {cell}\n" for row in rows for column, cell in enumerate(row))
    return ".. list-table::\n   :header-rows: 1\n\n" + "".join(lines) + "\n"


def index_page(modules: list[ModuleType]) -> str:
    text = titled("Reference") + "Every public name, by package. Each has an example that runs.\n\n"
    text += ".. list-table::\n   :widths: 30 70\n\n"
    for module in modules:
        summary = (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")
        text += f"   * - :doc:`{module.__name__}`\n     - {summary}\n"
    return f"{text}\n{toctree([module.__name__ for module in modules])}"


if __name__ == "__main__":
    write_source(Path(sys.argv[1]))
