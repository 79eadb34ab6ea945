"""Print sizes and words of a tree and exit with 1, naming the offenders, where a rule of the house is broken.

    python tools/check_sizes.py [ROOT]

No file of ``src``, ``core`` and ``tests`` over 500 lines; no function of ``src`` with a body over 60 lines without its
docstring. Public functions and classes, those in the ``__all__`` of a module without an underscore in its path: a
doctest in the docstring, full annotations. The whole tree: fewer than 70 pairs of files that share six lines; no
docstring that hides its noun behind Give, Tell, What, Which, How …; no two classes of one name. Comment lines
are counted, not limited.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from repeated_passages import repeated_passages, source_files

FILE_MOST, BODY_MOST = 500, 60
REPEATS = 70
DIALECT = ("Give", "Tell", "Say", "Ask", "What", "Which", "Those", "How", "Return what", "Return which", "Return how")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass
class Findings:
    """The figures to print and the marks missed."""

    figures: list[str] = field(default_factory=list)
    offenders: list[str] = field(default_factory=list)


def check(root: Path) -> Findings:
    findings = Findings()
    source = Source(root / "src")
    check_files("src", root, [*source.trees], findings)
    check_files("core", root, [*root.glob("core/**/*.[ch]pp")], findings)
    check_files("tests", root, [*root.glob("tests/**/*.py")], findings)
    check_functions(root, source, findings)
    check_public(source, findings)
    check_words(root, source, findings)
    check_class_names(source, findings)
    check_repeats(root, findings)
    findings.figures += [
        comment_figure("src", [*source.trees]),
        comment_figure("core", [*root.glob("core/**/*.[ch]pp")]),
    ]
    return findings


def check_files(part: str, root: Path, paths: Sequence[Path], findings: Findings) -> None:
    sizes = sorted(((count_lines(path), path.relative_to(root)) for path in paths), reverse=True)
    longest = f"longest {sizes[0][0]} ({sizes[0][1]})" if sizes else "none"
    findings.figures.append(f"{part}: {len(sizes)} files, {longest}, at most {FILE_MOST}")
    findings.offenders += [f"{path}: {n} lines, at most {FILE_MOST}" for n, path in sizes if n > FILE_MOST]


def check_functions(root: Path, source: Source, findings: Findings) -> None:
    bodies = sorted(
        (body_lines(node), f"{path.relative_to(root)}:{node.lineno} {node.name}")
        for path, tree in source.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
    )
    longest = f"longest {bodies[-1][0]} ({bodies[-1][1]})" if bodies else "none"
    findings.figures.append(f"src functions: {len(bodies)}, {longest}, at most {BODY_MOST}")
    findings.offenders += [f"{where}: {n} lines of body, at most {BODY_MOST}" for n, where in bodies if n > BODY_MOST]


def check_public(source: Source, findings: Findings) -> None:
    public = source.public_definitions(findings.offenders)
    without_doctest = [name for name, node in public.items() if ">>>" not in (ast.get_docstring(node) or "")]
    gaps = [f"{name}: {gap}" for name, node in public.items() for gap in annotation_gaps(node)]
    counts = f"{len(without_doctest)} without a doctest, {len(gaps)} annotations missing"
    findings.figures.append(f"public functions and classes: {len(public)}, {counts}")
    findings.offenders += [f"{name}: no doctest (>>>) in its docstring" for name in without_doctest] + gaps


def check_words(root: Path, source: Source, findings: Findings) -> None:
    """Look for docstrings that open in a dialect of our own."""
    opened = [
        f"{path.relative_to(root)}:{node.lineno} {node.name}: open with Return, Compute, Fit …, not {first}"
        for path, tree in source.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Definition) and (first := opening(node))
    ]
    findings.figures.append(f"docstrings that open with {', '.join(DIALECT)}: {len(opened)}, at most 0")
    findings.offenders += opened


def check_class_names(source: Source, findings: Findings) -> None:
    """Look for classes that share a name."""
    nodes = (node for tree in source.trees.values() for node in ast.walk(tree))
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    twice = [name for name, n in names.items() if n > 1]
    findings.figures.append(f"src classes: {len(names)}, {len(twice)} names used twice, at most 0")
    findings.offenders += [f"{name}: the name of {names[name]} classes" for name in twice]


def check_repeats(root: Path, findings: Findings) -> None:
    repeats = repeated_passages(source_files(root))
    findings.figures.append(f"pairs of files that share six lines: {len(repeats)}, under {REPEATS}")
    if len(repeats) >= REPEATS:
        findings.offenders += map(str, repeats)


def comment_figure(part: str, paths: Sequence[Path]) -> str:
    """Count the lines that are comments, those for tools aside."""
    tools = ("# noqa", "# type:", "# ruff", "# mypy", "// NOLINT")
    lines = [line.strip() for path in paths for line in path.read_text("utf-8").splitlines()]
    comments = [line for line in lines if line.startswith(("# ", "// ")) and not line.startswith(tools)]
    return f"{part}: {len(comments)} comment lines of {len(lines)}"


def opening(node: Definition) -> str:
    """Return the words that a docstring opens with where they are a dialect of our own."""
    doc = ast.get_docstring(node) or ""
    return next((words for words in DIALECT if doc.startswith(f"{words} ")), "")


class Source:
    """The parsed modules under a folder and where their public names are defined."""

    def __init__(self, folder: Path) -> None:
        self.trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))}
        self.modules = {module_name(path.relative_to(folder)): tree for path, tree in self.trees.items()}
        self.packages = {module_name(path.relative_to(folder)) for path in self.trees if is_package(path)}

    def public_definitions(self, offenders: list[str]) -> dict[str, Definition]:
        """Return each public function and class under the name of its module, and note names without one."""
        public = {}
        for module, name in self.public_names(offenders):
            where, node = self.find(module, name)
            if node is None:
                offenders.append(f"{module}: {name} is in __all__ but not in the source")
            elif isinstance(node, Definition):
                public[f"{where}.{node.name}"] = node
        return public

    def public_names(self, offenders: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the module and the name of all that is in an ``__all__``, and note modules without one."""
        for module, tree in self.modules.items():
            if any(part.startswith("_") for part in module.split(".")):
                continue
            names = listed_names(tree)
            if names is None:
                offenders.append(f"{module}: __all__ must be there, as a plain list of names")
            yield from ((module, name) for name in names or ())

    def find(self, module: str, name: str) -> tuple[str, ast.AST | None]:
        """Follow imports to where a name is defined; what another library defines ends at its import."""
        if module not in self.modules:
            return module, ast.Name(name)
        for node in module_level(self.modules[module]):
            if isinstance(node, Definition) and node.name == name:
                return module, node
            if isinstance(node, ast.ImportFrom) and (origin := imported_as(node, name)):
                return self.find(self.absolute(module, node), origin)
            if name in names_bound(node):
                return module, node
        return module, self.modules.get(f"{module}.{name}")

    def absolute(self, module: str, node: ast.ImportFrom) -> str:
        """Return the full name of the module that a module imports from."""
        if not node.level:
            return node.module or ""
        keep = node.level - (module in self.packages)
        parents = module.split(".")[: len(module.split(".")) - keep]
        return ".".join([*parents, *([node.module] if node.module else [])])


