"""Write five reports on real and simulated data, and a page that says of each what to look at.

    python tools/gallery.py [FOLDER] [NAME ...]

Data come with calibrant or from the folder that CALIBRANT_DATA names; a report whose data are absent is skipped.
Models are fitted to some rows, and the reports are of others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from calibrant.bayes import NaiveBayesClassifier
from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.data import Table, load
from calibrant.decisions import ExampleCosts
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import ReadError
from calibrant.linear import LogisticClassifier
from calibrant.report import Report
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

FOLDER = Path("build/gallery")
SEED = 0
CUSTOMERS = (  # the codes 1 to 10 of MOSHOOFD in the dictionary of the CoIL challenge
    "successful hedonists",
    "driven growers",
    "average family",
    "career loners",
    "living well",
    "cruising seniors",
    "retired and religious",
    "family with grown-ups",
    "conservative families",
    "farmers",
)
LETTER = 0.68  # dollars: what a letter of the KDD Cup of 1998 costs


@dataclass(frozen=True)
class Entry:
    """A report of the gallery.

    Parameters
    ----------
    name : str
        The name of its file.
    title : str
        Its title in the index.
    look_at : str
        What to look at.
    make : callable
        Returns the report.
    """

    name: str
    title: str
    look_at: str
    make: Callable[[], Report]


def split(table: Table, test_size: float | int) -> tuple[Table, Table]:
    """Return training rows and test rows of a table, stratified by class."""
    rows = np.arange(table.n_rows)
    train, test = train_test_split(rows, test_size=test_size, random_state=SEED, stratify=np.asarray(table.y))
    return table.take(np.sort(train)), table.take(np.sort(test))


def predicted(models: dict[str, Any], train: Table, test: Table) -> dict[str, Any]:
    """Return the held-out probabilities of models that are fitted to the training rows."""
    return {name: model.fit(train.X, train.y).predict_proba(test.X) for name, model in models.items()}


def with_words(table: Table, words: dict[str, str]) -> Table:
    """Return a table with its classes in words."""
    return replace(table, y=table.y.astype(str).map(words), positive=None) if table.y is not None else table


def rare_class() -> Report:
    """Return a report on a class of 6 in 100 rows, with a tree that is drawn."""
    table = with_words(load("zadrozny.coil"), {"0": "none", "1": "policy"})
    train, test = table.part("train"), table.part("test")
    tree = ProbabilityTreeClassifier(max_depth=3, min_leaf=50, estimate="m", nominal_splits="binary")
    models = {
        "tree": tree,
        "naive Bayes": NaiveBayesClassifier(),
        "calibrated forest": CalibratedClassifier(BaggedTreesClassifier(random_state=SEED), cv="oob"),
    }
    return Report.from_predictions(
        test.y,
        predicted(models, train, test),
        costs={"none": {"leave": 0, "call": 1}, "policy": {"leave": 0, "call": -12}},
        by={"customer type": [CUSTOMERS[int(code) - 1] for code in test.X["MOSHOOFD"]]},
        pos_label="policy",
        model={"tree": tree},
        title="Caravans: who buys a policy?",
        source="zadrozny.coil (CoIL challenge 2000), the test rows",
    )


def three_classes() -> Report:
    """Return a report on three classes, two of them hard to tell apart, by cross-validation."""
    table = load("vehicle")
    table = table.take(np.flatnonzero(np.asarray(table.y) != "van"))
    methods = {
        "forest": BaggedTreesClassifier(random_state=SEED),
        "naive Bayes": NaiveBayesClassifier(),
        "calibrated naive Bayes": CalibratedClassifier(NaiveBayesClassifier()),
    }
    y = np.asarray(table.y).astype(str)
    found = estimate_performance(methods, table.X, y, CrossValidation(5, random_state=SEED), ["log_loss"])
    pooled = {name: found.pooled(name) for name in methods}
    rows = next(iter(pooled.values()))
    return Report.from_predictions(
        rows.y_true,
        {name: each.y_pred for name, each in pooled.items()},
        labels=list(rows.classes),
        by={"elongated": np.where(np.asarray(table.X["ELONGATEDNESS"])[rows.row] > 40, "yes", "no")},
        title="Silhouettes: bus, Opel or Saab?",
        source="vehicle without vans, 5-fold cross-validation",
    )


def sixty_rows() -> Report:
    """Return a report on 60 rows, which are too few for most questions."""
    table = with_words(load("wpbc"), {"N": "does not", "R": "recurs"})
    table = Table(X=table.X.drop(columns="time"), y=table.y, name=table.name)  # the time is known afterwards only
    train, test = split(table, 60)
    models = {
        "logistic regression": LogisticClassifier(),
        "ProbabilityClassifier": ProbabilityClassifier(random_state=SEED),
    }
    return Report.from_predictions(
        test.y,
        predicted(models, train, test),
        pos_label="recurs",
        title="Breast cancer: in whom does it recur?",
        source="wpbc, 60 rows held out",
    )


def covertype() -> Report:
    """Return a report on seven classes and 150,000 rows."""
    rest, test = split(load("covertype"), 150_000)
    train, _ = split(rest, rest.n_rows - 20_000)
    models = {"forest": BaggedTreesClassifier(n_trees=30, random_state=SEED)}
    return Report.from_predictions(
        test.y,
        predicted(models, train, test),
        title="Forest cover: which trees grow here?",
        source="covertype, 150,000 rows held out of 581,012",
    )


def million() -> Report:
    """Return a report on a million simulated rows: one model is right, the other one too extreme."""
    rng = np.random.default_rng(SEED)
    true = rng.beta(1, 9, 1_000_000)
    log_odds = np.log(true / (1 - true))
    return Report.from_predictions(
        np.where(rng.random(len(true)) < true, "yes", "no"),
        {"the truth": true, "too extreme": 1 / (1 + np.exp(-1.3 * log_odds - 0.6))},
        costs={"no": {"leave": 0, "write": 0.68}, "yes": {"leave": 0, "write": -9}},
        pos_label="yes",
        title="A million rows whose probabilities are known",
        source="simulated: probabilities from a beta distribution (1, 9)",
    )


def gifts(table: Table) -> Any:
    """Return the gift of each person of the mailing, in dollars."""
    if table.extra is None:
        raise ReadError(f"{table.name} has no column of gifts.")
    return np.asarray(table.extra["TARGET_D"])


def four_models() -> Report:
    """Return a report on the mailing of the KDD Cup of 1998: a letter costs $0.68, gifts differ by row."""
    table = with_words(load("zadrozny.kdd98"), {"0": "does not", "1": "gives"})
    train, test = split(table, 20_000)
    gift, answered = gifts(train), np.asarray(train.y) == "gives"
    last = np.asarray(train.X["RFA_2A"]).astype(str)  # how much the last gift was, as a letter
    means = {code: gift[answered & (last == code)].mean() for code in np.unique(last[answered])}
    codes = np.asarray(test.X["RFA_2A"]).astype(str)
    benefit = np.array([round(means.get(code, gift[answered].mean()), 2) for code in codes])  # to the cent
    columns = ["RFA_2A", "RFA_2F", "RFA_3", "RFA_4", "DOMAIN", "GENDER", "HOMEOWNR", "SOLIH"]
    models = {
        "logistic regression": LogisticClassifier(),
        "naive Bayes": NaiveBayesClassifier(),
        "tree": ProbabilityTreeClassifier(estimate="m", min_leaf=100),
        "calibrated naive Bayes": CalibratedClassifier(NaiveBayesClassifier()),
    }
    narrow, rows = (Table(X=part.X[columns], y=part.y, name=part.name) for part in (train, test))
    return Report.from_predictions(
        test.y,
        predicted(models, narrow, rows),
        costs=ExampleCosts(cost=LETTER, benefit=benefit, actions=("leave", "write")),
        amount=gifts(test),
        by={"last gift": [f"band {code}" for code in test.X["RFA_2A"]]},
        pos_label="gives",
        title="A mailing: to whom is a letter worth $0.68?",
        source="zadrozny.kdd98, 20,000 rows held out",
    )


ENTRIES = (
    Entry(
        "rare_class",
        "A rare class",
        "6 in 100 customers buy a policy. The reliability diagram follows the few probabilities that matter, and naive "
        "Bayes is far from right: see what that costs. The tree is drawn.",
        rare_class,
    ),
    Entry(
        "three_classes",
        "Three classes",
        "Every class has a page of its own. Bus is easy, Opel and Saab are hard to tell apart: compare their pages, "
        "and naive Bayes before and after calibration.",
        three_classes,
    ),
    Entry(
        "sixty_rows",
        "60 rows",
        "What a report says where next to nothing can be said: wide intervals, warnings, and no claim that the rows do "
        "not support.",
        sixty_rows,
    ),
    Entry(
        "covertype",
        "Many rows: covertype",
        "Seven classes, 150,000 rows. The page of Cottonwood/Willow, 1 row in 200, beside that of Lodgepole Pine.",
        covertype,
    ),
    Entry(
        "million",
        "Many rows: a simulated million",
        "The truth is known: one model is right, the other one too extreme. Curves are thinned, so that the file stays "
        "small; the analyser has 10,000 cuts.",
        million,
    ),
    Entry(
        "four_models",
        "Four models with money",
        "Whom to write to, where a letter costs $0.68 and gifts differ by row. Drag the fraction in the cost-benefit "
        "analyser, hide models, and compare the segments by last gift.",
        four_models,
    ),
)

STYLE = """\
:root{color-scheme:light dark;--text:#1c2430;--soft:#56606e;--page:#f6f7f9;--card:#fff;--line:#d9dee5;--link:#0b5cad}
@media (prefers-color-scheme:dark){
:root{--text:#e8ebf0;--soft:#a3adbb;--page:#14181e;--card:#1d232b;--line:#333c48;--link:#7cb7f2}
}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:2.5rem 1rem}
h1{margin:0 0 .3rem;font-size:1.75rem}
h2{margin:0 0 .3rem;font-size:1.15rem}
p{margin:.2rem 0}
ol{list-style:none;margin:1.5rem 0;padding:0;display:grid;gap:.9rem}
li{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.2rem}
a{color:var(--link)}
.soft{color:var(--soft);font-size:.9rem}
"""


def index_page(cards: list[str]) -> str:
    """Return the page that lists the reports."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Reports of calibrant</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body><main>'
        "<h1>Reports of calibrant</h1><p>One file each, which needs no network. Made by <code>make gallery</code>; "
        f"every prediction is of a row that the model did not see.</p><ol>{''.join(cards)}</ol></main></body></html>\n"
    )


