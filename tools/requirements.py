"""Print what pyproject.toml requires: `requirements.py build`, or the package with the extras named, without itself."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def requirements(project: dict[str, Any], extra: str) -> list[str]:
    """Return the requirements of an extra, those of the extras that it names included."""
    found: list[str] = []
    for line in project["optional-dependencies"][extra]:
        own = re.fullmatch(r"calibrant\[(.*)\]", line)
        found += [r for name in own[1].split(",") for r in requirements(project, name)] if own else [line]
    return found


def main() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if sys.argv[1:] == ["build"]:
        lines = [*document["build-system"]["requires"], "cmake>=3.24", "ninja>=1.11"]
    else:
        lines = [*document["project"]["dependencies"]]
        lines += [r for extra in sys.argv[1:] for r in requirements(document["project"], extra)]
    print("\n".join(dict.fromkeys(lines)))


if __name__ == "__main__":
    main()
