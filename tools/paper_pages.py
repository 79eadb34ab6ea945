"""Put the results of a reproduced paper into its page of the documentation.

    calibrant reproduce nielsen-2004 --out build/nielsen
    python tools/paper_pages.py nielsen-2004 build/nielsen

The part of docs/papers/NAME.md between the two comments `<!-- results -->` and `<!-- end of results -->` is replaced by
the text of the folder, and its CSV files and pictures are copied to docs/papers/NAME/, where tests read them.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

PAPERS = Path(__file__).resolve().parent.parent / "docs" / "papers"
START, END = "<!-- results -->", "<!-- end of results -->"


def put_results(paper: str, folder: Path) -> Path:
    """Copy the files of a folder, put its text into the page of a paper, and return the page."""
    name = paper.replace("-", "_")
    page, files = PAPERS / f"{name}.md", PAPERS / name
    if files.exists():
        shutil.rmtree(files)
    files.mkdir(parents=True)
    for path in sorted([*folder.glob("*.csv"), *folder.glob("*.png")]):
        shutil.copy(path, files / path.name)
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    text = results_text((folder / "results.md").read_text(encoding="utf-8"), name)
    page.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    return page


def results_text(text: str, name: str) -> str:
    r"""Return the text of results without its title, with links to the copied pictures.

    >>> results_text("# A. Author\n\nSome.\n\n![A figure](figure_1.png)\n", "a_paper")
    'Some.\n\n![A figure](a_paper/figure_1.png)'
    """
    without_title = text.partition("\n")[2].strip()
    return re.sub(r"\]\(([\w.-]+\.png)\)", rf"]({name}/\1)", without_title)


if __name__ == "__main__":
    print(put_results(sys.argv[1], Path(sys.argv[2])))