def module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a module, also under ``if`` and ``try``; the last of overloads comes first."""
    for node in reversed(tree.body):
        nested = [child for child in ast.walk(node) if isinstance(child, ast.stmt)]
        yield from nested if isinstance(node, ast.If | ast.Try) else [node]


def listed_names(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if "__all__" in names_bound(node) and isinstance(node, ast.Assign | ast.AnnAssign):
            try:
                return list(ast.literal_eval(node.value)) if node.value else None
            except ValueError:
                return None
    return None


def names_bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def imported_as(node: ast.ImportFrom, name: str) -> str | None:
    return next((alias.name for alias in node.names if (alias.asname or alias.name) == name), None)


def annotation_gaps(node: Definition) -> Iterator[str]:
    if isinstance(node, Function):
        yield from function_gaps(node, bound=False)
        return
    for method in node.body:
        if isinstance(method, Function) and (method.name == "__init__" or not method.name.startswith("_")):
            yield from function_gaps(method, bound=not is_static(method))


def function_gaps(node: Function, *, bound: bool) -> Iterator[str]:
    signature = node.args
    by_position = [*signature.posonlyargs, *signature.args][bound:]
    rest = [arg for arg in (signature.vararg, signature.kwarg) if arg]
    for arg in [*by_position, *signature.kwonlyargs, *rest]:
        if arg.annotation is None:
            yield f"{node.name}: {arg.arg} has no annotation"
    if node.returns is None:
        yield f"{node.name}: the return has no annotation"


def is_static(node: Function) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list)


def body_lines(node: Function) -> int:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    first = min((line for statement in body for line in first_lines(statement)), default=0)
    return (node.end_lineno or first) - first + 1 if body else 0


def first_lines(statement: ast.stmt) -> list[int]:
    return [statement.lineno, *(mark.lineno for mark in getattr(statement, "decorator_list", []))]


def count_lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def module_name(path: Path) -> str:
    parts = path.parent.parts if is_package(path) else path.with_suffix("").parts
    return ".".join(parts)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    findings = check(root)
    print(*findings.figures, sep="\n")
    if findings.offenders:
        print("", "Missed:", *findings.offenders, sep="\n")
    return 1 if findings.offenders else 0


if __name__ == "__main__":
    sys.exit(main())
