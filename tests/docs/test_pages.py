"""The pages of the site: all are reachable, their links lead somewhere, and each ends in advice."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
OVERVIEWS = {"index", "guide", "background"}  # lists of pages
TELLS_A_STORY = [
    "learning",
    "calibrating",
    "measuring",
    "comparing",
    "deciding",
    "model_files",
    "coming_from",
    "extending",
]


def toctree_entries(text: str) -> list[str]:
    in_markdown = re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
    in_rst = re.findall(r"\.\. toctree::\n((?:   .*\n|\n)+)", text)
    lines = [line.strip() for block in (*in_markdown, *in_rst) for line in block.splitlines()]
    named = [re.fullmatch(r".*<(.+)>", line) for line in lines]
    entries = [match[1] if match else line for match, line in zip(named, lines, strict=True)]
    return [entry for entry in entries if entry and not entry.startswith(":")]


def slugs(text: str) -> set[str]:
    """Return the anchors of a page's headings, as Markdown viewers and MyST make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(text: str) -> list[str]:
    without_code = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found = re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", without_code)
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def test_every_page_is_in_one_table_of_contents(source: dict[str, str]) -> None:
    listed = [
        str(PurePosixPath(name).parent / entry) for name, text in source.items() for entry in toctree_entries(text)
    ]
    pages = {name.removesuffix(".md").removesuffix(".rst") for name in source}
    assert sorted(listed) == sorted(pages - {"index"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path, source: dict[str, str]) -> None:
    text = page.read_text("utf-8")
    for link in links(text):
        name, _, anchor = link.partition("#")
        target = source.get(name) or (page.parent / name).read_text("utf-8") if name else text
        assert not anchor or anchor in slugs(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_exist(page: Path) -> None:
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8"))
    assert all((page.parent / picture).exists() for picture in pictures)


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "ARCHITECTURE.md", "README.md"])
def test_links_of_the_files_beside_the_pages_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    missing = [link for link in links(text) if link[0] != "#" and not (ROOT / link.partition("#")[0]).exists()]
    assert not missing


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem not in OVERVIEWS], ids=lambda page: page.stem)
def test_every_page_ends_in_advice(page: Path) -> None:
    heading, advice = re.split(r"^## ", page.read_text("utf-8"), flags=re.MULTILINE)[-1].split("\n", 1)
    assert heading == "What to do"
    assert len(re.findall(r"^- ", advice, re.MULTILINE)) >= 3


@pytest.mark.parametrize("name", TELLS_A_STORY)
def test_a_page_of_the_guide_has_examples_that_run(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    assert text.count(">>> ") >= 10
    assert "+SKIP" not in text


def test_the_files_that_the_page_on_extending_names_exist() -> None:
    text = (ROOT / "docs" / "extending.md").read_text("utf-8")
    named = [name for name in re.findall(r"`([\w./]+)`", text) if "/" in name]
    assert len(named) > 20
    assert [name for name in named if not ((ROOT / name).exists() or (ROOT / "src/calibrant" / name).exists())] == []


def test_a_criterion_stands_where_the_page_on_extending_says() -> None:
    grow = ROOT / "core" / "tree" / "grow"
    assert "enum class CriterionName" in (grow / "grower.hpp").read_text("utf-8")
    for path in (grow / "table_search.hpp", grow / "coarse_search.cpp", ROOT / "core" / "bind" / "trees.cpp"):
        assert "CriterionName::twoing" in path.read_text("utf-8")


def test_links_lead_to_pages_of_the_site_or_are_plain_text(source: dict[str, str]) -> None:
    for name, text in source.items():
        for link in links(text) if name.endswith(".md") else ():
            target = link.partition("#")[0]
            folder = PurePosixPath(name).parent
            path = re.sub(r"[^/]+/\.\./", "", str(folder / target)) if target else name
            assert path in source or (ROOT / "docs" / path).exists(), (name, link)
