"""Put the results of a reproduced paper into its page of the documentation, and its findings into the summary.

    calibrant reproduce nielsen-2004 --out build/nielsen
    python tools/paper_pages.py nielsen-2004 build/nielsen

The part of docs/papers/NAME.md between the two comments `<!-- results -->` and `<!-- end of results -->` is replaced by
the text of the folder, and its CSV files and pictures are copied to docs/papers/NAME/, where tests read them. The same
part of docs/papers/index.md is replaced by the findings of all papers. Without arguments only that is done, after every
findings.csv has been computed again from the tables beside it.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from pathlib import Path

from calibrant.papers import PAPERS, PaperTable, get_paper
from calibrant.papers._reproduction.finding import findings_csv
from calibrant.papers._reproduction.table import markdown_table

PAGES = Path(__file__).resolve().parent.parent / "docs" / "papers"
START, END = "<!-- results -->", "<!-- end of results -->"


def put_results(paper: str, folder: Path) -> None:
    """Copy the files of a folder, and put its text into the page of a paper."""
    name = paper.replace("-", "_")
    files = PAGES / name
    if files.exists():
        shutil.rmtree(files)
    files.mkdir(parents=True)
    for path in sorted([*folder.glob("*.csv"), *folder.glob("*.png")]):
        shutil.copy(path, files / path.name)
    put_text(PAGES / f"{name}.md", results_text((folder / "results.md").read_text(encoding="utf-8"), name))


def put_text(page: Path, text: str) -> None:
    """Replace the part of a page between the two comments."""
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def results_text(text: str, name: str) -> str:
    r"""Return the text of results without its title, with links to the copied pictures.

    >>> results_text("# A. Author\n\nSome.\n\n![A figure](figure_1.png)\n", "a_paper")
    'Some.\n\n![A figure](a_paper/figure_1.png)'
    """
    without_title = text.partition("\n")[2].strip()
    return re.sub(r"\]\(([\w.-]+\.png)\)", rf"]({name}/\1)", without_title)


def summary(pages: Path = PAGES) -> str:
    """Return the findings of all papers as one table in Markdown."""
    rows = []
    for paper in PAPERS:
        name = paper.replace("-", "_")
        path = pages / name / "findings.csv"
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                rows += [
                    [f"[{paper}]({name}.md)", each["statement"], each["verdict"], each["advice"]]
                    for each in csv.DictReader(file)
                ]
    return markdown_table(["paper", "finding", "verdict", "what to do today"], rows, left=4)


def check_again() -> None:
    """Compute the findings of each paper again from its stored tables."""
    for paper in map(get_paper, PAPERS):
        folder = PAGES / paper.name.replace("-", "_")
        tables = [PaperTable.from_csv(path) for path in folder.glob("*.csv") if path.stem != "findings"]
        if tables:
            findings = paper.findings({each.name: each for each in tables})
            (folder / "findings.csv").write_text(findings_csv(findings), encoding="utf-8", newline="")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        put_results(sys.argv[1], Path(sys.argv[2]))
    else:
        check_again()
    put_text(PAGES / "index.md", summary())
