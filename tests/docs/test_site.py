"""`make docs` builds the whole site without a warning, and the pages fetch nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_site_builds_without_warnings_and_fetches_nothing(tmp_path: Path) -> None:
    pytest.importorskip("pydata_sphinx_theme")
    subprocess.run([sys.executable, ROOT / "tools" / "docs_source.py", tmp_path / "source"], check=True, timeout=120)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", tmp_path / "cache"]
    done = subprocess.run(
        [*command, tmp_path / "source", tmp_path / "site"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 300
    fetched = (
        r"<(?:script|img|iframe|source)[^>]*\bsrc=\"(?:https?:)?//|<link[^>]*\bhref=\"(?:https?:)?//|url\(['\"]?https?:"
    )
    assert [page.name for page in pages if re.search(fetched, page.read_text("utf-8"))] == []
    assert [
        path.name for path in (tmp_path / "site").rglob("*.css") if re.search(fetched, path.read_text("utf-8"))
    ] == []
