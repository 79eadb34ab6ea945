"""Find passages that stand in two places of a source tree: runs of the same lines, white space folded.

    python tools/repeated_passages.py [ROOT]

Blank lines, comments, imports and lone punctuation do not count, nor do lines that stand in more than eight places.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

LENGTH = 6  # lines that two places must share
COMMON = 8  # a run in more places than this is an idiom, not a copy
FOLDERS = ("src", "core", "tests", "benchmarks", "examples", "tools")
_SKIPPED = re.compile(r"\W*|#.*|//.*|import .*|from .* import .*|#include .*")

Line = tuple[int, str]
Place = tuple[Path, int]


@dataclass(frozen=True)
class Repeat:
    """Two places of the same lines: the files and the numbers of the first line in each."""

    first: Path
    first_line: int
    second: Path
    second_line: int

    def __str__(self) -> str:
        return f"{self.first}:{self.first_line} ~ {self.second}:{self.second_line}"


def source_files(root: Path) -> list[Path]:
    return sorted(
        path for folder in FOLDERS for kind in ("py", "hpp", "cpp") for path in (root / folder).rglob(f"*.{kind}")
    )


def code_lines(path: Path) -> list[Line]:
    """Return the lines of a file that count, numbered from 1."""
    numbered = enumerate((" ".join(line.split()) for line in path.read_text("utf-8").splitlines()), 1)
    return [(number, line) for number, line in numbered if not _SKIPPED.fullmatch(line)]


def runs(lines: Sequence[Line]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each run of lines with the number of its first line."""
    for i in range(len(lines) - LENGTH + 1):
        yield lines[i][0], tuple(line for _, line in lines[i : i + LENGTH])


def repeated_passages(paths: Iterable[Path]) -> list[Repeat]:
    """Return one repeat for each pair of files that share a run of lines; a file may share one with itself."""
    places: dict[tuple[str, ...], list[Place]] = defaultdict(list)
    for path in paths:
        for number, run in runs(code_lines(path)):
            places[run].append((path, number))
    found: dict[tuple[Path, Path], Repeat] = {}
    for shared in places.values():
        if 1 < len(shared) <= COMMON:
            for (first, line), (second, other) in combinations(shared, 2):
                if first != second or other - line >= LENGTH:
                    found.setdefault((first, second), Repeat(first, line, second, other))
    return list(found.values())


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    repeats = repeated_passages(source_files(root))
    print(*repeats, f"{len(repeats)} pairs of files share {LENGTH} lines or more", sep="\n")


if __name__ == "__main__":
    main()