def card(entry: Entry, note: str, *, is_there: bool) -> str:
    """Return the entry of a report in the index."""
    title = escape(entry.title)
    heading = f'<a href="{escape(entry.name)}.html">{title}</a>' if is_there else title
    return f'<li><h2>{heading}</h2><p>{escape(entry.look_at)}</p><p class="soft">{escape(note)}</p></li>'


def write(entry: Entry, folder: Path) -> str:
    """Write a report, where its data are there, and return its entry in the index."""
    start = time.perf_counter()
    try:
        report = entry.make()
    except ReadError as error:
        note = f"Skipped, because its data are not here: {error}"
        print(f"{entry.name}: {note}")
        return card(entry, note, is_there=False)
    path = report.save(folder / f"{entry.name}.html")
    note = f"{path.stat().st_size / 1e6:.1f} MB, {time.perf_counter() - start:.0f} s with the fits"
    print(f"{path}: {note}")
    return card(entry, note, is_there=True)


def main(args: list[str]) -> int:
    """Write the reports that are named, all by default, and the index."""
    folder = Path(args[0]) if args else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [entry for entry in ENTRIES if not args[1:] or entry.name in args[1:]]
    cards = [write(entry, folder) for entry in chosen]
    (folder / "index.html").write_text(index_page(cards), encoding="utf-8")
    print(folder / "index.html")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
